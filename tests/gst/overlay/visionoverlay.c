/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visionoverlay: pixels change where they must, and nowhere else.
 */
#include "suite.h"
#include "drawn.h"

static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,
    GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE};

/* Pushes a grey frame with @objects of a reference size of 64 x 48. */
static GstBuffer *
draw (GstHarness *h, const GstVideoInfo *info, const GstVisionObject *objects,
    guint n)
{
  GstBuffer *buffer = grey_frame (info);

  if (n)
    fail_unless (gst_buffer_add_vision_objects (
        buffer, GST_VISION_ORIGIN_RESULT, 64, 48, objects, n));
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

static guint
count (GstHarness *h, const GstVideoInfo *info, const GstVisionObject *objects,
    guint n)
{
  g_autoptr (GstBuffer) buffer = draw (h, info, objects, n);
  guint bytes = changed (buffer);

  return bytes;
}

/* The box of an object at (10, 10) to (30, 26) lies around it, 2 pixels wide,
 * with one of shade on either side; what is inside and further out stays. */
GST_START_TEST (test_formats)
{
  GstVisionObject o = object_at (10, 10, 20, 16);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    gint big = formats[i] == GST_VIDEO_FORMAT_P010_10LE ||
        formats[i] == GST_VIDEO_FORMAT_GRAY16_LE;
    g_autoptr (Harness) h =
        gst_harness_new_parse ("visionoverlay show=box line-width=2");
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;

    fed_caps (h, &info, formats[i], 63, 47);
    buffer = draw (h, &info, &o, 1);
    fail_unless (pixel (buffer, &info, 20, 8, big) != GREY);
    fail_unless (pixel (buffer, &info, 20, 9, big) != GREY);
    fail_unless (pixel (buffer, &info, 20, 27, big) != GREY);
    fail_unless (pixel (buffer, &info, 8, 18, big) != GREY);
    fail_unless (pixel (buffer, &info, 29, 18, big) != GREY);
    fail_unless_equals_int (pixel (buffer, &info, 20, 18, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 20, 4, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 40, 18, big), GREY);
    fail_unless_equals_int (pixel (buffer, &info, 62, 46, big), GREY);
  }
}
GST_END_TEST;

GST_START_TEST (test_untouched)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    fed_caps (h, &info, formats[i], 63, 47);
    fail_unless_equals_int (count (h, &info, NULL, 0), 0);
    o.state = GST_VISION_STATE_LOST;
    fail_unless_equals_int (count (h, &info, &o, 1), 0);
  }
  o.state = GST_VISION_STATE_TRACKING;
  g_object_set (h->element, "show", 0, NULL);
  fail_unless_equals_int (count (h, &info, &o, 1), 0);
}
GST_END_TEST;

/* Objects are in pixels of their own reference size. */
GST_START_TEST (test_scaled)
{
  g_autoptr (Harness) h =
      gst_harness_new_parse ("visionoverlay show=box line-width=1");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = NULL;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 128, 144);
  buffer = draw (h, &info, &o, 1);
  fail_unless (pixel (buffer, &info, 19, 50, 0) != GREY);
  fail_unless (pixel (buffer, &info, 60, 50, 0) != GREY);
  fail_unless (pixel (buffer, &info, 40, 29, 0) != GREY);
  fail_unless (pixel (buffer, &info, 40, 78, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 40, 50, 0), GREY);
}
GST_END_TEST;

/* A label that names a colour is drawn in it; of a box that is occluded, less
 * is; that of a rejected object is grey. */
GST_START_TEST (test_states)
{
  g_autoptr (Harness) h = gst_harness_new_parse (
      "visionoverlay show=box line-width=1 states=tracking+occluded+rejected");
  GstVisionObject o = object_at (4, 4, 50, 36);
  guint red[3] = {0}, i = 0;
  GstVideoInfo info;

  o.label = "red";
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (; i < 3; i++) {
    static const GstVisionState states[] = {GST_VISION_STATE_TRACKING,
        GST_VISION_STATE_OCCLUDED, GST_VISION_STATE_REJECTED};
    g_autoptr (GstBuffer) buffer = NULL;

    o.state = states[i];
    buffer = draw (h, &info, &o, 1);
    for (gint x = 8; x < 50; x++)
      red[i] += pixel (buffer, &info, x, 3, 0) > 240 &&
          pixel (buffer, &info, x, 3, 1) < 128;
  }
  fail_unless_equals_int (red[0], 42);
  fail_unless (red[1] > 10 && red[1] < 32, "%u pixels are dashes", red[1]);
  fail_unless_equals_int (red[2], 0);
}
GST_END_TEST;

