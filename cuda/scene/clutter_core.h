/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the scene `clutter`: shapes, how they come to
 * rest on each other, and the steps of a frame.  The world is the table: x and
 * y along it, z up, metres. */
#pragma once

#include "common/memory.h"
#include "scene/clutter.h"
#include "scene/rgbd_core.h"

/* A shape that can be dropped. */
typedef struct {
  char name[64];
  Mesh mesh;    /* in metres, with triangles; colours may be NULL */
  float *point; /* of its surface, at most CLUTTER_STEP apart */
  int n_points;
  double mass[3];   /* the mean of its surface */
  double extent[3]; /* of the box along its axes */
} ClutterShape;

/* Metres between points of a body that is dropped, and of one that lies. */
#define CLUTTER_STEP .002
#define CLUTTER_DENSE 1e-3

/* Calls @visit for points of the surface of @mesh, including corners and edges,
 * at most @step apart. */
void clutter_sample (const Mesh *mesh, double step,
    void (*visit) (void *user, const double p[3]), void *user);

/* Sets all members but the name.  The shape takes @mesh, scaled by @unit. */
const char *clutter_shape_make (
    ClutterShape *shape, const Mesh *mesh, double unit);
void clutter_shape_free (ClutterShape *shape);

#define CLUTTER_CELLS 800 /* cells along each side of the table */
#define CLUTTER_CELL .001 /* metres */

/* The height of the bodies on the table, cell by cell; 0 is the table. */
typedef struct {
  float height[CLUTTER_CELLS][CLUTTER_CELLS];
} ClutterPile;

/* The height at a place of the world; 0 outside of the cells. */
static inline float
clutter_height (const ClutterPile *pile, double x, double y)
{
  double u = x / CLUTTER_CELL + CLUTTER_CELLS / 2;
  double v = y / CLUTTER_CELL + CLUTTER_CELLS / 2;

  if (!(u >= 0 && v >= 0 && u < CLUTTER_CELLS && v < CLUTTER_CELLS))
    return 0;
  return pile->height[(int) v][(int) u];
}

/* A frame's camera. */
typedef struct {
  double f, cx, cy;
  Pose64 camera; /* to the world */
} ClutterPlan;

ClutterPlan clutter_plan (
    const ClutterParams *params, int width, int height, uint64_t number);

/* The bodies on the table, until others are dropped. */
typedef struct {
  int shape;
  Pose64 rest;     /* where it came to rest, to the world */
  Pose64 pose;     /* in a frame, to the world */
  size_t vertices; /* number of its first vertex in Clutter.vertex */
} ClutterBody;

typedef struct {
  double x[3];
} ClutterVertex;

struct _Clutter {
  int width, height;
  ClutterShape shape[CLUTTER_MAX_SHAPES];
  int n_shapes;

  ClutterPile *pile;
  ClutterBody body[CLUTTER_MAX_OBJECTS];
  int n_bodies;
  uint64_t dropped; /* the seed with which the bodies were dropped */
  int n_planned;    /* n_objects at that time */

  ClutterVertex *vertex; /* of all bodies, in the camera's axes */
  float *z;              /* depth of the surface that is seen */
  uint8_t *marks;        /* RGBD_GRAZING */
  uint16_t *labels;      /* number of the body + 1; 0: the table */
  uint32_t *triangle;    /* of the body */
  uint16_t *depth;       /* as in Rgbd */
  uint8_t *rgb;
  DeviceMemory memory; /* of all arrays but those of shapes */
};

/* Drops other bodies, if the params have another seed for them. */
void clutter_drop (
    Clutter *scene, const ClutterParams *params, uint64_t number);

/* Sets the bodies' poses in frame @number: of those that are carried by an
 * unseen hand, and of those that rest. */
void clutter_carry (
    Clutter *scene, const ClutterParams *params, uint64_t number);

/* Sets z, marks, labels and triangles.  Sets @full to the number of pixels of
 * each body, including hidden ones. */
void clutter_cast (Clutter *scene, const ClutterPlan *plan,
    uint64_t full[CLUTTER_MAX_OBJECTS]);

/* Shades these pixels, and stores the picture in @img. */
void clutter_shade (Clutter *scene, const ClutterPlan *plan,
    const ClutterParams *params, uint64_t number, const Image *img);

/* Sets @ray to the ray of a pixel, of length 1 along the optical axis. */
static inline void
clutter_ray (const ClutterPlan *plan, int x, int y, double ray[3])
{
  ray[0] = (x - plan->cx) / plan->f;
  ray[1] = (y - plan->cy) / plan->f;
  ray[2] = 1;
}

static inline void
clutter_cross (const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double
clutter_dot (const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
