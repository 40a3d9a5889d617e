/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's implementations on a GPU (section 3.2, techniques T1 to
 * T5, Table 1), for windows of 32 x 15 and bandwidth 8: what each technique is
 * worth on a GPU of today.  Their sums are integers, as everywhere here, so
 * that all find what pocstereo_points () finds.  They are there to be
 * measured. */
#pragma once

#include "pocstereo/pocstereo.h"

C_BEGIN

/* Each adds a technique to those before it. */
typedef enum {
  POCSTEREO_I1, /* T1: a block a point, a thread a pixel of the window, four
                   kernels an evaluation */
  POCSTEREO_I2, /* T2: one kernel */
  POCSTEREO_I3, /* T3: twiddle factors from a table */
  POCSTEREO_I4, /* T4: loops unrolled */
  POCSTEREO_I5, /* T5: fewer threads a point, for some lines at once */
} PocstereoImplementation;

typedef struct {
  PocstereoImplementation implementation;
  int lines_at_once; /* L' of POCSTEREO_I5, 1 to 15 */

  /* What follows begins with zeros. */
  const PocstereoMatch *matches; /* of the newest call, in host memory */
  void *buffers;                 /* of POCSTEREO_I1: of this many points */
  int room;
} PocstereoTechniques;

/* pocstereo_queue_points () on @self's device @dev by @techniques, whose
 * matches are ready when what is queued on the device is done, and stay until
 * the next call. */
const char *pocstereo_techniques_points (Pocstereo *self, const Device *dev,
    PocstereoTechniques *techniques, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n);
void pocstereo_techniques_free (
    const Device *dev, PocstereoTechniques *techniques);

C_END
