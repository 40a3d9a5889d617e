/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages. */
#include <math.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

/* ---- Parameters ---- */

static const char *
set_depth_scale (Kinfumot *k, double scale)
{
  double far = KINFUMOT_FAR / scale;

  if (k->has_params && scale == k->params.depth_scale)
    return NULL;
  k->input.far = far < 65535 ? (uint32_t) far : 65535;
  k->input.unit = (uint64_t) (scale * KINFUMOT_UNITS / 256 * 0x1p32 + .5);
  TRY (device_wait (&k->device)); /* the last copy from this memory is done */
  bilateral_set_range (k->host_weights, scale);
  return device_copy (&k->device, k->weights, k->host_weights, BILATERAL_RANGE);
}

/* Sets all but the camera, which stays that of the previous frame. */
static const char *
set_params (Kinfumot *k, const KinfumotParams *p)
{
  const Camera camera = k->params.camera;

  TRY (kinfumot_check (p));
  TRY (set_depth_scale (k, p->depth_scale));
  k->params = *p;
  k->params.camera = camera;
  k->has_params = true;
  return NULL;
}

/* Another lens gives other views of the models, and the earlier frames were
 * seen through the former lens. */
static const char *
recast_views (Kinfumot *k)
{
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    k->host_report->models[m].box = kinfumot_whole_box (k);
  return kinfumot_cast_views (k, 0, kinfumot_models_end (k));
}

static const char *
change_camera (Kinfumot *k, const Camera *c)
{
  const KinfumotOptics *optics = &k->optics;

  TRY (kinfumot_check_camera (c, optics->width, optics->height));
  if (!memcmp (c, &k->params.camera, sizeof k->params.camera))
    return NULL;
  TRY (device_wait (&k->device)); /* the last copy from this memory is done */
  kinfumot_set_lens (&k->optics, c, k->host_rays);
  TRY (device_copy (&k->device, k->rays, k->host_rays,
      kinfumot_n_pixels (optics) * sizeof *k->rays));
  k->params.camera = *c;
  return k->has_background ? recast_views (k) : NULL;
}

/* ---- The stages of a frame ---- */

