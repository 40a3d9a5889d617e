/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's three steps (System Design): values of earlier frames and groups
 * of equal problems by a hash table with atomics, and the simplex for one
 * problem of each group in a kernel of its own. */
#include "emdtrack/emdtrack_cuda.cuh"

/* ---- The simplex in registers ----
 *
 * The paper's simplex (emdtrack_simplex_core.h) with two or four problems for
 * each warp, and all of a tableau in registers (Simplex Algorithm
 * Optimizations).  Pivots are the same.
 *
 * A problem has LANES lanes.  Row r belongs to lane r % LANES, and the reduced
 * cost of column c to lane c % LANES.  The lanes of a warp stay together: a
 * problem that is solved waits for the others. */

#define EMDTRACK_NOTHING INT32_MAX

/* The tableau that all problems start from, in shared memory. */
typedef struct {
  int n, m, rows, columns, dearest;
  uint32_t plus[EMDTRACK_ROWS][EMDTRACK_WORDS];
  int32_t reduced[EMDTRACK_COLUMNS];
  uint16_t demand[EMDTRACK_BINS];
} EmdtrackStart;

/* All threads of a block set it, and then wait. */
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

/* The tableau of a problem: ROWS rows for each lane, of WORDS words. */
template <int LANES, int ROWS, int WORDS> struct EmdtrackRegisters {
  static const int COLUMNS = WORDS * 32 / LANES; /* of a lane */
  uint32_t plus[ROWS][WORDS], minus[ROWS][WORDS];
  int32_t mass[ROWS], basis[ROWS], reduced[COLUMNS];
};

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

/* Finds the column that enters, and its reduced cost.  Returns false if there
 * is none. */
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
  key = lanes_min<LANES> (key);
  *column = key & 511;
  *cost = key >> 9;
  if (!__any_sync (ALL_LANES, bland && key < 0))
    return key < 0;
#pragma unroll
  for (int k = t.COLUMNS - 1; k >= 0; k--)
    if (t.reduced[k] < 0)
      first = (k * LANES + (int) (threadIdx.x % LANES)) << 16 | -t.reduced[k];
  first = lanes_min<LANES> (first);
  if (bland && key < 0) {
    *column = first >> 16;
    *cost = -(first & 0xffff);
  }
  return key < 0;
}

/* Element @at of a lane's array, which stays in registers. */
template <int N>
static __device__ __forceinline__ uint32_t
pick_element (const uint32_t (&v)[N], int at)
{
  uint32_t r = v[0];

#pragma unroll
  for (int k = 1; k < N; k++)
    r = at == k ? v[k] : r;
  return r;
}

/* Pivots on @column, unless the problem is solved.  Returns the mass that
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
    less[k] = active
        ? pick_element (t->plus[k], column >> 5) >> (column & 31) & 1
        : 0;
    more[k] = active
        ? pick_element (t->minus[k], column >> 5) >> (column & 31) & 1
        : 0;
    if (less[k])
      key = min (key, t->mass[k] * 512 + t->basis[k]);
  }
  key = lanes_min<LANES> (key);
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

/* The exact value from the duals, with the true masses, in all lanes. */
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
  return lanes_sum<LANES> (z);
}

/* The value of one problem for each group of lanes with @active.  Adds the
 * number of pivots to @pivots. */
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

#define NOWHERE UINT32_MAX /* the cache is full */
#define PROBES 1024        /* after this many slots the cache counts as full */

/* ---- Step 3 ---- */

/* The histograms on a list that are solved. */
typedef struct {
  const EmdtrackHistogram *histogram;
  const uint32_t *list, *n;
  uint32_t most; /* of a longer list nothing is solved */
  uint16_t *value;
  uint32_t *state; /* of cached values, or NULL */
  EmdtrackTally *tally;
} Unsolved;

