/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of the CUDA backend, and its memory. */
#include <stdlib.h>
#include <string.h>

#include "scopedetect/scopedetect_cuda.cuh"

/* ---- Stretches of stages as CUDA graphs ----
 *
 * One launch for all of their kernels and copies.  One is recorded when
 * it is asked for a second time. */

#define RECORDS 16 /* that are remembered: of batches, searched or tracked */

/* All that launches depend on, and that they change. */
typedef struct {
  ScopedetectWork work;
  ScopedetectCuda cuda;
} State;

typedef struct {
  State before, after;
  cudaGraphExec_t exec; /* NULL: asked for once */
} Record;

struct _ScopedetectRecords {
  Record record[RECORDS];
  State now;
  int next; /* that is forgotten next */
};

const char *
scopedetect_repeat_open_cuda (ScopedetectRecords **r)
{
  *r = (ScopedetectRecords *) calloc (1, sizeof **r);
  return *r ? NULL : "out of memory";
}

void
scopedetect_repeat_close_cuda (ScopedetectRecords *r)
{
  for (int i = 0; r && i < RECORDS; i++)
    if (r->record[i].exec)
      cudaGraphExecDestroy (r->record[i].exec);
  free (r);
}

/* The state without what stretches do not look at.  Padding can be compared:
 * both start as zeros. */
static void
get_state (const ScopedetectWork *w, State *s)
{
  memcpy (&s->work, w, sizeof *w);
  memcpy (&s->cuda, scopedetect_cuda (w), sizeof s->cuda);
  memset (&s->work.frame, 0, sizeof s->work.frame);
  s->work.cloud.n = s->work.n_queries = 0;
  s->work.query_step = s->work.query_first = 0;
  s->work.n_sources = 0;
  s->work.left = NULL;
}

/* What stages change on the host. */
static void
set_after (ScopedetectWork *w, const State *after)
{
  w->hypothesis = after->work.hypothesis;
  scopedetect_cuda (w)->spare = after->cuda.spare;
  scopedetect_cuda (w)->bound = after->cuda.bound;
}

/* The record of what is asked for now; @known: it was before. */
static Record *
find_record (ScopedetectRecords *r, bool *known)
{
  Record *found;

  for (int i = 0; i < RECORDS; i++)
    if ((*known = !memcmp (&r->record[i].before, &r->now, sizeof r->now)))
      return &r->record[i];
  found = &r->record[r->next];
  r->next = (r->next + 1) % RECORDS;
  if (found->exec)
    cudaGraphExecDestroy (found->exec);
  found->exec = NULL;
  memcpy (&found->before, &r->now, sizeof r->now);
  return found;
}

static const char *
record_graph (const Device *dev, const char *(*queue) (void *data), void *data,
    cudaGraphExec_t *exec)
{
  cudaStream_t stream = device_stream (dev);
  cudaGraph_t graph = NULL;
  const char *wrong;
  cudaError_t err;

  CUDA_TRY (cudaStreamBeginCapture (stream, cudaStreamCaptureModeThreadLocal));
  wrong = queue (data);
  err = cudaStreamEndCapture (stream, &graph);
  if (!wrong && err == cudaSuccess)
    err = cudaGraphInstantiateWithFlags (exec, graph, 0);
  if (graph)
    cudaGraphDestroy (graph);
  TRY (wrong);
  CUDA_TRY (err);
  return NULL;
}

const char *
scopedetect_repeat_cuda (const Device *dev, ScopedetectWork *w,
    const char *(*queue) (void *data), void *data)
{
  ScopedetectRecords *r = scopedetect_cuda (w)->records;
  Record *record;
  bool known;

  get_state (w, &r->now);
  record = find_record (r, &known);
  if (!known)
    return queue (data);
  if (!record->exec) {
    TRY (record_graph (dev, queue, data, &record->exec));
    get_state (w, &record->after);
  }
  set_after (w, &record->after);
  CUDA_TRY (cudaGraphLaunch (record->exec, device_stream (dev)));
  return NULL;
}

static const char *
open (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCuda *c = (ScopedetectCuda *) calloc (1, sizeof *c);
  size_t hypotheses = (size_t) w->room_models * SCOPEDETECT_MAX_KEPT;
  DeviceMemory *m;

  if (!(w->state = c))
    return "out of memory";
  m = &c->memory;
  memory_open (m, dev);
  c->bound = SCOPEDETECT_FOUND;
  if (dev)
    TRY (chain_may_overlap (&c->overlaps));
  TRY (memory_get (m, &c->spare, hypotheses));
  TRY (memory_get (m, &c->sorted, hypotheses));
  TRY (scopedetect_choose_open_cuda (m, &c->choose));
  TRY (scopedetect_score_open_cuda (m, &c->score));
  TRY (scopedetect_cluster_open_cuda (m, &c->cluster));
  TRY (scopedetect_repeat_open_cuda (&c->records));
  return scopedetect_observe_open_cuda (m, w, &c->observe);
}

static size_t
bytes (const ScopedetectWork *w)
{
  return scopedetect_cuda (w)->memory.bytes;
}

static void
close (ScopedetectWork *w)
{
  ScopedetectCuda *c = scopedetect_cuda (w);

  if (!c)
    return;
  scopedetect_repeat_close_cuda (c->records);
  memory_free (&c->memory);
  scopedetect_observe_close_cuda (c->observe);
  free (c);
}

extern "C" const ScopedetectStages scopedetect_stages_cuda = {open, bytes,
    close, scopedetect_observe_cuda, scopedetect_points_cuda,
    scopedetect_segments_cuda, scopedetect_match_cuda, scopedetect_choose_cuda,
    scopedetect_verify_cuda, scopedetect_cluster_cuda, scopedetect_refine_cuda,
    scopedetect_align_cuda, scopedetect_climb_cuda, scopedetect_score_cuda,
    scopedetect_measure_cuda, scopedetect_repeat_cuda};
