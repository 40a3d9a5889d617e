/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element pocstereo where its output is no left view: disparities, depth
 * and colours; and where it is that in other colours. */
#include "suite.h"
#include "badframes.h"
#include "pocstereorig.h"

/* Maps the newest output, which has the caps of the pad. */
static GstStructure *
begin (Views *v, GstBuffer *buffer, GstVideoFrame *frame)
{
  GstCaps *caps = gst_pad_get_current_caps (v->left->sinkpad);
  GstStructure *structure =
      gst_structure_copy (gst_caps_get_structure (caps, 0));
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  fail_unless (gst_video_frame_map (frame, &info, buffer, GST_MAP_READ));
  fail_unless_equals_int (info.width, WIDTH);
  fail_unless_equals_int (info.height, HEIGHT);
  return structure;
}

/* The disparity by the rule of the caps, in the middle of the next pair. */
static gdouble
middle (Views *v, gdouble *scale)
{
  g_autoptr (GstBuffer) buffer = views_push (v, NULL);
  GstVideoFrame frame;
  GstStructure *caps = begin (v, buffer, &frame);
  guint value = GST_READ_UINT16_LE (
      (guint8 *) frame.data[0] + HEIGHT / 2 * frame.info.stride[0] + WIDTH);
  gint least = 0;

  fail_unless_equals_string (
      gst_structure_get_string (caps, "format"), "GRAY16_LE");
  fail_unless (gst_structure_get_int (caps, "min-disparity", &least));
  fail_unless (gst_structure_get_double (caps, "disparity-scale", scale));
  gst_structure_free (caps);
  gst_video_frame_unmap (&frame);
  return value ? least + (value - 1) * *scale : NAN;
}

/* As fine as the range allows, or as the user has it; also when that changes.
 */
GST_START_TEST (test_disparity)
{
  g_auto (Views) v = views_grey ("output=disparity");
  gdouble scale;

  fail_unless (fabs (middle (&v, &scale) - SHIFT) < .1);
  fail_unless_equals_float (scale, 1. / 256);
  g_object_set (v.element, "min-disparity", -300, NULL);
  fail_unless (fabs (middle (&v, &scale) - SHIFT) < .1);
  fail_unless_equals_float (scale, 1. / 128);
  g_object_set (v.element, "min-disparity", 2, "disparity-scale", .0625, NULL);
  fail_unless (fabs (middle (&v, &scale) - SHIFT) < .1);
  fail_unless_equals_float (scale, .0625);
  g_object_set (v.element, "min-peak", 1., "max-disparity", 3, NULL);
  fail_unless (isnan (middle (&v, &scale)));
  expect_silence (v.bus);
}
GST_END_TEST;

/* Millimetres; a frame without a camera is all 0 and warned of. */
GST_START_TEST (test_depth)
{
  g_auto (Views) v =
      views_grey ("output=depth baseline=0.1 intrinsics=80,80,48,32");

  for (gint known = 1; known >= 0; known--) {
    GstBuffer *buffer = views_push (&v, NULL);
    GstVideoFrame frame;
    gint value;

    gst_structure_free (begin (&v, buffer, &frame));
    value = GST_READ_UINT16_LE (
        (guint8 *) frame.data[0] + HEIGHT / 2 * frame.info.stride[0] + WIDTH);
    fail_unless (known ? ABS (value - 1600) < 20 : value == 0, "%d", value);
    gst_video_frame_unmap (&frame);
    gst_buffer_unref (buffer);
    g_object_set (v.element, "intrinsics", NULL, NULL);
  }
  expect_soon (v.bus, GST_MESSAGE_WARNING, "depth needs a rig");
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 1);
}
GST_END_TEST;

