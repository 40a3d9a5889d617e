/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The nearest features of queries: a warp a few queries, a lane a point of the
 * model.  Codes are bytes here, so that four products are one instruction. */
#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_round1.h"

#define WARPS 16
#define TILE (32 * WARPS) /* points of the model at once */
#define WORDS 9           /* of a code: 33 bytes, the rest 0 */

typedef struct {
  uint32_t code[WORDS][TILE];
  int square[TILE];
} Tile;

/* The list of one query over a warp, nearest first: each lane holds one. */
typedef struct {
  uint32_t code[WORDS];
  int square;
  int d, point; /* of this lane */
  int worst;    /* of the Kth */
} Nearest;

static __device__ __forceinline__ int
pack (const int16_t *code, uint32_t out[WORDS])
{
  int square = 0;

#pragma unroll
  for (int k = 0; k < (WORDS + 1) / 2; k++) { /* 8 numbers at once */
    uint4 v = ((const uint4 *) code)[k];

    out[2 * k] = __byte_perm (v.x, v.y, 0x6420);
    square = (int) __dp4a (out[2 * k], out[2 * k], (uint32_t) square);
    if (2 * k + 1 == WORDS)
      break;
    out[2 * k + 1] = __byte_perm (v.z, v.w, 0x6420);
    square = (int) __dp4a (out[2 * k + 1], out[2 * k + 1], (uint32_t) square);
  }
  return square;
}

static __device__ __forceinline__ void
load_tile (const ScopedetectShape *s, int first, Tile *tile)
{
  int j = first + threadIdx.x;
  uint32_t code[WORDS] = {};
  int square = INT32_MAX / 2; /* of none: farther than any */

  if (j < s->n)
    square = pack (s->code + (size_t) j * SCOPEDETECT_CODE, code);
#pragma unroll
  for (int k = 0; k < WORDS; k++)
    tile->code[k][threadIdx.x] = code[k];
  tile->square[threadIdx.x] = square;
}

/* Puts those of 32 points that are near enough in their places, the first
 * first: of equally near ones those with the smaller numbers stay. */
static __device__ __forceinline__ void
insert (Nearest *near, int d, int first, int k)
{
  int lane = threadIdx.x % 32;
  uint32_t mask = __ballot_sync (ALL_LANES, d < near->worst);

  while (mask) {
    int from = __ffs ((int) mask) - 1;
    int next = __shfl_sync (ALL_LANES, d, from);
    int at = __popc (__ballot_sync (ALL_LANES, near->d <= next));
    int d_before = __shfl_up_sync (ALL_LANES, near->d, 1);
    int point_before = __shfl_up_sync (ALL_LANES, near->point, 1);

    if (lane >= at) {
      near->d = lane == at ? next : d_before;
      near->point = lane == at ? first + from : point_before;
    }
    near->worst = __shfl_sync (ALL_LANES, near->d, k - 1);
    mask &= mask - 1;
    mask &= __ballot_sync (ALL_LANES, d < near->worst);
  }
}

template <int PER>
static __global__ void
__launch_bounds__ (TILE, 2)
    match_kernel (const __grid_constant__ ScopedetectWork w)
{
  __shared__ Tile tile;
  const ScopedetectShape *s = &w.model[blockIdx.y];
  int lane = threadIdx.x % 32, k = w.params.neighbours;
  int first_query = (blockIdx.x * WARPS + threadIdx.x / 32) * PER;
  Nearest near[PER];

  allow_next ();
  await_previous ();
#pragma unroll
  for (int i = 0; i < PER; i++) {
    int q = min (first_query + i, w.n_queries - 1);

    near[i].square = pack (
        w.cloud.code + (size_t) scopedetect_query (&w, q) * SCOPEDETECT_CODE,
        near[i].code);
    near[i].d = near[i].worst = INT32_MAX / 4;
    near[i].point = UINT16_MAX;
  }
  for (int first = 0; first < s->n; first += TILE) {
    __syncthreads ();
    load_tile (s, first, &tile);
    __syncthreads ();
    for (int at = 0; at < TILE && first + at < s->n; at += 32) {
      uint32_t code[WORDS];
      int square = tile.square[at + lane];

#pragma unroll
      for (int j = 0; j < WORDS; j++)
        code[j] = tile.code[j][at + lane];
#pragma unroll
      for (int i = 0; i < PER; i++) {
        uint32_t product = 0;

#pragma unroll
        for (int j = 0; j < WORDS; j++)
          product = __dp4a (code[j], near[i].code[j], product);
        insert (&near[i], square + near[i].square - 2 * (int) product,
            first + at, k);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < PER; i++)
    if (first_query + i < w.n_queries && lane < k)
      w.neighbour[((size_t) blockIdx.y * w.room_queries + first_query + i) * k +
          lane] = (uint16_t) near[i].point;
}

const char *
scopedetect_match_cuda (const Device *dev, ScopedetectWork *w)
{
  bool many = (int64_t) w->n_queries * w->n_models > 8192;
  int per = many ? 2 : 1;
  dim3 blocks (ceil_div (w->n_queries, WARPS * per), w->n_models);

  if (!w->n_queries)
    return NULL;
  return scopedetect_launch (
      dev, w, many ? match_kernel<2> : match_kernel<1>, blocks, TILE, 0, *w);
}
