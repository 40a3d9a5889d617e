/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ENVI cubes of known numbers, in a folder of their own. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <glib/gstdio.h>
#include <string.h>

#define SAMPLES 5
#define LINES 3
#define BANDS 6

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("envisrc-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
}

static guint
number_of (guint x, guint y, guint band)
{
  return 7 + x + 10 * y + 40 * band;
}

static gsize
place_of (const gchar *order, guint x, guint y, guint b)
{
  if (g_str_equal (order, "bsq"))
    return (b * LINES + y) * SAMPLES + x;
  if (g_str_equal (order, "bil"))
    return (y * BANDS + b) * SAMPLES + x;
  return (y * SAMPLES + x) * BANDS + b;
}

/* A number as its type stores it; integers of two bytes and more and floats are
 * swapped for the other byte order. */
static guint
store (guint8 *at, guint type, gboolean big, guint number)
{
  static const guint bytes_of[] = {
      [1] = 1, [2] = 2, [3] = 4, [4] = 4, [5] = 8, [12] = 2, [13] = 4};
  guint8 little[8];
  gfloat f = number;
  gdouble d = number;

  GST_WRITE_UINT32_LE (little, number);
  if (type == 4)
    GST_WRITE_FLOAT_LE (little, f);
  if (type == 5)
    GST_WRITE_DOUBLE_LE (little, d);
  for (guint i = 0; i < bytes_of[type]; i++)
    at[i] = little[big ? bytes_of[type] - 1 - i : i];
  return bytes_of[type];
}

static void
put_file (const gchar *name, gconstpointer data, gsize size)
{
  g_autofree gchar *path = g_build_filename (folder, name, NULL);

  fail_unless (g_file_set_contents (path, data, (gssize) size, NULL));
}

static gchar *
header_text (guint samples, const gchar *order, guint type, gboolean big)
{
  return g_strdup_printf ("ENVI\n; a comment\ndescription = { two\nlines = 99 "
                          "}\nsamples = %u\nlines   = %u\nbands = %u\nheader "
                          "offset = 3\ndata type = %u\ninterleave = %s\n"
                          "byte order = %d\nwavelength = {400, 410,\n 420.5, "
                          "430, 440, 450}\n",
      samples, LINES, BANDS, type, order, big);
}

static void
put_cube (const gchar *stem, const gchar *order, guint type, gboolean big)
{
  guint8 data[3 + SAMPLES * LINES * BANDS * 8] = {0}, one[8];
  guint bytes = store (one, type, big, 0);
  g_autofree gchar *text = header_text (SAMPLES, order, type, big);
  g_autofree gchar *header = g_strconcat (stem, ".hdr", NULL);
  g_autofree gchar *numbers = g_strconcat (stem, ".raw", NULL);

  for (guint y = 0; y < LINES; y++)
    for (guint x = 0; x < SAMPLES; x++)
      for (guint b = 0; b < BANDS; b++)
        store (data + 3 + place_of (order, x, y, b) * bytes, type, big,
            number_of (x, y, b));
  put_file (header, text, strlen (text));
  put_file (numbers, data, 3 + SAMPLES * LINES * BANDS * bytes);
}

/* envisrc plays nothing but files. */
static void G_GNUC_UNUSED
give_cube (GstElement *element)
{
  g_autofree gchar *path = g_build_filename (folder, "cube.hdr", NULL);

  if (g_str_equal (
          GST_OBJECT_NAME (gst_element_get_factory (element)), "envisrc"))
    g_object_set (element, "location", path, NULL);
}

/* A folder with one cube, for a fixture. */
static void G_GNUC_UNUSED
make_cube (void)
{
  make_folder ();
  put_cube ("cube", "bil", 12, FALSE);
}

/* @bus: for what it says; NULL: nobody wants it. */
static inline GstHarness *
prepare_to_play (
    const gchar *name, const gchar *properties, const gchar *caps, GstBus *bus)
{
  gchar *line = g_strdup_printf (
      "envisrc name=src location=%s/%s %s ! capsfilter caps=\"%s\"", folder,
      name, properties, caps);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  if (bus)
    gst_element_set_bus (h->element, bus);
  return h;
}

static inline GstHarness *
play (
    const gchar *name, const gchar *properties, const gchar *caps, GstBus *bus)
{
  GstHarness *h = prepare_to_play (name, properties, caps, bus);

  gst_harness_play (h);
  return h;
}

static inline guint
value_at (GstBuffer *buffer, guint x, guint row)
{
  guint8 pair[2];

  fail_unless_equals_int (
      gst_buffer_extract (
          buffer, row * GST_ROUND_UP_4 (2 * SAMPLES) + 2 * x, pair, 2),
      2);
  return GST_READ_UINT16_LE (pair);
}
