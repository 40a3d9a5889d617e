/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Components as metadata and messages, and accepted objects as events for
 * elements upstream. */
#include <string.h>

#include "gpuccl/gstgpuccl.h"

/* ---- Segments ---- */

/* Fills the mask of GstAnalytics, of 8 bits or 16 (@wide) a pixel: k for a
 * pixel of the k-th reported component, from 1.  @regions[l] is the k of label
 * l. */
static void
fill_segments (guint8 *mask, gint stride, const guint16 *regions,
    const guint8 *labels, gsize labels_stride, gint width, gint height,
    gboolean wide)
{
  for (gint y = 0; y < height; y++) {
    const guint32 *from = (const guint32 *) (labels + y * labels_stride);
    guint8 *to = mask + (gsize) y * stride;

    for (gint x = 0; x < width; x++)
      if (wide)
        GST_WRITE_UINT16_LE (to + 2 * x, regions[from[x]]);
      else
        to[x] = (guint8) regions[from[x]];
  }
}

static const char *
attach_segments (GstGpuccl *self, const GpucclResults *results,
    const void *labels, GstBuffer *buffer)
{
  gsize pixels = (gsize) self->width * self->height;
  gboolean wide = results->n_components > G_MAXUINT8, added;
  gint stride = self->width * (wide ? 2 : 1);
  GstBuffer *mask =
      gst_buffer_new_allocate (NULL, (gsize) stride * self->height, NULL);
  GstMapInfo map;

  if (!mask || !gst_buffer_map (mask, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&mask);
    return OUT_OF_MEMORY (
        (gsize) stride * self->height, " for the mask of the regions");
  }
  if (!self->regions)
    self->regions = g_new0 (guint16, pixels + 1);
  for (gint i = 0; i < results->n_components; i++)
    self->regions[results->components[i].sum.label] = (guint16) (i + 1);
  fill_segments (map.data, stride, self->regions, labels, self->labels.stride,
      self->width, self->height, wide);
  for (gint i = 0; i < results->n_components; i++)
    self->regions[results->components[i].sum.label] = 0;
  gst_buffer_unmap (mask, &map);
  gst_buffer_add_video_meta_full (mask, GST_VIDEO_FRAME_FLAG_NONE,
      wide ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, self->width,
      self->height, 1, (gsize[GST_VIDEO_MAX_PLANES]){0},
      (gint[GST_VIDEO_MAX_PLANES]){stride});
  added = gst_buffer_add_vision_segmentation (
      buffer, mask, (guint) results->n_components);
  gst_buffer_unref (mask);
  return added ? NULL : "the regions could not be attached to the buffer";
}

/* ---- Components and objects ---- */

#define N_POSE 7
#define N_EXTENT 3

static GstVisionState
state_of_component (GpucclState state)
{
  static const GstVisionState states[] = {
      [GPUCCL_REJECTED] = GST_VISION_STATE_REJECTED,
      [GPUCCL_NEW] = GST_VISION_STATE_NEW,
      [GPUCCL_ACCEPTED] = GST_VISION_STATE_ACCEPTED,
  };

  return states[state];
}

/* The id of a component, 0 if it has none.  gpuccl counts from 1 again after
 * new caps; self->first_id keeps ids unique. */
static guint64
id_of_component (const GstGpuccl *self, const GpucclComponent *c)
{
  return c->id ? self->first_id + c->id : 0;
}

static void
set_component_place (
    const GpucclComponent *c, gdouble *numbers, GstVisionObject *v)
{
  gdouble *pose = numbers, *extent = numbers + N_POSE;

  for (gint i = 0; i < 3; i++) {
    pose[i] = c->position[i];
    pose[4 + i] = 0;
    extent[i] = c->extent[i];
  }
  pose[3] = 1;
  v->pose = (GstVisionArray){N_POSE, pose};
  v->extent = (GstVisionArray){N_EXTENT, extent};
}

/* Describes @c as the object @v; its pose and extent lie in @numbers. */
static void
fill_component_object (GstGpuccl *self, const GpucclParams *params,
    const GpucclComponent *c, gdouble *numbers, GstVisionObject *v)
{
  const ImageBox *box = &c->sum.box;

  gst_vision_object_init (v);
  v->id = id_of_component (self, c);
  self->last_id = MAX (self->last_id, v->id);
  v->element = "gpuccl";
  v->source = GST_OBJECT_NAME (self);
  v->state = state_of_component (c->state);
  v->reason = gpuccl_reason_name (c->reason);
  v->area = c->sum.area;
  v->x = box->x0;
  v->y = box->y0;
  v->width = box->x1 - box->x0;
  v->height = box->y1 - box->y0;
  v->cx = c->cx;
  v->cy = c->cy;
  gpuccl_sum_shape (&c->sum, &v->orientation, &v->elongation);
  v->score = MIN (1, (gdouble) c->frames / params->frames);
  if (c->depth > 0)
    v->depth = c->depth;
  if (c->in_space)
    set_component_place (c, numbers, v);
}

