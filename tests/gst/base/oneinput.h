/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A trivial child of GstVisionFilter, which adds `step` to the first byte of
 * each frame, and what is needed to feed it. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string.h>

#include "base/gstvisionfilter.h"
#include "fed.h"
#include "said.h"

#define FORMATS \
 "{ NV12, I420, P010_10LE, YUY2, RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, " \
 "GRAY16_LE }"
#define CAPS(format, w, h) \
 "video/x-raw,format=" format ",width=" #w ",height=" #h ",framerate=25/1"

typedef struct {
  GstVisionFilter parent;
  gint step;
  guint opened, closed, resets;
  Image seen; /* the newest */
  const Device *device;
  gulong sleep; /* microseconds a frame */
  gulong after; /* microseconds a frame, after the device's work */
} OneInput;

typedef GstVisionFilterClass OneInputClass;

G_DEFINE_TYPE (OneInput, one_input, GST_TYPE_VISION_FILTER)

static const char *
one_input_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  (void) info;
  ((OneInput *) filter)->device = device;
  ((OneInput *) filter)->opened++;
  return NULL;
}

static const char *
one_input_process (
    GstVisionFilter *filter, const Image *frame, GstBuffer *buffer)
{
  OneInput *self = (OneInput *) filter;

  self->seen = *frame;
  frame->plane[0][0] += self->step;
  g_usleep (self->sleep);
  if (self->after) {
    TRY (device_wait (self->device));
    g_usleep (self->after);
  }
  if (gst_vision_common_wants_message (gst_vision_common (filter), buffer))
    gst_vision_common_post (gst_vision_common (filter), buffer,
        gst_structure_new_empty ("oneinput"));
  return NULL;
}

static void
one_input_close (GstVisionFilter *filter)
{
  ((OneInput *) filter)->closed++;
}

static void
one_input_reset (GstVisionFilter *filter)
{
  ((OneInput *) filter)->resets++;
}

static void
one_input_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  (void) id;
  (void) pspec;
  ((OneInput *) object)->step = g_value_get_int (value);
}

static void
one_input_class_init (OneInputClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);

  object->set_property = one_input_set_property;
  g_object_class_install_property (object, 1,
      g_param_spec_int ("step", "Step", "Added to the first byte", 0, 255, 1,
          G_PARAM_WRITABLE | GST_PARAM_CONTROLLABLE));
  gst_vision_filter_class_add_pads (klass, FORMATS);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "One input", "Test", "Adds", "Nobody");
  klass->use = GST_VISION_FRAME_WRITE;
  klass->open = one_input_open;
  klass->process = one_input_process;
  klass->close = one_input_close;
  klass->reset = one_input_reset;
}

static void
one_input_init (OneInput *self)
{
  self->step = 1;
}

typedef struct {
  OneInput *element;
  GstHarness *h;
  GstBus *bus;
} One;

static inline One
one_new (void)
{
  /* the child looks at pixels as the CPU does */
  g_autoptr (GstElement) element = g_object_new (
      one_input_get_type (), "backend", GST_VISION_BACKEND_CPU, NULL);
  One t = {.element = (OneInput *) element, .bus = gst_bus_new ()};

  gst_element_set_bus (element, t.bus);
  t.h = gst_harness_new_with_element (element, "sink", "src");
  return t;
}

static inline void
one_free (One *t)
{
  fed_free (t->h, t->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (One, one_free)

static inline GstBuffer *
frame_of (gsize size, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, 9, size);
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

static inline guint8
first_byte (GstBuffer *buffer)
{
  guint8 byte;

  fail_unless_equals_int (gst_buffer_extract (buffer, 0, &byte, 1), 1);
  return byte;
}
