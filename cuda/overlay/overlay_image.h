/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The image that is put into boxes: a pyramid of halves, so that it may be made
 * smaller without aliasing, in the components of the frames. */
#pragma once

#include "overlay/overlay_core.h"

typedef struct {
  int first, across, down; /* texels */
} OverlayLevel;

typedef struct {
  OverlayLevel level[16];
  int n_levels, n_texels;
  uint8_t *rgba;   /* host */
  uint8_t *texels; /* device: converted for frames like the one below */
  bool converted;
  ImageFormat format;
  ImageMatrix matrix;
  bool full_range;
} OverlayImage;

const char *overlay_image_set (
    OverlayImage *self, const uint8_t *rgba, int width, int height, int stride);
/* Converts the texels to the components of @frame if they are not yet. */
const char *overlay_image_convert (OverlayImage *self, DeviceMemory *memory,
    const Image *frame, const Yuv *yuv);
/* Chooses the level and the steps for the sprite's place. */
void overlay_image_place (const OverlayImage *self, OverlaySprite *sprite);
