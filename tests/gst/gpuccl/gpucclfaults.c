/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element gpuccl on what cannot work: properties are refused when caps are
 * negotiated; a frame is counted and warned of, and the stream goes on. */
#include "suite.h"
#include "gpucclframes.h"

static const Rect scene[] = {{0, 0, WIDTH, HEIGHT, 2000}};
static const Rect outlier[] = {{10, 20, 20, 16, 3}};

/* A frame passes without results, with a warning, and the next has some. */
static void
expect_fault (Frames *f, GstBuffer *buffer, const gchar *text)
{
  GstBuffer *good = frames_make (f, scene, 1);

  fail_unless (frames_push (f, buffer) == NULL, "%s: results", text);
  expect_once (f->bus, GST_MESSAGE_WARNING, text);
  expect_faulty (f, 1);
  add_classes (good, 2, WIDTH, HEIGHT, outlier, 1);
  frames_state (f, good, 1);
  expect_faulty (f, 1);
  frames_free (f);
}

GST_START_TEST (test_map_sizes)
{
  static const guint sizes[][2] = {
      {WIDTH + 1, HEIGHT}, {WIDTH, HEIGHT - 1}, {1, 1}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    Frames f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
    GstBuffer *buffer = frames_make (&f, scene, 1);

    add_classes (buffer, 2, sizes[i][0], sizes[i][1], NULL, 0);
    expect_fault (&f, buffer, "another size than the depth");
  }
}
GST_END_TEST;

GST_START_TEST (test_map_formats)
{
  static const struct {
    GstVisionMap map;
    guint bytes;
    const gchar *text;
  } bad[] = {
      {{.kind = "correspondence", .format = "u16", .channels = 1}, 2, "u8"},
      {{.kind = "correspondence", .format = "u8", .channels = 3}, 1, "u8"},
      {{.kind = "depth", .format = "f32", .channels = 1}, 4, "u16"},
      {{.kind = "depth", .format = "u16", .channels = 2}, 2, "u16"},
      {{.kind = "depth", .format = "u16", .channels = 1, .invalid = 9}, 2,
          "u16"},
      {{.kind = "depth", .format = "u16", .channels = 1, .offset = 1}, 2,
          "u16"}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    Frames f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
    GstBuffer *buffer = frames_make (&f, scene, 1);
    GstVisionMap map = bad[i].map;

    map.width = WIDTH;
    map.height = HEIGHT;
    map.scale = .001;
    add_map (buffer, map, bad[i].bytes, 0, NULL, 0);
    expect_fault (&f, buffer, bad[i].text);
  }
}
GST_END_TEST;

/* A map that claims to lie on the GPU is believed no more than its buffer
 * holds. */
GST_START_TEST (test_lying_map)
{
  Frames f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
  GstBuffer *buffer = frames_make (&f, scene, 1);
  GstVisionMap map = {.kind = "correspondence",
      .format = "u8",
      .channels = 1,
      .width = WIDTH,
      .height = HEIGHT,
      .stride = WIDTH,
      .scale = 1,
      .on_gpu = TRUE,
      .pixels = gst_buffer_new_allocate (NULL, 16, NULL)};

  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
  expect_fault (&f, buffer, "fewer pixels than its size says");
}
GST_END_TEST;

/* Classes that nobody knows are background; the rest is looked at. */
GST_START_TEST (test_unknown_classes)
{
  static const Rect rects[] = {{10, 20, 20, 16, 3}, {40, 4, 10, 12, 77}};
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");

  for (guint i = 1; i <= 3; i++) {
    GstBuffer *buffer = frames_make (&f, scene, 1);

    add_classes (buffer, 1, WIDTH, HEIGHT, rects, 2);
    frames_state (&f, buffer, 1);
    expect_faulty (&f, i);
  }
  expect_once (f.bus, GST_MESSAGE_WARNING, "no known class");
}
GST_END_TEST;

/* A depth map whose numbers lie at odd addresses in every other row. */
GST_START_TEST (test_rows)
{
  Frames f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");
  GstBuffer *buffer = frames_make (&f, scene, 1);
  GstVisionMap map = {.kind = "depth",
      .format = "u16",
      .channels = 1,
      .width = WIDTH,
      .height = HEIGHT,
      .stride = 2 * WIDTH + 1,
      .scale = .001,
      .pixels = gst_buffer_new_allocate (NULL, (2 * WIDTH + 1) * HEIGHT, NULL)};

  gst_buffer_memset (map.pixels, 0, 0, (2 * WIDTH + 1) * HEIGHT);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
  expect_fault (&f, buffer, "multiples of a number's bytes");
}
GST_END_TEST;

/* In space, with no camera in the properties and none on the buffer. */
GST_START_TEST (test_no_camera)
{
  static const gchar *const properties[][2] = {
      {"match=space", "intrinsics"}, {"min-surface=0.001", "min-surface"}};

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_auto (Frames) f =
        frames_new (GST_VIDEO_FORMAT_GRAY16_LE, properties[i][0]);

    fail_unless (frames_push (&f, frames_make (&f, scene, 1)) == NULL);
    expect_once (f.bus, GST_MESSAGE_WARNING, properties[i][1]);
    g_object_set (f.h->element, "intrinsics", "60,60,31.5,23.5", NULL);
    frames_state (&f, frames_make (&f, scene, 1), 1);
    expect_faulty (&f, 1);
  }
}
GST_END_TEST;

