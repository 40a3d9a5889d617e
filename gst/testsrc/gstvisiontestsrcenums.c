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
      {GST_VISION_TEST_SRC_STEREO,
          "Boards, balls and a head in a room, seen by two cameras side by "
          "side",
          "stereo"},
      {GST_VISION_TEST_SRC_MULTISPECTRAL,
          "Targets that have the colour of the ground under them and another "
          "spectrum, seen in up to 16 channels",
          "multispectral"},
      {GST_VISION_TEST_SRC_CLUTTER,
          "Things that were dropped on a table, seen in colour and depth",
          "clutter"},
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

GType
gst_vision_test_src_view_type (void)
{
  static const GEnumValue values[] = {
      {GST_VISION_TEST_SRC_LEFT, "The left camera", "left"},
      {GST_VISION_TEST_SRC_RIGHT, "The right camera", "right"},
      {GST_VISION_TEST_SRC_SIDE_BY_SIDE,
          "Both in one frame, the left one on the left", "side-by-side"},
      {GST_VISION_TEST_SRC_TOP_BOTTOM, "Both in one frame, the left one above",
          "top-bottom"},
      {GST_VISION_TEST_SRC_COLOR, "The colour of clutter", "color"},
      {GST_VISION_TEST_SRC_DEPTH, "The depth of clutter", "depth"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstVisionTestSrcView", values);
}

GType
gst_vision_test_src_contents_type (void)
{
  static const GEnumValue values[] = {
      {STEREO_ALL, "Balls and a head in front of the planes", "all"},
      {STEREO_PLANES, "A wall, the ground and two boards that sway", "planes"},
      {STEREO_SPHERES, "Three balls, and nothing behind them", "spheres"},
      {STEREO_HEAD, "A head, and nothing behind it", "head"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstVisionTestSrcContents", values);
}

GType
gst_vision_test_src_layout_type (void)
{
  static const GEnumValue values[] = {
      {GST_VISION_TEST_SRC_STACKED, "One below the other", "stacked"},
      {GST_VISION_TEST_SRC_MOSAIC, "In cells, as a mosaic sensor has them",
          "mosaic"},
      {GST_VISION_TEST_SRC_COLOUR,
          "No channels, but red, green and blue as an eye sees them", "color"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstVisionTestSrcLayout", values);
}
