/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * output=map: the buffers stay, with what rides on them, and get other memory.
 */
#include <string.h>

#include "emdtrack/gstemdtrack.h"

static GstBaseTransformClass *parent;

static GstCaps *
transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);

  return gst_emdtrack_wants_map (self)
      ? gst_emdtrack_transform_caps (self, direction, caps, filter)
      : parent->transform_caps (trans, direction, caps, filter);
}

/* Where no map fits, its parent would say no more than that. */
static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);
  GstVisionFilter *filter = GST_VISION_FILTER (trans);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS &&
      gst_emdtrack_wants_map (self)) {
    gst_event_parse_caps (event, &caps);
    if (gst_vision_common_refused (
            gst_vision_common (filter), gst_emdtrack_check_map (self, caps))) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return parent->sink_event (trans, event);
}

/* What rides on the input, in a buffer that no pool wants back: its video meta
 * can go. */
static GstFlowReturn
prepare_output_buffer (GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
{
  if (!GST_EMDTRACK (trans)->shows_map)
    return parent->prepare_output_buffer (trans, in, out);
  *out = gst_buffer_copy (in);
  return GST_FLOW_OK;
}

static void
show_picture (GstEmdtrack *self, GstBuffer *buffer)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (meta)
    gst_buffer_remove_meta (buffer, (GstMeta *) meta);
  gst_buffer_remove_all_memory (buffer);
  gst_buffer_copy_into (
      buffer, self->picture, GST_BUFFER_COPY_MEMORY, 0, (gsize) -1);
  gst_clear_buffer (&self->picture);
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);
  GstFlowReturn flow = parent->transform_ip (trans, buffer);

  if (flow != GST_FLOW_OK || !self->shows_map)
    return flow;
  if (!self->picture)
    gst_emdtrack_make_picture (self, NULL, NULL);
  show_picture (self, buffer);
  return GST_FLOW_OK;
}

void
gst_emdtrack_install_output (GstBaseTransformClass *klass)
{
  parent = g_type_class_peek_parent (klass);
  klass->transform_caps = transform_caps;
  klass->sink_event = sink_event;
  klass->prepare_output_buffer = prepare_output_buffer;
  klass->transform_ip = transform_ip;
}

/* Raw values by this are 65535 at the maximum ground distance. */
static const char *
stretch_of (const EmdtrackParams *params, int mass, gdouble *stretch)
{
  guint8 distances[EMDTRACK_BINS][EMDTRACK_BINS], max = 1;
  gdouble scale;

  TRY (emdtrack_distances (params, distances, &scale));
  for (int i = 0; i < params->bins; i++)
    for (int j = 0; j < params->bins; j++)
      max = MAX (max, distances[i][j]);
  *stretch = 65535. / ((gdouble) max * mass);
  return NULL;
}

const char *
gst_emdtrack_make_picture (GstEmdtrack *self, const EmdtrackParams *params,
    const EmdtrackResults *results)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  gsize row = sizeof (guint16) * (gsize) self->width;
  gsize stride = GST_ROUND_UP_4 (row), size = stride * self->height;
  guint8 *pixels = g_malloc (size);
  const char *err = NULL;
  gdouble stretch = 1;

  memset (pixels, 0xff, size);
  gst_clear_buffer (&self->picture);
  self->picture = gst_buffer_new_wrapped (pixels, size);
  if (!results)
    return NULL;
  err = stretch_of (params, results->mass, &stretch);
  if (!err)
    err = device_copy_rows (&backend->device, pixels, stride, results->map[0],
        row, row, self->height);
  if (!err)
    err = device_wait (&backend->device);
  for (gsize i = 0; i < size / 2 && !err; i++) {
    guint16 *value = (guint16 *) (gpointer) pixels + i;

    *value = (guint16) MIN (*value * stretch + .5, 65535);
  }
  return err;
}
