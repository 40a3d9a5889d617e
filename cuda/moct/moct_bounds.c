/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_bounds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "moct/moct_sums.h"

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

static MoctBounds
measure (const MoctEncoding *encoding, MoctSpace space, int cell)
{
  MoctBounds b;
  uint8_t c[3];
  float p[3];

  moct_cell_colour (cell, 0, c);
  moct_point (encoding, space, c, b.lo);
  memcpy (b.hi, b.lo, sizeof b.hi);
  for (int i = 1; i < MOCT_PART; i++) {
    moct_cell_colour (cell, i, c);
    moct_point (encoding, space, c, p);
    for (int k = 0; k < 3; k++) {
      b.lo[k] = p[k] < b.lo[k] ? p[k] : b.lo[k];
      b.hi[k] = p[k] > b.hi[k] ? p[k] : b.hi[k];
    }
  }
  return b;
}

/* MoctBounds depend on nothing but space and encoding: they are measured once
 * in a process and kept, since that is most of the work of a first frame. */
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
    MoctBounds *b = *bounds;

#pragma omp parallel for schedule(static)
    for (int cell = 0; cell < MOCT_CELLS; cell++)
      b[cell] = measure (encoding, space, cell);
  }
  pthread_mutex_unlock (&lock);
  return *bounds;
}
