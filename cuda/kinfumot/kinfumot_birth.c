/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A new object: from a mask to a model (2.3).  The paper loses the frames in
 * which the object was not accepted yet; here they are fused afterwards. */
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

#define MAX_TAKEN .5       /* share of the mask that other models may have */
#define FOUND_SHARE .5     /* of the mask's points, that match a lost model */
#define FOUND_RESIDUAL .01 /* metres */
#define LIKE 1.6           /* ratio of extents */

/* ---- The mask ---- */

/* The numbers by which the host decides about a mask. */
typedef struct {
  ImageBox box;         /* of the mask */
  int n, n_taken;       /* pixels of the mask with depth; with a model, too */
  int n_seen;           /* pixels with depth */
  int n_left;           /* pixels of these that the background keeps */
  double middle[3];     /* of the mask's points, camera coordinates */
  float min[3], max[3]; /* of the mask's points */
} MaskShape;

/* Adds a pixel of the mask that has depth. */
static void
add_mask_pixel (const Kinfumot *k, int x, int y, MaskShape *s)
{
  const int at = y * k->optics.width + x;
  const float z = kinfumot_metres (k->host_maps.depth[at]);
  const float p[3] = {k->host_rays[at].x * z, k->host_rays[at].y * z, z};

  for (int i = 0; i < 3; i++) {
    s->middle[i] += p[i];
    s->min[i] = p[i] < s->min[i] ? p[i] : s->min[i];
    s->max[i] = p[i] > s->max[i] ? p[i] : s->max[i];
  }
  s->box.x0 = x < s->box.x0 ? x : s->box.x0;
  s->box.y0 = y < s->box.y0 ? y : s->box.y0;
  s->box.x1 = x >= s->box.x1 ? x + 1 : s->box.x1;
  s->box.y1 = y + 1;
  s->n++;
  s->n_taken += k->host_maps.classes[2 * at + 1] != 0;
}

static MaskShape
measure_mask (const Kinfumot *k)
{
  const int width = k->optics.width, height = k->optics.height;
  MaskShape s = {.box = {width, height, 0, 0},
      .min = {1e9f, 1e9f, 1e9f},
      .max = {-1e9f, -1e9f, -1e9f}};

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const int at = y * width + x;
      const bool seen = k->host_maps.depth[at], mine = k->host_mask[at];

      s.n_seen += seen;
      s.n_left += seen & !mine & !k->host_maps.classes[2 * at + 1];
      if (seen & mine)
        add_mask_pixel (k, x, y, &s);
    }
  for (int i = 0; i < 3 && s.n; i++)
    s.middle[i] /= s.n;
  return s;
}

static const char *
fetch_mask (Kinfumot *k, const uint8_t *mask, const KinfumotMaps *maps,
    MaskShape *shape)
{
  const size_t pixels = kinfumot_n_pixels (&k->optics);
  const Device *dev = &k->device;

  TRY (device_copy (dev, k->host_mask, mask, pixels));
  TRY (device_copy (dev, k->host_maps.classes, maps->classes, 2 * pixels));
  TRY (device_copy (dev, k->host_maps.depth, maps->depth,
      pixels * sizeof *k->host_maps.depth));
  TRY (device_wait (dev));
  *shape = measure_mask (k);
  return NULL;
}

/* ---- Models ---- */

/* A birth in the frame of its mask. */
typedef struct {
  const KinfumotPast *past;
  const uint8_t *mask; /* memory of the device */
  MaskShape shape;
} Birth;

/* A number for a new model: the first that no object has, else that of the
 * object which has been lost for longest; 0 if all are in use. */
static int
find_free_model (const Kinfumot *k)
{
  int best = 0, unseen = KINFUMOT_PATIENCE;

  for (int m = 1; m <= k->params.max_objects; m++) {
    if (!k->tracks[m].id)
      return m;
    if (!k->host_report->models[m].active && k->tracks[m].unseen > unseen) {
      best = m;
      unseen = k->tracks[m].unseen;
    }
  }
  return best;
}

/* The camera takes the pose that it had in the frame @past. */
static void
place_past_camera (Kinfumot *k, const KinfumotPast *past)
{
  KinfumotModel *background = &k->host_report->models[0];

  kinfumot_set_pose (background, past->camera);
  kinfumot_set_motion (background, pose64_identity ());
  background->good = true;
}

/* Puts all models but @model asleep: they neither take part nor are in the way.
 */
