/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tests of mirrored objects share: a frame with an object in it, and
 * how to look at its regions of interest. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <math.h>

#include "meta/gstvisionmeta.h"

#define RGBA(size) "video/x-raw,format=RGBA," size ",framerate=1/1"
#define BIG "width=640,height=480"
#define SMALL "width=320,height=120"

static const GstVisionObject box = {.id = 3,
    .element = "moct",
    .label = "red",
    .x = 100,
    .y = 50,
    .width = 40,
    .height = 20,
    .cx = 119.5,
    .cy = 59.5};

static inline GstBuffer *
frame (void)
{
  return gst_buffer_new_allocate (NULL, 640 * 480 * 4, NULL);
}

static inline GstBuffer *
frame_with (const GstVisionObject *objects, guint n)
{
  GstBuffer *buffer = frame ();

  GST_BUFFER_PTS (buffer) = 0;
  gst_buffer_memset (buffer, 0, 0, -1);
  fail_unless (gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_RESULT, 640, 480, objects, n));
  return buffer;
}

static inline guint
n_regions (GstBuffer *buffer)
{
  return gst_buffer_get_n_meta (
      buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

/* Exactly one region of @type with @id is there, and it is this. */
static inline void
check_region (GstBuffer *buffer, const gchar *type, gint id, guint x, guint y,
    guint width, guint height)
{
  const GstVideoRegionOfInterestMeta *region;
  gpointer state = NULL;
  guint n = 0;

  while ((region = (gpointer) gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    if (region->id != id || region->roi_type != g_quark_from_string (type))
      continue;
    n++;
    fail_unless_equals_int (region->x, x);
    fail_unless_equals_int (region->y, y);
    fail_unless_equals_int (region->w, width);
    /* GStreamer 1.28 rounds what it scales otherwise than earlier releases */
    fail_unless (ABS ((gint) region->h - (gint) height) <= 1);
  }
  fail_unless (n == 1, "%u regions %s %d", n, type, id);
}

static inline void
add_camera (GstBuffer *buffer)
{
  GstVisionCamera camera = {.ref_width = 640,
      .ref_height = 480,
      .fx = 500,
      .fy = 501,
      .baseline = NAN};

  fail_unless (gst_buffer_set_vision_camera (buffer, 0, &camera));
}

static inline GstBuffer *
push_through (
    const gchar *elements, const gchar *in, const gchar *out, GstBuffer *buffer)
{
  g_autoptr (Harness) h = gst_harness_new_parse (elements);

  fail_unless (h != NULL, "%s", elements);
  gst_harness_set_caps_str (h, in, out);
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL, "%s passes nothing", elements);
  return buffer;
}
