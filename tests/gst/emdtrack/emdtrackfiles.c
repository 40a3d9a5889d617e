/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack: targets that files show, pictures and histograms, and
 * what is wrong with some. */
#include "suite.h"
#include <glib/gstdio.h>

#include "emdtrackstage.h"

/* A new file of @bytes; its path, to be freed by drop(). */
static gchar *
make_file (const gchar *bytes, gssize length)
{
  gchar *path;
  gint file = g_file_open_tmp ("emdtrack-XXXXXX", &path, NULL);

  fail_unless (file >= 0);
  g_close (file, NULL);
  fail_unless (g_file_set_contents (path, bytes, length, NULL));
  return path;
}

static void
drop (gchar *path)
{
  g_remove (path);
  g_free (path);
}

/* A PNG file of @pixels, rows of which are whole words. */
static gchar *
make_picture (GstVideoFormat format, gint width, gint height, guint8 *pixels)
{
  g_autoptr (Harness) h = gst_harness_new ("pngenc");
  GstVideoInfo info;
  g_autoptr (GstBuffer) png = NULL;
  GstMapInfo map;
  gchar *path;

  gst_video_info_set_format (&info, format, width, height);
  info.fps_n = 1;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
  png = gst_harness_push_and_pull (
      h, gst_buffer_new_memdup (pixels, (gsize) info.size));
  fail_unless (gst_buffer_map (png, &map, GST_MAP_READ));
  path = make_file ((const gchar *) map.data, (gssize) map.size);
  gst_buffer_unmap (png, &map);
  return path;
}

/* The square, in colours. */
static gchar *
make_square (void)
{
  static const guint8 colours[][3] = {{220, 40, 40}, {240, 220, 60}};
  guint8 pixels[SIDE * SIDE * 3];

  for (gint i = 0; i < SIDE * SIDE; i++)
    memcpy (pixels + 3 * i, colours[i >= SIDE * SIDE / 2], 3);
  return make_picture (GST_VIDEO_FORMAT_RGB, SIDE, SIDE, pixels);
}

static void
set_file (Stage *s, const gchar *before, const gchar *path)
{
  g_autofree gchar *text = g_strconcat (before, path, NULL);

  g_object_set (s->h->element, "targets", text, NULL);
}

/* It is looked for in the whole frame, found, then followed. */
static void
find (Stage *s, gdouble near)
{
  GstVisionObjects *found = stage_push (s);
  const GstVisionObject *o = &found->objects[0];

  fail_unless_equals_int (found->n_objects, 1);
  fail_unless (o->state == GST_VISION_STATE_FOUND);
  fail_unless (fabs (o->cx - s->x - SIDE / 2) <= near, "%g", o->cx);
  fail_unless (fabs (o->cy - Y - SIDE / 2) <= near, "%g", o->cy);
  gst_vision_objects_free (found);
  stage_confirm (s, 4, near);
}

/* While it plays, a picture takes the place of a box; it need not have the
 * frames' format, nor the target its size. */
GST_START_TEST (test_picture)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGB,
      GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GRAY8,
      GST_VIDEO_FORMAT_GRAY16_LE};
  static const gchar *histograms[] = {
      "codebook", "channels", "intensity", "intensity"};
  gchar *path = make_square ();

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, "100,90,20,20");

    gst_util_set_object_arg (
        G_OBJECT (s.h->element), "histogram", histograms[i]);
    g_object_set (s.h->element, "bins", 8, "white", i == 3 ? 65535 : 0, NULL);
    gst_harness_set_src_caps (
        s.h, stage_format (&s, formats[i], WIDTH, HEIGHT));
    gst_vision_objects_free (stage_push (&s));
    set_file (&s, "square:file=", path);
    find (&s, 3);
    set_file (&s, " square : 22, 22, file=", path);
    find (&s, 4);
  }
  drop (path);
}
GST_END_TEST;

/* Beside others; it is read again at the next start, where it is missed. */
GST_START_TEST (test_restart)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);
  gchar *path = make_square ();
  GstVisionObjects *found;

  set_file (&s, "ground:100,80,30,30;far:400,0,9,9; square:file=", path);
  found = stage_push (&s);
  fail_unless_equals_int (found->n_objects, 2);
  fail_unless_equals_string (found->objects[0].label, "ground");
  fail_unless (found->objects[0].state == GST_VISION_STATE_TRACKING);
  fail_unless_equals_string (found->objects[1].label, "square");
  fail_unless (found->objects[1].state == GST_VISION_STATE_FOUND);
  gst_vision_objects_free (found);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), "outside");
  drop (path);
  gst_element_set_state (s.h->element, GST_STATE_NULL);
  fail_unless (gst_element_set_state (s.h->element, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_ERROR),
      "targets cannot be used: ");
}
GST_END_TEST;

/* Four channels below each other, the histogram being the square's spectrum or
 * @bytes of it a picture. */