static void
put_others_asleep (Kinfumot *k, int model, KinfumotModel saved[KINFUMOT_MODELS])
{
  memcpy (saved, k->host_report->models, KINFUMOT_MODELS * sizeof *saved);
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    if (m != model)
      k->host_report->models[m].active = KINFUMOT_ASLEEP;
}

static void
wake_others (Kinfumot *k, int model, const KinfumotModel saved[KINFUMOT_MODELS])
{
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    if (m != model)
      k->host_report->models[m] = saved[m];
}

static KinfumotModel
model_of_shape (const MaskShape *shape)
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

/* Fuses the frame @past into @model, and casts its view.  @mask: of the model's
 * pixels, or NULL: their classes say it. */
static const char *
fuse_past (
    Kinfumot *k, int model, const KinfumotPast *past, const uint8_t *mask)
{
  const KinfumotStages *s = k->stages;
  const KinfumotFusion fusion =
      kinfumot_fusion (k, &past->maps, mask, model, model + 1);

  TRY (s->allocate (&k->device, &fusion, &k->pool, &k->grid, &k->ranges));
  TRY (s->fuse (&k->device, &fusion, &k->fuse, &k->grid));
  return kinfumot_cast_views (k, model, model + 1);
}

/* Aligns @model to the frame @past, from its motion; @mask as above. */
static const char *
align_past (
    Kinfumot *k, int model, const KinfumotPast *past, const uint8_t *mask)
{
  KinfumotAlignIn in = {.normals = k->normals.of,
      .grid = k->grid,
      .claims = {.mask = mask, .replayed = past->maps.classes}};

  TRY (kinfumot_upload (k));
  in.matching = kinfumot_matching (k, &past->maps);
  TRY (k->stages->normals (&k->device, &in.matching.points, &k->normals));
  TRY (k->stages->align (
      &k->device, &in, model, model + 1, &k->align, k->device_report->models));
  return kinfumot_download (k);
}

/* Gives pixels of the frame @past that match @model to it. */
static const char *
adopt_past (Kinfumot *k, int model, const KinfumotPast *past)
{
  const KinfumotMatching matching = kinfumot_matching (k, &past->maps);

  return k->stages->adopt (&k->device, &matching, model, past->maps.classes);
}

/* Sends the models, and waits: their pinned memory must not change while it is
 * copied. */
static const char *
send_models (Kinfumot *k)
{
  TRY (kinfumot_upload (k));
  return device_wait (&k->device);
}

/* ---- The frames before and after ---- */

/* Moves @model from the frame @from, whose pose it has, to the neighbouring
 * frame @to, and fuses @to.  Not @done: it could not be aligned, and its pose
 * is as if it had stood still in the world. */
static const char *
step_to_past (Kinfumot *k, int model, const KinfumotPast *from,
    const KinfumotPast *to, bool *done)
{
  KinfumotModel *m = &k->host_report->models[model];
  Pose64 camera = pose64_times (pose64_inverse (from->camera), to->camera);

  place_past_camera (k, to);
  kinfumot_set_motion (m, camera);
  m->box = kinfumot_box_around (&k->optics, m->box);
  TRY (align_past (k, model, to, NULL));
  *done = m->solved && m->residual < FOUND_RESIDUAL;
  if (*done)
    TRY (adopt_past (k, model, to));
  else
    kinfumot_set_motion (m, camera);
  kinfumot_set_pose (m, pose64_times (m->pose, m->motion));
  kinfumot_set_motion (m, pose64_identity ());
  TRY (send_models (k));
  return *done ? fuse_past (k, model, to, NULL)
               : kinfumot_cast_views (k, model, model + 1);
}

/* Moves @model from the frame @from by at most @n frames: forwards (@by 1) to
 * the newest frame, or backwards (@by -1) while it can be aligned. */
static const char *
walk_past (Kinfumot *k, int model, const KinfumotPast *from, int by, int n)
{
  for (int i = 0; i < n; i++) {
    const KinfumotPast *to = kinfumot_past (k, from->frame + by);
    bool done;

    if (!to)
      return NULL;
    TRY (step_to_past (k, model, from, to, &done));
    if (!done && by < 0)
      return NULL;
    from = to;
  }
  return NULL;
}

/* Moves @model to the newest frame, and gives it a box for the next frame. */
static const char *
walk_to_newest (Kinfumot *k, int model, const KinfumotPast *from)
{
  KinfumotModel *m = &k->host_report->models[model];

  TRY (walk_past (k, model, from, 1, KINFUMOT_RING));
  m->box = kinfumot_box_around (&k->optics, m->box);
  return NULL;
}

/* The object's velocity, from its pose in the frame of the mask and in the
 * previous frame. */
