/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Locates a target in a frame: on a coarse grid, on a fine one, and at other
 * sizes. */
#include <math.h>

#include "emdtrack/emdtrack_locate.h"

/* Growth of the search area in each frame in which a target is occluded. */
#define WIDEN 1.25
#define WIDEST 4    /* the greatest search area, as a multiple of the first */
#define FINE 8      /* the most steps of the fine search from its middle */
#define NEARLY .2   /* of the distance: a nearly equal fit is less worse */
#define WIDE 1.6    /* size of the surroundings, in sizes of the target */
#define AROUND .3   /* weight of the surroundings' difference from the target */
#define SURROUND .5 /* weight of the surroundings' belonging */
#define HALVINGS 30 /* of a limit of distances */
#define ROUNDING 1e-9

EmdtrackRegion
emdtrack_box_part (const EmdtrackCandidate *c, int k)
{
  EmdtrackCandidate half = *c;

  if (k < 2) {
    half.width /= 2;
    half.cx += (k ? 1 : -1) * half.width / 2;
  } else {
    half.height /= 2;
    half.cy += (k > 2 ? 1 : -1) * half.height / 2;
  }
  return emdtrack_box_region (&half);
}

/* The number of regions of a look at a candidate: the box, the box with its
 * surroundings, the parts. */
static int
regions_of_look (const EmdtrackLocator *l)
{
  return 2 + (l->parts->known ? EMDTRACK_PARTS : 0);
}

/* Sets the regions of a look at each candidate.  Returns how many there are. */
static int
set_looks (EmdtrackLocator *l)
{
  EmdtrackSearch *s = l->search;
  EmdtrackRegion *r = s->region;
  int each = regions_of_look (l);

  for (int i = 0; i < s->n; i++, r += each) {
    EmdtrackCandidate *c = &s->candidate[i], wide = *c;

    c->look = i;
    wide.width *= WIDE;
    wide.height *= WIDE;
    r[0] = emdtrack_box_region (c);
    r[1] = emdtrack_box_region (&wide);
    r[0].apart = r[1].apart;
    for (int k = 0; k < each - 2; k++)
      r[2 + k] = emdtrack_box_part (c, k);
  }
  return s->n * each;
}

/* The counts of the look at candidate @i. */
static const uint32_t *
counts_of_look (const EmdtrackLocator *l, int i)
{
  return l->search->looks +
      (size_t) (l->search->candidate[i].look * regions_of_look (l)) *
      EMDTRACK_BINS;
}

/* Finds the best place of a grid around @best, or of the frame.  Sets @which to
 * its number.  If all places are alike, the target stays.  @look: the caller
 * will compare misfits, whose regions are counted now if there is room, since
 * each count waits for the device. */
static const char *
locate_on_grid (
    EmdtrackLocator *l, EmdtrackCandidate *best, bool look, int *which)
{
  EmdtrackSearch *s = l->search;
  const EmdtrackCandidate *c;

  look = look && s->n * (1 + regions_of_look (l)) <= EMDTRACK_REGIONS;
  TRY (emdtrack_search_run (s, l->emdtrack, l->model, INFINITY, l->width,
      l->height, look ? set_looks (l) : 0));
  c = emdtrack_search_best (s, best->cx, best->cy);
  *which = c ? (int) (c - s->candidate) : 0;
  if (c)
    *best = *c;
  else
    best->distance = 2;
  return NULL;
}

static bool
is_apart_from (const EmdtrackCandidate *c, const void *from)
{
  const EmdtrackCandidate *best = (const EmdtrackCandidate *) from;

  return fabs (c->cx - best->cx) > best->width / 2 ||
      fabs (c->cy - best->cy) > best->height / 2;
}

/* The distance of @best divided by the smallest distance of the candidates
 * apart from it. */
static double
ratio_to_second (EmdtrackSearch *s, const EmdtrackCandidate *best)
{
  const EmdtrackCandidate *c = emdtrack_search_min (s, is_apart_from, best);
  double second = c ? c->distance : 2;

  return second > 1 ? 0 : second > 0 ? best->distance / second : 1;
}

/* Adds candidates of @like's size in the whole frame.  Returns the step of
 * their grid. */
static double
add_frame_grid (EmdtrackLocator *l, const EmdtrackCandidate *like)
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
emdtrack_locate_everywhere (
    EmdtrackLocator *l, const EmdtrackCandidate *like, double limit)
{
  add_frame_grid (l, like);
  return emdtrack_search_run (
      l->search, l->emdtrack, l->model, limit, l->width, l->height, 0);
}

