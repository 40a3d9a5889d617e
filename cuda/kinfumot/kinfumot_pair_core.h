/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The point of a model that corresponds to a point of the frame (2.1). */
#pragma once

#include "kinfumot/kinfumot_stages.h"

/* A point of this frame, and the point of a model's view that the same pixel
 * shows. */
typedef struct {
  int at;       /* the pixel of the view */
  Vec p;        /* the point, moved into the view's camera */
  Vec q, n;     /* point and normal of the model */
  float apart;  /* squared distance between the two, m^2 */
  float before; /* how far p lies before the model's surface, metres: from its
                   plane, or from q if that is farther than the gate */
} KinfumotPair;

/* A GPU reads all fields at once, not each one where it is used. */
BOTH KinfumotHit
kinfumot_read_hit (const KinfumotHit *view, int at)
{
#ifdef __CUDA_ARCH__
  const float4 hit = *(const float4 *) (view + at);

  return KinfumotHit{hit.x, hit.y, hit.z, hit.w};
#else
  return view[at];
#endif
}

/* Sets @pair to that of @point, which has the motion of @m, in @view; false if
 * the view has no surface there. */
BOTH bool
kinfumot_pair_in_view (const KinfumotOptics *optics, const KinfumotModel *m,
    const KinfumotHit *view, Vec point, KinfumotPair *pair)
{
  KinfumotHit hit;
  Vec apart;

  pair->p = vec_transform (&m->turn, m->step, point);
  pair->at = kinfumot_pixel (optics, pair->p);
  if (pair->at < 0)
    return false;
  hit = kinfumot_read_hit (view, pair->at);
  if (!(hit.depth > 0) || (hit.x == 0 && hit.y == 0 && hit.z == 0))
    return false;
  pair->q = kinfumot_ray_point (&optics->rays[pair->at], hit.depth);
  pair->n = vec (hit.x, hit.y, hit.z);
  apart = vec_sub (pair->p, pair->q);
  pair->apart = vec_dot (apart, apart);
  pair->before = vec_dot (pair->n, apart);
  if (pair->apart > KINFUMOT_GATE * KINFUMOT_GATE)
    pair->before = copysignf (sqrtf (pair->apart), pair->before);
  return true;
}

BOTH bool
kinfumot_pair_point (
    const KinfumotMatching *match, int model, Vec point, KinfumotPair *pair)
{
  return kinfumot_pair_in_view (&match->points.optics, &match->models[model],
      match->views.of[model], point, pair);
}

/* Whether @model may be paired: it is awake and has a view. */
BOTH bool
kinfumot_has_view (const KinfumotMatching *match, int model)
{
  return match->models[model].active && match->views.of[model];
}

/* How far from its surface a point at @depth may be measured: 2 cm, and more if
 * it is far away, as a sensor's steps of depth grow with its square. */
BOTH float
kinfumot_match_limit (const KinfumotMatching *match, float depth)
{
  float noise = match->noise * depth * depth;

  return noise > KINFUMOT_MATCHED ? noise : KINFUMOT_MATCHED;
}

/* Whether @pair takes part in the alignment (2.1): the points are near each
 * other, and the normals alike. */
BOTH bool
kinfumot_pair_fits (const KinfumotMatching *match, const KinfumotModel *m,
    Vec normal, const KinfumotPair *pair)
{
  Vec turned = vec_rotate (&m->turn, normal);

  return pair->apart <= KINFUMOT_GATE * KINFUMOT_GATE &&
      vec_dot (turned, pair->n) >= match->min_cosine;
}

/* Whether another model, with the pose that it had before the alignment,
 * explains the point better than @model, from which it lies @distance away. */
BOTH bool
kinfumot_other_is_nearer (
    const KinfumotMatching *match, int model, Vec point, float distance)
{
  for (int m = 0; m < match->n_models; m++) {
    KinfumotPair pair;

    if (m == model || !kinfumot_has_view (match, m))
      continue;
    if (kinfumot_pair_point (match, m, point, &pair) &&
        fabsf (pair.before) < KINFUMOT_MATCHED &&
        fabsf (pair.before) < distance)
      return true;
  }
  return false;
}

/* Whether pixel @at, which makes @pair, belongs to another model than @model.
 * The background is aligned first, so the previous frame decides for it; for
 * objects the former poses of all models decide. */
BOTH bool
kinfumot_is_claimed (const KinfumotMatching *match,
    const KinfumotClaims *claims, int model, int at, Vec point,
    const KinfumotPair *pair)
{
  const uint8_t *previous = claims->previous;

  if (claims->mask)
    return !claims->mask[at];
  if (claims->replayed)
    return claims->replayed[2 * at] == KINFUMOT_INLIER &&
        claims->replayed[2 * at + 1] != model;
  if (model)
    return kinfumot_other_is_nearer (match, model, point, fabsf (pair->before));
  return previous &&
      (previous[2 * pair->at] == KINFUMOT_OUTLIER ||
          previous[2 * pair->at + 1] || claims->doubted[pair->at >> 3]);
}

/* Whether the space of a voxel was seen free, in at least @n frames. */
BOTH bool
kinfumot_is_free (KinfumotVoxel v, int n)
{
  return (v.weight & KINFUMOT_WEIGHT_MASK) >= n &&
      (float) v.distance > KINFUMOT_SEEN_FREE * KINFUMOT_UNIT;
}