template <int LANES, int ROWS, int WORDS>
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    solve_list_kernel (const __grid_constant__ Unsolved u,
        const __grid_constant__ EmdtrackProblem problem)
{
  __shared__ EmdtrackStart s;
  __shared__ EmdtrackProblem p;
  uint32_t n = *u.n, group = emdtrack_thread_index () / LANES, pivots = 0;
  uint32_t groups = gridDim.x * EMDTRACK_THREADS / LANES;

  if (!n || n > u.most)
    return;
  for (uint32_t i = threadIdx.x; i < sizeof p / 4; i += blockDim.x)
    ((uint32_t *) &p)[i] = ((const uint32_t *) &problem)[i];
  __syncthreads ();
  emdtrack_start_set (&s, &p);
  /* all groups of a warp take part in each turn */
  for (uint32_t i = group; i - group % (32 / LANES) < n; i += groups) {
    bool active = i < n;
    uint32_t at = u.list[active ? i : 0];
    int32_t z = emdtrack_solve_group<LANES, ROWS, WORDS> (
        &s, &p, &u.histogram[at], active, &pivots);

    if (active && threadIdx.x % LANES == 0) {
      u.value[at] = (uint16_t) z;
      if (u.state)
        u.state[at] = EMDTRACK_SOLVED;
    }
  }
  emdtrack_add_warp_sum (
      &u.tally->counts.pivots, threadIdx.x % LANES ? 0 : pivots);
}

typedef void (*SolveKernel) (Unsolved, EmdtrackProblem);

/* The kernel that has room for all of a problem's rows and columns. */
static SolveKernel
solver_kernel_for (const EmdtrackProblem *p)
{
  int n = p->n;

  return n <= 4 ? solve_list_kernel<8, 1, 1>
      : n <= 8  ? solve_list_kernel<8, 2, 3>
      : n <= 11 ? solve_list_kernel<8, 3, 5>
                : solve_list_kernel<16, 2, 9>;
}

static const char *
queue_solver (const Device *dev, const EmdtrackWork *w, int target, Unsolved u)
{
  const EmdtrackProblem *p = &w->problem[target];
  int blocks = 8 * emdtrack_state (w)->processors;

  solver_kernel_for (p)<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      u, *p);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const char *
emdtrack_solve_left (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);

  return queue_solver (dev, w, target,
      Unsolved{w->histogram, c->left, &c->tally->n_left, UINT32_MAX,
          w->map[target], NULL, c->tally});
}

/* ---- Steps 1 and 2 ---- */

const char *
emdtrack_cache_prepare_cuda (const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackCache *cache = &c->cache[target];
  DeviceMemory *m = &c->memory;
  uint32_t room = 1u << w->cache_bits;

  if (!c->where[target])
    TRY (memory_get (m, &c->where[target], emdtrack_room (w)));
  if (!c->unsolved)
    TRY (memory_get (m, &c->unsolved, emdtrack_room (w)));
  if (cache->n && cache->room == room)
    return NULL;
  memory_release (m, &cache->n); /* stays NULL if the rest finds no memory */
  cache->room = room;
  TRY (memory_get (m, &cache->histogram, room));
  TRY (memory_get (m, &cache->state, room));
  TRY (memory_get (m, &cache->value, room));
  return memory_get (m, &cache->n, 1);
}

typedef struct {
  EmdtrackCache cache;
  const EmdtrackHistogram *histogram;
  uint32_t n;
  uint32_t most; /* about this many values are added at most */
  uint32_t *where, *unsolved, *left;
  EmdtrackTally *tally;
} Group;

/* Makes @at the cached value of @h, unless another thread has. */
static __device__ __forceinline__ bool
claim_cached (const Group &g, uint32_t at, const EmdtrackHistogram *h)
{
  if (atomicCAS (&g.cache.state[at], EMDTRACK_FREE, EMDTRACK_CLAIMED) !=
      EMDTRACK_FREE)
    return false;
  g.cache.histogram[at] = *h;
  __threadfence ();
  atomicExch (&g.cache.state[at], EMDTRACK_UNSOLVED);
  return true;
}

