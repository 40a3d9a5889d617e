/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Candidates for assignments: patches, evidence, fits, objects; models' votes.
 */
#include "scopedetect/explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/file.h"
#include "common/number.h"
#include "common/parallel.h"
#include "scopedetect/explain/assign_core.h"
#include "scopedetect/scopedetect_detector.h"
#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect_fit.h"

/* ---- Patches ---- */

#define HASHES 8192
#define REACH 2.2f  /* maximum distance of neighbours, in patches' distances */
#define SMOOTH .95f /* minimum cosine of the normals of neighbours */

/* A neighbour is at most LEVEL + BEND * distance, metres, from a patch's plane.
 */
#define LEVEL .004f
#define BEND .1f

typedef struct {
  ScopedetectPatches *patches;
  float cell;
  uint16_t head[HASHES], next[SCOPEDETECT_MAX_PATCHES]; /* 1 + number */
} Grid;

static uint32_t
patch_hash (const Grid *g, Vec x, int dx, int dy, int dz)
{
  return scopedetect_hash (scopedetect_cell (x.x, g->cell) + dx,
             scopedetect_cell (x.y, g->cell) + dy,
             scopedetect_cell (x.z, g->cell) + dz) %
      HASHES;
}

static bool
surface_goes_on (
    const ScopedetectPatch *a, const ScopedetectPatch *b, float reach)
{
  Vec d = vec_sub (b->x, a->x);
  float far = vec_norm (d);

  return far <= reach && vec_dot (a->normal, b->normal) >= SMOOTH &&
      fabsf (vec_dot (d, a->normal)) <= LEVEL + BEND * far;
}

