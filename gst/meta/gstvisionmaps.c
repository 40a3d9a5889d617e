/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionmaps.h"

#include <math.h>
#include <string.h>

#include "gstvisionmirror.h"
#include "gstvisionstructure.h"

G_DEFINE_BOXED_TYPE (
    GstVisionMap, gst_vision_map, gst_vision_map_copy, gst_vision_map_free)

/* Bytes of one number; 0: there is no such format. */
static guint
bytes_of_number (const gchar *format)
{
  static const struct {
    const gchar *format;
    guint bytes;
  } formats[] = {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"f32", 4}};

  for (guint i = 0; format && i < G_N_ELEMENTS (formats); i++)
    if (!strcmp (format, formats[i].format))
      return formats[i].bytes;
  return 0;
}

/**
 * gst_vision_map_init:
 * @map: a map
 *
 * Sets @channels and @scale to 1, @invalid to NAN, and all other fields to 0.
 *
 * Since: 0.1
 */
void
gst_vision_map_init (GstVisionMap *map)
{
  *map = (GstVisionMap){.channels = 1, .scale = 1, .invalid = NAN};
}

/**
 * gst_vision_map_new:
 * @kind: meaning of the numbers, see #GstVisionMap.kind
 * @format: type of a raw number: `u8`, `u16`, `u32` or `f32`
 * @channels: number of numbers in a pixel, at least 1
 * @width: number of pixels in a row, at least 1
 * @height: number of rows, at least 1
 * @pixels: buffer of the raw numbers, without a gap between rows; the function
 *   takes a reference
 *
 * Makes a map in system memory.  It owns its texts: set further ones to copies.
 *
 * Returns: (transfer full): the map; free it with gst_vision_map_free()
 *
 * Since: 0.1
 */
GstVisionMap *
gst_vision_map_new (const gchar *kind, const gchar *format, guint channels,
    guint width, guint height, GstBuffer *pixels)
{
  GstVisionMap map;

  gst_vision_map_init (&map);
  map.kind = kind;
  map.format = format;
  map.channels = channels;
  map.width = width;
  map.height = height;
  map.stride = width * channels * bytes_of_number (format);
  map.pixels = pixels;
  return gst_vision_map_copy (&map);
}

/**
 * gst_vision_map_copy:
 * @map: a map
 *
 * Copies a map and its texts, and takes a reference to its pixels.
 *
 * Returns: (transfer full): the copy; free it with gst_vision_map_free()
 *
 * Since: 0.1
 */
GstVisionMap *
gst_vision_map_copy (const GstVisionMap *map)
{
  GstVisionMap *copy = g_memdup2 (map, sizeof *map);

  copy->element = g_strdup (map->element);
  copy->kind = g_strdup (map->kind);
  copy->format = g_strdup (map->format);
  copy->names = g_strdup (map->names);
  if (map->pixels)
    gst_buffer_ref (map->pixels);
  return copy;
}

/**
 * gst_vision_map_free:
 * @map: (transfer full): a map that gst_vision_map_new() or
 *   gst_vision_map_copy() returned
 *
 * Frees a map and what it points to.
 *
 * Since: 0.1
 */
void
gst_vision_map_free (GstVisionMap *map)
{
  g_free ((gchar *) map->element);
  g_free ((gchar *) map->kind);
  g_free ((gchar *) map->format);
  g_free ((gchar *) map->names);
  gst_clear_buffer (&map->pixels);
  g_free (map);
}

/* Whether the map's size fits into the buffer of its pixels.  GPU memory is not
 * checked, as only its allocator knows its size. */
static gboolean
is_sound_map (const GstVisionMap *map)
{
  /* a product of two factors of 32 bits; a third could overflow 64 bits */
  guint64 row = (guint64) map->width * map->channels;

  if (row > G_MAXUINT32)
    return FALSE;
  row *= bytes_of_number (map->format);
  return map->kind && row > 0 && map->height > 0 && map->stride >= row &&
      GST_IS_BUFFER (map->pixels) && isfinite (map->scale) &&
      isfinite (map->offset) &&
      (map->on_gpu ||
          gst_buffer_get_size (map->pixels) >=
              (guint64) map->stride * (map->height - 1) + row);
}

/**
 * gst_buffer_add_vision_map:
 * @buffer: a writable #GstBuffer
 * @origin: whether an element found the map (result) or a synthetic scene knows
 *   it (truth)
 * @map: the map; the function copies it and takes a reference to its pixels,
 *   which nobody may change from then on
 *
 * Appends a map to the maps of a buffer.
 *
 * Returns: %TRUE; or %FALSE, with a critical warning, if @buffer is not
 *   writable, or if @map is malformed: its format is unknown, or its rows reach
 *   beyond its pixels
 *
 * Since: 0.1
 */
