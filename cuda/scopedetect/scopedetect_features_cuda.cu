/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Curvatures and FPFH of the scene's points. */
#include "scopedetect/scopedetect_observe_cuda.cuh"

#define WARPS 8    /* of a block */
#define TOGETHER 3 /* points that a warp computes side by side in FPFH */
#define QUADS (SCOPEDETECT_ROW / 4)

static_assert (SCOPEDETECT_NEAR <= 32 * 15, "a lane's counts have 4 bits");
static_assert (SCOPEDETECT_NEAR < 1024, "a point's counts have 10 bits");
static_assert (TOGETHER * QUADS <= 32, "a lane takes four bins");

/* The counts of a lane's neighbours, at most ten, in the bins of the three
 * angles, 4 bits a bin. */
typedef struct {
  unsigned long long angle[3];
} Counts;

static __device__ void
add_up_spread (ScopedetectSpread *s)
{
  s->u = (int) warp_sum ((uint32_t) (int) s->u);
  s->v = (int) warp_sum ((uint32_t) (int) s->v);
  s->uu = warp_sum_long (s->uu);
  s->uv = warp_sum_long (s->uv);
  s->vv = warp_sum_long (s->vv);
}

/* Adds up the lanes' counts, a bin of each angle at once; writes the histogram.
 */
static __device__ void
write_spfh_by_warp (float *h, const Counts &c, int n)
{
  uint32_t own = 0, lane = threadIdx.x % 32;

  for (uint32_t b = 0; b < 11; b++) {
    uint32_t packed = 0;

    for (int k = 0; k < 3; k++)
      packed |= (uint32_t) (c.angle[k] >> (4 * b) & 15) << (10 * k);
    packed = warp_sum (packed);
    own = lane == b ? packed : own;
  }
  if (lane < 11)
    for (int k = 0; k < 3; k++)
      h[11 * k + lane] = scopedetect_spfh ((int) (own >> (10 * k) & 1023), n);
}

/* Finds neighbours of a point, their spread and its SPFH, a warp for each
 * point. */
static __global__ void __launch_bounds__ (32 * WARPS, 4)
    describe_points_kernel (IN ScopedetectCloud c, IN ScopedetectNeighbours o,
        const ScopedetectPointCounts *counts)
{
  __shared__ ScopedetectReach reach[WARPS];
  ScopedetectReach *r = &reach[threadIdx.x / 32];
  int i = index_of_thread () / 32, lane = threadIdx.x % 32, n, bin[3];
  Counts count = {{0, 0, 0}};
  Vec x, normal;
  ScopedetectSpread spread;

  await_previous ();
  if (i >= counts->n)
    return;
  x = c.x[i], normal = c.normal[i];
  n = scopedetect_near_warp (c, x, c.grid.cell, r);
  spread = scopedetect_spread (normal);
  for (int k = lane; k < n; k += 32) {
    int j = r->near[k];
    Vec other = c.normal[j];

    o.near[(size_t) i * SCOPEDETECT_NEAR + k] = (uint16_t) j;
    scopedetect_spread_add (&spread, other);
    if (j != i && scopedetect_pair (x, normal, c.x[j], other, bin))
      for (int a = 0; a < 3; a++)
        count.angle[a] += 1ull << (4 * (bin[a] - 11 * a));
  }
  __syncwarp ();
  write_spfh_by_warp (c.spfh + (size_t) i * SCOPEDETECT_ROW, count, n);
  add_up_spread (&spread);
  if (lane == 0)
    o.n_near[i] = (uint16_t) n, o.spread[i] = spread;
}

static __global__ void
point_curvature_kernel (IN ScopedetectCloud cloud, IN ScopedetectNeighbours o,
    const ScopedetectPointCounts *counts)
{
  ScopedetectCloud c = cloud;
  int i = index_of_thread ();

  await_previous ();
  if (i < counts->n)
    scopedetect_curvature (&c, i, &o.spread[i], o.n_near[i]);
}

/* A neighbour of a point: the row of its SPFH, and the weight of this SPFH. */
typedef struct __align__ (8)
{
  uint32_t row;
  float weight;
}
Neighbour;

/* The shared memory of a warp: some neighbours of the points that it computes
 * together; then the sums. */
typedef struct {
  Neighbour near[32][TOGETHER];
  float4 bins[TOGETHER][QUADS];
  float scale[TOGETHER][4];
} Blend;