/* As g_object_set_property (), which lets it pass in some releases. */
static void
set_nan (GstElement *element, const gchar *name)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  GParamSpec *pspec = g_object_class_find_property (klass, name);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, NAN);
  klass->set_property (G_OBJECT (element), pspec->param_id, &value, pspec);
}

/* A number that is none costs frames while it plays, and is refused with the
 * next caps. */
GST_START_TEST (test_not_a_number)
{
  static const gchar *const names[] = {"min-fill", "min-extent",
      "max-depth-step", "depth-step-k", "match-distance", "match-pixels",
      "match-ratio", "depth-scale"};

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY16_LE, "");

    set_nan (f.h->element, names[i]);
    fail_unless (frames_push (&f, frames_make (&f, scene, 1)) == NULL);
    fail_unless (frames_push (&f, frames_make (&f, scene, 1)) == NULL);
    expect_once (f.bus, GST_MESSAGE_WARNING, names[i]);
    expect_faulty (&f, 2);
    frames_caps (&f, GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, 1);
    fail_unless_equals_int (gst_harness_push (f.h, frames_make (&f, scene, 1)),
        GST_FLOW_NOT_NEGOTIATED);
    expect_once (f.bus, GST_MESSAGE_ERROR, names[i]);
  }
}
GST_END_TEST;

/* While it plays, what cannot work costs frames, not the stream. */
GST_START_TEST (test_while_playing)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, "");

  frames_state (&f, frames_make (&f, outlier, 1), 0);
  set_nan (f.h->element, "min-fill");
  fail_unless (frames_push (&f, frames_make (&f, outlier, 1)) == NULL);
  gst_util_set_object_arg (G_OBJECT (f.h->element), "match", "space");
  fail_unless (frames_push (&f, frames_make (&f, outlier, 1)) == NULL);
  expect_once (f.bus, GST_MESSAGE_WARNING, "min-fill"); /* and no second */
  expect_faulty (&f, 2);
  g_object_set (f.h->element, "min-fill", .75, NULL);
  gst_util_set_object_arg (G_OBJECT (f.h->element), "match", "auto");
  frames_state (&f, frames_make (&f, outlier, 1), 0);
  expect_faulty (&f, 2);
}
GST_END_TEST;

/* Each with one error that names the property, and no frame passes. */
GST_START_TEST (test_refused)
{
  static const struct {
    const gchar *properties, *text;
    GstVideoFormat format;
  } bad[] = {{"match=space", "match=space", GST_VIDEO_FORMAT_GRAY8},
      {"match=space", "match=space", GST_VIDEO_FORMAT_NV12},
      {"min-surface=0.05", "min-surface", GST_VIDEO_FORMAT_GRAY8},
      {"min-side=0.05", "min-side", GST_VIDEO_FORMAT_NV12}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (Frames) f = frames_new (bad[i].format, bad[i].properties);

    fail_unless_equals_int (gst_harness_push (f.h, frames_make (&f, scene, 1)),
        GST_FLOW_NOT_NEGOTIATED);
    expect_once (f.bus, GST_MESSAGE_ERROR, bad[i].text);
  }
}
GST_END_TEST;

/* Neighbours are 4 or 8: no other number can be set. */
GST_START_TEST (test_connectivity)
{
  expect_choices ("gpuccl", "connectivity", 10, 4, 8);
}
GST_END_TEST;

/* Formats and sizes that nobody can look at are no caps of the pads, or an
 * error that says so. */
GST_START_TEST (test_caps)
{
  static const gchar *const bad[] = {"video/x-raw,format=RGB",
      "video/x-raw,format=GRAY16_BE", "video/x-raw,format=P010_10LE",
      "video/x-raw(memory:CUDAMemory),format=GRAY16_LE"};
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, "");
  GstPad *pad = gst_element_get_static_pad (f.h->element, "sink");
  GstCaps *caps = gst_pad_get_pad_template_caps (pad);

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GstCaps) wrong = gst_caps_from_string (bad[i]);

    fail_if (gst_caps_can_intersect (caps, wrong), "%s", bad[i]);
  }
  gst_caps_unref (caps);
  gst_object_unref (pad);
  frames_caps (&f, GST_VIDEO_FORMAT_GRAY8, 16385, 1);
  fail_unless_equals_int (gst_harness_push (f.h, frames_make (&f, NULL, 0)),
      GST_FLOW_NOT_NEGOTIATED);
  expect_once (f.bus, GST_MESSAGE_ERROR, "16384");
}
GST_END_TEST;

SUITE (gpucclfaults, TIMEOUT (120), TEST (test_map_sizes),
    TEST (test_map_formats), TEST (test_lying_map), TEST (test_unknown_classes),
    TEST (test_rows), TEST (test_no_camera), TEST (test_not_a_number),
    TEST (test_while_playing), TEST (test_refused), TEST (test_connectivity),
    TEST (test_caps));
