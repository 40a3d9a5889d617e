/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-visionjson
 * @title: visionjson
 * @see_also: visionmeta, visionoverlay
 *
 * Writes what vision elements found as JSON lines, one object a buffer:
 *
 * |[
 * {"schema":1,"pts":0,"frame":0,"ref-width":640,"ref-height":480,"objects":[{"element":"moct","source":"moct0","id":1,"label":"red",…}],"camera":{…},"maps":[{"kind":…}],"truth":{"objects":[…]}}
 * ]|
 *
 * `objects` is always there; what a buffer does not have is left out.  Fields
 * have the names, types and units of the metadata, which docs/metadata.md
 * lists.  Numbers have up to nine digits, and never depend on the locale.  The
 * pixels of maps are not written.  With #GstVisionJson:lists, maps that are
 * lists, pocstereo's matches and points, have their numbers as `values`: an
 * array for each point, such as [x,y,disparity,sigma,confidence], and null for
 * what is not a number.
 *
 * `schema` is the version of this form, which docs/visionjson.schema.json
 * describes; it grows when a field changes its meaning or goes.  With
 * #GstVisionJson:stream, `stream` says whose line it is.  With
 * #GstVisionJson:utc, `utc` says when the frame was due by the pipeline's
 * clock, which for a live source is when it was taken, as
 * "2026-03-01T12:00:00.123456Z"; and `reference`, where the source attached
 * one, its `time` in nanoseconds by another clock and the `kind` of that, such
 * as timestamp/x-ntp.
 *
 * Buffers pass untouched, whatever their caps.  Every line is written at once.
 * A file is emptied when the element goes from READY to PAUSED, and written in
 * place.  A reader that is slow holds the pipeline up, one that goes away ends
 * it with an error.
 *
 * A FIFO that #GstVisionJson:location names need not have a reader.  Until one
 * comes, and after one has gone, the newest lines, 1 MiB of them, wait for the
 * next reader while buffers pass; older lines are lost.  A warning says once
 * that nobody reads, another one how many lines are lost.
 *
 * ## What it is for
 *
 * Results in a file, in another program, or on the network by a program that
 * reads lines, such as mosquitto_pub -l; and a look at what an element finds.
 *
 * ## When something else is better
 *
 * - An application in the same process reads the metadata of the buffers: see
 *   the guide.
 * - Elements that know regions of interest or GstAnalytics: #visionmeta.
 *
 * ## Troubleshooting
 *
 * - Lines without objects: it must stand behind the element that finds, without
 *   an encoder or a network between them, which results do not pass.
 * - Lines come late behind `|`: the program there, such as grep, collects what
 *   it writes; grep --line-buffered does not.
 * - Maps have no numbers: only lists do, with `lists`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -q visiontestsrc num-buffers=30 ! moct
 * objects='red:#ff0000~30' ! visionjson ! fakesink gst-launch-1.0 visiontestsrc
 * num-buffers=30 ! moct objects='red:#ff0000~30' ! visionjson
 * location=/dev/null ! fakesink
 * ]|
 *
 * Since: 0.1
 */
#include <errno.h>

#include <gst/base/gstbasetransform.h>

#include "base/gstvisionlines.h"
#include "base/gstvisionproperties.h"
#include "base/gstvisionwork.h"
#include "json/gstvisionjsonline.h"
#include "meta/gstvisionmeta.h"
#include "base/gstvisiontell.h"

#define GST_TYPE_VISION_JSON (gst_vision_json_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionJson, gst_vision_json, GST, VISION_JSON, GstBaseTransform)

struct _GstVisionJson {
  GstBaseTransform parent;

  GstVisionLines file;
  GstVisionWork work;
  gint has_started; /* atomic */
  GString *line;
  guint64 frame;   /* since the start */
  gboolean failed; /* an error was posted */

  /* under the object lock */
  gchar *location, *stream;
  gint fd;
  bool utc, lists;
};

