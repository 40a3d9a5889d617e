/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Clouds of coloured points, written as PLY: binary_little_endian 1.0, a vertex
 * of float x y z, uchar red green blue, float confidence. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gfloat x, y, z; /* metres; x right, y down, z forward */
  guint8 red, green, blue;
  gfloat confidence; /* 0 to 1 */
} GstVisionPlyPoint;

/* A cloud, which can be filled and written again and again. */
typedef struct _GstVisionPly GstVisionPly;

GstVisionPly *gst_vision_ply_new (void);
void gst_vision_ply_free (GstVisionPly *self);

void gst_vision_ply_clear (GstVisionPly *self);
/* Leaves out a point with a number that is not finite. */
void gst_vision_ply_add (GstVisionPly *self, const GstVisionPlyPoint *point);
guint gst_vision_ply_size (const GstVisionPly *self);

/* Replaces a regular file at once, so that nobody reads half a cloud.  Writes
 * to a FIFO or a device in place, and waits a second for its reader. */
gboolean gst_vision_ply_write (
    const GstVisionPly *self, const gchar *path, GError **error);

/* Whether @location is a path without a pattern, or one with one pattern of an
 * integer, as %d or %05d; %% is a percent sign. */
gboolean gst_vision_ply_check (const gchar *location, GError **error);
/* The path of cloud @index, of a location that was checked; to be freed. */
gchar *gst_vision_ply_path (const gchar *location, guint index);

G_END_DECLS
