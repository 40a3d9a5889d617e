/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera and maps as metadata. */
#include "suite.h"
#include <gst/check/gstharness.h>

#include <math.h>

#include "meta/gstvisionmeta.h"

static const GstVisionCamera camera = {
    .ref_width = 640,
    .ref_height = 480,
    .fx = 525.5,
    .fy = 526.5,
    .cx = 319.5,
    .cy = 239.5,
    .distortion = {0.1, -0.2, 0.003, -0.004, 0.05},
    .baseline = 0.12,
    .pose = {1, 2, 3, 0.5, 0.5, 0.5, 0.5},
    .has_pose = TRUE,
};

static void
check_camera (const GstVisionCamera *seen)
{
  fail_unless (seen->ref_width == 640 && seen->ref_height == 480);
  fail_unless (seen->fx == camera.fx && seen->fy == camera.fy);
  fail_unless (seen->cx == camera.cx && seen->cy == camera.cy);
  fail_unless (memcmp (seen->distortion, camera.distortion,
                   sizeof camera.distortion) == 0);
  fail_unless (seen->baseline == camera.baseline && seen->has_pose);
  fail_unless (memcmp (seen->pose, camera.pose, sizeof camera.pose) == 0);
}

static const gchar camera_schema[] =
    "VisionCamera, ref-width=(uint)640, ref-height=(uint)480, "
    "fx=(double)525.5, fy=(double)526.5, cx=(double)319.5, cy=(double)239.5, "
    "distortion=(double)<0.1,-0.2,0.003,-0.004,0.05>, baseline=(double)0.12, "
    "pose=(double)<1,2,3,0.5,0.5,0.5,0.5>;";

GST_START_TEST (test_camera)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstStructure) wanted =
      gst_structure_from_string (camera_schema, NULL);
  GstVisionCamera seen, plain = camera;

  fail_unless (!gst_buffer_get_vision_camera (buffer, 0, &seen));
  plain.has_pose = FALSE;
  plain.baseline = NAN;
  fail_unless (gst_buffer_set_vision_camera (buffer, 0, &plain));
  fail_unless (gst_buffer_get_vision_camera (buffer, 0, &seen));
  fail_unless (isnan (seen.baseline) && !seen.has_pose);

  fail_unless (gst_buffer_set_vision_camera (buffer, 0, &camera));
  fail_unless (gst_buffer_get_vision_camera (buffer, 0, &seen));
  check_camera (&seen);
  fail_unless (gst_structure_is_equal (wanted,
      gst_custom_meta_get_structure (
          gst_buffer_get_custom_meta (buffer, "VisionCamera"))));
  fail_unless (
      !gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_TRUTH, &seen));
}
GST_END_TEST;

GST_START_TEST (test_intrinsics)
{
  static const struct {
    const gchar *text, *part; /* of what is said about it */
  } bad[] = {{"", "numbers found: 0"}, {"1,2,3", "numbers found: 3"},
      {"1,2,x,4", "(cx)"}, {"1,2,3,4,5,6,7,8,9,10", "numbers found: 10"},
      {"0,2,3,4", "(fx)"}, {"1,-2,3,4", "(fy)"}, {"1,2,3,", "(cy)"},
      {"1,2,3,nan", "(cy)"}, {"1,2,3,4,5 6", "(k1)"},
      {"1;2;3;4", "numbers found: 1"}};
  GstVisionCamera seen;
  GError *error = NULL;

  gst_vision_camera_init (&seen);
  fail_unless (gst_vision_camera_set_intrinsics (
      &seen, "525.5, 526.5,319.5 ,239.5,0.1,-2e-1,0.003,-0.004,0.05", &error));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    fail_unless (
        !gst_vision_camera_set_intrinsics (&seen, bad[i].text, &error));
    fail_unless (error && strstr (error->message, bad[i].part), "\"%s\": %s",
        bad[i].text, error->message);
    g_clear_error (&error);
  }
  fail_unless (memcmp (seen.distortion, camera.distortion,
                   sizeof camera.distortion) == 0);
  fail_unless (seen.fx == camera.fx && seen.cy == camera.cy);

  fail_unless (gst_vision_camera_set_intrinsics (&seen, "1,2,3,4,0.5", &error));
  fail_unless (seen.distortion[0] == 0.5 && seen.distortion[4] == 0);
}
GST_END_TEST;

/* 3 x 2 numbers of 16 bits in rows of 8 bytes; the last row has no padding. */
static GstVisionMap
small_map (const gchar *kind)
{
  return (GstVisionMap){
      .element = "pocstereo",
      .kind = kind,
      .format = "u16",
      .channels = 1,
      .width = 3,
      .height = 2,
      .stride = 8,
      .scale = 0.0625,
      .offset = -1,
      .invalid = 65535,
      .pixels = gst_buffer_new_allocate (NULL, 14, NULL),
  };
}

