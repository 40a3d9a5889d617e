/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's three steps (System Design): values of earlier frames, groups of
 * equal problems, and the simplex for one of each group. */
#include "emdtrack/emdtrack_cpu.h"

#define NOWHERE UINT32_MAX /* the cache is full */

static uint64_t
hash (const EmdtrackHistogram *h)
{
  uint64_t a[2];

  memcpy (a, h, sizeof a);
  a[0] = (a[0] ^ a[0] >> 29) * 0x9e3779b97f4a7c15ull;
  a[1] = (a[1] + a[0]) * 0xbf58476d1ce4e5b9ull;
  return a[1] ^ a[1] >> 32;
}

static bool
is_full (const EmdtrackCache *c)
{
  return c->n >= c->room / 4 * 3;
}

/* The entry of @h, made where there is none. */
static uint32_t
find_entry (EmdtrackCache *c, const EmdtrackHistogram *h)
{
  for (uint64_t k = hash (h);; k++) {
    uint32_t at = (uint32_t) (k & (c->room - 1));
    EmdtrackCached *e = &c->entry[at];

    if (e->state == EMDTRACK_FREE) {
      if (is_full (c))
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

/* Steps 1 and 2: finds every pixel's entry; returns how many need solving, each
 * once in c->unsolved. */
static uint32_t
group (const EmdtrackWork *w, EmdtrackCache *cache)
{
  EmdtrackCpu *c = w->state;
  size_t n = (size_t) w->reader.width * w->reader.height;
  uint32_t unsolved = 0, stored;

  for (size_t i = 0; i < n; i++) {
    stored = cache->n;
    c->where[i] = find_entry (cache, &w->histogram[i]);
    if (cache->n != stored)
      c->unsolved[unsolved++] = c->where[i];
    else if (c->where[i] != NOWHERE)
      w->counts->cached += cache->entry[c->where[i]].state == EMDTRACK_SOLVED;
  }
  return unsolved;
}

/* Step 3. */
static uint64_t
solve (const EmdtrackProblem *p, EmdtrackCache *cache, const uint32_t *list,
    uint32_t n)
{
  uint64_t pivots = 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : pivots) if (n > 256)
  for (uint32_t i = 0; i < n; i++) {
    EmdtrackCached *e = &cache->entry[list[i]];
    EmdtrackTableau tableau;

    e->value =
        (uint16_t) emdtrack_simplex_of (&tableau, p, &e->histogram, &pivots);
    e->state = EMDTRACK_SOLVED;
  }
  return pivots;
}

/* Every pixel's value; those that the cache had no room for are solved here. */
static void
write_map (const EmdtrackWork *w, const EmdtrackCache *cache, int target)
{
  const EmdtrackCpu *c = w->state;
  size_t n = (size_t) w->reader.width * w->reader.height;
  uint64_t alone = 0, pivots = 0;

#pragma omp parallel for reduction(+ : alone, pivots) if (n > EMDTRACK_FEW)
  for (size_t i = 0; i < n; i++) {
    EmdtrackTableau tableau;

    if (c->where[i] != NOWHERE) {
      w->map[target][i] = cache->entry[c->where[i]].value;
    } else {
      w->map[target][i] = (uint16_t) emdtrack_simplex_of (
          &tableau, &w->problem[target], &w->histogram[i], &pivots);
      alone++;
    }
  }
  w->counts->distinct += alone;
  w->counts->pivots += pivots;
}

const char *
emdtrack_paper_cpu (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCpu *c = w->state;
  EmdtrackCache *cache = &c->cache[target];
  uint32_t unsolved;

  (void) dev;
  if (is_full (cache)) {
    w->counts->evicted += cache->n;
    memset (cache->entry, 0, cache->room * sizeof *cache->entry);
    cache->n = 0;
  }
  unsolved = group (w, cache);
  w->counts->distinct += unsolved;
  w->counts->pivots +=
      solve (&w->problem[target], cache, c->unsolved, unsolved);
  write_map (w, cache, target);
  return NULL;
}
