/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The moves that kinfumot reports: the poses of the camera and of the moving
 * objects, in the metadata of the depth frames, predict the pose of each known
 * object, and a moving object gets the name of the known object in its place.
 */
#include <math.h>

#include "common/pose_core.h"
#include "scopedetect/gstscopedetect.h"

#define MOVER(array, i) g_array_index (array, GstScopedetectMover, i)

static Pose64
pose64_from (const gdouble pose[7])
{
  Pose64 p;

  memcpy (p.t, pose, sizeof p.t);
  memcpy (p.q, pose + 3, sizeof p.q);
  pose64_unit (&p);
  return p;
}

static gboolean
is_pose (const gdouble *pose)
{
  gdouble length = 0;

  for (gint i = 0; i < 7; i++) {
    if (!isfinite (pose[i]))
      return FALSE;
    length += i < 3 ? 0 : pose[i] * pose[i];
  }
  return length > .5 && length < 2;
}

/* Whether kinfumot follows @o in this frame. */
static gboolean
is_mover (const GstVisionObject *o)
{
  return g_strcmp0 (o->element, "kinfumot") == 0 &&
      o->state == GST_VISION_STATE_TRACKING && o->pose.n == 7 &&
      is_pose (o->pose.values);
}

static gdouble
half_diagonal (const gdouble *extent, guint n)
{
  gdouble sum = 0;

  for (guint i = 0; i < n; i++)
    sum += isfinite (extent[i]) ? extent[i] * extent[i] : 0;
  return sqrt (sum) / 2;
}

static void
read_movers (GstScopedetectMoves *moves, GstBuffer *buffer)
{
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);

  for (guint i = 0; objects && i < objects->n_objects; i++) {
    const GstVisionObject *o = &objects->objects[i];
    GstScopedetectMover mover = {.id = o->id, .model = o->model};

    if (!is_mover (o))
      continue;
    memcpy (mover.pose, o->pose.values, sizeof mover.pose);
    mover.radius = half_diagonal (o->extent.values, o->extent.n);
    g_array_append_val (moves->movers, mover);
  }
  g_clear_pointer (&objects, gst_vision_objects_free);
}

void
gst_scopedetect_read_moves (GstScopedetect *self, GstBuffer *depth)
{
  GstScopedetectMoves *now = &self->moves, before = self->moves_before;
  GstVisionCamera camera;

  self->moves_before = self->moves;
  self->moves = before;
  g_array_set_size (now->movers, 0);
  now->has_camera = depth &&
      gst_buffer_get_vision_camera (depth, GST_VISION_ORIGIN_RESULT, &camera) &&
      camera.has_pose && is_pose (camera.pose);
  if (now->has_camera)
    memcpy (now->camera, camera.pose, sizeof now->camera);
  if (depth)
    read_movers (now, depth);
}

static const GstScopedetectMover *
find_mover (const GstScopedetectMoves *moves, guint64 id)
{
  for (guint i = 0; id && i < moves->movers->len; i++)
    if (MOVER (moves->movers, i).id == id)
      return &MOVER (moves->movers, i);
  return NULL;
}

/* Sets @move to the transform from the camera's coordinates in the frame before
 * to those in this frame, of what @t moves with: kinfumot's object of that
 * name, else the world.  FALSE: it is not known. */
static gboolean
move_of_track (
    const GstScopedetect *self, const GstScopedetectTrack *t, Pose64 *move)
{
  const GstScopedetectMoves *now = &self->moves, *before = &self->moves_before;
  const GstScopedetectMover *to = find_mover (now, t->mover);
  const GstScopedetectMover *from = find_mover (before, t->mover);

  if (to && from)
    *move = pose64_times (
        pose64_from (to->pose), pose64_inverse (pose64_from (from->pose)));
  else if (!t->mover && now->has_camera && before->has_camera)
    *move = pose64_times (pose64_inverse (pose64_from (now->camera)),
        pose64_from (before->camera));
  else
    return FALSE;
  return TRUE;
}

/* Sets the box of @o in the frame by its pose; it stays if the model is behind
 * the camera. */
static void
move_box (
    const GstScopedetect *self, ScopedetectObject *o, const Camera *camera)
{
  GstScopedetectOutline xy;
  int n = scopedetect_model_outline (
      self->model[o->model], o->pose, camera, xy, GST_SCOPEDETECT_CORNERS);
  gdouble lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};

  for (int i = 0; i < 2 * n; i++) {
    lo[i % 2] = MIN (lo[i % 2], xy[i]);
    hi[i % 2] = MAX (hi[i % 2], xy[i]);
  }
  if (n)
    o->box = (ImageBox){(int) CLAMP (floor (lo[0]), 0, self->width),
        (int) CLAMP (floor (lo[1]), 0, self->height),
        (int) CLAMP (ceil (hi[0]) + 1, 0, self->width),
        (int) CLAMP (ceil (hi[1]) + 1, 0, self->height)};
}

