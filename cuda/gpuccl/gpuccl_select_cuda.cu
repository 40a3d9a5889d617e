/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth and sixth kernel of GPUCCL_RUN.  The fourth counts the components,
 * lists the large ones and, if there may be many, chooses the candidates among
 * them.  The sixth measures the candidates when their rows and columns are
 * known (section 3.5.3).  Only the last two kernels write to the host, because
 * a kernel that does so ends late. */
#include "gpuccl/gpuccl_choose.cuh"

/* For more pieces, a block counts first and then adds its counts, because all
 * threads would contend for a few counters.  For fewer pieces that takes
 * longer. */
#define MANY_PIECES 65536

/* The components that a block adds to a list at once. */
struct Append {
  uint32_t n, at;
  unsigned long long keys[THREADS];
  uint32_t roots[THREADS];
};

static __device__ __forceinline__ void
put_in_list (
    const GpucclList &list, uint32_t at, unsigned long long key, uint32_t root)
{
  list.keys[at] = key;
  list.roots[at] = root;
}

/* Adds a component to @p or, without @p or room in it, to @list, which has
 * @n. */
static __device__ __forceinline__ void
append_to_list (Append *p, const GpucclList &list, uint32_t *n,
    unsigned long long key, uint32_t root)
{
  uint32_t at = p ? atomicAdd (&p->n, 1u) : THREADS;

  if (at < THREADS)
    p->keys[at] = key, p->roots[at] = root;
  else
    put_in_list (list, atomicAdd (n, 1u), key, root);
}

/* The components that a thread, a warp or a block has seen. */
struct Tally {
  uint32_t labels;
  unsigned long long largest; /* key */
};

/* Labels piece @i, whose component's root is @root, and lists the component if
 * @i is the root. */
static __device__ __forceinline__ void
label_piece (const GpucclArgs &a, Append *reported, uint32_t i, uint32_t root,
    Tally *tally)
{
  GpucclCounters *c = a.p.counters;
  uint2 size = *(const uint2 *) &a.p.pieces[root]; /* both at once */
  uint32_t label = size.x, area = size.y;
  bool large = gpuccl_is_candidate (&a.w, area);
  unsigned long long key = gpuccl_key (area, label);

  a.p.labels[i] = label | (large ? GPUCCL_LARGE : 0);
  if (root != i)
    return;
  tally->labels++;
  tally->largest = max (tally->largest, key);
  if (gpuccl_is_reported (&a.w, area)) {
    append_to_list (reported, a.p.reported, &c->n_sums, key, i);
    atomicAdd (&a.p.bins[gpuccl_bin (area)], 1u);
  }
  if (large)
    put_in_list (a.p.listed, atomicAdd (&c->n_listed, 1u), key, i);
}

static __device__ __forceinline__ Tally
warp_tally (const Tally &own)
{
  return {warp_sum (own.labels), lanes_max (own.largest)};
}

/* Adds the tallies of the warp's lanes to the counters. */
static __device__ __forceinline__ void
count_warp_tally (const GpucclArgs &a, Tally own)
{
  own = warp_tally (own);
  if (threadIdx.x % 32 == 0 && own.labels) {
    atomicAdd (&a.p.counters->n_labels, own.labels);
    atomicMax (&a.p.counters->largest, own.largest);
  }
}

/* Adds the tallies of the block's threads to the counters, and its components
 * to the list. */
static __device__ __forceinline__ void
count_block_tally (const GpucclArgs &a, Append *reported, Tally own)
{
  __shared__ Tally warps[WARPS];
  uint32_t i = threadIdx.x;

  own = warp_tally (own);
  if (i % 32 == 0)
    warps[i / 32] = own;
  __syncthreads ();
  if (i == 0 && reported->n)
    reported->at =
        atomicAdd (&a.p.counters->n_sums, min (reported->n, THREADS));
  if (i < 32)
    count_warp_tally (a, i < WARPS ? warps[i] : Tally ());
  __syncthreads ();
  if (i < reported->n)
    put_in_list (
        a.p.reported, reported->at + i, reported->keys[i], reported->roots[i]);
}

/* Labels all pieces, some for each thread.  The parent of the first is loaded
 * before it is known whether the piece exists. */
static __device__ __forceinline__ void
label_pieces (const GpucclArgs &a, Append *reported)
{
  uint32_t n = a.p.counters->n_pieces;
  FirstPiece first = first_piece_of_thread (a.p, n);
  uint32_t i = first.i, root = first.parent;
  bool many = n > MANY_PIECES;
  Tally tally = {};

  n = n > a.p.max_pieces ? 0 : n;
  while (i < n) {
    label_piece (a, many ? reported : NULL, i, root, &tally);
    i += gridDim.x * THREADS;
    if (i < n)
      root = a.p.parents[i];
  }
  if (many)
    count_block_tally (a, reported, tally);
  else
    count_warp_tally (a, tally);
}

