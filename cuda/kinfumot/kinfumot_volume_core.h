/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusion and rays (2.1): the bricks that a frame wants, its voxels, the surface
 * that a ray meets, and its picture. */
#pragma once

#include "kinfumot/kinfumot_stages.h"

/* ---- Bricks ---- */

/* The bricks that a pixel's surface needs lie along its ray within the
 * truncation: the number of steps from the first to the last. */
BOTH int
kinfumot_brick_steps (const KinfumotGrid *g)
{
  return (int) ceilf (2 * g->truncation / (KINFUMOT_BRICK / 2 * g->voxel)) + 1;
}

/* The key of the brick that pixel @at wants for @model at step @i; 0 for none.
 */
BOTH uint64_t
kinfumot_wanted_key (const KinfumotFusion *fusion, const KinfumotGrid *g,
    int model, int at, int i, int steps)
{
  const KinfumotRay *ray = &fusion->poses.optics.rays[at];
  float depth = kinfumot_metres (fusion->depth[at]);
  float reach = g->truncation / ray->length;
  Vec p;

  depth += reach * ((float) (2 * i) / (float) (steps - 1) - 1);
  p = kinfumot_to_model (
      &fusion->poses.models[model], kinfumot_ray_point (ray, depth));
  return kinfumot_voxel_key (model,
      kinfumot_round_float (p.x * g->voxels_a_metre),
      kinfumot_round_float (p.y * g->voxels_a_metre),
      kinfumot_round_float (p.z * g->voxels_a_metre));
}

/* Whether the brick of @key, 0 for none, belongs to one of the models. */
BOTH bool
kinfumot_brick_is_of (const KinfumotPoses *poses, uint64_t key)
{
  const int model = kinfumot_key_model (key);

  return key && model >= poses->first && model < poses->last &&
      poses->models[model].active;
}

/* Whether a brick of a model may be seen: its middle is not behind the camera,
 * and a sphere around it reaches into the frame. */
BOTH bool
kinfumot_brick_in_view (const KinfumotPoses *poses, float voxel, uint64_t key)
{
  const KinfumotModel *m = &poses->models[kinfumot_key_model (key)];
  const KinfumotLens *lens = &poses->optics.lens;
  float side = KINFUMOT_BRICK * voxel, reach, u, v;
  int at[3];
  Vec p;

  kinfumot_key_place (key, at);
  p = vec ((float) at[0] * voxel + side / 2, (float) at[1] * voxel + side / 2,
      (float) at[2] * voxel + side / 2);
  p = kinfumot_to_camera (m, p);
  if (p.z < side || p.z > KINFUMOT_FAR + side)
    return p.z > -side && p.z < side;
  if (!kinfumot_project (lens, p, &u, &v))
    return false;
  reach = side * (lens->fx > lens->fy ? lens->fx : lens->fy) / p.z;
  return u > -reach && v > -reach && u < (float) poses->optics.width + reach &&
      v < (float) poses->optics.height + reach;
}

/* ---- Fusion ---- */

/* Whether the surface that a pixel shows belongs to @model; the pixels of other
 * models only say which space is free.  Outliers are fused once they have
 * become an object's. */
BOTH bool
kinfumot_owns_pixel (const KinfumotFusion *fusion, int model, int at)
{
  const uint8_t *c = fusion->classes + 2 * at;

  if (fusion->mask)
    return fusion->mask[at] != 0;
  if (c[0] == KINFUMOT_OUTLIER || c[0] == KINFUMOT_OUT_OF_VOLUME)
    return false;
  return c[1] == model;
}

BOTH KinfumotSurface
kinfumot_pixel_surface (const KinfumotFusion *fusion, int at)
{
  int owner = fusion->mask ? fusion->poses.first : fusion->classes[2 * at + 1];

  return (KinfumotSurface){fusion->depth[at],
      (uint8_t) (kinfumot_owns_pixel (fusion, owner, at) ? owner
                                                         : KINFUMOT_NOBODY),
      fusion->poses.optics.rays[at].length};
}

/* A brick in the camera: its first voxel, and the steps to the next along each
 * axis, metres. */
typedef struct {
  Vec first, x, y, z;
} KinfumotLattice;

