/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results behind elements that move the pixels of a frame: the truth is where
 * these elements put a white rectangle. */
#include "said.h"
#include "suite.h"
#include "meta/regions.h"

#define WIDTH 160
#define HEIGHT 120
#define GRAY(width, height) \
 "video/x-raw,format=GRAY8,width=" G_STRINGIFY ( \
     width) ",height=" G_STRINGIFY (height) ",framerate=1/1"

typedef struct {
  guint x, y, width, height;
} Rectangle;

static const Rectangle white = {96, 24, 32, 16};

static const gdouble identity[] = {0.3, 0.1, 2, 1, 0, 0, 0};

/* A black frame with a white rectangle that is an object, a map of the same
 * numbers, and a camera that looks at the rectangle's middle. */
static GstBuffer *
white_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstVisionObject object;
  GstVisionMap map = {.kind = "labels",
      .format = "u8",
      .channels = 1,
      .width = WIDTH,
      .height = HEIGHT,
      .stride = WIDTH,
      .scale = 1,
      .invalid = NAN};
  GstVisionCamera camera;

  gst_buffer_memset (buffer, 0, 0, -1);
  for (guint y = white.y; y < white.y + white.height; y++)
    gst_buffer_memset (buffer, y * WIDTH + white.x, 255, white.width);
  GST_BUFFER_PTS (buffer) = 0;
  map.pixels = gst_buffer_copy_deep (buffer);
  gst_vision_object_init (&object);
  object.id = 1;
  object.x = white.x;
  object.y = white.y;
  object.width = white.width;
  object.height = white.height;
  object.cx = white.x + white.width / 2. - 0.5;
  object.cy = white.y + white.height / 2. - 0.5;
  object.area = white.width * white.height;
  object.orientation = 0;
  object.elongation = 2;
  object.pose = (GstVisionArray){7, identity};
  fail_unless (
      gst_buffer_add_vision_objects (buffer, 0, WIDTH, HEIGHT, &object, 1));
  gst_vision_camera_init (&camera);
  camera.ref_width = WIDTH;
  camera.ref_height = HEIGHT;
  camera.fx = 100;
  camera.fy = 200;
  camera.cx = object.cx;
  camera.cy = object.cy;
  fail_unless (gst_buffer_set_vision_camera (buffer, 0, &camera));
  fail_unless (gst_buffer_add_vision_map (buffer, 0, &map));
  gst_buffer_unref (map.pixels);
  return buffer;
}

/* The pixels that are brighter than half, of rows of @stride bytes. */
static Rectangle
find_white (const guint8 *data, guint width, guint height, guint stride)
{
  guint x0 = width, y0 = height, x1 = 0, y1 = 0;

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      if (data[y * stride + x] > 127) {
        x0 = MIN (x0, x);
        y0 = MIN (y0, y);
        x1 = MAX (x1, x + 1);
        y1 = MAX (y1, y + 1);
      }
  fail_unless (x1 > x0 && y1 > y0, "no white pixel");
  return (Rectangle){x0, y0, x1 - x0, y1 - y0};
}

static void
expect_near (const gchar *chain, const gchar *what, gdouble value, gdouble by,
    gdouble wanted)
{
  fail_unless (fabs (value - wanted) <= by, "%s: %s is %g, not %g", chain, what,
      value, wanted);
}

