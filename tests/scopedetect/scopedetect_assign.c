/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for the poses that explain a scene together: known answers; all
 * assignments of small scenes, tried one by one; every step of a search, scored
 * from nothing; and the schedule of the thesis.  `--bench [SCENES]` tells
 * what the searches of the defaults reach; `--bench speed`, moves a second. */
#include "check.h"
#include "scopedetect/explain/assign_core.h"
#include "seconds.h"

#define MODELS 18
#define HYPOTHESES 20
#define GRID 20 /* patches to a side of a made-up scene */
#define MAX_CANDIDATES (MODELS * HYPOTHESES)

typedef struct {
  Device device;
  DeviceMemory memory;
  ScopedetectAssigner *assigner;
  ScopedetectCandidate candidate[MAX_CANDIDATES];
  uint64_t excludes[MAX_CANDIDATES * ((MAX_CANDIDATES + 63) / 64)];
  ScopedetectAssignTask task;
} Case;

static Case *
case_new (DeviceKind kind, int n_patches)
{
  Case *c = calloc (1, sizeof *c);

  ok (device_open (&c->device, kind, NULL));
  memory_open (&c->memory, &c->device);
  ok (scopedetect_assigner_new (&c->assigner, &c->device, &c->memory,
      MAX_CANDIDATES, SCOPEDETECT_MAX_RESTARTS));
  c->task = (ScopedetectAssignTask){.candidate = c->candidate,
      .n_patches = n_patches,
      .excludes = c->excludes,
      .max_objects = 1,
      .searches = 16,
      .steps = 100000,
      .stop = INT32_MAX,
      .seed = check_seed,
      .weight = {1024, 1024, 512, 307}};
  return c;
}

static void
case_free (Case *c)
{
  memory_free (&c->memory);
  scopedetect_assigner_free (c->assigner);
  device_close (&c->device);
  free (c);
}

AUTO_POINTER (CaseOf, Case, case_free)

static void
find (Case *c, ScopedetectAssignment *best)
{
  ok (scopedetect_assign (c->assigner, &c->task, best));
  check (best->energy ==
      (c->task.n_candidates
              ? scopedetect_assign_energy (&c->task, best->chosen, best->n)
              : 0));
}

/* A candidate that explains patches @begin to before @end. */
static int
add (Case *c, int model, double fit, int begin, int end)
{
  ScopedetectCandidate *a = &c->candidate[c->task.n_candidates];

  a->model = model;
  a->fit = (int32_t) (fit * SCOPEDETECT_SURE);
  for (int i = begin; i < end; i++)
    scopedetect_take_patch (a, i);
  return c->task.n_candidates++;
}

/* Whether the search chooses @wanted, which ends with -1, and nothing else. */
static bool
chooses (Case *c, const int *wanted)
{
  ScopedetectAssignment best;
  int n = 0;

  find (c, &best);
  while (wanted[n] >= 0)
    n++;
  return best.n == n && !memcmp (best.chosen, wanted, (size_t) n * sizeof n);
}

#define CHOOSES(c, ...) chooses (c, (const int[]){__VA_ARGS__, -1})

static void
test_answers (DeviceKind kind)
{
  AUTO (CaseOf) c = case_new (kind, 100);

  check (CHOOSES (c, -1));
  add (c, 0, .1, 0, 5); /* costs more than it says */
  check (CHOOSES (c, -1));
  add (c, 0, .9, 0, 30);
  check (CHOOSES (c, 1));
  add (c, 1, .95, 0, 10); /* fits better, explains less of the same */
  check (CHOOSES (c, 1));
  add (c, 2, .8, 40, 60);
  check (CHOOSES (c, 1, 3));
  add (c, 2, .8, 60, 80); /* a second one of the model */
  check (CHOOSES (c, 1, 3));
  c->task.max_objects = 2;
  check (CHOOSES (c, 1, 3, 4));
  c->excludes[3] = (uint64_t) 1 << 4; /* two poses of one object */
  c->excludes[4] = (uint64_t) 1 << 3;
  check (CHOOSES (c, 1, 3));
  c->task.n_patches = 0; /* a frame without patches shows no object */
  check (CHOOSES (c, -1));
}

