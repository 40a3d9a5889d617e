/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The equations of the alignment (2.1): of surfaces, and of the outlines of
 * objects. */
#pragma once

#include "kinfumot/kinfumot_pair_core.h"

/* ---- Iterations ---- */

#define KINFUMOT_LEVELS 3

/* Pixels from one used pixel to the next. */
BOTH int
kinfumot_level_stride (int level)
{
  return 4 >> level;
}

BOTH int
kinfumot_level_iterations (int level)
{
  return level == 0 ? 4 : level == 1 ? 5 : 10;
}

/* ---- Outlines ---- */

/* The points of a flat face do not determine all directions; its outline
 * determines most of the rest.  Where an object ends before a surface that is
 * farther away, the end of its model is searched for along the row and the
 * column. */

#define KINFUMOT_OUTLINE 10 /* pixels from an object's end to its model's */

/* The depth of the first of the next @room pixels towards @step that has depth;
 * 0 if no pixel has.  All are read at once: a GPU would wait for one after the
 * other. */
BOTH int
kinfumot_next_depth (const uint16_t *depth, int at, int step, int room)
{
  uint16_t depths[KINFUMOT_OUTLINE];
  int next = 0;

  UNROLLED
  for (int i = 0; i < KINFUMOT_OUTLINE; i++)
    depths[i] = i < room ? depth[at + (i + 1) * step] : 0;
  UNROLLED
  for (int i = KINFUMOT_OUTLINE - 1; i >= 0; i--)
    next = depths[i] ? depths[i] : next;
  return next;
}

/* Whether the surface of pixel @at ends towards @step, where the frame has
 * @room more pixels: the next pixel that has depth is farther away, or none of
 * KINFUMOT_OUTLINE has.  A hole in the surface is no end. */
BOTH bool
kinfumot_surface_ends (const uint16_t *depth, int at, int step, int room)
{
  int next = depth[at + step];

  if (!next)
    next = kinfumot_next_depth (depth, at, step, room);
  return !next ||
      kinfumot_metres ((uint16_t) next) >
      kinfumot_metres (depth[at]) + KINFUMOT_JUMP;
}

/* Whether a model's surface ends between two pixels of its view, of depth
 * @depth and @next, 0 for none. */
BOTH bool
kinfumot_view_ends (float depth, float next)
{
  return depth > 0 && (!(next > 0) || next > depth + KINFUMOT_JUMP);
}

/* The pixel nearest to @at in which the view ends towards @step, at about
 * @depth; -1 for none.  @before and @behind: the number of pixels that the
 * frame has before @at, against @step, and behind it.  All are read at once.
 */
BOTH int
kinfumot_view_end (const KinfumotHit *view, int at, int step, int before,
    int behind, float depth)
{
  float depths[2 * KINFUMOT_OUTLINE + 2];
  int end = -1;

  UNROLLED
  for (int i = 0; i < 2 * KINFUMOT_OUTLINE + 2; i++) {
    const int n = i - KINFUMOT_OUTLINE;

    depths[i] = n >= -before && n <= behind ? view[at + n * step].depth : 0;
  }
  UNROLLED
  for (int i = 2 * KINFUMOT_OUTLINE; i >= 0; i--) {
    const int n = i & 1 ? -(i + 1) / 2 : i / 2;
    const float here = depths[KINFUMOT_OUTLINE + n];

    if (n < behind &&
        kinfumot_view_ends (here, depths[KINFUMOT_OUTLINE + n + 1]) &&
        fabsf (here - depth) < KINFUMOT_GATE)
      end = at + n * step;
  }
  return end;
}

/* Whether the space beside pixel @at of the view, towards @aside, was seen
 * free: the object ends there.  Else the object may go on where no frame showed
 * it. For a model in its first frames, one frame is enough. */
BOTH bool
kinfumot_free_beside (const KinfumotAlignIn *in, int model, int at, Vec aside)
{
  const KinfumotMatching *match = &in->matching;
  const KinfumotModel *m = &match->models[model];
  Vec p = kinfumot_ray_point (
      &match->points.optics.rays[at], match->views.of[model][at].depth);
  Vec beside = vec_add (p, vec_scale (aside, 2 * in->grid.voxel));
  KinfumotLastBrick last = kinfumot_no_last_brick ();

  return kinfumot_is_free (kinfumot_nearest_voxel (&in->grid, &last, model,
                               kinfumot_to_model (m, beside)),
      m->steps < KINFUMOT_STEPS ? 1 : KINFUMOT_FREE_WEIGHT);
}

#define KINFUMOT_WIDTH 2 /* pixels that a surface goes on before its end */

/* Whether the surface of pixel @at, which ends at @side, goes on across that
 * axis: KINFUMOT_WIDTH pixels before the end it has a pixel to both sides.
 * Else the outline runs along the axis, and noise has torn the pixel. */
BOTH bool
kinfumot_is_wide (const KinfumotPoints *points, int at, int side)
{
  const int max = (int) (KINFUMOT_JUMP * KINFUMOT_UNITS);
  const int width = points->optics.width, height = points->optics.height;
  const int x = at % width, y = at / width, reach = KINFUMOT_WIDTH;
  const int inside = side & 1 ? -reach : reach;
  const int middle = at + inside * (side >> 1 ? width : 1);
  const int aside = reach * (side >> 1 ? 1 : width);
  int here, one, two;

  if (x < reach || y < reach || x >= width - reach || y >= height - reach)
    return false;
  here = points->depth[at];
  one = points->depth[middle - aside];
  two = points->depth[middle + aside];
  return one && two && one > here - max && one < here + max &&
      two > here - max && two < here + max;
}

/* Whether the surface of pixel @at ends at @side, and its outline runs across
 * that axis. */
