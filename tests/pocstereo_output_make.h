/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Everything that matches can become, made on a device and read back. */
#pragma once

#include <math.h>

#include "bench_median.h"
#include "check.h"
#include "overlay/overlay.h"
#include "pocstereo/pocstereo_output.h"

#define PAD 8    /* bytes behind each row */
#define GUARD 77 /* what they hold */

enum {
  DISPARITY,
  SIGMA,
  CONFIDENCE,
  DEPTH,
  STEPS,
  MILLIMETRES,
  COLOURS,
  N_ROWS
};

static const size_t bytes_of[] = {4, 2, 1, 4, 2, 2, 4};

/* Everything at once, on the host. */
typedef struct {
  int width, height;
  PocstereoMatch *matches;
  uint8_t *valid[2]; /* or NULL */
  const PocstereoSpace *space;
  PocstereoOutput out;   /* without rows */
  unsigned left_out;     /* rows that are not wanted, a bit each */
  uint8_t *rows[N_ROWS]; /* what came of it */
  size_t stride[N_ROWS];
} Made;

static Made
made_new (int width, int height)
{
  Made m = {.width = width, .height = height, .out = {.max = 1, .step = 1}};
  PocstereoMatch none = {POCSTEREO_NONE, 60000, 7};

  m.matches = malloc (sizeof *m.matches * width * height);
  for (int i = 0; i < width * height; i++)
    m.matches[i] = none;
  for (int r = 0; r < N_ROWS; r++) {
    m.stride[r] = bytes_of[r] * width + PAD;
    m.rows[r] = malloc (m.stride[r] * height);
  }
  return m;
}

static void
made_free (Made *m)
{
  free (m->matches);
  free (m->valid[0]);
  free (m->valid[1]);
  for (int r = 0; r < N_ROWS; r++)
    free (m->rows[r]);
}

static void *
upload (const Device *dev, const void *from, size_t bytes)
{
  void *p;

  ok (device_alloc (dev, &p, bytes));
  ok (device_copy (dev, p, from, bytes));
  return p;
}

/* Fills m->rows on a device; returns the error. */
static const char *
make (Made *m, DeviceKind kind)
{
  size_t pixels = (size_t) m->width * m->height;
  void *memory[N_ROWS], *matches, *valid[2] = {NULL, NULL};
  PocstereoRows rows[N_ROWS];
  PocstereoOutput out = m->out;
  const char *err;
  Device dev;

  ok (device_open (&dev, kind, NULL));
  matches = upload (&dev, m->matches, pixels * sizeof *m->matches);
  for (int i = 0; i < 2 && m->valid[i]; i++)
    valid[i] = upload (&dev, m->valid[i], pixels);
  for (int r = 0; r < N_ROWS; r++) {
    memset (m->rows[r], GUARD, m->stride[r] * m->height);
    memory[r] = upload (&dev, m->rows[r], m->stride[r] * m->height);
    rows[r].pixels = m->left_out >> r & 1 ? NULL : memory[r];
    rows[r].stride = m->stride[r];
  }
  out.disparity = rows[DISPARITY];
  out.sigma = rows[SIGMA];
  out.confidence = rows[CONFIDENCE];
  out.depth = rows[DEPTH];
  out.steps = rows[STEPS];
  out.millimetres = rows[MILLIMETRES];
  out.colours = rows[COLOURS];
  PocstereoMatches in = {
      m->width, m->height, matches, {valid[0], valid[1]}, m->space};
  err = pocstereo_output (&dev, &in, &out);
  for (int r = 0; r < N_ROWS; r++)
    ok (device_copy (&dev, m->rows[r], memory[r], m->stride[r] * m->height));
  ok (device_wait (&dev));
  for (int r = 0; r < N_ROWS; r++)
    device_release (&dev, memory[r]);
  device_release (&dev, matches);
  device_release (&dev, valid[0]);
  device_release (&dev, valid[1]);
  device_close (&dev);
  return err;
}

#define AT(m, row, type, x, y) \
 (((type *) ((m)->rows[row] + (m)->stride[row] * (y)))[x])

static void
check_none (const Made *m, int x, int y)
{
  check (AT (m, DISPARITY, float, x, y) == -32768);
  check (AT (m, SIGMA, uint16_t, x, y) == 65535);
  check (AT (m, CONFIDENCE, uint8_t, x, y) == 0);
  check (AT (m, STEPS, uint16_t, x, y) == 0);
  check (AT (m, COLOURS, uint32_t, x, y) == 0);
  if (m->space) {
    check (AT (m, DEPTH, float, x, y) == 0);
    check (AT (m, MILLIMETRES, uint16_t, x, y) == 0);
  }
}

static void
check_guards (const Made *m)
{
  for (int r = 0; r < N_ROWS; r++)
    for (int y = 0; y < m->height; y++)
      for (int i = 1; i <= PAD; i++)
        check (m->rows[r][m->stride[r] * (y + 1) - i] == GUARD);
}

/* f B = 100 pixel metres. */
static PocstereoSpace
plain_space (void)
{
  PocstereoCamera camera = {1000, 1000, 2, 1, 2, .1};
  PocstereoSpace space;

  ok (pocstereo_space_from_camera (&space, &camera));
  return space;
}
