/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_filter.h"

#include <math.h>
#include <string.h>

double
moct_sum_cx (const MoctSum *s)
{
  return (double) s->x / (double) s->n;
}

double
moct_sum_cy (const MoctSum *s)
{
  return (double) s->y / (double) s->n;
}

double
moct_sum_extent (const MoctSum *s)
{
  int w = s->box.x1 - s->box.x0, h = s->box.y1 - s->box.y0;

  return w > h ? w : h;
}

/* Noise goes with the size of the object, because a large one is a near one:
 * an acceleration of ten lengths a second squared; a fiftieth of its length in
 * the measured centre, half a pixel at least. */
void
moct_track_predict (MoctTrack *t, double dt)
{
  double a = 10 * moct_sum_extent (&t->sum) + 100, q = a * a * dt;

  t->x += t->vx * dt;
  t->y += t->vy * dt;
  t->pp += dt * (2 * t->pv + dt * t->vv) + q * dt * dt / 3;
  t->pv += dt * t->vv + q * dt / 2;
  t->vv += q;
  t->cx = t->x;
  t->cy = t->y;
}

void
moct_track_correct (MoctTrack *t, const MoctSum *sum)
{
  double noise = .5 + moct_sum_extent (sum) / 50, s = t->pp + noise * noise;
  double kp = t->pp / s, kv = t->pv / s;
  double dx = moct_sum_cx (sum) - t->x, dy = moct_sum_cy (sum) - t->y;

  t->x += kp * dx;
  t->y += kp * dy;
  t->vx += kv * dx;
  t->vy += kv * dy;
  t->vv -= kv * t->pv;
  t->pv -= kp * t->pv;
  t->pp -= kp * t->pp;
  t->cx = moct_sum_cx (sum);
  t->cy = moct_sum_cy (sum);
  t->sum = *sum;
}

void
moct_track_begin (MoctTrack *t, int colour, const MoctSum *sum)
{
  double noise = .5 + moct_sum_extent (sum) / 50,
         speed = 10 * moct_sum_extent (sum) + 100;

  memset (t, 0, sizeof *t);
  t->colour = colour;
  t->x = t->cx = moct_sum_cx (sum);
  t->y = t->cy = moct_sum_cy (sum);
  t->pp = noise * noise;
  t->vv = speed * speed;
  t->sum = *sum;
}

double
moct_track_reach (const MoctTrack *t, double gate)
{
  return gate * moct_sum_extent (&t->sum) + 3 * sqrt (t->pp);
}

void
moct_sum_shape (const MoctSum *s, double *orientation, double *elongation)
{
  double n = (double) s->n, cx = moct_sum_cx (s), cy = moct_sum_cy (s);
  double xx = (double) s->xx / n - cx * cx + 1. / 12;
  double yy = (double) s->yy / n - cy * cy + 1. / 12;
  double xy = (double) s->xy / n - cx * cy;
  double root = sqrt ((xx - yy) * (xx - yy) + 4 * xy * xy);
  double angle = .5 * atan2 (2 * xy, xx - yy);

  *orientation = angle <= -M_PI_2 ? angle + M_PI : angle;
  *elongation = sqrt ((xx + yy + root) / fmax (xx + yy - root, 1e-9));
}
