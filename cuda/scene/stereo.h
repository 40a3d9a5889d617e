/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `stereo`: a room with boards, balls and a head in it, as two
 * cameras side by side see it, with the truth about each pixel: disparity,
 * depth, and whether the other camera sees the point.  A frame is a pure
 * function of params, view and number.
 *
 * The cameras are rectified: both look along z, x to the right and y down, and
 * the right camera is `baseline` metres right of the left one.  A point at
 * depth z is at x in the left view.  In the right view it is at x - d, with d =
 * fx * baseline / z + disparity_offset, and `misalignment` rows further
 * down. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define STEREO_MAX_SIZE 4096
#define STEREO_MAX_OBJECTS 6

/* The depths between which all surfaces lie, metres. */
#define STEREO_NEAREST .7
#define STEREO_FARTHEST 3.

typedef enum { STEREO_LEFT, STEREO_RIGHT } StereoView;

typedef enum {
  STEREO_ALL,
  STEREO_PLANES, /* without objects; the wall is at 3 m */
  STEREO_SPHERES,
  STEREO_HEAD,
} StereoContents;

/* The params of a frame.  Objects move to and fro within some 90 to 150 frames;
 * noise is the same in red, green and blue. */
typedef struct {
  SCENE_BEGINS;
  StereoContents contents;
  double baseline, disparity_offset, misalignment;
  double gain, gamma; /* of the right view: a grey level v becomes 255 * gain *
                         (v / 255) ^ gamma */
} StereoParams;

StereoParams stereo_defaults (void);

/* The truth about a frame.  The camera is that of the view. */
typedef struct {
  double fx, fy, cx, cy;
  double eye; /* distance to the right of the left camera, metres */
  int n_objects;
  SceneThing objects[STEREO_MAX_OBJECTS];
} StereoTruth;

/* The truth about each pixel's centre, row by row; each may be NULL. */
typedef struct {
  float *disparity; /* pixels; NAN without a surface */
  float *depth;     /* metres; NAN without a surface */
  uint8_t *seen;    /* 255 if the other view shows the same point, between the
                       centres of its outer pixels; else 0 */
  uint16_t *labels; /* an object's id + 1; 0 for wall, ground and background */
} StereoMaps;

typedef struct _Stereo Stereo;

const char *stereo_new (Stereo **scene, int width, int height);
void stereo_free (Stereo *scene);

/* Renders frame @number into @img, which has the scene's size.  @truth and
 * @maps may be NULL. */
const char *stereo_render (Stereo *scene, const StereoParams *params,
    StereoView view, uint64_t number, const Image *img, StereoTruth *truth,
    const StereoMaps *maps);

C_END
