/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl in a pipeline on a device that fails, at each of its calls in turn. */
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

static Suite *
gpucclfailing_suite (void)
{
  Suite *suite = suite_create ("gpucclfailing");
  TCase *tc = tcase_create ("failing");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_element);
  return suite;
}

GST_CHECK_MAIN (gpucclfailing);
