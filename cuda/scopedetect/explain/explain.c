/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Candidates for an assignment, and objects of what is chosen. */
#include "scopedetect/explain/explain.h"

#include <math.h>
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/explain/assign_core.h"
#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect/scopedetect_detector.h"

/* ---- Patches ---- */

#define HASHES 8192
#define REACH 2.2f  /* from a patch to those beside it, in their distance */
#define SMOOTH .95f /* cosine of normals of one smooth surface */

/* The plane of a patch passes at most LEVEL + BEND * distance from a patch of
 * the same smooth surface, metres. */
#define LEVEL .004f
#define BEND .1f

typedef struct {
  ScopedetectPatches *patches;
  float cell;
  uint16_t head[HASHES], next[SCOPEDETECT_MAX_PATCHES]; /* 1 + number */
} Grid;

static uint32_t
hash_at (const Grid *g, Vec x, int dx, int dy, int dz)
{
  return scopedetect_hash (scopedetect_cell (x.x, g->cell) + dx,
             scopedetect_cell (x.y, g->cell) + dy,
             scopedetect_cell (x.z, g->cell) + dz) %
      HASHES;
}

static bool
goes_on (const ScopedetectPatch *a, const ScopedetectPatch *b, float reach)
{
  Vec d = vec_sub (b->x, a->x);
  float far = vec_norm (d);

  return far <= reach && vec_dot (a->normal, b->normal) >= SMOOTH &&
      fabsf (vec_dot (d, a->normal)) <= LEVEL + BEND * far;
}

static void
look_beside (void *data, int begin, int end)
{
  const Grid *g = data;
  ScopedetectPatch *patch = g->patches->patch;

  for (int i = begin; i < end; i++) {
    ScopedetectPatch *p = &patch[i];

    p->n_beside = 0;
    for (int k = 0; k < 27; k++) {
      uint32_t h = hash_at (g, p->x, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);

      for (int j = g->head[h]; j && p->n_beside < SCOPEDETECT_BESIDE;
           j = g->next[j - 1])
        if (j - 1 != i && goes_on (p, &patch[j - 1], g->cell))
          p->beside[p->n_beside++] = (uint16_t) (j - 1);
    }
  }
}

void
scopedetect_set_patches (ScopedetectPatches *patches, const Vec *x,
    const Vec *normal, const Vec *lab, int n, float spacing)
{
  Grid g = {.patches = patches};

  patches->n = n < SCOPEDETECT_MAX_PATCHES ? n : SCOPEDETECT_MAX_PATCHES;
  patches->points = patches->n ? (float) n / (float) patches->n : 1;
  g.cell = REACH * spacing * sqrtf (patches->points);
  for (int i = 0; i < patches->n; i++) {
    int from = (int) ((int64_t) i * n / patches->n);
    uint32_t h;

    patches->patch[i].x = x[from];
    patches->patch[i].normal = normal[from];
    patches->patch[i].lab = lab ? lab[from] : vec (0, 0, 0);
    h = hash_at (&g, x[from], 0, 0, 0);
    g.next[i] = g.head[h];
    g.head[h] = (uint16_t) (i + 1);
  }
  parallel_for (patches->n, 64, look_beside, &g);
}

/* ---- Evidence ---- */

/* The patch is at most ALONG spacings beside the nearest surface point, and its
 * normal differs from that point's by at most the angle whose cosine is TURNED.
 */
#define ALONG 3.f
#define TURNED .6f

/* Whether @x with @normal, both the model's, lies on the surface about point @i
 * of it. */
static bool
lies_at (const ScopedetectShape *s, int i, Vec x, Vec normal, float *off)
{
  Vec d = vec_sub (x, s->x[i]);
  float up = vec_dot (d, s->normal[i]), along = ALONG * s->spacing;

  *off = up;
  return fabsf (up) <= SCOPEDETECT_NEAR_SURFACE &&
      vec_dot (d, d) - up * up <= along * along &&
      vec_dot (normal, s->normal[i]) >= TURNED;
}

