/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From params, metres and pixels, to what the stages work with: integers. */
#pragma once

#include "gpuccl/gpuccl_filter.h"

/* Checks @params and @frame, and sets @work by them. */
const char *gpuccl_set (
    GpucclWork *work, const GpucclParams *params, const GpucclFrame *frame);

/* The weights of steps of depth in the bilateral filter; @scale: metres a
 * unit. */
void gpuccl_set_range (uint8_t range[GPUCCL_RANGE], double scale);
