/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/parallel.h"
#include "pocstereo/rig/pocstereo_output_core.h"

/* Fewer rows than this, and threads cost more than they save. */
#define FEW 64

static void
write_rows (void *data, int begin, int end)
{
  const PocstereoOutputWork *w = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->in.width; x++)
      pocstereo_write (w, x, y);
}

static const char *
write (const Device *dev, const PocstereoOutputWork *w)
{
  int n = w->in.height;

  (void) dev;
  parallel_for (n, n > FEW ? 0 : n, write_rows, (void *) w);
  return NULL;
}

const PocstereoOutputStages pocstereo_output_stages_cpu = {write};