gboolean
gst_buffer_add_vision_map (
    GstBuffer *buffer, GstVisionOrigin origin, const GstVisionMap *map)
{
  GstStructure *structure, *item;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (map && is_sound_map (map), FALSE);
  g_return_val_if_fail (map->pixels != buffer, FALSE);

  item = gst_structure_new ("VisionMap", "kind", G_TYPE_STRING, map->kind,
      "format", G_TYPE_STRING, map->format, "channels", G_TYPE_UINT,
      map->channels, "width", G_TYPE_UINT, map->width, "height", G_TYPE_UINT,
      map->height, "stride", G_TYPE_UINT, map->stride, "memory", G_TYPE_STRING,
      map->on_gpu ? "cuda" : "system", "scale", G_TYPE_DOUBLE, map->scale,
      "offset", G_TYPE_DOUBLE, map->offset, "pixels", GST_TYPE_BUFFER,
      map->pixels, NULL);
  if (map->element)
    gst_structure_set (item, "element", G_TYPE_STRING, map->element, NULL);
  if (map->names)
    gst_structure_set (item, "names", G_TYPE_STRING, map->names, NULL);
  if (isfinite (map->invalid))
    gst_structure_set (item, "invalid", G_TYPE_DOUBLE, map->invalid, NULL);
  structure =
      gst_vision_structure_ensure (buffer, GST_VISION_META_MAPS, origin);
  gst_vision_items_take (
      gst_vision_structure_ensure_items (structure, "maps"), item);
  if (origin == GST_VISION_ORIGIN_RESULT)
    gst_vision_segmentation_add_map (buffer, map);
  return TRUE;
}

static gboolean
map_from_structure (const GstStructure *item, GstVisionMap *map)
{
  const GValue *pixels = gst_structure_get_value (item, "pixels");

  *map = (GstVisionMap){
      .element = gst_structure_get_string (item, "element"),
      .kind = gst_structure_get_string (item, "kind"),
      .format = gst_structure_get_string (item, "format"),
      .on_gpu = !g_strcmp0 (gst_structure_get_string (item, "memory"), "cuda"),
      .scale = 1,
      .invalid = NAN,
      .names = gst_structure_get_string (item, "names"),
  };
  gst_structure_get_uint (item, "channels", &map->channels);
  gst_structure_get_uint (item, "width", &map->width);
  gst_structure_get_uint (item, "height", &map->height);
  gst_structure_get_uint (item, "stride", &map->stride);
  gst_structure_get_double (item, "scale", &map->scale);
  gst_structure_get_double (item, "offset", &map->offset);
  gst_structure_get_double (item, "invalid", &map->invalid);
  if (pixels && GST_VALUE_HOLDS_BUFFER (pixels))
    map->pixels = gst_value_get_buffer (pixels);
  return is_sound_map (map);
}

/**
 * gst_buffer_n_vision_maps:
 * @buffer: a #GstBuffer
 * @origin: the origin of the maps
 *
 * Counts the maps of a buffer.
 *
 * Returns: the number of maps, of which some may be malformed; 0 if the buffer
 *   has none
 *
 * Since: 0.1
 */
guint
gst_buffer_n_vision_maps (GstBuffer *buffer, GstVisionOrigin origin)
{
  const GstStructure *structure;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), 0);
  structure = gst_vision_structure_get (buffer, GST_VISION_META_MAPS, origin);
  return structure ? gst_vision_structure_n_items (structure, "maps") : 0;
}

/**
 * gst_buffer_nth_vision_map:
 * @buffer: a #GstBuffer
 * @origin: the origin of the map
 * @index: number of the map, from 0; the oldest map is the first
 * @map: (out caller-allocates): the map; its strings and pixels belong to the
 *   buffer
 *
 * Reads one of the maps of a buffer.
 *
 * Returns: %TRUE; or %FALSE if the buffer has @index maps or fewer, or if this
 *   map is malformed, for example if its rows reach beyond its pixels
 *
 * Since: 0.1
 */
gboolean
gst_buffer_nth_vision_map (
    GstBuffer *buffer, GstVisionOrigin origin, guint index, GstVisionMap *map)
{
  const GstStructure *structure, *item;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (map != NULL, FALSE);
  structure = gst_vision_structure_get (buffer, GST_VISION_META_MAPS, origin);
  if (!structure || index >= gst_vision_structure_n_items (structure, "maps"))
    return FALSE;
  item = gst_vision_structure_nth_item (structure, "maps", index);
  return item && map_from_structure (item, map);
}

/**
 * gst_buffer_find_vision_map:
 * @buffer: a #GstBuffer
 * @origin: the origin of the map
 * @kind: (nullable): the kind of the map, such as `depth`; %NULL for any kind
 * @map: (out caller-allocates): the map; its strings and pixels belong to the
 *   buffer
 *
 * Finds the newest map of a kind that is not malformed.
 *
 * Returns: %TRUE; or %FALSE if the buffer has no such map
 *
 * Since: 0.1
 */
gboolean
gst_buffer_find_vision_map (GstBuffer *buffer, GstVisionOrigin origin,
    const gchar *kind, GstVisionMap *map)
{
  for (guint i = gst_buffer_n_vision_maps (buffer, origin); i > 0; i--)
    if (gst_buffer_nth_vision_map (buffer, origin, i - 1, map) &&
        (!kind || !strcmp (kind, map->kind)))
      return TRUE;
  return FALSE;
}
