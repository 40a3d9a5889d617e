/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionenum.h"
#include "testsrc/gstvisiontestsrc.h"

GType
gst_vision_test_src_pattern_type (void)
{
  static const GEnumValue values[] = {
      {GST_VISION_TEST_SRC_CHROMATIC,
          "Shapes, each of its own colour, that move, turn and hide each other",
          "chromatic"},
      {GST_VISION_TEST_SRC_RGBD,
          "The depth of a room, seen by a hand-held camera, and in it a robot "
          "that starts to drive",
          "rgbd"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstVisionTestSrcPattern", values);
}

GType
gst_vision_test_src_path_type (void)
{
  static const GEnumValue values[] = {
      {RGBD_PARALLEL, "Parallel to the image plane, to and fro", "parallel"},
      {RGBD_TOWARDS, "Nearer, across the view", "towards"},
      {RGBD_FRONTAL, "Its front to the camera, straight to it", "frontal"},
      {RGBD_AWAY, "Straight away from the camera", "away"},
      {RGBD_PASS, "Through the view and out of it", "pass"},
      {RGBD_ROTATION, "Turning on the spot", "rotation"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstVisionTestSrcPath", values);
}
