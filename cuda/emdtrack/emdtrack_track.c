/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where targets are, and whether they are seen. */
#include <math.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_search.h"
#include "emdtrack/emdtrack_track.h"

#define SMOOTH .5  /* of a new velocity or size counts */
#define WIDEN 1.25 /* the search, each frame that a target is occluded */
#define WIDEST 4   /* times the search */
#define FINE 8     /* steps of the fine search from one of the coarse one */
#define NEARLY 1.2 /* as near as the nearest */
#define AROUND .3  /* how much it counts that what is around is another thing \
                    */
#define WIDE 1.6   /* what is around, in sizes of the target */
#define MOST_SCALES 5
#define SMALLEST 4 /* side of a target, pixels */

struct _EmdtrackTracker {
  int n;
  uint64_t last_id;
  EmdtrackTrack track[EMDTRACK_TARGETS];
  EmdtrackModel model[EMDTRACK_TARGETS];
  EmdtrackSearch search;
};

const char *
emdtrack_tracker_new (EmdtrackTracker **self)
{
  *self = calloc (1, sizeof **self);
  return *self ? NULL : "out of memory";
}

void
emdtrack_tracker_free (EmdtrackTracker *t)
{
  free (t);
}

const char *
emdtrack_track_check (const EmdtrackTrackParams *p)
{
  if (!(p->search > 0) || p->search > EMDTRACK_MAX_SIDE)
    return "the search must reach 0 to 16384 pixels";
  if (p->scales != 1 && p->scales != 3 && p->scales != 5)
    return "there must be 1, 3 or 5 scales";
  if (!(p->scale_step >= 1.01) || p->scale_step > 1.5)
    return "scales must be 1.01 to 1.5 apart";
  if (!(p->occlude >= 0) || p->occlude > 1)
    return "the distance of occlusion must be 0 to 1";
  if (!(p->resume >= 0) || p->resume > p->occlude)
    return "the distance to resume at must be 0 to that of occlusion";
  if (p->lose_frames < 1)
    return "a target can be lost after 1 frame at the earliest";
  if (!(p->update >= 0) || p->update > 1)
    return "the update must be 0 to 1";
  return NULL;
}

static const char *
add (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, uint64_t *id)
{
  EmdtrackTrack *track = &t->track[t->n];

  if (t->n == EMDTRACK_TARGETS)
    return "there can be 8 targets";
  TRY (emdtrack_check_target (target, params->bins));
  TRY (emdtrack_model_set (&t->model[t->n], params, target));
  memset (track, 0, sizeof *track);
  track->id = ++t->last_id;
  track->target = *target;
  *id = track->id;
  t->n++;
  return NULL;
}

static EmdtrackCandidate
box_of (const EmdtrackTrack *t)
{
  return (EmdtrackCandidate){(t->x0 + t->x1) / 2, (t->y0 + t->y1) / 2,
      t->x1 - t->x0, t->y1 - t->y0, 2};
}

static void
set_box (EmdtrackTrack *t, const EmdtrackCandidate *c)
{
  t->x0 = c->cx - c->width / 2;
  t->y0 = c->cy - c->height / 2;
  t->x1 = c->cx + c->width / 2;
  t->y1 = c->cy + c->height / 2;
}

const char *
emdtrack_tracker_add (EmdtrackTracker *t, Emdtrack *e,
    const EmdtrackParams *params, ImageBox box, uint64_t *id)
{
  EmdtrackCandidate c = {(box.x0 + box.x1) / 2., (box.y0 + box.y1) / 2.,
      box.x1 - box.x0, box.y1 - box.y0, 2};
  EmdtrackTarget target = {{0}};
  const uint32_t *counts;
  EmdtrackRegion region;
  double mass = 0;

  if (box.x0 >= box.x1 || box.y0 >= box.y1)
    return "the target's box is empty";
  region = emdtrack_region_of (&c);
  TRY (emdtrack_count (e, &region, 1, &counts));
  for (int i = 0; i < params->bins; i++)
    mass += target.weight[i] = counts[i];
  if (mass == 0)
    return "the target's box lies outside the frame";
  TRY (add (t, params, &target, id));
  set_box (&t->track[t->n - 1], &c);
  t->track[t->n - 1].score = 1;
  return NULL;
}

const char *
emdtrack_tracker_add_target (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, double width, double height, uint64_t *id)
{
  EmdtrackCandidate c = {width / 2, height / 2, width, height, 2};

  if (!(width >= 1) || !(height >= 1) || width > EMDTRACK_MAX_SIDE ||
      height > EMDTRACK_MAX_SIDE)
    return "a target must be 1 to 16384 pixels wide and high";
  TRY (add (t, params, target, id));
  set_box (&t->track[t->n - 1], &c);
  t->track[t->n - 1].state = EMDTRACK_LOST;
  t->track[t->n - 1].distance = 1;
  return NULL;
}

