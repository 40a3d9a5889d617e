/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The maps of a frame: a map holds one or more numbers for each pixel. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionMap:
 * @element: (nullable): factory name of the element that made the map
 * @kind: meaning of the numbers: `disparity` (pixels), `confidence`, `depth`
 *   (metres), `points` (x, y, z in metres and sigma), `normals` (x, y, z of a
 *   unit vector), `labels`, `emd`, `correspondence` (a class and a model),
 *   `rendered` (red, green and blue) or `trajectories` (eight numbers)
 * @format: type of a raw number: `u8`, `u16`, `u32` or `f32`, in the byte order
 *   of the machine
 * @channels: number of numbers in a pixel, at least 1; they lie side by side
 * @width: number of pixels in a row, at least 1
 * @height: number of rows, at least 1
 * @stride: bytes from the start of one row to the start of the next, at least
 *   @width times @channels times the bytes of @format
 * @on_gpu: %TRUE if @pixels is CUDA memory; if a program maps it for the CPU,
 *   GStreamer downloads it
 * @scale: factor of a raw number: value = raw · @scale + @offset; finite
 * @offset: value of the raw number 0, see @scale; finite
 * @invalid: raw number that marks a pixel without a value; NAN if every raw
 *   number is a value
 * @pixels: buffer of the raw numbers, which begin at its first byte
 * @names: (nullable): for kind `labels`, the names of the numbers 1, 2, … with
 *   semicolons between them
 *
 * A picture of numbers.  It covers the whole frame, whatever its own size is;
 * `trajectories` alone is no picture of the frame, but a row for each object.
 *
 * gst_buffer_nth_vision_map() and gst_buffer_find_vision_map() copy nothing:
 * the strings and @pixels belong to the meta.  They are valid until the buffer
 * is freed or its meta is changed; gst_vision_map_copy() keeps them longer.
 * gst_vision_map_init() sets all fields; call it before you fill in a map:
 * later versions may have more fields.
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

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING_LARGE];
} GstVisionMap;

#define GST_TYPE_VISION_MAP (gst_vision_map_get_type ())
GST_VISION_META_API
GType gst_vision_map_get_type (void);
GST_VISION_META_API
void gst_vision_map_init (GstVisionMap *map);
GST_VISION_META_API
GstVisionMap *gst_vision_map_new (const gchar *kind, const gchar *format,
    guint channels, guint width, guint height, GstBuffer *pixels);
GST_VISION_META_API
GstVisionMap *gst_vision_map_copy (const GstVisionMap *map);
GST_VISION_META_API
void gst_vision_map_free (GstVisionMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVisionMap, gst_vision_map_free)

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
