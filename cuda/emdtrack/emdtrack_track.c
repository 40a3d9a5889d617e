/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where targets are, and whether they are seen. */
#include <math.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_look.h"

#define SMOOTH .5 /* how much a new velocity counts */

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
  TRY (params_check (emdtrack_track_params, p));
  return p->resume > p->occlude ? "resume must be at most occlude" : NULL;
}

static const char *
add (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, uint64_t *id)
{
  EmdtrackTrack *track = &t->track[t->n];

  if (t->n == EMDTRACK_TARGETS)
    return "there can be 8 targets at most";
  TRY (emdtrack_check_target (target, params->bins));
  TRY (emdtrack_model_set (&t->model[t->n], params, target));
  memset (track, 0, sizeof *track);
  track->id = ++t->last_id;
  track->target = *target;
  *id = track->id;
  t->n++;
  return NULL;
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

/* ---- States ---- */

static void
see (EmdtrackTrack *t, const EmdtrackCandidate *at)
{
  EmdtrackCandidate was = emdtrack_box_of (t);
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
  EmdtrackCandidate c = emdtrack_box_of (t);

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
renew (
    EmdtrackLooking *l, EmdtrackTrack *t, const EmdtrackCandidate *at, int bins)
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
track (EmdtrackLooking *l, EmdtrackTrack *t, int bins)
{
  bool seen = t->state == EMDTRACK_TRACKING || t->state == EMDTRACK_FOUND;
  EmdtrackCandidate best;
  double step;

  t->age++;
  TRY (emdtrack_look_coarsely (l, t, &best, &step, &t->ratio));
  if (best.distance <= 1)
    TRY (emdtrack_look_closely (l, &best, step));
  if (best.distance <= 1 && l->params->scales > 1)
    TRY (emdtrack_look_at_scales (l, &best));
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
  EmdtrackLooking l = {
      .search = &t->search, .emdtrack = e, .params = track_params};

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
