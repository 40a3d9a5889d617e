/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The searches for an assignment, as loops. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "scopedetect/explain/assign_core.h"

/* ---- Tables ---- */

/* Sets the entries of some rows, each with its mirror image. */
VECTORS_WHOLE static void
set_pair_rows (void *data, int begin_searches_cpu, int end)
{
  const ScopedetectSearches *v = data;
  const size_t n = (size_t) v->n_candidates;

  for (int i = begin_searches_cpu; i < end; i++) {
    const ScopedetectCandidate *a = &v->candidate[i];

    scopedetect_set_item (v, i);
    for (int j = i; j < v->n_candidates; j++) {
      const ScopedetectCandidate *b = &v->candidate[j];
      int first = a->first > b->first ? a->first : b->first;
      int last = a->end < b->end ? a->end : b->end, shared = 0;

      for (int k = first; k < last; k++)
        shared += scopedetect_bits (a->patch[k] & b->patch[k]);
      v->pair[(size_t) i * n + (size_t) j] =
          v->pair[(size_t) j * n + (size_t) i] =
              scopedetect_candidate_pair (v, i, j, shared);
    }
  }
}

static const char *
load_candidates_cpu (
    const Device *dev, ScopedetectSearches *v, const ScopedetectAssignTask *t)
{
  (void) dev;
  v->candidate = t->candidate;
  v->excludes = t->excludes;
  parallel_for (v->n_candidates, 1, set_pair_rows, v);
  return NULL;
}

/* ---- Moves ---- */

/* The change of the number of patches that each slot shares. */
typedef struct {
  int of[SCOPEDETECT_MAX_TOGETHER];
} Shift;

/* Counts the patches that @candidate alone shares with each of the slots
 * @slots, and adds them, times @sign, to @shift. Returns the number of patches
 * that it shares with any of them. */
static int
count_shared_patches (const ScopedetectSearches *v, const ScopedetectChain *c,
    uint64_t slots, int candidate, int sign, Shift *shift)
{
  const ScopedetectCandidate *a = &v->candidate[candidate];
  int all = 0;

  for (int w = a->first; w < a->end; w++) {
    uint64_t any;
    uint64_t single = scopedetect_single (v, c, slots, candidate, w, &any);

    all += scopedetect_bits (any);
    for (uint64_t rest = single ? slots : 0; rest; rest &= rest - 1) {
      int i = math_lowest_bit64 (rest);

      shift->of[i] += sign *
          scopedetect_bits (v->candidate[c->chosen[i]].patch[w] & single);
    }
  }
  return all;
}

/* The energy after @m, counted by patches; @shift: the changes of the slots. */
static int64_t
count_move_energy (const ScopedetectSearches *v, const ScopedetectChain *c,
    ScopedetectMove *m, Shift *shift)
{
  int64_t energy, overlap = 0;

  memset (shift, 0, sizeof *shift);
  if (m->out >= 0)
    m->of_out =
        count_shared_patches (v, c, m->by_out, c->chosen[m->out], -1, shift);
  if (m->in >= 0)
    m->of_in = count_shared_patches (v, c, m->by_in, m->in, 1, shift);
  energy = scopedetect_ends (v, c, m);
  for (uint64_t rest = m->by_in | m->by_out; rest; rest &= rest - 1) {
    int i = math_lowest_bit64 (rest);

    energy += scopedetect_rise (v, c, i, shift->of[i]);
    if (v->is_mean)
      overlap += scopedetect_overlap_rise (v, c, i, shift->of[i]);
  }
  return energy - (v->is_mean ? scopedetect_mean_after (v, c, m, overlap) : 0);
}

/* The energy after the move @m, which must be allowed. */
static int64_t
energy_of_move (const ScopedetectSearches *v, const ScopedetectChain *c,
    ScopedetectMove *m, Shift *shift)
{
  return m->three ? count_move_energy (v, c, m, shift)
                  : scopedetect_energy (v, c, m);
}

static void
take_move (const ScopedetectSearches *v, ScopedetectChain *c,
    const ScopedetectMove *m, const Shift *shift, int64_t energy)
{
  for (int i = 0; i < c->n; i++)
    scopedetect_move_slot (
        v, c, m, i, m->three ? shift->of[i] : scopedetect_shift (v, c, m, i));
  scopedetect_end_move (v, c, m, energy);
}

