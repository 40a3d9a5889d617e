/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The searches for an assignment as kernels, a warp for each search. The lanes
 * compute the next 32 steps, as if no step before were accepted. All lanes make
 * the first accepted step, and compute the steps behind it again; so the result
 * is that of one step after the other. */
#include "common/chain.cuh"
#include "scopedetect/explain/assign_core.h"

#define WARPS 4      /* of a block */
#define PAIR_ROWS 4  /* blocks that share the pairs of a candidate */
#define PAIR_WARPS 8 /* of each of these blocks */

/* The number of words of a candidate's bits of patches that each lane handles.
 */
#define LANE_WORDS ((SCOPEDETECT_PATCH_WORDS + 31) / 32)

/* ---- Tables ---- */

static __global__ void
set_items_kernel (const __grid_constant__ ScopedetectSearches v)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < v.n_candidates)
    scopedetect_set_item (&v, i);
}

/* Sets the pairs of candidate blockIdx.x with itself and later ones, a warp
 * each. */
static __global__ void __launch_bounds__ (32 * PAIR_WARPS)
    set_pairs_kernel (const __grid_constant__ ScopedetectSearches v)
{
  int i = blockIdx.x, lane = threadIdx.x % 32, n = v.n_candidates;
  int warp = blockIdx.y * PAIR_WARPS + threadIdx.x / 32;
  const ScopedetectCandidate *a = &v.candidate[i];

  for (int j = i + warp; j < n; j += PAIR_ROWS * PAIR_WARPS) {
    const ScopedetectCandidate *b = &v.candidate[j];
    int first = max (a->first, b->first), end = min (a->end, b->end);
    uint32_t shared = 0;

    for (int w = first + lane; w < end; w += 32)
      shared += __popcll (a->patch[w] & b->patch[w]);
    shared = warp_sum (shared);
    if (lane == 0)
      v.pair[(size_t) i * n + j] = v.pair[(size_t) j * n + i] =
          scopedetect_candidate_pair (&v, i, j, (int) shared);
  }
}

static const char *
load_candidates_cuda (
    const Device *dev, ScopedetectSearches *v, const ScopedetectAssignTask *t)
{
  int n = t->n_candidates;
  size_t words = (size_t) n * scopedetect_exclude_words (n);

  TRY (device_copy (dev, (void *) v->candidate, t->candidate,
      (size_t) n * sizeof *t->candidate));
  TRY (device_copy (
      dev, (void *) v->excludes, t->excludes, words * sizeof *t->excludes));
  TRY (launch_after (
      dev, false, set_items_kernel, ceil_div (n, 128), 128, 0, *v));
  return launch_after (dev, false, set_pairs_kernel, dim3 (n, PAIR_ROWS),
      32 * PAIR_WARPS, 0, *v);
}

/* ---- A warp's search ---- */

typedef struct {
  ScopedetectChain chain;
  ScopedetectChosen best;
  int shift[SCOPEDETECT_MAX_TOGETHER]; /* each slot's change of shared patches
                                        */
} Searching;

/* The number of the search that this warp computes; there may be fewer searches
 * than warps. */
static __device__ __forceinline__ int
search_of_warp (void)
{
  return blockIdx.x * WARPS + threadIdx.x / 32;
}

static __device__ __forceinline__ int
lane_of_thread (void)
{
  return threadIdx.x % 32;
}

/* Copies a struct of type @T; all lanes of the warp call. */
template <class T>
static __device__ __forceinline__ void
copy_by_warp (T *to, const T *from)
{
  static_assert (sizeof (T) % 8 == 0, "copied by words");
  __syncwarp ();
  for (int i = lane_of_thread (); i < (int) (sizeof (T) / 8); i += 32)
    ((uint64_t *) to)[i] = ((const uint64_t *) from)[i];
  __syncwarp ();
}

/* Counts the patches that @candidate alone shares with each of the slots
 * @slots, and adds them, times @sign, to s.shift. Returns the number of
 * patches that it shares with any of them. */
