/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for an assignment.  Each one anneals by Metropolis's rule and ends
 * uphill; or as in the original, which accepts what is worse without asking how
 * much (see the README). */
#include "scopedetect/explain/assign.h"

#include <string.h>
#include <time.h>

#include "common/parallel.h"
#include "common/random.h"
#include "scopedetect/scopedetect_core.h"

/* Temperatures that a search begins and ends with, in the maximum weight; set
 * on made-up scenes. */
#define HOT .2f
#define COLD .003f

typedef struct {
  int n;
  int chosen[SCOPEDETECT_MAX_TOGETHER];
  int64_t energy;
} State;

typedef struct {
  const ScopedetectAssignTask *task;
  struct {
    State now, best;
  } each[SCOPEDETECT_MAX_RESTARTS];
  int done, until; /* steps */
} Search;

/* ---- The score (2.2) ---- */

typedef struct {
  uint64_t once[SCOPEDETECT_PATCH_WORDS], more[SCOPEDETECT_PATCH_WORDS];
} Cover;

static void
set_cover (const ScopedetectAssignTask *t, const int *chosen, int n, int words,
    Cover *c)
{
  memset (c->once, 0, (size_t) words * sizeof *c->once);
  memset (c->more, 0, (size_t) words * sizeof *c->more);
  for (int i = 0; i < n; i++) {
    const ScopedetectCandidate *a = &t->candidate[chosen[i]];

    for (int k = a->first; k < a->end; k++) {
      c->more[k] |= c->once[k] & a->patch[k];
      c->once[k] |= a->patch[k];
    }
  }
}

/* Bits of @x: sums of neighbours, of pairs, of fours, of bytes.  The compiler's
 * own calls a function where it may not assume the instruction. */
static int
bits (uint64_t x)
{
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (int) (x * 0x0101010101010101 >> 56);
}

static int
count (const uint64_t *a, const uint64_t *b, int first, int end)
{
  int n = 0;

  for (int k = first; k < end; k++)
    n += bits (a[k] & b[k]);
  return n;
}

int
scopedetect_shared_patches (
    const ScopedetectCandidate *a, const ScopedetectCandidate *b)
{
  return count (a->patch, b->patch, a->first, a->end);
}

/* S: each object's fit, by the part of it that is its own, and half of what it
 * shares.  E: the part of the patches that is explained, as a gain.  O: the
 * parts that are shared. */
int64_t
scopedetect_assign_energy (
    const ScopedetectAssignTask *t, const int *chosen, int n)
{
  const ScopedetectAssignWeights *w = &t->weight;
  int words = (t->n_patches + 63) / 64;
  int64_t sum = 0;
  Cover c;

  set_cover (t, chosen, n, words, &c);
  for (int i = 0; i < n; i++) {
    const ScopedetectCandidate *a = &t->candidate[chosen[i]];
    int64_t size = a->n_patches ? a->n_patches : 1;
    int64_t shared = count (a->patch, c.more, a->first, a->end);

    sum += w->fit * a->fit * (2 * size - shared) / (2 * size);
    sum -= w->overlap * SCOPEDETECT_SURE * shared / size;
    sum -= w->object * SCOPEDETECT_SURE;
  }
  return sum +
      w->unexplained * SCOPEDETECT_SURE * count (c.once, c.once, 0, words) /
      t->n_patches;
}

/* ---- Moves (2.1) ---- */

static bool
excluded (const ScopedetectAssignTask *t, int a, int b)
{
  int words = scopedetect_exclude_words (t->n_candidates);

  return t->excludes[(size_t) a * (size_t) words + (size_t) (b / 64)] >>
      b % 64 &
      1;
}

/* Whether @candidate may be in @s in the place of number @but; -1: beside
 * all. */
static bool
fits (const ScopedetectAssignTask *t, const State *s, int candidate, int but)
{
  int alike = 0;

  for (int i = 0; i < s->n; i++) {
    if (i == but)
      continue;
    if (s->chosen[i] == candidate || excluded (t, candidate, s->chosen[i]))
      return false;
    alike += t->candidate[s->chosen[i]].model == t->candidate[candidate].model;
  }
  return alike < t->max_objects;
}

