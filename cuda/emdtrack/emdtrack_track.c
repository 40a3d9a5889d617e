/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where targets are, and whether they are seen. */
#include <math.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_again.h"

#define SMOOTH .5      /* how much a new velocity counts */
#define HISTORY 10     /* frames that say how fast a size changes */
#define SMALLEST 4     /* side of a target, pixels */
#define SURVEY 16      /* frames from one survey of the frame to the next */
#define PROVISIONAL 5  /* frames in which a find is not sure yet */
#define SIZES 1.25     /* that are tried of a find, and the ratio from which */
#define OTHER_SIZE 1.5 /* on it is another thing */

struct _EmdtrackTracker {
  int n;
  uint64_t last_id;
  EmdtrackTrack track[EMDTRACK_TARGETS];
  EmdtrackModel model[EMDTRACK_TARGETS];
  EmdtrackMemory memory[EMDTRACK_TARGETS];
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

static void
set_box (EmdtrackTrack *t, const EmdtrackCandidate *c)
{
  t->x0 = c->cx - c->width / 2;
  t->y0 = c->cy - c->height / 2;
  t->x1 = c->cx + c->width / 2;
  t->y1 = c->cy + c->height / 2;
}

static const char *
add (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, const EmdtrackCandidate *at, uint64_t *id)
{
  EmdtrackTrack *track = &t->track[t->n];
  EmdtrackGround ground;

  if (t->n == EMDTRACK_TARGETS)
    return "there can be 8 targets at most";
  TRY (emdtrack_check_target (target, params->bins));
  TRY (emdtrack_ground_set (&ground, params));
  emdtrack_model_set (&t->model[t->n], &ground, target);
  memset (track, 0, sizeof *track);
  memset (&t->memory[t->n], 0, sizeof t->memory[t->n]);
  t->memory[t->n].last = *at;
  track->id = ++t->last_id;
  track->target = *target;
  set_box (track, at);
  *id = track->id;
  t->n++;
  return NULL;
}

/* Adds @part of what is counted to the rest of @target. */
static void
blend (EmdtrackTarget *target, const uint32_t *counts, int bins, double part)
{
  double now = 0, was = 0;

  for (int i = 0; i < bins; i++) {
    now += counts[i];
    was += target->weight[i];
  }
  for (int i = 0; i < bins && now > 0; i++)
    target->weight[i] = part * counts[i] / now +
        (was > 0 ? (1 - part) * target->weight[i] / was : 0);
}

/* The target looks, by @part, as what is at @at. */
static const char *
learn (Emdtrack *e, const EmdtrackCandidate *at, int bins, double part,
    EmdtrackTarget *target, EmdtrackParts *parts)
{
  EmdtrackRegion r[1 + EMDTRACK_PARTS] = {emdtrack_region_of (at)};
  const uint32_t *counts;

  for (int k = 0; k < EMDTRACK_PARTS; k++)
    r[1 + k] = emdtrack_part_of (at, k);
  TRY (emdtrack_count (e, r, 1 + EMDTRACK_PARTS, &counts));
  blend (target, counts, bins, part);
  for (int k = 0; k < EMDTRACK_PARTS; k++)
    blend (&parts->target[k], counts + (1 + k) * EMDTRACK_BINS, bins, part);
  return NULL;
}

static const char *
learn_anew (Emdtrack *e, const EmdtrackCandidate *at, int bins,
    EmdtrackTarget *target, EmdtrackParts *parts)
{
  TRY (learn (e, at, bins, 1, target, parts));
  parts->known = true;
  for (int k = 0; k < EMDTRACK_PARTS; k++)
    parts->known &= !emdtrack_check_target (&parts->target[k], bins);
  return NULL;
}

const char *
emdtrack_tracker_add (EmdtrackTracker *t, Emdtrack *e,
    const EmdtrackParams *params, ImageBox box, uint64_t *id)
{
  EmdtrackCandidate c = {((double) box.x0 + box.x1) / 2,
      ((double) box.y0 + box.y1) / 2, (double) box.x1 - box.x0,
      (double) box.y1 - box.y0, 2, NULL};
  EmdtrackTarget target = {{0}};
  EmdtrackParts parts = {0};
  EmdtrackMemory *m = &t->memory[t->n];

  if (box.x0 >= box.x1 || box.y0 >= box.y1)
    return "the target's box is empty";
  if (fabs (c.cx) > EMDTRACK_MAX_AWAY / 2 ||
      fabs (c.cy) > EMDTRACK_MAX_AWAY / 2 || c.width > 2 * EMDTRACK_MAX_SIDE ||
      c.height > 2 * EMDTRACK_MAX_SIDE)
    return "the target's box is larger or farther off than a frame can be";
  TRY (learn_anew (e, &c, params->bins, &target, &parts));
  if (emdtrack_check_target (&target, params->bins))
    return "the target's box lies outside the frame";
  TRY (add (t, params, &target, &c, id));
  t->track[t->n - 1].score = 1;
  m->was_seen = true;
  m->parts = parts;
  return NULL;
}

const char *
emdtrack_tracker_add_target (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, double width, double height, uint64_t *id)
{
  EmdtrackCandidate c = {width / 2, height / 2, width, height, 2, NULL};

  if (!(width >= 1) || !(height >= 1) || width > EMDTRACK_MAX_SIDE ||
      height > EMDTRACK_MAX_SIDE)
    return "a target must be 1 to 16384 pixels wide and high";
  TRY (add (t, params, target, &c, id));
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
    memmove (
        &t->memory[k], &t->memory[k + 1], (t->n - k) * sizeof t->memory[k]);
    return;
  }
}

