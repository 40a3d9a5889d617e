/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionmapview.h"

#include "base/gstvisioncuda.h"

static const struct {
  const gchar *name;
  OverlayFormat format;
  guint bytes;
} formats[] = {{"u8", OVERLAY_U8, 1}, {"u16", OVERLAY_U16, 2},
    {"u32", OVERLAY_U32, 4}, {"f32", OVERLAY_F32, 4}};

const char *
gst_vision_map_view_begin (GstVisionMapView *self, const Device *device,
    const GstVisionMap *map, OverlayMap *out)
{
  gboolean on_gpu = map->on_gpu && device->kind == DEVICE_CUDA;
  int flags = GST_MAP_READ | (on_gpu ? (int) gst_vision_cuda_map_flag : 0);
  gsize row;
  guint f = 0;

  self->pixels = NULL;
  while (f < G_N_ELEMENTS (formats) &&
      g_strcmp0 (formats[f].name, map->format) != 0)
    f++;
  if (f == G_N_ELEMENTS (formats))
    return "its numbers are none of u8, u16, u32 and f32";
  if (map->channels != 1)
    return "it has more than one number a pixel";
  row = (gsize) map->width * formats[f].bytes;
  if (!map->width || !map->height || map->width > G_MAXINT ||
      map->height > G_MAXINT || map->stride > G_MAXINT || map->stride < row)
    return "its size and its stride do not go together";
  if (!map->pixels)
    return "it has no pixels";
  TRY (gst_vision_cuda_follow (device, map->pixels));
  if (!gst_buffer_map (map->pixels, &self->info, flags))
    return "its pixels could not be mapped";
  self->pixels = map->pixels;
  if (self->info.size < (gsize) map->stride * (map->height - 1) + row)
    return "it has fewer pixels than its size says";
  if (map->stride % formats[f].bytes ||
      (guintptr) self->info.data % formats[f].bytes)
    return "its rows do not begin at multiples of a number's bytes";

  *out = (OverlayMap){.pixels = self->info.data,
      .on_host = !on_gpu,
      .width = map->width,
      .height = map->height,
      .stride = map->stride,
      .format = formats[f].format,
      .labels = g_strcmp0 (map->kind, "labels") == 0,
      .scale = map->scale,
      .offset = map->offset,
      .invalid = map->invalid,
      .opacity = 255};
  return NULL;
}

void
gst_vision_map_view_end (GstVisionMapView *self)
{
  if (self->pixels)
    gst_buffer_unmap (self->pixels, &self->info);
  self->pixels = NULL;
}
