/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionmirror.h"

#include <math.h>

#include "gstvisionstructure.h"

/* Rounds a span outwards to @n whole pixels @from its first, within a side of
 * @size pixels. */
static void
clamp_span (gdouble start, gdouble length, guint size, guint *from, guint *n)
{
  gdouble first = CLAMP (floor (start), 0, size);
  gdouble end = CLAMP (ceil (start + length), first, size);

  *from = (guint) first;
  *n = (guint) (end - first);
}

/* The box of an object that other elements shall see.  FALSE: the object is
 * lost or rejected, or its box lies outside of the frame. */
static gboolean
box_of_object (const GstVisionObject *object, const GstVisionObjects *objects,
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
  box->type = gst_vision_object_make_type (object);
  return TRUE;
}

static void
add_object_region (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box)
{
  GstVideoRegionOfInterestMeta *region =
      gst_buffer_add_video_region_of_interest_meta_id (
          buffer, box->type, box->x, box->y, box->width, box->height);

  region->id = (gint) object->id;
}

static void
add_object_metas (
    GstBuffer *buffer, const GstVisionObjects *objects, gboolean analytics)
{
  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *object = &objects->objects[i];
    GstVisionBox box;

    if (analytics && object->state == GST_VISION_STATE_LOST)
      gst_vision_analytics_add_lost (buffer, object, objects->n_objects);
    if (!box_of_object (object, objects, &box))
      continue;
    add_object_region (buffer, object, &box);
    if (analytics)
      gst_vision_analytics_add (buffer, object, &box, objects->n_objects);
  }
}

void
gst_vision_mirror_add (GstBuffer *buffer, const GstVisionObjects *objects)
{
  add_object_metas (buffer, objects, TRUE);
}

/* Identifies a region by type and id, which a conversion of the frame keeps. */
static gint64
region_key (gint id, GQuark type)
{
  return (gint64) ((guint64) type << 32 | (guint32) id);
}

static gboolean
remove_object_region (GstBuffer *buffer, GstMeta **meta, gpointer data)
{
  const GstVideoRegionOfInterestMeta *region =
      (GstVideoRegionOfInterestMeta *) *meta;
  gint64 key;

  (void) buffer;
  if ((*meta)->info->api != GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
    return TRUE;
  key = region_key (region->id, region->roi_type);
  if (g_hash_table_contains (data, &key))
    *meta = NULL;
  return TRUE;
}

static void
remove_object_regions (GstBuffer *buffer, const GstVisionObjects *objects)
{
  GHashTable *ours = g_hash_table_new (g_int64_hash, g_int64_equal);
  gint64 *keys = g_new (gint64, objects->n_objects);

  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *object = &objects->objects[i];

    keys[i] =
        region_key ((gint) object->id, gst_vision_object_find_type (object));
    g_hash_table_add (ours, &keys[i]);
  }
  gst_buffer_foreach_meta (buffer, remove_object_region, ours);
  g_hash_table_unref (ours);
  g_free (keys);
}

void
gst_vision_mirror_renew (GstBuffer *buffer, const GstVisionObjects *objects)
{
  remove_object_regions (buffer, objects);
  add_object_metas (
      buffer, objects, gst_vision_analytics_clear (buffer, objects));
}

/* ---- What other elements found ---- */

static gboolean
has_type_of (
    const GstVideoRegionOfInterestMeta *region, const GstVisionObjects *objects)
{
  for (guint i = 0; objects && i < objects->n_objects; i++)
    if (region->roi_type == gst_vision_object_find_type (&objects->objects[i]))
      return TRUE;
  return FALSE;
}

/* Some detectors add a detection and a region of each object. */
static const GstVisionObject *
object_at_region (
    const GstVideoRegionOfInterestMeta *region, const GArray *found)
{
  for (guint i = 0; i < found->len; i++) {
    const GstVisionObject *object = &g_array_index (found, GstVisionObject, i);

    if (fabs (region->x - object->x) <= 2 &&
        fabs (region->y - object->y) <= 2 &&
        !g_strcmp0 (g_quark_to_string (region->roi_type), object->label))
      return object;
  }
  return NULL;
}

static void
append_region (const GstVideoRegionOfInterestMeta *region, GArray *found)
{
  GstVisionObject object;

  gst_vision_object_init (&object);
  object.element = "visionmeta";
  object.label = g_quark_to_string (region->roi_type);
  object.id = (guint) MAX (region->id, 0);
  object.x = region->x;
  object.y = region->y;
  object.width = region->w;
  object.height = region->h;
  gst_vision_object_own (&object);
  g_array_append_val (found, object);
}

/* Regions get the ids of their objects, by which remove_object_regions () knows
 * them. */
void
gst_vision_mirror_read (
    GstBuffer *buffer, const GstVisionObjects *objects, GArray *found)
{
  GstVideoRegionOfInterestMeta *region;
  gpointer state = NULL;

  gst_vision_analytics_read (buffer, objects, found);
  while ((region = (gpointer) gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVisionObject *object = object_at_region (region, found);

    if (!object && region->w && region->h && !has_type_of (region, objects) &&
        gst_vision_object_is_type (g_quark_to_string (region->roi_type))) {
      append_region (region, found);
      object = &g_array_index (found, GstVisionObject, found->len - 1);
    }
    if (object)
      region->id = (gint) object->id;
  }
}