static void
link_patches (void *data, int begin, int end)
{
  const Grid *g = data;
  ScopedetectPatch *patch = g->patches->patch;

  for (int i = begin; i < end; i++) {
    ScopedetectPatch *p = &patch[i];

    p->n_beside = 0;
    for (int k = 0; k < 27; k++) {
      uint32_t h = patch_hash (g, p->x, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);

      for (int j = g->head[h]; j && p->n_beside < SCOPEDETECT_BESIDE;
           j = g->next[j - 1])
        if (j - 1 != i && surface_goes_on (p, &patch[j - 1], g->cell))
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
    h = patch_hash (&g, x[from], 0, 0, 0);
    g.next[i] = g.head[h];
    g.head[h] = (uint16_t) (i + 1);
  }
  parallel_for (patches->n, 64, link_patches, &g);
}

/* ---- Evidence ---- */

/* Maximum distance of an explained point from the pose's surface, metres. */
#define NEAR_SURFACE .012f

/* A patch lies at most ALONG spacings aside from the nearest point of the
 * model; TURNED: minimum cosine of their normals. */
#define ALONG 3.f
#define TURNED .6f

/* Whether @x with @normal, in model coordinates, lies on the surface about
 * point @i; @off: its height over that surface. */
static bool
lies_on_surface (
    const ScopedetectShape *s, int i, Vec x, Vec normal, float *off)
{
  Vec d = vec_sub (x, s->x[i]);
  float up = vec_dot (d, s->normal[i]), along = ALONG * s->spacing;

  *off = up;
  return fabsf (up) <= NEAR_SURFACE &&
      vec_dot (d, d) - up * up <= along * along &&
      vec_dot (normal, s->normal[i]) >= TURNED;
}

/* The point of the model on whose surface a point of the scene lies, and its
 * height, @off; -1: none. On a thin sheet the nearest point may be on the other
 * side: then a place in front of the patch is tried. */
static int
explained_by_point (const ScopedetectShape *s, const Turn *r, Vec t, Vec at,
    Vec normal, float *off)
{
  Vec x = vec_unrotate (r, vec_sub (at, t)), n = vec_unrotate (r, normal);
  int i = scopedetect_nearest (s, x), j;

  if (i < 0 || lies_on_surface (s, i, x, n, off))
    return i;
  j = scopedetect_nearest (s, vec_add (x, vec_scale (n, s->spacing)));
  return j >= 0 && j != i && lies_on_surface (s, j, x, n, off) ? j : -1;
}

static bool
has_patch (const ScopedetectCandidate *c, int i)
{
  return c->patch[i / 64] >> i % 64 & 1;
}

#define STEPS 4        /* from patch to neighbour */
#define MAX_BEYOND 3.f /* greater values count as this */

/* The number of patches that @c does not explain, within STEPS of those that it
 * explains, divided by the number of the latter; at most MAX_BEYOND. */
static float
patches_beyond (
    const ScopedetectPatches *patches, const ScopedetectCandidate *c)
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

/* A patch and the point of the model on whose surface it lies. */
typedef struct {
  uint16_t patch, point;
} Match;

/* Light that is k times stronger multiplies L + BLACK, a and b by the cube root
 * of k (CIE 1976); this factor is DIM to BRIGHT. */
#define BLACK 16.f
#define DIM .7f
#define BRIGHT 1.15f
#define COLOUR_SIGMA 15.f

/* The cost of a difference of colours, whose square is @d2. */
static float
cost_of_colour (float d2)
{
  return fminf (
      d2 / (2 * COLOUR_SIGMA * COLOUR_SIGMA), SCOPEDETECT_OTHER_COLOUR);
}

/* Compares the colours of @n patches with those of the model's points, in the
 * light in which both have the same mean lightness. */
static void
compare_patch_colours (const ScopedetectPatches *patches,
    const ScopedetectShape *s, const Match *match, int n,
    ScopedetectEvidence *e)
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

    l += cost_of_colour (dl * dl);
    ab += cost_of_colour (da * da + db * db);
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
  float reach = s->radius + NEAR_SURFACE, off, sum = 0, aside = 0;
  Match match[SCOPEDETECT_MAX_PATCHES];
  ScopedetectEvidence e;
  int point;

  memset (c, 0, sizeof *c);
  for (int i = 0; i < patches->n; i++) {
    const ScopedetectPatch *p = &patches->patch[i];
    Vec d = vec_sub (p->x, centre);

    if (vec_dot (d, d) > reach * reach ||
        (point = explained_by_point (s, &r, t, p->x, p->normal, &off)) < 0)
      continue;
    match[c->n_patches] = (Match){(uint16_t) i, (uint16_t) point};
    scopedetect_take_patch (c, i);
    sum += fabsf (off);
    aside += off;
  }
  e = (ScopedetectEvidence){.beyond = patches_beyond (patches, c),
      .area = patches->points * (float) c->n_patches,
      .off = c->n_patches ? sum / (float) c->n_patches : 0,
      .aside = c->n_patches ? fabsf (aside) / (float) c->n_patches : 0,
      .frame_colour = frame_colour,
      .colour = frame_colour && s->has_colour};
  memcpy (e.part, a->part, sizeof e.part);
  if (e.colour && c->n_patches)
    compare_patch_colours (patches, s, match, c->n_patches, &e);
  return e;
}

/* ---- The fit: logistic regression (see the README) ---- */

const char *const scopedetect_term_names[SCOPEDETECT_N_TERMS] = {"constant",
    "edge", "edge-visibility", "visibility", "table", "beyond", "area", "off",
    "aside", "lightness", "chroma", "uncoloured", "grey", "second"};

static const char *const alone_names[SCOPEDETECT_N_ALONE] = {
    "alone-constant", "alone-score", "alone-grey"};

