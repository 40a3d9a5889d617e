/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A step of a search for an assignment (thesis, 2.1), for both backends. A step
 * computes the change of the energy. A table holds the number of patches that
 * each pair of candidates shares, so that bits of patches are counted only if
 * three candidates meet. Energies are integers, equal to those of
 * scopedetect_assign_energy (). */
#pragma once

#include "common/random.h"
#include "scopedetect/explain/assign.h"
#include "scopedetect/scopedetect_core.h"

/* The first and the last temperature of a search; 1 is the greatest of the
 * energy's weights. */
#define SCOPEDETECT_HOT .2f
#define SCOPEDETECT_COLD .003f

/* The parts of an entry of the table of pairs of candidates. */
#define SCOPEDETECT_SHARED 0x1fff   /* patches that both explain */
#define SCOPEDETECT_ALIKE 0x8000    /* the candidates are of one model */
#define SCOPEDETECT_EXCLUDED 0xffff /* the candidates exclude each other */

/* The number of 64-bit words in a row of the table of excludes. */
BOTH int
scopedetect_exclude_words (int n_candidates)
{
  return (n_candidates + 63) / 64;
}

/* Whether candidates @i and @j of @n exclude each other. */
BOTH bool
scopedetect_is_excluded (const uint64_t *excludes, int n, int i, int j)
{
  size_t words = (size_t) scopedetect_exclude_words (n);

  return excludes[(size_t) i * words + (size_t) (j / 64)] >> j % 64 & 1;
}

/* Notes in row @i that candidate @i excludes @j. */
BOTH void
scopedetect_exclude (uint64_t *excludes, int n, int i, int j)
{
  size_t words = (size_t) scopedetect_exclude_words (n);

  excludes[(size_t) i * words + (size_t) (j / 64)] |= (uint64_t) 1 << j % 64;
}

/* A candidate, as the steps of a search read it. */
typedef struct {
  uint64_t per; /* scopedetect_per (size) */
  int32_t fit, size;
  int32_t first, n; /* the candidates of its model are first to first + n - 1 */
} ScopedetectItem;

/* The assignment of a search, a slot a candidate, with its energy's parts. */
typedef struct {
  int64_t energy, overlap; /* overlap: the sum over slots, with is_mean */
  int64_t value[SCOPEDETECT_MAX_TOGETHER]; /* the share of each slot */
  uint64_t
      beside[SCOPEDETECT_MAX_TOGETHER]; /* bits of slots that share patches */
  int n, covered; /* patches that the assignment explains */
  int chosen[SCOPEDETECT_MAX_TOGETHER];
  int shared[SCOPEDETECT_MAX_TOGETHER]; /* patches that others explain, too */
} ScopedetectChain;

/* The best assignment of a search. */
typedef struct {
  int64_t energy;
  int n, chosen[SCOPEDETECT_MAX_TOGETHER];
} ScopedetectChosen;

/* All searches of a task, in the memory of their device. */
typedef struct {
  const ScopedetectCandidate *candidate;
  const uint64_t *excludes; /* both as in the task */
  ScopedetectItem *item;    /* of each candidate */
  uint16_t *pair;           /* [candidate][candidate] */
  ScopedetectChain *chain;  /* of each search */
  ScopedetectChosen *best;  /* likewise */
  int n_candidates, searches, steps, max_objects;
  uint64_t per_patches; /* scopedetect_per (patches of the scene) */
  bool is_mean;         /* as in the task */
  bool is_thesis;       /* the thesis's schedule */
  uint64_t seed;
  ScopedetectAssignWeights weight;
  float unit; /* the maximum weight, as an energy */
  int start[SCOPEDETECT_MAX_TOGETHER], n_start;
  int stay; /* the first slots, which stay */
} ScopedetectSearches;

/* ---- Bits and quotients ---- */

/* The number of bits of @x that are 1, added in pairs, fours and bytes. The
 * compiler's builtin calls a function on CPUs without the instruction. */
