/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator, the parent of elements with two inputs: which frames it
 * pairs, caps, and the output. */
#include "suite.h"

#include "failing.h"
#include "twoinputs.h"

/* ---- Which frames it pairs, and what it says of those that it does not ----
 */

GST_START_TEST (test_pairs)
{
  g_auto (Two) t = two_new_grey (FALSE);
  /* left and right, milliseconds: exact, then with jitter up to max-skew */
  static const guint times[][2] = {
      {0, 0}, {40, 40}, {80, 89}, {120, 111}, {160, 170}};

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    gboolean same = i % 2;

    fail_unless_equals_int (two_push (t.left, times[i][0], N, 7), GST_FLOW_OK);
    fail_unless_equals_int (
        two_push (t.right, times[i][1], N, same ? 7 : 8), GST_FLOW_OK);
    two_expect (&t, times[i][0], same ? N : 0);
  }
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 5);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 0);
  fail_unless (two_stat (&t, "kernel-time") > 0);
  fail_unless (two_stat (&t, "kernel-time") <= two_stat (&t, "latency-max"));
  fail_unless_equals_int (t.element->opened, 1);
  expect_silence (t.bus);
}
GST_END_TEST;

/* One frame of the right is missing, later one of the left. */
GST_START_TEST (test_missing)
{
  g_auto (Two) t = two_new_grey (FALSE);

  two_push (t.left, 0, N, 1);
  two_push (t.right, 40, N, 1);
  two_push (t.left, 40, N, 1);
  two_expect (&t, 40, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  two_push (t.right, 80, N, 1);
  two_pair (&t, 120);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 2);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  expect_silence (t.bus);
}
GST_END_TEST;

/* Both always 15 ms apart, and that is too much: dropped, counted, warned of as
 * soon as that is sure and once, with the figure; a greater max-skew helps. */
GST_START_TEST (test_skew)
{
  g_auto (Two) t = two_new_grey (FALSE);
  guint i;

  g_object_set (t.element, "max-skew", (gint64) 10 * GST_MSECOND, NULL);
  for (i = 0; i < 20; i++) {
    two_push (t.left, 40 * i, N, 1);
    if (i == 2)
      expect_soon (t.bus, GST_MESSAGE_WARNING,
          "4 frames in a row had no partner and were dropped: the nearest "
          "frames are -15.000 ms apart");
    two_push (t.right, 40 * i + 15, N, 1);
  }
  while (two_stat (&t, "dropped") < 39) /* the last of the right still waits */
    g_usleep (1000);
  g_object_set (t.element, "max-skew", (gint64) 15 * GST_MSECOND, NULL);
  two_push (t.left, 40 * i, N, 1);
  two_push (t.right, 40 * i + 15, N, 1);
  two_expect (&t, 40 * i, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 40);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 1);
  expect_silence (t.bus);
}
GST_END_TEST;

/* As set by default, whenever the second input begins, each frame has a partner
 * that is near; for pairs that are far apart there is a warning. */
GST_START_TEST (test_nearest)
{
  for (guint offset = 0; offset <= 40; offset += 5) {
    g_auto (Two) t = two_new_grey (FALSE);
    guint late = offset > 25; /* the nearest to the right is the next left */
    gint64 skew = (late ? 40 - (gint64) offset : -(gint64) offset);
    gdouble told;

    for (guint i = 0; i < 6; i++) {
      two_push (t.left, 40 * i, N, 1);
      two_push (t.right, 40 * i + offset, N, 1);
    }
    for (guint i = late; i < 6; i++)
      two_expect (&t, 40 * i, N);
    fail_unless_equals_uint64 (two_stat (&t, "dropped"), late);
    told = stat_number (GST_ELEMENT (t.element), "skew");
    fail_unless (told == skew * GST_MSECOND, "%g", told);
    if (ABS (skew) > 10)
      expect_soon (t.bus, GST_MESSAGE_INFO, "The frames of a pair are");
    fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_INFO) == NULL);
    expect_silence (t.bus);
  }
}
GST_END_TEST;

