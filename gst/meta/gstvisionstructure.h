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
/* The structure of a buffer's meta; adds a missing meta. */
GstStructure *gst_vision_structure_ensure (
    GstBuffer *buffer, GstVisionMetaKind kind, GstVisionOrigin origin);

/* Results have no tags, so elements copy them as they are.  A buffer with
 * results has VisionGeometry, too, whose tags make elements that know where
 * they put the pixels transform it, and other elements drop it.  NULL: it is
 * dropped. */
GstStructure *gst_vision_structure_get_geometry (GstBuffer *buffer);
void gst_vision_structure_add_geometry (GstBuffer *buffer);

/* The functions by which GStreamer copies and transforms both kinds; @results
 * gets the name of the meta. */
void gst_vision_structure_set_transforms (
    GstCustomMetaTransformFunction results,
    GstCustomMetaTransformFunction geometry);

/* The size that positions refer to; FALSE: it is missing. */
gboolean gst_vision_structure_get_reference (
    const GstStructure *structure, guint *width, guint *height);

/* The array of structures in @field of @structure: their number, 0 if the field
 * is no such array, and the structure @index, NULL if the item is none. */
guint gst_vision_structure_n_items (
    const GstStructure *structure, const gchar *field);
const GstStructure *gst_vision_structure_nth_item (
    const GstStructure *structure, const gchar *field, guint index);

/* ensure_items () returns the array in @field and adds a missing array; take ()
 * appends @item to it and owns @item then. */
GValue *gst_vision_structure_ensure_items (
    GstStructure *structure, const gchar *field);
void gst_vision_items_take (GValue *items, GstStructure *item);

/* Arrays of doubles.  @numbers has room for the whole array; FALSE if @value is
 * no array of doubles, or a number in it is infinite or NaN. */
void gst_vision_doubles_to_value (
    const gdouble *numbers, guint n, GValue *value);
gboolean gst_vision_doubles_from_value (const GValue *value, gdouble *numbers);

/* ---- gstvisionfields.c: a GstVisionObject as a structure, and back ---- */

/* A new structure with the fields of @object that are known and whose arrays
 * have a right length. */
GstStructure *gst_vision_object_to_structure (const GstVisionObject *object);

/* Leaves fields unknown that are missing in @structure or have another type or
 * length.  gst_vision_object_disown () frees the texts and arrays of @object.
 */
void gst_vision_object_from_structure (
    GstVisionObject *object, const GstStructure *structure);

/* Replaces the texts and arrays of @object by copies that it owns. */
void gst_vision_object_own (GstVisionObject *object);
void gst_vision_object_disown (GstVisionObject *object);
