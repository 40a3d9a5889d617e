/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects of a frame as metadata and messages. */
#include <math.h>

#include "base/gstvisionproperties.h"
#include "moct/gstmoct.h"

static GstVisionState
state_of_moct_object (MoctState state)
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
fill_moct_object (GstMoct *self, const MoctObject *o, GstVisionObject *v)
{
  gst_vision_object_init (v);
  v->id = self->first_id + o->id; /* unique also after other caps */
  self->last_id = MAX (self->last_id, v->id);
  v->element = "moct";
  v->source = GST_OBJECT_NAME (self);
  v->label = self->colours->colours[o->colour].name;
  v->state = state_of_moct_object (o->state);
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

#define NUMBERS 8 /* of a point: 2 of the trajectory, 6 of the history */

/* Gives each of the @n objects in @found its trajectory and history: at most
 * @max points, whose numbers go to @numbers. */
static const char *
fetch_moct_trajectories (GstMoct *self, const MoctObject *objects, int n,
    int max, GstVisionObject *found, gdouble *numbers)
{
  int *counts = g_newa (int, n);

  if (self->max_points < n * max) {
    self->max_points = n * max;
    self->points = g_renew (MoctPoint, self->points, self->max_points);
  }
  TRY (moct_trajectories (self->moct, objects, n, max, self->points, counts));
  for (int i = 0; i < n; i++) {
    gdouble *xy = numbers + NUMBERS * (gsize) i * max, *past = xy + 2 * max;
    const MoctPoint *p = self->points + (gsize) i * max;

    for (int k = 0; k < counts[i]; k++) {
      xy[2 * k] = p[k].cx;
      xy[2 * k + 1] = p[k].cy;
      past[6 * k] = p[k].x0;
      past[6 * k + 1] = p[k].y0;
      past[6 * k + 2] = (gdouble) p[k].x1 - p[k].x0;
      past[6 * k + 3] = (gdouble) p[k].y1 - p[k].y0;
      past[6 * k + 4] = p[k].time - p[counts[i] - 1].time;
      past[6 * k + 5] = p[k].seen;
    }
    found[i].trajectory = (GstVisionArray){2 * (guint) counts[i], xy};
    found[i].history = (GstVisionArray){6 * (guint) counts[i], past};
  }
  return NULL;
}

const char *
gst_moct_open_history (GstMoct *self)
{
  if (!GST_VISION_LOCKED (self, self->history_map))
    return NULL;
  return !self->history
      ? "history-map needs a history-length above 0"
      : gst_vision_pixels_open (&self->past, &gst_vision_common (self)->backend,
            &(GstVisionMap){.element = "moct",
                .kind = "trajectories",
                .format = "f32",
                .channels = MOCT_HISTORY_CHANNELS,
                .width = self->history,
                .height = MOCT_HISTORY_ROWS,
                .scale = 1,
                .invalid = NAN});
}

const char *
gst_moct_attach_history (
    GstMoct *self, const MoctObject *objects, int n, GstBuffer *buffer)
{
  const char *err;

  if (!self->past.pool)
    return NULL;
  TRY (gst_vision_pixels_begin (&self->past));
  err = moct_history (
      self->moct, objects, n, self->past.address, self->past.stride);
  if (!err)
    err = device_wait (&gst_vision_common (self)->backend.device);
  return gst_vision_pixels_attach (&self->past, err, buffer);
}

const char *
gst_moct_attach_results (GstMoct *self, const MoctObject *objects, int n,
    GstMoctTrajectory trajectory, GstBuffer *buffer)
{
  int max = trajectory == GST_MOCT_TRAJECTORY_NONE ? 0
      : trajectory == GST_MOCT_TRAJECTORY_LAST     ? 2
                                                   : self->history;
  GstVisionObject *found = g_new (GstVisionObject, n);
  gdouble *numbers = max ? g_new (gdouble, NUMBERS * (gsize) n * max) : NULL;
  const char *err = NULL;

  for (int i = 0; i < n; i++)
    fill_moct_object (self, &objects[i], &found[i]);
  if (max && n)
    err = fetch_moct_trajectories (self, objects, n, max, found, numbers);
  if (!err &&
      !gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          self->width, self->height, found, n))
    err = "the results could not be attached to the buffer";
  if (!err)
    gst_vision_common_post_objects (gst_vision_common (self), buffer, "moct");
  g_free (found);
  g_free (numbers);
  return err;
}
