/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisioncommon.h"

#include <string.h>

#include "meta/gstvisionmeta.h"

static GQuark
common_quark (void)
{
  return g_quark_from_static_string ("gst-vision-common");
}

GstVisionCommon *
gst_vision_common (gpointer element)
{
  return g_object_get_qdata (element, common_quark ());
}

void
gst_vision_common_init (
    GstVisionCommon *self, GstElement *element, const GstSegment *segment)
{
  g_object_set_qdata (G_OBJECT (element), common_quark (), self);
  self->segment = segment;
  gst_vision_backend_init (&self->backend, element);
  gst_vision_meta_watch (element);
  gst_vision_common_restart (self);
}

void
gst_vision_common_restart (GstVisionCommon *self)
{
  self->last_message = GST_CLOCK_TIME_NONE;
  self->has_failed = FALSE;
  memset (self->warnings, 0, sizeof self->warnings);
  GST_OBJECT_LOCK (self->backend.element);
  self->frames = self->dropped = self->faulty = 0;
  self->kernel = self->latency = (GstVisionTimes){0};
  self->pace = (GstVisionPace){0};
  gst_vision_common_clear (self);
  GST_OBJECT_UNLOCK (self->backend.element);
}

void
gst_vision_common_clear (GstVisionCommon *self)
{
  g_clear_pointer (&self->more, gst_structure_free);
}

void
gst_vision_common_set_stat (
    GstVisionCommon *self, const gchar *name, gdouble value)
{
  GST_OBJECT_LOCK (self->backend.element);
  if (!self->more)
    self->more = gst_structure_new_empty ("stats");
  gst_structure_set (self->more, name, G_TYPE_DOUBLE, value, NULL);
  GST_OBJECT_UNLOCK (self->backend.element);
}

/* ---- Properties ---- */

static void
add_times (GstStructure *stats, const gchar *name, const GstVisionTimes *t)
{
  gchar *mean = g_strconcat (name, "-mean", NULL);
  gchar *max = g_strconcat (name, "-max", NULL);

  gst_structure_set (stats, name, G_TYPE_UINT64, t->newest, mean, G_TYPE_UINT64,
      t->n ? t->sum / t->n : 0, max, G_TYPE_UINT64, t->max, NULL);
  g_free (mean);
  g_free (max);
}

static void
read_stats (gpointer owner, GValue *value)
{
  const GstVisionCommon *self = owner;
  const char *device = self->backend.where ? self->backend.where : "none";
  GstStructure *stats = self->more ? gst_structure_copy (self->more)
                                   : gst_structure_new_empty ("stats");

  gst_structure_set (stats, "frames", G_TYPE_UINT64, self->frames, "dropped",
      G_TYPE_UINT64, self->dropped, "faulty", G_TYPE_UINT64, self->faulty,
      NULL);
  add_times (stats, "kernel-time", &self->kernel);
  add_times (stats, "latency", &self->latency);
  gst_structure_set (stats, "device", G_TYPE_STRING, device, NULL);
  g_value_take_boxed (value, stats);
}

