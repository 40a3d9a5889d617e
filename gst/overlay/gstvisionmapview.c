/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionmapview.h"

#include "base/gstvisionmapinput.h"

static const struct {
  const gchar *name;
  OverlayFormat format;
  guint bytes;
} formats[] = {{"u8", OVERLAY_U8, 1}, {"u16", OVERLAY_U16, 2},
    {"u32", OVERLAY_U32, 4}, {"f32", OVERLAY_F32, 4}};

const char *
gst_vision_map_view_begin (GstVisionMapView *self, const Device *device,
    GstObject *context, const GstVisionMap *map, OverlayMap *out)
{
  gboolean on_device;
  gsize row;
  guint f = 0;

  self->pixels = NULL;
  while (f < G_N_ELEMENTS (formats) &&
      g_strcmp0 (formats[f].name, map->format) != 0)
    f++;
  if (f == G_N_ELEMENTS (formats))
    return "its numbers are none of u8, u16, u32 and f32";
  if (map->channels != 1 && map->channels != 3)
    return "it has neither one number a pixel nor three";
  row = (gsize) map->width * map->channels * formats[f].bytes;
  if (!map->width || !map->height || map->width > G_MAXINT ||
      map->height > G_MAXINT || map->stride > G_MAXINT || map->stride < row)
    return "its size and its stride do not go together";
  TRY (gst_vision_map_pixels (map, device, context, &self->info, &on_device));
  self->pixels = map->pixels;

  *out = (OverlayMap){.pixels = self->info.data,
      .on_host = !on_device,
      .width = map->width,
      .height = map->height,
      .stride = map->stride,
      .format = formats[f].format,
      .labels = map->channels == 1 && g_strcmp0 (map->kind, "labels") == 0,
      .rgb = map->channels == 3,
      .scale = map->scale,
      .offset = map->offset,
      .invalid = map->invalid,
      .opacity = 255};
  return NULL;
}

void
gst_vision_map_view_name (GstVisionMapView *self, const GstVisionMap *map,
    GstVisionColours *colours, OverlayMap *out)
{
  if (!out->labels || !map->names)
    return;
  out->colours = self->colours;
  out->n_colours =
      (int) gst_vision_colours_of_names (colours, map->names, self->colours);
}

void
gst_vision_map_view_set_range (
    const GstVisionMap *map, gdouble low, gdouble high, OverlayMap *out)
{
  static const gdouble max[] = {[OVERLAY_U8] = G_MAXUINT8,
      [OVERLAY_U16] = G_MAXUINT16,
      [OVERLAY_U32] = G_MAXUINT32,
      [OVERLAY_F32] = 1};

  if (out->rgb && low == high) {
    gboolean normals = g_strcmp0 (map->kind, "normals") == 0;

    low = normals ? -1 : map->offset;
    high = normals ? 1 : max[out->format] * map->scale + map->offset;
  }
  out->low = low;
  out->high = high;
}

void
gst_vision_map_view_end (GstVisionMapView *self)
{
  if (self->pixels)
    gst_buffer_unmap (self->pixels, &self->info);
  self->pixels = NULL;
}