/* The object moves to the right; its trail is behind it, until a flush, and
 * fades away when the object is gone. */
GST_START_TEST (test_trail)
{
  g_autoptr (Harness) h = gst_harness_new_parse ("visionoverlay show=trail");
  GstVideoInfo info;
  GstBuffer *buffer = NULL;
  guint before, n;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (gint i = 0; i < 10; i++) {
    GstVisionObject o = object_at (4 * i, 20, 9, 9);

    gst_clear_buffer (&buffer);
    buffer = draw (h, &info, &o, 1);
  }
  fail_unless (pixel (buffer, &info, 38, 24, 0) != GREY);
  fail_unless (pixel (buffer, &info, 14, 24, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 50, 24, 0), GREY);
  fail_unless_equals_int (pixel (buffer, &info, 24, 34, 0), GREY);
  before = changed (buffer);
  gst_buffer_unref (buffer);
  for (gint i = 0; i < 60; i++) {
    n = count (h, &info, NULL, 0);
    fail_unless (n < before + before / 4, "%u after %u", n, before);
  }
  fail_unless_equals_int (n, 0);

  for (gint i = 0; i < 10; i++) {
    GstVisionObject o = object_at (4 * i, 20, 9, 9);

    if (i == 9) {
      gst_harness_push_event (h, gst_event_new_flush_start ());
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    }
    n = count (h, &info, &o, 1);
  }
  fail_unless_equals_int (n, 0);
}
GST_END_TEST;

/* The frame after two objects of the element @source crossed each other. */
static GstBuffer *
draw_crossing (const gchar *source)
{
  g_autoptr (Harness) h = gst_harness_new_parse ("visionoverlay show=trail");
  GstBuffer *buffer = NULL;
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (gint i = 0; i < 10; i++) {
    GstVisionObject o[2] = {
        object_at (4 * i, 4 * i, 9, 9), object_at (4 * i, 36 - 4 * i, 9, 9)};

    for (guint k = 0; k < 2; k++) {
      o[k].id = k + 1;
      o[k].label = k ? "red" : "green";
      o[k].source = source;
    }
    gst_clear_buffer (&buffer);
    buffer = draw (h, &info, o, 2);
  }
  return buffer;
}

/* Which trail lies over the other depends on when they began, not on names. */
GST_START_TEST (test_trail_order)
{
  g_autoptr (GstBuffer) first = draw_crossing ("moct0");
  GstMapInfo map;

  fail_unless (changed (first) > 0);
  fail_unless (gst_buffer_map (first, &map, GST_MAP_READ));
  for (guint i = 1; i < 20; i++) {
    g_autofree gchar *source = g_strdup_printf ("moct%u", i);
    g_autoptr (GstBuffer) other = draw_crossing (source);

    fail_unless_equals_int (
        gst_buffer_memcmp (other, 0, map.data, map.size), 0);
  }
  gst_buffer_unmap (first, &map);
}
GST_END_TEST;

/* Pixels that a trail changed at column @x. */
static guint
column (GstBuffer *buffer, const GstVideoInfo *info, gint x)
{
  guint n = 0;

  for (gint y = 0; y < info->height; y++)
    n += pixel (buffer, info, x, y, 0) != GREY;
  return n;
}

/* An object moves from left to right, a step a frame, in frames that are
 * @interval apart; the last of @n.  @away: in that frame it is not seen, nor in
 * the 3 that follow; @jump: from that frame on it is that many pixels further.
 */
static GstBuffer *
run (GstHarness *h, const GstVideoInfo *info, GstClockTime interval, gint n,
    gdouble step, gint away, gint jump)
{
  GstBuffer *out = NULL;

  for (gint i = 0; i < n; i++) {
    gint x = (gint) (4 + step * i) + (jump && i >= 8 ? jump : 0);
    GstVisionObject o = object_at (x - 4, 20, 9, 9);
    GstBuffer *buffer = grey_frame (info);

    GST_BUFFER_PTS (buffer) = i * interval;
    if (!away || i < away || i >= away + 4)
      gst_buffer_add_vision_objects (
          buffer, GST_VISION_ORIGIN_RESULT, 64, 48, &o, 1);
    gst_clear_buffer (&out);
    out = gst_harness_push_and_pull (h, buffer);
  }
  return out;
}