/* Of a thin sheet, the nearest point may be of its other side: then the one
 * that is nearest to a place in front of the patch is asked. */
int
scopedetect_explains (const ScopedetectShape *s, const Turn *r, Vec t, Vec at,
    Vec normal, float *off)
{
  Vec x = vec_unrotate (r, vec_sub (at, t)), n = vec_unrotate (r, normal);
  int i = scopedetect_nearest (s, x), j;

  if (i < 0 || lies_at (s, i, x, n, off))
    return i;
  j = scopedetect_nearest (s, vec_add (x, vec_scale (n, s->spacing)));
  return j >= 0 && j != i && lies_at (s, j, x, n, off) ? j : -1;
}

static bool
has_patch (const ScopedetectCandidate *c, int i)
{
  return c->patch[i / 64] >> i % 64 & 1;
}

#define STEPS 4        /* from patch to patch along a smooth surface */
#define MAX_BEYOND 3.f /* more says no more */

/* Patches that @c does not explain and that are within STEPS of those that it
 * does, for each of the latter; at most MAX_BEYOND. */
static float
beyond_of (const ScopedetectPatches *patches, const ScopedetectCandidate *c)
{
  uint16_t list[SCOPEDETECT_MAX_PATCHES];
  ScopedetectCandidate reached = *c;
  int n = 0, at = 0;

  for (int word = c->first; word < c->end; word++)
    for (uint64_t rest = c->patch[word]; rest; rest &= rest - 1)
      list[n++] = (uint16_t) (64 * word + math_lowest_bit64 (rest));
  for (int step = 0; step < STEPS; step++)
    for (int end = n; at < end; at++) {
      const ScopedetectPatch *p = &patches->patch[list[at]];

      for (int k = 0; k < p->n_beside; k++)
        if (!has_patch (&reached, p->beside[k])) {
          scopedetect_take_patch (&reached, p->beside[k]);
          list[n++] = p->beside[k];
        }
    }
  if (!c->n_patches)
    return 0;
  return fminf ((float) (n - c->n_patches) / (float) c->n_patches, MAX_BEYOND);
}

/* A patch, and the point of the model on whose surface it lies. */
typedef struct {
  uint16_t patch, point;
} Match;

/* Light that is stronger by k makes L + BLACK, a and b greater by its cube root
 * (CIE 1976).  It may be DIM to BRIGHT of the model's. */
#define BLACK 16.f
#define DIM .7f
#define BRIGHT 1.15f
#define COLOUR_SIGMA 15.f

/* Cost of a difference between colours, of which @d2 is the square. */
static float
colour_cost (float d2)
{
  return fminf (
      d2 / (2 * COLOUR_SIGMA * COLOUR_SIGMA), SCOPEDETECT_OTHER_COLOUR);
}

/* Compares the colours of @n patches with those of the model's points, in the
 * light in which both are equally light on average. */
static void
compare_colours (const ScopedetectPatches *patches, const ScopedetectShape *s,
    const Match *match, int n, ScopedetectEvidence *e)
{
  float seen = 0, own = 0, light, l = 0, ab = 0;

  for (int i = 0; i < n; i++) {
    seen += patches->patch[match[i].patch].lab.x + BLACK;
    own += s->lab[match[i].point].x + BLACK;
  }
  light = fmaxf (DIM, fminf (seen / own, BRIGHT));
  for (int i = 0; i < n; i++) {
    Vec at = patches->patch[match[i].patch].lab, of = s->lab[match[i].point];
    float dl = at.x + BLACK - light * (of.x + BLACK);
    float da = at.y - light * of.y, db = at.z - light * of.z;

    l += colour_cost (dl * dl);
    ab += colour_cost (da * da + db * db);
  }
  e->lightness = l / (float) n;
  e->chroma = ab / (float) n;
}

