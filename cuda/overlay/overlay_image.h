/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The image that is drawn into boxes: a pyramid whose levels are half as large
 * each, so that the image may be scaled down without aliasing, in the
 * components of the frames. */
#pragma once

#include "overlay/overlay_core.h"

typedef struct {
  int first, across, down; /* texels */
} OverlayLevel;

typedef struct {
  OverlayLevel level[16];
  int n_levels, n_texels;
  uint8_t *rgba;   /* host */
  uint8_t *texels; /* in the device's memory, in the components of the frames
                      below */
  bool converted;
  ImageFormat format;
  ImageMatrix matrix;
  bool full_range;
} OverlayImage;

/* Sets @p to new memory of the device with the rows at @pixels, and waits until
 * they have arrived. */
const char *overlay_upload_rows (DeviceMemory *memory, uint8_t **p,
    const uint8_t *pixels, size_t stride, size_t row_bytes, size_t rows);

const char *overlay_image_set (
    OverlayImage *self, const uint8_t *rgba, int width, int height, int stride);
/* Converts the texels to the components of @frame, if they are not in them. */
const char *overlay_image_convert (OverlayImage *self, DeviceMemory *memory,
    const Image *frame, const Yuv *yuv);
/* Chooses the pyramid's level and the steps for the sprite's size. */
void overlay_image_place (const OverlayImage *self, OverlaySprite *sprite);
