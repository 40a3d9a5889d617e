/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps of output=map: the map of frames, and the frames that have a map. */
#include "emdtrack/gstemdtrack.h"

#define GREY \
 "video/x-raw, format = (string) { GRAY8, GRAY16_LE }, " \
 "width = (int) [ 1, 16384 ], height = (int) [ 1, 65536 ]"

gboolean
gst_emdtrack_wants_map (GstEmdtrack *self)
{
  gboolean map;

  GST_OBJECT_LOCK (self);
  map = self->output == GST_EMDTRACK_OUTPUT_MAP;
  GST_OBJECT_UNLOCK (self);
  return map;
}

/* Sides that @from does not fix stay as they are. */
static void
set_size (GstCaps *caps, const GstStructure *from, gint across, gint down)
{
  gint n;

  if (gst_structure_get_int (from, "width", &n))
    gst_caps_set_simple (caps, "width", G_TYPE_INT, n * across, NULL);
  if (gst_structure_get_int (from, "height", &n))
    gst_caps_set_simple (caps, "height", G_TYPE_INT, n * down, NULL);
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
add_mosaic (GstCaps *all, const GstStructure *map, gint across, gint down)
{
  GstCaps *caps = gst_caps_from_string (GREY);
  gchar *pattern = g_strdup_printf ("%dx%d", across, down);

  set_size (caps, map, across, down);
  gst_caps_set_simple (caps, "channels", G_TYPE_INT, across * down,
      "channel-layout", G_TYPE_STRING, "mosaic", "mosaic-pattern",
      G_TYPE_STRING, pattern, NULL);
  gst_caps_append (all, caps);
  g_free (pattern);
}

static void
add_stacked (GstCaps *all, const GstStructure *map, gint channels)
{
  GstCaps *caps = gst_caps_from_string (GREY);

  set_size (caps, map, 1, channels);
  gst_caps_set_simple (caps, "channels", G_TYPE_INT, channels, "channel-layout",
      G_TYPE_STRING, "stacked", NULL);
  gst_caps_append (all, caps);
}

/* Where the map's size is fixed, that of frames depends on how their channels
 * lie: one channel first, squares before other patterns, as a source takes the
 * first that it can give. */
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
    set_size (all, map, across, down);
    return all;
  }
  set_size (all, map, 1, 1);
  gst_caps_set_simple (all, "channels", G_TYPE_INT, 1, NULL);
  for (gint n = 2; n <= EMDTRACK_BINS; n++)
    add_stacked (all, map, n);
  for (gint side = 2; side * side <= EMDTRACK_BINS; side++)
    add_mosaic (all, map, side, side);
  for (across = 1; across <= EMDTRACK_BINS; across++)
    for (down = 1; across * down <= EMDTRACK_BINS; down++)
      if (across != down)
        add_mosaic (all, map, across, down);
  return all;
}

GstCaps *
gst_emdtrack_transform_caps (GstEmdtrack *self, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
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

const char *
gst_emdtrack_check_map (GstEmdtrack *self, GstCaps *caps)
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

/* Properties may have changed since the caps were made, and these hold. */
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
  self->shows_map = is_map && (!passes || gst_emdtrack_wants_map (self));
  return is_map || passes
      ? NULL
      : "channels or their layout were set while caps were negotiated; set "
        "them before";
}