static GParamSpec *
spec_of_stats (void)
{
  return g_param_spec_boxed ("stats", "Statistics",
      "frames: frames that passed; dropped: frames that were dropped; "
      "faulty: frames that passed without results, because they could not "
      "be processed; kernel-time: time that the device worked on the "
      "newest frame (a GPU by its own clock; on the CPU the run time of "
      "the algorithm); latency: time from the arrival of that frame until "
      "its results were read; both also as -mean and -max, in nanoseconds; "
      "device: where the algorithm runs",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

#define ROWS_OF GstVisionCommon
const GstVisionProperty gst_vision_common_properties[] = {
    PARAMS (gst_vision_backend_params, backend),
    BY_HAND (SWITCH, post_messages, false,
        "Post the results of each frame on the bus, as an element message"),
    BY_HAND (NUMBER, interval, 0, G_MAXUINT64, 0,
        "Minimum nanoseconds between two messages (0 = one for every frame)"),
    {.spec = spec_of_stats, .read = read_stats}, {.params = NULL}};

/* ---- Frames ---- */

gdouble
gst_vision_elapsed (GstClockTime *last, GstBuffer *buffer)
{
  GstClockTime now = GST_BUFFER_PTS (buffer), before = *last;

  *last = now;
  if (!GST_CLOCK_TIME_IS_VALID (now) || !GST_CLOCK_TIME_IS_VALID (before) ||
      now <= before)
    return 0;
  return (gdouble) (now - before) / GST_SECOND;
}

GstClockTime
gst_vision_frame_duration (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint n = 0, d = 1;

  if (caps)
    gst_structure_get_fraction (
        gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  gst_clear_caps (&caps);
  return n > 0 ? gst_util_uint64_scale_int (GST_SECOND, d, n) : 0;
}

static void
take_time (GstVisionTimes *t, GstClockTime spent)
{
  t->n++;
  t->newest = spent;
  t->sum += spent;
  t->max = MAX (t->max, spent);
}

static GstStructure *
traced_value (GType type, GstTracerValueFlags flags, const gchar *text)
{
  return gst_structure_new ("value", "type", G_TYPE_GTYPE, type, "description",
      G_TYPE_STRING, text, "flags", GST_TYPE_TRACER_VALUE_FLAGS, flags, NULL);
}

/* The tracer record of frames; a process makes it once and keeps it. */
static GstTracerRecord *
frame_record (void)
{
  static gsize made;

  if (g_once_init_enter (&made)) {
    GstTracerRecord *record = gst_tracer_record_new ("vision-frame.class",
        "element", GST_TYPE_STRUCTURE,
        gst_structure_new ("scope", "type", G_TYPE_GTYPE, G_TYPE_STRING,
            "related-to", GST_TYPE_TRACER_VALUE_SCOPE,
            GST_TRACER_VALUE_SCOPE_ELEMENT, NULL),
        "kernel-time", GST_TYPE_STRUCTURE,
        traced_value (G_TYPE_UINT64, GST_TRACER_VALUE_FLAGS_OPTIONAL,
            "nanoseconds that the device worked on the frame"),
        "latency", GST_TYPE_STRUCTURE,
        traced_value (G_TYPE_UINT64, GST_TRACER_VALUE_FLAGS_NONE,
            "nanoseconds from the frame's arrival until its results"),
        NULL);

    GST_OBJECT_FLAG_SET (record, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    g_once_init_leave (&made, (gsize) record);
  }
  return GST_TRACER_RECORD (made);
}

/* Logs a frame as tracers do, if GST_DEBUG=GST_TRACER:7 asks for it. */
static void
trace_frame (const GstVisionCommon *self, GstClockTime spent)
{
#ifndef GST_DISABLE_GST_DEBUG
  GstClockTime kernel = self->backend.kernel_time;

  if (G_UNLIKELY (_gst_debug_min >= GST_LEVEL_TRACE))
    gst_tracer_record_log (frame_record (),
        GST_ELEMENT_NAME (self->backend.element),
        GST_CLOCK_TIME_IS_VALID (kernel), kernel, spent);
#else
  (void) self, (void) spent;
#endif
}

void
gst_vision_common_count (GstVisionCommon *self, gint64 start)
{
  GstClockTime spent = (g_get_monotonic_time () - start) * GST_USECOND;

  trace_frame (self, spent);
  GST_OBJECT_LOCK (self->backend.element);
  self->frames++;
  take_time (&self->latency, spent);
  if (GST_CLOCK_TIME_IS_VALID (self->backend.kernel_time))
    take_time (&self->kernel, self->backend.kernel_time);
  GST_OBJECT_UNLOCK (self->backend.element);
}

void
gst_vision_common_count_dropped (GstVisionCommon *self, guint64 n)
{
  GST_OBJECT_LOCK (self->backend.element);
  self->dropped += n;
  GST_OBJECT_UNLOCK (self->backend.element);
}

gboolean
gst_vision_common_wants_message (GstVisionCommon *self, GstBuffer *buffer)
{
  GstClockTime now = gst_segment_to_running_time (
      self->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  GstClockTime interval;
  gboolean wanted;

  GST_OBJECT_LOCK (self->backend.element);
  wanted = self->post_messages;
  interval = self->interval;
  GST_OBJECT_UNLOCK (self->backend.element);
  return wanted &&
      (!GST_CLOCK_TIME_IS_VALID (self->last_message) ||
          !GST_CLOCK_TIME_IS_VALID (now) || now < self->last_message ||
          now - self->last_message >= interval);
}

void
gst_vision_common_post (
    GstVisionCommon *self, GstBuffer *buffer, GstStructure *structure)
{
  GstElement *element = self->backend.element;
  GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstClockTime running =
      gst_segment_to_running_time (self->segment, GST_FORMAT_TIME, pts);

  self->last_message = running;
  gst_structure_set (structure, "timestamp", G_TYPE_UINT64, pts, "stream-time",
      G_TYPE_UINT64,
      gst_segment_to_stream_time (self->segment, GST_FORMAT_TIME, pts),
      "running-time", G_TYPE_UINT64, running, "duration", G_TYPE_UINT64,
      GST_BUFFER_DURATION (buffer), NULL);
  gst_element_post_message (
      element, gst_message_new_element (GST_OBJECT (element), structure));
}

void
gst_vision_common_post_objects (
    GstVisionCommon *self, GstBuffer *buffer, const gchar *name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "VisionObjects");
  GstStructure *structure;

  if (!meta || !gst_vision_common_wants_message (self, buffer))
    return;
  structure = gst_structure_copy (gst_custom_meta_get_structure (meta));
  gst_structure_set_name (structure, name);
  gst_vision_common_post (self, buffer, structure);
}

gboolean
gst_vision_segment_has_times (const GstSegment *segment)
{
  return segment->format == GST_FORMAT_TIME &&
      (segment->rate > 0 || GST_CLOCK_TIME_IS_VALID (segment->stop));
}

gboolean
gst_vision_pad_is_flushing (GstPad *pad)
{
  gboolean flushing;

  GST_OBJECT_LOCK (pad);
  flushing = GST_PAD_IS_FLUSHING (pad);
  GST_OBJECT_UNLOCK (pad);
  return flushing;
}
