/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visionmeta. */
#include "said.h"
#include "suite.h"
#include "meta/regions.h"

/* What videoscale scaled is replaced, what others added is not touched. */
GST_START_TEST (test_regions_are_replaced)
{
  GstVisionObject two[2] = {box, box};
  g_autoptr (GstBuffer) buffer;

  two[1].id = 4;
  two[1].x = 101; /* 50.5 in the small frame: grows to whole pixels */
  buffer = frame_with (two, 2);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 8, 8, 80, 80)
      ->id = 3;
  buffer = push_through (
      "videoscale ! visionmeta", RGBA (BIG), RGBA (SMALL), buffer);
  fail_unless_equals_int (n_regions (buffer), 3);
  check_region (buffer, "red", 3, 50, 12, 20, 6);
  check_region (buffer, "red", 4, 50, 12, 21, 6);
  check_region (buffer, "face", 3, 4, 2, 40, 20);
}
GST_END_TEST;

/* As behind a cudadownload, which drops them. */
GST_START_TEST (test_regions_are_made_anew)
{
  g_autoptr (GstBuffer) buffer = frame_with (&box, 1);
  GstMeta *region;

  while ((region = gst_buffer_get_meta (
              buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    gst_buffer_remove_meta (buffer, region);
  buffer = push_through ("visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  fail_unless_equals_int (n_regions (buffer), 1);
  check_region (buffer, "red", 3, 100, 50, 40, 20);
}
GST_END_TEST;

GST_START_TEST (test_caps_change)
{
  g_autoptr (Harness) h = gst_harness_new ("visionmeta");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str (h, RGBA (BIG));
  buffer = gst_harness_push_and_pull (h, frame_with (&box, 1));
  check_region (buffer, "red", 3, 100, 50, 40, 20);
  gst_buffer_unref (buffer);

  /* the size is all that matters: not the memory, not the format */
  gst_harness_set_src_caps_str (h,
      "video/x-raw(memory:CUDAMemory),format=P010_10LE,width=1280,height=960,"
      "framerate=1/1");
  buffer = gst_harness_push_and_pull (h, frame_with (&box, 1));
  fail_unless_equals_int (n_regions (buffer), 1);
  check_region (buffer, "red", 3, 200, 100, 80, 40);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Who else holds the buffer sees no change, and no pixel is copied. */
GST_START_TEST (test_shared_buffer)
{
  g_autoptr (Harness) h =
      gst_harness_new_parse ("visionmeta intrinsics=5,6,7,8");
  g_autoptr (GstBuffer) in = frame_with (&box, 1), out = NULL;
  GstVisionCamera camera;

  gst_harness_set_src_caps_str (h, RGBA (SMALL));
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  fail_unless (out != in);
  fail_unless (
      gst_buffer_peek_memory (out, 0) == gst_buffer_peek_memory (in, 0));
  check_region (in, "red", 3, 100, 50, 40, 20);
  check_region (out, "red", 3, 50, 12, 20, 6);
  fail_unless (!gst_buffer_get_vision_camera (in, 0, &camera));
  fail_unless (gst_buffer_get_vision_camera (out, 0, &camera));
}
GST_END_TEST;

static void
check_camera (GstHarness *h, gdouble fx, gdouble k1, gdouble baseline)
{
  GstVisionCamera camera;
  g_autoptr (GstBuffer) buffer = frame ();

  add_camera (buffer);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (gst_buffer_get_vision_camera (buffer, 0, &camera));
  fail_unless (camera.ref_width == (fx == 500 ? 640 : 320));
  fail_unless (camera.fx == fx && camera.distortion[0] == k1);
  fail_unless (
      isnan (baseline) ? isnan (camera.baseline) : camera.baseline == baseline);
}

GST_START_TEST (test_camera)
{
  g_autoptr (Harness) h = gst_harness_new ("visionmeta");
  g_autoptr (GstBus) bus = gst_bus_new ();
  gchar *intrinsics;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, RGBA (SMALL));
  check_camera (h, 500, 0, NAN); /* that of the buffer stays */
  g_object_set (h->element, "intrinsics", "300,301,159.5,59.5", NULL);
  check_camera (h, 300, 0, NAN);
  g_object_set (h->element, "intrinsics", "310,301,159.5,59.5,0.25", "baseline",
      0.12, NULL);
  check_camera (h, 310, 0.25, 0.12);

  g_object_set (h->element, "intrinsics", "300,wide,159.5,59.5", NULL);
  expect_once (bus, GST_MESSAGE_WARNING, "(fy) is \"wide\"");
  check_camera (h, 310, 0.25, 0.12);
  /* each number is finite, but a camera with all of them is refused */
  g_object_set (h->element, "intrinsics", "1e308,1e308,0,0", NULL);
  expect_once (bus, GST_MESSAGE_WARNING, "too large");
  check_camera (h, 310, 0.25, 0.12);
  g_object_get (h->element, "intrinsics", &intrinsics, NULL);
  fail_unless_equals_string (intrinsics, "310,301,159.5,59.5,0.25");
  g_free (intrinsics);

  g_object_set (h->element, "intrinsics", NULL, NULL);
  check_camera (h, 500, 0, NAN);
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* Regions of other elements become objects once, in pixels of the reference
 * size, and only where that is asked for. */
GST_START_TEST (test_regions_are_read)
{
  GstBuffer *buffer = frame_with (&box, 1);
  g_autofree gchar *long_type = g_strnfill (300, 'x');
  g_autoptr (GstVisionObjects) objects = NULL;
  const GstVisionObject *o;

  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 8, 8, 80, 40)
      ->id = 7;
  gst_buffer_add_video_region_of_interest_meta (buffer, long_type, 1, 1, 9, 9);
  gst_buffer_add_video_region_of_interest_meta (buffer, "\xff", 1, 1, 9, 9);
  gst_buffer_add_video_region_of_interest_meta (buffer, "empty", 1, 1, 0, 9);
  buffer = push_through ("visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless_equals_int (objects->n_objects, 1);
  gst_vision_objects_free (objects);

  buffer = push_through ("videoscale ! visionmeta read-foreign=true ! "
                         "visionmeta read-foreign=true",
      RGBA (BIG), RGBA (SMALL), buffer);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless_equals_int (objects->n_objects, 2);
  o = &objects->objects[1];
  fail_unless_equals_string (o->label, "face");
  fail_unless_equals_string (o->element, "visionmeta");
  fail_unless (o->id == 7 && o->x == 8 && o->y == 8);
  fail_unless (o->width == 80 && o->height == 40 && isnan (o->score));
  check_region (buffer, "face", 7, 4, 2, 40, 10);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Objects whose reference size is none are no objects, and regions are read all
 * the same. */
GST_START_TEST (test_regions_beside_a_wrong_size)
{
  static const guint sizes[][2] = {{0, 0}, {0, 60}, {80, 0}};
  GstBuffer *buffer = frame_with (&box, 1);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "VisionObjects");
  g_autoptr (GstVisionObjects) objects = NULL;

  gst_structure_set (gst_custom_meta_get_structure (meta), "ref-width",
      G_TYPE_UINT, sizes[__i__][0], "ref-height", G_TYPE_UINT, sizes[__i__][1],
      NULL);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 8, 8, 80, 40);
  buffer = push_through (
      "visionmeta read-foreign=true", RGBA (BIG), RGBA (BIG), buffer);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless (objects && objects->n_objects > 0);
  fail_unless (objects->ref_width > 0 && objects->ref_height > 0);
  fail_unless_equals_string (
      objects->objects[objects->n_objects - 1].label, "face");
  fail_unless (objects->objects[objects->n_objects - 1].width == 80);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

SUITE (visionmeta, TEST (test_regions_are_replaced),
    TEST (test_regions_are_made_anew), TEST (test_caps_change),
    TEST (test_shared_buffer), TEST (test_camera), TEST (test_regions_are_read),
    LOOP (test_regions_beside_a_wrong_size, 3));
