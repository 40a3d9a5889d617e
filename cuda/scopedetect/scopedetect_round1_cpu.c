/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 as loops: nearest features, hypotheses, clusters. */
#include <stdlib.h>

#include "common/vectors.h"
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_round1_core.h"

/* Sets @out to the @k points of the model with the nearest features; of equally
 * near ones the smaller number counts. */
VECTORS_WHOLE static void
find_nearest_features (
    const ScopedetectShape *s, const int16_t *code, int k, uint16_t *out)
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

typedef struct {
  const ScopedetectCloud *cloud;
  const ScopedetectQueries *queries;
  const ScopedetectModels *models;
  ScopedetectMatches *matches;
} Matching;

static void
match_queries (void *data, int begin, int end)
{
  const Matching *a = data;
  int k = a->matches->k;

  for (int i = begin; i < end; i++) {
    int m = i / a->queries->n, q = i % a->queries->n;
    int point = scopedetect_query (a->queries, q);

    find_nearest_features (&a->models->shape[m],
        a->cloud->code + (size_t) point * SCOPEDETECT_CODE, k,
        scopedetect_matches_of (a->matches, m) + (size_t) q * (size_t) k);
  }
}

const char *
scopedetect_match_features_cpu (const Device *dev,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, ScopedetectMatches *matches)
{
  Matching a = {cloud, queries, models, matches};

  (void) dev;
  parallel_for (models->n * queries->n, 16, match_queries, &a);
  return NULL;
}

/* ---- The agreement of a pose, at eight points of the model at a time ---- */

#define BLOCK 64 /* points */

/* Points of a model with their normals, coordinate by coordinate. Those that
 * fill up the last LANES8 have no normal: they do not face the camera. */
