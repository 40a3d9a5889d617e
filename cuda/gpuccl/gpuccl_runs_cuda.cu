/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GPUCCL_RUN by the improved label equivalence. */
#include "gpuccl/gpuccl_cuda.cuh"

const char *
gpuccl_run_cuda (const Device *dev, const GpucclWork *w)
{
  TRY (gpuccl_improved_cuda (dev, w));
  return gpuccl_measure_cuda (dev, w);
}

void
gpuccl_run_close (const Device *dev, GpucclRun *run)
{
  (void) dev;
  (void) run;
}
