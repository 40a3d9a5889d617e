/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigs to rectify by, and two frames on their way through. */
#pragma once

#include <math.h>

#include "canvas.h"
#include "pocstereo/pocstereo_rectify_core.h"

#define SAMPLE_GUARD 0xbeef

/* What is asked of one run, and what came back in host memory. */
typedef struct {
  Canvas frame[2];
  const PocstereoView *view; /* two; NULL: none */
  int stride;                /* of samples */
  uint16_t *sample[2];       /* with a row of guards before and behind */
  uint8_t *valid[2];         /* NULL where there is no map */
} Pair;

static inline PocstereoView
view_plain (int width, int height, double f)
{
  double cx = (width - 1) / 2., cy = (height - 1) / 2.;
  PocstereoView v = {.k = {f, 0, cx, 0, f, cy, 0, 0, 1},
      .r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .p = {f, 0, cx, 0, 0, f, cy, 0, 0, 0, 1, 0}};

  return v;
}

static inline double
between (double low, double high)
{
  return low + (high - low) * rnd (1 << 20) / (1 << 20);
}

/* Turned by the angles @a about the axes, one after the other. */
static inline void
view_turn (PocstereoView *v, const double a[3])
{
  double s[3], c[3];

  for (int i = 0; i < 3; i++)
    s[i] = sin (a[i]), c[i] = cos (a[i]);
  double r[9] = {c[1] * c[2], c[2] * s[0] * s[1] - c[0] * s[2],
      c[0] * c[2] * s[1] + s[0] * s[2], c[1] * s[2],
      c[0] * c[2] + s[0] * s[1] * s[2], c[0] * s[1] * s[2] - c[2] * s[0], -s[1],
      c[1] * s[0], c[0] * c[1]};
  memcpy (v->r, r, sizeof r);
}

static inline PocstereoView
view_random (int width, int height)
{
  int side = width > height ? width : height;
  PocstereoView v = view_plain (width, height, between (.5, 2) * side);
  double turn[3] = {between (-.1, .1), between (-.1, .1), between (-.1, .1)};

  view_turn (&v, turn);
  v.k[4] *= between (.9, 1.1);
  v.p[2] += between (-9, 9);
  v.p[6] += between (-9, 9);
  v.p[0] = v.p[5] = v.p[0] * between (.7, 1.2);
  v.d[0] = between (-.3, .3), v.d[1] = between (-.1, .1);
  v.d[2] = between (-.01, .01), v.d[3] = between (-.01, .01);
  for (int i = 4; i < 14; i++)
    v.d[i] = rnd (2) ? between (-.03, .03) : 0;
  return v;
}

static inline Pair
pair_new (ImageFormat left, ImageFormat right, int width, int height)
{
  Pair p = {.frame = {canvas_new (left, width, height, (int) rnd (20)),
                canvas_new (right, width, height, (int) rnd (20))},
      .stride = width + (int) rnd (9)};

  canvas_fill (&p.frame[0], -1);
  canvas_fill (&p.frame[1], -1);
  for (int i = 0; i < 2; i++) {
    p.sample[i] = malloc (sizeof (uint16_t) * p.stride * (height + 2));
    p.valid[i] = malloc ((size_t) width * height);
  }
  return p;
}

static inline void
pair_free (Pair *p)
{
  for (int i = 0; i < 2; i++) {
    canvas_free (&p->frame[i]);
    free (p->sample[i]);
    free (p->valid[i]);
  }
}

/* The sample at (x, y), one row being before the first. */
static inline int
pair_at (const Pair *p, int i, int x, int y)
{
  return p->sample[i][(size_t) (y + 1) * p->stride + x];
}

static inline bool
pair_guarded (const Pair *p, int i)
{
  const Image *m = &p->frame[i].image;

  for (int y = -1; y <= m->height; y++)
    for (int x = y < 0 || y == m->height ? 0 : m->width; x < p->stride; x++)
      if (pair_at (p, i, x, y) != SAMPLE_GUARD)
        return false;
  return true;
}

/* Runs both frames through a device. */
static inline void
pair_run (Pair *p, DeviceKind kind)
{
  int width = p->frame[0].image.width, height = p->frame[0].image.height;
  size_t n = (size_t) p->stride * (height + 2), bytes = n * sizeof (uint16_t);
  PocstereoRectify *r = NULL;
  void *memory[2];
  uint16_t *there[2], *out[2];
  Image image[2];
  Device dev;

  ok (device_open (&dev, kind, NULL));
  for (int i = 0; i < 2; i++) {
    image[i] = canvas_upload (&p->frame[i], &dev, &memory[i]);
    for (size_t k = 0; k < n; k++)
      p->sample[i][k] = SAMPLE_GUARD;
    ok (device_alloc (&dev, (void **) &there[i], bytes));
    ok (device_copy (&dev, there[i], p->sample[i], bytes));
    out[i] = there[i] + p->stride;
  }
  ok (pocstereo_rectify_new (&r, &dev, width, height));
  ok (pocstereo_rectify_set (r, p->view, p->view ? p->view + 1 : NULL));
  ok (pocstereo_rectify_run (r, &image[0], &image[1], out, p->stride));
  for (int i = 0; i < 2; i++) {
    const uint8_t *valid = pocstereo_rectify_valid (r, i);

    check (!valid == !p->view);
    if (valid)
      ok (device_copy (&dev, p->valid[i], valid, (size_t) width * height));
    ok (device_copy (&dev, p->sample[i], there[i], bytes));
    ok (device_wait (&dev));
    check (pair_guarded (p, i));
    device_release (&dev, memory[i]);
    device_release (&dev, there[i]);
  }
  pocstereo_rectify_free (r);
  device_close (&dev);
}
