/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fused method's kernels as one CUDA graph: one launch a frame.  As long
 * as only the frame's address changes, only the first node is told. */
#include <stdlib.h>
#include <string.h>

#include "moct/moct_cuda.cuh"

#define MAX_NODES 2

typedef struct {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t nodes[MAX_NODES];
  MoctWork work; /* what the nodes' arguments are */
  bool valid;
} FusedGraph;

static cudaKernelNodeParams
tiles_params (const MoctWork *w, void **args)
{
  cudaKernelNodeParams p = {};

  p.func = (void *) moct_tiles_kernel (w);
  p.gridDim = dim3 (moct_tiles_blocks (w));
  p.blockDim = dim3 (256);
  p.kernelParams = args;
  return p;
}

static cudaKernelNodeParams
blobs_params (void **args)
{
  cudaKernelNodeParams p = {};

  p.func = (void *) moct_blobs_kernel;
  p.gridDim = dim3 (1);
  p.blockDim = dim3 (moct_blobs_threads ());
  p.sharedMemBytes = (unsigned) moct_blobs_shared ();
  p.kernelParams = args;
  return p;
}

static __global__ void
clear_colours_kernel (MoctSum *sums)
{
  moct_sum_clear (&sums[threadIdx.x]);
}

static const char *
build (FusedGraph *g, cudaStream_t stream)
{
  void *args[] = {&g->work};
  cudaKernelNodeParams p = tiles_params (&g->work, args);

  clear_colours_kernel<<<1, MOCT_MAX_COLOURS, 0, stream>>> (
      g->work.colour_sums);
  CUDA_TRY (cudaGetLastError ());
  CUDA_TRY (cudaGraphCreate (&g->graph, 0));
  CUDA_TRY (cudaGraphAddKernelNode (&g->nodes[0], g->graph, NULL, 0, &p));
  if (g->work.blobs) {
    p = blobs_params (args);
    CUDA_TRY (cudaFuncSetAttribute ((const void *) moct_blobs_kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int) p.sharedMemBytes));
    CUDA_TRY (
        cudaGraphAddKernelNode (&g->nodes[1], g->graph, &g->nodes[0], 1, &p));
  }
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
    cudaKernelNodeParams p = tiles_params (w, args);

    CUDA_TRY (cudaGraphExecKernelNodeSetParams (g->exec, g->nodes[0], &p));
  } else {
    clear (g);
    g->work = *w;
    TRY (build (g, device_stream (dev)));
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
