/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What proving a frame's pixels by stored trees needs. */
#pragma once

#include "emdtrack/emdtrack_store.cuh"

typedef struct {
  int width, height, n_pixels, bins;
  uint32_t frame;
  bool known;
  const EmdtrackHistogram *histogram, *before;
  const uint16_t *old; /* trees of a frame ago */
  uint16_t *tree, *map;
  EmdtrackStore store;
  uint32_t *list[EMDTRACK_LEVELS];
  uint32_t *left;
  EmdtrackTally *tally;
} EmdtrackJob;

/* Of trees around pixel @i, the one with the best bound: no other can be
 * optimal. */
typedef struct {
  uint32_t tree;
  int32_t bound;
} EmdtrackBound;

static __device__ __forceinline__ void
emdtrack_consider (const EmdtrackJob &job, EmdtrackBound *c,
    const EmdtrackHistogram *h, const uint16_t *trees, int x, int y)
{
  uint32_t k;
  int32_t bound;

  if (x < 0 || y < 0 || x >= job.width || y >= job.height)
    return;
  k = trees[(uint32_t) y * job.width + x];
  if (!k || k == c->tree)
    return;
  bound = emdtrack_basis_value (&job.store.basis[k], h, job.bins);
  if (bound > c->bound)
    *c = {k, bound};
}

static __device__ __forceinline__ uint32_t
emdtrack_choose (const EmdtrackJob &job, uint32_t i, int level, bool at_once)
{
  const uint16_t *trees = at_once ? job.old : job.tree;
  EmdtrackHistogram h = job.histogram[i];
  EmdtrackBound c = {EMDTRACK_ROOT, INT32_MIN};
  int x = (int) (i % job.width), y = (int) (i / job.width);
  int apart = at_once ? 1 : 1 << level;
  int dx = x & apart, dy = y & apart; /* off the coarser levels */

  emdtrack_consider (job, &c, &h, job.old, x, y);
  if (!at_once && level == EMDTRACK_LEVELS - 1)
    return c.tree;
  if (at_once || !dx || !dy) {
    if (at_once || dx) {
      emdtrack_consider (job, &c, &h, trees, x - apart, y);
      emdtrack_consider (job, &c, &h, trees, x + apart, y);
    }
    if (at_once || dy) {
      emdtrack_consider (job, &c, &h, trees, x, y - apart);
      emdtrack_consider (job, &c, &h, trees, x, y + apart);
    }
    return c.tree;
  }
  emdtrack_consider (job, &c, &h, trees, x - apart, y - apart);
  emdtrack_consider (job, &c, &h, trees, x + apart, y - apart);
  emdtrack_consider (job, &c, &h, trees, x - apart, y + apart);
  emdtrack_consider (job, &c, &h, trees, x + apart, y + apart);
  return c.tree;
}

/* emdtrack_walk_cuda.cu: queues proving the pixels that are listed. */
const char *emdtrack_walk_cuda (const Device *dev, const EmdtrackWork *w,
    int target, const EmdtrackJob *job);
