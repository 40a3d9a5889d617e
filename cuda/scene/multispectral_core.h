/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the scene `multispectral`: spectra, surfaces
 * and the sensor.  Paths and shapes are those of `chromatic`. */
#pragma once

#include "common/memory.h"
#include "scene/chromatic_core.h"
#include "scene/multispectral.h"

/* Steps of 5 nm, in each of which a spectrum is constant. */
#define MULTISPECTRAL_SAMPLES 120
#define MULTISPECTRAL_MATERIALS 6

typedef struct {
  double at[MULTISPECTRAL_SAMPLES];
} Spectrum;

/* The middle of step @i, nanometres. */
static inline double
multispectral_step (int i)
{
  return 402.5 + 5 * i;
}

/* The colour-matching curves x, y and z (k = 0, 1, 2) of the CIE 1931 standard
 * observer, as sums of Gaussians with two widths each: C. Wyman, P.-P. Sloan
 * and P. Shirley, "Simple Analytic Approximations to the CIE XYZ Color Matching
 * Functions", JCGT 2 (2), 2013, listing 1. */
double multispectral_curve (int k, double nanometres);

/* Sets @rgb to linear sRGB in light of equal energy, to whose white the eye is
 * adapted: a reflectance of 1 everywhere is 1, 1, 1. */
void multispectral_rgb (const Spectrum *spectrum, double rgb[3]);
/* Sets @level to the mean in each of @channels bands. */
void multispectral_bands (const Spectrum *spectrum, int channels, double *mean);

Spectrum multispectral_material (int material);
/* The paint of distractor @k. */
Spectrum multispectral_paint (int k);

/* The factor of @black that can be added to @base until a reflectance is 0 or
 * 1. */
double multispectral_headroom (const Spectrum *base, const Spectrum *black);

/* Sets @n blacks, each scaled to a greatest magnitude of 1, that differ as much
 * as a search finds: each from 0 and from the 16 blacks before it, over each
 * material, in bands of 150 nm. */
void multispectral_blacks (uint64_t seed, int n, Spectrum *blacks);

/* The ground at a pixel: a mixture of material `first` and the next. */
typedef struct {
  uint8_t first, part; /* part of the next material; 255 is all */
  uint8_t grain;
} MultispectralGround;

/* The appearance of a surface over a material: linear RGB, or the means of the
 * channels. */
typedef struct {
  double level[MULTISPECTRAL_MATERIALS][MULTISPECTRAL_MAX_CHANNELS];
} MultispectralAppearance;

/* Number of surfaces: the ground, the pillar, objects and patches. */
#define MULTISPECTRAL_SURFACES \
 (2 + MULTISPECTRAL_MAX_OBJECTS + MULTISPECTRAL_MAX_PATCHES)
enum { MULTISPECTRAL_GROUND, MULTISPECTRAL_PILLAR, MULTISPECTRAL_OBJECTS };

struct _Multispectral {
  int width, height;
  MultispectralGround *ground;
  uint64_t ground_seed;
  bool has_ground;
  uint16_t *surfaces; /* number of the surface at each pixel */
  double *pillar;     /* light on each of its columns */
  Spectrum *blacks;   /* of the objects */
  uint64_t blacks_seed;
  int n_blacks;
  MultispectralAppearance *appearances; /* of each surface */
  uint8_t *rgb; /* the picture as sRGB, rows of 3 * width */
  uint64_t full_area[MULTISPECTRAL_MAX_OBJECTS];
  char label[MULTISPECTRAL_MAX_OBJECTS][24];
  DeviceMemory memory; /* of all arrays */
};

/* The params of `chromatic` that give the paths of this scene. */
ChromaticParams multispectral_ways (const MultispectralParams *params);

/* The pixels of the scene that a shape can cover. */
ImageBox multispectral_bounds (
    const Multispectral *scene, const ChromaticPlace *place);

/* Sets appearances: in the channels, or as RGB if @channels is 0. */
void multispectral_set_appearances (
    Multispectral *scene, const MultispectralParams *params, int channels);
/* Sets ground, if the seed has changed. */
void multispectral_lay (Multispectral *scene, uint64_t seed);
/* Sets surfaces, from back to front, and full_area. */
void multispectral_place (
    Multispectral *scene, const ChromaticPlan *plan, uint64_t number);
/* Sets @img from surfaces and appearances. */
void multispectral_develop (Multispectral *scene,
    const MultispectralParams *params, uint64_t number, const Image *img);