/* One colour for the plane; of points, in a square of the grid around each. */
GST_START_TEST (test_colormap)
{
  static const gchar *const properties[] = {
      "mode=dense", "mode=points grid-spacing=6", "mode=points points=48,32"};

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    g_autofree gchar *line =
        g_strdup_printf ("output=colormap %s", properties[i]);
    g_auto (Views) v = views_grey (line);
    g_autoptr (GstBuffer) buffer = views_push (&v, NULL);
    GstVideoFrame frame;
    GstStructure *caps = begin (&v, buffer, &frame);
    const guint8 *centre =
        (const guint8 *) frame.data[0] + 32 * frame.info.stride[0] + 4 * 48;

    fail_unless_equals_string (
        gst_structure_get_string (caps, "format"), "RGBA");
    gst_structure_free (caps);
    fail_unless_equals_int (centre[3], 255);
    for (gint y = EDGE; y < HEIGHT - EDGE; y++)
      for (gint x = LEFT_EDGE + 8; x < WIDTH - EDGE - 8; x++) {
        const guint8 *p =
            (const guint8 *) frame.data[0] + y * frame.info.stride[0] + 4 * x;
        gboolean alone = i == 2 && (ABS (x - 48) > 2 || ABS (y - 32) > 2);

        fail_unless_equals_int (p[3], alone ? 0 : 255);
        for (gint c = 0; c < 3; c++)
          fail_unless (ABS (p[c] - (alone ? 0 : centre[c])) < (alone ? 1 : 6));
      }
    gst_video_frame_unmap (&frame);
  }
}
GST_END_TEST;

/* One frame of both views, and lists that go with a picture. */
GST_START_TEST (test_packed)
{
  g_auto (Views) v =
      views_new (TRUE, "output=disparity mode=points packing=top-bottom");
  GstVideoFrame frame;
  g_autoptr (GstBuffer) buffer = NULL;
  guint n = 0;

  views_caps (&v, GST_VIDEO_FORMAT_NV12, WIDTH, 2 * HEIGHT, NULL);
  gst_harness_push (v.left, views_make_packed (&v, FALSE));
  buffer = gst_harness_pull (v.left);
  fail_unless (views_has (buffer, "matches"));
  fail_if (views_has (buffer, "disparity"));
  gst_structure_free (begin (&v, buffer, &frame));
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    n += GST_READ_UINT16_LE ((guint8 *) frame.data[0] +
             i / WIDTH * frame.info.stride[0] + i % WIDTH * 2) != 0;
  /* of a grid of 20 x 13, the right view does not show the first column */
  fail_unless_equals_int (n, 19 * 13);
  gst_video_frame_unmap (&frame);
}
GST_END_TEST;

/* With a calibration the left view comes out as the maps see it, 6 pixels
 * farther right, whatever the frames are; without one as it came. */
GST_START_TEST (test_rectified)
{
  gchar *rig = write_rig (WIDTH, 6);
  Views v = views_grey ("");

  for (gint i = 0; i < 3; i++) {
    gboolean moved = i != 1;
    GstVideoFrame frame;
    g_autoptr (GstBuffer) buffer = NULL;
    GstStructure *caps;

    g_object_set (v.element, "calibration", moved ? rig : NULL, NULL);
    buffer = views_push (&v, NULL);
    fail_unless (views_has (buffer, "disparity"));
    fail_unless (views_has (buffer, "depth") == moved);
    caps = begin (&v, buffer, &frame);
    fail_unless_equals_string (
        gst_structure_get_string (caps, "format"), moved ? "RGBA" : "GRAY8");
    gst_structure_free (caps);
    for (gint y = 0; y < HEIGHT; y++)
      for (gint x = 0; x < WIDTH; x++) {
        const guint8 *p = (const guint8 *) frame.data[0] +
            y * frame.info.stride[0] + (moved ? 4 : 1) * x;

        for (gint c = 0; c < (moved ? 3 : 1); c++)
          fail_unless_equals_int (p[c],
              moved && x < 6 ? 0 : views_texture (x - (moved ? 6 : 0), y));
      }
    gst_video_frame_unmap (&frame);
  }
  expect_silence (v.bus);
  views_free (&v);
  remove_rig (rig);
}
GST_END_TEST;

