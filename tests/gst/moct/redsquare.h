/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A black frame of 64 x 48 with a red rectangle in it, in any format, and what
 * moct says of it. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string.h>

#include "meta/gstvisionmeta.h"

#include "said.h"

#define WIDTH 64
#define HEIGHT 48
#define RED "red:rgb=200..255,0..60,0..60"
/* The rectangle: even, so that subsampled colour can hold it. */
#define X 10
#define Y 20
#define W 20
#define H 16

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
  guint n; /* frames pushed */
} Red;

static inline void
red_caps (Red *r, GstVideoFormat format, gint width, gint height)
{
  gst_video_info_set_format (&r->info, format, width, height);
  r->info.fps_n = 25;
  gst_harness_set_src_caps (r->h, gst_video_info_to_caps (&r->info));
}

static inline Red
red_new (GstVideoFormat format)
{
  Red r = {.h = gst_harness_new ("moct"), .bus = gst_bus_new ()};

  gst_element_set_bus (r.h->element, r.bus);
  g_object_set (r.h->element, "objects", RED, NULL);
  red_caps (&r, format, WIDTH, HEIGHT);
  return r;
}

static inline void
red_free (Red *r)
{
  gst_element_set_bus (r->h->element, NULL);
  gst_object_unref (r->bus);
  gst_harness_teardown (r->h);
}

/* @buffer, which is RGB, in the format of the caps. */
static inline GstBuffer *
red_convert (Red *r, GstBuffer *buffer)
{
  GstBuffer *converted = gst_buffer_new_allocate (NULL, r->info.size, NULL);
  GstVideoConverter *converter;
  GstVideoFrame from, to;
  GstVideoInfo rgb;

  gst_video_info_set_format (
      &rgb, GST_VIDEO_FORMAT_RGB, r->info.width, r->info.height);
  rgb.fps_n = r->info.fps_n;
  converter = gst_video_converter_new (&rgb, &r->info,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_CHROMA_MODE,
          GST_TYPE_VIDEO_CHROMA_MODE, GST_VIDEO_CHROMA_MODE_NONE,
          GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, NULL));
  gst_video_frame_map (&from, &rgb, buffer, GST_MAP_READ);
  gst_video_frame_map (&to, &r->info, converted, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_video_converter_free (converter);
  gst_buffer_unref (buffer);
  return converted;
}

/* The next frame, with a rectangle of 0xRRGGBB. */
static inline GstBuffer *
red_frame_of (Red *r, guint colour)
{
  gint stride = GST_ROUND_UP_4 (3 * r->info.width);
  gsize size = (gsize) stride * r->info.height;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
  GstMapInfo map;

  gst_buffer_memset (buffer, 0, 0, size);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint y = Y; y < MIN (Y + H, r->info.height); y++)
    for (gint x = X; x < MIN (X + W, r->info.width); x++)
      for (gint c = 0; c < 3; c++)
        map.data[y * stride + 3 * x + c] = colour >> (16 - 8 * c);
  gst_buffer_unmap (buffer, &map);
  buffer = red_convert (r, buffer);
  GST_BUFFER_PTS (buffer) = r->n++ * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* Pushes @buffer, or a frame with the red rectangle; what was found, to be
 * freed. */
static inline GstVisionObjects *
red_push (Red *r, GstBuffer *buffer)
{
  GstVisionObjects *found;

  buffer = gst_harness_push_and_pull (
      r->h, buffer ? buffer : red_frame_of (r, 0xff0000));
  fail_unless (buffer != NULL);
  found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  gst_buffer_unref (buffer);
  return found;
}

/* How many objects the next frame has; it must say so. */
static inline guint
red_count (Red *r)
{
  GstVisionObjects *found = red_push (r, NULL);
  guint n = found ? found->n_objects : 0;

  if (found)
    gst_vision_objects_free (found);
  return n;
}

/* The element has warned once since, and spoke of @text. */
static inline void
red_expect_warning (Red *r, const gchar *text)
{
  expect_text (gst_bus_pop_filtered (r->bus, GST_MESSAGE_WARNING), text);
  fail_unless (gst_bus_pop_filtered (r->bus, GST_MESSAGE_WARNING) == NULL);
}
