/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Clouds of points as files. */
#include "suite.h"
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gstvisionply.h"

static gchar *
read_all (const gchar *path, gsize *length)
{
  gchar *bytes;

  fail_unless (g_file_get_contents (path, &bytes, length, NULL));
  return bytes;
}

/* Two points by hand, as bytes; then a file in its place, with none. */
GST_START_TEST (test_bytes)
{
  static const gchar header[] =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
      "property float confidence\nend_header\n";
  static const guint8 vertices[38] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0,
      0x3f, 1, 2, 255, 0, 0, 0x40, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40,
      9, 8, 7, 0, 0, 0, 0};
  static const GstVisionPlyPoint points[] = {{1, -2, .5f, 1, 2, 255, .75f},
      {NAN, 0, 1, 0, 0, 0, 1}, {0, INFINITY, 1, 0, 0, 0, 1},
      {0, 0, -INFINITY, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0, NAN},
      {0, 0, 2, 9, 8, 7, 0}};
  gchar *folder = g_dir_make_tmp ("ply-XXXXXX", NULL), *bytes;
  g_autofree gchar *path = g_build_filename (folder, "points.ply", NULL);
  GstVisionPly *ply = gst_vision_ply_new ();
  const gchar *name;
  gsize length;
  GDir *dir;

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    gst_vision_ply_add (ply, &points[i]);
  fail_unless_equals_int (gst_vision_ply_size (ply), 2);
  fail_unless (gst_vision_ply_write (ply, path, NULL));
  bytes = read_all (path, &length);
  fail_unless_equals_int (length, strlen (header) + sizeof vertices);
  fail_unless (!memcmp (bytes, header, strlen (header)));
  fail_unless (!memcmp (bytes + strlen (header), vertices, sizeof vertices));
  g_free (bytes);

  gst_vision_ply_clear (ply);
  fail_unless (gst_vision_ply_write (ply, path, NULL));
  bytes = read_all (path, &length);
  fail_unless_equals_int (length, strlen (header));
  fail_unless (strstr (bytes, "element vertex 0\n") != NULL);
  g_free (bytes);

  dir = g_dir_open (folder, 0, NULL); /* nothing is left beside it */
  name = g_dir_read_name (dir);
  fail_unless_equals_string (name, "points.ply");
  fail_unless (!g_dir_read_name (dir));
  g_dir_close (dir);
  gst_vision_ply_free (ply);
  gst_vision_ply_free (NULL);
  g_remove (path);
  g_rmdir (folder);
  g_free (folder);
}

GST_END_TEST;

/* What two clouds in a row are refused with: it is to be known again. */
static gchar *
refuse_twice (GstVisionPly *ply, const gchar *path)
{
  gchar *said[2];

  for (gint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    fail_unless (!gst_vision_ply_write (ply, path, &error));
    fail_unless (strstr (error->message, path) != NULL);
    said[i] = g_strdup (error->message);
  }
  fail_unless_equals_string (said[0], said[1]);
  g_free (said[1]);
  return said[0];
}

GST_START_TEST (test_failure)
{
  GstVisionPly *ply = gst_vision_ply_new ();
  g_autoptr (GError) error = NULL;

  fail_unless (!gst_vision_ply_write (ply, "/nowhere/a.ply", &error));
  fail_unless (strstr (error->message, "/nowhere/a.ply") != NULL);
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  g_free (refuse_twice (ply, "/nowhere/a.ply"));
  gst_vision_ply_free (ply);
}

GST_END_TEST;

static gboolean
is (const gchar *path, mode_t kind)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && (about.st_mode & S_IFMT) == kind;
}

/* Links, FIFOs and devices stay what they are. */
GST_START_TEST (test_no_regular_file)
{
  gchar *folder = g_dir_make_tmp ("ply-XXXXXX", NULL), *said, *bytes;
  g_autofree gchar *link = g_build_filename (folder, "link.ply", NULL);
  g_autofree gchar *path = g_build_filename (folder, "points.ply", NULL);
  g_autofree gchar *fifo = g_build_filename (folder, "fifo.ply", NULL);
  GstVisionPly *ply = gst_vision_ply_new ();
  gchar start[4] = "";
  gint reader;

  fail_unless (symlink ("points.ply", link) == 0);
  for (gint i = 0; i < 2; i++)
    fail_unless (gst_vision_ply_write (ply, link, NULL));
  fail_unless (is (link, S_IFLNK) && is (path, S_IFREG));
  fail_unless (g_file_get_contents (path, &bytes, NULL, NULL));
  fail_unless (g_str_has_prefix (bytes, "ply\n"));
  g_free (bytes);

  g_remove (link);
  fail_unless (symlink ("/dev/full", link) == 0);
  said = refuse_twice (ply, link);
  fail_unless (strstr (said, "No space left") != NULL, "%s", said);
  g_free (said);
  fail_unless (is (link, S_IFLNK) && is ("/dev/full", S_IFCHR));

  fail_unless (mkfifo (fifo, 0600) == 0);
  said = refuse_twice (ply, fifo); /* it does not wait for a reader */
  fail_unless (strstr (said, "nobody reads") != NULL, "%s", said);
  g_free (said);
  reader = g_open (fifo, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (gst_vision_ply_write (ply, fifo, NULL));
  fail_unless (read (reader, start, 4) == 4 && !memcmp (start, "ply\n", 4));
  close (reader);
  fail_unless (is (fifo, S_IFIFO));

  gst_vision_ply_free (ply);
  g_remove (link);
  g_remove (path);
  g_remove (fifo);
  fail_unless (g_rmdir (folder) == 0); /* nothing else was left there */
  g_free (folder);
}

GST_END_TEST;

GST_START_TEST (test_locations)
{
  static const struct {
    const gchar *location, *path; /* path: of cloud 42; NULL: refused */
    gboolean is_pattern;
  } cases[] = {{"a.ply", "a.ply", FALSE}, {"%d.ply", "42.ply", TRUE},
      {"b/%05d.ply", "b/00042.ply", TRUE}, {"%4d", "  42", TRUE},
      {"%d", "42", TRUE}, {"100%%.ply", "100%.ply", FALSE},
      {"%%%d%%", "%42%", TRUE}, {"%1d", "42", TRUE}, {"", NULL, FALSE},
      {"%s", NULL, FALSE}, {"%", NULL, FALSE}, {"%d%d", NULL, FALSE},
      {"%n%d", NULL, FALSE}, {"%ld", NULL, FALSE}, {"%x", NULL, FALSE},
      {"%-5d", NULL, FALSE}, {"%*d", NULL, FALSE}, {"%5", NULL, FALSE},
      {"%1000d", NULL, FALSE}, {"%.3d", NULL, FALSE}, {"a%", NULL, FALSE}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    gboolean good = gst_vision_ply_check (cases[i].location, &error);

    fail_unless (good == !!cases[i].path, "%s", cases[i].location);
    fail_unless (good || strstr (error->message, "%05d") != NULL);
    if (good) {
      g_autofree gchar *path = gst_vision_ply_path (cases[i].location, 42);
      g_autofree gchar *next = gst_vision_ply_path (cases[i].location, 43);

      fail_unless_equals_string (path, cases[i].path);
      fail_unless (!g_str_equal (path, next) == cases[i].is_pattern);
    }
  }
}

GST_END_TEST;

SUITE (ply, TEST (test_bytes), TEST (test_failure), TEST (test_no_regular_file),
    TEST (test_locations));
