/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties whose values are fields of the element, each at its place and in
 * the type that GObject has for it: enumerations, integers, truth values,
 * numbers and texts.  The caller holds the object lock. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

static inline void
gst_vision_place_set (gpointer place, const GValue *value, GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_STRING (pspec)) {
    g_free (*(gchar **) place);
    *(gchar **) place = g_value_dup_string (value);
  } else if (G_IS_PARAM_SPEC_ENUM (pspec))
    *(gint *) place = g_value_get_enum (value);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    *(gint *) place = g_value_get_int (value);
  else if (G_IS_PARAM_SPEC_UINT64 (pspec))
    *(guint64 *) place = g_value_get_uint64 (value);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    *(gboolean *) place = g_value_get_boolean (value);
  else
    *(gdouble *) place = g_value_get_double (value);
}

static inline void
gst_vision_place_get (gconstpointer place, GValue *value, GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_STRING (pspec))
    g_value_set_string (value, *(gchar *const *) place);
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, *(const gint *) place);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, *(const gint *) place);
  else if (G_IS_PARAM_SPEC_UINT64 (pspec))
    g_value_set_uint64 (value, *(const guint64 *) place);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, *(const gboolean *) place);
  else
    g_value_set_double (value, *(const gdouble *) place);
}

G_END_DECLS
