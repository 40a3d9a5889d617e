/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours compiled into one table over the frame's own stored colours, so that
 * a pixel's cost does not depend on the number of colours and their space. */
#pragma once

#include "moct/moct_colour.h"
#include "moct/moct_core.h"

C_BEGIN

typedef struct _MoctTables MoctTables;

const char *moct_tables_new (MoctTables **self, const Device *device);
void moct_tables_free (MoctTables *self);

/* Sets @table to the table of @params' colours for frames stored as @frame is:
 * the last table if nothing has changed, else a new one, whose upload is
 * queued. */
const char *moct_tables_get (MoctTables *self, const MoctParams *params,
    const Image *frame, MoctTable *table);

/* ---- Cells of stored colours ---- */

/* A box in a colour space that holds the points of a cell and little more. */
typedef struct {
  float lo[3], hi[3];
} MoctBounds;

/* Sets @c to stored colour @i, 0 to 511, of @cell, in the order of
 * MoctTable. */
void moct_cell_colour (int cell, int i, uint8_t c[3]);

/* The place of @cell in MoctTable.cells. */
uint32_t moct_cell_place (int cell);

/* The bounds of all MOCT_CELLS cells, which exist until the process ends; NULL
 * if memory is exhausted. */
const MoctBounds *moct_bounds_of (
    const MoctEncoding *encoding, MoctSpace space);

C_END
