/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both parents: a frame that cannot be read costs itself alone, words of 16
 * bits may lie at odd addresses, and a segment that is not of times is refused.
 */
#include "suite.h"
#include "badframes.h"
#include "oneinput.h"
#include "twoinputs.h"

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_P010_10LE};

static void
push_three (GstVideoFormat format, gint width, gint height, Bad bad)
{
  g_auto (One) t = one_new ();
  GstVideoInfo info;
  GstBuffer *buffer;

  gst_video_info_set_format (&info, format, width, height);
  gst_harness_set_src_caps (t.h, gst_video_info_to_caps (&info));
  for (guint i = 0; i < 3; i++) {
    buffer = i == 1 ? bad_frame (&info, bad, 9)
                    : frame_of (GST_VIDEO_INFO_SIZE (&info), 0);
    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (t.h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (t.h);
    if (i != 1 || (bad != BAD_UNMAPPABLE && bad != BAD_EMPTY))
      fail_unless_equals_int (first_byte (buffer), i == 1 ? 9 : 10);
    gst_buffer_unref (buffer);
  }
  expect_text (
      gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING), bad_says[bad]);
  fail_unless (gst_bus_pop_filtered (
                   t.bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  fail_unless_equals_uint64 (stat_count (t.h->element, "frames"), 3);
  fail_unless_equals_uint64 (stat_count (t.h->element, "faulty"), 1);
  fail_unless_equals_uint64 (stat_count (t.h->element, "dropped"), 0);
  fail_unless_equals_int (t.element->opened, 1);
  fail_unless_equals_int (t.element->closed, 0);
}

GST_START_TEST (test_filter)
{
  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    push_three (formats[f], 64, 48, (Bad) __i__);
    push_three (formats[f], 5, 3, (Bad) __i__);
  }
}
GST_END_TEST;

/* The sentence says what was found and what was expected; it is posted once. */
GST_START_TEST (test_sentence)
{
  g_auto (One) t = one_new ();

  gst_harness_set_src_caps_str (t.h, CAPS ("RGBA", 64, 64));
  for (guint i = 0; i < 20; i++)
    fail_unless_equals_int (
        gst_harness_push (t.h, frame_of (64 * 64 * 4 - 4, 0)), GST_FLOW_OK);
  expect_text (gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING),
      "its buffer holds 16380 bytes, but RGBA of 64x64 has 16384");
  fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless_equals_uint64 (stat_count (t.h->element, "faulty"), 20);
  fail_unless_equals_int (gst_harness_buffers_received (t.h), 20);
}
GST_END_TEST;

/* What is larger than its caps, and rows with room behind them, are no fault.
 */
GST_START_TEST (test_larger)
{
  g_auto (One) t = one_new ();
  gsize offset[GST_VIDEO_MAX_PLANES] = {100, 100 + 4 * 32};
  gint stride[GST_VIDEO_MAX_PLANES] = {32, 48};
  /* the last row needs no room behind it */
  GstBuffer *buffer = frame_of (100 + 4 * 32 + 48 + 8, 0);

  gst_harness_set_src_caps_str (t.h, CAPS ("NV12", 8, 4));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, 8, 4, 2, offset, stride);
  gst_buffer_unref (gst_harness_push_and_pull (t.h, buffer));
  buffer = frame_of (16 * 8 * 3 / 2, 0);
  gst_buffer_add_video_meta (
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 16, 8);
  gst_buffer_unref (gst_harness_push_and_pull (t.h, buffer));
  fail_unless_equals_int (t.element->seen.stride[0], 16);
  gst_buffer_unref (gst_harness_push_and_pull (t.h, frame_of (1000, 0)));
  fail_unless_equals_uint64 (stat_count (t.h->element, "faulty"), 0);
}
GST_END_TEST;

/* Words at odd addresses, or in rows at odd ones, are read as they are, and
 * what is drawn is drawn there. */
static void
push_odd (GstVideoFormat format, gsize shift, gint more)
{
  g_auto (One) t = one_new ();
  GstVideoInfo info;
  gsize offset[GST_VIDEO_MAX_PLANES] = {0};
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  GstBuffer *buffer;
  guint8 byte;

  gst_video_info_set_format (&info, format, 8, 4);
  gst_harness_set_src_caps (t.h, gst_video_info_to_caps (&info));
  for (guint p = 0; p < info.finfo->n_planes; p++) {
    offset[p] = shift + 500 * p;
    stride[p] = info.stride[p] + more;
  }
  for (guint i = 0; i < 2; i++) { /* the second finds the memory of the first */
    buffer = frame_of (1000, i * 40 * GST_MSECOND);
    for (gint y = 0; y < 4; y++)
      gst_buffer_memset (buffer, shift + (gsize) (y * stride[0]), 20 + y, 16);
    gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
        8, 4, info.finfo->n_planes, offset, stride);
    buffer = gst_harness_push_and_pull (t.h, buffer);
    fail_unless (buffer != NULL);
    for (guint p = 0; p < info.finfo->n_planes; p++)
      fail_unless ((guintptr) t.element->seen.plane[p] % 2 == 0 &&
          t.element->seen.stride[p] % 2 == 0);
    for (gint y = 0; y < 4; y++) {
      gst_buffer_extract (buffer, shift + (gsize) (y * stride[0]), &byte, 1);
      fail_unless_equals_int (byte, 20 + y + !y);
    }
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_uint64 (stat_count (t.h->element, "faulty"), 0);
}

