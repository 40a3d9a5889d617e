/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element pocstereo on every pixel: the maps of frames of every caps, and
 * what it does while it plays. */
#include "suite.h"
#include "pocstereoviews.h"

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR};

/* Two inputs of every format; the left frame comes out as it was. */
GST_START_TEST (test_formats)
{
  g_auto (Views) v = views_new (FALSE, "");

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstBuffer) left = NULL, out = NULL;
    GstMapInfo a, b;

    views_caps (&v, formats[i], WIDTH, HEIGHT, NULL);
    left = views_make (&v, 0);
    out = views_push (&v, gst_buffer_copy_deep (left));
    views_check_disparity (out, WIDTH, HEIGHT);
    gst_buffer_map (left, &a, GST_MAP_READ);
    gst_buffer_map (out, &b, GST_MAP_READ);
    fail_unless (a.size == b.size && !memcmp (a.data, b.data, a.size));
    gst_buffer_unmap (left, &a);
    gst_buffer_unmap (out, &b);
  }
  fail_unless_equals_uint64 (views_stat (&v, "frames"), G_N_ELEMENTS (formats));
  expect_silence (v.bus);
}
GST_END_TEST;

/* One input of every format, beside and above: the left view comes out. */
GST_START_TEST (test_packed)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (formats); i++) {
    gboolean beside = i % 2;
    g_auto (Views) v = views_new (TRUE, "");
    GstVideoFrame expected, out;
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;
    GstCaps *caps;

    views_caps (&v, formats[i / 2], beside ? 2 * WIDTH : WIDTH,
        beside ? HEIGHT : 2 * HEIGHT, beside ? "side-by-side" : "top-bottom");
    gst_harness_push (v.left, views_make_packed (&v, beside));
    buffer = gst_harness_pull (v.left);
    fail_unless (buffer != NULL);
    views_check_disparity (buffer, WIDTH, HEIGHT);
    caps = gst_pad_get_current_caps (v.left->sinkpad);
    fail_unless (gst_video_info_from_caps (&info, caps));
    gst_caps_unref (caps);
    fail_unless_equals_int (info.width, WIDTH);
    fail_unless_equals_int (info.height, HEIGHT);
    fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
    gst_video_info_set_format (&v.info, formats[i / 2], WIDTH, HEIGHT);
    gst_buffer_unref (views_buffer (&v, &expected));
    views_draw (&expected, 0, 0, WIDTH, HEIGHT, 0);
    for (gint y = 0; y < HEIGHT; y++)
      fail_unless (!memcmp ((guint8 *) out.data[0] + y * out.info.stride[0],
          (guint8 *) expected.data[0] + y * expected.info.stride[0],
          (gsize) WIDTH * GST_VIDEO_FRAME_COMP_PSTRIDE (&out, 0)));
    gst_video_frame_unmap (&expected);
    gst_video_frame_unmap (&out);
  }
}
GST_END_TEST;

/* Confidence, sigma and depth beside the disparity, and the camera. */
GST_START_TEST (test_maps)
{
  g_auto (Views) v = views_grey ("intrinsics=80,80,47.5,31.5 baseline=0.1");
  g_autoptr (GstBuffer) buffer = views_push (&v, NULL);
  GstMapInfo disparity, sigma, confidence, depth;
  GstVisionMap d = views_map (buffer, "disparity", &disparity);
  GstVisionMap s = views_map (buffer, "sigma", &sigma);
  GstVisionMap c = views_map (buffer, "confidence", &confidence);
  GstVisionMap z = views_map (buffer, "depth", &depth);
  gint x = WIDTH / 2, y = HEIGHT / 2;
  gfloat here = ((gfloat *) (disparity.data + y * d.stride))[x];
  GstVisionCamera camera;

  fail_unless (!strcmp (s.format, "u16") && s.invalid == 65535);
  fail_unless (((guint16 *) (sigma.data + y * s.stride))[x] * s.scale < .1);
  fail_unless_equals_string (c.format, "u8");
  fail_unless ((confidence.data + y * c.stride)[x] * c.scale > .8);
  fail_unless (!strcmp (z.format, "f32") && z.invalid == 0);
  fail_unless (
      fabs (((gfloat *) (depth.data + y * z.stride))[x] - 8 / here) < 1e-4);
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (camera.fx == 80 && camera.cy == 31.5 && camera.baseline == .1);
  fail_unless (camera.ref_width == WIDTH && camera.ref_height == HEIGHT);
  gst_buffer_unmap (d.pixels, &disparity);
  gst_buffer_unmap (s.pixels, &sigma);
  gst_buffer_unmap (c.pixels, &confidence);
  gst_buffer_unmap (z.pixels, &depth);
}
GST_END_TEST;

