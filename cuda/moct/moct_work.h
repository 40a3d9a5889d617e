/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that the methods work in. */
#pragma once

#include "moct/moct_core.h"

C_BEGIN

/* Memory for frames of @width x @height pixels; @work must be zeros.  After a
 * failure too, moct_work_close () releases what there is. */
const char *moct_work_open (
    MoctWork *work, const Device *device, int width, int height);
void moct_work_close (MoctWork *work, const Device *device);

/* Room for @max fragments of tiles that have no slot left. */
const char *moct_work_grow (MoctWork *work, const Device *device, int max);

/* Room for the words of all colours, where the fused method needs them. */
const char *moct_work_grow_words (MoctWork *work, const Device *device);

/* paper/pyramid_cpu.c: the texels that @method needs, 0 unless it is one of the
 * paper's. */
size_t moct_texels (const MoctWork *work, MoctMethod method);

/* Room for the texels of @method, where it needs any. */
const char *moct_work_grow_texels (
    MoctWork *work, const Device *device, MoctMethod method);

C_END
