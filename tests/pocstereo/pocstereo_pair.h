/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stereo pairs for the tests of pocstereo: textures that are known between
 * pixels, padded rows with guards, and matches on any device. */
#pragma once

#include <math.h>

#include "check.h"
#include "pocstereo/pocstereo.h"

/* `--bench [cpu]`, of pocstereo_bench.c. */
int pocstereo_bench (int argc, char **argv);

#define PAIR_GUARD 64 /* samples before and behind */
#define PAIR_GUARD_SAMPLE 0xa5a5

typedef struct {
  int width, height, stride;
  uint16_t *view[2]; /* in host memory */
  uint16_t *memory[2];
  size_t samples; /* of each memory, guards and padding included */
} Pair;

static inline Pair
pair_new (int width, int height, int padding)
{
  Pair p = {.width = width, .height = height, .stride = width + padding};

  p.samples = (size_t) p.stride * height + 2 * PAIR_GUARD;
  for (int v = 0; v < 2; v++) {
    p.memory[v] = malloc (p.samples * sizeof (uint16_t));
    for (size_t i = 0; i < p.samples; i++)
      p.memory[v][i] = PAIR_GUARD_SAMPLE;
    p.view[v] = p.memory[v] + PAIR_GUARD;
  }
  return p;
}

static inline void
pair_free (Pair *p)
{
  free (p->memory[0]);
  free (p->memory[1]);
}

AUTO_FREE (Pair, pair_free)

/* Whether nothing was written where no pixel is. */
static inline bool
pair_is_unharmed (const Pair *p)
{
  for (int v = 0; v < 2; v++)
    for (size_t i = 0; i < p->samples; i++) {
      size_t at = i - PAIR_GUARD; /* wraps before the first row */

      if (at < (size_t) p->stride * p->height &&
          at % p->stride < (size_t) p->width)
        continue;
      if (p->memory[v][i] != PAIR_GUARD_SAMPLE)
        return false;
    }
  return true;
}

static inline uint16_t *
pair_at (const Pair *p, int view, int x, int y)
{
  return &p->view[view][(size_t) y * p->stride + x];
}

/* A texture that is known at any x: random values on lattices of 3 pixels, 6,
 * 12 and so on, between them Catmull and Rom's cubic. */
#define OCTAVES 7

typedef struct {
  uint64_t seed;
} Texture;

static inline Texture
texture_new (void)
{
  return (Texture){rnd (UINT32_MAX)};
}

/* -1 to 1, at a lattice's point. */
static inline double
texture_knot (const Texture *t, int octave, int i, int j)
{
  uint64_t at = (uint64_t) octave << 48 | (uint64_t) (i + 4096) << 24 |
      (uint64_t) (j + 4096);

  return random_below (t->seed, at, 2001) / 1000. - 1;
}

/* 0 to 1. */
static inline double
texture_at (const Texture *t, double x, int y)
{
  double sum = 0;

  for (int o = 0; o < OCTAVES; o++) {
    double u = x / (3 << o), i = floor (u), f = u - i, rest = 1 - f;
    double weight[4] = {-.5 * f * rest * rest, 1 - f * f * (2.5 - 1.5 * f),
        f * (.5 + f * (2 - 1.5 * f)), -.5 * f * f * rest};

    for (int k = 0; k < 4; k++)
      sum += weight[k] * texture_knot (t, o, (int) i + k - 1, y >> o);
  }
  sum = .5 + sum / 6;
  return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

/* Both views of a wall at disparity @d: grey levels of 16 x 8 bits. */
static inline void
pair_draw_wall (Pair *p, const Texture *t, double d)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++)
        *pair_at (p, v, x, y) = (uint16_t) lrint (
            POCSTEREO_FULL_SAMPLE * texture_at (t, x + (v ? d : 0), y));
}

static inline void
pair_fill (Pair *p, uint16_t sample)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++)
        *pair_at (p, v, x, y) = sample;
}

/* The pair in the device's memory; release @memory's two. */
static inline PocstereoFrame
pair_to_device (const Pair *p, const Device *dev, uint16_t *memory[2])
{
  PocstereoFrame f = {
      .width = p->width, .height = p->height, .stride = p->stride};

  for (int v = 0; v < 2; v++) {
    ok (device_alloc (
        dev, (void **) &memory[v], p->samples * sizeof (uint16_t)));
    ok (device_copy (
        dev, memory[v], p->memory[v], p->samples * sizeof (uint16_t)));
    f.view[v] = memory[v] + PAIR_GUARD;
  }
  return f;
}

/* The matches of @n points, or with @points NULL of every pixel; free them. */
static inline PocstereoMatch *
pair_match_on (Pocstereo *s, const Device *dev, const PocstereoParams *params,
    const Pair *p, const PocstereoPoint *points, int n)
{
  const PocstereoMatch *found = NULL;
  PocstereoMatch *copy;
  uint16_t *memory[2];
  PocstereoFrame f = pair_to_device (p, dev, memory);

  if (!points)
    n = p->width * p->height;
  copy = calloc (n + 1, sizeof *copy);
  if (points) {
    ok (pocstereo_points (s, params, &f, points, n, &found));
    if (found)
      memcpy (copy, found, n * sizeof *copy);
  } else {
    ok (pocstereo_dense (s, params, &f, &found));
    if (found)
      ok (device_copy (dev, copy, found, n * sizeof *copy));
  }
  ok (device_wait (dev));
  device_release (dev, memory[0]);
  device_release (dev, memory[1]);
  return copy;
}

static inline PocstereoMatch *
pair_match (DeviceKind kind, const PocstereoParams *params, const Pair *p,
    const PocstereoPoint *points, int n)
{
  PocstereoMatch *found;
  AUTO (Device) dev = device_of (kind);
  Pocstereo *s;

  ok (pocstereo_new (&s, &dev, p->width, p->height));
  found = pair_match_on (s, &dev, params, p, points, n);
  pocstereo_free (s);
  return found;
}

/* In pixels; NAN: none. */
static inline double
disparity_of (PocstereoMatch m)
{
  return m.disparity == POCSTEREO_NONE ? NAN
                                       : m.disparity / (double) POCSTEREO_ONE;
}