/* If many components may be listed, the block that ends last chooses the
 * candidates.  Otherwise each warp that needs them chooses, and no block waits
 * for the last. */
static __global__ void
__launch_bounds__ (THREADS)
    select_components_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Append reported;
  bool last = false;

  allow_next ();
  if (threadIdx.x == 0)
    reported.n = 0;
  __syncthreads ();
  await_previous ();
  label_pieces (a, &reported);
  if (a.few)
    return;
  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence (); /* all threads of the block */
    last = atomicAdd (&a.p.counters->tickets, 1u) == gridDim.x - 1;
  }
  if (!__syncthreads_or (last))
    return;
  __threadfence ();
  choose_candidates (a);
}

/* ---- Criteria ---- */

/* The extents of a candidate in some rows or columns. */
struct Extents {
  uint32_t sum, used; /* sum of last - first, below 2^28; number of lines with a
                         pixel */
};

/* The sum over the block's threads, in the first warp. */
static __device__ __forceinline__ Extents
sum_of_block (Extents e)
{
  __shared__ Extents warps[GPUCCL_LINES / 32];

  e = {warp_sum (e.sum), warp_sum (e.used)};
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = e;
  __syncthreads ();
  e = warps[threadIdx.x % 32];
  return {warp_sum (e.sum), warp_sum (e.used)};
}

#define LINES_AT_ONCE 4 /* lines of a thread, loaded together */

/* The extents in the thread's part of rows or columns @from to @to, which are
 * cleared for the next frame. */
static __device__ __forceinline__ Extents
take_extents (uint32_t *first, uint32_t *last, int from, int to)
{
  Extents e = {0, 0};

  for (int i = from + (int) threadIdx.x; i < to;
       i += LINES_AT_ONCE * GPUCCL_LINES) {
    uint32_t start[LINES_AT_ONCE], end[LINES_AT_ONCE];

#pragma unroll
    for (int k = 0; k < LINES_AT_ONCE; k++) {
      bool in = i + k * GPUCCL_LINES < to;

      start[k] = in ? first[i + k * GPUCCL_LINES] : UINT32_MAX;
      end[k] = in ? last[i + k * GPUCCL_LINES] : 0;
    }
#pragma unroll
    for (int k = 0; k < LINES_AT_ONCE; k++) {
      if (start[k] == UINT32_MAX)
        continue;
      e.sum += end[k] - start[k];
      e.used++;
      first[i + k * GPUCCL_LINES] = UINT32_MAX;
      last[i + k * GPUCCL_LINES] = 0;
    }
  }
  return e;
}

/* Measures the rows, or columns, of a candidate within its box.  Loads before
 * it is known whether the candidate exists are inside the memory. */
static __device__ __forceinline__ void
measure_lines (const GpucclArgs &a, uint32_t candidate, bool columns)
{
  size_t at = (size_t) candidate * (a.w.frame.height + a.w.frame.width);
  uint32_t n = a.p.top->n, root = a.p.top->roots[candidate];
  ImageBox box = a.p.pieces[root].box;
  GpucclCandidate *c = &a.w.result->candidates[candidate];
  Extents e;

  if (candidate >= n)
    return;
  if (columns)
    at += a.w.frame.height;
  e = take_extents (a.p.first + at, a.p.last + at, columns ? box.x0 : box.y0,
      columns ? box.x1 : box.y1);
  e = sum_of_block (e);
  if (threadIdx.x == 0) {
    *(columns ? &c->heights : &c->widths) = e.sum;
    *(columns ? &c->columns : &c->rows) = e.used;
  }
}

/* Two blocks for each candidate.  Each tells the host when it is done: memory
 * that earlier kernels wrote is visible before. */
static __global__ void
__launch_bounds__ (GPUCCL_LINES)
    measure_candidates_kernel (const __grid_constant__ GpucclArgs a)
{
  await_previous ();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *a.p.counters = GpucclCounters ();
  if (blockIdx.x == 0 && threadIdx.x < GPUCCL_BINS)
    a.p.bins[threadIdx.x] = 0;
  measure_lines (a, blockIdx.x / 2, blockIdx.x % 2);
  if (threadIdx.x == 0) {
    __threadfence_system ();
    *(volatile uint32_t *) &a.w.result->ready[blockIdx.x] = 1;
  }
}

const GpucclKernel gpuccl_select_kernel = select_components_kernel;
const GpucclKernel gpuccl_criteria_kernel = measure_candidates_kernel;
