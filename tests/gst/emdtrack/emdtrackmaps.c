/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack: the distance of every pixel, as maps and as video. */
#include "suite.h"
#include "common/image.h"
#include "emdtrackstage.h"

/* The square's pixels are nearer to the target than those of the ground. */
static void
check_map (Stage *s, const GstVisionMap *map)
{
  gdouble inside = 0, outside = 0;
  GstMapInfo info;

  fail_unless_equals_int (map->width, WIDTH);
  fail_unless_equals_int (map->height, HEIGHT);
  fail_unless_equals_string (map->format, "u16");
  fail_unless (gst_buffer_map (map->pixels, &info, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gdouble v = map->scale *
          *(const guint16 *) (const gpointer) (
              info.data + y * map->stride + 2 * x);
      gboolean in = x >= s->x + 8 && x < s->x + SIDE - 8 && y >= Y + 8 &&
          y < Y + SIDE - 8;

      fail_unless (v >= 0 && v <= 15.001); /* the saturation */
      if (in)
        inside = MAX (inside, v);
      else if (x < s->x - 8 || x > s->x + SIDE + 8)
        outside = MAX (outside, v);
    }
  gst_buffer_unmap (map->pixels, &info);
  fail_unless (inside < outside / 2, "%g, %g", inside, outside);
  fail_unless (outside > 14);
}

GST_START_TEST (test_maps)
{
  static const gchar *solvers[] = {"auto", "reuse", "paper"};
  Stage s =
      stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS ";ground:100,80,30,30");
  GstVisionMap map;

  g_object_set (s.h->element, "emd-map", TRUE, NULL);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  for (guint i = 0; i < G_N_ELEMENTS (solvers); i++) {
    g_autoptr (GstBuffer) buffer = NULL;

    gst_util_set_object_arg (G_OBJECT (s.h->element), "solver", solvers[i]);
    buffer = gst_harness_push_and_pull (s.h, stage_frame (&s));
    fail_unless_equals_int (
        gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT), 2);
    fail_unless (
        gst_buffer_nth_vision_map (buffer, GST_VISION_ORIGIN_RESULT, 0, &map));
    fail_unless_equals_string (map.kind, "emd");
    check_map (&s, &map);
  }
  fail_unless (stat_number (s.h->element, "emd-distinct") > 0);
  gst_util_set_object_arg (G_OBJECT (s.h->element), "solver", "reuse");
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (gst_harness_push_and_pull (s.h, stage_frame (&s)));
  fail_unless (stat_number (s.h->element, "emd-unchanged") +
          stat_number (s.h->element, "emd-own") +
          stat_number (s.h->element, "emd-equal") +
          stat_number (s.h->element, "emd-neighbour") +
          stat_number (s.h->element, "emd-table") +
          stat_number (s.h->element, "emd-simplex") ==
      2 * WIDTH * HEIGHT);
  fail_unless (stat_number (s.h->element, "emd-unchanged") > WIDTH * HEIGHT);
  stage_free (&s);
}
GST_END_TEST;

/* The map as the video: grey, of the size of a frame, dark at the square; white
 * as long as there is no target. */
GST_START_TEST (test_output)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, NULL);
  g_autoptr (GstCaps) caps = NULL;
  gint width;

  gst_util_set_object_arg (G_OBJECT (s.h->element), "output", "map");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  for (gint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_harness_push_and_pull (s.h, stage_frame (&s));
    guint16 inside, outside;

    fail_unless_equals_int (gst_buffer_get_size (buffer), 2 * WIDTH * HEIGHT);
    gst_buffer_extract (buffer, 2 * ((Y + 12) * WIDTH + s.x + 12), &inside, 2);
    gst_buffer_extract (buffer, 2 * ((Y + 12) * WIDTH + 150), &outside, 2);
    fail_unless (i ? inside < 20000 : inside == 65535, "%u", inside);
    fail_unless (outside > 60000, "%u", outside);
    gst_buffer_unref (buffer);
    g_object_set (s.h->element, "targets", "32,40,24,24", NULL);
  }
  caps = gst_pad_get_current_caps (s.h->sinkpad);
  fail_unless (gst_structure_get_int (
      gst_caps_get_structure (caps, 0), "width", &width));
  fail_unless_equals_int (width, WIDTH);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format"),
      "GRAY16_LE");
}
GST_END_TEST;

