/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: caps that fit and that do not, two views in one frame,
 * pads and states. */
#include "suite.h"
#include "twoinputs.h"

#define SIZED(format, w, h) \
 "video/x-raw,format=" format ",width=" #w ",height=" #h ",framerate=25/1"

/* Sends one frame to each and expects an error that speaks of @text. */
static void
expect_refusal (const gchar *left, const gchar *right, const gchar *text)
{
  Two t = two_new (FALSE, left, right);

  two_push (t.left, 0, 4096, 1);
  if (right)
    two_push (t.right, 0, 4096, 1);
  two_expect_message (&t, GST_MESSAGE_ERROR, text);
  fail_unless_equals_int (t.element->opened, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 0);
  two_free (&t);
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
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);
  GstCaps *caps;
  gint width;

  two_push (t.left, 0, 32, 1);
  two_push (t.right, 0, 32, 1);
  two_expect (&t, 0, 32);
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
  gst_caps_unref (caps);
  two_free (&t);
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
  Two t = two_new (FALSE, caps, NULL);
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
  two_free (&t);
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
  Two t = two_new (
      FALSE, SIZED ("NV12", 8, 4) ",multiview-mode=side-by-side", NULL);

  two_push (t.left, 0, 48, 9);
  two_expect (&t, 0, 16);
  fail_unless_equals_int (t.element->width, 4);
  two_free (&t);
}
GST_END_TEST;

GST_START_TEST (test_pads)
{
  GstElement *element = g_object_new (
      two_inputs_get_type (), "backend", GST_VISION_BACKEND_CPU, NULL);
  GstPad *left = gst_element_request_pad_simple (element, "sink_left");
  GstPad *right = gst_element_request_pad_simple (element, "sink_right");

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
  gst_object_unref (right);
  gst_object_unref (element);
}
GST_END_TEST;

/* Only the second pad is there. */
GST_START_TEST (test_no_first)
{
  GstElement *element = g_object_new (
      two_inputs_get_type (), "backend", GST_VISION_BACKEND_CPU, NULL);
  Two t = {.element = (TwoInputs *) element, .bus = gst_bus_new ()};

  gst_element_set_bus (element, t.bus);
  t.left = gst_harness_new_with_element (element, "sink_right", "src");
  gst_harness_set_src_caps_str (t.left, GREY_8X4);
  two_push (t.left, 0, 32, 1);
  two_expect_message (&t, GST_MESSAGE_ERROR, "sink_left");
  two_free (&t);
}
GST_END_TEST;

SUITE (aggregatorcaps, TEST (test_refused), TEST (test_caps_change),
    TEST (test_packed), TEST (test_packed_chroma), TEST (test_pads),
    TEST (test_no_first));
