/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every synthetic scene shares: the form of its truth, how truth is
 * counted from the picture, noise, and how the picture is stored in a frame. */
#pragma once

#include "common/image.h"
#include "common/math_core.h"
#include "common/param.h"

C_BEGIN

/* What all scenes have, and all their params begin with; meanings, ranges and
 * defaults: scene_params.c.  A scene that has no objects, no texture or no
 * patches checks these fields and reads them not.  Speed 0 stands still.
 * Without occlusion each object keeps to a circle of its own; with it, a pillar
 * hides each for up to about 10 frames. */
#define SCENE_PARAMS \
 uint64_t seed; \
 int n_objects; \
 double speed, noise, texture; \
 int distractors; \
 bool occlusion

typedef struct {
  SCENE_PARAMS;
} SceneParams;

/* As fields, and as one struct. */
#define SCENE_BEGINS \
 union { \
  SceneParams scene; \
  struct { \
   SCENE_PARAMS; \
  }; \
 }

/* scene_params.c: ranges, defaults and texts. */
extern const Param scene_params[];
extern const Param chromatic_params[];
extern const Param rgbd_params[];
extern const Param stereo_params[];
extern const Param multispectral_params[];
extern const Param clutter_params[];

/* The truth about one object.  Areas, centroid, box and moments are of the
 * pixels that can be seen: those whose centre lies in the object and on which
 * nothing lies in front. */
typedef struct {
  int id;             /* 0, 1, …: the same object in every frame */
  const char *label;  /* valid until the scene is rendered again */
  uint64_t area;      /* visible pixels */
  uint64_t full_area; /* pixels it would show if nothing lay in front */
  double cx, cy;      /* centroid; NAN where nothing is visible */
  ImageBox box;       /* empty where nothing is visible */
  double orientation; /* radians from the x axis to the major axis, positive
                         towards y, in (-pi/2, pi/2]; means nothing where the
                         elongation is near 1; NAN where nothing is visible */
  double elongation;  /* major axis over minor axis, at least 1; NAN where
                         nothing is visible */
  double vx, vy;      /* of its middle, pixels a frame */
} SceneObject;

/* @n turns, of which whole ones do not count, in 2^-32 turns. */
static inline uint32_t
scene_turns (double n)
{
  return (uint32_t) (int64_t) (n * 4294967296.);
}

/* Quantiles of a normal distribution of deviation @sigma grey levels, 0 to 64,
 * in sixteenths of one. */
#define SCENE_NOISE 1024
void scene_make_noise (double sigma, int16_t table[SCENE_NOISE]);

/* Adds to row @y grey noise, -1/2 to 1/2 times @weight, on a grid of cells of
 * @size pixels, at least 1; @key draws it. */
void scene_add_grain (
    float *row, int width, int y, uint64_t key, int size, float weight);

/* Fills in what can be counted: area, centroid, box and moments of the pixels
 * of @labels (rows of @width) that hold @label, all of which lie in
 * @bounds. */
void scene_measure (SceneObject *object, const uint16_t *labels, int width,
    ImageBox bounds, uint16_t label);

/* Stores rows @y and @y + 1 of the RGB picture @rgb (rows of 3 * width bytes)
 * in @img; @y is even.  Chroma that several pixels share is that of their mean
 * colour. */
void scene_put_rows (const Image *img, const uint8_t *rgb, int y);

C_END
