/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of rectangles for gpuccl: a mask, or depth with maps, what it says of
 * them, and what label maps and boxes have in common. */
#pragma once

#include <math.h>
#include <string.h>

#include "fed.h"
#include "said.h"

#define WIDTH 64
#define HEIGHT 48

typedef struct {
  gint x, y, width, height;
  guint value; /* brightness, class or depth */
} Rect;

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
  guint n; /* frames made */
} Frames;

static inline void
frames_caps (Frames *f, GstVideoFormat format, gint width, gint height)
{
  fed_caps (f->h, &f->info, format, width, height);
}

/* @properties: as in a launch line. */
static inline Frames
frames_new (GstVideoFormat format, const gchar *properties)
{
  gchar *line = g_strdup_printf ("gpuccl %s", properties);
  GstElement *element = gst_parse_launch (line, NULL);
  Frames f = {.bus = gst_bus_new ()};

  fail_unless (element != NULL, "%s", line);
  gst_element_set_bus (element, f.bus);
  f.h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  g_free (line);
  frames_caps (&f, format, WIDTH, HEIGHT);
  return f;
}

static inline void
frames_free (Frames *f)
{
  fed_free (f->h, f->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Frames, frames_free)

/* Fills @rects of a picture of @bytes bytes a pixel. */
static inline void
paint (guint8 *pixels, gint stride, gint bytes, gint width, gint height,
    const Rect *rects, guint n)
{
  for (guint i = 0; i < n; i++)
    for (gint y = rects[i].y; y < MIN (rects[i].y + rects[i].height, height);
         y++)
      for (gint x = rects[i].x; x < MIN (rects[i].x + rects[i].width, width);
           x++)
        for (gint b = 0; b < bytes; b++)
          pixels[y * stride + x * bytes + b] =
              (guint8) (rects[i].value >> 8 * b);
}

/* The next frame, black or without depth, but for @rects. */
static inline GstBuffer *
frames_make (Frames *f, const Rect *rects, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, f->info.size, NULL);
  gboolean depth =
      GST_VIDEO_INFO_FORMAT (&f->info) == GST_VIDEO_FORMAT_GRAY16_LE;
  GstMapInfo map;

  gst_buffer_memset (buffer, 0, depth ? 0 : 16, f->info.size);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  paint (map.data, f->info.stride[0], depth ? 2 : 1, f->info.width,
      f->info.height, rects, n);
  gst_buffer_unmap (buffer, &map);
  return fed_frame (buffer, f->n++);
}

/* A map of @rects, all else of it @rest in the first channel. */
static inline void
add_map (GstBuffer *buffer, GstVisionMap map, guint bytes, guint rest,
    const Rect *rects, guint n)
{
  guint pixel = bytes * map.channels;
  guint8 *pixels;
  GstMapInfo info;

  map.stride = pixel * map.width + 6;
  map.pixels =
      gst_buffer_new_allocate (NULL, (gsize) map.stride * map.height, NULL);
  gst_buffer_memset (map.pixels, 0, 0, map.stride * map.height);
  gst_buffer_map (map.pixels, &info, GST_MAP_WRITE);
  pixels = info.data;
  for (gsize i = 0; i < (gsize) map.width * map.height; i++)
    pixels[i / map.width * map.stride + i % map.width * pixel] = (guint8) rest;
  paint (pixels, map.stride, pixel, map.width, map.height, rects, n);
  gst_buffer_unmap (map.pixels, &info);
  fed_map (buffer, GST_VISION_ORIGIN_RESULT, map);
}

static inline void
add_classes (GstBuffer *buffer, guint channels, guint width, guint height,
    const Rect *rects, guint n)
{
  GstVisionMap map = {.kind = "correspondence",
      .format = "u8",
      .channels = channels,
      .width = width,
      .height = height,
      .scale = 1,
      .invalid = NAN};

  add_map (buffer, map, 1, 1, rects, n);
}

/* Pushes @buffer; what was found, to be freed, or NULL. */
static inline GstVisionObjects *
frames_push (Frames *f, GstBuffer *buffer)
{
  return fed_objects (f->h, buffer);
}

/* Pushes @buffer, in which @n objects are to be found; a copy of the first. */
static inline GstVisionObject *
frames_first (Frames *f, GstBuffer *buffer, guint n)
{
  g_autoptr (GstVisionObjects) found = frames_push (f, buffer);

  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, n);
  return n ? gst_vision_object_copy (&found->objects[0]) : NULL;
}

/* The same; only the state counts. */
static inline GstVisionState
frames_state (Frames *f, GstBuffer *buffer, guint n)
{
  GstVisionObject *first = frames_first (f, buffer, n);
  GstVisionState state = first ? first->state : GST_VISION_STATE_NONE;

  if (first)
    gst_vision_object_free (first);
  return state;
}

static inline void
expect_faulty (Frames *f, guint64 expected)
{
  fail_unless_equals_uint64 (stat_count (f->h->element, "faulty"), expected);
}

/* The next VisionNewObject that went upstream, or NULL. */
static inline GstEvent *
frames_event (Frames *f)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (f->h))) {
    if (gst_event_has_name (event, "VisionNewObject"))
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

/* ---- Label maps and boxes ---- */

static inline guint32
number_at (const GstVisionMap *map, const guint8 *pixels, guint x, guint y)
{
  const guint8 *row = pixels + (gsize) y * map->stride;

  return !strcmp (map->format, "u32") ? ((const guint32 *) row)[x]
      : !strcmp (map->format, "u16")  ? ((const guint16 *) row)[x]
                                      : row[x];
}

/* The component's number in the label map is that of its first pixel, which is
 * in the box's upper row: the one of them with the object's area. */
static inline guint32
label_of (const GstVisionObject *o, const GstVisionMap *map, const guint8 *p)
{
  for (guint x = (guint) o->x; x < o->x + o->width; x++) {
    guint32 label = number_at (map, p, x, (guint) o->y);
    guint64 area = 0;

    if (label != 1 + (guint) o->y * map->width + x)
      continue;
    for (gsize i = 0; i < (gsize) map->width * map->height; i++)
      area += number_at (map, p, i % map->width, i / map->width) == label;
    if (area == o->area)
      return label;
  }
  fail ("no component of the label map is the object");
  return 0;
}

/* Part that two sets of pixels have in common of what either has. */
static inline gdouble
overlap_of (
    const GstVisionMap *a, guint32 in_a, const GstVisionMap *b, guint32 in_b)
{
  GstMapInfo p, q;
  guint both = 0, either = 0;

  gst_buffer_map (a->pixels, &p, GST_MAP_READ);
  gst_buffer_map (b->pixels, &q, GST_MAP_READ);
  for (guint i = 0; i < a->width * a->height; i++) {
    gboolean x = number_at (a, p.data, i % a->width, i / a->width) == in_a;
    gboolean y = number_at (b, q.data, i % a->width, i / a->width) == in_b;

    both += x && y;
    either += x || y;
  }
  gst_buffer_unmap (b->pixels, &q);
  gst_buffer_unmap (a->pixels, &p);
  return (gdouble) both / either;
}

static inline gdouble
box_overlap_of (const GstVisionObject *a, const GstVisionObject *b)
{
  gdouble w = MIN (a->x + a->width, b->x + b->width) - MAX (a->x, b->x);
  gdouble h = MIN (a->y + a->height, b->y + b->height) - MAX (a->y, b->y);
  gdouble both = MAX (w, 0) * MAX (h, 0);

  return both / (a->width * a->height + b->width * b->height - both);
}
