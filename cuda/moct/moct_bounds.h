/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A box, in a colour space, that holds the points of each cell of stored
 * colours and hardly more. */
#pragma once

#include "moct/moct_colour.h"

C_BEGIN

typedef struct {
  float lo[3], hi[3];
} MoctBounds;

/* Stored colour @i, 0 to 511, of @cell, in the order of MoctTable. */
void moct_cell_colour (int cell, int i, uint8_t c[3]);

/* Where @cell lies in MoctTable.cells. */
uint32_t moct_cell_place (int cell);

/* The bounds of all MOCT_CELLS cells, to be kept by nobody: they live as long
 * as the process.  NULL where memory has run out. */
const MoctBounds *moct_bounds_of (
    const MoctEncoding *encoding, MoctSpace space);

C_END
