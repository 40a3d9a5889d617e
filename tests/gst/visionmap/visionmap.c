/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visionmap. */
#include "suite.h"
#include "drawn.h"

/* It gets frames of NV12, 64 x 48. */
static GstHarness *
harness (const gchar *kind, const gchar *out)
{
  GstHarness *h = gst_harness_new ("visionmap");
  GstVideoInfo in;

  g_object_set (h->element, "kind", kind, NULL);
  gst_harness_set_sink_caps_str (h, out);
  fed_caps (h, &in, GST_VIDEO_FORMAT_NV12, 64, 48);
  return h;
}

static GstBuffer *
frame_of (GstVideoFormat format)
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, 64, 48);
  return grey_frame (&info);
}

/* What came out last: its size and format. */
static void
get_info (GstHarness *h, GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (h->sinkpad);

  fail_unless (gst_video_info_from_caps (info, caps));
}

static GstBuffer *
push (GstHarness *h, const gchar *kind, guint width, guint height)
{
  GstBuffer *buffer = frame_of (GST_VIDEO_FORMAT_NV12);

  GST_BUFFER_PTS (buffer) = 40 * GST_MSECOND;
  if (kind)
    add_map (buffer, kind, width, height);
  return gst_harness_push_and_pull (h, buffer);
}

/* A map of 16-bit numbers: 0 is invalid, then 1000, 70, 65535. */
static GstBuffer *
push_numbers (GstHarness *h)
{
  static const guint16 numbers[] = {0, 1000, 70, 65535};
  GstVisionMap map = {.element = "visiontestsrc",
      .kind = "depth",
      .format = "u16",
      .channels = 1,
      .width = 2,
      .height = 2,
      .stride = 4,
      .scale = .001,
      .invalid = 0};
  GstBuffer *buffer = frame_of (GST_VIDEO_FORMAT_NV12);

  map.pixels = gst_buffer_new_memdup (numbers, sizeof numbers);
  fed_map (buffer, GST_VISION_ORIGIN_TRUTH, map);
  return gst_harness_push_and_pull (h, buffer);
}

static guint
grey16 (GstBuffer *buffer, const GstVideoInfo *info, gint x, gint y)
{
  return pixel (buffer, info, x, y, 0) | pixel (buffer, info, x, y, 1) << 8;
}

GST_START_TEST (test_numbers)
{
  GstHarness *h = harness ("depth", "video/x-raw,format=GRAY16_LE");
  GstVideoInfo info;
  GstBuffer *buffer;

  buffer = push_numbers (h);
  get_info (h, &info);
  fail_unless_equals_int (info.width, 2);
  fail_unless_equals_int (info.height, 2);
  fail_unless_equals_int (info.fps_n, 25);
  fail_unless_equals_int (grey16 (buffer, &info, 0, 0), 0);
  fail_unless_equals_int (grey16 (buffer, &info, 1, 0), 1000);
  fail_unless_equals_int (grey16 (buffer, &info, 0, 1), 70);
  fail_unless_equals_int (grey16 (buffer, &info, 1, 1), 65535);
  gst_buffer_unref (buffer);

  /* 1 m of 0 to 2 m is half of white; 65 m are white */
  g_object_set (h->element, "map-low", 0., "map-high", 2., NULL);
  buffer = push_numbers (h);
  fail_unless_equals_int (grey16 (buffer, &info, 0, 0), 0);
  fail_unless_equals_int (grey16 (buffer, &info, 1, 0), 32768);
  fail_unless_equals_int (grey16 (buffer, &info, 0, 1), 2294);
  fail_unless_equals_int (grey16 (buffer, &info, 1, 1), 65535);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);

  h = harness ("depth", "video/x-raw,format=GRAY8");
  buffer = push_numbers (h);
  get_info (h, &info);
  fail_unless_equals_int (pixel (buffer, &info, 0, 1, 0), 70);
  fail_unless_equals_int (pixel (buffer, &info, 1, 0, 0), 255);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* The colours are those of visionoverlay; what is invalid is transparent. */
