/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From labels to components, as in the paper (section 3.5): areas in an array
 * with an element for each pixel, of which those at components' first pixels
 * are used; the largest component; sums of components that are large enough;
 * and the extents of candidates.  All additions are integer atomics, so that
 * their order does not matter. */
#include "gpuccl/gpuccl_cuda.cuh"

/* ---- Reading labels ----
 *
 * A thread walks down a part of a column and keeps the sums of one component
 * until it meets another.  Then the warp combines the sums of threads with the
 * same component. */

#define STRIPS_A_BLOCK 8

typedef struct {
  int x, y0, y1;
} Strip;

/* The number of rows of a strip: few if the frame is small, so that there are
 * enough strips to keep the device busy. */
static inline int
rows_of_strip (const GpucclFrame *f)
{
  int rows = ceil_div (f->width, 32) * f->height / 2048;

  return rows < 8 ? 8 : rows > 64 ? 64 : rows;
}

static inline dim3
strips_of_frame (const GpucclFrame *f, int rows)
{
  return dim3 (
      ceil_div (f->width, 32), ceil_div (f->height, rows * STRIPS_A_BLOCK));
}

static __device__ __forceinline__ Strip
strip_of_thread (const GpucclFrame &f, int rows)
{
  int y0 = gpuccl_y () * rows;

  return {gpuccl_x (), y0, min (y0 + rows, f.height)};
}

/* Rows that are loaded at a time, without waiting for each. */
#define ROWS_AT_ONCE 8

/* Loads the labels of column @x from row @y on; 0 from @y1 on and outside of
 * the frame. */
static __device__ __forceinline__ void
load_strip_labels (
    const GpucclWork &w, int x, int y, int y1, uint32_t labels[ROWS_AT_ONCE])
{
#pragma unroll
  for (int i = 0; i < ROWS_AT_ONCE; i++)
    labels[i] = x < w.frame.width && y + i < y1
        ? w.labels[(size_t) (y + i) * w.frame.width + x]
        : 0;
}

/* The lanes of a warp that hold the same label. */
typedef struct {
  bool in, first; /* this lane is one of them; it is the first of them */
} Group;

/* Removes from @left the lanes with the label of its first lane, and returns
 * them. */
static __device__ __forceinline__ Group
next_group (uint32_t *left, uint32_t held)
{
  int lane = __ffs ((int) *left) - 1;
  Group g;

  g.in = held == __shfl_sync (ALL_LANES, held, lane);
  g.first = (int) threadIdx.x == lane;
  *left &= ~__ballot_sync (ALL_LANES, g.in);
  return g;
}

/* The number of rows and columns, in each of which a candidate has a first and
 * a last pixel. */
BOTH int
lines_of_frame (const GpucclFrame *f)
{
  return f->height + f->width;
}

#define REPORT_THREADS 256

/* ---- Sums ---- */

/* The sum over the lanes, of at most 32 strips, which fits in 32 bits but for
 * products. */
