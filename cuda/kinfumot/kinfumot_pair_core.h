/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The point of a model that corresponds to a point of the frame (2.1). */
#pragma once

#include "kinfumot/kinfumot_core.h"

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
