/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was found, as metadata, messages and a file. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "kinfumot/gstkinfumot.h"

#include "base/gstvisiontell.h"

/* ---- Maps ---- */

static const char *
begin_map (GstVisionPixels *m)
{
  return m->pool ? gst_vision_pixels_begin (m) : NULL;
}

const char *
gst_kinfumot_begin_maps (GstKinfumot *self, KinfumotOutputs *outputs)
{
  TRY (begin_map (&self->classes));
  TRY (begin_map (&self->depth));
  TRY (begin_map (&self->rendered));
  TRY (begin_map (&self->normals));
  *outputs = (KinfumotOutputs){self->classes.address, self->classes.stride,
      self->depth.address, self->depth.stride, self->rendered.address,
      self->rendered.stride, self->normals.address, self->normals.stride};
  return NULL;
}

static const char *
attach_map (GstVisionPixels *m, GstBuffer *buffer)
{
  return m->buffer ? gst_vision_pixels_attach (m, NULL, buffer) : NULL;
}

void
gst_kinfumot_drop_maps (GstKinfumot *self)
{
  gst_vision_pixels_drop (&self->classes);
  gst_vision_pixels_drop (&self->depth);
  gst_vision_pixels_drop (&self->rendered);
  gst_vision_pixels_drop (&self->normals);
}

static const char *
attach_maps (GstKinfumot *self, GstBuffer *buffer)
{
  TRY (attach_map (&self->classes, buffer));
  TRY (attach_map (&self->depth, buffer));
  TRY (attach_map (&self->rendered, buffer));
  return attach_map (&self->normals, buffer);
}

/* ---- Objects ---- */

#define N_POSE 7
#define N_EXTENT 3
#define N_COVARIANCE 36
#define N_NUMBERS (N_POSE + N_EXTENT + N_COVARIANCE)

static const GstVisionState states[] = {[KINFUMOT_NEW] = GST_VISION_STATE_NEW,
    [KINFUMOT_TRACKING] = GST_VISION_STATE_TRACKING,
    [KINFUMOT_OCCLUDED] = GST_VISION_STATE_OCCLUDED,
    [KINFUMOT_LOST] = GST_VISION_STATE_LOST,
    [KINFUMOT_FOUND] = GST_VISION_STATE_FOUND};

static void
fill_place (const GstVisionCamera *camera, const KinfumotObject *o,
    gdouble *numbers, GstVisionObject *v)
{
  const gdouble *p = o->middle;

  memcpy (numbers, o->pose.t, sizeof o->pose.t);
  memcpy (numbers + 3, o->pose.q, sizeof o->pose.q);
  memcpy (numbers + N_POSE, o->extent, sizeof o->extent);
  memcpy (numbers + N_POSE + N_EXTENT, o->covariance, sizeof o->covariance);
  v->pose = (GstVisionArray){N_POSE, numbers};
  v->extent = (GstVisionArray){N_EXTENT, numbers + N_POSE};
  if (o->area)
    v->covariance = (GstVisionArray){N_COVARIANCE, numbers + N_POSE + N_EXTENT};
  v->depth = p[2];
  if (p[2] > 0) {
    v->cx = camera->fx * p[0] / p[2] + camera->cx;
    v->cy = camera->fy * p[1] / p[2] + camera->cy;
  }
}

static void
fill_object (GstKinfumot *self, const GstVisionCamera *camera,
    const KinfumotObject *o, gdouble *numbers, GstVisionObject *v)
{
  gst_vision_object_init (v);
  v->id = o->id + self->first_id;
  self->last_id = MAX (self->last_id, v->id);
  v->element = "kinfumot";
  v->source = GST_OBJECT_NAME (self);
  v->model = o->model;
  v->state = states[o->state];
  v->area = o->area;
  if (o->area) {
    v->x = o->box.x0;
    v->y = o->box.y0;
    v->width = o->box.x1 - o->box.x0;
    v->height = o->box.y1 - o->box.y0;
    v->score = o->score;
  }
  fill_place (camera, o, numbers, v);
}