G_DEFINE_TYPE (GstVisionJson, gst_vision_json, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (
    visionjson, "visionjson", GST_RANK_NONE, GST_TYPE_VISION_JSON)

#define STDOUT "-"

/* Bytes that a line has at first, and that it keeps after a long line. */
#define ROOM 4096
#define MAX_KEPT (1 << 20)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

#define ROWS_OF GstVisionJson
static const GstVisionProperty properties[] = {
    /* The element empties the file.  On standard output, gst-launch-1.0 writes
       its own messages between the lines unless it has -q. */
    STOPPED (STRING, location,
        "File or FIFO to write the lines to (- = standard output); if a FIFO "
        "has no reader, the newest 1 MiB of lines wait for one",
        .string = STDOUT),
    /* The element does not close the descriptor. */
    STOPPED (TITLED, "File descriptor", NUMBER, fd, -1, G_MAXINT, -1,
        "Open descriptor to write to, in place of location (-1 = unused)"),
    STRING (stream, "Name of the stream, written in every line"),
    TITLED ("UTC", SWITCH, utc, false,
        "Write the wall-clock time of each frame and, if the source attached "
        "one, its time by a reference clock"),
    SWITCH (lists, false,
        "Write the numbers of pocstereo's matches and points, an array for "
        "each point, as \"values\" of their maps"),
    {.params = NULL}};

/* write_buffer () refuses buffers until this function has ended. */
static gboolean
visionjson_start (GstBaseTransform *trans)
{
  GstVisionJson *self = GST_VISION_JSON (trans);
  gchar *location;
  gint fd;
  int error;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->location ? self->location : "");
  fd = self->fd;
  GST_OBJECT_UNLOCK (self);
  error = gst_vision_lines_open (&self->file, GST_ELEMENT (self), location, fd);
  if (error && fd >= 0)
    GST_VISION_ERROR (self, RESOURCE, OPEN_WRITE,
        ("File descriptor %d cannot be written to: %s. Set fd to one that is "
         "open for writing.",
            fd, g_strerror (error)));
  else if (error)
    GST_VISION_ERROR (self, RESOURCE, OPEN_WRITE,
        ("\"%s\" cannot be written to: %s. Set location to a file in a folder "
         "that exists and is yours, or to - for standard output.",
            location, g_strerror (error)));
  g_free (location);
  if (error)
    return FALSE;
  self->line = g_string_sized_new (ROOM);
  self->frame = 0;
  self->failed = FALSE;
  g_atomic_int_set (&self->has_started, TRUE);
  return TRUE;
}

static void
release_visionjson (GstElement *element)
{
  GstVisionJson *self = GST_VISION_JSON (element);

  gst_vision_lines_close (&self->file);
  g_string_free (g_steal_pointer (&self->line), TRUE);
}

static gboolean
visionjson_stop (GstBaseTransform *trans)
{
  GstVisionJson *self = GST_VISION_JSON (trans);

  g_atomic_int_set (&self->has_started, FALSE);
  gst_vision_work_stop (&self->work);
  return TRUE;
}

static void
post_write_error (GstVisionJson *self, int error)
{
  if (error == EPIPE)
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("The reader of the JSON lines is gone. Keep it running as long as the "
         "pipeline, or write to a file."),
        (NULL));
  else if (error == ENOSPC)
    GST_VISION_ERROR (self, RESOURCE, NO_SPACE_LEFT,
        ("No space is left for the JSON lines in %s. Free some, or set another "
         "location.",
            self->file.name));
  else
    GST_VISION_ERROR (self, RESOURCE, WRITE,
        ("The JSON lines cannot be written to %s: %s.", self->file.name,
            g_strerror (error)));
}

/* The time at which the frame was due, in microseconds since 1970; the current
 * time if the pipeline has no clock or the frame no time. */
