/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GPUCCL_RUN on the GPU: its memory, and its kernels as one CUDA graph. */
#include <stdlib.h>
#include <string.h>

#include "gpuccl/gpuccl_run.cuh"

#define N_KERNELS 6

/* A frame with more tiles is large.  Its tiles wait for room on the GPU, so the
 * number of instructions counts rather than the time of each tile; paths to the
 * roots of pieces are long, and atomics at the roots are contended. */
#define LARGE_TILES 4096

/* Kernels that are ready to be launched with these arguments. */
typedef struct {
  Chain chain;
  GpucclArgs args;
} Ready;

#define N_READY 8 /* frames come from a pool, which has few */

struct _GpucclRun {
  DeviceMemory memory; /* of the pieces */
  GpucclPieces pieces;
  Ready ready[N_READY];
  int next; /* the one whose arguments are replaced next */
};

/* ---- Memory ---- */

/* Makes room for @n pieces. */
static const char *
make_room_for_pieces (DeviceMemory *m, GpucclPieces *p, size_t n)
{
  TRY (device_wait (m->device)); /* no kernel uses the old memory any more */
  p->max_pieces = 0;
  TRY (memory_get (m, &p->pieces, n));
  TRY (memory_get (m, &p->parents, n));
  TRY (memory_get (m, &p->labels, n));
  TRY (memory_get (m, &p->listed.keys, n));
  TRY (memory_get (m, &p->listed.roots, n));
  TRY (memory_get (m, &p->reported.keys, n));
  TRY (memory_get (m, &p->reported.roots, n));
  p->max_pieces = (uint32_t) n;
  return NULL;
}

static __global__ void
clear_memory_kernel (uint32_t *first, size_t n)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    first[i] = UINT32_MAX;
}

