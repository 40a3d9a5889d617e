/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of many candidates, each a pose of a model, explain a scene together
 * (thesis, sections 2.1 and 2.2: MOPE).  It knows neither frames nor models:
 * a candidate is the log-odds that it is right, and which patches of the scene
 * it explains.  All of it is integers but the chance to accept a step, so that
 * an answer is the same wherever it is computed. */
#pragma once

#include "common/memory.h"
#include "scopedetect/scopedetect.h"

C_BEGIN

#define SCOPEDETECT_PATCH_WORDS 80 /* a bit for each patch */
#define SCOPEDETECT_MAX_PATCHES (64 * SCOPEDETECT_PATCH_WORDS)
#define SCOPEDETECT_SURE 65536 /* a fit of 1 */
/* Maximum number of objects of an assignment, as in the original. */
#define SCOPEDETECT_MAX_TOGETHER 50

typedef struct {
  int model;
  int32_t fit;    /* log-odds, -SCOPEDETECT_SURE to SCOPEDETECT_SURE */
  int n_patches;  /* bits that are set */
  int first, end; /* words that have such: first to before end */
  uint64_t patch[SCOPEDETECT_PATCH_WORDS];
} ScopedetectCandidate;

/* @c, of which all is 0 at first, explains patch @i, too. */
static inline void
scopedetect_take_patch (ScopedetectCandidate *c, int i)
{
  int word = i / 64;
  uint64_t bit = (uint64_t) 1 << i % 64;

  c->first = !c->n_patches || word < c->first ? word : c->first;
  c->end = word >= c->end ? word + 1 : c->end;
  c->n_patches += !(c->patch[word] & bit);
  c->patch[word] |= bit;
}

int scopedetect_shared_patches (
    const ScopedetectCandidate *a, const ScopedetectCandidate *b);

/* Weights of 2.2, in 1/1024; all but the last up to 1000. */
typedef struct {
  int64_t fit, unexplained, overlap, object;
} ScopedetectAssignWeights;

typedef struct {
  const ScopedetectCandidate *candidate;
  int n_candidates, n_patches; /* n_patches: of the scene, 1 or more */
  const uint64_t *excludes; /* [candidate][words]: a bit for each candidate that
                               cannot be there with it; symmetric */
  int max_objects;          /* of one model */
  ScopedetectSchedule schedule;
  int searches; /* of a round, 1 to SCOPEDETECT_MAX_RESTARTS.  With Metropolis's
                   rule and without a limit, up to 32 rounds follow each other
                   until a quarter of all searches ended with the best */
  int steps;    /* of each search */
  int stop;     /* limit: number of these steps; INT32_MAX: none */
  double end;   /* limit: seconds of the monotonic clock; 0: none */
  int start[SCOPEDETECT_MAX_TOGETHER]; /* candidates that each search begins
                                          with; none excludes another */
  int n_start;
  bool fixed; /* the searches keep those */
  uint64_t seed;
  ScopedetectAssignWeights weight;
} ScopedetectAssignTask;

typedef struct {
  int n;
  int chosen[SCOPEDETECT_MAX_TOGETHER]; /* ascending */
  int64_t energy;
  int searches; /* of all rounds */
  int agree;    /* searches that ended with this assignment */
  int agree_on[SCOPEDETECT_MAX_TOGETHER]; /* searches that ended with an
                                             assignment that has this one */
  int steps;                              /* of each search */
} ScopedetectAssignment;

/* What @params say of a choice among @n_candidates; @is_first: with the weights
 * of the first of two.  Candidates, patches and excludes are still missing. */
ScopedetectAssignTask scopedetect_assign_task (
    const ScopedetectParams *params, int n_candidates, bool is_first);

/* Whether the GPU is faster than four cores. */
bool scopedetect_assign_suits_gpu (const ScopedetectAssignTask *task);

/* The score of an assignment: higher is better, 0 for an empty one. */
int64_t scopedetect_assign_energy (
    const ScopedetectAssignTask *task, const int *chosen, int n);

/* Seconds of the clock that says when to end. */
double scopedetect_now (void);

/* Searches on one device, and their memory. */
typedef struct _ScopedetectAssigner ScopedetectAssigner;

/* For up to @candidates and @searches, with memory of @memory, whose device
 * must be @device or NULL: then bytes are counted, and nothing may be searched.
 * After an error, too, it is to be closed, once the memory is freed. */
const char *scopedetect_assigner_new (ScopedetectAssigner **self,
    const Device *device, DeviceMemory *memory, int candidates, int searches);
void scopedetect_assigner_free (ScopedetectAssigner *self);

/* The best assignment that is found; what it began with where nothing is better
 * than that.  The same on every device.  The task's arrays are in host memory,
 * and stay as they are until it returns. */
const char *scopedetect_assign (ScopedetectAssigner *self,
    const ScopedetectAssignTask *task, ScopedetectAssignment *best);

C_END
