/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values by the stored trees of earlier pixels.  First every pixel tries the
 * tree that it had in the previous frame. */
#include "emdtrack/emdtrack_cuda.cuh"

/* ---- The store of trees: a warp finds or adds one ---- */

static __device__ __forceinline__ uint32_t
emdtrack_read_volatile (const uint32_t *p)
{
  return *(const volatile uint32_t *) p;
}

/* Sets @slot to the slot of the tree with this key.  Returns true if the tree
 * was not stored.  @slot is EMDTRACK_NO_ROOM if no slot is near, because trees
 * that found no room may have filled the slots. */
static __device__ __forceinline__ bool
emdtrack_store_find_warp (
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

/* The tree that a warp works on. */
typedef struct {
  EmdtrackTree tree;
  EmdtrackSide side[EMDTRACK_ARCS + 1];
  uint8_t from[EMDTRACK_ARCS + 1], to[EMDTRACK_ARCS + 1];
  union {
    uint8_t byte[EMDTRACK_ARCS + 1];
    uint32_t word[EMDTRACK_ARC_WORDS];
  } demand;
} EmdtrackHeldTree;

/* emdtrack_tree_arc () for all arcs, a source for each lane.  The prefix sum is
 * not CUB's, with which walk_kernel () has 8 bytes more on its stack. */
static __device__ __forceinline__ void
emdtrack_arcs_warp (EmdtrackHeldTree *held)
{
  int lane = threadIdx.x & 31;
  uint32_t row = lane < EMDTRACK_BINS ? held->tree.row[lane] : 0;
  int arcs = __popc (row), e = arcs;

#pragma unroll
  for (int step = 1; step < EMDTRACK_BINS; step *= 2) {
    int before = __shfl_up_sync (ALL_LANES, e, step);

    e += lane >= step ? before : 0;
  }
  for (e -= arcs; row; row &= row - 1, e++) {
    held->from[e] = (uint8_t) lane;
    held->to[e] = (uint8_t) math_lowest_bit (row);
  }
  __syncwarp ();
}

/* emdtrack_tree_side (), a source for each lane. */
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

/* emdtrack_basis_set () for @held's tree, an arc for each lane. */
static __device__ __forceinline__ void
emdtrack_basis_write (
    const EmdtrackProblem *p, EmdtrackHeldTree *held, EmdtrackBasis *b)
{
  const EmdtrackTree *t = &held->tree;
  int lane = threadIdx.x & 31;
  int v = lane < p->m ? emdtrack_true (t->v[lane]) * p->demand[lane] : 0;
  EmdtrackSide side = {0, 0};

  emdtrack_arcs_warp (held);
  if (lane < p->n + p->m - 1)
    side = emdtrack_tree_side (p, t, held->from[lane], held->to[lane]);
  held->side[lane] = side;
  held->demand.byte[lane] = (uint8_t) emdtrack_side_demand (p, side);
  __syncwarp ();
  for (int i = lane; i < EMDTRACK_BINS * EMDTRACK_ARC_WORDS; i += 32) {
    int k = i / EMDTRACK_ARC_WORDS, w = i % EMDTRACK_ARC_WORDS;

    b->mask[k].word[w] =
        k < p->n ? emdtrack_basis_mask (held->side + 4 * w, k) : 0;
  }
  if (lane < EMDTRACK_ARC_WORDS)
    b->demand.word[lane] = held->demand.word[lane];
  if (lane < EMDTRACK_BINS)
    b->u[lane] = (int16_t) (lane < p->n ? emdtrack_true (t->u[lane]) : 0);
  b->next[lane] = 0;
  v = (int) warp_sum ((uint32_t) v);
  if (!lane)
    b->rest = v;
}

/* emdtrack_tree_pivot () for @held's tree on arc @e. */
static __device__ __forceinline__ void
emdtrack_pivot_warp (const EmdtrackProblem *p, EmdtrackHeldTree *held, int e)
{
  EmdtrackTree *t = &held->tree;
  int lane = threadIdx.x & 31, at = INT32_MAX, first;
  int i = lane % EMDTRACK_BINS;
  int32_t mine = EMDTRACK_NO_ARC, min_slack, u = 0, v = 0;
  EmdtrackSide s;

  emdtrack_arcs_warp (held);
  s = emdtrack_side_warp (t, held->from[e], held->to[e]);
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
    t->row[held->from[e]] &= (uint16_t) ~(1u << held->to[e]);
    t->row[first / EMDTRACK_BINS] |= (uint16_t) (1u << first % EMDTRACK_BINS);
  }
  __syncwarp ();
}

