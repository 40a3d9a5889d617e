/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The data that the stages of scopedetect exchange. */
#pragma once

#include "common/math_core.h"
#include "scopedetect/scopedetect.h"
#include "scopedetect/model/shape.h"

#define SCOPEDETECT_FEW 48 /* points of the first check of round 1 */
#define SCOPEDETECT_MAX_KEPT 20000
#define SCOPEDETECT_MAX_NEIGHBOURS 32
#define SCOPEDETECT_PLANES 512 /* drawn; objects may stand on one */
#define SCOPEDETECT_BATCH 8    /* models that go through the rounds together */

/* A pixel as a model's point meets it: one fetch, where it is read whole. */
typedef struct {
  SCOPEDETECT_ALIGNED float z; /* metres, 0: missing */
  float nx, ny, nz;            /* unit normal, towards the camera; 0: unknown */
  float l, a, b;               /* colour */
  float edge;                  /* log probability of an edge, <= 0 */
} ScopedetectPixel;

/* A frame, observed. */
typedef struct {
  int width, height;
  float fx, fy, cx, cy;
  float per_fx, per_fy; /* 1 / fx, 1 / fy */
  bool has_colour;
  float *z;                /* depth alone, rows of width */
  ScopedetectPixel *pixel; /* likewise */
} ScopedetectScene;

/* The plane that objects stand on: n x + d = 0, d >= 0. */
typedef struct {
  bool is_found;
  float plane[4]; /* unit normal and distance */
} ScopedetectPlane;

/* Where in a scene objects may be. */
typedef struct {
  int n_regions; /* 0: in all of the frame */
  ImageBox region[SCOPEDETECT_MAX_REGIONS];
  float low, high; /* heights over the plane, if one is found, metres */
  const ScopedetectPlane *plane;
} ScopedetectBounds;

/* How many points the cloud has; pixels that are left out for want of room. */
typedef struct {
  int n, n_left_out;
} ScopedetectPointCounts;

/* What only the device knows while the stages run. */
typedef struct {
  ScopedetectPlane plane;
  ScopedetectPointCounts points;
  int n_hypotheses[SCOPEDETECT_BATCH];
} ScopedetectCounts;

#define SCOPEDETECT_SEGMENT_WORDS 160 /* a bit for each segment that may be */
#define SCOPEDETECT_MAX_SEGMENTS (32 * SCOPEDETECT_SEGMENT_WORDS)
#define SCOPEDETECT_KEYS 16   /* key points of a segment */
#define SCOPEDETECT_AFFINE 12 /* segments that may be of the same object */

/* A piece of a surface with one normal and colour. */
typedef struct {
  int count;     /* pixels; 0: it does not exist */
  Vec x, n, lab; /* means */
  float radius;  /* of the ball about x that holds it */
  int point;     /* of the cloud, at x; -1: none */
  int n_keys;
  Vec key[SCOPEDETECT_KEYS], key_normal[SCOPEDETECT_KEYS];
  bool has_edge;
  Vec edge; /* the pixel that is most likely on an edge */
  int n_near;
  int near[SCOPEDETECT_AFFINE]; /* with an affinity above a half */
  float affinity[SCOPEDETECT_AFFINE];
} ScopedetectSegment;

/* Of the segments' seeds: one in each cell of step x step pixels. */
typedef struct {
  int step, width, height;
} ScopedetectLattice;

/* One segment a seed. */
typedef struct {
  ScopedetectLattice lattice;
  int n; /* 0: the params need no segments */
  ScopedetectSegment *segment;
} ScopedetectSegments;

/* Points of the cloud that are looked up among the models' features: @n of
 * @n_sources. */
typedef struct {
  int n, n_sources;
  const uint16_t *source; /* their numbers, ascending; NULL: all points */
  bool random;            /* a permutation i -> step i + first of the sources */
  uint32_t step, first;   /* step: coprime to the number of sources */
} ScopedetectQueries;

/* Models that go through the rounds together. */
typedef struct {
  int n;
  ScopedetectShape shape[SCOPEDETECT_BATCH]; /* in device memory */
} ScopedetectModels;

/* The points of each model whose features are nearest to each query's. */
typedef struct {
  int k;           /* of each query */
  int room;        /* queries of a model */
  uint16_t *point; /* [model][room][k]; UINT16_MAX: there are fewer */
} ScopedetectMatches;

/* A pose that an object may have.  Scores are integers, so that they and their
 * order are the same on every backend; ids tell those of equal score apart. */
