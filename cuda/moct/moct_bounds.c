/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_bounds.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/parallel.h"
#include "moct/moct_sums_core.h"

void
moct_cell_colour (int cell, int i, uint8_t c[3])
{
  c[2] = (uint8_t) ((cell >> 10) << 3 | (i & 7));
  c[1] = (uint8_t) ((cell >> 5 & 31) << 3 | (i >> 3 & 7));
  c[0] = (uint8_t) ((cell & 31) << 3 | i >> 6);
}

uint32_t
moct_cell_place (int cell)
{
  uint8_t c[3];

  moct_cell_colour (cell, 0, c);
  return moct_place (moct_stored (c));
}

/* Hue turns around grey, and where YUV lies outside of RGB's cube r and g jump:
 * these must be seen at every colour. */
static bool
is_smooth (const MoctEncoding *encoding, MoctSpace space)
{
  return space != MOCT_HSV && (space != MOCT_RG || !encoding->is_yuv);
}

/* By how much points lie beyond those of their cell's corners, where the space
 * is smooth: of all stored colours at most 1.3 in Lab, where what is outside of
 * RGB's cube is bent onto it, else not at all. */
static float
bend (const MoctEncoding *encoding, MoctSpace space)
{
  return space == MOCT_LAB ? encoding->is_yuv ? 1.4f : .01f : 0;
}

static MoctBounds
measure (const MoctEncoding *encoding, MoctSpace space, int cell)
{
  bool corners = is_smooth (encoding, space);
  float margin = bend (encoding, space), p[3];
  MoctBounds b = {
      {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  uint8_t c[3];

  for (int i = 0; i < (corners ? 8 : MOCT_PART); i++) {
    moct_cell_colour (
        cell, corners ? 7 * ((i & 1) | (i & 2) << 2 | (i & 4) << 4) : i, c);
    moct_point (encoding, space, c, p);
    for (int k = 0; k < 3; k++) {
      b.lo[k] = fminf (b.lo[k], p[k] - margin);
      b.hi[k] = fmaxf (b.hi[k], p[k] + margin);
    }
  }
  return b;
}

typedef struct {
  const MoctEncoding *encoding;
  MoctSpace space;
  MoctBounds *bounds; /* of each cell */
} Measuring;

static void
measure_cells (void *data, int begin, int end)
{
  const Measuring *m = data;

  for (int cell = begin; cell < end; cell++)
    m->bounds[cell] = measure (m->encoding, m->space, cell);
}

/* MoctBounds depend on nothing but space and encoding: they are measured once
 * in a process and kept. */
#define N_ENCODINGS 7

static int
encoding_index (const MoctEncoding *e)
{
  return e->is_yuv ? 1 + 2 * (int) e->matrix + e->full_range : 0;
}

const MoctBounds *
moct_bounds_of (const MoctEncoding *encoding, MoctSpace space)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static MoctBounds *known[N_ENCODINGS][MOCT_N_SPACES];
  MoctBounds **bounds = &known[encoding_index (encoding)][space];

  pthread_mutex_lock (&lock);
  if (!*bounds && (*bounds = malloc (MOCT_CELLS * sizeof **bounds))) {
    Measuring m = {encoding, space, *bounds};

    parallel_for (MOCT_CELLS, 0, measure_cells, &m);
  }
  pthread_mutex_unlock (&lock);
  return *bounds;
}