ScopedetectEvidence
scopedetect_judge (const ScopedetectPatches *patches, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, bool frame_colour, ScopedetectCandidate *c)
{
  Turn r = turn_of (a->pose.q);
  Vec t = a->pose.t, centre = vec_transform (&r, t, s->centre);
  float reach = s->radius + SCOPEDETECT_NEAR_SURFACE, off, sum = 0, aside = 0;
  Match match[SCOPEDETECT_MAX_PATCHES];
  ScopedetectEvidence e;
  int point;

  memset (c, 0, sizeof *c);
  for (int i = 0; i < patches->n; i++) {
    const ScopedetectPatch *p = &patches->patch[i];
    Vec d = vec_sub (p->x, centre);

    if (vec_dot (d, d) > reach * reach ||
        (point = scopedetect_explains (s, &r, t, p->x, p->normal, &off)) < 0)
      continue;
    match[c->n_patches] = (Match){(uint16_t) i, (uint16_t) point};
    scopedetect_take_patch (c, i);
    sum += fabsf (off);
    aside += off;
  }
  e = (ScopedetectEvidence){.beyond = beyond_of (patches, c),
      .area = patches->points * (float) c->n_patches,
      .off = c->n_patches ? sum / (float) c->n_patches : 0,
      .aside = c->n_patches ? fabsf (aside) / (float) c->n_patches : 0,
      .frame_colour = frame_colour,
      .colour = frame_colour && s->has_colour};
  memcpy (e.part, a->part, sizeof e.part);
  if (e.colour && c->n_patches)
    compare_colours (patches, s, match, c->n_patches, &e);
  return e;
}

/* What stage 1 leaves holds fewer things that are right: log-odds. */
#define SECOND 2.1

/* Logistic regression on generated scenes; see the README. */
static double
log_odds (const ScopedetectEvidence *e)
{
  const float *part = e->part;
  double sum = 5.489 + 3.782 * part[SCOPEDETECT_EDGE] +
      2.088 * fmax (part[SCOPEDETECT_EDGE_VISIBILITY], -4) -
      1.545 * fmax (part[SCOPEDETECT_VISIBILITY], -1) +
      2.821 * fmax (part[SCOPEDETECT_TABLE], -3) - .874 * e->beyond +
      1.045 * log (1 + e->area) - 1467.7 * e->off - 710.4 * e->aside;

  if (e->colour)
    sum -= 3.081 * e->lightness + 2.187 * e->chroma;
  else
    sum -= 2.946;
  return sum + (e->frame_colour ? 0 : 1.117) - (e->second ? SECOND : 0);
}

int32_t
scopedetect_fit (const ScopedetectEvidence *e)
{
  double part = e->area > 0 ? log_odds (e) / SCOPEDETECT_SURE_ODDS : -1;

  return (int32_t) (SCOPEDETECT_SURE * fmax (fmin (part, 1), -1));
}

/* ---- Candidates ---- */

static const ScopedetectHypothesis *
hypothesis_of (const Scopedetect *s, const ScopedetectRanked *r)
{
  return &s->stage[r->stage].hypothesis[r->model * SCOPEDETECT_FOUND + r->rank];
}

static ScopedetectCandidate *
judged_of (const Scopedetect *s, const ScopedetectRanked *r)
{
  return &s->explain
              .judged[(r->stage * s->n_models + r->model) * SCOPEDETECT_FOUND +
                  r->rank];
}

void
scopedetect_judge_ranked (
    const Scopedetect *s, const ScopedetectRanked *r, ScopedetectCandidate *c)
{
  ScopedetectEvidence evidence = scopedetect_judge (&s->explain.patches,
      &s->host_shape[r->model], hypothesis_of (s, r), s->scene.has_colour, c);

  evidence.second = r->stage == 1;
  c->model = r->model;
  c->fit = scopedetect_fit (&evidence);
}

/* Each hypothesis is judged once a frame: those of a stage do not change. */
static void
judge_hypotheses (void *data, int begin, int end)
{
  const Scopedetect *s = data;

  for (int i = begin; i < end; i++) {
    ScopedetectRanked *r = &s->explain.ranked[i];

    if (r->stage >= s->explain.n_judged)
      scopedetect_judge_ranked (s, r, judged_of (s, r));
    r->fit = judged_of (s, r)->fit;
  }
}

