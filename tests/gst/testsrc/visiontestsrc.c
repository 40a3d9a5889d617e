/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visiontestsrc. */
#include "suite.h"
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>

#include "meta/gstvisionmeta.h"

#define FAST "distractors=0 noise=0 "
#define SMALL ",width=160,height=120"

/* A source with properties and, as far as they go, caps. */
static GstHarness *
source (const gchar *properties, const gchar *caps)
{
  g_autofree gchar *line = g_strdup_printf ("visiontestsrc name=src " FAST
                                            "%s ! capsfilter caps=\"%s\"",
      properties, caps);
  GstHarness *h = gst_harness_new_parse (line);

  return h;
}

static GstHarness *
play (const gchar *properties, const gchar *caps)
{
  GstHarness *h = source (properties, caps);

  /* an endless source waits until its frame is pulled */
  if (!strstr (properties, "num-buffers"))
    gst_harness_set_blocking_push_mode (h);
  gst_harness_play (h);
  return h;
}

static GstBuffer *
pull (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_pull (h);

  fail_unless (buffer != NULL, "no buffer came");
  return buffer;
}

static void
expect_eos (GstHarness *h)
{
  GstEvent *event;
  gboolean eos = FALSE;

  while (!eos && (event = gst_harness_pull_event (h))) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos, "no end of stream");
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
}

static gchar *
checksum (GstBuffer *buffer)
{
  GstMapInfo map;
  gchar *sum;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static void
check_same (GstBuffer *a, GstBuffer *b, gboolean same)
{
  g_autofree gchar *p = checksum (a), *q = checksum (b);

  fail_unless (g_str_equal (p, q) == same);
}

GST_START_TEST (test_defaults)
{
  g_autoptr (Harness) h = play ("num-buffers=1", "video/x-raw");
  g_autoptr (GstBuffer) buffer = pull (h);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (info.width == 640 && info.height == 480);
  fail_unless (info.fps_n == 30 && info.fps_d == 1);
  fail_unless (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_RGBA);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 640 * 480 * 4);
}
GST_END_TEST;

/* A source with @properties that is asked for @caps ends with an error. */
static void
expect_refusal (const gchar *properties, const gchar *caps)
{
  g_autofree gchar *line =
      g_strdup_printf ("visiontestsrc %s ! %s ! fakesink", properties, caps);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_ASYNC_DONE);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR,
      "%s takes %s", properties, caps);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_START_TEST (test_refuses_caps)
{
  static const gchar *bad[] = {"video/x-raw,format=AYUV",
      "video/x-raw,width=16385", "video/x-raw,height=100000", "audio/x-raw"};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect_refusal ("", bad[i]);
}
GST_END_TEST;

GST_START_TEST (test_times)
{
  g_autoptr (Harness) h =
      play ("num-buffers=70", "video/x-raw,framerate=30000/1001" SMALL);

  for (guint64 i = 0; i < 70; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    GstClockTime now = gst_util_uint64_scale (i, 1001 * GST_SECOND, 30000);
    GstClockTime next = gst_util_uint64_scale (i + 1, 1001 * GST_SECOND, 30000);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), now);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), next - now);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
  }
  expect_eos (h);
}
GST_END_TEST;

GST_START_TEST (test_still)
{
  g_autoptr (Harness) h = play ("", "video/x-raw,framerate=0/1" SMALL);
  g_autoptr (GstBuffer) buffer = pull (h);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  fail_unless (!GST_BUFFER_DURATION_IS_VALID (buffer));
  expect_eos (h);
}
GST_END_TEST;

/* The same properties show the same frames, another seed others. */
GST_START_TEST (test_seed)
{
  g_autoptr (Harness) a =
      play ("num-buffers=2 seed=7 noise=3", "video/x-raw" SMALL);
  g_autoptr (Harness) b =
      play ("num-buffers=2 seed=7 noise=3", "video/x-raw" SMALL);
  g_autoptr (Harness) c =
      play ("num-buffers=2 seed=8 noise=3", "video/x-raw" SMALL);

  for (int i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) p = pull (a), q = pull (b), r = pull (c);

    check_same (p, q, TRUE);
    check_same (p, r, FALSE);
  }
}
GST_END_TEST;

