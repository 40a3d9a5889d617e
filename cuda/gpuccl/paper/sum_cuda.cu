/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sums of components that have a place, and the extents of candidates. */
#include "gpuccl/paper/measure.cuh"

#define REPORT_THREADS 256

/* ---- Sums ---- */

/* The sum over the lanes, of at most 32 strips: it fits in 32 bits. */
static __device__ __forceinline__ GpucclSum
warp_gather (const GpucclSum &s, bool depth, bool rays)
{
  GpucclSum t = s;

  t.x = warp_sum ((uint32_t) s.x);
  t.y = warp_sum ((uint32_t) s.y);
  t.box.x0 = warp_min (s.box.x0);
  t.box.x1 = warp_max (s.box.x1);
  t.box.y1 = warp_max (s.box.y1);
  if (depth) {
    t.z = warp_sum ((uint32_t) s.z);
    t.min_z = ~warp_max_u (~s.min_z);
    t.max_z = warp_max_u (s.max_z);
  }
  if (rays) {
    t.min_u = warp_min (s.min_u);
    t.max_u = warp_max (s.max_u);
    t.min_v = warp_min (s.min_v);
    t.max_v = warp_max (s.max_v);
  }
  return t;
}

/* Most pixels are neither the first nor the last of anything, which a look
 * shows at less cost than an atomic. */
#define LOWER_TO(a, b) \
 do { \
  if ((b) < (a)) \
   atomicMin (&(a), b); \
 } while (0)
#define RAISE_TO(a, b) \
 do { \
  if ((b) > (a)) \
   atomicMax (&(a), b); \
 } while (0)

/* Label, area and the uppermost row are known. */
static __device__ __forceinline__ void
add_to (GpucclSum *to, const GpucclSum &s)
{
  atomicAdd (&to->x, s.x);
  atomicAdd (&to->y, s.y);
  if (s.z)
    atomicAdd (&to->z, s.z);
  LOWER_TO (to->box.x0, s.box.x0);
  RAISE_TO (to->box.x1, s.box.x1);
  RAISE_TO (to->box.y1, s.box.y1);
  LOWER_TO (to->min_z, s.min_z);
  RAISE_TO (to->max_z, s.max_z);
  LOWER_TO (to->min_u, s.min_u);
  RAISE_TO (to->max_u, s.max_u);
  LOWER_TO (to->min_v, s.min_v);
  RAISE_TO (to->max_v, s.max_v);
}

/* ---- Extents of candidates ---- */

/* What candidates a thread meets. */
typedef struct {
  uint32_t n, labels[GPUCCL_CANDIDATES];
} Candidates;

/* 1 + the candidate that has @label, 0: none. */
static __device__ __forceinline__ uint32_t
candidate_of (const Candidates &k, uint32_t label)
{
  uint32_t found = 0;

#pragma unroll
  for (uint32_t i = 0; i < GPUCCL_CANDIDATES; i++)
    if (i < k.n && k.labels[i] == label)
      found = i + 1;
  return found;
}

static __device__ __forceinline__ void
extend (const GpucclWork &w, const GpucclCuda &c, uint32_t candidate, int line,
    int first, int last)
{
  size_t at = (size_t) (candidate - 1) * gpuccl_lines (&w.frame) + line;

  LOWER_TO (c.first[at], (uint32_t) first);
  RAISE_TO (c.last[at], (uint32_t) last);
}

/* Extends a row by the pixels that the lanes have of candidates: those between
 * others of the same change nothing. */
static __device__ __forceinline__ void
extend_row (
    const GpucclWork &w, const GpucclCuda &c, uint32_t candidate, int x, int y)
{
  uint32_t left = __shfl_up_sync (ALL_LANES, candidate, 1);
  uint32_t right = __shfl_down_sync (ALL_LANES, candidate, 1);

  if (candidate &&
      (threadIdx.x == 0 || threadIdx.x == 31 || left != candidate ||
          right != candidate))
    extend (w, c, candidate, y, x, x);
}

/* ---- A strip ---- */

/* What a thread has of the component that it met last. */
typedef struct {
  uint32_t label, place; /* 1 + where its sum is; 0: it has none */
  uint32_t candidate;
  int first, last; /* rows */
  GpucclSum sum;
} Held;

static __device__ __forceinline__ void
hold (const GpucclWork &w, const Candidates &k, Held *h, uint32_t label, int y)
{
  h->label = label;
  h->place = w.scratch[label - 1];
  h->candidate = h->place ? candidate_of (k, label) : 0;
  h->first = y;
  h->sum = gpuccl_sum_nothing ();
}

static __device__ __forceinline__ void
add_pixel (const GpucclWork &w, Held *h, int x, int y, uint32_t z)
{
  GpucclSum pixel = gpuccl_sum_pixel (x, y, h->label);

  if (w.frame.depth)
    gpuccl_sum_set_depth (&pixel, &w.rays, x, y, z);
  gpuccl_sum_add (&h->sum, &pixel);
  h->last = y;
}

static __device__ __forceinline__ void
extend_column (const GpucclWork &w, const GpucclCuda &c, const Held &h, int x)
{
  if (h.candidate)
    extend (w, c, h.candidate, w.frame.height + x, h.first, h.last);
}

