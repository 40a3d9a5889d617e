/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's three steps (System Design): values of earlier frames, groups of
 * equal problems, and the simplex for one problem of each group. */
#include <stdatomic.h>

#include "emdtrack/emdtrack_cpu.h"

#define NOWHERE UINT32_MAX /* the cache is full */

static uint64_t
hash_histogram_cpu (const EmdtrackHistogram *h)
{
  uint64_t a[2];

  memcpy (a, h, sizeof a);
  a[0] = (a[0] ^ a[0] >> 29) * 0x9e3779b97f4a7c15ull;
  a[1] = (a[1] + a[0]) * 0xbf58476d1ce4e5b9ull;
  return a[1] ^ a[1] >> 32;
}

static bool
is_cache_full (const EmdtrackCache *c)
{
  return c->n >= c->room / 4 * 3;
}

/* The number of the cached value of @h, which is added if it is not cached. */
static uint32_t
find_cached_cpu (EmdtrackCache *c, const EmdtrackHistogram *h)
{
  for (uint64_t k = hash_histogram_cpu (h);; k++) {
    uint32_t at = (uint32_t) (k & (c->room - 1));
    EmdtrackCached *e = &c->entry[at];

    if (e->state == EMDTRACK_FREE) {
      if (is_cache_full (c))
        return NOWHERE;
      c->n++;
      e->histogram = *h;
      e->state = EMDTRACK_UNSOLVED;
      return at;
    }
    if (emdtrack_same (&e->histogram, h))
      return at;
  }
}

/* Steps 1 and 2: finds the cached value of every pixel.  Returns the number of
 * values to solve, each listed once in c->unsolved. */
static uint32_t
group_pixels (const EmdtrackWork *w, EmdtrackCache *cache)
{
  EmdtrackCpu *c = w->state;
  size_t n = emdtrack_pixels (w);
  uint32_t unsolved = 0, stored;

  for (size_t i = 0; i < n; i++) {
    stored = cache->n;
    c->where[i] = find_cached_cpu (cache, &w->histogram[i]);
    if (cache->n != stored)
      c->unsolved[unsolved++] = c->where[i];
    else if (c->where[i] != NOWHERE)
      w->counts->cached += cache->entry[c->where[i]].state == EMDTRACK_SOLVED;
  }
  return unsolved;
}

typedef struct {
  const EmdtrackWork *w;
  EmdtrackCache *cache;
  int target;
  atomic_ullong alone, pivots;
} Solving;

/* Step 3. */
static void
solve_groups (void *data, int begin, int end)
{
  Solving *s = data;
  const EmdtrackCpu *c = s->w->state;
  uint64_t pivots = 0;

  for (int i = begin; i < end; i++) {
    EmdtrackCached *e = &s->cache->entry[c->unsolved[i]];
    EmdtrackTableau tableau;

    e->value = (uint16_t) emdtrack_simplex_of (
        &tableau, &s->w->problem[s->target], &e->histogram, &pivots);
    e->state = EMDTRACK_SOLVED;
  }
  atomic_fetch_add (&s->pivots, pivots);
}

/* Writes every pixel's value.  Values that the cache has no room for are solved
 * here. */
static void
write_value_rows (void *data, int begin, int end)
{
  Solving *s = data;
  const EmdtrackWork *w = s->w;
  const EmdtrackCpu *c = w->state;
  size_t width = emdtrack_across (w->area);
  uint64_t alone = 0, pivots = 0;

  for (size_t i = begin * width; i < end * width; i++) {
    EmdtrackTableau tableau;

    if (c->where[i] != NOWHERE) {
      w->map[s->target][i] = s->cache->entry[c->where[i]].value;
    } else {
      w->map[s->target][i] = (uint16_t) emdtrack_simplex_of (
          &tableau, &w->problem[s->target], &w->histogram[i], &pivots);
      alone++;
    }
  }
  atomic_fetch_add (&s->alone, alone);
  atomic_fetch_add (&s->pivots, pivots);
}

const char *
emdtrack_paper_cpu (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCpu *c = w->state;
  EmdtrackCache *cache = &c->cache[target];
  Solving s = {.w = w, .cache = cache, .target = target};
  int unsolved;

  (void) dev;
  if (is_cache_full (cache)) {
    w->counts->evicted += cache->n;
    memset (cache->entry, 0, cache->room * sizeof *cache->entry);
    cache->n = 0;
  }
  unsolved = (int) group_pixels (w, cache);
  parallel_for (unsolved, unsolved > 256 ? 64 : unsolved, solve_groups, &s);
  parallel_for (
      emdtrack_down (w->area), emdtrack_grain (w, 0), write_value_rows, &s);
  w->counts->distinct += unsolved + s.alone;
  w->counts->pivots += s.pivots;
  return NULL;
}
