/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element gpuccl on masks: what it finds in frames of every caps, and what
 * it does while it plays. */
#include "suite.h"
#include "gpucclframes.h"

/* Two components: what is as bright as the threshold, and nothing darker. */
static const Rect two[] = {
    {10, 20, 20, 16, 128}, {40, 4, 10, 12, 255}, {0, 44, 64, 4, 127}};

static void
check_rect (const GstVisionObject *o, const Rect *r)
{
  fail_unless_equals_string (o->element, "gpuccl");
  fail_unless_equals_uint64 (o->area, r->width * r->height);
  fail_unless_equals_float (o->x, r->x);
  fail_unless_equals_float (o->y, r->y);
  fail_unless_equals_float (o->width, r->width);
  fail_unless_equals_float (o->height, r->height);
  fail_unless_equals_float (o->cx, r->x + (r->width - 1) / 2.);
  fail_unless_equals_float (o->cy, r->y + (r->height - 1) / 2.);
  fail_unless (isnan (o->depth) && !o->pose.n && !o->extent.n);
}

GST_START_TEST (test_formats)
{
  static const GstVideoFormat formats[] = {
      GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_auto (Frames) f = frames_new (formats[i], "");
    GstVisionObjects *found = frames_push (&f, frames_make (&f, two, 3));

    fail_unless (found != NULL);
    fail_unless_equals_int (found->ref_width, WIDTH);
    fail_unless_equals_int (found->ref_height, HEIGHT);
    fail_unless_equals_int (found->n_objects, 2);
    for (guint k = 0; k < 2; k++) {
      check_rect (&found->objects[k], &two[k]);
      fail_unless (found->objects[k].state == GST_VISION_STATE_REJECTED);
      fail_unless_equals_string (found->objects[k].reason, "size");
      fail_unless_equals_float (found->objects[k].score, 0);
    }
    gst_vision_objects_free (found);
    fail_unless_equals_int (
        frames_state (&f, frames_make (&f, two + 2, 1), 0), 0);
  }
}
GST_END_TEST;

/* New sizes and formats in mid-stream, down to one pixel. */
GST_START_TEST (test_sizes)
{
  static const gint sizes[][2] = {
      {1, 1}, {1, 100}, {100, 1}, {11, 21}, {33, 37}, {64, 48}, {2000, 30}};
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8,
      GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_NV12};
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "min-area=1 filter=none");

  for (guint i = 0; i < 3 * G_N_ELEMENTS (sizes); i++) {
    const gint *size = sizes[i / 3];
    gint w = CLAMP (size[0] - 10, 0, 20), h = CLAMP (size[1] - 20, 0, 16);
    GstVisionObject *o;

    frames_caps (&f, formats[i % 3], size[0], size[1]);
    o = frames_first (&f, frames_make (&f, two, 1), w && h);
    if (o) {
      fail_unless_equals_uint64 (o->area, w * h);
      gst_vision_object_free (o);
    }
  }
}
GST_END_TEST;

/* Rows longer than they need be, as GstVideoMeta says. */
GST_START_TEST (test_strides)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, "");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 7 + 101 * HEIGHT, NULL);
  gsize offset[GST_VIDEO_MAX_PLANES] = {7};
  gint stride[GST_VIDEO_MAX_PLANES] = {101};
  g_autoptr (GstVisionObject) o = NULL;
  GstMapInfo map;

  gst_buffer_memset (buffer, 0, 255, 7 + 101 * HEIGHT);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint y = 0; y < HEIGHT; y++)
    memset (map.data + 7 + 101 * y, 0, WIDTH);
  paint (map.data + 7, 101, 1, WIDTH, HEIGHT, two, 1);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, 1, offset, stride);
  o = frames_first (&f, buffer, 1);
  check_rect (o, &two[0]);
}
GST_END_TEST;

/* What may change while it plays counts from the next frame on. */
GST_START_TEST (test_properties)
{
  static const gchar *const algorithms[] = {
      "label-equivalence", "improved-label-equivalence", "hierarchical", "run"};
  static const Rect corners[] = {{0, 0, 20, 20, 255}, {20, 20, 20, 20, 255}};
  Frames f = frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=1");
  GObject *e = G_OBJECT (f.h->element);

#define STATE(rects, n, objects) \
 frames_state (&f, frames_make (&f, rects, n), objects)
  fail_unless (STATE (two, 3, 2) == GST_VISION_STATE_REJECTED);
  g_object_set (e, "min-size", 319, NULL);
  fail_unless (STATE (two, 3, 2) == GST_VISION_STATE_ACCEPTED);
  g_object_set (e, "min-size", 320, NULL);
  fail_unless (STATE (two, 3, 2) == GST_VISION_STATE_REJECTED);
  g_object_set (e, "min-size", 0, "frames", 1000, NULL);
  fail_unless (STATE (two, 3, 2) == GST_VISION_STATE_NEW);
  g_object_set (e, "threshold", 127, NULL);
  STATE (two, 3, 3);
  g_object_set (e, "threshold", 129, NULL);
  STATE (two, 3, 1);
  g_object_set (e, "min-area", 121, NULL);
  STATE (two, 3, 0);
  g_object_set (e, "min-area", 1, NULL);
  STATE (corners, 2, 2);
  g_object_set (e, "connectivity", 8, NULL);
  STATE (corners, 2, 1);
  g_object_set (e, "connectivity", 4, "max-components", 1, NULL);
  STATE (corners, 2, 1);
  for (guint i = 0; i < G_N_ELEMENTS (algorithms); i++) {
    g_autoptr (GstVisionObject) o = NULL;

    gst_util_set_object_arg (e, "algorithm", algorithms[i]);
    g_object_set (e, "skip-checks", i % 3, NULL);
    o = frames_first (&f, frames_make (&f, two + 1, 1), 1);
    check_rect (o, &two[1]);
  }
#undef STATE
  frames_free (&f);
}
GST_END_TEST;

