/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From labels to components: areas in an array with an element for each pixel,
 * as in the paper (section 3.5), of which those at first pixels are used; the
 * largest; sums, for components that are large enough only; and the extents of
 * candidates.  All is done with integer atomics, so their order does not
 * matter. */
#include "gpuccl/paper/measure.cuh"

#define COUNT_THREADS 1024

/* Pixels of no known class in column @x, in this many rows from @y on. */
static __device__ __forceinline__ uint32_t
count_unknown (const GpucclWork &w, int x, int y, int y1)
{
  const GpucclFrame &f = w.frame;
  uint32_t n = 0;

#pragma unroll
  for (int i = 0; i < GPUCCL_ROWS_AT_ONCE; i++)
    n += x < f.width && y + i < y1 &&
        f.map[(size_t) (y + i) * f.map_stride + x * f.map_step] > w.values.last;
  return n;
}

/* w->scratch gets areas. */
static __global__ void
area_kernel (const __grid_constant__ GpucclWork w, int rows, GpucclTally *tally)
{
  GpucclStrip strip = gpuccl_strip (w.frame, rows);
  uint32_t held = 0, n = 0, unknown = 0;

  for (int y = strip.y0; y < strip.y1; y += GPUCCL_ROWS_AT_ONCE) {
    uint32_t labels[GPUCCL_ROWS_AT_ONCE];

    gpuccl_strip_labels (w, strip.x, y, strip.y1, labels);
    if (w.frame.source == GPUCCL_CLASSES)
      unknown += count_unknown (w, strip.x, y, strip.y1);
#pragma unroll
    for (int i = 0; i < GPUCCL_ROWS_AT_ONCE; i++) {
      if (labels[i] && labels[i] != held) {
        if (held)
          atomicAdd (&w.scratch[held - 1], n);
        held = labels[i], n = 0;
      }
      n += labels[i] != 0;
    }
  }
  for (uint32_t left = __ballot_sync (ALL_LANES, held); left;) {
    GpucclGroup group = gpuccl_next_group (&left, held);
    uint32_t sum = warp_sum (group.in ? n : 0);

    if (group.first)
      atomicAdd (&w.scratch[held - 1], sum);
  }
  unknown = warp_sum (unknown);
  if (threadIdx.x == 0 && unknown)
    atomicAdd (&tally->n_unknown, unknown);
}

/* Gives a component of @area pixels a place; returns 1 + its place, 0 without
 * room. */
static __device__ uint32_t
place (const GpucclWork &w, const GpucclCuda &c, uint32_t label, uint32_t area)
{
  uint32_t at = atomicAdd (&c.tally->n_sums, 1);
  GpucclSum s = gpuccl_sum_nothing ();

  if (at >= w.max_sums)
    return 0;
  s.label = label;
  s.area = area;
  s.box.y0 = (int) ((label - 1) / w.frame.width);
  c.sums[at] = s;
  c.keys[at] = gpuccl_key (area, label);
  return at + 1;
}

/* Counts components, keeps the largest, and turns the areas of all into 1 + the
 * places of those that are large enough; 0 is none. */
static __global__ void
__launch_bounds__ (COUNT_THREADS)
    count_kernel (const __grid_constant__ GpucclWork w,
        const __grid_constant__ GpucclCuda c, uint32_t pixels)
{
  uint32_t at = blockIdx.x * COUNT_THREADS + threadIdx.x;
  bool is = at < pixels && w.labels[at] == at + 1;
  int n = __syncthreads_count (is);

  if (threadIdx.x == 0 && n)
    atomicAdd (&c.tally->n_labels, n);
  if (is) {
    uint32_t area = w.scratch[at];
    unsigned long long key = gpuccl_key (area, at + 1);

    if (key > c.tally->largest)
      atomicMax (&c.tally->largest, key);
    w.scratch[at] = area >= w.min_area ? place (w, c, at + 1, area) : 0;
  }
}

/* Puts @key among the best, in order. */
static __device__ __forceinline__ void
insert (unsigned long long best[GPUCCL_CANDIDATES], unsigned long long key)
{
#pragma unroll
  for (int i = 0; i < GPUCCL_CANDIDATES; i++)
    if (key > best[i]) {
      unsigned long long lower = best[i];

      best[i] = key;
      key = lower;
    }
}

/* One block: the largest of the thread's best is the next candidate, until
 * there is none or there are enough.  Returns their number. */