void
scopedetect_set_terms (
    const ScopedetectEvidence *e, double term[SCOPEDETECT_N_TERMS])
{
  const float *part = e->part;

  term[SCOPEDETECT_TERM_CONSTANT] = 1;
  term[SCOPEDETECT_TERM_EDGE] = part[SCOPEDETECT_EDGE];
  term[SCOPEDETECT_TERM_EDGE_VISIBILITY] =
      fmax (part[SCOPEDETECT_EDGE_VISIBILITY], -4);
  term[SCOPEDETECT_TERM_VISIBILITY] = fmax (part[SCOPEDETECT_VISIBILITY], -1);
  term[SCOPEDETECT_TERM_TABLE] = fmax (part[SCOPEDETECT_TABLE], -3);
  term[SCOPEDETECT_TERM_BEYOND] = e->beyond;
  term[SCOPEDETECT_TERM_AREA] = log (1 + e->area);
  term[SCOPEDETECT_TERM_OFF] = e->off;
  term[SCOPEDETECT_TERM_ASIDE] = e->aside;
  term[SCOPEDETECT_TERM_LIGHTNESS] = e->lightness;
  term[SCOPEDETECT_TERM_CHROMA] = e->chroma;
  term[SCOPEDETECT_TERM_UNCOLOURED] = !e->colour;
  term[SCOPEDETECT_TERM_GREY] = !e->frame_colour;
  term[SCOPEDETECT_TERM_SECOND] = e->second;
}

int32_t
scopedetect_fit (const ScopedetectFit *fit, const ScopedetectEvidence *e)
{
  double term[SCOPEDETECT_N_TERMS], part = -1;

  scopedetect_set_terms (e, term);
  if (e->area > 0)
    part = scopedetect_log_odds (fit->term, term, SCOPEDETECT_N_TERMS) /
        SCOPEDETECT_SURE_ODDS;
  return (int32_t) (SCOPEDETECT_SURE * fmax (fmin (part, 1), -1));
}

/* A file is lines of text: "scopedetect-fit 1", a term and its weight in
 * thousandths each, "model " and a name each, "end". */
#define FIT_BEGINS "scopedetect-fit "
#define FIT_VERSION 1
#define MAX_FIT 131072 /* bytes */
#define MAX_THOUSANDTHS 100000000

/* Reads a line of @name and a number, and moves *@text behind it. */
static const char *
read_fit_number (const char **text, const char *name, int *number)
{
  size_t n = strlen (name), left = strlen (*text);
  const char *at = *text + n;

  if (strncmp (*text, name, left < n ? left : n))
    return "its terms are not those of this version of scopedetect";
  if (left <= n)
    return "it is cut off";
  at = number_read (at, number);
  if (!at || *number < -MAX_THOUSANDTHS || *number > MAX_THOUSANDTHS)
    return "a weight is no whole number of thousandths up to 100000";
  if (*at != '\n')
    return *at ? "a weight is no whole number of thousandths up to 100000"
               : "it is cut off";
  *text = at + 1;
  return NULL;
}

static const char *
read_fit_weights (
    const char **text, const char *const *names, int n, double *weight)
{
  for (int k = 0; k < n; k++) {
    int thousandths;

    TRY (read_fit_number (text, names[k], &thousandths));
    weight[k] = thousandths / 1000.;
  }
  return NULL;
}

/* Whether line @name, of @n bytes, names one of @models. */
static bool
names_a_model (const char *name, size_t n,
    const ScopedetectModel *const *models, int n_models)
{
  for (int i = 0; i < n_models; i++)
    if (strlen (models[i]->name) == n && !strncmp (models[i]->name, name, n))
      return true;
  return false;
}

static const char *
read_fit_models (
    const char *text, const ScopedetectModel *const *models, int n_models)
{
  bool is_for_any = true, is_ours = false;

  for (; !strncmp (text, "model ", 6); text++) {
    size_t n = strcspn (text += 6, "\n");

    is_for_any = false;
    is_ours |= names_a_model (text, n, models, n_models);
    text += n;
    if (!*text)
      return "it is cut off";
  }
  if (strcmp (text, "end\n"))
    return "it is cut off";
  return is_for_any || is_ours ? NULL : "it was learned for other models";
}

