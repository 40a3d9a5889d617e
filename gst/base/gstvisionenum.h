/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Enumerations that are types of properties. */
#pragma once

#include <gst/gst.h>

/* Registers one that the plug-in's documents name; each once. */
static inline GType
gst_vision_enum_register (const gchar *name, const GEnumValue *values)
{
  GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}