GST_START_TEST (test_colours)
{
  g_autoptr (Harness) map = harness ("emd", "video/x-raw,format=RGBA");
  GstHarness *overlay =
      gst_harness_new_parse ("visionoverlay map=emd opacity=1 show=0");
  GstVideoInfo info, frame;
  GstBuffer *alone, *over;

  alone = push (map, "emd", 64, 48);
  get_info (map, &info);
  fed_caps (overlay, &frame, GST_VIDEO_FORMAT_RGBA, 64, 48);
  over = grey_frame (&frame);
  add_map (over, "emd", 64, 48);
  over = gst_harness_push_and_pull (overlay, over);
  for (gint y = 0; y < 48; y++)
    for (gint x = 0; x < 64; x++)
      for (gint c = 0; c < 3; c++)
        fail_unless_equals_int (
            pixel (alone, &info, x, y, c), pixel (over, &frame, x, y, c));
  fail_unless_equals_int (pixel (alone, &info, 3, 3, 3), 255);
  gst_buffer_unref (alone);
  gst_buffer_unref (over);
  gst_harness_teardown (overlay);

  g_object_set (map->element, "kind", "depth", NULL);
  alone = push_numbers (map);
  get_info (map, &info);
  fail_unless_equals_int (pixel (alone, &info, 0, 0, 3), 0);
  fail_unless_equals_int (pixel (alone, &info, 1, 0, 3), 255);
  gst_buffer_unref (alone);
}
GST_END_TEST;

/* ---- Maps that have colours ---- */

/* Two pixels of three numbers; the second of the normals has none. */
static GstBuffer *
push_colours (GstHarness *h, GstVideoFormat format, gboolean normals)
{
  static const guint8 rgb[] = {250, 128, 4, 0, 0, 255};
  static const gfloat xyz[] = {0, .6f, -.8f, NAN, NAN, NAN};
  GstVisionMap map = {.element = "visiontestsrc",
      .kind = normals ? "normals" : "rendered",
      .format = normals ? "f32" : "u8",
      .channels = 3,
      .width = 2,
      .height = 1,
      .stride = normals ? sizeof xyz : sizeof rgb,
      .scale = 1,
      .invalid = NAN};
  GstBuffer *buffer = frame_of (format);

  map.pixels = normals ? gst_buffer_new_memdup (xyz, sizeof xyz)
                       : gst_buffer_new_memdup (rgb, sizeof rgb);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
  return gst_harness_push_and_pull (h, buffer);
}

/* Pictures as they are, normals from -1 to 1; visionoverlay has the same. */
GST_START_TEST (test_three_numbers)
{
  static const guint8 colours[2][2][4] = {
      {{250, 128, 4, 255}, {0, 0, 255, 255}}, {{128, 204, 25, 255}, {0}}};

  for (gint normals = 0; normals < 2; normals++) {
    const gchar *kind = normals ? "normals" : "rendered";
    g_autoptr (Harness) map = harness (kind, "video/x-raw,format=RGBA");
    g_autoptr (Harness) overlay =
        gst_harness_new_parse ("visionoverlay name=o opacity=1 show=0");
    g_autoptr (GstElement) element =
        gst_harness_find_element (overlay, "visionoverlay");
    g_autoptr (GstBuffer) alone = NULL, over = NULL;
    GstVideoInfo info, frame;

    alone = push_colours (map, GST_VIDEO_FORMAT_NV12, normals);
    get_info (map, &info);
    fail_unless (info.width == 2 && info.height == 1);
    g_object_set (element, "map", kind, NULL);
    fed_caps (overlay, &frame, GST_VIDEO_FORMAT_RGBA, 64, 48);
    over = push_colours (overlay, GST_VIDEO_FORMAT_RGBA, normals);
    for (gint c = 0; c < 4; c++) {
      for (gint x = 0; x < 2; x++)
        fail_unless_equals_int (
            pixel (alone, &info, x, 0, c), colours[normals][x][c]);
      fail_unless_equals_int (pixel (over, &frame, 31, 47, c),
          c < 3 ? colours[normals][0][c] : 255);
      fail_unless_equals_int (
          pixel (over, &frame, 32, 0, c), normals ? GREY : colours[0][1][c]);
    }
  }
}
GST_END_TEST;

