/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects as GstAnalytics knows them; built where that is there. */
#include "suite.h"
#include <gst/analytics/analytics.h>

#include "regions.h"

static guint
count (GstBuffer *buffer, GstAnalyticsMtdType type)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  guint n = 0;

  while (relations &&
      gst_analytics_relation_meta_iterate (relations, &state, type, &mtd))
    n++;
  return n;
}

/* The detection of type "red" is this one, and is related to track 3. */
static void
check_detection (GstBuffer *buffer, gint x, gint y, gint width, gint height)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection, track;
  gpointer state = NULL;
  gint bx, by, bwidth, bheight;
  gfloat confidence;
  GstClockTime since, last;
  gboolean lost;
  guint64 id;

  do
    fail_unless (gst_analytics_relation_meta_iterate (
        relations, &state, gst_analytics_od_mtd_get_mtd_type (), &detection));
  while (gst_analytics_od_mtd_get_obj_type (&detection) !=
      g_quark_from_string ("red"));
  fail_unless (gst_analytics_od_mtd_get_location (
      &detection, &bx, &by, &bwidth, &bheight, &confidence));
  fail_unless_equals_int (bx, x);
  fail_unless_equals_int (by, y);
  fail_unless_equals_int (bwidth, width);
  fail_unless_equals_int (bheight, height);
  fail_unless (confidence == 0.5);

  state = NULL;
  fail_unless (gst_analytics_relation_meta_get_direct_related (relations,
      detection.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
      gst_analytics_tracking_mtd_get_mtd_type (), &state, &track));
  fail_unless (
      gst_analytics_tracking_mtd_get_info (&track, &id, &since, &last, &lost));
  fail_unless (id == 3 && !lost);
  fail_unless_equals_clocktime (since, 8 * GST_SECOND);
  fail_unless_equals_clocktime (last, 10 * GST_SECOND);
}

/* Seen for the first time 2 s before. */
static GstBuffer *
tracked_frame (void)
{
  GstVisionObject object = box;
  GstBuffer *buffer = frame ();

  object.score = 0.5;
  object.age = 2;
  gst_buffer_memset (buffer, 0, 0, -1);
  GST_BUFFER_PTS (buffer) = 10 * GST_SECOND;
  gst_buffer_add_vision_objects (buffer, 0, 640, 480, &object, 1);
  return buffer;
}

static void
add_face (GstBuffer *buffer)
{
  GstAnalyticsMtd face;

  fail_unless (gst_analytics_relation_meta_add_od_mtd (
      gst_buffer_add_analytics_relation_meta (buffer),
      g_quark_from_string ("face"), 8, 8, 80, 80, 1, &face));
}

GST_START_TEST (test_added)
{
  GstBuffer *buffer = tracked_frame ();
  GstVisionObject untracked = box;

  check_detection (buffer, 100, 50, 40, 20);
  untracked.id = 0;
  untracked.label = "blue";
  gst_buffer_add_vision_objects (buffer, 0, 640, 480, &untracked, 1);
  fail_unless_equals_int (
      count (buffer, gst_analytics_od_mtd_get_mtd_type ()), 2);
  fail_unless_equals_int (
      count (buffer, gst_analytics_tracking_mtd_get_mtd_type ()), 1);
  gst_buffer_unref (buffer);

  buffer = frame ();
  gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_TRUTH, 640, 480, &box, 1);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (test_made_anew)
{
  GstBuffer *buffer = tracked_frame ();

  buffer = push_through (
      "videoscale ! visionmeta", RGBA (BIG), RGBA (SMALL), buffer);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 2);
  check_detection (buffer, 50, 12, 20, 6);
  gst_buffer_unref (buffer);

  buffer = tracked_frame ();
  gst_buffer_remove_meta (
      buffer, (GstMeta *) gst_buffer_get_analytics_relation_meta (buffer));
  add_face (buffer);
  buffer = push_through ("visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 3);
  check_detection (buffer, 100, 50, 40, 20);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* An object that is lost has a tracking that says so, and no detection. */
GST_START_TEST (test_lost)
{
  GstVisionObject object = box;
  g_autoptr (GstBuffer) buffer = NULL;
  GstClockTime since, last;
  GstAnalyticsMtd track;
  gpointer state = NULL;
  gboolean lost;
  guint64 id;

  object.state = GST_VISION_STATE_LOST;
  buffer = frame_with (&object, 1);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 1);
  fail_unless (gst_analytics_relation_meta_iterate (
      gst_buffer_get_analytics_relation_meta (buffer), &state,
      gst_analytics_tracking_mtd_get_mtd_type (), &track));
  fail_unless (
      gst_analytics_tracking_mtd_get_info (&track, &id, &since, &last, &lost));
  fail_unless (id == 3 && lost);
}
GST_END_TEST;

/* What a detector says in this form alone is a region, too, once, and in the
 * frame; what it says in both forms stays one. */
GST_START_TEST (test_detections_of_others)
{
  GstBuffer *buffer = frame ();
  GstAnalyticsMtd cut;

  gst_buffer_memset (buffer, 0, 0, -1);
  GST_BUFFER_PTS (buffer) = 0;
  add_face (buffer);
  gst_analytics_relation_meta_add_od_mtd (
      gst_buffer_get_analytics_relation_meta (buffer),
      g_quark_from_string ("cup"), -20, 470, 60, 30, 1, &cut);
  gst_analytics_relation_meta_add_od_mtd (
      gst_buffer_get_analytics_relation_meta (buffer),
      g_quark_from_string ("gone"), 700, 0, 60, 30, 1, &cut);
  buffer =
      push_through ("visionmeta ! visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  fail_unless_equals_int (n_regions (buffer), 2);
  check_region (buffer, "face", 0, 8, 8, 80, 80);
  check_region (buffer, "cup", 0, 0, 470, 40, 10);
  gst_buffer_unref (buffer);

  buffer = tracked_frame (); /* ours are no others */
  add_face (buffer);
  buffer = push_through ("visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  fail_unless_equals_int (n_regions (buffer), 2);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* What others added cannot be kept while ours is removed: all of it stays. */
GST_START_TEST (test_shared_with_others)
{
  g_autoptr (GstBuffer) buffer = tracked_frame ();

  add_face (buffer);
  buffer = push_through ("visionmeta", RGBA (BIG), RGBA (BIG), buffer);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 3);
  check_detection (buffer, 100, 50, 40, 20);
}
GST_END_TEST;

SUITE (metaanalytics, TEST (test_added), TEST (test_made_anew),
    TEST (test_lost), TEST (test_detections_of_others),
    TEST (test_shared_with_others));