BOTH int
scopedetect_bits (uint64_t x)
{
#ifdef __CUDA_ARCH__
  return __popcll (x);
#else
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (int) (x * 0x0101010101010101 >> 56);
#endif
}

/* The upper 64 bits of a product. */
BOTH uint64_t
scopedetect_high (uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
  return __umul64hi (a, b);
#elif defined(__SIZEOF_INT128__)
  return (uint64_t) ((unsigned __int128) a * b >> 64);
#else
  uint64_t low = (a & 0xffffffff) * (b & 0xffffffff);
  uint64_t mid = (a >> 32) * (b & 0xffffffff) + (low >> 32);
  uint64_t other = (a & 0xffffffff) * (b >> 32) + (mid & 0xffffffff);

  return (a >> 32) * (b >> 32) + (mid >> 32) + (other >> 32);
#endif
}

/* 2^64 / (2 @n), rounded up. */
BOTH uint64_t
scopedetect_per (int n)
{
  return UINT64_MAX / (2 * (uint64_t) n) + 1;
}

/* @x / (2 n), rounded down, for 0 <= @x <= 2^50; @per: scopedetect_per (n). The
 * rounding of @per adds less than @x / 2^64 to the quotient, which is less than
 * 1 / (2 n) for n up to SCOPEDETECT_MAX_PATCHES. */
BOTH int64_t
scopedetect_quotient (int64_t x, uint64_t per)
{
  return (int64_t) scopedetect_high ((uint64_t) x, per);
}

/* ---- Tables ---- */

BOTH void
scopedetect_set_item (const ScopedetectSearches *v, int i)
{
  const ScopedetectCandidate *c = &v->candidate[i];
  int first = i, end = i + 1;

  while (first > 0 && v->candidate[first - 1].model == c->model)
    first--;
  while (end < v->n_candidates && v->candidate[end].model == c->model)
    end++;
  v->item[i].size = c->n_patches ? c->n_patches : 1;
  v->item[i].per = scopedetect_per (v->item[i].size);
  v->item[i].fit = c->fit;
  v->item[i].first = first;
  v->item[i].n = end - first;
}

/* The entry of candidates @i and @j, which share @shared patches. */
BOTH uint16_t
scopedetect_candidate_pair (
    const ScopedetectSearches *v, int i, int j, int shared)
{
  bool alike = v->candidate[i].model == v->candidate[j].model;

  if (i == j || scopedetect_is_excluded (v->excludes, v->n_candidates, i, j))
    return SCOPEDETECT_EXCLUDED;
  return (uint16_t) (shared | (alike ? SCOPEDETECT_ALIKE : 0));
}

BOTH int
scopedetect_between (const ScopedetectSearches *v, int i, int j)
{
  return v->pair[(size_t) i * (size_t) v->n_candidates + (size_t) j];
}

/* ---- The energy of a candidate (2.2) ---- */

/* The cost of a candidate of whose patches others explain @shared. */
BOTH int64_t
scopedetect_overlap (const ScopedetectSearches *v, int candidate, int shared)
{
  return scopedetect_quotient (
      2 * v->weight.overlap * SCOPEDETECT_SURE * shared,
      v->item[candidate].per);
}

/* A candidate's share in the energy, if others explain @shared of its patches.
 * With is_mean it is without the overlap. */
BOTH int64_t
scopedetect_value (const ScopedetectSearches *v, int candidate, int shared)
{
  const ScopedetectItem *a = &v->item[candidate];
  int64_t fit = v->weight.fit * (a->fit < 0 ? -a->fit : a->fit);
  int64_t own = scopedetect_quotient (
      fit * (2 * a->size - shared), v->is_mean ? v->per_patches : a->per);

  return (a->fit < 0 ? -own : own) -
      (v->is_mean ? 0 : scopedetect_overlap (v, candidate, shared)) -
      v->weight.object * SCOPEDETECT_SURE;
}

/* The cost of the sum @overlap over @n slots, with is_mean. */
BOTH int64_t
scopedetect_mean (int64_t overlap, int n)
{
  return n ? overlap / n : 0;
}

