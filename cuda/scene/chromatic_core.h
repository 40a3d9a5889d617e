/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inside of the scene `chromatic`: where everything is at a frame, what shape
 * it has, and who paints it.  What decides which pixel belongs to whom uses
 * only + - * / and square roots, which every machine rounds alike. */
#pragma once

#include <math.h>

#include "scene/chromatic.h"

/* The light on an object, shading and default shadows multiplied, lies
 * between these; the palette's tolerances are made for them. */
#define CHROMATIC_DARK .70
#define CHROMATIC_BRIGHT 1.07

typedef enum {
  CHROMATIC_DISC, /* all of them lie within a circle of the radius r, */
  CHROMATIC_BAR,  /* the disc, the ring and the tips touch it */
  CHROMATIC_STAR,
  CHROMATIC_TRIANGLE,
  CHROMATIC_RING,
  CHROMATIC_BOX,
  CHROMATIC_ELLIPSE,
  CHROMATIC_CROSS,
  CHROMATIC_SHAPES,
} ChromaticShape;

typedef struct {
  ChromaticShape shape;
  double x, y, radius;
  double cos, sin; /* of the angle by which it is turned */
} ChromaticPlace;

/* What is the same for all things of all frames of a scene. */
typedef struct {
  const ChromaticParams *params;
  int width, height;
  int columns, rows;    /* cells, one an object */
  double cell;          /* the shorter side of one */
  double radius;        /* of the largest object */
  int pillar0, pillar1; /* its columns; none without occlusion */
} ChromaticPlan;

ChromaticPlan chromatic_plan (
    const ChromaticParams *params, int width, int height);
ChromaticPlace chromatic_place (
    const ChromaticPlan *plan, int object, uint64_t number);

/* Distractors come first, then twins.  False while patch @k is away. */
bool chromatic_patch (const ChromaticPlan *plan, int k, uint64_t number,
    ChromaticPlace *place, int *object);

/* Distance in pixels of (@u, @v), in the axes of the shape, from its rim:
 * negative inside.  Exact in sign, and near the rim in size. */
double chromatic_distance (ChromaticShape shape, double r, double u, double v);

struct _Chromatic {
  int width, height;
  uint8_t *rgb;     /* the picture, rows of 3 * width */
  uint16_t *labels; /* id + 1 of who is seen there */
  uint8_t *ground;  /* grain of the ground */
  uint16_t *clouds; /* light at the corners of a coarse grid, 256 = all */
  uint64_t ground_seed;
  bool has_ground;
  int n_colours; /* for which the palette was made */
  ChromaticColour palette[CHROMATIC_MAX_OBJECTS];
  uint64_t full_area[CHROMATIC_MAX_OBJECTS];
};

void chromatic_draw_ground (Chromatic *scene, const ChromaticParams *params);

/* Paints a shape; with @label > 0 it is an object's and the pixels it covers
 * are returned. */
uint64_t chromatic_draw_shape (Chromatic *scene, const ChromaticPlace *place,
    const uint8_t paint[3], bool flat, int label);
void chromatic_draw_shadow (
    Chromatic *scene, const ChromaticPlace *place, double depth);
void chromatic_draw_pillar (
    Chromatic *scene, const ChromaticPlan *plan, double depth);

/* Clouds and sensor noise on the finished picture, which is stored in
 * @img. */
void chromatic_develop (Chromatic *scene, const ChromaticParams *params,
    uint64_t number, const Image *img);

/* Pixels of @scene that a shape with circle (@x, @y, @r) can touch. */
ImageBox chromatic_bounds (
    const Chromatic *scene, double x, double y, double r);
