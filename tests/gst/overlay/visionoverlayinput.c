/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visionoverlay: images, maps, other caps, and input that is
 * wrong. */
#include "suite.h"
#include "drawn.h"
#include "said.h"

#include <glib/gstdio.h>

/* 2 x 2 pixels of opaque green. */
static const guint8 png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a,
    0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02,
    0x00, 0x00, 0x00, 0x02, 0x08, 0x06, 0x00, 0x00, 0x00, 0x72, 0xb6, 0x0d,
    0x24, 0x00, 0x00, 0x00, 0x0e, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63,
    0x60, 0xf8, 0x0f, 0x85, 0x30, 0x06, 0x00, 0x43, 0xce, 0x07, 0xf9, 0xea,
    0xca, 0xac, 0x99, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae,
    0x42, 0x60, 0x82};

/* 4097 x 1 pixels of black. */
static const guint8 wide_png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a,
    0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x10,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x94, 0x88,
    0x5f, 0x9e, 0x00, 0x00, 0x00, 0x1a, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda,
    0xed, 0xc1, 0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf7, 0x4f, 0x6d,
    0x0f, 0x07, 0x14, 0x00, 0x00, 0x00, 0xf0, 0x6f, 0x10, 0x02, 0x00, 0x01,
    0xa5, 0x8c, 0xa9, 0xbd, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44,
    0xae, 0x42, 0x60, 0x82};

static GstBuffer *
draw (GstHarness *h, const GstVideoInfo *info, const GstVisionObject *objects,
    guint n)
{
  GstBuffer *buffer = grey_frame (info);

  fail_unless (gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_RESULT, 64, 48, objects, n));
  return gst_harness_push_and_pull (h, buffer);
}

static gboolean
is_green (GstBuffer *buffer, const GstVideoInfo *info, gint x, gint y)
{
  return pixel (buffer, info, x, y, 0) == 0 &&
      pixel (buffer, info, x, y, 1) == 255 &&
      pixel (buffer, info, x, y, 2) == 0;
}

/* The whole image, in the middle of the box; a file that cannot be read is
 * warned of once, and the frames go on. */
GST_START_TEST (test_image)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstBus *bus = listen_to (h, "visionoverlay");
  g_autofree gchar *folder = g_dir_make_tmp ("overlay-XXXXXX", NULL);
  g_autofree gchar *file = g_build_filename (folder, "green.png", NULL);
  GstVisionObject o = object_at (10, 10, 30, 20);
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (g_file_set_contents (file, (gchar *) png, sizeof png, NULL));
  g_object_set (h->element, "show", 0, "image", file, NULL);
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  buffer = draw (h, &info, &o, 1);
  fail_unless (is_green (buffer, &info, 15, 10));
  fail_unless (is_green (buffer, &info, 34, 29));
  fail_unless_equals_int (changed (buffer), 3 * 20 * 20);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (complaints (bus, ""), 0);

  /* other caps: the image is still there */
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 128, 96);
  buffer = draw (h, &info, &o, 1);
  fail_unless (is_green (buffer, &info, 50, 40));
  gst_buffer_unref (buffer);

  fail_unless (g_file_set_contents (file, "no picture", -1, NULL));
  g_object_set (h->element, "image", file, NULL);
  gst_buffer_unref (draw (h, &info, &o, 1));
  fail_unless_equals_int (complaints (bus, "it is no PNG file"), 1);

  fail_unless (
      g_file_set_contents (file, (gchar *) wide_png, sizeof wide_png, NULL));
  g_object_set (h->element, "image", file, NULL);
  gst_buffer_unref (draw (h, &info, &o, 1));
  fail_unless_equals_int (complaints (bus, "too large"), 1);

  g_unlink (file);
  g_object_set (h->element, "image", file, NULL);
  for (gint i = 0; i < 2; i++) {
    buffer = draw (h, &info, &o, 1);
    fail_unless_equals_int (changed (buffer), 0);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (complaints (bus, "green.png"), 1 - i);
  }
  g_rmdir (folder);
  hush (h, "visionoverlay", bus);
}
GST_END_TEST;