BOTH bool
kinfumot_is_end (const KinfumotPoints *points, int at, int side)
{
  const int width = points->optics.width;
  const int step = side >> 1 ? width : 1;
  const int along = side >> 1 ? at / width : at % width;
  const int size = side >> 1 ? points->optics.height : width;
  const int room = side & 1 ? size - 1 - along : along;

  return points->depth[at] && room > 0 &&
      kinfumot_surface_ends (
          points->depth, at, side & 1 ? step : -step, room) &&
      kinfumot_is_wide (points, at, side);
}

#define KINFUMOT_TORN 2 /* pixels without depth where a surface ends */

/* Half of the number of pixels without depth between pixel @at, where a surface
 * ends, and the next that has depth: the outline is in their middle.  0 if they
 * are more than KINFUMOT_TORN.  @room: the pixels of the frame towards @step.
 */
BOTH float
kinfumot_torn_pixels (const uint16_t *depth, int at, int step, int room)
{
  float torn = 0;

  UNROLLED
  for (int i = KINFUMOT_TORN + 1; i > 0; i--)
    if (i <= room && depth[at + i * step])
      torn = .5f * (float) (i - 1);
  return torn;
}

/* The equation of the outline along an axis: the surface of pixel @at ends at
 * @side.  False for none. */
BOTH bool
kinfumot_outline_term (const KinfumotAlignIn *in, int model,
    const KinfumotModel *m, int at, int side, KinfumotTerm *term)
{
  const KinfumotPoints *points = &in->matching.points;
  const KinfumotOptics *optics = &points->optics;
  const int width = optics->width;
  const int axis = side >> 1, size = axis ? optics->height : width;
  const int sign = side & 1 ? 1 : -1, step = axis ? width : 1;
  int along = axis ? at / width : at % width, before, end;
  const float torn = kinfumot_torn_pixels (
      points->depth, at, sign * step, sign > 0 ? size - 1 - along : along);
  Vec p, n = {axis ? 0.f : 1.f, axis ? 1.f : 0.f, 0}, q;
  float off;

  p = vec_transform (&m->turn, m->step, kinfumot_point (points, at));
  at = kinfumot_pixel (optics, p);
  if (at < 0)
    return false;
  along = axis ? at / width : at % width;
  before = sign > 0 ? along : size - 1 - along;
  end = kinfumot_view_end (in->matching.views.of[model], at, sign * step,
      before, size - 1 - before, p.z);
  if (end < 0 ||
      !kinfumot_free_beside (in, model, end, vec_scale (n, (float) sign)))
    return false;
  q = kinfumot_ray_point (&optics->rays[end], p.z);
  off = axis ? q.y - p.y : q.x - p.x;
  off -= (float) sign * torn * p.z / (axis ? optics->lens.fy : optics->lens.fx);
  *term = kinfumot_term_of (p, n, off, 1);
  return true;
}

/* ---- Sums ---- */

/* The cosine of the angle at which the surface of @pair is seen.  It weighs the
 * equations of the camera: depth is less exact where the cosine is small. */
BOTH float
kinfumot_pair_facing (const KinfumotPair *pair)
{
  return -vec_dot (pair->n, pair->p) / sqrtf (vec_dot (pair->p, pair->p));
}

/* The equation of the surface that pixel @at shows, for @model, whose state by
 * now is @m; false for none. */
BOTH bool
kinfumot_surface_term (const KinfumotAlignIn *in, int model,
    const KinfumotModel *m, int at, KinfumotTerm *term)
{
  const KinfumotMatching *match = &in->matching;
  Vec normal = in->normals[at], point, bend;
  KinfumotPair pair;

  if (normal.x == 0 && normal.y == 0 && normal.z == 0)
    return false;
  point = kinfumot_point (&match->points, at);
  if (!kinfumot_pair_in_view (
          &match->points.optics, m, match->views.of[model], point, &pair) ||
      !kinfumot_pair_fits (match, m, normal, &pair))
    return false;
  if (kinfumot_is_claimed (match, &in->claims, model, at, point, &pair))
    return false;
  *term = kinfumot_term_of (
      pair.p, pair.n, -pair.before, model ? 1 : kinfumot_pair_facing (&pair));
  bend = vec_sub (vec_rotate (&m->turn, normal), pair.n);
  term->bend = (int32_t) (vec_dot (bend, bend) * KINFUMOT_R_UNIT);
  return true;
}

/* Adds the equation of the surface that pixel @at shows. */
BOTH void
kinfumot_add_surface (const KinfumotAlignIn *in, int model,
    const KinfumotModel *m, int at, int64_t sums[KINFUMOT_N_SUMS])
{
  KinfumotTerm term;

  if (in->matching.points.depth[at] &&
      kinfumot_surface_term (in, model, m, at, &term))
    kinfumot_add_term (sums, &term);
}

/* Adds the equation of @end, an end of a surface, if its pixel is one of those
 * that lie @stride apart in the object's box. */
BOTH void
kinfumot_add_end (const KinfumotAlignIn *in, int model, const KinfumotModel *m,
    int stride, uint32_t end, int64_t sums[KINFUMOT_N_SUMS])
{
  const int at = (int) (end / KINFUMOT_SIDES);
  const int x = at % in->matching.points.optics.width,
            y = at / in->matching.points.optics.width;
  const ImageBox *box = &m->box;
  KinfumotTerm term;

  if (x < box->x0 || y < box->y0 || x >= box->x1 || y >= box->y1 ||
      (x - box->x0) % stride || (y - box->y0) % stride)
    return;
  if (kinfumot_outline_term (
          in, model, m, at, (int) (end % KINFUMOT_SIDES), &term))
    kinfumot_add_term (sums, &term);
}
