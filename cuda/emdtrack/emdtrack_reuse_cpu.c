/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values by the trees of earlier pixels. */
#include <pthread.h>

#include "emdtrack/emdtrack_cpu.h"

#define CANDIDATES 4 /* own, left, above, above to the right */

/* What the strips share: a strip that writes to the table or to the work's
 * counts holds the lock. */
typedef struct {
  const EmdtrackWork *w;
  int target;
  EmdtrackTable *table;
  pthread_mutex_t lock;
} Shared;

typedef struct {
  Shared *shared;
  const EmdtrackWork *w;
  const EmdtrackProblem *p;
  EmdtrackTable *table;
  int target;
  EmdtrackTree loose; /* the last optimum that found no room */
  bool has_loose;
  EmdtrackCounts counts;
} Strip;

/* What a pixel ends with. */
typedef struct {
  uint32_t value;
  uint16_t tree;
} Proof;

/* Stores the pivot on arc @e of tree @k; returns where it leads, or 0 if that
 * finds no room.  Trees are whole before a link to them can be seen. */
static int
store_pivot (Strip *s, int k, int e)
{
  EmdtrackTree tree = s->table->tree[k];
  int from = 0, to = 0, next;

  emdtrack_tree_arc (&tree, e, &from, &to);
  emdtrack_tree_pivot (s->p, &tree, from, to);
  pthread_mutex_lock (&s->shared->lock);
  next = emdtrack_table_add (s->table, s->p, &tree);
  pthread_mutex_unlock (&s->shared->lock);
  __atomic_store_n (
      &s->table->basis[k].next[e], (uint16_t) next, __ATOMIC_RELEASE);
  s->counts.pivots++;
  return next;
}

static uint32_t
solve_afresh (Strip *s, const EmdtrackHistogram *h)
{
  EmdtrackTableau tableau;

  s->counts.fallback++;
  return emdtrack_simplex_of (&tableau, s->p, h, &s->counts.pivots);
}

/* The table is full: solves without storing anything but the last optimum of
 * the strip, since the next pixel's is near. */
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
    s->loose = s->table->tree[k];
  s->counts.unstored++;
  pivots = emdtrack_tree_solve (s->p, &s->loose, supply, demand);
  s->has_loose = pivots >= 0;
  if (pivots < 0)
    return solve_afresh (s, h);
  s->counts.pivots += (uint64_t) pivots;
  return (uint32_t) emdtrack_tree_value (s->p, &s->loose, supply, demand);
}

/* Follows stored pivots from tree @k, and stores what is missing, until a tree
 * is optimal. */
static Proof
walk (Strip *s, const EmdtrackHistogram *h, int k)
{
  bool stored = true;

  for (int steps = 0; steps < EMDTRACK_PIVOTS; steps++) {
    EmdtrackBasis *b = &s->table->basis[k];
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
  return (Proof){solve_afresh (s, h), (uint16_t) k};
}

/* Candidates first; what fails is walked from the one with the best bound. */
static Proof
prove (Strip *s, const EmdtrackHistogram *h, const uint16_t id[CANDIDATES])
{
  int best = 1; /* the first tree of all */
  int32_t max = INT32_MIN;

  for (int c = 0; c < CANDIDATES; c++) {
    const EmdtrackBasis *b = &s->table->basis[id[c]];
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
  return walk (s, h, best);
}

static void
do_row (Strip *s, int y, bool first)
{
  const EmdtrackWork *w = s->w;
  int width = w->reader.width;
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

      p = prove (s, &h[x], c);
    }
    id[x] = p.tree;
    map[x] = (uint16_t) p.value;
  }
}

static void
do_strips (void *data, int begin, int end)
{
  Shared *shared = data;
  const EmdtrackWork *w = shared->w;
  int height = w->reader.height;

  for (int y = begin * EMDTRACK_STRIP; y < height && y < end * EMDTRACK_STRIP;
       y += EMDTRACK_STRIP) {
    Strip s = {.shared = shared,
        .w = w,
        .p = &w->problem[shared->target],
        .table = shared->table,
        .target = shared->target};

    for (int i = y; i < height && i < y + EMDTRACK_STRIP; i++)
      do_row (&s, i, i == y);
    pthread_mutex_lock (&shared->lock);
    emdtrack_add_counts (w->counts, &s.counts);
    pthread_mutex_unlock (&shared->lock);
  }
}

const char *
emdtrack_reuse_cpu (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackTable *table = &((EmdtrackCpu *) w->state)->table[target];
  const EmdtrackProblem *p = &w->problem[target];
  Shared shared = {w, target, table, PTHREAD_MUTEX_INITIALIZER};

  (void) dev;
  w->counts->evicted += (uint64_t) emdtrack_table_evict (
      table, w->tree[target], (size_t) w->reader.width * w->reader.height);
  if (!table->n) {
    EmdtrackTree first;

    emdtrack_tree_first (p, &first);
    emdtrack_table_add (table, p, &first);
  }
  parallel_for (emdtrack_strips (w), emdtrack_grain (w, 1), do_strips, &shared);
  w->counts->trees += (uint64_t) table->n;
  return NULL;
}
