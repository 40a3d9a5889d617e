/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A trivial child of GstVisionAggregator, which counts the equal bytes of two
 * grey frames, and what is needed to feed it. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string.h>

#include "base/gstvisionaggregator.h"
#include "meta/gstvisionmeta.h"

#include "fed.h"
#include "said.h"

typedef struct {
  GstVisionAggregator parent;
  guint opened, closed, resets;
  gint width, height; /* of a view */
} TwoInputs;

typedef GstVisionAggregatorClass TwoInputsClass;

G_DEFINE_TYPE (TwoInputs, two_inputs, GST_TYPE_VISION_AGGREGATOR)

static const char *
two_inputs_open (GstVisionAggregator *agg, const Device *device,
    const GstVideoInfo *left, const GstVideoInfo *right)
{
  TwoInputs *self = (TwoInputs *) agg;

  self->opened++;
  self->width = left->width;
  self->height = left->height;
  fail_unless_equals_int (right->width, left->width);
  fail_unless_equals_int (right->height, left->height);
  return device_wait (device);
}

static const char *
two_inputs_process (GstVisionAggregator *agg, const Image *left,
    const Image *right, GstBuffer *buffer)
{
  TwoInputs *self = (TwoInputs *) agg;
  GstVisionObject object;

  gst_vision_object_init (&object);
  object.element = "twoinputs";
  fail_unless_equals_int (left->width, self->width);
  fail_unless_equals_int (right->height, self->height);
  for (int y = 0; y < left->height; y++)
    for (int x = 0; x < left->width; x++)
      object.area += left->plane[0][y * left->stride[0] + x] ==
          right->plane[0][y * right->stride[0] + x];
  object.x = left->plane[0][0];
  object.y = right->plane[0][0];
  return gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
             left->width, left->height, &object, 1)
      ? NULL
      : "no metadata";
}

static void
two_inputs_close (GstVisionAggregator *agg)
{
  ((TwoInputs *) agg)->closed++;
}

static void
two_inputs_reset (GstVisionAggregator *agg)
{
  ((TwoInputs *) agg)->resets++;
}

static void
two_inputs_class_init (TwoInputsClass *klass)
{
  gst_vision_aggregator_class_add_pads (
      klass, "sink_left", "{ GRAY8, NV12 }", "sink_right", "{ GRAY8, NV12 }");
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Two inputs", "Test", "Counts", "Nobody");
  klass->open = two_inputs_open;
  klass->process = two_inputs_process;
  klass->close = two_inputs_close;
  klass->reset = two_inputs_reset;
}

static void
two_inputs_init (TwoInputs *self)
{
  (void) self;
}

typedef struct {
  TwoInputs *element;
  GstHarness *left, *right; /* no right: one frame holds both */
  GstBus *bus;
} Two;

#define GREY_8X4 "video/x-raw,format=GRAY8,width=8,height=4,framerate=25/1"
#define N 32 /* bytes of such a frame */

/* An element of @type, which is this one or a child of it. */
static inline Two
two_new_of (GType type, gboolean live, const gchar *left, const gchar *right)
{
  Two t = {
      .element = g_object_new (type, "backend", GST_VISION_BACKEND_CPU, NULL),
      .bus = gst_bus_new ()};
  GstElement *element = GST_ELEMENT (t.element);

  gst_element_set_bus (element, t.bus);
  if (right)
    t.right = gst_harness_new_with_element (element, "sink_right", NULL);
  t.left = gst_harness_new_with_element (element, "sink_left", "src");
  gst_harness_set_live (t.left, live);
  gst_harness_set_src_caps_str (t.left, left);
  if (!right)
    return t;
  gst_harness_set_live (t.right, live);
  gst_harness_set_src_caps_str (t.right, right);
  return t;
}

static inline Two
two_new (gboolean live, const gchar *left, const gchar *right)
{
  return two_new_of (two_inputs_get_type (), live, left, right);
}

static inline Two
two_new_grey (gboolean live)
{
  return two_new (live, GREY_8X4, GREY_8X4);
}

static inline void
two_free (Two *t)
{
  fed_free_two (GST_ELEMENT (t->element), t->left, t->right, t->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Two, two_free)

/* Pushes @size bytes of @value. */
static inline GstFlowReturn
two_push (GstHarness *h, guint ms, gsize size, guint8 value)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, value, size);
  GST_BUFFER_PTS (buffer) = ms * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return gst_harness_push (h, buffer);
}

/* The next output is of @ms and has @area equal bytes. */
static inline void
two_expect (Two *t, guint ms, guint area)
{
  g_autoptr (GstBuffer) buffer = gst_harness_pull (t->left);
  g_autoptr (GstVisionObjects) objects = NULL;

  fail_unless (buffer != NULL, "nothing at %u ms", ms);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), ms * GST_MSECOND);
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  fail_unless (objects != NULL);
  fail_unless_equals_int (objects->n_objects, 1);
  fail_unless_equals_uint64 (objects->objects[0].area, area);
}

/* A pair of equal frames of @ms, and what comes of it. */
static inline void
two_pair (Two *t, guint ms)
{
  fail_unless_equals_int (two_push (t->left, ms, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t->right, ms, N, 1), GST_FLOW_OK);
  two_expect (t, ms, N);
}

static inline Two
two_with_a_pair (gboolean live)
{
  Two t = two_new_grey (live);

  two_pair (&t, 0);
  return t;
}

/* Both inputs see the same seek, as its number tells. */
static inline void
two_flush (Two *t, GstEvent *event)
{
  gst_event_set_seqnum (event, 1000);
  gst_harness_push_event (t->left, gst_event_ref (event));
  gst_harness_push_event (t->right, event);
}

static inline GstEvent *
two_segment (gdouble rate, guint start_ms)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = rate;
  segment.start = segment.time = start_ms * GST_MSECOND;
  return gst_event_new_segment (&segment);
}

static inline void
two_begin_anew (Two *t)
{
  two_flush (t, gst_event_new_flush_start ());
  two_flush (t, gst_event_new_flush_stop (TRUE));
  two_flush (t, two_segment (1, 0));
}

static inline guint64
two_stat (Two *t, const gchar *field)
{
  return stat_count (GST_ELEMENT (t->element), field);
}
