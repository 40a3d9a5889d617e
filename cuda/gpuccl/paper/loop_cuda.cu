/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loop of label equivalence as a graph that repeats itself, for which the
 * paper tried dynamic parallelism (section 3.5.1).  It is in a file of its own
 * because a driver that does not support such graphs cannot load it. */
#include "gpuccl/paper/loop.cuh"

void
gpuccl_loop_clear (GpucclLoopGraph *g)
{
  if (g->exec)
    cudaGraphExecDestroy (g->exec);
  if (g->graph)
    cudaGraphDestroy (g->graph);
  *g = {};
}

#if CUDART_VERSION >= 12040

static __global__ void
analyse_in_loop_kernel (GpucclLoop *loop, cudaGraphConditionalHandle handle)
{
  gpuccl_analyse (loop);
  if (gpuccl_is_first_thread ())
    cudaGraphSetConditional (handle, gpuccl_end_iteration (loop));
}

bool
gpuccl_loop_possible (void)
{
  int driver = 0;

  return cudaDriverGetVersion (&driver) == cudaSuccess && driver >= 12040;
}

/* Adds a kernel behind @before, unless that is NULL. */
static const char *
add_graph_kernel (cudaGraph_t graph, const GpucclFrame *f, void *kernel,
    void **args, cudaGraphNode_t before, cudaGraphNode_t *node)
{
  cudaKernelNodeParams p = {};

  p.func = kernel;
  p.gridDim = gpuccl_blocks (f);
  p.blockDim = gpuccl_threads ();
  p.kernelParams = args;
  CUDA_TRY (cudaGraphAddKernelNode (
      node, graph, before ? &before : NULL, before ? 1 : 0, &p));
  return NULL;
}

static const char *
add_graph_loop (
    GpucclLoopGraph *g, cudaGraphConditionalHandle handle, cudaGraph_t *body)
{
  cudaGraphNodeParams p = {};
  cudaGraphNode_t node;

  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
# if CUDART_VERSION >= 13000
  CUDA_TRY (cudaGraphAddNode (&node, g->graph, NULL, NULL, 0, &p));
# else
  CUDA_TRY (cudaGraphAddNode (&node, g->graph, NULL, 0, &p));
# endif
  *body = p.conditional.phGraph_out[0];
  return NULL;
}

const char *
gpuccl_loop_make (GpucclLoopGraph *g, const GpucclFrame *f, GpucclLoop *loop,
    GpucclPass scan, GpucclPass relabel)
{
  cudaGraphConditionalHandle handle;
  void *args[] = {&loop, &handle};
  cudaGraphNode_t scanned, analysed, relabelled;
  cudaGraph_t body = NULL;

  CUDA_TRY (cudaGraphCreate (&g->graph, 0));
  CUDA_TRY (cudaGraphConditionalHandleCreate (
      &handle, g->graph, 1, cudaGraphCondAssignDefault));
  TRY (add_graph_loop (g, handle, &body));
  TRY (add_graph_kernel (body, f, (void *) scan, args, NULL, &scanned));
  TRY (add_graph_kernel (
      body, f, (void *) analyse_in_loop_kernel, args, scanned, &analysed));
  if (relabel)
    TRY (add_graph_kernel (
        body, f, (void *) relabel, args, analysed, &relabelled));
  CUDA_TRY (cudaGraphInstantiateWithFlags (&g->exec, g->graph, 0));
  return NULL;
}

#else

bool
gpuccl_loop_possible (void)
{
  return false;
}

const char *
gpuccl_loop_make (GpucclLoopGraph *, const GpucclFrame *, GpucclLoop *,
    GpucclPass, GpucclPass)
{
  return "this toolkit has no graphs that repeat themselves";
}

#endif
