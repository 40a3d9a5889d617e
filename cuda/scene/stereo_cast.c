/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first surface on a ray, and its normal. */
#include "scene/stereo_core.h"

/* ---- The head ----
 *
 * An ellipsoid with nose, brows, lips, chin and ears that stand out, and with
 * eyes that are set in.  It looks towards -z. */

const double stereo_head_half[3] = {.085, .125, .105};

/* Smooth bumps: place on the unit sphere, height (below 0: depth) and width, in
 * half sizes of the head. */
static const struct {
  double at[3], height, radius;
} bumps[] = {
    {{0, .1, -.99}, .25, .32},       /* nose */
    {{0, -.12, -.99}, .1, .24},      /* its bridge */
    {{-.36, -.3, -.88}, .07, .28},   /* brows */
    {{.36, -.3, -.88}, .07, .28},    /*      */
    {{-.33, -.08, -.94}, -.12, .27}, /* eyes */
    {{.33, -.08, -.94}, -.12, .27},  /*     */
    {{0, .46, -.89}, .07, .22},      /* lips */
    {{0, .8, -.6}, .12, .34},        /* chin */
    {{-1, .02, .05}, .14, .26},      /* ears */
    {{1, .02, .05}, .14, .26},       /*     */
};

#define N_BUMPS (int) (sizeof bumps / sizeof *bumps)

/* The greatest change of the level by a bump on a way of unit length: its
 * profile (1 - q^2)^3 is steepest at q^2 = 1/5. */
#define STEEP 1.7174

/* The bumps on a ray's way, and the greatest change of the level by all of
 * them. */
typedef struct {
  int n, bump[N_BUMPS];
  double highest, steepest;
} Bumps;

/* The level at @s, and its gradient; both in half sizes. */
static double
head_level_at (const Bumps *some, const double s[3], double gradient[3])
{
  double r = sqrt (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), level = r - 1;

  for (int i = 0; i < 3; i++)
    gradient[i] = s[i] / r;
  for (int k = 0; k < some->n; k++) {
    int b = some->bump[k];
    double d[3] = {
        s[0] - bumps[b].at[0], s[1] - bumps[b].at[1], s[2] - bumps[b].at[2]};
    double wide = 1 / (bumps[b].radius * bumps[b].radius);
    double rest = 1 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * wide;

    if (rest <= 0)
      continue;
    level -= bumps[b].height * rest * rest * rest;
    for (int i = 0; i < 3; i++)
      gradient[i] += 6 * bumps[b].height * rest * rest * d[i] * wide;
  }
  return level;
}

double
stereo_head_level (const double p[3], double gradient[3])
{
  const double *half = stereo_head_half;
  double s[3] = {p[0] / half[0], p[1] / half[1], p[2] / half[2]}, level;
  Bumps all = {.n = N_BUMPS};

  for (int k = 0; k < N_BUMPS; k++)
    all.bump[k] = k;
  level = head_level_at (&all, s, gradient);
  for (int i = 0; i < 3; i++)
    gradient[i] /= half[i];
  return level;
}

/* A ray in half sizes, and the squares and products of its components. */
typedef struct {
  double eye[3], way[3], a, b, c;
} Ray;

/* The bumps that the ray passes through. */
static Bumps
bumps_on_ray (const Ray *ray)
{
  Bumps some = {.steepest = 1};

  for (int k = 0; k < N_BUMPS; k++) {
    double along = 0, apart = 0, radius = bumps[k].radius;

    for (int i = 0; i < 3; i++) {
      double to = bumps[k].at[i] - ray->eye[i];

      along += to * ray->way[i], apart += to * to;
    }
    if (apart - along * along / ray->a >= radius * radius)
      continue;
    some.bump[some.n++] = k;
    some.highest += fmax (bumps[k].height, 0);
    some.steepest += STEEP * fabs (bumps[k].height) / radius;
  }
  return some;
}

