/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How kernels find and add stored trees, a warp each. */
#pragma once

#include "emdtrack/emdtrack_cuda.cuh"

static __device__ __forceinline__ uint32_t
emdtrack_look (const uint32_t *p)
{
  return *(const volatile uint32_t *) p;
}

/* Makes @slot that of the tree with this key; true if it was not there.  It is
 * EMDTRACK_NO_ROOM if no slot is near, because trees that found no room may
 * have filled them. */
static __device__ __forceinline__ bool
emdtrack_store_find (
    const EmdtrackStore *s, unsigned long long key, uint32_t *slot)
{
  uint32_t first = (uint32_t) (key >> 32);

  for (uint32_t k = first; k - first < EMDTRACK_PROBES; k++) {
    unsigned long long was;

    *slot = k & (s->n_slots - 1);
    was = atomicCAS (&s->key[*slot], 0ull, key);
    if (!was || was == key)
      return !was;
  }
  *slot = EMDTRACK_NO_ROOM;
  return false;
}

/* What a warp works on. */
typedef struct {
  EmdtrackTree tree;
  EmdtrackSide side[EMDTRACK_ARCS + 1];
  uint8_t from[EMDTRACK_ARCS + 1], to[EMDTRACK_ARCS + 1];
  union {
    uint8_t byte[EMDTRACK_ARCS + 1];
    uint32_t word[EMDTRACK_ARC_WORDS];
  } demand;
} EmdtrackBench;

/* emdtrack_tree_arc () of all arcs, a source a lane.  Sums by hand: with CUB's
 * walk_kernel () has 8 bytes more on its stack. */
static __device__ __forceinline__ void
emdtrack_arcs_warp (EmdtrackBench *bench)
{
  int lane = threadIdx.x & 31;
  uint32_t row = lane < EMDTRACK_BINS ? bench->tree.row[lane] : 0;
  int arcs = __popc (row), e = arcs;

#pragma unroll
  for (int step = 1; step < EMDTRACK_BINS; step *= 2) {
    int before = __shfl_up_sync (ALL_LANES, e, step);

    e += lane >= step ? before : 0;
  }
  for (e -= arcs; row; row &= row - 1, e++) {
    bench->from[e] = (uint8_t) lane;
    bench->to[e] = (uint8_t) math_lowest_bit (row);
  }
  __syncwarp ();
}

/* emdtrack_tree_side (), a source a lane. */
static __device__ __forceinline__ EmdtrackSide
emdtrack_side_warp (const EmdtrackTree *t, int from, int to)
{
  int lane = threadIdx.x & 31;
  uint32_t row = lane < EMDTRACK_BINS ? t->row[lane] : 0;
  EmdtrackSide s = {1u << from, t->row[from] & ~(1u << to)};

  for (;;) {
    bool joins = !(s.sources >> lane & 1) && (row & s.sinks);
    uint32_t more = __ballot_sync (ALL_LANES, joins);

    if (!more)
      return s;
    s.sources |= more;
    s.sinks |= warp_or (joins ? row : 0);
  }
}

/* emdtrack_basis_set () of @bench's tree, an arc a lane. */
static __device__ __forceinline__ void
emdtrack_basis_write (
    const EmdtrackProblem *p, EmdtrackBench *bench, EmdtrackBasis *b)
{
  const EmdtrackTree *t = &bench->tree;
  int lane = threadIdx.x & 31;
  int v = lane < p->m ? emdtrack_true (t->v[lane]) * p->demand[lane] : 0;
  EmdtrackSide side = {0, 0};

  emdtrack_arcs_warp (bench);
  if (lane < p->n + p->m - 1)
    side = emdtrack_tree_side (p, t, bench->from[lane], bench->to[lane]);
  bench->side[lane] = side;
  bench->demand.byte[lane] = (uint8_t) emdtrack_side_demand (p, side);
  __syncwarp ();
  for (int i = lane; i < EMDTRACK_BINS * EMDTRACK_ARC_WORDS; i += 32) {
    int k = i / EMDTRACK_ARC_WORDS, w = i % EMDTRACK_ARC_WORDS;

    b->mask[k].word[w] =
        k < p->n ? emdtrack_basis_mask (bench->side + 4 * w, k) : 0;
  }
  if (lane < EMDTRACK_ARC_WORDS)
    b->demand.word[lane] = bench->demand.word[lane];
  if (lane < EMDTRACK_BINS)
    b->u[lane] = (int16_t) (lane < p->n ? emdtrack_true (t->u[lane]) : 0);
  b->next[lane] = 0;
  v = (int) warp_sum ((uint32_t) v);
  if (!lane)
    b->rest = v;
}