static const char *
open_run_memory (DeviceMemory *m, GpucclPieces *p, const GpucclWork *w)
{
  size_t pixels = (size_t) w->frame.width * w->frame.height, extents, tiles;

  p->tiles_x = ceil_div (w->frame.width, TILE);
  p->tiles_y = ceil_div (w->frame.height, TILE);
  tiles = (size_t) p->tiles_x * p->tiles_y;
  extents = (size_t) GPUCCL_CANDIDATES * (w->frame.width + w->frame.height);
  TRY (memory_get (m, &p->rows, tiles * TILE));
  TRY (memory_get (m, &p->seams, tiles));
  TRY (memory_get (m, &p->edges, tiles));
  TRY (memory_get (m, &p->first, extents));
  TRY (memory_get (m, &p->last, extents));
  TRY (memory_get (m, &p->counters, 1));
  TRY (memory_get (m, &p->bins, GPUCCL_BINS));
  TRY (memory_get (m, &p->top, 1));
  TRY (make_room_for_pieces (m, p, pixels / 8 > 4096 ? pixels / 8 : 4096));
  clear_memory_kernel<<<(unsigned) (extents / 256 + 1), 256, 0,
      device_stream (m->device)>>> (p->first, extents);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

void
gpuccl_run_close (GpucclRun *run)
{
  if (!run)
    return;
  for (int i = 0; i < N_READY; i++)
    chain_clear (&run->ready[i].chain);
  memory_free (&run->memory);
  free (run);
}

/* ---- Kernels ---- */

static int
blocks_for (size_t n)
{
  size_t blocks = (n + THREADS - 1) / THREADS;

  return (int) (blocks < 528 ? blocks : 528); /* enough to fill a large GPU */
}

static GpucclKernel
first_kernel (const GpucclArgs *a)
{
  return a->large ? gpuccl_large_tiles_kernel (a) : gpuccl_tiles_kernel (a);
}

/* The node of kernel @i.  A frame of ordinary size has a thread for each
 * piece. */
static cudaKernelNodeParams
kernel_node (const GpucclArgs *a, int i, void **args)
{
  const GpucclKernel kernels[N_KERNELS] = {first_kernel (a),
      gpuccl_seams_kernel, gpuccl_gather_kernel, gpuccl_select_kernel,
      gpuccl_paint_kernel (a), gpuccl_criteria_kernel};
  dim3 tiles (a->p.tiles_x, a->p.tiles_y);
  int painted = a->large ? GPUCCL_PAINT_TILES : 1;
  const dim3 blocks[N_KERNELS] = {tiles,
      dim3 (ceil_div (2 * a->p.tiles_x * a->p.tiles_y, WARPS)),
      dim3 (blocks_for (a->p.max_pieces)), dim3 (blocks_for (a->p.max_pieces)),
      dim3 (
          ceil_div (a->p.tiles_x, painted), a->p.tiles_y + GPUCCL_REPORT_ROWS),
      dim3 (GPUCCL_PARTS)};
  const int threads[N_KERNELS] = {
      a->large ? GPUCCL_LARGE_TILE_THREADS : GPUCCL_TILE_THREADS, THREADS,
      THREADS, THREADS, THREADS, GPUCCL_LINES};

  return chain_kernel ((void *) kernels[i], blocks[i], dim3 (threads[i]), args);
}

static const char *
build_graph (Ready *r)
{
  void *args[] = {&r->args};

  TRY (chain_begin (&r->chain));
  for (int i = 0; i < N_KERNELS; i++) {
    cudaKernelNodeParams p = kernel_node (&r->args, i, args);

    TRY (chain_add (&r->chain, &p));
  }
  return chain_end (&r->chain);
}

/* Whether @a differs from the graph's arguments by those of the first kernel
 * alone, if at all. */
static bool
differs_by_first_kernel (const Ready *r, const GpucclArgs *a)
{
  GpucclArgs same = *a;

  same.w.frame.map = r->args.w.frame.map;
  same.w.frame.depth = r->args.w.frame.depth;
  return !memcmp (&same, &r->args, sizeof same) &&
      first_kernel (a) == first_kernel (&r->args);
}

/* Setting other arguments takes a microsecond, building a graph more than a
 * hundred. */
static const char *
make_ready (Ready *r, const GpucclArgs *a)
{
  bool set = r->chain.exec && differs_by_first_kernel (r, a);
  void *args[] = {&r->args};
  cudaKernelNodeParams p;
  const char *err;

  memcpy (&r->args, a, sizeof *a);
  p = kernel_node (&r->args, 0, args);
  err = set ? chain_set_first (&r->chain, &p) : build_graph (r);
  if (err)
    chain_clear (&r->chain);
  return err;
}

static const char *
launch_run (GpucclRun *run, const Device *dev, const GpucclArgs *a)
{
  Ready *r;

  for (int i = 0; i < N_READY; i++) {
    r = &run->ready[i];
    if (r->chain.exec && !memcmp (a, &r->args, sizeof *a))
      return chain_run (&r->chain, dev);
  }
  r = &run->ready[run->next];
  run->next = (run->next + 1) % N_READY;
  TRY (make_ready (r, a));
  return chain_run (&r->chain, dev);
}

/* Whether the frame is too small for more than GPUCCL_FEW components of a
 * candidate's size. */
static bool
are_components_few (const GpucclWork *w)
{
  uint64_t pixels = (uint64_t) w->frame.width * w->frame.height;
  uint64_t min_pixels = (uint64_t) w->min_size + 1;

  return pixels / (min_pixels > w->min_area ? min_pixels : w->min_area) <=
      GPUCCL_FEW;
}

/* The graph's arguments are compared byte by byte, but copying a struct need
 * not copy its padding. */
static GpucclArgs
kernel_args (const GpucclWork *w, const GpucclPieces *p)
{
  GpucclArgs a;
  GpucclFrame f;
  GpucclRays rays;

  memset (&a, 0, sizeof a);
  memset (&f, 0, sizeof f);
  memset (&rays, 0, sizeof rays);
  f.width = w->frame.width, f.height = w->frame.height;
  f.source = w->frame.source;
  f.map = w->frame.map, f.map_stride = w->frame.map_stride;
  f.map_step = w->frame.map_step;
  f.depth = w->frame.depth, f.depth_stride = w->frame.depth_stride;
  rays.known = w->rays.known;
  rays.x = w->rays.x, rays.y = w->rays.y;
  memcpy (&a.w, w, sizeof *w);
  memcpy (&a.w.frame, &f, sizeof f);
  memcpy (&a.w.rays, &rays, sizeof rays);
  memcpy (&a.p, p, sizeof *p);
  a.few = are_components_few (w);
  a.large = p->tiles_x * p->tiles_y > LARGE_TILES;
  a.crowd = a.large ? 4 : 12;
  a.spread = a.large ? 0x9e3779b1u : 1; /* 2^32 over the golden ratio */
  return a;
}

/* Makes the memory when the first frame needs it; after an error none is
 * left. */
static const char *
make_run (GpucclRun **run, const Device *dev, const GpucclWork *w)
{
  const char *err;

  if (!(*run = (GpucclRun *) calloc (1, sizeof **run)))
    return OUT_OF_MEMORY (sizeof **run, "");
  memory_open (&(*run)->memory, dev);
  err = open_run_memory (&(*run)->memory, &(*run)->pieces, w);
  if (err) {
    gpuccl_run_close (*run);
    *run = NULL;
  }
  return err;
}

const char *
gpuccl_run_cuda (const Device *dev, const GpucclWork *w)
{
  GpucclRun **run = &((GpucclCuda *) w->state)->run;
  GpucclArgs a;

  if (!*run)
    TRY (make_run (run, dev, w));
  if (w->result->n_missing > (*run)->pieces.max_pieces)
    TRY (make_room_for_pieces (
        &(*run)->memory, &(*run)->pieces, w->result->n_missing));
  a = kernel_args (w, &(*run)->pieces);
  return launch_run (*run, dev, &a);
}