/* The term of the energy for @covered explained patches. */
BOTH int64_t
scopedetect_gain (const ScopedetectSearches *v, int covered)
{
  return scopedetect_quotient (
      2 * v->weight.unexplained * SCOPEDETECT_SURE * covered, v->per_patches);
}

/* ---- A move (2.1) ---- */

typedef struct {
  int out,
      in; /* the slot that becomes free; the candidate that comes; -1: none */
  /* For the candidate that a move removes and for the one that it adds: the
   * slots of other candidates that share patches with it, and the number of
   * these patches; a patch that two others have counts twice. */
  uint64_t by_out, by_in;
  int of_out, of_in;
  bool three; /* three candidates may share a patch */
} ScopedetectMove;

/* Draws one of the four kinds of moves, and its candidates. */
BOTH ScopedetectMove
scopedetect_propose (
    const ScopedetectSearches *v, const ScopedetectChain *c, uint64_t random)
{
  uint32_t low = (uint32_t) random, which = (uint32_t) (random >> 32);
  uint32_t free = (uint32_t) (c->n - v->stay);
  ScopedetectMove m = {
      -1, (int) (low % (uint32_t) v->n_candidates), 0, 0, 0, 0, false};

  if (!free || (which & 3) == 3)
    return m;
  m.out = v->stay + (int) ((which >> 2) % free);
  if ((which & 3) == 1) {
    const ScopedetectItem *a = &v->item[c->chosen[m.out]];

    m.in = a->first + (int) (low % (uint32_t) a->n);
  } else if ((which & 3) == 2)
    m.in = -1;
  return m;
}

/* Whether two candidates in the slots @slots share patches. */
BOTH bool
scopedetect_meet_each_other (const ScopedetectChain *c, uint64_t slots)
{
  for (uint64_t rest = slots; rest; rest &= rest - 1)
    if (c->beside[math_lowest_bit64 (rest)] & slots)
      return true;
  return false;
}

/* Whether the move @m is allowed; if so, completes the fields of @m. */
BOTH bool
scopedetect_may (
    const ScopedetectSearches *v, const ScopedetectChain *c, ScopedetectMove *m)
{
  int alike = 0;

  if (m->in >= 0 &&
      (m->out < 0 ? c->n == SCOPEDETECT_MAX_TOGETHER
                  : c->chosen[m->out] == m->in))
    return false;
  for (int i = 0; m->in >= 0 && i < c->n; i++) {
    int pair = i == m->out ? 0 : scopedetect_between (v, c->chosen[i], m->in);
    int shared = pair & SCOPEDETECT_SHARED;

    if (pair == SCOPEDETECT_EXCLUDED)
      return false;
    alike += pair >> 15;
    m->by_in |= (uint64_t) (shared > 0) << i;
    m->of_in += shared;
  }
  if (alike >= v->max_objects)
    return false;
  if (m->out >= 0)
    m->by_out = c->beside[m->out];
  for (uint64_t rest = m->by_out; rest; rest &= rest - 1)
    m->of_out += SCOPEDETECT_SHARED &
        scopedetect_between (
            v, c->chosen[m->out], c->chosen[math_lowest_bit64 (rest)]);
  m->three = scopedetect_meet_each_other (c, m->by_in) ||
      scopedetect_meet_each_other (c, m->by_out);
  return true;
}

/* The change by @m of the number of patches that slot @i shares, if no patch is
 * of three candidates. */
BOTH int
scopedetect_shift (const ScopedetectSearches *v, const ScopedetectChain *c,
    const ScopedetectMove *m, int i)
{
  int shift = 0;

  if (m->by_in >> i & 1)
    shift += scopedetect_between (v, c->chosen[i], m->in) & SCOPEDETECT_SHARED;
  if (m->out >= 0 && (m->by_out >> i & 1))
    shift -= scopedetect_between (v, c->chosen[i], c->chosen[m->out]) &
        SCOPEDETECT_SHARED;
  return shift;
}