static const char *
attach_objects (GstKinfumot *self, const KinfumotResults *r, GstBuffer *buffer,
    const GstVisionCamera *camera)
{
  GstVisionObject found[KINFUMOT_MAX_OBJECTS];
  gdouble numbers[KINFUMOT_MAX_OBJECTS][N_NUMBERS];

  for (int i = 0; i < r->n_objects; i++)
    fill_object (self, camera, &r->objects[i], numbers[i], &found[i]);
  return gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
             self->width, self->height, found, (guint) r->n_objects)
      ? NULL
      : "the results could not be attached to the buffer";
}

/* ---- The camera ---- */

/* The pose is the tracker's; where it is lost there is none. */
static const char *
attach_camera (
    const KinfumotResults *r, GstBuffer *buffer, const GstVisionCamera *camera)
{
  GstVisionCamera c = *camera;

  c.has_pose = !r->lost;
  memcpy (c.pose, r->camera.t, sizeof r->camera.t);
  memcpy (c.pose + 3, r->camera.q, sizeof r->camera.q);
  return gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &c)
      ? NULL
      : "the camera could not be attached to the buffer";
}

/* ---- Trajectories ---- */

/* A line of TUM's format: seconds, place, and the quaternion with w last. */
static void
write_pose (GstKinfumot *self, GstVisionLines *lines, GstClockTime time,
    const Pose64 *p)
{
  gchar line[256], *n = line;
  const gdouble v[] = {(gdouble) time / GST_SECOND, p->t[0], p->t[1], p->t[2],
      p->q[1], p->q[2], p->q[3], p->q[0]};
  int status;

  if (!lines->poll)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (v); i++) {
    g_ascii_formatd (n, 24, "%.9f", v[i]);
    n += strlen (n);
    *n++ = i + 1 < G_N_ELEMENTS (v) ? ' ' : '\n';
  }
  status = gst_vision_lines_write (lines, line, n - line);
  if (!status || status == ECANCELED)
    return;
  self->trajectory_failed = TRUE;
  GST_VISION_WARNING (self, RESOURCE, WRITE,
      ("The trajectory cannot be written to %s any more: %s.", lines->name,
          g_strerror (status)));
}

/* The file of object @id beside that of the camera; NULL where that is no file
 * of a folder. */
static gchar *
path_of (GstKinfumot *self, guint64 id)
{
  gchar *camera, *path = NULL, *dot;

  camera = GST_VISION_LOCKED (self, g_strdup (self->trajectory_location));
  if (camera && g_file_test (camera, G_FILE_TEST_IS_REGULAR)) {
    dot = strrchr (camera, '.');
    if (!dot || strchr (dot, G_DIR_SEPARATOR))
      dot = camera + strlen (camera);
    path = g_strdup_printf (
        "%.*s-%" G_GUINT64_FORMAT "%s", (int) (dot - camera), camera, id, dot);
  }
  g_free (camera);
  return path;
}

/* A model's number may have been another object's. */
static void
open_path (GstKinfumot *self, GstKinfumotPath *p, guint64 id)
{
  gchar *location = path_of (self, id);
  int error;

  gst_vision_lines_close (&p->lines);
  p->id = id;
  if (!location)
    return;
  error = gst_vision_lines_open (&p->lines, GST_ELEMENT (self), location, -1);
  if (GST_VISION_LOCKED (self, self->is_stopping))
    gst_vision_lines_cancel (&p->lines, GST_ELEMENT (self));
  if (error && gst_vision_warning_is_due (&self->told_file))
    GST_VISION_WARNING (self, RESOURCE, OPEN_WRITE,
        ("\"%s\" cannot be written to: %s. The poses of this object are not "
         "kept.",
            location, g_strerror (error)));
  g_free (location);
}

