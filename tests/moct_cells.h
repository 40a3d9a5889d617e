/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a cell of stored colours is where its bounds say, in the spaces in
 * which these are found without looking at each of its colours. */
#pragma once

#include "check.h"
#include "moct/moct_bounds.h"
#include "moct/moct_sums.h"

static void
check_cell (const MoctEncoding *encoding, MoctSpace space, int cell,
    const MoctBounds *b)
{
  bool inside = true;
  uint8_t c[3];
  float p[3];

  for (int i = 0; i < MOCT_PART; i++) {
    moct_cell_colour (cell, i, c);
    moct_point (encoding, space, c, p);
    for (int k = 0; k < 3; k++)
      inside &= b->lo[k] <= p[k] && p[k] <= b->hi[k];
  }
  check (inside);
}

/* Of frames as one of the seven kinds stores them: in Lab all colours, and some
 * in the spaces where each of a point's numbers only rises or falls. */
static void
test_cells (DeviceKind kind)
{
  static const MoctSpace spaces[] = {MOCT_LAB, MOCT_RGB, MOCT_YUV};
  Image frame = {.format = rnd (7) ? IMAGE_NV12 : IMAGE_RGBA,
      .matrix = rnd (3),
      .full_range = rnd (2)};
  MoctEncoding encoding = moct_encoding (&frame);

  (void) kind;
  for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
    const MoctBounds *bounds = moct_bounds_of (&encoding, spaces[k]);

    check (bounds != NULL);
    for (int cell = 0; cell < MOCT_CELLS; cell += k ? 1 + rnd (40) : 1)
      check_cell (&encoding, spaces[k], cell, &bounds[cell]);
  }
}