/* The reason names the criterion that fails. */
GST_START_TEST (test_reasons)
{
  static const Rect ring[] = {{4, 4, 40, 40, 255}, {6, 6, 36, 36, 0}};
  static const Rect thin[] = {{4, 4, 40, 10, 255}};
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "min-size=200 frames=2");
  GstVisionObject *o = frames_first (&f, frames_make (&f, ring, 2), 1);

  fail_unless_equals_string (o->reason, "fill");
  gst_vision_object_free (o);
  o = frames_first (&f, frames_make (&f, thin, 1), 1);
  fail_unless_equals_string (o->reason, "extent");
  fail_unless_equals_uint64 (o->id, 0);
  gst_vision_object_free (o);
  o = frames_first (&f, frames_make (&f, two, 1), 1);
  fail_unless_equals_string (o->reason, "persistence");
  fail_unless_equals_float (o->score, .5);
  fail_unless (o->state == GST_VISION_STATE_NEW && o->id == 1);
  gst_vision_object_free (o);
  o = frames_first (&f, frames_make (&f, two, 1), 1);
  fail_unless (o->state == GST_VISION_STATE_ACCEPTED && o->id == 1);
  fail_unless (o->reason == NULL && o->score == 1);
  gst_vision_object_free (o);
}
GST_END_TEST;

GST_START_TEST (test_label_map)
{
  Frames f = frames_new (GST_VIDEO_FORMAT_GRAY8, "");
  GstBuffer *buffer = gst_harness_push_and_pull (f.h, frames_make (&f, two, 3));
  GstVisionMap map;
  GstMapInfo info;

  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, "labels", &map));
  fail_unless_equals_string (map.element, "gpuccl");
  fail_unless_equals_string (map.format, "u32");
  fail_unless (map.width == WIDTH && map.height == HEIGHT && map.invalid == 0);
  fail_unless (gst_buffer_map (map.pixels, &info, GST_MAP_READ));
  for (gint i = 0; i < WIDTH * HEIGHT; i++) {
    const guint32 *row = (const guint32 *) (info.data + i / WIDTH * map.stride);
    guint expected = 0;

    for (guint k = 0; k < 2; k++)
      if (i % WIDTH >= two[k].x && i % WIDTH < two[k].x + two[k].width &&
          i / WIDTH >= two[k].y && i / WIDTH < two[k].y + two[k].height)
        expected = 1 + two[k].y * WIDTH + two[k].x;
    fail_unless_equals_int (row[i % WIDTH], expected);
  }
  gst_buffer_unmap (map.pixels, &info);
  gst_buffer_unref (buffer);
  frames_free (&f);

  f = frames_new (GST_VIDEO_FORMAT_GRAY8, "label-map=false");
  buffer = gst_harness_push_and_pull (f.h, frames_make (&f, two, 3));
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT), 0);
  gst_buffer_unref (buffer);
  frames_free (&f);
}
GST_END_TEST;

GST_START_TEST (test_messages)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, "post-messages=true");

  for (guint i = 0; i < 2; i++) {
    frames_state (&f, frames_make (&f, two, 3), 2);
    expect_results (f.bus, "gpuccl", i * 40 * GST_MSECOND, 2);
  }
}
GST_END_TEST;

/* After a seek, or other caps, an object is a new one; no id comes twice. After
 * the end, nothing is taken. */
GST_START_TEST (test_flush)
{
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "min-size=0 frames=2");
  GstVisionObject *o;

  frames_state (&f, frames_make (&f, two, 1), 1);
  fail_unless (frames_state (&f, frames_make (&f, two, 1), 1) ==
      GST_VISION_STATE_ACCEPTED);
  fed_seek (f.h);
  o = frames_first (&f, frames_make (&f, two, 1), 1);
  fail_unless (o->state == GST_VISION_STATE_NEW && o->id == 2);
  gst_vision_object_free (o);
  frames_caps (&f, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  o = frames_first (&f, frames_make (&f, two, 1), 1);
  fail_unless (o->state == GST_VISION_STATE_NEW && o->id == 3);
  gst_vision_object_free (o);
  fail_unless (gst_harness_push_event (f.h, gst_event_new_eos ()));
  fail_unless_equals_int (
      gst_harness_push (f.h, frames_make (&f, two, 1)), GST_FLOW_EOS);
}
GST_END_TEST;