/* In grey, their luma; between map-low and map-high, what is between. */
GST_START_TEST (test_three_numbers_grey)
{
  g_autoptr (Harness) h = harness ("rendered", "video/x-raw,format=GRAY8");
  GstVideoInfo info;
  GstBuffer *buffer;

  buffer = push_colours (h, GST_VIDEO_FORMAT_NV12, FALSE);
  get_info (h, &info);
  fail_unless_equals_int (pixel (buffer, &info, 0, 0, 0), 150); /* BT.601 */
  fail_unless_equals_int (pixel (buffer, &info, 1, 0, 0), 29);
  gst_buffer_unref (buffer);
  g_object_set (h->element, "map-low", 255., "map-high", 510., NULL);
  buffer = push_colours (h, GST_VIDEO_FORMAT_NV12, FALSE);
  fail_unless_equals_int (pixel (buffer, &info, 1, 0, 0), 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* ---- Maps of kind correspondence ---- */

/* Each class, the last none, on 8 x 2 pixels; below it is an object's. */
static GstBuffer *
push_classes (GstHarness *h)
{
  static const guint8 pixels[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 255,
      0, 99, 99, /* the end of the row */
      0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 1, 2, 1, 255};
  GstVisionMap map = {.element = "visiontestsrc",
      .kind = "correspondence",
      .format = "u8",
      .channels = 2,
      .width = 8,
      .height = 2,
      .stride = 18,
      .scale = 1,
      .invalid = NAN};
  GstBuffer *buffer = frame_of (GST_VIDEO_FORMAT_NV12);

  map.pixels = gst_buffer_new_memdup (pixels, sizeof pixels);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
  return gst_harness_push_and_pull (h, buffer);
}

/* In each format, the colours of its class. */
GST_START_TEST (test_classes)
{
  static const gchar *formats[] = {
      "RGB", "BGR", "RGBA", "BGRA", "RGBx", "BGRx"};
  static const guint8 colours[2][8][3] = {
      {{0, 0, 0}, {144, 238, 144}, {255, 255, 0}, {139, 0, 0}, {0, 191, 255},
          {0, 0, 255}, {255, 255, 255}, {255, 255, 255}},
      {{0, 0, 0}, {0, 100, 0}, {255, 255, 0}, {139, 0, 0}, {0, 191, 255},
          {0, 0, 255}, {46, 139, 87}, {107, 142, 35}}};

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    g_autofree gchar *caps =
        g_strdup_printf ("video/x-raw,format=%s", formats[f]);
    g_autoptr (Harness) h = harness ("correspondence", caps);
    gboolean swap = formats[f][0] == 'B';
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;

    buffer = push_classes (h);
    get_info (h, &info);
    fail_unless (info.width == 8 && info.height == 2);
    for (gint i = 0; i < 16; i++)
      for (gint c = 0; c < 3; c++)
        fail_unless_equals_int (
            pixel (buffer, &info, i % 8, i / 8, swap ? 2 - c : c),
            colours[i / 8][i % 8][c]);
    if (strchr (formats[f], 'A'))
      fail_unless_equals_int (pixel (buffer, &info, 0, 0, 3), 255);
  }
}
GST_END_TEST;

/* In grey the classes' numbers or, between map-low and map-high, shades. */
GST_START_TEST (test_classes_grey)
{
  static const guint numbers[] = {0, 1, 2, 3, 4, 5, 6, 255};
  GstHarness *h = harness ("correspondence", "video/x-raw,format=GRAY8");
  GstVideoInfo info;
  GstBuffer *buffer;

  buffer = push_classes (h);
  get_info (h, &info);
  for (gint x = 0; x < 8; x++)
    fail_unless_equals_int (pixel (buffer, &info, x, 0, 0), numbers[x]);
  gst_buffer_unref (buffer);
  g_object_set (h->element, "map-low", 1., "map-high", 6., NULL);
  buffer = push_classes (h);
  for (gint x = 0; x < 7; x++)
    fail_unless_equals_int (
        pixel (buffer, &info, x, 0, 0), x > 0 ? (x - 1) * 51 : 0);
  fail_unless_equals_int (pixel (buffer, &info, 7, 0, 0), 255);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);

  h = harness ("correspondence", "video/x-raw,format=GRAY16_LE");
  g_object_set (h->element, "map-high", 5., NULL);
  buffer = push_classes (h);
  get_info (h, &info);
  fail_unless_equals_int (grey16 (buffer, &info, 3, 0), 3 * 13107);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* ---- Caps that change, and the rest of the properties ---- */

/* The size follows the map's, from frame to frame. */
GST_START_TEST (test_size_changes)
{
  static const guint sizes[][2] = {{20, 10}, {20, 10}, {7, 33}, {640, 480}};
  g_autoptr (Harness) h = harness (NULL, "video/x-raw,format=GRAY8");
  GstVideoInfo info;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (GstBuffer) buffer = push (h, "labels", sizes[i][0], sizes[i][1]);

    get_info (h, &info);
    fail_unless_equals_int (info.width, sizes[i][0]);
    fail_unless_equals_int (info.height, sizes[i][1]);
    fail_unless (GST_BUFFER_PTS (buffer) == 40 * GST_MSECOND);
    fail_unless_equals_int (pixel (buffer, &info, 0, 5, 0), 0);
    fail_unless_equals_int (pixel (buffer, &info, info.width - 1, 5, 0), 255);
  }
}
GST_END_TEST;

