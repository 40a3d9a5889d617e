/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Depth and the camera: the data of a frame and of a model that stages pass on,
 * and the geometry of a pixel.
 *
 * A view of a model holds, for each pixel of the previous frame's camera, the
 * depth and the normal of the model's surface.  A motion takes points of this
 * frame's camera to the previous frame's camera. */
#pragma once

#include "common/bilateral.h"
#include "kinfumot/kinfumot.h"
#include "kinfumot/kinfumot_grid_core.h"
#include "kinfumot/kinfumot_pose_core.h"

#define KINFUMOT_MODELS (KINFUMOT_MAX_OBJECTS + 1) /* 0: the background */
#define KINFUMOT_TILE 8                            /* pixels, of ranges */
#define KINFUMOT_SIDES 4   /* of a pixel: left, right, above, below */
#define KINFUMOT_NEAR .1f  /* metres */
#define KINFUMOT_SLICES 64 /* of the depths that a tile sees */
#define KINFUMOT_SLICES_A_METRE 8

#define KINFUMOT_GATE .1f        /* corresponding points are no farther apart */
#define KINFUMOT_MATCHED .02f    /* < : an inlier (2.3), metres */
#define KINFUMOT_MATCHABLE 1.75f /* times that, < : a potential outlier */
#define KINFUMOT_JUMP .05f /* from an object to the surface behind, metres */
#define KINFUMOT_SEEN_FREE .66f /* of the truncation before a surface */

/* A sensor measures in steps of depth, which more pixels do not make narrower.
 * So the neighbours that filter a pixel and give it a normal lie apart by an
 * angle: that of a pixel of a Kinect at 320 x 240. */
#define KINFUMOT_FOCAL 292.5   /* pixels, of that Kinect */
#define KINFUMOT_MAX_SPACING 8 /* pixels */

typedef struct {
  float x, y, z, depth; /* normal, camera coordinates; depth 0: no surface */
} __attribute__ ((aligned (16))) KinfumotHit;

typedef struct {
  float fx, fy, cx, cy;
  float k1, k2, p1, p2, k3;
  float max_r2; /* of rays that the frame shows, (x / z)^2 + (y / z)^2 */
  bool distorted;
} KinfumotLens;

typedef struct {
  float x, y, length; /* of the ray at depth 1 */
} KinfumotRay;

/* The size of the frames, the lens, and the ray of each pixel. */
typedef struct {
  int width, height;
  int tiles_x, tiles_y;
  int spacing; /* pixels, from a pixel to the neighbours that filter it */
  KinfumotLens lens;
  const KinfumotRay *rays; /* of each pixel */
} KinfumotOptics;

BOTH int
kinfumot_n_pixels (const KinfumotOptics *optics)
{
  return optics->width * optics->height;
}

/* The points of a frame. */
typedef struct {
  KinfumotOptics optics;
  const uint16_t *depth; /* filtered, 1 / KINFUMOT_UNITS metres; 0: missing */
} KinfumotPoints;

/* A frame of depth as it came. */
typedef struct {
  const uint16_t *depth; /* 0: missing */
  int stride;            /* bytes */
  uint32_t far;          /* units; depth from here on counts as missing */
  uint64_t unit; /* 1 / KINFUMOT_UNITS metres in 1 / 256 unit of it, 2^-32 */
  const uint8_t *weights; /* BILATERAL_RANGE, of the filter */
} KinfumotInput;

/* The maps that a frame becomes, of each pixel. */
typedef struct {
  uint16_t *depth;  /* as in KinfumotPoints */
  uint8_t *classes; /* KinfumotClass and model, two bytes a pixel */
} KinfumotMaps;

/* The data of a pixel that fusion reads, all at once. */
typedef struct {
  uint16_t depth; /* as in KinfumotPoints */
  uint8_t owner;  /* the model whose surface this is, or KINFUMOT_NOBODY */
  float length;   /* of the ray at depth 1 */
} __attribute__ ((aligned (8))) KinfumotSurface;

#define KINFUMOT_NOBODY 255

/* The view of each model, NULL before it is needed. */
typedef struct {
  KinfumotHit *of[KINFUMOT_MODELS]; /* each pixel */
} KinfumotViews;

/* The depths at which rays may meet bricks of each model.  Empty ranges are 0.
 */
typedef struct {
  uint32_t *near[KINFUMOT_MODELS]; /* each tile: the inverted bits of the
                                      depth at which its first brick begins */
  uint64_t
      *slices[KINFUMOT_MODELS]; /* each tile: slices of depth with bricks */
} KinfumotRanges;