/* The number of the cached value of @h, which is added if it is not cached. */
static __device__ __forceinline__ uint32_t
find_cached_cuda (const Group &g, const EmdtrackHistogram *h, uint32_t *cached)
{
  uint32_t room = g.cache.room, at = emdtrack_hash (h) & (room - 1);

  for (uint32_t probes = 0; probes < room && probes < PROBES;) {
    uint32_t state = *(volatile uint32_t *) &g.cache.state[at];
    EmdtrackHistogram there;

    if (state == EMDTRACK_FREE) {
      if (*(volatile uint32_t *) g.cache.n >= room / 4 * 3 ||
          *(volatile uint32_t *) &g.tally->unsolved > g.most)
        return NOWHERE;
      if (claim_cached (g, at, h)) {
        g.unsolved[emdtrack_claim_item (&g.tally->unsolved)] = at;
        emdtrack_claim_item (g.cache.n);
        return at;
      }
      continue;
    }
    if (state == EMDTRACK_CLAIMED) /* its histogram is not written yet */
      continue;
    __threadfence ();
    *(uint4 *) &there = __ldcg ((const uint4 *) &g.cache.histogram[at]);
    if (emdtrack_same (&there, h)) {
      *cached += state == EMDTRACK_SOLVED;
      return at;
    }
    at = (at + 1) & (room - 1);
    probes++;
  }
  return NOWHERE;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    group_pixels_kernel (const __grid_constant__ Group g)
{
  uint32_t i = emdtrack_thread_index (), cached = 0;

  if (i < g.n) {
    EmdtrackHistogram h = g.histogram[i];

    g.where[i] = find_cached_cuda (g, &h, &cached);
    if (g.where[i] == NOWHERE)
      g.left[emdtrack_claim_item (&g.tally->n_left)] = i;
  }
  __syncwarp ();
  emdtrack_add_warp_sum (&g.tally->counts.cached, cached);
}

/* Writes every pixel's value.  Pixels that the cache had no room for have their
 * value already. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS) write_map_kernel (
    const uint32_t *where, const uint16_t *value, uint16_t *map, uint32_t n)
{
  uint32_t i = emdtrack_thread_index ();

  if (i < n && where[i] != NOWHERE)
    map[i] = value[where[i]];
}

/* A frame whose values were looked up. */
typedef struct {
  const uint32_t *cached; /* number of cached values; NULL: trees */
  uint32_t most;          /* problems that are solved */
  uint32_t n;             /* EMDTRACK_AUTO: pixels, else 0 */
} LookedUp;

static __device__ __forceinline__ void
tell_look_up (EmdtrackTally *t, const LookedUp &l, EmdtrackSeen *seen)
{
  EmdtrackCounts *c = &t->counts;

  c->distinct = t->unsolved + t->n_left;
  if (l.n)
    c->equal = l.n - c->unchanged - c->cached - c->distinct;
  seen->cached = *l.cached;
  seen->unsolved = t->unsolved;
  seen->gave_up = t->full || t->unsolved > l.most;
}

static __device__ __forceinline__ void
tell_trees (EmdtrackTally *t, const EmdtrackStore &store,
    const EmdtrackSketch &sketch, EmdtrackSeen *seen)
{
  t->counts.trees = (uint32_t) store.room -
      (*store.n_spare - min (*store.n_taken, *store.n_spare));
  seen->full = t->full;
  seen->trees = (uint32_t) t->counts.trees;
  seen->pending = t->pending;
  seen->any = true;
  if (!sketch.n)
    return;
  seen->fresh = t->fresh;
  seen->sketched = *sketch.n += t->fresh;
}

/* A warp writes the tally to @seen, host memory, and clears it.  Host memory is
 * only written: reading it would wait for the bus. */
static __global__ void
take_tally_kernel (EmdtrackTally *t,
    const __grid_constant__ EmdtrackStore store,
    const __grid_constant__ EmdtrackSketch sketch,
    const __grid_constant__ LookedUp looked_up, EmdtrackSeen *seen)
{
  uint32_t lane = threadIdx.x;

  if (!lane && looked_up.cached)
    tell_look_up (t, looked_up, seen);
  else if (!lane)
    tell_trees (t, store, sketch, seen);
  __syncwarp ();
  for (uint32_t i = lane; i < sizeof t->counts / sizeof (uint64_t); i += 32)
    ((uint64_t *) &seen->counts)[i] = ((const uint64_t *) &t->counts)[i];
  __syncwarp ();
  for (uint32_t i = lane; i < sizeof *t / sizeof (uint32_t); i += 32)
    ((uint32_t *) t)[i] = 0;
}

const char *
emdtrack_queue_tally (const Device *dev, const EmdtrackWork *w, int target,
    bool cached, uint32_t most)
{
  EmdtrackCuda *c = emdtrack_state (w);
  bool paper = w->solver == EMDTRACK_PAPER;
  LookedUp looked_up = {cached ? c->cache[target].n : NULL, most,
      paper ? 0 : (uint32_t) emdtrack_pixels (w)};

  take_tally_kernel<<<1, 32, 0, device_stream (dev)>>> (c->tally,
      c->store[target],
      w->solver == EMDTRACK_AUTO ? c->sketch[target] : EmdtrackSketch{},
      looked_up, &c->seen[target]);
  CUDA_TRY (cudaGetLastError ());
  c->counted[target] = true;
  return NULL;
}

/* Lets go of all cached values of @target if they are too many. */
static const char *
let_cache_go (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackCache *cache = &c->cache[target];

  if (c->seen[target].cached < cache->room / 4 * 3)
    return NULL;
  TRY (device_copy (dev, &c->tally->counts.evicted, cache->n,
      sizeof *cache->n)); /* of little-endian numbers, the lower half */
  TRY (device_clear (dev, cache->n, sizeof *cache->n));
  return device_clear (dev, cache->state, cache->room * sizeof *cache->state);
}

const char *
emdtrack_paper_cuda (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackCache *cache = &c->cache[target];
  uint32_t n = (uint32_t) emdtrack_pixels (w);
  uint32_t blocks = (n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS;
  Group g = {*cache, w->histogram, n, UINT32_MAX, c->where[target], c->unsolved,
      c->left, c->tally};

  TRY (let_cache_go (dev, w, target));
  group_pixels_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (g);
  TRY (queue_solver (dev, w, target,
      Unsolved{cache->histogram, c->unsolved, &c->tally->unsolved, UINT32_MAX,
          cache->value, cache->state, c->tally}));
  TRY (emdtrack_solve_left (dev, w, target));
  write_map_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      c->where[target], cache->value, w->map[target], n);
  CUDA_TRY (cudaGetLastError ());
  return emdtrack_queue_tally (dev, w, target, true, UINT32_MAX);
}

/* ---- The look-up of EMDTRACK_AUTO ----
 *
 * The same steps, but for pixels whose histogram is that of the frame before.
 * It gives up if there are too many problems, or no room for their values. */

typedef struct {
  Group group;
  bool known;
  const EmdtrackHistogram *before;
  uint16_t *map;
} LookUp;

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    look_up_kernel (const __grid_constant__ LookUp l)
{
  const Group &g = l.group;
  uint32_t i = emdtrack_thread_index (), cached = 0, at = NOWHERE;
  bool unchanged = false;

  if (i < g.n) {
    EmdtrackHistogram h = g.histogram[i];

    if (l.known) {
      EmdtrackHistogram was = l.before[i];

      unchanged = emdtrack_same (&h, &was);
    }
    if (!unchanged) {
      at = find_cached_cuda (g, &h, &cached);
      if (cached)
        l.map[i] = g.cache.value[at];
      else if (at == NOWHERE)
        *(volatile uint32_t *) &g.tally->full = 1;
    }
    g.where[i] = cached ? NOWHERE : at;
  }
  __syncwarp ();
  emdtrack_add_warp_sum (&g.tally->counts.cached, cached);
  emdtrack_add_warp_sum (&g.tally->counts.unchanged, unchanged);
}

const char *
emdtrack_queue_look_up (
    const Device *dev, const EmdtrackWork *w, int target, uint32_t most)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackCache *cache = &c->cache[target];
  uint32_t n = (uint32_t) emdtrack_pixels (w);
  uint32_t blocks = (n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS;
  LookUp l;

  TRY (emdtrack_cache_prepare_cuda (w, target));
  TRY (let_cache_go (dev, w, target));
  l = LookUp{{*cache, w->histogram, n, most, c->where[target], c->unsolved,
                 c->left, c->tally},
      w->known[target], w->before, w->map[target]};
  look_up_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (l);
  TRY (queue_solver (dev, w, target,
      Unsolved{cache->histogram, c->unsolved, &c->tally->unsolved, most,
          cache->value, cache->state, c->tally}));
  write_map_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      c->where[target], cache->value, w->map[target], n);
  CUDA_TRY (cudaGetLastError ());
  return emdtrack_queue_tally (dev, w, target, true, most);
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS) keep_values_kernel (const uint32_t *where,
    const uint16_t *map, uint16_t *value, uint32_t *state, uint32_t n)
{
  uint32_t i = emdtrack_thread_index ();

  if (i >= n || where[i] == NOWHERE)
    return;
  value[where[i]] = map[i];
  state[where[i]] = EMDTRACK_SOLVED;
}

const char *
emdtrack_keep_values (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  uint32_t n = (uint32_t) emdtrack_pixels (w);
  uint32_t blocks = (n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS;

  keep_values_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      c->where[target], w->map[target], c->cache[target].value,
      c->cache[target].state, n);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
