/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element pocstereo on points: which ones, what it says of them, and how it
 * writes them. */
#include "suite.h"
#include "pocstereoviews.h"

#include <glib/gstdio.h>

#define GREY_POINTS "mode=points "

/* How many points of @buffer were matched; those inside of both views have the
 * plane's disparity. The right view does not show the first column of a grid.
 */
static guint
check_matches (GstBuffer *buffer)
{
  GstMapInfo info;
  GstVisionMap map;
  guint n;

  if (!views_has (buffer, "matches"))
    return 0;
  map = views_map (buffer, "matches", &info);
  n = map.width;
  fail_unless (!strcmp (map.format, "f32") && map.channels == 5);
  fail_unless (map.height == 1 && !map.on_gpu && map.stride == 20 * n);
  for (guint i = 0; i < n; i++) {
    const gfloat *m = (const gfloat *) info.data + 5 * i;

    if (m[0] < LEFT_EDGE + 8 || m[0] >= WIDTH - EDGE - 8 || m[1] < EDGE ||
        m[1] >= HEIGHT - EDGE)
      continue;
    fail_unless (fabs (m[2] - SHIFT) < .05, "at %f, %f: %f", m[0], m[1], m[2]);
    fail_unless (m[3] >= 0 && m[3] < .1 && m[4] > .8 && m[4] <= 1);
  }
  gst_buffer_unmap (map.pixels, &info);
  return n;
}

/* Of the next pair, with @left as it is where not NULL. */
static guint
count (Views *v, GstBuffer *left)
{
  g_autoptr (GstBuffer) buffer = views_push (v, left);
  guint n = check_matches (buffer);

  return n;
}

/* A grid all over, in regions, in those of the buffer; and a list. */
GST_START_TEST (test_chosen)
{
  g_auto (Views) v = views_grey (GREY_POINTS "grid-spacing=8");
  GstBuffer *left;

  fail_unless_equals_int (count (&v, NULL), (WIDTH / 8 - 1) * (HEIGHT / 8));
  g_object_set (v.element, "grid-spacing", 5, NULL);
  fail_unless_equals_int (count (&v, NULL), 19 * 13);
  left = views_make (&v, 0);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 40, 20, 11, 10);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 90, 60, 50, 50);
  fail_unless_equals_int (count (&v, left), 3 * 2 + 2 * 1);
  left = views_make (&v, 0);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 500, 0, 9, 9);
  fail_unless_equals_int (count (&v, left), 0);
  g_object_set (v.element, "roi", "40,20,1,1; -10,-10,20,15", NULL);
  left = views_make (&v, 0);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 40, 20, 11, 10);
  fail_unless_equals_int (count (&v, left), 1 + 1);
  g_object_set (v.element, "points", "50,30;60,30 ; 9,0\n95,63", NULL);
  fail_unless_equals_int (count (&v, NULL), 4);
  expect_silence (v.bus);
  g_object_set (v.element, "points", "50,30;96,63;-1,0", NULL);
  fail_unless_equals_int (count (&v, NULL), 1);
  expect_soon (v.bus, GST_MESSAGE_WARNING, "2 of 3 points lie outside");
  g_object_set (v.element, "points", "", "roi", "0,64,9,9;40,0,1,1", NULL);
  for (guint i = 0; i < 2; i++)
    fail_unless_equals_int (count (&v, NULL), 1);
  expect_soon (v.bus, GST_MESSAGE_WARNING, "1 of 2 regions lie outside");
  expect_silence (v.bus);
  g_object_set (v.element, "points", "", "roi", NULL, NULL);
  fail_unless_equals_int (count (&v, NULL), 19 * 13);
  g_object_set (v.element, "regions-only", TRUE, NULL);
  fail_unless_equals_int (count (&v, NULL), 0);
  left = views_make (&v, 0);
  gst_buffer_add_video_region_of_interest_meta (left, "face", 40, 20, 11, 10);
  fail_unless_equals_int (count (&v, left), 3 * 2);
}
GST_END_TEST;

/* A list in a file, and texts that are none. */
GST_START_TEST (test_texts)
{
  static const gchar *const bad[][2] = {{"points", "1,2;3"},
      {"points", "/nowhere/to/be/found"}, {"points", "1,2,3"}, {"roi", "1,2,3"},
      {"roi", "1,2,0,4"}, {"roi", ";"}, {"ply-location", "cloud-%d-%d.ply"},
      {"calibration", "/nowhere"}};
  g_auto (Views) v = views_grey (GREY_POINTS "roi=40,20,1,1");
  g_autofree gchar *path =
      g_build_filename (g_get_tmp_dir (), "pocstereo-XXXXXX", NULL);
  gint fd = g_mkstemp (path);

  fail_unless (fd >= 0);
  fail_unless (g_file_set_contents (path, "50,30\n60,31\n", -1, NULL));
  fail_unless_equals_int (count (&v, NULL), 1);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *before, *after, *said;

    g_object_get (v.element, bad[i][0], &before, NULL);
    g_object_set (v.element, bad[i][0], bad[i][1], NULL);
    g_object_get (v.element, bad[i][0], &after, NULL);
    fail_unless_equals_string (after, before);
    said = g_strdup_printf ("%s stays what it was: ", bad[i][0]);
    expect_soon (v.bus, GST_MESSAGE_WARNING, said);
    g_free (said);
    fail_unless_equals_int (count (&v, NULL), 1);
    g_free (before);
    g_free (after);
  }
  g_object_set (v.element, "points", path, NULL);
  fail_unless_equals_int (count (&v, NULL), 2);
  expect_silence (v.bus);
  g_close (fd, NULL);
  g_unlink (path);
}
GST_END_TEST;

