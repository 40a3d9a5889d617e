/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionstructure.h"

#include <math.h>

#include "gstvisionorigin.h"

static const gchar *const names[GST_VISION_META_KINDS][2] = {
    {"VisionObjects", "VisionTruthObjects"},
    {"VisionCamera", "VisionTruthCamera"},
    {"VisionMaps", "VisionTruthMaps"},
};

static const GstMetaInfo *infos[GST_VISION_META_KINDS][2], *geometry_info;
static GstCustomMetaTransformFunction transform_results, transform_geometry;

void
gst_vision_structure_set_transforms (GstCustomMetaTransformFunction results,
    GstCustomMetaTransformFunction geometry)
{
  transform_results = results;
  transform_geometry = geometry;
}

static const GstMetaInfo *
register_name (const gchar *name, const gchar **tags,
    GstCustomMetaTransformFunction transform)
{
  const GstMetaInfo *known = gst_meta_get_info (name);

  return known
      ? known
      : gst_meta_register_custom (name, tags, transform, (gpointer) name, NULL);
}

/* Elements that convert, scale or download frames pass on what has no tags. */
static gpointer
register_all (gpointer unused)
{
  static const gchar *none[] = {NULL};
  static const gchar *tags[] = {GST_META_TAG_VIDEO_STR,
      GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL};

  (void) unused;
  for (guint kind = 0; kind < GST_VISION_META_KINDS; kind++)
    for (guint origin = 0; origin < 2; origin++)
      infos[kind][origin] =
          register_name (names[kind][origin], none, transform_results);
  geometry_info = register_name ("VisionGeometry", tags, transform_geometry);
  return NULL;
}

static const GstMetaInfo *
info_of (GstVisionMetaKind kind, GstVisionOrigin origin)
{
  static GOnce once = G_ONCE_INIT;

  g_once (&once, register_all, NULL);
  return infos[kind][origin == GST_VISION_ORIGIN_TRUTH];
}

GstStructure *
gst_vision_structure_get (
    GstBuffer *buffer, GstVisionMetaKind kind, GstVisionOrigin origin)
{
  GstMeta *meta = gst_buffer_get_meta (buffer, info_of (kind, origin)->api);

  return meta ? gst_custom_meta_get_structure ((GstCustomMeta *) meta) : NULL;
}

GstStructure *
gst_vision_structure_ensure (
    GstBuffer *buffer, GstVisionMetaKind kind, GstVisionOrigin origin)
{
  GstStructure *structure = gst_vision_structure_get (buffer, kind, origin);

  if (structure)
    return structure;
  gst_vision_structure_add_geometry (buffer);
  return gst_custom_meta_get_structure ((GstCustomMeta *) gst_buffer_add_meta (
      buffer, info_of (kind, origin), NULL));
}

GstStructure *
gst_vision_structure_get_geometry (GstBuffer *buffer)
{
  GstMeta *meta = gst_buffer_get_meta (buffer, geometry_info->api);

  return meta ? gst_custom_meta_get_structure ((GstCustomMeta *) meta) : NULL;
}

void
gst_vision_structure_add_geometry (GstBuffer *buffer)
{
  GstStructure *geometry = gst_vision_structure_get_geometry (buffer);

  if (geometry)
    gst_structure_remove_all_fields (geometry);
  else
    gst_buffer_add_meta (buffer, geometry_info, NULL);
}

gboolean
gst_vision_structure_get_reference (
    const GstStructure *structure, guint *width, guint *height)
{
  return gst_structure_get_uint (structure, "ref-width", width) &&
      gst_structure_get_uint (structure, "ref-height", height) && *width > 0 &&
      *height > 0;
}

/* The field, if it is an array of structures; else NULL. */
static const GValue *
items_of (const GstStructure *structure, const gchar *field)
{
  const GValue *items = gst_structure_get_value (structure, field);

  if (!items || !GST_VALUE_HOLDS_ARRAY (items) ||
      (gst_value_array_get_size (items) > 0 &&
          !GST_VALUE_HOLDS_STRUCTURE (gst_value_array_get_value (items, 0))))
    return NULL;
  return items;
}

guint
gst_vision_structure_n_items (const GstStructure *structure, const gchar *field)
{
  const GValue *items = items_of (structure, field);

  return items ? gst_value_array_get_size (items) : 0;
}

const GstStructure *
gst_vision_structure_nth_item (
    const GstStructure *structure, const gchar *field, guint index)
{
  const GValue *item =
      gst_value_array_get_value (items_of (structure, field), index);

  return GST_VALUE_HOLDS_STRUCTURE (item) ? gst_value_get_structure (item)
                                          : NULL;
}

/* Returns the array to be changed in place, since taking it out and putting it
 * back would copy every structure in it.  The caller's buffer is writable. */
GValue *
gst_vision_structure_ensure_items (GstStructure *structure, const gchar *field)
{
  GValue items = G_VALUE_INIT;

  if (!items_of (structure, field)) {
    gst_value_array_init (&items, 8);
    gst_structure_take_value (structure, field, &items);
  }
  return (GValue *) items_of (structure, field);
}

void
gst_vision_items_take (GValue *items, GstStructure *item)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, item);
  gst_value_array_append_and_take_value (items, &value);
}

void
gst_vision_doubles_to_value (const gdouble *numbers, guint n, GValue *value)
{
  gst_value_array_init (value, n);
  for (guint i = 0; i < n; i++) {
    GValue number = G_VALUE_INIT;

    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_set_double (&number, numbers[i]);
    gst_value_array_append_and_take_value (value, &number);
  }
}

gboolean
gst_vision_doubles_from_value (const GValue *value, gdouble *numbers)
{
  guint n;

  if (!GST_VALUE_HOLDS_ARRAY (value))
    return FALSE;
  n = gst_value_array_get_size (value);
  for (guint i = 0; i < n; i++) {
    const GValue *number = gst_value_array_get_value (value, i);

    if (!G_VALUE_HOLDS_DOUBLE (number) ||
        !isfinite (g_value_get_double (number)))
      return FALSE;
    numbers[i] = g_value_get_double (number);
  }
  return TRUE;
}

/* ---- The type of origins, and the registration of the metas ---- */

G_DEFINE_ENUM_TYPE (GstVisionOrigin, gst_vision_origin,
    G_DEFINE_ENUM_VALUE (GST_VISION_ORIGIN_RESULT, "result"),
    G_DEFINE_ENUM_VALUE (GST_VISION_ORIGIN_TRUTH, "truth"))

/**
 * gst_vision_meta_register:
 *
 * Registers the names of the metas with GStreamer.  All functions that add or
 * read a meta do so themselves.  Call this function if your program reads the
 * metas as #GstCustomMeta, or receives them from another process, and has
 * called none of those functions before.
 *
 * Since: 0.1
 */
void
gst_vision_meta_register (void)
{
  info_of (GST_VISION_META_OBJECTS, GST_VISION_ORIGIN_RESULT);
}