/* The camera of the buffer, scaled to its frame, where nothing was set. */
GST_START_TEST (test_camera_of_buffer)
{
  g_auto (Views) v = views_grey ("");
  GstBuffer *buffer = views_push (&v, NULL);
  GstVisionCamera camera;

  fail_if (views_has (buffer, "depth"));
  fail_if (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
  gst_buffer_unref (buffer);

  gst_vision_camera_init (&camera);
  camera.ref_width = 2 * WIDTH;
  camera.ref_height = 2 * HEIGHT;
  camera.fx = camera.fy = 160;
  camera.baseline = .25;
  buffer = views_make (&v, 0);
  gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera);
  buffer = views_push (&v, buffer);
  fail_unless (views_has (buffer, "depth"));
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (camera.fx == 80 && camera.baseline == .25);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* How many pixels of the newest pair have a disparity. */
static guint
count (Views *v)
{
  g_autoptr (GstBuffer) buffer = views_push (v, NULL);
  GstMapInfo info;
  GstVisionMap map = views_map (buffer, "disparity", &info);
  guint n = 0;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    n += ((const gfloat *) (info.data + i / WIDTH * map.stride))[i % WIDTH] !=
        map.invalid;
  gst_buffer_unmap (map.pixels, &info);
  return n;
}

/* What may change while it plays counts from the next pair on. */
GST_START_TEST (test_properties)
{
  g_auto (Views) v = views_grey ("");
  guint all, checked = count (&v);

  g_object_set (v.element, "left-right", FALSE, "speckle-size", 0, NULL);
  all = count (&v);
  fail_unless_equals_int (all, WIDTH * HEIGHT);
  fail_unless (checked < all && checked > all / 2);
  g_object_set (v.element, "min-peak", 1., NULL);
  fail_unless (count (&v) < all); /* the same but at the edges */
  g_object_set (v.element, "min-peak", 0., "window", 24, "lines", 7,
      "bandwidth", 5, "layers", 2, "candidates", 1, "revote", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (v.element), "weight", "rectangle");
  gst_util_set_object_arg (G_OBJECT (v.element), "fit", "closed-form");
  fail_unless_equals_int (count (&v), all);
  /* a range without the plane: nothing fits as well in both views */
  g_object_set (v.element, "min-disparity", 30, "max-disparity", 40,
      "left-right", TRUE, "min-peak", .8, NULL);
  fail_unless (count (&v) < all / 10);
  g_object_set (
      v.element, "min-disparity", -8, "max-disparity", 8, "min-peak", 0., NULL);
  fail_unless (count (&v) > all / 2);
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 0);
  expect_silence (v.bus);
}
GST_END_TEST;

/* A seek, other sizes, and the end of one view. */
GST_START_TEST (test_stream)
{
  g_auto (Views) v = views_grey ("");
  GstSegment segment;
  GstEvent *events[] = {
      gst_event_new_flush_start (), gst_event_new_flush_stop (TRUE), NULL};

  gst_buffer_unref (views_push (&v, NULL));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  events[2] = gst_event_new_segment (&segment);
  for (guint i = 0; i < G_N_ELEMENTS (events); i++) {
    gst_event_set_seqnum (events[i], 1000);
    gst_harness_push_event (v.left, gst_event_ref (events[i]));
    gst_harness_push_event (v.right, events[i]);
  }
  v.n = 0;
  gst_buffer_unref (views_push (&v, NULL));
  views_caps (&v, GST_VIDEO_FORMAT_GRAY8, 121, 75, NULL);
  for (gint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) buffer = views_push (&v, NULL);

    views_check_disparity (buffer, 121, 75);
  }
  gst_harness_push_event (v.right, gst_event_new_eos ());
  while (gst_harness_push (v.left, views_make (&v, 0)) == GST_FLOW_OK)
    ;
  fail_unless_equals_int (
      gst_harness_push (v.left, views_make (&v, 0)), GST_FLOW_EOS);
  fail_unless_equals_uint64 (views_stat (&v, "frames"), 4);
}
GST_END_TEST;

/* The right view comes first, another time jumps ahead: pairs are those of one
 * time. */
GST_START_TEST (test_order)
{
  g_auto (Views) v = views_grey ("");
  GstBuffer *left[3], *right[3], *out;

  for (v.n = 0; v.n < 3; v.n++) {
    left[v.n] = views_make (&v, 0);
    right[v.n] = views_make (&v, 1);
  }
  gst_harness_push (v.right, right[0]);
  gst_harness_push (v.left, left[0]);
  out = gst_harness_pull (v.left);
  views_check_disparity (out, WIDTH, HEIGHT);
  gst_buffer_unref (out);
  gst_harness_push (v.left, left[1]);
  gst_buffer_unref (right[1]);
  gst_harness_push (v.right, right[2]);
  gst_harness_push (v.left, left[2]);
  out = gst_harness_pull (v.left);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 80 * GST_MSECOND);
  views_check_disparity (out, WIDTH, HEIGHT);
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (views_stat (&v, "dropped"), 1);
}
GST_END_TEST;

SUITE (pocstereo, TIMEOUT (120), TEST (test_formats), TEST (test_packed),
    TEST (test_maps), TEST (test_camera_of_buffer), TEST (test_properties),
    TEST (test_stream), TEST (test_order));
