/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects from frame to frame: followed, occluded, lost, given up. */
#include <math.h>
#include <string.h>

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
  r->pose = kinfumot_pose_inverse (m->pose);
  r->in_world = kinfumot_pose_times (k->known_camera, r->pose);
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
      k->host_report->models[m].active = KINFUMOT_ASLEEP;
      memset (t, 0, sizeof *t);
      TRY (kinfumot_pool_forget (k, m));
      continue;
    }
    if (t->state != KINFUMOT_LOST || t->unseen == KINFUMOT_PATIENCE + 1)
      describe_object (k, m, &k->objects[results->n_objects++]);
    t->age++;
  }
  return NULL;
}