/* A stream too short for that warning, of which no frame had a partner, says so
 * at its end. */
GST_START_TEST (test_short)
{
  g_auto (Two) t = two_new_grey (FALSE);

  two_push (t.left, 0, N, 1);
  two_push (t.right, 30, N, 1);
  gst_harness_push_event (t.left, gst_event_new_eos ());
  gst_harness_push_event (t.right, gst_event_new_eos ());
  expect_soon (t.bus, GST_MESSAGE_WARNING, "-30.000 ms");
}
GST_END_TEST;

/* A seek: what waits goes, and time begins anew. */
GST_START_TEST (test_flush)
{
  g_auto (Two) t = two_new_grey (FALSE);

  two_pair (&t, 400);
  two_push (t.left, 440, N, 1);
  two_begin_anew (&t);
  fail_unless_equals_int (t.element->resets, 1);
  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 2);
  two_expect (&t, 0, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless_equals_int (t.element->opened, 1);
}
GST_END_TEST;

/* A gap says that there is no frame: the other's frame does not wait. */
GST_START_TEST (test_gap)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  two_push (t.left, 40, N, 1);
  fail_unless (gst_harness_push_event (
      t.right, gst_event_new_gap (40 * GST_MSECOND, 40 * GST_MSECOND)));
  two_pair (&t, 80);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  fail_unless (gst_harness_push_event (
      t.left, gst_event_new_gap (120 * GST_MSECOND, 40 * GST_MSECOND)));
  fail_unless (gst_harness_push_event (
      t.right, gst_event_new_gap (120 * GST_MSECOND, 40 * GST_MSECOND)));
  two_pair (&t, 160);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
}
GST_END_TEST;

/* A segment that begins later: running time pairs, not the timestamp. */
GST_START_TEST (test_segments)
{
  g_auto (Two) t = two_new_grey (FALSE);

  gst_harness_push_event (t.right, two_segment (1, 1000));
  two_push (t.left, 0, N, 1);
  two_push (t.right, 1000, N, 1);
  two_expect (&t, 0, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 0);
}
GST_END_TEST;

/* Frames before the start of their segment, or behind its stop, are dropped and
 * counted, and reported once. */
GST_START_TEST (test_outside_of_segment)
{
  g_auto (Two) t = two_new_grey (FALSE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = __i__ ? 0 : 1000 * GST_MSECOND;
  segment.stop = __i__ ? 100 * GST_MSECOND : GST_CLOCK_TIME_NONE;
  gst_harness_push_event (t.left, gst_event_new_segment (&segment));
  gst_harness_push_event (t.right, gst_event_new_segment (&segment));
  for (guint ms = 0; ms < 400; ms += 40) {
    fail_unless_equals_int (two_push (t.left, ms, N, 1), GST_FLOW_OK);
    fail_unless_equals_int (two_push (t.right, ms, N, 1), GST_FLOW_OK);
    if (__i__ && ms <= 100)
      two_expect (&t, ms, N);
  }
  if (!__i__)
    two_pair (&t, 1000);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), __i__ ? 3 : 1);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), __i__ ? 14 : 20);
  expect_once (t.bus, GST_MESSAGE_INFO,
      "sink_left sends frames that lie outside of its segment");
  expect_silence (t.bus);
}
GST_END_TEST;

/* The device is lost: one error, nothing goes on, and a restart heals. */
GST_START_TEST (test_device_lost)
{
  GstVisionAggregatorClass *klass = g_type_class_ref (two_inputs_get_type ());
  Two t;

  klass->open_device = failing_open;
  failing_reset (1);
  t = two_new_grey (FALSE);
  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 1);
  expect_soon (t.bus, GST_MESSAGE_ERROR, FAILING_LOST);
  while (two_push (t.left, 40, N, 1) == GST_FLOW_OK)
    ; /* until the streaming thread is done */
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_ERROR);
  expect_silence (t.bus);
  fail_unless_equals_int (t.element->closed, t.element->opened);
  two_free (&t);

  failing_reset (0);
  t = two_new_grey (FALSE);
  two_pair (&t, 0);
  fail_unless (failing_calls > 0);
  two_free (&t);
  g_type_class_unref (klass);
}
GST_END_TEST;

