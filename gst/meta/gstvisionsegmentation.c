/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionsegmentation.h"

#ifdef HAVE_ANALYTICS
# include <gst/analytics/analytics.h>
#endif
#if defined(HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
# define HAVE_SEGMENTATION
#endif

/**
 * gst_vision_segmentation_is_known:
 *
 * Tells whether the library can add segmentations.
 *
 * Returns: %TRUE; or %FALSE if the library was built without GstAnalytics 1.26:
 *   gst_buffer_add_vision_segmentation() then adds nothing
 *
 * Since: 0.1
 */
gboolean
gst_vision_segmentation_is_known (void)
{
#ifdef HAVE_SEGMENTATION
  return TRUE;
#else
  return FALSE;
#endif
}

#ifdef HAVE_SEGMENTATION
static gboolean
add_segmentation (GstBuffer *buffer, GstBuffer *mask, guint n_regions)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (mask);
  guint *ids = g_new (guint, n_regions + 1);
  GstAnalyticsSegmentationMtd mtd;
  gboolean added;

  for (guint i = 0; i <= n_regions; i++)
    ids[i] = i;
  added = gst_analytics_relation_meta_add_segmentation_mtd (
      gst_buffer_add_analytics_relation_meta (buffer), gst_buffer_ref (mask),
      GST_SEGMENTATION_TYPE_INSTANCE, n_regions + 1, ids, 0, 0, meta->width,
      meta->height, &mtd);
  if (!added)
    gst_buffer_unref (mask);
  g_free (ids);
  return added;
}
#endif

/**
 * gst_buffer_add_vision_segmentation:
 * @buffer: a writable #GstBuffer
 * @mask: the region of each pixel: 0 is the background, 1 to @n_regions are
 *   regions.  Its #GstVideoMeta has the format GRAY8 or GRAY16_LE and the size
 *   of the frame.  The function takes a reference to @mask, which nobody may
 *   change from then on
 * @n_regions: the maximum in @mask, at most 65535
 *
 * Adds an instance segmentation of the whole frame.  The id of a region is its
 * number in @mask.
 *
 * Returns: %TRUE; or %FALSE if the library cannot add segmentations or, with a
 *   critical warning, if an argument is wrong
 *
 * Since: 0.1
 */
gboolean
gst_buffer_add_vision_segmentation (
    GstBuffer *buffer, GstBuffer *mask, guint n_regions)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (GST_IS_BUFFER (mask) && mask != buffer, FALSE);
  g_return_val_if_fail (gst_buffer_get_video_meta (mask) != NULL, FALSE);
  g_return_val_if_fail (n_regions <= G_MAXUINT16, FALSE);

#ifdef HAVE_SEGMENTATION
  return add_segmentation (buffer, mask, n_regions);
#else
  (void) n_regions;
  return FALSE;
#endif
}
