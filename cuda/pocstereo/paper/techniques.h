/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's implementations on a GPU (section 3.2, techniques T1 to T5, Table
 * 1), for windows of 32 x 15 and bandwidth 8: for measuring the gain of each
 * technique on a GPU of today.  Sums are integers, so all of them find the
 * matches of pocstereo_points (). */
#pragma once

#include "pocstereo/pocstereo.h"

C_BEGIN

/* The paper's implementations.  Each adds a technique to the previous
 * implementation. */
typedef enum {
  POCSTEREO_I1, /* T1: a block for each point, a thread for each pixel of the
                   window; four kernels an evaluation */
  POCSTEREO_I2, /* T2: one kernel */
  POCSTEREO_I3, /* T3: twiddle factors from a table */
  POCSTEREO_I4, /* T4: loops unrolled */
  POCSTEREO_I5, /* T5: fewer threads a point, for lines_at_once lines */
} PocstereoImplementation;

typedef struct {
  PocstereoImplementation implementation;
  int lines_at_once; /* the paper's L', for POCSTEREO_I5, 1 to 15 */

  /* The following fields must be zeros before the first call. */
  const PocstereoMatch *matches; /* of the newest call, in the host's memory */
  void *buffers;                 /* for POCSTEREO_I1, of room points */
  int room;
} PocstereoTechniques;

/* pocstereo_queue_points () by @techniques; @dev is the device of @self.  The
 * matches are ready after device_wait () and stay until the next call. */
const char *pocstereo_techniques_points (Pocstereo *self, const Device *dev,
    PocstereoTechniques *techniques, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n);
void pocstereo_techniques_free (
    const Device *dev, PocstereoTechniques *techniques);

C_END
