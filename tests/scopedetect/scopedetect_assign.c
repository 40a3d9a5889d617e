/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search for the poses that explain a scene together: known answers; all
 * assignments of small scenes, tried one by one; and the schedule of the
 * thesis.  `--bench` tells what a search reaches, and how long it takes. */
#include "check.h"
#include "scopedetect/explain/assign.h"
#include "seconds.h"

#define MODELS 18
#define HYPOTHESES 20
#define GRID 20 /* patches to a side of a made-up scene */
#define MAX_CANDIDATES (MODELS * HYPOTHESES)

typedef struct {
  ScopedetectCandidate candidate[MAX_CANDIDATES];
  uint64_t excludes[MAX_CANDIDATES * ((MAX_CANDIDATES + 63) / 64)];
  ScopedetectAssignTask task;
} Case;

static Case *
case_new (int n_patches)
{
  Case *c = calloc (1, sizeof *c);

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
chooses (const Case *c, const int *wanted)
{
  ScopedetectAssignment best;
  int n = 0;

  scopedetect_assign (&c->task, &best);
  while (wanted[n] >= 0)
    n++;
  return best.n == n && !memcmp (best.chosen, wanted, (size_t) n * sizeof n);
}

#define CHOOSES(c, ...) chooses (c, (const int[]){__VA_ARGS__, -1})

static void
test_answers (DeviceKind kind)
{
  Case *c = case_new (100);

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
  free (c);
}

/* 2.2 by hand: two objects of 10 and 20 patches, of 100, that share 5. */
static void
test_energy (DeviceKind kind)
{
  Case *c = case_new (100);
  int both[] = {add (c, 0, .5, 0, 10), add (c, 1, .75, 5, 25)};
  double fit = .5 * .75 + .75 * .875, explained = .25;
  double overlap = .5 * (.5 + .25), objects = 2 * 307. / 1024;

  check (scopedetect_assign_energy (&c->task, both, 0) == 0);
  check_near ((double) scopedetect_assign_energy (&c->task, both, 2) /
          SCOPEDETECT_SURE / 1024,
      fit + explained - overlap - objects, 1e-6);
  free (c);
}

/* ---- Against all assignments of a small scene ---- */

/* Its energy, counted patch by patch. */
static int64_t
count_energy (const ScopedetectAssignTask *t, const int *chosen, int n)
{
  int64_t sum = 0, explained = 0;
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
    sum += t->weight.fit * a->fit * (2 * size - shared) / (2 * size) -
        t->weight.overlap * SCOPEDETECT_SURE * shared / size -
        t->weight.object * SCOPEDETECT_SURE;
  }
  return sum +
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

static void
test_oracle (DeviceKind kind)
{
  int equal = 0;

  for (int k = 0; k < 100; k++) {
    Case *c = case_new (60);
    ScopedetectAssignment best;
    int chosen[10];

    for (int i = 0; i < 10; i++) {
      int at = (int) rnd (50), n = 1 + (int) rnd (20);

      add (c, i / 3, (20 + rnd (80)) / 100., at, at + n < 60 ? at + n : 60);
    }
    c->task.steps = 2500;
    c->task.weight.unexplained = rnd (4096);
    c->task.weight.overlap = rnd (1024);
    scopedetect_assign (&c->task, &best);
    equal += best.energy == try_all (&c->task, chosen, 0, 0);
    check (best.energy == count_energy (&c->task, best.chosen, best.n));
    free (c);
  }
  check (equal >= 99);
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
  Case *c = case_new (GRID * GRID);
  ScopedetectAssignment best;

  make_scene (c);
  scopedetect_assign (&c->task, &best);
  check (best.energy >= thesis_schedule (&c->task, 300000));
  free (c);
}

/* ---- The same answer ---- */

static void
test_repeats (DeviceKind kind)
{
  Case *c = case_new (GRID * GRID);
  ScopedetectAssignment first, again;

  make_scene (c);
  scopedetect_assign (&c->task, &first);
  parallel_limit (1);
  scopedetect_assign (&c->task, &again);
  parallel_limit (0);
  check (!memcmp (&first, &again, sizeof first));
  check (first.agree >= 1 && first.agree <= c->task.searches);
  for (int i = 0; i < first.n; i++)
    check (first.agree_on[i] >= first.agree);
  free (c);
}

static void
test_extremes (DeviceKind kind)
{
  Case *c = case_new (1);
  ScopedetectAssignment best;

  add (c, 0, 1, 0, 0); /* explains nothing */
  add (c, 1, 1, 0, 1);
  c->task.steps = 1;
  c->task.weight = (ScopedetectAssignWeights){0, 1024, 0, 0};
  scopedetect_assign (&c->task, &best);
  check (best.n == 1 && best.chosen[0] == 1);
  c->task.weight = (ScopedetectAssignWeights){1024000, 1024000, 1024000, 0};
  scopedetect_assign (&c->task, &best);
  check (best.n == 2 && best.energy == 3 * 1024000ll * SCOPEDETECT_SURE);
  free (c);
  c = case_new (SCOPEDETECT_MAX_PATCHES); /* more than may be together */
  for (int i = 0; i < 60; i++)
    add (c, i, 1, 80 * i, 80 * i + 80);
  c->task.steps = 100;
  scopedetect_assign (&c->task, &best);
  check (best.n == SCOPEDETECT_MAX_TOGETHER);
  free (c);
}

/* Begun with some, which stay or not; and stopped, by steps or by the clock. */
static void
test_begun (DeviceKind kind)
{
  Case *c = case_new (100);
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
  free (c);
  c = case_new (GRID * GRID);
  make_scene (c);
  c->task.schedule = SCOPEDETECT_HALVES;
  c->task.searches = 3;
  c->task.steps = 100000000;
  c->task.end = scopedetect_now () + .05;
  scopedetect_assign (&c->task, &cut);
  check (cut.steps > 0 && cut.steps < c->task.steps);
  c->task.end = 0;
  c->task.stop = cut.steps;
  scopedetect_assign (&c->task, &best);
  check (!memcmp (&best, &cut, sizeof best));
  free (c);
}

/* The thesis's schedule reaches as much as the test's own, on average. */
static void
test_schedule (DeviceKind kind)
{
  Case *c = case_new (GRID * GRID);
  double sum = 0, own = 0;

  make_scene (c);
  c->task.schedule = SCOPEDETECT_HALVES;
  c->task.searches = 1;
  c->task.steps = 100000;
  for (c->task.seed = 0; c->task.seed < 16; c->task.seed++) {
    ScopedetectAssignment best;

    scopedetect_assign (&c->task, &best);
    check (best.steps == c->task.steps);
    sum += (double) best.energy / SCOPEDETECT_SURE / 1024;
    own += (double) thesis_schedule (&c->task, c->task.steps) /
        SCOPEDETECT_SURE / 1024;
  }
  printf ("     energy %.4f, and %.4f\n", sum / 16, own / 16);
  check_near (sum / own, 1, .04);
  free (c);
}

/* As in the thesis: 50 searches of two million steps. */
static void
bench_thesis (Case *c, int scene)
{
  double start = seconds ();
  ScopedetectAssignment best;

  c->task.schedule = SCOPEDETECT_HALVES;
  c->task.searches = 50;
  c->task.steps = 2000000;
  scopedetect_assign (&c->task, &best);
  printf ("scene %d, the thesis's schedule: energy %.4f, %2d agree, %.1f s\n",
      scene, (double) best.energy / SCOPEDETECT_SURE / 1024, best.agree,
      seconds () - start);
}

/* What a search reaches, and how long it takes, for more and more steps; and
 * what the thesis's schedule reaches. */
static int
bench (int argc, char **argv)
{
  for (int k = 0; k < 5; k++) {
    Case *c = case_new (GRID * GRID);

    make_scene (c);
    for (c->task.steps = 1000; c->task.steps <= 100000; c->task.steps *= 10) {
      double start = seconds ();
      ScopedetectAssignment best;

      scopedetect_assign (&c->task, &best);
      printf ("scene %d, %d searches of %6d steps: energy %.4f, %2d agree, "
              "%.3f s\n",
          k, c->task.searches, c->task.steps,
          (double) best.energy / SCOPEDETECT_SURE / 1024, best.agree,
          seconds () - start);
    }
    bench_thesis (c, k);
    free (c);
  }
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"answers", test_answers},
    {"energy", test_energy}, {"all assignments", test_oracle},
    {"thesis", test_thesis}, {"repeats", test_repeats},
    {"extremes", test_extremes}, {"begun", test_begun},
    {"schedule", test_schedule}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, NULL, bench);
}