BOTH KinfumotLattice
kinfumot_brick_lattice (const KinfumotPoses *poses, float voxel, uint64_t key)
{
  const KinfumotModel *m = &poses->models[kinfumot_key_model (key)];
  int at[3];

  kinfumot_key_place (key, at);
  return (KinfumotLattice){
      kinfumot_to_camera (m,
          vec ((float) at[0] * voxel, (float) at[1] * voxel,
              (float) at[2] * voxel)),
      vec_unrotate (&m->axes, vec (voxel, 0, 0)),
      vec_unrotate (&m->axes, vec (0, voxel, 0)),
      vec_unrotate (&m->axes, vec (0, 0, voxel))};
}

/* Voxel (@x, @y, @z) of the brick. */
BOTH Vec
kinfumot_voxel_place (const KinfumotLattice *l, float x, float y, float z)
{
  Vec column =
      vec_add (vec_add (l->first, vec_scale (l->x, x)), vec_scale (l->y, y));

  return vec_add (column, vec_scale (l->z, z));
}

/* The surface of the pixel on which the voxel at @p, camera coordinates, falls;
 * no depth outside of the frame. */
BOTH KinfumotSurface
kinfumot_surface_at (
    const KinfumotOptics *optics, const KinfumotSurface *surfaces, Vec p)
{
  const int at = kinfumot_pixel (optics, p);
  const KinfumotSurface none = {0, KINFUMOT_NOBODY, 0};

  if (at < 0)
    return none;
#ifdef __CUDA_ARCH__
  const uint2 words = *(const uint2 *) (surfaces + at);

  return KinfumotSurface{
      (uint16_t) words.x, (uint8_t) (words.x >> 16), __uint_as_float (words.y)};
#else
  return surfaces[at];
#endif
}

/* Voxel @v of @model after this frame: it lies at depth @z on the surface
 * @seen. */
BOTH KinfumotVoxel
kinfumot_fuse_voxel (const KinfumotFusion *fusion, const KinfumotGrid *g,
    int model, bool still, KinfumotSurface seen, float z, KinfumotVoxel v)
{
  float distance;

  if (!seen.depth)
    return v;
  distance =
      (kinfumot_metres (seen.depth) - z) * seen.length * g->truncations_a_metre;
  if (fusion->erase) {
    if (seen.owner == model && distance > -1 && distance < 1)
      v.distance = 0, v.weight = 0;
    return v;
  }
  if (distance < -1 || (distance < 1 && seen.owner != model))
    return v;
  return kinfumot_voxel_seen (g, v, distance, fusion->max_weight, still);
}

/* ---- Ranges ---- */

BOTH int
kinfumot_depth_slice (float depth)
{
  int slice = (int) (depth * KINFUMOT_SLICES_A_METRE);

  return slice < KINFUMOT_SLICES ? slice : KINFUMOT_SLICES - 1;
}

/* The slices of depth from @near to @far, a bit each. */
BOTH uint64_t
kinfumot_slices_between (float near, float far)
{
  return ~0ull << kinfumot_depth_slice (near) &
      ~0ull >> (KINFUMOT_SLICES - 1 - kinfumot_depth_slice (far));
}

/* @depth if it lies in one of @slices, else the depth at which the next of them
 * begins; beyond all depths if none follows. */
BOTH float
kinfumot_skip_slices (uint64_t slices, float depth)
{
  int slice = kinfumot_depth_slice (depth);
  uint64_t rest = slices >> slice;

  if (rest & 1)
    return depth;
  for (int step = KINFUMOT_SLICES / 2; rest && step; step /= 2)
    if (!(rest << (KINFUMOT_SLICES - step)))
      rest >>= step, slice += step;
  return rest ? (float) slice / KINFUMOT_SLICES_A_METRE : 2 * KINFUMOT_FAR;
}

/* Sets @tiles to the tiles that a brick covers, half-open, and @near and @far
 * to the depths between which it lies; false if it is not in view. */
