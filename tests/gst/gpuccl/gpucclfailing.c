/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl in a pipeline on a device that fails, at each of its calls in turn. */
#include "suite.h"
#include "failingplay.h"

GST_START_TEST (test_element)
{
  GstElement *pipeline = failing_pipeline (
      "visiontestsrc pattern=rgbd num-buffers=4 motion-start=0 speed=8 ! "
      "video/x-raw,width=80,height=60 ! gpuccl name=g frames=1 min-size=20 "
      "min-extent=3 ! fakesink",
      "g", failing_open);

  failing_play_all (pipeline, "g");
  gst_object_unref (pipeline);
}
GST_END_TEST;

SUITE (gpucclfailing, TIMEOUT (100), TEST (test_element));
