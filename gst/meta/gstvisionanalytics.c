/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects in GstAnalytics: each has an object detection, related to a tracking
 * if the object has an id.  Detections of other elements become regions of
 * interest. */
#include <math.h>

#include "gstvisionmirror.h"

#ifdef HAVE_ANALYTICS
# include <gst/analytics/analytics.h>

/* Sets of the types and ids of the objects, to look up the parts of a meta in.
 */
typedef struct {
  GHashTable *types, *ids;
} ObjectKeys;

static void
object_keys_open (ObjectKeys *self, const GstVisionObjects *objects)
{
  self->types = g_hash_table_new (NULL, NULL);
  self->ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; objects && i < objects->n_objects; i++) {
    GstVisionObject *object = &objects->objects[i];

    g_hash_table_add (
        self->types, GUINT_TO_POINTER (gst_vision_object_find_type (object)));
    g_hash_table_add (self->ids, &object->id);
  }
}

static void
object_keys_close (ObjectKeys *self)
{
  g_hash_table_unref (self->types);
  g_hash_table_unref (self->ids);
}

static gboolean
is_of_objects (const ObjectKeys *self, GstAnalyticsMtd *mtd)
{
  GstAnalyticsMtdType type = gst_analytics_mtd_get_mtd_type (mtd);
  GstClockTime first, last;
  guint64 id = 0;
  gboolean lost;

  if (type == gst_analytics_od_mtd_get_mtd_type ())
    return g_hash_table_contains (self->types,
        GUINT_TO_POINTER (gst_analytics_od_mtd_get_obj_type (mtd)));
  if (type != gst_analytics_tracking_mtd_get_mtd_type ())
    return FALSE;
  gst_analytics_tracking_mtd_get_info (mtd, &id, &first, &last, &lost);
  return g_hash_table_contains (self->ids, &id);
}

/* GStreamer can remove only the whole meta, not parts of it.  It has scaled the
 * parts that stay. */
gboolean
gst_vision_analytics_clear (GstBuffer *buffer, const GstVisionObjects *objects)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  gboolean ours = FALSE, others = FALSE;
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  ObjectKeys all;

  if (!relations)
    return TRUE;
  object_keys_open (&all, objects);
  while (!(ours && others) &&
      gst_analytics_relation_meta_iterate (
          relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    if (is_of_objects (&all, &mtd))
      ours = TRUE;
    else
      others = TRUE;
  }
  object_keys_close (&all);
  if (ours && !others)
    gst_buffer_remove_meta (buffer, (GstMeta *) relations);
  return !ours || !others;
}

static GstClockTime
time_first_seen (GstBuffer *buffer, const GstVisionObject *object)
{
  gdouble age = object->age * GST_SECOND;

  if (!GST_BUFFER_PTS_IS_VALID (buffer) || !(age >= 0) ||
      age > GST_BUFFER_PTS (buffer))
    return GST_BUFFER_PTS (buffer);
  return GST_BUFFER_PTS (buffer) - (GstClockTime) age;
}

/* FALSE if the meta has no room. */
static gboolean
add_tracking (GstBuffer *buffer, const GstVisionObject *object,
    GstAnalyticsRelationMeta *relations, GstAnalyticsMtd *tracking)
{
  if (!gst_analytics_relation_meta_add_tracking_mtd (
          relations, object->id, time_first_seen (buffer, object), tracking))
    return FALSE;
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    gst_analytics_tracking_mtd_update_last_seen (
        tracking, GST_BUFFER_PTS (buffer));
  return TRUE;
}

void
gst_vision_analytics_add (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection, tracking;

  if (gst_analytics_relation_meta_add_od_mtd (relations, box->type, box->x,
          box->y, box->width, box->height,
          isnan (object->score) ? 1 : object->score, &detection) &&
      object->id && add_tracking (buffer, object, relations, &tracking))
    gst_analytics_relation_meta_set_relation (
        relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id, tracking.id);
}

void
gst_vision_analytics_add_lost (GstBuffer *buffer, const GstVisionObject *object)
{
  GstAnalyticsMtd tracking;

  if (object->id &&
      gst_analytics_relation_meta_add_tracking_mtd (
          gst_buffer_add_analytics_relation_meta (buffer), object->id,
          time_first_seen (buffer, object), &tracking))
    gst_analytics_tracking_mtd_set_lost (&tracking);
}

/* Whether the detection has a region of interest already: some detectors add
 * both.  A conversion may have rounded region and detection differently. */
static gboolean
detection_has_region (GstBuffer *buffer, const GstVisionBox *box)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region =
        (const GstVideoRegionOfInterestMeta *) meta;
    guint dx = MAX (region->x, box->x) - MIN (region->x, box->x);
    guint dy = MAX (region->y, box->y) - MIN (region->y, box->y);

    if (region->roi_type == box->type && dx <= 2 && dy <= 2)
      return TRUE;
  }
  return FALSE;
}

/* Clips the box of a detection to a frame of @info; FALSE if nothing is left.
 */
static gboolean
place_of_detection (
    GstAnalyticsMtd *detection, const GstVideoInfo *info, GstVisionBox *box)
{
  gint x, y, width, height;
  gint64 right, bottom;

  if (!gst_analytics_od_mtd_get_location (
          detection, &x, &y, &width, &height, NULL))
    return FALSE;
  right = MIN ((gint64) x + width, info->width);
  bottom = MIN ((gint64) y + height, info->height);
  x = MAX (x, 0);
  y = MAX (y, 0);
  if (x >= right || y >= bottom)
    return FALSE;
  *box = (GstVisionBox){.type = gst_analytics_od_mtd_get_obj_type (detection),
      .x = (guint) x,
      .y = (guint) y,
      .width = (guint) (right - x),
      .height = (guint) (bottom - y)};
  return box->type != 0;
}

void
gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection;
  gpointer state = NULL;
  GstVisionBox box;
  ObjectKeys ours;

  if (!relations)
    return;
  object_keys_open (&ours, objects);
  while (gst_analytics_relation_meta_iterate (
      relations, &state, gst_analytics_od_mtd_get_mtd_type (), &detection))
    if (!is_of_objects (&ours, &detection) &&
        place_of_detection (&detection, info, &box) &&
        !detection_has_region (buffer, &box))
      gst_buffer_add_video_region_of_interest_meta_id (
          buffer, box.type, box.x, box.y, box.width, box.height);
  object_keys_close (&ours);
}

#else

gboolean
gst_vision_analytics_clear (GstBuffer *buffer, const GstVisionObjects *objects)
{
  (void) buffer;
  (void) objects;
  return FALSE;
}

void
gst_vision_analytics_add (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box)
{
  (void) buffer;
  (void) object;
  (void) box;
}

void
gst_vision_analytics_add_lost (GstBuffer *buffer, const GstVisionObject *object)
{
  (void) buffer;
  (void) object;
}

void
gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects)
{
  (void) buffer;
  (void) info;
  (void) objects;
}

#endif
