/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values by the stored trees of earlier pixels. */
#include <pthread.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_cpu.h"

/* ---- The store of trees, found by their arcs ---- */

const char *
emdtrack_store_open_cpu (EmdtrackStore *t, int room)
{
  emdtrack_store_close_cpu (t);
  t->n_slots = 1;
  while (t->n_slots < 2 * (uint32_t) room)
    t->n_slots *= 2;
  TRY (emdtrack_renew_cpu ((void **) &t->tree, room + 1, sizeof *t->tree));
  TRY (emdtrack_renew_cpu ((void **) &t->basis, room + 1, sizeof *t->basis));
  TRY (emdtrack_renew_cpu ((void **) &t->slot, t->n_slots, sizeof *t->slot));
  TRY (emdtrack_renew_cpu ((void **) &t->now, room + 1, sizeof *t->now));
  t->room = room;
  return NULL;
}

void
emdtrack_store_close_cpu (EmdtrackStore *t)
{
  free (t->tree);
  free (t->basis);
  free (t->slot);
  free (t->now);
  memset (t, 0, sizeof *t);
}

void
emdtrack_store_clear_cpu (EmdtrackStore *t)
{
  t->n = 0;
  memset (t->slot, 0, t->n_slots * sizeof *t->slot);
}

/* The slot of a tree with these arcs, or the free slot for it. */
static uint16_t *
find_tree_slot (const EmdtrackStore *t, const uint16_t row[EMDTRACK_BINS])
{
  for (uint32_t k = (uint32_t) (emdtrack_tree_key (row) >> 32);; k++) {
    uint16_t *slot = &t->slot[k & (t->n_slots - 1)];

    if (!*slot ||
        !memcmp (t->tree[*slot].row, row, EMDTRACK_BINS * sizeof *row))
      return slot;
  }
}

int
emdtrack_store_add_cpu (
    EmdtrackStore *t, const EmdtrackProblem *p, const EmdtrackTree *tree)
{
  uint16_t *slot = find_tree_slot (t, tree->row);

  if (*slot)
    return *slot;
  if (t->n == t->room)
    return 0;
  t->n++;
  t->tree[t->n] = *tree;
  emdtrack_basis_set (p, tree, &t->basis[t->n]);
  *slot = (uint16_t) t->n;
  return t->n;
}

/* Moves the trees to their new numbers, in order. */
static void
compact_trees (EmdtrackStore *t, int left)
{
  const uint16_t *now = t->now;

  for (int k = 1; k <= t->n; k++) {
    if (!now[k])
      continue;
    t->tree[now[k]] = t->tree[k];
    t->basis[now[k]] = t->basis[k];
    for (int e = 0; e <= EMDTRACK_ARCS; e++)
      t->basis[now[k]].next[e] = now[t->basis[k].next[e]];
  }
  emdtrack_store_clear_cpu (t);
  t->n = left;
  for (int k = 1; k <= left; k++)
    *find_tree_slot (t, t->tree[k].row) = (uint16_t) k;
}

int
emdtrack_store_evict_cpu (EmdtrackStore *t, uint16_t *ids, size_t n)
{
  int was = t->n, left = 0;

  if (was < t->room - t->room / 8)
    return 0;
  memset (t->now, 0, (was + 1) * sizeof *t->now);
  for (size_t i = 0; i < n; i++)
    t->now[ids[i]] = 1;
  t->now[0] = 0;
  for (int k = 1; k <= was; k++)
    if (t->now[k])
      t->now[k] = (uint16_t) ++left;
  for (size_t i = 0; i < n; i++)
    ids[i] = t->now[ids[i]];
  compact_trees (t, left);
  return was - left;
}

/* ---- Proving a pixel's value by stored trees ---- */

/* The pixel's own tree, and those of the pixels to the left, above, and above
 * to the right. */
#define CANDIDATES 4

/* Data that the strips share.  A strip that writes to the store or to the
 * counts holds the lock. */
typedef struct {
  const EmdtrackWork *w;
  int target;
  EmdtrackStore *store;
  pthread_mutex_t lock;
} Shared;

typedef struct {
  Shared *shared;
  const EmdtrackWork *w;
  const EmdtrackProblem *p;
  EmdtrackStore *store;
  int target;
  EmdtrackTree loose; /* the last optimal tree that found no room */
  bool has_loose;
  EmdtrackCounts counts;
} Strip;

/* The result of a pixel. */
typedef struct {
  uint32_t value;
  uint16_t tree;
} Proof;

/* Stores the pivot on arc @e of tree @k.  Returns the tree that it leads to, or
 * 0 without room.  A tree is complete before a link to it can be seen. */
static int
store_pivot (Strip *s, int k, int e)
{
  EmdtrackTree tree = s->store->tree[k];
  int from = 0, to = 0, next;

  emdtrack_tree_arc (&tree, e, &from, &to);
  emdtrack_tree_pivot (s->p, &tree, from, to);
  pthread_mutex_lock (&s->shared->lock);
  next = emdtrack_store_add_cpu (s->store, s->p, &tree);
  pthread_mutex_unlock (&s->shared->lock);
  __atomic_store_n (
      &s->store->basis[k].next[e], (uint16_t) next, __ATOMIC_RELEASE);
  s->counts.pivots++;
  return next;
}

static uint32_t
solve_from_first_tree (Strip *s, const EmdtrackHistogram *h)
{
  EmdtrackTableau tableau;

  s->counts.fallback++;
  return emdtrack_simplex_of (&tableau, s->p, h, &s->counts.pivots);
}

/* Solves a pixel when the store is full.  Nothing is stored but the strip's
 * last optimal tree, from which the next pixel's is not far. */
