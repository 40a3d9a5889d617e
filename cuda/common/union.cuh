/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Union-find without locks, in shared or global memory.  parents[i] is the
 * parent of index i; a root is its own parent.  The root of a set is its
 * minimum. */
#pragma once

#include "common/cuda.cuh"

/* The parent of @i, which other threads may change at the same time. */
static __device__ __forceinline__ uint32_t
union_parent (const uint32_t *parents, uint32_t i)
{
  return *(const volatile uint32_t *) &parents[i];
}

/* The parent of @i in global memory, read through the L1 cache, which may hold
 * an old parent: an old parent is an ancestor, too.  Most reads are fast, and
 * reads of one address do not queue in the L2 cache. */
static __device__ __forceinline__ uint32_t
union_old_parent (const uint32_t *parents, uint32_t i)
{
  return __ldca (&parents[i]);
}

/* Joins the sets of @i and @j.  Most indices are their own parents, so that one
 * exchange joins the sets.  Otherwise Rem's algorithm (Dijkstra, A Discipline
 * of Programming, 1976) climbs both paths: each step goes up from the side with
 * the greater parent, and gives the index that it leaves a lower parent. */
static __device__ __forceinline__ void
union_join (uint32_t *parents, uint32_t i, uint32_t j)
{
  uint32_t high = max (i, j), low = min (i, j);
  uint32_t before = atomicCAS (&parents[high], high, low);

  if (before == high || before == low)
    return;
  for (i = before, j = low;;) {
    uint32_t p = union_parent (parents, i), q = union_parent (parents, j);

    if (p == q)
      return;
    if (p < q) {
      uint32_t t = p;

      p = q, q = t;
      t = i, i = j, j = t;
    }
    /* the exchange has linked a root, or moved another index nearer to its
     * root */
    if (atomicCAS (&parents[i], p, q) == p && i == p)
      return;
    i = p;
  }
}

/* The root of the set of @i. */
static __device__ __forceinline__ uint32_t
union_root (const uint32_t *parents, uint32_t i)
{
  uint32_t parent;

  while ((parent = union_parent (parents, i)) != i)
    i = parent;
  return i;
}

/* Climbs from @i and @j at once, until both paths end or meet.  Returns whether
 * they meet.  Gives each index on a path its grandparent as parent (path
 * splitting), so that later climbs are shorter.  @READ is union_parent (); or
 * union_old_parent (), with which a root that was found may have got a parent
 * since. */
template <uint32_t READ (const uint32_t *, uint32_t) = union_parent>
static __device__ __forceinline__ bool
union_climb (uint32_t *parents, uint32_t *i, uint32_t *j)
{
  uint32_t p = READ (parents, *i), q = READ (parents, *j);

  while (p != q && (p != *i || q != *j)) {
    uint32_t above_p = READ (parents, p), above_q = READ (parents, q);

    if (above_p != p)
      parents[*i] = above_p;
    if (above_q != q)
      parents[*j] = above_q;
    *i = p, p = above_p;
    *j = q, q = above_q;
  }
  return p == q;
}

/* Joins the sets of @i and @j, if paths are long: climbs both at once, then
 * makes the lesser root the parent of the greater root; begins again if another
 * thread has changed that parent. */
static __device__ __forceinline__ void
union_join_far (uint32_t *parents, uint32_t i, uint32_t j)
{
  for (;;) {
    uint32_t high = max (i, j), low = min (i, j);
    uint32_t before = atomicCAS (&parents[high], high, low);

    if (before == high || before == low)
      return;
    i = before, j = low;
    if (union_climb (parents, &i, &j))
      return;
  }
}