GST_START_TEST (test_map)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstBus *bus = listen_to (h, "visionoverlay");
  GstVideoInfo info;
  GstBuffer *buffer;

  g_object_set (h->element, "map", "emd", "opacity", 1., NULL);
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  buffer = grey_frame (&info);
  add_map (buffer, "emd", 16, 12);
  buffer = gst_harness_push_and_pull (h, buffer);
  /* indigo on the left, red on the right, all of it drawn on */
  fail_unless (pixel (buffer, &info, 0, 0, 2) > pixel (buffer, &info, 0, 0, 0));
  fail_unless (
      pixel (buffer, &info, 63, 47, 0) > pixel (buffer, &info, 63, 47, 2) + 60);
  for (gint x = 0; x < 64; x++)
    fail_unless (pixel (buffer, &info, x, 24, 0) != GREY ||
        pixel (buffer, &info, x, 24, 1) != GREY);
  gst_buffer_unref (buffer);

  g_object_set (h->element, "opacity", 0., NULL);
  buffer = grey_frame (&info);
  add_map (buffer, "emd", 16, 12);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless_equals_int (changed (buffer), 0);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (complaints (bus, ""), 0);

  for (gint i = 0; i < 2; i++) {
    buffer = gst_harness_push_and_pull (h, grey_frame (&info));
    fail_unless_equals_int (changed (buffer), 0);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (complaints (bus, "\"emd\""), 1 - i);
  }
  hush (h, "visionoverlay", bus);
}
GST_END_TEST;

GST_START_TEST (test_caps_change)
{
  static const gint sizes[][2] = {
      {64, 48}, {640, 480}, {1, 1}, {3, 100}, {1920, 1080}, {33, 7}};
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 20, 16);

  o.label = "ball";
  for (guint i = 0; i < 2 * G_N_ELEMENTS (sizes); i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;

    fed_caps (h, &info, i % 2 ? GST_VIDEO_FORMAT_RGB : GST_VIDEO_FORMAT_NV12,
        sizes[i / 2][0], sizes[i / 2][1]);
    buffer = draw (h, &info, &o, 1);
    fail_unless (buffer != NULL);
    if (info.width > 3)
      fail_unless (changed (buffer) > 0);
  }
}
GST_END_TEST;

/* Each draws its own, and neither knows the trails of the other. */
GST_START_TEST (test_two_instances)
{
  g_autoptr (Harness) h = gst_harness_new_parse (
      "visionoverlay show=box line-width=1 ! visionoverlay show=centroid");
  GstVisionObject o = object_at (10, 10, 31, 21);
  GstVideoInfo info;
  g_autoptr (GstBuffer) buffer = NULL;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  buffer = draw (h, &info, &o, 1);
  fail_unless (pixel (buffer, &info, 9, 20, 0) != GREY);
  fail_unless (pixel (buffer, &info, 25, 20, 0) != GREY);
  fail_unless_equals_int (pixel (buffer, &info, 15, 15, 0), GREY);
}
GST_END_TEST;

/* Whatever a result says, the frame comes out and its padding is as it was. */
GST_START_TEST (test_nonsense)
{
  static const gdouble odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0};
  g_autoptr (Harness) h = gst_harness_new_parse (
      "visionoverlay "
      "show=box+label+id+centroid+orientation+trail+score");
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (guint i = 0; i < 216; i++) {
    gdouble a = odd[i % 6], b = odd[i / 6 % 6], c = odd[i / 36];
    GstVisionObject o = object_at (a, b, c, 20);
    g_autofree gchar *name = g_strnfill (i * 30, 'x');
    g_autoptr (GstBuffer) buffer = NULL;
    GstVideoFrame frame;

    o.id = i % 7 ? i : G_MAXUINT64;
    o.label = i % 3 ? "e\u0301\n\t\u202e\u0301" : name;
    o.orientation = o.score = o.cx = a;
    o.elongation = b;
    o.area = i % 2 ? G_MAXUINT64 : 0;
    buffer = draw (h, &info, &o, 1);
    fail_unless (buffer != NULL);
    fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
    for (gint y = 0; y < 48; y++)
      for (gint x = 64; x < 64 + PADDING; x++)
        fail_unless_equals_int (
            ((guint8 *) frame
                    .data[0])[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) + x],
            GREY);
    gst_video_frame_unmap (&frame);
  }
}
GST_END_TEST;