/* The poses in the world of the objects that are seen. */
static void
write_objects (GstKinfumot *self, const KinfumotResults *r, GstClockTime time)
{
  for (int i = 0; i < r->n_objects && !self->trajectory_failed; i++) {
    const KinfumotObject *o = &r->objects[i];
    GstKinfumotPath *p = &self->paths[o->model];

    if (!o->area)
      continue;
    if (p->id != o->id + self->first_id)
      open_path (self, p, o->id + self->first_id);
    write_pose (self, &p->lines, time, &o->in_world);
  }
}

/* The time of a frame in the trajectory.  A frame without a time comes one
 * frame, at the rate of the caps, after the frame before, the first of them at
 * 0.  Without a rate, it has none. */
static GstClockTime
take_time (GstKinfumot *self, GstBuffer *buffer)
{
  GstClockTime duration =
      gst_vision_frame_duration (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstClockTime time = GST_BUFFER_PTS (buffer);

  if (!GST_CLOCK_TIME_IS_VALID (time) && duration)
    time = self->next_time;
  if (GST_CLOCK_TIME_IS_VALID (time))
    self->next_time = time + duration;
  return time;
}

static void
tell_no_times (GstKinfumot *self)
{
  if (!self->told_no_times)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Poses are missing in the trajectory: their frames have no times, and "
         "the caps state no frame rate."),
        ("Put videorate, or a capsfilter with a framerate, before the "
         "element."));
  self->told_no_times = TRUE;
}

/* Until one of the files fails. */
static void
write_poses (GstKinfumot *self, const KinfumotResults *r, GstBuffer *buffer)
{
  GstClockTime time;

  if (!self->trajectory.poll)
    return;
  time = take_time (self, buffer);
  if (!GST_CLOCK_TIME_IS_VALID (time))
    tell_no_times (self);
  if (r->lost || self->trajectory_failed || !GST_CLOCK_TIME_IS_VALID (time))
    return;
  write_pose (self, &self->trajectory, time, &r->camera);
  write_objects (self, r, time);
}

void
gst_kinfumot_close_trajectories (GstKinfumot *self)
{
  gst_vision_lines_close (&self->trajectory);
  for (int m = 1; m <= KINFUMOT_MAX_OBJECTS; m++) {
    gst_vision_lines_close (&self->paths[m].lines);
    self->paths[m].id = 0;
  }
}

void
gst_kinfumot_cancel_trajectories (GstKinfumot *self)
{
  GstElement *element = GST_ELEMENT (self);

  GST_OBJECT_LOCK (self);
  self->is_stopping = TRUE; /* an object's file may be opened now */
  GST_OBJECT_UNLOCK (self);
  gst_vision_lines_cancel (&self->trajectory, element);
  for (int m = 1; m <= KINFUMOT_MAX_OBJECTS; m++)
    gst_vision_lines_cancel (&self->paths[m].lines, element);
}

/* ---- Meshes ---- */

static void
save (GstKinfumot *self, const gchar *path)
{
  Mesh mesh = {0};
  const char *err = kinfumot_mesh (self->kinfumot, &mesh);
  gchar *memory;

  if (!err)
    err = mesh_write (&mesh, path);
  mesh_free (&mesh);
  memory = err ? gst_vision_memory_text (err, "a greater voxel-size") : NULL;
  if (memory)
    GST_VISION_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("The mesh cannot be written to \"%s\". %s", path, memory));
  else if (err)
    GST_VISION_WARNING (self, RESOURCE, WRITE,
        ("The mesh cannot be written to \"%s\": %s. Name a file in a folder "
         "that exists and is yours.",
            path, err));
  g_free (memory);
}

void
gst_kinfumot_save_wanted (GstKinfumot *self)
{
  gchar *path = GST_VISION_LOCKED (self, g_steal_pointer (&self->wanted_mesh));

  if (path)
    save (self, path);
  g_free (path);
}

