/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tracks and maps as metadata, messages and statistics. */
#include <math.h>

#include "emdtrack/gstemdtrack.h"

static GstVisionState
state_of_target (EmdtrackState state)
{
  static const GstVisionState states[] = {
      [EMDTRACK_TRACKING] = GST_VISION_STATE_TRACKING,
      [EMDTRACK_OCCLUDED] = GST_VISION_STATE_OCCLUDED,
      [EMDTRACK_LOST] = GST_VISION_STATE_LOST,
      [EMDTRACK_FOUND] = GST_VISION_STATE_FOUND,
  };

  return states[state];
}

static void
fill_target_object (GstEmdtrack *self, const GstEmdtrackTarget *target,
    GstBuffer *buffer, gdouble seconds, GstVisionObject *v)
{
  const EmdtrackTrack *t = &target->track;
  GstClockTime now = GST_BUFFER_PTS (buffer);

  gst_vision_object_init (v);
  v->id = t->id;
  v->element = "emdtrack";
  v->source = GST_OBJECT_NAME (self);
  v->label = target->name;
  v->state = state_of_target (t->state);
  v->x = t->x0 * self->cell_x;
  v->y = t->y0 * self->cell_y;
  v->width = (t->x1 - t->x0) * self->cell_x;
  v->height = (t->y1 - t->y0) * self->cell_y;
  v->cx = v->x + (v->width - 1) / 2;
  v->cy = v->y + (v->height - 1) / 2;
  v->score = t->score;
  v->distance = t->distance;
  v->ratio = t->ratio;
  if (seconds > 0) {
    v->vx = t->vx * self->cell_x / seconds;
    v->vy = t->vy * self->cell_y / seconds;
  }
  if (GST_CLOCK_TIME_IS_VALID (now) &&
      GST_CLOCK_TIME_IS_VALID (target->since) && now >= target->since)
    v->age = (gdouble) (now - target->since) / GST_SECOND;
}

const char *
gst_emdtrack_attach_objects (GstEmdtrack *self, GstBuffer *buffer)
{
  GstVisionObject found[EMDTRACK_TARGETS];
  gdouble seconds = gst_vision_elapsed (&self->last_time, buffer);

  for (guint k = 0; k < self->n_targets; k++)
    fill_target_object (self, &self->target[k], buffer, seconds, &found[k]);
  if (!gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          self->width * self->cell_x, self->height * self->cell_y, found,
          self->n_targets))
    return "the results could not be attached to the buffer";
  gst_vision_common_post_objects (gst_vision_common (self), buffer, "emdtrack");
  return NULL;
}

static const char *
attach_emd_map (GstEmdtrack *self, const EmdtrackResults *results, int target,
    GstBuffer *buffer)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  gsize row = sizeof (guint16) * (gsize) self->width;
  const char *err;

  TRY (gst_vision_pixels_begin (&self->pixels));
  err = device_copy_rows (&backend->device, self->pixels.address,
      self->pixels.stride, results->map[target], row, row, self->height);
  if (!err)
    err = device_wait (&backend->device);
  self->pixels.what.scale = 1 / (results->mass * results->scale);
  return gst_vision_pixels_attach (&self->pixels, err, buffer);
}

void
gst_emdtrack_count (GstEmdtrack *self, const EmdtrackCounts *c)
{
  GstVisionCommon *common = gst_vision_common (self);
  const struct {
    const gchar *name;
    guint64 n;
  } stats[] = {
      {"emd-unchanged", c->unchanged},
      {"emd-closed", c->closed},
      {"emd-own", c->own},
      {"emd-neighbour", c->neighbour},
      {"emd-table", c->table},
      {"emd-simplex", c->simplex},
      {"emd-pivots", c->pivots},
      {"emd-fallback", c->fallback},
      {"emd-unstored", c->unstored},
      {"emd-evicted", c->evicted},
      {"emd-trees", c->trees},
      {"emd-cached", c->cached},
      {"emd-distinct", c->distinct},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (stats); i++)
    gst_vision_common_set_stat (common, stats[i].name, (gdouble) stats[i].n);
}

const char *
gst_emdtrack_attach_maps (
    GstEmdtrack *self, const EmdtrackResults *results, GstBuffer *buffer)
{
  for (int t = 0; t < results->n_targets; t++)
    TRY (attach_emd_map (self, results, t, buffer));
  return NULL;
}
