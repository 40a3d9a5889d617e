/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a ray meets, and how the surface lies there. */
#include "scene/stereo_core.h"

static bool
meet_plane (
    const double half[3], const double eye[3], const double ray[3], double *z)
{
  if (ray[2] == 0)
    return false;
  *z = -eye[2] / ray[2];
  return fabs (eye[0] + *z * ray[0]) <= half[0] &&
      fabs (eye[1] + *z * ray[1]) <= half[1];
}

static bool
meet_ball (double radius, const double e[3], const double d[3], double *z)
{
  double a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  double b = e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
  double c = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - radius * radius;
  double root = b * b - a * c;

  if (root <= 0)
    return false;
  *z = (-b - sqrt (root)) / a;
  return true;
}

static void
ray_of (const StereoCamera *c, const StereoTarget *t, double x, double y,
    double ray[3])
{
  double u = (x - c->cx) / c->f, v = (y - c->cy) / c->f;

  for (int i = 0; i < 3; i++)
    ray[i] = t->turn[i][0] * u + t->turn[i][1] * v + t->turn[i][2];
}

static bool
meet (const StereoThing *thing, const double eye[3], const double ray[3],
    double *z)
{
  switch (thing->shape) {
    case STEREO_PLANE:
      return meet_plane (thing->half, eye, ray, z);
    case STEREO_BALL:
      return meet_ball (thing->half[0], eye, ray, z);
    case STEREO_FACE:
      return stereo_head_meet (eye, ray, z);
  }
  return false;
}

StereoHit
stereo_cast (const StereoPlan *plan, StereoView view, double x, double y)
{
  StereoHit hit = {-1, INFINITY, 0};

  for (int i = 0; i < plan->n; i++) {
    const StereoTarget *t = &plan->target[view][i];
    double ray[3], z;

    if (x < t->x0 || x > t->x1 || y < t->y0 || y > t->y1)
      continue;
    ray_of (&plan->camera[view], t, x, y, ray);
    if (!meet (&plan->thing[i], t->eye, ray, &z) || z <= 0)
      continue;
    hit.met |= 1u << i;
    if (z < hit.z)
      hit.thing = i, hit.z = z;
  }
  return hit;
}

void
stereo_point (const StereoPlan *plan, StereoView view, int thing, double x,
    double y, double z, double p[3])
{
  const StereoTarget *t = &plan->target[view][thing];
  double ray[3];

  ray_of (&plan->camera[view], t, x, y, ray);
  for (int i = 0; i < 3; i++)
    p[i] = t->eye[i] + z * ray[i];
}

void
stereo_normal (
    const StereoPlan *plan, int thing, const double p[3], double n[3])
{
  const StereoTarget *t = &plan->target[STEREO_LEFT][thing];
  double own[3] = {0, 0, t->eye[2] < 0 ? -1 : 1}, length;

  if (plan->thing[thing].shape == STEREO_BALL)
    memcpy (own, p, sizeof own);
  if (plan->thing[thing].shape == STEREO_FACE)
    stereo_head_level (p, own);
  length = sqrt (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
  for (int i = 0; i < 3; i++)
    n[i] = (t->turn[0][i] * own[0] + t->turn[1][i] * own[1] +
               t->turn[2][i] * own[2]) /
        length;
}
