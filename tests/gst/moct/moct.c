/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element moct: what it finds in frames of every caps, and what it does
 * while it plays. */
#include "suite.h"
#include "redsquare.h"

static void
check_rectangle (const GstVisionObject *o, const gchar *what)
{
  fail_unless_equals_string (o->element, "moct");
  fail_unless_equals_string (o->label, "red");
  fail_unless (o->id > 0);
  fail_unless (o->area == W * H, "%s: area %u", what, (guint) o->area);
  fail_unless_equals_float (o->x, X);
  fail_unless_equals_float (o->y, Y);
  fail_unless_equals_float (o->width, W);
  fail_unless_equals_float (o->height, H);
  fail_unless_equals_float (o->cx, X + (W - 1) / 2.);
  fail_unless_equals_float (o->cy, Y + (H - 1) / 2.);
}

GST_START_TEST (test_formats)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2,
      GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_RGBx,
      GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_auto (Red) r = red_new (formats[i]);

    for (guint n = 0; n < 2; n++) {
      g_autoptr (GstVisionObjects) found = red_push (&r, NULL);

      fail_unless (found != NULL);
      fail_unless_equals_int (found->ref_width, WIDTH);
      fail_unless_equals_int (found->ref_height, HEIGHT);
      fail_unless_equals_int (found->n_objects, 1);
      check_rectangle (
          &found->objects[0], gst_video_format_to_string (formats[i]));
    }
  }
}
GST_END_TEST;

/* New sizes in mid-stream, down to one pixel. */
GST_START_TEST (test_sizes)
{
  static const gint sizes[][2] = {
      {1, 1}, {1, 100}, {100, 1}, {11, 21}, {33, 37}, {64, 48}, {2000, 30}};
  static const GstVideoFormat formats[] = {
      GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_BGR};
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  g_object_set (r.h->element, "min-area", (guint64) 1, NULL);
  for (guint i = 0; i < 3 * G_N_ELEMENTS (sizes); i++) {
    const gint *size = sizes[i / 3];
    gint w = CLAMP (size[0] - X, 0, W), h = CLAMP (size[1] - Y, 0, H);
    g_autoptr (GstVisionObjects) found = NULL;

    red_caps (&r, formats[i % 3], size[0], size[1]);
    found = red_push (&r, NULL);
    fail_unless_equals_int (found->n_objects, w && h);
    if (found->n_objects && formats[i % 3] == GST_VIDEO_FORMAT_BGR)
      fail_unless_equals_uint64 (found->objects[0].area, w * h);
  }
}
GST_END_TEST;

/* What may change while it plays counts from the next frame on. */
GST_START_TEST (test_properties)
{
  static const gchar *methods[] = {"pyramid", "per-object", "fused"};
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_NV12);

  fail_unless_equals_int (red_count (&r), 1);
  g_object_set (
      r.h->element, "lose-frames", 0, "min-area", (guint64) W * H + 1, NULL);
  red_count (&r); /* lost with this one */
  fail_unless_equals_int (red_count (&r), 0);
  g_object_set (r.h->element, "min-area", (guint64) W * H, NULL);
  fail_unless_equals_int (red_count (&r), 1);
  g_object_set (r.h->element, "max-area", (guint64) W * H - 1, NULL);
  red_count (&r);
  fail_unless_equals_int (red_count (&r), 0);
  g_object_set (r.h->element, "max-area", G_MAXUINT64, NULL);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstVisionObjects) found = NULL;

    gst_util_set_object_arg (G_OBJECT (r.h->element), "method", methods[i]);
    found = red_push (&r, NULL);
    fail_unless_equals_int (found->n_objects, 1);
    check_rectangle (&found->objects[0], methods[i]);
  }
  g_object_set (r.h->element, "region", "0,0,10,48", NULL);
  red_count (&r);
  fail_unless_equals_int (red_count (&r), 0);
  g_object_set (r.h->element, "region", "nonsense", NULL);
  expect_once (r.bus, GST_MESSAGE_WARNING, "x,y,width,height");
  g_object_set (r.h->element, "region", "", NULL);
  fail_unless_equals_int (red_count (&r), 1);
}
GST_END_TEST;

/* The id of the only object in the next frame. */
static guint64
next_id (Red *r)
{
  g_autoptr (GstVisionObjects) found = red_push (r, NULL);

  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, 1);
  return found->objects[0].id;
}

