/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tracks targets from frame to frame. */
#include <math.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_recognise.h"

#define SMOOTH .5     /* weight of a new velocity */
#define HISTORY 10    /* frames in the mean of a size's growth */
#define SMALLEST 4    /* side of the smallest target, pixels */
#define SURVEY 16     /* frames from one survey of the frame to the next */
#define PROVISIONAL 5 /* frames until a recognised target is tracked */
/* Ratio of the sizes that are tried of a recognised target. */
#define SIZES 1.25
#define NEIGHBOURHOOD 2 /* size of the learned surroundings, in a target's */
#define NEWS .05        /* weight of a frame in a contrast */
#define FIRST .3        /* weight of the first frame in a contrast */
#define RARE .005       /* share of a bin that tells nothing */
#define LEAST_MARGIN .05
#define LEAST_LIMIT (2. / 3) /* parts of occlude: of the least clear target */
#define MOST_LIMIT (4. / 3)  /* and of the clearest */
#define OTHER_SIZE 1.5 /* ratio of sizes from which on it is another thing */

struct _EmdtrackTracker {
  int n;
  uint64_t last_id;
  EmdtrackTrack track[EMDTRACK_TARGETS];
  EmdtrackModel model[EMDTRACK_TARGETS];
  EmdtrackTrackState memory[EMDTRACK_TARGETS];
  EmdtrackSearch search;
};

