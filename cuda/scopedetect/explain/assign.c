/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for an assignment: energy, order of stages, winner. Searches
 * anneal by Metropolis's rule and end uphill; or follow the original's
 * schedule, whose acceptance does not depend on the loss (see the README). */
#include "scopedetect/explain/assign.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scopedetect/explain/assign_core.h"

/* ---- The energy (2.2), counted from nothing ---- */

typedef struct {
  uint64_t once[SCOPEDETECT_PATCH_WORDS], more[SCOPEDETECT_PATCH_WORDS];
} Cover;

static void
cover_patches (const ScopedetectAssignTask *t, const int *chosen, int n,
    int words, Cover *c)
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
count_common_bits (const uint64_t *a, const uint64_t *b, int first, int end)
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
  return count_common_bits (a->patch, b->patch, a->first, a->end);
}

/* S: the fit of each object, times the patches that it has for itself plus half
 * of those that it shares, as a part of its patches, or of all with is_mean.
 * E: the part of all patches that is explained, as a gain. O: the parts of
 * objects that are shared: their sum, or their mean with is_mean. */
int64_t
scopedetect_assign_energy (
    const ScopedetectAssignTask *t, const int *chosen, int n)
{
  const ScopedetectAssignWeights *w = &t->weight;
  int words = (t->n_patches + 63) / 64;
  int64_t all = t->n_patches ? t->n_patches : 1, sum = 0, overlap = 0;
  Cover c;

  cover_patches (t, chosen, n, words, &c);
  for (int i = 0; i < n; i++) {
    const ScopedetectCandidate *a = &t->candidate[chosen[i]];
    int64_t size = a->n_patches ? a->n_patches : 1;
    int64_t shared = count_common_bits (a->patch, c.more, a->first, a->end);

    sum += w->fit * a->fit * (2 * size - shared) /
        (2 * (t->is_mean ? all : size));
    overlap += w->overlap * SCOPEDETECT_SURE * shared / size;
    sum -= w->object * SCOPEDETECT_SURE;
  }
  return sum - (t->is_mean && n ? overlap / n : overlap) +
      w->unexplained * SCOPEDETECT_SURE *
      count_common_bits (c.once, c.once, 0, words) / all;
}

/* ---- Tasks ---- */

#define WEIGHT_STEPS 1024 /* of a weight of 1 */

static int64_t
weight_steps (double w)
{
  return (int64_t) (w * WEIGHT_STEPS + .5);
}

ScopedetectAssignTask
scopedetect_assign_task (
    const ScopedetectParams *p, int n_candidates, bool is_first)
{
  bool is_thesis = p->schedule == SCOPEDETECT_SCHEDULE_THESIS;
  ScopedetectAssignWeights weight = {.fit = weight_steps (p->weight_fit),
      .unexplained = weight_steps (
          is_first ? p->first_weight_unexplained : p->weight_unexplained),
      .overlap =
          weight_steps (is_first ? p->first_weight_overlap : p->weight_overlap),
      .object =
          weight_steps (is_first ? p->first_weight_object : p->weight_object)};

  return (ScopedetectAssignTask){.n_candidates = n_candidates,
      .max_objects = p->max_objects,
      .is_mean = p->explain_score == SCOPEDETECT_SCORE_THESIS,
      .schedule = p->schedule,
      .searches = p->restarts,
      .steps = is_thesis ? p->restart_steps : p->explain_steps * n_candidates,
      .stop = INT32_MAX,
      .seed = p->seed,
      .weight = weight};
}

/* From this number of searches on, the GPU is faster than four cores. A warp
 * computes 32 steps of a search at once, and a core takes half of the warp's
 * time for them; with the thesis's schedule a thirteenth, since searches accept
 * half of the steps at first, and the warp computes the steps behind an
 * accepted one again. */
#define GPU_SEARCHES 8
#define GPU_RESTARTS 52

bool
scopedetect_assign_suits_gpu (const ScopedetectAssignTask *t)
{
  return t->searches >= (t->schedule == SCOPEDETECT_SCHEDULE_THESIS
                                ? GPU_RESTARTS
                                : GPU_SEARCHES);
}

/* ---- Making and freeing ---- */

struct _ScopedetectAssigner {
  const Device *device;
  const ScopedetectAssignStages *stages;
  ScopedetectSearches work;
  ScopedetectChosen *found; /* pinned: the best of each search of a round */
  int *chosen_by; /* of each candidate: searches whose assignment has it */
};

