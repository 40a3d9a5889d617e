/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

/* ---- Memory ---- */

static const char *
maps_new (Kinfumot *k, KinfumotMaps *maps)
{
  size_t pixels = (size_t) k->work.width * k->work.height;

  TRY (memory_get (&k->memory, &maps->depth, pixels));
  return memory_get (&k->memory, &maps->classes, 2 * pixels);
}

static const char *
allocate (Kinfumot *k)
{
  KinfumotWork *w = &k->work;
  size_t pixels = (size_t) w->width * w->height;
  size_t tiles = (size_t) w->tiles_x * w->tiles_y;

  for (int i = 0; i < KINFUMOT_RING; i++)
    TRY (maps_new (k, &k->past[i].maps));
  for (int i = 0; i < KINFUMOT_MAX_ASKED; i++)
    TRY (memory_get (&k->memory, &k->asked[i].mask, pixels));
  TRY (memory_get_pinned (&k->memory, &k->seen.mask, pixels));
  TRY (memory_get_pinned (&k->memory, &k->seen.classes, 2 * pixels));
  TRY (memory_get_pinned (&k->memory, &k->seen.depth, pixels));
  TRY (memory_get (&k->memory, &w->rays, pixels));
  TRY (memory_get_pinned (&k->memory, &k->rays, pixels));
  TRY (memory_get (&k->memory, &w->normals, pixels));
  TRY (memory_get (&k->memory, &w->surfaces, pixels));
  TRY (memory_get (&k->memory, &w->ends, KINFUMOT_SIDES * pixels));
  TRY (memory_get (&k->memory, &w->grown, pixels));
  TRY (memory_get (&k->memory, &w->usual, tiles));
  TRY (memory_get (&k->memory, &w->shifted, tiles));
  TRY (memory_get (&k->memory, &w->doubted, (pixels + 7) / 8));
  TRY (memory_get (&k->memory, &w->range, BILATERAL_RANGE));
  TRY (memory_get_pinned (&k->memory, &k->range, BILATERAL_RANGE));
  TRY (memory_get_pinned (
      &k->memory, &k->rows, (size_t) w->width * (KINFUMOT_SMALL_Y + 1)));
  TRY (memory_get_pinned (&k->memory, &k->state, 1));
  TRY (memory_get (&k->memory, &k->there, 1));
  TRY (memory_get (&k->memory, &w->alignments, KINFUMOT_MODELS));
  w->models = k->there->models;
  w->counts = k->there->counts;
  w->pool = &k->there->pool;
  TRY (kinfumot_view_new (k, 0));
  return kinfumot_pool_new (k);
}

const char *
kinfumot_view_new (Kinfumot *k, int model)
{
  KinfumotWork *w = &k->work;
  size_t tiles = (size_t) w->tiles_x * w->tiles_y;

  if (w->views[model])
    return NULL;
  TRY (memory_get (&k->memory, &w->near[model], tiles));
  TRY (memory_get (&k->memory, &w->slices[model], tiles));
  return memory_get (
      &k->memory, &w->views[model], (size_t) w->width * w->height);
}

const char *
kinfumot_new (Kinfumot **self, const Device *device,
    const KinfumotParams *params, int width, int height)
{
  Kinfumot *k = calloc (1, sizeof *k);

  *self = k;
  if (!k)
    return "out of memory";
  k->device = *device;
  k->stages = STAGES (kinfumot, device);
  memory_open (&k->memory, &k->device);
  TRY (device_open (&k->aside, device->kind, NULL));
  if (width < 1 || height < 1 || width > KINFUMOT_MAX_SIDE ||
      height > KINFUMOT_MAX_SIDE)
    return "the frame's sides must be 1 to 4096 pixels";
  TRY (kinfumot_check (params));
  k->params = *params;
  k->params.camera = (Camera){0}; /* none yet */
  k->work.width = width;
  k->work.height = height;
  k->work.tiles_x = (width + KINFUMOT_TILE - 1) / KINFUMOT_TILE;
  k->work.tiles_y = (height + KINFUMOT_TILE - 1) / KINFUMOT_TILE;
  TRY (k->stages->open (&k->work));
  TRY (allocate (k));
  kinfumot_clear (k);
  return NULL;
}

void
kinfumot_free (Kinfumot *k)
{
  if (!k)
    return;
  device_wait (&k->aside); /* nothing may still use what goes */
  device_wait (&k->device);
  memory_free (&k->memory);
  device_close (&k->aside);
  free (k->keyframes);
  free (k);
}

