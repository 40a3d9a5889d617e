/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionobjects.h"

#include "gstvisionmirror.h"
#include "gstvisionmove.h"
#include "gstvisionstructure.h"

G_DEFINE_BOXED_TYPE (GstVisionObjects, gst_vision_objects,
    gst_vision_objects_copy, gst_vision_objects_free)

/**
 * gst_vision_objects_copy:
 * @objects: the objects of a frame
 *
 * Copies the objects of a frame and all that they point to.
 *
 * Returns: (transfer full): the copy; free it with gst_vision_objects_free()
 *
 * Since: 0.1
 */
GstVisionObjects *
gst_vision_objects_copy (const GstVisionObjects *objects)
{
  GstVisionObjects *copy = g_memdup2 (objects, sizeof *objects);

  copy->objects =
      g_memdup2 (objects->objects, objects->n_objects * sizeof *copy->objects);
  for (guint i = 0; i < copy->n_objects; i++)
    gst_vision_object_own (&copy->objects[i]);
  return copy;
}

/**
 * gst_vision_objects_free:
 * @objects: (transfer full) (nullable): the objects of a frame
 *
 * Frees the objects of a frame and all that they point to.
 *
 * Since: 0.1
 */
void
gst_vision_objects_free (GstVisionObjects *objects)
{
  if (!objects)
    return;
  for (guint i = 0; i < objects->n_objects; i++)
    gst_vision_object_disown (&objects->objects[i]);
  g_free (objects->objects);
  g_free (objects);
}

/**
 * gst_vision_objects_nth:
 * @objects: the objects of a frame
 * @index: number of the object, from 0
 *
 * Copies one object, for languages that cannot reach the array @objects.  A
 * program must keep the copy as long as it reads arrays of it.
 *
 * Returns: (transfer full) (nullable): the copy; %NULL if the frame has @index
 *   objects or fewer
 *
 * Since: 0.1
 */
GstVisionObject *
gst_vision_objects_nth (const GstVisionObjects *objects, guint index)
{
  g_return_val_if_fail (objects != NULL, NULL);
  if (index >= objects->n_objects)
    return NULL;
  return gst_vision_object_copy (&objects->objects[index]);
}

static void
append_object_items (
    GstStructure *structure, const GstVisionObject *objects, guint n_objects)
{
  GValue *items = gst_vision_structure_ensure_items (structure, "objects");

  for (guint i = 0; i < n_objects; i++)
    gst_vision_items_take (items, gst_vision_object_to_structure (&objects[i]));
}

static void
append_scaled_objects (GstStructure *structure, const GstVisionObjects *objects,
    guint ref_width, guint ref_height)
{
  GstVisionObjects *scaled = gst_vision_objects_copy (objects);

  gst_vision_objects_scale (scaled, ref_width, ref_height);
  append_object_items (structure, scaled->objects, scaled->n_objects);
  gst_vision_objects_free (scaled);
}

/**
 * gst_buffer_add_vision_objects:
 * @buffer: a writable #GstBuffer
 * @origin: whether an element found the objects (result) or a synthetic scene
 *   knows them (truth)
 * @ref_width: width of the frame whose pixels @objects count, above 0
 * @ref_height: height of that frame, above 0
 * @objects: (array length=n_objects): the objects; the function copies them
 * @n_objects: number of objects; 0 says that the element found nothing
 *
 * Appends objects to those of a buffer.  If these have another reference size,
 * the function scales the copies to it.
 *
 * The function also adds a #GstVideoRegionOfInterestMeta, in pixels of
 * @ref_width by @ref_height, for each result that has a box and, if the library
 * was built with GstAnalytics, an object detection and a tracking; see
 * gst_buffer_mirror_vision_objects().
 *
 * Returns: %TRUE; or %FALSE, with a critical warning, if @buffer is not
 *   writable or the reference size is 0
 *
 * Since: 0.1
 */
gboolean
gst_buffer_add_vision_objects (GstBuffer *buffer, GstVisionOrigin origin,
    guint ref_width, guint ref_height, const GstVisionObject *objects,
    guint n_objects)
{
  GstVisionObjects view = {
      ref_width, ref_height, n_objects, (GstVisionObject *) objects};
  GstStructure *structure;
  guint width, height;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (ref_width > 0 && ref_height > 0, FALSE);
  g_return_val_if_fail (objects != NULL || n_objects == 0, FALSE);

  structure =
      gst_vision_structure_ensure (buffer, GST_VISION_META_OBJECTS, origin);
  if (!gst_vision_structure_get_reference (structure, &width, &height)) {
    width = ref_width;
    height = ref_height;
    gst_structure_set (structure, "ref-width", G_TYPE_UINT, width, "ref-height",
        G_TYPE_UINT, height, NULL);
  }
  if (width == ref_width && height == ref_height)
    append_object_items (structure, objects, n_objects);
  else
    append_scaled_objects (structure, &view, width, height);

  if (origin == GST_VISION_ORIGIN_RESULT)
    gst_vision_mirror_add (buffer, &view);
  return TRUE;
}

/**
 * gst_buffer_get_vision_objects:
 * @buffer: a #GstBuffer
 * @origin: the origin of the objects
 *
 * Reads the objects of a buffer.  A field whose type is not that of the schema
 * is not known.
 *
 * Returns: (transfer full) (nullable): the objects; free them with
 *   gst_vision_objects_free().  %NULL if no element has added objects of this
 *   origin
 *
 * Since: 0.1
 */
