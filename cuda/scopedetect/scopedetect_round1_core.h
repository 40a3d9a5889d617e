/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 (thesis, section 1.2): the pose from one pair of oriented features,
 * and its agreement with the frame. */
#pragma once

#include "common/random.h"
#include "scopedetect/scopedetect_core.h"

#define SCOPEDETECT_FRONT .1f /* minimum cosine of a facing point */

/* The pose in which point @j of the model lies on point @i of the scene with
 * the same frame. Curvature has no sign, so there are two such poses. */
BOTH Pose
scopedetect_pose_of (const ScopedetectCloud *scene, int i,
    const ScopedetectShape *s, int j, bool flip)
{
  Quat q = scene->frame[i];
  Turn r;
  Pose p;

  if (flip)
    q = scopedetect_flip (q);
  p.q = quat_unit (quat_times (q, quat_conjugate (s->frame[j])));
  r = turn_of (p.q);
  p.t = vec_sub (scene->x[i], vec_rotate (&r, s->x[j]));
  return p;
}

/* The matches of model @m of the batch: [query][k]. */
BOTH uint16_t *
scopedetect_matches_of (const ScopedetectMatches *matches, int m)
{
  return matches->point + (size_t) m * matches->room * matches->k;
}

/* The pose of hypothesis @id of @s, which encodes a query, one of its @k
 * matches, and the sign of curvature. @near: the matches of the model. */
BOTH Pose
scopedetect_hypothesis_pose (const ScopedetectCloud *cloud,
    const ScopedetectQueries *queries, const ScopedetectShape *s,
    const uint16_t *near, int k, uint32_t id)
{
  return scopedetect_pose_of (cloud,
      scopedetect_query (queries, (int) (id / 2 / (uint32_t) k)), s,
      near[id / 2], id & 1);
}

/* The agreement of one point of a model: 0 to 256 by depth and normal, -512 in
 * free space. Returns false if the point faces away. */
BOTH bool
scopedetect_agree (const ScopedetectScene *scene, const Turn *r, Vec t, Vec x,
    Vec normal, float tolerance, int *value)
{
  Vec p = vec_transform (r, t, x);
  Vec n = vec_rotate (r, normal);
  float along = vec_dot (n, p), off, fit;
  ScopedetectPixel o;
  int u, v;

  *value = 0;
  if (!(along < 0) ||
      along * along < SCOPEDETECT_FRONT * SCOPEDETECT_FRONT * vec_dot (p, p))
    return false;
  if (!scopedetect_project (scene, p, &u, &v))
    return true;
  o = scene->pixel[(size_t) v * scene->width + u];
  if (!(o.z > 0))
    return true;
  off = p.z - o.z;
  if (off < -2 * tolerance) {
    *value = -512;
  } else if (fabsf (off) < tolerance) {
    fit =
        (1 - fabsf (off) / tolerance) * (n.x * o.nx + n.y * o.ny + n.z * o.nz);
    *value = fit > 0 ? (int) (fit * 256 + .5f) : 0;
  }
  return true;
}

/* The mean of @sum over @front points, in 1/4096; without points the minimum.
 */
BOTH int
scopedetect_agreement_of (int sum, int front)
{
  return front ? sum * 16 / front : -8192;
}

/* The mean agreement of those of the first @n points that face the camera. */
BOTH int
scopedetect_agreement (const ScopedetectScene *scene, const ScopedetectShape *s,
    Pose pose, int n, float tolerance)
{
  Turn r = turn_of (pose.q);
  int sum = 0, front = 0, value;

  for (int i = 0; i < n; i++)
    if (scopedetect_agree (
            scene, &r, pose.t, s->x[i], s->normal[i], tolerance, &value))
      front++, sum += value;
  return scopedetect_agreement_of (sum, front);
}

/* Whether two poses of a model are alike (1.2): the squared distance of the
 * centres is below @distance2, and |q q'| above @cosine, the cosine of HALF the
 * angle between the rotations. */
BOTH bool
scopedetect_alike (
    const ScopedetectShape *s, Pose a, Pose b, float distance2, float cosine)
{
  Turn ra = turn_of (a.q), rb = turn_of (b.q);
  Vec d = vec_sub (
      vec_transform (&ra, a.t, s->centre), vec_transform (&rb, b.t, s->centre));

  return fabsf (quat_dot (a.q, b.q)) > cosine && vec_dot (d, d) < distance2;
}

