/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The four parts of one evaluation by a block of threads, N of them for each
 * line that is worked on at once: the search window is read, transformed,
 * multiplied, transformed back. */
#pragma once

#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fit_core.h"

#define LADDER_N 32
#define LADDER_LINES 15
#define LADDER_U 8
#define LADDER_LAGS (LADDER_N / 4)

/* What the parts hand on: for I1 in global memory, else in shared. */
struct LadderBuffers {
  int32_t samples[2][LADDER_LINES][LADDER_N]; /* n = -N / 2 to N / 2 - 1 */
  /* Of each line, by thread: F's frequencies, re and im, then G's. */
  float spectrum[LADDER_LINES][LADDER_N];
  int32_t cross[LADDER_LINES][2 * LADDER_U]; /* F conj (G) of each line */
  int32_t r[2 * LADDER_U];                   /* their sums */
  int32_t height[2 * LADDER_LAGS + 1];       /* the correlation */
  int32_t base;    /* around which disparity of the layer is looked */
  int32_t tallest; /* of the layer's bases so far */
  int32_t found;
};

/* T3: cosines and sines as in PocstereoTables. */
struct LadderTwiddles {
  int32_t wave[LADDER_U][2][LADDER_N / 2];
};

/* A point in a layer. */
struct LadderPlace {
  int l, x, y;
};

static __device__ __forceinline__ LadderPlace
ladder_place (const PocstereoWork &w, int l, int i)
{
  const PocstereoLayer &layer = w.layer[0][l];

  return LadderPlace{l,
      pocstereo_clamp (w.points[i].x >> l, 0, layer.width - 1),
      pocstereo_clamp (w.points[i].y >> l, 0, layer.height - 1)};
}

/* (i): f around x, g around x - base. */
static __device__ __forceinline__ void
ladder_extract (
    const PocstereoWork &w, const LadderPlace &p, int j, LadderBuffers *b)
{
  const PocstereoLayer &layer = w.layer[0][p.l];
  int row = pocstereo_clamp (p.y + j - LADDER_LINES / 2, 0, layer.height - 1);
  int q = pocstereo_clamp (p.x - b->base, 0, layer.width - 1);
  int n = (int) threadIdx.x - LADDER_N / 2;

  for (int v = 0; v < 2; v++)
    b->samples[v][j][threadIdx.x] =
        w.view[v][p.l][(size_t) row * w.stride[p.l] +
            pocstereo_clamp ((v ? q : p.x) + n, 0, layer.width - 1)];
}

/* The integer that PocstereoTables hold: none of them is so near to a half
 * that the rounding of sine and cosine could count. */
static __device__ __forceinline__ int
ladder_twiddle (int k, bool is_sine, int n)
{
  const float unit = 3.14159265f / (LADDER_N / 2);
  const float scale = POCSTEREO_TWIDDLES / (LADDER_N / 2);
  float hann = .5f * (1 + cosf (unit * n)), sine, cosine;

  sincosf (unit * ((k + 1) * n), &sine, &cosine);
  return __float2int_rn (
      scale * hann * (is_sine ? sine : cosine - (k ? 0 : .5f)));
}

/* (ii): one part of one frequency of one view a thread.  Cosines sum to 0, so
 * that the middle sample can be taken off each other one. */
template <bool HAS_TABLE, int UNROLL>
static __device__ __forceinline__ void
ladder_transform (const LadderTwiddles *table, int j, LadderBuffers *b)
{
  int k = threadIdx.x % (2 * LADDER_U) / 2;
  bool im = threadIdx.x % 2;
  const int32_t *s = &b->samples[threadIdx.x / (2 * LADDER_U)][j][LADDER_N / 2];
  int32_t sum = 0;

#pragma unroll UNROLL
  for (int n = 1; n < LADDER_N / 2; n++) {
    int wave = HAS_TABLE ? table->wave[k][im][n] : ladder_twiddle (k, im, n);

    sum += wave * (im ? s[-n] - s[n] : s[n] + s[-n] - 2 * s[0]);
  }
  b->spectrum[j][threadIdx.x] = (float) sum;
}

/* (iii): one frequency of one line a thread. */
static __device__ __forceinline__ void
ladder_multiply (float floor2, int j, LadderBuffers *b)
{
  const float *f = &b->spectrum[j][2 * threadIdx.x];
  const float *g = f + 2 * LADDER_U;
  int8_t a[2], c[2];
  int32_t r[2] = {0, 0};

  if (threadIdx.x >= LADDER_U)
    return;
  pocstereo_phasor (f[0], f[1], floor2, a);
  pocstereo_phasor (g[0], g[1], floor2, c);
  pocstereo_add_line (r, a, c, 1);
  b->cross[j][2 * threadIdx.x] = r[0];
  b->cross[j][2 * threadIdx.x + 1] = r[1];
}

/* (iv): the sums over lines by 2 U threads, the lags by as many, and the
 * highest one by one.  All threads of the block call. */
template <int UNROLL>
static __device__ __forceinline__ void
ladder_invert (
    const PocstereoWork &w, const PocstereoLayer &layer, LadderBuffers *b)
{
  int first, last, t = threadIdx.y * LADDER_N + threadIdx.x;

  if (t < 2 * LADDER_U) {
    int32_t sum = 0;

#pragma unroll UNROLL
    for (int j = 0; j < LADDER_LINES; j++)
      sum += b->cross[j][t];
    b->r[t] = sum;
  }
  __syncthreads ();
  if (t <= 2 * LADDER_LAGS)
    b->height[t] = pocstereo_correlation (w.tables, b->r, t - LADDER_LAGS);
  __syncthreads ();
  if (t == 0) {
    pocstereo_lags (&layer, b->base, LADDER_LAGS, &first, &last);
    for (int n = first; n <= last; n++)
      if (b->height[n + LADDER_LAGS] > b->tallest) {
        b->tallest = b->height[n + LADDER_LAGS];
        b->found = b->base + n;
      }
  }
}

/* The next base: around the tile @i of the coarsest layer, else of @parent. */
static __device__ __forceinline__ int
ladder_base (const PocstereoWork &w, int l, int i, int parent)
{
  const PocstereoLayer &layer = w.layer[0][l];
  int base = l == w.n_layers - 1 ? pocstereo_tile (&layer, i) : 2 * parent;

  return pocstereo_clamp (base, layer.floor, layer.ceil);
}

/* Step 7. */
static __device__ __forceinline__ void
ladder_refine (const PocstereoWork &w, int i, const LadderBuffers *b)
{
  PocstereoMatch match = pocstereo_refine (w.tables, b->r, b->base);

  pocstereo_forget_low (w.min_peak, &match);
  w.point_matches[i] = match;
}