typedef struct {
  int n; /* a multiple of LANES8 */
  float x[BLOCK], y[BLOCK], z[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
} Block;

/* Sets @b to up to BLOCK of the first @n points from number @first on. */
static void
set_block (Block *b, const ScopedetectShape *s, int first, int n)
{
  int wanted = n - first < BLOCK ? n - first : BLOCK;

  b->n = (wanted + LANES8 - 1) / LANES8 * LANES8;
  for (int i = 0; i < b->n; i++) {
    Vec x = i < wanted ? s->x[first + i] : vec (0, 0, 0);
    Vec normal = i < wanted ? s->normal[first + i] : vec (0, 0, 0);

    b->x[i] = x.x, b->y[i] = x.y, b->z[i] = x.z;
    b->nx[i] = normal.x, b->ny[i] = normal.y, b->nz[i] = normal.z;
  }
}

#define AT(array, i) (*(const FloatsAt *) ((array) + (i)))
#define TURNED(r, axis, a, b, c) \
 ((r)->x.axis * (a) + (r)->y.axis * (b) + (r)->z.axis * (c))
#define OF_PIXELS(field) \
 ((Floats8){p[i[0]].field, p[i[1]].field, p[i[2]].field, p[i[3]].field, \
     p[i[4]].field, p[i[5]].field, p[i[6]].field, p[i[7]].field})

/* Sets @pixel to the pixels of points (@x, @y, @z), and @in to a mask of the
 * points that scopedetect_project () projects; the pixels of others are 0. */
INLINED void
project_lanes (const ScopedetectScene *s, const Floats8 *x, const Floats8 *y,
    const Floats8 *z, Ints8 *pixel, Ints8 *in)
{
  Floats8 u = s->fx * *x / *z + s->cx + .5f;
  Floats8 v = s->fy * *y / *z + s->cy + .5f;

  *in = (*z > .01f) & (u >= 0) & (v >= 0) & (u < (float) s->width) &
      (v < (float) s->height);
  u = LANES_WHERE (*in, u);
  v = LANES_WHERE (*in, v);
  *pixel = __builtin_convertvector(v, Ints8) * s->width +
      __builtin_convertvector(u, Ints8);
}

INLINED bool
is_any_lane (const Ints8 *mask)
{
  int any = 0;

  for (int k = 0; k < LANES8; k++)
    any |= (*mask)[k];
  return any != 0;
}

/* Adds the values and the number of points of @b that face the camera, as
 * scopedetect_agree () has them, to @agreement and @front. */
VECTORS static void
add_agreement (const ScopedetectScene *s, const Turn *r, Vec t, const Block *b,
    float tolerance, int *agreement, int *front)
{
  const ScopedetectPixel *p = s->pixel;
  Ints8 sum = {0}, facing = {0};

  for (int k = 0; k < b->n; k += LANES8) {
    Floats8 nx = TURNED (r, x, AT (b->nx, k), AT (b->ny, k), AT (b->nz, k));
    Floats8 ny = TURNED (r, y, AT (b->nx, k), AT (b->ny, k), AT (b->nz, k));
    Floats8 nz = TURNED (r, z, AT (b->nx, k), AT (b->ny, k), AT (b->nz, k));
    Floats8 x = TURNED (r, x, AT (b->x, k), AT (b->y, k), AT (b->z, k)) + t.x;
    Floats8 y = TURNED (r, y, AT (b->x, k), AT (b->y, k), AT (b->z, k)) + t.y;
    Floats8 z = TURNED (r, z, AT (b->x, k), AT (b->y, k), AT (b->z, k)) + t.z;
    Floats8 along = nx * x + ny * y + nz * z, depth, off, fit;
    Ints8 in,
        is_front = (along < 0) &
        ~(along * along <
            SCOPEDETECT_FRONT * SCOPEDETECT_FRONT * (x * x + y * y + z * z));
    Ints8 i, is_free;

    project_lanes (s, &x, &y, &z, &i, &in);
    depth = OF_PIXELS (z);
    in &= is_front & (depth > 0);
    off = z - depth;
    is_free = in & (off < -2 * tolerance);
    off = LANES_ABS (off);
    in &= ~is_free & (off < tolerance);
    sum += is_free & -512;
    facing -= is_front;
    if (!is_any_lane (&in)) /* as at most points of wrong poses */
      continue;
    fit = (1 - off / tolerance) *
        (nx * OF_PIXELS (nx) + ny * OF_PIXELS (ny) + nz * OF_PIXELS (nz));
    fit = LANES_WHERE (in & (fit > 0), fit);
    sum += __builtin_convertvector(fit * 256 + .5f, Ints8);
  }
  for (int k = 0; k < LANES8; k++)
    *agreement += sum[k], *front += facing[k];
}

/* Inputs of the hypotheses of one model. */
typedef struct {
  const ScopedetectScene *scene;
  const ScopedetectCloud *cloud;
  const ScopedetectQueries *queries;
  const ScopedetectShape *model;
  const uint16_t *near; /* k matches of each query */
  int k;
  Block few; /* points of the model */
  float tolerance;
  int16_t *score; /* of each hypothesis, with few points */
} Check;

static Pose
checked_pose (const Check *c, int id)
{
  return scopedetect_hypothesis_pose (
      c->cloud, c->queries, c->model, c->near, c->k, (uint32_t) id);
}

static void
check_hypotheses (void *data, int begin, int end)
{
  const Check *c = data;

  for (int id = begin; id < end; id++) {
    int agreement = 0, front = 0;
    Pose pose;
    Turn r;

    c->score[id] = INT16_MIN;
    if (c->near[id / 2] == UINT16_MAX)
      continue;
    pose = checked_pose (c, id);
    r = turn_of (pose.q);
    add_agreement (
        c->scene, &r, pose.t, &c->few, c->tolerance, &agreement, &front);
    c->score[id] = (int16_t) scopedetect_agreement_of (agreement, front);
  }
}

/* The lowest of the @wanted best scores, found by counting. @of_min: how many
 * with this score are wanted. */
static int
lowest_kept_score (
    int *count, const int16_t *check, int n, int wanted, int *of_min)
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

/* Draws up to @max hypotheses; returns their number. */
static int
draw_poses (const Check *c, uint64_t seed, int max, ScopedetectHypothesis *out)
{
  int n = 0;
  uint32_t id;

  for (int q = 0; q < c->queries->n && n < max; q++)
    if (scopedetect_draw (
            c->cloud, c->queries, c->model, c->near, c->k, q, seed, &id)) {
      out[n].id = id;
      out[n].score = 0;
      out[n++].pose = checked_pose (c, (int) id);
    }
  return n;
}

/* Keeps the best @max hypotheses by few points, in order of ids; returns how
 * many. */
static int
choose_best_poses (
    const Check *c, int max, int *count, ScopedetectHypothesis *out)
{
  int n = c->queries->n * c->k * 2, min_score, of_min = 0, kept = 0;

  parallel_for (n, 256, check_hypotheses, (void *) c);
  min_score = lowest_kept_score (count, c->score, n, max, &of_min);
  for (int id = 0; id < n && kept < max; id++)
    if (c->score[id] > min_score ||
        (c->score[id] == min_score && c->score[id] > INT16_MIN &&
            of_min-- > 0)) {
      out[kept].id = (uint32_t) id;
      out[kept].score = c->score[id];
      out[kept++].pose = checked_pose (c, id);
    }
  return kept;
}

const char *
scopedetect_choose_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, const ScopedetectMatches *matches,
    const ScopedetectParams *params, int max, ScopedetectChecks *checks,
    ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  for (int m = 0; m < models->n; m++) {
    ScopedetectHypothesis *out =
        hypotheses->of + (size_t) m * SCOPEDETECT_MAX_KEPT;
    Check c = {scene, cloud, queries, &models->shape[m],
        scopedetect_matches_of (matches, m), matches->k, {0},
        (float) params->tolerance, scopedetect_checks_of (checks, matches, m)};

    set_block (&c.few, c.model, 0,
        scopedetect_first_points (c.model, SCOPEDETECT_FEW));
    hypotheses->n[m] = params->random
        ? draw_poses (&c, params->seed, max, out)
        : choose_best_poses (&c, max, checks->count, out);
  }
  hypotheses->bound = max;
  return NULL;
}

