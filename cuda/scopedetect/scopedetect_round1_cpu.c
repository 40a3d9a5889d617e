/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 as loops: nearest features, hypotheses, clusters. */
#include <stdlib.h>

#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_round1_core.h"

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

/* Every query against every model. */
static void
match_queries (void *data, int begin, int end)
{
  const ScopedetectWork *w = data;
  int k = w->params.neighbours;

  for (int i = begin; i < end; i++) {
    int m = i / w->n_queries, q = i % w->n_queries;
    uint16_t *out =
        w->neighbour + ((size_t) m * w->room_queries + (size_t) q) * k;

    nearest (&w->model[m],
        w->cloud.code + (size_t) scopedetect_query (w, q) * SCOPEDETECT_CODE, k,
        out);
  }
}

const char *
scopedetect_match_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  parallel_for (w->n_models * w->n_queries, 16, match_queries, w);
  return NULL;
}

/* All hypotheses of a model, each looked at with few points. */
typedef struct {
  const ScopedetectWork *w;
  int m;
  int16_t *score; /* of each hypothesis */
} Check;

static void
check_hypotheses (void *data, int begin, int end)
{
  const Check *c = data;
  const ScopedetectWork *w = c->w;
  const uint16_t *near =
      w->neighbour + (size_t) c->m * w->room_queries * w->params.neighbours;
  const ScopedetectShape *s = &w->model[c->m];
  int few = s->n < SCOPEDETECT_FEW ? s->n : SCOPEDETECT_FEW;

  for (int id = begin; id < end; id++)
    c->score[id] = near[id / 2] == UINT16_MAX
        ? INT16_MIN
        : (int16_t) scopedetect_agreement (&w->scene, s,
              scopedetect_hypothesis_pose (w, c->m, (uint32_t) id), few,
              (float) w->params.tolerance);
}

/* The lowest of the best scores, of a given number, by counting. */
static int
threshold (int *count, const int16_t *check, int n, int wanted, int *of_min)
{
  int sum = 0, at = SCOPEDETECT_SCORES - 1;

  memset (count, 0, SCOPEDETECT_SCORES * sizeof *count);
  for (int i = 0; i < n; i++)
    count[check[i] - INT16_MIN]++;
  while (at > 1 && sum + count[at] < wanted)
    sum += count[at--];
  *of_min = wanted - sum;
  return at + INT16_MIN;
}

/* Round 1 at random: draws hypotheses from nearest features. */
static void
draw (ScopedetectWork *w)
{
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectHypothesis *out =
        w->hypothesis + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int n = 0;
    uint32_t id;

    for (int q = 0; q < w->n_queries && n < w->params.samples; q++)
      if (scopedetect_draw (w, m, q, &id)) {
        out[n].id = id;
        out[n].score = 0;
        out[n++].pose = scopedetect_hypothesis_pose (w, m, id);
      }
    w->counts->n_hypotheses[m] = n;
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
    ScopedetectHypothesis *out =
        w->hypothesis + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int min_score, of_min = 0, kept = 0;

    parallel_for (n, 256, check_hypotheses, &(Check){w, m, check});
    min_score = threshold (((ScopedetectCpu *) w->state)->count, check, n,
        w->params.kept, &of_min);
    for (int id = 0; id < n && kept < w->params.kept; id++)
      if (check[id] > min_score ||
          (check[id] == min_score && check[id] > INT16_MIN && of_min-- > 0)) {
        out[kept].id = (uint32_t) id;
        out[kept].score = check[id];
        out[kept++].pose = scopedetect_hypothesis_pose (w, m, (uint32_t) id);
      }
    w->counts->n_hypotheses[m] = kept;
  }
  return NULL;
}

static int
free_score (const ScopedetectWork *w, const ScopedetectShape *s, Pose p, int n)
{
  Turn r = turn_of (p.q);
  int free = 0;

  for (int i = 0; i < n; i++)
    free += scopedetect_is_free (w, vec_transform (&r, p.t, s->x[i]));
  return scopedetect_free_score (w, free, n);
}

static void
verify_hypotheses (void *data, int begin, int end)
{
  const ScopedetectBatch *b = data;
  const ScopedetectWork *w = b->w;

  for (int i = begin; i < end; i++)
    b->hypothesis[i].score = w->params.random
        ? free_score (w, b->model, b->hypothesis[i].pose, b->points)
        : scopedetect_agreement (&w->scene, b->model, b->hypothesis[i].pose,
              b->points, (float) w->params.tolerance);
}

const char *
scopedetect_verify_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectBatch b = scopedetect_batch (w, m);

    parallel_for (b.n, 64, verify_hypotheses, &b);
  }
  scopedetect_order_cpu (w);
  return NULL;
}

static int
compare (const void *a, const void *b)
{
  const ScopedetectHypothesis *p = a, *q = b;

  return scopedetect_before (p->score, p->id, q->score, q->id) ? -1 : 1;
}

static void
order_models (void *data, int begin, int end)
{
  const ScopedetectWork *w = data;

  for (int m = begin; m < end; m++)
    qsort (w->hypothesis + (size_t) m * SCOPEDETECT_MAX_KEPT,
        (size_t) w->counts->n_hypotheses[m], sizeof *w->hypothesis, compare);
}

void
scopedetect_order_cpu (ScopedetectWork *w)
{
  parallel_for (w->n_models, 1, order_models, w);
}

typedef struct {
  const ScopedetectWork *w;
  int max_clusters; /* of a model */
} Clustering;

static void
cluster_models (void *data, int begin, int end)
{
  const Clustering *clustering = data;
  const ScopedetectWork *w = clustering->w;
  float d = (float) w->params.cluster_distance, d2 = d * d;
  float c = (float) cos (w->params.cluster_angle / 2 * .017453292519943295);

  for (int m = begin; m < end; m++) {
    ScopedetectHypothesis *s =
        w->hypothesis + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int kept = 0, max_clusters = clustering->max_clusters;

    for (int i = 0; i < w->counts->n_hypotheses[m] && kept < max_clusters;
         i++) {
      int k = 0;

      if (s[i].score == SCOPEDETECT_DROPPED && kept)
        break; /* they are last; one is kept whatever it is (1.2.1) */
      while (k < kept &&
          !scopedetect_alike (&w->model[m], s[i].pose, s[k].pose, d2, c))
        k++;
      if (k == kept)
        s[kept++] = s[i];
    }
    w->counts->n_hypotheses[m] = kept;
  }
}

const char *
scopedetect_cluster_cpu (
    const Device *dev, ScopedetectWork *w, int max_clusters)
{
  (void) dev;
  parallel_for (w->n_models, 1, cluster_models, &(Clustering){w, max_clusters});
  return NULL;
}