static Pose64
drift_between (const KinfumotPast *past, Pose64 pose,
    const KinfumotPast *previous, Pose64 previous_pose)
{
  Pose64 to = pose64_times (past->camera, pose64_inverse (pose));
  Pose64 from = pose64_times (previous->camera, pose64_inverse (previous_pose));

  return pose64_times (to, pose64_inverse (from));
}

/* Moves @model back through the ring, then from the frame of the mask to the
 * newest frame. */
static const char *
replay_ring (Kinfumot *k, int model, const Birth *birth)
{
  KinfumotModel *m = &k->host_report->models[model];
  const KinfumotPast *past = birth->past,
                     *previous = kinfumot_past (k, past->frame - 1);
  Pose64 pose = m->pose;

  if (previous && k->params.ring) {
    bool done;

    TRY (step_to_past (k, model, past, previous, &done));
    if (done)
      m->drift = drift_between (past, pose, previous, m->pose);
    if (done)
      TRY (walk_past (k, model, previous, -1, k->params.ring - 1));
  }
  place_past_camera (k, past);
  kinfumot_set_pose (m, pose);
  kinfumot_set_motion (m, pose64_identity ());
  m->box = birth->shape.box;
  TRY (send_models (k));
  TRY (kinfumot_cast_views (k, model, model + 1));
  return walk_to_newest (k, model, past);
}

/* ---- A new model ---- */

/* The background forgets what the object hides. */
static const char *
erase_background (Kinfumot *k, const Birth *birth)
{
  KinfumotModel *background = &k->host_report->models[0];
  KinfumotFusion fusion =
      kinfumot_fusion (k, &birth->past->maps, birth->mask, 0, 1);

  fusion.erase = true;
  background->active = KINFUMOT_CARRIED;
  TRY (send_models (k));
  TRY (k->stages->fuse (&k->device, &fusion, &k->fuse, &k->grid));
  background->active = KINFUMOT_ASLEEP;
  return send_models (k);
}

/* @accepted: the points determine at least three directions. */
static const char *
make_model (Kinfumot *k, const Birth *birth, int model, bool *accepted)
{
  KinfumotModel *m = &k->host_report->models[model];

  *m = model_of_shape (&birth->shape);
  place_past_camera (k, birth->past);
  TRY (send_models (k));
  TRY (fuse_past (k, model, birth->past, birth->mask));
  TRY (align_past (k, model, birth->past, birth->mask));
  *accepted = (int) m->points >= k->params.min_size &&
      __builtin_popcount (m->weak) <= 3;
  kinfumot_set_motion (m, pose64_identity ());
  if (*accepted)
    TRY (erase_background (k, birth));
  TRY (send_models (k));
  return *accepted ? adopt_past (k, model, birth->past) : NULL;
}

/* Makes a model of the mask, and fuses the frames around it. */
static const char *
create_object (Kinfumot *k, const Birth *birth)
{
  KinfumotModel saved[KINFUMOT_MODELS];
  int model = find_free_model (k);
  bool accepted;

  if (!model) {
    k->refused++;
    k->refusal = "max-objects are followed already";
    return NULL;
  }
  if (k->tracks[model].id)
    TRY (kinfumot_pool_forget (k, model));
  memset (&k->tracks[model], 0, sizeof k->tracks[model]);
  TRY (kinfumot_view_new (k, model));
  put_others_asleep (k, model, saved);
  TRY (make_model (k, birth, model, &accepted));
  if (accepted)
    TRY (replay_ring (k, model, birth));
  wake_others (k, model, saved);
  if (!accepted) {
    k->refused++;
    k->refusal = "its surface is too small or too flat";
    k->host_report->models[model].active = KINFUMOT_ASLEEP;
    return kinfumot_pool_forget (k, model);
  }
  k->tracks[model] = (KinfumotTrack){.id = ++k->last_id,
      .state = KINFUMOT_NEW,
      .min = {INT32_MAX, INT32_MAX, INT32_MAX},
      .max = {INT32_MIN, INT32_MIN, INT32_MIN}};
  return send_models (k);
}

/* ---- A lost object that is found again ---- */

