/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element gpuccl on real depth, where VISION_TEST_DATA names it: frames in
 * which nothing moves, the same with a body set into them, and maps of outliers
 * with masks of the body in them. */
#include "gpucclframes.h"
#include "gpuccl/gpuccl_model.h"
#include "gpuccl/gpuccl_png.h"

#define APART 4 /* frames from the one that serves as model */
#define N_FRAMES 60
#define CAMERA "intrinsics=585,585,320,240"

static const char *data;

static guint16 *
read_picture (const gchar *format, ...)
{
  g_autofree gchar *name = NULL, *path = NULL;
  guint16 *values;
  va_list args;

  va_start (args, format);
  name = g_strdup_vprintf (format, args);
  va_end (args);
  path = g_build_filename (data, name, NULL);
  values = png_read (path, 640, 480);
  fail_unless (values != NULL, "%s", path);
  return values;
}

static PoseRows
read_pose (gint i)
{
  g_autofree gchar *path = g_strdup_printf (
      "%s/rgbd/7scenes_tsdf_fusion/pose/frame-%06d.pose.txt", data, i);
  PoseRows pose;

  fail_unless (pose_read (path, &pose), "%s", path);
  return pose;
}

/* A frame of @depth with a map of @classes, one byte each. */
static GstBuffer *
make_frame (Frames *f, const guint16 *depth, const guint8 *classes)
{
  GstBuffer *buffer = frames_make (f, NULL, 0);
  GstVisionMap map = {.kind = "correspondence",
      .format = "u8",
      .channels = 1,
      .width = 640,
      .height = 480,
      .stride = 640,
      .scale = 1,
      .invalid = NAN,
      .pixels = gst_buffer_new_memdup (classes, KINECT_PIXELS)};

  gst_buffer_fill (buffer, 0, depth, KINECT_PIXELS * sizeof *depth);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
  return buffer;
}

/* Says where the camera was; its intrinsics are wrong, as those of the property
 * count. */
static void
set_pose (GstBuffer *buffer, const PoseRows *pose)
{
  Pose64 p = pose_to_params (pose);
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = camera.ref_height = 1;
  camera.fx = camera.fy = 1;
  camera.has_pose = TRUE;
  memcpy (camera.pose, p.t, sizeof p.t);
  memcpy (camera.pose + 3, p.q, sizeof p.q);
  fail_unless (
      gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
}

/* Frame @i of @sequence against the empty room. */
static GstBuffer *
read_frame (Frames *f, Input *in, const gchar *sequence, gint i)
{
  guint16 *model = read_picture (
      "rgbd/7scenes_tsdf_fusion/depth/frame-%06d.depth.png", i - APART);
  guint16 *depth =
      read_picture ("rgbd/%s/depth/frame-%06d.depth.png", sequence, i);
  PoseRows model_pose = read_pose (i - APART), pose = read_pose (i);
  guint8 *classes = g_new (guint8, KINECT_PIXELS);
  GstBuffer *buffer;

  model_classify (model, &model_pose, depth, &pose, in);
  for (gint k = 0; k < KINECT_PIXELS; k++)
    classes[k] = *map_at (in, k % 640, k / 640);
  buffer = make_frame (f, depth, classes);
  set_pose (buffer, &pose);
  g_free (classes);
  free (depth);
  free (model);
  return buffer;
}

/* How well the accepted object of @buffer covers the mask; -1 without one. */
static gdouble
overlap_with (GstBuffer *buffer, guint16 *mask)
{
  GstVisionObjects *found =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  GstVisionMap labels,
      truth = {.format = "u16", .width = 640, .height = 480, .stride = 1280};
  gdouble iou = -1;
  GstMapInfo map;

  for (gint i = 0; mask && i < KINECT_PIXELS; i++)
    mask[i] = mask[i] > 0;
  for (guint i = 0; i < found->n_objects && iou < 0; i++) {
    guint32 label;

    if (found->objects[i].state != GST_VISION_STATE_ACCEPTED)
      continue;
    iou = 0;
    if (!mask)
      continue;
    fail_unless (gst_buffer_find_vision_map (
        buffer, GST_VISION_ORIGIN_RESULT, "labels", &labels));
    gst_buffer_map (labels.pixels, &map, GST_MAP_READ);
    label = label_of (&found->objects[i], &labels, map.data);
    gst_buffer_unmap (labels.pixels, &map);
    truth.pixels = gst_buffer_new_memdup (mask, KINECT_PIXELS * sizeof *mask);
    iou = overlap_of (&labels, label, &truth, 1);
    gst_buffer_unref (truth.pixels);
  }
  gst_vision_objects_free (found);
  return iou;
}

GST_START_TEST (test_static)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, CAMERA);
  Input in = input_new (GPUCCL_CLASSES, 640, 480, true);

  frames_caps (&f, GST_VIDEO_FORMAT_GRAY16_LE, 640, 480);
  for (gint i = APART; i < N_FRAMES; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (
        f.h, read_frame (&f, &in, "7scenes_tsdf_fusion", i));

    fail_unless (overlap_with (buffer, NULL) < 0, "frame %d", i);
  }
  expect_faulty (&f, 0);
  fail_unless (frames_event (&f) == NULL);
  input_free (&in);
}
GST_END_TEST;