const char *
kinfumot_upload (Kinfumot *k)
{
  k->work.n_models = kinfumot_models_end (k);
  return k->stages->pass (
      &k->device, k->there->models, k->state->models, sizeof k->there->models);
}

const char *
kinfumot_download (Kinfumot *k)
{
  TRY (k->stages->pass (&k->device, k->state, k->there, sizeof *k->state));
  return device_wait (&k->device);
}

const char *
kinfumot_look (Kinfumot *k, int first, int last)
{
  TRY (k->stages->ranges (&k->device, &k->work, first, last));
  return k->stages->cast (&k->device, &k->work, first, last);
}

/* No model, no past. */
void
kinfumot_clear (Kinfumot *k)
{
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    k->state->models[m] = (KinfumotModel){.active = KINFUMOT_ASLEEP,
        .pose = pose64_identity (),
        .motion = pose64_identity (),
        .drift = pose64_identity ()};
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
  memset (k->known, 0, sizeof k->known);
  k->started = k->lost = k->relocate = k->tight = false;
  k->n_asked = k->n_keyframes = 0;
}

void
kinfumot_reset (Kinfumot *k)
{
  kinfumot_clear (k);
  k->forget = true;
}

void
kinfumot_relocate (Kinfumot *k)
{
  k->relocate = k->started;
  k->had_pose = false;
  k->n_asked = 0;
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
}

/* ---- Parameters ---- */

const char *
kinfumot_check (const KinfumotParams *p)
{
  TRY (params_check (kinfumot_params, p));
  if (p->truncation < 3 * p->voxel_size)
    return "truncation must be at least three times voxel-size";
  return NULL;
}

static KinfumotLens
lens_of (const Camera *c)
{
  const double *d = c->distortion;

  return (KinfumotLens){(float) c->fx, (float) c->fy, (float) c->cx,
      (float) c->cy, (float) d[0], (float) d[1], (float) d[2], (float) d[3],
      (float) d[4], 0,
      d[0] != 0 || d[1] != 0 || d[2] != 0 || d[3] != 0 || d[4] != 0};
}

/* The ray that a pixel sees: the distortion is taken out by iteration, as
 * OpenCV does. */
static KinfumotRay
ray_of (const Camera *c, int u, int v)
{
  const double *d = c->distortion;
  double x0 = (u - c->cx) / c->fx, y0 = (v - c->cy) / c->fy, x = x0, y = y0;

  for (int i = 0; i < 20; i++) {
    double r2 = x * x + y * y;
    double radial = 1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]));
    double dx = 2 * d[2] * x * y + d[3] * (r2 + 2 * x * x);
    double dy = d[2] * (r2 + 2 * y * y) + 2 * d[3] * x * y;

    x = (x0 - dx) / radial;
    y = (y0 - dy) / radial;
  }
  return (KinfumotRay){(float) x, (float) y, (float) sqrt (x * x + y * y + 1)};
}

/* Whether the ray of a pixel comes back to it. */
static bool
is_seen (const Camera *c, int x, int y)
{
  KinfumotRay r = ray_of (c, x, y);
  KinfumotLens lens = lens_of (c);
  float u, v;

  lens.max_r2 = 100;
  return r.length < 10 && kinfumot_project (&lens, vec (r.x, r.y, 1), &u, &v) &&
      fabs (u - x) < .5 && fabs (v - y) < .5;
}

/* The corners are where a distortion that does not fit goes wrong first. */
const char *
kinfumot_check_camera (const Camera *c, int width, int height)
{
  double sum = c->cx + c->cy;

  for (int i = 0; i < 5; i++)
    sum += c->distortion[i];
  if (!isfinite (sum) ||
      !(c->fx > 0 && c->fy > 0 && isfinite (c->fx) && isfinite (c->fy)))
    return "the camera's focal lengths must be positive numbers of pixels, and "
           "its other numbers finite";
  for (int i = 0; i < 4; i++)
    if (!is_seen (c, i & 1 ? width - 1 : 0, i & 2 ? height - 1 : 0))
      return "the camera's intrinsics do not fit the frame's size";
  return NULL;
}

/* What the models look like through another lens; the frames before were seen
 * through the last one. */
static const char *
look_again (Kinfumot *k)
{
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    k->state->models[m].box = kinfumot_whole (k);
  return kinfumot_look (k, 0, kinfumot_models_end (k));
}

