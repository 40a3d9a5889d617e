/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A textured plane seen by two cameras, for pocstereo: the right view is the
 * left one, moved to the left by SHIFT pixels. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>
#include <string.h>

#include "meta/gstvisionmeta.h"

#include "fed.h"
#include "said.h"

#define WIDTH 96
#define HEIGHT 64
#define SHIFT 5
/* Where a window, and what it matches, lie inside of both views. */
#define LEFT_EDGE 24
#define EDGE 12

typedef struct {
  GstElement *element;
  GstHarness *left, *right; /* no right: one frame holds both */
  GstBus *bus;
  GstVideoInfo info; /* of what is pushed to the left */
  guint n;           /* frames made */
} Views;

static inline void
views_caps (
    Views *v, GstVideoFormat format, gint width, gint height, const gchar *more)
{
  g_autoptr (GstCaps) caps = NULL;

  gst_video_info_set_format (&v->info, format, width, height);
  v->info.fps_n = 25;
  caps = gst_video_info_to_caps (&v->info);
  gst_structure_remove_fields (
      gst_caps_get_structure (caps, 0), "multiview-mode", NULL);
  if (more)
    gst_caps_set_simple (caps, "multiview-mode", G_TYPE_STRING, more, NULL);
  gst_harness_set_src_caps (v->left, gst_caps_ref (caps));
  if (v->right)
    gst_harness_set_src_caps (v->right, gst_caps_ref (caps));
}

/* @properties: as in a launch line. */
static inline Views
views_new (gboolean packed, const gchar *properties)
{
  g_autofree gchar *line =
      g_strdup_printf ("pocstereo backend=cpu max-disparity=16 %s", properties);
  Views v = {.element = gst_parse_launch (line, NULL), .bus = gst_bus_new ()};

  fail_unless (v.element != NULL, "%s", line);
  gst_element_set_bus (v.element, v.bus);
  if (!packed)
    v.right = gst_harness_new_with_element (v.element, "sink_right", NULL);
  v.left = gst_harness_new_with_element (v.element, "sink_left", "src");
  return v;
}

/* For frames of two grey views. */
static inline Views
views_grey (const gchar *properties)
{
  Views v = views_new (FALSE, properties);

  views_caps (&v, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT, NULL);
  return v;
}

static inline void
views_free (Views *v)
{
  fed_free_two (v->element, v->left, v->right, v->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Views, views_free)

static inline guint
views_noise (gint x, gint y)
{
  guint32 v = (guint32) x * 73856093u ^ (guint32) y * 19349663u;

  v = (v ^ v >> 15) * 2246822519u;
  v = (v ^ v >> 13) * 3266489917u;
  return (v ^ v >> 16) & 255;
}

/* What the plane shows: noise, which looks like itself nowhere else, a little
 * smoothed. */
static inline guint8
views_texture (gint x, gint y)
{
  return (guint8) ((4 * views_noise (x, y) + 2 * views_noise (x - 1, y) +
                       2 * views_noise (x + 1, y) + views_noise (x, y - 1) +
                       views_noise (x, y + 1)) /
      10);
}

/* Writes a view whose pixel (0, 0) is at (@left, @top) of the frame; what it
 * shows at x, the plane has at x + @shift. */
static inline void
views_draw (GstVideoFrame *frame, gint left, gint top, gint width, gint height,
    gint shift)
{
  gboolean grey = GST_VIDEO_INFO_IS_YUV (&frame->info) ||
      GST_VIDEO_INFO_IS_GRAY (&frame->info);
  gboolean wide = GST_VIDEO_FRAME_COMP_DEPTH (frame, 0) > 8;

  for (gint c = 0; c < (grey ? 1 : 3); c++)
    for (gint y = 0; y < height; y++)
      for (gint x = 0; x < width; x++) {
        guint8 *p = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c) +
            (top + y) * GST_VIDEO_FRAME_COMP_STRIDE (frame, c) +
            (left + x) * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);

        p[wide] = views_texture (x + shift, y);
        if (wide)
          p[0] = 0;
      }
}

static inline GstBuffer *
views_buffer (Views *v, GstVideoFrame *frame)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, v->info.size, NULL);

  gst_buffer_memset (buffer, 0, 128, v->info.size);
  fail_unless (gst_video_frame_map (frame, &v->info, buffer, GST_MAP_WRITE));
  return fed_frame (buffer, v->n);
}

/* View @i of the next pair. */
static inline GstBuffer *
views_make (Views *v, gint i)
{
  GstVideoFrame frame;
  GstBuffer *buffer = views_buffer (v, &frame);

  views_draw (&frame, 0, 0, v->info.width, v->info.height, i ? SHIFT : 0);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* Both of them in one frame. */
static inline GstBuffer *
views_make_packed (Views *v, gboolean beside)
{
  gint x = beside ? v->info.width / 2 : 0, y = beside ? 0 : v->info.height / 2;
  GstVideoFrame frame;
  GstBuffer *buffer = views_buffer (v, &frame);

  for (gint i = 0; i < 2; i++)
    views_draw (&frame, i * x, i * y, v->info.width - x, v->info.height - y,
        i ? SHIFT : 0);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* Pushes a pair, @left as it is where not NULL, and takes what comes out. */
static inline GstBuffer *
views_push (Views *v, GstBuffer *left)
{
  GstBuffer *buffer;

  left = left ? left : views_make (v, 0);
  fail_unless_equals_int (gst_harness_push (v->left, left), GST_FLOW_OK);
  fail_unless_equals_int (
      gst_harness_push (v->right, views_make (v, 1)), GST_FLOW_OK);
  buffer = gst_harness_pull (v->left);
  fail_unless (buffer != NULL, "nothing came of pair %u", v->n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), v->n * 40 * GST_MSECOND);
  v->n++;
  return buffer;
}

static inline guint64
views_stat (Views *v, const gchar *field)
{
  return stat_count (v->element, field);
}

/* The newest map of @kind, to be unmapped; its pixels are at info->data. */
static inline GstVisionMap
views_map (GstBuffer *buffer, const gchar *kind, GstMapInfo *info)
{
  GstVisionMap map;

  fail_unless (
      gst_buffer_find_vision_map (buffer, GST_VISION_ORIGIN_RESULT, kind, &map),
      "there is no map %s", kind);
  fail_unless_equals_string (map.element, "pocstereo");
  fail_unless (gst_buffer_map (map.pixels, info, GST_MAP_READ));
  return map;
}

static inline gboolean
views_has (GstBuffer *buffer, const gchar *kind)
{
  GstVisionMap map;

  return gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, kind, &map);
}

/* The map of disparities, away from the edges, is that of the plane. */
static inline void
views_check_disparity (GstBuffer *buffer, gint width, gint height)
{
  GstMapInfo info;
  GstVisionMap map = views_map (buffer, "disparity", &info);

  fail_unless_equals_string (map.format, "f32");
  fail_unless_equals_int (map.width, width);
  fail_unless_equals_int (map.height, height);
  fail_unless (map.scale == 1 && map.offset == 0 && map.invalid == -32768);
  for (gint y = EDGE; y < height - EDGE; y++) {
    const gfloat *row = (const gfloat *) (info.data + (gsize) y * map.stride);

    for (gint x = LEFT_EDGE; x < width - EDGE; x++)
      fail_unless (fabs (row[x] - SHIFT) < .1, "at %d, %d: %f", x, y, row[x]);
  }
  gst_buffer_unmap (map.pixels, &info);
}
