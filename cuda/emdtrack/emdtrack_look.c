/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target in a frame: a coarse grid, a fine one, and other sizes. */
#include <math.h>

#include "emdtrack/emdtrack_look.h"

#define WIDEN 1.25 /* the search, each frame that a target is occluded */
#define WIDEST 4   /* times the search */
#define FINE 8     /* steps of the fine search from one of the coarse one */
#define NEARLY 1.2 /* as near as the nearest */
#define WIDE 1.6   /* what is around, in sizes of the target */
#define AROUND .3  /* weight of that being something else */
#define SMOOTH .5  /* how much a new size counts */
#define MOST_SCALES 5
#define SMALLEST 4 /* side of a target, pixels */

/* The best of a grid around @best or over the frame; where all is alike, the
 * target stays. */
static const char *
look (EmdtrackLooking *l, EmdtrackCandidate *best)
{
  EmdtrackSearch *s = l->search;
  const EmdtrackCandidate *c;

  TRY (emdtrack_search_run (s, l->emdtrack, l->model, l->width, l->height));
  c = emdtrack_search_best (s, best->cx, best->cy);
  if (c)
    *best = *c;
  else
    best->distance = 2;
  return NULL;
}

/* Distance of @best by the least of what lies apart from it. */
static double
ratio_to_second (const EmdtrackSearch *s, const EmdtrackCandidate *best)
{
  double second = 2;

  for (int i = 0; i < s->n; i++) {
    const EmdtrackCandidate *c = &s->candidate[i];
    bool apart = fabs (c->cx - best->cx) > best->width / 2 ||
        fabs (c->cy - best->cy) > best->height / 2;

    if (apart && c->distance < second)
      second = c->distance;
  }
  return second > 1 ? 0 : second > 0 ? best->distance / second : 1;
}

const char *
emdtrack_look_coarsely (EmdtrackLooking *l, const EmdtrackTrack *t,
    EmdtrackCandidate *best, double *step, double *ratio)
{
  EmdtrackSearch *s = l->search;
  EmdtrackCandidate like = emdtrack_box_of (t);
  double small = like.width < like.height ? like.width : like.height;
  double reach = l->params->search;
  double all[4] = {like.width / 2, like.height / 2, l->width - like.width / 2,
      l->height - like.height / 2};

  *step = small / 8 > 1 ? floor (small / 8) : 1;
  if (t->state == EMDTRACK_LOST) {
    *step = small / 4 > 1 ? floor (small / 4) : 1;
    while ((l->width / *step + 1) * (l->height / *step + 1) > EMDTRACK_REGIONS)
      *step *= 1.25;
  } else {
    double wide = pow (WIDEN, t->unseen < 99 ? t->unseen : 99);

    reach *= wide < WIDEST ? wide : WIDEST;
    while (2 * reach / *step + 1 > 90) /* 90^2 < EMDTRACK_REGIONS */
      *step *= 1.25;
    like.cx += t->vx;
    like.cy += t->vy;
    reach = floor (reach / *step) * *step;
    all[0] = like.cx - reach, all[1] = like.cy - reach;
    all[2] = like.cx + reach, all[3] = like.cy + reach;
  }
  s->n = 0;
  emdtrack_search_grid (s, &like, 1, all, *step);
  *best = like;
  TRY (look (l, best));
  *ratio = ratio_to_second (s, best);
  return NULL;
}

/* The centre of the places that are nearly as near: the minimum is flat, and
 * counts are noisy. */
static void
middle (const EmdtrackSearch *s, EmdtrackCandidate *best)
{
  double limit = best->distance * NEARLY + .005, x = 0, y = 0, sum = 0;

  for (int i = 0; i < s->n; i++) {
    double weight = limit - s->candidate[i].distance;

    if (weight <= 0)
      continue;
    x += weight * s->candidate[i].cx;
    y += weight * s->candidate[i].cy;
    sum += weight;
  }
  if (sum > 0) {
    best->cx = x / sum;
    best->cy = y / sum;
  }
}

const char *
emdtrack_look_closely (EmdtrackLooking *l, EmdtrackCandidate *best, double step)
{
  EmdtrackSearch *s = l->search;
  double fine = step / FINE > 1 ? step / FINE : 1;
  double around[4] = {
      best->cx - step, best->cy - step, best->cx + step, best->cy + step};

  s->n = 0;
  emdtrack_search_grid (s, best, 1, around, fine);
  TRY (look (l, best));
  middle (s, best);
  return NULL;
}

/* How well a size fits: inside is the target, and around it is not.  Both
 * kernels are 256 in the middle, so that their difference is what is around. */
static double
misfit (EmdtrackModel *m, const uint32_t *inside, const uint32_t *wide)
{
  uint32_t around[EMDTRACK_BINS], sum = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    sum += around[i] = wide[i] > inside[i] ? wide[i] - inside[i] : 0;
  return emdtrack_model_distance (m, inside) -
      (sum ? AROUND * emdtrack_model_distance (m, around) : 0);
}

const char *
emdtrack_look_at_scales (EmdtrackLooking *l, EmdtrackCandidate *best)
{
  EmdtrackRegion region[2 * MOST_SCALES] = {0};
  const uint32_t *counts;
  double least = 0, scale = 1;
  int n = l->params->scales;

  for (int k = 0; k < n; k++) {
    double s = pow (l->params->scale_step, k - n / 2);
    EmdtrackCandidate c = {
        best->cx, best->cy, best->width * s, best->height * s, 2};

    region[2 * k] = emdtrack_region_of (&c);
    c.width *= WIDE;
    c.height *= WIDE;
    region[2 * k + 1] = emdtrack_region_of (&c);
    region[2 * k].apart = region[2 * k + 1].apart;
  }
  TRY (emdtrack_count (l->emdtrack, region, 2 * n, &counts));
  for (int k = 0; k < n; k++, counts += 2 * EMDTRACK_BINS) {
    double fit = misfit (l->model, counts, counts + EMDTRACK_BINS);

    if (!k || fit < least) {
      least = fit;
      scale = pow (l->params->scale_step, k - n / 2);
    }
  }
  scale = 1 + SMOOTH * (scale - 1);
  if (best->width * scale >= SMALLEST && best->height * scale >= SMALLEST) {
    best->width *= scale;
    best->height *= scale;
  }
  return NULL;
}
