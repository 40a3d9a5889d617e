/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declarations for all synthetic scenes: the form of their truth, noise, and
 * storing a picture in a frame. */
#pragma once

#include "common/image.h"
#include "common/math_core.h"
#include "common/param.h"

C_BEGIN

/* The params with which every scene's params begin; meanings, ranges and
 * defaults: scene_params.c.  A scene without objects, texture or patches checks
 * these fields and does not use them.  With speed 0 nothing moves.  Without
 * occlusion each object stays in its own circle; with it, a pillar hides each
 * object for up to about 10 frames. */
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

/* The truth about one object.  Areas, centroid, box and moments are those of
 * its visible pixels: their centre lies in the object, and no object lies in
 * front. */
typedef struct {
  int id;             /* 0, 1, …: the same object in every frame */
  const char *label;  /* valid until the scene is rendered again */
  uint64_t area;      /* visible pixels */
  uint64_t full_area; /* number of its pixels without other objects in front */
  double cx, cy;      /* NAN if no pixel is visible */
  ImageBox box;       /* empty if no pixel is visible */
  double orientation; /* radians from the x axis to the major axis, positive
                         towards y, in (-pi/2, pi/2]; arbitrary if the
                         elongation is near 1; NAN if no pixel is visible */
  double elongation;  /* major axis over minor axis, at least 1; NAN if no pixel
                         is visible */
  double vx, vy;      /* of its middle, pixels a frame */
} SceneObject;

/* An object of a scene in space. */
typedef struct {
  SceneObject seen;
  double pose[7];   /* from the object to the camera that took the frame: tx ty
                       tz in metres and a unit quaternion, w first */
  double extent[3]; /* along the object's own axes, metres; of the head of
                       `stereo` without its nose */
  int shape;        /* of `clutter`: number of the solid or mesh */
} SceneThing;

/* @n turns in 2^-32 turns, without whole turns. */
static inline uint32_t
scene_turns (double n)
{
  return (uint32_t) (int64_t) (n * 4294967296.);
}

/* Quantiles of a normal distribution with a standard deviation of @sigma grey
 * levels, 0 to 64, in sixteenths of a grey level. */
#define SCENE_NOISE 1024
void scene_make_noise (double sigma, int16_t table[SCENE_NOISE]);

/* Adds grey noise to row @y, -1/2 to 1/2 times @weight, on a grid of cells of
 * @size pixels, at least 1; @key is its seed. */
void scene_add_grain (
    float *row, int width, int y, uint64_t key, int size, float weight);

/* Sets area, centroid, box and moments by the pixels of @labels (rows of
 * @width) that are @label, all of which lie in @bounds. */
void scene_measure (SceneObject *object, const uint16_t *labels, int width,
    ImageBox bounds, uint16_t label);

/* Stores rows @y and @y + 1 of the RGB picture @rgb (rows of 3 * width bytes)
 * in @img; @y is even.  The chroma that several pixels share is that of their
 * mean colour. */
void scene_put_rows (const Image *img, const uint8_t *rgb, int y);

C_END
