/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionsegmentation.h"

#include "gstvisionmirror.h"

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
add_segmentation (GstBuffer *buffer, GstBuffer *mask, guint n_regions,
    GstSegmentationType type)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (mask);
  guint *ids = g_new (guint, n_regions + 1);
  GstAnalyticsSegmentationMtd mtd;
  gboolean added;

  for (guint i = 0; i <= n_regions; i++)
    ids[i] = i;
  added = gst_analytics_relation_meta_add_segmentation_mtd (
      gst_buffer_add_analytics_relation_meta (buffer), gst_buffer_ref (mask),
      type, n_regions + 1, ids, 0, 0, meta->width, meta->height, &mtd);
  if (!added)
    gst_buffer_unref (mask);
  g_free (ids);
  return added;
}

# define MAX_CLASS 5 /* of a map of kind `correspondence` */

/* The number of names in the list of a map of kind `labels`. */
static guint
count_names (const gchar *names)
{
  guint n = names != NULL;

  for (; names && *names; names++)
    n += *names == ';';
  return n;
}

/* The classes of a map of kind `correspondence`, whose models are left out. */
static GstBuffer *
copy_classes (const GstVisionMap *map)
{
  gsize size = (gsize) map->width * map->height;
  GstBuffer *mask = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo from, to;

  if (!mask || !gst_buffer_map (map->pixels, &from, GST_MAP_READ)) {
    gst_clear_buffer (&mask);
    return NULL;
  }
  gst_buffer_map (mask, &to, GST_MAP_WRITE);
  for (guint y = 0; y < map->height; y++)
    for (guint x = 0; x < map->width; x++)
      to.data[(gsize) y * map->width + x] =
          from.data[(gsize) y * map->stride + (gsize) x * map->channels];
  gst_buffer_unmap (mask, &to);
  gst_buffer_unmap (map->pixels, &from);
  return mask;
}

/* Labels with names are classes of pixels: colours, for example.  The mask has
 * the memory of the map. */
void
gst_vision_segmentation_add_map (GstBuffer *buffer, const GstVisionMap *map)
{
  gboolean wide = !g_strcmp0 (map->format, "u16");
  gboolean classes = !g_strcmp0 (map->kind, "correspondence");
  guint n = classes ? MAX_CLASS : count_names (map->names);
  GstBuffer *mask;

  if (map->on_gpu || n == 0 || n > (wide ? G_MAXUINT16 : G_MAXUINT8) ||
      (!wide && g_strcmp0 (map->format, "u8")) ||
      (classes ? wide : g_strcmp0 (map->kind, "labels") || map->channels > 1))
    return;
  mask = classes
      ? copy_classes (map)
      : gst_buffer_copy_region (map->pixels, GST_BUFFER_COPY_MEMORY, 0, -1);
  if (!mask)
    return;
  gst_buffer_add_video_meta_full (mask, GST_VIDEO_FRAME_FLAG_NONE,
      wide ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, map->width,
      map->height, 1, (gsize[GST_VIDEO_MAX_PLANES]){0},
      (gint[GST_VIDEO_MAX_PLANES]){
          (gint) (classes ? map->width : map->stride)});
  add_segmentation (buffer, mask, n, GST_SEGMENTATION_TYPE_SEMANTIC);
  gst_buffer_unref (mask);
}

#else

void
gst_vision_segmentation_add_map (GstBuffer *buffer, const GstVisionMap *map)
{
  (void) buffer;
  (void) map;
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
  return add_segmentation (
      buffer, mask, n_regions, GST_SEGMENTATION_TYPE_INSTANCE);
#else
  (void) n_regions;
  return FALSE;
#endif
}