/* A live source that is set to play when the clock shows @ms. */
static GstHarness *
source_live (guint ms)
{
  GstHarness *h = source ("is-live=true", "video/x-raw,framerate=10/1" SMALL);

  gst_harness_use_testclock (h);
  gst_harness_set_time (h, ms * GST_MSECOND);
  gst_harness_play (h);
  return h;
}

static GstBuffer *
pull_at (GstHarness *h, guint ms)
{
  GstBuffer *buffer = pull (h);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), ms * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), ms / 100);
  fail_unless (gst_harness_try_pull (h) == NULL);
  return buffer;
}

/* Live, the first frame comes at once and each other when the clock says so and
 * not before. Whenever a source begins, frames of one time are one frame. */
GST_START_TEST (test_live)
{
  g_autoptr (Harness) early = source_live (0), late = source_live (250);
  GstBuffer *buffer = pull_at (early, 0);

  gst_buffer_unref (buffer);
  for (guint ms = 100; ms <= 300; ms += 100) {
    fail_unless (gst_harness_crank_single_clock_wait (early));
    buffer = pull_at (early, ms);
    if (ms == 300) {
      g_autoptr (GstBuffer) same = pull_at (late, ms);

      check_same (buffer, same, TRUE);
    }
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_crank_single_clock_wait (late));
  gst_buffer_unref (pull_at (late, 400));
  fail_unless_equals_uint64 (
      gst_harness_query_latency (late), 100 * GST_MSECOND);
}
GST_END_TEST;

/* ---- Every format shows the same picture ---- */

#define STILL "num-buffers=1 occlusion=false"

/* A frame of @from, converted by GStreamer to the format of @to. */
static GstBuffer *
converted (GstBuffer *buffer, GstCaps *from, GstCaps *to)
{
  g_autoptr (GstSample) in = gst_sample_new (buffer, from, NULL, NULL);
  g_autoptr (GstSample) out =
      gst_video_convert_sample (in, to, 10 * GST_SECOND, NULL);

  fail_unless (out != NULL);
  return gst_buffer_ref (gst_sample_get_buffer (out));
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
  g_autoptr (GstVisionObjects) truth =
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
}

/* What comes in @format looks, when GStreamer converts it, as RGBA does (or,
 * for grey, the other way round). */
static void
check_format (const gchar *format, const gchar *more)
{
  g_autofree gchar *text =
      g_strdup_printf ("video/x-raw,format=%s%s", format, more);
  g_autoptr (Harness) h = play (STILL, text);
  g_autoptr (Harness) r = play (STILL, "video/x-raw,format=RGBA" SMALL);
  g_autoptr (GstBuffer) frame = pull (h), reference = pull (r), other;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  g_autoptr (GstCaps) rgba = gst_pad_get_current_caps (r->sinkpad);

  if (g_str_equal (format, "GRAY8")) {
    other = converted (reference, rgba, caps);
    check_alike (frame, other, caps, text);
  } else {
    other = converted (frame, caps, rgba);
    check_alike (reference, other, rgba, text);
  }
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

/* ---- Seeks, and caps that change ---- */

#define SHOWN 40
#define RATE ",framerate=30000/1001"

static GstElement *
pipeline_new (void)
{
  GstElement *pipeline = gst_parse_launch (
      "visiontestsrc " FAST " ! video/x-raw" RATE SMALL " ! fakesink name=sink",
      NULL);

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND) ==
      GST_STATE_CHANGE_SUCCESS);
  return pipeline;
}

static void
pipeline_free (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The frame that a paused pipeline shows after a seek to @time. */
static GstBuffer *
shown_at (GstElement *pipeline, GstClockTime time)
{
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstSample) sample = NULL;

  fail_unless (gst_element_seek_simple (
      pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, time));
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND) ==
      GST_STATE_CHANGE_SUCCESS);
  g_object_get (sink, "last-sample", &sample, NULL);
  fail_unless (sample != NULL);
  return gst_buffer_ref (gst_sample_get_buffer (sample));
}

GST_START_TEST (test_seeks)
{
  static const guint to[] = {0, 1, 39, 7, 7, 38, 20};
  g_autoptr (Harness) h =
      play ("num-buffers=" G_STRINGIFY (SHOWN), "video/x-raw" RATE SMALL);
  GstElement *pipeline = pipeline_new ();
  GstBuffer *played[SHOWN], *sought;

  for (guint i = 0; i < SHOWN; i++)
    played[i] = pull (h);
  for (guint i = 0; i < G_N_ELEMENTS (to); i++) {
    GstBuffer *there = played[to[i]];
    /* where it begins, and anywhere before the next one does */
    GstClockTime time = GST_BUFFER_PTS (there) + i % 3 * 16600000;

    sought = shown_at (pipeline, time);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (sought), GST_BUFFER_PTS (there));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (sought), to[i]);
    check_same (sought, there, TRUE);
    gst_buffer_unref (sought);
  }
  for (guint i = 0; i < SHOWN; i++)
    gst_buffer_unref (played[i]);
  pipeline_free (pipeline);
}
GST_END_TEST;