/* The first caps behind it are those of the first map, or of the input where
 * the first frame has none; events keep their order. */
GST_START_TEST (test_first_caps)
{
  for (gint has_map = 0; has_map < 2; has_map++) {
    g_autoptr (Harness) h = harness ("emd", "video/x-raw,format=GRAY8");
    gint width[] = {64, 20}, n_caps = 0;
    GstEventType last = GST_EVENT_STREAM_START;
    GstEvent *event;

    fail_if (gst_pad_has_current_caps (h->sinkpad));
    gst_buffer_unref (push (h, has_map ? "emd" : NULL, 20, 10));
    while ((event = gst_harness_try_pull_event (h))) {
      if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
        GstCaps *caps;
        gint pixels;

        gst_event_parse_caps (event, &caps);
        gst_structure_get_int (
            gst_caps_get_structure (caps, 0), "width", &pixels);
        fail_unless_equals_int (pixels, width[has_map]);
        n_caps++;
      }
      fail_unless (GST_EVENT_TYPE (event) >= last);
      last = GST_EVENT_TYPE (event);
      gst_event_unref (event);
    }
    fail_unless_equals_int (n_caps, 1);
    fail_unless_equals_int (last, GST_EVENT_SEGMENT);
  }
}
GST_END_TEST;

/* A flush before the first frame takes the segment, not the caps; the end of a
 * stream without a frame comes with caps. */
GST_START_TEST (test_no_frame_yet)
{
  GstHarness *h = harness ("emd", "video/x-raw,format=GRAY8");
  GstSegment segment;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  gst_buffer_unref (push (h, "emd", 20, 10));
  gst_harness_teardown (h);

  h = harness ("emd", "video/x-raw,format=GRAY8");
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (gst_pad_has_current_caps (h->sinkpad));
  gst_harness_teardown (h);
}
GST_END_TEST;

/* No map: a black frame of the size of the one before, and one warning, however
 * often the map comes and goes within seconds. */
