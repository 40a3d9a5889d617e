/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Over-segmentation: a thread for each pixel, a block or a warp for each
 * segment. */
#include "scopedetect/scopedetect_observe_cuda.cuh"
#include "scopedetect/scopedetect_segment_core.h"

#define THREADS 128 /* of a segment's block */

static __global__ void
label_pixels_kernel (IN ScopedetectScene s, IN ScopedetectBounds bounds,
    IN ScopedetectLattice lattice, int32_t *label)
{
  int x, y;

  await_previous ();
  if (pixel_of_thread (s, &x, &y))
    label[(size_t) y * s.width + x] =
        scopedetect_first_label (&s, &bounds, &lattice, x, y);
}

static __global__ void
assign_pixels_kernel (IN ScopedetectScene s, IN ScopedetectParams params,
    IN ScopedetectSegments segments, int32_t *label)
{
  int x, y;

  await_previous ();
  if (pixel_of_thread (s, &x, &y) &&
      label[(size_t) y * s.width + x] != SCOPEDETECT_NO_SEGMENT)
    label[(size_t) y * s.width + x] =
        scopedetect_segment_of (&s, &params, &segments, x, y);
}

/* Adds the sums of all threads of the block to the sum of its first thread. */
static __device__ void
add_up_segment (ScopedetectSegmentSum *s)
{
  __shared__ ScopedetectSegmentSum of_warp[THREADS / 32];

  for (int k = 0; k < 9; k++)
    s->sum[k] = warp_sum_long (s->sum[k]);
  s->count = (int) warp_sum ((uint32_t) s->count);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = *s;
  __syncthreads ();
  for (int i = 1; i < THREADS / 32 && threadIdx.x == 0; i++) {
    s->count += of_warp[i].count;
    for (int k = 0; k < 9; k++)
      s->sum[k] += of_warp[i].sum[k];
  }
}

/* The place of a thread in a box of pixels, each of which one thread visits. */
typedef struct {
  int x, y;
} Walk;

static __device__ Walk
first_in_box (ImageBox b)
{
  int width = b.x1 - b.x0;

  return Walk{
      b.x0 + (int) threadIdx.x % width, b.y0 + (int) threadIdx.x / width};
}

static __device__ void
next_in_box (Walk *p, ImageBox b)
{
  int width = b.x1 - b.x0;

  p->x += THREADS % width;
  p->y += THREADS / width;
  if (p->x >= b.x1)
    p->x -= width, p->y++;
}

/* Sets the means of segment @i; all threads of the block work on it. */
static __device__ void
set_mean_by_block (const ScopedetectScene &s,
    const ScopedetectSegments &segments, const int32_t *label, int i)
{
  ImageBox b = scopedetect_segment_window (&s, &segments.lattice, i);
  ScopedetectSegmentSum sum = {{0}, 0};

  for (Walk p = first_in_box (b); p.y < b.y1; next_in_box (&p, b)) {
    size_t at = (size_t) p.y * s.width + p.x;

    if (label[at] == i)
      scopedetect_segment_add (&sum, &s.pixel[at],
          scopedetect_unproject (&s, p.x, p.y, s.pixel[at].z));
  }
  add_up_segment (&sum);
  if (threadIdx.x == 0)
    scopedetect_segment_set (&segments.segment[i], &sum);
}

static __global__ void
__launch_bounds__ (THREADS) segment_means_kernel (IN ScopedetectScene s,
    IN ScopedetectSegments segments, const int32_t *label)
{
  await_previous ();
  set_mean_by_block (s, segments, label, blockIdx.x);
}

/* Sets @value and @at to the maximum of a warp's values, of equal ones that
 * with the smallest @at; lanes without a value have the @at INT32_MAX. */
static __device__ void
max_in_warp (float *value, int *at)
{
  for (int step = 16; step; step /= 2) {
    float other = __shfl_xor_sync (ALL_LANES, *value, step);
    int there = __shfl_xor_sync (ALL_LANES, *at, step);

    if (other > *value || (other == *value && there < *at))
      *value = other, *at = there;
  }
}

/* Sets the radius of segment @i, and its pixel with the highest log probability
 * of an edge, by a block. */
