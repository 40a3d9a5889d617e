/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One line an element. */
#include <gst/gst.h>

static gboolean
plugin_init (GstPlugin * plugin)
{
  (void) plugin;
  return TRUE;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, vision,
    "GPU vision algorithms on live video", plugin_init, VERSION, "LGPL",
    PACKAGE, "https://gstreamer.freedesktop.org/")