/* Loads neighbours @first to @first + 31 of each point; missing ones weigh 0.
 */
static __device__ void
load_neighbours (const ScopedetectCloud &c, const ScopedetectNeighbours &o,
    int i, const int n[TOGETHER], int first, Blend *b)
{
  int lane = threadIdx.x % 32, k = first + lane;

  __syncwarp ();
#pragma unroll
  for (int p = 0; p < TOGETHER; p++) {
    uint32_t j = k < n[p] ? o.near[(size_t) (i + p) * SCOPEDETECT_NEAR + k] : 0;

    b->near[lane][p] = Neighbour{
        j * QUADS, k < n[p] ? scopedetect_fpfh_weight (c.x[j], c.x[i + p]) : 0};
  }
  __syncwarp ();
}

/* The FPFH, not yet scaled, of TOGETHER points from @i on: a lane adds up four
 * bins of one point, neighbour by neighbour. */
static __device__ void
blend_neighbours (const ScopedetectCloud &c, const ScopedetectNeighbours &o,
    int i, int points, Blend *b)
{
  int p = threadIdx.x % 32 / QUADS, quad = threadIdx.x % 32 % QUADS,
      max_near = 0;
  const float4 *rows = (const float4 *) c.spfh + quad;
  float4 sum = {0, 0, 0, 0};
  int n[TOGETHER];

#pragma unroll
  for (int k = 0; k < TOGETHER; k++) {
    n[k] = i + k < points ? o.n_near[i + k] : 0;
    max_near = max (max_near, n[k]);
  }
  p = min (p, TOGETHER - 1);
  for (int first = 0; first < max_near; first += 32) {
    load_neighbours (c, o, i, n, first, b);
#pragma unroll 8
    for (int k = 0; k < min (32, max_near - first); k++) {
      Neighbour near = b->near[k][p];
      float4 s = rows[near.row];

      sum.x += s.x * near.weight, sum.y += s.y * near.weight;
      sum.z += s.z * near.weight, sum.w += s.w * near.weight;
    }
  }
  if (threadIdx.x % 32 < TOGETHER * QUADS)
    b->bins[p][quad] = sum;
  __syncwarp ();
}

static __global__ void __launch_bounds__ (32 * WARPS)
    point_fpfh_kernel (IN ScopedetectCloud c, IN ScopedetectNeighbours o,
        const ScopedetectPointCounts *counts)
{
  __shared__ Blend blends[WARPS];
  Blend *b = &blends[threadIdx.x / 32];
  int i = index_of_thread () / 32 * TOGETHER, lane = threadIdx.x % 32, points;

  await_previous ();
  points = counts->n;
  if (i >= points)
    return;
  blend_neighbours (c, o, i, points, b);
  if (lane < 3 * TOGETHER)
    b->scale[lane / 3][lane % 3] = scopedetect_fpfh_scale (
        (const float *) b->bins[lane / 3] + 11 * (lane % 3));
  __syncwarp ();
  for (int k = lane; k < TOGETHER * SCOPEDETECT_BINS; k += 32) {
    int p = k / SCOPEDETECT_BINS, bin = k % SCOPEDETECT_BINS;
    float h = ((const float *) b->bins[p])[bin] * b->scale[p][bin / 11];

    if (i + p >= points)
      break;
    c.fpfh[(size_t) (i + p) * SCOPEDETECT_BINS + bin] = h;
    c.code[(size_t) (i + p) * SCOPEDETECT_CODE + bin] = scopedetect_code_of (h);
  }
}

const char *
scopedetect_describe_points_cuda (const Device *dev,
    const ScopedetectPointCounts *counts, ScopedetectNeighbours *neighbours,
    ScopedetectCloud *cloud)
{
  const ScopedetectNeighbours *o = neighbours;
  int room = cloud->room;
  dim3 threads (32 * WARPS);

  TRY (scopedetect_launch (dev, describe_points_kernel,
      dim3 (ceil_div (room, WARPS)), threads, 0, *cloud, *o, counts));
  TRY (scopedetect_launch (dev, point_curvature_kernel,
      dim3 (ceil_div (room, 128)), dim3 (128), 0, *cloud, *o, counts));
  return scopedetect_launch (dev, point_fpfh_kernel,
      dim3 (ceil_div (room, WARPS * TOGETHER)), threads, 0, *cloud, *o, counts);
}