static void
begin_frame (Kinfumot *k, const KinfumotFrame *frame)
{
  KinfumotPast *previous = kinfumot_past (k, k->frame), *now;

  k->previous = previous ? previous->maps : (KinfumotMaps){NULL, NULL};
  k->frame++;
  now = &k->past[k->frame % KINFUMOT_RING];
  now->frame = k->frame;
  now->time = frame->time;
  now->known = false;
  k->now = now->maps;
  k->input.depth = frame->depth;
  k->input.stride = frame->stride;
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

/* Sets the camera's motion, which is given or from which the estimate starts.
 */
static void
set_camera_motion (Kinfumot *k, const KinfumotFrame *frame)
{
  KinfumotModel *m = &k->host_report->models[0];
  Pose64 motion = pose64_identity ();
  bool has_pose = frame->has_pose && is_pose (&frame->pose);
  bool wanted =
      k->params.pose == KINFUMOT_GIVEN || k->params.pose == KINFUMOT_PRIOR;
  bool given = has_pose && wanted;

  m->active = KINFUMOT_AWAKE;
  m->box = kinfumot_whole_box (k);
  if (!k->has_background) {
    kinfumot_set_pose (m, given ? frame->pose : pose64_identity ());
    m->active = KINFUMOT_CARRIED;
  } else if (k->params.pose == KINFUMOT_STILL)
    m->active = KINFUMOT_CARRIED;
  else if (given && k->params.pose == KINFUMOT_GIVEN) {
    m->active = KINFUMOT_CARRIED;
    motion = pose64_times (pose64_inverse (m->pose), frame->pose);
  } else if (given && k->previous_had_pose)
    motion = pose64_times (pose64_inverse (k->previous_pose), frame->pose);
  kinfumot_set_motion (m, motion);
  k->no_pose = wanted && !has_pose;
  k->previous_had_pose = has_pose;
  k->previous_pose = frame->pose;
}

/* The share of the pixels with depth, in number, that holes beside them must
 * exceed so that they are filled.  Frames of depth cameras have at most .03. */
#define GRID_OF_HOLES .25

/* Sees whether the depth is a grid of holes. */
static const char *
find_holes (Kinfumot *k)
{
  const KinfumotOptics *optics = &k->optics;
  const size_t row = optics->width * sizeof *k->host_maps.depth;
  KinfumotInput input = k->input;
  int n_holes = 0, n_depths = 0;

  TRY (device_copy_rows (&k->device, k->host_maps.depth, row, input.depth,
      input.stride, row, optics->height));
  TRY (device_wait (&k->device));
  input.depth = k->host_maps.depth;
  input.stride = (int) row;
  for (int at = 0; at < kinfumot_n_pixels (optics); at++) {
    const int x = at % optics->width, y = at / optics->width;
    const bool has_depth = kinfumot_input_depth (&input, x, y);

    n_depths += has_depth;
    n_holes += !has_depth && kinfumot_neighbour_depth (optics, &input, x, y);
  }
  k->fills = n_holes > GRID_OF_HOLES * n_depths;
  return NULL;
}

/* Fills the frame if the first frame, or one since a lost camera, was a grid of
 * holes. */
static const char *
fill_holes (Kinfumot *k)
{
  if (!k->has_background || k->relocate)
    TRY (find_holes (k));
  if (!k->fills)
    return NULL;
  TRY (k->stages->fill (&k->device, &k->optics, &k->input, k->filled));
  k->input.depth = k->filled;
  k->input.stride = k->optics.width * (int) sizeof *k->filled;
  return NULL;
}

static const char *
follow_camera (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;
  const Device *dev = &k->device;
  const KinfumotPoints points = {k->optics, k->now.depth};

  TRY (fill_holes (k));
  TRY (s->filter (dev, &k->optics, &k->input, k->now.depth));
  TRY (s->normals (dev, &points, &k->normals));
  TRY (kinfumot_upload (k));
  if (k->host_report->models[0].active == KINFUMOT_AWAKE)
    TRY (kinfumot_align_frame (k, 0, 1));
  return s->judge (dev, 0, 1, k->normals.n, k->device_report->models);
}

static const char *
classify_frame (Kinfumot *k)
{
  const KinfumotClassifyIn in = {.matching = kinfumot_matching (k, &k->now),
      .previous = k->previous,
      .grid = k->grid,
      .half_volume = (float) (k->params.volume_size / 2),
      .is_signed = k->params.distance == KINFUMOT_SIGNED};

  return k->stages->classify (
      &k->device, &in, k->now.classes, k->device_report->counts);
}

/* Frames of growth that a new object gets at once: about as many as pass until
 * it is accepted. */
#define GROWTH_AT_BIRTH 6

/* How many times the objects grow in this frame. */
static int
growth_of_frame (const Kinfumot *k, int n_models)
{
  for (int m = 1; m < n_models; m++)
    if (k->tracks[m].id && !k->tracks[m].age)
      return GROWTH_AT_BIRTH;
  return n_models > 1;
}

/* Aligns the objects, classifies the pixels, and sets the poses after this
 * frame. The camera's motion is known. */
static const char *
explain_pixels (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;
  const Device *dev = &k->device;
  KinfumotReport *r = k->device_report;
  const KinfumotPoints points = {k->optics, k->now.depth};
  const int n = kinfumot_models_end (k);

  if (n > 1) {
    TRY (s->predict (dev, 1, n, r->models));
    TRY (kinfumot_align_frame (k, 1, n));
    TRY (s->judge (dev, 1, n, k->normals.n, r->models));
  }
  TRY (classify_frame (k));
  for (int left = growth_of_frame (k, n); left > 0; left--)
    TRY (s->grow (dev, &points, k->grown, k->now.classes));
  return s->advance (dev, &k->optics, 0, n, r->counts, r->models);
}

/* Fuses the frame into the models, and casts their views.  Two stages run
 * beside the allocation: the ranges of the bricks so far, and the doubt. */
static const char *
fuse_frame (Kinfumot *k)
{
  const KinfumotStages *s = k->stages;
  const Device *dev = &k->device, *aside = &k->aside;
  const KinfumotMatching matching = kinfumot_matching (k, &k->now);
  const KinfumotFusion fusion =
      kinfumot_fusion (k, &k->now, NULL, 0, kinfumot_models_end (k));
  const bool is_new = !k->previous.classes;

  TRY (device_follow (aside, dev->stream));
  TRY (s->allocate (dev, &fusion, &k->pool, &k->grid, &k->ranges));
  TRY (s->ranges (aside, &fusion.poses, &k->grid, &k->ranges));
  TRY (s->doubt (aside, &matching, k->normals.of, is_new, k->shifted, k->usual,
      k->doubted));
  TRY (s->fuse (dev, &fusion, &k->fuse, &k->grid));
  TRY (device_follow (dev, aside->stream));
  return s->cast (dev, &fusion.poses, &k->grid, &k->ranges, &k->views);
}

/* ---- A frame ---- */

/* Queues the maps of the frame that the caller wants. */
static const char *
write_maps (Kinfumot *k)
{
  const KinfumotOutputs *o = &k->outputs;
  const size_t row = 2 * (size_t) k->optics.width;

  if (o->map)
    TRY (device_copy_rows (&k->device, o->map, o->map_stride, k->now.classes,
        row, row, k->optics.height));
  if (o->depth)
    TRY (device_copy_rows (&k->device, o->depth, o->depth_stride, k->now.depth,
        row, row, k->optics.height));
  return NULL;
}

/* Queues the pictures of the models that the caller wants. */
static const char *
write_pictures (Kinfumot *k)
{
  const KinfumotMatching matching = kinfumot_matching (k, &k->now);

  if (!k->outputs.rgb && !k->outputs.normals)
    return NULL;
  return k->stages->draw (&k->device, &matching, &k->outputs);
}

/* Writes all outputs, and waits for them and for the report. */
static const char *
finish_frame (Kinfumot *k)
{
  TRY (write_maps (k));
  TRY (write_pictures (k));
  return kinfumot_download (k);
}

/* Queues the report, and a mark behind it. */
static const char *
mark_report (Kinfumot *k)
{
  TRY (k->stages->pass (
      &k->device, k->host_report, k->device_report, sizeof *k->host_report));
  return k->stages->mark (&k->device);
}

/* Writes the maps, and waits for them and for the report, while the device goes
 * on and fuses the frame. */
static const char *
finish_frame_early (Kinfumot *k)
{
  const Device *dev = &k->device;

  TRY (write_maps (k));
  TRY (mark_report (k));
  TRY (fuse_frame (k));
  if (dev->timer)
    device_timer_mark (dev, dev->timer);
  return k->stages->await_mark (dev);
}

/* Whether the host needs the fused models: for pictures of them, or to know how
 * many bricks are missing. */
static bool
needs_models (const Kinfumot *k)
{
  return k->outputs.rgb || k->outputs.normals || !k->has_background ||
      k->was_full;
}

/* As finish_frame (), but the camera is kept at rest before the frame is fused,
 * which the device does while the host goes on unless pictures are wanted. */
static const char *
finish_resting_frame (Kinfumot *k)
{
  const Device *dev = &k->device;
  bool stays;

  if (!needs_models (k))
    TRY (write_maps (k));
  TRY (mark_report (k));
  TRY (k->stages->await_mark (dev));
  TRY (kinfumot_rest_keep (k, &stays));
  if (stays)
    TRY (explain_pixels (k));
  TRY (fuse_frame (k));
  if (stays || needs_models (k))
    return finish_frame (k);
  if (dev->timer)
    device_timer_mark (dev, dev->timer);
  return NULL;
}

/* Searches for the lost camera.  If it is found, the stages that follow are
 * done again; else no pixel has a known class. */
static const char *
find_lost_camera (Kinfumot *k)
{
  const KinfumotModel estimate = k->host_report->models[0];
  bool found;

  TRY (kinfumot_keyframe_search (k, &found));
  k->lost = !found;
  if (k->lost)
    TRY (kinfumot_loss_describe (k, &estimate));
  if (found) {
    TRY (explain_pixels (k));
    TRY (fuse_frame (k));
  } else
    TRY (classify_frame (k));
  return finish_frame (k);
}

static const char *
run_frame (Kinfumot *k, const KinfumotFrame *frame)
{
  bool relocate, rests;

  set_camera_motion (k, frame);
  relocate = k->relocate && k->host_report->models[0].active == KINFUMOT_AWAKE;
  rests = kinfumot_may_rest (k);
  if (rests)
    memcpy (k->before, k->host_report->models, sizeof k->before);
  TRY (follow_camera (k));
  if (relocate)
    TRY (kinfumot_download (k));
  else {
    TRY (explain_pixels (k));
    if (rests)
      TRY (finish_resting_frame (k));
    else if (needs_models (k)) {
      TRY (fuse_frame (k));
      TRY (finish_frame (k));
    } else
      TRY (finish_frame_early (k));
  }
  k->lost = relocate || !k->host_report->models[0].good;
  if (k->lost)
    TRY (find_lost_camera (k));
  k->relocate = k->lost;
  return NULL;
}

static const char *
end_frame (Kinfumot *k)
{
  KinfumotPast *now = &k->past[k->frame % KINFUMOT_RING];

  if (k->lost)
    return NULL;
  k->rested =
      k->has_background && !k->host_report->models[0].still ? 0 : k->rested + 1;
  k->has_background = true;
  k->known_camera = k->host_report->models[0].pose;
  now->known = true;
  now->camera = k->known_camera;
  return kinfumot_keyframe_add (k);
}

static void
fill_results (Kinfumot *k, KinfumotResults *r)
{
  const KinfumotModel *m = &k->host_report->models[0];
  uint32_t points = k->host_report->n_points;

  r->lost = k->lost;
  r->no_pose = k->no_pose;
  r->camera = k->known_camera;
  r->residual = m->active == KINFUMOT_AWAKE ? m->residual : 0;
  r->matched =
      points && m->active == KINFUMOT_AWAKE ? (double) m->points / points : 0;
  r->weak = m->weak;
  r->max_bricks = k->grid.max_bricks;
  r->n_bricks = r->max_bricks - k->host_report->pool.n_unused;
  r->dropped = k->dropped;
  r->missing = k->missing;
  r->late = k->late;
  r->refused = k->refused;
  r->refusal = k->refusal;
  r->loss = k->lost ? k->loss : NULL;
  r->map = k->now.classes;
  r->depth = k->now.depth;
}

/* The next frame fills the bricks that are granted now.  Of the first frame,
 * the background is fused again: without a model the next frame could not be
 * matched. */
static const char *
relieve_pool (Kinfumot *k, bool had_background)
{
  const KinfumotFusion fusion = kinfumot_fusion (k, &k->now, NULL, 0, 1);

  TRY (kinfumot_pool_relieve (k));
  if (had_background)
    return NULL;
  TRY (k->stages->fuse (&k->device, &fusion, &k->fuse, &k->grid));
  TRY (kinfumot_cast_views (k, 0, 1));
  TRY (write_pictures (k));
  return device_wait (&k->device);
}

const char *
kinfumot_run (Kinfumot *k, const KinfumotParams *params,
    const KinfumotFrame *frame, const KinfumotOutputs *outputs,
    KinfumotResults *results)
{
  bool had_background = k->has_background;

  TRY (set_params (k, params));
  k->outputs = outputs ? *outputs : (KinfumotOutputs){.map = NULL};
  k->dropped = k->missing = 0;
  k->refusal = NULL;
  if (k->forget_all)
    TRY (kinfumot_pool_forget (k, -1));
  k->forget_all = false;
  TRY (kinfumot_births (k)); /* with the lens of the earlier frames */
  TRY (change_camera (k, &params->camera));
  begin_frame (k, frame);
  TRY (run_frame (k, frame));
  TRY (end_frame (k));
  TRY (kinfumot_objects_update (k, results));
  k->was_full = k->host_report->pool.full;
  if (k->was_full)
    TRY (relieve_pool (k, had_background));
  fill_results (k, results);
  return NULL;
}

/* ---- Between frames ---- */

const char *
kinfumot_birth (Kinfumot *k, uint64_t time, const uint8_t *mask, size_t stride)
{
  size_t row = k->optics.width;
  KinfumotRequest *request;

  if (k->n_requests == KINFUMOT_MAX_REQUESTS) {
    k->late++;
    return NULL;
  }
  request = &k->requests[k->n_requests++];
  request->time = time;
  TRY (device_copy_rows (
      &k->device, request->mask, row, mask, stride, row, k->optics.height));
  return device_wait (&k->device);
}

void
kinfumot_reset (Kinfumot *k)
{
  kinfumot_clear (k);
  k->forget_all = true;
}

void
kinfumot_relocate (Kinfumot *k)
{
  k->relocate = k->has_background;
  k->previous_had_pose = false;
  k->n_requests = 0;
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
}
