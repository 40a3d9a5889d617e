/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * output=map: its caps, and buffers that keep their metas and get the memory of
 * a map. */
#include "emdtrack/gstemdtrack.h"

#include <string.h>

/* ---- Caps: the map of frames, and the frames that have a map ---- */

#define GREY \
 "video/x-raw, format = (string) { GRAY8, GRAY16_LE }, " \
 "width = (int) [ 1, 16384 ], height = (int) [ 1, 65536 ]"

/* Whether output=map holds for the next caps. */
static gboolean
wants_map_output (GstEmdtrack *self)
{
  return GST_VISION_LOCKED (self, self->output == GST_EMDTRACK_OUTPUT_MAP);
}

/* Sets the side @name of @caps to @times the side of @from, if @from fixes it.
 */
static void
set_caps_side (
    GstCaps *caps, const GstStructure *from, const gchar *name, gint times)
{
  gint n;

  if (gst_structure_get_int (from, name, &n))
    gst_caps_set_simple (caps, name, G_TYPE_INT,
        (gint) MIN ((gint64) n * times, G_MAXINT), NULL);
}

static void
set_caps_size (GstCaps *caps, const GstStructure *from, gint across, gint down)
{
  set_caps_side (caps, from, "width", across);
  set_caps_side (caps, from, "height", down);
}

static GstCaps *
map_of_frames (GstEmdtrack *self, const GstStructure *frames)
{
  GstCaps *map = gst_caps_from_string (GST_VIDEO_CAPS_MAKE ("GRAY16_LE"));
  gint width, height;

  if (gst_emdtrack_map_size (self, frames, &width, &height))
    gst_caps_set_simple (
        map, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  return map;
}

static void
add_mosaic_caps (GstCaps *all, const GstStructure *map, gint across, gint down)
{
  GstCaps *caps = gst_caps_from_string (GREY);
  gchar *pattern = g_strdup_printf ("%dx%d", across, down);

  set_caps_size (caps, map, across, down);
  gst_caps_set_simple (caps, "channels", G_TYPE_INT, across * down,
      "channel-layout", G_TYPE_STRING, "mosaic", "mosaic-pattern",
      G_TYPE_STRING, pattern, NULL);
  gst_caps_append (all, caps);
  g_free (pattern);
}

static void
add_stacked_caps (GstCaps *all, const GstStructure *map, gint channels)
{
  GstCaps *caps = gst_caps_from_string (GREY);

  set_caps_size (caps, map, 1, channels);
  gst_caps_set_simple (caps, "channels", G_TYPE_INT, channels, "channel-layout",
      G_TYPE_STRING, "stacked", NULL);
  gst_caps_append (all, caps);
}

/* The caps of frames whose map has the size of @map, a structure for each
 * layout of channels.  A source takes the first structure that it can give: one
 * channel comes first, squares come before other patterns. */
static GstCaps *
frames_of_map (GstEmdtrack *self, const GstStructure *map)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);
  GstCaps *any = gst_pad_get_pad_template_caps (pad), *all;
  gint across, down;

  if (!gst_structure_has_field_typed (map, "width", G_TYPE_INT) &&
      !gst_structure_has_field_typed (map, "height", G_TYPE_INT))
    return any;
  all = gst_caps_copy (any);
  gst_caps_unref (any);
  if (gst_emdtrack_known_cells (self, &across, &down)) {
    set_caps_size (all, map, across, down);
    return all;
  }
  set_caps_size (all, map, 1, 1);
  gst_caps_set_simple (all, "channels", G_TYPE_INT, 1, NULL);
  for (gint n = 2; n <= EMDTRACK_BINS; n++)
    add_stacked_caps (all, map, n);
  for (gint side = 2; side * side <= EMDTRACK_BINS; side++)
    add_mosaic_caps (all, map, side, side);
  for (across = 1; across <= EMDTRACK_BINS; across++)
    for (down = 1; across * down <= EMDTRACK_BINS; down++)
      if (across != down)
        add_mosaic_caps (all, map, across, down);
  return all;
}

static GstCaps *
caps_of_other_side (GstEmdtrack *self, GstPadDirection direction, GstCaps *caps,
    GstCaps *filter)
{
  GstCaps *result = gst_caps_new_empty (), *other;

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *s = gst_caps_get_structure (caps, i);
    const GValue *rate = gst_structure_get_value (s, "framerate");

    other = direction == GST_PAD_SINK ? map_of_frames (self, s)
                                      : frames_of_map (self, s);
    if (rate) {
      other = gst_caps_make_writable (other);
      gst_caps_set_value (other, "framerate", rate);
    }
    result = gst_caps_merge (result, other);
  }
  if (filter) {
    other = result;
    result = gst_caps_intersect_full (filter, other, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (other);
  }
  return result;
}

