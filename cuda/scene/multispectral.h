/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `multispectral`: targets that move over a ground of several
 * materials and have exactly its colour and brightness, but another spectrum.
 * A picture is what a camera with 2 to 16 channels sees, or one with red, green
 * and blue, which cannot see the targets.  It is a pure function of params and
 * frame number.
 *
 * Reflectances are from 400 to 1000 nm in steps of 5.  A target and the ground
 * under it differ by a metameric black (G. Wyszecki and W. S. Stiles, "Color
 * Science", section 3.8): it is 0 in all three colour-matching curves, and here
 * 0 in the mean over all wavelengths as well. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define MULTISPECTRAL_MAX_SIZE 4096
#define MULTISPECTRAL_MAX_OBJECTS 1024
#define MULTISPECTRAL_MAX_PATCHES 256
#define MULTISPECTRAL_MAX_CHANNELS 16

/* The params of the picture.  Objects are targets; the more there are, the more
 * alike are their spectra.  Every second distractor has the colour of the
 * ground and half of a target's black with the opposite sign; the others are
 * paint. */
typedef struct {
  SCENE_BEGINS;
  double contrast, drift;
  int channels; /* each channel is the mean over its wavelengths */
  int mosaic;   /* 0, the default: stacked channels.  2 to 4: side of a
                   mosaic, whose square is the number of channels */
} MultispectralParams;

MultispectralParams multispectral_defaults (void);

/* The number of channels of a frame. */
static inline int
multispectral_channels (int channels, int mosaic)
{
  return mosaic ? mosaic * mosaic : channels;
}

/* The middle of band @c of @channels, nanometres. */
static inline double
multispectral_wavelength (int channels, int c)
{
  return 400 + 600. * (2 * c + 1) / (2 * channels);
}

typedef struct _Multispectral Multispectral;

/* Makes a scene of @width x @height pixels, 1 to 4096. */
const char *multispectral_new (Multispectral **scene, int width, int height);
void multispectral_free (Multispectral *scene);

/* Renders frame @number into @img.  A grey image (8 or 16 bits; full
 * reflectance is 255 or 65535) gets the channels: one below the other, each of
 * the scene's size; or a raw mosaic of the scene's size, whose sides are
 * multiples of the pattern's and where pixel (x, y) has channel mosaic * (y %
 * mosaic) + x % mosaic.  An image of another format gets sRGB.
 *
 * @objects (params->n_objects of them) and @labels (rows of width: an object's
 * id + 1, or 0) may be NULL. */
const char *multispectral_render (Multispectral *scene,
    const MultispectralParams *params, uint64_t number, const Image *img,
    SceneObject *objects, uint16_t *labels);

C_END
