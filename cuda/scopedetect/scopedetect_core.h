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

/* A pixel with all values that a point of a model is compared with, side by
 * side, so that they are loaded together. */
typedef struct {
  SCOPEDETECT_ALIGNED float z; /* metres, 0: missing */
  float nx, ny, nz;            /* unit normal, towards the camera; 0: unknown */
  float l, a, b;               /* colour */
  float edge;                  /* log probability of an edge, <= 0 */
} ScopedetectPixel;

/* The pixels of an observed frame, in rows of `width` pixels. */
typedef struct {
  int width, height;
  float fx, fy, cx, cy;
  float per_fx, per_fy; /* 1 / fx, 1 / fy */
  bool has_colour;
  float *z; /* depth alone, metres; 0: missing */
  ScopedetectPixel *pixel;
} ScopedetectScene;

/* The plane that objects stand on: n x + d = 0, d >= 0. */
typedef struct {
  bool is_found;
  float plane[4]; /* unit normal and distance */
} ScopedetectPlane;

/* The parts of a scene in which objects are searched for: regions of the frame,
 * and heights over the plane. */
typedef struct {
  int n_regions; /* 0: the whole frame */
  ImageBox region[SCOPEDETECT_MAX_REGIONS];
  float low, high; /* heights over the plane, if it is found, metres */
  const ScopedetectPlane *plane;
} ScopedetectBounds;

/* The number of points of the cloud, and of pixels that it had no room for. */
typedef struct {
  int n, n_left_out;
} ScopedetectPointCounts;

/* Results that the host does not know while stages are queued. */
typedef struct {
  ScopedetectPlane plane;
  ScopedetectPointCounts points;
  int n_hypotheses[SCOPEDETECT_BATCH];
} ScopedetectCounts;

#define SCOPEDETECT_SEGMENT_WORDS 160 /* a bit for each segment */
#define SCOPEDETECT_MAX_SEGMENTS (32 * SCOPEDETECT_SEGMENT_WORDS)
#define SCOPEDETECT_KEYS 16   /* key points of a segment */
#define SCOPEDETECT_AFFINE 12 /* neighbours of a segment with an affinity */

/* A piece of a surface with one normal and colour. */
typedef struct {
  int count;     /* pixels; 0: there is no such segment */
  Vec x, n, lab; /* means */
  float radius;  /* of the ball about x that holds all pixels */
  int point;     /* of the cloud, nearest to x; -1: none */
  int n_keys;
  Vec key[SCOPEDETECT_KEYS], key_normal[SCOPEDETECT_KEYS];
  bool has_edge;
  Vec edge; /* its pixel with the highest log probability of an edge */
  int n_near;
  int near[SCOPEDETECT_AFFINE]; /* segments with an affinity above a half */
  float affinity[SCOPEDETECT_AFFINE];
} ScopedetectSegment;

/* Seeds of segments: one in each cell of step x step pixels. */
typedef struct {
  int step, width, height;
} ScopedetectLattice;

/* The segments, each with the number of its seed. */
typedef struct {
  ScopedetectLattice lattice;
  int n; /* seeds; 0: the params need no segments */
  ScopedetectSegment *segment;
} ScopedetectSegments;

/* The points of the cloud whose features are matched: @n of @n_sources, evenly
 * chosen or at random. */
typedef struct {
  int n, n_sources;
  const uint16_t *source; /* numbers of points, ascending; NULL: all points */
  bool random; /* in the order of the permutation i -> step i + first */
  uint32_t step, first; /* step is coprime to n_sources */
} ScopedetectQueries;

/* The models of a batch, whose rounds run together. */
typedef struct {
  int n;
  ScopedetectShape shape[SCOPEDETECT_BATCH]; /* with arrays in device memory */
} ScopedetectModels;

/* For each query, the points of each model with the nearest features. */
typedef struct {
  int k;           /* points for a query */
  int room;        /* room for queries */
  uint16_t *point; /* [model][room][k]; UINT16_MAX: none */
} ScopedetectMatches;

/* A pose of a model that may be an object's. Scores are integers, so that both
 * backends find the same order; ids order hypotheses of equal score. */
typedef struct {
  Pose pose;
  int32_t score;
  uint32_t id;
  float part[SCOPEDETECT_N_PARTS];
} ScopedetectHypothesis;

/* The hypotheses of a batch. */
typedef struct {
  ScopedetectHypothesis *of; /* [model][SCOPEDETECT_MAX_KEPT] */
  int *n;                    /* [model] */
  int bound;                 /* no model has more hypotheses */
  /* On the GPU, sorting and clustering write to the array `spare`, which then
   * changes places with the array `of`. Keys are [model][SCOPEDETECT_MAX_KEPT].
   */
  ScopedetectHypothesis *spare;
  uint64_t *key;
} ScopedetectHypotheses;

