/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpuccl/gstgpucclproperties.h"

#define AT(field) G_STRUCT_OFFSET (GstGpuccl, field)

/* Where the value of each is kept, in the type that GObject has for it. */
static const gsize places[] = {
    [PROP_ALGORITHM] = AT (params.algorithm),
    [PROP_DETECTOR] = AT (params.detector),
    [PROP_FILTER] = AT (params.filter),
    [PROP_CONNECTIVITY] = AT (params.connectivity),
    [PROP_THRESHOLD] = AT (params.threshold),
    [PROP_SKIP_CHECKS] = AT (params.skip_checks),
    [PROP_MAX_DEPTH_STEP] = AT (params.max_depth_step),
    [PROP_DEPTH_STEP_K] = AT (params.depth_step_k),
    [PROP_MIN_AREA] = AT (params.min_area),
    [PROP_MAX_COMPONENTS] = AT (params.max_components),
    [PROP_MIN_SIZE] = AT (params.min_size),
    [PROP_MIN_FILL] = AT (params.min_fill),
    [PROP_MIN_EXTENT] = AT (params.min_extent),
    [PROP_FRAMES] = AT (params.frames),
    [PROP_MATCH] = AT (params.match),
    [PROP_MATCH_DISTANCE] = AT (params.match_distance),
    [PROP_MATCH_PIXELS] = AT (params.match_pixels),
    [PROP_MATCH_RATIO] = AT (params.match_ratio),
    [PROP_LABEL_MAP] = AT (label_map),
};

G_STATIC_ASSERT (sizeof (GpucclAlgorithm) == sizeof (gint));

void
gst_gpuccl_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstGpuccl *self = GST_GPUCCL (object);
  gpointer place;

  if (id >= PROP_INTRINSICS) {
    gst_vision_intrinsics_set_property (
        &self->intrinsics, GST_ELEMENT (self), id - PROP_INTRINSICS, value);
    return;
  }
  place = G_STRUCT_MEMBER_P (self, places[id]);
  GST_OBJECT_LOCK (self);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    *(gint *) place = g_value_get_enum (value);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    *(gint *) place = g_value_get_int (value);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    *(guint *) place = g_value_get_uint (value);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    *(gboolean *) place = g_value_get_boolean (value);
  else
    *(gdouble *) place = g_value_get_double (value);
  GST_OBJECT_UNLOCK (self);
}

void
gst_gpuccl_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstGpuccl *self = GST_GPUCCL (object);
  gpointer place;

  if (id >= PROP_INTRINSICS) {
    gst_vision_intrinsics_get_property (
        &self->intrinsics, GST_ELEMENT (self), id - PROP_INTRINSICS, value);
    return;
  }
  place = G_STRUCT_MEMBER_P (self, places[id]);
  GST_OBJECT_LOCK (self);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, *(gint *) place);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, *(gint *) place);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (value, *(guint *) place);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, *(gboolean *) place);
  else
    g_value_set_double (value, *(gdouble *) place);
  GST_OBJECT_UNLOCK (self);
}
