/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The quality of weights, and the search for better ones: controlled random
 * search with local mutation (P. Kaelo, M. M. Ali, 2006: CRS2), by NLopt. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "common/random.h"
#include "train.h"

/* ---- Counts ---- */

typedef struct {
  const Train *t;
  const ScopedetectParams *params;
  TrainPart part;
  TrainGiven given;
  bool first;
  int n;
  TrainCount *count, *held; /* of each record; twice as many for TRAIN_BOTH */
} Counting;

/* Whether model @m is searched if only @half of them are given. */
static bool
is_given (const TrainRecord *r, int m, bool half)
{
  return !half || random_below (r->key, 100 + (uint64_t) r->by->model[m], 2);
}

static void
count_record (const Counting *c, const TrainRecord *r, bool half,
    TrainCount *count, TrainCount *held)
{
  int chosen[SCOPEDETECT_MAX_CHOSEN], n, n_poses;
  const ScopedetectRecorded *pose =
      scopedetect_record_poses (r->record, &n_poses);
  bool given[TRAIN_MODELS] = {false}, found[TRAIN_OBJECTS] = {false};

  for (int m = 0; m < r->by->n; m++)
    given[m] = is_given (r, m, half);
  n = scopedetect_record_explain (
      r->record, c->params, given, c->first, chosen);
  for (int i = 0; i < n; i++) {
    int right = r->right[chosen[i]];

    if (pose[chosen[i]].score < c->params->min_score)
      continue;
    count->told++;
    if (right >= 0 && !found[right])
      found[right] = true, count->right++;
  }
  for (int k = 0; k < r->n_truth; k++) {
    bool is_wanted = r->wanted[k] && given[r->model[k]];

    count->wanted += is_wanted;
    count->found += is_wanted && found[k];
    held->wanted += is_wanted && r->held[k];
    held->found += is_wanted && r->held[k] && found[k];
  }
}

static void
count_some (void *data, int begin, int end)
{
  const Counting *c = data;

  for (int i = begin; i < end; i++) {
    const TrainRecord *r = &c->t->record[i / 2];
    bool half = i % 2;

    if (r->part == c->part &&
        (c->given == TRAIN_BOTH || half == (c->given == TRAIN_HALF)))
      count_record (c, r, half, &c->count[i], &c->held[i]);
  }
}

static void
add_train_count (TrainCount *sum, const TrainCount *c)
{
  sum->wanted += c->wanted, sum->found += c->found;
  sum->told += c->told, sum->right += c->right;
}

TrainCount
train_count (const Train *t, TrainPart part, TrainGiven given,
    const ScopedetectParams *params, bool first, TrainCount *held)
{
  Counting c = {t, params, part, given, first, 2 * t->n_records, NULL, NULL};
  TrainCount sum = {0, 0, 0, 0};

  c.count = calloc ((size_t) c.n + 1, sizeof *c.count);
  c.held = calloc ((size_t) c.n + 1, sizeof *c.held);
  if (c.count && c.held)
    parallel_for (c.n, 1, count_some, &c);
  *held = sum;
  for (int i = 0; c.count && c.held && i < c.n; i++)
    add_train_count (&sum, &c.count[i]), add_train_count (held, &c.held[i]);
  free (c.count);
  free (c.held);
  return sum;
}

static double
share_of (int part, int all)
{
  return all ? (double) part / all : 0;
}

double
train_worth (const TrainCount *c)
{
  return share_of (c->right, c->told) + share_of (c->found, c->wanted);
}

/* The lower end of the 95 % interval of a share (E. B. Wilson, 1927): a few
 * parts that are all right prove less than many that are nearly all right. */
static double
sure_share (int part, int all)
{
  const double z2 = 1.96 * 1.96;
  double n = all, p = share_of (part, all);

  if (!all)
    return 0;
  return (p + z2 / (2 * n) - sqrt (z2 * (p * (1 - p) / n + z2 / (4 * n * n)))) /
      (1 + z2 / n);
}

/* ---- Sets of weights ---- */

typedef struct {
  const char *name;
  size_t at; /* of the field */
  double max;
} Weight;

