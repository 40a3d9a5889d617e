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

/* The object's size is the greatest size seen, which decays with this time
 * constant: an object that slides behind another one comes out again much
 * sooner. */
#define FORGET 10. /* seconds */

double
moct_track_size (const MoctTrack *t)
{
  return fmax (t->width, t->height);
}

#define GROWTH 1.01 /* the most that the area may grow from frame to frame */
#define WHOLE .9    /* part of the area: nothing hides the object */

void
moct_track_grow (MoctTrack *t, const MoctSum *sum)
{
  t->width = fmax (t->width, sum->box.x1 - sum->box.x0);
  t->height = fmax (t->height, sum->box.y1 - sum->box.y0);
  t->area = fmax (t->area, (double) sum->n);
  t->own = fmax (t->own,
      fmin (sum->n, t->known < MOCT_YOUNG ? INFINITY : GROWTH * t->own));
  t->known += t->known < MOCT_YOUNG;
  if (sum->n >= WHOLE * t->own && WHOLE * sum->n <= t->own)
    t->whole = *sum;
}

static void
decay_size (MoctTrack *t, double dt)
{
  double keep = exp (-dt / FORGET);

  t->width *= keep;
  t->height *= keep;
  t->area *= keep;
  t->own *= fmax (keep, 1 / GROWTH); /* a loss that the next frame's growth can
                                        make up for */
}

/* Noise grows with the object's size, because a large object is near.  The
 * acceleration is ten lengths a second squared; the measured centre is off by a
 * fiftieth of the length, and by half a pixel at least. */
static double
track_acceleration (const MoctTrack *t)
{
  return 10 * moct_track_size (t) + 100;
}

static double
track_noise (const MoctTrack *t)
{
  return .5 + moct_track_size (t) / 50;
}

void
moct_track_predict (MoctTrack *t, double dt)
{
  double a = track_acceleration (t), q = a * a * dt;

  if (!t->missed && !t->merged)
    decay_size (t, dt);
  t->x += t->vx * dt;
  t->y += t->vy * dt;
  t->pp += dt * (2 * t->pv + dt * t->vv) + q * dt * dt / 3;
  t->pv += dt * t->vv + q * dt / 2;
  t->vv += q;
  t->cx = t->x;
  t->cy = t->y;
}

/* Corrects the track by the offset (@dx, @dy) from the prediction, measured
 * with the standard deviation @sigma. */
static void
correct_by_offset (MoctTrack *t, double dx, double dy, double sigma)
{
  double s = t->pp + sigma * sigma, kp = t->pp / s, kv = t->pv / s;

  t->x += kp * dx;
  t->y += kp * dy;
  t->vx += kv * dx;
  t->vy += kv * dy;
  t->vv -= kv * t->pv;
  t->pv -= kp * t->pv;
  t->pp = kp < 1 ? t->pp - kp * t->pp : sigma * sigma; /* rounded to 1 */
}

/* If part of the object is hidden, the middle of the visible part may be off by
 * that part of half the length.  Only an offset beyond this corrects the track:
 * otherwise an object that slides behind another one would seem to stop
 * there. */
void
moct_track_correct (MoctTrack *t, const MoctSum *sum)
{
  double dx = moct_sum_cx (sum) - t->x, dy = moct_sum_cy (sum) - t->y;
  double off, beyond;

  off = fmax (0, 1 - sum->n / t->area) * moct_track_size (t) / 2;
  beyond = fmax (0, 1 - off / fmax (hypot (dx, dy), 1e-9));
  correct_by_offset (t, beyond * dx, beyond * dy, track_noise (t) + off);
  t->cx = moct_sum_cx (sum);
  t->cy = moct_sum_cy (sum);
  t->sum = *sum;
}

void
moct_track_place (MoctTrack *t, double x, double y)
{
  double size = moct_track_size (t);

  correct_by_offset (t, isnan (x) ? 0 : x - t->x, isnan (y) ? 0 : y - t->y,
      track_noise (t) + size / 10);
  t->cx = t->x;
  t->cy = t->y;
}

void
moct_track_show (MoctTrack *t)
{
  int dx = (int) lround (t->cx - moct_sum_cx (&t->whole));
  int dy = (int) lround (t->cy - moct_sum_cy (&t->whole));

  if (!t->whole.n || t->whole.box.x0 + dx < 0 || t->whole.box.y0 + dy < 0)
    return;
  t->sum = t->whole;
  moct_sum_move (&t->sum, dx, dy);
  t->missed = -1;
  t->merged = false;
}

void
moct_track_begin (MoctTrack *t, int colour, const MoctSum *sum)
{
  memset (t, 0, sizeof *t);
  t->colour = colour;
  t->x = t->cx = moct_sum_cx (sum);
  t->y = t->cy = moct_sum_cy (sum);
  t->sum = *sum;
  moct_track_grow (t, sum);
  t->pp = track_noise (t) * track_noise (t);
  t->vv = track_acceleration (t) * track_acceleration (t);
}

double
moct_track_reach (const MoctTrack *t, double gate)
{
  return gate * moct_track_size (t) + 3 * sqrt (t->pp);
}

void
moct_sum_shape (const MoctSum *s, double *orientation, double *elongation)
{
  Moments m = {s->n, s->x, s->y, s->xx, s->xy, s->yy};
  Spread spread = moments_spread (&m);

  *orientation = spread_orientation (&spread);
  *elongation = spread_elongation (&spread);
}

/* Sets the object's box: the visible box, or one as large as before it was
 * hidden. */
static void
set_object_box (MoctObject *o, const MoctTrack *t)
{
  const ImageBox *box = &t->sum.box;

  if (o->state == MOCT_NEW || o->state == MOCT_TRACKING) {
    o->x0 = box->x0, o->y0 = box->y0;
    o->x1 = box->x1, o->y1 = box->y1;
    return;
  }
  o->x0 = t->cx + .5 - t->width / 2;
  o->y0 = t->cy + .5 - t->height / 2;
  o->x1 = o->x0 + t->width;
  o->y1 = o->y0 + t->height;
}

MoctObject
moct_track_object (const MoctTrack *t)
{
  uint32_t lived = t->frames < 32 ? t->frames : 32;
  MoctObject o = {.id = t->id,
      .colour = t->colour,
      .state = t->lost             ? MOCT_LOST
          : t->missed || t->merged ? MOCT_OCCLUDED
          : t->reported == 1       ? MOCT_NEW
                                   : MOCT_TRACKING,
      .area = t->sum.n,
      .cx = t->cx,
      .cy = t->cy,
      .vx = t->vx,
      .vy = t->vy,
      .covariance = {t->pp, 0, 0, t->pp},
      .age = t->age,
      .score = __builtin_popcount (t->history) / (double) lived,
      .track = t->slot};

  set_object_box (&o, t);
  moct_sum_shape (&t->sum, &o.orientation, &o.elongation);
  return o;
}