/* How much of an object a frame shows. */
typedef struct {
  uint32_t matched; /* pixels */
  uint32_t through; /* pixels that show something behind its surface */
  int32_t x0, y0, x1, y1;
  int32_t min[3], max[3]; /* of the matched, the model's coordinates, mm */
} KinfumotCount;

/* The counters of the pool of bricks. */
typedef struct {
  uint32_t n_unused; /* bricks that can be taken */
  uint32_t n_wanted; /* keys that want a brick */
  uint32_t full;     /* the wanted bricks were more than the unused ones, so
                        none was taken; the table holds their keys */
} KinfumotPoolCounts;

/* ---- Depth ---- */

/* 0 if it is missing. */
BOTH uint16_t
kinfumot_input_depth (const KinfumotInput *input, int x, int y)
{
  const uint16_t *row = (const uint16_t *) ((const uint8_t *) input->depth +
      (ptrdiff_t) y * input->stride);

  return row[x] < input->far ? row[x] : 0;
}

/* The depth of pixel (@x, @y), which has none itself: the mean of those of its
 * eight neighbours that lie at most 1/32 behind the nearest of them; 0 if no
 * neighbour has depth. */
BOTH uint16_t
kinfumot_neighbour_depth (
    const KinfumotOptics *optics, const KinfumotInput *input, int x, int y)
{
  uint32_t depths[9], nearest = 65535, sum = 0, n = 0;

  UNROLLED
  for (int i = 0; i < 9; i++) {
    const int u = x + i % 3 - 1, v = y + i / 3 - 1;
    const bool inside =
        u >= 0 && v >= 0 && u < optics->width && v < optics->height;

    depths[i] = inside ? kinfumot_input_depth (input, u, v) : 0;
    nearest = depths[i] && depths[i] < nearest ? depths[i] : nearest;
  }
  UNROLLED
  for (int i = 0; i < 9; i++) {
    const bool near = depths[i] && depths[i] - nearest <= nearest / 32;

    sum += near ? depths[i] : 0;
    n += near;
  }
  return n ? (uint16_t) ((sum + n / 2) / n) : 0;
}

/* The depth of pixel (@x, @y) of a frame whose holes are filled. */
BOTH uint16_t
kinfumot_filled_depth (
    const KinfumotOptics *optics, const KinfumotInput *input, int x, int y)
{
  const uint16_t depth = kinfumot_input_depth (input, x, y);

  return depth ? depth : kinfumot_neighbour_depth (optics, input, x, y);
}

/* Adds two neighbours of pixel (@x, @y) of depth @z to @mean: the one at (@dx,
 * @dy), times the spacing, and the one opposite to it. */
BOTH void
kinfumot_add_neighbours (const KinfumotOptics *optics,
    const KinfumotInput *input, BilateralMean *mean, int x, int y, int dx,
    int dy, uint32_t z)
{
  const uint32_t space = bilateral_space_weight (dx, dy);
  int ax;

  dx *= optics->spacing;
  dy *= optics->spacing;
  ax = dx < 0 ? -dx : dx;
  if (space && x >= ax && x + ax < optics->width && y >= dy &&
      y + dy < optics->height)
    bilateral_mean_add_two (mean, input->weights, space, z,
        kinfumot_input_depth (input, x + dx, y + dy),
        kinfumot_input_depth (input, x - dx, y - dy));
}

/* Filtered depth in 1 / KINFUMOT_UNITS metres, from @z units of the input and
 * @fraction 256ths of a unit. */
BOTH uint16_t
kinfumot_filtered_depth (
    const KinfumotInput *input, uint16_t z, int8_t fraction)
{
  uint64_t fine = (uint64_t) ((int64_t) z * 256 + fraction);
  uint64_t depth = (fine * input->unit + (1ull << 31)) >> 32;

  return depth > 65535 ? 0 : (uint16_t) depth;
}

BOTH float
kinfumot_metres (uint16_t depth)
{
#ifdef __CUDA_ARCH__ /* without the slow conversion */
  float units = __int_as_float (0x4b000000 | depth) - 8388608.f;
#else
  float units = (float) depth;
#endif

  return units * (1.f / KINFUMOT_UNITS);
}

/* The point of ray @r at @depth metres. */
BOTH Vec
kinfumot_ray_point (const KinfumotRay *r, float depth)
{
  return vec (r->x * depth, r->y * depth, depth);
}

