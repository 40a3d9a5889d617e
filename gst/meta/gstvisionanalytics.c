/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects as GstAnalytics knows them: an object detection each, related to a
 * tracking where the object has an id. */
#include <math.h>

#include "gstvisionmirror.h"

#ifdef HAVE_ANALYTICS
# include <gst/analytics/analytics.h>

/* Types and ids of objects: others may have added any number of parts, and each
 * is looked up once. */
typedef struct {
  GHashTable *types, *ids;
} Ours;

static void
ours_open (Ours *self, const GstVisionObjects *objects)
{
  self->types = g_hash_table_new (NULL, NULL);
  self->ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; i < objects->n_objects; i++) {
    GstVisionObject *object = &objects->objects[i];

    g_hash_table_add (
        self->types, GUINT_TO_POINTER (gst_vision_mirror_type (object)));
    g_hash_table_add (self->ids, &object->id);
  }
}

static void
ours_close (Ours *self)
{
  g_hash_table_unref (self->types);
  g_hash_table_unref (self->ids);
}

static gboolean
is_ours (const Ours *self, GstAnalyticsMtd *mtd)
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
  Ours all;

  if (!relations)
    return TRUE;
  ours_open (&all, objects);
  while (!(ours && others) &&
      gst_analytics_relation_meta_iterate (
          relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    if (is_ours (&all, &mtd))
      ours = TRUE;
    else
      others = TRUE;
  }
  ours_close (&all);
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
