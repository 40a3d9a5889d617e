/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the CUDA backend's stages, and their scratch. */
#include <stdlib.h>
#include <string.h>

#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_observe_cuda.cuh"

/* ---- Rounds 2 and 3 as CUDA graphs ----
 *
 * A graph is one launch for all kernels and copies of the rounds. It is
 * recorded when the same rounds are queued for the second time. */

#define RECORDS 16 /* of batches that are searched or tracked */

typedef struct {
  ScopedetectRounds rounds;
  ScopedetectHypotheses after;
  cudaGraphExec_t exec; /* NULL: queued once */
} Record;

struct _ScopedetectGraphs {
  Record record[RECORDS];
  int next; /* record that is replaced next */
};

/* The record of @rounds; @known: it existed before. Padding can be compared,
 * since @rounds lie in memory that was all zeros. */
static Record *
find_graph_record (
    ScopedetectGraphs *g, const ScopedetectRounds *rounds, bool *known)
{
  Record *found;

  for (int i = 0; i < RECORDS; i++)
    if ((*known = !memcmp (&g->record[i].rounds, rounds, sizeof *rounds)))
      return &g->record[i];
  found = &g->record[g->next];
  g->next = (g->next + 1) % RECORDS;
  if (found->exec)
    cudaGraphExecDestroy (found->exec);
  found->exec = NULL;
  memcpy (&found->rounds, rounds, sizeof *rounds);
  return found;
}

static const char *
record_rounds (const Device *dev, const char *(*queue) (void *data), void *data,
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
scopedetect_repeat_cuda (const Device *dev, const ScopedetectRounds *rounds,
    const char *(*queue) (void *data), void *data, ScopedetectGraphs *graphs,
    ScopedetectHypotheses *hypotheses)
{
  bool known;
  Record *record = find_graph_record (graphs, rounds, &known);

  if (!known)
    return queue (data);
  if (!record->exec) {
    TRY (record_rounds (dev, queue, data, &record->exec));
    record->after = *hypotheses;
  }
  *hypotheses = record->after;
  CUDA_TRY (cudaGraphLaunch (record->exec, device_stream (dev)));
  return NULL;
}

/* ---- Scratch ---- */

static const char *
open_voxels_cuda (DeviceMemory *m, int pixels, size_t room, size_t grid_hashes,
    ScopedetectVoxels *v)
{
  cudaEvent_t counted;

  for (v->hashes = 64; v->hashes < 2 * (uint32_t) pixels;)
    v->hashes *= 2;
  if (m->device) {
    CUDA_TRY (cudaEventCreateWithFlags (
        &counted, cudaEventBlockingSync | cudaEventDisableTiming));
    v->counted = counted;
  }
  TRY (memory_get_pinned (m, &v->n_points, 1));
  TRY (memory_get (m, &v->cell, v->hashes + grid_hashes));
  v->count = v->cell + v->hashes;
  TRY (memory_get (m, &v->hash, pixels));
  TRY (memory_get (m, &v->firsts, ceil_div (pixels, SCOPEDETECT_PIXELS)));
  TRY (memory_get (m, &v->voxel, room));
  TRY (memory_get (m, &v->arrival, room));
  return memory_get (m, &v->unsorted, room);
}

static const char *
open_scratch_cuda (DeviceMemory *m, int pixels, int n_models,
    ScopedetectScratch *s, ScopedetectCloud *cloud, ScopedetectHypotheses *h)
{
  size_t hypotheses = (size_t) n_models * SCOPEDETECT_MAX_KEPT;
  size_t room = (size_t) cloud->room;

  TRY (memory_get (m, &s->votes, 1));
  TRY (open_voxels_cuda (m, pixels, room, cloud->grid.mask + 1, &s->voxels));
  TRY (memory_get (m, &cloud->grid.listed, room));
  TRY (memory_get (m, &s->neighbours.spread, room));
  TRY (memory_get (m, &s->neighbours.near, room * SCOPEDETECT_NEAR));
  TRY (memory_get (m, &s->neighbours.n_near, room));
  TRY (memory_get (m, &s->checks.bins, 1));
  TRY (memory_get (m, &s->sieve, SCOPEDETECT_BATCH));
  TRY (
      memory_get (m, &s->shares, SCOPEDETECT_BATCH * SCOPEDETECT_SHARED_POSES));
  TRY (memory_get (m, &h->spare, hypotheses));
  TRY (memory_get (m, &h->key, hypotheses));
  s->graphs = (ScopedetectGraphs *) calloc (1, sizeof *s->graphs);
  return s->graphs ? NULL : OUT_OF_MEMORY (sizeof *s->graphs, "");
}

static void
close_scratch_cuda (ScopedetectScratch *s)
{
  for (int i = 0; s->graphs && i < RECORDS; i++)
    if (s->graphs->record[i].exec)
      cudaGraphExecDestroy (s->graphs->record[i].exec);
  free (s->graphs);
  if (s->voxels.counted)
    cudaEventDestroy ((cudaEvent_t) s->voxels.counted);
}

extern "C" const ScopedetectStages scopedetect_stages_cuda = {open_scratch_cuda,
    close_scratch_cuda, scopedetect_read_frame_cuda,
    scopedetect_find_plane_cuda, scopedetect_make_points_cuda,
    scopedetect_describe_points_cuda, scopedetect_count_points_cuda,
    scopedetect_make_segments_cuda, scopedetect_match_features_cuda,
    scopedetect_choose_poses_cuda, scopedetect_verify_poses_cuda,
    scopedetect_cluster_poses_cuda, scopedetect_refine_poses_cuda,
    scopedetect_score_poses_cuda, scopedetect_align_poses_cuda,
    scopedetect_climb_poses_cuda, scopedetect_measure_poses_cuda,
    scopedetect_repeat_cuda};
