/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of pixels (2.2, 2.3), and doubt. */
#pragma once

#include "kinfumot/kinfumot_pair_core.h"

/* ---- Classes ---- */

/* How far the model's voxels say that @point lies before its surface, metres;
 * false if they do not know.  @free: its space was seen free. */
BOTH bool
kinfumot_ask_voxels (const KinfumotClassifyIn *in, int model, Vec point,
    bool *free, float *before)
{
  Vec p = kinfumot_to_model_now (&in->matching.models[model], point);
  KinfumotLastBrick last = kinfumot_no_last_brick ();
  const KinfumotVoxel v = kinfumot_nearest_voxel (&in->grid, &last, model, p);

  *free = kinfumot_is_free (v, KINFUMOT_FREE_WEIGHT);
  if (!(v.weight & KINFUMOT_WEIGHT_MASK) || v.distance >= KINFUMOT_UNIT ||
      v.distance <= -KINFUMOT_UNIT)
    return false;
  *before = (float) v.distance * (1.f / KINFUMOT_UNIT) * in->grid.truncation;
  return true;
}

/* Whether @point lies in the cube that is mapped. */
BOTH bool
kinfumot_in_volume (const KinfumotClassifyIn *in, Vec point)
{
  float half = in->half_volume;
  Vec p;

  if (!(half > 0))
    return true;
  p = kinfumot_to_model_now (&in->matching.models[0], point);
  return fabsf (p.x) <= half && fabsf (p.y) <= half &&
      fabsf (p.z - half) <= half;
}

#define KINFUMOT_BESIDE 12 /* pixels */

/* The depth of the background's surface that is nearest to pixel @at of its
 * view in one direction; 0 for none.  All are read at once: a GPU would wait
 * for one after the other. */
BOTH float
kinfumot_next_surface (const KinfumotMatching *match, int at, int dx, int dy)
{
  const int width = match->points.optics.width,
            height = match->points.optics.height;
  const int x = at % width, y = at / width;
  float depths[KINFUMOT_BESIDE], depth = 0;

  UNROLLED
  for (int i = 0; i < KINFUMOT_BESIDE; i++) {
    const int u = x + (i + 1) * dx, v = y + (i + 1) * dy;
    const bool inside = u >= 0 && v >= 0 && u < width && v < height;

    depths[i] = inside ? match->views.of[0][v * width + u].depth : 0;
  }
  UNROLLED
  for (int i = KINFUMOT_BESIDE - 1; i >= 0; i--)
    depth = depths[i] > 0 ? depths[i] : depth;
  return depth;
}

/* Whether @p, a point of the view's camera, lies before all surfaces around the
 * pixel that shows it, which shows none itself: the rays to those surfaces have
 * gone past it, so its space was seen free, though no voxel is kept that far
 * from a surface.  At the side of a near thing, some of the surfaces are as
 * near as the point. */
BOTH bool
kinfumot_before_surfaces (const KinfumotMatching *match, Vec p)
{
  const int min = 6;
  int at = kinfumot_pixel (&match->points.optics, p), met = 0;

  if (at < 0)
    return false;
  for (int i = 0; i < 9; i++) {
    float depth =
        i == 4 ? 0 : kinfumot_next_surface (match, at, i % 3 - 1, i / 3 - 1);

    if (depth > 0 &&
        depth < p.z + KINFUMOT_MATCHABLE * kinfumot_match_limit (match, depth))
      return false;
    met += depth > 0;
  }
  return met >= min;
}

/* The class of a point @distance from a surface, at most KINFUMOT_MATCHABLE
 * times @limit. */
BOTH int
kinfumot_class_near (float distance, float limit)
{
  return distance < limit ? KINFUMOT_INLIER : KINFUMOT_POTENTIAL_OUTLIER;
}

/* Whether a point behind the background's surface lies on that surface, which
 * moves away: in the previous frame the pixel showed nearly the same depth, and
 * matched, or had moved already.  Uncovered background is farther at once. */
BOTH bool
kinfumot_surface_recedes (
    const KinfumotClassifyIn *in, const KinfumotPair *pair, float limit)
{
  const uint8_t *c;

  if (!in->previous.classes || pair->before <= -KINFUMOT_GATE)
    return false;
  c = in->previous.classes + 2 * pair->at;
  return !c[1] &&
      (c[0] == KINFUMOT_INLIER || c[0] == KINFUMOT_POTENTIAL_OUTLIER ||
          c[0] == KINFUMOT_OUTLIER) &&
      fabsf (kinfumot_metres (in->previous.depth[pair->at]) - pair->p.z) <
      limit;
}

/* The class by the background alone, of the point of @pair or, not @met, of a
 * point that meets no surface; @limit: up to which it matches. */
BOTH int
kinfumot_class_of_pair (const KinfumotClassifyIn *in, bool met,
    const KinfumotPair *pair, float limit)
{
  float distance;

  if (!met)
    return KINFUMOT_NO_CORRESPONDENCE;
  distance = fabsf (pair->before);
  if (distance < limit)
    return KINFUMOT_INLIER;
  if (in->is_signed && pair->before < 0 &&
      !kinfumot_surface_recedes (in, pair, limit))
    return KINFUMOT_NO_CORRESPONDENCE;
  return distance < KINFUMOT_MATCHABLE * limit ? KINFUMOT_POTENTIAL_OUTLIER
                                               : KINFUMOT_OUTLIER;
}

