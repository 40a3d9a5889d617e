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

/* The root above @i.  On the way every other one is hung higher (path halving):
 * others who climb find the shorter way. */
static __device__ __forceinline__ uint32_t
climb (uint32_t *parents, uint32_t i)
{
  uint32_t p = parent_of (parents, i), next;

  while ((next = parent_of (parents, p)) != p) {
    parents[i] = next;
    i = next;
    p = parent_of (parents, i);
  }
  return p;
}

/* The same where ways up get long: both are climbed, and the greater root is
 * hung at the lesser, again where another thread was faster. */
static __device__ __forceinline__ void
unite_far (uint32_t *parents, uint32_t i, uint32_t j)
{
  uint32_t high = max (i, j), low = min (i, j);

  for (;;) {
    uint32_t before = atomicCAS (&parents[high], high, low);

    if (before == high || before == low)
      return;
    i = climb (parents, before);
    j = climb (parents, low);
    if (i == j)
      return;
    high = max (i, j), low = min (i, j);
  }
}