static void
note_number (GstElement *sink, GstBuffer *buffer, GstPad *pad, GArray *numbers)
{
  guint64 number = GST_BUFFER_OFFSET (buffer);

  (void) sink, (void) pad;
  g_array_append_val (numbers, number);
}

/* From the end to the start, each frame once. */
GST_START_TEST (test_reverse)
{
  GstElement *pipeline = pipeline_new ();
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  fail_unless (gst_element_seek (pipeline, -1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
      gst_util_uint64_scale (10, 1001 * GST_SECOND, 30000)));
  g_signal_connect (sink, "handoff", G_CALLBACK (note_number), numbers);
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (numbers->len, 10);
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_uint64 (g_array_index (numbers, guint64, i), 9 - i);
  pipeline_free (pipeline);
}
GST_END_TEST;

typedef struct {
  GstElement *filter;
  GArray *times;
} Backwards;

/* Asks for a higher rate in mid-stream. */
static void
note_time (GstElement *sink, GstBuffer *buffer, GstPad *pad, Backwards *seen)
{
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("video/x-raw,framerate=50/1" SMALL);
  GstClockTime time = GST_BUFFER_PTS (buffer);

  (void) sink, (void) pad;
  g_array_append_val (seen->times, time);
  if (seen->times->len == 3)
    g_object_set (seen->filter, "caps", caps, NULL);
}

/* Backwards to the start, though another rate comes in mid-stream. */
GST_START_TEST (test_reverse_caps_change)
{
  GstElement *pipeline =
      gst_parse_launch ("visiontestsrc " FAST " ! capsfilter name=filter "
                        "caps=video/x-raw,framerate=10/1" SMALL
                        " ! fakesink name=sink signal-handoffs=true",
          NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  Backwards seen = {filter, times};

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND);
  fail_unless (
      gst_element_seek (pipeline, -1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
          GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, GST_SECOND));
  g_signal_connect (sink, "handoff", G_CALLBACK (note_time), &seen);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless (times->len > 20, "the rate does not change");
  for (guint i = 1; i < times->len; i++)
    fail_unless (g_array_index (times, GstClockTime, i) <
        g_array_index (times, GstClockTime, i - 1));
  fail_unless_equals_uint64 (
      g_array_index (times, GstClockTime, times->len - 1), 0);
  pipeline_free (pipeline);
}
GST_END_TEST;

/* Backwards from an end that is not there: refused before anything is flushed,
 * since a flush would take the segment from the frames that follow. */
GST_START_TEST (test_reverse_without_end)
{
  static const struct {
    GstSeekType type;
    gint64 stop;
  } ends[] = {{GST_SEEK_TYPE_NONE, -1}, {GST_SEEK_TYPE_SET, -1},
      {GST_SEEK_TYPE_END, 0}};
  GstElement *pipeline = pipeline_new ();
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND);
  for (guint i = 0; i < 20 * G_N_ELEMENTS (ends); i++) {
    g_autoptr (GstEvent) segment = NULL;

    fail_unless (
        !gst_element_seek (pipeline, -1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
            GST_SEEK_TYPE_SET, 0, ends[i % G_N_ELEMENTS (ends)].type,
            ends[i % G_N_ELEMENTS (ends)].stop));
    segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
    fail_unless (segment != NULL);
  }
  gst_buffer_unref (shown_at (pipeline, 0));
  pipeline_free (pipeline);
}
GST_END_TEST;

/* Another size and rate in mid-stream: numbers and times go on. */
GST_START_TEST (test_caps_change)
{
  g_autoptr (Harness) h =
      play ("", "video/x-raw,format=NV12,framerate=10/1" SMALL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=RGB,width=33,height=21,framerate=50/1");
  GstClockTime end = 0;
  guint changed = 0;

  for (guint i = 0; changed < 5; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstVisionObjects) truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless (i < 20, "the caps do not change");
    changed += truth->ref_width == 33;
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), changed ? 21 * 100 : 160 * 120 * 3 / 2);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), end);
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (buffer), GST_SECOND / (changed ? 50 : 10));
    end += GST_BUFFER_DURATION (buffer);
    if (i == 3)
      gst_harness_set (h, "capsfilter", "caps", caps, NULL);
  }
}
GST_END_TEST;

