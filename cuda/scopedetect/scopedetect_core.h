/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the stages of scopedetect work on, and their order. */
#pragma once

#include "common/math_core.h"
#include "scopedetect/scopedetect.h"
#include "scopedetect/model/shape.h"

#define SCOPEDETECT_FEW 48 /* points of the first check of round 1 */
#define SCOPEDETECT_MAX_KEPT 20000
#define SCOPEDETECT_MAX_NEIGHBOURS 32
#define SCOPEDETECT_PLANES 512 /* drawn; objects may stand on one */
#define SCOPEDETECT_BATCH 8    /* models that go through the rounds together */

#ifdef __cplusplus
# define SCOPEDETECT_ALIGNED alignas (16)
#else
# define SCOPEDETECT_ALIGNED _Alignas(16)
#endif

/* A pixel as a model's point meets it: one fetch, where it is read whole. */
typedef struct {
  SCOPEDETECT_ALIGNED float z; /* metres, 0: missing */
  float nx, ny, nz;            /* unit normal, towards the camera; 0: unknown */
  float l, a, b;               /* colour */
  float edge;                  /* log probability of an edge, <= 0 */
} ScopedetectPixel;

#define SCOPEDETECT_CHANNELS 5 /* range, normal, L, a, b */
#define SCOPEDETECT_SLOPES 64

/* The noise model by slope and edge: multiples of a channel's deviation. */
typedef struct {
  float slope[SCOPEDETECT_CHANNELS][SCOPEDETECT_SLOPES];
  float edge[SCOPEDETECT_CHANNELS][256]; /* by ved */
} ScopedetectNoise;

/* The frame as stages see it. */
typedef struct {
  int width, height;
  float fx, fy, cx, cy;
  float per_fx, per_fy;    /* 1 / fx, 1 / fy */
  float *z;                /* depth alone, rows of width */
  ScopedetectPixel *pixel; /* likewise */
  float *edge[2]; /* likewise: edges before and while they are blurred */
  bool has_colour;
} ScopedetectScene;

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

/* A pose that an object may have.  Scores are integers, so that they and their
 * order are the same on every backend; ids tell those of equal score apart. */
typedef struct {
  Pose pose;
  int32_t score;
  uint32_t id;
  float part[SCOPEDETECT_N_PARTS];
} ScopedetectHypothesis;

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

/* What only the device knows while the stages run. */
typedef struct {
  bool has_plane;
  float plane[4];
  int n_points, n_left_out;
  int n_hypotheses[SCOPEDETECT_BATCH];
} ScopedetectCounts;

typedef struct {
  ScopedetectParams params;
  ScopedetectFrame frame;
  ScopedetectScene scene;
  ScopedetectCloud
      cloud; /* of the scene; room SCOPEDETECT_MAX_POINTS or less */
  float feature_radius, spacing;
  int n_queries;
  int n_sources;  /* points that they are chosen from: of the cloud, */
  uint16_t *left; /* these, ascending; NULL: all */
  uint32_t query_step, query_first; /* random: coprime to the number of sources,
                                       and where it starts */
  ScopedetectCounts *counts;
  ScopedetectNoise *noise;
  Vec *view; /* directions of the models' stored views */

  bool has_segments; /* this frame's params need them */
  ScopedetectLattice lattice;
  int32_t *label; /* of each pixel: its segment, or SCOPEDETECT_NO_SEGMENT */
  ScopedetectSegment *segment; /* one a seed */

  /* Of the batch, each model's part after the other's. */
  int n_models, room_models;
  ScopedetectShape model[SCOPEDETECT_BATCH]; /* in device memory */
  uint16_t *neighbour; /* [model][query][K]: points of the model; UINT16_MAX
                          where the query is left out */
  int16_t *check;      /* [model][query][K][2]: scores with few points */
  ScopedetectHypothesis *hypothesis; /* [model][SCOPEDETECT_MAX_KEPT] */
  int room_queries;
  ScopedetectMeasure *measure; /* pinned: [model][SCOPEDETECT_FOUND] */

  void *state; /* the backend's own */
} ScopedetectWork;

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

/* Number of the cloud's point that query @q is.  At random, those of a
 * permutation i -> a i + b. */
BOTH int
scopedetect_query (const ScopedetectWork *w, int q)
{
  int64_t i = w->params.random
      ? ((int64_t) q * w->query_step + w->query_first) % w->n_sources
      : (int64_t) q * w->n_sources / w->n_queries;

  return w->left ? w->left[i] : (int) i;
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

/* The steps that each backend writes for itself.  All of them work on the
 * frame, or on the batch. */
typedef struct {
  /* The backend's own memory.  @dev NULL: its bytes are counted, none are got,
   * and only bytes () and close () may follow. */
  const char *(*open) (const Device *dev, ScopedetectWork *w);
  size_t (*bytes) (const ScopedetectWork *w);
  void (*close) (ScopedetectWork *w);
  /* Depth and colour to scene.pixel, with normals and edges. */
  const char *(*observe) (const Device *dev, ScopedetectWork *w);
  /* The plane; what stands on it to cloud, with features.  The host knows
   * cloud.n when it returns. */
  const char *(*points) (const Device *dev, ScopedetectWork *w);
  /* The plane and the cloud known: over-segmentation. */
  const char *(*segments) (const Device *dev, ScopedetectWork *w);
  /* Nearest features of every query. */
  const char *(*match) (const Device *dev, ScopedetectWork *w);
  /* Round 1: to hypotheses in order, by few points, then by more. */
  const char *(*choose) (const Device *dev, ScopedetectWork *w);
  const char *(*verify) (const Device *dev, ScopedetectWork *w);
  /* Keeps the best of those alike, at most @n. */
  const char *(*cluster) (const Device *dev, ScopedetectWork *w, int n);
  /* Steps of Gauss and Newton, the gate narrowing from @gate to @min_gate. */
  const char *(*refine) (const Device *dev, ScopedetectWork *w, int steps,
      float gate, float min_gate);
  /* Round 2: alignment number @k by segments, kept where it scores better. */
  const char *(*align) (const Device *dev, ScopedetectWork *w, int k);
  /* Round 3: steps uphill. */
  const char *(*climb) (const Device *dev, ScopedetectWork *w, int steps);
  /* Scores with @n points of each model, 0: all; puts them in order. */
  const char *(*score) (const Device *dev, ScopedetectWork *w, int n);
  /* The last hypotheses to w->measure. */
  const char *(*measure) (const Device *dev, ScopedetectWork *w);
  /* Calls @queue with @data, which queues stages and copies; or queues what it
   * did when the work was the same.  They may look at all of the work but its
   * frame, the number of points and the queries. */
  const char *(*repeat) (const Device *dev, ScopedetectWork *w,
      const char *(*queue) (void *data), void *data);
} ScopedetectStages;

C_BEGIN
void scopedetect_set_noise (ScopedetectNoise *noise);

extern const ScopedetectStages scopedetect_stages_cpu;
extern const ScopedetectStages scopedetect_stages_cuda;
C_END