static uint32_t
solve_unstored (Strip *s, const EmdtrackHistogram *h, int k)
{
  int32_t supply[EMDTRACK_BINS], demand[EMDTRACK_BINS];
  int pivots;

  for (int i = 0; i < EMDTRACK_BINS; i++) {
    supply[i] = h->bin[i];
    demand[i] = s->p->demand[i];
  }
  if (!s->has_loose)
    s->loose = s->store->tree[k];
  s->counts.unstored++;
  pivots = emdtrack_tree_solve (s->p, &s->loose, supply, demand);
  s->has_loose = pivots >= 0;
  if (pivots < 0)
    return solve_from_first_tree (s, h);
  s->counts.pivots += (uint64_t) pivots;
  return (uint32_t) emdtrack_tree_value (s->p, &s->loose, supply, demand);
}

/* Follows stored pivots from tree @k, and stores missing ones, until a tree is
 * optimal. */
static Proof
walk_trees (Strip *s, const EmdtrackHistogram *h, int k)
{
  bool stored = true;

  for (int steps = 0; steps < EMDTRACK_PIVOTS; steps++) {
    EmdtrackBasis *b = &s->store->basis[k];
    uint32_t met[EMDTRACK_ARC_WORDS];
    int e, next;

    if (emdtrack_basis_holds (b, h, s->p->n, met)) {
      s->counts.table += stored;
      s->counts.simplex += !stored;
      return (Proof){
          (uint32_t) emdtrack_basis_value (b, h, s->p->n), (uint16_t) k};
    }
    e = emdtrack_basis_worst (b, met);
    next = __atomic_load_n (&b->next[e], __ATOMIC_ACQUIRE);
    if (!next) {
      stored = false;
      next = store_pivot (s, k, e);
    }
    if (!next) {
      s->counts.simplex++;
      return (Proof){solve_unstored (s, h, k), (uint16_t) k};
    }
    k = next;
  }
  s->counts.simplex++;
  return (Proof){solve_from_first_tree (s, h), (uint16_t) k};
}

/* Tries the candidates.  If none is optimal, walks from the candidate with the
 * best bound. */
static Proof
prove_pixel (
    Strip *s, const EmdtrackHistogram *h, const uint16_t id[CANDIDATES])
{
  int best = 1; /* the first of all trees */
  int32_t max = INT32_MIN;

  for (int c = 0; c < CANDIDATES; c++) {
    const EmdtrackBasis *b = &s->store->basis[id[c]];
    uint32_t met[EMDTRACK_ARC_WORDS];
    int32_t bound;
    bool again = false;

    for (int k = 0; k < c; k++)
      again = again || id[k] == id[c];
    if (!id[c] || again)
      continue;
    bound = emdtrack_basis_value (b, h, s->p->n);
    if (emdtrack_basis_holds (b, h, s->p->n, met)) {
      s->counts.own += !c;
      s->counts.neighbour += c > 0;
      return (Proof){(uint32_t) bound, id[c]};
    }
    if (bound > max) {
      max = bound;
      best = id[c];
    }
  }
  return walk_trees (s, h, best);
}

static void
prove_row (Strip *s, int y, bool first)
{
  const EmdtrackWork *w = s->w;
  int width = emdtrack_across (w->area);
  size_t start = (size_t) y * width;
  const EmdtrackHistogram *h = w->histogram + start, *old = w->before + start;
  uint16_t *id = w->tree[s->target] + start, *map = w->map[s->target] + start;
  const uint16_t *above = first ? NULL : id - width;
  bool known = w->known[s->target];

  for (int x = 0; x < width; x++) {
    Proof p;

    if (known && emdtrack_same (&h[x], &old[x])) {
      s->counts.unchanged++;
      continue;
    }
    if (x && id[x - 1] && emdtrack_same (&h[x], &h[x - 1])) {
      s->counts.neighbour++;
      p = (Proof){map[x - 1], id[x - 1]};
    } else {
      uint16_t c[CANDIDATES] = {id[x], x ? id[x - 1] : 0, above ? above[x] : 0,
          above && x + 1 < width ? above[x + 1] : 0};

      p = prove_pixel (s, &h[x], c);
    }
    id[x] = p.tree;
    map[x] = (uint16_t) p.value;
  }
}

static void
prove_strips (void *data, int begin, int end)
{
  Shared *shared = data;
  const EmdtrackWork *w = shared->w;
  int height = emdtrack_down (w->area);

  for (int y = begin * EMDTRACK_STRIP; y < height && y < end * EMDTRACK_STRIP;
       y += EMDTRACK_STRIP) {
    Strip s = {.shared = shared,
        .w = w,
        .p = &w->problem[shared->target],
        .store = shared->store,
        .target = shared->target};

    for (int i = y; i < height && i < y + EMDTRACK_STRIP; i++)
      prove_row (&s, i, i == y);
    pthread_mutex_lock (&shared->lock);
    emdtrack_add_counts (w->counts, &s.counts);
    pthread_mutex_unlock (&shared->lock);
  }
}

const char *
emdtrack_reuse_cpu (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackStore *store = &((EmdtrackCpu *) w->state)->store[target];
  const EmdtrackProblem *p = &w->problem[target];
  Shared shared = {w, target, store, PTHREAD_MUTEX_INITIALIZER};

  (void) dev;
  w->counts->evicted += (uint64_t) emdtrack_store_evict_cpu (
      store, w->tree[target], emdtrack_pixels (w));
  if (!store->n) {
    EmdtrackTree first;

    emdtrack_tree_first (p, &first);
    emdtrack_store_add_cpu (store, p, &first);
  }
  parallel_for (
      emdtrack_strips (w->area), emdtrack_grain (w, 1), prove_strips, &shared);
  w->counts->trees += (uint64_t) store->n;
  return NULL;
}
