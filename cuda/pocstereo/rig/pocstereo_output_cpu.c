/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/parallel.h"
#include "pocstereo/rig/pocstereo_output_core.h"

/* With fewer rows threads cost more than they save. */
#define FEW 64

typedef struct {
  const PocstereoMatches *in;
  const PocstereoSpace *space;
  const PocstereoScale *scale;
  const PocstereoOutput *out;
} Output;

static void
write_output_rows (void *data, int begin, int end)
{
  const Output *o = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < o->in->width; x++)
      pocstereo_write_pixel (o->in, o->space, o->scale, x, y, o->out);
}

static const char *
write_output_cpu (const Device *dev, const PocstereoMatches *in,
    const PocstereoSpace *space, const PocstereoScale *scale,
    const PocstereoOutput *out)
{
  Output o = {in, space, scale, out};
  int n = in->height;

  (void) dev;
  parallel_for (n, n > FEW ? 0 : n, write_output_rows, &o);
  return NULL;
}

const PocstereoOutputStages pocstereo_output_stages_cpu = {write_output_cpu};
