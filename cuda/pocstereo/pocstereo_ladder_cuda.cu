/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's ladder: one block a point. */
#include "pocstereo/pocstereo_ladder.cuh"
#include "pocstereo/pocstereo_ladder.h"

/* ---- I1: four kernels an evaluation, through global memory ---- */

static __global__ void
extract_kernel (const __grid_constant__ PocstereoWork w, LadderBuffers *buffers,
    int l, int tile)
{
  LadderBuffers *b = &buffers[blockIdx.x];
  LadderPlace p = ladder_place (w, l, blockIdx.x);
  bool last_look = tile < 0;

  await_previous ();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    b->base = last_look ? b->found : ladder_base (w, l, tile, b->found);
    if (tile == 0)
      b->tallest = INT32_MIN;
  }
  __syncthreads ();
  ladder_extract (w, p, threadIdx.y, b);
}

static __global__ void
transform_kernel (LadderBuffers *buffers)
{
  await_previous ();
  ladder_transform<false, 1> (NULL, threadIdx.y, &buffers[blockIdx.x]);
}

static __global__ void
multiply_kernel (LadderBuffers *buffers, float floor2)
{
  await_previous ();
  ladder_multiply (floor2, threadIdx.y, &buffers[blockIdx.x]);
}

/* @is_last: what follows is Step 7. */
static __global__ void
invert_kernel (const __grid_constant__ PocstereoWork w, LadderBuffers *buffers,
    int l, bool is_last)
{
  LadderBuffers *b = &buffers[blockIdx.x];

  await_previous ();
  ladder_invert<1> (w, w.layer[0][l], b);
  if (is_last && threadIdx.x == 0 && threadIdx.y == 0)
    ladder_refine (w, blockIdx.x, b);
}

static const char *
evaluate (const Device *dev, const PocstereoWork *w, int l, int tile)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  LadderBuffers *b = (LadderBuffers *) c->ladder;
  dim3 threads (LADDER_N, LADDER_LINES);
  int n = w->n_points;

  TRY (
      pocstereo_launch (dev, w, extract_kernel, n, threads, 0, *w, b, l, tile));
  TRY (pocstereo_launch (dev, w, transform_kernel, n, threads, 0, b));
  TRY (pocstereo_launch (
      dev, w, multiply_kernel, n, threads, 0, b, w->host_tables->floor2));
  return pocstereo_launch (
      dev, w, invert_kernel, n, threads, 0, *w, b, l, tile < 0);
}

static const char *
run_parts (const Device *dev, const PocstereoWork *w)
{
  PocstereoCuda *c = (PocstereoCuda *) w->state;

  if (c->ladder_points < w->n_points) {
    c->ladder_points = 0;
    TRY (device_renew (dev, &c->ladder, w->max_points, sizeof (LadderBuffers)));
    c->ladder_points = w->max_points;
  }
  for (int l = w->n_layers - 1; l >= 0; l--) {
    int n = l == w->n_layers - 1 ? w->layer[0][l].tiles : 1;

    for (int i = 0; i < n; i++)
      TRY (evaluate (dev, w, l, i));
  }
  return evaluate (dev, w, 0, -1);
}

/* ---- I2 to I5: one kernel ---- */

static __device__ __forceinline__ void
load_twiddles (const PocstereoWork &w, LadderTwiddles *table)
{
  int t = threadIdx.y * LADDER_N + threadIdx.x;

  for (int i = t; i < LADDER_U * LADDER_N; i += LADDER_N * blockDim.y) {
    int n = i % (LADDER_N / 2), part = i / (LADDER_N / 2);

    table->wave[part / 2][part % 2][n] =
        (int32_t) (part % 2 ? w.tables->sine[part / 2][n]
                            : w.tables->cosine[part / 2][n]);
  }
}

/* One evaluation around b->base. */
template <bool HAS_TABLE, int UNROLL>
static __device__ __forceinline__ void
evaluate_whole (const PocstereoWork &w, const LadderPlace &p, float floor2,
    const LadderTwiddles *table, LadderBuffers *b)
{
  int first = threadIdx.y, step = blockDim.y;

  for (int j = first; j < LADDER_LINES; j += step)
    ladder_extract (w, p, j, b);
  __syncthreads ();
  for (int j = first; j < LADDER_LINES; j += step)
    ladder_transform<HAS_TABLE, UNROLL> (table, j, b);
  __syncthreads ();
  for (int j = first; j < LADDER_LINES; j += step)
    ladder_multiply (floor2, j, b);
  __syncthreads ();
  ladder_invert<UNROLL> (w, w.layer[0][p.l], b);
  __syncthreads ();
}

/* T1 and T2; T3 where it has a table, T4 where it unrolls, T5 where a block
 * has fewer than 15 lines of threads. */
template <bool HAS_TABLE, int UNROLL>
static __global__ void
whole_kernel (const __grid_constant__ PocstereoWork w, float floor2)
{
  __shared__ LadderBuffers b;
  __shared__ LadderTwiddles table;
  bool is_first = threadIdx.x == 0 && threadIdx.y == 0;

  await_previous ();
  if (HAS_TABLE)
    load_twiddles (w, &table);
  for (int l = w.n_layers - 1; l >= 0; l--) {
    LadderPlace p = ladder_place (w, l, blockIdx.x);
    int n = l == w.n_layers - 1 ? w.layer[0][l].tiles : 1;
    int parent = b.found; /* not looked at in the coarsest */

    __syncthreads ();
    for (int i = 0; i < n; i++) {
      if (is_first) {
        b.base = ladder_base (w, l, i, parent);
        if (i == 0)
          b.tallest = INT32_MIN;
      }
      __syncthreads ();
      evaluate_whole<HAS_TABLE, UNROLL> (w, p, floor2, &table, &b);
    }
  }
  if (is_first)
    b.base = b.found;
  __syncthreads ();
  evaluate_whole<HAS_TABLE, UNROLL> (
      w, ladder_place (w, 0, blockIdx.x), floor2, &table, &b);
  if (is_first)
    ladder_refine (w, blockIdx.x, &b);
}

const char *
pocstereo_ladder_cuda (const Device *dev, const PocstereoWork *w)
{
  static void (*const kernels[]) (const PocstereoWork, float) = {
      whole_kernel<false, 1>, whole_kernel<true, 1>,
      whole_kernel<true, LADDER_N>, whole_kernel<true, LADDER_N>};
  int lines = LADDER_LINES;

  if (w->params.implementation == POCSTEREO_I1)
    return run_parts (dev, w);
  if (w->params.implementation == POCSTEREO_I5)
    lines = w->params.lines_at_once ? w->params.lines_at_once : 1;
  return pocstereo_launch (dev, w,
      kernels[w->params.implementation - POCSTEREO_I2], w->n_points,
      dim3 (LADDER_N, lines), 0, *w, w->host_tables->floor2);
}
