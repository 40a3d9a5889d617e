/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visionmap: maps of kind correspondence. */

/* Each class, the last none, on 8 x 2 pixels; below it is an object's. */
static GstBuffer *
push_classes (GstHarness *h)
{
  static const guint8 pixels[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 255,
      0, 99, 99, /* the end of the row */
      0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 1, 2, 1, 255};
  GstVisionMap map = {.element = "visiontestsrc",
      .kind = "correspondence",
      .format = "u8",
      .channels = 2,
      .width = 8,
      .height = 2,
      .stride = 18,
      .scale = 1,
      .invalid = NAN};
  GstVideoInfo in;
  GstBuffer *buffer;

  gst_video_info_set_format (&in, GST_VIDEO_FORMAT_NV12, 64, 48);
  buffer = grey_frame (&in);
  map.pixels = gst_buffer_new_memdup (pixels, sizeof pixels);
  fail_unless (
      gst_buffer_add_vision_map (buffer, GST_VISION_ORIGIN_RESULT, &map));
  gst_buffer_unref (map.pixels);
  return gst_harness_push_and_pull (h, buffer);
}

/* In each format, the colours of its class. */
GST_START_TEST (test_classes)
{
  static const gchar *formats[] = {
      "RGB", "BGR", "RGBA", "BGRA", "RGBx", "BGRx"};
  static const guint8 colours[2][8][3] = {
      {{0, 0, 0}, {144, 238, 144}, {255, 255, 0}, {139, 0, 0}, {0, 191, 255},
          {0, 0, 255}, {255, 255, 255}, {255, 255, 255}},
      {{0, 0, 0}, {0, 100, 0}, {255, 255, 0}, {139, 0, 0}, {0, 191, 255},
          {0, 0, 255}, {46, 139, 87}, {107, 142, 35}}};

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *caps = g_strdup_printf ("video/x-raw,format=%s", formats[f]);
    GstHarness *h = harness ("correspondence", caps);
    gboolean swap = formats[f][0] == 'B';
    GstVideoInfo info;
    GstBuffer *buffer;

    set_input (h);
    buffer = push_classes (h);
    get_info (h, &info);
    fail_unless (info.width == 8 && info.height == 2);
    for (gint i = 0; i < 16; i++)
      for (gint c = 0; c < 3; c++)
        fail_unless_equals_int (
            pixel (buffer, &info, i % 8, i / 8, swap ? 2 - c : c),
            colours[i / 8][i % 8][c]);
    if (strchr (formats[f], 'A'))
      fail_unless_equals_int (pixel (buffer, &info, 0, 0, 3), 255);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (caps);
  }
}
GST_END_TEST;

/* In grey the classes' numbers or, between map-low and map-high, shades. */
GST_START_TEST (test_classes_grey)
{
  static const guint numbers[] = {0, 1, 2, 3, 4, 5, 6, 255};
  GstHarness *h = harness ("correspondence", "video/x-raw,format=GRAY8");
  GstVideoInfo info;
  GstBuffer *buffer;

  set_input (h);
  buffer = push_classes (h);
  get_info (h, &info);
  for (gint x = 0; x < 8; x++)
    fail_unless_equals_int (pixel (buffer, &info, x, 0, 0), numbers[x]);
  gst_buffer_unref (buffer);
  g_object_set (h->element, "map-low", 1., "map-high", 6., NULL);
  buffer = push_classes (h);
  for (gint x = 0; x < 7; x++)
    fail_unless_equals_int (
        pixel (buffer, &info, x, 0, 0), x > 0 ? (x - 1) * 51 : 0);
  fail_unless_equals_int (pixel (buffer, &info, 7, 0, 0), 255);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);

  h = harness ("correspondence", "video/x-raw,format=GRAY16_LE");
  set_input (h);
  g_object_set (h->element, "map-high", 5., NULL);
  buffer = push_classes (h);
  get_info (h, &info);
  fail_unless_equals_int (grey16 (buffer, &info, 3, 0), 3 * 13107);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;