/* With other caps all objects are new; a restart counts from 1. */
GST_START_TEST (test_ids)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  fail_unless_equals_uint64 (next_id (&r), 1);
  fail_unless_equals_uint64 (next_id (&r), 1);
  red_caps (&r, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  fail_unless_equals_uint64 (next_id (&r), 2);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  red_caps (&r, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  fail_unless_equals_uint64 (next_id (&r), 3);
  fail_unless_equals_uint64 (next_id (&r), 3);
  gst_element_set_state (r.h->element, GST_STATE_NULL);
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  fail_unless_equals_uint64 (next_id (&r), 1);
}
GST_END_TEST;

/* @n points, a frame apart, at each of which the rectangle was seen. */
static void
check_history (const GstVisionArray *history, guint n)
{
  fail_unless_equals_int (history->n, 6 * n);
  for (guint i = 0; i < n; i++) {
    const gdouble *p = history->values + 6 * i;

    fail_unless (p[0] == X && p[1] == Y && p[2] == W && p[3] == H);
    fail_unless (fabs (p[4] + (n - 1 - i) / 25.) < 1e-6, "%g", p[4]);
    fail_unless (p[5] == 1);
  }
}

/* The history is a map, too, whose rows are objects; there is none without a
 * history. */
GST_START_TEST (test_history_map)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  g_autoptr (GstBuffer) buffer = NULL;
  const gfloat *point;
  GstVisionMap map;
  GstMapInfo info;

  gst_element_set_state (r.h->element, GST_STATE_NULL);
  g_object_set (r.h->element, "history-length", 3, "history-map", TRUE, NULL);
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  red_count (&r);
  buffer = gst_harness_push_and_pull (r.h, red_frame_of (&r, 0xff0000));
  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, "trajectories", &map));
  fail_unless_equals_int (map.width, 3);
  fail_unless_equals_int (map.height, 64);
  fail_unless_equals_int (map.channels, 8);
  fail_unless_equals_string (map.format, "f32");
  fail_unless (gst_buffer_map (map.pixels, &info, GST_MAP_READ));
  point = (const gfloat *) (const gpointer) info.data;
  fail_unless (isnan (point[0]));
  fail_unless (point[2 * 8] == X + (W - 1) / 2.f && point[2 * 8 + 4] == X + W);
  fail_unless (point[2 * 8 + 6] == 0 && point[2 * 8 + 7] == 1);
  point = (const gfloat *) (const gpointer) (info.data + map.stride);
  fail_unless (isnan (point[2 * 8])); /* there is one object */
  gst_buffer_unmap (map.pixels, &info);
  gst_element_set_state (r.h->element, GST_STATE_NULL);
  g_object_set (r.h->element, "history-length", 0, NULL);
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  gst_harness_push (r.h, red_frame_of (&r, 0xff0000));
  expect_text (gst_bus_pop_filtered (r.bus, GST_MESSAGE_ERROR),
      "history-length above 0");
}
GST_END_TEST;

/* After @frames frames the trajectory has @n points, all of them here. */
static void
expect_trajectory (const gchar *kind, guint frames, guint n)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  g_autoptr (GstVisionObjects) found = NULL;
  GstVisionArray t;

  gst_element_set_state (r.h->element, GST_STATE_NULL);
  g_object_set (r.h->element, "history-length", 5, NULL);
  gst_util_set_object_arg (G_OBJECT (r.h->element), "trajectory", kind);
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  while (--frames)
    fail_unless_equals_int (red_count (&r), 1);
  found = red_push (&r, NULL);
  fail_unless_equals_int (found->n_objects, 1);
  t = found->objects[0].trajectory;
  fail_unless_equals_int (t.n, 2 * n);
  for (guint i = 0; i < n; i++) {
    fail_unless_equals_float (t.values[2 * i], X + (W - 1) / 2.);
    fail_unless_equals_float (t.values[2 * i + 1], Y + (H - 1) / 2.);
  }
  check_history (&found->objects[0].history, n);
}

GST_START_TEST (test_trajectory)
{
  expect_trajectory ("none", 8, 0);
  expect_trajectory ("last", 1, 1);
  expect_trajectory ("last", 8, 2);
  expect_trajectory ("full", 3, 3);
  expect_trajectory ("full", 8, 5);
}
GST_END_TEST;

GST_START_TEST (test_label_map)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  g_autoptr (GstBuffer) buffer = NULL;
  GstVisionMap map;
  GstMapInfo info;

  gst_element_set_state (r.h->element, GST_STATE_NULL);
  g_object_set (
      r.h->element, "label-map", TRUE, "objects", "blue:#0000ff~10;" RED, NULL);
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  buffer = gst_harness_push_and_pull (r.h, red_frame_of (&r, 0xff0000));
  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, "labels", &map));
  fail_unless_equals_int (map.width, WIDTH);
  fail_unless_equals_int (map.height, HEIGHT);
  fail_unless_equals_string (map.format, "u16");
  fail_unless (gst_buffer_map (map.pixels, &info, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gboolean inside = x >= X && x < X + W && y >= Y && y < Y + H;

      fail_unless_equals_int (
          GST_READ_UINT16_LE (info.data + y * map.stride + 2 * x),
          inside ? 2 : 0);
    }
  gst_buffer_unmap (map.pixels, &info);
}
GST_END_TEST;

GST_START_TEST (test_messages)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  g_object_set (r.h->element, "post-messages", TRUE, NULL);
  red_count (&r);
  red_count (&r);
  for (guint i = 0; i < 2; i++)
    expect_results (r.bus, "moct", i * 40 * GST_MSECOND, 1);
  fail_unless (gst_bus_pop_filtered (r.bus, GST_MESSAGE_ELEMENT) == NULL);
}
GST_END_TEST;

static guint64
id_of_next (Red *r)
{
  g_autoptr (GstVisionObjects) found = red_push (r, NULL);
  guint64 id;

  fail_unless_equals_int (found->n_objects, 1);
  id = found->objects[0].id;
  return id;
}

/* After a seek an object is a new one; no id comes twice. */
GST_START_TEST (test_flush)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  guint64 id = id_of_next (&r);

  fail_unless_equals_uint64 (id_of_next (&r), id);
  fed_seek (r.h);
  fail_unless (id_of_next (&r) > id);
  fail_unless (gst_harness_push_event (r.h, gst_event_new_eos ()));
  fail_unless_equals_int (
      gst_harness_push (r.h, red_frame_of (&r, 0)), GST_FLOW_EOS);
}
GST_END_TEST;

SUITE (moct, TIMEOUT (120), TEST (test_formats), TEST (test_sizes),
    TEST (test_properties), TEST (test_ids), TEST (test_trajectory),
    TEST (test_history_map), TEST (test_label_map), TEST (test_messages),
    TEST (test_flush));
