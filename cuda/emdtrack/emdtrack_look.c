/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target in a frame: a coarse grid, a fine one, and other sizes. */
#include <math.h>

#include "emdtrack/emdtrack_look.h"

#define WIDEN 1.25 /* the search, each frame that a target is occluded */
#define WIDEST 4   /* times the search */
#define FINE 8     /* steps of the fine search from its middle, the most */
#define NEARLY .2  /* of the distance: how much worse fits nearly as well */
#define WIDE 1.6   /* what is around, in sizes of the target */
#define AROUND .3  /* weight of that being something else */
#define ROUNDING 1e-9

/* The best of a grid around @best or over the frame, and @which it is; where
 * all is alike, the target stays. */
static const char *
look (EmdtrackLooking *l, EmdtrackCandidate *best, int *which)
{
  EmdtrackSearch *s = l->search;
  const EmdtrackCandidate *c;

  TRY (emdtrack_search_run (
      s, l->emdtrack, l->model, INFINITY, l->width, l->height));
  c = emdtrack_search_best (s, best->cx, best->cy);
  *which = c ? (int) (c - s->candidate) : 0;
  if (c)
    *best = *c;
  else
    best->distance = 2;
  return NULL;
}

static bool
is_apart (const EmdtrackCandidate *c, const void *from)
{
  const EmdtrackCandidate *best = (const EmdtrackCandidate *) from;

  return fabs (c->cx - best->cx) > best->width / 2 ||
      fabs (c->cy - best->cy) > best->height / 2;
}

/* Distance of @best by the minimum of those apart from it. */
static double
ratio_to_second (EmdtrackSearch *s, const EmdtrackCandidate *best)
{
  const EmdtrackCandidate *c = emdtrack_search_min (s, is_apart, best);
  double second = c ? c->distance : 2;

  return second > 1 ? 0 : second > 0 ? best->distance / second : 1;
}

/* Candidates like @like in all of the frame; returns the step. */
static double
grid_everywhere (EmdtrackLooking *l, const EmdtrackCandidate *like)
{
  double small = like->width < like->height ? like->width : like->height;
  double step = small / 4 > 1 ? floor (small / 4) : 1;
  double all[4] = {like->width / 2, like->height / 2,
      l->width - like->width / 2, l->height - like->height / 2};

  while ((l->width / step + 1) * (l->height / step + 1) > EMDTRACK_REGIONS)
    step *= 1.25;
  l->search->n = 0;
  emdtrack_search_grid (l->search, like, 1, all, step);
  return step;
}

const char *
emdtrack_look_everywhere (
    EmdtrackLooking *l, const EmdtrackCandidate *like, double limit)
{
  grid_everywhere (l, like);
  return emdtrack_search_run (
      l->search, l->emdtrack, l->model, limit, l->width, l->height);
}

const char *
emdtrack_look_coarsely (EmdtrackLooking *l, const EmdtrackTrack *t,
    EmdtrackCandidate *best, double *step, double *ratio)
{
  EmdtrackSearch *s = l->search;
  EmdtrackCandidate like = emdtrack_box_of (t);
  double small = like.width < like.height ? like.width : like.height;
  double reach = l->params->search;
  int which;

  *step = small / 8 > 1 ? floor (small / 8) : 1;
  if (t->state == EMDTRACK_LOST) {
    *step = grid_everywhere (l, &like);
  } else {
    double wide = pow (WIDEN, t->unseen < 99 ? t->unseen : 99);

    reach *= wide < WIDEST ? wide : WIDEST;
    while (2 * reach / *step + 1 > 90) /* 90^2 < EMDTRACK_REGIONS */
      *step *= 1.25;
    like.cx += t->vx;
    like.cy += t->vy;
    reach = floor (reach / *step) * *step;
    s->n = 0;
    emdtrack_search_grid (s, &like, 1,
        (double[4]){
            like.cx - reach, like.cy - reach, like.cx + reach, like.cy + reach},
        *step);
  }
  *best = like;
  TRY (look (l, best, &which));
  *ratio = ratio_to_second (s, best);
  return NULL;
}

