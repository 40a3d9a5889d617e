/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's components as GstAnalytics knows them; built where that has
 * segmentations. */
#include "suite.h"
#include <gst/analytics/analytics.h>

#include "gpucclframes.h"

#define CPU "backend=cpu " /* only there */

/* Two, and one that is too small to be reported. */
static const Rect rects[] = {
    {40, 4, 10, 12, 255}, {10, 20, 20, 16, 255}, {0, 0, 3, 3, 255}};

static GstBuffer *
mask_of (GstBuffer *buffer, guint n_regions)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  gint x, y;
  guint width, height;
  GstBuffer *mask;

  fail_unless (relations != NULL);
  fail_unless (gst_analytics_relation_meta_iterate (
      relations, &state, gst_analytics_segmentation_mtd_get_mtd_type (), &mtd));
  fail_unless_equals_int (
      gst_analytics_segmentation_mtd_get_region_count (&mtd), n_regions + 1);
  for (guint i = 0; i <= n_regions; i++)
    fail_unless_equals_int (
        gst_analytics_segmentation_mtd_get_region_id (&mtd, i), i);
  mask =
      gst_analytics_segmentation_mtd_get_mask (&mtd, &x, &y, &width, &height);
  fail_unless (x == 0 && y == 0 && width == WIDTH && height == HEIGHT);
  fail_if (gst_analytics_relation_meta_iterate (
      relations, &state, gst_analytics_segmentation_mtd_get_mtd_type (), &mtd));
  return mask;
}

/* The larger component is the first that is reported. */
GST_START_TEST (test_narrow)
{
  g_auto (Frames) f = frames_new (GST_VIDEO_FORMAT_GRAY8, CPU);
  g_autoptr (GstBuffer) buffer =
      gst_harness_push_and_pull (f.h, frames_make (&f, rects, 3));
  g_autoptr (GstBuffer) mask = mask_of (buffer, 2);
  GstVideoMeta *meta = gst_buffer_get_video_meta (mask);
  guint8 expected[WIDTH * HEIGHT] = {0};
  Rect regions[] = {rects[1], rects[0]};

  fail_unless (meta->format == GST_VIDEO_FORMAT_GRAY8);
  fail_unless_equals_int (meta->stride[0], WIDTH);
  regions[0].value = 1;
  regions[1].value = 2;
  paint (expected, WIDTH, 1, WIDTH, HEIGHT, regions, 2);
  fail_unless (!gst_buffer_memcmp (mask, 0, expected, sizeof expected));
}
GST_END_TEST;

/* Every second pixel of every second row: more than 8 bits can tell. */
GST_START_TEST (test_wide)
{
  Frames f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, CPU "min-area=1 max-components=4096");
  g_autoptr (GstBuffer) buffer = frames_make (&f, NULL, 0), mask;
  GstMapInfo map;
  guint n = 0;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    if (i % 2 == 0 && i / WIDTH % 2 == 0)
      map.data[i] = 255;
  gst_buffer_unmap (buffer, &map);
  buffer = gst_harness_push_and_pull (f.h, buffer);
  mask = mask_of (buffer, WIDTH * HEIGHT / 4);
  gst_buffer_map (mask, &map, GST_MAP_READ);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    fail_unless_equals_int (GST_READ_UINT16_LE (map.data + 2 * i),
        i % 2 == 0 && i / WIDTH % 2 == 0 ? ++n : 0);
  gst_buffer_unmap (mask, &map);
  frames_free (&f);
}
GST_END_TEST;

/* Without the label map there is none either. */
GST_START_TEST (test_none)
{
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, CPU "label-map=false");
  g_autoptr (GstBuffer) buffer =
      gst_harness_push_and_pull (f.h, frames_make (&f, rects, 3));

  fail_unless (gst_buffer_get_analytics_relation_meta (buffer) == NULL);
}
GST_END_TEST;

SUITE (gpucclsegments, TEST (test_narrow), TEST (test_wide), TEST (test_none));
