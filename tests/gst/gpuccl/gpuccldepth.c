/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element gpuccl on depth: with and without a tracker's map, with and
 * without a camera. */
#include "suite.h"
#include <glib/gstdio.h>

#include "gpucclframes.h"

/* A wall at 2 m, and before it a box at 1 m. */
static const Rect scene[] = {
    {0, 0, WIDTH, HEIGHT, 2000}, {10, 20, 20, 16, 1000}};
/* What the tracker says of the box, and of a patch of the wall. */
static const Rect classes[] = {{10, 20, 10, 16, 2}, {20, 20, 10, 16, 3},
    {40, 4, 10, 12, 4}, {50, 4, 10, 12, 5}, {0, 0, 64, 2, 0}};

static GstBuffer *
tracked (Frames *f, guint channels)
{
  GstBuffer *buffer = frames_make (f, scene, 2);

  add_classes (buffer, channels, WIDTH, HEIGHT, classes, 5);
  return buffer;
}

static void
set_camera (GstBuffer *buffer, guint width, guint height, gdouble f,
    const gdouble pose[7])
{
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = width;
  camera.ref_height = height;
  camera.fx = camera.fy = f;
  camera.cx = (width - 1) / 2.;
  camera.cy = (height - 1) / 2.;
  if (pose)
    memcpy (camera.pose, pose, sizeof camera.pose);
  camera.has_pose = pose != NULL;
  fail_unless (
      gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
}

/* Steps of depth part what all has depth. */
GST_START_TEST (test_depth_alone)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "filter=none");
  GstVisionObjects *found = frames_push (&f, frames_make (&f, scene, 2));

  fail_unless_equals_int (found->n_objects, 2);
  fail_unless_equals_float (found->objects[0].depth, 2);
  fail_unless_equals_float (found->objects[1].depth, 1);
  fail_unless_equals_uint64 (found->objects[1].area, 320);
  fail_unless (!found->objects[1].extent.n);
  gst_vision_objects_free (found);
  g_object_set (f.h->element, "max-depth-step", 1.001, NULL);
  frames_state (&f, frames_make (&f, scene, 2), 1);
  g_object_set (f.h->element, "max-depth-step", 1., NULL);
  frames_state (&f, frames_make (&f, scene, 2), 2);
  g_object_set (f.h->element, "depth-step-k", 1.001, NULL);
  frames_state (&f, frames_make (&f, scene, 2), 1);
  g_object_set (f.h->element, "depth-step-k", 0., "depth-scale", .0001, NULL);
  frames_state (&f, frames_make (&f, scene, 2), 1);
}
GST_END_TEST;

/* Eight frames of a wall and a box that do not move: surfaces, and no object.
 */
GST_START_TEST (test_surfaces)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE,
      "filter=none min-size=100 frames=3 min-extent=2");

  for (guint i = 0; i < 8; i++) {
    g_autoptr (GstVisionObjects) found =
        frames_push (&f, frames_make (&f, scene, 2));

    fail_unless_equals_int (found->n_objects, 2);
    for (guint k = 0; k < 2; k++) {
      fail_unless_equals_int (
          found->objects[k].state, GST_VISION_STATE_REJECTED);
      fail_unless_equals_string (found->objects[k].reason, "surface");
      fail_unless (found->objects[k].id != 0);
    }
  }
}
GST_END_TEST;

/* Of a tracked frame, outliers count, whether the map has models or not. */
GST_START_TEST (test_classes)
{
  for (guint channels = 1; channels <= 2; channels++) {
    g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
    GstVisionObject *o = frames_first (&f, tracked (&f, channels), 1);

    fail_unless_equals_uint64 (o->area, 320);
    fail_unless_equals_float (o->x, 10);
    fail_unless_equals_float (o->depth, 1);
    gst_vision_object_free (o);
    expect_faulty (&f, 0);
  }
}
GST_END_TEST;

