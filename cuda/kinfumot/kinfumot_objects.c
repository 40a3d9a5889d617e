/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects from frame to frame: followed, occluded, lost, given up. */
#include <math.h>
#include <string.h>

#include "kinfumot/kinfumot_pair_core.h"
#include "kinfumot/kinfumot_state.h"

#define MIN_SEEN 50 /* pixels that match an object which is seen */
#define POOR \
 .5 /* share of an object that matches in a frame that is not poor */

/* ---- Covariance ---- */

/* From the sums of the last alignment: the variance of the distances times the
 * inverse of the normal equations.  Weak directions have the variance
 * KINFUMOT_UNKNOWN. */
static void
set_object_covariance (const KinfumotModel *m, double covariance[36])
{
  KinfumotSystem s;
  KinfumotEigen e;
  double unit[6];

  memset (covariance, 0, 36 * sizeof *covariance);
  if (!m->sums[KINFUMOT_N])
    return;
  kinfumot_system_of_sums (m->sums, &s);
  memcpy (e.a, s.a, sizeof e.a);
  kinfumot_find_eigen (&e, 0, 1);
  for (int i = 0; i < 6; i++)
    unit[i] = i < 3 ? 1 / s.spread : 1; /* turns, then steps */
  for (int k = 0; k < 6; k++) {
    double variance = e.a[k][k] > KINFUMOT_WEAK
        ? s.mean_square / (e.a[k][k] * (double) m->sums[KINFUMOT_N])
        : KINFUMOT_UNKNOWN;

    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) /* steps first */
        covariance[(i + 3) % 6 * 6 + (j + 3) % 6] +=
            variance * e.v[i][k] * unit[i] * e.v[j][k] * unit[j];
  }
}

/* ---- States ---- */

static double
score_of_count (const KinfumotCount *c)
{
  uint32_t all = c->matched + c->through;

  return all ? (double) c->matched / all : 0;
}

static void
update_seen (KinfumotTrack *t, const KinfumotCount *c)
{
  for (int i = 0; i < 3; i++) {
    t->min[i] = c->min[i] < t->min[i] ? c->min[i] : t->min[i];
    t->max[i] = c->max[i] > t->max[i] ? c->max[i] : t->max[i];
  }
  t->unseen = 0;
  t->poor = score_of_count (c) < POOR ? t->poor + 1 : 0;
  if (t->age)
    t->state = t->state == KINFUMOT_LOST ? KINFUMOT_FOUND : KINFUMOT_TRACKING;
}

static void
update_unseen (KinfumotTrack *t, KinfumotModel *m)
{
  t->unseen++;
  t->state = t->unseen > KINFUMOT_PATIENCE ? KINFUMOT_LOST : KINFUMOT_OCCLUDED;
  if (t->state == KINFUMOT_LOST)
    m->active = KINFUMOT_ASLEEP;
}

/* The middle and the extent of the points seen of the object so far. */
static void
describe_place (const KinfumotTrack *t, KinfumotObject *r)
{
  double middle[3] = {0, 0, 0};

  for (int i = 0; i < 3 && t->max[i] >= t->min[i]; i++) {
    middle[i] = (t->min[i] + t->max[i]) / 2000.;
    r->extent[i] = (t->max[i] - t->min[i]) / 1000.;
  }
  quat64_rotate (r->pose.q, middle, r->middle);
  for (int i = 0; i < 3; i++)
    r->middle[i] += r->pose.t[i];
}

static void
describe_object (const Kinfumot *k, int model, KinfumotObject *r)
{
  const KinfumotModel *m = &k->host_report->models[model];
  const KinfumotCount *c = &k->host_report->counts[model];
  const KinfumotTrack *t = &k->tracks[model];
  bool seen = !t->unseen;

  memset (r, 0, sizeof *r);
  r->id = t->id;
  r->model = model;
  r->state = t->state;
  r->pose = pose64_inverse (m->pose);
  r->in_world = pose64_times (k->known_camera, r->pose);
  r->age = t->age;
  r->weak = m->weak;
  describe_place (t, r);
  if (seen) {
    r->box = (ImageBox){c->x0, c->y0, c->x1, c->y1};
    r->area = c->matched;
    r->score = score_of_count (c);
    set_object_covariance (m, r->covariance);
  }
}

/* ---- Things that stand still ---- */

#define SETTLES 30 /* frames in which a new object has to stray */
#define STRAYS 5   /* frames in a row in which it is away, to have strayed */

/* The greatest distance in the world of a corner of the object's box from where
 * it was at its birth. */