GST_START_TEST (test_odd)
{
  static const GstVideoFormat wide[] = {
      GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_P010_10LE};

  for (guint i = 0; i < G_N_ELEMENTS (wide); i++) {
    push_odd (wide[i], 0, 0);
    push_odd (wide[i], 1, 0);
    push_odd (wide[i], 0, 1);
    push_odd (wide[i], 1, 3);
  }
}
GST_END_TEST;

/* A pair of which one frame cannot be read passes without results. */
static void
push_bad_pair (gboolean right, Bad bad)
{
  g_auto (Two) t = two_new_grey (FALSE);
  GstMessage *message;
  GstVideoInfo info;
  GstBuffer *buffer;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_GRAY8, 8, 4);
  two_pair (&t, 0);
  buffer = bad_frame (&info, bad, 1);
  GST_BUFFER_PTS (buffer) = 40 * GST_MSECOND;
  two_push (right ? t.left : t.right, 40, 32, 1);
  fail_unless_equals_int (
      gst_harness_push (right ? t.right : t.left, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (t.left);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 40 * GST_MSECOND);
  fail_unless (
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT) == NULL);
  gst_buffer_unref (buffer);
  two_pair (&t, 80);
  message =
      gst_bus_timed_pop_filtered (t.bus, 10 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  expect_text (
      gst_message_ref (message), right ? "of sink_right, " : "of sink_left, ");
  expect_text (message, bad_says[bad]);
  expect_silence (t.bus);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 3);
  fail_unless_equals_uint64 (two_stat (&t, "faulty"), 1);
  fail_unless_equals_int (t.element->opened, 1);
}

GST_START_TEST (test_aggregator)
{
  push_bad_pair (FALSE, (Bad) __i__);
  push_bad_pair (TRUE, (Bad) __i__);
}
GST_END_TEST;

/* A view that cannot be copied out of its frame is black. */
GST_START_TEST (test_packed)
{
  g_auto (Two) t = two_new (FALSE,
      "video/x-raw,format=NV12,width=8,height=4,framerate=25/1,"
      "multiview-mode=side-by-side",
      NULL);
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  fail_unless_equals_int (two_push (t.left, 0, 48, 1), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (t.left));
  fail_unless_equals_int (two_push (t.left, 40, 47, 1), GST_FLOW_OK);
  buffer = gst_harness_pull (t.left);
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, 4, 4);
  fail_unless_equals_int (gst_buffer_get_size (buffer), info.size);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    fail_unless_equals_int (map.data[i], i < info.offset[1] ? 16 : 128);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  expect_soon (
      t.bus, GST_MESSAGE_WARNING, "of sink_left, its buffer holds 47 bytes");
  fail_unless_equals_uint64 (two_stat (&t, "faulty"), 1);
}
GST_END_TEST;

static void
push_segment (GstHarness *h, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

/* One error, and nothing goes on until a restart. */
GST_START_TEST (test_filter_segment)
{
  g_auto (One) t = one_new ();

  gst_harness_set_src_caps_str (t.h, CAPS ("GRAY8", 4, 4));
  fail_unless_equals_int (
      gst_harness_push (t.h, frame_of (16, 0)), GST_FLOW_OK);
  push_segment (t.h, GST_FORMAT_BYTES);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (
        gst_harness_push (t.h, frame_of (16, 0)), GST_FLOW_ERROR);
  expect_text (gst_bus_pop_filtered (t.bus, GST_MESSAGE_ERROR),
      "segment is in bytes, but frames need times");
  fail_unless (gst_bus_pop_filtered (
                   t.bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_state (t.h->element, GST_STATE_NULL);
  gst_element_set_state (t.h->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (t.h, CAPS ("GRAY8", 4, 4));
  push_segment (t.h, GST_FORMAT_TIME);
  fail_unless_equals_int (
      gst_harness_push (t.h, frame_of (16, 0)), GST_FLOW_OK);
}
GST_END_TEST;

/* A flush without a new segment is told as what it is. */
GST_START_TEST (test_filter_no_segment)
{
  g_auto (One) t = one_new ();

  gst_harness_set_src_caps_str (t.h, CAPS ("GRAY8", 4, 4));
  gst_harness_push (t.h, frame_of (16, 0));
  gst_harness_push_event (t.h, gst_event_new_flush_start ());
  gst_harness_push_event (t.h, gst_event_new_flush_stop (FALSE));
  _gst_check_expecting_log = TRUE; /* the pad warns of it, too */
  fail_unless_equals_int (
      gst_harness_push (t.h, frame_of (16, 0)), GST_FLOW_ERROR);
  expect_once (t.bus, GST_MESSAGE_ERROR, "again after each flush");
}
GST_END_TEST;

GST_START_TEST (test_aggregator_segment)
{
  for (gint right = 0; right < 2; right++) {
    g_auto (Two) t = two_new_grey (FALSE);

    push_segment (right ? t.right : t.left, GST_FORMAT_BYTES);
    two_push (t.left, 0, 32, 1);
    two_push (t.right, 0, 32, 1);
    expect_soon (
        t.bus, GST_MESSAGE_ERROR, "segment is in bytes, but frames need times");
    while (two_push (t.left, 40, 32, 1) == GST_FLOW_OK)
      ; /* until the streaming thread is done */
    fail_unless_equals_int (two_push (t.left, 40, 32, 1), GST_FLOW_ERROR);
    expect_silence (t.bus);
  }
}
GST_END_TEST;

SUITE (badframes, LOOP (test_filter, N_BAD), TEST (test_sentence),
    TEST (test_larger), TEST (test_odd), LOOP (test_aggregator, N_BAD),
    TEST (test_packed), TEST (test_filter_segment),
    TEST (test_filter_no_segment), TEST (test_aggregator_segment));
