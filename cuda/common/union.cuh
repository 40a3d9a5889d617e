/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lock-free union-find, in shared or global memory: the parents of indices, a
 * root being its own.  The root of a set is its smallest index. */
#pragma once

#include "common/cuda.cuh"

/* What other threads may write meanwhile. */
static __device__ __forceinline__ uint32_t
parent_of (const uint32_t *parents, uint32_t i)
{
  return *(const volatile uint32_t *) &parents[i];
}

/* The same in global memory where an old one will do, as it is an ancestor,
 * too: from the L1 cache, most come at once, and those that all ask for do not
 * queue up in the L2 cache. */
static __device__ __forceinline__ uint32_t
old_parent_of (const uint32_t *parents, uint32_t i)
{
  return __ldca (&parents[i]);
}

/* Most are still their own parents, so that one exchange does it; else Rem's
 * algorithm (Dijkstra, A Discipline of Programming, 1976): both ways up are
 * climbed together, the greater parent's side each time, which is hung lower on
 * the way. */
static __device__ __forceinline__ void
unite (uint32_t *parents, uint32_t i, uint32_t j)
{
  uint32_t high = max (i, j), low = min (i, j);
  uint32_t before = atomicCAS (&parents[high], high, low);

  if (before == high || before == low)
    return;
  for (i = before, j = low;;) {
    uint32_t p = parent_of (parents, i), q = parent_of (parents, j);

    if (p == q)
      return;
    if (p < q) {
      uint32_t t = p;

      p = q, q = t;
      t = i, i = j, j = t;
    }
    /* a root is linked, another one is moved nearer to the root */
    if (atomicCAS (&parents[i], p, q) == p && i == p)
      return;
    i = p;
  }
}

static __device__ __forceinline__ uint32_t
root (const uint32_t *parents, uint32_t i)
{
  uint32_t parent;

  while ((parent = parent_of (parents, i)) != i)
    i = parent;
  return i;
}

/* Climbs from @i and from @j together, until both ways end or meet; whether
 * they met.  On the way each is hung one higher (path splitting): others who
 * climb find the shorter way.  @READ: parent_of; or old_parent_of, then what is
 * found may have been hung by now. */
template <uint32_t READ (const uint32_t *, uint32_t) = parent_of>
static __device__ __forceinline__ bool
climb_both (uint32_t *parents, uint32_t *i, uint32_t *j)
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

/* The same where ways up get long: both are climbed at once, and the greater
 * root is hung at the lesser, again where another thread was faster. */
static __device__ __forceinline__ void
unite_far (uint32_t *parents, uint32_t i, uint32_t j)
{
  for (;;) {
    uint32_t high = max (i, j), low = min (i, j);
    uint32_t before = atomicCAS (&parents[high], high, low);

    if (before == high || before == low)
      return;
    i = before, j = low;
    if (climb_both (parents, &i, &j))
      return;
  }
}