/* One row; the whole warp calls. */
static __device__ __forceinline__ void
add_row (const GpucclWork &w, const GpucclCuda &c, const Candidates &k, Held *h,
    int x, int y, uint32_t label, uint32_t z)
{
  if (label && label != h->label) {
    if (h->place)
      add_to (&c.sums[h->place - 1], h->sum);
    extend_column (w, c, *h, x);
    hold (w, k, h, label, y);
  }
  if (label && h->place)
    add_pixel (w, h, x, y, z);
  if (k.n)
    extend_row (w, c, label ? h->candidate : 0, x, y);
}

static __device__ __forceinline__ void
load_depths (const GpucclWork &w, int x, int y,
    const uint32_t labels[GPUCCL_ROWS_AT_ONCE], uint32_t z[GPUCCL_ROWS_AT_ONCE])
{
#pragma unroll
  for (int i = 0; i < GPUCCL_ROWS_AT_ONCE; i++)
    z[i] =
        w.frame.depth && labels[i] ? gpuccl_depth_row (&w.frame, y + i)[x] : 0;
}

static __global__ void
sum_kernel (const __grid_constant__ GpucclWork w,
    const __grid_constant__ GpucclCuda c, int rows)
{
  GpucclStrip strip = gpuccl_strip (w.frame, rows);
  Candidates k = {c.chosen->n_candidates};
  Held h = {};

  for (uint32_t i = 0; i < k.n; i++)
    k.labels[i] = c.chosen->labels[i];
  for (int y = strip.y0; y < strip.y1; y += GPUCCL_ROWS_AT_ONCE) {
    uint32_t labels[GPUCCL_ROWS_AT_ONCE], z[GPUCCL_ROWS_AT_ONCE];

    gpuccl_strip_labels (w, strip.x, y, strip.y1, labels);
    load_depths (w, strip.x, y, labels, z);
#pragma unroll
    for (int i = 0; i < GPUCCL_ROWS_AT_ONCE; i++)
      add_row (w, c, k, &h, strip.x, y + i, labels[i], z[i]);
  }
  extend_column (w, c, h, strip.x);
  for (uint32_t left = __ballot_sync (ALL_LANES, h.place); left;) {
    GpucclGroup group = gpuccl_next_group (&left, h.place);
    GpucclSum sum = warp_gather (
        group.in ? h.sum : gpuccl_sum_nothing (), w.frame.depth, w.rays.known);

    if (group.first)
      add_to (&c.sums[h.place - 1], sum);
  }
}

/* ---- The host's ---- */

/* Adds up a candidate's extents, and clears them for the next frame. */
static __device__ void
report_extents (const GpucclWork &w, const GpucclCuda &c, uint32_t candidate)
{
  __shared__ uint32_t lengths[2], lines[2]; /* of rows, of columns */
  uint32_t length[2] = {}, n[2] = {};
  int all = gpuccl_lines (&w.frame);

  if (threadIdx.x < 2)
    lengths[threadIdx.x] = lines[threadIdx.x] = 0;
  __syncthreads ();
  for (int i = threadIdx.x; i < all; i += REPORT_THREADS) {
    size_t at = (size_t) candidate * all + i;

    if (c.first[at] > c.last[at])
      continue;
    length[i >= w.frame.height] += c.last[at] - c.first[at];
    n[i >= w.frame.height]++;
    c.first[at] = UINT32_MAX;
    c.last[at] = 0;
  }
  for (int i = 0; i < 2; i++) {
    atomicAdd (&lengths[i], length[i]);
    atomicAdd (&lines[i], n[i]);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    GpucclCandidate *to = &w.result->candidates[candidate];

    to->widths = lengths[0], to->heights = lengths[1];
    to->rows = lines[0], to->columns = lines[1];
  }
}

/* A block for each candidate; all of them copy the sums. */
static __global__ void
__launch_bounds__ (REPORT_THREADS) report_kernel (
    const __grid_constant__ GpucclWork w, const __grid_constant__ GpucclCuda c)
{
  const unsigned long long *from = (const unsigned long long *) c.sums;
  unsigned long long *to = (unsigned long long *) w.result->sums;
  size_t n = c.chosen->n_sums * (sizeof (GpucclSum) / sizeof *to);

  for (size_t i = blockIdx.x * REPORT_THREADS + threadIdx.x; i < n;
       i += gridDim.x * REPORT_THREADS)
    to[i] = from[i];
  if (blockIdx.x < c.chosen->n_candidates)
    report_extents (w, c, blockIdx.x);
}

const char *
gpuccl_sum_cuda (const Device *dev, const GpucclWork *w, int rows)
{
  const GpucclCuda *c = (const GpucclCuda *) w->state;
  cudaStream_t stream = device_stream (dev);

  sum_kernel<<<gpuccl_strips (&w->frame, rows),
      dim3 (32, GPUCCL_STRIPS_A_BLOCK), 0, stream>>> (*w, *c, rows);
  report_kernel<<<GPUCCL_CANDIDATES, REPORT_THREADS, 0, stream>>> (*w, *c);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