/* ---- Caps that fit and that do not, two views in one frame, pads and states
 * ---- */

#define SIZED(format, w, h) \
 "video/x-raw,format=" format ",width=" #w ",height=" #h ",framerate=25/1"

/* Sends one frame to each and expects an error that speaks of @text. */
static void
expect_refusal (const gchar *left, const gchar *right, const gchar *text)
{
  g_auto (Two) t = two_new (FALSE, left, right);

  two_push (t.left, 0, 4096, 1);
  if (right)
    two_push (t.right, 0, 4096, 1);
  expect_soon (t.bus, GST_MESSAGE_ERROR, text);
  fail_unless_equals_int (t.element->opened, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 0);
}

GST_START_TEST (test_refused)
{
  expect_refusal (SIZED ("GRAY8", 8, 4), SIZED ("GRAY8", 16, 4),
      "sink_left has GRAY8 of 8x4 and sink_right has GRAY8 of 16x4");
  expect_refusal (SIZED ("GRAY8", 8, 4), SIZED ("NV12", 8, 4), "videoconvert");
  expect_refusal (SIZED ("GRAY8", 8, 4), NULL, "packing=side-by-side");
  expect_refusal (SIZED ("GRAY8", 7, 4) ",multiview-mode=side-by-side", NULL,
      "width cannot be halved");
  expect_refusal (SIZED ("NV12", 6, 4) ",multiview-mode=side-by-side", NULL,
      "width cannot be halved");
  expect_refusal (SIZED ("NV12", 8, 6) ",multiview-mode=top-bottom", NULL,
      "height cannot be halved");
}
GST_END_TEST;

/* New caps open anew; the frames before them still go by the old ones. */
GST_START_TEST (test_caps_change)
{
  g_auto (Two) t = two_new_grey (FALSE);
  g_autoptr (GstCaps) caps = NULL;
  gint width;

  two_pair (&t, 0);
  gst_harness_set_src_caps_str (t.left, SIZED ("GRAY8", 12, 2));
  two_push (t.left, 80, 24, 1);
  two_push (t.right, 40, 32, 1); /* its partner is missing */
  gst_harness_set_src_caps_str (t.right, SIZED ("GRAY8", 12, 2));
  two_push (t.right, 80, 24, 1);
  two_expect (&t, 80, 24);
  fail_unless_equals_int (t.element->opened, 2);
  fail_unless_equals_int (t.element->closed, 1);
  fail_unless_equals_int (t.element->width, 12);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  caps = gst_pad_get_current_caps (t.left->sinkpad);
  fail_unless (gst_structure_get_int (
      gst_caps_get_structure (caps, 0), "width", &width));
  fail_unless_equals_int (width, 12);
}
GST_END_TEST;

/* An 8 x 4 frame of 4 x 4 quarters: 1 on the left above, 2 on the right above,
 * 3 and 4 below. */
static GstBuffer *
quarters (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 32, NULL);
  guint8 bytes[32];

  for (gint i = 0; i < 32; i++)
    bytes[i] = 1 + (i % 8 >= 4) + 2 * (i / 8 >= 2);
  gst_buffer_fill (buffer, 0, bytes, sizeof bytes);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