/* Why downstream does not accept the map of frames of @caps; NULL: it does. */
static const char *
check_map_caps (GstEmdtrack *self, GstCaps *caps)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self);
  GstCaps *map = map_of_frames (self, gst_caps_get_structure (caps, 0));
  GstCaps *wanted = gst_pad_peer_query_caps (pad, NULL);
  gboolean fits = gst_caps_can_intersect (map, wanted);

  gst_caps_unref (wanted);
  gst_caps_unref (map);
  return fits ? NULL
              : "output=map gives GRAY16_LE of one channel's size, which what "
                "is behind the element does not take";
}

/* Properties may have changed since the caps were negotiated; the caps hold. */
const char *
gst_emdtrack_settle_output (GstEmdtrack *self, const GstCaps *in, GstCaps *out)
{
  const GstStructure *s = gst_caps_get_structure (out, 0);
  gboolean passes = gst_caps_is_equal (in, out);
  gint width = 0, height = 0;
  gboolean is_map;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  is_map = width == self->width && height == self->height &&
      !g_strcmp0 (gst_structure_get_string (s, "format"), "GRAY16_LE");
  self->shows_map = is_map && (!passes || wants_map_output (self));
  return is_map || passes
      ? NULL
      : "channels or their layout were set while caps were negotiated; set "
        "them before";
}

/* ---- Buffers ---- */

static GstBaseTransformClass *parent;

static GstCaps *
emdtrack_transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);

  return wants_map_output (self)
      ? caps_of_other_side (self, direction, caps, filter)
      : parent->transform_caps (trans, direction, caps, filter);
}

/* Refuses caps whose map downstream does not accept with a reason, which the
 * parent would not give. */
static gboolean
emdtrack_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);
  GstVisionFilter *filter = GST_VISION_FILTER (trans);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && wants_map_output (self)) {
    gst_event_parse_caps (event, &caps);
    if (gst_vision_common_refused (
            gst_vision_common (filter), check_map_caps (self, caps))) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return parent->sink_event (trans, event);
}

/* Copies the input with its metas into a buffer of no pool, since a pool would
 * want the video meta back. */
static GstFlowReturn
emdtrack_prepare_output_buffer (
    GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
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
emdtrack_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstEmdtrack *self = GST_EMDTRACK (trans);
  GstFlowReturn flow = parent->transform_ip (trans, buffer);

  if (flow != GST_FLOW_OK || !self->shows_map)
    return flow;
  if (!self->picture)
    gst_emdtrack_make_picture (self, NULL);
  show_picture (self, buffer);
  return GST_FLOW_OK;
}

void
gst_emdtrack_install_output (GstBaseTransformClass *klass)
{
  parent = g_type_class_peek_parent (klass);
  klass->transform_caps = emdtrack_transform_caps;
  klass->sink_event = emdtrack_sink_event;
  klass->prepare_output_buffer = emdtrack_prepare_output_buffer;
  klass->transform_ip = emdtrack_transform_ip;
}

const char *
gst_emdtrack_make_picture (GstEmdtrack *self, const EmdtrackResults *results)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  gsize row = sizeof (guint16) * (gsize) self->width;
  gsize stride = GST_ROUND_UP_4 (row), size = stride * self->height;
  guint8 *pixels = g_malloc (size);
  ImageBox area;
  const char *err;
  gdouble stretch;

  memset (pixels, 0xff, size);
  gst_clear_buffer (&self->picture);
  self->picture = gst_buffer_new_wrapped (pixels, size);
  if (!results)
    return NULL;
  area = results->area;
  row = sizeof (guint16) * (gsize) (area.x1 - area.x0);
  err = device_copy_rows (&backend->device,
      pixels + area.y0 * stride + area.x0 * sizeof (guint16), stride,
      results->map[0], row, row, area.y1 - area.y0);
  if (!err)
    err = device_wait (&backend->device);
  stretch = 65535. / MAX (results->most, 1);
  for (gsize i = 0; i < size / 2 && !err; i++) {
    guint16 *value = (guint16 *) (gpointer) pixels + i;

    *value = (guint16) MIN (*value * stretch + .5, 65535);
  }
  return err;
}