static __device__ __forceinline__ GpucclSum
sum_held_of_warp (const GpucclSum &s, bool depth, bool rays)
{
  GpucclSum t = s;

  t.x = warp_sum ((uint32_t) s.x);
  t.y = warp_sum ((uint32_t) s.y);
  t.xx = gpuccl_warp_sum64 (s.xx);
  t.xy = gpuccl_warp_sum64 (s.xy);
  t.yy = gpuccl_warp_sum64 (s.yy);
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

/* Lowers @a to @b.  Most pixels are neither the first nor the last of any line,
 * which a load shows at less cost than an atomic. */
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

/* Adds @s to @to, whose label, area and uppermost row are known. */
static __device__ __forceinline__ void
add_sum_to (GpucclSum *to, const GpucclSum &s)
{
  atomicAdd (&to->x, s.x);
  atomicAdd (&to->y, s.y);
  atomicAdd (&to->xx, s.xx);
  atomicAdd (&to->xy, s.xy);
  atomicAdd (&to->yy, s.yy);
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

/* The candidates among a thread's pixels. */
typedef struct {
  uint32_t n, labels[GPUCCL_CANDIDATES];
} Candidates;

/* 1 + the candidate with @label; 0: none. */
static __device__ __forceinline__ uint32_t
candidate_of_label (const Candidates &k, uint32_t label)
{
  uint32_t found = 0;

#pragma unroll
  for (uint32_t i = 0; i < GPUCCL_CANDIDATES; i++)
    if (i < k.n && k.labels[i] == label)
      found = i + 1;
  return found;
}

static __device__ __forceinline__ void
extend_line (const GpucclWork &w, const GpucclCuda &c, uint32_t candidate,
    int line, int first, int last)
{
  size_t at = (size_t) (candidate - 1) * lines_of_frame (&w.frame) + line;

  LOWER_TO (c.first[at], (uint32_t) first);
  RAISE_TO (c.last[at], (uint32_t) last);
}

/* Extends a row of candidates by the lanes' pixels; pixels between others of
 * the same candidate change nothing. */
static __device__ __forceinline__ void
extend_candidate_row (
    const GpucclWork &w, const GpucclCuda &c, uint32_t candidate, int x, int y)
{
  uint32_t left = __shfl_up_sync (ALL_LANES, candidate, 1);
  uint32_t right = __shfl_down_sync (ALL_LANES, candidate, 1);

  if (candidate &&
      (threadIdx.x == 0 || threadIdx.x == 31 || left != candidate ||
          right != candidate))
    extend_line (w, c, candidate, y, x, x);
}

/* ---- A strip ---- */

/* The component that a thread met last, and its sums. */
typedef struct {
  uint32_t label, place; /* 1 + the place of its sum; 0: it has none */
  uint32_t candidate;
  int first, last; /* rows */
  GpucclSum sum;
} Held;

static __device__ __forceinline__ void
hold_component (
    const GpucclWork &w, const Candidates &k, Held *h, uint32_t label, int y)
{
  h->label = label;
  h->place = w.scratch[label - 1];
  h->candidate = h->place ? candidate_of_label (k, label) : 0;
  h->first = y;
  h->sum = gpuccl_sum_nothing ();
}

static __device__ __forceinline__ void
add_held_pixel (const GpucclWork &w, Held *h, int x, int y, uint32_t z)
{
  GpucclSum pixel = gpuccl_sum_pixel (x, y, h->label);

  if (w.frame.depth)
    gpuccl_sum_set_depth (&pixel, &w.rays, x, y, z);
  gpuccl_sum_add (&h->sum, &pixel);
  h->last = y;
}

static __device__ __forceinline__ void
extend_candidate_column (
    const GpucclWork &w, const GpucclCuda &c, const Held &h, int x)
{
  if (h.candidate)
    extend_line (w, c, h.candidate, w.frame.height + x, h.first, h.last);
}

/* Adds one row of a strip; the whole warp calls. */
static __device__ __forceinline__ void
add_strip_row (const GpucclWork &w, const GpucclCuda &c, const Candidates &k,
    Held *h, int x, int y, uint32_t label, uint32_t z)
{
  if (label && label != h->label) {
    if (h->place)
      add_sum_to (&c.sums[h->place - 1], h->sum);
    extend_candidate_column (w, c, *h, x);
    hold_component (w, k, h, label, y);
  }
  if (label && h->place)
    add_held_pixel (w, h, x, y, z);
  if (k.n)
    extend_candidate_row (w, c, label ? h->candidate : 0, x, y);
}

static __device__ __forceinline__ void
load_depths (const GpucclWork &w, int x, int y,
    const uint32_t labels[ROWS_AT_ONCE], uint32_t z[ROWS_AT_ONCE])
{
#pragma unroll
  for (int i = 0; i < ROWS_AT_ONCE; i++)
    z[i] =
        w.frame.depth && labels[i] ? gpuccl_depth_row (&w.frame, y + i)[x] : 0;
}

static __global__ void
sum_strips_kernel (const __grid_constant__ GpucclWork w,
    const __grid_constant__ GpucclCuda c, int rows)
{
  Strip strip = strip_of_thread (w.frame, rows);
  Candidates k = {c.chosen->n_candidates};
  Held h = {};

  for (uint32_t i = 0; i < k.n; i++)
    k.labels[i] = c.chosen->labels[i];
  for (int y = strip.y0; y < strip.y1; y += ROWS_AT_ONCE) {
    uint32_t labels[ROWS_AT_ONCE], z[ROWS_AT_ONCE];

    load_strip_labels (w, strip.x, y, strip.y1, labels);
    load_depths (w, strip.x, y, labels, z);
#pragma unroll
    for (int i = 0; i < ROWS_AT_ONCE; i++)
      add_strip_row (w, c, k, &h, strip.x, y + i, labels[i], z[i]);
  }
  extend_candidate_column (w, c, h, strip.x);
  for (uint32_t left = __ballot_sync (ALL_LANES, h.place); left;) {
    Group group = next_group (&left, h.place);
    GpucclSum sum = sum_held_of_warp (
        group.in ? h.sum : gpuccl_sum_nothing (), w.frame.depth, w.rays.known);

    if (group.first)
      add_sum_to (&c.sums[h.place - 1], sum);
  }
}

/* ---- The host's result ---- */

/* Sums a candidate's extents, and clears them for the next frame. */
static __device__ void
report_extents (const GpucclWork &w, const GpucclCuda &c, uint32_t candidate)
{
  __shared__ uint32_t lengths[2], lines[2]; /* of rows, of columns */
  uint32_t length[2] = {}, n[2] = {};
  int all = lines_of_frame (&w.frame);

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

/* A block for each candidate; all blocks copy the sums. */
static __global__ void
__launch_bounds__ (REPORT_THREADS) report_extents_kernel (
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

static const char *
sum_strips (const Device *dev, const GpucclWork *w, int rows)
{
  const GpucclCuda *c = (const GpucclCuda *) w->state;
  cudaStream_t stream = device_stream (dev);

  sum_strips_kernel<<<strips_of_frame (&w->frame, rows),
      dim3 (32, STRIPS_A_BLOCK), 0, stream>>> (*w, *c, rows);
  report_extents_kernel<<<GPUCCL_CANDIDATES, REPORT_THREADS, 0, stream>>> (
      *w, *c);
  CUDA_TRY (cudaGetLastError ());
  return gpuccl_stage_ends (&w->watch, GPUCCL_CRITERIA_2_AND_3);
}

/* ---- Areas, and the largest ---- */

#define COUNT_THREADS 1024

/* The number of pixels of unknown class in column @x, in this many rows from @y
 * on. */
static __device__ __forceinline__ uint32_t
count_unknown_in_strip (const GpucclWork &w, int x, int y, int y1)
{
  const GpucclFrame &f = w.frame;
  uint32_t n = 0;

#pragma unroll
  for (int i = 0; i < ROWS_AT_ONCE; i++)
    n += x < f.width && y + i < y1 &&
        gpuccl_is_unknown (&w.values,
            f.map[(size_t) (y + i) * f.map_stride + x * f.map_step]);
  return n;
}

/* Counts the areas in w->scratch. */
static __global__ void
count_areas_kernel (
    const __grid_constant__ GpucclWork w, int rows, GpucclTally *tally)
{
  Strip strip = strip_of_thread (w.frame, rows);
  uint32_t held = 0, n = 0, unknown = 0;

  for (int y = strip.y0; y < strip.y1; y += ROWS_AT_ONCE) {
    uint32_t labels[ROWS_AT_ONCE];

    load_strip_labels (w, strip.x, y, strip.y1, labels);
    if (w.values.n_unknown)
      unknown += count_unknown_in_strip (w, strip.x, y, strip.y1);
#pragma unroll
    for (int i = 0; i < ROWS_AT_ONCE; i++) {
      if (labels[i] && labels[i] != held) {
        if (held)
          atomicAdd (&w.scratch[held - 1], n);
        held = labels[i], n = 0;
      }
      n += labels[i] != 0;
    }
  }
  for (uint32_t left = __ballot_sync (ALL_LANES, held); left;) {
    Group group = next_group (&left, held);
    uint32_t sum = warp_sum (group.in ? n : 0);

    if (group.first)
      atomicAdd (&w.scratch[held - 1], sum);
  }
  unknown = warp_sum (unknown);
  if (threadIdx.x == 0 && unknown)
    atomicAdd (&tally->n_unknown, unknown);
}

/* Gives a component of @area pixels a place.  Returns 1 + the place; 0 without
 * room. */
static __device__ uint32_t
place_component (
    const GpucclWork &w, const GpucclCuda &c, uint32_t label, uint32_t area)
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

/* Counts the components and finds the largest.  Replaces the areas of
 * components that are large enough by 1 + their places, and other areas by
 * 0. */
static __global__ void
__launch_bounds__ (COUNT_THREADS)
    count_components_kernel (const __grid_constant__ GpucclWork w,
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
    w.scratch[at] = gpuccl_is_reported (&w, area)
        ? place_component (w, c, at + 1, area)
        : 0;
  }
}

/* Inserts @key into @best, which is sorted. */
static __device__ __forceinline__ void
insert_key (unsigned long long best[GPUCCL_CANDIDATES], unsigned long long key)
{
#pragma unroll
  for (int i = 0; i < GPUCCL_CANDIDATES; i++)
    if (key > best[i]) {
      unsigned long long lower = best[i];

      best[i] = key;
      key = lower;
    }
}

/* One block takes the largest of all threads' keys as next candidate, until no
 * key is left or there are GPUCCL_CANDIDATES.  Returns their number. */
static __device__ uint32_t
choose_by_block (unsigned long long best[GPUCCL_CANDIDATES],
    GpucclChosen *chosen, GpucclResult *result)
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

/* One block chooses the candidates.  The tally goes to the host and is cleared
 * for the next frame. */
static __global__ void
__launch_bounds__ (COUNT_THREADS) choose_candidates_kernel (
    const __grid_constant__ GpucclWork w, const __grid_constant__ GpucclCuda c)
{
  GpucclTally tally = *c.tally;
  uint32_t n_sums = min (tally.n_sums, w.max_sums), n;
  unsigned long long best[GPUCCL_CANDIDATES] = {};

  for (uint32_t i = threadIdx.x; i < n_sums; i += COUNT_THREADS) {
    unsigned long long key = c.keys[i];

    if (gpuccl_is_candidate (&w, (uint32_t) (key >> 32)))
      insert_key (best, key);
  }
  n = choose_by_block (best, c.chosen, w.result);
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
  size_t lines = GPUCCL_CANDIDATES * (size_t) lines_of_frame (&w->frame);

  TRY (memory_get (&c->memory, &c->tally, 1));
  TRY (memory_get (&c->memory, &c->chosen, 1));
  TRY (memory_get (&c->memory, &c->first, lines));
  TRY (memory_get (&c->memory, &c->last, lines));
  CUDA_TRY (cudaMemsetAsync (
      c->first, 0xff, lines * sizeof *c->first, device_stream (dev)));
  return NULL;
}

/* Makes room for as many sums as the result has. */
static const char *
make_room_for_places (GpucclCuda *c, uint32_t n)
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
  int pixels = w->frame.width * w->frame.height,
      rows = rows_of_strip (&w->frame);
  dim3 strips = strips_of_frame (&w->frame, rows);
  dim3 threads (32, STRIPS_A_BLOCK);
  cudaStream_t stream = device_stream (dev);

  TRY (make_room_for_places (c, w->max_sums));
  TRY (device_clear (dev, w->scratch, pixels * sizeof *w->scratch));
  count_areas_kernel<<<strips, threads, 0, stream>>> (*w, rows, c->tally);
  count_components_kernel<<<ceil_div (pixels, COUNT_THREADS), COUNT_THREADS, 0,
      stream>>> (*w, *c, (uint32_t) pixels);
  choose_candidates_kernel<<<1, COUNT_THREADS, 0, stream>>> (*w, *c);
  CUDA_TRY (cudaGetLastError ());
  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_CRITERION_1));
  return sum_strips (dev, w, rows);
}