static int
compare_extents (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Whether @shape may show the lost object, or a part of it.  An object that was
 * never seen has no extent. */
static bool
is_like_shape (const KinfumotTrack *t, const MaskShape *shape)
{
  double a[3], b[3];

  if (t->max[0] < t->min[0])
    return false;
  for (int i = 0; i < 3; i++) {
    a[i] = (t->max[i] - t->min[i]) / 1000. + .02;
    b[i] = shape->max[i] - shape->min[i] + .02;
  }
  qsort (a, 3, sizeof *a, compare_extents);
  qsort (b, 3, sizeof *b, compare_extents);
  return b[2] < LIKE * a[2] && a[2] < LIKE * b[2] && b[1] < LIKE * a[1];
}

/* Puts the middle of the model where the middle of the shape is; its rotation
 * stays as it was when it was lost. */
static void
place_lost_model (Kinfumot *k, int model, const MaskShape *shape)
{
  const KinfumotTrack *t = &k->tracks[model];
  KinfumotModel *m = &k->host_report->models[model];
  Pose64 pose = m->pose;
  double middle[3];

  quat64_rotate (pose.q, shape->middle, middle);
  for (int i = 0; i < 3; i++)
    pose.t[i] = (t->min[i] + t->max[i]) / 2000. - middle[i];
  kinfumot_set_pose (m, pose);
  kinfumot_set_motion (m, pose64_identity ());
  m->active = KINFUMOT_AWAKE;
  m->box = shape->box;
  m->drift = pose64_identity ();
  m->steps = 0;
}

static const char *
try_lost_object (Kinfumot *k, const Birth *birth, int model, bool *found)
{
  KinfumotModel *m = &k->host_report->models[model];

  place_past_camera (k, birth->past);
  place_lost_model (k, model, &birth->shape);
  TRY (send_models (k));
  TRY (kinfumot_cast_views (k, model, model + 1));
  TRY (align_past (k, model, birth->past, birth->mask));
  *found = m->solved && m->residual < FOUND_RESIDUAL &&
      m->points >= FOUND_SHARE * birth->shape.n;
  if (!*found)
    return NULL;
  kinfumot_set_pose (m, pose64_times (m->pose, m->motion));
  kinfumot_set_motion (m, pose64_identity ());
  TRY (send_models (k));
  TRY (kinfumot_cast_views (k, model, model + 1));
  return walk_to_newest (k, model, birth->past);
}

static const char *
find_lost_object (Kinfumot *k, const Birth *birth, bool *found)
{
  *found = false;
  for (int m = 1; m < KINFUMOT_MODELS && !*found; m++) {
    KinfumotModel saved[KINFUMOT_MODELS];

    if (!k->tracks[m].id || k->host_report->models[m].active ||
        !is_like_shape (&k->tracks[m], &birth->shape))
      continue;
    put_others_asleep (k, m, saved);
    TRY (try_lost_object (k, birth, m, found));
    wake_others (k, m, saved);
    if (!*found)
      k->host_report->models[m] = saved[m];
    k->tracks[m].unseen = *found ? 0 : k->tracks[m].unseen;
    TRY (send_models (k));
  }
  return NULL;
}

/* ---- Requests ---- */

static KinfumotPast *
find_past (Kinfumot *k, uint64_t time)
{
  for (int i = 0; i < KINFUMOT_RING; i++)
    if (k->past[i].known && k->past[i].time == time)
      return &k->past[i];
  return NULL;
}

static const char *
answer_request (Kinfumot *k, const KinfumotRequest *request)
{
  Birth birth = {.past = find_past (k, request->time), .mask = request->mask};
  const MaskShape *shape = &birth.shape;
  bool found;

  if (!birth.past) {
    k->late++;
    return NULL;
  }
  TRY (fetch_mask (k, birth.mask, &birth.past->maps, &birth.shape));
  if (shape->n_taken > MAX_TAKEN * shape->n || !shape->n)
    return NULL;
  if (shape->n_left < KINFUMOT_MIN_SHARE * shape->n_seen) {
    k->refused++;
    k->refusal = "too little of the background is left to follow the camera by";
    return NULL;
  }
  TRY (find_lost_object (k, &birth, &found));
  return found ? NULL : create_object (k, &birth);
}

/* Gets memory for the next object beforehand, since that takes long. */
static const char *
prepare_view (Kinfumot *k)
{
  int model = find_free_model (k);

  return model ? kinfumot_view_new (k, model) : NULL;
}

const char *
kinfumot_births (Kinfumot *k)
{
  const char *err = NULL;

  if (k->relocate) {
    k->late += k->n_requests;
    k->n_requests = 0;
  }
  if (!k->n_requests)
    return prepare_view (k);
  TRY (kinfumot_pool_relieve_full (k));
  for (int i = 0; i < k->n_requests && !err; i++)
    err = answer_request (k, &k->requests[i]);
  k->n_requests = 0;
  return err;
}