/* ---- What it attaches, and its properties ---- */

static GstVisionObjects *
truth_of (GstBuffer *buffer, guint n)
{
  GstVisionObjects *truth =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

  fail_unless (truth != NULL);
  fail_unless_equals_int (truth->n_objects, n);
  fail_unless (!gst_buffer_get_vision_objects (buffer, 0));
  return truth;
}

GST_START_TEST (test_truth)
{
  static const gchar *names[] = {"red", "orange", "yellow", "green", "cyan"};
  g_autoptr (Harness) h = play ("num-buffers=2 n-objects=5 occlusion=false",
      "video/x-raw,framerate=25/1,width=320,height=240");
  g_autoptr (GstBuffer) now = pull (h), later = pull (h);
  g_autoptr (GstVisionObjects) truth = truth_of (now, 5),
                               next = truth_of (later, 5);

  fail_unless (truth->ref_width == 320 && truth->ref_height == 240);
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (now, GST_VISION_ORIGIN_TRUTH), 0);
  for (guint i = 0; i < 5; i++) {
    const GstVisionObject *o = &truth->objects[i], *then = &next->objects[i];

    fail_unless_equals_uint64 (o->id, i + 1);
    fail_unless_equals_string (o->label, names[i]);
    fail_unless_equals_string (o->element, "visiontestsrc");
    fail_unless_equals_string (o->source, "src");
    fail_unless (o->state == GST_VISION_STATE_TRACKING);
    fail_unless (o->score == 1 && o->area > 200);
    fail_unless (o->x >= 0 && o->x + o->width <= 320 && o->y >= 0 &&
        o->y + o->height <= 240 && o->area <= o->width * o->height);
    fail_unless (o->cx > o->x && o->cx < o->x + o->width);
    fail_unless (o->elongation >= 1 && fabs (o->orientation) <= G_PI / 2);
    /* pixels a second */
    fail_unless (fabs (then->cx - o->cx - o->vx / 25) < .5);
    fail_unless (fabs (then->cy - o->cy - o->vy / 25) < .5);
  }
}
GST_END_TEST;

/* The map counted again gives the objects. */
static void
check_labels (GstBuffer *buffer, const GstVisionObjects *truth)
{
  GstVisionMap labels;
  GstMapInfo map;

  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_TRUTH, "labels", &labels));
  fail_unless (labels.width == truth->ref_width && labels.stride == 2 * 161);
  fail_unless (labels.invalid == 0 && labels.scale == 1 && labels.offset == 0);
  fail_unless_equals_string (labels.format, "u16");
  fail_unless (gst_buffer_map (labels.pixels, &map, GST_MAP_READ));
  for (guint i = 0; i < truth->n_objects; i++) {
    const GstVisionObject *o = &truth->objects[i];
    guint64 area = 0, sum = 0;

    for (guint at = 0; at < 161 * 99; at++)
      if (((guint16 *) map.data)[at] == o->id)
        area++, sum += at % 161;
    fail_unless_equals_uint64 (o->area, area);
    fail_unless (area ? fabs (o->cx - (gdouble) sum / area) < 1e-6
                      : isnan (o->cx) && o->score == 0);
  }
  gst_buffer_unmap (labels.pixels, &map);
}

GST_START_TEST (test_label_map)
{
  g_autoptr (Harness) h =
      play ("num-buffers=8 n-objects=12 label-map=true speed=8",
          "video/x-raw,width=161,height=99");

  for (int i = 0; i < 8; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstVisionObjects) truth = truth_of (buffer, 12);

    check_labels (buffer, truth);
  }
}
GST_END_TEST;

