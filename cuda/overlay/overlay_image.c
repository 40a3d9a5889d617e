/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/overlay_core.h"

#include <stdlib.h>
#include <string.h>

/* Sets @out to texel (@x, @y) of the next level: the mean of four, weighted by
 * alpha. */
static void
average_texels (
    const uint8_t *level, const OverlayLevel *l, int x, int y, uint8_t out[4])
{
  uint32_t weight = 0, sum[3] = {0, 0, 0};

  for (int i = 0; i < 4; i++) {
    int tx = overlay_min (2 * x + (i & 1), l->across - 1);
    int ty = overlay_min (2 * y + (i >> 1), l->down - 1);
    const uint8_t *t = level + 4 * ((size_t) ty * l->across + tx);

    weight += t[3];
    for (int c = 0; c < 3; c++)
      sum[c] += t[c] * t[3];
  }
  for (int c = 0; c < 3; c++)
    out[c] = (uint8_t) (weight ? (sum[c] + weight / 2) / weight : 0);
  out[3] = (uint8_t) ((weight + 2) / 4);
}

static void
halve_level (
    OverlayImage *self, const OverlayLevel *from, const OverlayLevel *to)
{
  for (int y = 0; y < to->down; y++)
    for (int x = 0; x < to->across; x++)
      average_texels (self->rgba + 4 * (size_t) from->first, from, x, y,
          self->rgba + 4 * ((size_t) to->first + y * to->across + x));
}

const char *
overlay_image_set (
    OverlayImage *self, const uint8_t *rgba, int width, int height, int stride)
{
  OverlayLevel *l = self->level;
  size_t bytes = 8 * (size_t) (width + 1) * (height + 1);

  self->n_levels = 0;
  self->converted = false;
  if (width < 1 || height < 1 || width > OVERLAY_MAX_TEXELS ||
      height > OVERLAY_MAX_TEXELS)
    return "the image is empty, or wider or higher than 4096 pixels";
  free (self->rgba);
  /* all smaller levels together need no more than the image with one more row
   * and column */
  if (!(self->rgba = malloc (bytes)))
    return OUT_OF_MEMORY (bytes, " for the image");
  for (int y = 0; y < height; y++)
    memcpy (self->rgba + 4 * (size_t) y * width, rgba + (size_t) y * stride,
        4 * (size_t) width);

  *l = (OverlayLevel){0, width, height};
  for (self->n_levels = 1; l->across > 1 || l->down > 1; self->n_levels++) {
    l[1] = (OverlayLevel){
        l->first + l->across * l->down, (l->across + 1) / 2, (l->down + 1) / 2};
    halve_level (self, l, l + 1);
    l++;
  }
  self->n_texels = l->first + 1;
  return NULL;
}

const char *
overlay_upload_rows (DeviceMemory *memory, uint8_t **p, const uint8_t *pixels,
    size_t stride, size_t row_bytes, size_t rows)
{
  const Device *dev = memory->device;

  TRY (device_wait (dev));
  TRY (memory_get (memory, p, row_bytes * rows));
  TRY (device_copy_rows (dev, *p, row_bytes, pixels, stride, row_bytes, rows));
  return device_wait (dev);
}

const char *
overlay_image_convert (OverlayImage *self, DeviceMemory *memory,
    const Image *frame, const Yuv *yuv)
{
  size_t bytes = 4 * (size_t) self->n_texels;
  uint8_t *texels;
  const char *err;

  if (!self->n_levels)
    return "there is no image to draw";
  if (self->converted && self->format == frame->format &&
      self->matrix == frame->matrix && self->full_range == frame->full_range)
    return NULL;
  self->converted = false;
  if (!(texels = malloc (bytes)))
    return OUT_OF_MEMORY (bytes, " for the image");
  for (size_t i = 0; i < bytes; i += 4) {
    overlay_components (frame->format, yuv, self->rgba + i, texels + i);
    texels[i + 3] = self->rgba[i + 3];
  }
  err = overlay_upload_rows (memory, &self->texels, texels, bytes, bytes, 1);
  free (texels);
  self->format = frame->format;
  self->matrix = frame->matrix;
  self->full_range = frame->full_range;
  self->converted = !err;
  return err;
}

void
overlay_image_place (const OverlayImage *self, OverlaySprite *sprite)
{
  const OverlayLevel *l = self->level, *last = l + self->n_levels - 1;

  while (
      l < last && l[1].across >= sprite->width && l[1].down >= sprite->height)
    l++;
  sprite->first = l->first;
  sprite->across = l->across;
  sprite->down = l->down;
  sprite->step_x = (l->across << 16) / sprite->width;
  sprite->step_y = (l->down << 16) / sprite->height;
}