void
gst_scopedetect_move_tracks (GstScopedetect *self, const Camera *camera)
{
  for (guint i = 0; i < self->tracks->len; i++) {
    GstScopedetectTrack *t =
        &g_array_index (self->tracks, GstScopedetectTrack, i);
    Pose64 move, pose;

    if (!move_of_track (self, t, &move))
      continue;
    pose = pose64_times (move, pose64_from (t->object.pose));
    memcpy (t->object.pose, pose.t, sizeof pose.t);
    memcpy (t->object.pose + 3, pose.q, sizeof pose.q);
    move_box (self, &t->object, camera);
  }
}

/* The distance of @t's origin from that of @mover, metres; INFINITY if it is
 * more than both reach. */
static gdouble
distance_from_mover (const GstScopedetect *self, const GstScopedetectTrack *t,
    const GstScopedetectMover *mover)
{
  const ScopedetectModelInfo *info = &self->info[t->object.model];
  gdouble d = 0;

  for (gint k = 0; k < 3; k++)
    d += pow (mover->pose[k] - t->object.pose[k], 2);
  d = sqrt (d);
  return d <= half_diagonal (info->size, 3) + mover->radius ? d : INFINITY;
}

/* Names the moving object and the track, neither of them named yet, that are
 * nearest to each other; FALSE: no two are near. */
static gboolean
name_nearest (GstScopedetect *self, gboolean *is_named)
{
  GArray *movers = self->moves.movers, *tracks = self->tracks;
  gdouble nearest = INFINITY;
  guint mover = 0, track = 0;

  for (guint k = 0; k < movers->len; k++)
    for (guint i = 0; i < tracks->len; i++) {
      const GstScopedetectTrack *t =
          &g_array_index (tracks, GstScopedetectTrack, i);
      gdouble d = is_named[k] || t->missed || t->mover
          ? INFINITY
          : distance_from_mover (self, t, &MOVER (movers, k));

      if (d < nearest) {
        nearest = d;
        mover = k;
        track = i;
      }
    }
  if (isinf (nearest))
    return FALSE;
  is_named[mover] = TRUE;
  for (guint i = 0; i < tracks->len; i++) {
    GstScopedetectTrack *t = &g_array_index (tracks, GstScopedetectTrack, i);

    if (i == track)
      t->mover = MOVER (movers, mover).id;
    else if (t->mover == MOVER (movers, mover).id)
      t->mover = 0; /* a missed object had it */
  }
  return TRUE;
}

void
gst_scopedetect_name_movers (GstScopedetect *self)
{
  gboolean *is_named = g_new0 (gboolean, self->moves.movers->len);

  for (guint i = 0; i < self->tracks->len; i++) {
    GstScopedetectTrack *t =
        &g_array_index (self->tracks, GstScopedetectTrack, i);

    if (!t->missed)
      t->mover = 0;
  }
  while (name_nearest (self, is_named))
    ;
  g_free (is_named);
}

guint64
gst_scopedetect_model_of_mover (const GstScopedetect *self, guint64 id)
{
  const GstScopedetectMover *mover = find_mover (&self->moves, id);

  return mover ? mover->model : 0;
}

/* Adds the objects of @depth that kinfumot follows to @buffer. */
static gboolean
pass_movers (GstScopedetect *self, GstBuffer *depth, GstBuffer *buffer)
{
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (depth, GST_VISION_ORIGIN_RESULT);
  guint kept = 0;
  gboolean passed;

  if (!objects)
    return TRUE;
  gst_vision_objects_scale (objects, (guint) self->width, (guint) self->height);
  for (guint i = 0; i < objects->n_objects; i++) {
    GstVisionObject object = objects->objects[i];

    if (g_strcmp0 (object.element, "kinfumot"))
      continue;
    objects->objects[i] = objects->objects[kept]; /* each is freed once */
    objects->objects[kept++] = object;
  }
  passed = !kept ||
      gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          objects->ref_width, objects->ref_height, objects->objects, kept);
  gst_vision_objects_free (objects);
  return passed;
}

gboolean
gst_scopedetect_pass_moves (
    GstScopedetect *self, GstBuffer *depth, GstBuffer *buffer)
{
  GstVisionCamera camera;

  if (!pass_movers (self, depth, buffer))
    return FALSE;
  if (!self->moves.has_camera ||
      !gst_buffer_get_vision_camera (
          buffer, GST_VISION_ORIGIN_RESULT, &camera) ||
      camera.has_pose)
    return TRUE;
  gst_vision_camera_set_pose (&camera, self->moves.camera);
  return gst_buffer_set_vision_camera (
      buffer, GST_VISION_ORIGIN_RESULT, &camera);
}
