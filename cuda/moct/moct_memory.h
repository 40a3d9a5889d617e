/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that the methods work in. */
#pragma once

#include "common/memory.h"
#include "moct/moct_core.h"

C_BEGIN

/* All get from @memory what @work points to, and @memory releases it.
 *
 * For frames of @width x @height pixels; @work must be zeros. */
const char *moct_memory_open (
    MoctWork *work, DeviceMemory *memory, int width, int height);

/* For @max fragments of tiles that have no slot left. */
const char *moct_memory_grow (MoctWork *work, DeviceMemory *memory, int max);

/* For the words of all colours, if the fused method needs them. */
const char *moct_memory_grow_words (MoctWork *work, DeviceMemory *memory);

/* paper/pyramid_cpu.c: the texels that @method needs, 0 unless it is one of the
 * paper's. */
size_t moct_texels (const MoctWork *work, MoctMethod method);

/* For the texels of @method, if it needs any. */
const char *moct_memory_grow_texels (
    MoctWork *work, DeviceMemory *memory, MoctMethod method);

C_END