/* The point that pixel @at shows. */
BOTH Vec
kinfumot_point (const KinfumotPoints *points, int at)
{
  return kinfumot_ray_point (
      &points->optics.rays[at], kinfumot_metres (points->depth[at]));
}

/* The unit normal towards the camera from the neighbours' points; 0 0 0 if a
 * neighbour is missing, or if opposite neighbours differ by more than 10 cm in
 * depth. */
BOTH Vec
kinfumot_normal (const KinfumotPoints *points, int x, int y)
{
  const int width = points->optics.width, height = points->optics.height;
  const int right = points->optics.spacing, down = right * width;
  const int at = y * width + x;
  Vec none = {0, 0, 0}, n, p, dx, dy;
  const uint16_t *d = points->depth + at;
  int step_x, step_y;

  if (x < right || y < right || x >= width - right || y >= height - right)
    return none;
  if (!d[0] || !d[-right] || !d[right] || !d[-down] || !d[down])
    return none;
  step_x = d[right] - d[-right];
  step_y = d[down] - d[-down];
  if (step_x > KINFUMOT_UNITS / 10 || step_x < -KINFUMOT_UNITS / 10 ||
      step_y > KINFUMOT_UNITS / 10 || step_y < -KINFUMOT_UNITS / 10)
    return none;
  p = kinfumot_point (points, at);
  dx = vec_sub (
      kinfumot_point (points, at + right), kinfumot_point (points, at - right));
  dy = vec_sub (
      kinfumot_point (points, at + down), kinfumot_point (points, at - down));
  n = vec_unit (vec_cross (dy, dx));
  return vec_dot (n, p) > 0 ? vec_scale (n, -1) : n;
}

/* ---- Camera ---- */

/* The place (@u, @v) in the image at which the camera sees @p; false if the
 * lens does not show @p. */
BOTH bool
kinfumot_project (const KinfumotLens *l, Vec p, float *u, float *v)
{
  float x, y, r2, radial, dx, dy;

  if (p.z < KINFUMOT_NEAR)
    return false;
  x = 1 / p.z;
  y = p.y * x;
  x = p.x * x;
  if (l->distorted) {
    r2 = x * x + y * y;
    if (r2 > l->max_r2)
      return false;
    radial = 1 + r2 * (l->k1 + r2 * (l->k2 + r2 * l->k3));
    dx = 2 * l->p1 * x * y + l->p2 * (r2 + 2 * x * x);
    dy = l->p1 * (r2 + 2 * y * y) + 2 * l->p2 * x * y;
    x = x * radial + dx;
    y = y * radial + dy;
  }
  *u = l->fx * x + l->cx;
  *v = l->fy * y + l->cy;
  return true;
}

/* The index of the pixel that shows @p; -1 if no pixel does. */
BOTH int
kinfumot_pixel (const KinfumotOptics *optics, Vec p)
{
  float u, v;

  if (!kinfumot_project (&optics->lens, p, &u, &v))
    return -1;
  u += .5f;
  v += .5f;
  if (!(u >= 0) || !(v >= 0) || !(u < (float) optics->width) ||
      !(v < (float) optics->height))
    return -1;
  return kinfumot_floor_small (v) * optics->width + kinfumot_floor_small (u);
}

/* Where the contents of @box may be in the next frame. */
#define KINFUMOT_MARGIN 40 /* pixels that an object may move, in the image */

BOTH ImageBox
kinfumot_box_around (const KinfumotOptics *optics, ImageBox box)
{
  const int margin = KINFUMOT_MARGIN;

  box.x0 = box.x0 > margin ? box.x0 - margin : 0;
  box.y0 = box.y0 > margin ? box.y0 - margin : 0;
  box.x1 = box.x1 < optics->width - margin ? box.x1 + margin : optics->width;
  box.y1 = box.y1 < optics->height - margin ? box.y1 + margin : optics->height;
  return box;
}

/* Sets the pose and the box of a model after this frame; the background comes
 * last. */
BOTH void
kinfumot_advance_model (const KinfumotOptics *optics,
    const KinfumotCount *counts, KinfumotModel *models, int model)
{
  const KinfumotCount *c = &counts[model];
  const ImageBox whole = {0, 0, optics->width, optics->height};
  const ImageBox matched = {c->x0, c->y0, c->x1, c->y1};

  kinfumot_advance_pose (models, model);
  models[model].box =
      model && c->matched ? kinfumot_box_around (optics, matched) : whole;
}