static __device__ void
set_reach_by_block (const ScopedetectScene &s,
    const ScopedetectSegments &segments, const int32_t *label, int i)
{
  __shared__ float radii[THREADS / 32], edges[THREADS / 32];
  __shared__ int places[THREADS / 32];
  ScopedetectSegment *g = &segments.segment[i];
  ImageBox b = scopedetect_segment_window (&s, &segments.lattice, i);
  float radius = 0, edge = -1;
  int at = INT32_MAX;

  for (Walk p = first_in_box (b); p.y < b.y1; next_in_box (&p, b)) {
    int here = p.y * s.width + p.x;
    Vec q;

    if (label[here] != i)
      continue;
    q = scopedetect_unproject (&s, p.x, p.y, s.pixel[here].z);
    radius = fmaxf (radius, vec_norm (vec_sub (q, g->x)));
    if (s.pixel[here].edge > edge)
      edge = s.pixel[here].edge, at = here;
  }
  radius = __uint_as_float (warp_max_u (__float_as_uint (radius)));
  max_in_warp (&edge, &at);
  if (threadIdx.x % 32 == 0) {
    radii[threadIdx.x / 32] = radius;
    edges[threadIdx.x / 32] = edge, places[threadIdx.x / 32] = at;
  }
  __syncthreads ();
  if (threadIdx.x)
    return;
  for (int k = 1; k < THREADS / 32; k++) {
    radius = fmaxf (radius, radii[k]);
    if (edges[k] > edge || (edges[k] == edge && places[k] < at))
      edge = edges[k], at = places[k];
  }
  g->radius = radius;
  if ((g->has_edge = at != INT32_MAX))
    g->edge =
        scopedetect_unproject (&s, at % s.width, at / s.width, s.pixel[at].z);
}

/* Sets the key points of segment @i, the first ones row by row, by a warp. */
static __device__ void
set_keys_by_warp (const ScopedetectScene &s,
    const ScopedetectSegments &segments, const int32_t *label, int i)
{
  ImageBox b = scopedetect_segment_window (&s, &segments.lattice, i);
  ScopedetectSegment *g = &segments.segment[i];
  int fine = scopedetect_key_step (&segments.lattice), lane = threadIdx.x % 32,
      n = 0;
  int left = ceil_div (b.x0, fine), top = ceil_div (b.y0, fine);
  int width = ceil_div (b.x1, fine) - left;
  int keys = width * (ceil_div (b.y1, fine) - top);

  for (int first = 0; first < keys; first += 32) {
    int k = first + lane, x = (left + k % width) * fine;
    int y = (top + k / width) * fine, at = y * s.width + x;
    bool own = k < keys && label[at] == i;
    uint32_t mask = __ballot_sync (ALL_LANES, own);
    int to = n + __popc (mask & ((1u << lane) - 1));

    if (own && to < SCOPEDETECT_KEYS) {
      ScopedetectPixel p = s.pixel[at];

      g->key[to] = scopedetect_unproject (&s, x, y, p.z);
      g->key_normal[to] = vec (p.nx, p.ny, p.nz);
    }
    n += __popc (mask);
  }
  if (lane == 0)
    g->n_keys = min (n, SCOPEDETECT_KEYS);
}

/* Sets the point of the cloud nearest to a segment's centre, by a warp. */
static __device__ void
set_point_by_warp (const ScopedetectCloud &cloud, float spacing,
    ScopedetectSegment *g, ScopedetectReach *r)
{
  Vec x = g->x;
  int best = INT32_MAX, n = 0;
  float close = -1e9f;

  if (g->count)
    n = scopedetect_near_warp (cloud, x, 2 * spacing, r);
  for (int k = threadIdx.x % 32; k < n; k += 32) {
    Vec d = vec_sub (cloud.x[r->near[k]], x);

    if (-vec_dot (d, d) > close)
      close = -vec_dot (d, d), best = k;
  }
  max_in_warp (&close, &best);
  if (threadIdx.x % 32 == 0)
    g->point = best == INT32_MAX ? -1 : (int) r->near[best];
}

