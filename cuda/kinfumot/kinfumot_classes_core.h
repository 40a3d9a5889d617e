/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of pixels (2.2, 2.3), and doubt. */
#pragma once

#include "kinfumot/kinfumot_pair_core.h"

/* ---- Classes ---- */

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