/* A right camera whose centre lies 3 pixels farther right: 8 / (5 + 3). */
GST_START_TEST (test_doffs)
{
  g_auto (Views) v = views_grey (
      GREY_POINTS "points=60,30 intrinsics=80,80,50,40 baseline=0.1 doffs=3");
  g_autoptr (GstBuffer) buffer = views_push (&v, NULL);
  GstMapInfo info;
  GstVisionMap map = views_map (buffer, "points", &info);
  const gfloat *p = (const gfloat *) info.data;

  fail_unless (fabs (p[0] - .125) < 2e-3 && fabs (p[2] - 1) < .01, "%f", p[2]);
  gst_buffer_unmap (map.pixels, &info);
}
GST_END_TEST;

/* In space: f B / d = 80 * 0.1 / 5 metres. */
GST_START_TEST (test_space)
{
  g_auto (Views) v = views_grey (
      GREY_POINTS "points=60,30;50,40 intrinsics=80,80,50,40 baseline=0.1");
  g_autoptr (GstBuffer) buffer = views_push (&v, NULL);
  GstMapInfo info;
  GstVisionMap map = views_map (buffer, "points", &info);
  const gfloat *p = (const gfloat *) info.data;

  fail_unless (map.width == 2 && map.height == 1 && map.channels == 4);
  fail_unless (fabs (p[0] - .2) < 2e-3 && fabs (p[1] + .2) < 2e-3);
  fail_unless (fabs (p[2] - 1.6) < .02 && p[3] > 0 && p[3] < .1);
  fail_unless (fabs (p[4]) < 1e-6 && fabs (p[5]) < 1e-6);
  gst_buffer_unmap (map.pixels, &info);
  fail_unless_equals_int (check_matches (buffer), 2);
}
GST_END_TEST;

GST_START_TEST (test_messages)
{
  g_auto (Views) v =
      views_grey (GREY_POINTS "points=60,30;50,40 post-messages=true");
  const GstStructure *structure;
  const GValue *matches;
  g_autoptr (GstMessage) message = NULL;
  guint asked;

  count (&v, NULL);
  message = gst_bus_pop_filtered (v.bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "pocstereo"));
  fail_unless (gst_structure_get_uint (structure, "asked", &asked));
  fail_unless_equals_int (asked, 2);
  matches = gst_structure_get_value (structure, "matches");
  fail_unless_equals_int (gst_value_array_get_size (matches), 10);
  fail_unless_equals_float (
      g_value_get_double (gst_value_array_get_value (matches, 5)), 50);
}
GST_END_TEST;

/* The paper's parameters, and those of others. */
GST_START_TEST (test_presets)
{
  g_auto (Views) v = views_grey (GREY_POINTS);
  gint window, layers;

  fail_unless (gst_preset_load_preset (GST_PRESET (v.element), "paper"));
  g_object_get (v.element, "window", &window, "layers", &layers, NULL);
  fail_unless (window == 32 && layers == 4);
  fail_unless_equals_int (count (&v, NULL), 19 * 13);
  fail_unless (gst_preset_load_preset (GST_PRESET (v.element), "points"));
  fail_unless (count (&v, NULL) > 10 * 7);
  expect_silence (v.bus);
}
GST_END_TEST;

/* The vertices that @path says it has, 0 if there are none. */
static guint
vertices_of (const gchar *path)
{
  gchar *text, *at;
  guint n = 0;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  fail_unless (g_str_has_prefix (text, "ply\nformat binary_little_endian"));
  at = strstr (text, "element vertex ");
  fail_unless (at && sscanf (at, "element vertex %u", &n) == 1);
  g_free (text);
  return n;
}

/* A cloud a frame, of points and of pixels; without a rig a warning. */
GST_START_TEST (test_clouds)
{
  g_autofree gchar *folder = g_dir_make_tmp ("pocstereo-XXXXXX", NULL);
  g_autofree gchar *pattern = g_build_filename (folder, "%02d.ply", NULL);
  gchar *paths[2] = {g_build_filename (folder, "00.ply", NULL),
      g_build_filename (folder, "01.ply", NULL)};

  for (gint dense = 0; dense < 2; dense++) {
    g_auto (Views) v =
        views_grey (dense ? "mode=dense" : "mode=points points=60,30");

    g_object_set (v.element, "ply-location", pattern, NULL);
    gst_buffer_unref (views_push (&v, NULL));
    expect_soon (v.bus, GST_MESSAGE_WARNING, "No points are written");
    fail_unless_equals_int (vertices_of (paths[0]), 0);
    g_object_set (v.element, "intrinsics", "80,80,50,40", "baseline", .1, NULL);
    for (gint i = 0; i < 2; i++)
      gst_buffer_unref (views_push (&v, NULL));
    expect_silence (v.bus);
    for (gint i = 0; i < 2; i++) {
      guint n = vertices_of (paths[i]);

      fail_unless (dense ? n > WIDTH * HEIGHT / 2 : n == 1, "%u vertices", n);
      g_unlink (paths[i]);
    }
    g_object_set (v.element, "ply-location", "/nowhere/x.ply", NULL);
    gst_buffer_unref (views_push (&v, NULL));
    expect_soon (v.bus, GST_MESSAGE_WARNING, "/nowhere");
  }
  g_rmdir (folder);
  g_free (paths[0]);
  g_free (paths[1]);
}
GST_END_TEST;

SUITE (pocstereopoints, TEST (test_chosen), TEST (test_texts),
    TEST (test_space), TEST (test_doffs), TEST (test_messages),
    TEST (test_presets), TEST (test_clouds));
