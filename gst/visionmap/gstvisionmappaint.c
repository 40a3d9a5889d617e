/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visionmap/gstvisionmappaint.h"

#include <math.h>
#include <string.h>

#include "base/gstvisioninput.h"
#include "base/gstvisionmapinput.h"
#include "overlay/gstvisionmapview.h"

/* ---- Maps of kind correspondence: the class and the model of each pixel ----
 */

/* The colours of Korn, Sanders and Pauli (VISAPP 2017), figure 1, and light
 * blue for a hole in a model, for which the figure has no colour. */
static const guint8 class_colours[][3] = {
    {0, 0, 0},       /* no depth */
    {144, 238, 144}, /* background; objects have object_colours */
    {255, 255, 0},   /* potential outlier */
    {139, 0, 0},     /* outlier */
    {0, 191, 255},   /* no correspondence */
    {0, 0, 255},     /* out of the volume */
    {255, 255, 255}, /* no class at all */
};

/* Greens of the models of objects (figure 9). */
static const guint8 object_colours[][3] = {
    {0, 100, 0}, {46, 139, 87}, {107, 142, 35}};

static gboolean
has_classes (const GstVisionMap *map)
{
  return !g_strcmp0 (map->kind, "correspondence") &&
      !g_strcmp0 (map->format, "u8") && map->channels == 2;
}

static const guint8 *
colour_of_class (guint class, guint model)
{
  if (class == 1 && model > 0)
    return object_colours[(model - 1) % G_N_ELEMENTS (object_colours)];
  return class_colours[MIN (class, G_N_ELEMENTS (class_colours) - 1)];
}

static void
put_pixel_colour (const Image *image, guint8 *row, gint x, const guint8 *rgb)
{
  gboolean swap = image->format == IMAGE_BGR || image->format == IMAGE_BGRA;
  gboolean four = image->format == IMAGE_RGBA || image->format == IMAGE_BGRA;
  guint8 *p = row + x * (four ? 4 : 3);

  p[0] = rgb[swap ? 2 : 0];
  p[1] = rgb[1];
  p[2] = rgb[swap ? 0 : 2];
  if (four)
    p[3] = 255;
}

static void
put_pixel_grey (const Image *image, guint8 *row, gint x, gdouble v)
{
  gdouble max = image->format == IMAGE_GRAY8 ? 255 : 65535;
  guint grey = v > 0 ? (guint) (MIN (v, max) + .5) : 0;

  if (image->format == IMAGE_GRAY8)
    row[x] = grey;
  else
    GST_WRITE_UINT16_LE (row + 2 * x, grey);
}

/* Paints the map into @image, which has the map's size: in colours or, if
 * @image is grey, the numbers of the classes, minus @low and times @gain. */
static const char *
paint_class_map (const Device *device, const GstVisionMap *map, gdouble low,
    gdouble gain, const Image *image)
{
  gboolean on_device;
  GstMapInfo info;

  if (map->width != (guint) image->width ||
      map->height != (guint) image->height)
    return "it is too large for a frame";
  TRY (gst_vision_map_pixels (map, device, NULL, &info, &on_device));
  for (gint y = 0; y < image->height; y++) {
    const guint8 *from = info.data + (gsize) y * map->stride;
    guint8 *to = image->plane[0] + (gsize) y * image->stride[0];

    for (gint x = 0; x < image->width; x++, from += 2)
      if (image->format <= IMAGE_GRAY16)
        put_pixel_grey (image, to, x, (from[0] - low) * gain);
      else
        put_pixel_colour (image, to, x, colour_of_class (from[0], from[1]));
  }
  gst_buffer_unmap (map->pixels, &info);
  return NULL;
}

/* ---- Maps of numbers ---- */

static gdouble
map_number_at (const OverlayMap *map, gint x, gint y)
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

/* Numbers labels of 32 bits, which are positions of pixels, as 1, 2, 3 … in the
 * order in which they appear, from the upper left corner on. */
typedef struct {
  GHashTable *known;
  guint32 last, number;
} Labels;

static guint
number_of_label (Labels *labels, guint32 label)
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
  guint max = frame->format == IMAGE_GRAY8 ? 255 : 65535;
  Labels labels = {.known = g_hash_table_new (NULL, NULL)};

  for (gint y = 0; y < frame->height; y++) {
    guint8 *row = frame->plane[0] + (gsize) y * frame->stride[0];
    const guint32 *from = (const guint32 *) ((const guint8 *) map->pixels +
        (gsize) y * map->stride);

    for (gint x = 0; x < frame->width; x++) {
      guint grey = from[x] ? MIN (number_of_label (&labels, from[x]), max) : 0;

      if (max == 255)
        row[x] = grey;
      else
        GST_WRITE_UINT16_LE (row + 2 * x, grey);
    }
  }
  g_hash_table_unref (labels.known);
}

/* Writes the numbers as they are stored or, if low and high differ, the values
 * between these, from black to white.  Invalid pixels stay unchanged. */
static void
write_numbers (const OverlayMap *map, const Image *frame)
{
  gdouble max = frame->format == IMAGE_GRAY8 ? 255 : 65535;
  gdouble span = (gdouble) map->high - map->low;

  for (gint y = 0; y < frame->height; y++) {
    guint8 *row = frame->plane[0] + (gsize) y * frame->stride[0];

    for (gint x = 0; x < frame->width; x++) {
      gdouble v = map_number_at (map, x, y);
      guint grey;

      if (isnan (v) || v == map->invalid)
        continue;
      if (span != 0)
        v = (v * map->scale + map->offset - map->low) / span * max;
      grey = v > 0 ? v < max ? (guint) (v + .5) : (guint) max : 0;
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
paint_numbers (GstVisionMapPaint *self, const OverlayMap *map, bool labels,
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
paint_class_range (GstVisionMapPaint *self, const GstVisionMap *map,
    gdouble low, gdouble high, const Image *image)
{
  gdouble max = image->format == IMAGE_GRAY8 ? 255 : 65535;
  gboolean range = low != high;

  return paint_class_map (&self->device, map, range ? low : 0,
      range ? max / (high - low) : 1, image);
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
  if (has_classes (map))
    return paint_class_range (self, map, low, high, &image);
  err = gst_vision_map_view_begin (&view, &self->device, NULL, map, &shown);
  if (!err) {
    gst_vision_map_view_set_range (map, low, high, &shown);
    gst_vision_map_view_name (&view, map, &self->colours, &shown);
    err = paint_numbers (self, &shown,
        !g_strcmp0 (map->kind, "labels") && shown.format == OVERLAY_U32 &&
            low == high,
        &image);
  }
  gst_vision_map_view_end (&view);
  return err;
}