const char *
emdtrack_locate_coarsely (EmdtrackLocator *l, const EmdtrackTrack *t,
    EmdtrackCandidate *best, double *step, double *ratio)
{
  EmdtrackSearch *s = l->search;
  EmdtrackCandidate like = emdtrack_track_box (t);
  double small = like.width < like.height ? like.width : like.height;
  double reach = l->params->search;
  int which;

  *step = small / 8 > 1 ? floor (small / 8) : 1;
  if (t->state == EMDTRACK_LOST) {
    *step = add_frame_grid (l, &like);
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
  TRY (locate_on_grid (l, best,
      t->state == EMDTRACK_TRACKING && emdtrack_uses_contrast (l), &which));
  *ratio = ratio_to_second (s, best);
  return NULL;
}

/* A distance from a model, of which only a bound is known at first, and 0
 * before. */
typedef struct {
  EmdtrackModel *model;
  const uint32_t *counts;
  double distance, weight;
} Term;

/* The pixels of a box that lie outside of the frame count as wholly
 * different. */
static Term
distance_term (EmdtrackModel *m, const uint32_t *counts, double weight)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    if (counts[i])
      return (Term){m, counts, 0, weight};
  return (Term){m, NULL, 1, weight};
}

/* Sets the terms of the whole, @model, and of its parts.  Returns how many
 * there are. */
static int
set_distance_terms (EmdtrackModel *model, EmdtrackParts *parts,
    const uint32_t *counts, double weight, Term *term)
{
  int n = 1;

  term[0] = distance_term (model, counts, weight);
  for (; parts->known && n <= EMDTRACK_PARTS; n++)
    term[n] = distance_term (&parts->model[n - 1],
        counts + (size_t) (n + 1) * EMDTRACK_BINS, weight);
  return n;
}

static double
combine_terms (const Term *term, int n, double around)
{
  double sum = 0, weight = 0;

  for (int k = 0; k < n; k++) {
    sum += term[k].weight * term[k].distance;
    weight += term[k].weight;
  }
  return sum / weight - AROUND * around;
}

/* The mean belonging of pixels; 0 if there are none. */
static double
mean_belonging (const EmdtrackContrast *c, const uint32_t *counts)
{
  double sum = 0, all = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++) {
    sum += counts[i] * c->belonging[i];
    all += counts[i];
  }
  return all > 0 ? sum / all : 0;
}

bool
emdtrack_count_surroundings (
    const uint32_t *counts, uint32_t around[EMDTRACK_BINS])
{
  const uint32_t *wide = counts + EMDTRACK_BINS;
  uint32_t all = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    all += around[i] = wide[i] > counts[i] ? wide[i] - counts[i] : 0;
  return all;
}

/* The misfit of the target at a place: the mean distance of the whole and of
 * its parts from their appearance when the target was chosen and in the last
 * frame, less the distance of the surroundings, and the belonging that its
 * pixels lack and the surroundings have; or a bound above @limit. */
static double
candidate_misfit (
    const EmdtrackLocator *l, const uint32_t *counts, double limit)
{
  EmdtrackAppearance *lately = l->lately;
  double weight = lately->parts.known ? lately->weight : 0, far, lack = 0;
  Term term[2 * (1 + EMDTRACK_PARTS)];
  uint32_t around[EMDTRACK_BINS];
  bool all = emdtrack_count_surroundings (counts, around);
  int n = set_distance_terms (l->model, l->parts, counts, 1 - weight, term);

  if (emdtrack_uses_contrast (l))
    lack = l->params->contrast *
        (1 - mean_belonging (l->contrast, counts) +
            SURROUND * mean_belonging (l->contrast, around));
  limit -= lack;
  if (weight > 0)
    n += set_distance_terms (
        &lately->model, &lately->parts, counts, weight, term + n);
  far = all ? 1 : 0;
  for (int k = 0; k < n && combine_terms (term, n, far) <= limit; k++)
    if (term[k].counts)
      term[k].distance =
          emdtrack_model_bound (term[k].model, term[k].counts, INFINITY);
  if (all && combine_terms (term, n, far) <= limit)
    far = emdtrack_model_distance (l->model, around);
  for (int k = 0; k < n && combine_terms (term, n, far) <= limit; k++)
    if (term[k].counts)
      term[k].distance =
          emdtrack_model_distance (term[k].model, term[k].counts);
  return combine_terms (term, n, far) + lack;
}

/* The nearer the target is to being occluded, the less its first appearance
 * shows where it is, since all places differ from it alike. */
static void
set_look_weight (EmdtrackLocator *l, const EmdtrackCandidate *best)
{
  l->lately->weight = fmin (best->distance / l->params->occlude, 1);
}

/* Finds the misfits of all candidates, or bounds of those that exceed the
 * minimum by more than @margin.  @likely is the candidate that is probably the
 * minimum. */
static const char *
find_misfits (EmdtrackLocator *l, int likely, double margin, double *fit)
{
  EmdtrackSearch *s = l->search;
  double min;

  if (!s->looks)
    TRY (emdtrack_count (l->emdtrack, s->region, set_looks (l), &s->looks));
  min = fit[likely] =
      candidate_misfit (l, counts_of_look (l, likely), INFINITY);
  for (int i = 0; i < s->n; i++) {
    if (i != likely)
      fit[i] = candidate_misfit (l, counts_of_look (l, i), min + margin);
    min = fmin (min, fit[i]);
  }
  return NULL;
}

static double
nearly_equal_limit (double min, const EmdtrackCandidate *best)
{
  return min + NEARLY * best->distance + .005;
}

