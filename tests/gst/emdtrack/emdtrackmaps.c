/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack: the distance of every pixel, as maps and as video. */
#include "suite.h"
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

SUITE (emdtrackmaps, TIMEOUT (120), TEST (test_maps), TEST (test_output),
    TEST (test_output_size), TEST (test_output_huge),
    TEST (test_output_refused));
