/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's simplex (emdtrack_simplex.h) with two or four problems a warp and
 * all of a tableau in registers (Simplex Algorithm Optimizations).  Pivots are
 * the same ones.
 *
 * A problem has LANES lanes.  Row r belongs to lane r % LANES, and column c's
 * reduced cost to lane c % LANES.  The lanes of a warp stay together: a problem
 * that is solved waits for the others. */
#pragma once

#include "emdtrack/emdtrack_cuda.cuh"

#define EMDTRACK_NOTHING INT32_MAX

/* The tableau that all problems start from, in shared memory. */
typedef struct {
  int n, m, rows, columns, dearest;
  uint32_t plus[EMDTRACK_ROWS][EMDTRACK_WORDS];
  int32_t reduced[EMDTRACK_COLUMNS];
  uint16_t demand[EMDTRACK_BINS];
} EmdtrackStart;

/* By all threads of a block, which then wait. */
static __device__ __forceinline__ void
emdtrack_start_set (EmdtrackStart *s, const EmdtrackProblem *p)
{
  int n = p->n, m = p->m;

  if (!threadIdx.x) {
    s->n = n;
    s->m = m;
    s->rows = n + m;
    s->columns = n * m + n + m;
    s->dearest = emdtrack_dearest (p);
  }
  for (int k = threadIdx.x; k < EMDTRACK_ROWS * EMDTRACK_WORDS; k += blockDim.x)
    s->plus[0][k] = 0;
  if (threadIdx.x < EMDTRACK_BINS)
    s->demand[threadIdx.x] = p->demand[threadIdx.x];
  __syncthreads ();
  for (int c = threadIdx.x; c < EMDTRACK_COLUMNS; c += blockDim.x) {
    int i = c / m, j = c % m;

    s->reduced[c] = c < n * m ? p->distance[i][j] - s->dearest : 0;
    if (c < n * m) {
      atomicOr (&s->plus[i][c >> 5], 1u << (c & 31));
      atomicOr (&s->plus[n + j][c >> 5], 1u << (c & 31));
    } else if (c < s->columns) {
      atomicOr (&s->plus[c - n * m][c >> 5], 1u << (c & 31));
    }
  }
  __syncthreads ();
}

/* ROWS rows a lane, of WORDS words. */
template <int LANES, int ROWS, int WORDS> struct EmdtrackRegisters {
  static const int COLUMNS = WORDS * 32 / LANES; /* of a lane */
  uint32_t plus[ROWS][WORDS], minus[ROWS][WORDS];
  int32_t mass[ROWS], basis[ROWS], reduced[COLUMNS];
};

template <int LANES>
static __device__ __forceinline__ int32_t
group_least (int32_t v)
{
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    v = min (v, __shfl_xor_sync (ALL_LANES, v, step));
  return v;
}

template <int LANES, int ROWS, int WORDS>
static __device__ __forceinline__ void
emdtrack_load (EmdtrackRegisters<LANES, ROWS, WORDS> *t, const EmdtrackStart *s,
    const EmdtrackProblem *p, const EmdtrackHistogram *h)
{
  int lane = threadIdx.x % LANES;

#pragma unroll
  for (int k = 0; k < ROWS; k++) {
    int r = k * LANES + lane;
    bool is_row = r < s->rows;

#pragma unroll
    for (int w = 0; w < WORDS; w++) {
      t->plus[k][w] = is_row ? s->plus[r][w] : 0;
      t->minus[k][w] = 0;
    }
    t->mass[k] =
        is_row ? emdtrack_first_mass (p, r, r < s->n ? h->bin[r] : 0) : 0;
    t->basis[k] = s->n * s->m + r;
  }
#pragma unroll
  for (int k = 0; k < t->COLUMNS; k++)
    t->reduced[k] = s->reduced[k * LANES + lane];
}

/* The column that enters and its reduced cost; false where there is none. */
template <int LANES, int ROWS, int WORDS>
static __device__ __forceinline__ bool
emdtrack_enter (const EmdtrackRegisters<LANES, ROWS, WORDS> &t, bool bland,
    int *column, int32_t *cost)
{
  int32_t key = EMDTRACK_NOTHING, first = EMDTRACK_NOTHING;

#pragma unroll
  for (int k = 0; k < t.COLUMNS; k++)
    key =
        min (key, t.reduced[k] * 512 + k * LANES + (int) (threadIdx.x % LANES));
  key = group_least<LANES> (key);
  *column = key & 511;
  *cost = key >> 9;
  if (!__any_sync (ALL_LANES, bland && key < 0))
    return key < 0;
#pragma unroll
  for (int k = t.COLUMNS - 1; k >= 0; k--)
    if (t.reduced[k] < 0)
      first = (k * LANES + (int) (threadIdx.x % LANES)) << 16 | -t.reduced[k];
  first = group_least<LANES> (first);
  if (bland && key < 0) {
    *column = first >> 16;
    *cost = -(first & 0xffff);
  }
  return key < 0;
}

