/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A new object: from a mask to a model (2.3).  The paper loses the frames in
 * which the object was not accepted yet; here they are fused afterwards. */
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_classes_core.h"
#include "kinfumot/kinfumot_state.h"

#define MAX_TAKEN .5       /* share of the mask that another model has */
#define FOUND_SHARE .5     /* of the mask's points, that match a lost model */
#define FOUND_RESIDUAL .01 /* metres */
#define LIKE 1.6           /* ratio of extents */

/* What the host looks at to decide. */
typedef struct {
  ImageBox box;     /* of the mask */
  int n, n_taken;   /* pixels of the mask with depth; with another's, too */
  int n_seen;       /* pixels with depth */
  int n_left;       /* of these, what the background keeps */
  double middle[3]; /* of their points, camera coordinates */
  double extent[3];
} Shape;

/* ---- The mask ---- */

/* Bounds of the points of the mask. */
typedef struct {
  float min[3], max[3];
} Bounds;

/* A pixel of the mask that has depth. */
static void
add_pixel (const Kinfumot *k, int x, int y, Shape *s, Bounds *b)
{
  const int at = y * k->work.width + x;
  const float z = kinfumot_metres (k->seen.depth[at]);
  const float p[3] = {k->rays[at].x * z, k->rays[at].y * z, z};

  for (int i = 0; i < 3; i++) {
    s->middle[i] += p[i];
    b->min[i] = p[i] < b->min[i] ? p[i] : b->min[i];
    b->max[i] = p[i] > b->max[i] ? p[i] : b->max[i];
  }
  s->box.x0 = x < s->box.x0 ? x : s->box.x0;
  s->box.y0 = y < s->box.y0 ? y : s->box.y0;
  s->box.x1 = x >= s->box.x1 ? x + 1 : s->box.x1;
  s->box.y1 = y + 1;
  s->n++;
  s->n_taken += k->seen.classes[2 * at + 1] != 0;
}

static Shape
measure (const Kinfumot *k)
{
  const int width = k->work.width, height = k->work.height;
  Shape s = {.box = {width, height, 0, 0}};
  Bounds b = {{1e9f, 1e9f, 1e9f}, {-1e9f, -1e9f, -1e9f}};

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int at = y * width + x;
      const bool seen = k->seen.depth[at], mine = k->seen.mask[at];

      s.n_seen += seen;
      s.n_left += seen & !mine & !k->seen.classes[2 * at + 1];
      if (seen & mine)
        add_pixel (k, x, y, &s, &b);
    }
  for (int i = 0; i < 3 && s.n; i++) {
    s.middle[i] /= s.n;
    s.extent[i] = b.max[i] - b.min[i];
  }
  return s;
}

static const char *
fetch_shape (
    Kinfumot *k, const KinfumotAsked *a, const KinfumotPast *past, Shape *shape)
{
  const size_t pixels = (size_t) k->work.width * k->work.height;
  const Device *dev = &k->device;

  TRY (device_copy (dev, k->seen.mask, a->mask, pixels));
  TRY (device_copy (dev, k->seen.classes, past->maps.classes, 2 * pixels));
  TRY (device_copy (
      dev, k->seen.depth, past->maps.depth, pixels * sizeof *k->seen.depth));
  TRY (device_wait (dev));
  *shape = measure (k);
  return NULL;
}

/* ---- Models ---- */

/* A number for a new model: one that is nobody's, else that of the object which
 * has been lost for longest; 0 where all are in use. */
static int
free_model (const Kinfumot *k)
{
  int best = 0, unseen = KINFUMOT_PATIENCE;

  for (int m = 1; m <= k->params.max_objects; m++) {
    if (!k->known[m].id)
      return m;
    if (!k->state->models[m].active && k->known[m].unseen > unseen) {
      best = m;
      unseen = k->known[m].unseen;
    }
  }
  return best;
}

/* The frame becomes the one that stages work on; the camera's pose is its own.
 */
static void
go_to (Kinfumot *k, const KinfumotPast *past)
{
  k->work.now = past->maps;
  k->work.before = NULL;
  kinfumot_set_pose (&k->state->models[0], past->camera);
  kinfumot_set_motion (&k->state->models[0], pose64_identity ());
  k->state->models[0].good = true;
}

