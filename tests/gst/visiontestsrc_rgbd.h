/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: pattern=rgbd. */

#define RGBD "pattern=rgbd "

GST_START_TEST (test_rgbd_caps)
{
  static const struct {
    const gchar *caps;
    gint width, height;
    gdouble f;
  } sizes[] = {{"video/x-raw", 640, 480, 585},
      {"video/x-raw,width=512,height=424", 512, 424, 365},
      {"video/x-raw,width=1,height=1,framerate=5/1", 1, 1, 585 / 480.},
      {"video/x-raw,width=333,height=201", 333, 201, 585 * 333 / 640.}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstHarness *h = play (RGBD "num-buffers=1", sizes[i].caps);
    GstBuffer *buffer = pull (h);
    GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
    GstVisionCamera camera;
    GstVideoInfo info;

    fail_unless (gst_video_info_from_caps (&info, caps));
    fail_unless (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_GRAY16_LE);
    fail_unless_equals_int (info.width, sizes[i].width);
    fail_unless_equals_int (info.height, sizes[i].height);
    fail_unless_equals_int (gst_buffer_get_size (buffer), info.size);
    fail_unless (gst_buffer_get_vision_camera (
        buffer, GST_VISION_ORIGIN_RESULT, &camera));
    fail_unless (fabs (camera.fx - sizes[i].f) < 1e-9);
    fail_unless (camera.fy == camera.fx);
    fail_unless (camera.cx == (info.width - 1) / 2.);
    fail_unless (camera.cy == (info.height - 1) / 2.);
    gst_caps_unref (caps);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}
GST_END_TEST;

/* Each pattern offers its own formats and sizes. */
GST_START_TEST (test_rgbd_refuses_caps)
{
  static const struct {
    const gchar *pattern, *caps;
  } bad[] = {{"rgbd", "video/x-raw,format=RGBA"},
      {"rgbd", "video/x-raw,format=GRAY8"}, {"rgbd", "video/x-raw,width=4097"},
      {"chromatic", "video/x-raw,format=GRAY16_LE"}};
  static const gchar *good[] = {"rgbd", "chromatic"};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    GstElement *src = gst_element_factory_make ("visiontestsrc", NULL);
    GstPad *pad = gst_element_get_static_pad (src, "src");
    GstCaps *wanted = gst_caps_from_string (bad[i].caps), *caps;

    gst_util_set_object_arg (G_OBJECT (src), "pattern", bad[i].pattern);
    caps = gst_pad_query_caps (pad, wanted);
    fail_unless (
        gst_caps_is_empty (caps), "%s takes %s", bad[i].pattern, bad[i].caps);
    gst_caps_unref (caps);
    gst_util_set_object_arg (
        G_OBJECT (src), "pattern", good[g_str_equal (bad[i].pattern, "rgbd")]);
    if (strstr (bad[i].caps, "format")) {
      caps = gst_pad_query_caps (pad, wanted);
      fail_if (gst_caps_is_empty (caps));
      gst_caps_unref (caps);
    }
    gst_caps_unref (wanted);
    gst_object_unref (pad);
    gst_object_unref (src);
  }
}
GST_END_TEST;

/* The robot in the truth is what the label map shows, and where its pose
 * says. */
static void
check_robot (GstBuffer *buffer)
{
  GstVisionObjects *truth = truth_of (buffer, 1);
  const GstVisionObject *o = &truth->objects[0];
  GstVisionCamera camera;
  GstVisionMap labels;
  GstMapInfo map;
  guint64 area = 0;

  fail_unless_equals_string (o->label, "robot");
  fail_unless_equals_uint64 (o->id, 1);
  fail_unless (o->pose.n == 7 && o->extent.n == 3);
  fail_unless (o->depth == o->pose.values[2] && o->depth > 1 && o->depth < 4);
  fail_unless (o->extent.values[1] == .52);
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_TRUTH, &camera));
  fail_unless (camera.has_pose && camera.ref_width == 160);
  fail_unless (
      fabs (camera.fx * o->pose.values[0] / o->depth + camera.cx - o->cx) < 8);
  fail_unless (
      fabs (camera.fy * o->pose.values[1] / o->depth + camera.cy - o->cy) < 8);
  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_TRUTH, "labels", &labels));
  fail_unless (gst_buffer_map (labels.pixels, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size / 2; i++)
    area += ((guint16 *) map.data)[i] == 1;
  gst_buffer_unmap (labels.pixels, &map);
  fail_unless_equals_uint64 (o->area, area);
  gst_vision_objects_free (truth);
}