/* Trails reach back in seconds, whatever the rate; they do not bridge frames in
 * which the object is away, or a jump. */
GST_START_TEST (test_trail_time)
{
  static const struct {
    GstClockTime interval;
    gint n;
    gdouble step;
    gint away, jump;
    gint drawn[2], empty[2]; /* columns */
  } cases[] = {{40 * GST_MSECOND, 16, 3, 0, 0, {45, 18}, {8, 8}},
      {200 * GST_MSECOND, 4, 15, 0, 0, {45, 22}, {8, 8}},
      {40 * GST_MSECOND, 16, 3, 7, 0, {47, 20}, {30, 30}},
      {40 * GST_MSECOND, 16, 1, 0, 40, {55, 8}, {20, 40}}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (Harness) h = gst_harness_new_parse (
        "visionoverlay show=trail line-width=1 trail-time=.5");
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;

    fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    buffer = run (h, &info, cases[i].interval, cases[i].n, cases[i].step,
        cases[i].away, cases[i].jump);
    for (gint k = 0; k < 2; k++) {
      fail_unless (column (buffer, &info, cases[i].drawn[k]) > 0,
          "case %u: nothing at %d", i, cases[i].drawn[k]);
      fail_unless_equals_int (column (buffer, &info, cases[i].empty[k]), 0);
    }
  }
}
GST_END_TEST;

/* Four objects of two elements; each choice leaves the boxes that it should. */
GST_START_TEST (test_choice)
{
  static const struct {
    const gchar *properties;
    const gchar *drawn; /* a digit for each */
  } cases[] = {{"", "1101"}, {"elements=moct", "1000"},
      {"elements=gpuccl", "0101"}, {"elements=\"moct, gpuccl\"", "1101"},
      {"elements=moc", "0000"}, {"sources=second", "0101"},
      {"labels=cup", "1000"}, {"labels=cu,cup", "1000"},
      {"states=rejected", "0010"}, {"states=new+rejected", "0110"},
      {"merge=false", "1101"}, {"merge=false labels=cup,plate", "1001"}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "visionoverlay show=box line-width=1 %s", cases[i].properties);
    g_autoptr (Harness) h = gst_harness_new_parse (line);
    GstVisionObject o[4];
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;

    for (guint k = 0; k < 4; k++) {
      o[k] = object_at (4 + 15 * k, 10, 8, 20);
      o[k].element = k ? "gpuccl" : "moct";
      o[k].source = k ? "second" : "first";
      o[k].state = k == 1 ? GST_VISION_STATE_NEW
          : k == 2        ? GST_VISION_STATE_REJECTED
                          : GST_VISION_STATE_TRACKING;
    }
    o[0].label = "cup";
    o[3].label = "plate";
    fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    buffer = draw (h, &info, o, 4);
    for (gint k = 0; k < 4; k++)
      fail_unless ((pixel (buffer, &info, 3 + 15 * k, 20, 0) != GREY) ==
              (cases[i].drawn[k] == '1'),
          "%s: object %d", line, k);
  }
}
GST_END_TEST;

/* One thing that two elements found has one box, of the one with a label; two
 * of one element that overlap are two. */
GST_START_TEST (test_merge)
{
  for (gint merge = 0; merge < 2; merge++)
    for (gint two = 0; two < 2; two++) {
      g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
      GstVisionObject o[2] = {
          object_at (10, 10, 30, 20), object_at (13, 10, 30, 20)};
      GstVideoInfo info;
      g_autoptr (GstBuffer) buffer = NULL;

      o[two].source = two ? "other" : "moct0";
      o[1].label = "cup";
      gst_util_set_object_arg (G_OBJECT (h->element), "show", "box");
      g_object_set (h->element, "merge", merge, "line-width", 1, NULL);
      fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
      buffer = draw (h, &info, o, 2);
      fail_unless (pixel (buffer, &info, 43, 20, 0) != GREY);
      fail_unless (
          (pixel (buffer, &info, 9, 20, 0) != GREY) == !(merge && two));
    }
}
GST_END_TEST;