/* The views' first pixels are @left and @right, and the left one comes out. */
static void
expect_views (const gchar *caps, const gchar *packing, gdouble left,
    gdouble right, gint width, gint height)
{
  g_auto (Two) t = two_new (FALSE, caps, NULL);
  GstVisionObjects *found;
  GstVideoInfo info;
  GstBuffer *buffer;
  GstCaps *out;
  guint8 pixels[16];

  gst_util_set_object_arg (G_OBJECT (t.element), "packing", packing);
  gst_harness_push (t.left, quarters ());
  buffer = gst_harness_pull (t.left);
  fail_unless (buffer != NULL);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 16);
  gst_buffer_extract (buffer, 0, pixels, sizeof pixels);
  fail_unless_equals_int (pixels[0], (gint) left);
  fail_unless_equals_int (pixels[15], (gint) left + (width == 4 ? 2 : 1));
  out = gst_pad_get_current_caps (t.left->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, out));
  gst_caps_unref (out);
  fail_unless_equals_int (info.width, width);
  fail_unless_equals_int (info.height, height);
  fail_unless_equals_int (
      GST_VIDEO_INFO_MULTIVIEW_MODE (&info), GST_VIDEO_MULTIVIEW_MODE_NONE);
  found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  fail_unless_equals_float (found->objects[0].x, left);
  fail_unless_equals_float (found->objects[0].y, right);
  fail_unless_equals_int (found->ref_width, width);
  fail_unless_equals_int (found->ref_height, height);
  gst_vision_objects_free (found);
  gst_buffer_unref (buffer);
  fail_unless_equals_uint64 (gst_harness_query_latency (t.left), 0);
}

GST_START_TEST (test_packed)
{
  g_type_ensure (GST_TYPE_VIDEO_MULTIVIEW_FLAGSET); /* for the caps' text */
  expect_views (GREY_8X4 ",multiview-mode=side-by-side", "auto", 1, 2, 4, 4);
  expect_views (GREY_8X4 ",multiview-mode=top-bottom", "auto", 1, 3, 8, 2);
  expect_views (GREY_8X4
      ",multiview-mode=side-by-side,"
      "multiview-flags=(GstVideoMultiviewFlagsSet)1:ffffffff:+right-view-first",
      "auto", 2, 1, 4, 4);
  expect_views (GREY_8X4, "side-by-side", 1, 2, 4, 4);
  expect_views (GREY_8X4, "top-bottom", 1, 3, 8, 2);
}
GST_END_TEST;

/* Both planes of a subsampled format are cut at the same place. */
GST_START_TEST (test_packed_chroma)
{
  g_auto (Two) t = two_new (
      FALSE, SIZED ("NV12", 8, 4) ",multiview-mode=side-by-side", NULL);

  two_push (t.left, 0, 48, 9);
  two_expect (&t, 0, 16);
  fail_unless_equals_int (t.element->width, 4);
}
GST_END_TEST;