/* KinfumotWork.spacing of a camera. */
static int
spacing_of (const Camera *c)
{
  double spacing = floor ((c->fx + c->fy) / 2 / KINFUMOT_FOCAL + .5);

  return spacing < 1                   ? 1
      : spacing < KINFUMOT_MAX_SPACING ? (int) spacing
                                       : KINFUMOT_MAX_SPACING;
}

static const char *
set_camera (Kinfumot *k, const Camera *c)
{
  KinfumotWork *w = &k->work;
  float max = 0;

  TRY (kinfumot_check_camera (c, w->width, w->height));
  if (!memcmp (c, &k->params.camera, sizeof k->params.camera))
    return NULL;
  TRY (device_wait (&k->device)); /* the last copy from it is done */
  w->lens = lens_of (c);
  w->spacing = spacing_of (c);
  for (int y = 0; y < w->height; y++)
    for (int x = 0; x < w->width; x++) {
      KinfumotRay r = ray_of (c, x, y);

      k->rays[y * w->width + x] = r;
      max = r.x * r.x + r.y * r.y > max ? r.x * r.x + r.y * r.y : max;
    }
  w->lens.max_r2 = 1.2f * max;
  TRY (device_copy (&k->device, w->rays, k->rays,
      (size_t) w->width * w->height * sizeof *k->rays));
  k->params.camera = *c;
  return k->started ? look_again (k) : NULL;
}

static const char *
set_scale (Kinfumot *k, double scale)
{
  KinfumotWork *w = &k->work;
  double far = KINFUMOT_FAR / scale;

  if (k->has_params && scale == k->params.depth_scale)
    return NULL;
  w->input_far = far < 65535 ? (uint32_t) far : 65535;
  w->input_unit = (uint64_t) (scale * KINFUMOT_UNITS / 256 * 0x1p32 + .5);
  TRY (device_wait (&k->device));
  bilateral_set_range (k->range, scale);
  return device_copy (&k->device, w->range, k->range, BILATERAL_RANGE);
}

/* All but the camera, which stays that of the frame before. */
static const char *
set_params (Kinfumot *k, const KinfumotParams *p)
{
  const Camera camera = k->params.camera;
  KinfumotWork *w = &k->work;

  TRY (kinfumot_check (p));
  TRY (set_scale (k, p->depth_scale));
  w->max_weight = p->max_weight;
  w->max_cosine = (float) cos (p->max_angle * M_PI / 180);
  w->noise = (float) p->noise;
  w->half_volume = (float) (p->volume_size / 2);
  w->signed_distance = p->distance == KINFUMOT_SIGNED;
  k->params = *p;
  k->params.camera = camera;
  k->has_params = true;
  return NULL;
}

/* ---- A frame ---- */

KinfumotPast *
kinfumot_past (Kinfumot *k, uint32_t frame)
{
  KinfumotPast *p = &k->past[frame % KINFUMOT_RING];

  return p->frame == frame && p->known ? p : NULL;
}

static void
begin (Kinfumot *k, const KinfumotFrame *frame)
{
  KinfumotWork *w = &k->work;
  KinfumotPast *before = kinfumot_past (k, w->frame), *now;

  w->before = before ? before->maps.classes : NULL;
  w->depth_before = before ? before->maps.depth : NULL;
  w->frame++;
  now = &k->past[w->frame % KINFUMOT_RING];
  now->frame = w->frame;
  now->time = frame->time;
  now->known = false;
  w->now = now->maps;
  w->mask = NULL;
  w->erase = w->replay = 0;
  w->input = frame->depth;
  w->input_stride = frame->stride;
}

ImageBox
kinfumot_whole (const Kinfumot *k)
{
  return (ImageBox){0, 0, k->work.width, k->work.height};
}

/* Whether @p is a pose, at a place whose voxels are counted in 32 bits. */
static bool
is_pose (const Pose64 *p)
{
  double square = 0;

  for (int i = 0; i < 3; i++)
    if (!(fabs (p->t[i]) <= KINFUMOT_MAX_PLACE))
      return false;
  for (int i = 0; i < 4; i++)
    square += p->q[i] * p->q[i];
  return isfinite (square) && square > 0;
}

