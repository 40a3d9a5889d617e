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

/* A place has no id: the element does not follow it. */
static void
fill_place_object (
    GstEmdtrack *self, const GstEmdtrackFound *found, GstVisionObject *v)
{
  const EmdtrackMatch *place = &found->place;
  ImageBox b = place->box;

  gst_vision_object_init (v);
  v->element = "emdtrack";
  v->source = GST_OBJECT_NAME (self);
  v->label = self->target[found->target].name;
  v->state = GST_VISION_STATE_FOUND;
  v->area = (guint64) place->area * self->cell_x * self->cell_y;
  v->x = b.x0 * self->cell_x;
  v->y = b.y0 * self->cell_y;
  v->width = (b.x1 - b.x0) * self->cell_x;
  v->height = (b.y1 - b.y0) * self->cell_y;
  v->cx = (place->cx + .5) * self->cell_x - .5;
  v->cy = (place->cy + .5) * self->cell_y - .5;
  v->distance = found->distance;
}

const char *
gst_emdtrack_attach_objects (GstEmdtrack *self, GstBuffer *buffer)
{
  guint n = self->n_targets + self->found->len;
  g_autofree GstVisionObject *objects = g_new (GstVisionObject, n);
  gdouble seconds = gst_vision_elapsed (&self->last_time, buffer);

  for (guint k = 0; k < self->n_targets; k++)
    fill_target_object (self, &self->target[k], buffer, seconds, &objects[k]);
  for (guint k = 0; k < self->found->len; k++)
    fill_place_object (self, &g_array_index (self->found, GstEmdtrackFound, k),
        &objects[self->n_targets + k]);
  if (!gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          self->width * self->cell_x, self->height * self->cell_y, objects, n))
    return "the results could not be attached to the buffer";
  gst_vision_common_post_objects (gst_vision_common (self), buffer, "emdtrack");
  return NULL;
}

static const char *
attach_emd_map (GstEmdtrack *self, const EmdtrackResults *results, int target,
    GstBuffer *buffer)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const char *err;

  TRY (gst_vision_pixels_begin (&self->pixels));
  err = emdtrack_copy_map (
      self->emdtrack, target, self->pixels.address, self->pixels.stride);
  if (!err)
    err = device_wait (&backend->device);
  self->pixels.what.scale = 1 / (results->mass * results->scale);
  return gst_vision_pixels_attach (&self->pixels, err, buffer);
}

/* Says, once a start, that the threshold lets more through than is reported. */
static void
tell_of_places (GstEmdtrack *self, const GstEmdtrackTarget *target, guint32 all,
    int reported)
{
  if (self->told)
    return;
  self->told = TRUE;
  GST_ELEMENT_INFO (self, LIBRARY, SETTINGS,
      ("%u places look like \"%s\"; the %d largest are reported. A smaller "
       "detect finds fewer, a larger max-objects reports more.",
          all, target->name, reported),
      (NULL));
}

const char *
gst_emdtrack_detect (GstEmdtrack *self, const GstEmdtrackParams *p,
    const EmdtrackResults *results)
{
  int limit = (int) ceil (p->detect * results->most), n;
  guint64 sum = 0;

  for (int t = 0; t < results->n_targets; t++) {
    const EmdtrackMatch *places;
    guint32 all;

    TRY (emdtrack_detect (
        self->emdtrack, t, limit, p->max_objects, &places, &n, &all));
    for (int i = 0; i < n; i++) {
      GstEmdtrackFound found = {
          (guint) t, places[i], (gdouble) places[i].value / results->most};

      g_array_append_val (self->found, found);
    }
    if (all > (guint32) n)
      tell_of_places (self, &self->target[t], all, n);
    sum += all;
  }
  gst_vision_common_set_stat (
      gst_vision_common (self), "emd-places", (gdouble) sum);
  return NULL;
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
      {"emd-equal", c->equal},
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
