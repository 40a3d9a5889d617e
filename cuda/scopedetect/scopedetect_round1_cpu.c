/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 as loops: nearest features, hypotheses, clusters. */
#include <stdlib.h>

#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_round1.h"

/* The K nearest features of the model, of equally near ones those with the
 * smaller numbers. */
static void
nearest (const ScopedetectShape *s, const int16_t *code, int k, uint16_t *out)
{
  int best[SCOPEDETECT_MAX_NEIGHBOURS], n = 0;

  for (int j = 0; j < s->n; j++) {
    int d = scopedetect_code_distance (
            code, s->code + (size_t) j * SCOPEDETECT_CODE),
        at;

    if (n == k && d >= best[n - 1])
      continue;
    at = n < k ? n++ : n - 1;
    for (; at > 0 && best[at - 1] > d; at--)
      best[at] = best[at - 1], out[at] = out[at - 1];
    best[at] = d, out[at] = (uint16_t) j;
  }
  for (; n < k; n++)
    out[n] = UINT16_MAX;
}

const char *
scopedetect_match_cpu (const Device *dev, ScopedetectWork *w)
{
  int k = w->params.neighbours;

  (void) dev;
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < w->n_models * w->n_queries; i++) {
    int m = i / w->n_queries, q = i % w->n_queries;
    uint16_t *out =
        w->neighbour + ((size_t) m * w->room_queries + (size_t) q) * k;

    nearest (&w->model[m],
        w->cloud.code + (size_t) scopedetect_query (w, q) * SCOPEDETECT_CODE, k,
        out);
  }
  return NULL;
}

/* All hypotheses of a model, each looked at with few points. */
static void
check_all (ScopedetectWork *w, int m, int16_t *check)
{
  int k = w->params.neighbours, n = w->n_queries * k * 2;
  const uint16_t *near = w->neighbour + (size_t) m * w->room_queries * k;
  const ScopedetectShape *s = &w->model[m];
  int few = s->n < SCOPEDETECT_FEW ? s->n : SCOPEDETECT_FEW;

#pragma omp parallel for schedule(dynamic, 256)
  for (int id = 0; id < n; id++)
    check[id] = near[id / 2] == UINT16_MAX
        ? INT16_MIN
        : (int16_t) scopedetect_agreement (&w->scene, s,
              scopedetect_hypothesis (w, m, (uint32_t) id), few,
              (float) w->params.tolerance);
}

/* The least score that so many have, by counting. */
static int
threshold (int *count, const int16_t *check, int n, int wanted, int *of_least)
{
  int sum = 0, at = SCOPEDETECT_SCORES - 1;

  memset (count, 0, SCOPEDETECT_SCORES * sizeof *count);
  for (int i = 0; i < n; i++)
    count[check[i] - INT16_MIN]++;
  while (at > 1 && sum + count[at] < wanted)
    sum += count[at--];
  *of_least = wanted - sum;
  return at + INT16_MIN;
}

/* Round 1 at random: draws samples from nearest features. */
static void
draw (ScopedetectWork *w)
{
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int n = 0;
    uint32_t id;

    for (int q = 0; q < w->n_queries && n < w->params.samples; q++)
      if (scopedetect_draw (w, m, q, &id)) {
        out[n].id = id;
        out[n].score = 0;
        out[n++].pose = scopedetect_hypothesis (w, m, id);
      }
    w->counts->n_samples[m] = n;
  }
}

const char *
scopedetect_choose_cpu (const Device *dev, ScopedetectWork *w)
{
  int n = w->n_queries * w->params.neighbours * 2;

  (void) dev;
  if (w->params.random) {
    draw (w);
    return NULL;
  }
  for (int m = 0; m < w->n_models; m++) {
    int16_t *check =
        w->check + (size_t) m * w->room_queries * w->params.neighbours * 2;
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int least, of_least = 0, kept = 0;

    check_all (w, m, check);
    least = threshold (((ScopedetectCpu *) w->state)->count, check, n,
        w->params.kept, &of_least);
    for (int id = 0; id < n && kept < w->params.kept; id++)
      if (check[id] > least ||
          (check[id] == least && check[id] > INT16_MIN && of_least-- > 0)) {
        out[kept].id = (uint32_t) id;
        out[kept].score = check[id];
        out[kept++].pose = scopedetect_hypothesis (w, m, (uint32_t) id);
      }
    w->counts->n_samples[m] = kept;
  }
  return NULL;
}

static int
free_score (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose p, int n)
{
  ScopedetectTurn r = scopedetect_turn (p.q);
  int free = 0;

  for (int i = 0; i < n; i++)
    free += scopedetect_is_free (w, scopedetect_apply (&r, p.t, s->x[i]));
  return scopedetect_free_score (w, free, n);
}

const char *
scopedetect_verify_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    const ScopedetectShape *s = &w->model[m];
    int n = s->n < w->params.points ? s->n : w->params.points;

#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < w->counts->n_samples[m]; i++)
      out[i].score = w->params.random
          ? free_score (w, s, out[i].pose, n)
          : scopedetect_agreement (
                &w->scene, s, out[i].pose, n, (float) w->params.tolerance);
  }
  scopedetect_order_cpu (w);
  return NULL;
}

static int
compare (const void *a, const void *b)
{
  const ScopedetectSample *p = a, *q = b;

  return scopedetect_before (p->score, p->id, q->score, q->id) ? -1 : 1;
}

void
scopedetect_order_cpu (ScopedetectWork *w)
{
#pragma omp parallel for schedule(dynamic)
  for (int m = 0; m < w->n_models; m++)
    qsort (w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT,
        (size_t) w->counts->n_samples[m], sizeof *w->sample, compare);
}

const char *
scopedetect_cluster_cpu (const Device *dev, ScopedetectWork *w, int most)
{
  float d = (float) w->params.cluster_distance, d2 = d * d;
  float c = (float) cos (w->params.cluster_angle / 2 * .017453292519943295);

  (void) dev;
#pragma omp parallel for schedule(dynamic)
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *s = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int kept = 0;

    for (int i = 0; i < w->counts->n_samples[m] && kept < most; i++) {
      int k = 0;

      if (s[i].score == SCOPEDETECT_DROPPED && kept)
        break; /* they are last; one is kept whatever it is (1.2.1) */
      while (k < kept &&
          !scopedetect_alike (&w->model[m], s[i].pose, s[k].pose, d2, c))
        k++;
      if (k == kept)
        s[kept++] = s[i];
    }
    w->counts->n_samples[m] = kept;
  }
  return NULL;
}
