/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CPU backend that lie in files of their own. */
#pragma once

#include "moct/moct_core.h"

/* Adds a sum to the result, unless it is empty or of the wrong size. */
void moct_report (const MoctWork *w, const MoctSum *sum, int cls);

/* paper/pyramid_cpu.c */
const char *moct_pyramid_cpu (const Device *dev, const MoctWork *w);
const char *moct_per_object_cpu (const Device *dev, const MoctWork *w);
/* The texels that @method needs, 0 unless it is one of the paper's. */
size_t moct_texels (const MoctWork *work, MoctMethod method);