/* Outside of process (), the device is entered here. */
void
gst_kinfumot_save_last (GstKinfumot *self)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  gchar *path = GST_VISION_LOCKED (self, g_strdup (self->mesh_location));

  if (self->kinfumot && !gst_vision_backend_enter (backend)) {
    gst_kinfumot_save_wanted (self);
    if (path)
      save (self, path);
  }
  gst_vision_backend_leave (backend);
  g_free (path);
}

/* ---- Messages ---- */

static void
tell_lost (GstKinfumot *self, const KinfumotResults *r)
{
  if (r->lost == self->is_lost)
    return;
  self->is_lost = r->lost;
  if (r->lost)
    self->says_lost = gst_vision_warning_is_due (&self->told_lost);
  if (!self->says_lost)
    return;
  if (r->lost)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("The camera is lost: %s.", r->loss),
        ("It is looked for in every frame, near the places where it was; "
         "point it at something that it has seen. The action signal reset "
         "begins a new model."));
  else
    GST_ELEMENT_INFO (
        self, STREAM, FAILED, ("The camera is found again."), (NULL));
}

static void
tell_no_pose (GstKinfumot *self, const KinfumotResults *r)
{
  if (r->no_pose && gst_vision_warning_is_due (&self->told_no_pose))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The frame brings no pose of the camera, so it is estimated."),
        ("pose=given and pose=prior take it from the VisionCamera of the "
         "buffer. Set pose=still for a camera that stands still."));
}

static void
tell_full (GstKinfumot *self, const KinfumotResults *r)
{
  guint64 bytes = (guint64) r->max_bricks * 2048;

  if ((!r->dropped && !r->missing) ||
      !gst_vision_warning_is_due (&self->told_full))
    return;
  GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
      ("The models fill their %" G_GUINT64_FORMAT
       " MiB: %s. Set max-memory=%" G_GUINT64_FORMAT
       ", or a larger voxel-size.",
          bytes >> 20,
          r->missing ? "surfaces in view find no room, and are left out"
                     : "what has been out of view for longest is dropped",
          MIN (bytes >> 19, 8192)),
      ("In this frame %u bricks of 2048 bytes went, and %u more would be "
       "needed.",
          r->dropped, r->missing));
}

static void
tell_refusal (GstKinfumot *self, const KinfumotResults *r)
{
  if (r->refusal && gst_vision_warning_is_due (&self->told_refusal))
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("A new object is not followed: %s.", r->refusal),
        ("The stream goes on. stats counts such objects as refused."));
}

static void
set_stats (GstKinfumot *self, const KinfumotResults *r)
{
  GstVisionCommon *common = gst_vision_common (self);

  gst_vision_common_set_stat (common, "lost", r->lost);
  gst_vision_common_set_stat (common, "residual", r->residual);
  gst_vision_common_set_stat (common, "matched", r->matched);
  gst_vision_common_set_stat (
      common, "weak-directions", __builtin_popcount (r->weak));
  gst_vision_common_set_stat (common, "bricks", r->n_bricks);
  gst_vision_common_set_stat (common, "max-bricks", r->max_bricks);
  gst_vision_common_set_stat (common, "late", (gdouble) r->late);
  gst_vision_common_set_stat (common, "refused", (gdouble) r->refused);
}

const char *
gst_kinfumot_attach (GstKinfumot *self, const KinfumotResults *results,
    GstBuffer *buffer, const GstVisionCamera *camera)
{
  TRY (attach_maps (self, buffer));
  TRY (attach_camera (results, buffer, camera));
  TRY (attach_objects (self, results, buffer, camera));
  write_poses (self, results, buffer);
  set_stats (self, results);
  tell_no_pose (self, results);
  tell_lost (self, results);
  tell_full (self, results);
  tell_refusal (self, results);
  gst_vision_common_post_objects (gst_vision_common (self), buffer, "kinfumot");
  return NULL;
}
