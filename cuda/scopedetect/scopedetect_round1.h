/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 (thesis, section 1.2): a pose from one pair of oriented features, and
 * how well it agrees with the frame. */
#pragma once

#include "scopedetect/scopedetect_core.h"

#define SCOPEDETECT_FRONT .1f /* cosine from which on a point faces the eye */

/* The pose in which feature @model of @s lies on feature @scene; the direction
 * of curvature has no sign, so there are two. */
BOTH ScopedetectPose
scopedetect_pose_of (const ScopedetectCloud *scene, int i,
    const ScopedetectShape *s, int j, bool flip)
{
  ScopedetectQuat q = scene->frame[i];
  ScopedetectTurn r;
  ScopedetectPose p;

  if (flip)
    q = scopedetect_flip (q);
  p.q = scopedetect_quat_unit (
      scopedetect_times (q, scopedetect_conjugate (s->frame[j])));
  r = scopedetect_turn (p.q);
  p.t = scopedetect_sub (scene->x[i], scopedetect_rotate (&r, s->x[j]));
  return p;
}

/* What one point of a model adds: 256 where depth and normal agree, -512 where
 * it lies in free space.  Returns false where it faces away. */
BOTH bool
scopedetect_agree (const ScopedetectScene *scene, const ScopedetectTurn *r,
    ScopedetectVec t, ScopedetectVec x, ScopedetectVec normal, float tolerance,
    int *value)
{
  ScopedetectVec p = scopedetect_apply (r, t, x);
  ScopedetectVec n = scopedetect_rotate (r, normal);
  float along = scopedetect_dot (n, p), off, fit;
  const ScopedetectPixel *o;
  int u, v;

  *value = 0;
  if (!(along < 0) ||
      along * along <
          SCOPEDETECT_FRONT * SCOPEDETECT_FRONT * scopedetect_dot (p, p))
    return false;
  if (!scopedetect_project (scene, p, &u, &v))
    return true;
  o = &scene->pixel[(size_t) v * scene->width + u];
  if (!(o->z > 0))
    return true;
  off = p.z - o->z;
  if (off < -2 * tolerance) {
    *value = -512;
  } else if (fabsf (off) < tolerance) {
    fit = (1 - fabsf (off) / tolerance) *
        (n.x * o->nx + n.y * o->ny + n.z * o->nz);
    *value = fit > 0 ? (int) (fit * 256 + .5f) : 0;
  }
  return true;
}

/* The mean over the first @n points that face the camera, in 1/4096; the least
 * where there are none. */
BOTH int
scopedetect_agreement (const ScopedetectScene *scene, const ScopedetectShape *s,
    ScopedetectPose pose, int n, float tolerance)
{
  ScopedetectTurn r = scopedetect_turn (pose.q);
  int sum = 0, front = 0, value;

  for (int i = 0; i < n; i++)
    if (scopedetect_agree (
            scene, &r, pose.t, s->x[i], s->normal[i], tolerance, &value))
      front++, sum += value;
  return front ? sum * 16 / front : -8192;
}

/* Whether two poses of a model are alike (1.2): its centre less than
 * sqrt (@distance2) apart, and the turns' |q q'| more than @cosine, which is
 * that of HALF the angle between them. */
BOTH bool
scopedetect_alike (const ScopedetectShape *s, ScopedetectPose a,
    ScopedetectPose b, float distance2, float cosine)
{
  ScopedetectTurn ra = scopedetect_turn (a.q), rb = scopedetect_turn (b.q);
  ScopedetectVec d = scopedetect_sub (scopedetect_apply (&ra, a.t, s->centre),
      scopedetect_apply (&rb, b.t, s->centre));

  return fabsf (scopedetect_quat_dot (a.q, b.q)) > cosine &&
      scopedetect_dot (d, d) < distance2;
}

/* Round 1's score (1.2.1): less the more of the first @n points lie in free
 * space, and nothing where those are too many. */
BOTH int
scopedetect_free_score (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose pose, int n)
{
  ScopedetectTurn r = scopedetect_turn (pose.q);
  float gap = (float) w->params.free_gap;
  int free = 0, u, v;

  for (int i = 0; i < n; i++) {
    ScopedetectVec p = scopedetect_apply (&r, pose.t, s->x[i]);

    if (scopedetect_project (&w->scene, p, &u, &v))
      free += w->scene.z[(size_t) v * w->scene.width + u] > p.z + gap;
  }
  return (float) free > (float) w->params.free_part * (float) n
      ? SCOPEDETECT_DROPPED
      : -(int) ((long long) free * 65536 / n);
}

/* Which of @n neighbours with squared distances @d2, in steps of the code, a
 * random number @u in [0, 1) means: with p ~ exp (-d2 / (2 sigma^2)) (1.2). */
BOTH int
scopedetect_pick (const int *d2, int n, float sigma2, float u)
{
  float p[SCOPEDETECT_MAX_NEIGHBOURS], sum = 0;
  int k = 0;

  for (int i = 0; i < n; i++)
    sum += p[i] = scopedetect_exp (-(float) (d2[i] - d2[0]) / (2 * sigma2));
  for (u *= sum; k + 1 < n && u >= p[k]; k++)
    u -= p[k];
  return k;
}
