/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The maps of a frame: one number, or a few, for each of its pixels. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionMap:
 * @element: (nullable): factory name of the element that made it
 * @kind: what the numbers mean: disparity (pixels), confidence, depth
 *   (metres), points (x y z in metres and sigma), normals (x y z of a unit
 *   vector), labels, emd, correspondence (a class and a model) or rendered
 * (red, green and blue)
 * @format: u8, u16, u32 or f32, in the byte order of the machine
 * @channels: numbers a pixel, interleaved, at least 1
 * @width: pixels a row, at least 1
 * @height: rows, at least 1
 * @stride: bytes from one row to the next
 * @on_gpu: whether @pixels is CUDA memory; mapping that for the CPU downloads
 *   it
 * @scale: value = raw · @scale + @offset
 * @offset: see @scale
 * @invalid: the raw value that means "none here"; NAN where every value counts
 * @pixels: the raw numbers, from the first byte of the buffer
 * @names: (nullable): of labels, what the numbers 1, 2, … are called, set apart
 *   by semicolons
 *
 * A picture of numbers, which covers the whole frame whatever its own size.
 * What gst_buffer_nth_vision_map() and gst_buffer_find_vision_map() point to
 * belongs to the meta: it is there as long as the buffer is, and its metas
 * stay as they are.
 *
 * Since: 0.1
 */
typedef struct {
  const gchar *element;
  const gchar *kind;
  const gchar *format;
  guint channels, width, height, stride;
  gboolean on_gpu;
  gdouble scale, offset;
  gdouble invalid;
  GstBuffer *pixels;
  const gchar *names;
} GstVisionMap;

GST_VISION_META_API
gboolean gst_buffer_add_vision_map (
    GstBuffer *buffer, GstVisionOrigin origin, const GstVisionMap *map);
GST_VISION_META_API
gboolean gst_buffer_find_vision_map (GstBuffer *buffer, GstVisionOrigin origin,
    const gchar *kind, GstVisionMap *map);
GST_VISION_META_API
guint gst_buffer_n_vision_maps (GstBuffer *buffer, GstVisionOrigin origin);
GST_VISION_META_API
gboolean gst_buffer_nth_vision_map (
    GstBuffer *buffer, GstVisionOrigin origin, guint index, GstVisionMap *map);

G_END_DECLS