static __device__ int
count_shared_by_warp (const ScopedetectSearches &v, Searching &s,
    uint64_t slots, int candidate, int sign)
{
  const ScopedetectCandidate *a = &v.candidate[candidate];
  uint64_t single[LANE_WORDS] = {};
  uint32_t all = 0;

#pragma unroll
  for (int k = 0; k < LANE_WORDS; k++) {
    int w = a->first + lane_of_thread () + 32 * k;
    uint64_t any = 0;

    if (w < a->end)
      single[k] = scopedetect_single (&v, &s.chain, slots, candidate, w, &any);
    all += __popcll (any);
  }
  for (uint64_t rest = slots; rest; rest &= rest - 1) {
    int i = math_lowest_bit64 (rest);
    const ScopedetectCandidate *b = &v.candidate[s.chain.chosen[i]];
    uint32_t n = 0;

#pragma unroll
    for (int k = 0; k < LANE_WORDS; k++)
      if (single[k])
        n += __popcll (
            single[k] & b->patch[a->first + lane_of_thread () + 32 * k]);
    n = warp_sum (n);
    if (lane_of_thread () == 0)
      s.shift[i] += sign * (int) n;
  }
  return (int) warp_sum (all);
}

/* The energy after @m by counting patches; s.shift: changes of slots. */
static __device__ int64_t
count_energy_by_warp (
    const ScopedetectSearches &v, Searching &s, ScopedetectMove *m)
{
  uint64_t touched = m->by_in | m->by_out;
  int64_t rise = 0, overlap = 0, energy;

  __syncwarp (); /* all lanes have read the old shifts */
  for (int i = lane_of_thread (); i < s.chain.n; i += 32)
    s.shift[i] = 0;
  __syncwarp ();
  if (m->out >= 0)
    m->of_out =
        count_shared_by_warp (v, s, m->by_out, s.chain.chosen[m->out], -1);
  if (m->in >= 0)
    m->of_in = count_shared_by_warp (v, s, m->by_in, m->in, 1);
  __syncwarp ();
  for (int i = lane_of_thread (); i < s.chain.n; i += 32)
    if (touched >> i & 1) {
      rise += scopedetect_rise (&v, &s.chain, i, s.shift[i]);
      if (v.is_mean)
        overlap += scopedetect_overlap_rise (&v, &s.chain, i, s.shift[i]);
    }
  energy = scopedetect_ends (&v, &s.chain, m) + lanes_sum (rise);
  if (v.is_mean)
    energy -= scopedetect_mean_after (&v, &s.chain, m, lanes_sum (overlap));
  return energy;
}

static __device__ void
take_move_by_warp (const ScopedetectSearches &v, Searching &s,
    const ScopedetectMove &m, int64_t energy)
{
  __syncwarp (); /* all lanes have read the old chain */
  for (int i = lane_of_thread (); i < s.chain.n; i += 32)
    scopedetect_move_slot (&v, &s.chain, &m, i,
        m.three ? s.shift[i] : scopedetect_shift (&v, &s.chain, &m, i));
  __syncwarp ();
  if (lane_of_thread () == 0)
    scopedetect_end_move (&v, &s.chain, &m, energy);
  __syncwarp ();
}

static __device__ void
keep_better_by_warp (Searching &s)
{
  if (s.chain.energy <= s.best.energy)
    return;
  __syncwarp ();
  for (int i = lane_of_thread (); i < s.chain.n; i += 32)
    s.best.chosen[i] = s.chain.chosen[i];
  if (lane_of_thread () == 0)
    s.best.energy = s.chain.energy, s.best.n = s.chain.n;
  __syncwarp ();
}

/* Sets the chain to the @n candidates @chosen; none excludes another. */
static __device__ void
start_chain_by_warp (
    const ScopedetectSearches &v, Searching &s, const int *chosen, int n)
{
  __syncwarp ();
  for (int i = lane_of_thread (); i < (int) (sizeof s.chain / 8); i += 32)
    ((uint64_t *) &s.chain)[i] = 0;
  __syncwarp ();
  for (int i = 0; i < n; i++) {
    ScopedetectMove m = {-1, chosen[i], 0, 0, 0, 0, false};

    if (scopedetect_may (&v, &s.chain, &m))
      take_move_by_warp (v, s, m,
          m.three ? count_energy_by_warp (v, s, &m)
                  : scopedetect_energy (&v, &s.chain, &m));
  }
}

