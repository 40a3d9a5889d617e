/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element pocstereo where something is wrong: each is said, and nothing
 * stops that can go on. */
#include "suite.h"
#include "pocstereorig.h"

/* What cannot work with these frames is an error with the first pair. */
static void
expect_refusal (
    const gchar *properties, gint width, gint height, const gchar *text)
{
  g_auto (Views) v = views_new (FALSE, properties);

  views_caps (&v, GST_VIDEO_FORMAT_GRAY8, width, height, NULL);
  gst_harness_push (v.left, views_make (&v, 0));
  gst_harness_push (v.right, views_make (&v, 1));
  expect_soon (v.bus, GST_MESSAGE_ERROR, text);
  while (gst_harness_push (v.left, views_make (&v, 0)) == GST_FLOW_OK)
    ; /* until the streaming thread is done */
  fail_unless_equals_uint64 (views_stat (&v, "frames"), 0);
  expect_silence (v.bus);
}

GST_START_TEST (test_refused)
{
  expect_refusal ("min-disparity=17", WIDTH, HEIGHT, "greater than");
  expect_refusal ("window=64", 60, HEIGHT, "larger than the frame");
  expect_refusal ("lines=31", WIDTH, 30, "larger than the frame");
  expect_refusal ("window=7", WIDTH, HEIGHT, "8 to 128");
  expect_refusal ("", 15, 100, "16 to 8192");
  expect_refusal (
      "intrinsics=80,80,48,32,0.1", WIDTH, HEIGHT, "lens distortion");
  expect_refusal ("slant=true average=2", WIDTH, HEIGHT, "average=1");
  expect_refusal ("layers=8", WIDTH, HEIGHT, "too small for so many layers");
}
GST_END_TEST;

/* Views of two sizes, formats, and one that is not there. */
GST_START_TEST (test_unequal)
{
  const gchar *says[] = {"format=GRAY8,width=90,",
      ("same size and format. Before sink_left, put videoconvert ! videoscale "
       "! "
       "video/x-raw,format=NV12,"),
      "packing"};

  for (gint i = 0; i < 3; i++) {
    g_auto (Views) v = views_new (i == 2, "");

    views_caps (&v, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, NULL);
    gst_harness_push (v.left, views_make (&v, 0));
    if (i < 2) {
      gst_video_info_set_format (&v.info,
          i ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_GRAY8, i ? WIDTH : 90,
          HEIGHT);
      v.info.fps_n = 25;
      gst_harness_set_src_caps (v.right, gst_video_info_to_caps (&v.info));
      gst_harness_push (v.right, views_make (&v, 1));
    }
    expect_soon (v.bus, GST_MESSAGE_ERROR, says[i]);
  }
}
GST_END_TEST;

/* Two rates: there is a warning, and pairs are found nevertheless.  The caps of
 * the left are at 25 frames a second. */
GST_START_TEST (test_rates)
{
  g_auto (Views) v = views_grey ("");

  v.info.fps_n = 50;
  gst_harness_set_src_caps (v.right, gst_video_info_to_caps (&v.info));
  gst_buffer_unref (views_push (&v, NULL));
  expect_soon (
      v.bus, GST_MESSAGE_WARNING, "25/1 frames a second and sink_right");
  gst_buffer_unref (views_push (&v, NULL));
  expect_silence (v.bus);
}
GST_END_TEST;

/* Windows of odd lengths, by property and while it plays. */
GST_START_TEST (test_odd_window)
{
  g_auto (Views) v = views_grey ("window=15");
  GstBuffer *buffer = views_push (&v, NULL);

  views_check_disparity (buffer, WIDTH, HEIGHT);
  gst_buffer_unref (buffer);
  g_object_set (v.element, "window", 19, NULL);
  buffer = views_push (&v, NULL);
  views_check_disparity (buffer, WIDTH, HEIGHT);
  gst_buffer_unref (buffer);
  g_object_set (v.element, "window", 127, NULL);
  gst_buffer_unref (views_push (&v, NULL));
  expect_soon (v.bus, GST_MESSAGE_WARNING, "larger than the frame");
}
GST_END_TEST;

/* What goes wrong while it plays costs the pairs that it concerns. */
GST_START_TEST (test_faults)
{
  g_auto (Views) v = views_grey ("");
  GstBuffer *buffer;

  gst_buffer_unref (views_push (&v, NULL));
  g_object_set (v.element, "max-disparity", -1, NULL);
  buffer = views_push (&v, NULL);
  fail_if (views_has (buffer, "disparity"));
  gst_buffer_unref (buffer);
  expect_soon (v.bus, GST_MESSAGE_WARNING, "greater than max-disparity");
  g_object_set (v.element, "max-disparity", 16, "intrinsics", "80,80,48,32,0.1",
      "baseline", .1, NULL);
  gst_buffer_unref (views_push (&v, NULL));
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 2);
  g_object_set (v.element, "intrinsics", "80,80,48,32", "baseline", 0., NULL);
  buffer = views_push (&v, NULL);
  views_check_disparity (buffer, WIDTH, HEIGHT);
  fail_if (views_has (buffer, "depth"));
  gst_buffer_unref (buffer);
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 2);
  fail_unless_equals_uint64 (views_stat (&v, "frames"), 4);
}
GST_END_TEST;