BOTH bool
kinfumot_brick_range (const KinfumotPoses *poses, float voxel, uint64_t key,
    ImageBox *tiles, float *near, float *far)
{
  const KinfumotModel *m = &poses->models[kinfumot_key_model (key)];
  const int width = poses->optics.width, height = poses->optics.height;
  float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
  bool all = false;
  int at[3];

  *near = 1e9f, *far = 0;
  kinfumot_key_place (key, at);
  for (int i = 0; i < 8; i++) {
    /* One voxel more on each side, since a ray reads voxels of the next brick,
     * too. */
    Vec p = kinfumot_to_camera (m,
        vec ((float) (at[0] + (i & 1 ? 9 : -1)) * voxel,
            (float) (at[1] + (i >> 1 & 1 ? 9 : -1)) * voxel,
            (float) (at[2] + (i >> 2 ? 9 : -1)) * voxel));
    float u, v;

    *near = p.z < *near ? p.z : *near;
    *far = p.z > *far ? p.z : *far;
    if (!kinfumot_project (&poses->optics.lens, p, &u, &v)) {
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
    x0 = y0 = -1, x1 = (float) width, y1 = (float) height;
  if (!(x1 >= -1 && y1 >= -1 && x0 <= (float) width && y0 <= (float) height))
    return false;
  tiles->x0 = x0 < 1 ? 0 : (int) (x0 - 1) / KINFUMOT_TILE;
  tiles->y0 = y0 < 1 ? 0 : (int) (y0 - 1) / KINFUMOT_TILE;
  tiles->x1 = x1 + 1 >= (float) width ? poses->optics.tiles_x
                                      : (int) (x1 + 1) / KINFUMOT_TILE + 1;
  tiles->y1 = y1 + 1 >= (float) height ? poses->optics.tiles_y
                                       : (int) (y1 + 1) / KINFUMOT_TILE + 1;
  return true;
}

/* ---- Rays ---- */

typedef struct {
  int model;
  Vec from, along; /* the model's coordinates; along: at depth 1 */
  float length;    /* of along, metres */
} KinfumotRayLine;

BOTH Vec
kinfumot_line_point (const KinfumotRayLine *l, float depth)
{
  return vec_add (l->from, vec_scale (l->along, depth));
}

/* Moves @depth by steps of @step to a place that lies before the surface
 * (@before) or behind it, and sets @distance to the distance there; false if
 * that is not known. */
BOTH bool
kinfumot_find_side (const KinfumotGrid *g, KinfumotLastBrick *last,
    const KinfumotRayLine *l, bool before, float step, float *depth,
    float *distance)
{
  ROLLED
  for (int i = 0; i < 4; i++, *depth += step) {
    if (!kinfumot_distance_at (
            g, last, l->model, kinfumot_line_point (l, *depth), distance))
      return false;
    if ((*distance > 0) == before)
      return true;
  }
  return false;
}

/* The depth at which the distance is 0, near two voxels of different signs, at
 * @near and @far; 0 if it cannot be found. */
BOTH float
kinfumot_find_crossing (const KinfumotGrid *g, KinfumotLastBrick *last,
    const KinfumotRayLine *l, float near, float far)
{
  const float voxel = g->voxel / l->length;
  float before, behind, depth, here;

  if (!kinfumot_find_side (g, last, l, true, -voxel, &near, &before) ||
      !kinfumot_find_side (g, last, l, false, voxel, &far, &behind))
    return 0;
  depth = near + (far - near) * before / (before - behind);
  if (!kinfumot_distance_at (
          g, last, l->model, kinfumot_line_point (l, depth), &here))
    return 0;
  if (here > 0)
    near = depth, before = here;
  else
    far = depth, behind = here;
  return near + (far - near) * before / (before - behind);
}

/* Sets @near and @far to the depths of the two voxels between which the first
 * surface lies along the line, from @near on, in one of @slices; false if there
 * is none. */
BOTH bool
kinfumot_march_line (const KinfumotGrid *g, KinfumotLastBrick *last,
    const KinfumotRayLine *l, uint64_t slices, float *near, float *far)
{
  const float stride = .8f * g->truncation / l->length;
  const float min = g->voxel / l->length;
  float before = 0, depth = *near;
  bool met = false;

  ROLLED
  for (int i = 0; i < 4096 && depth < 2 * KINFUMOT_FAR; i++) {
    const KinfumotVoxel v = kinfumot_nearest_voxel (
        g, last, l->model, kinfumot_line_point (l, depth));
    const bool known = v.weight & KINFUMOT_WEIGHT_MASK;
    float now = known ? (float) v.distance * (1.f / KINFUMOT_UNIT) : 0,
          step = stride;

    *far = depth;
    met = known && before > 0 && now <= 0;
    if (met ||
        (known && before < 0 &&
            now > 0)) /* or the ray leaves a surface through its back */
      break;
    if (known && now < .8f)
      step = fabsf (now) * stride;
    if (step < min)
      step = min;
    *near = depth;
    before = now;
    depth += step;
    if (last->slot < 0)
      depth = kinfumot_skip_slices (slices, depth);
  }
  return met;
}

/* The depth of the surface of @model that @ray meets from depth @near on, in
 * @slices; 0 for none. */
BOTH float
kinfumot_cast_ray (const KinfumotGrid *g, const KinfumotModel *models,
    int model, const KinfumotRay *ray, float near, uint64_t slices)
{
  const KinfumotModel *m = &models[model];
  KinfumotRayLine l = {model, m->place,
      vec_rotate (&m->axes, vec (ray->x, ray->y, 1)), ray->length};
  KinfumotLastBrick last = kinfumot_no_last_brick ();
  float far;

  if (!kinfumot_march_line (g, &last, &l, slices, &near, &far))
    return 0;
  return kinfumot_find_crossing (g, &last, &l, near, far);
}

/* The difference between the points that two pixels of a view see, half of it
 * if only one of them is near @at in space; false if none is. */
BOTH bool
kinfumot_view_slope (const KinfumotRay *rays, const KinfumotHit *view, int at,
    int before, int behind, Vec *slope)
{
  float depth = view[at].depth, jump = KINFUMOT_JUMP * (depth > 1 ? depth : 1);

  if (!(fabsf (view[before].depth - depth) < jump))
    before = at;
  if (!(fabsf (view[behind].depth - depth) < jump))
    behind = at;
  *slope = vec_sub (kinfumot_ray_point (&rays[behind], view[behind].depth),
      kinfumot_ray_point (&rays[before], view[before].depth));
  return before != behind;
}

/* Sets the unit normal of pixel @at of a view, from its neighbours. */
BOTH void
kinfumot_view_normal (const KinfumotOptics *optics, KinfumotHit *view, int at)
{
  const KinfumotRay *rays = optics->rays;
  const int width = optics->width, x = at % width, y = at / width;
  Vec dx, dy, n = {0, 0, 0};

  if (view[at].depth > 0 &&
      kinfumot_view_slope (
          rays, view, at, x ? at - 1 : at, x + 1 < width ? at + 1 : at, &dx) &&
      kinfumot_view_slope (rays, view, at, y ? at - width : at,
          y + 1 < optics->height ? at + width : at, &dy))
    n = vec_unit (vec_cross (dy, dx));
  view[at].x = n.x;
  view[at].y = n.y;
  view[at].z = n.z;
}

/* ---- Pictures ---- */

/* The model whose surface pixel @at shows, the nearest; -1 for none. */
BOTH int
kinfumot_shown_model (const KinfumotMatching *match, int at)
{
  int best = -1;
  float nearest = 0;

  for (int m = 0; m < match->n_models; m++) {
    float depth = match->models[m].active && match->views.of[m]
        ? match->views.of[m][at].depth
        : 0;

    if (depth > 0 && (best < 0 || depth < nearest)) {
      best = m;
      nearest = depth;
    }
  }
  return best;
}

BOTH void
kinfumot_shown_normal (const KinfumotMatching *match, int at, float n[3])
{
  int model = kinfumot_shown_model (match, at);

  n[0] = model < 0 ? NAN : match->views.of[model][at].x;
  n[1] = model < 0 ? NAN : match->views.of[model][at].y;
  n[2] = model < 0 ? NAN : match->views.of[model][at].z;
}

/* The background is grey, each object of another hue: 0xRRGGBB. */
BOTH uint32_t
kinfumot_model_hue (int model)
{
  const uint32_t hues[KINFUMOT_MODELS] = {0xc8c8c8, 0x4cb04c, 0xe07840,
      0x4c88e0, 0xd8c040, 0xb060d0, 0x40c0c0, 0xe05878, 0x90c848};

  return hues[model];
}

/* The colour of pixel @at, lit from the camera. */
BOTH void
kinfumot_shown_colour (const KinfumotMatching *match, int at, uint8_t rgb[3])
{
  int model = kinfumot_shown_model (match, at);
  const KinfumotRay *ray = &match->points.optics.rays[at];
  KinfumotHit hit;
  float light;

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (model < 0)
    return;
  hit = match->views.of[model][at];
  light = -(hit.x * ray->x + hit.y * ray->y + hit.z) / ray->length;
  light = light > 0 ? .15f + .85f * light : .15f;
  for (int i = 0; i < 3; i++)
    rgb[i] =
        (uint8_t) ((float) (kinfumot_model_hue (model) >> (16 - 8 * i) & 255) *
            light);
}
