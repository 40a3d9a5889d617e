/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties of a model, and the distance of two of its poses. */
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/scopedetect_detector.h"

#define MAX_POINTS 1000 /* maximum number of points of a mean */
#define POINTS 300      /* points of a model that are compared */

void
scopedetect_model_info (const ScopedetectModel *m, ScopedetectModelInfo *info)
{
  const ScopedetectShape *s = &m->shape;
  Vec size = vec_sub (s->high, s->low);

  memset (info, 0, sizeof *info);
  memcpy (info->name, m->name, sizeof info->name);
  info->n_points = (uint32_t) s->n;
  info->diameter = s->diameter;
  info->size[0] = size.x, info->size[1] = size.y, info->size[2] = size.z;
  info->spacing = s->spacing;
  info->feature_radius = s->feature_radius;
  info->feature_sigma = s->feature_sigma;
  info->n_symmetries = (uint32_t) s->n_symmetries;
  info->has_colour = s->has_colour;
  info->has_axis = s->has_axis;
}

const char *
scopedetect_check_model_info (
    const ScopedetectModelInfo *first, const ScopedetectModelInfo *info)
{
  return info->spacing != first->spacing ||
          info->feature_radius != first->feature_radius
      ? "its spacing or radius is not that of the first; make all of them anew "
        "with the same --spacing and --radius of vision-model"
      : NULL;
}

typedef struct {
  const ScopedetectShape *s;
  Pose pose, truth;
  /* The distances of each point from its own place in the other pose, and from
   * the nearest point there. */
  float own[MAX_POINTS], nearest[MAX_POINTS];
} Distance;

static void
measure_point_distances (void *data, int begin, int end)
{
  Distance *m = data;
  const ScopedetectShape *s = m->s;
  Vec at = m->pose.t;
  Turn r = turn_of (m->pose.q);
  Turn true_r = turn_of (m->truth.q);

  for (int i = begin; i < end; i++) {
    Vec p = vec_transform (&true_r, m->truth.t, s->x[i]);
    Vec d = vec_sub (vec_transform (&r, at, s->x[i]), p);
    float min_d2 = vec_dot (d, d);

    m->own[i] = vec_norm (d);
    for (int j = 0; j < s->n; j++) {
      d = vec_sub (vec_transform (&r, at, s->x[j]), p);
      min_d2 = vec_dot (d, d) < min_d2 ? vec_dot (d, d) : min_d2;
    }
    m->nearest[i] = sqrtf (min_d2);
  }
}

/* Sums go over the points in order, so that they repeat. */
void
scopedetect_model_distance (const ScopedetectModel *model, const double pose[7],
    const double truth[7], double *add, double *add_s)
{
  Distance m = {
      .s = &model->shape, .pose = pose_from (pose), .truth = pose_from (truth)};
  int n = model->shape.n < MAX_POINTS ? model->shape.n : MAX_POINTS;
  double sum = 0, sum_s = 0;

  parallel_for (n, 16, measure_point_distances, &m);
  for (int i = 0; i < n; i++)
    sum += m.own[i], sum_s += m.nearest[i];
  *add = sum / n;
  *add_s = sum_s / n;
}

/* @x, limited to the range from the middle of the first of @cells cells to the
 * middle of the last. */
static float
within_grid (float x, float origin, int cells, float side)
{
  return fminf (
      fmaxf (x, origin + .5f * side), origin + ((float) cells - .5f) * side);
}

/* The distance from @p to the model; outside the grid, to the point nearest to
 * the grid's border. */
static double
distance_to_model (const ScopedetectShape *s, Vec p)
{
  Vec in = {within_grid (p.x, s->origin.x, s->cells[0], s->spacing),
      within_grid (p.y, s->origin.y, s->cells[1], s->spacing),
      within_grid (p.z, s->origin.z, s->cells[2], s->spacing)};
  int i = scopedetect_nearest (s, in);

  return i < 0 ? s->diameter : vec_norm (vec_sub (p, s->x[i]));
}

double
scopedetect_apart (const ScopedetectShape *s, const ScopedetectObject *a,
    const ScopedetectObject *b)
{
  Pose pa = pose_from (a->pose), pb = pose_from (b->pose);
  Turn ra = turn_of (pa.q), rb = turn_of (pb.q);
  int n = s->n < POINTS ? s->n : POINTS;
  double sum = 0;

  if (!scopedetect_meet (&a->box, &b->box))
    return 2 * SCOPEDETECT_SAME;
  for (int i = 0; i < n; i++) {
    Vec p = vec_transform (&rb, pb.t, s->x[i]);

    sum += distance_to_model (s, vec_unrotate (&ra, vec_sub (p, pa.t)));
  }
  return sum / n / s->diameter;
}

double
scopedetect_model_apart (const ScopedetectModel *model,
    const ScopedetectObject *a, const ScopedetectObject *b)
{
  return scopedetect_apart (&model->shape, a, b);
}