/* @line gives frames and takes the map, @map is what it is then. */
static void
negotiate (const gchar *line, const gchar *map)
{
  g_autoptr (Harness) h = gst_harness_new_parse (line);
  g_autoptr (GstCaps) wanted = gst_caps_from_string (map), caps = NULL;
  g_autoptr (GstBuffer) buffer = NULL;

  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_caps_is_subset (caps, wanted), "%s: %s", line,
      gst_caps_to_string (caps));
}

#define SCENE "visiontestsrc num-buffers=1 pattern=multispectral "
#define MAP \
 " ! emdtrack output=map targets=0,0,30,30 ! capsfilter caps=video/x-raw"
#define GREY "video/x-raw, format=GRAY16_LE, "

/* A size that is asked for is that of the map, and frames come to have it. */
GST_START_TEST (test_output_size)
{
  negotiate (SCENE "channels=4" MAP, GREY "width=640, height=480");
  negotiate (SCENE "channels=4" MAP ",width=200,height=100",
      GREY "width=200, height=100");
  negotiate (SCENE "channels=2 ! video/x-raw,height=100" MAP,
      GREY "width=640, height=50");
  negotiate (SCENE "channel-layout=mosaic" MAP, GREY "width=160, height=120");
  negotiate (SCENE "channel-layout=mosaic mosaic-side=3" MAP
                   ",width=100,height=60",
      GREY "width=100, height=60");
  negotiate ("visiontestsrc num-buffers=1" MAP ",width=96",
      GREY "width=96, height=480");
  negotiate ("visiontestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=120,"
             "height=90 ! emdtrack output=map targets=0,0,30,30 "
             "channel-layout=mosaic mosaic-pattern=5x3 ! capsfilter "
             "caps=video/x-raw,width=24",
      GREY "width=24, height=30");
}
GST_END_TEST;

/* Twice the map's size does not fit 32 bits. */
GST_START_TEST (test_output_huge)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  g_autoptr (GstCaps) caps = NULL;

  gst_util_set_object_arg (G_OBJECT (s.h->element), "output", "map");
  gst_harness_set_sink_caps_str (s.h,
      "video/x-raw, format=GRAY16_LE, width=2000000000, height=2000000000");
  caps = gst_pad_peer_query_caps (s.h->srcpad, NULL);
  fail_unless (caps != NULL);
}
GST_END_TEST;

/* Frames that cannot come to have it. */
GST_START_TEST (test_output_refused)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, NULL);

  gst_util_set_object_arg (G_OBJECT (s.h->element), "output", "map");
  gst_harness_set_sink_caps_str (s.h, "video/x-raw, width=320");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  expect_text (
      gst_bus_pop_filtered (s.bus, GST_MESSAGE_ERROR), "does not take");
}
GST_END_TEST;

/* The number of values of the map of the next frame, and the box around them,
 * which is empty without one. */
static guint
values_of_map (Stage *s, ImageBox *around)
{
  g_autoptr (GstBuffer) buffer =
      gst_harness_push_and_pull (s->h, stage_frame (s));
  GstVisionMap map;
  GstMapInfo info;
  guint n = 0;

  *around = (ImageBox){WIDTH, HEIGHT, 0, 0};
  fail_unless (
      gst_buffer_nth_vision_map (buffer, GST_VISION_ORIGIN_RESULT, 0, &map));
  fail_unless (gst_buffer_map (map.pixels, &info, GST_MAP_READ));
  for (gint y = 0; y < (gint) map.height; y++)
    for (gint x = 0; x < (gint) map.width; x++)
      if (*(const guint16 *) (const gpointer) (
              info.data + y * map.stride + 2 * x) != map.invalid) {
        n++;
        around->x0 = MIN (around->x0, x);
        around->y0 = MIN (around->y0, y);
        around->x1 = MAX (around->x1, x + 1);
        around->y1 = MAX (around->y1, y + 1);
      }
  gst_buffer_unmap (map.pixels, &info);
  return n;
}

/* A region may change between any two frames; a text that is none is refused
 * with a sentence, and the region stays. */
