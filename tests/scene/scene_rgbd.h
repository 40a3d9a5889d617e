/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tests of the scene rgbd share: its frames, and its surfaces worked
 * out in another way. */
#pragma once

#include <math.h>

#include "check.h"
#include "poses.h"
#include "scene/rgbd_core.h"

/* In doubles: solids are signed distance functions, rays march along them,
 * quaternions turn vectors by their product. */

/* A scene with all that it says about a frame. */
typedef struct {
  Rgbd *scene;
  Image img;
  RgbdTruth truth;
  uint8_t *classes;
  uint16_t *labels;
} View;

static inline View
view_new (int w, int h)
{
  View v = {.img = {.width = w, .height = h, .format = IMAGE_GRAY16}};
  size_t n = (size_t) w * h;

  v.img.stride[0] = 2 * w;
  v.img.plane[0] = malloc (2 * n);
  v.classes = malloc (2 * n);
  v.labels = malloc (2 * n);
  ok (rgbd_new (&v.scene, w, h));
  return v;
}

static inline void
view_free (View *v)
{
  rgbd_free (v->scene);
  free (v->img.plane[0]);
  free (v->classes);
  free (v->labels);
}

AUTO_FREE (View, view_free)

static inline void
view_show (View *v, const RgbdParams *p, uint64_t number)
{
  ok (rgbd_render (
      v->scene, p, number, &v->img, &v->truth, v->classes, v->labels));
}

static inline int
depth_at (const View *v, int x, int y)
{
  const uint8_t *p = v->img.plane[0] + (size_t) y * v->img.stride[0] + 2 * x;

  return p[0] | p[1] << 8;
}

static inline int
class_at (const View *v, int x, int y)
{
  return v->classes[2 * ((size_t) y * v->img.width + x)];
}

static inline int
label_at (const View *v, int x, int y)
{
  return v->labels[(size_t) y * v->img.width + x];
}

static inline void
flatten (const Pose64 *p, double pose[7])
{
  memcpy (pose, p->t, sizeof p->t);
  memcpy (pose + 3, p->q, sizeof p->q);
}

