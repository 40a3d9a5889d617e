/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/pocstereo_output_core.h"

/* Fewer rows than this, and threads cost more than they save. */
#define FEW 64

static const char *
write (const Device *dev, const PocstereoOutputWork *w)
{
  (void) dev;
#pragma omp parallel for schedule(static) if (w->in.height > FEW)
  for (int y = 0; y < w->in.height; y++)
    for (int x = 0; x < w->in.width; x++)
      pocstereo_write (w, x, y);
  return NULL;
}

const PocstereoOutputStages pocstereo_output_stages_cpu = {write};
