/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mathematics of both backends: camera, correspondence, classes, fusion of
 * a voxel, and the ray to a surface.
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
#define KINFUMOT_NEAR .1f                          /* metres */
#define KINFUMOT_SLICES 64 /* of the depths that a tile sees */
#define KINFUMOT_SLICES_A_METRE 8

#define KINFUMOT_GATE .1f        /* corresponding points are no farther apart */
#define KINFUMOT_MATCHED .02f    /* < : an inlier (2.3), metres */
#define KINFUMOT_MATCHABLE 1.75f /* times that, < : a potential outlier */
#define KINFUMOT_SEEN_FREE .66f  /* of the truncation before a surface */

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

/* Adds to those of pixel (@x, @y) of depth @z the neighbours at (@dx, @dy) and
 * opposite to it. */
BOTH void
kinfumot_add_neighbours (const KinfumotWork *w, BilateralMean *mean, int x,
    int y, int dx, int dy, uint32_t z)
{
  const uint32_t space = bilateral_space_weight (dx, dy);
  const int ax = dx < 0 ? -dx : dx;

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
  int at = y * w->width + x;
  Vec none = {0, 0, 0}, n, p, dx, dy;
  const uint16_t *d = w->now.depth + at;
  int step_x, step_y;

  if (x < 1 || y < 1 || x >= w->width - 1 || y >= w->height - 1)
    return none;
  if (!d[0] || !d[-1] || !d[1] || !d[-w->width] || !d[w->width])
    return none;
  step_x = d[1] - d[-1];
  step_y = d[w->width] - d[-w->width];
  if (step_x > KINFUMOT_UNITS / 10 || step_x < -KINFUMOT_UNITS / 10 ||
      step_y > KINFUMOT_UNITS / 10 || step_y < -KINFUMOT_UNITS / 10)
    return none;
  p = kinfumot_point (w, at);
  dx = vec_sub (kinfumot_point (w, at + 1), kinfumot_point (w, at - 1));
  dy = vec_sub (
      kinfumot_point (w, at + w->width), kinfumot_point (w, at - w->width));
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

/* ---- Correspondence ---- */

/* A point of this frame and that of a model's view which the same pixel shows.
 */
typedef struct {
  int at;       /* the pixel of the view */
  Vec p;        /* the point, moved into the view's camera */
  Vec q, n;     /* of the model */
  float apart;  /* squared distance between the two, m^2 */
  float before; /* how far p lies before the model's surface, metres: from its
                   plane, or from q where that is farther than the gate */
} KinfumotPair;

/* Read at once on the GPU, not each field where it is asked for: as are voxels
 * and what fusion asks of a pixel. */
BOTH KinfumotHit
kinfumot_hit (const KinfumotHit *view, int at)
{
#ifdef __CUDA_ARCH__
  const float4 hit = *(const float4 *) (view + at);

  return KinfumotHit{hit.x, hit.y, hit.z, hit.w};
#else
  return view[at];
#endif
}

/* Of a point that moves as @m says; false where @view has no surface. */
BOTH bool
kinfumot_pair_of (const KinfumotWork *w, const KinfumotModel *m,
    const KinfumotHit *view, Vec point, KinfumotPair *pair)
{
  KinfumotHit hit;
  Vec apart;

  pair->p = vec_transform (&m->turn, m->step, point);
  pair->at = kinfumot_pixel (w, pair->p);
  if (pair->at < 0)
    return false;
  hit = kinfumot_hit (view, pair->at);
  if (!(hit.depth > 0) || (hit.x == 0 && hit.y == 0 && hit.z == 0))
    return false;
  pair->q = kinfumot_along (&w->rays[pair->at], hit.depth);
  pair->n = vec (hit.x, hit.y, hit.z);
  apart = vec_sub (pair->p, pair->q);
  pair->apart = vec_dot (apart, apart);
  pair->before = vec_dot (pair->n, apart);
  if (pair->apart > KINFUMOT_GATE * KINFUMOT_GATE)
    pair->before = copysignf (sqrtf (pair->apart), pair->before);
  return true;
}

BOTH bool
kinfumot_pair (const KinfumotWork *w, int model, Vec point, KinfumotPair *pair)
{
  return kinfumot_pair_of (w, &w->models[model], w->views[model], point, pair);
}

/* How far from a surface a point at @depth may be measured that lies on it:
 * 2 cm, and far away more, as a sensor's steps of depth grow with its square.
 */
BOTH float
kinfumot_matched (const KinfumotWork *w, float depth)
{
  float noise = w->noise * depth * depth;

  return noise > KINFUMOT_MATCHED ? noise : KINFUMOT_MATCHED;
}

/* Whether @pair takes part in the alignment (2.1): not too far apart, and
 * normals alike. */
BOTH bool
kinfumot_fits (const KinfumotWork *w, const KinfumotModel *m, Vec normal,
    const KinfumotPair *pair)
{
  Vec turned = vec_rotate (&m->turn, normal);

  return pair->apart <= KINFUMOT_GATE * KINFUMOT_GATE &&
      vec_dot (turned, pair->n) >= w->max_cosine;
}

/* Whether another model, where it was before the alignment, explains the point
 * better than @model, from which it lies @distance away. */
BOTH bool
kinfumot_taken (const KinfumotWork *w, int model, Vec point, float distance)
{
  for (int m = 0; m < w->n_models; m++) {
    KinfumotPair pair;

    if (m == model || !w->models[m].active || !w->views[m])
      continue;
    if (kinfumot_pair (w, m, point, &pair) &&
        fabsf (pair.before) < KINFUMOT_MATCHED &&
        fabsf (pair.before) < distance)
      return true;
  }
  return false;
}

#define KINFUMOT_LEVELS 3

/* Pixels from one that is looked at to the next. */
BOTH int
kinfumot_stride (int level)
{
  return 4 >> level;
}

BOTH int
kinfumot_iterations (int level)
{
  return level == 0 ? 4 : level == 1 ? 5 : 10;
}

/* Whether the pixel of @pair is another model's.  The background is aligned
 * first, so it asks the frame before; the objects ask the background. */
BOTH bool
kinfumot_others (const KinfumotWork *w, int model, int at, Vec point,
    const KinfumotPair *pair)
{
  if (w->mask)
    return !w->mask[at];
  if (w->replay)
    return w->now.classes[2 * at] == KINFUMOT_INLIER &&
        w->now.classes[2 * at + 1] != model;
  if (model)
    return kinfumot_taken (w, model, point, fabsf (pair->before));
  return w->before &&
      (w->before[2 * pair->at] == KINFUMOT_OUTLIER ||
          w->before[2 * pair->at + 1] || w->doubted[pair->at >> 3]);
}

/* Whether the space of a voxel was seen free, in @n frames at least. */
BOTH bool
kinfumot_is_free (KinfumotVoxel v, int n)
{
  return (v.weight & KINFUMOT_WEIGHT_MASK) >= n &&
      (float) v.distance > KINFUMOT_SEEN_FREE * KINFUMOT_UNIT;
}

/* ---- Doubt ---- */

/* What begins to move is a part of the background until it is an outlier, and
 * until then draws the camera along.  It shows sooner in whole parts of the
 * image: there the mean distance from the surface is no more what it was.  What
 * is wrong with a sensor's depth stays what it was. */

#define KINFUMOT_UNUSUAL 1e9f
#define KINFUMOT_SHIFT .15f     /* of the distance up to which points match */
#define KINFUMOT_USUAL .25f     /* share of a new frame in what is usual */
#define KINFUMOT_MIN_SHIFT 16   /* pixels of a tile */
#define KINFUMOT_AROUND_SHIFT 5 /* tiles, of the nine around one */

/* Sums over a tile, by KINFUMOT_R_UNIT. */
typedef struct {
  int32_t before, limit, n;
} KinfumotShift;

/* What pixel @at adds. */
BOTH KinfumotShift
kinfumot_shift_of (const KinfumotWork *w, int at)
{
  const KinfumotShift none = {0, 0, 0};
  const Vec normal = w->normals[at];
  KinfumotPair pair;
  Vec point;

  if (normal.x == 0 && normal.y == 0 && normal.z == 0)
    return none;
  point = kinfumot_point (w, at);
  if (!kinfumot_pair (w, 0, point, &pair) ||
      !kinfumot_fits (w, &w->models[0], normal, &pair))
    return none;
  return (KinfumotShift){(int32_t) (pair.before * KINFUMOT_R_UNIT),
      (int32_t) (kinfumot_matched (w, point.z) * KINFUMOT_R_UNIT), 1};
}

/* @sum: of the tile. */
BOTH void
kinfumot_shift (const KinfumotWork *w, int tile, const KinfumotShift *sum)
{
  float *usual = &w->usual[tile], mean;

  w->shifted[tile] = 0;
  if (sum->n < KINFUMOT_MIN_SHIFT) {
    *usual = KINFUMOT_UNUSUAL;
    return;
  }
  mean = (float) sum->before / (float) sum->limit;
  if (!w->before || *usual == KINFUMOT_UNUSUAL)
    *usual = mean;
  w->shifted[tile] = fabsf (mean - *usual) > KINFUMOT_SHIFT;
  *usual += (mean - *usual) * KINFUMOT_USUAL;
}

/* Pixels 8 @i and the next seven. */
BOTH void
kinfumot_doubt (const KinfumotWork *w, int i)
{
  const int tx = 8 * i % w->width / KINFUMOT_TILE,
            ty = 8 * i / w->width / KINFUMOT_TILE;
  int n = 0;

  for (int y = ty - 1; y <= ty + 1; y++)
    for (int x = tx - 1; x <= tx + 1; x++)
      if (x >= 0 && y >= 0 && x < w->tiles_x && y < w->tiles_y)
        n += w->shifted[y * w->tiles_x + x];
  w->doubted[i] = n >= KINFUMOT_AROUND_SHIFT;
}

/* ---- Outlines ---- */

/* The points of a flat face do not determine all directions; its outline
 * determines the others.  Where an object ends before a surface that is farther
 * away, the end of its model is looked for along the row and the column. */

#define KINFUMOT_OUTLINE 10 /* pixels that the two may be apart */
#define KINFUMOT_JUMP .05f  /* metres from an object to what is behind it */

/* The depth of the next pixels towards @step, the first of @room that has one;
 * 0 for none.  All are read at once: a GPU would wait for one after the other.
 */
BOTH int
kinfumot_next_depth (const KinfumotWork *w, int at, int step, int room)
{
  uint16_t depths[KINFUMOT_OUTLINE];
  int depth = 0;

  UNROLLED
  for (int i = 0; i < KINFUMOT_OUTLINE; i++)
    depths[i] = i < room ? w->now.depth[at + (i + 1) * step] : 0;
  UNROLLED
  for (int i = KINFUMOT_OUTLINE - 1; i >= 0; i--)
    depth = depths[i] ? depths[i] : depth;
  return depth;
}

/* Whether the surface of pixel @at ends towards @step, where the frame has
 * @room more pixels: the next pixel that has depth is farther away, or none of
 * KINFUMOT_OUTLINE has.  A hole in the surface is no end. */
BOTH bool
kinfumot_ends (const KinfumotWork *w, int at, int step, int room)
{
  int depth = w->now.depth[at + step];

  if (!depth)
    depth = kinfumot_next_depth (w, at, step, room);
  return !depth ||
      kinfumot_metres ((uint16_t) depth) >
      kinfumot_metres (w->now.depth[at]) + KINFUMOT_JUMP;
}

/* The same of a model: @depth and @next are those of a pixel of its view and of
 * the pixel beside it, 0 for none. */
BOTH bool
kinfumot_view_ends (float depth, float next)
{
  return depth > 0 && (!(next > 0) || next > depth + KINFUMOT_JUMP);
}

/* The pixel nearest to @at in which the view ends towards @step, at about
 * @depth; -1 for none.  @before and @behind: the number of pixels that the
 * frame has before @at, against @step, and behind it.  All are read at once.
 */
BOTH int
kinfumot_view_end (const KinfumotHit *view, int at, int step, int before,
    int behind, float depth)
{
  float depths[2 * KINFUMOT_OUTLINE + 2];
  int end = -1;

  UNROLLED
  for (int i = 0; i < 2 * KINFUMOT_OUTLINE + 2; i++) {
    const int n = i - KINFUMOT_OUTLINE;

    depths[i] = n >= -before && n <= behind ? view[at + n * step].depth : 0;
  }
  UNROLLED
  for (int i = 2 * KINFUMOT_OUTLINE; i >= 0; i--) {
    const int n = i & 1 ? -(i + 1) / 2 : i / 2;
    const float here = depths[KINFUMOT_OUTLINE + n];

    if (n < behind &&
        kinfumot_view_ends (here, depths[KINFUMOT_OUTLINE + n + 1]) &&
        fabsf (here - depth) < KINFUMOT_GATE)
      end = at + n * step;
  }
  return end;
}

/* Whether the space beside pixel @at of the view, towards @aside, was seen
 * free: the object ends there.  Else it may go on where no frame showed it.  Of
 * a model in its first frames, one frame is enough. */
BOTH bool
kinfumot_free_beside (const KinfumotWork *w, int model, int at, Vec aside)
{
  Vec p = kinfumot_along (&w->rays[at], w->views[model][at].depth);
  Vec there = vec_add (p, vec_scale (aside, 2 * w->grid.voxel));
  KinfumotLast last = kinfumot_no_last ();

  return kinfumot_is_free (kinfumot_nearest (&w->grid, &last, model,
                               kinfumot_to_model (&w->models[model], there)),
      w->models[model].steps < KINFUMOT_STEPS ? 1 : KINFUMOT_FREE_WEIGHT);
}

#define KINFUMOT_SIDES 4 /* of a pixel: left, right, above, below */
#define KINFUMOT_WIDTH 2 /* pixels that a surface goes on before its end */

/* Whether the surface of pixel @at, which ends at @side, goes on across that
 * axis: KINFUMOT_WIDTH pixels before the end it has a pixel to both sides.
 * Else the outline runs along the axis, and the pixel ends where noise has torn
 * it. */
BOTH bool
kinfumot_is_wide (const KinfumotWork *w, int at, int side)
{
  const int max = (int) (KINFUMOT_JUMP * KINFUMOT_UNITS);
  const int x = at % w->width, y = at / w->width, reach = KINFUMOT_WIDTH;
  const int inside = side & 1 ? -reach : reach;
  const int middle = at + inside * (side >> 1 ? w->width : 1);
  const int aside = reach * (side >> 1 ? 1 : w->width);
  int here, one, two;

  if (x < reach || y < reach || x >= w->width - reach || y >= w->height - reach)
    return false;
  here = w->now.depth[at];
  one = w->now.depth[middle - aside];
  two = w->now.depth[middle + aside];
  return one && two && one > here - max && one < here + max &&
      two > here - max && two < here + max;
}

/* Whether the surface of pixel @at ends at @side, and its outline runs across
 * that axis. */
BOTH bool
kinfumot_is_end (const KinfumotWork *w, int at, int side)
{
  const int step = side >> 1 ? w->width : 1;
  const int along = side >> 1 ? at / w->width : at % w->width;
  const int size = side >> 1 ? w->height : w->width;
  const int room = side & 1 ? size - 1 - along : along;

  return w->now.depth[at] && room > 0 &&
      kinfumot_ends (w, at, side & 1 ? step : -step, room) &&
      kinfumot_is_wide (w, at, side);
}

#define KINFUMOT_TORN 2 /* pixels without depth where a surface ends */

/* Half of the number of pixels without depth between pixel @at, where a surface
 * ends, and the next that has depth: the outline is in their middle.  0 if they
 * are more than KINFUMOT_TORN.  @room: the pixels of the frame towards @step.
 */
BOTH float
kinfumot_torn (const KinfumotWork *w, int at, int step, int room)
{
  float torn = 0;

  UNROLLED
  for (int i = KINFUMOT_TORN + 1; i > 0; i--)
    if (i <= room && w->now.depth[at + i * step])
      torn = .5f * (float) (i - 1);
  return torn;
}

/* What the surface of pixel @at, which ends at @side, says along that axis. */
BOTH bool
kinfumot_outline (const KinfumotWork *w, int model, const KinfumotModel *m,
    int at, int side, KinfumotTerm *term)
{
  const int axis = side >> 1, size = axis ? w->height : w->width;
  const int sign = side & 1 ? 1 : -1, step = axis ? w->width : 1;
  int along = axis ? at / w->width : at % w->width, before, end;
  const float torn =
      kinfumot_torn (w, at, sign * step, sign > 0 ? size - 1 - along : along);
  Vec p, n = {axis ? 0.f : 1.f, axis ? 1.f : 0.f, 0}, q;
  float off;

  p = vec_transform (&m->turn, m->step, kinfumot_point (w, at));
  at = kinfumot_pixel (w, p);
  if (at < 0)
    return false;
  along = axis ? at / w->width : at % w->width;
  before = sign > 0 ? along : size - 1 - along;
  end = kinfumot_view_end (
      w->views[model], at, sign * step, before, size - 1 - before, p.z);
  if (end < 0 ||
      !kinfumot_free_beside (w, model, end, vec_scale (n, (float) sign)))
    return false;
  q = kinfumot_along (&w->rays[end], p.z);
  off = axis ? q.y - p.y : q.x - p.x;
  off -= (float) sign * torn * p.z / (axis ? w->lens.fy : w->lens.fx);
  *term = kinfumot_term_of (p, n, off, 1);
  return true;
}

/* ---- Sums ---- */

/* The cosine of the angle at which the surface of @pair is seen.  It weighs
 * what aligns the camera: depth is less exact where it is small. */
BOTH float
kinfumot_facing (const KinfumotPair *pair)
{
  return -vec_dot (pair->n, pair->p) / sqrtf (vec_dot (pair->p, pair->p));
}

/* What the surface of a pixel adds to the sums of @model, false for nothing. */
BOTH bool
kinfumot_term (const KinfumotWork *w, int model, const KinfumotModel *m, int at,
    KinfumotTerm *term)
{
  Vec normal = w->normals[at], point;
  KinfumotPair pair;

  if (normal.x == 0 && normal.y == 0 && normal.z == 0)
    return false;
  point = kinfumot_point (w, at);
  if (!kinfumot_pair_of (w, m, w->views[model], point, &pair) ||
      !kinfumot_fits (w, m, normal, &pair))
    return false;
  if (kinfumot_others (w, model, at, point, &pair))
    return false;
  *term = kinfumot_term_of (
      pair.p, pair.n, -pair.before, model ? 1 : kinfumot_facing (&pair));
  return true;
}

/* Adds what the surface of pixel @at says of @model, which by now is @m. */
BOTH void
kinfumot_add_surface (const KinfumotWork *w, int model, const KinfumotModel *m,
    int at, int64_t sums[KINFUMOT_N_SUMS])
{
  KinfumotTerm term;

  if (w->now.depth[at] && kinfumot_term (w, model, m, at, &term))
    kinfumot_add (sums, &term);
}

/* Adds what @end, one of w->ends, says of an object, if its pixel is one of
 * those that lie @stride apart in the object's box. */
BOTH void
kinfumot_add_end (const KinfumotWork *w, int model, const KinfumotModel *m,
    int stride, uint32_t end, int64_t sums[KINFUMOT_N_SUMS])
{
  const int at = (int) (end / KINFUMOT_SIDES);
  const int x = at % w->width, y = at / w->width;
  const ImageBox *box = &m->box;
  KinfumotTerm term;

  if (x < box->x0 || y < box->y0 || x >= box->x1 || y >= box->y1 ||
      (x - box->x0) % stride || (y - box->y0) % stride)
    return;
  if (kinfumot_outline (w, model, m, at, (int) (end % KINFUMOT_SIDES), &term))
    kinfumot_add (sums, &term);
}

/* ---- Classes (2.2, 2.3) ---- */

/* How far the model's voxels say that @point is before its surface, metres;
 * false where they do not know.  @free: it was seen free. */
BOTH bool
kinfumot_ask_voxels (
    const KinfumotWork *w, int model, Vec point, bool *free, float *before)
{
  Vec there = kinfumot_to_model_now (&w->models[model], point);
  KinfumotLast last = kinfumot_no_last ();
  const KinfumotVoxel v = kinfumot_nearest (&w->grid, &last, model, there);

  *free = kinfumot_is_free (v, KINFUMOT_FREE_WEIGHT);
  if (!(v.weight & KINFUMOT_WEIGHT_MASK) || v.distance >= KINFUMOT_UNIT ||
      v.distance <= -KINFUMOT_UNIT)
    return false;
  *before = (float) v.distance * (1.f / KINFUMOT_UNIT) * w->grid.truncation;
  return true;
}

BOTH bool
kinfumot_in_volume (const KinfumotWork *w, Vec point)
{
  float half = w->half_volume;
  Vec p;

  if (!(half > 0))
    return true;
  p = kinfumot_to_model_now (&w->models[0], point);
  return fabsf (p.x) <= half && fabsf (p.y) <= half &&
      fabsf (p.z - half) <= half;
}

#define KINFUMOT_BESIDE 12 /* pixels */

/* The depth of the background's surface that is nearest to pixel @at in one
 * direction; 0 for none.  All are read at once, as above. */
BOTH float
kinfumot_next_surface (const KinfumotWork *w, int at, int dx, int dy)
{
  const int x = at % w->width, y = at / w->width;
  float depths[KINFUMOT_BESIDE], depth = 0;

  UNROLLED
  for (int i = 0; i < KINFUMOT_BESIDE; i++) {
    const int u = x + (i + 1) * dx, v = y + (i + 1) * dy;
    const bool inside = u >= 0 && v >= 0 && u < w->width && v < w->height;

    depths[i] = inside ? w->views[0][v * w->width + u].depth : 0;
  }
  UNROLLED
  for (int i = KINFUMOT_BESIDE - 1; i >= 0; i--)
    depth = depths[i] > 0 ? depths[i] : depth;
  return depth;
}

/* Whether a point lies before all surfaces around the pixel that shows it,
 * where that has none itself: the rays to those have gone past it, so its space
 * was seen free, though no voxel is kept that far from a surface.  At the side
 * of what is near, some of the surfaces are as near as the point. */
BOTH bool
kinfumot_before_all (const KinfumotWork *w, Vec p)
{
  const int min = 6;
  int at = kinfumot_pixel (w, p), met = 0;

  if (at < 0)
    return false;
  for (int i = 0; i < 9; i++) {
    float depth =
        i == 4 ? 0 : kinfumot_next_surface (w, at, i % 3 - 1, i / 3 - 1);

    if (depth > 0 &&
        depth < p.z + KINFUMOT_MATCHABLE * kinfumot_matched (w, depth))
      return false;
    met += depth > 0;
  }
  return met >= min;
}

/* Of a point @distance from a surface, up to KINFUMOT_MATCHABLE times @limit.
 */
BOTH int
kinfumot_class_near (float distance, float limit)
{
  return distance < limit ? KINFUMOT_INLIER : KINFUMOT_POTENTIAL_OUTLIER;
}

/* Whether a point behind the background's surface lies on that surface, which
 * moves away: the pixel showed nearly the same depth in the frame before, and
 * that matched, or had moved already.  What is uncovered is farther at once. */
BOTH bool
kinfumot_recedes (const KinfumotWork *w, const KinfumotPair *pair, float limit)
{
  const uint8_t *c;

  if (!w->before || pair->before <= -KINFUMOT_GATE)
    return false;
  c = w->before + 2 * pair->at;
  return !c[1] &&
      (c[0] == KINFUMOT_INLIER || c[0] == KINFUMOT_POTENTIAL_OUTLIER ||
          c[0] == KINFUMOT_OUTLIER) &&
      fabsf (kinfumot_metres (w->depth_before[pair->at]) - pair->p.z) < limit;
}

/* Of the point of @pair, or, not @met, of one that meets no surface; @limit: up
 * to which it matches. */
BOTH int
kinfumot_class_of (
    const KinfumotWork *w, bool met, const KinfumotPair *pair, float limit)
{
  float distance;

  if (!met)
    return KINFUMOT_NO_CORRESPONDENCE;
  distance = fabsf (pair->before);
  if (distance < limit)
    return KINFUMOT_INLIER;
  if (w->signed_distance && pair->before < 0 &&
      !kinfumot_recedes (w, pair, limit))
    return KINFUMOT_NO_CORRESPONDENCE;
  return distance < KINFUMOT_MATCHABLE * limit ? KINFUMOT_POTENTIAL_OUTLIER
                                               : KINFUMOT_OUTLIER;
}

/* The object that explains a point best, nearer than @distance: its number, or
 * 0; then @distance is how far it is.  Where an object's view ends, its voxels
 * tell: so it grows. */
BOTH int
kinfumot_best_object (const KinfumotWork *w, Vec point, float *distance)
{
  const float max = KINFUMOT_MATCHABLE * kinfumot_matched (w, point.z);
  int best = 0;

  for (int m = 1; m < w->n_models; m++) {
    KinfumotPair pair;
    float before;
    bool met, free;

    if (!w->models[m].active || !w->views[m])
      continue;
    met = kinfumot_pair (w, m, point, &pair);
    before = met ? pair.before : 0;
    if (!met || fabsf (before) >= max)
      met = kinfumot_ask_voxels (w, m, point, &free, &before);
    if (met && fabsf (before) < max && fabsf (before) < *distance) {
      *distance = fabsf (before);
      best = m;
    }
  }
  return best;
}

/* The class, and the model in @model. */
BOTH int
kinfumot_classify (const KinfumotWork *w, int at, int *model)
{
  Vec point;
  KinfumotPair pair;
  bool met, free;
  int class_;
  float limit, distance, before;

  *model = 0;
  if (!w->now.depth[at])
    return KINFUMOT_MISSING;
  if (!w->models[0].good)
    return KINFUMOT_NO_CORRESPONDENCE;
  point = kinfumot_point (w, at);
  limit = kinfumot_matched (w, point.z);
  met = w->views[0] && kinfumot_pair (w, 0, point, &pair);
  class_ = kinfumot_class_of (w, met, &pair, limit);
  distance = class_ == KINFUMOT_INLIER ? fabsf (pair.before)
                                       : KINFUMOT_MATCHABLE * limit;
  *model = kinfumot_best_object (w, point, &distance);
  if (*model)
    return kinfumot_class_near (distance, limit);
  if (!kinfumot_in_volume (w, point))
    return KINFUMOT_OUT_OF_VOLUME;
  if (!w->signed_distance || class_ == KINFUMOT_INLIER)
    return class_;
  kinfumot_ask_voxels (w, 0, point, &free, &before);
  if (met && limit > KINFUMOT_SEEN_FREE * w->grid.truncation)
    return class_; /* noise reaches beyond what the voxels know */
  if (!free && !met && w->views[0])
    free = kinfumot_before_all (
        w, vec_transform (&w->models[0].turn, w->models[0].step, point));
  return free ? KINFUMOT_OUTLIER : class_;
}

#define KINFUMOT_GROWTH 8                    /* pixels a frame */
#define KINFUMOT_LINK (KINFUMOT_UNITS / 100) /* 1 cm, as in section 3.5 */

BOTH bool
kinfumot_is_outlier (const uint8_t *c)
{
  return c[0] == KINFUMOT_OUTLIER || c[0] == KINFUMOT_POTENTIAL_OUTLIER;
}

/* The object that an outlier hangs together with in one direction, over
 * outliers whose depths differ by little: its number, 0 for none.  All are read
 * at once, as above. */
BOTH int
kinfumot_touching_along (const KinfumotWork *w, int at, int dx, int dy)
{
  const int x = at % w->width, y = at / w->width;
  uint16_t depths[KINFUMOT_GROWTH + 1];
  uint8_t classes[KINFUMOT_GROWTH + 1][2];

  UNROLLED
  for (int n = 0; n <= KINFUMOT_GROWTH; n++) {
    const int u = x + n * dx, v = y + n * dy, to = v * w->width + u;
    const bool inside = u >= 0 && v >= 0 && u < w->width && v < w->height;

    depths[n] = inside ? w->now.depth[to] : 0;
    classes[n][0] = inside ? w->now.classes[2 * to] : 0;
    classes[n][1] = inside ? w->now.classes[2 * to + 1] : 0;
  }
  UNROLLED
  for (int n = 1; n <= KINFUMOT_GROWTH; n++) {
    const int step = depths[n] - depths[n - 1];

    if (!depths[n] || step >= KINFUMOT_LINK || -step >= KINFUMOT_LINK)
      return 0;
    if (classes[n][1])
      return classes[n][1];
    if (!kinfumot_is_outlier (classes[n]))
      return 0;
  }
  return 0;
}

/* The same in any of four directions. */
BOTH int
kinfumot_touching (const KinfumotWork *w, int at)
{
  int model = 0;

  if (w->now.classes[2 * at + 1] ||
      !kinfumot_is_outlier (w->now.classes + 2 * at))
    return 0;
  for (int side = 1; side >= -1 && !model; side -= 2)
    model = kinfumot_touching_along (w, at, side, 0);
  for (int side = 1; side >= -1 && !model; side -= 2)
    model = kinfumot_touching_along (w, at, 0, side);
  return model;
}

BOTH void
kinfumot_grow (const KinfumotWork *w, int at)
{
  if (!w->grown[at])
    return;
  w->now.classes[2 * at] = KINFUMOT_POTENTIAL_OUTLIER;
  w->now.classes[2 * at + 1] = w->grown[at];
}

/* Whether a pixel of a model's view lies in front of what the frame shows
 * there: its surface is gone. */
BOTH bool
kinfumot_is_through (const KinfumotWork *w, int model, Vec point)
{
  KinfumotPair pair;

  return w->models[model].active && w->views[model] &&
      kinfumot_pair (w, model, point, &pair) &&
      pair.before <= -KINFUMOT_MATCHABLE * kinfumot_matched (w, point.z);
}

/* A point in the model's coordinates, millimetres. */
BOTH void
kinfumot_millimetres (const KinfumotWork *w, int model, Vec point, int mm[3])
{
  Vec p = kinfumot_to_model_now (&w->models[model], point);

  mm[0] = kinfumot_round (p.x * 1000);
  mm[1] = kinfumot_round (p.y * 1000);
  mm[2] = kinfumot_round (p.z * 1000);
}

/* A pixel of an earlier frame becomes @model's where it matches it and no
 * other. */
BOTH void
kinfumot_adopt (const KinfumotWork *w, int model, int at)
{
  uint8_t *c = w->now.classes + 2 * at;
  KinfumotPair pair;
  Vec point;
  float limit;

  if (c[0] != KINFUMOT_POTENTIAL_OUTLIER && c[0] != KINFUMOT_OUTLIER &&
      c[0] != KINFUMOT_NO_CORRESPONDENCE)
    return;
  point = kinfumot_point (w, at);
  limit = kinfumot_matched (w, point.z);
  if (c[1] || !kinfumot_pair (w, model, point, &pair) ||
      fabsf (pair.before) >= KINFUMOT_MATCHABLE * limit)
    return;
  c[0] = (uint8_t) kinfumot_class_near (fabsf (pair.before), limit);
  c[1] = (uint8_t) model;
}

#define KINFUMOT_MARGIN 40 /* pixels that an object may move, in the image */

/* Where what is in @box may be in the next frame. */
BOTH ImageBox
kinfumot_around (const KinfumotWork *w, ImageBox box)
{
  const int margin = KINFUMOT_MARGIN;

  box.x0 = box.x0 > margin ? box.x0 - margin : 0;
  box.y0 = box.y0 > margin ? box.y0 - margin : 0;
  box.x1 = box.x1 < w->width - margin ? box.x1 + margin : w->width;
  box.y1 = box.y1 < w->height - margin ? box.y1 + margin : w->height;
  return box;
}

/* The poses and boxes after this frame; of the background last. */
BOTH void
kinfumot_advance (const KinfumotWork *w, int model)
{
  KinfumotModel *m = &w->models[model];
  const KinfumotCount *c = &w->counts[model];
  const ImageBox whole = {0, 0, w->width, w->height};
  const ImageBox matched = {c->x0, c->y0, c->x1, c->y1};

  kinfumot_go_on (w->models, model);
  m->box = model && c->matched ? kinfumot_around (w, matched) : whole;
}

/* ---- Fusion ---- */

/* Whether the surface that a pixel shows belongs to @model; the pixels of
 * others only tell it what is free.  Outliers are the background's once they
 * have become an object's. */
BOTH bool
kinfumot_owns (const KinfumotWork *w, int model, int at)
{
  if (w->mask)
    return w->mask[at] != 0;
  if (w->now.classes[2 * at] == KINFUMOT_OUTLIER ||
      w->now.classes[2 * at] == KINFUMOT_OUT_OF_VOLUME)
    return false;
  return w->now.classes[2 * at + 1] == model;
}

/* @model: the one that is being born, with a mask. */
BOTH KinfumotSurface
kinfumot_surface (const KinfumotWork *w, int model, int at)
{
  int owner = w->mask ? model : w->now.classes[2 * at + 1];

  return (KinfumotSurface){w->now.depth[at],
      (uint8_t) (kinfumot_owns (w, owner, at) ? owner : KINFUMOT_NOBODY),
      w->rays[at].length};
}

/* A brick in the camera: its first voxel, and the steps to the next along each
 * axis, metres. */
typedef struct {
  Vec first, x, y, z;
} KinfumotLattice;

BOTH KinfumotLattice
kinfumot_lattice (const KinfumotWork *w, uint64_t key)
{
  const KinfumotModel *m = &w->models[kinfumot_key_model (key)];
  const float step = w->grid.voxel;
  int at[3];

  kinfumot_key_place (key, at);
  return (KinfumotLattice){kinfumot_to_camera (m,
                               vec ((float) at[0] * step, (float) at[1] * step,
                                   (float) at[2] * step)),
      vec_unrotate (&m->axes, vec (step, 0, 0)),
      vec_unrotate (&m->axes, vec (0, step, 0)),
      vec_unrotate (&m->axes, vec (0, 0, step))};
}

/* Voxel (@x, @y, @z) of the brick. */
BOTH Vec
kinfumot_voxel_place (const KinfumotLattice *l, float x, float y, float z)
{
  Vec column =
      vec_add (vec_add (l->first, vec_scale (l->x, x)), vec_scale (l->y, y));

  return vec_add (column, vec_scale (l->z, z));
}

/* What the pixel shows that the voxel at @p, camera coordinates, falls on; no
 * depth outside of the frame. */
BOTH KinfumotSurface
kinfumot_shown_at (const KinfumotWork *w, Vec p)
{
  const int at = kinfumot_pixel (w, p);
  const KinfumotSurface none = {0, KINFUMOT_NOBODY, 0};

  if (at < 0)
    return none;
#ifdef __CUDA_ARCH__
  const uint2 words = *(const uint2 *) (w->surfaces + at);

  return KinfumotSurface{
      (uint16_t) words.x, (uint8_t) (words.x >> 16), __uint_as_float (words.y)};
#else
  return w->surfaces[at];
#endif
}

/* What this frame says of a voxel of @model at depth @z that falls on @seen;
 * @still: of the model. */
BOTH KinfumotVoxel
kinfumot_fuse (const KinfumotWork *w, int model, bool still,
    KinfumotSurface seen, float z, KinfumotVoxel v)
{
  float distance;

  if (!seen.depth)
    return v;
  distance = (kinfumot_metres (seen.depth) - z) * seen.length *
      w->grid.truncations_a_metre;
  if (w->erase) {
    if (seen.owner == model && distance > -1 && distance < 1)
      v.distance = 0, v.weight = 0;
    return v;
  }
  if (distance < -1 || (distance < 1 && seen.owner != model))
    return v;
  return kinfumot_voxel_seen (&w->grid, v, distance, w->max_weight, still);
}

/* Whether a brick of a model may be seen: its middle is not behind the camera,
 * and a sphere around it reaches into the frame. */
BOTH bool
kinfumot_brick_in_view (const KinfumotWork *w, uint64_t key)
{
  const KinfumotModel *m = &w->models[kinfumot_key_model (key)];
  float side = KINFUMOT_BRICK * w->grid.voxel, reach, u, v;
  int at[3];
  Vec p;

  kinfumot_key_place (key, at);
  p = vec ((float) at[0] * w->grid.voxel + side / 2,
      (float) at[1] * w->grid.voxel + side / 2,
      (float) at[2] * w->grid.voxel + side / 2);
  p = kinfumot_to_camera (m, p);
  if (p.z < side || p.z > KINFUMOT_FAR + side)
    return p.z > -side && p.z < side;
  if (!kinfumot_project (&w->lens, p, &u, &v))
    return false;
  reach = side * (w->lens.fx > w->lens.fy ? w->lens.fx : w->lens.fy) / p.z;
  return u > -reach && v > -reach && u < (float) w->width + reach &&
      v < (float) w->height + reach;
}

/* ---- Ray casting (2.1) ---- */

BOTH int
kinfumot_slice (float depth)
{
  int slice = (int) (depth * KINFUMOT_SLICES_A_METRE);

  return slice < KINFUMOT_SLICES ? slice : KINFUMOT_SLICES - 1;
}

/* Those that meet the depths from @near to @far. */
BOTH uint64_t
kinfumot_slices (float near, float far)
{
  return ~0ull << kinfumot_slice (near) &
      ~0ull >> (KINFUMOT_SLICES - 1 - kinfumot_slice (far));
}

/* @depth, or where the next of @slices begins if it lies in none; beyond all
 * for none. */
BOTH float
kinfumot_skip (uint64_t slices, float depth)
{
  int slice = kinfumot_slice (depth);
  uint64_t rest = slices >> slice;

  if (rest & 1)
    return depth;
  for (int step = KINFUMOT_SLICES / 2; rest && step; step /= 2)
    if (!(rest << (KINFUMOT_SLICES - step)))
      rest >>= step, slice += step;
  return rest ? (float) slice / KINFUMOT_SLICES_A_METRE : 2 * KINFUMOT_FAR;
}

typedef struct {
  int model;
  Vec from, along; /* the model's coordinates; along: at depth 1 */
  float length;    /* of along, metres */
} KinfumotLine;

BOTH Vec
kinfumot_on (const KinfumotLine *l, float depth)
{
  return vec_add (l->from, vec_scale (l->along, depth));
}

/* The first depth from @depth on, by steps of @step, at which the distance is
 * before a surface, or else behind it; false where it is not known. */
BOTH bool
kinfumot_side (const KinfumotGrid *g, KinfumotLast *last, const KinfumotLine *l,
    bool before, float step, float *depth, float *distance)
{
  ROLLED
  for (int i = 0; i < 4; i++, *depth += step) {
    if (!kinfumot_distance (
            g, last, l->model, kinfumot_on (l, *depth), distance))
      return false;
    if ((*distance > 0) == before)
      return true;
  }
  return false;
}

/* The depth near that of two voxels of different signs, at @near and @far, at
 * which the distance is 0; 0 where that cannot be found. */
BOTH float
kinfumot_crossing (const KinfumotGrid *g, KinfumotLast *last,
    const KinfumotLine *l, float near, float far)
{
  const float voxel = g->voxel / l->length;
  float before, behind, depth, here;

  if (!kinfumot_side (g, last, l, true, -voxel, &near, &before) ||
      !kinfumot_side (g, last, l, false, voxel, &far, &behind))
    return 0;
  depth = near + (far - near) * before / (before - behind);
  if (!kinfumot_distance (g, last, l->model, kinfumot_on (l, depth), &here))
    return 0;
  if (here > 0)
    near = depth, before = here;
  else
    far = depth, behind = here;
  return near + (far - near) * before / (before - behind);
}

/* The depths of the two voxels between which the first surface lies along the
 * line, from @near on, in one of @slices; false for none. */
BOTH bool
kinfumot_march (const KinfumotGrid *g, KinfumotLast *last,
    const KinfumotLine *l, uint64_t slices, float *near, float *far)
{
  const float stride = .8f * g->truncation / l->length;
  const float min = g->voxel / l->length;
  float before = 0, depth = *near;
  bool met = false;

  ROLLED
  for (int i = 0; i < 4096 && depth < 2 * KINFUMOT_FAR; i++) {
    const KinfumotVoxel v =
        kinfumot_nearest (g, last, l->model, kinfumot_on (l, depth));
    const bool known = v.weight & KINFUMOT_WEIGHT_MASK;
    float now = known ? (float) v.distance * (1.f / KINFUMOT_UNIT) : 0,
          step = stride;

    *far = depth;
    met = known && before > 0 && now <= 0;
    if (met || (known && before < 0 && now > 0)) /* or out through the back */
      break;
    if (known && now < .8f)
      step = fabsf (now) * stride;
    if (step < min)
      step = min;
    *near = depth;
    before = now;
    depth += step;
    if (last->slot < 0)
      depth = kinfumot_skip (slices, depth);
  }
  return met;
}

/* The depth of the surface of @model that pixel @at sees, 0 for none. */
BOTH float
kinfumot_cast (
    const KinfumotWork *w, int model, int at, float near, uint64_t slices)
{
  const KinfumotModel *m = &w->models[model];
  const KinfumotRay *ray = &w->rays[at];
  KinfumotLine l = {model, m->place,
      vec_rotate (&m->axes, vec (ray->x, ray->y, 1)), ray->length};
  KinfumotLast last = kinfumot_no_last ();
  float far;

  if (!kinfumot_march (&w->grid, &last, &l, slices, &near, &far))
    return 0;
  return kinfumot_crossing (&w->grid, &last, &l, near, far);
}

/* The difference between the points that two pixels of a view see, half where
 * only one of them and @at do; false where they are no neighbours in space. */
BOTH bool
kinfumot_slope (const KinfumotWork *w, const KinfumotHit *view, int at,
    int before, int behind, Vec *slope)
{
  float depth = view[at].depth, jump = KINFUMOT_JUMP * (depth > 1 ? depth : 1);

  if (!(fabsf (view[before].depth - depth) < jump))
    before = at;
  if (!(fabsf (view[behind].depth - depth) < jump))
    behind = at;
  *slope = vec_sub (kinfumot_along (&w->rays[behind], view[behind].depth),
      kinfumot_along (&w->rays[before], view[before].depth));
  return before != behind;
}

/* The unit normal of what pixel @at of a view sees, from its neighbours. */
BOTH void
kinfumot_view_normal (const KinfumotWork *w, int model, int at)
{
  KinfumotHit *view = w->views[model];
  int x = at % w->width, y = at / w->width;
  Vec dx, dy, n = {0, 0, 0};

  if (view[at].depth > 0 &&
      kinfumot_slope (
          w, view, at, x ? at - 1 : at, x + 1 < w->width ? at + 1 : at, &dx) &&
      kinfumot_slope (w, view, at, y ? at - w->width : at,
          y + 1 < w->height ? at + w->width : at, &dy))
    n = vec_unit (vec_cross (dy, dx));
  view[at].x = n.x;
  view[at].y = n.y;
  view[at].z = n.z;
}

/* The tiles that a brick covers, half-open, and the depths between which it
 * lies; false where it is not in view. */
BOTH bool
kinfumot_brick_range (const KinfumotWork *w, uint64_t key, ImageBox *tiles,
    float *near, float *far)
{
  const KinfumotModel *m = &w->models[kinfumot_key_model (key)];
  float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
  bool all = false;
  int at[3];

  *near = 1e9f, *far = 0;
  kinfumot_key_place (key, at);
  for (int i = 0; i < 8; i++) {
    /* One voxel more on each side: neighbours see into it. */
    Vec p = kinfumot_to_camera (m,
        vec ((float) (at[0] + (i & 1 ? 9 : -1)) * w->grid.voxel,
            (float) (at[1] + (i >> 1 & 1 ? 9 : -1)) * w->grid.voxel,
            (float) (at[2] + (i >> 2 ? 9 : -1)) * w->grid.voxel));
    float u, v;

    *near = p.z < *near ? p.z : *near;
    *far = p.z > *far ? p.z : *far;
    if (!kinfumot_project (&w->lens, p, &u, &v)) {
      all = true;
      continue;
    }
    x0 = u < x0 ? u : x0, x1 = u > x1 ? u : x1;
    y0 = v < y0 ? v : y0, y1 = v > y1 ? v : y1;
  }
  if (*far < KINFUMOT_NEAR)
    return false;
  *near = *near > KINFUMOT_NEAR ? *near : KINFUMOT_NEAR;
  if (all)
    x0 = y0 = -1, x1 = (float) w->width, y1 = (float) w->height;
  if (!(x1 >= -1 && y1 >= -1 && x0 <= (float) w->width &&
          y0 <= (float) w->height))
    return false;
  tiles->x0 = x0 < 1 ? 0 : (int) (x0 - 1) / KINFUMOT_TILE;
  tiles->y0 = y0 < 1 ? 0 : (int) (y0 - 1) / KINFUMOT_TILE;
  tiles->x1 = x1 + 1 >= (float) w->width ? w->tiles_x
                                         : (int) (x1 + 1) / KINFUMOT_TILE + 1;
  tiles->y1 = y1 + 1 >= (float) w->height ? w->tiles_y
                                          : (int) (y1 + 1) / KINFUMOT_TILE + 1;
  return true;
}

/* The bricks that a pixel's surface needs lie along its ray within the
 * truncation: the depths of the steps from the first to the last. */
BOTH int
kinfumot_steps (const KinfumotGrid *g)
{
  return (int) ceilf (2 * g->truncation / (KINFUMOT_BRICK / 2 * g->voxel)) + 1;
}

/* The key of the brick at step @i of pixel @at; 0 for none. */
BOTH uint64_t
kinfumot_wanted (const KinfumotWork *w, int model, int at, int i, int steps)
{
  const KinfumotGrid *g = &w->grid;
  float depth = kinfumot_metres (w->now.depth[at]);
  float reach = g->truncation / w->rays[at].length;
  Vec p;

  depth += reach * ((float) (2 * i) / (float) (steps - 1) - 1);
  p = kinfumot_to_model (
      &w->models[model], kinfumot_along (&w->rays[at], depth));
  return kinfumot_key (model, kinfumot_round (p.x * g->voxels_a_metre),
      kinfumot_round (p.y * g->voxels_a_metre),
      kinfumot_round (p.z * g->voxels_a_metre));
}

/* ---- Pictures ---- */

/* The model whose surface pixel @at shows, the nearest; -1 for none. */
BOTH int
kinfumot_shown (const KinfumotWork *w, int at)
{
  int best = -1;
  float depth = 0;

  for (int m = 0; m < w->n_models; m++) {
    float there =
        w->models[m].active && w->views[m] ? w->views[m][at].depth : 0;

    if (there > 0 && (best < 0 || there < depth)) {
      best = m;
      depth = there;
    }
  }
  return best;
}

BOTH void
kinfumot_normal_shown (const KinfumotWork *w, int at, float n[3])
{
  int model = kinfumot_shown (w, at);

  n[0] = model < 0 ? NAN : w->views[model][at].x;
  n[1] = model < 0 ? NAN : w->views[model][at].y;
  n[2] = model < 0 ? NAN : w->views[model][at].z;
}

/* The background is grey, each object of another hue: 0xRRGGBB. */
BOTH uint32_t
kinfumot_hue (int model)
{
  const uint32_t hues[KINFUMOT_MODELS] = {0xc8c8c8, 0x4cb04c, 0xe07840,
      0x4c88e0, 0xd8c040, 0xb060d0, 0x40c0c0, 0xe05878, 0x90c848};

  return hues[model];
}

/* Lit from the camera. */
BOTH void
kinfumot_shade (const KinfumotWork *w, int at, uint8_t rgb[3])
{
  int model = kinfumot_shown (w, at);
  const KinfumotRay *ray = &w->rays[at];
  KinfumotHit hit;
  float light;

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (model < 0)
    return;
  hit = w->views[model][at];
  light = -(hit.x * ray->x + hit.y * ray->y + hit.z) / ray->length;
  light = light > 0 ? .15f + .85f * light : .15f;
  for (int i = 0; i < 3; i++)
    rgb[i] = (uint8_t) ((float) (kinfumot_hue (model) >> (16 - 8 * i) & 255) *
        light);
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
