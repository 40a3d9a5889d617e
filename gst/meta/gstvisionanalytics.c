/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects as GstAnalytics knows them: an object detection each, related to a
 * tracking where the object has an id. */
#include <math.h>

#include "gstvisionmirror.h"

#ifdef HAVE_ANALYTICS
# include <gst/analytics/analytics.h>

static gboolean
is_ours (GstAnalyticsMtd *mtd, const GstVisionObjects *objects)
{
  GstAnalyticsMtdType type = gst_analytics_mtd_get_mtd_type (mtd);
  GstClockTime first, last;
  guint64 id = 0;
  gboolean lost;

  if (type == gst_analytics_tracking_mtd_get_mtd_type ())
    gst_analytics_tracking_mtd_get_info (mtd, &id, &first, &last, &lost);
  else if (type != gst_analytics_od_mtd_get_mtd_type ())
    return FALSE;
  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *object = &objects->objects[i];

    if (type == gst_analytics_tracking_mtd_get_mtd_type ()
            ? id == object->id
            : gst_analytics_od_mtd_get_obj_type (mtd) ==
                gst_vision_mirror_type (object))
      return TRUE;
  }
  return FALSE;
}

/* Parts of the meta cannot be removed, only the whole of it.  What stays was
 * scaled by the meta itself. */
gboolean
gst_vision_analytics_clear (GstBuffer *buffer, const GstVisionObjects *objects)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  gboolean ours = FALSE, others = FALSE;
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  if (!relations)
    return TRUE;
  while (gst_analytics_relation_meta_iterate (
      relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    if (is_ours (&mtd, objects))
      ours = TRUE;
    else
      others = TRUE;
  }
  if (ours && !others)
    gst_buffer_remove_meta (buffer, (GstMeta *) relations);
  return !ours || !others;
}

static GstClockTime
first_seen (GstBuffer *buffer, const GstVisionObject *object)
{
  gdouble age = object->age * GST_SECOND;

  if (!GST_BUFFER_PTS_IS_VALID (buffer) || !(age >= 0) ||
      age > GST_BUFFER_PTS (buffer))
    return GST_BUFFER_PTS (buffer);
  return GST_BUFFER_PTS (buffer) - (GstClockTime) age;
}

void
gst_vision_analytics_add (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection, tracking;

  if (!gst_analytics_relation_meta_add_od_mtd (relations, box->type, box->x,
          box->y, box->width, box->height,
          isnan (object->score) ? 1 : object->score, &detection))
    return;
  if (object->id &&
      gst_analytics_relation_meta_add_tracking_mtd (
          relations, object->id, first_seen (buffer, object), &tracking))
    gst_analytics_relation_meta_set_relation (
        relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id, tracking.id);
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

#endif