/* Hidden objects stay in the truth, as occluded, with nothing to see. */
GST_START_TEST (test_occlusion)
{
  g_autoptr (Harness) h = play ("num-buffers=400", "video/x-raw" SMALL);
  guint hidden = 0, part = 0;

  for (int i = 0; i < 400; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstVisionObjects) truth = truth_of (buffer, 8);

    for (guint k = 0; k < 8; k++) {
      const GstVisionObject *o = &truth->objects[k];

      fail_unless ((o->area == 0) == (o->state == GST_VISION_STATE_OCCLUDED));
      fail_unless ((o->area == 0) == isnan (o->x));
      fail_unless ((o->area == 0) == (o->score == 0));
      hidden += o->area == 0;
      part += o->score > 0 && o->score < 1;
    }
  }
  fail_unless (hidden > 10 && part > 100);
}
GST_END_TEST;

GST_START_TEST (test_properties_while_playing)
{
  g_autoptr (Harness) h = play ("", "video/x-raw" SMALL);
  g_autoptr (GstElement) src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 60; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstVisionObjects) truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    if (i > 2)
      fail_unless (truth->n_objects == 1 + 40 * (i - 1) % 1024 ||
              truth->n_objects == 1 + 40 * (i - 2) % 1024 ||
              truth->n_objects == 1 + 40 * (i - 3) % 1024,
          "%u objects in frame %u", truth->n_objects, i);
    g_object_set (src, "n-objects", 1 + 40 * i % 1024, "noise", i % 9 * 1.,
        "shadows", i % 5 * .1, "texture", i % 3 * .5, "seed", (guint64) i / 4,
        "speed", i % 7 * 1., "occlusion", i % 2, "twins", i * 4, "distractors",
        256 - i * 4, "label-map", i % 2, NULL);
  }
}
GST_END_TEST;

GST_START_TEST (test_palette)
{
  g_autoptr (GstElement) src = gst_element_factory_make ("visiontestsrc", NULL);

  for (int n = 1; n <= 1024; n = n == 1024 ? 1025 : MIN (5 * n, 1024)) {
    gchar *palette, **entries;

    g_object_set (src, "n-objects", n, NULL);
    g_object_get (src, "palette", &palette, NULL);
    entries = g_strsplit (palette, ";", -1);
    fail_unless_equals_int (g_strv_length (entries), n);
    for (int i = 0; i < n; i++)
      fail_unless (
          g_regex_match_simple (
              "^[a-z0-9]+:#[0-9a-f]{6}~[0-9]+\\.[0-9]$", entries[i], 0, 0),
          "entry %s", entries[i]);
    if (n <= 12)
      fail_unless (g_str_has_prefix (entries[0], "red:#"));
    g_strfreev (entries);
    g_free (palette);
  }
}
GST_END_TEST;

/* ---- pattern=rgbd ---- */

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
    g_autoptr (Harness) h = play (RGBD "num-buffers=1", sizes[i].caps);
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
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
    g_autoptr (GstElement) src =
        gst_element_factory_make ("visiontestsrc", NULL);
    g_autoptr (GstPad) pad = gst_element_get_static_pad (src, "src");
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
  }
}
GST_END_TEST;

/* The robot in the truth is what the label map shows, and where its pose
 * says. */
static void
check_robot (GstBuffer *buffer)
{
  g_autoptr (GstVisionObjects) truth = truth_of (buffer, 1);
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
    g_autofree gchar *text = g_strdup_printf (
        RGBD "num-buffers=40 motion-start=3 label-map=true path=%s", paths[i]);
    g_autoptr (Harness) h = play (text, "video/x-raw" SMALL);

    for (guint frame = 0; frame < 40; frame++) {
      g_autoptr (GstBuffer) buffer = pull (h);
      guint outliers = outliers_of (buffer);

      check_robot (buffer);
      fail_unless (frame > 3 || !outliers);
      fail_unless (frame < 39 || outliers > 300, "%s: %u", paths[i], outliers);
    }
  }
}
GST_END_TEST;

GST_START_TEST (test_rgbd_maps)
{
  g_autoptr (Harness) h =
      play (RGBD "num-buffers=1 correspondence-map=false", "video/x-raw" SMALL);
  g_autoptr (GstBuffer) buffer = pull (h);

  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT), 0);
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH), 0);
}
GST_END_TEST;

/* All objects that move are reported in the order of the labels, with its pose,
 * and the lens with the camera. */