/* A rig that fits, then one of another size: at first and while it plays. */
GST_START_TEST (test_calibration)
{
  gchar *good = write_rig (WIDTH, 0), *other = write_rig (2 * WIDTH, 0);
  Views v = views_grey ("");
  GstVisionCamera camera;
  GstBuffer *buffer;
  gchar *line;

  g_object_set (v.element, "calibration", good, NULL);
  buffer = views_push (&v, NULL);
  views_check_disparity (buffer, WIDTH, HEIGHT);
  fail_unless (views_has (buffer, "depth"));
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (camera.fx == 80 && camera.cx == 48);
  fail_unless (fabs (camera.baseline - .1) < 1e-9);
  gst_buffer_unref (buffer);
  g_object_set (v.element, "calibration", other, NULL);
  gst_buffer_unref (views_push (&v, NULL));
  expect_soon (v.bus, GST_MESSAGE_WARNING,
      "scale the frames to 192 x 64, or calibrate again at 96 x 64");
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 1);
  g_object_set (v.element, "calibration", NULL, NULL);
  buffer = views_push (&v, NULL);
  fail_if (views_has (buffer, "depth"));
  gst_buffer_unref (buffer);
  views_free (&v);

  line = g_strdup_printf ("calibration=%s", other);
  expect_refusal (line, WIDTH, HEIGHT, "calibrated at 192 x 64");
  g_free (line);
  remove_rig (good);
  remove_rig (other);
}
GST_END_TEST;

/* A projection that no double can invert comes after a good rig: no frame is
 * rectified by the good one any more. */
GST_START_TEST (test_rig_without_maps)
{
  gchar *good = write_rig (WIDTH, 6), *other = write_rig (WIDTH, 0);
  g_auto (GStrv) path = g_strsplit (other, ",", 2);
  Views v = views_grey ("");
  GstBuffer *buffer;

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *text = NULL;
    gchar *at;

    fail_unless (g_file_get_contents (path[i], &text, NULL, NULL));
    at = g_strrstr (text, "0, 80, 32, 0, 0, 0, 1, 0]"); /* fy of P */
    fail_unless (at != NULL);
    *at = 0;
    at = g_strconcat (text, "0, 9e307, 32, 0, 0, 0, 1, 0]\n", NULL);
    fail_unless (g_file_set_contents (path[i], at, -1, NULL));
    g_free (at);
  }
  g_object_set (v.element, "calibration", good, NULL);
  buffer = views_push (&v, NULL);
  fail_unless (views_has (buffer, "depth"));
  gst_buffer_unref (buffer);
  g_object_set (v.element, "calibration", other, NULL);
  for (guint i = 1; i <= 2; i++) {
    buffer = views_push (&v, NULL);
    fail_if (views_has (buffer, "disparity"));
    gst_buffer_unref (buffer);
    fail_unless_equals_uint64 (views_stat (&v, "faulty"), i);
  }
  g_object_set (v.element, "calibration", NULL, NULL);
  buffer = views_push (&v, NULL);
  views_check_disparity (buffer, WIDTH, HEIGHT);
  gst_buffer_unref (buffer);
  views_free (&v);
  remove_rig (good);
  remove_rig (other);
}
GST_END_TEST;

/* Regions of the buffer are in the frame as it was; those outside of it, as of
 * the right view beside it, are none. */
GST_START_TEST (test_rectified_regions)
{
  static const gint regions[][4] = {
      {40, 20, 11, 10}, {89, 0, 50, 9}, {WIDTH, 20, 20, 20}, {0, 70, 9, 9}};
  static const guint points[] = {3 * 2, 1 * 2, 0, 0};
  gchar *rig = write_rig (WIDTH, 6);
  gchar *line = g_strdup_printf ("mode=points calibration=%s", rig);
  Views v = views_grey (line);

  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    GstBuffer *left = views_make (&v, 0), *buffer;
    const gint *r = regions[i];
    guint n = 0;

    gst_buffer_add_video_region_of_interest_meta (
        left, "face", (guint) r[0], (guint) r[1], (guint) r[2], (guint) r[3]);
    buffer = views_push (&v, left);
    if (views_has (buffer, "matches")) {
      GstMapInfo info;
      GstVisionMap map = views_map (buffer, "matches", &info);
      const gfloat *at = (const gfloat *) info.data;

      n = map.width;
      for (guint k = 0; k < n; k++)
        fail_unless (at[5 * k] >= 46, "%f", at[5 * k]);
      if (i == 0)
        fail_unless (at[0] == 46 && at[1] == 22, "%f %f", at[0], at[1]);
      gst_buffer_unmap (map.pixels, &info);
    }
    fail_unless_equals_int (n, points[i]);
    gst_buffer_unref (buffer);
  }
  views_free (&v);
  g_free (line);
  remove_rig (rig);
}
GST_END_TEST;

/* Candidates are 1 or 9: no other number can be set. */
GST_START_TEST (test_candidates)
{
  expect_choices ("pocstereo", "candidates", 10, 1, 9);
}
GST_END_TEST;

SUITE (pocstereofaults, TIMEOUT (120), TEST (test_refused), TEST (test_unequal),
    TEST (test_rates), TEST (test_odd_window), TEST (test_faults),
    TEST (test_calibration), TEST (test_rig_without_maps),
    TEST (test_rectified_regions), TEST (test_candidates));