/* ---- States ---- */

static bool
is_tracking (const EmdtrackTrack *t)
{
  return t->state == EMDTRACK_TRACKING;
}

static void
move (EmdtrackTrack *t, const EmdtrackCandidate *at)
{
  EmdtrackCandidate was = emdtrack_box_of (t);

  t->vx += SMOOTH * (at->cx - was.cx - t->vx);
  t->vy += SMOOTH * (at->cy - was.cy - t->vy);
  set_box (t, at);
}

/* It is surely seen. */
static void
see (EmdtrackTrack *t, EmdtrackMemory *m, const EmdtrackCandidate *at)
{
  t->state = EMDTRACK_TRACKING;
  m->was_seen = true;
  m->last = *at;
  m->away = 0;
}

/* It is seen again, but for some frames may still prove to be another thing. */
static void
find (EmdtrackTrack *t, EmdtrackMemory *m, const EmdtrackCandidate *at)
{
  if (t->state == EMDTRACK_FOUND) {
    move (t, at);
  } else {
    set_box (t, at);
    t->vx = t->vy = 0;
    m->provisional = PROVISIONAL;
  }
  t->state = EMDTRACK_FOUND;
  t->unseen = 0;
  m->away++;
  if (!--m->provisional)
    see (t, m, at);
}

/* An occluded target may leave the frame, and moves on for as long as it is not
 * lost: up to where regions can still be. */
static double
within (double centre)
{
  const double most = EMDTRACK_MAX_AWAY / 2;

  return centre > most ? most : centre < -most ? -most : centre;
}

/* A lost target is shown where it was last seen; before that, where its
 * velocity leads. */
static void
miss (EmdtrackTrack *t, EmdtrackMemory *m, int lose_frames)
{
  EmdtrackCandidate c = emdtrack_box_of (t);

  t->unseen = m->away < INT32_MAX ? ++m->away : m->away;
  if (t->state == EMDTRACK_LOST || t->unseen >= lose_frames) {
    t->state = EMDTRACK_LOST;
    t->vx = t->vy = 0;
    set_box (t, &m->last);
    return;
  }
  if (t->state == EMDTRACK_FOUND)
    c = m->last;
  t->state = EMDTRACK_OCCLUDED;
  c.cx = within (c.cx + t->vx);
  c.cy = within (c.cy + t->vy);
  set_box (t, &c);
}

/* ---- One frame ---- */

/* A size that grew and shrank by turns stays; one that goes one way follows. */
static const char *
resize (EmdtrackLooking *l, EmdtrackMemory *m, EmdtrackCandidate *at)
{
  const EmdtrackTrackParams *p = l->params;
  double scale, change;

  if (p->scales == 1)
    return NULL;
  TRY (emdtrack_look_at_scales (l, at, p->scales, p->scale_step, &scale));
  change = log (scale);
  m->n_sizes += m->n_sizes < HISTORY;
  m->growth += (change - m->growth) / m->n_sizes;
  scale = change * m->growth > 0 ? exp (m->growth) : 1;
  if (at->width * scale >= SMALLEST && at->height * scale >= SMALLEST) {
    at->width *= scale;
    at->height *= scale;
  }
  return NULL;
}

/* Where its velocity leads. */
static EmdtrackCandidate
expected (const EmdtrackTrack *t)
{
  EmdtrackCandidate near = emdtrack_box_of (t);

  near.cx += t->vx;
  near.cy += t->vy;
  return near;
}

