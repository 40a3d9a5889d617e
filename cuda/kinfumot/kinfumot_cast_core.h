/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ray casting (2.1): from the bricks in view to the surface, and its picture.
 */
#pragma once

#include "kinfumot/kinfumot_core.h"

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
