/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether the camera rests or moves as estimated: what the frame's points say
 * of either motion, in tiles of the frame. */
#pragma once

#include "kinfumot/kinfumot_pair_core.h"

BOTH bool
kinfumot_rest_meets (const KinfumotRestIn *in, const KinfumotModel *background,
    Vec point, KinfumotPair *pair)
{
  return kinfumot_pair_in_view (&in->matching.points.optics, background,
             in->matching.views.of[0], point, pair) &&
      pair->apart <= KINFUMOT_GATE * KINFUMOT_GATE;
}

/* Sample @i of a tile, in raster order, as a tile of its own. */
BOTH KinfumotRestTile
kinfumot_rest_sample (const KinfumotRestIn *in, int tile, int i)
{
  const KinfumotPoints *points = &in->matching.points;
  const KinfumotOptics *optics = &points->optics;
  const int x =
      (tile % in->tiles_x * KINFUMOT_REST_SIDE + i % KINFUMOT_REST_SIDE) *
      in->step;
  const int y =
      (tile / in->tiles_x * KINFUMOT_REST_SIDE + i / KINFUMOT_REST_SIDE) *
      in->step;
  const int at = y * optics->width + x;
  KinfumotRestTile sample = {0, 0, 0, 0};
  KinfumotPair pair, other;
  float limit;
  Vec point;

  if (x >= optics->width || y >= optics->height || !points->depth[at])
    return sample;
  point = kinfumot_point (points, at);
  limit = kinfumot_match_limit (&in->matching, point.z);
  sample.n_seen = 1;
  if (!kinfumot_rest_meets (in, &in->at_rest, point, &pair) ||
      !kinfumot_rest_meets (in, &in->estimated, point, &other))
    return sample;
  sample.at_rest = pair.before / limit;
  sample.estimated = other.before / limit;
  sample.n = 1;
  return sample;
}

BOTH void
kinfumot_rest_add (KinfumotRestTile *to, const KinfumotRestTile *sample)
{
  to->n_seen += sample->n_seen;
  to->n += sample->n;
  if (!sample->n)
    return;
  to->at_rest += sample->at_rest;
  to->estimated += sample->estimated;
}

/* Makes the distances of the tile's sum those of its mean. */
BOTH void
kinfumot_rest_end (KinfumotRestTile *tile)
{
  if (!tile->n)
    return;
  tile->at_rest = fabsf (tile->at_rest / (float) tile->n);
  tile->estimated = fabsf (tile->estimated / (float) tile->n);
}