static bool
add (const ScopedetectAssignTask *t, State *s, int candidate)
{
  if (s->n == SCOPEDETECT_MAX_TOGETHER || !fits (t, s, candidate, -1))
    return false;
  s->chosen[s->n++] = candidate;
  return true;
}

static bool
replace (const ScopedetectAssignTask *t, State *s, int at, int candidate)
{
  if (!fits (t, s, candidate, at))
    return false;
  s->chosen[at] = candidate;
  return true;
}

static void
take_out (State *s, int at)
{
  s->chosen[at] = s->chosen[--s->n];
}

/* The first of a state, which stay. */
static int
n_fixed (const ScopedetectAssignTask *t)
{
  return t->fixed ? t->n_start : 0;
}

/* Another candidate of the model of @candidate; they lie one after the other.
 */
static int
other_hypothesis (
    const ScopedetectAssignTask *t, int candidate, uint32_t random)
{
  int model = t->candidate[candidate].model, first = candidate,
      last = candidate + 1;

  while (first > 0 && t->candidate[first - 1].model == model)
    first--;
  while (last < t->n_candidates && t->candidate[last].model == model)
    last++;
  return first + (int) (random % (uint32_t) (last - first));
}

/* One of the four moves; false where it leads nowhere. */
static bool
move (const ScopedetectAssignTask *t, State *s, uint64_t random)
{
  uint32_t which = (uint32_t) (random >> 32);
  int any = (int) ((uint32_t) random % (uint32_t) t->n_candidates), at;
  int stay = n_fixed (t);

  if (s->n == stay)
    return add (t, s, any);
  at = stay + (int) ((which >> 2) % (uint32_t) (s->n - stay));
  switch (which & 3) {
    case 0:
      return replace (t, s, at, any);
    case 1:
      return replace (
          t, s, at, other_hypothesis (t, s->chosen[at], (uint32_t) random));
    case 2:
      take_out (s, at);
      return true;
    default:
      return add (t, s, any);
  }
}

/* ---- A search ---- */

static void
keep_better (State *best, const State *s)
{
  if (s->energy > best->energy)
    *best = *s;
}

static int64_t
max_weight (const ScopedetectAssignWeights *w)
{
  int64_t max = w->fit > w->unexplained ? w->fit : w->unexplained;

  return max > w->overlap ? max : w->overlap;
}

/* The chance that step @i is taken, which costs @loss, above 0. */
static float
chance_of (const ScopedetectAssignTask *t, int i, int64_t loss)
{
  float unit = (float) (max_weight (&t->weight) * SCOPEDETECT_SURE);
  float part = (float) i / (float) t->steps;

  if (t->schedule == SCOPEDETECT_HALVES)
    return .5f * (1 - part);
  return scopedetect_exp (-(float) loss /
      (unit * HOT * scopedetect_exp (part * scopedetect_log (COLD / HOT))));
}

/* Steps @done to before @until of search @k. */
static void
anneal (Search *search, int k)
{
  const ScopedetectAssignTask *t = search->task;
  State *s = &search->each[k].now;

  for (int i = search->done; i < search->until; i++) {
    uint64_t at = (uint64_t) k << 32 | (uint64_t) (uint32_t) i;
    uint64_t random = random_u64 (t->seed, 2 * at);
    uint32_t chance = (uint32_t) random_u64 (t->seed, 2 * at + 1);
    State next = *s;

    if (!move (t, &next, random))
      continue;
    next.energy = scopedetect_assign_energy (t, next.chosen, next.n);
    if (next.energy < s->energy &&
        (float) chance >=
            4294967296.f * chance_of (t, i, s->energy - next.energy))
      continue;
    *s = next;
    keep_better (&search->each[k].best, s);
  }
}

#define SWEEPS 4 /* uphill, at most */

static void
keep_next (const ScopedetectAssignTask *t, State *s, State *next)
{
  next->energy = scopedetect_assign_energy (t, next->chosen, next->n);
  keep_better (s, next);
}

