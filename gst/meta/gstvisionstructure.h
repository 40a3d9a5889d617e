/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The GstStructures of the metas: how to reach them on a buffer, and the
 * arrays in them.  Private to the library. */
#pragma once

#include "gstvisionobject.h"
#include "gstvisionorigin.h"

typedef enum {
  GST_VISION_META_OBJECTS,
  GST_VISION_META_CAMERA,
  GST_VISION_META_MAPS,
  GST_VISION_META_KINDS,
} GstVisionMetaKind;

/* The structure of a buffer's meta; NULL: it has none. */
GstStructure *gst_vision_structure_get (
    GstBuffer *buffer, GstVisionMetaKind kind, GstVisionOrigin origin);
/* The same; a missing one is made. */
GstStructure *gst_vision_structure_ensure (
    GstBuffer *buffer, GstVisionMetaKind kind, GstVisionOrigin origin);

/* The size that positions refer to; FALSE: it is missing. */
gboolean gst_vision_structure_get_reference (
    const GstStructure *structure, guint *width, guint *height);

/* An array of structures, @field of @structure: their number (0 if the field is
 * no such array), and one of them (NULL if that is no structure). */
guint gst_vision_structure_n_items (
    const GstStructure *structure, const gchar *field);
const GstStructure *gst_vision_structure_nth_item (
    const GstStructure *structure, const gchar *field, guint index);

/* The array to append to, which is made if it is missing; appends a structure,
 * which is taken. */
GValue *gst_vision_structure_ensure_items (
    GstStructure *structure, const gchar *field);
void gst_vision_items_take (GValue *items, GstStructure *item);

/* Arrays of doubles.  @numbers has room for all of the array; FALSE if @value
 * is anything else, or a number in it is infinite or NaN. */
void gst_vision_doubles_to_value (
    const gdouble *numbers, guint n, GValue *value);
gboolean gst_vision_doubles_from_value (const GValue *value, gdouble *numbers);

/* ---- gstvisionfields.c: a GstVisionObject as such a structure, and back ----
 */

/* A new structure with every field that is known and has its right size. */
GstStructure *gst_vision_object_to_structure (const GstVisionObject *object);

/* Fields that are missing, or of another type or size, are not known.  Free
 * what @object points to with gst_vision_object_disown(). */
void gst_vision_object_from_structure (
    GstVisionObject *object, const GstStructure *structure);

/* Replaces everything that @object points to by copies. */
void gst_vision_object_own (GstVisionObject *object);
void gst_vision_object_disown (GstVisionObject *object);