static void
find_spectrum (const gchar *histogram, const gchar *before, gchar *path)
{
  Stage s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, NULL);
  GstCaps *caps = stage_format (&s, GST_VIDEO_FORMAT_GRAY8, WIDTH, 4 * HEIGHT);

  gst_caps_set_simple (caps, "channels", G_TYPE_INT, 4, "channel-layout",
      G_TYPE_STRING, "stacked", NULL);
  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", histogram);
  set_file (&s, before, path);
  s.rows = 4;
  gst_harness_set_src_caps (s.h, caps);
  find (&s, 4);
  stage_free (&s);
  drop (path);
}

GST_START_TEST (test_spectra)
{
  static const guint8 bands[][4] = {{40, 90, 50, 100}, {50, 80, 60, 90}};
  guint8 pixels[4 * SIDE * SIDE];

  for (gint i = 0; i < SIDE * SIDE; i++)
    for (gint c = 0; c < 4; c++)
      pixels[c * SIDE * SIDE + i] = bands[i >= SIDE * SIDE / 2][c];
  find_spectrum ("codebook", "square:file=",
      make_picture (GST_VIDEO_FORMAT_GRAY8, SIDE, 4 * SIDE, pixels));
  find_spectrum ("channels", "square:file=",
      make_picture (GST_VIDEO_FORMAT_GRAY8, SIDE, 4 * SIDE, pixels));
  find_spectrum ("channels", "square:24,24,file=",
      make_file ("# the mean of both halves\n45, 85\n55 95\n", -1));
}
GST_END_TEST;

/* Half of the square is 94, half 207: bins 4 and 8 of 11. */
GST_START_TEST (test_histogram)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, NULL);
  gchar *path = make_file ("0 0 0 0 0.5 0 0 0 0.5 0 0", -1);

  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", "intensity");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT));
  set_file (&s, "square:24,24,file=", path);
  find (&s, 4);
  drop (path);
}
GST_END_TEST;

/* Warned of when it is set, and the targets before stay. */
GST_START_TEST (test_refused)
{
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"
  static const gchar huge[] = PNG "\x10\1\0\0\0\1\10\2\0\0";
  static const gchar deep[] = PNG "\0\1\0\0\0\1\20\2\0\0";
  static const struct {
    const gchar *before, *bytes;
    gssize length;
    const gchar *problem;
  } wrong[] = {
      {"9,9,file=", "1 -2 3", -1, "0 or more"},
      {"9,9,file=", "nan 1", -1, "0 or more"},
      {"9,9,file=", "0 0 0", -1, "no mass"},
      {"9,9,file=", "1e308 1e308", -1, "too large"},
      {"9,9,file=", "1 two", -1, "something else than numbers"},
      {"9,9,file=", "1", -1, "2 to 16 numbers"},
      {"9,9,file=", "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8", -1, "2 to 16 numbers"},
      {"9,9,file=", "", -1, "2 to 16 numbers"},
      {"9,9,file=", "1\0 2", 4, "neither a PNG"},
      {"a:file=", "1 2 3", -1, "needs a size"},
      {"a:0,9,file=", "1 2 3", -1, "size of a target is empty"},
      {"a:9,99999,file=", "1 2 3", -1, "larger than a frame"},
      {"a:9,file=", "1 2 3", -1, "a size is written"},
      {"a:1,2,3,4,file=", "1 2 3", -1, "a size is written"},
      {"file=", huge, sizeof huge, "at most 4096 pixels"},
      {"file=", deep, sizeof deep, "8 bits a component"},
      {"file=", "\x89PNG\r\n\x1a\nnothing more comes after this", -1,
          "4096 pixels"},
      {"file=/none/", "", -1, "cannot be read"},
  };
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gchar *path = make_file (wrong[i].bytes, wrong[i].length), *now;

    set_file (&s, wrong[i].before, path);
    expect_text (
        gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), wrong[i].problem);
    g_object_get (s.h->element, "targets", &now, NULL);
    fail_unless_equals_string (now, TARGETS);
    g_free (now);
    drop (path);
  }
  stage_follow (&s, 2, 3);
}
GST_END_TEST;

/* What does not go with the frames is warned of by its name; they pass. */
static void
misfit (const gchar *histogram, const gchar *before, gchar *path,
    const gchar *problem)
{
  Stage s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, NULL);

  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", histogram);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  set_file (&s, before, path);
  gst_vision_objects_free (stage_push (&s));
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), problem);
  fail_unless (stat_count (s.h->element, "faulty") == 0);
  g_object_set (s.h->element, "targets", TARGETS, NULL);
  s.n = 0;
  stage_follow (&s, 2, 3);
  stage_free (&s);
  drop (path);
}

GST_START_TEST (test_misfits)
{
  guint8 grey[64] = {0};

  misfit ("channels",
      "file=", make_picture (GST_VIDEO_FORMAT_GRAY8, 8, 8, grey),
      "its channels as");
  misfit ("codebook", "9,9,file=", make_file ("1 2 3", -1), "over a codebook");
  misfit ("intensity", "9,9,file=", make_file ("1 2 3", -1),
      "another number of bins");
  misfit ("codebook", "170,9,file=", make_square (), "larger than the frame");
}
GST_END_TEST;

SUITE (emdtrackfiles, TIMEOUT (120), TEST (test_picture), TEST (test_restart),
    TEST (test_spectra), TEST (test_histogram), TEST (test_refused),
    TEST (test_misfits));