/* Whether @p, in camera coordinates, lies in free space (1.2.1). */
BOTH bool
scopedetect_is_free (const ScopedetectScene *s, Vec p, float gap)
{
  int u, v;

  return scopedetect_project (s, p, &u, &v) &&
      s->z[(size_t) v * s->width + u] > p.z + gap;
}

/* The score of random poses (1.2.1): minus the share of the @n points that lie
 * in free space; SCOPEDETECT_DROPPED if the share exceeds @max. */
BOTH int
scopedetect_free_score (int free, int n, float max)
{
  return (float) free > max * (float) n ? SCOPEDETECT_DROPPED
                                        : -(int) ((long long) free * 65536 / n);
}

BOTH bool
scopedetect_counts_free (const ScopedetectParams *p)
{
  return p->random || p->free_part < 1;
}

/* The sums of round 1 over @n points of a pose: agreement; points that face the
 * camera; points in free space, if they count. */
typedef struct {
  int agreement, front, free;
} ScopedetectCheck;

BOTH void
scopedetect_check_point (const ScopedetectScene *scene,
    const ScopedetectParams *p, const ScopedetectShape *s, const Turn *r, Vec t,
    int i, ScopedetectCheck *to)
{
  int value;

  if (scopedetect_counts_free (p))
    to->free += scopedetect_is_free (
        scene, vec_transform (r, t, s->x[i]), (float) p->free_gap);
  if (!p->random &&
      scopedetect_agree (
          scene, r, t, s->x[i], s->normal[i], (float) p->tolerance, &value))
    to->front++, to->agreement += value;
}

BOTH int
scopedetect_check_score (
    const ScopedetectParams *p, const ScopedetectCheck *sums, int n)
{
  int free = scopedetect_free_score (sums->free, n, (float) p->free_part);

  return p->random || free == SCOPEDETECT_DROPPED
      ? free
      : scopedetect_agreement_of (sums->agreement, sums->front);
}

/* The neighbour that random @u in [0, 1) draws, with p ~ exp (-d2 / (2
 * sigma^2)) (1.2). @d2: squared distances in steps of the code, ascending. */
BOTH int
scopedetect_pick (const int *d2, int n, float sigma2, float u)
{
  float p[SCOPEDETECT_MAX_NEIGHBOURS], sum = 0;
  int k = 0;

  for (int i = 0; i < n; i++)
    sum += p[i] = math_exp (-(float) (d2[i] - d2[0]) / (2 * sigma2));
  for (u *= sum; k + 1 < n && u >= p[k]; k++)
    u -= p[k];
  return k;
}

/* The squared distance of two codes, in their steps. */
BOTH int
scopedetect_code_distance (const int16_t *a, const int16_t *b)
{
  int sum = 0;

  for (int k = 0; k < SCOPEDETECT_CODE; k++) {
    int16_t d = (int16_t) (a[k] - b[k]);

    sum += d * d;
  }
  return sum;
}

/* Draws a hypothesis of query @q as in the thesis (1.2): one of its @k matches,
 * and the sign of curvature. Returns false if even the nearest feature is more
 * than sigma away. @near: the matches of the model. */
BOTH bool
scopedetect_draw (const ScopedetectCloud *cloud,
    const ScopedetectQueries *queries, const ScopedetectShape *s,
    const uint16_t *near, int k, int q, uint64_t seed, uint32_t *id)
{
  int d2[SCOPEDETECT_MAX_NEIGHBOURS], n = 0, at;
  const int16_t *code =
      cloud->code + (size_t) scopedetect_query (queries, q) * SCOPEDETECT_CODE;
  float sigma = s->feature_sigma * SCOPEDETECT_CODE_SCALE,
        sigma2 = sigma * sigma;

  near += (size_t) q * (size_t) k;
  seed++; /* the seed itself is the plane's */
  for (; n < k && near[n] != UINT16_MAX; n++)
    d2[n] = scopedetect_code_distance (
        code, s->code + (size_t) near[n] * SCOPEDETECT_CODE);
  if (!n || (float) d2[0] > sigma2)
    return false;
  at = scopedetect_pick (d2, n, sigma2, random_unit (seed, 2 * (uint64_t) q));
  *id = ((uint32_t) q * (uint32_t) k + (uint32_t) at) * 2 +
      random_below (seed, 2 * (uint64_t) q + 1, 2);
  return true;
}