/* A body that moves from frame 15 on, and is set into every frame: against the
 * empty room it is there at once. */
GST_START_TEST (test_body)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, CAMERA);
  Input in = input_new (GPUCCL_CLASSES, 640, 480, true);
  gdouble sum = 0;
  GstEvent *event;
  gint n = 0;

  frames_caps (&f, GST_VIDEO_FORMAT_GRAY16_LE, 640, 480);
  for (gint i = APART; i < N_FRAMES; i++) {
    guint16 *mask = read_picture (
        "rgbd/semisynthetic_moving_object/mask/frame-%06d.mask.png", i);
    g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (
        f.h, read_frame (&f, &in, "semisynthetic_moving_object", i));
    gdouble iou = overlap_with (buffer, mask);

    fail_unless ((iou >= 0) == (i >= APART + 4), "frame %d", i);
    sum += MAX (iou, 0);
    n += iou >= 0;
    free (mask);
  }
  g_print ("a body: IoU %.3f in the mean of %d frames\n", sum / n, n);
  fail_unless (sum / n >= .91);
  for (gint i = 0; i < n; i += 5) { /* one in five frames */
    event = frames_event (&f);
    fail_unless (event != NULL);
    gst_event_unref (event);
  }
  fail_unless (frames_event (&f) == NULL);
  input_free (&in);
}
GST_END_TEST;

GST_START_TEST (test_maps)
{
  static const gchar *const names[] = {"20", "25", "30", "40", "50"};
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "frames=1 " CAMERA);

  frames_caps (&f, GST_VIDEO_FORMAT_GRAY16_LE, 640, 480);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const gchar *folder = "ccl/derived_outlier_maps";
    guint16 *depth =
        read_picture ("%s/semi_f%s_depth_mm.png", folder, names[i]);
    guint16 *wide = read_picture ("%s/semi_f%s_class.png", folder, names[i]);
    guint16 *mask = read_picture ("%s/semi_f%s_gtmask.png", folder, names[i]);
    guint8 *classes = g_new (guint8, KINECT_PIXELS);
    g_autoptr (GstBuffer) buffer;
    gdouble iou;

    for (gint k = 0; k < KINECT_PIXELS; k++)
      classes[k] = (guint8) wide[k];
    buffer = gst_harness_push_and_pull (f.h, make_frame (&f, depth, classes));
    iou = overlap_with (buffer, mask);
    g_print ("semi_f%s: IoU %.3f\n", names[i], iou);
    fail_unless (iou >= .91);
    g_free (classes);
    free (mask);
    free (wide);
    free (depth);
  }
}
GST_END_TEST;

/* Of a sequence of pictures, the element sees the numbers that they hold. */
GST_START_TEST (test_pictures)
{
  g_autofree gchar *line = g_strdup_printf (
      "multifilesrc location=%s/rgbd/7scenes_tsdf_fusion/depth/"
      "frame-%%06d.depth.png caps=image/png,framerate=30/1 num-buffers=3 ! "
      "pngdec ! videoconvert ! video/x-raw,format=GRAY16_LE ! gpuccl",
      data);
  g_autoptr (Harness) h = gst_harness_new_parse (line);

  gst_harness_play (h);
  for (gint i = 0; i < 3; i++) {
    guint16 *depth =
        read_picture ("rgbd/7scenes_tsdf_fusion/depth/frame-%06d.depth.png", i);
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL);
    fail_unless (
        !gst_buffer_memcmp (buffer, 0, depth, KINECT_PIXELS * sizeof *depth));
    free (depth);
  }
}
GST_END_TEST;

static Suite *
gpuccldata_suite (void)
{
  Suite *suite = suite_create ("gpuccldata");
  TCase *tc = tcase_create ("data");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 240);
  tcase_add_test (tc, test_static);
  tcase_add_test (tc, test_body);
  tcase_add_test (tc, test_maps);
  tcase_add_test (tc, test_pictures);
  return suite;
}

int
main (int argc, char **argv)
{
  gchar *path;

  data = g_getenv ("VISION_TEST_DATA");
  path = g_build_filename (data ? data : "", "rgbd", NULL);
  if (!data || !g_file_test (path, G_FILE_TEST_IS_DIR)) {
    g_print ("SKIP: VISION_TEST_DATA names no folder with depth\n");
    g_free (path);
    return 77;
  }
  g_free (path);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (gpuccldata_suite (), "gpuccldata", __FILE__);
}
