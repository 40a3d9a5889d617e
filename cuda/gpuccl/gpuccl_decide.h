/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a frame's sums to its components: measures in metres, the criteria of
 * section 3.5.3, and whether an object persists (section 2.3). */
#pragma once

#include "gpuccl/gpuccl_core.h"

typedef struct _GpucclDecision GpucclDecision;

const char *gpuccl_decision_new (GpucclDecision **self);
void gpuccl_decision_free (GpucclDecision *self);

/* Forgets the objects. */
void gpuccl_decision_reset (GpucclDecision *self);

/* Makes @results, valid until the next call, of work->result; sorts its
 * sums. */
void gpuccl_decide (GpucclDecision *self, const GpucclParams *params,
    const GpucclWork *work, GpucclResults *results);
