/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: pattern=stereo. */

#define STEREO "pattern=stereo "

static GstVideoInfo
info_of (GstHarness *h)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  return info;
}

GST_START_TEST (test_stereo_caps)
{
  static const struct {
    const gchar *view, *caps;
    gint width, height, view_width, view_height;
    GstVideoMultiviewMode mode;
  } sizes[] = {{"left", "", 640, 480, 640, 480, GST_VIDEO_MULTIVIEW_MODE_NONE},
      {"right", ",width=33,height=21", 33, 21, 33, 21,
          GST_VIDEO_MULTIVIEW_MODE_NONE},
      {"side-by-side", "", 1280, 480, 640, 480,
          GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE},
      {"side-by-side", ",width=64,height=21,format=NV12", 64, 21, 32, 21,
          GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE},
      {"top-bottom", "", 640, 960, 640, 480,
          GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM},
      {"top-bottom", ",width=33,height=44,format=I420", 33, 44, 33, 22,
          GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gchar *text =
        g_strdup_printf (STEREO "num-buffers=1 view=%s", sizes[i].view);
    gchar *caps = g_strdup_printf ("video/x-raw%s", sizes[i].caps);
    GstHarness *h = play (text, caps);
    GstBuffer *buffer = pull (h);
    GstVideoInfo info = info_of (h);
    GstVisionCamera camera;

    fail_unless_equals_int (info.width, sizes[i].width);
    fail_unless_equals_int (info.height, sizes[i].height);
    fail_unless_equals_int (
        GST_VIDEO_INFO_MULTIVIEW_MODE (&info), sizes[i].mode);
    fail_unless_equals_int (gst_buffer_get_size (buffer), info.size);
    fail_unless (gst_buffer_get_vision_camera (
        buffer, GST_VISION_ORIGIN_RESULT, &camera));
    fail_unless_equals_int (camera.ref_width, sizes[i].view_width);
    fail_unless_equals_int (camera.ref_height, sizes[i].view_height);
    fail_unless (camera.cx == (sizes[i].view_width - 1) / 2.);
    fail_unless (camera.baseline == .06);
    fail_unless (camera.pose[0] == (i == 1 ? .06 : 0) && camera.pose[3] == 1);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (text);
    g_free (caps);
  }
}
GST_END_TEST;

GST_START_TEST (test_stereo_refuses_caps)
{
  static const struct {
    const gchar *view, *caps;
  } bad[] = {{"left", "format=GRAY16_LE"}, {"right", "width=4097"},
      {"side-by-side", "width=642"}, {"side-by-side", "width=8196"},
      {"top-bottom", "height=2"},
      {"top-bottom", "multiview-mode=side-by-side"}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *properties = g_strdup_printf ("pattern=stereo view=%s", bad[i].view);
    gchar *caps = g_strdup_printf ("video/x-raw,%s", bad[i].caps);

    expect_refusal (properties, caps);
    g_free (properties);
    g_free (caps);
  }
}
GST_END_TEST;

/* A map of the truth, mapped for reading. */
static gconstpointer
truth_map (GstBuffer *buffer, const gchar *kind, const gchar *format,
    GstVisionMap *map, GstMapInfo *info)
{
  fail_unless (
      gst_buffer_find_vision_map (buffer, GST_VISION_ORIGIN_TRUTH, kind, map));
  fail_unless_equals_string (map->format, format);
  fail_unless_equals_string (map->element, "visiontestsrc");
  fail_unless (map->channels == 1 && map->offset == 0);
  fail_unless (map->width == 160 && map->height == 120);
  fail_unless (gst_buffer_map (map->pixels, info, GST_MAP_READ));
  fail_unless_equals_int (info->size, map->stride * 120);
  return info->data;
}

/* 175 pixels of focal length: 10.5 pixels over depth, plus 2. */
static void
check_maps (GstBuffer *buffer)
{
  GstVisionMap map;
  GstMapInfo a, b, c;
  const gfloat *disparity = truth_map (buffer, "disparity", "f32", &map, &a);
  const gfloat *depth = truth_map (buffer, "depth", "f32", &map, &b);
  const guint8 *confidence;
  guint seen = 0;

  fail_unless (map.scale == 1 && isnan (map.invalid));
  confidence = truth_map (buffer, "confidence", "u8", &map, &c);
  fail_unless (fabs (map.scale * 255 - 1) < 1e-12);
  for (guint i = 0; i < 160 * 120; i++) {
    fail_unless (fabs (disparity[i] - 2 - 10.5 / depth[i]) < 1e-5);
    fail_unless (confidence[i] == 0 || confidence[i] == 255);
    seen += confidence[i] == 255;
  }
  fail_unless (seen > 160 * 120 * .8 && seen < 160 * 120 * .98);
  gst_buffer_unmap (buffer, &a);
  gst_buffer_unmap (buffer, &b);
  gst_buffer_unmap (buffer, &c);
}

GST_START_TEST (test_stereo_truth)
{
  static const gchar *names[] = {
      "board 1", "board 2", "ball 1", "ball 2", "ball 3", "head"};
  static const gchar *views[] = {"left", "right"};

  for (guint v = 0; v < 2; v++) {
    gchar *text = g_strdup_printf (STEREO
        "num-buffers=3 view=%s label-map=true disparity-offset=2 baseline=.06",
        views[v]);
    GstHarness *h = play (text, "video/x-raw" SMALL);

    for (guint frame = 0; frame < 3; frame++) {
      GstBuffer *buffer = pull (h);
      GstVisionObjects *truth = truth_of (buffer, G_N_ELEMENTS (names));

      check_maps (buffer);
      fail_unless (truth->ref_width == 160 && truth->ref_height == 120);
      for (guint i = 0; i < truth->n_objects; i++) {
        const GstVisionObject *o = &truth->objects[i];

        fail_unless_equals_string (o->label, names[i]);
        fail_unless (o->pose.n == 7 && o->extent.n == 3 && o->score > 0);
        fail_unless (o->depth == o->pose.values[2] && o->depth > .8);
      }
      fail_unless_equals_int (
          gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH), 4);
      gst_vision_objects_free (truth);
      gst_buffer_unref (buffer);
    }
    gst_harness_teardown (h);
    g_free (text);
  }
}
GST_END_TEST;

