/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes clouds of coloured points as PLY: binary_little_endian 1.0, vertices
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
/* Adds a point, unless one of its numbers is not finite. */
void gst_vision_ply_add (GstVisionPly *self, const GstVisionPlyPoint *point);
guint gst_vision_ply_size (const GstVisionPly *self);

/* Writes the cloud.  A regular file is replaced at once, so that nobody reads
 * half a cloud.  A FIFO or a device is written in place; a FIFO's reader may
 * come a second late. */
gboolean gst_vision_ply_write (
    const GstVisionPly *self, const gchar *path, GError **error);

/* Whether @location is a path with at most one pattern, which must be of an
 * integer, such as %d or %05d; %% is a percent sign. */
gboolean gst_vision_ply_check (const gchar *location, GError **error);
/* The path of cloud number @index by a @location that was checked; to be freed.
 */
gchar *gst_vision_ply_path (const gchar *location, guint index);

G_END_DECLS
