/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A black frame of 64 x 48 with a red rectangle in it, in any format, and what
 * moct says of it. */
#pragma once

#include "fed.h"
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
  fed_caps (r->h, &r->info, format, width, height);
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
  fed_free (r->h, r->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Red, red_free)

/* @buffer, which is RGB, in the format of the caps. */
static inline GstBuffer *
red_convert (Red *r, GstBuffer *buffer)
{
  return fed_convert (buffer, GST_VIDEO_FORMAT_RGB, &r->info,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_CHROMA_MODE,
          GST_TYPE_VIDEO_CHROMA_MODE, GST_VIDEO_CHROMA_MODE_NONE,
          GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, NULL));
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
  return fed_frame (red_convert (r, buffer), r->n++);
}

/* Pushes @buffer, or a frame with the red rectangle; what was found, to be
 * freed. */
static inline GstVisionObjects *
red_push (Red *r, GstBuffer *buffer)
{
  return fed_objects (r->h, buffer ? buffer : red_frame_of (r, 0xff0000));
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