/* Word @at of a lane's array, which stays in registers. */
template <int N>
static __device__ __forceinline__ uint32_t
pick (const uint32_t (&v)[N], int at)
{
  uint32_t r = v[0];

#pragma unroll
  for (int k = 1; k < N; k++)
    r = at == k ? v[k] : r;
  return r;
}

/* One pivot on @column, unless the problem is solved; returns the mass it
 * moved. */
template <int LANES, int ROWS, int WORDS>
static __device__ __forceinline__ int32_t
emdtrack_pivot_group (EmdtrackRegisters<LANES, ROWS, WORDS> *t, bool active,
    int column, int32_t cost)
{
  int group = (threadIdx.x & 31) / LANES * LANES, lane = threadIdx.x % LANES;
  uint32_t less[ROWS], more[ROWS];
  int32_t key = EMDTRACK_NOTHING, moved = 0;
  int owner = 0, slot = 0;

#pragma unroll
  for (int k = 0; k < ROWS; k++) {
    less[k] = active ? pick (t->plus[k], column >> 5) >> (column & 31) & 1 : 0;
    more[k] = active ? pick (t->minus[k], column >> 5) >> (column & 31) & 1 : 0;
    if (less[k])
      key = min (key, t->mass[k] * 512 + t->basis[k]);
  }
  key = group_least<LANES> (key);
#pragma unroll
  for (int k = 0; k < ROWS; k++) {
    bool mine = less[k] && key == t->mass[k] * 512 + t->basis[k];
    uint32_t lanes = __ballot_sync (ALL_LANES, mine) >> group;

    if (LANES < 32)
      lanes &= (1u << LANES) - 1;
    if (lanes) {
      owner = group + __ffs ((int) lanes) - 1;
      slot = k;
    }
    if (mine)
      t->basis[k] = column;
    less[k] = mine ? 0 : less[k];
  }
  moved = active ? key >> 9 : 0;
#pragma unroll
  for (int k = 0; k < ROWS; k++) {
    t->mass[k] += (more[k] ? moved : 0) - (less[k] ? moved : 0);
    less[k] = 0 - less[k];
    more[k] = 0 - more[k];
  }
#pragma unroll
  for (int w = 0; w < WORDS; w++) {
    uint32_t plus = t->plus[0][w], minus = t->minus[0][w];

#pragma unroll
    for (int k = 1; k < ROWS; k++) {
      plus = slot == k ? t->plus[k][w] : plus;
      minus = slot == k ? t->minus[k][w] : minus;
    }
    plus = __shfl_sync (ALL_LANES, plus, owner);
    minus = __shfl_sync (ALL_LANES, minus, owner);
#pragma unroll
    for (int k = 0; k < ROWS; k++)
      emdtrack_subtract_word (&t->plus[k][w], &t->minus[k][w],
          (plus & less[k]) | (minus & more[k]),
          (minus & less[k]) | (plus & more[k]));
#pragma unroll
    for (int k = 0; k < 32 / LANES; k++) {
      int bit = k * LANES + lane;

      t->reduced[w * 32 / LANES + k] -=
          cost * ((int) (plus >> bit & 1) - (int) (minus >> bit & 1));
    }
  }
  return moved;
}

/* The exact value by the duals, at the true masses; in all lanes. */
template <int LANES, int ROWS, int WORDS>
static __device__ __forceinline__ int32_t
emdtrack_group_value (const EmdtrackRegisters<LANES, ROWS, WORDS> &t,
    const EmdtrackStart *s, const EmdtrackHistogram *h)
{
  int32_t z = 0;

#pragma unroll
  for (int k = 0; k < t.COLUMNS; k++) {
    int r = k * LANES + (int) (threadIdx.x % LANES) - s->n * s->m;

    if (r >= 0 && r < s->n)
      z += h->bin[r] * (s->dearest - t.reduced[k]);
    else if (r >= s->n && r < s->rows)
      z -= s->demand[r - s->n] * t.reduced[k];
  }
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    z += __shfl_xor_sync (ALL_LANES, z, step);
  return z;
}

/* The value of a problem a group of lanes, where @active; adds to @pivots. */
template <int LANES, int ROWS, int WORDS>
static __device__ __forceinline__ int32_t
emdtrack_solve_group (const EmdtrackStart *s, const EmdtrackProblem *p,
    const EmdtrackHistogram *h, bool active, uint32_t *pivots)
{
  EmdtrackRegisters<LANES, ROWS, WORDS> t;
  int idle = 0, column;
  int32_t cost;

  emdtrack_load (&t, s, p, h);
  for (;;) {
    active = emdtrack_enter (t, idle > 2 * s->rows, &column, &cost) && active;
    if (!__any_sync (ALL_LANES, active))
      break;
    idle = emdtrack_pivot_group (
               &t, active, active ? column : 0, active ? cost : 0)
        ? 0
        : idle + 1;
    *pivots += active;
  }
  return emdtrack_group_value (t, s, h);
}