GST_START_TEST (test_rgbd_several)
{
  static const struct {
    const gchar *path;
    const gchar *labels[4];
    guint n;
  } cases[] = {{"pass", {"robot", "robot-2", "robot-3", "robot-4"}, 4},
      {"axes", {"portal", "carriage", "quill"}, 3}};

  for (guint i = 0; i < 2; i++) {
    g_autofree gchar *text = g_strdup_printf (RGBD
        "num-buffers=1 robots=4 camera=orbit distortion=0.5 path=%s",
        cases[i].path);
    g_autoptr (Harness) h = play (text, "video/x-raw" SMALL);
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstVisionObjects) truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);
    GstVisionCamera camera;

    fail_unless_equals_int (truth->n_objects, cases[i].n);
    for (guint k = 0; k < truth->n_objects; k++) {
      const GstVisionObject *o = &truth->objects[k];

      fail_unless_equals_string (o->label, cases[i].labels[k]);
      fail_unless_equals_uint64 (o->id, k + 1);
      fail_unless (o->pose.n == 7 && o->extent.n == 3);
      fail_unless (o->depth == o->pose.values[2] && o->depth > 1);
    }
    for (GstVisionOrigin k = GST_VISION_ORIGIN_RESULT;
         k <= GST_VISION_ORIGIN_TRUTH; k++) {
      fail_unless (gst_buffer_get_vision_camera (buffer, k, &camera));
      fail_unless (fabs (camera.distortion[0] - .0452737) < 1e-9 &&
          fabs (camera.distortion[4] - .0475431) < 1e-9);
    }
  }
}
GST_END_TEST;

/* The robot starts at motion-start; until then, its value does not matter. */
GST_START_TEST (test_rgbd_start)
{
  g_autoptr (Harness) a =
      play (RGBD "num-buffers=9 motion-start=5", "video/x-raw" SMALL);
  g_autoptr (Harness) b = play (RGBD "num-buffers=9", "video/x-raw" SMALL);

  for (guint i = 0; i < 9; i++) {
    g_autoptr (GstBuffer) p = pull (a), q = pull (b);

    if (i <= 5 || i == 8)
      check_same (p, q, i <= 5);
  }
}
GST_END_TEST;

GST_START_TEST (test_rgbd_properties)
{
  g_autoptr (Harness) h = play (RGBD, "video/x-raw" SMALL);
  g_autoptr (GstElement) src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 40; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);

    fail_unless_equals_int (gst_buffer_get_size (buffer), 160 * 120 * 2);
    g_object_set (src, "path", i % 9, "camera", i % 5, "robots", 1 + i % 4,
        "distortion", i % 3 / 2., "depth-spacing", 1. + i % 4, "motion-start",
        (guint64) i % 9, "noise", i % 5 * 16., "speed", i % 9 * 1., "seed",
        (guint64) i / 3, "label-map", i % 2, "correspondence-map", i % 3 == 0,
        NULL);
  }
}
GST_END_TEST;

/* ---- pattern=stereo ---- */

#define STEREO "pattern=stereo "

static GstVideoInfo
info_of (GstHarness *h)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
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
    g_autofree gchar *text =
        g_strdup_printf (STEREO "num-buffers=1 view=%s", sizes[i].view);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw%s", sizes[i].caps);
    g_autoptr (Harness) h = play (text, caps);
    g_autoptr (GstBuffer) buffer = pull (h);
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
    g_autofree gchar *properties =
        g_strdup_printf ("pattern=stereo view=%s", bad[i].view);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,%s", bad[i].caps);

    expect_refusal (properties, caps);
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
    g_autofree gchar *text = g_strdup_printf (STEREO
        "num-buffers=3 view=%s label-map=true disparity-offset=2 baseline=.06",
        views[v]);
    g_autoptr (Harness) h = play (text, "video/x-raw" SMALL);

    for (guint frame = 0; frame < 3; frame++) {
      g_autoptr (GstBuffer) buffer = pull (h);
      g_autoptr (GstVisionObjects) truth =
          truth_of (buffer, G_N_ELEMENTS (names));

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
    }
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
  g_autoptr (Harness) right = play (SAME "right", GREY SMALL);
  g_autoptr (Harness) beside =
      play (SAME "side-by-side", GREY ",width=320,height=120");
  g_autoptr (Harness) above =
      play (SAME "top-bottom", GREY ",width=160,height=240");

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) l = pull (left), r = pull (right), b = pull (beside);
    g_autoptr (GstBuffer) a = pull (above);
    g_autoptr (GstVisionObjects) truth = truth_of (b, 6),
                                 same = truth_of (l, 6);
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
  }
  gst_harness_teardown (left);
}
GST_END_TEST;