/* 2.2 by hand: two objects of 10 and 20 patches, of 100, that share 5. */
static void
test_energy (DeviceKind kind)
{
  AUTO (CaseOf) c = case_new (kind, 100);
  int both[] = {add (c, 0, .5, 0, 10), add (c, 1, .75, 5, 25)};
  double fit = .5 * .75 + .75 * .875, explained = .25;
  double overlap = .5 * (.5 + .25), objects = 2 * 307. / 1024;

  check (scopedetect_assign_energy (&c->task, both, 0) == 0);
  check_near ((double) scopedetect_assign_energy (&c->task, both, 2) /
          SCOPEDETECT_SURE / 1024,
      fit + explained - overlap - objects, 1e-6);
  c->task.is_mean = true;
  fit = (.5 * 7.5 + .75 * 17.5) / 100;
  check_near ((double) scopedetect_assign_energy (&c->task, both, 2) /
          SCOPEDETECT_SURE / 1024,
      fit + explained - overlap / 2 - objects, 1e-6);
}

/* ---- Against all assignments of a small scene ---- */

/* Its energy, counted patch by patch. */
static int64_t
count_energy (const ScopedetectAssignTask *t, const int *chosen, int n)
{
  int64_t sum = 0, explained = 0, overlap = 0;
  int cover[SCOPEDETECT_MAX_PATCHES] = {0};

  for (int i = 0; i < n; i++)
    for (int p = 0; p < t->n_patches; p++)
      cover[p] += t->candidate[chosen[i]].patch[p / 64] >> p % 64 & 1;
  for (int p = 0; p < t->n_patches; p++)
    explained += cover[p] > 0;
  for (int i = 0; i < n; i++) {
    const ScopedetectCandidate *a = &t->candidate[chosen[i]];
    int64_t size = 0, shared = 0;

    for (int p = 0; p < t->n_patches; p++)
      if (a->patch[p / 64] >> p % 64 & 1)
        size++, shared += cover[p] > 1;
    size = size ? size : 1;
    overlap += t->weight.overlap * SCOPEDETECT_SURE * shared / size;
    sum += t->weight.fit * a->fit * (2 * size - shared) /
            (2 * (t->is_mean ? t->n_patches : size)) -
        t->weight.object * SCOPEDETECT_SURE;
  }
  if (t->is_mean && n)
    overlap /= n;
  return sum - overlap +
      t->weight.unexplained * SCOPEDETECT_SURE * explained / t->n_patches;
}

/* The best of all with candidates from @next on beside @chosen. */
static int64_t
try_all (const ScopedetectAssignTask *t, int *chosen, int n, int next)
{
  int64_t best = count_energy (t, chosen, n);

  for (int c = next; c < t->n_candidates; c++) {
    bool may = true;
    int64_t e;

    for (int i = 0; i < n; i++)
      may &= !(t->excludes[c] >> chosen[i] & 1) &&
          t->candidate[chosen[i]].model != t->candidate[c].model;
    if (!may)
      continue;
    chosen[n] = c;
    e = try_all (t, chosen, n + 1, c + 1);
    best = e > best ? e : best;
  }
  return best;
}

#define SMALL_MODELS 6
#define SMALL_HYPOTHESES 4

/* As many searches, as long, as by default. */
static void
search_by_default (Case *c)
{
  ScopedetectParams p;

  p = scopedetect_defaults ();
  c->task.schedule = p.schedule;
  c->task.searches = p.restarts;
  c->task.steps = p.explain_steps * c->task.n_candidates;
}

/* In how many of @n small scenes the search finds the best assignment. */
static int
count_best (DeviceKind kind, int n)
{
  int equal = 0;

  for (int k = 0; k < n; k++) {
    AUTO (CaseOf) c = case_new (kind, 60);
    ScopedetectAssignment best;
    int chosen[SMALL_MODELS];

    for (int i = 0; i < SMALL_MODELS * SMALL_HYPOTHESES; i++) {
      int at = (int) rnd (50), size = 1 + (int) rnd (20);

      add (c, i / SMALL_HYPOTHESES, (20 + rnd (80)) / 100., at,
          at + size < 60 ? at + size : 60);
    }
    search_by_default (c);
    c->task.weight.unexplained = rnd (4096);
    c->task.weight.overlap = rnd (1024);
    find (c, &best);
    equal += best.energy == try_all (&c->task, chosen, 0, 0);
    check (best.energy == count_energy (&c->task, best.chosen, best.n));
  }
  return equal;
}