/* The number of patches that are explained after the move @m. */
BOTH int
scopedetect_covered (const ScopedetectSearches *v, const ScopedetectChain *c,
    const ScopedetectMove *m)
{
  int covered = c->covered;

  if (m->out >= 0)
    covered -= v->candidate[c->chosen[m->out]].n_patches - m->of_out;
  if (m->in >= 0)
    covered += v->candidate[m->in].n_patches - m->of_in;
  return covered;
}

/* The energy after @m, without the changes of slots that stay, and, with
 * is_mean, without the overlap. */
BOTH int64_t
scopedetect_ends (const ScopedetectSearches *v, const ScopedetectChain *c,
    const ScopedetectMove *m)
{
  int64_t energy = c->energy + scopedetect_mean (c->overlap, c->n) -
      scopedetect_gain (v, c->covered) +
      scopedetect_gain (v, scopedetect_covered (v, c, m));

  if (m->out >= 0)
    energy -= c->value[m->out];
  if (m->in >= 0)
    energy += scopedetect_value (v, m->in, m->of_in);
  return energy;
}

/* The change of the energy if slot @i shares @shift more patches. */
BOTH int64_t
scopedetect_rise (
    const ScopedetectSearches *v, const ScopedetectChain *c, int i, int shift)
{
  return scopedetect_value (v, c->chosen[i], c->shared[i] + shift) -
      c->value[i];
}

/* With is_mean, the change of the sum of overlaps if slot @i shares @shift more
 * patches. */
BOTH int64_t
scopedetect_overlap_rise (
    const ScopedetectSearches *v, const ScopedetectChain *c, int i, int shift)
{
  return scopedetect_overlap (v, c->chosen[i], c->shared[i] + shift) -
      scopedetect_overlap (v, c->chosen[i], c->shared[i]);
}

/* With is_mean, the mean overlap after @m; @rise: the changes of slots that
 * stay. */
BOTH int64_t
scopedetect_mean_after (const ScopedetectSearches *v, const ScopedetectChain *c,
    const ScopedetectMove *m, int64_t rise)
{
  int64_t overlap = c->overlap + rise;

  if (m->out >= 0)
    overlap -= scopedetect_overlap (v, c->chosen[m->out], c->shared[m->out]);
  if (m->in >= 0)
    overlap += scopedetect_overlap (v, m->in, m->of_in);
  return scopedetect_mean (overlap, c->n + (m->in >= 0) - (m->out >= 0));
}

/* The energy after @m, if no patch is of three candidates. */
BOTH int64_t
scopedetect_energy (const ScopedetectSearches *v, const ScopedetectChain *c,
    const ScopedetectMove *m)
{
  int64_t energy = scopedetect_ends (v, c, m), overlap = 0;

  for (uint64_t rest = m->by_in | m->by_out; rest; rest &= rest - 1) {
    int i = math_lowest_bit64 (rest), shift = scopedetect_shift (v, c, m, i);

    energy += scopedetect_rise (v, c, i, shift);
    if (v->is_mean)
      overlap += scopedetect_overlap_rise (v, c, i, shift);
  }
  return energy - (v->is_mean ? scopedetect_mean_after (v, c, m, overlap) : 0);
}

/* The patches in word @w of @candidate that exactly one candidate in the slots
 * @slots explains, too. @any: those that at least one does. */
BOTH uint64_t
scopedetect_single (const ScopedetectSearches *v, const ScopedetectChain *c,
    uint64_t slots, int candidate, int w, uint64_t *any)
{
  uint64_t patch = v->candidate[candidate].patch[w], once = 0, more = 0;

  for (uint64_t rest = slots; rest; rest &= rest - 1) {
    uint64_t other =
        v->candidate[c->chosen[math_lowest_bit64 (rest)]].patch[w] & patch;

    more |= once & other;
    once |= other;
  }
  *any = once;
  return once & ~more;
}

/* Updates slot @i for move @m, which adds @shift shared patches. Call
 * scopedetect_end_move () when all slots are updated. */