static __device__ uint32_t
choose (unsigned long long best[GPUCCL_CANDIDATES], GpucclChosen *chosen,
    GpucclResult *result)
{
  __shared__ unsigned long long max_key[GPUCCL_CANDIDATES];
  uint32_t n = 0;

  if (threadIdx.x < GPUCCL_CANDIDATES)
    max_key[threadIdx.x] = 0;
  __syncthreads ();
  for (; n < GPUCCL_CANDIDATES; n++) {
    if (best[0])
      atomicMax (&max_key[n], best[0]);
    __syncthreads ();
    if (!max_key[n])
      break;
    if (best[0] == max_key[n]) {
      chosen->labels[n] = gpuccl_key_label (best[0]);
      result->candidates[n].label = gpuccl_key_label (best[0]);
      result->candidates[n].area = (uint32_t) (best[0] >> 32);
#pragma unroll
      for (int i = 0; i + 1 < GPUCCL_CANDIDATES; i++)
        best[i] = best[i + 1];
      best[GPUCCL_CANDIDATES - 1] = 0;
    }
  }
  return n;
}

/* One block: the candidates; the tally goes to the host and is cleared for the
 * next frame. */
static __global__ void
__launch_bounds__ (COUNT_THREADS) choose_kernel (
    const __grid_constant__ GpucclWork w, const __grid_constant__ GpucclCuda c)
{
  GpucclTally tally = *c.tally;
  uint32_t n_sums = min (tally.n_sums, w.max_sums), n;
  unsigned long long best[GPUCCL_CANDIDATES] = {};

  for (uint32_t i = threadIdx.x; i < n_sums; i += COUNT_THREADS) {
    unsigned long long key = c.keys[i];

    if (gpuccl_is_candidate (&w, (uint32_t) (key >> 32)))
      insert (best, key);
  }
  n = choose (best, c.chosen, w.result);
  if (threadIdx.x)
    return;
  c.chosen->n_sums = n_sums;
  c.chosen->n_candidates = w.result->n_candidates = n;
  w.result->n_missing = w.result->in_order = 0;
  w.result->n_labels = tally.n_labels;
  w.result->n_sums = tally.n_sums;
  w.result->n_unknown = tally.n_unknown;
  w.result->largest_area = (uint32_t) (tally.largest >> 32);
  w.result->largest_label =
      tally.largest ? gpuccl_key_label (tally.largest) : 0;
  *c.tally = {};
}

const char *
gpuccl_measure_open (const Device *dev, const GpucclWork *w)
{
  GpucclCuda *c = (GpucclCuda *) w->state;
  size_t lines = GPUCCL_CANDIDATES * (size_t) gpuccl_lines (&w->frame);

  TRY (memory_get (&c->memory, &c->tally, 1));
  TRY (memory_get (&c->memory, &c->chosen, 1));
  TRY (memory_get (&c->memory, &c->first, lines));
  TRY (memory_get (&c->memory, &c->last, lines));
  CUDA_TRY (cudaMemsetAsync (
      c->first, 0xff, lines * sizeof *c->first, device_stream (dev)));
  return NULL;
}

/* Room for as many sums as the result has. */
static const char *
grow (GpucclCuda *c, uint32_t n)
{
  if (c->room >= n)
    return NULL;
  c->room = 0;
  TRY (memory_get (&c->memory, &c->sums, n));
  TRY (memory_get (&c->memory, &c->keys, n));
  c->room = n;
  return NULL;
}

const char *
gpuccl_measure_cuda (const Device *dev, const GpucclWork *w)
{
  GpucclCuda *c = (GpucclCuda *) w->state;
  int pixels = w->frame.width * w->frame.height, rows = gpuccl_rows (&w->frame);
  dim3 strips = gpuccl_strips (&w->frame, rows);
  dim3 threads (32, GPUCCL_STRIPS_A_BLOCK);
  cudaStream_t stream = device_stream (dev);

  TRY (grow (c, w->max_sums));
  TRY (device_clear (dev, w->scratch, pixels * sizeof *w->scratch));
  area_kernel<<<strips, threads, 0, stream>>> (*w, rows, c->tally);
  count_kernel<<<ceil_div (pixels, COUNT_THREADS), COUNT_THREADS, 0, stream>>> (
      *w, *c, (uint32_t) pixels);
  choose_kernel<<<1, COUNT_THREADS, 0, stream>>> (*w, *c);
  CUDA_TRY (cudaGetLastError ());
  return gpuccl_sum_cuda (dev, w, rows);
}