static void
test_oracle (DeviceKind kind)
{
  check (count_best (kind, 100) >= 99);
}

/* ---- Hostile tasks ---- */

#define HOSTILE 24

/* Task @k of them: one candidate or many, large ones that all meet each other,
 * such as explain nothing, two sizes of scenes, pairs that exclude each other,
 * several of a model, unlikely ones, a start that stays or not, weights of
 * nothing and the largest. */
static Case *
hostile (DeviceKind kind, int k)
{
  static const int counts[] = {1, 2, 40, 130}, sizes[] = {1, 64, 700, 5120};
  Case *c = case_new (kind, sizes[k / 4 % 4]);
  int n = counts[k % 4], patches = c->task.n_patches;
  size_t words = (size_t) scopedetect_exclude_words (n);

  for (int i = 0; i < n; i++) {
    int from = (int) rnd ((uint32_t) patches);
    int most = k % 3 == 0 ? patches : 1 + patches / 8;
    int end = from + (int) rnd ((uint32_t) most + 1);

    add (c, k % 5 ? i / 10 : i, (rnd (150) - 50.) / 100, from,
        end < patches ? end : patches);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (!rnd (8)) {
        c->excludes[(size_t) i * words + (size_t) j / 64] |= (uint64_t) 1
            << j % 64;
        c->excludes[(size_t) j * words + (size_t) i / 64] |= (uint64_t) 1
            << i % 64;
      }
  c->task.max_objects = k % 3 ? 1 : SCOPEDETECT_MAX_TOGETHER;
  c->task.schedule =
      k % 2 ? SCOPEDETECT_SCHEDULE_THESIS : SCOPEDETECT_SCHEDULE_METROPOLIS;
  c->task.is_mean = k / 3 % 2;
  c->task.searches = 1 + (int) rnd (9);
  c->task.steps = 2000;
  c->task.n_start = k % 7 < 2;
  c->task.start[0] = n / 2;
  c->task.fixed = k % 7 == 0;
  c->task.weight = (ScopedetectAssignWeights){k % 6 ? rnd (2048) : 1024000,
      rnd (4096), k % 4 ? rnd (2048) : 0, rnd (512) + 1};
  return c;
}

/* What a step of a search looks at, but for sums. */
static void
open_searches (const Case *c, ScopedetectSearches *v)
{
  const ScopedetectAssignTask *t = &c->task;
  int64_t most = t->weight.fit > t->weight.unexplained ? t->weight.fit
                                                       : t->weight.unexplained;

  most = most > t->weight.overlap ? most : t->weight.overlap;
  *v = (ScopedetectSearches){.candidate = t->candidate,
      .item = calloc ((size_t) t->n_candidates, sizeof *v->item),
      .n_candidates = t->n_candidates,
      .steps = t->steps,
      .is_thesis = t->schedule == SCOPEDETECT_SCHEDULE_THESIS,
      .seed = t->seed,
      .unit = (float) (most * SCOPEDETECT_SURE),
      .stay = t->fixed ? t->n_start : 0};
  for (int i = 0; i < t->n_candidates; i++)
    scopedetect_set_item (v, i);
}

/* Whether @m may be made; if so, makes it. */
static bool
make_move (const ScopedetectAssignTask *t, const ScopedetectMove *m,
    ScopedetectChain *c)
{
  size_t words = (size_t) scopedetect_exclude_words (t->n_candidates);
  int alike = 0;

  if (m->in < 0) {
    c->chosen[m->out] = c->chosen[--c->n];
    return true;
  }
  for (int i = 0; i < c->n; i++) {
    const uint64_t *row = t->excludes + (size_t) c->chosen[i] * words;

    if (i == m->out)
      continue;
    if (c->chosen[i] == m->in || row[m->in / 64] >> m->in % 64 & 1)
      return false;
    alike += t->candidate[c->chosen[i]].model == t->candidate[m->in].model;
  }
  if (alike >= t->max_objects ||
      (m->out < 0 && c->n == SCOPEDETECT_MAX_TOGETHER))
    return false;
  c->chosen[m->out < 0 ? c->n++ : m->out] = m->in;
  return true;
}

/* The best energy of search @k, in which each step is scored from nothing. */
static int64_t
replay (const Case *c, int k)
{
  const ScopedetectAssignTask *t = &c->task;
  ScopedetectChain now = {.n = t->n_start};
  ScopedetectSearches v;
  int64_t best;

  open_searches (c, &v);
  memcpy (now.chosen, t->start, sizeof now.chosen);
  best = now.energy = count_energy (t, now.chosen, now.n);
  for (int i = 0; i < t->stop; i++) {
    ScopedetectChain next = now;
    ScopedetectMove m = scopedetect_propose (
        &v, &now, random_u64 (t->seed, scopedetect_step_number (k, i)));

    if (!make_move (t, &m, &next))
      continue;
    next.energy = scopedetect_assign_energy (t, next.chosen, next.n);
    if (scopedetect_takes_step (&v, &now, k, i, next.energy))
      now = next;
    best = now.energy > best ? now.energy : best;
  }
  free (v.item);
  return best;
}

static void
test_steps (DeviceKind kind)
{
  for (int k = 0; k < HOSTILE; k++) {
    AUTO (CaseOf) c = hostile (kind, k);
    ScopedetectAssignment best;
    int64_t most = INT64_MIN;

    c->task.stop = 1500; /* before it goes uphill */
    find (c, &best);
    for (int i = 0; i < c->task.searches; i++) {
      int64_t e = replay (c, i);

      most = e > most ? e : most;
    }
    check (best.energy == most);
  }
}

/* ---- Against the schedule of the thesis ---- */

/* @n patches that hang together, around a random one or @at. */
static int
add_blob (ScopedetectCandidate *a, int at, int n)
{
  int list[GRID * GRID], count = 0, first = at < 0 ? (int) rnd (400) : at;

  list[count++] = first;
  scopedetect_take_patch (a, first);
  while (a->n_patches < n) {
    int p = list[rnd ((uint32_t) count)], way = (int) rnd (4);
    int x = p % GRID + (way == 0) - (way == 1);
    int y = p / GRID + (way == 2) - (way == 3);

    if (x < 0 || y < 0 || x >= GRID || y >= GRID)
      continue;
    p = y * GRID + x;
    if (!(a->patch[p / 64] >> p % 64 & 1))
      list[count++] = p;
    scopedetect_take_patch (a, p);
  }
  return first;
}

/* Eight of 18 models are there; of the candidates of these, a third explain
 * nine tenths of what they should. */
static void
make_scene (Case *c)
{
  for (int m = 0; m < MODELS; m++) {
    ScopedetectCandidate truth = {0};

    add_blob (&truth, -1, 8 + (int) rnd (25));
    for (int k = 0; k < HYPOTHESES; k++) {
      bool near = m < 8 && rnd (100) < 35;
      ScopedetectCandidate *a = &c->candidate[add (
          c, m, near ? .6 + rnd (30) / 100. : .05 + rnd (40) / 100., 0, 0)];

      if (!near)
        add_blob (a, -1, 6 + (int) rnd (25));
      for (int p = 0; near && p < GRID * GRID; p++)
        if (truth.patch[p / 64] >> p % 64 & 1 && rnd (10))
          scopedetect_take_patch (a, p);
    }
  }
}

/* 2.1: four moves alike; what is worse is accepted by .5 (1 - i / n). */
static int64_t
thesis_schedule (const ScopedetectAssignTask *t, int steps)
{
  int chosen[SCOPEDETECT_MAX_TOGETHER + 1], n = 0;
  int64_t energy = 0, best = 0;

  for (int i = 0; i < steps; i++) {
    int next[SCOPEDETECT_MAX_TOGETHER + 1], m = n, way = (int) rnd (4);
    int any = (int) rnd ((uint32_t) t->n_candidates);
    int at = n ? (int) rnd ((uint32_t) n) : 0;
    bool may = m <= SCOPEDETECT_MAX_TOGETHER;
    int64_t e;

    memcpy (next, chosen, sizeof next);
    if (!n || way == 3)
      next[m++] = any;
    else if (way == 2)
      next[at] = next[--m];
    else
      next[at] =
          way ? next[at] / HYPOTHESES * HYPOTHESES + any % HYPOTHESES : any;
    for (int a = 0; a < m; a++)
      for (int b = 0; b < a; b++)
        may &= t->candidate[next[a]].model != t->candidate[next[b]].model;
    if (!may || m > SCOPEDETECT_MAX_TOGETHER)
      continue;
    e = scopedetect_assign_energy (t, next, m);
    if (e < energy && rnd (1000000) >= 500000 * (1 - (double) i / steps))
      continue;
    memcpy (chosen, next, sizeof next);
    n = m, energy = e;
    best = e > best ? e : best;
  }
  return best;
}

static void
test_thesis (DeviceKind kind)
{
  AUTO (CaseOf) c = case_new (kind, GRID * GRID);
  ScopedetectAssignment best;

  make_scene (c);
  find (c, &best);
  check (best.energy >= thesis_schedule (&c->task, 300000));
}

/* ---- The same answer ---- */

static void
test_repeats (DeviceKind kind)
{
  AUTO (CaseOf) c = case_new (kind, GRID * GRID);
  ScopedetectAssignment first, again;

  make_scene (c);
  find (c, &first);
  parallel_limit (1);
  find (c, &again);
  parallel_limit (0);
  check (!memcmp (&first, &again, sizeof first));
  check (first.agree >= 1 && first.agree <= first.searches);
  for (int i = 0; i < first.n; i++)
    check (first.agree_on[i] >= first.agree);
}

/* Where few of the searches end with the best, as many follow again and again;
 * never if they are limited. */
static void
test_doubtful (DeviceKind kind)
{
  int more = 0;

  for (int k = 0; k < 8; k++) {
    AUTO (CaseOf) c = case_new (kind, GRID * GRID);
    ScopedetectAssignment best, limited;

    make_scene (c);
    c->task.schedule = SCOPEDETECT_SCHEDULE_METROPOLIS;
    c->task.searches = 32;
    c->task.steps = 4;
    find (c, &best);
    more += best.searches > 32;
    check (best.searches <= 32 * 32 && !(best.searches % 32));
    check (best.agree >= 1 && best.agree <= best.searches);
    check (4 * best.agree >= best.searches || best.searches == 32 * 32);
    for (int i = 0; i < best.n; i++)
      check (best.agree_on[i] >= best.agree);
    c->task.stop = c->task.steps;
    find (c, &limited);
    check (limited.searches == 32 && limited.energy <= best.energy);
  }
  check (more > 0);
}

static void
test_extremes (DeviceKind kind)
{
  Case *c = case_new (kind, 1);
  ScopedetectAssignment best;

  add (c, 0, 1, 0, 0); /* explains nothing */
  add (c, 1, 1, 0, 1);
  c->task.steps = 1;
  c->task.weight = (ScopedetectAssignWeights){0, 1024, 0, 0};
  find (c, &best);
  check (best.n == 1 && best.chosen[0] == 1);
  c->task.weight = (ScopedetectAssignWeights){1024000, 1024000, 1024000, 0};
  find (c, &best);
  check (best.n == 2 && best.energy == 3 * 1024000ll * SCOPEDETECT_SURE);
  case_free (c);
  c = case_new (kind, SCOPEDETECT_MAX_PATCHES); /* more than may be together */
  for (int i = 0; i < 60; i++)
    add (c, i, 1, 80 * i, 80 * i + 80);
  c->task.steps = 100;
  find (c, &best);
  check (best.n == SCOPEDETECT_MAX_TOGETHER);
  case_free (c);
}

/* Begun with some, which stay or not; and stopped, by steps or by the clock. */
static void
test_begun (DeviceKind kind)
{
  Case *c = case_new (kind, 100);
  ScopedetectAssignment best, cut;

  add (c, 0, .5, 0, 30);
  add (c, 0, .9, 0, 32); /* better than it, of the same model */
  add (c, 1, .8, 40, 60);
  c->task.n_start = 1;
  check (CHOOSES (c, 1, 2));
  c->task.fixed = true;
  check (CHOOSES (c, 0, 2));
  c->task.n_candidates = 1;
  check (CHOOSES (c, 0));
  c->task.weight.object = 100000; /* stays, whatever it costs */
  check (CHOOSES (c, 0));
  case_free (c);
  c = case_new (kind, GRID * GRID);
  make_scene (c);
  c->task.schedule = SCOPEDETECT_SCHEDULE_THESIS;
  c->task.searches = 3;
  c->task.steps = 100000000;
  c->task.end = scopedetect_now () + .05;
  find (c, &cut);
  check (cut.steps > 0 && cut.steps < c->task.steps);
  c->task.end = 0;
  c->task.stop = cut.steps;
  find (c, &best);
  check (!memcmp (&best, &cut, sizeof best));
  case_free (c);
}

/* ---- CPU and GPU ---- */

/* What the CPU finds, and the GPU does. */
static void
compare (Case *c, Case *other)
{
  ScopedetectAssignment best, same;

  other->task = c->task;
  find (c, &best);
  find (other, &same);
  check (!memcmp (&best, &same, sizeof best));
}

static void
test_hostile (DeviceKind kind)
{
  AUTO (CaseOf) gpu = case_new (kind, 1);

  for (int k = 0; k < HOSTILE; k++) {
    AUTO (CaseOf) c = hostile (DEVICE_CPU, k);

    compare (c, gpu);
    c->task.searches = SCOPEDETECT_MAX_RESTARTS;
    c->task.stop = 1 + (int) rnd (100);
    compare (c, gpu);
  }
}

/* Both schedules on scenes; more steps than one launch. */
static void
test_scenes (DeviceKind kind)
{
  AUTO (CaseOf) gpu = case_new (kind, 1);

  for (int k = 0; k < 4; k++) {
    AUTO (CaseOf) c = case_new (DEVICE_CPU, GRID * GRID);

    make_scene (c);
    c->task.schedule =
        k % 2 ? SCOPEDETECT_SCHEDULE_THESIS : SCOPEDETECT_SCHEDULE_METROPOLIS;
    c->task.steps = k < 2 ? 20000 : 120000;
    compare (c, gpu);
  }
}

/* ---- Figures ---- */

/* The thesis's schedule reaches as much as the test's own, on average. */
static void
test_schedule (DeviceKind kind)
{
  AUTO (CaseOf) c = case_new (kind, GRID * GRID);
  double sum = 0, own = 0;

  make_scene (c);
  c->task.schedule = SCOPEDETECT_SCHEDULE_THESIS;
  c->task.searches = 1;
  c->task.steps = 100000;
  for (c->task.seed = 0; c->task.seed < 16; c->task.seed++) {
    ScopedetectAssignment best;

    find (c, &best);
    check (best.steps == c->task.steps);
    sum += (double) best.energy / SCOPEDETECT_SURE / 1024;
    own += (double) thesis_schedule (&c->task, c->task.steps) /
        SCOPEDETECT_SURE / 1024;
  }
  printf ("     energy %.4f, and %.4f\n", sum / 16, own / 16);
  check_near (sum / own, 1, .04);
}

static double
score (int64_t energy)
{
  return (double) energy / SCOPEDETECT_SURE / 1024;
}

/* Prints what @searches of @steps reach, and how long they take: of one round
 * or, as in the element, of as many as it takes. */
static void
bench_search (Case *c, ScopedetectSchedule schedule, int searches, int steps,
    bool one_round)
{
  static const char *const ways[] = {"metropolis", "thesis"};
  ScopedetectAssignment best;
  double start, took;

  c->task.schedule = schedule;
  c->task.searches = searches;
  c->task.steps = steps;
  c->task.stop = one_round ? steps : INT32_MAX;
  start = seconds ();
  find (c, &best);
  took = seconds () - start;
  printf ("  %s, %4d searches of %7d steps: energy %.4f, %4d agree, %8.2f ms, "
          "%.4g steps/s\n",
      ways[schedule], best.searches, steps, score (best.energy), best.agree,
      1e3 * took, (double) best.searches * steps / took);
}

/* Each patch becomes twelve. */
static void
enlarge (Case *c)
{
  c->task.n_patches = 12 * GRID * GRID;
  for (int i = 0; i < c->task.n_candidates; i++) {
    ScopedetectCandidate small = c->candidate[i], *a = &c->candidate[i];

    *a = (ScopedetectCandidate){.model = small.model, .fit = small.fit};
    for (int p = 0; p < c->task.n_patches; p++)
      if (small.patch[p / 12 / 64] >> p / 12 % 64 & 1)
        scopedetect_take_patch (a, p);
  }
}

/* The searches of the defaults, one round of them and all; few searches of
 * more and more steps; 10^8 steps in more and more searches, and in those of
 * the thesis; on the CPU a fiftieth of them. */
static void
bench_speed (DeviceKind kind)
{
  static const int few[] = {1, 900, 9000, 90000};
  static const int searches[] = {100, 1000, SCOPEDETECT_MAX_RESTARTS};
  int all = kind == DEVICE_CPU ? 2000000 : 100000000;

  for (int k = 0; k < 2; k++) {
    AUTO (CaseOf) c = case_new (kind, GRID * GRID);

    make_scene (c);
    if (k)
      enlarge (c);
    printf ("%s, %d candidates, %d patches\n",
        kind == DEVICE_CPU ? "CPU" : "GPU", c->task.n_candidates,
        c->task.n_patches);
    for (int i = 0; i < 2; i++) {
      search_by_default (c);
      bench_search (
          c, c->task.schedule, c->task.searches, c->task.steps, i == 0);
    }
    for (int i = 0; i < 4; i++)
      bench_search (c, SCOPEDETECT_SCHEDULE_METROPOLIS, 16, few[i], true);
    for (int i = 0; i < 3; i++)
      bench_search (c, SCOPEDETECT_SCHEDULE_METROPOLIS, searches[i],
          all / searches[i], true);
    bench_search (c, SCOPEDETECT_SCHEDULE_THESIS, 50, all / 50, true);
  }
}

#define THESIS_STEPS 2000000 /* of each of 50 searches */

/* How often the search finds the best assignment; and what it reaches on
 * larger scenes beside the thesis's schedule, with the steps of the defaults
 * and with as many as a sixth of the thesis's. */
static void
bench_energy (DeviceKind kind, int scenes)
{
  static const int times[] = {1, 11};
  int higher[2] = {0}, lower[2] = {0};
  double least[2] = {1, 1}, part[2] = {0};

  printf (
      "the best of all in %d of 1000 small scenes\n", count_best (kind, 1000));
  for (int k = 0; k < scenes; k++) {
    AUTO (CaseOf) c = case_new (kind, GRID * GRID);
    ScopedetectAssignment best[2], thesis;

    make_scene (c);
    for (int i = 0; i < 2; i++) {
      search_by_default (c);
      c->task.steps *= times[i];
      find (c, &best[i]);
      part[i] = fmax (part[i],
          (double) best[i].searches * c->task.steps / 50 / THESIS_STEPS);
    }
    c->task.schedule = SCOPEDETECT_SCHEDULE_THESIS;
    c->task.searches = 50;
    c->task.steps = THESIS_STEPS;
    find (c, &thesis);
    for (int i = 0; i < 2; i++) {
      double reached = (double) best[i].energy / (double) thesis.energy;

      higher[i] += best[i].energy > thesis.energy;
      lower[i] += best[i].energy < thesis.energy;
      least[i] = reached < least[i] ? reached : least[i];
    }
  }
  for (int i = 0; i < 2; i++)
    printf (
        "%d scenes of %d candidates, beside the thesis's schedule: higher "
        "in %d, lower in %d, least %.4f of it, in %.4f of its steps at most\n",
        scenes, MAX_CANDIDATES, higher[i], lower[i], least[i], part[i]);
}

static int
bench (int argc, char **argv)
{
  bool speed = argc > 2 && !strcmp (argv[2], "speed");
  bool gpu = !device_cuda_probe ();

  if (speed)
    bench_speed (DEVICE_CPU);
  if (speed && gpu)
    bench_speed (DEVICE_CUDA);
  if (!speed)
    bench_energy (
        gpu ? DEVICE_CUDA : DEVICE_CPU, argc > 2 ? atoi (argv[2]) : 24);
  return check_failures != 0;
}


static const CheckPart parity[] = {PART (hostile), PART (scenes), {NULL, NULL}};

CHECK_MAIN (parity, bench, PART (answers), PART (energy),
    {"all assignments", test_oracle}, PART (thesis), PART (steps),
    PART (repeats), PART (doubtful), PART (extremes), PART (begun),
    PART (schedule))