/* Other objects neither take part nor are in the way. */
static void
set_alone (Kinfumot *k, int model, KinfumotModel saved[KINFUMOT_MODELS])
{
  memcpy (saved, k->state->models, KINFUMOT_MODELS * sizeof *saved);
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    if (m != model)
      k->state->models[m].active = KINFUMOT_ASLEEP;
}

static void
set_others (Kinfumot *k, int model, const KinfumotModel saved[KINFUMOT_MODELS])
{
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    if (m != model)
      k->state->models[m] = saved[m];
}

static KinfumotModel
model_of (const Shape *shape)
{
  const double *middle = shape->middle;
  Pose64 pose = {{-middle[0], -middle[1], -middle[2]}, {1, 0, 0, 0}};
  KinfumotModel m = {.active = KINFUMOT_AWAKE,
      .good = true,
      .drift = pose64_identity (),
      .box = shape->box};

  kinfumot_set_pose (&m, pose);
  kinfumot_set_motion (&m, pose64_identity ());
  return m;
}

/* Fuses the frame into @model, and looks at it. */
static const char *
fuse (Kinfumot *k, int model)
{
  const KinfumotStages *s = k->stages;

  TRY (s->allocate (&k->device, &k->work, model, model + 1));
  TRY (s->fuse (&k->device, &k->work, model, model + 1));
  return kinfumot_look (k, model, model + 1);
}

/* How well @model matches the frame that is worked on, from its motion. */
static const char *
align (Kinfumot *k, int model)
{
  TRY (kinfumot_upload (k));
  TRY (k->stages->normals (&k->device, &k->work));
  TRY (k->stages->align (&k->device, &k->work, model, model + 1));
  return kinfumot_download (k);
}

/* Sends the models, which lie in pinned memory: what has not been copied yet
 * must not change. */
static const char *
send (Kinfumot *k)
{
  TRY (kinfumot_upload (k));
  return device_wait (&k->device);
}

/* ---- The frames before and after ---- */

/* Takes @model, whose pose is that of the frame @from, to a neighbouring frame;
 * in its box it may be a frame later.  @done: it was followed, and the frame
 * fused.  Else its pose is as if it had stood still in the world. */
static const char *
step (Kinfumot *k, int model, const KinfumotPast *from, const KinfumotPast *to,
    bool *done)
{
  KinfumotModel *m = &k->state->models[model];
  const KinfumotStages *s = k->stages;
  Pose64 camera =
      kinfumot_pose_times (kinfumot_pose_back (from->camera), to->camera);

  go_to (k, to);
  kinfumot_set_motion (m, camera);
  m->box = kinfumot_around (&k->work, m->box);
  TRY (align (k, model));
  *done = m->solved && m->residual < FOUND_RESIDUAL;
  if (*done)
    TRY (s->adopt (&k->device, &k->work, model));
  else
    kinfumot_set_motion (m, camera);
  kinfumot_set_pose (m, kinfumot_pose_times (m->pose, m->motion));
  kinfumot_set_motion (m, pose64_identity ());
  TRY (send (k));
  return *done ? fuse (k, model) : kinfumot_look (k, model, model + 1);
}

/* From the frame of the mask, forwards (@by 1) to the newest frame, or
 * backwards
 * (@by -1) as far as the model is followed, at most @n frames. */
static const char *
walk (Kinfumot *k, int model, const KinfumotPast *from, int by, int n)
{
  for (int i = 0; i < n; i++) {
    const KinfumotPast *to = kinfumot_past (k, from->frame + by);
    bool done;

    if (!to)
      return NULL;
    TRY (step (k, model, from, to, &done));
    if (!done && by < 0)
      return NULL;
    from = to;
  }
  return NULL;
}

/* To the newest frame, and ready for the next. */
static const char *
walk_on (Kinfumot *k, int model, const KinfumotPast *from)
{
  KinfumotModel *m = &k->state->models[model];

  TRY (walk (k, model, from, 1, KINFUMOT_RING));
  m->box = kinfumot_around (&k->work, m->box);
  return NULL;
}

/* The object's velocity, from its pose in the frame of the mask and in the one
 * before. */
static Pose64
drift_of (const KinfumotPast *past, Pose64 pose, const KinfumotPast *before,
    Pose64 pose_before)
{
  Pose64 to = kinfumot_pose_times (past->camera, kinfumot_pose_back (pose));
  Pose64 from =
      kinfumot_pose_times (before->camera, kinfumot_pose_back (pose_before));

  return kinfumot_pose_times (to, kinfumot_pose_back (from));
}