GST_START_TEST (test_many)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  g_autofree GstVisionObject *o = g_new (GstVisionObject, 300);
  gchar names[300][32];
  GstVideoInfo info;
  GstBuffer *buffer;

  fed_caps (h, &info, GST_VIDEO_FORMAT_NV12, 640, 480);
  for (gint i = 0; i < 300; i++) {
    o[i] = object_at (i % 40, i / 25, 10, 10);
    o[i].id = i + 1;
    g_snprintf (names[i], sizeof names[i], "größe %d", i);
    o[i].label = names[i];
  }
  for (gint n = 0; n < 3; n++) {
    buffer = draw (h, &info, o, 300);
    fail_unless (changed (buffer) > 10000);
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

/* The silhouette, and axes of 12 cm at a metre: x to the right, y down. */
GST_START_TEST (test_pose)
{
  static const gdouble pose[] = {0, 0, 1, 1, 0, 0, 0}, extent[] = {.2, .1, .1};
  static const gdouble outline[] = {10, 5, 50, 5, 50, 43, 10, 43};
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o = object_at (10, 10, 30, 20);
  GstVisionCamera camera;
  GstVideoInfo info;

  o.pose = (GstVisionArray){7, pose};
  o.extent = (GstVisionArray){3, extent};
  o.outline = (GstVisionArray){8, outline};
  gst_vision_camera_init (&camera);
  camera.ref_width = 128; /* twice the frame's */
  camera.ref_height = 96;
  camera.fx = camera.fy = 200;
  camera.cx = 64.5;
  camera.cy = 48.5;
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (guint known = 0; known < 2; known++) {
    g_autoptr (GstBuffer) buffer = grey_frame (&info);

    fail_unless (gst_buffer_add_vision_objects (
        buffer, GST_VISION_ORIGIN_RESULT, 64, 48, &o, 1));
    if (known)
      gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera);
    gst_util_set_object_arg (
        G_OBJECT (h->element), "show", known ? "pose" : "pose+outline");
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless (
        (pixel (buffer, &info, 30, 5, 0) != GREY) == !known); /* outline */
    fail_unless ((pixel (buffer, &info, 10, 20, 0) != GREY) == !known);
    fail_unless (pixel (buffer, &info, 20, 20, 0) == GREY);
    if (known) {
      fail_unless (pixel (buffer, &info, 42, 24, 0) > 180);
      fail_unless (pixel (buffer, &info, 42, 24, 2) < 90);
      fail_unless (pixel (buffer, &info, 32, 34, 1) > 150);
      fail_unless (pixel (buffer, &info, 32, 34, 0) < 120);
    } else {
      fail_unless (pixel (buffer, &info, 42, 24, 0) == GREY);
    }
  }
}
GST_END_TEST;

#define CORNERS 50000

/* An outline of long lines, and more objects than any element finds: the frame
 * comes soon, with a part of them; a warning counts the rest. */
GST_START_TEST (test_too_many)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  g_autofree GstVisionObject *o = g_new (GstVisionObject, 5000);
  g_autofree gdouble *corners = g_new (gdouble, 2 * CORNERS);
  GstBus *bus = listen_to (h, "visionoverlay");
  gint64 since = g_get_monotonic_time ();
  GstVideoInfo info;
  GstBuffer *buffer;

  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 640, 480);
  for (guint i = 0; i < CORNERS; i++) {
    corners[2 * i] = i % 2 ? 63 : i % 7;
    corners[2 * i + 1] = i % 2 ? i % 48 : 47;
  }
  for (guint i = 0; i < 5000; i++)
    o[i] = object_at (i % 60, i % 40, 2, 2);
  o[0].outline = (GstVisionArray){2 * CORNERS, corners};
  for (guint i = 0; i < 2; i++) {
    buffer = draw (h, &info, o, 5000);
    fail_unless (changed (buffer) > 10000);
    gst_buffer_unref (buffer);
  }
  fail_unless (g_get_monotonic_time () < since + 20 * G_USEC_PER_SEC);
  fail_unless (stat_number (h->element, "left-out") >= 2 * (904 + 50000));
  fail_unless_equals_int (complaints (bus, "904 objects, and "), 1);
  hush (h, "visionoverlay", bus);
}
GST_END_TEST;

SUITE (visionoverlayinput, TEST (test_image), TEST (test_map),
    TEST (test_caps_change), TEST (test_two_instances), TEST (test_nonsense),
    TEST (test_many), TEST (test_pose), TEST (test_too_many));
