/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo in a pipeline on a device that fails at each of its calls in
 * turn. */
#include "suite.h"
#include "failingplay.h"

static const gchar *const properties[] = {
    "mode=dense", "mode=points output=colormap"};

GST_START_TEST (test_pipeline)
{
  gchar *text = g_strdup_printf (
      "visiontestsrc pattern=stereo view=side-by-side num-buffers=3 ! "
      "video/x-raw,width=96,height=48 ! "
      "pocstereo name=stereo backend=cpu max-disparity=8 %s ! fakesink "
      "async=false",
      properties[__i__]);

  GstElement *pipeline = failing_pipeline (text, "stereo", failing_open);

  failing_play_all (pipeline, "stereo");
  gst_object_unref (pipeline);
  g_free (text);
}
GST_END_TEST;

SUITE (pocstereofailing, TIMEOUT (300),
    LOOP (test_pipeline, G_N_ELEMENTS (properties)));