/* Negative inside. */
static inline double
distance_of (const RgbdSolid *s, const double v[3])
{
  double pose[7], p[3], q[3], out = 0, in = -INFINITY, r;

  flatten (&s->pose, pose);
  carry_back (pose, v, p);
  if (s->shape == RGBD_SPHERE)
    return sqrt (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - s->half[0];
  r = sqrt (p[0] * p[0] + p[2] * p[2]) - s->half[0];
  for (int i = 0; i < 3; i++)
    q[i] = fabs (p[i]) - s->half[i];
  if (s->shape == RGBD_CYLINDER)
    q[0] = q[2] = r;
  for (int i = 0; i < (s->shape == RGBD_CYLINDER ? 2 : 3); i++) {
    out += q[i] > 0 ? q[i] * q[i] : 0;
    in = fmax (in, q[i]);
  }
  r = in > 0 ? sqrt (out) : in;
  return s->shape == RGBD_ROOM ? -r : r;
}

static inline double
nearest_of (const RgbdSolid *solids, int n, const double v[3])
{
  double d = INFINITY;

  for (int i = 0; i < n; i++)
    d = fmin (d, distance_of (&solids[i], v));
  return d;
}

/* Which places of what moves: none, where it is, where it stood. */
typedef enum { ROOM, NOW, REST } With;

static inline double
distance_to_mover (const RgbdMover *m, With with, const double v[3])
{
  double pose[7], p[3];

  flatten (with == NOW ? &m->now : &m->rest, pose);
  carry_back (pose, v, p);
  return nearest_of (m->body->parts, m->body->n_parts, p);
}

static inline double
distance_in (const RgbdPlan *plan, With with, const double v[3])
{
  double d = nearest_of (plan->furniture, plan->n_furniture, v);

  for (int i = 0; with != ROOM && i < plan->n_movers; i++)
    d = fmin (d, distance_to_mover (&plan->movers[i], with, v));
  return d;
}

/* How many times farther from the axis a point is seen than it would be without
 * distortion, by the numbers that the truth tells: bisected. */
static inline double
spread_by (const RgbdTruth *t, double seen)
{
  const double *k = t->distortion;
  double lo = 0, hi = 2;

  for (int i = 0; i < 60; i++) {
    double r = (lo + hi) / 2, q = r * r;

    *(r * (1 + k[0] * q + k[1] * q * q + k[4] * q * q * q) < seen ? &lo : &hi) =
        r;
  }
  return lo > 0 ? seen / lo : 1;
}

static inline void
ray_of (const RgbdTruth *t, double x, double y, double ray[3])
{
  double spread;

  ray[0] = (x - t->cx) / t->fx, ray[1] = (y - t->cy) / t->fy, ray[2] = 1;
  if (t->distortion[0] == 0)
    return;
  spread = spread_by (t, hypot (ray[0], ray[1]));
  ray[0] /= spread, ray[1] /= spread;
}

/* The point in the world at depth @z of a pixel. */
static inline void
point_of (const RgbdTruth *t, double x, double y, double z, double point[3])
{
  double ray[3];

  ray_of (t, x, y, ray);
  for (int i = 0; i < 3; i++)
    ray[i] *= z;
  carry (t->camera, ray, point);
}

/* Depth at which the ray of a pixel comes to a surface. */
static inline double
march (const RgbdPlan *plan, With with, const RgbdTruth *t, int x, int y)
{
  double ray[3], z = .05, length;

  ray_of (t, x, y, ray);
  length = sqrt (ray[0] * ray[0] + ray[1] * ray[1] + 1);
  for (int i = 0; i < 2000; i++) {
    double p[3], d;

    point_of (t, x, y, z, p);
    d = distance_in (plan, with, p);
    if (d < 1e-6)
      break;
    z += d / length;
  }
  return z;
}

/* How much of a pixel's ray is along the normal of the surface at @point. */
static inline double
facing_of (const RgbdPlan *plan, With with, const RgbdTruth *t, int x, int y,
    const double point[3])
{
  double ray[3], way[3], n[3], length = 0, along = 0;

  ray_of (t, x, y, ray);
  turn (t->camera + 3, ray, way);
  for (int i = 0; i < 3; i++) {
    double a[3] = {point[0], point[1], point[2]};
    double b[3] = {point[0], point[1], point[2]};

    a[i] += 1e-5, b[i] -= 1e-5;
    n[i] = distance_in (plan, with, a) - distance_in (plan, with, b);
    length += n[i] * n[i];
    along += n[i] * way[i];
  }
  return fabs (along) / sqrt (length);
}

/* Whether one of the neighbours is more than @part of the depth away. */
static inline bool
at_edge (const View *v, const float *z, int x, int y, float part)
{
  int w = v->img.width, h = v->img.height;
  float here = z[y * w + x];

  for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < h; j++)
    for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < w; i++)
      if (fabsf (z[j * w + i] - here) > part * here)
        return true;
  return false;
}

/* The pixel in which a point of the camera's is seen; false: in none. */
static inline bool
seen_at (const RgbdTruth *t, const double at[3], int *x, int *y)
{
  const double *k = t->distortion;
  double u = at[0] / at[2], v = at[1] / at[2], q = u * u + v * v;
  double factor = 1 + k[0] * q + k[1] * q * q + k[4] * q * q * q;

  if (at[2] <= 0 || q > 1)
    return false;
  *x = (int) floor (t->fx * u * factor + t->cx + .5);
  *y = (int) floor (t->fy * v * factor + t->cy + .5);
  return *x >= 0 && *y >= 0 && *x <= 2 * t->cx && *y <= 2 * t->cy;
}
