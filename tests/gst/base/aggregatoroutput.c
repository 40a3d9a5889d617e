/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: an output that is a picture of the child's, with caps of
 * its own. */
#include "suite.h"
#include "twoinputs.h"

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
  GstCaps *caps = gst_pad_get_current_caps (t->left->sinkpad);
  gint factor = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "factor", &factor);
  gst_caps_unref (caps);
  return factor;
}

/* The picture has the times and metas of the first frame, but not what that
 * says of its own pixels. */
GST_START_TEST (test_picture)
{
  Two t = sum_new (GREY_8X4, GREY_8X4);
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
  fail_unless (two_is_silent (&t));
  two_free (&t);
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
  Two t = sum_new (GREY_8X4, GREY_8X4);
  GstBuffer *buffer;

  ((Sum *) t.element)->plain = TRUE;
  two_push (t.left, 0, 32, 9);
  two_push (t.right, 0, 32, 9);
  buffer = gst_harness_pull (t.left);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 32);
  gst_buffer_unref (buffer);
  two_free (&t);
}
GST_END_TEST;

/* What the element behind does not take is said. */
GST_START_TEST (test_refused)
{
  Two t = sum_new (GREY_8X4, GREY_8X4);

  gst_harness_set_sink_caps_str (t.left, "video/x-raw,format=NV12");
  two_push (t.left, 0, 32, 9);
  two_push (t.right, 0, 32, 9);
  two_expect_message (&t, GST_MESSAGE_ERROR, "GRAY16_LE of 8x4");
  two_free (&t);
}
GST_END_TEST;

SUITE (aggregatoroutput, TEST (test_picture), TEST (test_changes),
    TEST (test_plain), TEST (test_refused));