/* The camera's motion before it is estimated, or instead. */
static void
set_motion (Kinfumot *k, const KinfumotFrame *frame)
{
  KinfumotModel *m = &k->state->models[0];
  Pose64 motion = pose64_identity ();
  bool has_pose = frame->has_pose && is_pose (&frame->pose);
  bool given = has_pose && k->params.pose != KINFUMOT_ESTIMATE;

  m->active = KINFUMOT_AWAKE;
  m->box = kinfumot_whole (k);
  if (!k->started) {
    kinfumot_set_pose (m, given ? frame->pose : pose64_identity ());
    m->active = KINFUMOT_CARRIED;
  } else if (given && k->params.pose == KINFUMOT_GIVEN) {
    m->active = KINFUMOT_CARRIED;
    motion = kinfumot_pose_times (kinfumot_pose_back (m->pose), frame->pose);
  } else if (given && k->had_pose)
    motion =
        kinfumot_pose_times (kinfumot_pose_back (k->last_pose), frame->pose);
  kinfumot_set_motion (m, motion);
  k->had_pose = has_pose;
  k->last_pose = frame->pose;
}

static const char *
follow_camera (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;

  TRY (s->filter (&k->device, &k->work));
  TRY (s->normals (&k->device, &k->work));
  TRY (kinfumot_upload (k));
  if (k->state->models[0].active == KINFUMOT_AWAKE)
    TRY (s->align (&k->device, &k->work, 0, 1));
  return s->judge (&k->device, &k->work, 0, 1);
}

int
kinfumot_models_end (const Kinfumot *k)
{
  int n = KINFUMOT_MODELS;

  while (n > 1 && !k->state->models[n - 1].active)
    n--;
  return n;
}

/* Frames of growth that a new object gets at once: about as many as pass until
 * it is accepted. */
#define GROWTH_AT_BIRTH 6

/* How often outliers are added to the objects in this frame. */
static int
growth (const Kinfumot *k, int n_models)
{
  for (int m = 1; m < n_models; m++)
    if (k->known[m].id && !k->known[m].age)
      return GROWTH_AT_BIRTH;
  return n_models > 1;
}

/* Which model explains each pixel, once the camera's motion is known; and the
 * poses. */
static const char *
explain (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;
  const Device *dev = &k->device;
  const KinfumotWork *w = &k->work;
  const int n = kinfumot_models_end (k);

  if (n > 1) {
    TRY (s->predict (dev, w, 1, n));
    TRY (s->align (dev, w, 1, n));
    TRY (s->judge (dev, w, 1, n));
  }
  TRY (s->classify (dev, w));
  for (int left = growth (k, n); left > 0; left--)
    TRY (s->grow (dev, w));
  return s->advance (dev, w, 0, n);
}

/* The frame into the models, and what those look like from there.  Beside the
 * search for new bricks run the ranges of rays, to which new bricks are added
 * as they come, and the doubt of the next frame. */
static const char *
learn (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;
  const Device *dev = &k->device;
  const KinfumotWork *w = &k->work;
  const int n = kinfumot_models_end (k);

  TRY (device_follow (&k->aside, dev->stream));
  TRY (s->allocate (dev, w, 0, n));
  TRY (s->ranges (&k->aside, w, 0, n));
  TRY (s->doubt (&k->aside, w));
  TRY (s->fuse (dev, w, 0, n));
  TRY (device_follow (dev, k->aside.stream));
  return s->cast (dev, w, 0, n);
}

/* Queues what the caller wants of a frame. */
static const char *
write_maps (Kinfumot *k)
{
  const KinfumotWork *w = &k->work;
  const KinfumotOutputs *o = &k->outputs;
  const size_t row = 2 * (size_t) w->width;

  if (o->map)
    TRY (device_copy_rows (&k->device, o->map, o->map_stride, w->now.classes,
        row, row, w->height));
  if (o->depth)
    TRY (device_copy_rows (&k->device, o->depth, o->depth_stride, w->now.depth,
        row, row, w->height));
  return NULL;
}

/* The same of the models. */
static const char *
draw (Kinfumot *k)
{
  const KinfumotOutputs *o = &k->outputs;

  if (!o->rgb && !o->normals)
    return NULL;
  return k->stages->draw (&k->device, &k->work, o->rgb, o->rgb_stride,
      o->normals, o->normals_stride);
}

/* Waits for all of the frame. */
static const char *
finish (Kinfumot *k)
{
  TRY (write_maps (k));
  TRY (draw (k));
  return kinfumot_download (k);
}

/* Queues all of the frame and waits for its results, while the device goes on
 * to learn from it. */
static const char *
finish_early (Kinfumot *k)
{
  const Device *dev = &k->device;

  TRY (write_maps (k));
  TRY (k->stages->pass (dev, k->state, k->there, sizeof *k->state));
  TRY (k->stages->mark (dev));
  TRY (learn (k));
  if (dev->timer)
    device_timer_mark (dev, dev->timer);
  return k->stages->await_mark (dev);
}

