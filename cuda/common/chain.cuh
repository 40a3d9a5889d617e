/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels that run one after the other, as one CUDA graph: one launch for all.
 *
 * From compute capability 9.0 on each may start before the one before it has
 * ended (programmatic dependent launch), which hides what a launch costs: so
 * each must call await_previous () before it touches what the others write.
 * The first does not, since nothing comes before it in the graph. */
#pragma once

#include <string.h>

#include "common/cuda.cuh"

#define CHAIN_MAX 8

typedef struct {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t nodes[CHAIN_MAX];
  int n;
} Chain;

/* Lets the next kernel be launched as soon as there is room for it. */
static __device__ __forceinline__ void
allow_next (void)
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

/* Waits until the kernel before has ended and what it wrote can be seen. */
static __device__ __forceinline__ void
await_previous (void)
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Queues @kernel alone; with @overlap, see chain_may_overlap (), it may start
 * before what is queued before it has ended, too. */
template <class... Params, class... Args>
static inline const char *
launch_after (const Device *dev, bool overlap, void (*kernel) (Params...),
    dim3 blocks, dim3 threads, size_t shared, const Args &...args)
{
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute early = {};

  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.stream = device_stream (dev);
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = overlap;
  CUDA_TRY (cudaLaunchKernelEx (&config, kernel, args...));
  return NULL;
}

/* @args: the address of each of its arguments, read when it is added or set. */
static inline cudaKernelNodeParams
chain_kernel (void *kernel, dim3 blocks, dim3 threads, void **args)
{
  cudaKernelNodeParams p = {};

  p.func = kernel;
  p.gridDim = blocks;
  p.blockDim = threads;
  p.kernelParams = args;
  return p;
}

static inline void
chain_clear (Chain *c)
{
  if (c->exec)
    cudaGraphExecDestroy (c->exec);
  if (c->graph)
    cudaGraphDestroy (c->graph);
  memset (c, 0, sizeof *c);
}

static inline const char *
chain_begin (Chain *c)
{
  chain_clear (c);
  CUDA_TRY (cudaGraphCreate (&c->graph, 0));
  return NULL;
}

/* Whether device, driver and toolkit know programmatic launches in graphs. */
static inline const char *
chain_may_overlap (bool *may)
{
  int device, major, driver;

  CUDA_TRY (cudaGetDevice (&device));
  CUDA_TRY (cudaDeviceGetAttribute (
      &major, cudaDevAttrComputeCapabilityMajor, device));
  CUDA_TRY (cudaDriverGetVersion (&driver));
  *may = CUDART_VERSION >= 12030 && driver >= 12030 && major >= 9;
  return NULL;
}

static inline const char *
chain_add (Chain *c, const cudaKernelNodeParams *kernel)
{
  cudaGraphNode_t *before = c->n ? &c->nodes[c->n - 1] : NULL;
  cudaGraphNode_t *node = &c->nodes[c->n++];
  bool overlap = false;

  if (before)
    TRY (chain_may_overlap (&overlap));
  CUDA_TRY (cudaGraphAddKernelNode (
      node, c->graph, before, before && !overlap ? 1 : 0, kernel));
#if CUDART_VERSION >= 12030
  if (overlap) {
    cudaGraphEdgeData edge = {};

    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
# if CUDART_VERSION >= 13000
    CUDA_TRY (cudaGraphAddDependencies (c->graph, before, node, &edge, 1));
# else
    CUDA_TRY (cudaGraphAddDependencies_v2 (c->graph, before, node, &edge, 1));
# endif
  }
#endif
  return NULL;
}

static inline const char *
chain_end (Chain *c)
{
  CUDA_TRY (cudaGraphInstantiateWithFlags (&c->exec, c->graph, 0));
  return NULL;
}

/* Gives a chain that is ended another first kernel, or other arguments of it.
 */
static inline const char *
chain_set_first (Chain *c, const cudaKernelNodeParams *kernel)
{
  CUDA_TRY (cudaGraphExecKernelNodeSetParams (c->exec, c->nodes[0], kernel));
  return NULL;
}

static inline const char *
chain_run (const Chain *c, const Device *dev)
{
  CUDA_TRY (cudaGraphLaunch (c->exec, device_stream (dev)));
  return NULL;
}
