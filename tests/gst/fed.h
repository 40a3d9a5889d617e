/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element in a harness: caps and frames for it, 40 ms apart, and what it
 * found. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "meta/gstvisionmeta.h"

/* What has no g_autoptr () of GStreamer's. */
typedef GstHarness Harness;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Harness, gst_harness_teardown)

static inline void
fed_caps (GstHarness *h, GstVideoInfo *info, GstVideoFormat format, gint width,
    gint height)
{
  gst_video_info_set_format (info, format, width, height);
  info->fps_n = 25;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (info));
}

/* @buffer as the @n-th frame. */
static inline GstBuffer *
fed_frame (GstBuffer *buffer, guint n)
{
  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* @buffer, of @format, in that of @info; takes both @buffer and @options. */
static inline GstBuffer *
fed_convert (GstBuffer *buffer, GstVideoFormat format, GstVideoInfo *info,
    GstStructure *options)
{
  GstBuffer *converted = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstVideoConverter *converter;
  GstVideoFrame from, to;
  GstVideoInfo before;

  gst_video_info_set_format (&before, format, info->width, info->height);
  before.fps_n = info->fps_n;
  converter = gst_video_converter_new (&before, info, options);
  gst_video_frame_map (&from, &before, buffer, GST_MAP_READ);
  gst_video_frame_map (&to, info, converted, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_video_converter_free (converter);
  gst_buffer_unref (buffer);
  return converted;
}

/* Adds @map, whose pixels it takes. */
static inline void
fed_map (GstBuffer *buffer, GstVisionOrigin origin, GstVisionMap map)
{
  fail_unless (gst_buffer_add_vision_map (buffer, origin, &map));
  gst_buffer_unref (map.pixels);
}

/* Pushes @buffer; what was found, to be freed, or NULL. */
static inline GstVisionObjects *
fed_objects (GstHarness *h, GstBuffer *buffer)
{
  GstVisionObjects *found;

  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  gst_buffer_unref (buffer);
  return found;
}

/* A seek to the beginning. */
static inline void
fed_seek (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

/* The element's messages went to @bus. */
static inline void
fed_free (GstHarness *h, GstBus *bus)
{
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

/* The same of an element that has two inputs; @b: NULL where one is linked. */
static inline void
fed_free_two (GstElement *element, GstHarness *a, GstHarness *b, GstBus *bus)
{
  gst_element_set_bus (element, NULL);
  if (b)
    gst_harness_teardown (b);
  gst_harness_teardown (a);
  gst_object_unref (element);
  gst_object_unref (bus);
}
