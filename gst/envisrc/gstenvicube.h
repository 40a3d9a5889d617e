/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cube of numbers in a file, whose bands become the channels of a frame. */
#pragma once

#include "envisrc/gstenviheader.h"

G_BEGIN_DECLS

#define GST_ENVI_MAX_CHANNELS 16

typedef struct {
  GstEnviHeader header;
  gchar *path;   /* of the numbers; NULL: not open */
  gint file;     /* descriptor of the open file */
  guint8 *lines; /* lines of numbers, of the wanted bands */
  gsize room;    /* bytes that are allocated for the lines */
} GstEnviCube;

/* The bands that become channels, from @first_band to @last_band: @channels
 * groups of neighbours, of sizes as equal as can be.  A channel is the mean of
 * its group. */
typedef struct {
  guint first_band, last_band, channels;
  gdouble full_scale; /* the number that is the brightest value; > 0 */
} GstEnviChoice;

/* Opens the header @path and the file of its numbers, which has the same name
 * with another ending or without an ending. */
gboolean gst_envi_cube_open (
    GstEnviCube *cube, const gchar *path, GError **error);
void gst_envi_cube_close (GstEnviCube *cube);

/* The first band of channel @c; for choice->channels the band behind the last.
 */
guint gst_envi_choice_band (const GstEnviChoice *choice, guint c);

/* Writes the channels to @pixels one below the other, in rows @stride bytes
 * apart: samples of 16 bits, little endian (@bytes = 2), or of 8 bits (1).
 * Values below 0 and NaN are 0, values above the full scale are the brightest.
 * Fails if the file cannot be read, or was cut short since it was opened. */
gboolean gst_envi_cube_read (GstEnviCube *cube, const GstEnviChoice *choice,
    guint bytes, guint8 *pixels, gint stride, GError **error);

G_END_DECLS