/* How many pixels the map says are outliers; it says that as many have no depth
 * as have none. */
static guint
outliers_of (GstBuffer *buffer)
{
  GstVisionMap classes;
  GstMapInfo map, frame;
  guint n = 0, wrong = 0;

  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, "correspondence", &classes));
  fail_unless_equals_string (classes.format, "u8");
  fail_unless_equals_string (classes.element, "visiontestsrc");
  fail_unless (classes.channels == 2 && classes.stride == 320);
  fail_unless (classes.width == 160 && classes.height == 120);
  fail_unless (isnan (classes.invalid));
  fail_unless (gst_buffer_map (classes.pixels, &map, GST_MAP_READ));
  fail_unless (gst_buffer_map (buffer, &frame, GST_MAP_READ));
  fail_unless_equals_int (map.size, 160 * 120 * 2);
  for (gsize i = 0; i < map.size; i += 2) {
    wrong += map.data[i] > 5 || map.data[i + 1] ||
        (map.data[i] == 0) != (GST_READ_UINT16_LE (frame.data + i) == 0);
    n += map.data[i] == 2 || map.data[i] == 3;
  }
  gst_buffer_unmap (buffer, &frame);
  gst_buffer_unmap (classes.pixels, &map);
  fail_unless_equals_int (wrong, 0);
  return n;
}

GST_START_TEST (test_rgbd_truth)
{
  static const gchar *paths[] = {
      "parallel", "towards", "frontal", "away", "pass", "rotation"};

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    gchar *text = g_strdup_printf (
        RGBD "num-buffers=40 motion-start=3 label-map=true path=%s", paths[i]);
    GstHarness *h = play (text, "video/x-raw" SMALL);

    for (guint frame = 0; frame < 40; frame++) {
      GstBuffer *buffer = pull (h);
      guint outliers = outliers_of (buffer);

      check_robot (buffer);
      fail_unless (frame > 3 || !outliers);
      fail_unless (frame < 39 || outliers > 300, "%s: %u", paths[i], outliers);
      gst_buffer_unref (buffer);
    }
    gst_harness_teardown (h);
    g_free (text);
  }
}
GST_END_TEST;

GST_START_TEST (test_rgbd_maps)
{
  GstHarness *h =
      play (RGBD "num-buffers=1 correspondence-map=false", "video/x-raw" SMALL);
  GstBuffer *buffer = pull (h);

  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT), 0);
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH), 0);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* The robot starts when it is told to; until then, when does not matter. */
GST_START_TEST (test_rgbd_start)
{
  GstHarness *a =
      play (RGBD "num-buffers=9 motion-start=5", "video/x-raw" SMALL);
  GstHarness *b = play (RGBD "num-buffers=9", "video/x-raw" SMALL);

  for (guint i = 0; i < 9; i++) {
    GstBuffer *p = pull (a), *q = pull (b);

    if (i <= 5 || i == 8)
      check_same (p, q, i <= 5);
    gst_buffer_unref (p);
    gst_buffer_unref (q);
  }
  gst_harness_teardown (a);
  gst_harness_teardown (b);
}
GST_END_TEST;

GST_START_TEST (test_rgbd_properties)
{
  GstHarness *h = play (RGBD, "video/x-raw" SMALL);
  GstElement *src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = pull (h);

    fail_unless_equals_int (gst_buffer_get_size (buffer), 160 * 120 * 2);
    g_object_set (src, "path", i % 6, "motion-start", (guint64) i % 9, "noise",
        i % 5 * 16., "speed", i % 9 * 1., "seed", (guint64) i / 3, "label-map",
        i % 2, "correspondence-map", i % 3 == 0, NULL);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (src);
  gst_harness_teardown (h);
}
GST_END_TEST;