/* It is not seen where it was expected, @near.  What looks like it and is too
 * far from there is another thing, while it is not lost: later it may have come
 * anywhere. */
static const char *
lose_sight (EmdtrackLooking *l, EmdtrackTrack *t, EmdtrackMemory *m,
    const EmdtrackCandidate *near)
{
  miss (t, m, l->params->lose_frames);
  return t->state == EMDTRACK_OCCLUDED && m->was_seen
      ? emdtrack_again_exclude (l, m, near)
      : NULL;
}

/* Looks for a target that is seen. */
static const char *
follow (EmdtrackLooking *l, EmdtrackTrack *t, EmdtrackMemory *m,
    EmdtrackCandidate *best, double step)
{
  EmdtrackCandidate near = expected (t);

  if (best->distance <= 1)
    TRY (emdtrack_look_closely (l, best, step));
  if (best->distance > l->params->occlude)
    return lose_sight (l, t, m, &near);
  TRY (resize (l, m, best));
  move (t, best);
  see (t, m, best);
  return t->age == 1 || (t->age + t->id) % SURVEY == 0
      ? emdtrack_again_survey (l, m, best)
      : NULL;
}

/* Looks for one that is not, or not surely. */
static const char *
look_again (EmdtrackLooking *l, EmdtrackTrack *t, EmdtrackMemory *m,
    EmdtrackCandidate *best, double step)
{
  EmdtrackCandidate near = expected (t), found;
  double scale = 1;
  bool again;

  again =
      emdtrack_again_choose (l, m, &near, t->state == EMDTRACK_LOST, &found);
  if (again) {
    TRY (emdtrack_look_closely (l, &found, step));
    again = found.distance <= l->params->resume;
  }
  if (again) {
    *best = found;
    TRY (emdtrack_look_at_scales (l, &found, EMDTRACK_SCALES, SIZES, &scale));
    again = scale < OTHER_SIZE && scale > 1 / OTHER_SIZE;
  }
  if (!again)
    return lose_sight (l, t, m, &near);
  find (t, m, &found);
  return NULL;
}

static const char *
track (EmdtrackLooking *l, EmdtrackTrack *t, EmdtrackMemory *m, int bins)
{
  EmdtrackCandidate best;
  double step;

  t->age++;
  TRY (emdtrack_look_coarsely (l, t, &best, &step, &t->ratio));
  if (is_tracking (t))
    TRY (follow (l, t, m, &best, step));
  else
    TRY (look_again (l, t, m, &best, step));
  t->distance = best.distance < 1 ? best.distance : 1;
  t->score = 1 - t->distance;
  m->lately.parts.known = false;
  if (!is_tracking (t))
    return NULL;
  if (m->parts.known)
    TRY (learn_anew (
        l->emdtrack, &best, bins, &m->lately.target, &m->lately.parts));
  return l->params->template_update > 0
      ? learn (l->emdtrack, &best, bins, l->params->template_update, &t->target,
            &m->parts)
      : NULL;
}

static void
set_models (EmdtrackModel *model, EmdtrackParts *parts,
    const EmdtrackGround *ground, const EmdtrackTarget *target)
{
  emdtrack_model_set (model, ground, target);
  for (int k = 0; k < EMDTRACK_PARTS && parts->known; k++)
    emdtrack_model_set (&parts->model[k], ground, &parts->target[k]);
}

const char *
emdtrack_tracker_run (EmdtrackTracker *t, Emdtrack *e,
    const EmdtrackParams *params, const EmdtrackTrackParams *track_params,
    const EmdtrackTrack **tracks, int *n_tracks)
{
  EmdtrackLooking l = {
      .search = &t->search, .emdtrack = e, .params = track_params};
  EmdtrackGround ground;

  TRY (emdtrack_track_check (track_params));
  if (t->n)
    TRY (emdtrack_ground_set (&ground, params));
  emdtrack_size (e, &l.width, &l.height);
  for (int k = 0; k < t->n; k++) {
    l.model = &t->model[k];
    l.parts = &t->memory[k].parts;
    l.lately = &t->memory[k].lately;
    set_models (l.model, l.parts, &ground, &t->track[k].target);
    if (l.lately->parts.known)
      set_models (
          &l.lately->model, &l.lately->parts, &ground, &l.lately->target);
    TRY (track (&l, &t->track[k], &t->memory[k], params->bins));
  }
  *tracks = t->track;
  *n_tracks = t->n;
  return NULL;
}