/* About the most candidates that are compared by their misfits. */
#define COMPARED (EMDTRACK_REGIONS / (2 + EMDTRACK_PARTS))

static int
count_candidates_within (const EmdtrackSearch *s, double limit)
{
  int n = 0;

  for (int i = 0; i < s->n; i++)
    n += s->candidate[i].distance <= limit;
  return n;
}

/* Keeps the candidate @best, which becomes the first, and those whose bounds
 * are lowest, as many as there is room for with their regions. */
static void
keep_nearest_candidates (EmdtrackSearch *s, const EmdtrackCandidate *best)
{
  double limit = 1;
  int n = 1;

  for (int k = 0; k < HALVINGS && count_candidates_within (s, limit) > COMPARED;
       k++)
    limit = (limit + best->distance) / 2;
  for (int i = 0; i < s->n; i++)
    if (s->candidate[i].cx == best->cx && s->candidate[i].cy == best->cy)
      s->candidate[i] = s->candidate[0];
  s->candidate[0] = *best;
  for (int i = 1; i < s->n && n < COMPARED; i++)
    if (s->candidate[i].distance <= limit)
      s->candidate[n++] = s->candidate[i];
  s->n = n;
}

const char *
emdtrack_locate_by_misfit (EmdtrackLocator *l, EmdtrackCandidate *best)
{
  EmdtrackSearch *s = l->search;
  double fit[COMPARED];
  int least = 0;

  if (!emdtrack_uses_contrast (l))
    return NULL;
  keep_nearest_candidates (s, best);
  set_look_weight (l, best);
  TRY (find_misfits (l, 0, 0, fit));
  for (int i = 1; i < s->n; i++)
    least = fit[i] < fit[least] ? i : least;
  *best = s->candidate[least];
  return NULL;
}

/* Moves @best to the centre of the places that fit nearly as well, because the
 * minimum is flat and counts are noisy. */
static void
move_to_centre (
    const EmdtrackSearch *s, const double *fit, EmdtrackCandidate *best)
{
  double min = INFINITY, limit, x = 0, y = 0, sum = 0;

  for (int i = 0; i < s->n; i++)
    min = fmin (min, fit[i]);
  limit = nearly_equal_limit (min, best);
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

/* Adds candidates around @best.  Without parts they reach as far as the coarse
 * grid may be off.  With parts they are farther apart and reach a quarter of
 * the box, as far as a place by the whole alone may be off. */
static void
add_fine_grid (EmdtrackLocator *l, const EmdtrackCandidate *best, double step)
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
emdtrack_locate_finely (
    EmdtrackLocator *l, EmdtrackCandidate *best, double step)
{
  EmdtrackSearch *s = l->search;
  double fit[(2 * FINE + 1) * (2 * FINE + 1)];
  int which;

  add_fine_grid (l, best, step);
  TRY (locate_on_grid (l, best, l->parts->known, &which));
  if (best->distance > 1)
    return NULL;
  set_look_weight (l, best);
  if (l->parts->known) {
    TRY (find_misfits (l, which, nearly_equal_limit (ROUNDING, best), fit));
  } else {
    emdtrack_search_within (s, nearly_equal_limit (best->distance, best));
    for (int i = 0; i < s->n; i++)
      fit[i] = s->candidate[i].distance;
  }
  move_to_centre (s, fit, best);
  return NULL;
}

double
emdtrack_scale (int n, double step, int k)
{
  return pow (step, k - n / 2);
}

const char *
emdtrack_look_at_sizes (EmdtrackLocator *l, const EmdtrackCandidate *at, int n,
    double step, const EmdtrackRegion *more, int n_more,
    const uint32_t **counts)
{
  EmdtrackSearch *s = l->search;
  int looks;

  for (int k = 0; k < n; k++) {
    double by = emdtrack_scale (n, step, k);

    s->candidate[k] = (EmdtrackCandidate){
        at->cx, at->cy, at->width * by, at->height * by, 2, NULL, 0};
  }
  s->n = n;
  looks = set_looks (l);
  for (int k = 0; k < n_more; k++)
    s->region[looks + k] = more[k];
  TRY (emdtrack_count (l->emdtrack, s->region, looks + n_more, &s->looks));
  *counts = s->looks + (size_t) looks * EMDTRACK_BINS;
  return NULL;
}

double
emdtrack_locate_margin (const EmdtrackLocator *l)
{
  const uint32_t *counts = counts_of_look (l, l->search->n / 2);
  uint32_t around[EMDTRACK_BINS];

  emdtrack_count_surroundings (counts, around);
  return mean_belonging (l->contrast, counts) -
      mean_belonging (l->contrast, around);
}

const char *
emdtrack_locate_size (EmdtrackLocator *l, int *best)
{
  double fit[EMDTRACK_SCALES];
  int n = l->search->n;

  TRY (find_misfits (l, n / 2, ROUNDING, fit));
  *best = 0;
  for (int k = 1; k < n; k++)
    *best = fit[k] < fit[*best] ? k : *best;
  return NULL;
}
