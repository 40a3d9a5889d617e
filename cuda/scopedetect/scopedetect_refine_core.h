/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gauss-Newton refinement of a pose: moves the model's points onto the planes
 * of their pixels. Sums are integers, so that their order does not matter. */
#pragma once

#include "common/image.h"
#include "scopedetect/scopedetect_round1_core.h"

#define SCOPEDETECT_FIX 1048576.f /* steps a unit in sums */

/* @v, whose absolute value is below 2,000, rounded to the steps of the sums. */
BOTH int
scopedetect_fix (float v)
{
  return (int) (v * SCOPEDETECT_FIX + (v < 0 ? -.5f : .5f));
}

/* Sets @j to the row of a point in the equations, its error last; false if the
 * point does not count. Adds it to @front if it faces the camera. @c: the
 * model's centre in camera coordinates; @gate: the maximum distance of a point
 * from its plane, metres. */
BOTH bool
scopedetect_point_row (const ScopedetectScene *scene, const Turn *r, Vec t,
    Vec c, float radius, Vec x, Vec normal, float gate, long long *front,
    float j[7])
{
  Vec p = vec_transform (r, t, x), n = vec_rotate (r, normal);
  float along = vec_dot (n, p), e;
  Vec on, o, w;
  ScopedetectPixel pixel;
  int u, v;

  if (!(along < 0) ||
      along * along < SCOPEDETECT_FRONT * SCOPEDETECT_FRONT * vec_dot (p, p))
    return false;
  (*front)++;
  if (!scopedetect_project (scene, p, &u, &v))
    return false;
  pixel = scene->pixel[(size_t) v * scene->width + u];
  on = vec (pixel.nx, pixel.ny, pixel.nz);
  if (!(pixel.z > 0) || vec_dot (on, n) < .5f ||
      fabsf (pixel.z - p.z) > 2 * gate)
    return false;
  o = scopedetect_unproject (scene, u, v, pixel.z);
  e = vec_dot (vec_sub (o, p), on) / gate;
  if (fabsf (e) > 1)
    return false;
  w = vec_cross (vec_scale (vec_sub (p, c), 1 / radius), on);
  j[0] = w.x, j[1] = w.y, j[2] = w.z, j[3] = on.x, j[4] = on.y, j[5] = on.z;
  j[6] = e;
  return true;
}

/* Adds one point, as scopedetect_point_row () has it. */
BOTH void
scopedetect_sum_point (ScopedetectSums *sums, const ScopedetectScene *scene,
    const Turn *r, Vec t, Vec c, float radius, Vec x, Vec normal, float gate)
{
  float j[7];
  int k = 0;

  if (!scopedetect_point_row (
          scene, r, t, c, radius, x, normal, gate, &sums->front, j))
    return;
  for (int a = 0; a < 6; a++) {
    for (int b = a; b < 6; b++)
      sums->a[k++] += scopedetect_fix (j[a] * j[b]);
    sums->b[a] += scopedetect_fix (j[a] * j[6]);
  }
  sums->e += scopedetect_fix (j[6] * j[6]);
  sums->n++;
}

/* Replaces the lower triangle of a symmetric 6 x 6 matrix by its Cholesky
 * factor; false if the matrix is not positive definite. */
BOTH bool
scopedetect_factor (double m[6][6])
{
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      double s = m[i][j];

      for (int k = 0; k < j; k++)
        s -= m[i][k] * m[j][k];
      if (i != j)
        m[i][j] = s / m[j][j];
      else if (!(s > 1e-12))
        return false;
      else
        m[i][i] = sqrt (s);
    }
  return true;
}

BOTH void
scopedetect_solve (double m[6][6], double b[6])
{
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < i; k++)
      b[i] -= m[i][k] * b[k];
    b[i] /= m[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    for (int k = i + 1; k < 6; k++)
      b[i] -= m[k][i] * b[k];
    b[i] /= m[i][i];
  }
}

BOTH void
scopedetect_matrix (const ScopedetectSums *s, double damp, double m[6][6])
{
  int k = 0;

  for (int a = 0; a < 6; a++)
    for (int b = a; b < 6; b++)
      m[a][b] = m[b][a] = (double) s->a[k++] / SCOPEDETECT_FIX;
  for (int a = 0; a < 6; a++)
    m[a][a] += damp;
}

/* Moves @p by the Gauss-Newton step of the sums; false with too few points. */
BOTH bool
scopedetect_step (
    const ScopedetectSums *s, Vec c, float radius, float gate, Pose *p)
{
  double m[6][6], b[6], length;
  Vec w, v;

  if (s->n < 10)
    return false;
  scopedetect_matrix (s, 1e-3 * (double) s->n, m);
  for (int a = 0; a < 6; a++)
    b[a] = (double) s->b[a] / SCOPEDETECT_FIX * gate;
  if (!scopedetect_factor (m))
    return false;
  scopedetect_solve (m, b);
  w = vec_scale (vec ((float) b[0], (float) b[1], (float) b[2]), 1 / radius);
  v = vec ((float) b[3], (float) b[4], (float) b[5]);
  length = vec_norm (w);
  if (length > .3) { /* at most 17 degrees a step */
    w = vec_scale (w, (float) (.3 / length));
    v = vec_scale (v, (float) (.3 / length));
  }
  /* the rotation is about the centre */
  p->t = vec_sub (p->t, c);
  *p = pose_moved (*p, w, v);
  p->t = vec_add (p->t, c);
  return true;
}

BOTH void
scopedetect_join (ImageBox *b, int x, int y)
{
  b->x0 = x < b->x0 ? x : b->x0;
  b->y0 = y < b->y0 ? y : b->y0;
  b->x1 = x + 1 > b->x1 ? x + 1 : b->x1;
  b->y1 = y + 1 > b->y1 ? y + 1 : b->y1;
}

/* Extends @box by point @x of the model, and @seen if the point is visible. */
BOTH void
scopedetect_grow (const ScopedetectScene *s, const Turn *r, Vec t, Vec x,
    Vec normal, float tolerance, ImageBox *box, ImageBox *seen)
{
  Vec p = vec_transform (r, t, x);
  float off;
  int u, v;

  if (!scopedetect_project (s, p, &u, &v))
    return;
  scopedetect_join (box, u, v);
  off = fabsf (p.z - s->z[(size_t) v * s->width + u]);
  if (vec_dot (vec_rotate (r, normal), p) < 0 && off < 2 * tolerance)
    scopedetect_join (seen, u, v);
}
