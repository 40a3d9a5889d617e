/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours compiled into one table over the frame's own stored colours, so that
 * neither their number nor their space costs anything for a pixel. */
#pragma once

#include "moct/moct_colour.h"
#include "moct/moct_core.h"

C_BEGIN

typedef struct _MoctTables MoctTables;

const char *moct_tables_new (MoctTables **self, const Device *device);
void moct_tables_free (MoctTables *self);

/* The table of @params' colours for frames stored as @frame is: the one made
 * before where nothing has changed, else a new one, queued for upload. */
const char *moct_tables_get (MoctTables *self, const MoctParams *params,
    const Image *frame, MoctTable *table);

/* ---- Cells of stored colours ---- */

/* A box, in a colour space, that holds the points of a cell and hardly more. */
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