const char *
scopedetect_fit_parse (ScopedetectFit *fit, const char *text,
    const ScopedetectModel *const *models, int n_models)
{
  ScopedetectFit read;
  int version;

  if (strncmp (text, FIT_BEGINS, strlen (FIT_BEGINS)))
    return "vision-train did not write it";
  TRY (read_fit_number (&text, FIT_BEGINS, &version));
  if (version != FIT_VERSION)
    return "it is of another version; make it anew by vision-train --fit";
  TRY (read_fit_weights (
      &text, scopedetect_term_names, SCOPEDETECT_N_TERMS, read.term));
  TRY (read_fit_weights (&text, alone_names, SCOPEDETECT_N_ALONE, read.alone));
  TRY (read_fit_models (text, models, n_models));
  *fit = read;
  return NULL;
}

static void
print_fit_weights (
    FILE *out, const char *const *names, int n, const double *weight)
{
  for (int k = 0; k < n; k++)
    fprintf (out, "%s %ld\n", names[k], lround (1000 * weight[k]));
}

char *
scopedetect_fit_text (const ScopedetectFit *fit,
    const ScopedetectModel *const *models, int n_models)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream (&text, &size);
  bool failed;

  if (!out)
    return NULL;
  fprintf (out, FIT_BEGINS "%d\n", FIT_VERSION);
  print_fit_weights (
      out, scopedetect_term_names, SCOPEDETECT_N_TERMS, fit->term);
  print_fit_weights (out, alone_names, SCOPEDETECT_N_ALONE, fit->alone);
  for (int i = 0; i < n_models; i++)
    fprintf (out, "model %s\n", models[i]->name);
  fprintf (out, "end\n");
  failed = ferror (out);
  if (fclose (out) || failed) {
    free (text);
    return NULL;
  }
  return text;
}

ScopedetectFit
scopedetect_fit_shipped (void)
{
  ScopedetectFit fit = {{0}, {0}};

  scopedetect_fit_parse (&fit, SCOPEDETECT_SHIPPED_FIT, NULL, 0);
  return fit;
}

const char *
scopedetect_load_fit (Scopedetect *s, const char *path,
    const ScopedetectModel *const *models, int n_models)
{
  const char *err;
  size_t n;
  char *text;
  int error = file_read (path, MAX_FIT, &text, &n);

  if (error)
    return file_why (error);
  err = scopedetect_fit_parse (&s->found.fit, text, models, n_models);
  free (text);
  return err;
}

/* ---- Candidates ---- */

static const ScopedetectHypothesis *
ranked_hypothesis (const ScopedetectFound *f, const ScopedetectRanked *r)
{
  return &f->by[r->search].hypothesis[r->model * SCOPEDETECT_FOUND + r->rank];
}

ScopedetectEvidence
scopedetect_judge_ranked (const ScopedetectFound *f, const ScopedetectRanked *r,
    ScopedetectCandidate *c)
{
  const ScopedetectHypothesis *a = ranked_hypothesis (f, r);
  ScopedetectEvidence evidence =
      scopedetect_judge (&f->patches, &f->shape[r->model], a, f->has_colour, c);

  evidence.second = r->search == 1;
  c->model = r->model;
  c->fit = f->explain_score == SCOPEDETECT_SCORE_THESIS
      ? scopedetect_thesis_fit (f->has_colour, a)
      : scopedetect_fit (&f->fit, &evidence);
  return evidence;
}

typedef struct {
  const ScopedetectFound *found;
  ScopedetectCandidates *candidates;
} Judging;

static ScopedetectCandidate *
judged_candidate (const Judging *j, const ScopedetectRanked *r)
{
  int model = r->search * j->found->n_models + r->model;

  return &j->candidates->judged[model * SCOPEDETECT_FOUND + r->rank];
}

/* Computes evidence and fit of hypotheses; each is judged once a frame. */
static void
judge_hypotheses (void *data, int begin, int end)
{
  const Judging *j = data;

  for (int i = begin; i < end; i++) {
    ScopedetectRanked *r = &j->candidates->ranked[i];

    if (r->search >= j->candidates->n_judged)
      scopedetect_judge_ranked (j->found, r, judged_candidate (j, r));
    r->fit = judged_candidate (j, r)->fit;
  }
}