GST_START_TEST (test_pads)
{
  g_autoptr (GstElement) element = g_object_new (
      two_inputs_get_type (), "backend", GST_VISION_BACKEND_CPU, NULL);
  GstPad *left = gst_element_request_pad_simple (element, "sink_left");
  g_autoptr (GstPad) right =
      gst_element_request_pad_simple (element, "sink_right");

  fail_unless (left != NULL && right != NULL && left != right);
  fail_unless_equals_string (GST_PAD_NAME (left), "sink_left");
  fail_unless_equals_string (GST_PAD_NAME (right), "sink_right");
  fail_unless (gst_element_request_pad (element,
                   gst_pad_get_pad_template (left), NULL, NULL) == NULL);
  gst_element_release_request_pad (element, left);
  gst_object_unref (left);
  left = gst_element_request_pad_simple (element, "sink_left");
  fail_unless (left != NULL);
  for (gint i = 0; i < 3; i++) {
    gst_element_set_state (element, GST_STATE_PAUSED);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_object_unref (left);
}
GST_END_TEST;

/* Only the second pad is there. */
GST_START_TEST (test_no_first)
{
  GstElement *element = g_object_new (
      two_inputs_get_type (), "backend", GST_VISION_BACKEND_CPU, NULL);
  g_auto (Two) t = {.element = (TwoInputs *) element, .bus = gst_bus_new ()};

  gst_element_set_bus (element, t.bus);
  t.left = gst_harness_new_with_element (element, "sink_right", "src");
  gst_harness_set_src_caps_str (t.left, GREY_8X4);
  two_push (t.left, 0, 32, 1);
  expect_soon (t.bus, GST_MESSAGE_ERROR, "sink_left");
}
GST_END_TEST;

/* ---- An output that is a picture of the child's, with caps of its own ---- */

/* A child whose output is 256 times the sum of both greys, in 16 bits. */
typedef struct {
  TwoInputs parent;
  gboolean plain; /* the output is the first frame */
  gint factor;    /* in the caps */
} Sum;

typedef TwoInputsClass SumClass;

G_DEFINE_TYPE (Sum, sum, GST_TYPE_VISION_AGGREGATOR)

static const char *
sum_process (GstVisionAggregator *agg, const Image *left, const Image *right,
    GstBuffer *buffer)
{
  const Image *out = gst_vision_aggregator_get_output (agg);

  fail_unless ((out == NULL) == ((Sum *) agg)->plain);
  if (!out)
    return NULL;
  fail_unless (gst_buffer_is_writable (buffer));
  fail_unless (out->format == IMAGE_GRAY16);
  fail_unless (out->width == left->width && out->height == left->height);
  for (int y = 0; y < out->height; y++)
    for (int x = 0; x < out->width; x++)
      GST_WRITE_UINT16_LE (out->plane[0] + y * out->stride[0] + 2 * x,
          256 *
              (left->plane[0][y * left->stride[0] + x] +
                  right->plane[0][y * right->stride[0] + x]));
  return NULL;
}

static GstVideoFormat
sum_output (GstVisionAggregator *agg, GstStructure *fields)
{
  Sum *self = (Sum *) agg;

  if (self->plain)
    return GST_VIDEO_FORMAT_UNKNOWN;
  if (fields)
    gst_structure_set (fields, "factor", G_TYPE_INT, self->factor, NULL);
  return GST_VIDEO_FORMAT_GRAY16_LE;
}

static void
sum_class_init (SumClass *klass)
{
  klass->output_formats = "{ GRAY16_LE }";
  two_inputs_class_init (klass);
  klass->process = sum_process;
  klass->output = sum_output;
}

static void
sum_init (Sum *self)
{
  self->factor = 256;
}

static Two
sum_new (const gchar *left, const gchar *right)
{
  return two_new_of (sum_get_type (), FALSE, left, right);
}

/* The next output, of @ms, has @width columns of @value. */
static GstBuffer *
expect_sum (Two *t, guint ms, gint width, guint16 value)
{
  GstBuffer *buffer = gst_harness_pull (t->left);
  GstVideoFrame frame;
  GstVideoInfo info;
  GstCaps *caps;

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), ms * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 40 * GST_MSECOND);
  caps = gst_pad_get_current_caps (t->left->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  fail_unless (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_GRAY16_LE);
  fail_unless (info.width == width && info.fps_n == 25);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (gint y = 0; y < info.height; y++)
    for (gint x = 0; x < width; x++)
      fail_unless_equals_int (GST_READ_UINT16_LE ((guint8 *) frame.data[0] +
                                  y * frame.info.stride[0] + 2 * x),
          value);
  gst_video_frame_unmap (&frame);
  return buffer;
}

static gint
factor_of (Two *t)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (t->left->sinkpad);
  gint factor = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "factor", &factor);
  return factor;
}

/* The picture has the times and metas of the first frame, but not what that
 * says of its own pixels. */
