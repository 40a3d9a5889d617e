/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tests of drawing elements share: grey frames with padded rows,
 * objects and maps on them, and the pixels that come out. */
#pragma once

#include <math.h>

#include "fed.h"

#define PADDING 24
#define GREY 100

/* A frame in which every byte is GREY, its rows longer than they need be. */
static inline GstBuffer *
grey_frame (const GstVideoInfo *info)
{
  gsize offset[4] = {0};
  gint stride[4] = {0};
  gsize size = 0;
  GstBuffer *buffer;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    offset[p] = size;
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p) + PADDING;
    size += (gsize) stride[p] * GST_VIDEO_INFO_HEIGHT (info);
  }
  buffer = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (buffer, 0, GREY, size);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offset,
      stride);
  return buffer;
}

static inline GstVisionObject
object_at (gdouble x, gdouble y, gdouble width, gdouble height)
{
  GstVisionObject o;

  gst_vision_object_init (&o);
  o.id = 1;
  o.element = "moct";
  o.source = "moct0";
  o.x = x;
  o.y = y;
  o.width = width;
  o.height = height;
  o.cx = x + (width - 1) / 2;
  o.cy = y + (height - 1) / 2;
  return o;
}

/* The @c-th byte of pixel (@x, @y) as it is stored in the first plane. */
static inline guint
pixel (GstBuffer *buffer, const GstVideoInfo *info, gint x, gint y, gint c)
{
  GstVideoFrame frame;
  guint v;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  v = ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (
      &frame, 0))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0) +
      x * GST_VIDEO_FRAME_COMP_PSTRIDE (&frame, 0) + c];
  gst_video_frame_unmap (&frame);
  return v;
}

/* Bytes that are no longer GREY, those of the padding too. */
static inline guint
changed (GstBuffer *buffer)
{
  GstMapInfo map;
  guint n = 0;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    n += map.data[i] != GREY;
  gst_buffer_unmap (buffer, &map);
  return n;
}

/* A map of @width times @height bytes, 0 to 255 from left to right. */
static inline void
add_map (GstBuffer *buffer, const gchar *kind, guint width, guint height)
{
  GstVisionMap map = {.element = "emdtrack",
      .kind = kind,
      .format = "u8",
      .channels = 1,
      .width = width,
      .height = height,
      .stride = width,
      .scale = 1,
      .invalid = NAN};
  GstMapInfo info;

  map.pixels = gst_buffer_new_allocate (NULL, width * height, NULL);
  fail_unless (gst_buffer_map (map.pixels, &info, GST_MAP_WRITE));
  for (guint i = 0; i < width * height; i++)
    info.data[i] = i % width * 255 / MAX (1, width - 1);
  gst_buffer_unmap (map.pixels, &info);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
}

/* Warnings and errors that the element has posted since. */
static inline guint
complaints (GstBus *bus, const gchar *about)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    GError *error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      gst_message_parse_warning (message, &error, NULL);
    else
      gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, about) != NULL,
        "\"%s\" does not speak of %s", error->message, about);
    g_error_free (error);
    gst_message_unref (message);
    n++;
  }
  return n;
}

static inline GstBus *
listen_to (GstHarness *h, const gchar *name)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, name);
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  return bus;
}

static inline void
hush (GstHarness *h, const gchar *name, GstBus *bus)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, name);

  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
}
