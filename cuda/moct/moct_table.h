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

C_END