#define FIELD(name, field, max) \
 { \
  name, offsetof (ScopedetectParams, field), max \
 }
#define PART(name, part) FIELD (name, weight[SCOPEDETECT_##part], 4)

/* Only ratios matter.  So weight-fit is not changed, nor weight-xyz among the
 * parts of the score, nor first-weight-unexplained in stage 1, which ignores
 * unexplained points (2.3). */
static const Weight of_score[] = {PART ("weight-normal", NORMAL),
    PART ("weight-visibility", VISIBILITY), PART ("weight-edge", EDGE),
    PART ("weight-edge-visibility", EDGE_VISIBILITY),
    PART ("weight-lightness", LIGHTNESS), PART ("weight-colour-a", COLOUR_A),
    PART ("weight-colour-b", COLOUR_B), PART ("weight-table", TABLE)};
static const Weight of_first[] = {
    FIELD ("first-weight-overlap", first_weight_overlap, 2),
    FIELD ("first-weight-object", first_weight_object, 1)};
static const Weight of_second[] = {
    FIELD ("weight-unexplained", weight_unexplained, 2),
    FIELD ("weight-overlap", weight_overlap, 2),
    FIELD ("weight-object", weight_object, 1)};

#define N_OF(list) ((int) (sizeof (list) / sizeof *(list)))

static double *
weight_field (ScopedetectParams *p, const Weight *w)
{
  return (double *) (void *) ((char *) p + w->at);
}

/* Weights in thousandths, so that the written weights are those that were
 * tried. */
static double
round_weight (double x)
{
  return floor (1000 * x + .5) / 1000;
}

/* ---- The search ---- */

typedef double (*Worth) (const Train *t, const ScopedetectParams *p);

/* For each n, the part of the models of which one of the first n poses is
 * right; summed. */
static double
worth_of_score (const Train *t, const ScopedetectParams *params)
{
  static const int first[] = {1, 2, 5, 10, 20};
  ScopedetectParams p = *params;
  int found = 0, wanted = 0;

  for (int i = 0; i < t->n_records * N_OF (first); i++) {
    const TrainRecord *r = &t->record[i / N_OF (first)];
    bool has[TRAIN_OBJECTS] = {false};
    int *number, n;

    if (r->part != TRAIN_LEARN ||
        !(number = malloc (sizeof *number * ((size_t) r->n_poses + 1))))
      continue;
    p.candidates = first[i % N_OF (first)];
    n = scopedetect_record_candidates (r->record, &p, NULL, number);
    for (int k = 0; k < n; k++)
      if (r->right[number[k]] >= 0)
        has[r->right[number[k]]] = true;
    for (int k = 0; k < r->n_truth; k++)
      wanted += r->wanted[k], found += r->wanted[k] && has[k];
    free (number);
  }
  return share_of (found, wanted);
}

static double
worth_of_first (const Train *t, const ScopedetectParams *p)
{
  TrainCount held, c = train_count (t, TRAIN_LEARN, TRAIN_BOTH, p, true, &held);

  return sure_share (c.right, c.told);
}

static double
worth_of_second (const Train *t, const ScopedetectParams *p)
{
  TrainCount held,
      c = train_count (t, TRAIN_LEARN, TRAIN_BOTH, p, false, &held);

  return train_worth (&c);
}

typedef struct {
  const Train *t;
  const char *name;
  Worth worth;
  const Weight *weight;
  int n, done, all;
  ScopedetectParams params; /* with the weights on trial */
  double before[8], best;
} Search;

/* Among equally good weights, those nearest to the first weights are chosen. */
#define NEARER 1e-6

static double
worth_of_trial (unsigned n, const double *x, double *gradient, void *data)
{
  Search *s = data;
  double worth, far = 0;

  (void) gradient;
  for (unsigned i = 0; i < n; i++) {
    double d = (round_weight (x[i]) - s->before[i]) / s->weight[i].max;

    *weight_field (&s->params, &s->weight[i]) = round_weight (x[i]);
    far += d * d;
  }
  worth = s->worth (s->t, &s->params) - NEARER * far;
  s->best = worth > s->best ? worth : s->best;
  s->done++;
  fprintf (stderr, "\r%s: %d of %d, best %.4f%s", s->name, s->done, s->all,
      s->best, s->done < s->all ? "" : "\n");
  return worth;
}