static const char *
attach_components (GstGpuccl *self, const GpucclParams *params,
    const GpucclResults *results, GstBuffer *buffer)
{
  gsize n = results->n_components;
  GstVisionObject *found = g_new (GstVisionObject, n);
  gdouble *numbers = g_new (gdouble, n * (N_POSE + N_EXTENT));
  gboolean attached;

  for (gsize i = 0; i < n; i++)
    fill_component_object (self, params, &results->components[i],
        numbers + i * (N_POSE + N_EXTENT), &found[i]);
  attached = gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
      self->width, self->height, found, (guint) n);
  g_free (numbers);
  g_free (found);
  return attached ? NULL : "the results could not be attached to the buffer";
}

/* Attaches the label map, which the device has written, and its segments. */
static const char *
attach_label_map (
    GstGpuccl *self, const GpucclResults *results, GstBuffer *buffer)
{
  const char *err = NULL;

  if (!self->labels.on_gpu && gst_vision_segmentation_is_known ())
    err = attach_segments (self, results, self->labels.address, buffer);
  return gst_vision_pixels_attach (&self->labels, err, buffer);
}

static GstEvent *
new_object_event (GstGpuccl *self, const GpucclComponent *c, GstBuffer *buffer,
    GstBuffer *mask)
{
  const ImageBox *box = &c->sum.box;

  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("VisionNewObject", "pts", G_TYPE_UINT64,
          GST_BUFFER_PTS (buffer), "id", G_TYPE_UINT64,
          id_of_component (self, c), "x", G_TYPE_DOUBLE, (gdouble) box->x0, "y",
          G_TYPE_DOUBLE, (gdouble) box->y0, "width", G_TYPE_DOUBLE,
          (gdouble) (box->x1 - box->x0), "height", G_TYPE_DOUBLE,
          (gdouble) (box->y1 - box->y0), "ref-width", G_TYPE_UINT,
          (guint) self->width, "ref-height", G_TYPE_UINT, (guint) self->height,
          "stride", G_TYPE_UINT, (guint) self->mask.stride, "memory",
          G_TYPE_STRING, self->mask.on_gpu ? "cuda" : "system", "mask",
          GST_TYPE_BUFFER, mask, NULL));
}

/* Sends the event VisionNewObject of @c, with its mask, upstream. */
static const char *
announce_object (GstGpuccl *self, const GpucclComponent *c, GstBuffer *buffer)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  GstBuffer *mask;
  const char *err;

  TRY (gst_vision_pixels_begin (&self->mask));
  err = gpuccl_mask (
      self->gpuccl, c->sum.label, self->mask.address, self->mask.stride);
  if (!err)
    err = device_wait (&backend->device);
  mask = gst_vision_pixels_end (&self->mask);
  if (!err)
    gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (self),
        new_object_event (self, c, buffer, mask));
  gst_buffer_unref (mask);
  return err;
}

/* The newest event of the object @id; NULL: none was sent. */
static const GstGpucclNews *
find_object_news (const GstGpuccl *self, guint64 id)
{
  for (guint i = 0; i < self->n_announced; i++)
    if (self->announced[i].id == id)
      return &self->announced[i];
  return NULL;
}

/* Announces each object when it is accepted, and again every
 * GpucclParams.frames frames, for listeners that missed the first event.  Only
 * candidates have ids, and no id is used twice. */
static const char *
announce_accepted (GstGpuccl *self, const GpucclParams *params,
    const GpucclResults *results, GstBuffer *buffer)
{
  GstGpucclNews told[GPUCCL_CANDIDATES];
  guint n = 0;

  for (int i = 0; i < results->n_components && n < GPUCCL_CANDIDATES; i++) {
    const GpucclComponent *c = &results->components[i];
    const GstGpucclNews *before = c->id ? find_object_news (self, c->id) : NULL;
    gboolean accepted = c->state == GPUCCL_ACCEPTED;
    GstGpucclNews news = {c->id, before ? before->frames + accepted : 0};

    if (accepted && (!before || news.frames >= params->frames)) {
      TRY (announce_object (self, c, buffer));
      news.frames = 0;
    }
    if (before || accepted)
      told[n++] = news;
  }
  self->n_announced = n;
  memcpy (self->announced, told, n * sizeof told[0]);
  return NULL;
}

const char *
gst_gpuccl_attach (GstGpuccl *self, const GpucclParams *params,
    const GpucclResults *results, GstBuffer *buffer)
{
  if (self->labels.buffer)
    TRY (attach_label_map (self, results, buffer));
  TRY (attach_components (self, params, results, buffer));
  TRY (announce_accepted (self, params, results, buffer));
  gst_vision_common_post_objects (gst_vision_common (self), buffer, "gpuccl");
  return NULL;
}
