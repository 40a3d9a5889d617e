/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionmirror.h"

#include <math.h>
#include <string.h>

#include "gstvisionstructure.h"

/* A type is a quark, which lives as long as the process: labels of metas from
 * outside must not make any number of them. */
#define MAX_TYPES 4096
#define MAX_BYTES 256  /* of one type */
#define OTHER "object" /* the type without a label, or without room for it */

static const gchar *
name_of (const GstVisionObject *object)
{
  const gchar *name = object->label ? object->label : object->element;

  return name && strnlen (name, MAX_BYTES) < MAX_BYTES ? name : OTHER;
}

GQuark
gst_vision_mirror_type (const GstVisionObject *object)
{
  GQuark known = g_quark_try_string (name_of (object));

  return known ? known : g_quark_from_static_string (OTHER);
}

/* The type of an object, which may be a new one. */
static GQuark
make_type (const GstVisionObject *object)
{
  static gint made; /* atomic */
  const gchar *name = name_of (object);
  GQuark known = g_quark_try_string (name);

  if (known)
    return known;
  if (g_atomic_int_get (&made) >= MAX_TYPES)
    return g_quark_from_static_string (OTHER);
  g_atomic_int_inc (&made);
  return g_quark_from_string (name);
}

/* The pixels from the lower edge to the upper edge, as far as they lie in a
 * frame of @size pixels. */
static void
clamp_span (gdouble start, gdouble length, guint size, guint *from, guint *n)
{
  gdouble first = CLAMP (floor (start), 0, size);
  gdouble end = CLAMP (ceil (start + length), first, size);

  *from = (guint) first;
  *n = (guint) (end - first);
}

/* FALSE if others are not shown the object: its box is outside of the frame, or
 * it is not seen. */
static gboolean
box_of (const GstVisionObject *object, const GstVisionObjects *objects,
    GstVisionBox *box)
{
  if (object->state == GST_VISION_STATE_LOST ||
      object->state == GST_VISION_STATE_REJECTED ||
      !isfinite (object->x + object->y + object->width + object->height))
    return FALSE;
  clamp_span (
      object->x, object->width, objects->ref_width, &box->x, &box->width);
  clamp_span (
      object->y, object->height, objects->ref_height, &box->y, &box->height);
  if (!box->width || !box->height)
    return FALSE;
  box->type = make_type (object);
  return TRUE;
}

static void
add_region (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box)
{
  GstVideoRegionOfInterestMeta *region =
      gst_buffer_add_video_region_of_interest_meta_id (
          buffer, box->type, box->x, box->y, box->width, box->height);

  region->id = (gint) object->id;
}

static void
add_metas (
    GstBuffer *buffer, const GstVisionObjects *objects, gboolean analytics)
{
  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *object = &objects->objects[i];
    GstVisionBox box;

    if (analytics && object->state == GST_VISION_STATE_LOST)
      gst_vision_analytics_add_lost (buffer, object);
    if (!box_of (object, objects, &box))
      continue;
    add_region (buffer, object, &box);
    if (analytics)
      gst_vision_analytics_add (buffer, object, &box);
  }
}

void
gst_vision_mirror_add (GstBuffer *buffer, const GstVisionObjects *objects)
{
  add_metas (buffer, objects, TRUE);
}

/* A conversion keeps only the type, the ids and the box of a region: a region
 * of ours is recognised by type and ids. */
static gint64
key_of (gint id, GQuark type)
{
  return (gint64) ((guint64) type << 32 | (guint32) id);
}

static gboolean
remove_region (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  const GstVideoRegionOfInterestMeta *region =
      (GstVideoRegionOfInterestMeta *) *meta;
  gint64 key;

  (void) buffer;
  if ((*meta)->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
    return TRUE;
  key = key_of (region->id, region->roi_type);
  if (g_hash_table_contains (data, &key))
    *meta = NULL;
  return TRUE;
}

static void
remove_regions (GstBuffer *buffer, const GstVisionObjects *objects)
{
  GHashTable *ours = g_hash_table_new (g_int64_hash, g_int64_equal);
  gint64 *keys = g_new (gint64, objects->n_objects);

  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *object = &objects->objects[i];

    keys[i] = key_of ((gint) object->id, gst_vision_mirror_type (object));
    g_hash_table_add (ours, &keys[i]);
  }
  gst_buffer_foreach_meta (buffer, remove_region, ours);
  g_hash_table_unref (ours);
  g_free (keys);
}

/**
 * gst_buffer_mirror_vision_objects:
 * @buffer: a writable #GstBuffer
 * @info: the size of the frame
 *
 * Renews the #GstVideoRegionOfInterestMeta of the objects of a buffer, in
 * pixels of this frame.  Call it behind elements that drop these metas or do
 * not scale them.  The function removes the earlier regions of these objects:
 * those with the same type and id.
 *
 * The type of a region is the label of its object or, without a label, its
 * element; its id is that of the object, cut to an int.  A type stays in memory
 * as long as the process runs.  So the type is "object" if the label has 256
 * bytes or more, or if labels have made 4096 types before.  The function rounds
 * a box outwards to whole pixels and cuts it at the edges of the frame.  It
 * leaves out objects that have no box, are lost or rejected, and ground truth.
 *
 * If the library was built with GstAnalytics, the function renews object
 * detections and trackings in the same way.  If another element has added to
 * the same meta, that meta stays as it is.  A lost object has only a tracking,
 * which is marked as lost.  An object detection of another element gets a
 * region.
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
  remove_regions (buffer, objects);
  add_metas (buffer, objects, gst_vision_analytics_clear (buffer, objects));
  gst_vision_objects_free (objects);
  return TRUE;
}