/* Bytes of a grey frame that are other than those of @view. */
static guint
differences (GstBuffer *both, GstBuffer *view, guint start, guint stride)
{
  GstMapInfo p, q;
  guint n = 0;

  fail_unless (gst_buffer_map (both, &p, GST_MAP_READ));
  fail_unless (gst_buffer_map (view, &q, GST_MAP_READ));
  for (guint i = 0; i < 160 * 120; i++)
    n += p.data[start + i / 160 * stride + i % 160] != q.data[i];
  gst_buffer_unmap (both, &p);
  gst_buffer_unmap (view, &q);
  return n;
}

/* Two sources make a pair, and one frame of both views holds just these. */
GST_START_TEST (test_stereo_views)
{
#define SAME STEREO "num-buffers=3 noise=2 gain=.7 misalignment=1.5 view="
#define GREY "video/x-raw,format=GRAY8"
  GstHarness *left = play (SAME "left", GREY SMALL);
  GstHarness *right = play (SAME "right", GREY SMALL);
  GstHarness *beside = play (SAME "side-by-side", GREY ",width=320,height=120");
  GstHarness *above = play (SAME "top-bottom", GREY ",width=160,height=240");

  for (guint i = 0; i < 3; i++) {
    GstBuffer *l = pull (left), *r = pull (right), *b = pull (beside);
    GstBuffer *a = pull (above);
    GstVisionObjects *truth = truth_of (b, 6), *same = truth_of (l, 6);
    GstVisionMap map;

    fail_unless_equals_uint64 (GST_BUFFER_PTS (l), GST_BUFFER_PTS (r));
    fail_unless_equals_uint64 (GST_BUFFER_PTS (l), GST_BUFFER_PTS (b));
    fail_unless (differences (l, r, 0, 160) > 10000);
    fail_unless_equals_int (differences (b, l, 0, 320), 0);
    fail_unless_equals_int (differences (b, r, 160, 320), 0);
    fail_unless_equals_int (differences (a, l, 0, 160), 0);
    fail_unless_equals_int (differences (a, r, 160 * 120, 160), 0);
    fail_unless (truth->ref_width == 160 && truth->ref_height == 120);
    fail_unless (truth->objects[5].cx == same->objects[5].cx);
    fail_unless (gst_buffer_find_vision_map (
        a, GST_VISION_ORIGIN_TRUTH, "disparity", &map));
    fail_unless (map.width == 160 && map.height == 120);
    gst_vision_objects_free (truth);
    gst_vision_objects_free (same);
    gst_buffer_unref (l);
    gst_buffer_unref (r);
    gst_buffer_unref (b);
    gst_buffer_unref (a);
  }
  gst_harness_teardown (left);
  gst_harness_teardown (right);
  gst_harness_teardown (beside);
  gst_harness_teardown (above);
}
GST_END_TEST;

GST_START_TEST (test_stereo_seeks)
{
  GstHarness *h = play (STEREO "num-buffers=9", "video/x-raw" RATE SMALL);
  GstElement *pipeline =
      gst_parse_launch ("visiontestsrc " FAST STEREO "! video/x-raw" RATE SMALL
                        " ! fakesink name=sink",
          NULL);
  GstBuffer *played[9];

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND) ==
      GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 9; i++)
    played[i] = pull (h);
  for (guint i = 0; i < 9; i += 4) {
    GstBuffer *sought = shown_at (pipeline, GST_BUFFER_PTS (played[8 - i]));

    check_same (sought, played[8 - i], TRUE);
    gst_buffer_unref (sought);
  }
  for (guint i = 0; i < 9; i++)
    gst_buffer_unref (played[i]);
  pipeline_free (pipeline);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_stereo_properties)
{
  GstHarness *h = play (STEREO, "video/x-raw" SMALL);
  GstElement *src = gst_harness_find_element (h, "visiontestsrc");
  guint with = 0;

  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = pull (h);
    guint maps = gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless_equals_int (maps % 3, 0);
    with += maps > 0;
    g_object_set (src, "contents", i % 4, "baseline", .01 * (1 + i % 9), "gain",
        .5 + i % 3, "gamma", 1 + i % 2 * .6, "misalignment", i % 5 - 2.,
        "disparity-offset", i % 7 * -9., "noise", i % 5 * 2., "speed",
        i % 9 * 1., "seed", (guint64) i / 3, "truth-maps", i % 2, NULL);
    gst_buffer_unref (buffer);
  }
  fail_unless (with > 10 && with < 30);
  gst_object_unref (src);
  gst_harness_teardown (h);
}
GST_END_TEST;
