/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects of a frame as metadata and messages. */
#include "scopedetect/gstscopedetect.h"

static GstVisionState
state_of_object (const GstScopedetectTrack *t)
{
  if (t->missed)
    return t->lost ? GST_VISION_STATE_LOST : GST_VISION_STATE_OCCLUDED;
  return t->known ? GST_VISION_STATE_TRACKING : GST_VISION_STATE_FOUND;
}

/* Describes the track as the object @v; a missed object has the pose in which
 * it is expected. */
static void
fill_track_object (GstScopedetect *self, const GstScopedetectTrack *t,
    const Camera *camera, GstScopedetectOutline outline, GstVisionObject *v)
{
  const ScopedetectObject *o = &t->object;
  const ScopedetectModelInfo *info = &self->info[o->model];

  gst_vision_object_init (v);
  v->id = t->id;
  v->element = "scopedetect";
  v->source = GST_OBJECT_NAME (self);
  v->model = gst_scopedetect_model_of_mover (self, t->mover);
  v->label = info->name;
  v->state = state_of_object (t);
  v->x = o->box.x0;
  v->y = o->box.y0;
  v->width = o->box.x1 - o->box.x0;
  v->height = o->box.y1 - o->box.y0;
  v->cx = (o->box.x0 + o->box.x1 - 1) / 2.;
  v->cy = (o->box.y0 + o->box.y1 - 1) / 2.;
  v->score = t->missed ? 0 : o->score;
  v->depth = o->pose[2];
  v->pose = (GstVisionArray){G_N_ELEMENTS (o->pose), o->pose};
  v->extent = (GstVisionArray){G_N_ELEMENTS (info->size), info->size};
  v->covariance = (GstVisionArray){G_N_ELEMENTS (o->covariance), o->covariance};
  v->outline = (GstVisionArray){2 *
          (guint) scopedetect_model_outline (self->model[o->model], o->pose,
              camera, outline, GST_SCOPEDETECT_CORNERS),
      outline};
}

/* Attaches the camera that the poses refer to, unless the buffer has a camera.
 */
static gboolean
attach_frame_camera (GstScopedetect *self, GstBuffer *buffer, const Camera *c)
{
  GstVisionCamera camera;

  if (gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera))
    return TRUE;
  gst_vision_camera_init (&camera);
  camera.ref_width = (guint) self->width;
  camera.ref_height = (guint) self->height;
  camera.fx = c->fx;
  camera.fy = c->fy;
  camera.cx = c->cx;
  camera.cy = c->cy;
  return gst_buffer_set_vision_camera (
      buffer, GST_VISION_ORIGIN_RESULT, &camera);
}

const char *
gst_scopedetect_attach (GstScopedetect *self, GstBuffer *buffer,
    GstBuffer *depth, const Camera *camera)
{
  guint n = self->tracks->len;
  GstVisionObject *found = g_new (GstVisionObject, n);
  GstScopedetectOutline *outlines = g_new (GstScopedetectOutline, n);
  gboolean attached;

  for (guint i = 0; i < n; i++)
    fill_track_object (self,
        &g_array_index (self->tracks, GstScopedetectTrack, i), camera,
        outlines[i], &found[i]);
  attached = attach_frame_camera (self, buffer, camera) &&
      gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
          self->width, self->height, found, n) &&
      (!depth || gst_scopedetect_pass_moves (self, depth, buffer));
  g_free (found);
  g_free (outlines);
  if (!attached)
    return "the results could not be attached to the buffer";
  gst_vision_common_post_objects (
      gst_vision_common (self), buffer, "scopedetect");
  return NULL;
}