GST_START_TEST (test_no_map)
{
  g_autoptr (Harness) h = harness ("depth", "video/x-raw,format=RGB");
  GstBus *bus = listen_to (h, "visionmap");
  GstVideoInfo info;
  GstBuffer *buffer;

  for (gint round = 0; round < 2; round++) {
    buffer = push (h, "depth", 20, 10);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (complaints (bus, "map"), 0);
    for (gint i = 0; i < 2; i++) {
      buffer = push (h, i ? "emd" : NULL, 5, 5);
      get_info (h, &info);
      fail_unless_equals_int (info.width, 20);
      for (gint x = 0; x < 20; x++)
        fail_unless_equals_int (pixel (buffer, &info, x, 9, 2), 0);
      gst_buffer_unref (buffer);
      fail_unless_equals_int (complaints (bus, "no map"), !round && !i);
    }
  }
  hush (h, "visionmap", bus);
}
GST_END_TEST;

/* Numbers of two bytes in rows that begin at odd addresses are not read. */
GST_START_TEST (test_odd_rows)
{
  static const gsize sides[][2] = {{5, 0}, {4, 1}}; /* stride, offset */

  for (guint i = 0; i < 2; i++) {
    g_autoptr (Harness) h = harness ("depth", "video/x-raw,format=GRAY16_LE");
    GstBus *bus = listen_to (h, "visionmap");
    GstVisionMap map = {.kind = "depth",
        .format = "u16",
        .channels = 1,
        .width = 2,
        .height = 2,
        .stride = (guint) sides[i][0],
        .scale = 1};
    GstVideoInfo info;
    GstBuffer *buffer;

    buffer = frame_of (GST_VIDEO_FORMAT_NV12);
    map.pixels = gst_buffer_new_allocate (NULL, 16, NULL);
    gst_buffer_memset (map.pixels, 0, 9, 16);
    gst_buffer_resize (map.pixels, (gssize) sides[i][1], -1);
    fed_map (buffer, GST_VISION_ORIGIN_TRUTH, map);
    buffer = gst_harness_push_and_pull (h, buffer);
    get_info (h, &info);
    fail_unless_equals_int (grey16 (buffer, &info, 1, 1), 0);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (complaints (bus, "multiples"), 1);
    hush (h, "visionmap", bus);
  }
}
GST_END_TEST;

/* Without kind it is the newest map; objects travel on. */
GST_START_TEST (test_newest)
{
  g_autoptr (Harness) h = harness (NULL, "video/x-raw,format=GRAY8");
  GstVisionObject o = object_at (1, 2, 3, 4);
  g_autoptr (GstVisionObjects) objects = NULL;
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer;

  buffer = frame_of (GST_VIDEO_FORMAT_NV12);
  add_map (buffer, "emd", 20, 10);
  add_map (buffer, "labels", 8, 6);
  gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_RESULT, 64, 48, &o, 1);
  buffer = gst_harness_push_and_pull (h, buffer);
  get_info (h, &info);
  fail_unless_equals_int (info.width, 8);
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  fail_unless (objects && objects->n_objects == 1);
  fail_unless_equals_int (objects->ref_width, 64);
}
GST_END_TEST;

/* Labels of 32 bits, as of gpuccl, are too large for greys: they are numbered.
 */
GST_START_TEST (test_labels)
{
  static const guint32 labels[] = {
      0, 900000, 900000, 70000, 900000, 0, 4000000000u, 70000};
  static const guint greys[] = {0, 1, 1, 2, 1, 0, 3, 2};
  GstVisionMap map = {.element = "gpuccl",
      .kind = "labels",
      .format = "u32",
      .channels = 1,
      .width = 4,
      .height = 2,
      .stride = 16,
      .scale = 1};

  for (guint wide = 0; wide < 2; wide++) {
    g_autoptr (Harness) h = harness (NULL,
        wide ? "video/x-raw,format=GRAY16_LE" : "video/x-raw,format=GRAY8");
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer;
    GstMapInfo pixels;

    buffer = frame_of (GST_VIDEO_FORMAT_NV12);
    map.pixels = gst_buffer_new_memdup (labels, sizeof labels);
    fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
    buffer = gst_harness_push_and_pull (h, buffer);
    get_info (h, &info);
    gst_buffer_map (buffer, &pixels, GST_MAP_READ);
    for (gint i = 0; i < 8; i++) {
      const guint8 *at = pixels.data + i / 4 * info.stride[0];

      fail_unless_equals_int (
          wide ? GST_READ_UINT16_LE (at + i % 4 * 2) : at[i % 4], greys[i]);
    }
    gst_buffer_unmap (buffer, &pixels);
  }
}
GST_END_TEST;