/* emdtrack_tree_pivot () of @bench's tree on arc @e. */
static __device__ __forceinline__ void
emdtrack_pivot_warp (const EmdtrackProblem *p, EmdtrackBench *bench, int e)
{
  EmdtrackTree *t = &bench->tree;
  int lane = threadIdx.x & 31, at = INT32_MAX, first;
  int i = lane % EMDTRACK_BINS;
  int32_t mine = EMDTRACK_NO_ARC, min_slack, u = 0, v = 0;
  EmdtrackSide s;

  emdtrack_arcs_warp (bench);
  s = emdtrack_side_warp (t, bench->from[e], bench->to[e]);
  for (int j = lane / EMDTRACK_BINS; i < p->n && j < p->m; j += 2) {
    int32_t r = emdtrack_tree_slack (p, t, s, i, j);

    if (r < mine) {
      mine = r;
      at = i * EMDTRACK_BINS + j;
    }
  }
  min_slack = warp_min (mine);
  first = warp_min (mine == min_slack ? at : INT32_MAX);
  if (lane < p->n)
    u = emdtrack_tree_new_u (t, s, lane, min_slack);
  if (lane < p->m)
    v = emdtrack_tree_new_v (t, s, lane, min_slack);
  __syncwarp ();
  if (lane < p->n)
    t->u[lane] = u;
  if (lane < p->m)
    t->v[lane] = v;
  if (!lane) {
    t->row[bench->from[e]] &= (uint16_t) ~(1u << bench->to[e]);
    t->row[first / EMDTRACK_BINS] |= (uint16_t) (1u << first % EMDTRACK_BINS);
  }
  __syncwarp ();
}

/* A tree to global memory, or from there. */
static __device__ __forceinline__ void
emdtrack_tree_copy (EmdtrackTree *to, const EmdtrackTree *from)
{
  for (uint32_t i = threadIdx.x & 31; i < sizeof *to / 4; i += 32)
    ((uint32_t *) to)[i] = ((const uint32_t *) from)[i];
}

/* The number of @bench's tree, which is added where it is not there; or
 * EMDTRACK_NO_ROOM.  Who finds a key finds its number only when the tree is
 * whole; who adds it waits for nobody. */
static __device__ __forceinline__ uint32_t
emdtrack_store_add (
    const EmdtrackStore *s, const EmdtrackProblem *p, EmdtrackBench *bench)
{
  uint32_t slot = 0, number = 0, is_new = 0;

  if (!(threadIdx.x & 31)) {
    is_new =
        emdtrack_store_find (s, emdtrack_tree_key (bench->tree.row), &slot);
    if (is_new) {
      uint32_t at = atomicAdd (s->n_taken, 1);

      number = at < *s->n_spare ? s->spare[at] : EMDTRACK_NO_ROOM;
    } else if (slot == EMDTRACK_NO_ROOM) {
      number = EMDTRACK_NO_ROOM;
    } else {
      while (!(number = emdtrack_look (&s->number[slot])))
        ;
    }
  }
  number = __shfl_sync (ALL_LANES, number, 0);
  is_new = __shfl_sync (ALL_LANES, is_new, 0);
  if (is_new && number != EMDTRACK_NO_ROOM) {
    emdtrack_tree_copy (&s->tree[number], &bench->tree);
    emdtrack_basis_write (p, bench, &s->basis[number]);
  }
  __syncwarp ();
  __threadfence ();
  if (is_new && !(threadIdx.x & 31))
    *(volatile uint32_t *) &s->number[slot] = number;
  return number;
}