static double
distance_from_birth (const Kinfumot *k, int model)
{
  const KinfumotTrack *t = &k->tracks[model];
  const Pose64 now = pose64_times (
      k->known_camera, pose64_inverse (k->host_report->models[model].pose));
  double greatest = 0;

  for (int i = 0; i < 8; i++) {
    double corner[3], a[3], b[3], square = 0;

    for (int j = 0; j < 3; j++)
      corner[j] = (i >> j & 1 ? t->max[j] : t->min[j]) / 1000.;
    quat64_rotate (now.q, corner, a);
    quat64_rotate (t->born.q, corner, b);
    for (int j = 0; j < 3; j++) {
      const double d = a[j] + now.t[j] - b[j] - t->born.t[j];

      square += d * d;
    }
    greatest = fmax (greatest, sqrt (square));
  }
  return greatest;
}

/* Whether the object, which is seen, has not left its place since its birth by
 * more than a sensor's depth may be off, but for a few frames. */
static bool
stands_still (Kinfumot *k, int model)
{
  const KinfumotMatching noise = {.noise = (float) k->params.noise};
  KinfumotTrack *t = &k->tracks[model];
  const Pose64 to_camera = pose64_inverse (k->host_report->models[model].pose);

  if (!t->age)
    t->born = pose64_times (k->known_camera, to_camera);
  if (t->strayed)
    return false;
  if (distance_from_birth (k, model) > KINFUMOT_MATCHABLE *
          kinfumot_match_limit (&noise, (float) to_camera.t[2]))
    t->away++;
  else
    t->away = 0;
  t->strayed = t->away >= STRAYS;
  return !t->away && t->age >= SETTLES;
}

/* Gives the pixels of @model in this frame to the background.  Out: @mask,
 * those pixels, memory of the device. */
static const char *
return_pixels (Kinfumot *k, int model, uint8_t *mask)
{
  const int pixels = kinfumot_n_pixels (&k->optics);
  uint8_t *classes = k->host_maps.classes;

  TRY (device_copy (&k->device, classes, k->now.classes, 2 * pixels));
  TRY (device_wait (&k->device));
  for (int at = 0; at < pixels; at++) {
    k->host_mask[at] = classes[2 * at + 1] == model;
    if (k->host_mask[at]) {
      classes[2 * at] = KINFUMOT_INLIER;
      classes[2 * at + 1] = 0;
    }
  }
  TRY (device_copy (&k->device, k->now.classes, classes, 2 * pixels));
  TRY (device_copy (&k->device, mask, k->host_mask, pixels));
  return device_wait (&k->device);
}

/* The background takes what the frame shows of @model, which ends. */
static const char *
merge_object (Kinfumot *k, int model)
{
  uint8_t *mask = k->requests[0].mask; /* all requests are answered */
  const KinfumotStages *s = k->stages;
  KinfumotFusion fusion;

  TRY (return_pixels (k, model, mask));
  TRY (kinfumot_upload (k));
  fusion = kinfumot_fusion (k, &k->now, mask, 0, 1);
  TRY (s->allocate (&k->device, &fusion, &k->pool, &k->grid, &k->ranges));
  TRY (s->fuse (&k->device, &fusion, &k->fuse, &k->grid));
  TRY (kinfumot_cast_views (k, 0, 1));
  return kinfumot_pool_relieve_full (k);
}

/* ---- Tracks ---- */

/* The object is forgotten. */
static const char *
end_track (Kinfumot *k, int model)
{
  k->host_report->models[model].active = KINFUMOT_ASLEEP;
  memset (&k->tracks[model], 0, sizeof k->tracks[model]);
  return kinfumot_pool_forget (k, model);
}

/* Whether the object is given up. */
static bool
update_track (Kinfumot *k, int model)
{
  KinfumotTrack *t = &k->tracks[model];
  KinfumotModel *m = &k->host_report->models[model];
  const KinfumotCount *c = &k->host_report->counts[model];

  if (!m->active) {
    t->unseen++;
    return false;
  }
  if (m->good && c->matched >= MIN_SEEN)
    update_seen (t, c);
  else
    update_unseen (t, m);
  return t->poor >= k->params.retire_after;
}

/* While the camera is lost, no object is reported. */
const char *
kinfumot_objects_update (Kinfumot *k, KinfumotResults *results)
{
  results->objects = k->objects;
  results->n_objects = 0;
  for (int m = 1; m < KINFUMOT_MODELS; m++) {
    KinfumotTrack *t = &k->tracks[m];

    if (!t->id || k->lost)
      continue;
    if (update_track (k, m)) {
      TRY (end_track (k, m));
      continue;
    }
    if (!t->unseen && stands_still (k, m)) {
      TRY (end_track (k, m));
      TRY (merge_object (k, m));
      continue;
    }
    if (t->state != KINFUMOT_LOST || t->unseen == KINFUMOT_PATIENCE + 1)
      describe_object (k, m, &k->objects[results->n_objects++]);
    t->age++;
  }
  return NULL;
}