/* The move that lane @from has drawn, for all lanes. */
static __device__ __forceinline__ ScopedetectMove
move_of_lane (const ScopedetectMove &m, int from)
{
  ScopedetectMove other;

  other.out = __shfl_sync (ALL_LANES, m.out, from);
  other.in = __shfl_sync (ALL_LANES, m.in, from);
  other.by_out = __shfl_sync (ALL_LANES, m.by_out, from);
  other.by_in = __shfl_sync (ALL_LANES, m.by_in, from);
  other.of_out = __shfl_sync (ALL_LANES, m.of_out, from);
  other.of_in = __shfl_sync (ALL_LANES, m.of_in, from);
  other.three = __shfl_sync (ALL_LANES, (int) m.three, from);
  return other;
}

/* Computes steps of @walk from @at to @end - 1, at most 32, until one is
 * accepted; @at becomes the next step. Returns whether a step is accepted. */
template <class Walk>
static __device__ __forceinline__ bool
walk_until_taken (const ScopedetectSearches &v, Searching &s, const Walk &walk,
    int *at, int end)
{
  int first = *at, mine = first + lane_of_thread ();
  ScopedetectMove m = {-1, -1, 0, 0, 0, 0, false};
  int64_t energy = 0;
  bool may = false;
  uint32_t open;

  if (mine < end) {
    m = walk.propose (v, s.chain, mine);
    may = scopedetect_may (&v, &s.chain, &m);
    if (may && !m.three) {
      energy = scopedetect_energy (&v, &s.chain, &m);
      may = walk.takes (v, s.chain, mine, energy);
    }
  }
  for (open = __ballot_sync (ALL_LANES, may); open; open &= open - 1) {
    int from = __ffs (open) - 1;
    ScopedetectMove it = move_of_lane (m, from);
    int64_t to = __shfl_sync (ALL_LANES, energy, from);

    if (it.three) {
      to = count_energy_by_warp (v, s, &it);
      if (!walk.takes (v, s.chain, first + from, to))
        continue;
    }
    take_move_by_warp (v, s, it, to);
    *at = first + from + 1;
    return true;
  }
  *at = min (first + 32, end);
  return false;
}

/* ---- Annealing ---- */

/* Proposes the moves of the annealing of search @k. */
struct Annealing {
  int k;

  __device__ ScopedetectMove propose (
      const ScopedetectSearches &v, const ScopedetectChain &c, int i) const
  {
    return scopedetect_propose (
        &v, &c, random_u64 (v.seed, scopedetect_step_number (k, i)));
  }

  __device__ bool takes (const ScopedetectSearches &v,
      const ScopedetectChain &c, int i, int64_t energy) const
  {
    return scopedetect_takes_step (&v, &c, k, i, energy);
  }
};

static __global__ void __launch_bounds__ (32 * WARPS) anneal_searches_kernel (
    const __grid_constant__ ScopedetectSearches v, int first, int end)
{
  __shared__ Searching shared[WARPS];
  Searching &s = shared[threadIdx.x / 32];
  Annealing walk = {search_of_warp ()};
  int at = first;

  if (walk.k >= v.searches)
    return;
  copy_by_warp (&s.chain, &v.chain[walk.k]);
  copy_by_warp (&s.best, &v.best[walk.k]);
  while (at < end)
    if (walk_until_taken (v, s, walk, &at, end))
      keep_better_by_warp (s);
  copy_by_warp (&v.chain[walk.k], &s.chain);
  copy_by_warp (&v.best[walk.k], &s.best);
}

static __global__ void __launch_bounds__ (32 * WARPS)
    begin_searches_kernel (const __grid_constant__ ScopedetectSearches v)
{
  __shared__ Searching shared[WARPS];
  Searching &s = shared[threadIdx.x / 32];
  int k = search_of_warp ();

  if (k >= v.searches)
    return;
  start_chain_by_warp (v, s, v.start, v.n_start);
  if (lane_of_thread () == 0)
    s.best.energy = INT64_MIN;
  __syncwarp ();
  keep_better_by_warp (s);
  copy_by_warp (&v.chain[k], &s.chain);
  copy_by_warp (&v.best[k], &s.best);
}

