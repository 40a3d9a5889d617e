/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fits of scopedetect: logistic regressions that tell right poses from wrong
 * ones, by poses of labelled scenes; and how good they are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train.h"

#define POSES 2   /* of each model and search that examples are made of */
#define FOLDS 5   /* of scenes; a fold is judged by a fit of the others */
#define RIDGE 1.  /* weight of the squares of the weights */
#define STEPS 100 /* of Newton's method, at most */

#define MAX_TERMS SCOPEDETECT_N_TERMS

/* A pose, or the best pose of a model by its score. */
typedef struct {
  int scene, model;
  bool right;
  double term[MAX_TERMS];
} Example;

/* Examples, and what a fit of them says of each. */
typedef struct {
  int n, n_terms;
  Example *of;
  double *odds; /* natural logarithms */
} Examples;

/* ---- Examples ---- */

static int
count_poses (const Train *t)
{
  int n = 0;

  for (int i = 0; i < t->n_records; i++)
    n += t->record[i].n_poses;
  return n;
}

/* Fills @e with the poses, which explain something, of the records of the
 * report, or of all others;
 * @alone: with the best pose of each model, and the terms of its score. */
static bool
fill_examples (const Train *t, bool is_report, bool alone, Examples *e)
{
  size_t room = (size_t) count_poses (t) + 1;

  *e = (Examples){.n_terms = alone ? SCOPEDETECT_N_ALONE : SCOPEDETECT_N_TERMS};
  e->of = calloc (room, sizeof *e->of);
  e->odds = calloc (room, sizeof *e->odds);
  if (!e->of || !e->odds)
    return false;
  for (int i = 0; i < t->n_records; i++) {
    const TrainRecord *r = &t->record[i];
    int n;
    const ScopedetectRecorded *pose = scopedetect_record_poses (r->record, &n);

    for (int k = 0; k < n; k++) {
      Example *to = &e->of[e->n];

      if ((r->part == TRAIN_REPORT) != is_report ||
          pose[k].rank >= (alone ? 1 : POSES) ||
          pose[k].term[SCOPEDETECT_TERM_AREA] <= 0 ||
          (alone && pose[k].term[SCOPEDETECT_TERM_SECOND] > 0))
        continue;
      to->scene = r->scene;
      to->model = r->by->model[pose[k].model];
      to->right = r->right[k] >= 0;
      memcpy (to->term, alone ? pose[k].alone : pose[k].term,
          (size_t) e->n_terms * sizeof *to->term);
      e->n++;
    }
  }
  return true;
}

static void
free_examples (Examples *e)
{
  free (e->of);
  free (e->odds);
}

/* ---- Regression ---- */

/* Examples that are left out: those of a fold of the scenes, or of a model; and
 * a term that is left out. -1: none. */
typedef struct {
  int fold, model, term;
} Without;

static const Without all_examples = {-1, -1, -1};

static bool
is_left_out (const Example *e, const Without *w)
{
  return e->scene % FOLDS == w->fold || e->model == w->model;
}

/* Means and deviations of the terms, so that all weigh alike in the ridge. The
 * constant, and a term that does not vary, has a deviation of 0. */
typedef struct {
  double mean[MAX_TERMS], deviation[MAX_TERMS];
} Scale;

static Scale
scale_of_terms (const Examples *e, const Without *w)
{
  Scale s = {{0}, {0}};
  int n = 0;

  for (int i = 0; i < e->n; i++) {
    if (is_left_out (&e->of[i], w))
      continue;
    n++;
    for (int k = 0; k < e->n_terms; k++)
      s.mean[k] += e->of[i].term[k];
  }
  for (int k = 0; k < e->n_terms; k++)
    s.mean[k] /= n ? n : 1;
  for (int i = 0; i < e->n; i++)
    for (int k = 0; k < e->n_terms; k++) {
      double d = e->of[i].term[k] - s.mean[k];

      s.deviation[k] += is_left_out (&e->of[i], w) ? 0 : d * d;
    }
  for (int k = 0; k < e->n_terms; k++)
    s.deviation[k] = k == w->term ? 0 : sqrt (s.deviation[k] / (n ? n : 1));
  return s;
}

static void
scale_terms (const Examples *e, const Scale *s, int i, double x[MAX_TERMS])
{
  x[0] = 1;
  for (int k = 1; k < e->n_terms; k++)
    x[k] = s->deviation[k] > 0
        ? (e->of[i].term[k] - s->mean[k]) / s->deviation[k]
        : 0;
}

/* The logarithm of 1 + exp (x), without overflow. */
static double
soft_plus (double x)
{
  return x > 0 ? x + log1p (exp (-x)) : log1p (exp (x));
}