#define SCOPEDETECT_FOUND 64 /* hypotheses of a model that the host gets */

/* The normal equations of a Gauss-Newton step: J^T J, its upper triangle by
 * rows, J^T e and e^2; the points that count and that face the camera. The step
 * rotates about the model's centre, in radii, and translates, in gates. */
typedef struct {
  long long a[21], b[6], e, n, front;
} ScopedetectSums;

/* Measurements of a hypothesis that may become an object: sums for its
 * covariance, and boxes in the frame. */
typedef struct {
  ScopedetectSums sums;
  ImageBox box, seen; /* of all points; of the visible points */
} ScopedetectMeasure;

#define SCOPEDETECT_CHANNELS 5 /* range, normal, L, a, b */
#define SCOPEDETECT_SLOPES 64

/* The noise model: factors of deviations by slope and distance to a range edge.
 */
typedef struct {
  float slope[SCOPEDETECT_CHANNELS][SCOPEDETECT_SLOPES];
  float edge[SCOPEDETECT_CHANNELS][256]; /* by steps of ved */
} ScopedetectNoise;

/* All inputs of a score (1.2.1). */
typedef struct {
  ScopedetectParams params; /* deviations and weights */
  ScopedetectScene scene;
  const ScopedetectPlane *plane;
  ScopedetectSegments segments;
  const ScopedetectNoise *noise;
  const Vec *view; /* directions of the stored views */
} ScopedetectScoring;

/* The pixel (@u, @v) that shows point @p; false if @p is behind the camera or
 * outside the frame. */
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

#define SCOPEDETECT_DROPPED INT32_MIN /* score of a rejected hypothesis */

/* The number of query @q's point in the cloud. */
BOTH int
scopedetect_query (const ScopedetectQueries *of, int q)
{
  int64_t i = of->random ? ((int64_t) q * of->step + of->first) % of->n_sources
                         : (int64_t) q * of->n_sources / of->n;

  return of->source ? of->source[i] : (int) i;
}

/* The height of @p over a plane. */
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

/* The number of the model's point nearest to @p; -1: none is near. */
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

/* Whether the hypothesis with @score and @id comes before the other hypothesis:
 * by higher score, then by smaller id. */
BOTH bool
scopedetect_before (
    int32_t score, uint32_t id, int32_t other, uint32_t other_id)
{
  return score != other ? score > other : id < other_id;
}

/* ---- Voxels: cells of the scene with the side of the models' spacing.  The
 * mean of a cell's pixels is a point of the cloud ---- */

typedef struct {
  int x, y, z;
} ScopedetectCell;

/* Sums over a cell's pixels: position in micrometres, normal in 1/32768, colour
 * in 1/256. They are integers, so that their order does not matter. */
typedef struct {
  long long sum[9];
  int n;
} ScopedetectVoxel;

BOTH ScopedetectCell
scopedetect_cell_of (float spacing, Vec at)
{
  ScopedetectCell c = {scopedetect_cell (at.x, spacing),
      scopedetect_cell (at.y, spacing), scopedetect_cell (at.z, spacing)};

  return c;
}

BOTH bool
scopedetect_same_cell (ScopedetectCell a, ScopedetectCell b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The numbers that pixel @p, at point @at, adds to the sums of its voxel. */
BOTH void
scopedetect_voxel_share (const ScopedetectPixel *p, Vec at, long long share[9])
{
  share[0] = (long long) (at.x * 1e6f);
  share[1] = (long long) (at.y * 1e6f);
  share[2] = (long long) (at.z * 1e6f);
  share[3] = (long long) (p->nx * 32768);
  share[4] = (long long) (p->ny * 32768);
  share[5] = (long long) (p->nz * 32768);
  share[6] = (long long) (p->l * 256);
  share[7] = (long long) (p->a * 256);
  share[8] = (long long) (p->b * 256);
}

/* Sets point @i of the cloud to the means of a voxel. */
BOTH void
scopedetect_set_point (ScopedetectCloud *c, int i, const ScopedetectVoxel *v)
{
  const long long *s = v->sum;
  float n = (float) v->n;

  c->x[i] = vec ((float) s[0] / n * 1e-6f, (float) s[1] / n * 1e-6f,
      (float) s[2] / n * 1e-6f);
  c->normal[i] = vec_unit (vec ((float) s[3], (float) s[4], (float) s[5]));
  if (c->lab)
    c->lab[i] = vec (
        (float) s[6] / n / 256, (float) s[7] / n / 256, (float) s[8] / n / 256);
}
