/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visionmap/gstvisionmappaint.h"

#include <math.h>
#include <string.h>

#include "overlay/gstvisionmapview.h"
#include "visionmap/gstvisionmapclasses.h"

static gdouble
number (const OverlayMap *map, gint x, gint y)
{
  const guint8 *row = (const guint8 *) map->pixels + (gsize) y * map->stride;

  switch (map->format) {
    case OVERLAY_U8:
      return row[x];
    case OVERLAY_U16:
      return ((const guint16 *) row)[x];
    case OVERLAY_U32:
      return ((const guint32 *) row)[x];
    case OVERLAY_F32:
      return ((const gfloat *) row)[x];
  }
  return NAN;
}

/* Labels of 32 bits, which are places of pixels, as 1, 2, 3 … in the order in
 * which they come, from the upper left corner on. */
typedef struct {
  GHashTable *known;
  guint32 last, number;
} Labels;

static guint
number_of (Labels *labels, guint32 label)
{
  gpointer key = GUINT_TO_POINTER (label), found;

  if (label == labels->last)
    return labels->number;
  found = g_hash_table_lookup (labels->known, key);
  labels->last = label;
  labels->number =
      found ? GPOINTER_TO_UINT (found) : g_hash_table_size (labels->known) + 1;
  if (!found)
    g_hash_table_insert (labels->known, key, GUINT_TO_POINTER (labels->number));
  return labels->number;
}

static void
write_labels (const OverlayMap *map, const Image *frame)
{
  guint most = frame->format == IMAGE_GRAY8 ? 255 : 65535;
  Labels labels = {.known = g_hash_table_new (NULL, NULL)};

  for (gint y = 0; y < frame->height; y++) {
    guint8 *row = frame->plane[0] + (gsize) y * frame->stride[0];
    const guint32 *from = (const guint32 *) ((const guint8 *) map->pixels +
        (gsize) y * map->stride);

    for (gint x = 0; x < frame->width; x++) {
      guint grey = from[x] ? MIN (number_of (&labels, from[x]), most) : 0;

      if (most == 255)
        row[x] = grey;
      else
        GST_WRITE_UINT16_LE (row + 2 * x, grey);
    }
  }
  g_hash_table_unref (labels.known);
}

/* The numbers as they are stored or, where low and high differ, the values
 * between them, from black to white.  What is invalid stays as it is. */
static void
write_numbers (const OverlayMap *map, const Image *frame)
{
  gdouble most = frame->format == IMAGE_GRAY8 ? 255 : 65535;
  gdouble span = (gdouble) map->high - map->low;

  for (gint y = 0; y < frame->height; y++) {
    guint8 *row = frame->plane[0] + (gsize) y * frame->stride[0];

    for (gint x = 0; x < frame->width; x++) {
      gdouble v = number (map, x, y);
      guint grey;

      if (isnan (v) || v == map->invalid)
        continue;
      if (span != 0)
        v = (v * map->scale + map->offset - map->low) / span * most;
      grey = v > 0 ? v < most ? (guint) (v + .5) : (guint) most : 0;
      if (frame->format == IMAGE_GRAY8)
        row[x] = grey;
      else
        GST_WRITE_UINT16_LE (row + 2 * x, grey);
    }
  }
}

const char *
gst_vision_map_paint_open (GstVisionMapPaint *self)
{
  TRY (device_open (&self->device, DEVICE_CPU, NULL));
  TRY (overlay_list_new (&self->list));
  return overlay_new (&self->overlay, &self->device);
}

void
gst_vision_map_paint_close (GstVisionMapPaint *self)
{
  g_clear_pointer (&self->overlay, overlay_free);
  g_clear_pointer (&self->list, overlay_list_free);
  gst_vision_colours_clear (&self->colours);
  device_close (&self->device);
}

static const char *
paint (GstVisionMapPaint *self, const OverlayMap *map, bool labels,
    const Image *image)
{
  if (map->width != image->width || map->height != image->height)
    return "it is too large for a frame";
  if (image->format <= IMAGE_GRAY16 && !map->rgb) {
    if (labels)
      write_labels (map, image);
    else
      write_numbers (map, image);
    return NULL;
  }
  overlay_list_clear (self->list, image->width, image->height);
  TRY (overlay_map (self->list, map));
  return overlay_draw (self->overlay, image, self->list);
}

static const char *
paint_classes (GstVisionMapPaint *self, const GstVisionMap *map, gdouble low,
    gdouble high, const Image *image)
{
  gdouble most = image->format == IMAGE_GRAY8 ? 255 : 65535;
  gboolean range = low != high;

  return gst_vision_map_paint_classes (&self->device, map, range ? low : 0,
      range ? most / (high - low) : 1, image);
}

const char *
gst_vision_map_paint (GstVisionMapPaint *self, const GstVisionMap *map,
    gdouble low, gdouble high, GstVideoFrame *frame)
{
  Image image = {.plane = {GST_VIDEO_FRAME_PLANE_DATA (frame, 0)},
      .stride = {GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0)},
      .width = GST_VIDEO_FRAME_WIDTH (frame),
      .height = GST_VIDEO_FRAME_HEIGHT (frame)};
  GstVisionMapView view = {0};
  OverlayMap shown;
  const char *err;

  gst_vision_image_format (GST_VIDEO_FRAME_FORMAT (frame), &image.format);
  for (gint y = 0; y < image.height; y++)
    memset (image.plane[0] + (gsize) y * image.stride[0], 0,
        image_row_bytes (image.format, image.width, 0));
  if (!map)
    return NULL;
  if (gst_vision_map_has_classes (map))
    return paint_classes (self, map, low, high, &image);
  err = gst_vision_map_view_begin (&view, &self->device, map, &shown);
  if (!err) {
    gst_vision_map_view_set_range (map, low, high, &shown);
    gst_vision_map_view_name (&view, map, &self->colours, &shown);
    err = paint (self, &shown,
        !g_strcmp0 (map->kind, "labels") && shown.format == OVERLAY_U32 &&
            low == high,
        &image);
  }
  gst_vision_map_view_end (&view);
  return err;
}
