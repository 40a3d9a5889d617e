/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's ladder of implementations (section 3.2, techniques T1 to T5,
 * Table 1), for windows of 32 x 15 and bandwidth 8: what each technique is
 * worth on a GPU of today.  Their sums are integers, as everywhere here, so
 * that all find the same. */
#pragma once

#include "pocstereo/pocstereo_work.h"

C_BEGIN

/* Steps 2 to 7 for w->points by w->params.implementation, which is not
 * POCSTEREO_FUSED. */
const char *pocstereo_ladder_cuda (const Device *dev, const PocstereoWork *w);

C_END