/* Steps of each search for an explanation while weights are tried, an eightieth
 * of all steps; the final figures are with all steps. */
#define RESTARTS 2
#define STEPS 25

/* The seed is set before each search, so that the same search follows. */
static const char *
search_weights (Search *s, ScopedetectParams *p)
{
  nlopt_opt crs = nlopt_create (NLOPT_GN_CRS2_LM, (unsigned) s->n);
  double x[8], low[8] = {0}, high[8], worth;
  nlopt_result why = NLOPT_OUT_OF_MEMORY;

  for (int i = 0; i < s->n; i++) {
    x[i] = s->before[i] = *weight_field (p, &s->weight[i]);
    high[i] = s->weight[i].max > x[i] ? s->weight[i].max : x[i];
  }
  s->params = *p;
  s->params.restarts = RESTARTS;
  s->params.explain_steps = STEPS;
  s->best = -1;
  nlopt_srand ((unsigned long) s->t->seed + 1);
  if (crs) {
    nlopt_set_max_objective (crs, worth_of_trial, s);
    nlopt_set_lower_bounds (crs, low);
    nlopt_set_upper_bounds (crs, high);
    nlopt_set_maxeval (crs, s->all);
    why = nlopt_optimize (crs, x, &worth);
    nlopt_destroy (crs);
  }
  if (s->done < s->all)
    fprintf (stderr, "\n");
  if (why < 0)
    return "the search for weights failed: out of memory?";
  for (int i = 0; i < s->n; i++)
    *weight_field (p, &s->weight[i]) = round_weight (x[i]);
  return NULL;
}

const char *
train_weights (
    const Train *t, ScopedetectParams *p, bool with_score, int evaluations)
{
  Search score = {.t = t,
      .name = "weights of the score, right poses among the first",
      .worth = worth_of_score,
      .weight = of_score,
      .n = N_OF (of_score),
      .all = evaluations};
  Search first = {.t = t,
      .name = "weights of stage 1, precision at least",
      .worth = worth_of_first,
      .weight = of_first,
      .n = N_OF (of_first),
      .all = evaluations};
  Search second = {.t = t,
      .name = "weights of the choice, precision + recall",
      .worth = worth_of_second,
      .weight = of_second,
      .n = N_OF (of_second),
      .all = evaluations};

  if (with_score)
    TRY (search_weights (&score, p));
  if (p->explain == SCOPEDETECT_TWO_STAGE)
    TRY (search_weights (&first, p));
  return search_weights (&second, p);
}

/* ---- The preset ---- */

static int
print_weight_set (char *to, size_t room, const Weight *w, int n,
    const ScopedetectParams *params)
{
  ScopedetectParams p = *params;
  int at = 0;

  for (int i = 0; i < n; i++) {
    int thousandths = (int) (1000 * *weight_field (&p, &w[i]) + .5);

    at += snprintf (to + at, room - (size_t) at, "%s=%d.%03d\n", w[i].name,
        thousandths / 1000, thousandths % 1000);
  }
  return at;
}

/* GStreamer adds the element's own presets to a file with an older version. */
#define OLDEST "0.0.0"

char *
train_preset (const ScopedetectParams *p, bool with_score, const char *name,
    const char *comment)
{
  const size_t room = 4096;
  char *text = malloc (room);
  bool two = p->explain == SCOPEDETECT_TWO_STAGE;
  size_t at;

  if (!text)
    return NULL;
  at = (size_t) snprintf (text, room,
      "[_presets_]\nversion=" OLDEST
      "\nelement-name=GstScopedetect\n\n[%.64s]\n"
      "_meta/comment=%s\nexplain=%s\n",
      name, comment, two ? "two-stage" : "one-stage");
  if (with_score)
    at += (size_t) print_weight_set (
        text + at, room - at, of_score, N_OF (of_score), p);
  if (two)
    at += (size_t) print_weight_set (
        text + at, room - at, of_first, N_OF (of_first), p);
  print_weight_set (text + at, room - at, of_second, N_OF (of_second), p);
  return text;
}
