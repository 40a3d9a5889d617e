/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the scene `chromatic`: the places and shapes
 * of a frame, and painting.  The functions that decide which object a pixel
 * shows use only + - * / and square roots, which every machine rounds alike. */
#pragma once

#include <math.h>

#include "common/memory.h"
#include "scene/chromatic.h"

/* Limits of the light on an object, which is shading times default shadows; the
 * palette's tolerances are made for them. */
#define CHROMATIC_DARK .70
#define CHROMATIC_BRIGHT 1.07

typedef enum {
  CHROMATIC_DISC, /* all shapes lie within a circle of radius r; */
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
  double cos, sin; /* of the angle by which the shape is turned */
} ChromaticPlace;

/* The part of a scene that does not change from frame to frame. */
typedef struct {
  const ChromaticParams *params;
  int width, height;
  int columns, rows;    /* numbers of cells; each object has a cell */
  double cell;          /* the shorter side of a cell */
  double radius;        /* of the largest object */
  int pillar0, pillar1; /* its columns; empty without occlusion */
} ChromaticPlan;

ChromaticPlan chromatic_plan (
    const ChromaticParams *params, int width, int height);
ChromaticPlace chromatic_place (
    const ChromaticPlan *plan, int object, uint64_t number);

/* Finds patch @k: distractors come first, then twins.  Returns false while the
 * patch is away. */
bool chromatic_patch (const ChromaticPlan *plan, int k, uint64_t number,
    ChromaticPlace *place, int *object);

/* The distance in pixels of (@u, @v), in the axes of the shape, from its rim;
 * negative inside.  The sign is exact, and near the rim the size. */
double chromatic_distance (ChromaticShape shape, double r, double u, double v);

struct _Chromatic {
  int width, height;
  uint8_t *rgb;     /* the picture, rows of 3 * width */
  uint16_t *labels; /* id + 1 of the object that is seen */
  uint8_t *ground;  /* grain of the ground */
  uint16_t *clouds; /* light at the corners of a coarse grid; 256 is full
                       light */
  uint64_t ground_seed;
  bool has_ground;
  int n_colours; /* number of objects for which the palette was made */
  ChromaticColour palette[CHROMATIC_MAX_OBJECTS];
  uint64_t full_area[CHROMATIC_MAX_OBJECTS];
  DeviceMemory memory; /* of all arrays */
};

void chromatic_draw_ground (Chromatic *scene, const ChromaticParams *params);

/* Paints a shape.  If @label > 0 the shape is an object's, and the number of
 * pixels that it covers is returned. */
uint64_t chromatic_draw_shape (Chromatic *scene, const ChromaticPlace *place,
    const uint8_t paint[3], bool flat, int label);
void chromatic_draw_shadow (
    Chromatic *scene, const ChromaticPlace *place, double depth);
void chromatic_draw_pillar (
    Chromatic *scene, const ChromaticPlan *plan, double depth);

/* Adds clouds and the sensor's noise to the finished picture, and stores it in
 * @img. */
void chromatic_develop (Chromatic *scene, const ChromaticParams *params,
    uint64_t number, const Image *img);

/* The pixels of @scene that a shape with circle (@x, @y, @r) can touch. */
ImageBox chromatic_bounds (
    const Chromatic *scene, double x, double y, double r);
