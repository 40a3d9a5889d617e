/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visionmap/gstvisionmapclasses.h"

#include "base/gstvisioncuda.h"

/* The colours of Korn, Sanders and Pauli (VISAPP 2017), figure 1, which knows
 * no hole in a model. */
static const guint8 class_colours[][3] = {
    {0, 0, 0},       /* no depth */
    {144, 238, 144}, /* of the background; of an object, see below */
    {255, 255, 0},   /* potential outlier */
    {139, 0, 0},     /* outlier */
    {0, 191, 255},   /* no correspondence */
    {0, 0, 255},     /* out of the volume */
    {255, 255, 255}, /* no class at all */
};

/* Of objects: different models, different greens (figure 9). */
static const guint8 object_colours[][3] = {
    {0, 100, 0}, {46, 139, 87}, {107, 142, 35}};

gboolean
gst_vision_map_has_classes (const GstVisionMap *map)
{
  return !g_strcmp0 (map->kind, "correspondence") &&
      !g_strcmp0 (map->format, "u8") && map->channels == 2;
}

static const guint8 *
colour_of (guint class, guint model)
{
  if (class == 1 && model > 0)
    return object_colours[(model - 1) % G_N_ELEMENTS (object_colours)];
  return class_colours[MIN (class, G_N_ELEMENTS (class_colours) - 1)];
}

static void
put (const Image *image, guint8 *row, gint x, const guint8 *rgb)
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
put_grey (const Image *image, guint8 *row, gint x, gdouble v)
{
  gdouble most = image->format == IMAGE_GRAY8 ? 255 : 65535;
  guint grey = v > 0 ? (guint) (MIN (v, most) + .5) : 0;

  if (image->format == IMAGE_GRAY8)
    row[x] = grey;
  else
    GST_WRITE_UINT16_LE (row + 2 * x, grey);
}

const char *
gst_vision_map_paint_classes (const Device *device, const GstVisionMap *map,
    gdouble low, gdouble gain, const Image *image)
{
  GstMapInfo info;

  if (map->width != (guint) image->width ||
      map->height != (guint) image->height)
    return "it is too large for a frame";
  TRY (gst_vision_cuda_follow (device, map->pixels));
  if (!gst_buffer_map (map->pixels, &info, GST_MAP_READ))
    return "its pixels could not be mapped";
  if (info.size < (gsize) map->stride * (map->height - 1) + 2 * map->width) {
    gst_buffer_unmap (map->pixels, &info);
    return "it has fewer pixels than its size says";
  }
  for (gint y = 0; y < image->height; y++) {
    const guint8 *from = info.data + (gsize) y * map->stride;
    guint8 *to = image->plane[0] + (gsize) y * image->stride[0];

    for (gint x = 0; x < image->width; x++, from += 2)
      if (image->format <= IMAGE_GRAY16)
        put_grey (image, to, x, (from[0] - low) * gain);
      else
        put (image, to, x, colour_of (from[0], from[1]));
  }
  gst_buffer_unmap (map->pixels, &info);
  return NULL;
}
