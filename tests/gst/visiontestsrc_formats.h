/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: every format shows the same picture. */

#define STILL "num-buffers=1 occlusion=false"

/* A frame of @from, converted by GStreamer to the format of @to. */
static GstBuffer *
converted (GstBuffer *buffer, GstCaps *from, GstCaps *to)
{
  GstSample *in = gst_sample_new (buffer, from, NULL, NULL);
  GstSample *out = gst_video_convert_sample (in, to, 10 * GST_SECOND, NULL);
  GstBuffer *result;

  fail_unless (out != NULL);
  result = gst_buffer_ref (gst_sample_get_buffer (out));
  gst_sample_unref (in);
  gst_sample_unref (out);
  return result;
}

static gint
byte_of (GstVideoFrame *f, gint x, gint y)
{
  return ((guint8 *) f->data[0])[y * f->info.stride[0] + x];
}

/* Pictures look alike: in the middle of each object nearly the same, and on
 * the whole so far as chroma at half size allows. */
static void
check_alike (GstBuffer *a, GstBuffer *b, GstCaps *caps, const gchar *what)
{
  GstVisionObjects *truth =
      gst_buffer_get_vision_objects (a, GST_VISION_ORIGIN_TRUTH);
  GstVideoFrame f, g;
  GstVideoInfo info;
  gdouble sum = 0;
  gint step, row;

  gst_video_info_from_caps (&info, caps);
  step = GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  row = info.width * step;
  fail_unless (gst_video_frame_map (&f, &info, a, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&g, &info, b, GST_MAP_READ));
  for (gint y = 0; y < info.height; y++)
    for (gint x = 0; x < row; x++)
      sum += ABS (byte_of (&f, x, y) - byte_of (&g, x, y));
  fail_unless (sum < 3. * row * info.height, "%s is off by %g", what,
      sum / row / info.height);
  for (guint i = 0; i < truth->n_objects; i++)
    for (gint c = 0; c < step; c++) {
      gint x = truth->objects[i].cx, y = truth->objects[i].cy;
      gint p = byte_of (&f, x * step + c, y), q = byte_of (&g, x * step + c, y);

      fail_unless (ABS (p - q) <= 8, "%s: byte %d of %s is %d, not %d", what, c,
          truth->objects[i].label, q, p);
    }
  gst_video_frame_unmap (&f);
  gst_video_frame_unmap (&g);
  gst_vision_objects_free (truth);
}

/* What comes in @format looks, when GStreamer converts it, as RGBA does (or,
 * for grey, the other way round). */
static void
check_format (const gchar *format, const gchar *more)
{
  gchar *text = g_strdup_printf ("video/x-raw,format=%s%s", format, more);
  GstHarness *h = play (STILL, text);
  GstHarness *r = play (STILL, "video/x-raw,format=RGBA" SMALL);
  GstBuffer *frame = pull (h), *reference = pull (r), *other;
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstCaps *rgba = gst_pad_get_current_caps (r->sinkpad);

  if (g_str_equal (format, "GRAY8")) {
    other = converted (reference, rgba, caps);
    check_alike (frame, other, caps, text);
  } else {
    other = converted (frame, caps, rgba);
    check_alike (reference, other, rgba, text);
  }
  gst_buffer_unref (frame);
  gst_buffer_unref (reference);
  gst_buffer_unref (other);
  gst_caps_unref (caps);
  gst_caps_unref (rgba);
  gst_harness_teardown (h);
  gst_harness_teardown (r);
  g_free (text);
}

GST_START_TEST (test_formats)
{
  static const gchar *formats[] = {"BGRA", "RGBx", "BGRx", "RGB", "BGR",
      "GRAY8", "NV12", "I420", "YUY2", "P010_10LE"};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_format (formats[i], SMALL);
  check_format ("NV12", SMALL ",colorimetry=bt709");
  check_format ("I420", SMALL ",colorimetry=bt2020");
  check_format ("YUY2", SMALL ",colorimetry=(string)1:4:0:0");
}
GST_END_TEST;
