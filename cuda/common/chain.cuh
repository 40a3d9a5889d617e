/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A chain of kernels that run one after the other as one CUDA graph, with one
 * launch for all.
 *
 * From compute capability 9.0 on, a kernel may start before its predecessor has
 * ended (programmatic dependent launch), which hides the time of a launch.
 * Each kernel but the first therefore calls await_previous () before it reads
 * or writes memory that earlier kernels write. */
#pragma once

#include <string.h>

#include "common/cuda.cuh"

#define CHAIN_MAX 8 /* kernels */

typedef struct {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t nodes[CHAIN_MAX];
  int n;
} Chain;

/* Allows the GPU to start the next kernel as soon as it has room. */
static __device__ __forceinline__ void
allow_next (void)
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

/* Waits until the previous kernel has ended and all its writes are visible. */
static __device__ __forceinline__ void
await_previous (void)
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Queues @kernel alone.  With @overlap, see chain_may_overlap (), it may start
 * before the earlier work on the stream has ended. */
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

/* Describes a kernel of a chain.  @args are the addresses of its arguments;
 * chain_add () and chain_set_first () read them. */
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

/* Frees what @c holds, and sets it to zeros, an empty chain. */
static inline void
chain_clear (Chain *c)
{
  if (c->exec)
    cudaGraphExecDestroy (c->exec);
  if (c->graph)
    cudaGraphDestroy (c->graph);
  memset (c, 0, sizeof *c);
}

/* Begins a chain in place of the one that @c holds. */
static inline const char *
chain_begin (Chain *c)
{
  chain_clear (c);
  CUDA_TRY (cudaGraphCreate (&c->graph, 0));
  return NULL;
}

/* Sets @may to whether device, driver and toolkit have programmatic launches in
 * graphs. */
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

/* Adds a kernel behind those of the chain, at most CHAIN_MAX. */
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

/* Ends the chain, which can then run. */
static inline const char *
chain_end (Chain *c)
{
  CUDA_TRY (cudaGraphInstantiateWithFlags (&c->exec, c->graph, 0));
  return NULL;
}

/* Replaces the first kernel of a chain that is ended, or its arguments. */
static inline const char *
chain_set_first (Chain *c, const cudaKernelNodeParams *kernel)
{
  CUDA_TRY (cudaGraphExecKernelNodeSetParams (c->exec, c->nodes[0], kernel));
  return NULL;
}

/* Queues a chain that is ended. */
static inline const char *
chain_run (const Chain *c, const Device *dev)
{
  CUDA_TRY (cudaGraphLaunch (c->exec, device_stream (dev)));
  return NULL;
}