GST_START_TEST (test_maps)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstVisionMap map = small_map ("depth"), seen;

  fail_unless_equals_int (gst_buffer_n_vision_maps (buffer, 0), 0);
  fail_unless (!gst_buffer_find_vision_map (buffer, 0, NULL, &seen));
  fed_map (buffer, 0, small_map ("disparity"));
  fed_map (buffer, 0, map);
  map = small_map ("disparity");
  map.on_gpu = TRUE;
  map.invalid = NAN;
  map.width = 300; /* what GPU memory says of its size is not looked at */
  map.stride = 600;
  fed_map (buffer, 0, map);

  fail_unless_equals_int (gst_buffer_n_vision_maps (buffer, 0), 3);
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_TRUTH), 0);
  fail_unless (gst_buffer_find_vision_map (buffer, 0, "disparity", &seen));
  fail_unless (
      seen.pixels == map.pixels && seen.on_gpu && isnan (seen.invalid));
  fail_unless (gst_buffer_find_vision_map (buffer, 0, "depth", &seen));
  fail_unless_equals_string (seen.element, "pocstereo");
  fail_unless_equals_string (seen.format, "u16");
  fail_unless (seen.channels == 1 && seen.width == 3 && seen.height == 2);
  fail_unless (seen.stride == 8 && !seen.on_gpu);
  fail_unless (seen.scale == 0.0625 && seen.offset == -1);
  fail_unless (seen.invalid == 65535);
  fail_unless (!gst_buffer_find_vision_map (buffer, 0, "points", &seen));
  fail_unless (!gst_buffer_nth_vision_map (buffer, 0, 3, &seen));
}
GST_END_TEST;

/* Pixels are shared by all copies, never copied, and go with the last. */
GST_START_TEST (test_pixels_live_as_long_as_needed)
{
  GstHarness *h = gst_harness_new_parse ("videoconvert");
  GstBuffer *in = gst_buffer_new_allocate (NULL, 64, NULL), *copy, *out;
  GstVisionMap map = small_map ("labels"), seen;
  g_autoptr (GstBuffer) pixels = map.pixels;

  gst_harness_set_caps_str (h,
      "video/x-raw,format=RGBA,width=4,height=4,framerate=1/1",
      "video/x-raw,format=NV12,width=4,height=4,framerate=1/1");
  gst_buffer_memset (pixels, 0, 7, 14);
  gst_buffer_ref (pixels);
  fed_map (in, 0, map);
  copy = gst_buffer_copy (in);
  out = gst_harness_push_and_pull (h, in);

  fail_unless (gst_buffer_find_vision_map (copy, 0, "labels", &seen));
  fail_unless (seen.pixels == pixels);
  gst_buffer_unref (copy);
  fail_unless (gst_buffer_find_vision_map (out, 0, "labels", &seen));
  fail_unless (seen.pixels == pixels);
  fail_unless (gst_buffer_memcmp (seen.pixels, 0, "\7\7\7\7\7\7\7", 7) == 0);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  ASSERT_MINI_OBJECT_REFCOUNT (pixels, "pixels", 1);
}
GST_END_TEST;

GST_START_TEST (test_unsound_maps_are_refused)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  GstVisionMap good = small_map ("depth");
  GstVisionMap bad[] = {good, good, good, good, good, good, good};

  bad[0].kind = NULL;
  bad[1].format = "f64";
  bad[2].channels = 0;
  bad[3].stride = 5;
  bad[4].height = 3;
  bad[5].pixels = NULL;
  bad[6].scale = NAN;
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    ASSERT_CRITICAL (gst_buffer_add_vision_map (buffer, 0, &bad[i]));
  fail_unless_equals_int (gst_buffer_n_vision_maps (buffer, 0), 0);
  fed_map (buffer, 0, good);
}
GST_END_TEST;

/* The caller allocates both, so later versions need their reserved words. */
GST_START_TEST (test_reserved_words)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstBuffer) pixels = gst_buffer_new_allocate (NULL, 12, NULL);
  g_autoptr (GstVisionMap) map =
      gst_vision_map_new ("labels", "u16", 1, 3, 2, pixels);
  g_autoptr (GstVisionCamera) made = gst_vision_camera_new (), copy = NULL;
  GstVisionCamera seen;
  GstVisionMap read, *kept;

  memset (&seen, 0xff, sizeof seen);
  memset (&read, 0xff, sizeof read);
  fail_unless (isnan (made->baseline) && !made->has_pose);
  gst_vision_camera_set_pose (made, camera.pose);
  fail_unless (made->has_pose && made->pose[6] == 0.5);
  fail_unless (gst_buffer_set_vision_camera (buffer, 0, &camera));
  fail_unless (gst_buffer_add_vision_map (buffer, 0, map));
  fail_unless (gst_buffer_get_vision_camera (buffer, 0, &seen));
  fail_unless (gst_buffer_find_vision_map (buffer, 0, "labels", &read));
  for (guint i = 0; i < G_N_ELEMENTS (seen._gst_reserved); i++)
    fail_unless (!seen._gst_reserved[i] && !read._gst_reserved[i]);
  copy = g_boxed_copy (GST_TYPE_VISION_CAMERA, &seen);
  check_camera (copy);

  /* a copy outlives its buffer */
  kept = g_boxed_copy (GST_TYPE_VISION_MAP, &read);
  g_clear_pointer (&buffer, gst_buffer_unref);
  fail_unless_equals_string (kept->kind, "labels");
  fail_unless (kept->pixels == pixels && kept->stride == 6);
  g_boxed_free (GST_TYPE_VISION_MAP, kept);
}
GST_END_TEST;

/* As GST_CHECK_VERSION () does. */
GST_START_TEST (test_version)
{
  fail_unless (GST_VISION_META_CHECK_VERSION (0, 0, 9));
  fail_unless (GST_VISION_META_CHECK_VERSION (0, 1, 0));
  fail_unless (!GST_VISION_META_CHECK_VERSION (0, 1, 1));
  fail_unless (!GST_VISION_META_CHECK_VERSION (0, 2, 0));
  fail_unless (!GST_VISION_META_CHECK_VERSION (1, 0, 0));
}
GST_END_TEST;

SUITE (metamaps, TEST (test_reserved_words), TEST (test_version),
    TEST (test_camera), TEST (test_intrinsics), TEST (test_maps),
    TEST (test_pixels_live_as_long_as_needed),
    TEST (test_unsound_maps_are_refused));