static void
keep_better_chain (ScopedetectChosen *best, const ScopedetectChain *c)
{
  if (c->energy <= best->energy)
    return;
  best->energy = c->energy;
  best->n = c->n;
  memcpy (best->chosen, c->chosen, (size_t) c->n * sizeof *c->chosen);
}

/* ---- A search ---- */

/* Sets @c to the @n candidates @chosen, which do not exclude each other. */
static void
start_chain (
    const ScopedetectSearches *v, const int *chosen, int n, ScopedetectChain *c)
{
  memset (c, 0, sizeof *c);
  for (int i = 0; i < n; i++) {
    ScopedetectMove m = {.out = -1, .in = chosen[i]};
    Shift shift;

    if (scopedetect_may (v, c, &m))
      take_move (v, c, &m, &shift, energy_of_move (v, c, &m, &shift));
  }
}

static const char *
begin_searches_cpu (const Device *dev, const ScopedetectSearches *v)
{
  (void) dev;
  start_chain (v, v->start, v->n_start, &v->chain[0]);
  v->best[0].energy = INT64_MIN;
  keep_better_chain (&v->best[0], &v->chain[0]);
  for (int k = 1; k < v->searches; k++) {
    v->chain[k] = v->chain[0];
    v->best[k] = v->best[0];
  }
  return NULL;
}

typedef struct {
  const ScopedetectSearches *v;
  int first, end; /* steps */
} Stretch;

VECTORS_WHOLE static void
anneal_search_range (void *data, int from, int to)
{
  const Stretch *s = data;
  const ScopedetectSearches *v = s->v;

  for (int k = from; k < to; k++)
    for (int i = s->first; i < s->end; i++) {
      ScopedetectChain *c = &v->chain[k];
      ScopedetectMove m = scopedetect_propose (
          v, c, random_u64 (v->seed, scopedetect_step_number (k, i)));
      int64_t energy;
      Shift shift;

      if (!scopedetect_may (v, c, &m))
        continue;
      energy = energy_of_move (v, c, &m, &shift);
      if (!scopedetect_takes_step (v, c, k, i, energy))
        continue;
      take_move (v, c, &m, &shift, energy);
      keep_better_chain (&v->best[k], c);
    }
}

static const char *
anneal_searches_cpu (
    const Device *dev, const ScopedetectSearches *v, int first, int end)
{
  Stretch s = {v, first, end};

  (void) dev;
  parallel_for (v->searches, 1, anneal_search_range, &s);
  return NULL;
}

/* Makes the move from @out to @in if it raises the energy. */
static void
take_better_move (
    const ScopedetectSearches *v, ScopedetectChain *c, int out, int in)
{
  ScopedetectMove m = {.out = out, .in = in};
  int64_t energy;
  Shift shift;

  if (!scopedetect_may (v, c, &m))
    return;
  energy = energy_of_move (v, c, &m, &shift);
  if (energy > c->energy)
    take_move (v, c, &m, &shift, energy);
}

/* Tries every single move, and makes each that raises the energy. */
static void
sweep_moves (const ScopedetectSearches *v, ScopedetectChain *c)
{
  for (int in = 0; in < v->n_candidates; in++)
    for (int out = v->stay - 1; out < c->n; out++)
      take_better_move (v, c, out < v->stay ? -1 : out, in);
  for (int out = c->n - 1; out >= v->stay; out--)
    take_better_move (v, c, out, -1);
}

VECTORS_WHOLE static void
climb_search_range (void *data, int from, int to)
{
  const ScopedetectSearches *v = data;

  for (int k = from; k < to; k++) {
    ScopedetectChain *c = &v->chain[k];
    int64_t before;
    int n = 0;

    start_chain (v, v->best[k].chosen, v->best[k].n, c);
    do {
      before = c->energy;
      sweep_moves (v, c);
    } while (c->energy > before && ++n < SCOPEDETECT_SWEEPS);
    keep_better_chain (&v->best[k], c);
  }
}

static const char *
climb_searches_cpu (const Device *dev, const ScopedetectSearches *v)
{
  (void) dev;
  parallel_for (v->searches, 1, climb_search_range, (void *) v);
  return NULL;
}

const ScopedetectAssignStages scopedetect_assign_stages_cpu = {
    load_candidates_cpu, begin_searches_cpu, anneal_searches_cpu,
    climb_searches_cpu};