/* Finds the part of the ray within the head enlarged by @larger. */
static bool
enter_head (const Ray *ray, double larger, double *in, double *out)
{
  double root = ray->b * ray->b - ray->a * (ray->c - larger * larger);

  if (root <= 0)
    return false;
  root = sqrt (root);
  *in = (-ray->b - root) / ray->a, *out = (-ray->b + root) / ray->a;
  return *in >= 0;
}

static double
level_on_ray (const Ray *ray, const Bumps *some, double z, double *slope)
{
  double s[3], g[3], level;

  for (int i = 0; i < 3; i++)
    s[i] = ray->eye[i] + z * ray->way[i];
  level = head_level_at (some, s, g);
  *slope = g[0] * ray->way[0] + g[1] * ray->way[1] + g[2] * ray->way[2];
  return level;
}

/* Finds the surface between a place outside and one inside. */
static double
bisect_to_head (
    const Ray *ray, const Bumps *some, double outside, double inside)
{
  double slope;

  for (int i = 0; i < 50; i++) {
    double z = (outside + inside) / 2;

    if (level_on_ray (ray, some, z, &slope) > 0)
      outside = z;
    else
      inside = z;
  }
  return outside;
}

/* Goes in steps that cannot pass through the surface; near it in Newton's
 * steps, which are at most eight times as long. */
static bool
march_to_head (
    const Ray *ray, const Bumps *some, double at, double out, double *z)
{
  double speed = some->steepest * sqrt (ray->a), last = at;

  for (int i = 0; i < 500 && at <= out; i++) {
    double slope, level = level_on_ray (ray, some, at, &slope), step;

    if (level < -1e-12)
      at = bisect_to_head (ray, some, last, at);
    if (level < 1e-12) {
      *z = at;
      return true;
    }
    last = at, step = level / speed;
    if (level < .02 && slope < 0)
      step = fmin (fmax (step, -level / slope), 8 * step);
    at += fmax (step, 1e-12);
  }
  return false;
}

bool
stereo_head_meet (const double eye[3], const double way[3], double *z)
{
  Ray ray = {.a = 0};
  double out;
  Bumps some;

  for (int i = 0; i < 3; i++) {
    ray.eye[i] = eye[i] / stereo_head_half[i];
    ray.way[i] = way[i] / stereo_head_half[i];
    ray.a += ray.way[i] * ray.way[i], ray.b += ray.eye[i] * ray.way[i];
    ray.c += ray.eye[i] * ray.eye[i];
  }
  if (!enter_head (&ray, STEREO_BUMPS, z, &out))
    return false;
  some = bumps_on_ray (&ray);
  if (!enter_head (&ray, 1 + some.highest, z, &out))
    return false;
  return !some.n || march_to_head (&ray, &some, *z, out, z);
}

/* ---- The first surface on a ray ---- */

static bool
meet_thing_plane (
    const double half[3], const double eye[3], const double ray[3], double *z)
{
  if (ray[2] == 0)
    return false;
  *z = -eye[2] / ray[2];
  return fabs (eye[0] + *z * ray[0]) <= half[0] &&
      fabs (eye[1] + *z * ray[1]) <= half[1];
}

static bool
meet_thing_ball (double radius, const double e[3], const double d[3], double *z)
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
ray_in_thing (const StereoCamera *c, const StereoTarget *t, double x, double y,
    double ray[3])
{
  double u = (x - c->cx) / c->f, v = (y - c->cy) / c->f;

  for (int i = 0; i < 3; i++)
    ray[i] = t->turn[i][0] * u + t->turn[i][1] * v + t->turn[i][2];
}

static bool
meet_thing (const StereoThing *thing, const double eye[3], const double ray[3],
    double *z)
{
  switch (thing->shape) {
    case STEREO_PLANE:
      return meet_thing_plane (thing->half, eye, ray, z);
    case STEREO_BALL:
      return meet_thing_ball (thing->half[0], eye, ray, z);
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
    ray_in_thing (&plan->camera[view], t, x, y, ray);
    if (!meet_thing (&plan->thing[i], t->eye, ray, &z) || z <= 0)
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

  ray_in_thing (&plan->camera[view], t, x, y, ray);
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
