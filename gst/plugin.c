/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One line an element. */
#include <gst/gst.h>

GST_ELEMENT_REGISTER_DECLARE (depthalign);
GST_ELEMENT_REGISTER_DECLARE (emdtrack);
GST_ELEMENT_REGISTER_DECLARE (envisrc);
GST_ELEMENT_REGISTER_DECLARE (gpuccl);
#ifndef NO_KINFUMOT
GST_ELEMENT_REGISTER_DECLARE (kinfumot);
#endif
GST_ELEMENT_REGISTER_DECLARE (moct);
GST_ELEMENT_REGISTER_DECLARE (pocstereo);
GST_ELEMENT_REGISTER_DECLARE (scopedetect);
GST_ELEMENT_REGISTER_DECLARE (visionjson);
GST_ELEMENT_REGISTER_DECLARE (visionmap);
GST_ELEMENT_REGISTER_DECLARE (visionmeta);
GST_ELEMENT_REGISTER_DECLARE (visionoverlay);
GST_ELEMENT_REGISTER_DECLARE (visiontestsrc);

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean any = FALSE;

  any |= GST_ELEMENT_REGISTER (depthalign, plugin);
  any |= GST_ELEMENT_REGISTER (emdtrack, plugin);
  any |= GST_ELEMENT_REGISTER (envisrc, plugin);
  any |= GST_ELEMENT_REGISTER (gpuccl, plugin);
#ifndef NO_KINFUMOT
  any |= GST_ELEMENT_REGISTER (kinfumot, plugin);
#endif
  any |= GST_ELEMENT_REGISTER (moct, plugin);
  any |= GST_ELEMENT_REGISTER (pocstereo, plugin);
  any |= GST_ELEMENT_REGISTER (scopedetect, plugin);
  any |= GST_ELEMENT_REGISTER (visionjson, plugin);
  any |= GST_ELEMENT_REGISTER (visionmap, plugin);
  any |= GST_ELEMENT_REGISTER (visionmeta, plugin);
  any |= GST_ELEMENT_REGISTER (visionoverlay, plugin);
  any |= GST_ELEMENT_REGISTER (visiontestsrc, plugin);
  return any;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, vision,
    "GPU vision algorithms on live video", plugin_init, VERSION, "LGPL",
    PACKAGE, ORIGIN)