void
emdtrack_tracker_remove (EmdtrackTracker *t, uint64_t id)
{
  for (int k = 0; k < t->n; k++) {
    if (t->track[k].id != id)
      continue;
    t->n--;
    memmove (&t->track[k], &t->track[k + 1], (t->n - k) * sizeof t->track[k]);
    memmove (&t->model[k], &t->model[k + 1], (t->n - k) * sizeof t->model[k]);
    return;
  }
}

/* ---- One target in one frame ---- */

typedef struct {
  EmdtrackTracker *tracker;
  Emdtrack *emdtrack;
  const EmdtrackTrackParams *params;
  EmdtrackModel *model;
  int width, height;
} Looking;

/* The best of a grid around or over the frame. */
static const char *
look (Looking *l, EmdtrackCandidate *best)
{
  EmdtrackSearch *s = &l->tracker->search;
  const EmdtrackCandidate *c;

  TRY (emdtrack_search_run (s, l->emdtrack, l->model, l->width, l->height));
  c = emdtrack_search_best (s);
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

static const char *
look_coarsely (Looking *l, const EmdtrackTrack *t, EmdtrackCandidate *best,
    double *step, double *ratio)
{
  EmdtrackSearch *s = &l->tracker->search;
  EmdtrackCandidate like = box_of (t);
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

static const char *
look_closely (Looking *l, EmdtrackCandidate *best, double step)
{
  EmdtrackSearch *s = &l->tracker->search;
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

static const char *
look_at_scales (Looking *l, EmdtrackCandidate *best)
{
  EmdtrackRegion region[2 * MOST_SCALES];
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

/* ---- States ---- */

static void
see (EmdtrackTrack *t, const EmdtrackCandidate *at)
{
  EmdtrackCandidate was = box_of (t);
  bool moving = t->state == EMDTRACK_TRACKING;

  t->vx = moving ? t->vx + SMOOTH * (at->cx - was.cx - t->vx) : 0;
  t->vy = moving ? t->vy + SMOOTH * (at->cy - was.cy - t->vy) : 0;
  set_box (t, at);
  t->state = t->state == EMDTRACK_LOST || t->state == EMDTRACK_OCCLUDED
      ? EMDTRACK_FOUND
      : EMDTRACK_TRACKING;
  t->unseen = 0;
}

static void
miss (EmdtrackTrack *t, int lose_frames)
{
  EmdtrackCandidate c = box_of (t);

  t->unseen++;
  if (t->state == EMDTRACK_LOST || t->unseen >= lose_frames) {
    t->state = EMDTRACK_LOST;
    t->vx = t->vy = 0;
    return;
  }
  t->state = EMDTRACK_OCCLUDED;
  c.cx += t->vx;
  c.cy += t->vy;
  set_box (t, &c);
}

static const char *
renew (Looking *l, EmdtrackTrack *t, const EmdtrackCandidate *at, int bins)
{
  EmdtrackRegion r = emdtrack_region_of (at);
  double now = 0, was = 0, part = l->params->update;
  const uint32_t *counts;

  TRY (emdtrack_count (l->emdtrack, &r, 1, &counts));
  for (int i = 0; i < bins; i++) {
    now += counts[i];
    was += t->target.weight[i];
  }
  for (int i = 0; i < bins && now > 0; i++)
    t->target.weight[i] =
        (1 - part) * t->target.weight[i] / was + part * counts[i] / now;
  return NULL;
}

static const char *
track (Looking *l, EmdtrackTrack *t, int bins)
{
  bool seen = t->state == EMDTRACK_TRACKING || t->state == EMDTRACK_FOUND;
  EmdtrackCandidate best;
  double step;

  t->age++;
  TRY (look_coarsely (l, t, &best, &step, &t->ratio));
  if (best.distance <= 1)
    TRY (look_closely (l, &best, step));
  if (best.distance <= 1 && l->params->scales > 1)
    TRY (look_at_scales (l, &best));
  t->distance = best.distance < 1 ? best.distance : 1;
  t->score = 1 - t->distance;
  if (best.distance > (seen ? l->params->occlude : l->params->resume)) {
    miss (t, l->params->lose_frames);
    return NULL;
  }
  see (t, &best);
  return l->params->update > 0 ? renew (l, t, &best, bins) : NULL;
}

const char *
emdtrack_tracker_run (EmdtrackTracker *t, Emdtrack *e,
    const EmdtrackParams *params, const EmdtrackTrackParams *track_params,
    const EmdtrackTrack **tracks, int *n_tracks)
{
  Looking l = {.tracker = t, .emdtrack = e, .params = track_params};

  TRY (emdtrack_track_check (track_params));
  emdtrack_size (e, &l.width, &l.height);
  for (int k = 0; k < t->n; k++) {
    l.model = &t->model[k];
    TRY (emdtrack_model_set (l.model, params, &t->track[k].target));
    TRY (track (&l, &t->track[k], params->bins));
  }
  *tracks = t->track;
  *n_tracks = t->n;
  return NULL;
}