/* ---- Uphill ---- */

/* Proposes, for each candidate, the move that adds it and the moves that put it
 * into an occupied slot: @rows moves for a candidate. */
struct Filling {
  int rows;

  __device__ ScopedetectMove propose (
      const ScopedetectSearches &v, const ScopedetectChain &c, int i) const
  {
    int slot = v.stay - 1 + i % rows;
    ScopedetectMove m = {
        slot < v.stay ? -1 : slot, i / rows, 0, 0, 0, 0, false};

    return m;
  }

  __device__ bool takes (const ScopedetectSearches &v,
      const ScopedetectChain &c, int i, int64_t energy) const
  {
    return energy > c.energy;
  }
};

/* Proposes the moves that empty each slot, from slot @last down to 0. */
struct Emptying {
  int last;

  __device__ ScopedetectMove propose (
      const ScopedetectSearches &v, const ScopedetectChain &c, int i) const
  {
    ScopedetectMove m = {last - i, -1, 0, 0, 0, 0, false};

    return m;
  }

  __device__ bool takes (const ScopedetectSearches &v,
      const ScopedetectChain &c, int i, int64_t energy) const
  {
    return energy > c.energy;
  }
};

/* Tries every single move, and makes each that raises the energy. */
static __device__ void
sweep_by_warp (const ScopedetectSearches &v, Searching &s)
{
  Filling fill = {s.chain.n - v.stay + 1};
  Emptying empty;
  int at = 0;

  while (at < v.n_candidates * fill.rows)
    if (walk_until_taken (v, s, fill, &at, v.n_candidates * fill.rows)) {
      int taken = at - 1, rows = fill.rows;

      fill.rows =
          s.chain.n - v.stay + 1; /* one more, if the candidate was added */
      at = taken / rows * fill.rows + taken % rows + 1;
    }
  empty.last = s.chain.n - 1;
  at = 0;
  while (at <= empty.last - v.stay)
    if (walk_until_taken (v, s, empty, &at, empty.last - v.stay + 1)) {
      empty.last -= at;
      at = 0;
    }
}

static __global__ void __launch_bounds__ (32 * WARPS)
    climb_searches_kernel (const __grid_constant__ ScopedetectSearches v)
{
  __shared__ Searching shared[WARPS];
  Searching &s = shared[threadIdx.x / 32];
  int k = search_of_warp (), n = 0;
  int64_t before;

  if (k >= v.searches)
    return;
  copy_by_warp (&s.best, &v.best[k]);
  start_chain_by_warp (v, s, s.best.chosen, s.best.n);
  do {
    before = s.chain.energy;
    sweep_by_warp (v, s);
  } while (s.chain.energy > before && ++n < SCOPEDETECT_SWEEPS);
  keep_better_by_warp (s);
  copy_by_warp (&v.best[k], &s.best);
}

/* ---- The stages ---- */

static const char *
begin_searches_cuda (const Device *dev, const ScopedetectSearches *v)
{
  return launch_after (dev, false, begin_searches_kernel,
      ceil_div (v->searches, WARPS), 32 * WARPS, 0, *v);
}

static const char *
anneal_searches_cuda (
    const Device *dev, const ScopedetectSearches *v, int first, int end)
{
  return launch_after (dev, false, anneal_searches_kernel,
      ceil_div (v->searches, WARPS), 32 * WARPS, 0, *v, first, end);
}

static const char *
climb_searches_cuda (const Device *dev, const ScopedetectSearches *v)
{
  return launch_after (dev, false, climb_searches_kernel,
      ceil_div (v->searches, WARPS), 32 * WARPS, 0, *v);
}

extern "C" const ScopedetectAssignStages scopedetect_assign_stages_cuda = {
    load_candidates_cuda, begin_searches_cuda, anneal_searches_cuda,
    climb_searches_cuda};