EmdtrackRegion
emdtrack_part_of (const EmdtrackCandidate *c, int k)
{
  EmdtrackCandidate half = *c;

  if (k < 2) {
    half.width /= 2;
    half.cx += (k ? 1 : -1) * half.width / 2;
  } else {
    half.height /= 2;
    half.cy += (k > 2 ? 1 : -1) * half.height / 2;
  }
  return emdtrack_region_of (&half);
}

/* A candidate's regions: what is in it, what is in and around it, its parts. */
static int
set_regions (
    const EmdtrackLooking *l, const EmdtrackCandidate *c, EmdtrackRegion *r)
{
  EmdtrackCandidate wide = *c;
  int n = l->parts->known ? EMDTRACK_PARTS : 0;

  wide.width *= WIDE;
  wide.height *= WIDE;
  r[0] = emdtrack_region_of (c);
  r[1] = emdtrack_region_of (&wide);
  r[0].apart = r[1].apart;
  for (int k = 0; k < n; k++)
    r[2 + k] = emdtrack_part_of (c, k);
  return 2 + n;
}

/* A distance of which only a bound is known at first. */
typedef struct {
  EmdtrackModel *model;
  const uint32_t *counts;
  double distance, weight;
} Term;

/* Of what lies outside of the frame, as a half of a box may, all is wrong. */
static Term
term_of (EmdtrackModel *m, const uint32_t *counts, double weight)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    if (counts[i])
      return (Term){
          m, counts, emdtrack_model_bound (m, counts, INFINITY), weight};
  return (Term){m, NULL, 1, weight};
}

/* Those of the whole, @model, and of its parts; returns how many. */
static int
set_terms (EmdtrackModel *model, EmdtrackParts *parts, const uint32_t *counts,
    double weight, Term *term)
{
  int n = 1;

  term[0] = term_of (model, counts, weight);
  for (; parts->known && n <= EMDTRACK_PARTS; n++)
    term[n] = term_of (&parts->model[n - 1],
        counts + (size_t) (n + 1) * EMDTRACK_BINS, weight);
  return n;
}

static double
combine (const Term *term, int n, double around)
{
  double sum = 0, weight = 0;

  for (int k = 0; k < n; k++) {
    sum += term[k].weight * term[k].distance;
    weight += term[k].weight;
  }
  return sum / weight - AROUND * around;
}

/* How badly the target fits: the mean distance of the whole and of its parts
 * from how they looked when it was chosen and in the last frame, less that of
 * what is around; or a bound that exceeds @limit.  The kernels of
 * the first two regions are 256 in the middle, so that their difference is what
 * is around. */
static double
misfit (const EmdtrackLooking *l, const uint32_t *counts, double limit)
{
  const uint32_t *wide = counts + EMDTRACK_BINS;
  EmdtrackLately *lately = l->lately;
  double weight = lately->parts.known ? lately->weight : 0, far;
  Term term[2 * (1 + EMDTRACK_PARTS)];
  uint32_t around[EMDTRACK_BINS], all = 0;
  int n = set_terms (l->model, l->parts, counts, 1 - weight, term);

  for (int i = 0; i < EMDTRACK_BINS; i++)
    all += around[i] = wide[i] > counts[i] ? wide[i] - counts[i] : 0;
  if (weight > 0)
    n += set_terms (&lately->model, &lately->parts, counts, weight, term + n);
  far = all ? 1 : 0;
  if (all && combine (term, n, far) <= limit)
    far = emdtrack_model_distance (l->model, around);
  for (int k = 0; k < n && combine (term, n, far) <= limit; k++)
    if (term[k].counts)
      term[k].distance =
          emdtrack_model_distance (term[k].model, term[k].counts);
  return combine (term, n, far);
}

/* The misfits of all candidates, or bounds of those that exceed the minimum by
 * more than @margin.  @likely: which may be the minimum. */