/* Whether the caller's results are known only once the models are: pictures of
 * them, and how many bricks are missing. */
static bool
needs_models (const Kinfumot *k)
{
  return k->outputs.rgb || k->outputs.normals || !k->started || k->tight;
}

/* The camera is lost: it is looked for, and what follows is done again where it
 * is found.  Else the map says of no pixel what it is. */
static const char *
find_camera (Kinfumot *k)
{
  bool found;

  TRY (kinfumot_keyframe_search (k, &found));
  k->lost = !found;
  if (found) {
    TRY (explain (k));
    TRY (learn (k));
  } else
    TRY (k->stages->classify (&k->device, &k->work));
  return finish (k);
}

static const char *
run (Kinfumot *k, const KinfumotFrame *frame)
{
  bool relocate = k->relocate;

  set_motion (k, frame);
  TRY (follow_camera (k));
  if (relocate)
    TRY (kinfumot_download (k));
  else {
    TRY (explain (k));
    if (needs_models (k)) {
      TRY (learn (k));
      TRY (finish (k));
    } else
      TRY (finish_early (k));
  }
  k->lost = relocate || !k->state->models[0].good;
  if (k->lost)
    TRY (find_camera (k));
  k->relocate = k->lost;
  return NULL;
}

static const char *
end (Kinfumot *k)
{
  KinfumotPast *now = &k->past[k->work.frame % KINFUMOT_RING];

  if (k->lost)
    return NULL;
  k->started = true;
  k->held = k->state->models[0].pose;
  now->known = true;
  now->camera = k->held;
  return kinfumot_keyframe_add (k);
}

static void
fill_results (Kinfumot *k, KinfumotResults *r)
{
  const KinfumotModel *m = &k->state->models[0];
  uint32_t points = k->state->pool.n_points;

  r->lost = k->lost;
  r->camera = k->held;
  r->residual = m->active == KINFUMOT_AWAKE ? m->residual : 0;
  r->matched =
      points && m->active == KINFUMOT_AWAKE ? (double) m->points / points : 0;
  r->weak = m->weak;
  r->max_bricks = k->work.grid.max_bricks;
  r->n_bricks = r->max_bricks - k->state->pool.n_unused;
  r->dropped = k->dropped;
  r->missing = k->missing;
  r->late = k->late;
  r->refused = k->refused;
  r->refusal = k->refusal;
  r->map = k->work.now.classes;
  r->depth = k->work.now.depth;
}

/* The bricks that are given now wait for the next frame, but for the first
 * frame's: without them there is nothing that could be matched. */
static const char *
make_room (Kinfumot *k, bool was_started)
{
  TRY (kinfumot_pool_relieve (k));
  if (was_started)
    return NULL;
  TRY (k->stages->fuse (&k->device, &k->work, 0, 1));
  TRY (kinfumot_look (k, 0, 1));
  TRY (draw (k));
  return device_wait (&k->device);
}

const char *
kinfumot_run (Kinfumot *k, const KinfumotParams *params,
    const KinfumotFrame *frame, const KinfumotOutputs *outputs,
    KinfumotResults *results)
{
  bool was_started = k->started;

  TRY (set_params (k, params));
  k->outputs = outputs ? *outputs : (KinfumotOutputs){.map = NULL};
  k->dropped = k->missing = 0;
  k->refusal = NULL;
  if (k->forget)
    TRY (kinfumot_pool_forget (k, -1));
  k->forget = false;
  TRY (kinfumot_births (k)); /* through the lens of the frames before */
  TRY (set_camera (k, &params->camera));
  begin (k, frame);
  TRY (run (k, frame));
  TRY (end (k));
  TRY (kinfumot_objects_update (k, results));
  k->tight = k->state->pool.full;
  if (k->tight)
    TRY (make_room (k, was_started));
  fill_results (k, results);
  return NULL;
}

const char *
kinfumot_birth (Kinfumot *k, uint64_t time, const uint8_t *mask, size_t stride)
{
  size_t row = k->work.width;
  KinfumotAsked *a;

  if (k->n_asked == KINFUMOT_MAX_ASKED) {
    k->late++;
    return NULL;
  }
  a = &k->asked[k->n_asked++];
  a->time = time;
  TRY (device_copy_rows (
      &k->device, a->mask, row, mask, stride, row, k->work.height));
  return device_wait (&k->device);
}