const char *
scopedetect_assigner_new (ScopedetectAssigner **self, const Device *device,
    DeviceMemory *m, int candidates, int searches)
{
  ScopedetectAssigner *a = *self = calloc (1, sizeof *a);
  const size_t n = (size_t) candidates, k = (size_t) searches;
  ScopedetectSearches *v;

  if (!a)
    return OUT_OF_MEMORY (sizeof *a, "");
  a->device = device;
  a->stages = STAGES (scopedetect_assign, device);
  v = &a->work;
  if (device->kind != DEVICE_CPU) { /* the CPU reads the task's arrays */
    TRY (memory_get (m, &v->candidate, n));
    TRY (memory_get (
        m, &v->excludes, n * (size_t) scopedetect_exclude_words (candidates)));
  }
  TRY (memory_get (m, &v->item, n));
  TRY (memory_get (m, &v->pair, n * n));
  TRY (memory_get (m, &v->chain, k));
  TRY (memory_get (m, &v->best, k));
  TRY (memory_get_pinned (m, &a->chosen_by, n));
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
set_searches (ScopedetectSearches *v, const ScopedetectAssignTask *t)
{
  v->n_candidates = t->n_candidates;
  v->searches = t->searches;
  v->steps = t->steps;
  v->max_objects = t->max_objects;
  v->per_patches = scopedetect_per (t->n_patches);
  v->is_mean = t->is_mean;
  v->is_thesis = t->schedule == SCOPEDETECT_SCHEDULE_THESIS;
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

/* Steps between two readings of the clock. All searches have taken the same
 * number of steps then, so that this number repeats the result. */
#define SLICE 500
#define LAUNCH 50000 /* without a clock: a kernel does not take seconds */

/* Takes the steps of all searches, at least one each; @done: the steps of each.
 * Searches that a limit stops do not end uphill, which takes time. */
static const char *
anneal_in_slices (
    ScopedetectAssigner *a, const ScopedetectAssignTask *t, int *done)
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
  if (*done == t->steps && t->schedule == SCOPEDETECT_SCHEDULE_METROPOLIS)
    TRY (a->stages->climb (a->device, &a->work));
  return NULL;
}

/* ---- The winner ---- */

static void
sort_chosen (ScopedetectChosen *s)
{
  for (int i = 1; i < s->n; i++) {
    int c = s->chosen[i], j = i;

    for (; j > 0 && s->chosen[j - 1] > c; j--)
      s->chosen[j] = s->chosen[j - 1];
    s->chosen[j] = c;
  }
}

/* Whether @a is better than @b: by energy, fewer objects, smaller numbers. */
static bool
is_better_choice (const ScopedetectChosen *a, const ScopedetectChosen *b)
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

/* Counts the assignments of @n searches; replaces @winner by a better one of
 * them. */
static void
add_found_assignments (ScopedetectAssigner *a, int n, ScopedetectChosen *winner,
    ScopedetectAssignment *best)
{
  for (int k = 0; k < n; k++) {
    ScopedetectChosen *found = &a->found[k];

    sort_chosen (found);
    if (is_better_choice (found, winner)) {
      *winner = *found;
      best->agree = 0;
    }
    best->agree += !is_better_choice (winner, found);
    for (int i = 0; i < found->n; i++)
      a->chosen_by[found->chosen[i]]++;
  }
  best->searches += n;
}

/* Whether fewer than a quarter of the searches end with the best assignment, so
 * that further searches may find a better one. With a limit none follow. */
static bool
is_best_doubtful (
    const ScopedetectAssignTask *t, const ScopedetectAssignment *best)
{
  return t->schedule == SCOPEDETECT_SCHEDULE_METROPOLIS && t->end <= 0 &&
      t->stop == INT32_MAX && best->agree * 4 < best->searches;
}

#define ROUNDS 32
#define NEXT_ROUND 0x9e3779b97f4a7c15ull /* from seed to seed */

const char *
scopedetect_assign (ScopedetectAssigner *a, const ScopedetectAssignTask *task,
    ScopedetectAssignment *best)
{
  const int n = task->searches;
  ScopedetectChosen winner = {.energy = INT64_MIN};

  memset (best, 0, sizeof *best);
  if (!task->n_candidates || !task->n_patches) {
    best->agree = best->searches = n; /* on the empty assignment */
    return NULL;
  }
  set_searches (&a->work, task);
  memset (a->chosen_by, 0, (size_t) task->n_candidates * sizeof (int));
  TRY (a->stages->load (a->device, &a->work, task));
  for (int k = 0; k < ROUNDS && (!k || is_best_doubtful (task, best)); k++) {
    a->work.seed = task->seed + (uint64_t) k * NEXT_ROUND;
    TRY (a->stages->begin (a->device, &a->work));
    TRY (anneal_in_slices (a, task, &best->steps));
    TRY (device_copy (
        a->device, a->found, a->work.best, (size_t) n * sizeof *a->found));
    TRY (device_wait (a->device));
    add_found_assignments (a, n, &winner, best);
  }
  best->n = winner.n;
  best->energy = winner.energy;
  memcpy (best->chosen, winner.chosen, (size_t) winner.n * sizeof (int));
  for (int i = 0; i < winner.n; i++)
    best->agree_on[i] = a->chosen_by[winner.chosen[i]];
  return NULL;
}
