/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was found, as metadata and messages. */
#include "scopedetect/gstscopedetect.h"

static void
fill_object (
    GstScopedetect *self, const GstScopedetectTrack *t, GstVisionObject *v)
{
  const ScopedetectObject *o = &t->object;
  const ScopedetectModelInfo *info = &self->info[o->model];

  gst_vision_object_init (v);
  v->id = t->id;
  v->element = "scopedetect";
  v->source = GST_OBJECT_NAME (self);
  v->label = info->name;
  v->state = t->known ? GST_VISION_STATE_TRACKING : GST_VISION_STATE_FOUND;
  v->x = o->box.x0;
  v->y = o->box.y0;
  v->width = o->box.x1 - o->box.x0;
  v->height = o->box.y1 - o->box.y0;
  v->score = o->score;
  v->pose = (GstVisionArray){G_N_ELEMENTS (o->pose), o->pose};
  v->extent = (GstVisionArray){G_N_ELEMENTS (info->size), info->size};
}

const char *
gst_scopedetect_attach (GstScopedetect *self, GstBuffer *buffer)
{
  guint n = self->tracks->len;
  GstVisionObject *found = g_new (GstVisionObject, n);
  gboolean attached;

  for (guint i = 0; i < n; i++)
    fill_object (
        self, &g_array_index (self->tracks, GstScopedetectTrack, i), &found[i]);
  attached = gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_RESULT, self->width, self->height, found, n);
  g_free (found);
  if (!attached)
    return "the results could not be attached to the buffer";
  gst_vision_aggregator_post_objects (
      GST_VISION_AGGREGATOR (self), buffer, "scopedetect");
  return NULL;
}
