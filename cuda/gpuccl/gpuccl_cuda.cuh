/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declarations of the CUDA backend's files. */
#pragma once

#include "common/cuda.cuh"
#include "common/memory.h"
#include "gpuccl/gpuccl_core.h"

/* The state of label equivalence, in device memory: the arguments of a kernel
 * in a loop of a graph cannot change, so that the frame is not among them. */
typedef struct {
  GpucclWork work;
  uint32_t *list; /* references to roots; may be the labels (section 3.2) */
  uint32_t changed, iterations;
} GpucclLoop;

typedef void (*GpucclPass) (GpucclLoop *loop);

/* The loop as a graph, one for each of the two algorithms. */
typedef struct {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
} GpucclLoopGraph;

typedef struct _GpucclRun GpucclRun;

/* The number of components of a frame, and the largest. */
typedef struct {
  uint32_t n_labels, n_sums, n_unknown;
  unsigned long long largest; /* its key */
} GpucclTally;

/* The components whose sums are made, and the candidates among them. */
typedef struct {
  uint32_t n_sums, n_candidates;
  uint32_t labels[GPUCCL_CANDIDATES];
} GpucclChosen;

/* The backend's own memory.  Pointers are to device memory, unless a comment
 * says otherwise. */
typedef struct {
  GpucclLoop *loop;
  uint32_t *changed; /* pinned: the loop on the host reads it */
  GpucclLoopGraph loops[2];

  GpucclTally *tally;
  GpucclChosen *chosen;
  uint32_t room; /* room for the next two */
  GpucclSum *sums;
  unsigned long long *keys;
  uint32_t *first, *last; /* of each candidate: in every row, then in every
                             column */
  uint32_t *window_label;

  GpucclRun *run; /* memory of GPUCCL_RUN; NULL before its first frame */

  DeviceMemory memory; /* of all members but run */
} GpucclCuda;

/* A component's key: components are sorted by it, the largest first. */
static __device__ __forceinline__ unsigned long long
gpuccl_key (uint32_t area, uint32_t label)
{
  return (unsigned long long) area << 32 | ~label;
}

static __device__ __forceinline__ uint32_t
gpuccl_key_label (unsigned long long key)
{
  return ~(uint32_t) key;
}

/* The sum of the lanes' numbers, which are below 2^54. */
static __device__ __forceinline__ unsigned long long
gpuccl_warp_sum64 (unsigned long long v)
{
  const uint32_t low = (1u << 27) - 1;

  return warp_sum ((uint32_t) v & low) +
      ((unsigned long long) warp_sum ((uint32_t) (v >> 27)) << 27);
}

/* A thread for each pixel; a warp along a row. */
#define GPUCCL_BLOCK_X 32
#define GPUCCL_BLOCK_Y 8

static inline dim3
gpuccl_blocks (const GpucclFrame *f)
{
  return dim3 (ceil_div (f->width, GPUCCL_BLOCK_X),
      ceil_div (f->height, GPUCCL_BLOCK_Y));
}

static inline dim3
gpuccl_threads (void)
{
  return dim3 (GPUCCL_BLOCK_X, GPUCCL_BLOCK_Y);
}

static __device__ __forceinline__ int
gpuccl_x (void)
{
  return (int) (blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int
gpuccl_y (void)
{
  return (int) (blockIdx.y * blockDim.y + threadIdx.y);
}

/* Whether this is the one thread that does the work of which there is one
 * piece. */
static __device__ __forceinline__ bool
gpuccl_is_first_thread (void)
{
  return gpuccl_x () == 0 && gpuccl_y () == 0;
}

C_BEGIN

/* paper/loop_cuda.cu */
void gpuccl_loop_clear (GpucclLoopGraph *g);

/* paper/measure_cuda.cu */
const char *gpuccl_measure_open (const Device *dev, const GpucclWork *w);

/* gpuccl_runs_cuda.cu */
void gpuccl_run_close (GpucclRun *run);

/* Stages. */
const char *gpuccl_filter_cuda (const Device *dev, const GpucclWork *w);
const char *gpuccl_run_cuda (const Device *dev, const GpucclWork *w);
const char *gpuccl_label_equivalence_cuda (
    const Device *dev, const GpucclWork *w);
const char *gpuccl_improved_cuda (const Device *dev, const GpucclWork *w);
const char *gpuccl_hierarchical_cuda (const Device *dev, const GpucclWork *w);
const char *gpuccl_window_cuda (const Device *dev, const GpucclWork *w);
const char *gpuccl_measure_cuda (const Device *dev, const GpucclWork *w);

C_END
