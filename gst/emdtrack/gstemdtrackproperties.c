/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emdtrack/gstemdtrackproperties.h"

#include "base/gstvisionplace.h"

#define AT(field) G_STRUCT_OFFSET (GstEmdtrack, field)

/* Where the value of each is kept, in the type that GObject has for it. */
static const gsize places[] = {
    [PROP_TARGETS] = AT (targets),
    [PROP_TARGET_META] = AT (target_meta),
    [PROP_MOSAIC_PATTERN] = AT (mosaic_pattern),
    [PROP_DISTANCE_FILE] = AT (distance_file),
    [PROP_HISTOGRAM] = AT (params.histogram),
    [PROP_WINDOW] = AT (params.window),
    [PROP_BINS] = AT (params.bins),
    [PROP_WHITE] = AT (params.white),
    [PROP_SPECTRUM_MASS] = AT (params.spectrum_mass),
    [PROP_GROUND_DISTANCE] = AT (distance),
    [PROP_SATURATION] = AT (saturation),
    [PROP_SOLVER] = AT (params.solver),
    [PROP_MAX_TREES] = AT (params.max_trees),
    [PROP_CACHE_BITS] = AT (params.cache_bits),
    [PROP_CHANNELS] = AT (channels),
    [PROP_CHANNEL_LAYOUT] = AT (layout),
    [PROP_SEARCH] = AT (track.search),
    [PROP_SCALES] = AT (track.scales),
    [PROP_SCALE_STEP] = AT (track.scale_step),
    [PROP_OCCLUDE] = AT (track.occlude),
    [PROP_RESUME] = AT (track.resume),
    [PROP_LOSE_FRAMES] = AT (track.lose_frames),
    [PROP_TEMPLATE_UPDATE] = AT (track.update),
    [PROP_NORMALISE_GAIN] = AT (normalise_gain),
    [PROP_EMD_MAP] = AT (emd_map),
    [PROP_OUTPUT] = AT (output),
};

G_STATIC_ASSERT (sizeof (EmdtrackBins) == sizeof (gint));
G_STATIC_ASSERT (sizeof (GstEmdtrackDistance) == sizeof (gint));

void
gst_emdtrack_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstEmdtrack *self = GST_EMDTRACK (object);

  if (id == PROP_TARGETS) {
    gst_emdtrack_set_targets (self, g_value_get_string (value));
  } else if (id == PROP_TARGET_META) {
    gst_emdtrack_set_target_meta (self, g_value_get_string (value));
  } else {
    GST_OBJECT_LOCK (self);
    gst_vision_place_set (G_STRUCT_MEMBER_P (self, places[id]), value, pspec);
    GST_OBJECT_UNLOCK (self);
  }
}

void
gst_emdtrack_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstEmdtrack *self = GST_EMDTRACK (object);
  gpointer place = G_STRUCT_MEMBER_P (self, places[id]);

  GST_OBJECT_LOCK (self);
  gst_vision_place_get (place, value, pspec);
  GST_OBJECT_UNLOCK (self);
}

void
gst_emdtrack_clear_properties (GstEmdtrack *self)
{
  g_free (self->mosaic_pattern);
  g_free (self->distance_file);
  g_free (self->targets);
  g_free (self->target_meta);
  g_free (self->problem);
  g_free (self->wrong);
  g_clear_pointer (&self->pending, gst_emdtrack_choices_free);
}