/* The alpha of RGBA and BGRA is the mask, whatever the colours; alpha is not
 * taken for luma, nor luma for alpha. */
GST_START_TEST (test_alpha)
{
  static const GstVideoFormat formats[] = {
      GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA};

  for (guint i = 0; i < 2; i++) {
    g_auto (Frames) f = frames_new (formats[i], "mask-from=alpha");
    GstBuffer *buffer = frames_make (&f, NULL, 0);
    g_autoptr (GstVisionObjects) found = NULL;
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (gsize at = 0; at < map.size; at++)
      map.data[at] = at % 4 == 3 ? 0 : (guint8) (at * 7);
    for (guint k = 0; k < 3; k++)
      for (gint y = two[k].y; y < two[k].y + two[k].height; y++)
        for (gint x = two[k].x; x < two[k].x + two[k].width; x++)
          map.data[4 * (y * WIDTH + x) + 3] = (guint8) two[k].value;
    gst_buffer_unmap (buffer, &map);
    found = frames_push (&f, buffer);
    fail_unless (found && found->n_objects == 2);
    for (guint k = 0; k < 2; k++)
      check_rect (&found->objects[k], &two[k]);
  }
}
GST_END_TEST;

GST_START_TEST (test_alpha_and_luma)
{
  static const struct {
    const gchar *properties;
    GstVideoFormat format;
  } bad[] = {{"", GST_VIDEO_FORMAT_RGBA}, {"", GST_VIDEO_FORMAT_BGRA},
      {"mask-from=alpha", GST_VIDEO_FORMAT_GRAY8},
      {"mask-from=alpha", GST_VIDEO_FORMAT_NV12},
      {"mask-from=alpha", GST_VIDEO_FORMAT_GRAY16_LE}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (Frames) f = frames_new (bad[i].format, bad[i].properties);

    fail_unless_equals_int (gst_harness_push (f.h, frames_make (&f, NULL, 0)),
        GST_FLOW_NOT_NEGOTIATED);
  }
}
GST_END_TEST;

/* A tenth of greys is still a mask, and so are MOG2's shadows; more is warned
 * of once. */
GST_START_TEST (test_no_mask)
{
  static const Rect dark[] = {{0, 0, WIDTH, 24, 63}, {0, 24, WIDTH, 24, 192}};
  static const Rect shadow[] = {{0, 0, WIDTH, HEIGHT, 127}};
  static const Rect tenth[] = {{0, 0, 61, 5, 191}};
  static const Rect more[] = {{0, 0, 62, 5, 64}};
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, "min-area=1");

  frames_state (&f, frames_make (&f, dark, 2), 1);
  frames_state (&f, frames_make (&f, tenth, 1), 1);
  frames_state (&f, frames_make (&f, shadow, 1), 0);
  expect_silence (f.bus);
  frames_state (&f, frames_make (&f, more, 1), 0);
  frames_state (&f, frames_make (&f, more, 1), 0);
  expect_once (f.bus, GST_MESSAGE_WARNING, "no mask");
  expect_faulty (&f, 0);
}
GST_END_TEST;

/* Preset mask reports each of 288 pixels; with the default of max-components
 * the rest is counted and warned of once. */
GST_START_TEST (test_many)
{
  Rect specks[16 * 18];
  guint n = G_N_ELEMENTS (specks);

  for (guint i = 0; i < n; i++)
    specks[i] = (Rect){2 * (gint) (i % 18), 2 * (gint) (i / 18), 1, 1, 255};
  for (guint preset = 0; preset < 2; preset++) {
    g_auto (Frames) f = frames_new (
        GST_VIDEO_FORMAT_GRAY8, preset ? "@preset=mask" : "min-area=1");

    frames_state (&f, frames_make (&f, specks, n), preset ? n : 64);
    frames_state (&f, frames_make (&f, specks, n), preset ? n : 64);
    if (preset) {
      expect_silence (f.bus);
      continue;
    }
    expect_once (f.bus, GST_MESSAGE_WARNING, "max-components");
    fail_unless (stat_number (f.h->element, "left-out") == 2. * (n - 64));
  }
}
GST_END_TEST;

SUITE (gpuccl, TIMEOUT (120), TEST (test_formats), TEST (test_sizes),
    TEST (test_strides), TEST (test_properties), TEST (test_reasons),
    TEST (test_label_map), TEST (test_messages), TEST (test_flush),
    TEST (test_alpha), TEST (test_alpha_and_luma), TEST (test_no_mask),
    TEST (test_many));