static void
expect_place (const GstVisionObject *o, gdouble focal, gdouble z)
{
  const gdouble *p = o->pose.values, *e = o->extent.values;

  fail_unless (o->pose.n == 7 && o->extent.n == 3);
  fail_unless (fabs (p[0] - (19.5 - 31.5) / focal * z) < 1e-9);
  fail_unless (fabs (p[1] - (27.5 - 23.5) / focal * z) < 1e-9);
  fail_unless (fabs (p[2] - z) < 1e-9);
  fail_unless (p[3] == 1 && p[4] == 0 && p[5] == 0 && p[6] == 0);
  fail_unless (fabs (e[0] - 19 / focal * z) < 1e-4, "%g", e[0]);
  fail_unless (fabs (e[1] - 15 / focal * z) < 1e-4, "%g", e[1]);
  fail_unless (fabs (e[2]) < 1e-9);
}

/* The camera is that of the properties, else of the buffer, whatever size the
 * latter speaks of. */
GST_START_TEST (test_camera)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
  GstBuffer *buffer = tracked (&f, 2);
  GstVisionObject *o;

  set_camera (buffer, 2 * WIDTH, 2 * HEIGHT, 100, NULL);
  o = frames_first (&f, buffer, 1);
  expect_place (o, 50, 1);
  gst_vision_object_free (o);
  g_object_set (f.h->element, "intrinsics", "80,80,31.5,23.5", NULL);
  buffer = tracked (&f, 2);
  set_camera (buffer, WIDTH, HEIGHT, 50, NULL);
  o = frames_first (&f, buffer, 1);
  expect_place (o, 80, 1);
  gst_vision_object_free (o);
  g_object_set (f.h->element, "intrinsics", NULL, "depth-scale", .002, NULL);
  o = frames_first (&f, tracked (&f, 2), 1);
  fail_unless (!o->pose.n && o->depth == 2);
  gst_vision_object_free (o);
}
GST_END_TEST;

/* What OpenCV and ROS write, and a bare matrix; the first two say the size of
 * their frame. */
GST_START_TEST (test_calibration)
{
  static const gchar *const files[] = {
      "%YAML:1.0\n---\nimage_width: 128\nimage_height: 96\n"
      "camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
      "   data: [ 1.2e+02, 0., 63.5, 0., 120., 47.5, 0., 0., 1. ]\n"
      "distortion_coefficients: !!opencv-matrix\n   rows: 5\n   cols: 1\n"
      "   dt: d\n   data: [ -0.1, 0.02, 0., 0., 0. ]\n",
      "<?xml version=\"1.0\"?>\n<opencv_storage>\n"
      "<image_Width>128</image_Width>\n<image_Height>96</image_Height>\n"
      "<Camera_Matrix type_id=\"opencv-matrix\">\n  <rows>3</rows>\n"
      "  <cols>3</cols>\n  <dt>d</dt>\n  <data>\n    120. 0. 63.5 0. 120. 47.5 "
      "0. 0. 1.</data></Camera_Matrix>\n</opencv_storage>\n",
      "image_width: 128\nimage_height: 96\ncamera_name: left\n"
      "camera_matrix:\n  rows: 3\n  cols: 3\n"
      "  data: [120, 0, 63.5, 0, 120, 47.5, 0, 0, 1]\n"
      "distortion_model: plumb_bob\n",
      ("height: 96\nwidth: 128\nd: [0.1, 0, 0, 0, 0]\n"
       "k: [120.0, 0.0, 63.5, 0.0, 120.0, 47.5, 0.0, 0.0, 1.0]\n"),
      "60 0 31.5\n0 60 23.5\n0 0 1\n"};
  g_autofree gchar *folder = g_dir_make_tmp ("gpuccl-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "camera", NULL);
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    GstVisionObject *o;

    fail_unless (g_file_set_contents (path, files[i], -1, NULL));
    g_object_set (f.h->element, "calibration", path, NULL);
    fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING) == NULL);
    o = frames_first (&f, tracked (&f, 2), 1);
    expect_place (o, 60, 1);
    gst_vision_object_free (o);
    g_object_set (f.h->element, "calibration", NULL, NULL);
  }
  g_unlink (path);
  g_rmdir (folder);
}
GST_END_TEST;

