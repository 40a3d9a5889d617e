/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend's table and memory. */
#include <stdlib.h>

#include "scopedetect/scopedetect_cuda.cuh"

static const char *
open (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCuda *c = (ScopedetectCuda *) calloc (1, sizeof *c);

  if (!(w->state = c))
    return "out of memory";
  c->bound = SCOPEDETECT_FOUND;
  TRY (chain_may_overlap (&c->overlaps));
  DEVICE_RENEW (dev, c->spare, (size_t) w->room_models * SCOPEDETECT_MAX_KEPT);
  DEVICE_RENEW (dev, c->sorted, (size_t) w->room_models * SCOPEDETECT_MAX_KEPT);
  TRY (scopedetect_choose_open_cuda (dev, &c->choose));
  TRY (scopedetect_score_open_cuda (dev, &c->score));
  TRY (scopedetect_cluster_open_cuda (dev, &c->cluster));
  TRY (scopedetect_repeat_open_cuda (&c->records));
  return scopedetect_observe_open_cuda (dev, w, &c->observe);
}

static void
close (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCuda *c = scopedetect_cuda (w);

  if (!c)
    return;
  scopedetect_observe_close_cuda (dev, c->observe);
  scopedetect_repeat_close_cuda (c->records);
  device_release (dev, c->choose);
  device_release (dev, c->score);
  device_release (dev, c->cluster);
  device_release (dev, c->spare);
  device_release (dev, c->sorted);
  free (c);
}

extern "C" const ScopedetectStages scopedetect_stages_cuda = {open, close,
    scopedetect_observe_cuda, scopedetect_points_cuda,
    scopedetect_segments_cuda, scopedetect_match_cuda, scopedetect_choose_cuda,
    scopedetect_verify_cuda, scopedetect_cluster_cuda, scopedetect_refine_cuda,
    scopedetect_align_cuda, scopedetect_climb_cuda, scopedetect_score_cuda,
    scopedetect_measure_cuda, scopedetect_repeat_cuda};
