/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusion (2.1): the bricks that a frame wants, and their voxels. */
#pragma once

#include "kinfumot/kinfumot_core.h"

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
