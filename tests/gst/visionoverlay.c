/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visionoverlay: pixels change where they must, and nowhere else.
 */
#include "drawn.h"

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,
    GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE};

/* Pushes a grey frame with @objects of a reference size of 64 x 48. */
static GstBuffer *
draw (GstHarness *h, const GstVideoInfo *info, const GstVisionObject *objects,
    guint n)
{
  GstBuffer *buffer = grey_frame (info);

  if (n)
    fail_unless (gst_buffer_add_vision_objects (
        buffer, GST_VISION_ORIGIN_RESULT, 64, 48, objects, n));
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

static guint
count (GstHarness *h, const GstVideoInfo *info, const GstVisionObject *objects,
    guint n)
{
  GstBuffer *buffer = draw (h, info, objects, n);
  guint bytes = changed (buffer);

  gst_buffer_unref (buffer);
  return bytes;
}

/* The box of an object at (10, 10) to (30, 26) lies around it, 2 pixels wide,
 * with one of shade on either side; what is inside and further out stays. */
GST_START_TEST (test_formats)
{
  GstVisionObject o = object_at (10, 10, 20, 16);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gint big = formats[i] == GST_VIDEO_FORMAT_P010_10LE ||
        formats[i] == GST_VIDEO_FORMAT_GRAY16_LE;
    GstHarness *h =
        gst_harness_new_parse ("visionoverlay show=box line-width=2");
    GstVideoInfo info;
    GstBuffer *buffer;

    set_caps (h, &info, formats[i], 63, 47);
    buffer = draw (h, &info, &o, 1);
    fail_unless (pixel (buffer, &info, 20, 8, big) != GREY);
    fail_unless (pixel (buffer, &info, 20, 9, big) != GREY);
    fail_unless (pixel (buffer, &info, 20, 27, big) != GREY);
    fail_unless (pixel (buffer, &info, 8, 18, big) != GREY);
    fail_unless (pixel (buffer, &info, 29, 18, big) != GREY);
    fail_unless_equals_int (pixel (buffer, &info, 20, 18, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 20, 4, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 40, 18, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 62, 46, big), GREY);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}
GST_END_TEST;

GST_START_TEST (test_untouched)
{
  GstHarness *h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    set_caps (h, &info, formats[i], 63, 47);
    fail_unless_equals_int (count (h, &info, NULL, 0), 0);
    o.state = GST_VISION_STATE_LOST;
    fail_unless_equals_int (count (h, &info, &o, 1), 0);
  }
  o.state = GST_VISION_STATE_TRACKING;
  g_object_set (h->element, "show", 0, NULL);
  fail_unless_equals_int (count (h, &info, &o, 1), 0);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* Objects are in pixels of their own reference size. */
GST_START_TEST (test_scaled)
{
  GstHarness *h = gst_harness_new_parse ("visionoverlay show=box line-width=1");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;
  GstBuffer *buffer;

  set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 128, 144);
  buffer = draw (h, &info, &o, 1);
  fail_unless (pixel (buffer, &info, 19, 50, 0) != GREY);
  fail_unless (pixel (buffer, &info, 60, 50, 0) != GREY);
  fail_unless (pixel (buffer, &info, 40, 29, 0) != GREY);
  fail_unless (pixel (buffer, &info, 40, 78, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 40, 50, 0), GREY);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* A label that names a colour is drawn in it; of a box that is occluded, less
 * is; that of a rejected object is grey. */
GST_START_TEST (test_states)
{
  GstHarness *h = gst_harness_new_parse ("visionoverlay show=box line-width=1");
  GstVisionObject o = object_at (4, 4, 50, 36);
  guint red[3] = {0}, i = 0;
  GstVideoInfo info;

  o.label = "red";
  set_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (; i < 3; i++) {
    static const GstVisionState states[] = {GST_VISION_STATE_TRACKING,
        GST_VISION_STATE_OCCLUDED, GST_VISION_STATE_REJECTED};
    GstBuffer *buffer;

    o.state = states[i];
    buffer = draw (h, &info, &o, 1);
    for (gint x = 8; x < 50; x++)
      red[i] += pixel (buffer, &info, x, 3, 0) > 240 &&
          pixel (buffer, &info, x, 3, 1) < 128;
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (red[0], 42);
  fail_unless (red[1] > 10 && red[1] < 32, "%u pixels are dashes", red[1]);
  fail_unless_equals_int (red[2], 0);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* The object moves to the right; its trail is behind it, until a flush, and
 * fades away when the object is gone. */
GST_START_TEST (test_trail)
{
  GstHarness *h = gst_harness_new_parse ("visionoverlay show=trail");
  GstVideoInfo info;
  GstBuffer *buffer = NULL;
  guint before, n;

  set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (gint i = 0; i < 10; i++) {
    GstVisionObject o = object_at (4 * i, 20, 9, 9);

    gst_clear_buffer (&buffer);
    buffer = draw (h, &info, &o, 1);
  }
  fail_unless (pixel (buffer, &info, 38, 24, 0) != GREY);
  fail_unless (pixel (buffer, &info, 14, 24, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 50, 24, 0), GREY);
  fail_unless_equals_int (pixel (buffer, &info, 24, 34, 0), GREY);
  before = changed (buffer);
  gst_buffer_unref (buffer);
  for (gint i = 0; i < 6; i++) {
    n = count (h, &info, NULL, 0);
    fail_unless (n < before, "%u pixels after %u", n, before);
    before = n;
    if (!n)
      break;
  }
  fail_unless_equals_int (n, 0);

  for (gint i = 0; i < 10; i++) {
    GstVisionObject o = object_at (4 * i, 20, 9, 9);

    if (i == 9) {
      gst_harness_push_event (h, gst_event_new_flush_start ());
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    }
    n = count (h, &info, &o, 1);
  }
  fail_unless_equals_int (n, 0);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* A trajectory that the object brings is its trail from the first frame on. */
GST_START_TEST (test_trajectory)
{
  static const gdouble points[] = {5, 40, 30, 40, 30, 10};
  GstHarness *h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (26, 6, 9, 9);
  GstVideoInfo info;
  GstBuffer *buffer;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "trail");
  o.trajectory = (GstVisionArray){6, points};
  set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  buffer = draw (h, &info, &o, 1);
  fail_unless (pixel (buffer, &info, 20, 40, 0) != GREY);
  fail_unless (pixel (buffer, &info, 30, 20, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 15, 20, 0), GREY);
  gst_buffer_unref (buffer);

  g_object_set (h->element, "trail-length", 2, NULL);
  buffer = draw (h, &info, &o, 1);
  fail_unless_equals_int (pixel (buffer, &info, 15, 40, 0), GREY);
  fail_unless (pixel (buffer, &info, 30, 20, 0) != GREY);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_properties_while_playing)
{
  GstHarness *h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 20, 20, 16);
  guint thin, thick, small, large;
  GstVideoInfo info;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "box");
  g_object_set (h->element, "line-width", 1, NULL);
  o.label = "cup";
  o.score = .5;
  o.orientation = .3;
  set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  thin = count (h, &info, &o, 1);
  g_object_set (h->element, "line-width", 3, NULL);
  thick = count (h, &info, &o, 1);
  fail_unless (thick > thin && thin > 0);
  gst_util_set_object_arg (G_OBJECT (h->element), "show", "label");
  g_object_set (h->element, "font-size", 8, NULL);
  small = count (h, &info, &o, 1);
  g_object_set (h->element, "font-size", 16, NULL);
  large = count (h, &info, &o, 1);
  fail_unless (large > small && small > 0);
  for (const gchar *const *part =
           (const gchar *[]){"id", "score", "centroid", "orientation", NULL};
       *part; part++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "show", *part);
    fail_unless (count (h, &info, &o, 1) > 0, "%s is not shown", *part);
  }
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_truth)
{
  GstHarness *h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;

  set_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (gint shown = 0; shown < 2; shown++) {
    GstBuffer *buffer = grey_frame (&info);

    gst_buffer_add_vision_objects (
        buffer, GST_VISION_ORIGIN_TRUTH, 64, 48, &o, 1);
    g_object_set (h->element, "show-truth", shown, NULL);
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless ((changed (buffer) > 0) == shown);
    fail_unless ((pixel (buffer, &info, 10, 10, 0) == 255) == shown);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}
GST_END_TEST;

static Suite *
visionoverlay_suite (void)
{
  Suite *suite = suite_create ("visionoverlay");
  TCase *tc = tcase_create ("drawing");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_untouched);
  tcase_add_test (tc, test_scaled);
  tcase_add_test (tc, test_states);
  tcase_add_test (tc, test_trail);
  tcase_add_test (tc, test_trajectory);
  tcase_add_test (tc, test_properties_while_playing);
  tcase_add_test (tc, test_truth);
  return suite;
}

GST_CHECK_MAIN (visionoverlay);