static int
by_model (const void *a, const void *b)
{
  const ScopedetectRanked *p = a, *q = b;

  if (p->model != q->model)
    return p->model - q->model;
  return p->stage != q->stage ? p->stage - q->stage : p->rank - q->rank;
}

static int
by_fit (const void *a, const void *b)
{
  const ScopedetectRanked *p = a, *q = b;

  if (p->stays != q->stays)
    return p->stays ? -1 : 1;
  return p->fit != q->fit ? p->fit > q->fit ? -1 : 1 : by_model (a, b);
}

/* The first hypotheses of each model, to @e->ranked; returns how many. */
static int
list_hypotheses (const Scopedetect *s, ScopedetectExplain *e)
{
  int n = 0;

  for (int stage = 0; stage < 2; stage++)
    for (int m = 0; m < s->n_models; m++)
      for (int k = 0; k < s->stage[stage].n[m] && k < s->params.candidates; k++)
        e->ranked[n++] = (ScopedetectRanked){m, stage, k, 0, false};
  return n;
}

/* The number of @r among the @n @chosen; -1 if it is none of them. */
static int
find (const ScopedetectRanked *chosen, int n, const ScopedetectRanked *r)
{
  for (int i = 0; i < n; i++)
    if (!by_model (&chosen[i], r))
      return i;
  return -1;
}

/* Chooses the candidates: @chosen, then the fittest of the other hypotheses. */
static void
choose (Scopedetect *s, ScopedetectExplain *e, const ScopedetectRanked *chosen,
    int n_chosen)
{
  int n = list_hypotheses (s, e);

  parallel_for (n, 1, judge_hypotheses, s);
  e->n_judged++;
  for (int i = 0; i < n; i++)
    e->ranked[i].stays = find (chosen, n_chosen, &e->ranked[i]) >= 0;
  qsort (e->ranked, (size_t) n, sizeof *e->ranked, by_fit);
  n = n < SCOPEDETECT_MAX_CANDIDATES ? n : SCOPEDETECT_MAX_CANDIDATES;
  while (n > 0 && !e->ranked[n - 1].stays &&
      e->ranked[n - 1].fit < SCOPEDETECT_MIN_FIT)
    n--;
  qsort (e->ranked, (size_t) n, sizeof *e->ranked, by_model);
  e->n_ranked = n;
  for (int i = 0; i < n; i++)
    e->candidate[i] = *judged_of (s, &e->ranked[i]);
}

double
scopedetect_score_of (int32_t fit)
{
  return 1 / (1 + exp (-SCOPEDETECT_SURE_ODDS * fit / SCOPEDETECT_SURE));
}

static void
set_objects (const Scopedetect *s, ScopedetectExplain *e)
{
  for (int i = 0; i < e->n_ranked; i++) {
    const ScopedetectRanked *r = &e->ranked[i];
    ScopedetectObject *o = &e->object[i];

    scopedetect_set_object (o, &s->params, s->scene.has_colour,
        &s->host_shape[r->model], hypothesis_of (s, r),
        &s->stage[r->stage].measure[r->model * SCOPEDETECT_FOUND + r->rank]);
    o->model = r->model;
    o->score = scopedetect_score_of (r->fit);
  }
}

/* Diameters: bodies of one model whose points are nearer than this on average
 * would be in each other. */
#define INSIDE .15

bool
scopedetect_is_one (const ScopedetectShape *shape,
    const ScopedetectCandidate *a, const ScopedetectObject *at,
    const ScopedetectCandidate *b, const ScopedetectObject *other)
{
  int fewer = a->n_patches < b->n_patches ? a->n_patches : b->n_patches;

  return 2 * scopedetect_shared_patches (a, b) >= fewer ||
      scopedetect_apart (shape, at, other) <= INSIDE;
}

static bool
is_one (const Scopedetect *s, const ScopedetectExplain *e, int i, int j)
{
  return scopedetect_is_one (&s->host_shape[e->candidate[i].model],
      &e->candidate[i], &e->object[i], &e->candidate[j], &e->object[j]);
}