/* Back through the ring, again to the frame of the mask, and on to the newest.
 */
static const char *
catch_up (Kinfumot *k, int model, const KinfumotPast *past, const Shape *shape)
{
  KinfumotModel *m = &k->state->models[model];
  Pose64 pose = m->pose;
  const KinfumotPast *before = kinfumot_past (k, past->frame - 1);

  if (before && k->params.ring) {
    bool done;

    TRY (step (k, model, past, before, &done));
    if (done)
      m->drift = drift_of (past, pose, before, m->pose);
    if (done)
      TRY (walk (k, model, before, -1, k->params.ring - 1));
  }
  go_to (k, past);
  kinfumot_set_pose (m, pose);
  kinfumot_set_motion (m, pose64_identity ());
  m->box = shape->box;
  TRY (send (k));
  TRY (kinfumot_look (k, model, model + 1));
  return walk_on (k, model, past);
}

/* ---- Birth ---- */

/* The background forgets what the object hides, and the map says whose the
 * pixels are. */
static const char *
clear_background (Kinfumot *k)
{
  k->state->models[0].active = KINFUMOT_CARRIED;
  k->work.erase = 1;
  TRY (send (k));
  TRY (k->stages->fuse (&k->device, &k->work, 0, 1));
  k->work.erase = 0;
  k->state->models[0].active = KINFUMOT_ASLEEP;
  return send (k);
}

/* @accepted: the points determine at least three directions. */
static const char *
make (Kinfumot *k, const KinfumotAsked *a, const KinfumotPast *past,
    const Shape *shape, int model, bool *accepted)
{
  KinfumotModel *m = &k->state->models[model];

  *m = model_of (shape);
  go_to (k, past);
  k->work.mask = a->mask;
  TRY (send (k));
  TRY (fuse (k, model));
  TRY (align (k, model));
  *accepted = (int) m->points >= k->params.min_size &&
      __builtin_popcount (m->weak) <= 3;
  kinfumot_set_motion (m, pose64_identity ());
  if (*accepted)
    TRY (clear_background (k));
  k->work.mask = NULL;
  TRY (send (k));
  return *accepted ? k->stages->adopt (&k->device, &k->work, model) : NULL;
}

/* Room, a model, and the frames around the one of the mask. */
static const char *
create (Kinfumot *k, const KinfumotAsked *a, const KinfumotPast *past,
    const Shape *shape)
{
  KinfumotModel saved[KINFUMOT_MODELS];
  int model = free_model (k);
  bool accepted;

  if (!model) {
    k->refused++;
    k->refusal = "max-objects are followed already";
    return NULL;
  }
  if (k->known[model].id)
    TRY (kinfumot_pool_forget (k, model));
  memset (&k->known[model], 0, sizeof k->known[model]);
  TRY (kinfumot_view_new (k, model));
  set_alone (k, model, saved);
  TRY (make (k, a, past, shape, model, &accepted));
  if (accepted)
    TRY (catch_up (k, model, past, shape));
  set_others (k, model, saved);
  if (!accepted) {
    k->refused++;
    k->refusal = "its surface is too small or too flat";
    k->state->models[model].active = KINFUMOT_ASLEEP;
    return kinfumot_pool_forget (k, model);
  }
  k->known[model] = (KinfumotKnown){.id = ++k->last_id,
      .state = KINFUMOT_NEW,
      .min = {INT32_MAX, INT32_MAX, INT32_MAX},
      .max = {INT32_MIN, INT32_MIN, INT32_MIN}};
  return send (k);
}

/* ---- Found again ---- */

