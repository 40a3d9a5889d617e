/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emdtrack/gstemdtrackproperties.h"

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

static void
keep (gpointer place, const GValue *value, GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_free (*(gchar **) place);
    *(gchar **) place = g_value_dup_string (value);
  } else if (G_IS_PARAM_SPEC_ENUM (pspec))
    *(gint *) place = g_value_get_enum (value);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    *(gint *) place = g_value_get_int (value);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    *(gboolean *) place = g_value_get_boolean (value);
  else
    *(gdouble *) place = g_value_get_double (value);
}

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
    keep (G_STRUCT_MEMBER_P (self, places[id]), value, pspec);
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
  if (G_IS_PARAM_SPEC_STRING (pspec))
    g_value_set_string (value, *(gchar **) place);
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, *(gint *) place);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, *(gint *) place);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, *(gboolean *) place);
  else
    g_value_set_double (value, *(gdouble *) place);
  GST_OBJECT_UNLOCK (self);
}