/* The object that explains a point best, nearer than @distance: its number, or
 * 0; then @distance is how far it is.  Where an object's view ends, its voxels
 * are asked: so it grows. */
BOTH int
kinfumot_best_object (const KinfumotClassifyIn *in, Vec point, float *distance)
{
  const KinfumotMatching *match = &in->matching;
  const float max = KINFUMOT_MATCHABLE * kinfumot_match_limit (match, point.z);
  int best = 0;

  for (int m = 1; m < match->n_models; m++) {
    KinfumotPair pair;
    float before;
    bool met, free;

    if (!kinfumot_has_view (match, m))
      continue;
    met = kinfumot_pair_point (match, m, point, &pair);
    before = met ? pair.before : 0;
    if (!met || fabsf (before) >= max)
      met = kinfumot_ask_voxels (in, m, point, &free, &before);
    if (met && fabsf (before) < max && fabsf (before) < *distance) {
      *distance = fabsf (before);
      best = m;
    }
  }
  return best;
}

/* The class of pixel @at, and its model in @model. */
BOTH int
kinfumot_classify_pixel (const KinfumotClassifyIn *in, int at, int *model)
{
  const KinfumotMatching *match = &in->matching;
  const KinfumotModel *background = &match->models[0];
  Vec point;
  KinfumotPair pair;
  bool met, free;
  int class_;
  float limit, distance, before;

  *model = 0;
  if (!match->points.depth[at])
    return KINFUMOT_MISSING;
  if (!background->good)
    return KINFUMOT_NO_CORRESPONDENCE;
  point = kinfumot_point (&match->points, at);
  limit = kinfumot_match_limit (match, point.z);
  met = match->views.of[0] && kinfumot_pair_point (match, 0, point, &pair);
  class_ = kinfumot_class_of_pair (in, met, &pair, limit);
  distance = class_ == KINFUMOT_INLIER ? fabsf (pair.before)
                                       : KINFUMOT_MATCHABLE * limit;
  *model = kinfumot_best_object (in, point, &distance);
  if (*model)
    return kinfumot_class_near (distance, limit);
  if (!kinfumot_in_volume (in, point))
    return KINFUMOT_OUT_OF_VOLUME;
  if (!in->is_signed || class_ == KINFUMOT_INLIER)
    return class_;
  kinfumot_ask_voxels (in, 0, point, &free, &before);
  if (met && limit > KINFUMOT_SEEN_FREE * in->grid.truncation)
    return class_; /* noise reaches beyond what the voxels know */
  if (!free && !met && match->views.of[0])
    free = kinfumot_before_surfaces (
        match, vec_transform (&background->turn, background->step, point));
  return free ? KINFUMOT_OUTLIER : class_;
}

/* Whether a pixel of a model's view lies in front of the frame's surface there:
 * the model's surface is gone. */
BOTH bool
kinfumot_is_through (const KinfumotMatching *match, int model, Vec point)
{
  KinfumotPair pair;

  return kinfumot_has_view (match, model) &&
      kinfumot_pair_point (match, model, point, &pair) &&
      pair.before <=
      -KINFUMOT_MATCHABLE * kinfumot_match_limit (match, point.z);
}

/* A point in the model's coordinates, millimetres. */
BOTH void
kinfumot_millimetres (
    const KinfumotMatching *match, int model, Vec point, int mm[3])
{
  Vec p = kinfumot_to_model_now (&match->models[model], point);

  mm[0] = kinfumot_round_float (p.x * 1000);
  mm[1] = kinfumot_round_float (p.y * 1000);
  mm[2] = kinfumot_round_float (p.z * 1000);
}

/* ---- Growth ---- */

#define KINFUMOT_GROWTH 8                    /* pixels a frame */
#define KINFUMOT_LINK (KINFUMOT_UNITS / 100) /* 1 cm, as in section 3.5 */

BOTH bool
kinfumot_is_outlier (const uint8_t *c)
{
  return c[0] == KINFUMOT_OUTLIER || c[0] == KINFUMOT_POTENTIAL_OUTLIER;
}

/* The object to which an outlier is linked in one direction, over outliers
 * whose depths differ by little: its number, 0 for none.  All are read at once,
 * as above. */