/* Poses of one model that are of one object exclude each other. */
static void
set_excludes (const Scopedetect *s, ScopedetectExplain *e)
{
  size_t words = (size_t) scopedetect_exclude_words (e->n_ranked);

  memset (e->excludes, 0, (size_t) e->n_ranked * words * sizeof *e->excludes);
  for (int i = 0; i < e->n_ranked; i++)
    for (int j = i - 1; j >= 0 && e->ranked[j].model == e->ranked[i].model; j--)
      if (is_one (s, e, i, j)) {
        scopedetect_exclude (e->excludes, e->n_ranked, i, j);
        scopedetect_exclude (e->excludes, e->n_ranked, j, i);
      }
}

void
scopedetect_set_candidates (
    Scopedetect *s, const ScopedetectRanked *chosen, int n, int *at)
{
  ScopedetectExplain *e = &s->explain;

  choose (s, e, chosen, n);
  set_objects (s, e);
  set_excludes (s, e);
  for (int i = 0; i < e->n_ranked; i++) {
    int k = find (chosen, n, &e->ranked[i]);

    if (k >= 0)
      at[k] = i;
  }
}

/* ---- Votes ---- */

#define VOTED 5 /* poses of a model that are judged */

typedef struct {
  const Scopedetect *s;
  int stage;
  ScopedetectVote *vote;
} Voting;

static void
count_votes (void *data, int begin, int end)
{
  const Voting *of = data;
  ScopedetectCandidate c;

  for (int i = begin; i < end; i++) {
    ScopedetectVote *v = &of->vote[i];
    int n = of->s->stage[of->stage].n[v->model];

    v->fit = -SCOPEDETECT_SURE - 1;
    for (int k = 0; k < n && k < VOTED; k++) {
      ScopedetectRanked r = {v->model, of->stage, k, 0, false};

      scopedetect_judge_ranked (of->s, &r, &c);
      v->fit = c.fit > v->fit ? c.fit : v->fit;
    }
  }
}

void
scopedetect_vote (Scopedetect *s, int stage, ScopedetectVote *vote, int n)
{
  Voting of = {s, stage, vote};

  parallel_for (n, 1, count_votes, &of);
}

/* ---- Memory ---- */

const char *
scopedetect_explain_new (ScopedetectExplain *e, DeviceMemory *host,
    const Device *cpu, DeviceMemory *device, const Device *dev, int n_models,
    int room)
{
  const size_t n = SCOPEDETECT_MAX_CANDIDATES;
  const size_t all = (size_t) n_models * SCOPEDETECT_FOUND;

  TRY (memory_get_pinned (device, &e->x, (size_t) room));
  TRY (memory_get_pinned (device, &e->normal, (size_t) room));
  TRY (memory_get_pinned (device, &e->lab, (size_t) room));
  TRY (memory_get_pinned (device, &e->left, (size_t) room));
  TRY (memory_get (host, &e->patches.patch, SCOPEDETECT_MAX_PATCHES));
  TRY (memory_get (host, &e->ranked, 2 * all));
  TRY (memory_get (host, &e->judged, 2 * all));
  TRY (memory_get_pinned (device, &e->candidate, n));
  TRY (memory_get (host, &e->object, n));
  TRY (memory_get (host, &e->models, (size_t) n_models));
  TRY (memory_get (host, &e->explained, (size_t) room));
  TRY (memory_get_pinned (device, &e->excludes, n * n / 64));
  TRY (scopedetect_assigner_new (&e->on_host, cpu, host,
      SCOPEDETECT_MAX_CANDIDATES, SCOPEDETECT_MAX_RESTARTS));
  if (dev->kind == DEVICE_CPU)
    return NULL;
  return scopedetect_assigner_new (&e->on_gpu, dev, device,
      SCOPEDETECT_MAX_CANDIDATES, SCOPEDETECT_MAX_RESTARTS);
}

void
scopedetect_explain_free (ScopedetectExplain *e)
{
  scopedetect_assigner_free (e->on_host);
  scopedetect_assigner_free (e->on_gpu);
}