/* As the element is called, not its type. */
GST_START_TEST (test_name)
{
  g_autoptr (GstElement) one = gst_element_factory_make ("visionmap", NULL);
  g_autoptr (GstElement) two = gst_element_factory_make ("visionmap", NULL);
  g_autoptr (GstElement) named = gst_element_factory_make ("visionmap", "mine");

  fail_unless_equals_string (GST_OBJECT_NAME (one), "visionmap0");
  fail_unless_equals_string (GST_OBJECT_NAME (two), "visionmap1");
  fail_unless_equals_string (GST_OBJECT_NAME (named), "mine");
}
GST_END_TEST;

/* What comes behind wants another size: an error that says what to do. */
GST_START_TEST (test_other_size_wanted)
{
  g_autoptr (Harness) h =
      harness (NULL, "video/x-raw,format=GRAY8,width=64,height=48");
  GstBus *bus = listen_to (h, "visionmap");
  gboolean told = FALSE;
  GstMessage *message;
  GstBuffer *buffer;

  buffer = frame_of (GST_VIDEO_FORMAT_NV12);
  add_map (buffer, "emd", 20, 10);
  fail_unless_equals_int (
      gst_harness_push (h, buffer), GST_FLOW_NOT_NEGOTIATED);
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_error (message, &error, NULL);
    told = strstr (error->message, "20 x 10") &&
        strstr (error->message, "videoscale");
    gst_message_unref (message);
  }
  fail_unless (told);
  hush (h, "visionmap", bus);
}
GST_END_TEST;

/* Where a click at (5, 4) of a map of 16 x 8 pixels arrives upstream of a frame
 * with @caps. */
static void
click (const gchar *in, gdouble *x, gdouble *y)
{
  g_autoptr (Harness) h = harness (NULL, "video/x-raw,format=GRAY8");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48, NULL);
  GstEvent *event;

  gst_buffer_memset (buffer, 0, 0, 64 * 48);
  GST_BUFFER_PTS (buffer) = 0;
  gst_harness_set_src_caps_str (h, in);
  add_map (buffer, "emd", 16, 8);
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_mouse_button_press (1, 5, 4, 0));
  while ((event = gst_harness_try_pull_upstream_event (h))) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION)
      fail_unless (gst_navigation_event_get_coordinates (event, x, y));
    gst_event_unref (event);
  }
}

GST_START_TEST (test_mouse)
{
  gdouble x = -1, y = -1;

  click ("video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1", &x, &y);
  fail_unless (x == 20 && y == 24, "%g %g", x, y);
  click ("video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1,"
         "channels=3,channel-layout=stacked",
      &x, &y);
  fail_unless (x == 20 && y == 8, "%g %g", x, y);
}
GST_END_TEST;

SUITE (visionmap, TEST (test_name), TEST (test_numbers), TEST (test_colours),
    TEST (test_three_numbers), TEST (test_three_numbers_grey),
    TEST (test_classes), TEST (test_classes_grey), TEST (test_size_changes),
    TEST (test_first_caps), TEST (test_no_frame_yet), TEST (test_no_map),
    TEST (test_odd_rows), TEST (test_newest), TEST (test_labels),
    TEST (test_other_size_wanted), TEST (test_mouse));
