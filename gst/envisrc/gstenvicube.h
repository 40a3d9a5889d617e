/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A cube of numbers in a file, and how its bands become the channels of a
 * frame. */
#pragma once

#include "envisrc/gstenviheader.h"

G_BEGIN_DECLS

#define GST_ENVI_MAX_CHANNELS 16

typedef struct {
  GstEnviHeader header;
  gchar *path;   /* of the numbers; NULL: not open */
  gint file;     /* there */
  guint8 *lines; /* some of them, of the bands that are wanted */
  gsize room;    /* for these, bytes */
} GstEnviCube;

/* Which bands become channels: from @first_band to @last_band, in @channels
 * groups of neighbours as equal as can be, each its bands' mean. */
typedef struct {
  guint first_band, last_band, channels;
  gdouble full_scale; /* the number that is the brightest value; > 0 */
} GstEnviChoice;

/* Opens the header @path and the file with its numbers: of the same name with
 * another ending or with none. */
gboolean gst_envi_cube_open (
    GstEnviCube *cube, const gchar *path, GError **error);
void gst_envi_cube_close (GstEnviCube *cube);

/* The first band of channel @c; of channel choice->channels one more than the
 * last. */
guint gst_envi_choice_band (const GstEnviChoice *choice, guint c);

/* Writes the channels to @pixels one below the other, rows of samples @stride
 * bytes apart: 16 bits each, little endian, or 8, where @bytes is 2 or 1.  What
 * is below 0 or above the full scale, or no number, is 0 or the brightest.
 * Fails where the file was cut short since it was opened, or cannot be read. */
gboolean gst_envi_cube_read (GstEnviCube *cube, const GstEnviChoice *choice,
    guint bytes, guint8 *pixels, gint stride, GError **error);

G_END_DECLS