static int
compare_extents (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Whether the lost object could look like @shape: what is seen is no larger
 * than it is.  One that was never seen has no extent. */
static bool
is_like (const KinfumotKnown *o, const Shape *shape)
{
  double a[3], b[3];

  if (o->max[0] < o->min[0])
    return false;
  for (int i = 0; i < 3; i++) {
    a[i] = (o->max[i] - o->min[i]) / 1000. + .02;
    b[i] = shape->extent[i] + .02;
  }
  qsort (a, 3, sizeof *a, compare_extents);
  qsort (b, 3, sizeof *b, compare_extents);
  return b[2] < LIKE * a[2] && a[2] < LIKE * b[2] && b[1] < LIKE * a[1];
}

/* The model's middle is put where the shape's is, turned as it was when it was
 * lost. */
static const char *
try_lost (Kinfumot *k, const KinfumotAsked *a, const KinfumotPast *past,
    const Shape *shape, int model, bool *found)
{
  const KinfumotKnown *o = &k->known[model];
  KinfumotModel *m = &k->state->models[model];
  Pose64 pose = m->pose;
  double middle[3];

  quat64_rotate (pose.q, shape->middle, middle);
  for (int i = 0; i < 3; i++)
    pose.t[i] = (o->min[i] + o->max[i]) / 2000. - middle[i];
  go_to (k, past);
  kinfumot_set_pose (m, pose);
  kinfumot_set_motion (m, pose64_identity ());
  m->active = KINFUMOT_AWAKE;
  m->box = shape->box;
  m->drift = pose64_identity ();
  m->steps = 0;
  TRY (send (k));
  TRY (kinfumot_look (k, model, model + 1));
  k->work.mask = a->mask;
  TRY (align (k, model));
  k->work.mask = NULL;
  *found = m->solved && m->residual < FOUND_RESIDUAL &&
      m->points >= FOUND_SHARE * shape->n;
  if (!*found)
    return NULL;
  kinfumot_set_pose (m, kinfumot_pose_times (m->pose, m->motion));
  kinfumot_set_motion (m, pose64_identity ());
  TRY (send (k));
  TRY (kinfumot_look (k, model, model + 1));
  return walk_on (k, model, past);
}

static const char *
find (Kinfumot *k, const KinfumotAsked *a, const KinfumotPast *past,
    const Shape *shape, bool *found)
{
  *found = false;
  for (int m = 1; m < KINFUMOT_MODELS && !*found; m++) {
    KinfumotModel saved[KINFUMOT_MODELS];

    if (!k->known[m].id || k->state->models[m].active ||
        !is_like (&k->known[m], shape))
      continue;
    set_alone (k, m, saved);
    TRY (try_lost (k, a, past, shape, m, found));
    set_others (k, m, saved);
    if (!*found)
      k->state->models[m] = saved[m];
    k->known[m].unseen = *found ? 0 : k->known[m].unseen;
    TRY (send (k));
  }
  return NULL;
}

/* ---- What was asked for ---- */

static KinfumotPast *
past_of (Kinfumot *k, uint64_t time)
{
  for (int i = 0; i < KINFUMOT_RING; i++)
    if (k->past[i].known && k->past[i].time == time)
      return &k->past[i];
  return NULL;
}

static const char *
birth (Kinfumot *k, const KinfumotAsked *a)
{
  KinfumotPast *past = past_of (k, a->time);
  Shape shape;
  bool found;

  if (!past) {
    k->late++;
    return NULL;
  }
  TRY (fetch_shape (k, a, past, &shape));
  if (shape.n_taken > MAX_TAKEN * shape.n || !shape.n)
    return NULL;
  if (shape.n_left < KINFUMOT_MIN_SHARE * shape.n_seen) {
    k->refused++;
    k->refusal = "too little of the background is left to follow the camera by";
    return NULL;
  }
  k->work.replay = 1;
  TRY (find (k, a, past, &shape, &found));
  if (!found)
    TRY (create (k, a, past, &shape));
  k->work.replay = 0;
  return NULL;
}

/* A pool that the frame before has filled. */
static const char *
make_room (Kinfumot *k)
{
  KinfumotPool *pool = &k->state->pool;

  TRY (device_copy (&k->device, pool, &k->there->pool, sizeof *pool));
  TRY (device_wait (&k->device));
  return pool->full ? kinfumot_pool_relieve (k) : NULL;
}

/* Memory for the next object, since to get it takes long. */
static const char *
make_view (Kinfumot *k)
{
  int model = free_model (k);

  return model ? kinfumot_view_new (k, model) : NULL;
}

const char *
kinfumot_births (Kinfumot *k)
{
  const char *err = NULL;

  if (k->relocate) {
    k->late += k->n_asked;
    k->n_asked = 0;
  }
  if (!k->n_asked)
    return make_view (k);
  TRY (make_room (k));
  for (int i = 0; i < k->n_asked && !err; i++)
    err = birth (k, &k->asked[i]);
  k->n_asked = 0;
  return err;
}