/* Of two objects of one label and one element, each way to colour. */
GST_START_TEST (test_color_by)
{
  static const struct {
    const gchar *by;
    gboolean differ[2]; /* another id, another element */
  } cases[] = {{"label", {FALSE, FALSE}}, {"id", {TRUE, FALSE}},
      {"element", {FALSE, TRUE}}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint other = 0; other < 2; other++) {
      g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
      GstVisionObject o[2] = {
          object_at (4, 10, 20, 20), object_at (34, 10, 20, 20)};
      gboolean differ = FALSE;
      GstVideoInfo info;
      g_autoptr (GstBuffer) buffer = NULL;

      o[0].label = o[1].label = "cup";
      if (other)
        o[1].source = "another";
      else
        o[1].id = 2;
      gst_util_set_object_arg (G_OBJECT (h->element), "show", "box");
      gst_util_set_object_arg (G_OBJECT (h->element), "color-by", cases[i].by);
      fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
      buffer = draw (h, &info, o, 2);
      for (gint c = 0; c < 3; c++)
        differ |=
            pixel (buffer, &info, 3, 20, c) != pixel (buffer, &info, 33, 20, c);
      fail_unless (
          differ == cases[i].differ[other], "%s %d", cases[i].by, other);
    }
}
GST_END_TEST;

/* Sixteen labels have sixteen colours. */
GST_START_TEST (test_label_colours)
{
  static const gchar *const labels[] = {"mug", "cup", "can", "box", "key",
      "pen", "toy", "hat", "jar", "pot", "lid", "nut", "peg", "rod", "cap",
      "bat"};
  GstVisionObject o[G_N_ELEMENTS (labels)];
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  g_autoptr (GHashTable) colours = g_hash_table_new (NULL, NULL);
  g_autoptr (GstBuffer) buffer = NULL;
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    o[i] = object_at (3 + 15 * (i % 4), 3 + 11 * (i / 4), 10, 6);
    o[i].id = i;
    o[i].label = labels[i];
  }
  gst_util_set_object_arg (G_OBJECT (h->element), "show", "box");
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  buffer = draw (h, &info, o, G_N_ELEMENTS (labels));
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    guint x = 2 + 15 * (i % 4), y = 6 + 11 * (i / 4), colour = 0;

    for (gint c = 0; c < 3; c++)
      colour = colour << 8 | pixel (buffer, &info, x, y, c);
    fail_unless (g_hash_table_add (colours, GUINT_TO_POINTER (colour)),
        "%s has the colour of another label", labels[i]);
  }
}
GST_END_TEST;

/* Labels that have names have the colours of objects with these labels, in the
 * overlay and in visionmap. */
GST_START_TEST (test_named_labels)
{
  static const guint8 numbers[] = {1, 2, 1, 2, 1, 2, 1, 2};
  static const gchar *const names[] = {"mug", "blue"};
  GstVisionMap map = {.kind = "labels",
      .format = "u8",
      .channels = 1,
      .width = 2,
      .height = 4,
      .stride = 2,
      .scale = 1,
      .invalid = 0,
      .names = "mug;blue"};
  GstHarness *h[2] = {
      gst_harness_new ("visionoverlay"), gst_harness_new ("visionmap")};
  GstVideoInfo info, small;

  gst_util_set_object_arg (G_OBJECT (h[0]->element), "show", "box");
  g_object_set (
      h[0]->element, "map", "labels", "opacity", 1., "line-width", 2, NULL);
  gst_harness_set_sink_caps_str (h[1], "video/x-raw,format=RGB");
  gst_video_info_set_format (&small, GST_VIDEO_FORMAT_RGB, 2, 4);
  for (gint k = 0; k < 2; k++) {
    GstVisionObject o = object_at (10, 10, 40, 20);
    GstBuffer *out[2];

    o.label = names[k];
    for (gint i = 0; i < 2; i++) {
      fed_caps (h[i], &info, GST_VIDEO_FORMAT_RGB, 64, 48);
      out[i] = grey_frame (&info);
      map.pixels = gst_buffer_new_memdup (numbers, sizeof numbers);
      fed_map (out[i], GST_VISION_ORIGIN_RESULT, map);
      gst_buffer_add_vision_objects (
          out[i], GST_VISION_ORIGIN_RESULT, 64, 48, &o, 1);
      out[i] = gst_harness_push_and_pull (h[i], out[i]);
    }
    for (gint c = 0; c < 3; c++) {
      guint box = pixel (out[0], &info, 30, 9, c);

      fail_unless_equals_int (pixel (out[0], &info, k ? 60 : 2, 40, c), box);
      fail_unless_equals_int (pixel (out[1], &small, k, 2, c), box);
    }
    gst_buffer_unref (out[0]);
    gst_buffer_unref (out[1]);
  }
  gst_harness_teardown (h[0]);
  gst_harness_teardown (h[1]);
}
GST_END_TEST;

