/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Over-segmentation, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_segment.h"

#define STEPS \
 10 /* of k-means; the original stops after 50, or when nothing \
       changes any more */

static void
assign (ScopedetectWork *w)
{
  const ScopedetectScene *s = &w->scene;

#pragma omp for schedule(dynamic, 4)
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++)
      if (w->label[(size_t) y * s->width + x] != SCOPEDETECT_NO_SEGMENT)
        w->label[(size_t) y * s->width + x] = scopedetect_segment_of (w, x, y);
}

/* What may be an object belongs to the seed of its cell. */
static void
start (ScopedetectWork *w)
{
  const ScopedetectScene *s = &w->scene;

#pragma omp for schedule(static)
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++)
      w->label[(size_t) y * s->width + x] = scopedetect_is_wanted_cpu (w, x, y)
          ? scopedetect_seed_of (&w->lattice, x, y)
          : SCOPEDETECT_NO_SEGMENT;
}

/* The point of the cloud that is nearest to a segment's middle. */
static int
point_at (const ScopedetectWork *w, ScopedetectVec x)
{
  int near[SCOPEDETECT_NEAR], best = -1;
  int n = scopedetect_near (&w->cloud, x, 2 * w->spacing, near);
  float least = 1e9f;

  for (int k = 0; k < n; k++) {
    ScopedetectVec d = scopedetect_sub (w->cloud.x[near[k]], x);
    float d2 = scopedetect_dot (d, d);

    if (d2 < least)
      least = d2, best = near[k];
  }
  return best;
}

const char *
scopedetect_segments_cpu (const Device *dev, ScopedetectWork *w)
{
  int n = w->lattice.width * w->lattice.height;

  (void) dev;
#pragma omp parallel
  {
    start (w);
    for (int k = 0; k < STEPS; k++) {
#pragma omp for schedule(dynamic, 16)
      for (int i = 0; i < n; i++)
        scopedetect_segment_mean (w, i);
      assign (w);
    }
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < n; i++) {
      scopedetect_segment_mean (w, i);
      scopedetect_segment_keys (w, i);
      w->segment[i].point =
          w->segment[i].count ? point_at (w, w->segment[i].x) : -1;
    }
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < n; i++)
      scopedetect_segment_near (w, i);
  }
  return NULL;
}