GST_START_TEST (test_stereo_seeks)
{
  g_autoptr (Harness) h =
      play (STEREO "num-buffers=9", "video/x-raw" RATE SMALL);
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
    g_autoptr (GstBuffer) sought =
        shown_at (pipeline, GST_BUFFER_PTS (played[8 - i]));

    check_same (sought, played[8 - i], TRUE);
  }
  for (guint i = 0; i < 9; i++)
    gst_buffer_unref (played[i]);
  pipeline_free (pipeline);
}
GST_END_TEST;

GST_START_TEST (test_stereo_properties)
{
  g_autoptr (Harness) h = play (STEREO, "video/x-raw" SMALL);
  g_autoptr (GstElement) src = gst_harness_find_element (h, "visiontestsrc");
  guint with = 0;

  for (guint i = 0; i < 40; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    guint maps = gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless_equals_int (maps % 3, 0);
    with += maps > 0;
    g_object_set (src, "contents", i % 4, "baseline", .01 * (1 + i % 9), "gain",
        .5 + i % 3, "gamma", 1 + i % 2 * .6, "misalignment", i % 5 - 2.,
        "disparity-offset", i % 7 * -9., "noise", i % 5 * 2., "speed",
        i % 9 * 1., "seed", (guint64) i / 3, "truth-maps", i % 2, NULL);
  }
  fail_unless (with > 10 && with < 30);
}
GST_END_TEST;

/* ---- pattern=clutter ---- */

#define CLUTTER "pattern=clutter n-objects=4 "

static void
check_clutter_camera (GstBuffer *buffer, GstVisionCamera *camera)
{
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, camera));
  fail_unless (camera->ref_width == 160 && camera->ref_height == 120);
  fail_unless (camera->fx == 585 / 4. && camera->cy == 119 / 2.);
  fail_unless (camera->has_pose && camera->pose[2] > .4); /* over the table */
}

/* Two sources that differ in view alone are of one scene; a new one comes when
 * its time has come. */
GST_START_TEST (test_clutter_pair)
{
#define VIEW CLUTTER "num-buffers=4 scene-frames=2 label-map=true view="
  GstHarness *color = play (VIEW "color", "video/x-raw,format=RGB" SMALL);
  g_autoptr (Harness) depth = play (VIEW "depth", "video/x-raw" SMALL);
  gdouble last = 0, now;
  gchar labels[16] = "";
  guint changes = 0;

  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) c = pull (color), d = pull (depth);
    g_autoptr (GstVisionObjects) a = truth_of (c, 4), b = truth_of (d, 4);
    GstVisionCamera camera[2];

    fail_unless_equals_int (gst_buffer_get_size (c), 160 * 120 * 3);
    fail_unless_equals_int (gst_buffer_get_size (d), 160 * 120 * 2);
    check_clutter_camera (c, &camera[0]);
    check_clutter_camera (d, &camera[1]);
    fail_unless (!memcmp (camera[0].pose, camera[1].pose, sizeof last * 7));
    for (guint k = 0; k < 4; k++) {
      const GstVisionObject *o = &a->objects[k], *p = &b->objects[k];

      fail_unless (o->pose.n == 7 && o->extent.n == 3 && p->pose.n == 7);
      fail_unless (!memcmp (o->pose.values, p->pose.values, sizeof last * 7));
      fail_unless (o->depth > .5 && o->depth < 1.2);
      fail_unless (o->score > 0 && o->score <= 1 && o->score == p->score);
      fail_unless_equals_string (o->label, p->label);
    }
    /* the table stays as it is for two frames: so do ways between things */
    now = fabs (a->objects[0].depth - a->objects[1].depth);
    fail_unless (i % 2 == 0 || fabs (now - last) < .01);
    changes += i == 2 && !g_str_equal (labels, a->objects[0].label);
    g_strlcpy (labels, a->objects[0].label, sizeof labels);
    last = now;
  }
  fail_unless_equals_int (changes, 1);
  gst_harness_teardown (color);
}
GST_END_TEST;

GST_START_TEST (test_clutter_refuses)
{
  expect_refusal ("pattern=clutter view=depth", "video/x-raw,format=RGB");
  expect_refusal ("pattern=clutter view=color", "video/x-raw,format=GRAY16_LE");
  expect_refusal ("pattern=clutter meshes=/nowhere.ply", "video/x-raw");
  expect_refusal ("pattern=clutter meshes=mug,jug", "video/x-raw");
}
GST_END_TEST;

