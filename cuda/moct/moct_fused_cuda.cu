/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fused method's kernels as one CUDA graph: one launch a frame.  As long
 * as only the frame's address changes, only the first node is told. */
#include <stdlib.h>
#include <string.h>

#include "moct/moct_cuda.cuh"

#define MAX_NODES 4

typedef struct {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t nodes[MAX_NODES];
  MoctWork work; /* what the nodes' arguments are */
  bool valid;
} FusedGraph;

static const char *
build (FusedGraph *g, const Device *dev)
{
  const MoctWork *w = &g->work;
  void *args[] = {&g->work};
  cudaKernelNodeParams params[MAX_NODES];
  int n = 0;

  params[n++] = moct_tiles_node (w, args);
  if (w->blobs) {
    params[n++] = moct_join_node (w, args);
    params[n++] = moct_gather_node (w, args);
    params[n++] = moct_roots_node (args);
  } else {
    params[n++] = moct_colours_node (args);
    TRY (moct_clear_colours (dev, w));
  }
  CUDA_TRY (cudaGraphCreate (&g->graph, 0));
  for (int i = 0; i < n; i++)
    CUDA_TRY (cudaGraphAddKernelNode (&g->nodes[i], g->graph,
        i ? &g->nodes[i - 1] : NULL, i ? 1 : 0, &params[i]));
  CUDA_TRY (cudaGraphInstantiateWithFlags (&g->exec, g->graph, 0));
  g->valid = true;
  return NULL;
}

static void
clear (FusedGraph *g)
{
  if (g->exec)
    cudaGraphExecDestroy (g->exec);
  if (g->graph)
    cudaGraphDestroy (g->graph);
  g->exec = NULL;
  g->graph = NULL;
  g->valid = false;
}

/* Whether @w differs from what the graph was built for by no more than the
 * frame's address.  Padding cannot differ: a MoctWork starts as zeros, and what
 * is assigned to it whole has none. */
static bool
differs_by_address (const FusedGraph *g, const MoctWork *w)
{
  MoctWork same = *w;

  memcpy (same.frame.plane, g->work.frame.plane, sizeof same.frame.plane);
  return !memcmp (&same, &g->work, sizeof same) &&
      moct_tiles_kernel (w) == moct_tiles_kernel (&g->work);
}

const char *
moct_fused_cuda (const Device *dev, const MoctWork *w, void **state)
{
  FusedGraph *g = (FusedGraph *) *state;

  if (!g && !(*state = g = (FusedGraph *) calloc (1, sizeof *g)))
    return "out of memory";
  if (g->valid && differs_by_address (g, w)) {
    void *args[] = {&g->work};

    g->work = *w;
    cudaKernelNodeParams p = moct_tiles_node (w, args);

    CUDA_TRY (cudaGraphExecKernelNodeSetParams (g->exec, g->nodes[0], &p));
  } else {
    clear (g);
    g->work = *w;
    TRY (build (g, dev));
  }
  CUDA_TRY (cudaGraphLaunch (g->exec, device_stream (dev)));
  return NULL;
}

void
moct_fused_release (void *state)
{
  if (state)
    clear ((FusedGraph *) state);
  free (state);
}