BOTH int
kinfumot_touched_object_along (
    const KinfumotPoints *points, const uint8_t *map, int at, int dx, int dy)
{
  const int width = points->optics.width, height = points->optics.height;
  const int x = at % width, y = at / width;
  uint16_t depths[KINFUMOT_GROWTH + 1];
  uint8_t classes[KINFUMOT_GROWTH + 1][2];

  UNROLLED
  for (int n = 0; n <= KINFUMOT_GROWTH; n++) {
    const int u = x + n * dx, v = y + n * dy, to = v * width + u;
    const bool inside = u >= 0 && v >= 0 && u < width && v < height;

    depths[n] = inside ? points->depth[to] : 0;
    classes[n][0] = inside ? map[2 * to] : 0;
    classes[n][1] = inside ? map[2 * to + 1] : 0;
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

/* The object to which pixel @at is linked in any of four directions. */
BOTH int
kinfumot_touched_object (
    const KinfumotPoints *points, const uint8_t *map, int at)
{
  int model = 0;

  if (map[2 * at + 1] || !kinfumot_is_outlier (map + 2 * at))
    return 0;
  for (int side = 1; side >= -1 && !model; side -= 2)
    model = kinfumot_touched_object_along (points, map, at, side, 0);
  for (int side = 1; side >= -1 && !model; side -= 2)
    model = kinfumot_touched_object_along (points, map, at, 0, side);
  return model;
}

/* The pixel of class @c is added to object @grown; 0: it stays. */
BOTH void
kinfumot_grow_pixel (uint8_t grown, uint8_t *c)
{
  if (!grown)
    return;
  c[0] = KINFUMOT_POTENTIAL_OUTLIER;
  c[1] = grown;
}

/* Pixel @at of an earlier frame becomes @model's if it matches @model and
 * belongs to no object. */
BOTH void
kinfumot_adopt_pixel (
    const KinfumotMatching *match, int model, int at, uint8_t *c)
{
  KinfumotPair pair;
  Vec point;
  float limit;

  if (c[0] != KINFUMOT_POTENTIAL_OUTLIER && c[0] != KINFUMOT_OUTLIER &&
      c[0] != KINFUMOT_NO_CORRESPONDENCE)
    return;
  point = kinfumot_point (&match->points, at);
  limit = kinfumot_match_limit (match, point.z);
  if (c[1] || !kinfumot_pair_point (match, model, point, &pair) ||
      fabsf (pair.before) >= KINFUMOT_MATCHABLE * limit)
    return;
  c[0] = (uint8_t) kinfumot_class_near (fabsf (pair.before), limit);
  c[1] = (uint8_t) model;
}

/* ---- Doubt ---- */

/* A thing that begins to move is a part of the background until its pixels are
 * outliers, and until then pulls the camera along.  Whole tiles of the image
 * show it earlier: their mean distance from the surface changes.  Constant
 * errors of a sensor's depth do not change. */

#define KINFUMOT_UNUSUAL 1e9f
#define KINFUMOT_SHIFT .15f     /* of the distance up to which points match */
#define KINFUMOT_USUAL .25f     /* share of a new frame in the usual distance */
#define KINFUMOT_MIN_SHIFT 16   /* pixels of a tile */
#define KINFUMOT_AROUND_SHIFT 5 /* tiles, of the nine around a place */

/* Sums over a tile, by KINFUMOT_R_UNIT. */
typedef struct {
  int32_t before, limit, n;
} KinfumotShift;

/* The part of pixel @at in the sums of its tile. */
BOTH KinfumotShift
kinfumot_pixel_shift (const KinfumotMatching *match, const Vec *normals, int at)
{
  const KinfumotShift none = {0, 0, 0};
  const Vec normal = normals[at];
  KinfumotPair pair;
  Vec point;

  if (normal.x == 0 && normal.y == 0 && normal.z == 0)
    return none;
  point = kinfumot_point (&match->points, at);
  if (!kinfumot_pair_point (match, 0, point, &pair) ||
      !kinfumot_pair_fits (match, &match->models[0], normal, &pair))
    return none;
  return (KinfumotShift){(int32_t) (pair.before * KINFUMOT_R_UNIT),
      (int32_t) (kinfumot_match_limit (match, point.z) * KINFUMOT_R_UNIT), 1};
}

/* Whether the tile of the sums @sum has changed; @usual becomes its mean
 * distance. */
BOTH bool
kinfumot_tile_shifted (const KinfumotShift *sum, bool is_new, float *usual)
{
  bool shifted;
  float mean;

  if (sum->n < KINFUMOT_MIN_SHIFT) {
    *usual = KINFUMOT_UNUSUAL;
    return false;
  }
  mean = (float) sum->before / (float) sum->limit;
  if (is_new || *usual == KINFUMOT_UNUSUAL)
    *usual = mean;
  shifted = fabsf (mean - *usual) > KINFUMOT_SHIFT;
  *usual += (mean - *usual) * KINFUMOT_USUAL;
  return shifted;
}

/* Whether pixels 8 @i to 8 @i + 7 are doubted. */
BOTH bool
kinfumot_doubted (const KinfumotOptics *optics, const uint8_t *shifted, int i)
{
  const int tx = 8 * i % optics->width / KINFUMOT_TILE,
            ty = 8 * i / optics->width / KINFUMOT_TILE;
  int n = 0;

  for (int y = ty - 1; y <= ty + 1; y++)
    for (int x = tx - 1; x <= tx + 1; x++)
      if (x >= 0 && y >= 0 && x < optics->tiles_x && y < optics->tiles_y)
        n += shifted[y * optics->tiles_x + x];
  return n >= KINFUMOT_AROUND_SHIFT;
}