GST_START_TEST (test_region)
{
  static const gchar *wrong[] = {"nonsense", "1,2,3", "1,2,3,4,5", "1,2,0,4",
      "1,2,3,-4", "-1,0,9,9", "0,0,99999,9", "1,2,3,4x"};
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  ImageBox around;

  g_object_set (s.h->element, "emd-map", TRUE, "region", "20,30,50,40", NULL);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  fail_unless_equals_int (values_of_map (&s, &around), 50 * 40);
  fail_unless (
      around.x0 == 20 && around.y0 == 30 && around.x1 == 70 && around.y1 == 70);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_object_set (s.h->element, "region", wrong[i], NULL);
    expect_once (s.bus, GST_MESSAGE_WARNING, "is not x,y,width,height");
    fail_unless_equals_int (values_of_map (&s, &around), 50 * 40);
  }
  g_object_set (s.h->element, "region", "150,110,50,40", NULL);
  fail_unless_equals_int (values_of_map (&s, &around), 10 * 10);
  g_object_set (s.h->element, "region", "160,0,5,5", NULL); /* outside */
  fail_unless_equals_int (values_of_map (&s, &around), 0);
  g_object_set (s.h->element, "region", "", NULL);
  fail_unless_equals_int (values_of_map (&s, &around), WIDTH * HEIGHT);
  expect_silence (s.bus);
}
GST_END_TEST;

/* The places of the square in the next frame: all lie in @within. */
static guint
square_places (Stage *s, ImageBox within)
{
  g_autoptr (GstVisionObjects) found = stage_push (s);
  guint n = 0;

  for (guint i = 0; i < found->n_objects; i++) {
    const GstVisionObject *o = &found->objects[i];

    if (o->id)
      continue;
    fail_unless_equals_string (o->element, "emdtrack");
    fail_unless_equals_string (o->label, "square");
    fail_unless_equals_int (o->state, GST_VISION_STATE_FOUND);
    fail_unless (o->area > 0 && o->area <= o->width * o->height);
    fail_unless (o->x >= within.x0 && o->x + o->width <= within.x1 &&
        o->y >= within.y0 && o->y + o->height <= within.y1);
    fail_unless (o->cx >= o->x && o->cx < o->x + o->width && o->cy >= o->y &&
        o->cy < o->y + o->height);
    fail_unless (o->distance >= 0 && o->distance < .3);
    n++;
  }
  return n;
}

/* The square is a place of its own; behind the region's sides nothing is. */
GST_START_TEST (test_detect)
{
  ImageBox around = {START_X - 6, Y - 6, START_X + SIDE + 16, Y + SIDE + 6};
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);

  g_object_set (s.h->element, "detect", .3, NULL);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (square_places (&s, around), 1);
  fail_unless (stat_number (s.h->element, "emd-places") == 1);
  s.hidden = TRUE;
  fail_unless_equals_int (square_places (&s, around), 0);
  s.hidden = FALSE;
  g_object_set (s.h->element, "region", "100,0,60,120", NULL);
  fail_unless_equals_int (square_places (&s, around), 0);
  g_object_set (s.h->element, "region", NULL, "detect", 0., NULL);
  fail_unless_equals_int (square_places (&s, around), 0);
  expect_silence (s.bus);
}
GST_END_TEST;

/* A grey frame of dark pixels and, at every fourth of every fourth row, light
 * ones. */
static GstBuffer *
dotted_frame (guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo info;

  gst_buffer_map (buffer, &info, GST_MAP_WRITE);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    info.data[i] = i % WIDTH % 4 || i / WIDTH % 4 ? 20 : 240;
  gst_buffer_unmap (buffer, &info);
  return fed_frame (buffer, n);
}

/* A threshold that everything passes: at most max-objects, and it is said, but
 * once. */
GST_START_TEST (test_too_many)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, "dots:0,0,16,16");

  g_object_set (s.h->element, "detect", 1., "window", 1, "bins", 8, NULL);
  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", "intensity");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT));
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstVisionObjects) found =
        fed_objects (s.h, dotted_frame (s.n++));

    /* all but the light pixels, which are as far as can be, are one place */
    fail_unless_equals_int (found->n_objects, 1 + 1);
    fail_unless (found->objects[1].area == WIDTH * HEIGHT * 15 / 16);
  }
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_INFO) == NULL);
  g_object_set (
      s.h->element, "targets", "dots:0,0,1,1", "max-objects", 7, NULL);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstVisionObjects) found =
        fed_objects (s.h, dotted_frame (s.n++));

    fail_unless_equals_int (found->n_objects, 1 + 7);
    fail_unless (
        stat_number (s.h->element, "emd-places") == WIDTH / 4 * HEIGHT / 4);
  }
  expect_once (s.bus, GST_MESSAGE_INFO,
      "1200 places look like \"dots\"; the 7 largest are reported");
  expect_silence (s.bus);
}
GST_END_TEST;

SUITE (emdtrackmaps, TIMEOUT (120), TEST (test_maps), TEST (test_output),
    TEST (test_output_size), TEST (test_output_huge),
    TEST (test_output_refused), TEST (test_region), TEST (test_detect),
    TEST (test_too_many));
