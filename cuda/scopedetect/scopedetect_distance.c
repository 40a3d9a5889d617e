/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a model says of itself, and how far two poses of it are apart. */
#include <stdlib.h>

#include "scopedetect/scopedetect_self.h"

#define POINTS 300 /* of a model, of those that there are */

void
scopedetect_model_info (const ScopedetectModel *m, ScopedetectModelInfo *info)
{
  const ScopedetectShape *s = &m->shape;
  ScopedetectVec size = scopedetect_sub (s->high, s->low);

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

ScopedetectPose
scopedetect_pose_from (const double p[7])
{
  ScopedetectPose pose = {scopedetect_quat_unit (scopedetect_quat ((float) p[3],
                              (float) p[4], (float) p[5], (float) p[6])),
      {(float) p[0], (float) p[1], (float) p[2]}};

  return pose;
}

void
scopedetect_model_distance (const ScopedetectModel *model, const double pose[7],
    const double truth[7], double *add, double *add_s)
{
  const ScopedetectShape *s = &model->shape;
  ScopedetectPose a = scopedetect_pose_from (pose),
                  b = scopedetect_pose_from (truth);
  ScopedetectTurn ra = scopedetect_turn (a.q), rb = scopedetect_turn (b.q);
  int n = s->n < 1000 ? s->n : 1000;
  double sum = 0, sum_s = 0;

#pragma omp parallel for reduction(+ : sum, sum_s) schedule(dynamic, 16)
  for (int i = 0; i < n; i++) {
    ScopedetectVec p = scopedetect_apply (&rb, b.t, s->x[i]);
    ScopedetectVec d =
        scopedetect_sub (scopedetect_apply (&ra, a.t, s->x[i]), p);
    float least = scopedetect_dot (d, d);

    sum += scopedetect_norm (d);
    for (int j = 0; j < s->n; j++) {
      d = scopedetect_sub (scopedetect_apply (&ra, a.t, s->x[j]), p);
      least = scopedetect_dot (d, d) < least ? scopedetect_dot (d, d) : least;
    }
    sum_s += sqrtf (least);
  }
  *add = sum / n;
  *add_s = sum_s / n;
}

/* The middle of the first or last cell where @x is not between them. */
static float
within (float x, float origin, int cells, float side)
{
  return fminf (
      fmaxf (x, origin + .5f * side), origin + ((float) cells - .5f) * side);
}

/* The distance from @p to the model; outside of the table, to what is nearest
 * to the table's border. */
static double
distance_to (const ScopedetectShape *s, ScopedetectVec p)
{
  ScopedetectVec in = {within (p.x, s->origin.x, s->cells[0], s->spacing),
      within (p.y, s->origin.y, s->cells[1], s->spacing),
      within (p.z, s->origin.z, s->cells[2], s->spacing)};
  int i = scopedetect_nearest (s, in);

  return i < 0 ? s->diameter : scopedetect_norm (scopedetect_sub (p, s->x[i]));
}

double
scopedetect_apart (const ScopedetectShape *s, const ScopedetectObject *a,
    const ScopedetectObject *b)
{
  ScopedetectPose pa = scopedetect_pose_from (a->pose),
                  pb = scopedetect_pose_from (b->pose);
  ScopedetectTurn ra = scopedetect_turn (pa.q), rb = scopedetect_turn (pb.q);
  int n = s->n < POINTS ? s->n : POINTS;
  double sum = 0;

  if (!scopedetect_meet (&a->box, &b->box))
    return 2 * SCOPEDETECT_SAME;
  for (int i = 0; i < n; i++) {
    ScopedetectVec p = scopedetect_apply (&rb, pb.t, s->x[i]);

    sum +=
        distance_to (s, scopedetect_unrotate (&ra, scopedetect_sub (p, pa.t)));
  }
  return sum / n / s->diameter;
}

double
scopedetect_model_apart (const ScopedetectModel *model,
    const ScopedetectObject *a, const ScopedetectObject *b)
{
  return scopedetect_apart (&model->shape, a, b);
}