typedef struct {
  Pose pose;
  int32_t score;
  uint32_t id;
  float part[SCOPEDETECT_N_PARTS];
} ScopedetectHypothesis;

/* Hypotheses of the models of a batch. */
typedef struct {
  ScopedetectHypothesis *of; /* [model][SCOPEDETECT_MAX_KEPT] */
  int *n;                    /* of each model */
  int bound;                 /* n of any model is at most this */
  /* The GPU puts hypotheses in order by copies from the one place to the other,
   * which then change names. */
  ScopedetectHypothesis *spare;
  uint64_t *key; /* [model][SCOPEDETECT_MAX_KEPT]: room for sorting */
} ScopedetectHypotheses;

#define SCOPEDETECT_FOUND 64 /* hypotheses of a model that come back */

/* J^T J, upper triangle by rows, J^T e, e^2 and how many points, of a step that
 * turns about the model's centre, in radii, and moves it, both in gates. */
typedef struct {
  long long a[21], b[6], e, n, front;
} ScopedetectSums;

/* What the final pass measures of a hypothesis. */
typedef struct {
  ScopedetectSums sums;
  ImageBox box, seen; /* of all points, and of those that are not hidden */
} ScopedetectMeasure;

#define SCOPEDETECT_CHANNELS 5 /* range, normal, L, a, b */
#define SCOPEDETECT_SLOPES 64

/* The noise model by slope and edge: multiples of a channel's deviation. */
typedef struct {
  float slope[SCOPEDETECT_CHANNELS][SCOPEDETECT_SLOPES];
  float edge[SCOPEDETECT_CHANNELS][256]; /* by ved */
} ScopedetectNoise;

/* What poses are scored by (1.2.1). */
typedef struct {
  ScopedetectParams params; /* deviations and weights */
  ScopedetectScene scene;
  const ScopedetectPlane *plane;
  ScopedetectSegments segments;
  const ScopedetectNoise *noise;
  const Vec *view; /* directions of the models' stored views */
} ScopedetectScoring;

/* Pixel of a point before the camera; false if there is none. */
BOTH bool
scopedetect_project (const ScopedetectScene *s, Vec p, int *u, int *v)
{
  float x, y;

  if (!(p.z > .01f))
    return false;
  x = s->fx * p.x / p.z + s->cx + .5f;
  y = s->fy * p.y / p.z + s->cy + .5f;
  if (!(x >= 0 && y >= 0 && x < (float) s->width && y < (float) s->height))
    return false;
  *u = (int) x;
  *v = (int) y;
  return true;
}

#define SCOPEDETECT_DROPPED INT32_MIN /* score of what is not kept */

/* Number of the cloud's point that query @q is. */
BOTH int
scopedetect_query (const ScopedetectQueries *of, int q)
{
  int64_t i = of->random ? ((int64_t) q * of->step + of->first) % of->n_sources
                         : (int64_t) q * of->n_sources / of->n;

  return of->source ? of->source[i] : (int) i;
}

/* Height over a plane, unit normal and distance. */
BOTH float
scopedetect_height (const float plane[4], Vec p)
{
  return plane[0] * p.x + plane[1] * p.y + plane[2] * p.z + plane[3];
}

BOTH Vec
scopedetect_unproject (const ScopedetectScene *s, int u, int v, float z)
{
  return vec (((float) u - s->cx) * z * s->per_fx,
      ((float) v - s->cy) * z * s->per_fy, z);
}

/* Number of the nearest point of the model, or -1 where none is near. */
BOTH int
scopedetect_nearest (const ScopedetectShape *s, Vec p)
{
  int u = (int) floorf ((p.x - s->origin.x) / s->spacing);
  int v = (int) floorf ((p.y - s->origin.y) / s->spacing);
  int w = (int) floorf ((p.z - s->origin.z) / s->spacing);
  uint16_t i;

  if (u < 0 || v < 0 || w < 0 || u >= s->cells[0] || v >= s->cells[1] ||
      w >= s->cells[2])
    return -1;
  i = s->nearest[((size_t) w * s->cells[1] + v) * s->cells[0] + u];
  return i == UINT16_MAX ? -1 : (int) i;
}

/* Whether the first of two hypotheses comes first: the better one, of equal
 * ones that with the smaller id. */
BOTH bool
scopedetect_before (
    int32_t score, uint32_t id, int32_t other, uint32_t other_id)
{
  return score != other ? score > other : id < other_id;
}