/* Tries every single move, and takes each that is better. */
static void
sweep (const ScopedetectAssignTask *t, State *s)
{
  int stay = n_fixed (t);

  for (int c = 0; c < t->n_candidates; c++)
    for (int at = stay - 1; at < s->n; at++) {
      State next = *s;

      if (at < stay ? add (t, &next, c) : replace (t, &next, at, c))
        keep_next (t, s, &next);
    }
  for (int at = s->n - 1; at >= stay; at--) {
    State next = *s;

    take_out (&next, at);
    keep_next (t, s, &next);
  }
}

static void
climb (const ScopedetectAssignTask *t, State *s)
{
  int64_t before;
  int n = 0;

  do {
    before = s->energy;
    sweep (t, s);
  } while (s->energy > before && ++n < SWEEPS);
}

static void
sort (State *s)
{
  for (int i = 1; i < s->n; i++) {
    int c = s->chosen[i], j = i;

    for (; j > 0 && s->chosen[j - 1] > c; j--)
      s->chosen[j] = s->chosen[j - 1];
    s->chosen[j] = c;
  }
}

static void
anneal_some (void *data, int begin, int end)
{
  for (int k = begin; k < end; k++)
    anneal (data, k);
}

static void
climb_some (void *data, int begin, int end)
{
  Search *search = data;

  for (int k = begin; k < end; k++)
    climb (search->task, &search->each[k].best);
}

double
scopedetect_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* Steps between two looks at the clock.  All searches have taken the same
 * number of steps then, so that the number alone says what was found. */
#define SLICE 500

/* At least one step is taken.  Those that are stopped do not go uphill: it
 * takes time. */
static void
search_all (Search *search)
{
  const ScopedetectAssignTask *t = search->task;
  int stop = t->stop < t->steps ? t->stop : t->steps;

  do {
    search->until =
        t->end > 0 && stop - search->done > SLICE ? search->done + SLICE : stop;
    parallel_for (t->searches, 1, anneal_some, search);
    search->done = search->until;
  } while (
      search->done < stop && !(t->end > 0 && scopedetect_now () >= t->end));
  if (search->done == t->steps && t->schedule == SCOPEDETECT_METROPOLIS)
    parallel_for (t->searches, 1, climb_some, search);
}

/* ---- The winner ---- */

/* Whether @a comes before @b: more energy, then fewer objects, then the smaller
 * numbers. */
static bool
wins (const State *a, const State *b)
{
  if (a->energy != b->energy)
    return a->energy > b->energy;
  if (a->n != b->n)
    return a->n < b->n;
  for (int i = 0; i < a->n; i++)
    if (a->chosen[i] != b->chosen[i])
      return a->chosen[i] < b->chosen[i];
  return false;
}

static bool
has (const State *s, int candidate)
{
  for (int i = 0; i < s->n; i++)
    if (s->chosen[i] == candidate)
      return true;
  return false;
}

static void
begin_all (Search *search)
{
  const ScopedetectAssignTask *t = search->task;
  State s = {.n = t->n_start};

  memcpy (s.chosen, t->start, (size_t) s.n * sizeof *s.chosen);
  s.energy = scopedetect_assign_energy (t, s.chosen, s.n);
  for (int k = 0; k < t->searches; k++)
    search->each[k].now = search->each[k].best = s;
}

void
scopedetect_assign (
    const ScopedetectAssignTask *task, ScopedetectAssignment *best)
{
  Search search = {.task = task};
  const State *winner = &search.each[0].best;

  memset (best, 0, sizeof *best);
  if (!task->n_candidates) {
    best->agree = task->searches; /* on nothing */
    return;
  }
  begin_all (&search);
  search_all (&search);
  for (int k = 0; k < task->searches; k++) {
    sort (&search.each[k].best);
    if (wins (&search.each[k].best, winner))
      winner = &search.each[k].best;
  }
  best->n = winner->n;
  best->energy = winner->energy;
  best->steps = search.done;
  memcpy (best->chosen, winner->chosen, sizeof best->chosen);
  for (int k = 0; k < task->searches; k++) {
    const State *s = &search.each[k].best;

    best->agree += !wins (winner, s) && !wins (s, winner);
    for (int i = 0; i < winner->n; i++)
      best->agree_on[i] += has (s, winner->chosen[i]);
  }
}
