/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was found, as metadata and messages. */
#include "moct/gstmoct.h"

static GstVisionState
state_of (MoctState state)
{
  static const GstVisionState states[] = {
      [MOCT_NEW] = GST_VISION_STATE_NEW,
      [MOCT_TRACKING] = GST_VISION_STATE_TRACKING,
      [MOCT_OCCLUDED] = GST_VISION_STATE_OCCLUDED,
      [MOCT_LOST] = GST_VISION_STATE_LOST,
  };

  return states[state];
}

static void
fill_object (GstMoct *self, const MoctObject *o, GstVisionObject *v)
{
  gst_vision_object_init (v);
  v->id = self->first_id + o->id; /* unique also after other caps */
  self->last_id = MAX (self->last_id, v->id);
  v->element = "moct";
  v->source = GST_OBJECT_NAME (self);
  v->label = self->colours->colours[o->colour].name;
  v->state = state_of (o->state);
  v->area = o->area;
  v->x = o->x0;
  v->y = o->y0;
  v->width = o->x1 - o->x0;
  v->height = o->y1 - o->y0;
  v->cx = o->cx;
  v->cy = o->cy;
  v->score = o->score;
  v->orientation = o->orientation;
  v->elongation = o->elongation;
  v->vx = o->vx;
  v->vy = o->vy;
  v->age = o->age;
  v->covariance = (GstVisionArray){4, o->covariance};
}

/* The points of all objects; @xy holds them as doubles, @max pairs each. */
static const char *
fetch_trajectories (GstMoct *self, const MoctObject *objects, int n, int max,
    GstVisionObject *found, gdouble *xy)
{
  int *counts = g_newa (int, n);

  if (self->max_points < n * max) {
    self->max_points = n * max;
    self->points = g_renew (MoctPoint, self->points, self->max_points);
  }
  TRY (moct_trajectories (self->moct, objects, n, max, self->points, counts));
  for (int i = 0; i < n; i++) {
    gdouble *to = xy + 2 * (gsize) i * max;

    for (int k = 0; k < counts[i]; k++) {
      to[2 * k] = self->points[i * max + k].cx;
      to[2 * k + 1] = self->points[i * max + k].cy;
    }
    found[i].trajectory = (GstVisionArray){2 * (guint) counts[i], to};
  }
  return NULL;
}

const char *
gst_moct_attach_results (GstMoct *self, const MoctObject *objects, int n,
    GstMoctTrajectory trajectory, GstBuffer *buffer)
{
  int max = trajectory == GST_MOCT_TRAJECTORY_NONE ? 0
      : trajectory == GST_MOCT_TRAJECTORY_LAST     ? 2
                                                   : self->history;
  GstVisionObject *found = g_new (GstVisionObject, n);
  gdouble *xy = max ? g_new (gdouble, 2 * (gsize) n * max) : NULL;
  const char *err = NULL;

  for (int i = 0; i < n; i++)
    fill_object (self, &objects[i], &found[i]);
  if (max && n)
    err = fetch_trajectories (self, objects, n, max, found, xy);
  if (!err &&
      !gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          self->width, self->height, found, n))
    err = "the results could not be attached to the buffer";
  if (!err)
    gst_vision_common_post_objects (gst_vision_common (self), buffer, "moct");
  g_free (found);
  g_free (xy);
  return err;
}

/* Queues the label map's pixels, which nothing of the results goes into, so
 * that the wait for the results is that for them, too. */
static const char *
queue_label_map (GstMoct *self, const MoctParams *params, const Image *frame)
{
  TRY (gst_vision_pixels_begin (&self->pixels));
  return moct_labels (
      self->moct, params, frame, self->pixels.address, self->pixels.stride);
}

const char *
gst_moct_run (GstMoct *self, const MoctParams *params, const Image *frame,
    double dt, GstBuffer *buffer, const MoctObject **objects, int *n)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const char *err;

  if (!self->pixels.pool)
    return moct_run (self->moct, params, frame, dt, objects, n);
  err = queue_label_map (self, params, frame);
  if (!self->pixels.buffer)
    return err;
  if (!err)
    err = moct_run (self->moct, params, frame, dt, objects, n);
  if (err)
    device_wait (&backend->device); /* for what was queued before it failed */
  else if (!params->n_colours)
    err = device_wait (&backend->device); /* there was no run */
  self->pixels.what.names = self->names;
  return gst_vision_pixels_attach (&self->pixels, err, buffer);
}
