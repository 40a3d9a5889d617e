/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the scene `stereo`: things, casting rays, and
 * shading.  The world is that of the left camera: x right, y down, z forward,
 * metres.  All computations are in doubles, by + - * / and square roots alone,
 * so that disparities are exact to some 1e-9 pixels and the same on every
 * machine. */
#pragma once

#include "common/memory.h"
#include "scene/rgbd_pose.h"
#include "scene/stereo.h"

typedef enum { STEREO_PLANE, STEREO_BALL, STEREO_FACE } StereoShape;

#define STEREO_THINGS 8

/* A thing: plane, ball or head.  A plane is z = 0 within its half sizes, which
 * may be infinite. */
typedef struct {
  StereoShape shape;
  const char *label; /* NULL: wall or ground, which are no objects */
  double half[3];
  Pose64 pose; /* to the world */
  uint8_t paint[3];
} StereoThing;

typedef struct {
  double f, cx, cy; /* pixels */
  double eye;       /* x of the camera in the world */
} StereoCamera;

/* A thing as seen by a camera. */
typedef struct {
  double eye[3];         /* the camera in the thing's axes */
  double turn[3][3];     /* from the camera's axes to the thing's */
  double x0, y0, x1, y1; /* bounds of all its pixels */
} StereoTarget;

/* All data of one frame. */
typedef struct {
  int width, height, n;
  StereoCamera camera[2];
  StereoThing thing[STEREO_THINGS];
  StereoTarget target[2][STEREO_THINGS];
} StereoPlan;

StereoPlan stereo_plan (
    const StereoParams *params, int width, int height, uint64_t number);

/* The first surface on a ray. */
typedef struct {
  int thing;    /* -1: nothing */
  double z;     /* in the camera's axes; infinite without a surface */
  unsigned met; /* bit i: the ray meets thing i, first or later */
} StereoHit;

/* Casts the ray of place (@x, @y) of a view, in pixels. */
StereoHit stereo_cast (
    const StereoPlan *plan, StereoView view, double x, double y);
/* Sets @p to the point of that ray at depth @z, in the axes of a thing. */
void stereo_point (const StereoPlan *plan, StereoView view, int thing, double x,
    double y, double z, double p[3]);
/* Sets @normal to the unit normal at point @p of a thing, from the thing's axes
 * to the world's, on the side of the cameras. */
void stereo_normal (
    const StereoPlan *plan, int thing, const double p[3], double n[3]);

/* The disparity at depth @z, and the depth at a disparity. */
static inline double
stereo_disparity (const StereoPlan *plan, double z)
{
  const StereoCamera *c = plan->camera;

  return c[0].f * (c[1].eye - c[0].eye) / z + (c[0].cx - c[1].cx);
}

/* The head: half sizes without bumps; all of the head is within STEREO_BUMPS
 * times these. */
#define STEREO_BUMPS 1.3
extern const double stereo_head_half[3];

/* Finds the nearest depth >= 0 along @ray from @eye, in the axes of the head.
 * Returns false if the ray does not meet the head. */
bool stereo_head_meet (const double eye[3], const double ray[3], double *z);
/* The level at @p: above 0 outside of the head, below 0 inside. */
double stereo_head_level (const double p[3], double gradient[3]);

#define STEREO_CORNERS 65 /* of the lattice, on each side */

struct _Stereo {
  int width, height;
  double *z;      /* of each pixel's centre; infinite: no surface */
  int8_t *things; /* number of the thing that is seen; -1: none */
  uint16_t *labels;
  uint8_t *rgb;
  float *lattice; /* white noise in a cube that repeats itself: the last corner
                     of each side is the first */
  uint64_t lattice_seed;
  bool has_lattice;
  DeviceMemory memory; /* of all arrays */
};

/* Shades the pixels by z and things, and stores the picture in @img. */
void stereo_develop (Stereo *scene, const StereoPlan *plan,
    const StereoParams *params, StereoView view, uint64_t number,
    const Image *img);