static int
by_model_and_rank (const void *a, const void *b)
{
  const ScopedetectRanked *p = a, *q = b;

  if (p->model != q->model)
    return p->model - q->model;
  return p->search != q->search ? p->search - q->search : p->rank - q->rank;
}

static int
by_fit_of_ranked (const void *a, const void *b)
{
  const ScopedetectRanked *p = a, *q = b;

  if (p->stays != q->stays)
    return p->stays ? -1 : 1;
  return p->fit != q->fit ? p->fit > q->fit ? -1 : 1 : by_model_and_rank (a, b);
}

/* Lists the first @max hypotheses of each model and search; returns how many.
 */
static int
list_first_hypotheses (
    const ScopedetectFound *f, int max, ScopedetectRanked *ranked)
{
  int n = 0;

  for (int k = 0; k < 2; k++)
    for (int m = 0; m < f->n_models; m++)
      for (int i = 0; i < f->by[k].n[m] && i < max; i++)
        ranked[n++] = (ScopedetectRanked){m, k, i, 0, false};
  return n;
}

/* The number of @r among the @n hypotheses @chosen; -1: none. */
static int
find_ranked (const ScopedetectRanked *chosen, int n, const ScopedetectRanked *r)
{
  for (int i = 0; i < n; i++)
    if (!by_model_and_rank (&chosen[i], r))
      return i;
  return -1;
}

/* Takes @chosen and the fittest of the other hypotheses as candidates. */
static void
take_fittest_candidates (ScopedetectCandidates *c, const ScopedetectFound *f,
    int max, const ScopedetectRanked *chosen, int n_chosen)
{
  Judging j = {f, c};
  int n = list_first_hypotheses (f, max, c->ranked);

  parallel_for (n, 1, judge_hypotheses, &j);
  c->n_judged++;
  for (int i = 0; i < n; i++)
    c->ranked[i].stays = find_ranked (chosen, n_chosen, &c->ranked[i]) >= 0;
  qsort (c->ranked, (size_t) n, sizeof *c->ranked, by_fit_of_ranked);
  n = n < SCOPEDETECT_MAX_CANDIDATES ? n : SCOPEDETECT_MAX_CANDIDATES;
  while (f->explain_score == SCOPEDETECT_SCORE_LEARNED && n > 0 &&
      !c->ranked[n - 1].stays && c->ranked[n - 1].fit < SCOPEDETECT_MIN_FIT)
    n--;
  qsort (c->ranked, (size_t) n, sizeof *c->ranked, by_model_and_rank);
  c->n = n;
  for (int i = 0; i < n; i++)
    c->candidate[i] = *judged_candidate (&j, &c->ranked[i]);
}

double
scopedetect_score_of (int32_t fit)
{
  return 1 / (1 + exp (-SCOPEDETECT_SURE_ODDS * fit / SCOPEDETECT_SURE));
}

static void
set_candidate_objects (ScopedetectCandidates *c, const ScopedetectFound *f)
{
  for (int i = 0; i < c->n; i++) {
    const ScopedetectRanked *r = &c->ranked[i];
    ScopedetectObject *o = &c->object[i];

    scopedetect_set_object (o, f, &f->shape[r->model], ranked_hypothesis (f, r),
        &f->by[r->search].measure[r->model * SCOPEDETECT_FOUND + r->rank]);
    o->model = r->model;
    if (f->explain_score == SCOPEDETECT_SCORE_LEARNED)
      o->score = scopedetect_score_of (r->fit);
  }
}

/* The minimum mean distance of two objects of a model, in diameters. */
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

