/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for an assignment: which of many candidates explain a scene
 * together (thesis, sections 2.1 and 2.2: MOPE). A candidate is a pose, reduced
 * to the log-odds that it is right and the patches of the scene that it
 * explains. All numbers are integers but the probability to accept a step, so
 * that every device finds the same assignment. */
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
  int32_t fit; /* log-odds, or a score: -SCOPEDETECT_SURE to SCOPEDETECT_SURE */
  int n_patches;  /* bits that are set */
  int first, end; /* words with bits that are set: first to end - 1 */
  uint64_t patch[SCOPEDETECT_PATCH_WORDS];
} ScopedetectCandidate;

/* Adds patch @i to @c, which is all zeros at first. */
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

/* The weights of 2.2, in 1/1024; the first three are at most 1000. */
typedef struct {
  int64_t fit, unexplained, overlap, object;
} ScopedetectAssignWeights;

typedef struct {
  const ScopedetectCandidate *candidate;
  int n_candidates, n_patches; /* n_patches: of the scene */
  const uint64_t *
      excludes; /* [candidate][words]: bits of excluded candidates, symmetric */
  int max_objects; /* of one model */
  bool is_mean; /* the fit is a mean over patches, overlap one over objects */
  ScopedetectSchedule schedule;
  int searches; /* of a round, 1 to SCOPEDETECT_MAX_RESTARTS. By Metropolis
                   without a limit, up to 32 rounds follow until a quarter of
                   the searches agree */
  int steps;    /* of each search */
  int stop;     /* limit of these steps; INT32_MAX: none */
  double end;   /* limit, seconds of the monotonic clock; 0: none */
  int start[SCOPEDETECT_MAX_TOGETHER]; /* where searches begin; no exclusions */
  int n_start;
  bool fixed; /* the searches keep these candidates */
  uint64_t seed;
  ScopedetectAssignWeights weight;
} ScopedetectAssignTask;

typedef struct {
  int n;
  int chosen[SCOPEDETECT_MAX_TOGETHER]; /* ascending */
  int64_t energy;
  int searches; /* in all rounds */
  int agree;    /* searches that end with this assignment */
  int agree_on[SCOPEDETECT_MAX_TOGETHER]; /* searches that chose this */
  int steps;                              /* of each search */
} ScopedetectAssignment;

/* The task by @params; @is_first: with the weights of the first choice. The
 * caller adds candidates, patches and excludes. */
ScopedetectAssignTask scopedetect_assign_task (
    const ScopedetectParams *params, int n_candidates, bool is_first);

/* Whether the GPU solves @task faster than four cores of a CPU. */
bool scopedetect_assign_suits_gpu (const ScopedetectAssignTask *task);

/* The energy of an assignment: the higher, the better; 0 for an empty one. */
int64_t scopedetect_assign_energy (
    const ScopedetectAssignTask *task, const int *chosen, int n);

/* The time of the monotonic clock, in seconds. */
double scopedetect_now (void);

/* An assigner: the searches for an assignment on one device, with their memory.
 */
typedef struct _ScopedetectAssigner ScopedetectAssigner;

/* Makes an assigner for up to @candidates and @searches, with memory of
 * @memory, whose device is @device; or NULL, to count bytes alone. The caller
 * frees it, after an error, too, once the memory is freed. */
const char *scopedetect_assigner_new (ScopedetectAssigner **self,
    const Device *device, DeviceMemory *memory, int candidates, int searches);
void scopedetect_assigner_free (ScopedetectAssigner *self);

/* Sets @best to the best assignment that the searches find, or to their start
 * if they find no better one. The task's arrays lie in host memory. */
const char *scopedetect_assign (ScopedetectAssigner *self,
    const ScopedetectAssignTask *task, ScopedetectAssignment *best);

C_END
