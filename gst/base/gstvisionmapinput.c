/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map in memory of the device's own CUDA context is read where it is.  Any
 * other is mapped for the CPU, which downloads it where need be, and on the GPU
 * copied to memory that is kept for the maps to come. */
#include "base/gstvisionmapinput.h"

#include "base/gstvisioncuda.h"

/* Bytes of a number. */
static guint
bytes_of (const GstVisionMap *map)
{
  return (guint) g_ascii_strtoull (map->format + 1, NULL, 10) / 8;
}

/* Bytes from the first number of the map to its last one. */
static guint64
reach (const GstVisionMap *map)
{
  return (guint64) map->stride * (map->height - 1) +
      (guint64) map->width * map->channels * bytes_of (map);
}

static gboolean
is_aligned (const GstVisionMap *map, gconstpointer address)
{
  guint bytes = bytes_of (map);

  return map->stride % bytes == 0 && (guintptr) address % bytes == 0;
}

static const char *
stage (GstVisionMapInput *self, const Device *device)
{
  if (self->size < self->info.size) {
    device_release (device, self->staging);
    self->staging = NULL;
    self->size = 0;
    TRY (device_alloc (device, &self->staging, self->info.size));
    self->size = self->info.size;
  }
  return device_copy (device, self->staging, self->info.data, self->info.size);
}

const char *
gst_vision_map_input_map (GstVisionMapInput *self, GstVisionBackend *backend,
    const GstVisionMap *map, const void **address)
{
  GstObject *context = gst_vision_cuda_buffer_context (map->pixels);
  gboolean on_gpu = backend->device.kind == DEVICE_CUDA;
  gboolean in_place = on_gpu && context && context == backend->context;
  int flags = GST_MAP_READ;
  const char *err = NULL;

  if (in_place)
    flags |= gst_vision_cuda_map_flag;
  if (in_place)
    TRY (gst_vision_cuda_follow (&backend->device, map->pixels));
  if (!gst_buffer_map (map->pixels, &self->info, (GstMapFlags) flags))
    return "the pixels of a map could not be mapped; memory may have run out";
  self->pixels = map->pixels;
  /* GStreamer puts several memories together in system memory */
  in_place = in_place && gst_vision_cuda_owns (self->info.memory);
  if (self->info.size < reach (map))
    return "the pixels of a map are fewer than it says";
  if (!is_aligned (map, self->info.data))
    return "the rows of a map do not begin at multiples of a number's bytes";
  *address = self->info.data;
  if (on_gpu && !in_place) {
    err = stage (self, &backend->device);
    *address = self->staging;
  }
  return err;
}

void
gst_vision_map_input_unmap (GstVisionMapInput *self)
{
  if (self->pixels)
    gst_buffer_unmap (self->pixels, &self->info);
  self->pixels = NULL;
}

void
gst_vision_map_input_close (GstVisionMapInput *self, GstVisionBackend *backend)
{
  gst_vision_map_input_unmap (self);
  if (self->staging)
    device_release (&backend->device, self->staging);
  self->staging = NULL;
  self->size = 0;
}
