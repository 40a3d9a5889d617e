/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for an assignment: its score, the order of its stages, and the
 * winner.  Each search anneals by Metropolis's rule and ends uphill; or as in
 * the original, which accepts what is worse without asking how much (see the
 * README). */
#include "scopedetect/explain/assign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scopedetect/explain/assign_core.h"

/* ---- The score (2.2), from nothing ---- */

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

static int
count (const uint64_t *a, const uint64_t *b, int first, int end)
{
  int n = 0;

  for (int k = first; k < end; k++)
    n += scopedetect_bits (a[k] & b[k]);
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

/* ---- Making and freeing ---- */

struct _ScopedetectAssigner {
  const Device *device;
  const ScopedetectAssignStages *stages;
  ScopedetectSearches work;
  ScopedetectChosen *found; /* pinned: the best of each search */
};

const char *
scopedetect_assigner_new (ScopedetectAssigner **self, const Device *device,
    DeviceMemory *m, int candidates, int searches)
{
  ScopedetectAssigner *a = *self = calloc (1, sizeof *a);
  const size_t n = (size_t) candidates, k = (size_t) searches;
  ScopedetectSearches *v;

  if (!a)
    return "out of memory";
  a->device = device;
  a->stages = STAGES (scopedetect_assign, device);
  v = &a->work;
  if (device->kind != DEVICE_CPU) { /* which reads those of the task */
    TRY (memory_get (m, &v->candidate, n));
    TRY (memory_get (
        m, &v->excludes, n * (size_t) scopedetect_exclude_words (candidates)));
  }
  TRY (memory_get (m, &v->item, n));
  TRY (memory_get (m, &v->pair, n * n));
  TRY (memory_get (m, &v->chain, k));
  TRY (memory_get (m, &v->best, k));
  return memory_get_pinned (m, &a->found, k);
}

void
scopedetect_assigner_free (ScopedetectAssigner *a)
{
  free (a);
}

/* ---- The searches ---- */

static int64_t
max_weight (const ScopedetectAssignWeights *w)
{
  int64_t max = w->fit > w->unexplained ? w->fit : w->unexplained;

  return max > w->overlap ? max : w->overlap;
}

static void
set_work (ScopedetectSearches *v, const ScopedetectAssignTask *t)
{
  v->n_candidates = t->n_candidates;
  v->searches = t->searches;
  v->steps = t->steps;
  v->max_objects = t->max_objects;
  v->per_patches = scopedetect_per (t->n_patches);
  v->halves = t->schedule == SCOPEDETECT_HALVES;
  v->seed = t->seed;
  v->weight = t->weight;
  v->unit = (float) (max_weight (&t->weight) * SCOPEDETECT_SURE);
  memcpy (v->start, t->start, sizeof v->start);
  v->n_start = t->n_start;
  v->stay = t->fixed ? t->n_start : 0;
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
#define LAUNCH 50000 /* without a clock: no kernel is to take seconds */

/* At least one step is taken, to @done how many.  Those that are stopped do not
 * go uphill: it takes time. */
static const char *
search_all (ScopedetectAssigner *a, const ScopedetectAssignTask *t, int *done)
{
  int stop = t->stop < t->steps ? t->stop : t->steps;
  int slice = t->end > 0 ? SLICE : LAUNCH;

  *done = 0;
  do {
    int until = stop - *done > slice ? *done + slice : stop;

    TRY (a->stages->anneal (a->device, &a->work, *done, until));
    *done = until;
    if (t->end > 0)
      TRY (device_wait (a->device));
  } while (*done < stop && !(t->end > 0 && scopedetect_now () >= t->end));
  if (*done == t->steps && t->schedule == SCOPEDETECT_METROPOLIS)
    TRY (a->stages->climb (a->device, &a->work));
  return NULL;
}

/* ---- The winner ---- */

static void
sort (ScopedetectChosen *s)
{
  for (int i = 1; i < s->n; i++) {
    int c = s->chosen[i], j = i;

    for (; j > 0 && s->chosen[j - 1] > c; j--)
      s->chosen[j] = s->chosen[j - 1];
    s->chosen[j] = c;
  }
}

/* Whether @a comes before @b: more energy, then fewer objects, then the smaller
 * numbers. */
static bool
wins (const ScopedetectChosen *a, const ScopedetectChosen *b)
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
has (const ScopedetectChosen *s, int candidate)
{
  for (int i = 0; i < s->n; i++)
    if (s->chosen[i] == candidate)
      return true;
  return false;
}

/* Of what @n searches found. */
static void
set_winner (ScopedetectChosen *found, int n, ScopedetectAssignment *best)
{
  const ScopedetectChosen *winner = &found[0];

  for (int k = 0; k < n; k++) {
    sort (&found[k]);
    if (wins (&found[k], winner))
      winner = &found[k];
  }
  best->n = winner->n;
  best->energy = winner->energy;
  memcpy (best->chosen, winner->chosen, (size_t) best->n * sizeof (int));
  for (int k = 0; k < n; k++) {
    best->agree += !wins (winner, &found[k]) && !wins (&found[k], winner);
    for (int i = 0; i < winner->n; i++)
      best->agree_on[i] += has (&found[k], winner->chosen[i]);
  }
}

const char *
scopedetect_assign (ScopedetectAssigner *a, const ScopedetectAssignTask *task,
    ScopedetectAssignment *best)
{
  size_t bytes = (size_t) task->searches * sizeof *a->found;

  memset (best, 0, sizeof *best);
  if (!task->n_candidates) {
    best->agree = task->searches; /* on nothing */
    return NULL;
  }
  set_work (&a->work, task);
  TRY (a->stages->load (a->device, &a->work, task));
  TRY (a->stages->begin (a->device, &a->work));
  TRY (search_all (a, task, &best->steps));
  TRY (device_copy (a->device, a->found, a->work.best, bytes));
  TRY (device_wait (a->device));
  set_winner (a->found, task->searches, best);
  return NULL;
}
