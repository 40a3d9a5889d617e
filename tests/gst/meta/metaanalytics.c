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

/* Of thousands of objects the first 256 are in the meta, whose memory grows
 * with the square of their number, and the frame comes soon. */
GST_START_TEST (test_many)
{
  g_autofree GstVisionObject *objects = g_new (GstVisionObject, 5000);
  g_autoptr (GstBuffer) buffer = frame ();
  gint64 since = g_get_monotonic_time ();

  for (guint i = 0; i < 5000; i++) {
    gst_vision_object_init (&objects[i]);
    objects[i].element = "moct";
    objects[i].id = i + 1;
    objects[i].x = objects[i].y = i % 400;
    objects[i].width = objects[i].height = 9;
  }
  gst_buffer_add_vision_objects (buffer, 0, 640, 480, objects, 5000);
  gst_buffer_add_vision_objects (buffer, 0, 640, 480, objects, 5000);
  fail_unless_equals_int (
      count (buffer, gst_analytics_od_mtd_get_mtd_type ()), 256);
  fail_unless_equals_int (
      count (buffer, gst_analytics_tracking_mtd_get_mtd_type ()), 256);
  fail_unless (g_get_monotonic_time () < since + 2 * G_USEC_PER_SEC);
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

/* With read-foreign a detection becomes an object with the id of its tracking,
 * once, and so does a region that no detection has; what has no type does not.
 */
GST_START_TEST (test_read_foreign)
{
  GstBuffer *buffer = tracked_frame ();
  GstAnalyticsRelationMeta *relations =
      gst_buffer_add_analytics_relation_meta (buffer);
  GstAnalyticsMtd cup, track, untyped;
  g_autoptr (GstVisionObjects) objects = NULL;
  const GstVisionObject *o;

  fail_unless (gst_analytics_relation_meta_add_od_mtd (
      relations, g_quark_from_string ("cup"), 300, 200, 60, 30, 0.25, &cup));
  fail_unless (
      gst_analytics_relation_meta_add_tracking_mtd (relations, 77, 0, &track));
  gst_analytics_relation_meta_set_relation (
      relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, cup.id, track.id);
  fail_unless (gst_analytics_relation_meta_add_od_mtd (
      relations, 0, 1, 2, 3, 4, 1, &untyped));
  gst_buffer_add_video_region_of_interest_meta_id (
      buffer, g_quark_from_string ("cup"), 301, 199, 60, 30);
  gst_buffer_add_video_region_of_interest_meta_id (
      buffer, g_quark_from_string ("plate"), 10, 20, 30, 40);
  buffer = push_through ("videoscale ! visionmeta read-foreign=true ! "
                         "visionmeta read-foreign=true",
      RGBA (BIG), RGBA (SMALL), buffer);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless_equals_int (objects->ref_width, 640);
  fail_unless_equals_int (objects->n_objects, 3);
  o = &objects->objects[1];
  fail_unless_equals_string (o->label, "cup");
  fail_unless_equals_string (o->element, "visionmeta");
  fail_unless (o->id == 77 && o->state == GST_VISION_STATE_TRACKING);
  fail_unless (o->x == 300 && o->y == 200 && o->width == 60);
  fail_unless (o->score == 0.25 && isnan (o->orientation));
  fail_unless_equals_string (objects->objects[2].label, "plate");
  fail_unless_equals_int (n_regions (buffer), 3);
  check_region (buffer, "cup", 77, 150, 50, 30, 7);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

#if GST_CHECK_VERSION(1, 26, 0)
/* The only detection is this rectangle. */
static void
check_turned (
    GstBuffer *buffer, gint x, gint y, gint width, gint height, gdouble angle)
{
  GstAnalyticsMtd detection;
  gpointer state = NULL;
  gint bx, by, bwidth, bheight;
  gfloat turn;

  fail_unless (gst_analytics_relation_meta_iterate (
      gst_buffer_get_analytics_relation_meta (buffer), &state,
      gst_analytics_od_mtd_get_mtd_type (), &detection));
  fail_unless (gst_analytics_od_mtd_get_oriented_location (
      &detection, &bx, &by, &bwidth, &bheight, &turn, NULL));
  fail_unless_equals_int (bx, x);
  fail_unless_equals_int (by, y);
  fail_unless_equals_int (bwidth, width);
  fail_unless_equals_int (bheight, height);
  fail_unless (fabs (turn - angle) < 1e-6, "%g", turn);
}

/* By axes, of 80 by 20 pixels; not where it is round; by an outline that is a
 * square on its corner, and has a dent. */
GST_START_TEST (test_turned)
{
  static const gdouble corners[] = {
      99.5, 79.5, 119.5, 99.5, 99.5, 99.5, 99.5, 119.5, 79.5, 99.5};
  GstVisionObject object = box;
  GstBuffer *buffer;

  object.id = 0;
  object.area = 1600;
  object.elongation = 4;
  object.orientation = 0.5;
  buffer = frame_with (&object, 1);
  check_turned (buffer, 80, 50, 80, 20, 0.5);
  gst_buffer_unref (buffer);

  object.elongation = 1.01;
  buffer = frame_with (&object, 1);
  check_turned (buffer, 100, 50, 40, 20, 0);
  gst_buffer_unref (buffer);

  object.outline = (GstVisionArray){G_N_ELEMENTS (corners), corners};
  buffer = frame_with (&object, 1);
  check_turned (buffer, 86, 86, 28, 28, G_PI_4);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Axes and places beyond all numbers make an upright box. */
GST_START_TEST (test_turned_hostile)
{
  static const gdouble far[] = {-1e300, 0, 1e300, 1e300, 0, NAN};
  GstVisionObject object = box;
  GstBuffer *buffer;

  object.id = 0;
  object.area = G_MAXUINT64;
  object.elongation = G_MAXDOUBLE;
  object.orientation = 1;
  buffer = frame_with (&object, 1);
  check_turned (buffer, 100, 50, 40, 20, 0);
  gst_buffer_unref (buffer);
  object.area = 0;
  object.outline = (GstVisionArray){G_N_ELEMENTS (far), far};
  buffer = frame_with (&object, 1);
  check_turned (buffer, 100, 50, 40, 20, 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* A turned detection becomes an object with axes and corners, and is the same
 * detection again. */
GST_START_TEST (test_read_turned)
{
  GstBuffer *buffer = frame ();
  GstAnalyticsMtd cup;
  g_autoptr (GstVisionObjects) objects = NULL;
  const GstVisionObject *o;

  gst_buffer_memset (buffer, 0, 0, -1);
  GST_BUFFER_PTS (buffer) = 0;
  fail_unless (gst_analytics_relation_meta_add_oriented_od_mtd (
      gst_buffer_add_analytics_relation_meta (buffer),
      g_quark_from_string ("cup"), 300, 200, 60, 30, 0.5, 1, &cup));
  buffer = push_through (
      "visionmeta read-foreign=true", RGBA (BIG), RGBA (BIG), buffer);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless_equals_int (objects->n_objects, 1);
  o = &objects->objects[0];
  fail_unless (fabs (o->orientation - 0.5) < 1e-6 && o->elongation == 2);
  fail_unless_equals_int (o->outline.n, 8);
  fail_unless (fabs (o->outline.values[0] -
                   (330 - 30 * cos (0.5) + 15 * sin (0.5) - 0.5)) < 1e-4);
  check_turned (buffer, 300, 200, 60, 30, 0.5);
  fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 1);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* The segmentation of a map of 4 by 2 pixels whose rows have 8 bytes. */
static void
check_segmentation (
    const GstVisionMap *map, guint n_regions, const guint8 expected[8])
{
  g_autoptr (GstBuffer) buffer = frame (), mask = NULL;
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  GstVideoMeta *meta;
  GstMapInfo bytes;

  fail_unless (gst_buffer_add_vision_map (buffer, 0, map));
  if (n_regions == 0) {
    fail_unless_equals_int (count (buffer, GST_ANALYTICS_MTD_TYPE_ANY), 0);
    return;
  }
  fail_unless (gst_analytics_relation_meta_iterate (
      gst_buffer_get_analytics_relation_meta (buffer), &state,
      gst_analytics_segmentation_mtd_get_mtd_type (), &mtd));
  fail_unless_equals_int (
      gst_analytics_segmentation_mtd_get_region_count (&mtd), n_regions + 1);
  mask = gst_analytics_segmentation_mtd_get_mask (&mtd, NULL, NULL, NULL, NULL);
  meta = gst_buffer_get_video_meta (mask);
  fail_unless (meta->format == GST_VIDEO_FORMAT_GRAY8);
  fail_unless (gst_buffer_map (mask, &bytes, GST_MAP_READ));
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (
        bytes.data[i / 4 * meta->stride[0] + i % 4], expected[i]);
  gst_buffer_unmap (mask, &bytes);
}

/* Labels with names, and classes of pixels, are segmentations. */
GST_START_TEST (test_segmentations)
{
  static const guint8 raw[16] = {
      1, 0, 5, 1, 3, 2, 4, 0, 0, 9, 2, 8, 1, 7, 3, 6};
  g_autoptr (GstBuffer) pixels = gst_buffer_new_memdup (raw, sizeof raw);
  GstVisionMap map;

  gst_vision_map_init (&map);
  map.kind = "correspondence";
  map.format = "u8";
  map.channels = 2;
  map.width = 4;
  map.height = 2;
  map.stride = 8;
  map.pixels = pixels;
  check_segmentation (&map, 5, (guint8[]){1, 5, 3, 4, 0, 2, 1, 3});
  map.kind = "labels";
  map.channels = 1;
  map.names = "red;green;blue;a;b;c;d;e;f";
  check_segmentation (&map, 9, (guint8[]){1, 0, 5, 1, 0, 9, 2, 8});
  map.names = NULL;
  check_segmentation (&map, 0, NULL);
  map.kind = "disparity";
  map.names = "a;b";
  check_segmentation (&map, 0, NULL);
}
GST_END_TEST;

SUITE (metaanalytics, TEST (test_added), TEST (test_many),
    TEST (test_made_anew), TEST (test_lost), TEST (test_detections_of_others),
    TEST (test_shared_with_others), TEST (test_read_foreign),
    TEST (test_turned), TEST (test_turned_hostile), TEST (test_read_turned),
    TEST (test_segmentations));
#else
SUITE (metaanalytics, TEST (test_added), TEST (test_many),
    TEST (test_made_anew), TEST (test_lost), TEST (test_detections_of_others),
    TEST (test_shared_with_others), TEST (test_read_foreign));
#endif
