/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How kernels find and add stored trees. */
#pragma once

#include "emdtrack/emdtrack_cuda.cuh"

/* Makes @slot that of the tree with this key; true if it was not there. */
static __device__ __forceinline__ bool
emdtrack_store_find (
    const EmdtrackStore *s, unsigned long long key, uint32_t *slot)
{
  for (uint32_t k = (uint32_t) (key >> 32);; k++) {
    unsigned long long was;

    *slot = k & (s->n_slots - 1);
    was = atomicCAS (&s->key[*slot], 0ull, key);
    if (!was || was == key)
      return !was;
  }
}

/* What a warp works on. */
typedef struct {
  EmdtrackTree tree;
  EmdtrackSide side[EMDTRACK_ARCS + 1];
} EmdtrackBench;

/* emdtrack_basis_set () of @bench's tree, an arc a lane. */
static __device__ __forceinline__ void
emdtrack_basis_write (
    const EmdtrackProblem *p, EmdtrackBench *bench, EmdtrackBasis *b)
{
  const EmdtrackTree *t = &bench->tree;
  int lane = threadIdx.x & 31, from, to;
  int v = lane < p->m ? emdtrack_true (t->v[lane]) * p->demand[lane] : 0;

  bench->side[lane] = {0, 0};
  if (lane < p->n + p->m - 1) {
    emdtrack_tree_arc (t, lane, &from, &to);
    bench->side[lane] = emdtrack_tree_side (p, t, from, to);
  }
  __syncwarp ();
  for (int i = lane; i < EMDTRACK_BINS * EMDTRACK_ARC_WORDS; i += 32) {
    int k = i / EMDTRACK_ARC_WORDS, w = i % EMDTRACK_ARC_WORDS;

    b->mask[k].word[w] =
        k < p->n ? emdtrack_basis_mask (bench->side + 4 * w, k) : 0;
  }
  if (lane < EMDTRACK_ARC_WORDS)
    b->least.word[lane] = emdtrack_basis_least (p, bench->side + 4 * lane);
  if (lane < EMDTRACK_BINS)
    b->u[lane] = (int16_t) (lane < p->n ? emdtrack_true (t->u[lane]) : 0);
  b->next[lane] = 0;
  v = (int) warp_sum ((uint32_t) v);
  if (!lane)
    b->rest = v;
}

/* emdtrack_tree_pivot () of @bench's tree, by all lanes. */
static __device__ __forceinline__ void
emdtrack_pivot_warp (
    const EmdtrackProblem *p, EmdtrackBench *bench, int from, int to)
{
  EmdtrackTree *t = &bench->tree;
  EmdtrackSide s = emdtrack_tree_side (p, t, from, to);
  int lane = threadIdx.x & 31, cells = p->n * p->m, at = 0, first;
  int32_t mine = EMDTRACK_NO_ARC, least;
  int32_t u = 0, v = 0;

  for (int c = lane; c < cells; c += 32) {
    int32_t r = emdtrack_tree_slack (p, t, s, c / p->m, c % p->m);

    if (r < mine) {
      mine = r;
      at = c;
    }
  }
  least = warp_least (mine);
  first = warp_least (mine == least ? at : cells);
  if (lane < p->n)
    u = emdtrack_tree_new_u (t, s, lane, least);
  if (lane < p->m)
    v = emdtrack_tree_new_v (t, s, lane, least);
  __syncwarp ();
  if (lane < p->n)
    t->u[lane] = u;
  if (lane < p->m)
    t->v[lane] = v;
  if (!lane) {
    t->row[from] &= (uint16_t) ~(1u << to);
    t->row[first / p->m] |= (uint16_t) (1u << first % p->m);
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

/* The number of @bench's tree, which is added where it is not there: it then
 * takes the next of the numbers from @first on, of which @fresh have been
 * taken. */
static __device__ __forceinline__ uint32_t
emdtrack_store_add (const EmdtrackStore *s, const EmdtrackProblem *p,
    EmdtrackBench *bench, uint32_t first, uint32_t *fresh)
{
  uint32_t slot = 0, number = 0, is_new = 0;

  if (!(threadIdx.x & 31)) {
    is_new =
        emdtrack_store_find (s, emdtrack_tree_key (bench->tree.row), &slot);
    if (is_new) {
      number = s->spare[first + atomicAdd (fresh, 1)];
      atomicExch (&s->number[slot], number);
    }
    while (!number) /* another warp is about to tell it */
      number = *(volatile uint32_t *) &s->number[slot];
  }
  number = __shfl_sync (ALL_LANES, number, 0);
  if (__shfl_sync (ALL_LANES, is_new, 0)) {
    emdtrack_tree_copy (&s->tree[number], &bench->tree);
    emdtrack_basis_write (p, bench, &s->basis[number]);
  }
  return number;
}