static gint64
utc_of_buffer (GstVisionJson *self, GstBuffer *buffer)
{
  GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime running = segment->format == GST_FORMAT_TIME
      ? gst_segment_to_running_time (
            segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))
      : GST_CLOCK_TIME_NONE;
  gint64 now = g_get_real_time ();

  if (clock && GST_CLOCK_TIME_IS_VALID (running))
    now -= GST_CLOCK_DIFF (
               gst_element_get_base_time (GST_ELEMENT (self)) + running,
               gst_clock_get_time (clock)) /
        GST_USECOND;
  gst_clear_object (&clock);
  return MAX (now, 0);
}

static void
append_buffer (GstVisionJson *self, GstBuffer *buffer)
{
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);
  GstVisionJsonStamp stamp = {.utc = -1};
  gchar *stream;
  bool utc, lists;

  GST_OBJECT_LOCK (self);
  stream = g_strdup (self->stream);
  utc = self->utc;
  lists = self->lists;
  GST_OBJECT_UNLOCK (self);
  stamp.stream = stream;
  if (utc) {
    stamp.utc = utc_of_buffer (self, buffer);
    if (meta && gst_caps_get_size (meta->reference)) {
      stamp.reference =
          gst_structure_get_name (gst_caps_get_structure (meta->reference, 0));
      stamp.referenced = meta->timestamp;
    }
  }
  gst_vision_json_append_line (
      self->line, buffer, self->frame++, &stamp, lists);
  g_free (stream);
}

static GstFlowReturn
write_buffer (GstVisionJson *self, GstBuffer *buffer)
{
  int error;

  if (!g_atomic_int_get (&self->has_started))
    return GST_FLOW_FLUSHING;
  if (self->failed)
    return GST_FLOW_ERROR;
  if (self->line->allocated_len > MAX_KEPT) {
    g_string_free (self->line, TRUE);
    self->line = g_string_sized_new (ROOM);
  }
  g_string_truncate (self->line, 0);
  append_buffer (self, buffer);
  error =
      gst_vision_lines_write (&self->file, self->line->str, self->line->len);
  if (error == ECANCELED)
    return GST_FLOW_FLUSHING;
  if (error) {
    self->failed = TRUE;
    post_write_error (self, error);
    return GST_FLOW_ERROR;
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
visionjson_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstVisionJson *self = GST_VISION_JSON (trans);
  GstFlowReturn flow;

  gst_vision_work_begin (&self->work);
  flow = write_buffer (self, buffer);
  gst_vision_work_end (&self->work);
  return flow;
}

/* Cancels a write on the way to READY, so that a reader that has stopped
 * reading does not keep the pipeline from stopping. */
static GstStateChangeReturn
visionjson_change_state (GstElement *element, GstStateChange transition)
{
  GstVisionJson *self = GST_VISION_JSON (element);

  if (!gst_vision_work_change_state (&self->work, transition))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_vision_lines_cancel (&self->file, element);
  return GST_ELEMENT_CLASS (gst_vision_json_parent_class)
      ->change_state (element, transition);
}

static void
visionjson_finalize (GObject *object)
{
  gst_vision_work_clear (&GST_VISION_JSON (object)->work);
  G_OBJECT_CLASS (gst_vision_json_parent_class)->finalize (object);
}

static void
gst_vision_json_class_init (GstVisionJsonClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = visionjson_finalize;
  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  element->change_state = visionjson_change_state;
  trans->start = visionjson_start;
  trans->stop = visionjson_stop;
  trans->transform_ip = visionjson_transform_ip;

  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Vision results as JSON",
      "Filter/Metadata", "Writes results as JSON lines; buffers pass",
      "The gst-vision authors");
  gst_vision_meta_register ();
}

static void
gst_vision_json_init (GstVisionJson *self)
{
  gst_vision_properties_init (self, properties);
  gst_vision_meta_watch (GST_ELEMENT (self));
  gst_vision_work_init (&self->work, GST_ELEMENT (self), release_visionjson);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}