/* The vertex of a pixel that has no blue has none. */
GST_START_TEST (test_colours)
{
  g_autofree gchar *path =
      g_build_filename (g_get_tmp_dir (), "pocstereo-XXXXXX", NULL);
  gint fd = g_mkstemp (path);
  g_autofree gchar *line = g_strdup_printf (
      "mode=points "
      "points=60,30 intrinsics=80,80,50,40 baseline=0.1 ply-location=%s",
      path);
  g_auto (Views) v = views_new (FALSE, line);
  GstVideoFrame frame;
  GstBuffer *left;
  guint8 *pixel, was[3];
  g_autofree gchar *text = NULL;
  gsize bytes;

  views_caps (&v, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT, NULL);
  left = views_make (&v, 0);
  fail_unless (gst_video_frame_map (&frame, &v.info, left, GST_MAP_READWRITE));
  pixel = (guint8 *) frame.data[0] + 30 * frame.info.stride[0] + 3 * 60;
  pixel[2] = 0;
  memcpy (was, pixel, 3);
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (views_push (&v, left));
  fail_unless (g_file_get_contents (path, &text, &bytes, NULL));
  fail_unless (bytes > 7 && was[0] > 0);
  fail_unless (!memcmp (text + bytes - 7, was, 3)); /* then the confidence */
  g_close (fd, NULL);
  g_unlink (path);
}
GST_END_TEST;

/* The next output has the caps of @output, for frames in @format. */
static void
expect_output (Views *v, const gchar *output, const gchar *format)
{
  g_autoptr (GstBuffer) buffer = views_push (v, NULL);
  GstVideoFrame frame;
  GstStructure *caps = begin (v, buffer, &frame);

  if (!strcmp (output, "colormap"))
    format = "RGBA";
  else if (strcmp (output, "left") != 0)
    format = "GRAY16_LE";
  fail_unless_equals_string (gst_structure_get_string (caps, "format"), format);
  fail_unless (gst_structure_has_field (caps, "disparity-scale") ==
      !strcmp (output, "disparity"));
  gst_structure_free (caps);
  gst_video_frame_unmap (&frame);
}

/* Output and mode that are set while frames pass wait for the next caps. */
GST_START_TEST (test_set_while_playing)
{
  static const gchar *const outputs[] = {
      "left", "disparity", "depth", "colormap"};
  const gchar *from = outputs[__i__ / 4], *to = outputs[__i__ % 4];
  gboolean points = (__i__ / 4 + __i__) % 2;
  g_autofree gchar *line =
      g_strdup_printf ("output=%s mode=%s baseline=0.1 intrinsics=80,80,48,32",
          from, points ? "points" : "dense");
  g_auto (Views) v = views_grey (line);

  expect_output (&v, from, "GRAY8");
  gst_util_set_object_arg (G_OBJECT (v.element), "output", to);
  gst_util_set_object_arg (
      G_OBJECT (v.element), "mode", points ? "dense" : "points");
  expect_output (&v, from, "GRAY8");
  expect_output (&v, from, "GRAY8");
  views_caps (&v, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT, NULL);
  expect_output (&v, to, "NV12");
  expect_output (&v, to, "NV12");
  expect_silence (v.bus);
}
GST_END_TEST;

/* A frame that cannot be read gives a picture of nothing. */
GST_START_TEST (test_bad_frame)
{
  g_auto (Views) v = views_grey ("output=disparity");
  GstVideoFrame frame;
  GstBuffer *buffer = bad_frame (&v.info, BAD_SHORT, 128);

  expect_output (&v, "disparity", "GRAY8");
  GST_BUFFER_PTS (buffer) = v.n * 40 * GST_MSECOND;
  buffer = views_push (&v, buffer);
  gst_structure_free (begin (&v, buffer, &frame));
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < 2 * WIDTH; x++)
      fail_unless_equals_int (
          ((guint8 *) frame.data[0])[y * frame.info.stride[0] + x], 0);
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);
  expect_soon (v.bus, GST_MESSAGE_WARNING, "of sink_left, its buffer holds");
  fail_unless_equals_uint64 (views_stat (&v, "faulty"), 1);
  expect_output (&v, "disparity", "GRAY8");
}
GST_END_TEST;

SUITE (pocstereooutput, TEST (test_disparity), TEST (test_depth),
    TEST (test_colormap), TEST (test_packed), TEST (test_rectified),
    TEST (test_colours), LOOP (test_set_while_playing, 16),
    TEST (test_bad_frame));