/* The loss of the scaled weights @w, to be made small, with its gradient and
 * the lower triangle of its second derivatives. */
static double
loss_of_weights (const Examples *e, const Without *without, const Scale *s,
    const double *w, double gradient[MAX_TERMS],
    double second[MAX_TERMS][MAX_TERMS])
{
  double loss = 0, x[MAX_TERMS];

  memset (second, 0, MAX_TERMS * sizeof *second);
  memset (gradient, 0, MAX_TERMS * sizeof *gradient);
  for (int k = 0; k < e->n_terms; k++) {
    double ridge = k ? RIDGE : 1e-9;

    loss += ridge * w[k] * w[k] / 2;
    gradient[k] = ridge * w[k];
    second[k][k] = ridge;
  }
  for (int i = 0; i < e->n; i++) {
    double odds, p;

    if (is_left_out (&e->of[i], without))
      continue;
    scale_terms (e, s, i, x);
    odds = scopedetect_log_odds (w, x, e->n_terms);
    p = 1 / (1 + exp (-odds));
    loss += soft_plus (e->of[i].right ? -odds : odds);
    for (int k = 0; k < e->n_terms; k++) {
      gradient[k] += (p - e->of[i].right) * x[k];
      for (int j = 0; j <= k; j++)
        second[k][j] += p * (1 - p) * x[k] * x[j];
    }
  }
  return loss;
}

/* Solves @a x = @b for the lower triangle of a positive definite @a, of @n
 * rows; x to @b. */
static void
solve_positive (double a[MAX_TERMS][MAX_TERMS], double *b, int n)
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = a[i][j];

      for (int k = 0; k < j; k++)
        sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? sqrt (sum) : sum / a[j][j];
    }
    for (int k = 0; k < i; k++)
      b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
}

/* Sets @weight to the weights with the least loss, by Newton's method, whose
 * step is halved until the loss falls. */
static void
regress (const Examples *e, const Without *without, double *weight)
{
  Scale s = scale_of_terms (e, without);
  double w[MAX_TERMS] = {0}, next[MAX_TERMS], part = 1;
  double step[MAX_TERMS], gradient[MAX_TERMS], second[MAX_TERMS][MAX_TERMS];
  double loss = loss_of_weights (e, without, &s, w, step, second);

  solve_positive (second, step, e->n_terms);
  for (int i = 0; i < STEPS && part > 1e-6; i++) {
    double trial;

    for (int k = 0; k < e->n_terms; k++)
      next[k] = w[k] - part * step[k];
    trial = loss_of_weights (e, without, &s, next, gradient, second);
    if (!(trial < loss)) {
      part /= 2;
      continue;
    }
    loss = trial;
    part = 1;
    memcpy (w, next, sizeof w);
    memcpy (step, gradient, sizeof step);
    solve_positive (second, step, e->n_terms);
  }
  weight[0] = w[0];
  for (int k = 1; k < e->n_terms; k++) {
    weight[k] = s.deviation[k] > 0 ? w[k] / s.deviation[k] : 0;
    weight[0] -= weight[k] * s.mean[k];
  }
}

/* ---- Quality ---- */

typedef struct {
  double right, odds;
} Judged;

static int
by_odds (const void *a, const void *b)
{
  double x = ((const Judged *) a)->odds, y = ((const Judged *) b)->odds;

  return (x > y) - (x < y);
}

/* The probability that, of a right pose and a wrong pose, the right one has
 * higher odds; @j ascends. */
static double
area_under_odds (const Judged *j, int n)
{
  double wrong = 0, right = 0, pairs = 0;

  for (int i = 0, end; i < n; i = end) {
    double same = 0, same_right = 0;

    for (end = i; end < n && j[end].odds == j[i].odds; end++)
      same++, same_right += j[end].right;
    pairs += same_right * (wrong + (same - same_right) / 2);
    wrong += same - same_right, right += same_right;
  }
  return right > 0 && wrong > 0 ? pairs / (right * wrong) : NAN;
}

#define BINS 10

/* The difference between probabilities and the part of right poses, on average
 * over ten parts with as many poses; @j ascends. */
static double
calibration_of (const Judged *j, int n)
{
  double sum = 0;

  for (int k = 0; k < BINS; k++) {
    double off = 0;

    for (int i = k * n / BINS; i < (k + 1) * n / BINS; i++)
      off += 1 / (1 + exp (-j[i].odds)) - j[i].right;
    sum += fabs (off);
  }
  return sum / n;
}