BOTH void
scopedetect_move_slot (const ScopedetectSearches *v, ScopedetectChain *c,
    const ScopedetectMove *m, int i, int shift)
{
  uint64_t beside = c->beside[i];
  int to = m->out < 0 ? c->n : m->out;

  if (shift) {
    c->shared[i] += shift;
    c->value[i] = scopedetect_value (v, c->chosen[i], c->shared[i]);
  }
  if (m->out >= 0)
    beside &= ~((uint64_t) 1 << m->out);
  c->beside[i] = beside | (m->by_in >> i & 1) << to;
}

/* Completes move @m, which leads to @energy, when all slots are updated. */
BOTH void
scopedetect_end_move (const ScopedetectSearches *v, ScopedetectChain *c,
    const ScopedetectMove *m, int64_t energy)
{
  int to = m->out < 0 ? c->n++ : m->out, last;

  c->covered = scopedetect_covered (v, c, m);
  c->energy = energy;
  if (m->in >= 0) {
    c->chosen[to] = m->in;
    c->shared[to] = m->of_in;
    c->value[to] = scopedetect_value (v, m->in, m->of_in);
    c->beside[to] = m->by_in;
  } else if (to != (last = --c->n)) {
    c->chosen[to] = c->chosen[last];
    c->shared[to] = c->shared[last];
    c->value[to] = c->value[last];
    c->beside[to] = c->beside[last];
    for (uint64_t rest = c->beside[to]; rest; rest &= rest - 1) {
      int i = math_lowest_bit64 (rest);

      c->beside[i] =
          (c->beside[i] & ~((uint64_t) 1 << last)) | (uint64_t) 1 << to;
    }
  }
  if (!v->is_mean)
    return;
  c->overlap = 0;
  for (int i = 0; i < c->n; i++)
    c->overlap += scopedetect_overlap (v, c->chosen[i], c->shared[i]);
}

/* ---- Acceptance ---- */

/* The probability to accept step @i, which loses @loss > 0. */
BOTH float
scopedetect_chance (const ScopedetectSearches *v, int i, int64_t loss)
{
  float part = (float) i / (float) v->steps;

  if (v->is_thesis)
    return .5f * (1 - part);
  return math_exp (-(float) loss /
      (v->unit * SCOPEDETECT_HOT *
          math_exp (part * math_log (SCOPEDETECT_COLD / SCOPEDETECT_HOT))));
}

/* The index of the first of two random numbers of step @i of search @k. */
BOTH uint64_t
scopedetect_step_number (int k, int i)
{
  return 2 * ((uint64_t) k << 32 | (uint64_t) (uint32_t) i);
}

/* Whether search @k accepts its step @i, which leads to @energy. */
BOTH bool
scopedetect_takes_step (const ScopedetectSearches *v, const ScopedetectChain *c,
    int k, int i, int64_t energy)
{
  uint32_t chance;

  if (energy >= c->energy)
    return true;
  chance = (uint32_t) random_u64 (v->seed, scopedetect_step_number (k, i) + 1);
  return (float) chance <
      4294967296.f * scopedetect_chance (v, i, c->energy - energy);
}

/* ---- The stages that each backend writes for itself ---- */

typedef struct {
  /* Copies candidates and excludes of @task to the device; makes the tables. */
  const char *(*load) (const Device *dev, ScopedetectSearches *v,
      const ScopedetectAssignTask *task);
  /* Starts each search with the task's candidates. */
  const char *(*begin) (const Device *dev, const ScopedetectSearches *v);
  /* Takes steps @first to @end - 1 of each search. */
  const char *(*anneal) (
      const Device *dev, const ScopedetectSearches *v, int first, int end);
  /* Improves the best assignment of each search by single moves. */
  const char *(*climb) (const Device *dev, const ScopedetectSearches *v);
} ScopedetectAssignStages;

#define SCOPEDETECT_SWEEPS 4 /* maximum number of passes over all moves */

C_BEGIN
extern const ScopedetectAssignStages scopedetect_assign_stages_cpu;
extern const ScopedetectAssignStages scopedetect_assign_stages_cuda;
C_END
