/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of the CPU backend. */
#include <stdlib.h>

#include "scopedetect/scopedetect_cpu.h"

static const char *
open (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCpu *c = calloc (1, sizeof *c);
  DeviceMemory *m = &c->memory;

  if (!(w->state = c))
    return "out of memory";
  memory_open (m, dev);
  c->cells = 64;
  while (c->cells < 2 * (uint32_t) w->cloud.room)
    c->cells *= 2;
  TRY (memory_get (m, &c->cell, c->cells));
  TRY (memory_get (m, &c->voxel, (size_t) w->cloud.room));
  TRY (memory_get (m, &c->cell_of, (size_t) w->cloud.room));
  return memory_get (m, &c->count, SCOPEDETECT_SCORES);
}

static size_t
bytes (const ScopedetectWork *w)
{
  const ScopedetectCpu *c = w->state;

  return c->memory.bytes;
}

static void
close (ScopedetectWork *w)
{
  ScopedetectCpu *c = w->state;

  if (!c)
    return;
  memory_free (&c->memory);
  free (c);
}

static const char *
repeat (const Device *dev, ScopedetectWork *w,
    const char *(*queue) (void *data), void *data)
{
  (void) dev, (void) w;
  return queue (data);
}

const ScopedetectStages scopedetect_stages_cpu = {open, bytes, close,
    scopedetect_observe_cpu, scopedetect_points_cpu, scopedetect_segments_cpu,
    scopedetect_match_cpu, scopedetect_choose_cpu, scopedetect_verify_cpu,
    scopedetect_cluster_cpu, scopedetect_refine_cpu, scopedetect_align_cpu,
    scopedetect_climb_cpu, scopedetect_score_cpu, scopedetect_measure_cpu,
    repeat};
