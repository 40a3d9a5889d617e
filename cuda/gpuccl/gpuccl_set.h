/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From params, metres and pixels, to what the stages work with: integers. */
#pragma once

#include "gpuccl/gpuccl_core.h"

/* Checks @params and @frame, and sets @work by them. */
const char *gpuccl_set (
    GpucclWork *work, const GpucclParams *params, const GpucclFrame *frame);