/* Copies a tree to global memory, or from it. */
static __device__ __forceinline__ void
emdtrack_tree_copy (EmdtrackTree *to, const EmdtrackTree *from)
{
  for (uint32_t i = threadIdx.x & 31; i < sizeof *to / 4; i += 32)
    ((uint32_t *) to)[i] = ((const uint32_t *) from)[i];
}

/* The number of @held's tree, which is added if it is not stored; or
 * EMDTRACK_NO_ROOM.  A warp that finds the key waits for the number, which is
 * written when the tree is complete; a warp that adds a tree waits for no other
 * warp. */
static __device__ __forceinline__ uint32_t
emdtrack_store_add_warp (
    const EmdtrackStore *s, const EmdtrackProblem *p, EmdtrackHeldTree *held)
{
  uint32_t slot = 0, number = 0, is_new = 0;

  if (!(threadIdx.x & 31)) {
    is_new =
        emdtrack_store_find_warp (s, emdtrack_tree_key (held->tree.row), &slot);
    if (is_new) {
      uint32_t at = atomicAdd (s->n_taken, 1);

      number = at < *s->n_spare ? s->spare[at] : EMDTRACK_NO_ROOM;
    } else if (slot == EMDTRACK_NO_ROOM) {
      number = EMDTRACK_NO_ROOM;
    } else {
      while (!(number = emdtrack_read_volatile (&s->number[slot])))
        ;
    }
  }
  number = __shfl_sync (ALL_LANES, number, 0);
  is_new = __shfl_sync (ALL_LANES, is_new, 0);
  if (is_new && number != EMDTRACK_NO_ROOM) {
    emdtrack_tree_copy (&s->tree[number], &held->tree);
    emdtrack_basis_write (p, held, &s->basis[number]);
  }
  __syncwarp ();
  __threadfence ();
  if (is_new && !(threadIdx.x & 31))
    *(volatile uint32_t *) &s->number[slot] = number;
  return number;
}

/* ---- The memory of stored trees ---- */

const char *
emdtrack_store_open_cuda (EmdtrackStore *s, DeviceMemory *m, int room)
{
  memory_release (m, &s->used); /* stays NULL if the rest finds no memory */
  s->room = room;
  s->n_slots = 1;
  while (s->n_slots < 2 * (uint32_t) room)
    s->n_slots *= 2;
  TRY (memory_get (m, &s->tree, room + 1));
  TRY (memory_get (m, &s->basis, room + 1));
  TRY (memory_get (m, &s->key, s->n_slots));
  TRY (memory_get (m, &s->number, s->n_slots));
  TRY (memory_get (m, &s->spare, room));
  TRY (memory_get (m, &s->n_spare, 1));
  TRY (memory_get (m, &s->n_taken, 1));
  TRY (memory_get (m, &s->made, (room + 1) * (EMDTRACK_ARCS + 1)));
  TRY (memory_get (m, &s->used, room + 1));
  return emdtrack_store_clear_cuda (s, m->device);
}

