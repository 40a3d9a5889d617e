/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's table. */
#include <stdlib.h>

#include "scopedetect/scopedetect_cpu.h"

static const char *
open (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCpu *c = calloc (1, sizeof *c);

  (void) dev;
  if (!(w->state = c))
    return "out of memory";
  c->cells = 64;
  while (c->cells < 2 * (uint32_t) w->cloud.room)
    c->cells *= 2;
  c->cell = malloc (c->cells * sizeof *c->cell);
  c->voxel = malloc ((size_t) w->cloud.room * sizeof *c->voxel);
  c->cell_of = malloc ((size_t) w->cloud.room * sizeof *c->cell_of);
  c->count = malloc (SCOPEDETECT_SCORES * sizeof *c->count);
  return c->cell && c->voxel && c->cell_of && c->count ? NULL : "out of memory";
}

static void
close (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCpu *c = w->state;

  (void) dev;
  if (!c)
    return;
  free (c->cell);
  free (c->voxel);
  free (c->cell_of);
  free (c->count);
  free (c);
}

static const char *
repeat (const Device *dev, ScopedetectWork *w,
    const char *(*queue) (void *data), void *data)
{
  (void) dev, (void) w;
  return queue (data);
}

const ScopedetectStages scopedetect_stages_cpu = {open, close,
    scopedetect_observe_cpu, scopedetect_points_cpu, scopedetect_segments_cpu,
    scopedetect_match_cpu, scopedetect_choose_cpu, scopedetect_verify_cpu,
    scopedetect_cluster_cpu, scopedetect_refine_cpu, scopedetect_align_cpu,
    scopedetect_climb_cpu, scopedetect_score_cpu, scopedetect_measure_cpu,
    repeat};
