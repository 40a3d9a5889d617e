/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend: the fused method, the label map, and the table of
 * stages. */
#include <stdlib.h>
#include <string.h>

#include "moct/moct_cuda.cuh"

/* ---- The fused method ----
 *
 * Its kernels are one CUDA graph, launched once a frame.  If only the frame's
 * address changes, only the first node is updated. */

typedef struct {
  Chain chain;
  MoctWork work; /* the kernels' arguments */
} FusedGraph;

static const char *
build_fused_graph (FusedGraph *g, const Device *dev)
{
  const MoctWork *w = &g->work;
  void *args[] = {&g->work};
  cudaKernelNodeParams params[CHAIN_MAX];
  int n = 0;

  TRY (chain_begin (&g->chain));
  params[n++] = moct_tiles_node (w, args);
  if (w->blobs) {
    params[n++] = moct_blobs_node (w, args);
  } else {
    params[n++] = moct_colours_node (w, args);
    TRY (moct_clear_colours (dev, w));
  }
  for (int i = 0; i < n; i++)
    TRY (chain_add (&g->chain, &params[i]));
  return chain_end (&g->chain);
}

/* Whether @w differs from the graph's work by the frame's address at most.
 * Padding cannot differ: a MoctWork starts as zeros, and members that are
 * assigned as a whole have none. */
static bool
differs_by_frame_address (const FusedGraph *g, const MoctWork *w)
{
  MoctWork same = *w;

  memcpy (same.frame.plane, g->work.frame.plane, sizeof same.frame.plane);
  return !memcmp (&same, &g->work, sizeof same) &&
      moct_tiles_kernel (w) == moct_tiles_kernel (&g->work);
}

static const char *
fused_cuda (const Device *dev, const MoctWork *w, void **state)
{
  FusedGraph *g = (FusedGraph *) *state;

  if (!g && !(*state = g = (FusedGraph *) calloc (1, sizeof *g)))
    return OUT_OF_MEMORY (sizeof *g, "");
  if (g->chain.exec && differs_by_frame_address (g, w)) {
    void *args[] = {&g->work};

    g->work = *w;
    cudaKernelNodeParams p = moct_tiles_node (w, args);

    TRY (chain_set_first (&g->chain, &p));
  } else {
    g->work = *w;
    TRY (build_fused_graph (g, dev));
  }
  return chain_run (&g->chain, dev);
}

static void
release_graph_cuda (void *state)
{
  if (state)
    chain_clear (&((FusedGraph *) state)->chain);
  free (state);
}

/* ---- The label map ---- */

/* A thread for each pixel. */
static __global__ void
labels_kernel (const MoctWork w, uint16_t *out, size_t stride)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  uint8_t c[3];

  if (x >= w.frame.width || y >= w.frame.height)
    return;
  image_read (&w.frame, x, y, c);
  ((uint16_t *) ((char *) out + y * stride))[x] =
      (uint16_t) moct_class (&w.table, moct_stored (c));
}

static const char *
labels_cuda (const Device *dev, const MoctWork *w, uint16_t *out, size_t stride)
{
  dim3 block (32, 8);
  dim3 grid (
      ceil_div (w->frame.width, block.x), ceil_div (w->frame.height, block.y));

  labels_kernel<<<grid, block, 0, device_stream (dev)>>> (*w, out, stride);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* ---- The history as a map ---- */

/* A thread for each point. */
static __global__ void
history_kernel (const __grid_constant__ MoctHistory h)
{
  int k = blockIdx.x * blockDim.x + threadIdx.x;

  if (k < h.length)
    moct_history_write (&h, blockIdx.y, k);
}

static const char *
history_cuda (const Device *dev, const MoctHistory *h)
{
  dim3 grid (ceil_div (h->length, 64), MOCT_HISTORY_ROWS);

  history_kernel<<<grid, 64, 0, device_stream (dev)>>> (*h);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const MoctStages moct_stages_cuda = {fused_cuda, moct_pyramid_cuda,
    moct_per_object_cuda, labels_cuda, history_cuda, release_graph_cuda};