const char *
emdtrack_tracker_new (EmdtrackTracker **self)
{
  *self = calloc (1, sizeof **self);
  return *self ? NULL : OUT_OF_MEMORY (sizeof **self, "");
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
set_track_box (EmdtrackTrack *t, const EmdtrackCandidate *c)
{
  t->x0 = c->cx - c->width / 2;
  t->y0 = c->cy - c->height / 2;
  t->x1 = c->cx + c->width / 2;
  t->y1 = c->cy + c->height / 2;
}

static const char *
add_target_track (EmdtrackTracker *t, const EmdtrackParams *params,
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
  set_track_box (track, at);
  *id = track->id;
  t->n++;
  return NULL;
}

/* Mixes @part of @counts into the weights of @target. */
static void
blend_weights (
    EmdtrackTarget *target, const uint32_t *counts, int bins, double part)
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

/* The regions from which a target is learned: the box and its parts; the box
 * and its surroundings. */
#define APPEARANCE (1 + EMDTRACK_PARTS)
#define LEARNED (APPEARANCE + 2)

static void
set_learned_regions (const EmdtrackCandidate *at, EmdtrackRegion r[LEARNED])
{
  EmdtrackRegion *contrast = r + APPEARANCE;
  EmdtrackCandidate wide = *at;

  r[0] = emdtrack_box_region (at);
  for (int k = 0; k < EMDTRACK_PARTS; k++)
    r[1 + k] = emdtrack_box_part (at, k);
  wide.width *= NEIGHBOURHOOD;
  wide.height *= NEIGHBOURHOOD;
  contrast[0] = r[0];
  contrast[1] = emdtrack_box_region (&wide);
  contrast[0].apart = contrast[1].apart;
}

/* Counts the regions from which a target at @at is learned; with @contrast also
 * the box and its surroundings. */
static const char *
count_learned_regions (Emdtrack *e, const EmdtrackCandidate *at, bool contrast,
    const uint32_t **counts)
{
  EmdtrackRegion r[LEARNED];

  set_learned_regions (at, r);
  return emdtrack_count (e, r, contrast ? LEARNED : APPEARANCE, counts);
}

/* Mixes the appearance in learned regions into the target's by @part. */
static void
learn_appearance (const uint32_t *counts, int bins, double part,
    EmdtrackTarget *target, EmdtrackParts *parts)
{
  blend_weights (target, counts, bins, part);
  for (int k = 0; k < EMDTRACK_PARTS; k++)
    blend_weights (
        &parts->target[k], counts + (1 + k) * EMDTRACK_BINS, bins, part);
}

static void
learn_first_appearance (const uint32_t *counts, int bins,
    EmdtrackTarget *target, EmdtrackParts *parts)
{
  learn_appearance (counts, bins, 1, target, parts);
  parts->known = true;
  for (int k = 0; k < EMDTRACK_PARTS; k++)
    parts->known &= !emdtrack_check_target (&parts->target[k], bins);
}

/* Mixes @part of the histogram @counts into @share. */
static void
blend_shares (double *share, const uint32_t *counts, int bins, double part)
{
  double all = 0;

  for (int i = 0; i < bins; i++)
    all += counts[i];
  for (int i = 0; i < bins && all > 0; i++)
    share[i] += part * (counts[i] / all - share[i]);
}

/* Mixes the shares of the target and of its surroundings in learned regions
 * into its contrast by @part. */
static void
learn_contrast (
    const uint32_t *counts, int bins, double part, EmdtrackContrast *c)
{
  uint32_t around[EMDTRACK_BINS];

  counts += APPEARANCE * EMDTRACK_BINS;
  emdtrack_count_surroundings (counts, around);
  blend_shares (c->inside, counts, bins, part);
  blend_shares (c->outside, around, bins, part);
  if (!c->known)
    memcpy (c->first, c->inside, sizeof c->first);
  for (int i = 0; i < bins; i++) {
    double share = FIRST * c->first[i] + (1 - FIRST) * c->inside[i];

    c->belonging[i] = (share + RARE) / (share + c->outside[i] + 2 * RARE);
  }
  c->known = true;
}

const char *
emdtrack_tracker_add (EmdtrackTracker *t, Emdtrack *e,
    const EmdtrackParams *params, ImageBox box, uint64_t *id)
{
  EmdtrackCandidate c = {((double) box.x0 + box.x1) / 2,
      ((double) box.y0 + box.y1) / 2, (double) box.x1 - box.x0,
      (double) box.y1 - box.y0, 2, NULL, 0};
  EmdtrackTarget target = {{0}};
  EmdtrackParts parts = {0};
  EmdtrackTrackState *m = &t->memory[t->n];
  bool contrast = params->histogram == EMDTRACK_CODEBOOK;
  const uint32_t *counts;

  if (box.x0 >= box.x1 || box.y0 >= box.y1)
    return "the target's box is empty";
  if (fabs (c.cx) > EMDTRACK_MAX_AWAY / 2 ||
      fabs (c.cy) > EMDTRACK_MAX_AWAY / 2 || c.width > 2 * EMDTRACK_MAX_SIDE ||
      c.height > 2 * EMDTRACK_MAX_SIDE)
    return "the target's box is larger or farther off than a frame can be";
  TRY (count_learned_regions (e, &c, contrast, &counts));
  learn_first_appearance (counts, params->bins, &target, &parts);
  if (emdtrack_check_target (&target, params->bins))
    return "the target's box lies outside the frame";
  TRY (add_target_track (t, params, &target, &c, id));
  t->track[t->n - 1].score = 1;
  m->was_seen = true;
  m->parts = parts;
  if (contrast)
    learn_contrast (counts, params->bins, 1, &m->contrast);
  return NULL;
}

const char *
emdtrack_tracker_add_target (EmdtrackTracker *t, const EmdtrackParams *params,
    const EmdtrackTarget *target, double width, double height, uint64_t *id)
{
  EmdtrackCandidate c = {width / 2, height / 2, width, height, 2, NULL, 0};

  if (!(width >= 1) || !(height >= 1) || width > EMDTRACK_MAX_SIDE ||
      height > EMDTRACK_MAX_SIDE)
    return "a target must be 1 to 16384 pixels wide and high";
  TRY (add_target_track (t, params, target, &c, id));
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
move_box (EmdtrackTrack *t, const EmdtrackCandidate *at)
{
  EmdtrackCandidate was = emdtrack_track_box (t);

  t->vx += SMOOTH * (at->cx - was.cx - t->vx);
  t->vy += SMOOTH * (at->cy - was.cy - t->vy);
  set_track_box (t, at);
}

/* Sets the track to tracking at @at. */
static void
set_tracking (
    EmdtrackTrack *t, EmdtrackTrackState *m, const EmdtrackCandidate *at)
{
  t->state = EMDTRACK_TRACKING;
  m->was_seen = true;
  m->last = *at;
  m->away = 0;
}

/* Sets the track to found at @at: for some frames, the target may still prove
 * to be another thing. */
static void
set_found (EmdtrackTrack *t, EmdtrackTrackState *m, const EmdtrackCandidate *at)
{
  if (t->state == EMDTRACK_FOUND) {
    move_box (t, at);
  } else {
    set_track_box (t, at);
    t->vx = t->vy = 0;
    m->provisional = PROVISIONAL;
  }
  t->state = EMDTRACK_FOUND;
  t->unseen = 0;
  m->away++;
  if (!--m->provisional)
    set_tracking (t, m, at);
}

/* The centre of an occluded target, which may leave the frame and moves on
 * until it is lost, within the places at which regions can be. */
static double
clamp_centre (double centre)
{
  const double most = EMDTRACK_MAX_AWAY / 2;

  return centre > most ? most : centre < -most ? -most : centre;
}

/* Counts a frame in which the target was not seen.  A lost target is shown
 * where it was last seen; before that, it moves by its velocity. */
static void
count_miss (EmdtrackTrack *t, EmdtrackTrackState *m, int lose_frames)
{
  EmdtrackCandidate c = emdtrack_track_box (t);

  t->unseen = m->away < INT32_MAX ? ++m->away : m->away;
  if (t->state == EMDTRACK_LOST || t->unseen >= lose_frames) {
    t->state = EMDTRACK_LOST;
    t->vx = t->vy = 0;
    set_track_box (t, &m->last);
    return;
  }
  if (t->state == EMDTRACK_FOUND)
    c = m->last;
  t->state = EMDTRACK_OCCLUDED;
  c.cx = clamp_centre (c.cx + t->vx);
  c.cy = clamp_centre (c.cy + t->vy);
  set_track_box (t, &c);
}

/* ---- One frame ---- */

/* Changes the size of @at where size @k of those that are compared fits best.
 * A size that grows and shrinks by turns stays; one that changes in one
 * direction is followed. */
static void
resize_box (const EmdtrackTrackParams *p, int k, EmdtrackGrowth *g,
    EmdtrackCandidate *at)
{
  double change = log (emdtrack_scale (p->scales, p->scale_step, k)), scale;

  g->n += g->n < HISTORY;
  g->mean += (change - g->mean) / g->n;
  scale = change * g->mean > 0 ? exp (g->mean) : 1;
  if (at->width * scale >= SMALLEST && at->height * scale >= SMALLEST) {
    at->width *= scale;
    at->height *= scale;
  }
}

/* The regions from which the target will be learned, for each size that it may
 * get.  They are counted together with its sizes, since a further wait for the
 * GPU would cost more. */
typedef struct {
  int n; /* of regions; 0: none are counted */
  EmdtrackRegion region[EMDTRACK_SCALES * LEARNED];
  const uint32_t *counts; /* until the next count */
} Guess;

/* Sets the regions of all sizes that a target at @at may get, or none if a size
 * is too large to be counted. */
static void
guess_learned_regions (const EmdtrackLocator *l, const EmdtrackTrackState *m,
    const EmdtrackCandidate *at, Guess *guess)
{
  const EmdtrackTrackParams *p = l->params;

  if (!emdtrack_waits_for_gpu (l->emdtrack))
    return;
  for (int k = 0; k < p->scales; k++, guess->n += LEARNED) {
    EmdtrackGrowth growth = m->growth;
    EmdtrackCandidate c = *at;

    if (p->scales > 1)
      resize_box (p, k, &growth, &c);
    if (fmax (c.width, c.height) * NEIGHBOURHOOD > EMDTRACK_MAX_REGION - 1) {
      guess->n = 0;
      return;
    }
    set_learned_regions (&c, guess->region + guess->n);
  }
}

/* Looks at the sizes of a target at @at, if something will be made of them. */
static const char *
look_at_sizes (EmdtrackLocator *l, const EmdtrackTrackState *m,
    const EmdtrackCandidate *at, Guess *guess)
{
  const EmdtrackTrackParams *p = l->params;
  bool margin = emdtrack_uses_contrast (l) && at->distance <= 1;
  bool seen = at->distance <= p->occlude;

  if (!margin && !seen)
    return NULL;
  guess_learned_regions (l, m, at, guess);
  return margin || p->scales > 1 || guess->n
      ? emdtrack_look_at_sizes (l, at, p->scales, p->scale_step, guess->region,
            guess->n, &guess->counts)
      : NULL;
}

/* Changes the size of the track at @at. */
static const char *
resize_track (EmdtrackLocator *l, EmdtrackTrackState *m, EmdtrackCandidate *at,
    Guess *guess)
{
  int size = 0;

  if (l->params->scales > 1) {
    TRY (emdtrack_locate_size (l, &size));
    resize_box (l->params, size, &m->growth, at);
  }
  if (guess->n)
    guess->counts += (size_t) size * LEARNED * EMDTRACK_BINS;
  return NULL;
}

/* The place to which the velocity leads. */
static EmdtrackCandidate
expected_place (const EmdtrackTrack *t)
{
  EmdtrackCandidate near = emdtrack_track_box (t);

  near.cx += t->vx;
  near.cy += t->vy;
  return near;
}

/* The target is not seen near @near, where it was expected.  Until it is lost,
 * a place that looks like it and is too far away is noted as a distractor:
 * later the target may have come anywhere. */
static const char *
lose_target (EmdtrackLocator *l, EmdtrackTrack *t, EmdtrackTrackState *m,
    const EmdtrackCandidate *near)
{
  count_miss (t, m, l->params->lose_frames);
  return t->state == EMDTRACK_OCCLUDED && m->was_seen
      ? emdtrack_exclude_distractors (l, m, near)
      : NULL;
}

static bool
is_wholly_in_frame (const EmdtrackLocator *l, const EmdtrackCandidate *c)
{
  return c->cx - c->width / 2 >= 0 && c->cx + c->width / 2 <= l->width &&
      c->cy - c->height / 2 >= 0 && c->cy + c->height / 2 <= l->height;
}

/* The distance above which a target at @at is occluded.  A look that has
 * changed is still the target if it differs from the surroundings as much as
 * the first look did; of one that differs less, a part is hidden.  At the
 * frame's border a target may be leaving. */
static double
occlusion_limit (const EmdtrackLocator *l, const EmdtrackCandidate *at)
{
  EmdtrackContrast *c = l->contrast;
  double margin, by;

  if (!emdtrack_uses_contrast (l) || at->distance > 1)
    return l->params->occlude;
  margin = emdtrack_locate_margin (l);
  if (!(c->margin > 0))
    c->margin = fmax (margin, LEAST_MARGIN);
  margin = fmin (fmax (margin / c->margin, 0), 1);
  by = LEAST_LIMIT + (MOST_LIMIT - LEAST_LIMIT) * margin;
  return l->params->occlude * (is_wholly_in_frame (l, at) ? by : fmin (by, 1));
}

/* Locates a target that was seen in the last frame. */
static const char *
follow_target (EmdtrackLocator *l, EmdtrackTrack *t, EmdtrackTrackState *m,
    EmdtrackCandidate *best, double step, Guess *guess)
{
  EmdtrackCandidate near = expected_place (t);

  if (best->distance <= 1) {
    TRY (emdtrack_locate_by_misfit (l, best));
    TRY (emdtrack_locate_finely (l, best, step));
  }
  TRY (look_at_sizes (l, m, best, guess));
  if (best->distance > occlusion_limit (l, best))
    return lose_target (l, t, m, &near);
  TRY (resize_track (l, m, best, guess));
  move_box (t, best);
  set_tracking (t, m, best);
  if (t->age > 1 && (t->age + t->id) % SURVEY)
    return NULL;
  guess->n = 0; /* the survey counts other regions */
  return emdtrack_survey_distractors (l, m, best);
}

/* Locates a target that was not seen, or not surely. */
static const char *
search_target (EmdtrackLocator *l, EmdtrackTrack *t, EmdtrackTrackState *m,
    EmdtrackCandidate *best, double step)
{
  EmdtrackCandidate near = expected_place (t), found;
  const uint32_t *none;
  double scale;
  int size;
  bool again;

  again = emdtrack_recognise (l, m, &near, t->state == EMDTRACK_LOST, &found);
  if (again) {
    TRY (emdtrack_locate_finely (l, &found, step));
    again = found.distance <= l->params->resume;
  }
  if (again) {
    *best = found;
    TRY (emdtrack_look_at_sizes (
        l, &found, EMDTRACK_SCALES, SIZES, NULL, 0, &none));
    TRY (emdtrack_locate_size (l, &size));
    scale = emdtrack_scale (EMDTRACK_SCALES, SIZES, size);
    again = scale < OTHER_SIZE && scale > 1 / OTHER_SIZE;
  }
  if (!again)
    return lose_target (l, t, m, &near);
  set_found (t, m, &found);
  return NULL;
}

/* Learns how the target, which is seen at @at, looks now. */
static const char *
learn_look (EmdtrackLocator *l, EmdtrackTrack *t, EmdtrackTrackState *m,
    const EmdtrackCandidate *at, const Guess *guess, int bins)
{
  const uint32_t *counts = guess->counts;
  double update = l->params->template_update;

  if (!m->contrast.known && !m->parts.known && !(update > 0))
    return NULL;
  if (!guess->n)
    TRY (count_learned_regions (l->emdtrack, at, m->contrast.known, &counts));
  if (m->contrast.known)
    learn_contrast (counts, bins, NEWS, &m->contrast);
  if (m->parts.known)
    learn_first_appearance (counts, bins, &m->lately.target, &m->lately.parts);
  if (update > 0)
    learn_appearance (counts, bins, update, &t->target, &m->parts);
  return NULL;
}

static const char *
run_track (
    EmdtrackLocator *l, EmdtrackTrack *t, EmdtrackTrackState *m, int bins)
{
  Guess guess = {0};
  EmdtrackCandidate best;
  double step;

  t->age++;
  TRY (emdtrack_locate_coarsely (l, t, &best, &step, &t->ratio));
  if (is_tracking (t))
    TRY (follow_target (l, t, m, &best, step, &guess));
  else
    TRY (search_target (l, t, m, &best, step));
  t->distance = best.distance < 1 ? best.distance : 1;
  t->score = 1 - t->distance;
  m->lately.parts.known = false;
  return is_tracking (t) ? learn_look (l, t, m, &best, &guess, bins) : NULL;
}

static void
set_track_models (EmdtrackModel *model, EmdtrackParts *parts,
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
  EmdtrackLocator l = {
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
    l.contrast = &t->memory[k].contrast;
    set_track_models (l.model, l.parts, &ground, &t->track[k].target);
    if (l.lately->parts.known)
      set_track_models (
          &l.lately->model, &l.lately->parts, &ground, &l.lately->target);
    TRY (run_track (&l, &t->track[k], &t->memory[k], params->bins));
  }
  *tracks = t->track;
  *n_tracks = t->n;
  return NULL;
}