typedef struct {
  const ScopedetectScene *scene;
  const ScopedetectParams *params;
} Verification;

static void
verify_pose (const void *in, const ScopedetectShape *s,
    ScopedetectHypothesis *hypothesis)
{
  const Verification *v = in;
  int n = scopedetect_first_points (s, v->params->points);
  Turn r = turn_of (hypothesis->pose.q);
  ScopedetectCheck sums = {0, 0, 0};

  if (scopedetect_counts_free (v->params))
    for (int i = 0; i < n; i++)
      scopedetect_check_point (
          v->scene, v->params, s, &r, hypothesis->pose.t, i, &sums);
  else
    for (int i = 0; i < n; i += BLOCK) {
      Block b;

      set_block (&b, s, i, n);
      add_agreement (v->scene, &r, hypothesis->pose.t, &b,
          (float) v->params->tolerance, &sums.agreement, &sums.front);
    }
  hypothesis->score = scopedetect_check_score (v->params, &sums, n);
}

const char *
scopedetect_verify_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, const ScopedetectParams *params,
    ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  scopedetect_for_each_hypothesis (
      models, hypotheses, 64, verify_pose, &(Verification){scene, params});
  scopedetect_order_cpu (models, hypotheses);
  return NULL;
}

static int
compare_hypotheses (const void *a, const void *b)
{
  const ScopedetectHypothesis *p = a, *q = b;

  return scopedetect_before (p->score, p->id, q->score, q->id) ? -1 : 1;
}

static void
order_models (void *data, int begin, int end)
{
  const ScopedetectHypotheses *h = data;

  for (int m = begin; m < end; m++)
    qsort (h->of + (size_t) m * SCOPEDETECT_MAX_KEPT, (size_t) h->n[m],
        sizeof *h->of, compare_hypotheses);
}

void
scopedetect_order_cpu (
    const ScopedetectModels *models, const ScopedetectHypotheses *hypotheses)
{
  parallel_for (models->n, 1, order_models, (void *) hypotheses);
}

typedef struct {
  const ScopedetectModels *models;
  const ScopedetectParams *params;
  int max; /* clusters of a model */
  ScopedetectHypotheses *hypotheses;
} Clustering;

static void
cluster_models (void *data, int begin, int end)
{
  const Clustering *c = data;
  float d = (float) c->params->cluster_distance, d2 = d * d;
  float cosine =
      (float) cos (c->params->cluster_angle / 2 * .017453292519943295);

  for (int m = begin; m < end; m++) {
    ScopedetectHypothesis *s =
        c->hypotheses->of + (size_t) m * SCOPEDETECT_MAX_KEPT;
    const ScopedetectShape *model = &c->models->shape[m];
    int kept = 0;

    for (int i = 0; i < c->hypotheses->n[m] && kept < c->max; i++) {
      int k = 0;

      if (s[i].score == SCOPEDETECT_DROPPED && kept)
        break; /* dropped ones are last; the first is always kept (1.2.1) */
      while (k < kept &&
          !scopedetect_alike (model, s[i].pose, s[k].pose, d2, cosine))
        k++;
      if (k == kept)
        s[kept++] = s[i];
    }
    c->hypotheses->n[m] = kept;
  }
}

const char *
scopedetect_cluster_poses_cpu (const Device *dev,
    const ScopedetectModels *models, const ScopedetectParams *params, int max,
    ScopedetectSieve *sieve, ScopedetectHypotheses *hypotheses)
{
  Clustering c = {models, params, max, hypotheses};

  (void) dev, (void) sieve;
  parallel_for (models->n, 1, cluster_models, &c);
  hypotheses->bound = max;
  return NULL;
}
