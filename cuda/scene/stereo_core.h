/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inside of the scene `stereo`: what stands where, what a ray meets, what it
 * looks like.  The world is the left camera's: x right, y down, z forward,
 * metres.  All is done in doubles, by + - * / and square roots alone, so that
 * disparities are exact to some 1e-9 pixels and the same on every machine. */
#pragma once

#include "scene/rgbd_pose.h"
#include "scene/stereo.h"

typedef enum { STEREO_PLANE, STEREO_BALL, STEREO_FACE } StereoShape;

#define STEREO_THINGS 8

/* A plane is z = 0 within its half sizes, which may be infinite. */
typedef struct {
  StereoShape shape;
  const char *label; /* NULL: wall or ground, no object */
  double half[3];
  Pose64 pose; /* to the world */
  uint8_t paint[3];
} StereoThing;

typedef struct {
  double f, cx, cy; /* pixels */
  double eye;       /* x in the world */
} StereoCamera;

/* A thing as a camera sees it. */
typedef struct {
  double eye[3];         /* the camera in the axes of the thing */
  double turn[3][3];     /* from the camera's axes to the thing's */
  double x0, y0, x1, y1; /* all of it is between these, pixels */
} StereoTarget;

/* Everything of one frame. */
typedef struct {
  int width, height, n;
  StereoCamera camera[2];
  StereoThing thing[STEREO_THINGS];
  StereoTarget target[2][STEREO_THINGS];
} StereoPlan;

StereoPlan stereo_plan (
    const StereoParams *params, int width, int height, uint64_t number);

/* What a ray meets first. */
typedef struct {
  int thing;    /* -1: nothing */
  double z;     /* in the camera; infinite without a surface */
  unsigned met; /* bit i: it meets thing i, first or not */
} StereoHit;

/* The ray of place (@x, @y) of a view, in pixels. */
StereoHit stereo_cast (
    const StereoPlan *plan, StereoView view, double x, double y);
/* Where that ray is at depth @z, in the axes of a thing. */
void stereo_point (const StereoPlan *plan, StereoView view, int thing, double x,
    double y, double z, double p[3]);
/* The unit normal at point @p of a thing, from its axes to the world's; it
 * looks to the side of @plan's cameras. */
void stereo_normal (
    const StereoPlan *plan, int thing, const double p[3], double n[3]);

/* Disparity at depth @z, and back. */
static inline double
stereo_disparity (const StereoPlan *plan, double z)
{
  const StereoCamera *c = plan->camera;

  return c[0].f * (c[1].eye - c[0].eye) / z + (c[0].cx - c[1].cx);
}

/* The head: half sizes without what stands out, and all of it is within
 * STEREO_BUMPS times those. */
#define STEREO_BUMPS 1.3
extern const double stereo_head_half[3];

/* Nearest depth >= 0 along @ray from @eye, in the axes of the head: false where
 * it is not met. */
bool stereo_head_meet (const double eye[3], const double ray[3], double *z);
/* Above 0 outside, below 0 inside. */
double stereo_head_level (const double p[3], double gradient[3]);

#define STEREO_CORNERS 65 /* to each side of the lattice */

struct _Stereo {
  int width, height;
  double *z;      /* of each pixel's centre, infinite: nothing */
  int8_t *things; /* what is seen there, -1: nothing */
  uint16_t *labels;
  uint8_t *rgb;
  float *lattice; /* white noise in a cube that repeats itself: the last corner
                     of each side is the first */
  uint64_t lattice_seed;
  bool has_lattice;
};

/* From z and things to the picture, which is stored in @img. */
void stereo_develop (Stereo *scene, const StereoPlan *plan,
    const StereoParams *params, StereoView view, uint64_t number,
    const Image *img);