static void
check_boxes (const gchar *chain, GstBuffer *buffer, const GstVideoInfo *info,
    const Rectangle *seen, gdouble by)
{
  g_autoptr (GstVisionObjects) objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  const GstVisionObject *o;
  const GstVideoRegionOfInterestMeta *region =
      gst_buffer_get_video_region_of_interest_meta_id (buffer, 1);

  fail_unless (objects && objects->n_objects == 1, "%s: no object", chain);
  gst_vision_objects_scale (objects, info->width, info->height);
  o = &objects->objects[0];
  expect_near (chain, "x", o->x, by, seen->x);
  expect_near (chain, "y", o->y, by, seen->y);
  expect_near (chain, "width", o->width, 2 * by, seen->width);
  expect_near (chain, "height", o->height, 2 * by, seen->height);
  expect_near (chain, "cx", o->cx, by, seen->x + seen->width / 2. - .5);
  expect_near (chain, "cy", o->cy, by, seen->y + seen->height / 2. - .5);
  expect_near (chain, "orientation", fabs (o->orientation), .2,
      o->height > o->width ? G_PI / 2 : 0);
  fail_unless (region != NULL, "%s: no region", chain);
  expect_near (chain, "region x", region->x, by + 1, seen->x);
  expect_near (chain, "region y", region->y, by + 1, seen->y);
}

/* The camera looks at the middle of what is white. */
static void
check_camera (const gchar *chain, GstBuffer *buffer, const GstVideoInfo *info,
    const Rectangle *seen, gdouble by)
{
  GstVisionCamera camera;
  gdouble sx, sy, square;

  fail_unless (gst_buffer_get_vision_camera (buffer, 0, &camera));
  sx = (gdouble) info->width / camera.ref_width;
  sy = (gdouble) info->height / camera.ref_height;
  expect_near (chain, "camera.cx", (camera.cx + .5) * sx, by,
      seen->x + seen->width / 2.);
  expect_near (chain, "camera.cy", (camera.cy + .5) * sy, by,
      seen->y + seen->height / 2.);
  /* 100 of 32 pixels, and 200 of 16 */
  square = camera.fx * sx / seen->width;
  expect_near (chain, "fx", square, .1 * square,
      seen->height > seen->width ? 12.5 : 3.125);
}

static void
check_map (const gchar *chain, GstBuffer *buffer, const GstVideoInfo *info,
    const Rectangle *seen, gdouble by)
{
  GstVisionMap map;
  GstMapInfo bytes;
  Rectangle white_of_map;
  gdouble sx, sy;

  fail_unless (gst_buffer_find_vision_map (buffer, 0, "labels", &map));
  gst_buffer_map (map.pixels, &bytes, GST_MAP_READ);
  white_of_map = find_white (bytes.data, map.width, map.height, map.stride);
  gst_buffer_unmap (map.pixels, &bytes);
  sx = (gdouble) info->width / map.width;
  sy = (gdouble) info->height / map.height;
  expect_near (chain, "map x", white_of_map.x * sx, by, seen->x);
  expect_near (chain, "map y", white_of_map.y * sy, by, seen->y);
  expect_near (
      chain, "map width", white_of_map.width * sx, 2 * by, seen->width);
  expect_near (
      chain, "map height", white_of_map.height * sy, 2 * by, seen->height);
}

/* FALSE: one of its elements is not installed, which a word says. */
static gboolean
can_play (const gchar *chain)
{
  g_autoptr (GError) error = NULL;
  GstElement *bin = gst_parse_bin_from_description (chain, FALSE, &error);

  gst_clear_object (&bin);
  if (g_error_matches (
          error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT)) {
    g_print ("left out: %s: %s\n", chain, error->message);
    return FALSE;
  }
  fail_unless (error == NULL, "%s: %s", chain, error ? error->message : "");
  return TRUE;
}

static GstBuffer *
push_white (GstHarness *h)
{
  gst_harness_set_src_caps_str (h, GRAY (160, 120));
  return gst_harness_push_and_pull (h, white_frame ());
}

/* Each chain, and how far from the truth its pixels may be: 0, or that of a
 * filter which scales. */