GST_START_TEST (test_clutter_names)
{
  g_autoptr (Harness) h =
      play (CLUTTER "num-buffers=1 meshes=mug;tee depth-bias=.005",
          "video/x-raw" SMALL);
  g_autoptr (GstBuffer) buffer = pull (h);
  g_autoptr (GstVisionObjects) truth = truth_of (buffer, 4);
  guint mugs = 0;

  for (guint i = 0; i < 4; i++)
    mugs += g_str_equal (truth->objects[i].label, "mug");
  fail_unless_equals_int (mugs, 2);
}
GST_END_TEST;

/* ---- pattern=multispectral ---- */

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
      {"channel-layout=color", "video/x-raw,format=NV12,width=35,height=21", 35,
          21, 0, NULL, NULL}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree gchar *text =
        g_strdup_printf (SPECTRAL "num-buffers=1 %s", sizes[i].properties);
    g_autoptr (Harness) h = play (text, sizes[i].caps);
    g_autoptr (GstBuffer) buffer = pull (h);
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);
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
    g_autofree gchar *properties =
        g_strdup_printf ("pattern=multispectral %s", bad[i].properties);
    g_autofree gchar *caps = g_strdup_printf ("video/x-raw,%s", bad[i].caps);

    expect_refusal (properties, caps);
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
    g_autofree gchar *text = g_strdup_printf (SPECTRAL
        "num-buffers=1 n-objects=3 occlusion=false label-map=true %s",
        shown[i].properties);
    g_autoptr (Harness) h = play (text, shown[i].caps);
    g_autoptr (GstBuffer) buffer = pull (h);
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
    g_autofree gchar *text = g_strdup_printf (
        SPECTRAL "num-buffers=3 drift=0 channel-layout=%s", layouts[i]);
    g_autoptr (Harness) h = play (text, caps[i]);
    g_autoptr (GstBuffer) first = pull (h);

    for (guint k = 0; k < 2; k++) {
      g_autoptr (GstBuffer) buffer = pull (h);

      check_same (first, buffer, i == 0);
    }
  }
}
GST_END_TEST;

/* Those that may change, do; those of the layout wait for other caps. */
GST_START_TEST (test_multispectral_properties)
{
  g_autoptr (Harness) h = play (SPECTRAL, "video/x-raw,width=32,height=264");
  g_autoptr (GstElement) src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 40; i++) {
    g_autoptr (GstBuffer) buffer = pull (h);
    GstVisionObjects *truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless (truth && truth->ref_height == 24);
    gst_vision_objects_free (truth);
    g_object_set (src, "contrast", i % 3 / 2., "drift", i % 6 / 10.,
        "n-objects", 1 + i % 9, "distractors", i % 5, "noise", i % 7 * 1.,
        "seed", (guint64) i / 3, "texture", i % 2 * 1., "occlusion", i % 2,
        "channels", 2 + i % 15, "mosaic-side", 2 + i % 3, "channel-layout",
        i % 2, NULL);
  }
}
GST_END_TEST;

SUITE (visiontestsrc, TEST (test_formats), TEST (test_defaults),
    TEST (test_refuses_caps), TEST (test_times), TEST (test_still),
    TEST (test_seed), TEST (test_live), TEST (test_seeks), TEST (test_reverse),
    TEST (test_reverse_caps_change), TEST (test_reverse_without_end),
    TEST (test_caps_change), TEST (test_truth), TEST (test_label_map),
    TEST (test_occlusion), TEST (test_properties_while_playing),
    TEST (test_palette), TEST (test_rgbd_caps), TEST (test_rgbd_refuses_caps),
    TEST (test_rgbd_truth), TEST (test_rgbd_maps), TEST (test_rgbd_several),
    TEST (test_rgbd_start), TEST (test_rgbd_properties),
    TEST (test_stereo_caps), TEST (test_stereo_refuses_caps),
    TEST (test_stereo_truth), TEST (test_stereo_views),
    TEST (test_stereo_seeks), TEST (test_stereo_properties),
    TEST (test_clutter_pair), TEST (test_clutter_refuses),
    TEST (test_clutter_names), TEST (test_multispectral_caps),
    TEST (test_multispectral_refuses_caps), TEST (test_multispectral_truth),
    TEST (test_multispectral_hidden), TEST (test_multispectral_properties));