/* Prints a row of the table: what e->odds are worth. */
static void
print_odds (const Examples *e, const char *name, const char *of)
{
  Judged *j = malloc (((size_t) e->n + 1) * sizeof *j);
  double entropy = 0;
  int right = 0;

  if (!j || !e->n) {
    free (j);
    return;
  }
  for (int i = 0; i < e->n; i++) {
    j[i] = (Judged){e->of[i].right, e->odds[i]};
    entropy += soft_plus (e->of[i].right ? -e->odds[i] : e->odds[i]);
    right += e->of[i].right;
  }
  qsort (j, (size_t) e->n, sizeof *j, by_odds);
  printf ("| %s%s | %d of %d | %.4f | %.4f | %.3f |\n", name, of, right, e->n,
      entropy / e->n, area_under_odds (j, e->n), calibration_of (j, e->n));
  free (j);
}

static void
judge_by (Examples *e, const double *weight)
{
  for (int i = 0; i < e->n; i++)
    e->odds[i] = scopedetect_log_odds (weight, e->of[i].term, e->n_terms);
}

/* Judges each fold of the scenes, or each model, by a fit of the others,
 * without @term. */
static void
judge_across (const Train *t, Examples *e, bool by_model, int term)
{
  int n = by_model ? t->n_models : FOLDS;

  for (int k = 0; k < n; k++) {
    Without w = {by_model ? -1 : k, by_model ? k : -1, term};
    double weight[MAX_TERMS];

    regress (e, &w, weight);
    for (int i = 0; i < e->n; i++)
      if (is_left_out (&e->of[i], &w))
        e->odds[i] = scopedetect_log_odds (weight, e->of[i].term, e->n_terms);
  }
}

static void
print_terms (const Train *t, Examples *e)
{
  judge_across (t, e, false, -1);
  print_odds (e, "other scenes than the fit's", "");
  judge_across (t, e, true, -1);
  print_odds (e, "another model than the fit's", "");
  for (int k = 1; k < SCOPEDETECT_N_TERMS; k++) {
    judge_across (t, e, false, k);
    print_odds (e, "other scenes, without ", scopedetect_term_names[k]);
  }
}

/* ---- The fit ---- */

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Prints the median of term @k of the right poses, or of the wrong ones, and
 * the range of its middle eight tenths. */
static void
print_median (const Examples *e, int k, bool right, double *value)
{
  int n = 0;

  for (int i = 0; i < e->n; i++)
    if (e->of[i].right == right)
      value[n++] = e->of[i].term[k];
  qsort (value, (size_t) n, sizeof *value, by_value);
  printf (" %.4g (%.4g to %.4g) |", value[n / 2], value[n / 10],
      value[n - 1 - n / 10]);
}

/* Prints the weights of the terms, and what the terms are in right poses and
 * in wrong ones. */
static void
print_weights (const Examples *e, const double *before, const double *weight)
{
  double *value = malloc ((size_t) e->n * sizeof *value);

  printf ("| term | built-in weight | new | in right poses, median (10 to 90 "
          "%%) | in wrong poses |\n| --- | --- | --- | --- | --- |\n");
  for (int k = 0; value && k < e->n_terms; k++) {
    printf ("| %s | %.3f | %.3f |", scopedetect_term_names[k], before[k],
        weight[k]);
    print_median (e, k, true, value);
    print_median (e, k, false, value);
    printf ("\n");
  }
  printf ("\n");
  free (value);
}

/* Learns @weight, and prints its quality in the scenes of the report. */
static const char *
learn_weights (const Train *t, bool alone, const double *before, double *weight)
{
  Examples learn = {0}, report = {0};
  bool filled = fill_examples (t, false, alone, &learn) &&
      fill_examples (t, true, alone, &report);
  int right = 0;

  for (int i = 0; i < learn.n; i++)
    right += learn.of[i].right;
  if (filled && right && right < learn.n) {
    regress (&learn, &all_examples, weight);
    if (!alone)
      print_weights (&learn, before, weight);
    printf ("| %s | right of | cross entropy | area under the curve | "
            "calibration error |\n| --- | --- | --- | --- | --- |\n",
        alone ? "by the score alone" : "by all terms");
    if (!alone)
      print_terms (t, &learn);
    judge_by (&report, before);
    print_odds (&report, "the built-in fit in the report's scenes", "");
    judge_by (&report, weight);
    print_odds (&report, "the new fit there", "");
    printf ("\n");
  }
  free_examples (&learn);
  free_examples (&report);
  return !filled                 ? "out of memory"
      : right && right < learn.n ? NULL
                                 : "all poses in the scenes are right, or all "
                                   "are wrong, so that nothing tells them "
                                   "apart";
}

const char *
train_fit (const Train *t, ScopedetectFit *fit)
{
  ScopedetectFit before = scopedetect_fit_shipped ();

  TRY (learn_weights (t, false, before.term, fit->term));
  return learn_weights (t, true, before.alone, fit->alone);
}
