/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What both backends compute with: the memory of a frame and its stages, depth
 * and the camera.
 *
 * What a model looks like is a view: for each pixel of the frame before the
 * depth of its surface and the normal.  A motion takes points of this frame's
 * camera to the one before's. */
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
 * So the neighbours by which a pixel is filtered and has a normal lie apart by
 * an angle: that of a pixel of a Kinect at 320 x 240. */
#define KINFUMOT_FOCAL 292.5   /* pixels, of that Kinect */
#define KINFUMOT_MAX_SPACING 8 /* pixels */

typedef struct {
  float x, y, z, depth; /* normal, camera coordinates; 0: no surface */
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

/* What is known of a frame before it is compared with any model. */
typedef struct {
  uint16_t *depth;  /* filtered, 1 / KINFUMOT_UNITS metres */
  uint8_t *classes; /* KinfumotClass and model, two bytes a pixel */
} KinfumotMaps;

/* What fusion asks of a pixel, read at once. */
typedef struct {
  uint16_t depth; /* as in KinfumotMaps; 0: none */
  uint8_t owner;  /* the model whose surface this is, or KINFUMOT_NOBODY */
  float length;   /* of the ray at depth 1 */
} __attribute__ ((aligned (8))) KinfumotSurface;

#define KINFUMOT_NOBODY 255

/* What a frame says of a model; device memory. */
typedef struct {
  uint32_t matched; /* pixels */
  uint32_t through; /* pixels that lie behind its surface */
  int32_t x0, y0, x1, y1;
  int32_t min[3], max[3]; /* of the matched, the model's coordinates, mm */
} KinfumotCount;

/* Device memory. */
typedef struct {
  uint32_t n_points;  /* pixels with a normal */
  uint32_t n_unused;  /* bricks that can be taken */
  uint32_t n_fresh;   /* bricks that are wanted and not yet taken */
  uint32_t n_visible; /* bricks in view */
  uint32_t n_fused;   /* blocks of threads that have fused; the GPU alone */
  uint32_t n_ends;    /* of surfaces, while objects are aligned */
  uint32_t full;      /* not all that were wanted could be taken, so none was;
                         the table holds their keys */
} KinfumotPool;

typedef struct {
  int width, height, tiles_x, tiles_y;
  KinfumotGrid grid;
  KinfumotLens lens;
  KinfumotRay *rays;     /* of each pixel */
  const uint16_t *input; /* the frame's depth, as it came */
  int input_stride;
  int spacing;           /* pixels, from a pixel to its neighbours */
  uint64_t input_unit;   /* 1 / KINFUMOT_UNITS metres in 1 / 256 unit, 2^-32 */
  uint32_t input_far;    /* units; from here on depth is missing */
  uint8_t *range;        /* the filter's weights */
  KinfumotMaps now;      /* this frame */
  const uint8_t *before; /* classes of the frame before; NULL: none */
  const uint16_t *depth_before; /* likewise */
  Vec *normals;                 /* of this frame; 0 0 0: unknown */
  KinfumotSurface *surfaces;    /* while it is fused */
  uint32_t *ends;   /* of its surfaces, KinfumotPool.n_ends: 4 times a pixel and
                       a side, in any order */
  float *usual;     /* of each tile: the mean distance from the background, by
                       what matches; KINFUMOT_UNUSUAL: unknown */
  uint8_t *shifted; /* of each tile: whether it changed */
  uint8_t *doubted; /* of each eight pixels: whether the next frame's camera
                       does without them */
  uint8_t *grown;   /* the object that a pixel is added to; 0: none */
  KinfumotHit *views[KINFUMOT_MODELS]; /* NULL: not yet needed */
  uint32_t *near[KINFUMOT_MODELS];     /* of each tile: the inverted bits of the
                                          depth at which its first brick
                                          begins */
  uint64_t *slices[KINFUMOT_MODELS];   /* of each tile: those with bricks */
  int n_models;                        /* from here on all are asleep */
  KinfumotModel *models;               /* KINFUMOT_MODELS */
  KinfumotCount *counts;               /* KINFUMOT_MODELS; of objects alone */
  KinfumotAlignment *alignments;       /* KINFUMOT_MODELS */
  KinfumotPool *pool;
  uint64_t *fresh;     /* keys for which a brick is wanted */
  uint32_t max_fresh;  /* of them */
  uint32_t *unused;    /* bricks, KinfumotPool.n_unused */
  uint32_t *visible;   /* bricks in view, KinfumotPool.n_visible */
  const uint8_t *mask; /* of a birth: its pixels are the model's; NULL */
  int erase;           /* fusion empties the background where the mask is */
  int replay; /* an earlier frame: its classes say what is the background's */
  uint32_t frame;    /* counts from 1 */
  float max_cosine;  /* of the angle between normals */
  float noise;       /* 1/m */
  float half_volume; /* metres; 0: no end */
  int max_weight;
  int signed_distance;
  int align_blocks; /* of the alignment that a GPU runs at the same time */
} KinfumotWork;

/* ---- Depth ---- */

/* 0 if there is none. */
BOTH uint16_t
kinfumot_input (const KinfumotWork *w, int x, int y)
{
  const uint16_t *row = (const uint16_t *) ((const uint8_t *) w->input +
      (ptrdiff_t) y * w->input_stride);

  return row[x] < w->input_far ? row[x] : 0;
}

/* Adds to those of pixel (@x, @y) of depth @z the neighbours at (@dx, @dy),
 * times the spacing, and opposite to it. */
BOTH void
kinfumot_add_neighbours (const KinfumotWork *w, BilateralMean *mean, int x,
    int y, int dx, int dy, uint32_t z)
{
  const uint32_t space = bilateral_space_weight (dx, dy);
  int ax;

  dx *= w->spacing;
  dy *= w->spacing;
  ax = dx < 0 ? -dx : dx;
  if (space && x >= ax && x + ax < w->width && y >= dy && y + dy < w->height)
    bilateral_mean_add_two (mean, w->range, space, z,
        kinfumot_input (w, x + dx, y + dy), kinfumot_input (w, x - dx, y - dy));
}

/* Filtered depth in 1 / KINFUMOT_UNITS metres, from @z units and 1/256 units.
 */
BOTH uint16_t
kinfumot_units (const KinfumotWork *w, uint16_t z, int8_t fraction)
{
  uint64_t fine = (uint64_t) ((int64_t) z * 256 + fraction);
  uint64_t depth = (fine * w->input_unit + (1ull << 31)) >> 32;

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

BOTH Vec
kinfumot_along (const KinfumotRay *r, float depth)
{
  return vec (r->x * depth, r->y * depth, depth);
}

BOTH Vec
kinfumot_point (const KinfumotWork *w, int at)
{
  return kinfumot_along (&w->rays[at], kinfumot_metres (w->now.depth[at]));
}

/* The unit normal towards the camera from the neighbours' points; 0 0 0 where
 * one is missing or more than 10 cm nearer or farther than its opposite. */
BOTH Vec
kinfumot_normal (const KinfumotWork *w, int x, int y)
{
  const int right = w->spacing, down = right * w->width;
  int at = y * w->width + x;
  Vec none = {0, 0, 0}, n, p, dx, dy;
  const uint16_t *d = w->now.depth + at;
  int step_x, step_y;

  if (x < right || y < right || x >= w->width - right || y >= w->height - right)
    return none;
  if (!d[0] || !d[-right] || !d[right] || !d[-down] || !d[down])
    return none;
  step_x = d[right] - d[-right];
  step_y = d[down] - d[-down];
  if (step_x > KINFUMOT_UNITS / 10 || step_x < -KINFUMOT_UNITS / 10 ||
      step_y > KINFUMOT_UNITS / 10 || step_y < -KINFUMOT_UNITS / 10)
    return none;
  p = kinfumot_point (w, at);
  dx = vec_sub (kinfumot_point (w, at + right), kinfumot_point (w, at - right));
  dy = vec_sub (kinfumot_point (w, at + down), kinfumot_point (w, at - down));
  n = vec_unit (vec_cross (dy, dx));
  return vec_dot (n, p) > 0 ? vec_scale (n, -1) : n;
}

/* ---- Camera ---- */

/* The pixel that shows @p; false where the frame does not. */
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

/* The index of the pixel that shows @p; -1 where none does. */
BOTH int
kinfumot_pixel (const KinfumotWork *w, Vec p)
{
  float u, v;

  if (!kinfumot_project (&w->lens, p, &u, &v))
    return -1;
  u += .5f;
  v += .5f;
  if (!(u >= 0) || !(v >= 0) || !(u < (float) w->width) ||
      !(v < (float) w->height))
    return -1;
  return kinfumot_floor_small (v) * w->width + kinfumot_floor_small (u);
}

/* ---- Stages ---- */

/* Of models from @first to before @last those that are awake. */
typedef struct {
  /* Asks what the device can do. */
  const char *(*open) (KinfumotWork *w);
  /* Copies @bytes, a multiple of four, between the device's memory and pinned
   * memory. */
  const char *(*pass) (
      const Device *dev, void *to, const void *from, size_t bytes);
  /* Filters the input into now.depth. */
  const char *(*filter) (const Device *dev, const KinfumotWork *w);
  const char *(*normals) (const Device *dev, const KinfumotWork *w);
  /* Aligns, from the motions that the models have. */
  const char *(*align) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  const char *(*predict) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  const char *(*judge) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  /* Writes now.classes, and counts. */
  const char *(*classify) (const Device *dev, const KinfumotWork *w);
  /* Adds outliers that touch an object to it. */
  const char *(*grow) (const Device *dev, const KinfumotWork *w);
  /* Gives pixels without a model to @model where they match it. */
  const char *(*adopt) (const Device *dev, const KinfumotWork *w, int model);
  const char *(*advance) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  /* Says which pixels the camera of the next frame does without. */
  const char *(*doubt) (const Device *dev, const KinfumotWork *w);
  /* Takes the bricks that are wanted. */
  const char *(*allocate) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  const char *(*fuse) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  /* Says at which depths each tile may see a surface. */
  const char *(*ranges) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  /* Casts the rays, from there on. */
  const char *(*cast) (
      const Device *dev, const KinfumotWork *w, int first, int last);
  const char *(*draw) (const Device *dev, const KinfumotWork *w, uint8_t *rgb,
      size_t rgb_stride, float *normals, size_t normals_stride);
  /* Waits for what was queued before the last mark, though not for what was
   * after it. */
  const char *(*mark) (const Device *dev);
  const char *(*await_mark) (const Device *dev);
  /* The bytes of memory that the device has free. */
  const char *(*room) (const Device *dev, uint64_t *bytes);
} KinfumotStages;

#ifdef __cplusplus
extern "C" {
#endif
extern const KinfumotStages kinfumot_stages_cpu, kinfumot_stages_cuda;
#ifdef __cplusplus
}
#endif
