/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: pattern=multispectral. */

#define SPECTRAL "pattern=multispectral "

static void
check_wavelengths (const GstStructure *s, gint channels)
{
  const GValue *list = gst_structure_get_value (s, "wavelengths");

  fail_unless (list && GST_VALUE_HOLDS_ARRAY (list));
  fail_unless_equals_int (gst_value_array_get_size (list), channels);
  for (gint c = 0; c < channels; c++) {
    gdouble nm = g_value_get_double (gst_value_array_get_value (list, c));

    fail_unless (fabs (nm - 400 - 600. * (c + .5) / channels) < 1e-9);
  }
}

/* What envisrc says of its frames, too; and, of a mosaic, its pattern. */
GST_START_TEST (test_multispectral_caps)
{
  static const struct {
    const gchar *properties, *caps;
    gint width, height, channels;
    const gchar *layout, *pattern;
  } sizes[] = {{"", "video/x-raw", 640, 480 * 11, 11, "stacked", NULL},
      {"channels=2", "video/x-raw,format=GRAY8,width=33,height=42", 33, 42, 2,
          "stacked", NULL},
      {"channels=16", "video/x-raw,channels=16,width=20,height=160", 20, 160,
          16, "stacked", NULL},
      {"channel-layout=mosaic", "video/x-raw", 640, 480, 16, "mosaic", "4x4"},
      {"channel-layout=mosaic mosaic-side=3", "video/x-raw,format=GRAY8", 639,
          480, 9, "mosaic", "3x3"},
      {"channel-layout=mosaic mosaic-side=2",
          "video/x-raw,width=34,height=2,channel-layout=mosaic", 34, 2, 4,
          "mosaic", "2x2"},
      {"channel-layout=color", "video/x-raw", 640, 480, 0, NULL, NULL},
      {"channel-layout=color", "video/x-raw,format=NV12,width=35,height=21",
          35, 21, 0, NULL, NULL}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gchar *text =
        g_strdup_printf (SPECTRAL "num-buffers=1 %s", sizes[i].properties);
    GstHarness *h = play (text, sizes[i].caps);
    GstBuffer *buffer = pull (h);
    GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
    const GstStructure *s = gst_caps_get_structure (caps, 0);
    GstVideoInfo info = info_of (h);
    gint channels = 0;

    fail_unless_equals_int (info.width, sizes[i].width);
    fail_unless_equals_int (info.height, sizes[i].height);
    fail_unless_equals_int (gst_buffer_get_size (buffer), info.size);
    gst_structure_get_int (s, "channels", &channels);
    fail_unless_equals_int (channels, sizes[i].channels);
    fail_unless_equals_string (
        gst_structure_get_string (s, "channel-layout"), sizes[i].layout);
    fail_unless_equals_string (
        gst_structure_get_string (s, "mosaic-pattern"), sizes[i].pattern);
    if (channels)
      check_wavelengths (s, channels);
    else
      fail_if (gst_structure_has_field (s, "wavelengths"));
    gst_caps_unref (caps);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (text);
  }
}
GST_END_TEST;

GST_START_TEST (test_multispectral_refuses_caps)
{
  static const struct {
    const gchar *properties, *caps;
  } bad[] = {{"", "height=100"}, {"", "channels=4"}, {"", "width=4097"},
      {"", "channel-layout=mosaic"}, {"channels=16", "height=65552"},
      {"channel-layout=mosaic", "width=638"},
      {"channel-layout=mosaic", "mosaic-pattern=3x3"},
      {"channel-layout=mosaic mosaic-side=3", "height=400"},
      {"channel-layout=color", "height=4097"},
      {"channel-layout=color", "format=GRAY8"}, {"", "format=RGB"}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *properties =
        g_strdup_printf ("pattern=multispectral %s", bad[i].properties);
    gchar *caps = g_strdup_printf ("video/x-raw,%s", bad[i].caps);

    expect_refusal (properties, caps);
    g_free (properties);
    g_free (caps);
  }
}
GST_END_TEST;

/* The truth is that of one channel, and the same of whatever is shown. */
GST_START_TEST (test_multispectral_truth)
{
  static const struct {
    const gchar *properties, *caps;
  } shown[] = {{"channels=3", "video/x-raw,width=160,height=360"},
      {"channel-layout=mosaic", "video/x-raw" SMALL ",format=GRAY8"},
      {"channel-layout=color", "video/x-raw" SMALL}};
  GstVisionObjects *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    gchar *text = g_strdup_printf (SPECTRAL
        "num-buffers=1 n-objects=3 occlusion=false label-map=true %s",
        shown[i].properties);
    GstHarness *h = play (text, shown[i].caps);
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth = truth_of (buffer, 3);
    GstVisionMap map;

    fail_unless (truth->ref_width == 160 && truth->ref_height == 120);
    fail_unless (gst_buffer_find_vision_map (
        buffer, GST_VISION_ORIGIN_TRUTH, "labels", &map));
    fail_unless (map.width == 160 && map.height == 120);
    fail_unless_equals_string (truth->objects[2].label, "target 3");
    fail_unless (truth->objects[2].score == 1 && truth->objects[2].area > 100);
    if (first)
      fail_unless (truth->objects[2].cx == first->objects[2].cx &&
          truth->objects[2].area == first->objects[2].area);
    g_clear_pointer (&first, gst_vision_objects_free);
    first = truth;
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (text);
  }
  gst_vision_objects_free (first);
}
GST_END_TEST;

/* Without noise, patches and changes of light, the eye sees the same
 * frame again and again, while the channels show that something moves. */
GST_START_TEST (test_multispectral_hidden)
{
  static const gchar *layouts[] = {"color", "stacked"};
  static const gchar *caps[] = {"video/x-raw,width=160,height=120",
      "video/x-raw,format=GRAY8,width=160,height=1320"};

  for (guint i = 0; i < 2; i++) {
    gchar *text = g_strdup_printf (
        SPECTRAL "num-buffers=3 drift=0 channel-layout=%s", layouts[i]);
    GstHarness *h = play (text, caps[i]);
    GstBuffer *first = pull (h);

    for (guint k = 0; k < 2; k++) {
      GstBuffer *buffer = pull (h);

      check_same (first, buffer, i == 0);
      gst_buffer_unref (buffer);
    }
    gst_buffer_unref (first);
    gst_harness_teardown (h);
    g_free (text);
  }
}
GST_END_TEST;

/* Those that may change, do; those of the layout wait for other caps. */
GST_START_TEST (test_multispectral_properties)
{
  GstHarness *h = play (SPECTRAL, "video/x-raw,width=32,height=264");
  GstElement *src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 40; i++) {
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless (truth && truth->ref_height == 24);
    gst_vision_objects_free (truth);
    g_object_set (src, "contrast", i % 3 / 2., "drift", i % 6 / 10.,
        "n-objects", 1 + i % 9, "distractors", i % 5, "noise", i % 7 * 1.,
        "seed", (guint64) i / 3, "texture", i % 2 * 1., "occlusion", i % 2,
        "channels", 2 + i % 15, "mosaic-side", 2 + i % 3, "channel-layout",
        i % 2, NULL);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (src);
  gst_harness_teardown (h);
}
GST_END_TEST;