/* Completes segments after the last step, with one block for each. */
static __global__ void
__launch_bounds__ (THREADS)
    finish_segments_kernel (IN ScopedetectScene s, IN ScopedetectCloud cloud,
        float spacing, IN ScopedetectSegments segments, const int32_t *label)
{
  __shared__ ScopedetectReach reach;
  int i = blockIdx.x;

  await_previous ();
  set_mean_by_block (s, segments, label, i);
  __syncthreads ();
  set_reach_by_block (s, segments, label, i);
  if (threadIdx.x < 32)
    set_keys_by_warp (s, segments, label, i);
  else if (threadIdx.x < 64)
    set_point_by_warp (cloud, spacing, &segments.segment[i], &reach);
}

/* ---- Affinities ---- */

#define WARPS 4 /* of a block */

/* The squared distance between the key points @x, one a lane of half a warp,
 * and the @n key points of segment @g: the minimum over the warp. */
static __device__ __forceinline__ float
key_gap_by_warp (Vec x, bool is_key, const ScopedetectSegment *g, int n)
{
  int first = threadIdx.x % 32 / SCOPEDETECT_KEYS * SCOPEDETECT_KEYS / 2;
  int last = min (first + SCOPEDETECT_KEYS / 2, n);
  float gap = is_key ? scopedetect_key_gap (x, g, first, last) : 1e9f;

  return __int_as_float (warp_min (__float_as_int (gap)));
}

/* Sets the affinities of a segment, a warp each, a lane for each neighbour. */
static __global__ void
near_segments_kernel (
    IN ScopedetectScene s, IN ScopedetectSegments segments, int n)
{
  int i = index_of_thread () / 32, lane = threadIdx.x % 32, own = -1, keys = 0,
      to;
  int key = lane % SCOPEDETECT_KEYS;
  ScopedetectSegment *g = &segments.segment[i];
  float a = 0, own_gap = 0;
  uint32_t mask;
  bool is_key;
  Vec x;

  await_previous ();
  if (i >= n)
    return;
  if (lane < 25)
    own = scopedetect_segment_beside (&segments, i, lane);
  if (own >= 0)
    keys = segments.segment[own].n_keys;
  is_key = key < g->n_keys;
  x = g->key[key];
#pragma unroll 5
  for (int k = 0; k < 25; k++) {
    int j = __shfl_sync (ALL_LANES, own, k);
    int theirs = __shfl_sync (ALL_LANES, keys, k);
    float gap =
        key_gap_by_warp (x, is_key, &segments.segment[max (j, 0)], theirs);

    own_gap = lane == k ? gap : own_gap;
  }
  if (own >= 0)
    a = scopedetect_affinity (&s, g, &segments.segment[own], own_gap);
  mask = __ballot_sync (ALL_LANES, a > .5f);
  to = __popc (mask & ((1u << lane) - 1));
  if (a > .5f && to < SCOPEDETECT_AFFINE) {
    g->near[to] = own;
    g->affinity[to] = fminf (a, SCOPEDETECT_MAX_AFFINITY);
  }
  if (lane == 0)
    g->n_near = min (__popc (mask), SCOPEDETECT_AFFINE);
}

const char *
scopedetect_make_segments_cuda (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectBounds *bounds,
    const ScopedetectCloud *cloud, float spacing,
    const ScopedetectParams *params, int32_t *label,
    ScopedetectSegments *segments)
{
  const ScopedetectScene *s = scene;
  const ScopedetectSegments *g = segments;
  dim3 threads (32, 8), blocks (g->n);
  dim3 pixels (ceil_div (s->width, 32), ceil_div (s->height, 8));

  TRY (scopedetect_launch (dev, label_pixels_kernel, pixels, threads, 0, *s,
      *bounds, g->lattice, label));
  for (int k = 0; k < SCOPEDETECT_MEANS; k++) {
    TRY (scopedetect_launch (
        dev, segment_means_kernel, blocks, dim3 (THREADS), 0, *s, *g, label));
    TRY (scopedetect_launch (
        dev, assign_pixels_kernel, pixels, threads, 0, *s, *params, *g, label));
  }
  TRY (scopedetect_launch (dev, finish_segments_kernel, blocks, dim3 (THREADS),
      0, *s, *cloud, spacing, *g, label));
  return scopedetect_launch (dev, near_segments_kernel,
      dim3 (ceil_div (g->n, WARPS)), dim3 (32 * WARPS), 0, *s, *g, g->n);
}