static const char *
clear_store_slots (const EmdtrackStore *s, const Device *dev)
{
  TRY (device_clear (dev, s->key, s->n_slots * sizeof *s->key));
  return device_clear (dev, s->number, s->n_slots * sizeof *s->number);
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    list_spare_kernel (const __grid_constant__ EmdtrackStore s)
{
  uint32_t i = emdtrack_thread_index ();

  if (i < (uint32_t) s.room)
    s.spare[i] = (uint16_t) (i + EMDTRACK_ROOT);
  if (!i) {
    *s.n_spare = (uint32_t) s.room;
    *s.n_taken = 0;
  }
}

static uint32_t
blocks_for_items (size_t n)
{
  return (uint32_t) ((n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS);
}

const char *
emdtrack_store_clear_cuda (EmdtrackStore *s, const Device *dev)
{
  TRY (clear_store_slots (s, dev));
  list_spare_kernel<<<blocks_for_items (s->room), EMDTRACK_THREADS, 0,
      device_stream (dev)>>> (*s);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    mark_used_kernel (uint8_t *used, const uint16_t *ids, size_t n)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    used[ids[i]] = 1;
  if (!i)
    used[EMDTRACK_ROOT] = 1;
}

/* Unmarks the numbers that are free already: those that have not been taken. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    unmark_spare_kernel (const __grid_constant__ EmdtrackStore s)
{
  uint32_t i = *s.n_taken + emdtrack_thread_index ();

  if (i < *s.n_spare)
    s.used[s.spare[i]] = 2;
}

static __global__ void
zero_tally_kernel (const __grid_constant__ EmdtrackStore s)
{
  *s.n_spare = *s.n_taken = 0;
}

/* Frees the numbers of trees that are not used, and removes links to them.
 * Other trees are put into new slots by their keys. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS) sweep_trees_kernel (
    const __grid_constant__ EmdtrackStore s, EmdtrackTally *tally)
{
  uint32_t i = emdtrack_thread_index () + EMDTRACK_ROOT, slot;

  if (i > (uint32_t) s.room)
    return;
  if (s.used[i] != 1) {
    s.spare[emdtrack_claim_item (s.n_spare)] = (uint16_t) i;
    if (!s.used[i])
      atomicAdd ((unsigned long long *) &tally->counts.evicted, 1);
    return;
  }
  for (int e = 0; e <= EMDTRACK_ARCS; e++)
    if (s.used[s.basis[i].next[e]] != 1)
      s.basis[i].next[e] = 0;
  emdtrack_store_find_warp (&s, emdtrack_tree_key (s.tree[i].row), &slot);
  if (slot != EMDTRACK_NO_ROOM)
    s.number[slot] = i;
}

const char *
emdtrack_store_evict_cuda (EmdtrackStore *s, const Device *dev,
    const uint16_t *ids, size_t n, EmdtrackTally *tally)
{
  cudaStream_t stream = device_stream (dev);
  uint32_t blocks = blocks_for_items (s->room);

  TRY (device_clear (dev, s->used, s->room + 1));
  mark_used_kernel<<<blocks_for_items (n), EMDTRACK_THREADS, 0, stream>>> (
      s->used, ids, n);
  unmark_spare_kernel<<<blocks, EMDTRACK_THREADS, 0, stream>>> (*s);
  zero_tally_kernel<<<1, 1, 0, stream>>> (*s);
  TRY (clear_store_slots (s, dev));
  sweep_trees_kernel<<<blocks, EMDTRACK_THREADS, 0, stream>>> (*s, tally);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* ---- Proving a frame's pixels by stored trees ---- */

typedef struct {
  int width, height, n_pixels, bins;
  uint32_t frame;
  bool known;
  bool has_trees; /* `old` holds the trees of a frame */
  const EmdtrackHistogram *histogram, *before;
  const uint16_t *old; /* trees of the previous frame */
  uint16_t *tree, *map;
  EmdtrackStore store;
  uint32_t *list[EMDTRACK_LEVELS];
  uint32_t *left;
  uint32_t *group, *equal; /* NULL: equal histograms are not grouped */
  uint32_t slots;          /* of the table `group` */
  EmdtrackSketch sketch;   /* zeros: histograms are not noted */
  EmdtrackTally *tally;
} EmdtrackJob;

/* Of the trees around pixel @i, the one with the greatest bound: no other can
 * be optimal. */
typedef struct {
  uint32_t tree;
  int32_t bound;
} EmdtrackBound;

/* The tree of pixel @i, or of the pixel that is proven in its place; or 0. That
 * pixel is on no finer level. */
static __device__ __forceinline__ uint32_t
emdtrack_tree_at (const EmdtrackJob &job, const uint16_t *trees, uint32_t i)
{
  uint32_t k = trees[i];

  if (!k && job.group && job.equal[i] != EMDTRACK_NO_PIXEL)
    k = trees[job.equal[i]];
  return k;
}

static __device__ __forceinline__ void
emdtrack_consider_tree (const EmdtrackJob &job, EmdtrackBound *c,
    const EmdtrackHistogram *h, const uint16_t *trees, int x, int y)
{
  uint32_t k;
  int32_t bound;

  if (x < 0 || y < 0 || x >= job.width || y >= job.height)
    return;
  k = emdtrack_tree_at (job, trees, (uint32_t) y * job.width + x);
  if (!k || k == c->tree)
    return;
  bound = emdtrack_basis_value (&job.store.basis[k], h, job.bins);
  if (bound > c->bound)
    *c = {k, bound};
}

static __device__ __forceinline__ uint32_t
emdtrack_choose_tree (
    const EmdtrackJob &job, uint32_t i, int level, bool at_once)
{
  const uint16_t *trees = at_once ? job.old : job.tree;
  EmdtrackHistogram h = job.histogram[i];
  EmdtrackBound c = {EMDTRACK_ROOT, INT32_MIN};
  int x = (int) (i % job.width), y = (int) (i / job.width);
  int apart = at_once ? 1 : 1 << level;
  int dx = x & apart, dy = y & apart; /* offset from the coarser levels */

  emdtrack_consider_tree (job, &c, &h, job.old, x, y);
  if (!at_once && level == EMDTRACK_LEVELS - 1)
    return c.tree;
  if (at_once || !dx || !dy) {
    if (at_once || dx) {
      emdtrack_consider_tree (job, &c, &h, trees, x - apart, y);
      emdtrack_consider_tree (job, &c, &h, trees, x + apart, y);
    }
    if (at_once || dy) {
      emdtrack_consider_tree (job, &c, &h, trees, x, y - apart);
      emdtrack_consider_tree (job, &c, &h, trees, x, y + apart);
    }
    return c.tree;
  }
  emdtrack_consider_tree (job, &c, &h, trees, x - apart, y - apart);
  emdtrack_consider_tree (job, &c, &h, trees, x + apart, y - apart);
  emdtrack_consider_tree (job, &c, &h, trees, x - apart, y + apart);
  emdtrack_consider_tree (job, &c, &h, trees, x + apart, y + apart);
  return c.tree;
}

/* ---- Pixels that their own trees do not prove ---- */

/* Pixels are processed by levels, from pixels 16 apart to all pixels.  A pixel
 * starts from the best of the trees around it on coarser levels.  If few pixels
 * are left, all are processed at once, from the trees around them in the
 * previous frame.  Pixels follow stored pivots.  If a pivot is missing, the
 * warp adds the tree that it leads to, and no other warp does.  A pivot is a
 * pure function of tree and arc: the start of a pixel decides its end,
 * whichever warp stores a tree first.  Counts therefore repeat, unless trees
 * find no room. */

/* Side of the square of neighbours that share a warp, if many pixels are
 * left. */
#define SIDE 8
#define FEW 4 /* from a quarter of the pixels on, they are not few */

typedef struct {
  EmdtrackProblem problem;
  EmdtrackHeldTree held[EMDTRACK_WARPS];
} Shared;

/* A pixel that follows pivots, one for each lane. */
typedef struct {
  EmdtrackHistogram h;
  uint32_t pixel, tree;
  int arc, steps;
  bool busy;    /* not proven yet */
  bool waits;   /* for the next tree */
  bool missing; /* no warp had made the next tree */
  bool is_new;  /* the pixel followed a link that was made in this frame */
} Walker;

typedef struct {
  uint32_t neighbour, table, simplex, unstored, fallback, pivots;
} Counts;

static __device__ __forceinline__ uint16_t *
link_at (const EmdtrackJob &job, const Walker &w)
{
  return &job.store.basis[w.tree].next[w.arc];
}

static __device__ __forceinline__ uint16_t *
link_frame (const EmdtrackJob &job, uint32_t k, int e)
{
  return &job.store.made[k * (EMDTRACK_ARCS + 1) + e];
}

/* Reads a link; the tree that it leads to is then visible. */
static __device__ __forceinline__ uint32_t
read_link (const uint16_t *link)
{
  uint16_t next = 0;

#if __CUDA_ARCH__ >= EMDTRACK_ARCH
  asm volatile("ld.acquire.gpu.u16 %0, [%1];"
               : "=h"(next)
               : "l"(link)
               : "memory");
#endif
  return next;
}

/* True for one of the lanes that find a tree missing: that lane's warp must add
 * it. */
static __device__ __forceinline__ bool
claim_link (uint16_t *link)
{
#if __CUDA_ARCH__ >= EMDTRACK_ARCH
  return !atomicCAS (link, (uint16_t) 0, (uint16_t) EMDTRACK_WANTED);
#else
  return false;
#endif
}

/* Moves the pixel to the next tree, if it is stored. */
static __device__ __forceinline__ bool
step_to_tree (const EmdtrackJob &job, Walker *w)
{
  uint16_t *link = link_at (job, *w);
  uint32_t next = *(volatile uint16_t *) link;

  w->waits = !next || next == EMDTRACK_WANTED;
  w->missing = !next;
  if (w->waits)
    return false;
  next = read_link (link);
  w->is_new =
      w->is_new || *link_frame (job, w->tree, w->arc) == (uint16_t) job.frame;
  w->tree = next;
  w->steps++;
  return true;
}

/* Leaves the pixel to the paper's simplex. */
static __device__ __forceinline__ void
give_up_pixel (const EmdtrackJob &job, Walker *w)
{
  job.tree[w->pixel] = (uint16_t) w->tree;
  job.left[emdtrack_claim_item (&job.tally->n_left)] = w->pixel;
  w->busy = false;
}

/* Follows links until a tree is optimal or missing. */
static __device__ __forceinline__ void
follow_pivot_links (const EmdtrackJob &job, Walker *w, Counts *n)
{
  do {
    const EmdtrackBasis *b = &job.store.basis[w->tree];
    uint32_t met[EMDTRACK_ARC_WORDS];

    if (emdtrack_basis_holds (b, &w->h, job.bins, met)) {
      job.map[w->pixel] = (uint16_t) emdtrack_basis_value (b, &w->h, job.bins);
      job.tree[w->pixel] = (uint16_t) w->tree;
      n->neighbour += !w->steps;
      n->table += w->steps && !w->is_new;
      n->simplex += w->steps && w->is_new;
      w->busy = false;
      return;
    }
    w->arc = emdtrack_basis_worst (b, met);
  } while (w->steps < EMDTRACK_PIVOTS && step_to_tree (job, w));
}

/* Adds the tree that arc @e of tree @k leads to, which this warp has claimed.
 * @there is the number of the tree in the warp's shared memory. */
static __device__ void
make_tree_link (const EmdtrackJob &job, Shared *s, uint32_t k, int e, Counts *n,
    uint32_t *there)
{
  EmdtrackHeldTree *held = &s->held[threadIdx.x / 32];
  bool leads = !(threadIdx.x & 31);

  if (*there != k) {
    emdtrack_tree_copy (&held->tree, &job.store.tree[k]);
    __syncwarp ();
  }
  if (leads)
    *link_frame (job, k, e) = (uint16_t) job.frame;
  emdtrack_pivot_warp (&s->problem, held, e);
  *there = emdtrack_store_add_warp (&job.store, &s->problem, held);
  if (leads && *there == EMDTRACK_NO_ROOM)
    *(volatile uint32_t *) &job.tally->full = 1;
  if (leads) /* after the fence in emdtrack_store_add_warp () */
    *(volatile uint16_t *) &job.store.basis[k].next[e] =
        (uint16_t) (*there == EMDTRACK_NO_ROOM ? 0 : *there);
  n->pivots += leads && *there != EMDTRACK_NO_ROOM;
}

/* Gives up the pixel if it has waited too long. */
static __device__ __forceinline__ void
check_walk_limits (const EmdtrackJob &job, Walker *w, Counts *n)
{
  bool far = w->steps >= EMDTRACK_PIVOTS;

  if (!far && !(w->missing && emdtrack_read_volatile (&job.tally->full)))
    return;
  n->simplex++;
  n->unstored += !far;
  n->fallback += far;
  give_up_pixel (job, w);
}

/* Walks until no lane is busy, with a pixel for each lane. */
static __device__ __forceinline__ void
walk_pixels (const EmdtrackJob &job, Shared *s, Walker *w, Counts *n)
{
  uint32_t there = 0; /* number of the tree in shared memory */

  while (__any_sync (ALL_LANES, w->busy)) {
    bool mine = false;

    if (w->busy && !w->waits)
      follow_pivot_links (job, w, n);
    if (w->busy)
      check_walk_limits (job, w, n);
    if (w->busy && w->missing)
      mine = claim_link (link_at (job, *w));
    for (uint32_t lanes = __ballot_sync (ALL_LANES, mine); lanes;
         lanes &= lanes - 1) {
      int lane = math_lowest_bit (lanes);

      make_tree_link (job, s, __shfl_sync (ALL_LANES, w->tree, lane),
          __shfl_sync (ALL_LANES, w->arc, lane), n, &there);
    }
    if (w->busy)
      step_to_tree (job, w);
  }
}

/* The @t-th of all listed pixels. */
static __device__ __forceinline__ uint32_t
listed_pixel (const EmdtrackJob &job, uint32_t t)
{
  int l = EMDTRACK_LEVELS - 1;

  for (; t >= job.tally->listed[l]; l--)
    t -= job.tally->listed[l];
  return job.list[l][t];
}

/* The number of pixels that share a warp.  If few pixels are left, few share a
 * warp, because all pixels of a warp wait for the slowest pixel; and they are
 * far apart in the frame, because neighbours usually lack the same tree. */
static __device__ __forceinline__ uint32_t
n_pixels_of_warp (uint32_t n)
{
  uint32_t each = 1;

  while (each < 32 && each * gridDim.x * EMDTRACK_WARPS < n)
    each *= 2;
  return each;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS, 4)
    walk_pixels_kernel (const __grid_constant__ EmdtrackJob job,
        const __grid_constant__ EmdtrackProblem problem, int level)
{
  __shared__ Shared s;
  uint32_t lane = threadIdx.x & 31, n = 0, each, side, apart;
  Counts counts = {};
  bool at_once;

  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    n += job.tally->listed[l];
  at_once = job.has_trees && n < (uint32_t) job.n_pixels / FEW;
  if (!at_once)
    n = job.tally->listed[level];
  else if (level)
    return;
  each = n_pixels_of_warp (n);
  side = each < 32 ? 1 : SIDE;
  apart = (n + each - 1) / each;
  for (uint32_t i = threadIdx.x; i < sizeof problem / 4; i += blockDim.x)
    ((uint32_t *) &s.problem)[i] = ((const uint32_t *) &problem)[i];
  __syncthreads ();
  for (uint32_t g = emdtrack_thread_index () / 32; g * each < n;
       g += gridDim.x * EMDTRACK_WARPS) {
    uint32_t t = (g + lane / side * apart) * side + lane % side;
    Walker w = {};

    if (lane < each && t < n) {
      w.busy = true;
      w.pixel = at_once ? listed_pixel (job, t) : job.list[level][t];
      w.h = job.histogram[w.pixel];
      w.tree = emdtrack_choose_tree (job, w.pixel, level, at_once);
    }
    walk_pixels (job, &s, &w, &counts);
  }
  emdtrack_add_warp_sum (&job.tally->counts.neighbour, counts.neighbour);
  emdtrack_add_warp_sum (&job.tally->counts.table, counts.table);
  emdtrack_add_warp_sum (&job.tally->counts.simplex, counts.simplex);
  emdtrack_add_warp_sum (&job.tally->counts.unstored, counts.unstored);
  emdtrack_add_warp_sum (&job.tally->counts.fallback, counts.fallback);
  emdtrack_add_warp_sum (&job.tally->counts.pivots, counts.pivots);
}

static const char *
count_walkers (EmdtrackCuda *c)
{
  int each;

  if (c->walkers)
    return NULL;
  CUDA_TRY (cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &each, walk_pixels_kernel, EMDTRACK_THREADS, 0));
  c->walkers = each * c->processors;
  return c->walkers ? NULL : "the device has no room for emdtrack's kernel";
}

static const char *
walk_listed_pixels (const Device *dev, const EmdtrackWork *w, int target,
    const EmdtrackJob *job)
{
  EmdtrackCuda *c = emdtrack_state (w);

  TRY (count_walkers (c));
  for (int l = EMDTRACK_LEVELS - 1; l >= 0; l--) {
    int enough = ceil_div (job->n_pixels, EMDTRACK_WARPS << 2 * max (l - 1, 0));

    walk_pixels_kernel<<<min (enough, c->walkers), EMDTRACK_THREADS, 0,
        device_stream (dev)>>> (*job, w->problem[target], l);
    CUDA_TRY (cudaGetLastError ());
  }
  return NULL;
}

/* ---- The first tree ---- */

static __global__ void __launch_bounds__ (32)
    store_first_tree_kernel (const __grid_constant__ EmdtrackProblem p,
        const __grid_constant__ EmdtrackTree first,
        const __grid_constant__ EmdtrackStore s)
{
  __shared__ EmdtrackHeldTree held;

  emdtrack_tree_copy (&held.tree, &first);
  __syncwarp ();
  emdtrack_store_add_warp (&s, &p, &held);
}

/* ---- Equal histograms (System Design, 2) ----
 *
 * Of pending pixels with equal histograms a single pixel is proven: the first
 * of those on the coarsest level.  A slot of the table of groups holds the
 * level and the number of that pixel, so the least number that any thread
 * offers wins, and the choice repeats. */

#define NUMBER_BITS 28 /* of a pixel's number: EMDTRACK_MAX_SIDE squared */

/* The coarsest level that pixel (@x, @y) is on. */
static __device__ __forceinline__ int
level_of_pixel (int x, int y)
{
  return math_lowest_bit ((uint32_t) (x | y | 1 << (EMDTRACK_LEVELS - 1)));
}

static __device__ __forceinline__ uint32_t
number_in_slot (uint32_t slot)
{
  return slot & ((1u << NUMBER_BITS) - 1);
}

/* Offers pixel @i of @level for the group of its histogram @h; returns the
 * group's slot.  Table slots are EMDTRACK_NO_PIXEL if they are free. */
static __device__ __forceinline__ uint32_t
join_group (
    const EmdtrackJob &job, const EmdtrackHistogram *h, int level, uint32_t i)
{
  uint32_t mine = (uint32_t) (EMDTRACK_LEVELS - 1 - level) << NUMBER_BITS | i;

  for (uint32_t at = __umulhi (emdtrack_hash (h), job.slots);;
       at = at + 1 < job.slots ? at + 1 : 0) {
    uint32_t there = emdtrack_read_volatile (&job.group[at]);

    if (there == EMDTRACK_NO_PIXEL)
      there = atomicCAS (&job.group[at], EMDTRACK_NO_PIXEL, mine);
    if (there == EMDTRACK_NO_PIXEL)
      return at;
    if (emdtrack_same (&job.histogram[number_in_slot (there)], h)) {
      if (mine < there)
        atomicMin (&job.group[at], mine);
      return at;
    }
  }
}

/* ---- Trees of the previous frame ---- */

/* The thread's pixel: a block has a tile of 32 x 8 pixels, a warp 8 x 4. */
static __device__ __forceinline__ void
thread_pixel (int *x, int *y)
{
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31;

  *x = blockIdx.x * 32 + warp % 4 * 8 + lane % 8;
  *y = blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
}

/* Puts pixel @i of each thread with @pending on the list of @level; the pixels
 * of a warp are consecutive. */
static __device__ __forceinline__ void
list_pixel (const EmdtrackJob &job, bool pending, int level, uint32_t i)
{
  __shared__ uint32_t n[EMDTRACK_LEVELS], first[EMDTRACK_LEVELS];
  uint32_t at = 0;

  if (threadIdx.x < EMDTRACK_LEVELS)
    n[threadIdx.x] = 0;
  __syncthreads ();
  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    if (pending && level == l)
      at = emdtrack_claim_item (&n[l]);
  __syncthreads ();
  if (threadIdx.x < EMDTRACK_LEVELS && n[threadIdx.x])
    first[threadIdx.x] =
        atomicAdd (&job.tally->listed[threadIdx.x], n[threadIdx.x]);
  __syncthreads ();
  if (pending)
    job.list[level][first[level] + at] = i;
}

/* Adds the number of threads of the warp with @is to @to. */
static __device__ __forceinline__ void
count_lanes (uint32_t *to, bool is)
{
  uint32_t n = __popc (__ballot_sync (ALL_LANES, is));

  if (n && !(threadIdx.x & 31))
    atomicAdd (to, n);
}

/* Notes the histogram @h in the sketch, if it belongs to the sample.  Returns
 * whether it was not there.  The number of such histograms repeats. */
static __device__ __forceinline__ bool
note_histogram (const EmdtrackSketch &sketch, const EmdtrackHistogram *h)
{
  uint32_t hash = emdtrack_hash (h) * 0x9e3779b1u, bit = 1u << (hash & 31);
  uint32_t *word = sketch.bits + (hash >> 5 & (EMDTRACK_SKETCH_WORDS - 1));

  return !(hash >> (32 - EMDTRACK_SAMPLE)) &&
      !(emdtrack_read_volatile (word) & bit) && !(atomicOr (word, bit) & bit);
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    try_own_tree_kernel (const __grid_constant__ EmdtrackJob job)
{
  bool unchanged = false, own = false, pending = false, fresh = false;
  uint32_t met[EMDTRACK_ARC_WORDS], i;
  int x, y;

  thread_pixel (&x, &y);
  i = (uint32_t) y * job.width + x;
  if (x < job.width && y < job.height) {
    EmdtrackHistogram h = job.histogram[i];
    uint16_t id = job.old[i];

    if (job.known) {
      EmdtrackHistogram was = job.before[i];

      unchanged = emdtrack_same (&h, &was);
    }
    if (!unchanged && id) {
      const EmdtrackBasis *b = &job.store.basis[id];

      own = emdtrack_basis_holds (b, &h, job.bins, met);
      if (own)
        job.map[i] = (uint16_t) emdtrack_basis_value (b, &h, job.bins);
    }
    job.tree[i] = unchanged || own ? id : 0;
    pending = !unchanged && !own;
    if (job.sketch.bits && !unchanged)
      fresh = note_histogram (job.sketch, &h);
    if (job.group)
      job.equal[i] = pending ? join_group (job, &h, level_of_pixel (x, y), i)
                             : EMDTRACK_NO_PIXEL;
  }
  emdtrack_add_warp_sum (&job.tally->counts.unchanged, unchanged);
  emdtrack_add_warp_sum (&job.tally->counts.own, own);
  count_lanes (&job.tally->pending, pending);
  if (job.sketch.bits)
    count_lanes (&job.tally->fresh, fresh);
  if (!job.group)
    list_pixel (job, pending, level_of_pixel (x, y), i);
}

/* Lists the pixel that is proven for each group.  On entry job.equal holds
 * slots of pending pixels. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    list_groups_kernel (const __grid_constant__ EmdtrackJob job)
{
  uint32_t i, slot = EMDTRACK_NO_PIXEL, proven = EMDTRACK_NO_PIXEL;
  bool listed = false;
  int x, y;

  thread_pixel (&x, &y);
  i = (uint32_t) y * job.width + x;
  if (x < job.width && y < job.height)
    slot = job.equal[i];
  if (slot != EMDTRACK_NO_PIXEL) {
    proven = number_in_slot (job.group[slot]);
    listed = proven == i;
    job.equal[i] = listed ? EMDTRACK_NO_PIXEL : proven;
  }
  emdtrack_add_warp_sum (
      &job.tally->counts.equal, slot != EMDTRACK_NO_PIXEL && !listed);
  list_pixel (job, listed, level_of_pixel (x, y), i);
}

/* Gives values and trees of proven pixels to the pixels of their groups. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    copy_groups_kernel (const __grid_constant__ EmdtrackJob job)
{
  uint32_t i = emdtrack_thread_index ();
  uint32_t proven =
      i < (uint32_t) job.n_pixels ? job.equal[i] : EMDTRACK_NO_PIXEL;

  if (proven == EMDTRACK_NO_PIXEL)
    return;
  job.map[i] = job.map[proven];
  job.tree[i] = job.tree[proven];
}

/* ---- The stage ---- */

/* Equal histograms are grouped in frames of which few pixels are expected to be
 * proven by their own trees: the first frame, a frame after such a frame, and
 * any frame with @group. */
static EmdtrackJob
reuse_job (const EmdtrackWork *w, int target, bool group)
{
  EmdtrackCuda *c = emdtrack_state (w);
  const EmdtrackSeen *seen = &c->seen[target];
  uint16_t *ids[2] = {w->tree[target], c->other[target]};
  EmdtrackJob job = {emdtrack_across (w->area), emdtrack_down (w->area),
      (int) emdtrack_pixels (w), w->problem[target].n, ++c->frame,
      w->known[target], seen->any, w->histogram, w->before,
      ids[c->turned[target]], ids[!c->turned[target]], w->map[target],
      c->store[target], {}, c->left, NULL, NULL,
      (uint32_t) emdtrack_group_slots (emdtrack_pixels (w)), {}, c->tally};

  memcpy (job.list, c->list, sizeof job.list);
  if (w->solver == EMDTRACK_AUTO)
    job.sketch = c->sketch[target];
  if (group || !seen->any || (int) seen->pending >= job.n_pixels / FEW) {
    job.group = c->group;
    job.equal = c->equal;
  }
  return job;
}

static const char *
store_first_tree (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  const EmdtrackProblem *p = &w->problem[target];
  EmdtrackTree first;

  if (c->planted[target])
    return NULL;
  emdtrack_tree_first (p, &first);
  store_first_tree_kernel<<<1, 32, 0, device_stream (dev)>>> (
      *p, first, c->store[target]);
  CUDA_TRY (cudaGetLastError ());
  c->planted[target] = true;
  return NULL;
}

/* Empties the sketch if the last frame is not in it, or if it holds as many
 * histograms as a full cache does. */
static const char *
prepare_sketch (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackSketch *s = &c->sketch[target];
  uint32_t most = (1u << w->cache_bits) / 4 * 3;

  if (!s->n) {
    TRY (memory_get (&c->memory, &s->bits, EMDTRACK_SKETCH_WORDS));
    TRY (memory_get (&c->memory, &s->n, 1));
  }
  if (c->is_sketched[target] &&
      c->seen[target].sketched << EMDTRACK_SAMPLE < most)
    return NULL;
  c->is_sketched[target] = true;
  TRY (device_clear (dev, s->n, sizeof *s->n));
  return device_clear (dev, s->bits, EMDTRACK_SKETCH_WORDS * sizeof *s->bits);
}

const char *
emdtrack_queue_trees (
    const Device *dev, const EmdtrackWork *w, int target, bool group)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackStore *store = &c->store[target];
  const EmdtrackSeen *seen = &c->seen[target];
  cudaStream_t stream = device_stream (dev);
  EmdtrackJob job;
  dim3 tiles;

  if (w->solver == EMDTRACK_AUTO)
    TRY (prepare_sketch (dev, w, target));
  job = reuse_job (w, target, group);
  tiles = dim3 (ceil_div (job.width, 32), ceil_div (job.height, 8));
  if (seen->full || (int) seen->trees >= store->room - store->room / 8)
    TRY (emdtrack_store_evict_cuda (
        store, dev, job.old, job.n_pixels, c->tally));
  TRY (store_first_tree (dev, w, target));
  if (job.group)
    CUDA_TRY (cudaMemsetAsync (
        job.group, 0xff, job.slots * sizeof *job.group, stream));
  try_own_tree_kernel<<<tiles, EMDTRACK_THREADS, 0, stream>>> (job);
  if (job.group)
    list_groups_kernel<<<tiles, EMDTRACK_THREADS, 0, stream>>> (job);
  CUDA_TRY (cudaGetLastError ());
  TRY (walk_listed_pixels (dev, w, target, &job));
  c->turned[target] = !c->turned[target];
  TRY (emdtrack_solve_left (dev, w, target));
  if (job.group)
    copy_groups_kernel<<<blocks_for_items (job.n_pixels), EMDTRACK_THREADS, 0,
        stream>>> (job);
  CUDA_TRY (cudaGetLastError ());
  return emdtrack_queue_tally (dev, w, target, false, 0);
}