/* What cannot be read leaves the camera as it is. */
GST_START_TEST (test_bad_camera)
{
#define MATRIX(rows) \
 "camera_matrix:\n  rows: " rows "\n  cols: 3\n" \
 "  data: [120, 0, 63, 0, 120, 47, 0, 0, 1]\n"
  g_autofree gchar *folder = g_dir_make_tmp ("gpuccl-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "camera", NULL);
  const gchar *const bad[][4] = {
      {"intrinsics", "80,80,31.5", "numbers found: 3"},
      {"intrinsics", "80,nan,1,1", "not a number"},
      {"calibration", "/nowhere/to/be/found", "/nowhere"},
      {"calibration", "/dev/null", "only regular files"},
      {"calibration", path, "no camera matrix", "name: none\n"},
      {"calibration", path,
          "camera: camera_matrix says it is 300 x 3 and holds 9",
          MATRIX ("300")},
      {"calibration", path, "more than the five terms",
          MATRIX ("3") "D: [0.1, 0, 0, 0, 0, 0.3, 0, 0]\n"},
      {"calibration", path, "fisheye",
          MATRIX ("3") "distortion_model: equidistant\nD: [0.1, 0, 0, 0]\n"}};
  Frames f =
      frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "intrinsics=60,60,31.5,23.5");

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GstVisionObject) o = NULL;

    if (bad[i][3])
      fail_unless (g_file_set_contents (path, bad[i][3], -1, NULL));
    g_object_set (f.h->element, bad[i][0], bad[i][1], NULL);
    expect_once (f.bus, GST_MESSAGE_WARNING, bad[i][2]);
    o = frames_first (&f, tracked (&f, 2), 1);
    expect_place (o, 60, 1);
  }
  g_unlink (path);
  g_rmdir (folder);
  frames_free (&f);
}
GST_END_TEST;

/* The camera moves by half a metre a frame; where its pose is known, the box
 * stays the same object, else it is another each time. */
GST_START_TEST (test_pose)
{
  for (guint known = 0; known < 2; known++) {
    g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE,
        "min-size=100 frames=3 match-distance=0.05");
    GstVisionState state = GST_VISION_STATE_NONE;

    for (guint i = 0; i < 3; i++) {
      /* the box goes 0.5 m to the left as the camera goes to the right */
      Rect box = {30 - 10 * (gint) i, 20, 20, 16, 1000};
      Rect outlier = {box.x, 20, 20, 16, 3};
      gdouble pose[7] = {i * .5, 0, 0, 1, 0, 0, 0};
      GstBuffer *buffer = frames_make (&f, scene, 1);
      GstMapInfo map;

      gst_buffer_map (buffer, &map, GST_MAP_WRITE);
      paint (map.data, 2 * WIDTH, 2, WIDTH, HEIGHT, &box, 1);
      gst_buffer_unmap (buffer, &map);
      add_classes (buffer, 2, WIDTH, HEIGHT, &outlier, 1);
      set_camera (buffer, WIDTH, HEIGHT, 20, known ? pose : NULL);
      state = frames_state (&f, buffer, 1);
    }
    fail_unless (
        state == (known ? GST_VISION_STATE_ACCEPTED : GST_VISION_STATE_NEW));
  }
}
GST_END_TEST;

/* Depth that was filtered upstream counts in its own unit, in place of the
 * frame's. */
GST_START_TEST (test_filtered)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
  GstVisionMap map = {.kind = "depth",
      .format = "u16",
      .channels = 1,
      .width = WIDTH,
      .height = HEIGHT,
      .scale = .0001,
      .invalid = 0};
  static const Rect filtered[] = {
      {10, 20, 10, 16, 15000}, {20, 20, 10, 16, 15099}};
  GstBuffer *buffer = tracked (&f, 2);
  g_autoptr (GstVisionObject) o = NULL;

  add_map (buffer, map, 2, 0, filtered, 2);
  o = frames_first (&f, buffer, 1);
  fail_unless_equals_uint64 (o->area, 320);
  fail_unless (fabs (o->depth - 1.50495) < 1e-9, "%g", o->depth);
}
GST_END_TEST;

SUITE (gpuccldepth, TIMEOUT (120), TEST (test_depth_alone),
    TEST (test_surfaces), TEST (test_classes), TEST (test_camera),
    TEST (test_calibration), TEST (test_bad_camera), TEST (test_pose),
    TEST (test_filtered));