/* The rate, when it is known, and the legend are in the upper left corner. */
GST_START_TEST (test_corner)
{
  GstVisionObject o = object_at (50, 40, 10, 6);

  o.label = "cup";
  for (gint legend = 0; legend < 2; legend++) {
    g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
    GstVideoInfo info;

    gst_util_set_object_arg (
        G_OBJECT (h->element), "show", legend ? "legend" : "rate");
    fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    fail_unless_equals_int (count (h, &info, &o, 1) > 0, legend);
    g_usleep (G_USEC_PER_SEC * 6 / 10);
    fail_unless (count (h, &info, &o, 1) > 0);
  }
}
GST_END_TEST;

/* A trajectory that the object brings is its trail from the first frame on. */
GST_START_TEST (test_trajectory)
{
  static const gdouble points[] = {5, 40, 30, 40, 30, 10};
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (26, 6, 9, 9);
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = NULL;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "trail");
  o.trajectory = (GstVisionArray){6, points};
  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  buffer = draw (h, &info, &o, 1);
  fail_unless (pixel (buffer, &info, 20, 40, 0) != GREY);
  fail_unless (pixel (buffer, &info, 30, 20, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 15, 20, 0), GREY);
}
GST_END_TEST;

GST_START_TEST (test_properties_while_playing)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 20, 20, 16);
  guint thin, thick, small, large;
  GstVideoInfo info;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "box");
  g_object_set (h->element, "line-width", 1, NULL);
  o.label = "cup";
  o.score = .5;
  o.state = GST_VISION_STATE_TRACKING;
  o.orientation = .3;
  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  thin = count (h, &info, &o, 1);
  g_object_set (h->element, "line-width", 3, NULL);
  thick = count (h, &info, &o, 1);
  fail_unless (thick > thin && thin > 0);
  gst_util_set_object_arg (G_OBJECT (h->element), "show", "label");
  g_object_set (h->element, "font-size", 8, NULL);
  small = count (h, &info, &o, 1);
  g_object_set (h->element, "font-size", 16, NULL);
  large = count (h, &info, &o, 1);
  fail_unless (large > small && small > 0);
  for (const gchar *const *part = (const gchar *[]){"id", "state", "score",
           "centroid", "orientation", NULL};
       *part; part++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "show", *part);
    fail_unless (count (h, &info, &o, 1) > 0, "%s is not shown", *part);
  }
}
GST_END_TEST;

/* An object without a state has no plate for it. */
GST_START_TEST (test_no_state)
{
  g_autoptr (Harness) h = gst_harness_new_parse ("visionoverlay show=state");
  GstVisionObject o = object_at (10, 20, 20, 16);
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  fail_unless_equals_int (count (h, &info, &o, 1), 0);
  o.state = GST_VISION_STATE_TRACKING;
  fail_unless (count (h, &info, &o, 1) > 0);
}
GST_END_TEST;

/* Places near the greatest double leave no trail; what they do to the sums of
 * one is seen by the sanitizers. */
GST_START_TEST (test_trail_far_away)
{
  g_autoptr (Harness) h = gst_harness_new_parse ("visionoverlay show=trail");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  o.width = 1e308; /* no step of it is a jump */
  for (gint i = 0; i < 8; i++) {
    o.cx = i % 2 ? 1.7e308 : 1.5e308;
    o.cy = -o.cx;
    fail_unless_equals_int (count (h, &info, &o, 1), 0);
  }
}
GST_END_TEST;

GST_START_TEST (test_truth)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 20, 16);
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (gint shown = 0; shown < 2; shown++) {
    g_autoptr (GstBuffer) buffer = grey_frame (&info);

    gst_buffer_add_vision_objects (
        buffer, GST_VISION_ORIGIN_TRUTH, 64, 48, &o, 1);
    g_object_set (h->element, "show-truth", shown, NULL);
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless ((changed (buffer) > 0) == shown);
    fail_unless ((pixel (buffer, &info, 10, 10, 0) == 255) == shown);
  }
}
GST_END_TEST;

SUITE (visionoverlay, TEST (test_formats), TEST (test_untouched),
    TEST (test_scaled), TEST (test_states), TEST (test_trail),
    TEST (test_trail_order), TEST (test_trail_time), TEST (test_choice),
    TEST (test_merge), TEST (test_color_by), TEST (test_label_colours),
    TEST (test_named_labels), TEST (test_corner), TEST (test_trajectory),
    TEST (test_properties_while_playing), TEST (test_truth),
    TEST (test_no_state), TEST (test_trail_far_away));
