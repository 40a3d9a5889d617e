/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for an assignment.  Each chain anneals by Metropolis's rule, where
 * the original accepts what is worse without asking how much (see the README),
 * and ends uphill. */
#include "scopedetect/explain/assign.h"

#include <string.h>

#include "common/parallel.h"
#include "common/random.h"
#include "scopedetect/scopedetect_core.h"

/* Temperatures that a chain begins and ends with, in the greatest weight; set
 * on made-up scenes. */
#define HOT .2f
#define COLD .003f

typedef struct {
  int n;
  int chosen[SCOPEDETECT_MOST_TOGETHER];
  int64_t energy;
} State;

typedef struct {
  const ScopedetectAssignTask *task;
  State end[SCOPEDETECT_CHAINS];
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
  if (s->n == SCOPEDETECT_MOST_TOGETHER || !fits (t, s, candidate, -1))
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

/* Another candidate of the model of @candidate; they lie one after the other.
 */
static int
other_sample (const ScopedetectAssignTask *t, int candidate, uint32_t random)
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

  if (!s->n)
    return add (t, s, any);
  at = (int) ((which >> 2) % (uint32_t) s->n);
  switch (which & 3) {
    case 0:
      return replace (t, s, at, any);
    case 1:
      return replace (
          t, s, at, other_sample (t, s->chosen[at], (uint32_t) random));
    case 2:
      take_out (s, at);
      return true;
    default:
      return add (t, s, any);
  }
}

/* ---- A chain ---- */

static void
keep_better (State *best, const State *s)
{
  if (s->energy > best->energy)
    *best = *s;
}

static int64_t
greatest (const ScopedetectAssignWeights *w)
{
  int64_t most = w->fit > w->unexplained ? w->fit : w->unexplained;

  return most > w->overlap ? most : w->overlap;
}

static void
anneal (const ScopedetectAssignTask *t, int chain, State *best)
{
  float unit = (float) (greatest (&t->weight) * SCOPEDETECT_SURE);
  float steps = (float) t->steps;
  State s = {0};

  *best = s;
  for (int i = 0; i < t->steps; i++) {
    uint64_t at = (uint64_t) chain << 32 | (uint64_t) (uint32_t) i;
    uint64_t random = random_u64 (t->seed, 2 * at);
    uint32_t chance = (uint32_t) random_u64 (t->seed, 2 * at + 1);
    float heat = unit * HOT *
        scopedetect_exp ((float) i / steps * scopedetect_log (COLD / HOT));
    State next = s;

    if (!move (t, &next, random))
      continue;
    next.energy = scopedetect_assign_energy (t, next.chosen, next.n);
    if (next.energy < s.energy &&
        (float) chance >= 4294967296.f *
                scopedetect_exp ((float) (next.energy - s.energy) / heat))
      continue;
    s = next;
    keep_better (best, &s);
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
  for (int c = 0; c < t->n_candidates; c++)
    for (int at = -1; at < s->n; at++) {
      State next = *s;

      if (at < 0 ? add (t, &next, c) : replace (t, &next, at, c))
        keep_next (t, s, &next);
    }
  for (int at = s->n - 1; at >= 0; at--) {
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
run_chains (void *data, int begin, int end)
{
  Search *search = data;

  for (int k = begin; k < end; k++) {
    anneal (search->task, k, &search->end[k]);
    climb (search->task, &search->end[k]);
    sort (&search->end[k]);
  }
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

void
scopedetect_assign (
    const ScopedetectAssignTask *task, ScopedetectAssignment *best)
{
  Search search = {.task = task};
  const State *winner = search.end;

  memset (best, 0, sizeof *best);
  if (!task->n_candidates) {
    best->agree = SCOPEDETECT_CHAINS; /* on nothing */
    return;
  }
  parallel_for (SCOPEDETECT_CHAINS, 1, run_chains, &search);
  for (int k = 1; k < SCOPEDETECT_CHAINS; k++)
    if (wins (&search.end[k], winner))
      winner = &search.end[k];
  best->n = winner->n;
  best->energy = winner->energy;
  memcpy (best->chosen, winner->chosen, sizeof best->chosen);
  for (int k = 0; k < SCOPEDETECT_CHAINS; k++) {
    best->agree +=
        !wins (winner, &search.end[k]) && !wins (&search.end[k], winner);
    for (int i = 0; i < winner->n; i++)
      best->agree_on[i] += has (&search.end[k], winner->chosen[i]);
  }
}