static const struct {
  const gchar *chain;
  gdouble by;
} chains[] = {
    {"videocrop left=20 top=10 right=4 bottom=6", 0},
    {"videocrop left=-1 right=8 top=-1 ! "
     "capsfilter caps=video/x-raw,width=100,height=111",
        0},
    {"videocrop left=10 ! videocrop top=8 left=4", 0},
    {"capsfilter caps=video/x-raw,format=GRAY8 ! aspectratiocrop "
     "aspect-ratio=1/1",
        0},
    {"videobox left=12 top=6", 0},
    {"videobox left=-12 right=-8 top=6 bottom=-30", 0},
    {"videobox left=-10 right=10", 0},
    {"videoflip video-direction=identity", 0},
    {"videoflip video-direction=90r", 0},
    {"videoflip video-direction=180", 0},
    {"videoflip video-direction=90l", 0},
    {"videoflip video-direction=horiz", 0},
    {"videoflip video-direction=vert", 0},
    {"videoflip video-direction=ul-lr", 0},
    {"videoflip video-direction=ur-ll", 0},
    {"videoscale ! capsfilter caps=video/x-raw,width=80,height=60", 1},
    {"videoscale ! capsfilter caps=video/x-raw,width=320,height=120", 1},
    {"videoscale ! capsfilter "
     "caps=video/x-raw,width=160,height=160,pixel-aspect-ratio=1/1",
        1},
    {"videoscale ! capsfilter "
     "caps=video/x-raw,width=321,height=120,pixel-aspect-ratio=1/1",
        1},
    {"videoscale add-borders=false ! capsfilter "
     "caps=video/x-raw,width=160,height=160,pixel-aspect-ratio=1/1",
        1},
    /* one behind the other */
    {"videoscale ! capsfilter caps=video/x-raw,width=80,height=60 ! "
     "videocrop left=10 top=4 ! videoflip video-direction=90r ! "
     "videobox left=-6 top=-2 ! videoflip video-direction=horiz",
        1},
    {"queue ! videocrop left=20 ! videoconvert ! "
     "capsfilter caps=video/x-raw,format=I420 ! jpegenc quality=100 ! jpegdec "
     "! "
     "videoflip video-direction=180",
        1},
};

GST_START_TEST (test_results_follow)
{
  const gchar *chain = chains[__i__].chain;
  gdouble by = chains[__i__].by;
  g_autofree gchar *elements = g_strconcat (chain, " ! visionmeta", NULL);
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;
  GstVideoFrame frame;
  Rectangle seen;

  if (!can_play (elements))
    return;
  h = gst_harness_new_parse (elements);
  gst_element_set_bus (h->element, bus);
  buffer = push_white (h);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  seen = find_white (GST_VIDEO_FRAME_PLANE_DATA (&frame, 0), info.width,
      info.height, GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0));
  gst_video_frame_unmap (&frame);
  check_boxes (chain, buffer, &info, &seen, by);
  check_camera (chain, buffer, &info, &seen, by);
  check_map (chain, buffer, &info, &seen, by);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* The camera turns with its frame, so the pose of what it sees does, too; there
 * is no such camera for a mirrored frame. */
GST_START_TEST (test_poses_turn)
{
  static const struct {
    const gchar *direction;
    gdouble x, y, w, z;
    gboolean known;
  } turns[] = {{"90r", -0.1, 0.3, M_SQRT1_2, M_SQRT1_2, TRUE},
      {"180", -0.3, -0.1, 0, 1, TRUE},
      {"90l", 0.1, -0.3, M_SQRT1_2, -M_SQRT1_2, TRUE},
      {"horiz", 0, 0, 0, 0, FALSE}, {"ul-lr", 0, 0, 0, 0, FALSE}};
  g_autofree gchar *elements = g_strdup_printf (
      "videoflip video-direction=%s ! visionmeta", turns[__i__].direction);
  g_autoptr (Harness) h = gst_harness_new_parse (elements);
  g_autoptr (GstBuffer) buffer = push_white (h);
  g_autoptr (GstVisionObjects) objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  const GstVisionArray *pose = &objects->objects[0].pose;

  if (!turns[__i__].known) {
    fail_unless_equals_int (pose->n, 0);
    return;
  }
  fail_unless_equals_int (pose->n, 7);
  expect_near (elements, "tx", pose->values[0], 1e-12, turns[__i__].x);
  expect_near (elements, "ty", pose->values[1], 1e-12, turns[__i__].y);
  expect_near (elements, "tz", pose->values[2], 1e-12, 2);
  expect_near (elements, "qw", pose->values[3], 1e-12, turns[__i__].w);
  expect_near (elements, "qz", pose->values[6], 1e-12, turns[__i__].z);
}
GST_END_TEST;