static const char *
find_misfits (EmdtrackLooking *l, int likely, double margin, double *fit)
{
  EmdtrackSearch *s = l->search;
  const uint32_t *counts;
  double min;
  int n = 0, each = 0;

  for (int i = 0; i < s->n; i++, n += each)
    each = set_regions (l, &s->candidate[i], s->region + n);
  TRY (emdtrack_count (l->emdtrack, s->region, n, &counts));
  each *= EMDTRACK_BINS;
  min = fit[likely] = misfit (l, counts + (size_t) likely * each, INFINITY);
  for (int i = 0; i < s->n; i++, counts += each) {
    if (i != likely)
      fit[i] = misfit (l, counts, min + margin);
    min = fmin (min, fit[i]);
  }
  return NULL;
}

static double
nearly (double min, const EmdtrackCandidate *best)
{
  return min + NEARLY * best->distance + .005;
}

/* The centre of the places that fit nearly as well: the minimum is flat, and
 * counts are noisy. */
static void
middle (const EmdtrackSearch *s, const double *fit, EmdtrackCandidate *best)
{
  double min = INFINITY, limit, x = 0, y = 0, sum = 0;

  for (int i = 0; i < s->n; i++)
    min = fmin (min, fit[i]);
  limit = nearly (min, best);
  for (int i = 0; i < s->n; i++) {
    double weight = limit - fit[i];

    if (weight <= 0)
      continue;
    x += weight * s->candidate[i].cx;
    y += weight * s->candidate[i].cy;
    sum += weight;
  }
  best->cx = x / sum;
  best->cy = y / sum;
}

/* Candidates around @best: by the whole alone as far as the coarse grid may be
 * off; by the parts, too, as far as the whole may be, which is a quarter of it,
 * and more coarsely. */
static void
grid_closely (EmdtrackLooking *l, const EmdtrackCandidate *best, double step)
{
  double small = best->width < best->height ? best->width : best->height;
  double reach = l->parts->known ? small / 4 : step;
  double fine = reach / (l->parts->known ? FINE / 2 : FINE);
  double around[4];

  fine = fine > 1 ? fine : 1;
  reach = floor (reach / fine + .001) * fine;
  around[0] = best->cx - reach, around[1] = best->cy - reach;
  around[2] = best->cx + reach + .001, around[3] = best->cy + reach + .001;
  l->search->n = 0;
  emdtrack_search_grid (l->search, best, 1, around, fine);
}

const char *
emdtrack_look_closely (EmdtrackLooking *l, EmdtrackCandidate *best, double step)
{
  EmdtrackSearch *s = l->search;
  double fit[(2 * FINE + 1) * (2 * FINE + 1)];
  int which;

  grid_closely (l, best, step);
  TRY (look (l, best, &which));
  if (best->distance > 1)
    return NULL;
  /* The nearer it is to being occluded, the less its first look tells where it
   * is: all else looks as unlike. */
  l->lately->weight = fmin (best->distance / l->params->occlude, 1);
  if (l->parts->known) {
    TRY (find_misfits (l, which, nearly (ROUNDING, best), fit));
  } else {
    emdtrack_search_within (s, nearly (best->distance, best));
    for (int i = 0; i < s->n; i++)
      fit[i] = s->candidate[i].distance;
  }
  middle (s, fit, best);
  return NULL;
}

const char *
emdtrack_look_at_scales (EmdtrackLooking *l, const EmdtrackCandidate *at, int n,
    double step, double *scale)
{
  EmdtrackSearch *s = l->search;
  double fit[EMDTRACK_SCALES];
  int best = 0;

  for (int k = 0; k < n; k++) {
    double by = pow (step, k - n / 2);

    s->candidate[k] = (EmdtrackCandidate){
        at->cx, at->cy, at->width * by, at->height * by, 2, NULL};
  }
  s->n = n;
  TRY (find_misfits (l, n / 2, ROUNDING, fit));
  for (int k = 1; k < n; k++)
    best = fit[k] < fit[best] ? k : best;
  *scale = pow (step, best - n / 2);
  return NULL;
}
