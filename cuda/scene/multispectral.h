/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `multispectral`: targets that move over a ground of several
 * materials and have exactly its colour and brightness, but another spectrum.
 * What a camera with 2 to 16 channels sees of it, or one with red, green and
 * blue, which cannot see the targets.  A picture is a pure function of params
 * and frame number.
 *
 * Reflectances go from 400 to 1000 nm in steps of 5.  Those of a target and of
 * the ground under it differ by a metameric black (G. Wyszecki and W. S.
 * Stiles, "Color Science", section 3.8): nothing in all three colour-matching
 * curves, and here nothing on the mean over all wavelengths as well. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define MULTISPECTRAL_MAX_SIZE 4096
#define MULTISPECTRAL_MAX_OBJECTS 1024
#define MULTISPECTRAL_MAX_PATCHES 256
#define MULTISPECTRAL_MAX_CHANNELS 16

/* What the picture shows.  Objects are targets; the more they are, the more
 * alike their spectra.  Every second distractor has the colour of the ground
 * and half of a target's black the other way round, the others are paint. */
typedef struct {
  SCENE_BEGINS;
  double contrast, drift;
  int channels; /* each the mean over its wavelengths */
  int mosaic;      /* 0, the default: stacked.  2 to 4: the side of a mosaic,
                      whose square is then the number of channels */
} MultispectralParams;

MultispectralParams multispectral_defaults (void);

/* Channels of a frame. */
static inline int
multispectral_channels (int channels, int mosaic)
{
  return mosaic ? mosaic * mosaic : channels;
}

/* Middle of band @c of @channels, nanometres. */
static inline double
multispectral_wavelength (int channels, int c)
{
  return 400 + 600. * (2 * c + 1) / (2 * channels);
}

typedef struct _Multispectral Multispectral;

/* A scene of @width x @height pixels, 1 to 4096. */
const char *multispectral_new (Multispectral **scene, int width, int height);
void multispectral_free (Multispectral *scene);

/* Renders frame @number into @img.  Where that is grey (8 or 16 bits; all light
 * reflected is 255 or 65535) it holds the channels: one below the other, each
 * of the scene's size; or as a raw mosaic of the scene's size, whose sides are
 * multiples of the pattern's, and where pixel (x, y) is of channel
 * mosaic * (y % mosaic) + x % mosaic.  Any other format is the look as sRGB.
 *
 * @objects (params->n_objects of them) and @labels (rows of width: an object's
 * id + 1, or 0) may be NULL. */
const char *multispectral_render (Multispectral *scene,
    const MultispectralParams *params, uint64_t number, const Image *img,
    SceneObject *objects, uint16_t *labels);

C_END