GstVisionObjects *
gst_buffer_get_vision_objects (GstBuffer *buffer, GstVisionOrigin origin)
{
  const GstStructure *structure;
  GstVisionObjects *objects;
  guint n, width, height;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  structure =
      gst_vision_structure_get (buffer, GST_VISION_META_OBJECTS, origin);
  if (!structure ||
      !gst_vision_structure_get_reference (structure, &width, &height))
    return NULL;

  n = gst_vision_structure_n_items (structure, "objects");
  objects = g_new (GstVisionObjects, 1);
  *objects = (GstVisionObjects){width, height, 0, g_new (GstVisionObject, n)};
  for (guint i = 0; i < n; i++) {
    const GstStructure *item =
        gst_vision_structure_nth_item (structure, "objects", i);

    if (item)
      gst_vision_object_from_structure (
          &objects->objects[objects->n_objects++], item);
  }
  return objects;
}

/**
 * gst_vision_objects_scale:
 * @objects: the objects of a frame
 * @ref_width: new reference width in pixels, above 0
 * @ref_height: new reference height in pixels, above 0
 *
 * Converts positions, sizes, areas, velocities, axes, and covariances of 4
 * numbers, to pixels of a frame of another size.
 *
 * Since: 0.1
 */
void
gst_vision_objects_scale (
    GstVisionObjects *objects, guint ref_width, guint ref_height)
{
  GstVisionMove move = {.sx = 1, .sy = 1};

  g_return_if_fail (objects != NULL && ref_width > 0 && ref_height > 0);
  if (ref_width == objects->ref_width && ref_height == objects->ref_height)
    return;
  move.sx = (gdouble) ref_width / objects->ref_width;
  move.sy = (gdouble) ref_height / objects->ref_height;
  for (guint i = 0; i < objects->n_objects; i++)
    gst_vision_object_move (&objects->objects[i], &move);
  objects->ref_width = ref_width;
  objects->ref_height = ref_height;
}

/* ---- As metas that other elements read ---- */

/**
 * gst_buffer_mirror_vision_objects:
 * @buffer: a writable #GstBuffer
 * @info: the size of the frame
 *
 * Renews the #GstVideoRegionOfInterestMeta of the objects of a buffer, in
 * pixels of this frame.  Call it behind elements that drop these metas, or
 * leave them as they were although the pixels move.  The function removes the
 * earlier regions of these objects: those with the same type and id.
 *
 * The type of a region is the label of its object or, without a label, its
 * element; its id is that of the object, cut to an int.  A type stays in memory
 * as long as the process runs.  So the type is "object" if the label has 256
 * bytes or more, or if labels have made 4096 types before.  The function rounds
 * a box outwards to whole pixels and cuts it at the edges of the frame.  It
 * leaves out objects that have no box, are lost or rejected, and ground truth.
 *
 * If the library was built with GstAnalytics, the function renews object
 * detections and trackings in the same way, of 256 objects at most, the first:
 * the memory of GstAnalytics grows with the square of their number.  If another
 * element has added to the same meta, that meta stays as it is.  A lost object
 * has only a tracking, which is marked as lost.  An object detection of another
 * element gets a region.
 *
 * Returns: %TRUE; or %FALSE if the buffer has no objects
 *
 * Since: 0.1
 */
gboolean
gst_buffer_mirror_vision_objects (GstBuffer *buffer, const GstVideoInfo *info)
{
  GstVisionObjects *objects;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (info && info->width > 0 && info->height > 0, FALSE);

  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  gst_vision_analytics_regions (buffer, info, objects);
  if (!objects)
    return FALSE;
  gst_vision_objects_scale (objects, info->width, info->height);
  gst_vision_mirror_renew (buffer, objects);
  gst_vision_objects_free (objects);
  return TRUE;
}

/* Appends objects of a frame of @info, without metas for other elements. */
static void
append_foreign_objects (
    GstBuffer *buffer, const GstVideoInfo *info, GArray *found)
{
  GstStructure *structure = gst_vision_structure_ensure (
      buffer, GST_VISION_META_OBJECTS, GST_VISION_ORIGIN_RESULT);
  GstVisionObjects view = {(guint) info->width, (guint) info->height,
      found->len, (GstVisionObject *) found->data};
  guint width, height;

  if (!gst_vision_structure_get_reference (structure, &width, &height)) {
    width = view.ref_width;
    height = view.ref_height;
    gst_structure_set (structure, "ref-width", G_TYPE_UINT, width, "ref-height",
        G_TYPE_UINT, height, NULL);
  }
  append_scaled_objects (structure, &view, width, height);
}

/**
 * gst_buffer_import_vision_objects:
 * @buffer: a writable #GstBuffer
 * @info: the size of the frame
 *
 * Appends to the objects of a buffer what other elements found: object
 * detections of GstAnalytics, with the tracking that is related to each, and
 * #GstVideoRegionOfInterestMeta.  What has the type of an object of the buffer
 * counts as that object.  The metas stay; gst_buffer_mirror_vision_objects()
 * renews them.
 *
 * Returns: the number of objects that were appended; 0, with a critical
 *   warning, if an argument is wrong
 *
 * Since: 0.1
 */
guint
gst_buffer_import_vision_objects (GstBuffer *buffer, const GstVideoInfo *info)
{
  GstVisionObjects *objects;
  GArray *found;
  guint n;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), 0);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), 0);
  g_return_val_if_fail (info && info->width > 0 && info->height > 0, 0);

  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  found = g_array_new (FALSE, FALSE, sizeof (GstVisionObject));
  gst_vision_mirror_read (buffer, objects, found);
  n = found->len;
  if (n > 0)
    append_foreign_objects (buffer, info, found);
  for (guint i = 0; i < n; i++)
    gst_vision_object_disown (&g_array_index (found, GstVisionObject, i));
  g_array_unref (found);
  gst_vision_objects_free (objects);
  return n;
}