/* Numbers with a direction are not those of a turned frame. */
GST_START_TEST (test_maps_with_a_direction)
{
  g_autoptr (Harness) h =
      gst_harness_new_parse ("videoflip name=turn ! visionmeta");
  g_autoptr (GstElement) turn = gst_harness_find_element (h, "videoflip");
  GstBuffer *buffer = white_frame ();
  GstVisionMap map;

  gst_buffer_find_vision_map (buffer, 0, "labels", &map);
  map.kind = "disparity";
  gst_buffer_add_vision_map (buffer, 0, &map);
  gst_util_set_object_arg (G_OBJECT (turn), "video-direction", "horiz");
  gst_harness_set_src_caps_str (h, GRAY (160, 120));
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (gst_buffer_find_vision_map (buffer, 0, "labels", &map));
  fail_unless (!gst_buffer_find_vision_map (buffer, 0, "disparity", &map));
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* No result is better than a wrong one, and a warning an element says so. */
GST_START_TEST (test_unknown_move)
{
  static const gchar elements[] = "rotate angle=0.5 ! visionmeta";
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstVisionObjects *objects;

  if (!can_play (elements))
    return;
  h = gst_harness_new_parse (elements);
  gst_element_set_bus (h->element, bus);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = push_white (h);

    objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
    fail_unless (objects == NULL);
    fail_unless (!gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT));
    fail_unless_equals_int (n_regions (buffer), 0);
  }
  expect_once (
      bus, GST_MESSAGE_WARNING, "results of vision elements are dropped");
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* CUDA elements drop all metas with tags. */
#define ON_GPU \
 "videoconvert ! capsfilter caps=video/x-raw,format=NV12 ! cudaupload ! " \
 "cudascale ! capsfilter " \
 "caps=video/x-raw(memory:CUDAMemory),width=80,height=60 ! cudadownload"

/* What does not move pixels changes nothing, not even the reference size. */
GST_START_TEST (test_results_stay)
{
  static const gchar *const same[] = {"queue", "identity", "videoconvert",
      "tee", "videoconvert ! capsfilter caps=video/x-raw,format=NV12",
      "videoconvert ! alpha", "videoconvert ! agingtv", ON_GPU,
      "videoscale ! capsfilter caps=video/x-raw,width=80,height=60"};
  g_autofree gchar *elements = g_strconcat (same[__i__], " ! visionmeta", NULL);
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBuffer) in = NULL, out = NULL;
  static const gchar *const names[] = {
      "VisionObjects", "VisionCamera", "VisionMaps"};

  if (!can_play (elements))
    return;
  h = gst_harness_new_parse (elements);
  in = white_frame ();
  gst_harness_set_src_caps_str (h, GRAY (160, 120));
  out = gst_harness_push_and_pull (h, gst_buffer_ref (in));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstCustomMeta *old = gst_buffer_get_custom_meta (in, names[i]);
    GstCustomMeta *new = gst_buffer_get_custom_meta (out, names[i]);

    fail_unless (new != NULL, "%s loses %s", same[__i__], names[i]);
    fail_unless (gst_structure_is_equal (gst_custom_meta_get_structure (old),
                     gst_custom_meta_get_structure (new)),
        "%s changes %s", same[__i__], names[i]);
  }
}
GST_END_TEST;

SUITE (metafollow, LOOP (test_results_follow, G_N_ELEMENTS (chains)),
    LOOP (test_poses_turn, 5), TEST (test_maps_with_a_direction),
    TEST (test_unknown_move), LOOP (test_results_stay, 9));
