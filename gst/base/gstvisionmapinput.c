/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map in memory of the device's own CUDA context is read where it lies.  Any
 * other map is mapped in system memory; a GPU then gets a copy, in device
 * memory that is kept for the next maps. */
#include "base/gstvisionmapinput.h"

#include "base/gstvisioncuda.h"

/* Bytes of one number of the map. */
static guint
bytes_of_number (const GstVisionMap *map)
{
  return (guint) g_ascii_strtoull (map->format + 1, NULL, 10) / 8;
}

/* Bytes from the first number of the map to the end of its last number. */
static guint64
bytes_of_map (const GstVisionMap *map)
{
  return (guint64) map->stride * (map->height - 1) +
      (guint64) map->width * map->channels * bytes_of_number (map);
}

/* Checks that the mapped memory @info holds a map of the stated size and
 * stride. */
static const char *
check_mapped (const GstVisionMap *map, const GstMapInfo *info)
{
  guint bytes = bytes_of_number (map);

  if (info->size < bytes_of_map (map))
    return "the map has fewer pixels than its size says";
  if (map->stride % bytes || (guintptr) info->data % bytes)
    return "the map's rows do not begin at multiples of a number's bytes";
  return NULL;
}

/* Only pixels that stay on the device need gst_vision_cuda_follow (): a
 * download waits for the work that writes them. */
const char *
gst_vision_map_pixels (const GstVisionMap *map, const Device *device,
    GstObject *context, GstMapInfo *info, gboolean *on_device)
{
  GstObject *theirs = gst_vision_cuda_buffer_context (map->pixels);
  gboolean ours = device->kind == DEVICE_CUDA && theirs && theirs == context;
  int flags = GST_MAP_READ;
  const char *err;

  if (ours) {
    flags |= gst_vision_cuda_map_flag;
    TRY (gst_vision_cuda_follow (device, map->pixels));
  }
  if (!gst_buffer_map (map->pixels, info, (GstMapFlags) flags))
    return "the map's pixels could not be mapped; memory may have run out";
  /* GStreamer merges the memories of a buffer, if these are several, into
   * system memory */
  *on_device = ours && gst_vision_cuda_owns (info->memory);
  err = check_mapped (map, info);
  if (err)
    gst_buffer_unmap (map->pixels, info);
  return err;
}

static const char *
copy_to_device (GstVisionMapInput *self, const Device *device)
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
  const Device *device = &backend->device;
  gboolean on_device;

  TRY (gst_vision_map_pixels (
      map, device, backend->context, &self->info, &on_device));
  self->pixels = map->pixels;
  *address = self->info.data;
  if (device->kind == DEVICE_CPU || on_device)
    return NULL;
  TRY (copy_to_device (self, device));
  *address = self->staging;
  return NULL;
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