/* Excludes candidates of one object from each other. */
static void
set_candidate_excludes (ScopedetectCandidates *c, const ScopedetectFound *f)
{
  size_t words = (size_t) scopedetect_exclude_words (c->n);

  memset (c->excludes, 0, (size_t) c->n * words * sizeof *c->excludes);
  if (f->explain_score == SCOPEDETECT_SCORE_THESIS)
    return; /* the overlap and the cost of an object decide (2.2) */
  for (int i = 0; i < c->n; i++)
    for (int j = i - 1; j >= 0 && c->ranked[j].model == c->ranked[i].model; j--)
      if (scopedetect_is_one (&f->shape[c->candidate[i].model],
              &c->candidate[i], &c->object[i], &c->candidate[j],
              &c->object[j])) {
        scopedetect_exclude (c->excludes, c->n, i, j);
        scopedetect_exclude (c->excludes, c->n, j, i);
      }
}

void
scopedetect_set_candidates (ScopedetectCandidates *c, const ScopedetectFound *f,
    int max, const ScopedetectRanked *chosen, int n, int *at)
{
  take_fittest_candidates (c, f, max, chosen, n);
  set_candidate_objects (c, f);
  set_candidate_excludes (c, f);
  for (int i = 0; i < c->n; i++) {
    int k = find_ranked (chosen, n, &c->ranked[i]);

    if (k >= 0)
      at[k] = i;
  }
}

/* ---- Points that a choice leaves (2.3) ---- */

typedef struct {
  const ScopedetectPoints *points;
  const ScopedetectShape *shape;
  Turn r;
  Vec t;
  float reach;
  bool *explained; /* of each point */
} Leaving;

static void
mark_explained_points (void *data, int begin, int end)
{
  const Leaving *l = data;
  Vec centre = vec_transform (&l->r, l->t, l->shape->centre);
  float off;

  for (int i = begin; i < end; i++) {
    Vec x = l->points->x[i], d = vec_sub (x, centre);

    if (vec_dot (d, d) <= l->reach * l->reach &&
        explained_by_point (
            l->shape, &l->r, l->t, x, l->points->normal[i], &off) >= 0)
      l->explained[i] = true;
  }
}

int
scopedetect_set_left (const ScopedetectFound *f, const ScopedetectCandidates *c,
    const ScopedetectAssignment *chosen, bool *explained, uint16_t *left)
{
  int points = f->points.n, n = 0;

  memset (explained, 0, (size_t) points * sizeof *explained);
  for (int k = 0; k < chosen->n; k++) {
    const ScopedetectObject *o = &c->object[chosen->chosen[k]];
    const ScopedetectShape *shape = &f->shape[o->model];
    Pose p = pose_from (o->pose);
    Leaving l = {&f->points, shape, turn_of (p.q), p.t,
        shape->radius + NEAR_SURFACE, explained};

    parallel_for (points, 256, mark_explained_points, &l);
  }
  for (int i = 0; i < points; i++)
    if (!explained[i])
      left[n++] = (uint16_t) i;
  return n;
}

/* ---- Votes ---- */

#define VOTED 5 /* maximum number of poses of a model that vote */

typedef struct {
  const ScopedetectFound *found;
  int search;
  ScopedetectVote *vote;
} Voting;

static void
count_votes (void *data, int begin, int end)
{
  const Voting *of = data;
  ScopedetectCandidate c;

  for (int i = begin; i < end; i++) {
    ScopedetectVote *v = &of->vote[i];
    int n = of->found->by[of->search].n[v->model];

    v->fit = -SCOPEDETECT_SURE - 1;
    for (int k = 0; k < n && k < VOTED; k++) {
      ScopedetectRanked r = {v->model, of->search, k, 0, false};

      scopedetect_judge_ranked (of->found, &r, &c);
      v->fit = c.fit > v->fit ? c.fit : v->fit;
    }
  }
}

void
scopedetect_vote (
    const ScopedetectFound *found, int search, ScopedetectVote *vote, int n)
{
  Voting of = {found, search, vote};

  parallel_for (n, 1, count_votes, &of);
}