GST_START_TEST (test_picture)
{
  g_auto (Two) t = sum_new (GREY_8X4, GREY_8X4);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 32, NULL);
  GstVisionCamera camera;

  gst_buffer_memset (buffer, 0, 3, 32);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  gst_vision_camera_init (&camera);
  camera.fx = camera.fy = 9;
  camera.ref_width = camera.ref_height = 8;
  gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera);
  gst_buffer_add_video_meta (
      buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 8, 4);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 1, 2, 2);
  gst_harness_push (t.left, buffer);
  two_push (t.right, 0, 32, 4);
  buffer = expect_sum (&t, 0, 8, 7 * 256);
  fail_unless (gst_buffer_get_vision_camera (
                   buffer, GST_VISION_ORIGIN_RESULT, &camera) &&
      camera.fx == 9);
  fail_unless (gst_buffer_get_video_region_of_interest_meta_id (buffer, 0));
  fail_unless (gst_buffer_get_video_meta (buffer) == NULL ||
      gst_buffer_get_video_meta (buffer)->format == GST_VIDEO_FORMAT_GRAY16_LE);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (factor_of (&t), 256);
  expect_silence (t.bus);
}
GST_END_TEST;

/* Other fields of the caps while it plays; other sizes; one frame of both. */
GST_START_TEST (test_changes)
{
  Two t = sum_new (GREY_8X4, GREY_8X4);

  for (guint i = 0; i < 3; i++) {
    ((Sum *) t.element)->factor = 10 + i;
    gst_pad_mark_reconfigure (GST_AGGREGATOR (t.element)->srcpad);
    two_push (t.left, 40 * i, 32, 1);
    two_push (t.right, 40 * i, 32, i);
    gst_buffer_unref (expect_sum (&t, 40 * i, 8, (1 + i) * 256));
    fail_unless_equals_int (factor_of (&t), 10 + i);
  }
  fail_unless_equals_int (t.element->opened, 1);
  gst_harness_set_src_caps_str (
      t.left, "video/x-raw,format=GRAY8,width=12,height=2,framerate=25/1");
  gst_harness_set_src_caps_str (
      t.right, "video/x-raw,format=GRAY8,width=12,height=2,framerate=25/1");
  two_push (t.left, 120, 24, 5);
  two_push (t.right, 120, 24, 5);
  gst_buffer_unref (expect_sum (&t, 120, 12, 10 * 256));
  fail_unless_equals_int (t.element->opened, 2);
  two_free (&t);

  t = sum_new (GREY_8X4 ",multiview-mode=top-bottom", NULL);
  two_push (t.left, 0, 32, 9);
  gst_buffer_unref (expect_sum (&t, 0, 8, 18 * 256));
  fail_unless_equals_int (t.element->height, 2);
  two_free (&t);
}
GST_END_TEST;

/* A child that could make a picture, and does not. */
GST_START_TEST (test_plain)
{
  g_auto (Two) t = sum_new (GREY_8X4, GREY_8X4);
  g_autoptr (GstBuffer) buffer = NULL;

  ((Sum *) t.element)->plain = TRUE;
  two_push (t.left, 0, 32, 9);
  two_push (t.right, 0, 32, 9);
  buffer = gst_harness_pull (t.left);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 32);
}
GST_END_TEST;

/* What the element behind does not take is said. */
GST_START_TEST (test_output_refused)
{
  g_auto (Two) t = sum_new (GREY_8X4, GREY_8X4);

  gst_harness_set_sink_caps_str (t.left, "video/x-raw,format=NV12");
  two_push (t.left, 0, 32, 9);
  two_push (t.right, 0, 32, 9);
  expect_soon (t.bus, GST_MESSAGE_ERROR, "GRAY16_LE of 8x4");
}
GST_END_TEST;

SUITE (aggregator, TEST (test_pairs), TEST (test_missing), TEST (test_skew),
    TEST (test_nearest), TEST (test_short), TEST (test_flush), TEST (test_gap),
    TEST (test_segments), LOOP (test_outside_of_segment, 2),
    TEST (test_device_lost), TEST (test_refused), TEST (test_caps_change),
    TEST (test_packed), TEST (test_packed_chroma), TEST (test_pads),
    TEST (test_no_first), TEST (test_picture), TEST (test_changes),
    TEST (test_plain), TEST (test_output_refused));
