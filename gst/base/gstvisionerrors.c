/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Errors and warnings of elements with one and with two inputs. */
#include <string.h>

#include "base/gstvisioncommon.h"
#include "base/gstvisiontell.h"

#define FAULT_INTERVAL (5 * G_USEC_PER_SEC)

void
gst_vision_tell (GstElement *element, GstMessageType type, GQuark domain,
    gint code, gchar *text, const gchar *function, gint line)
{
  gst_element_message_full (element, type, domain, code,
      g_utf8_make_valid (text, -1), NULL, __FILE__, function, line);
  g_free (text);
}

gboolean
gst_vision_warnings_take (
    GstVisionWarning warnings[GST_VISION_WARNINGS], const char *what)
{
  GstVisionWarning now = {g_str_hash (what), g_get_monotonic_time ()};
  GstVisionWarning *oldest = warnings;

  for (guint i = 0; i < GST_VISION_WARNINGS; i++) {
    GstVisionWarning *w = &warnings[i];

    if (w->told && w->hash == now.hash && now.told - w->told < FAULT_INTERVAL)
      return FALSE;
    if (w->told < oldest->told)
      oldest = w;
  }
  if (oldest->told && now.told - oldest->told < FAULT_INTERVAL)
    return FALSE;
  *oldest = now;
  return TRUE;
}

gboolean
gst_vision_warning_is_due (gint64 *told)
{
  gint64 now = g_get_monotonic_time ();

  if (*told && now - *told < FAULT_INTERVAL)
    return FALSE;
  *told = now;
  return TRUE;
}

void
gst_vision_common_fault (GstVisionCommon *self, const char *what)
{
  gchar *said;

  GST_OBJECT_LOCK (self->backend.element);
  self->faulty++;
  GST_OBJECT_UNLOCK (self->backend.element);
  if (!gst_vision_warnings_take (self->warnings, what))
    return;
  said = g_utf8_make_valid (what, -1); /* the text may quote a path */
  GST_ELEMENT_WARNING (self->backend.element, STREAM, FORMAT,
      ("Something is wrong with a frame: %s.", said),
      ("The stream goes on. stats counts such frames; each fault is warned of "
       "every few seconds at most."));
  g_free (said);
}

/* ---- Late frames ---- */

/* The warning needs LATE late frames in a row, so that one interruption causes
 * none, and the mean time of at least MIN_FRAMES frames. */
#define LATE 10
#define MIN_FRAMES 5

/* Reads @event of the pad @src, if it is a QoS event.  @n frames have taken the
 * time @sum so far.  Sets *@apart to the time from frame to frame.  If frames
 * are late, for the first time, and the mean time of a frame is longer than
 * *@apart, returns this mean time; else 0. */
static GstClockTime
take_pace (GstVisionPace *self, GstEvent *event, GstPad *src, guint64 n,
    GstClockTime sum, GstClockTime *apart)
{
  GstClockTimeDiff late;
  GstClockTime each;

  if (GST_EVENT_TYPE (event) != GST_EVENT_QOS || self->told)
    return 0;
  gst_event_parse_qos (event, NULL, NULL, &late, NULL);
  if (late <= 0) {
    self->late = 0;
    return 0;
  }
  if (self->late++ == 0) {
    self->n = n;
    self->sum = sum;
  }
  *apart = gst_vision_frame_duration (src);
  if (self->late < LATE || n < self->n + MIN_FRAMES || !*apart)
    return 0;
  each = (sum - self->sum) / (n - self->n);
  self->told = each > *apart;
  return self->told ? each : 0;
}

void
gst_vision_common_take_pace (
    GstVisionCommon *self, GstPad *src, GstEvent *event)
{
  GstElement *element = self->backend.element;
  GstClockTime apart = 0, each;
  gboolean on_cpu;

  GST_OBJECT_LOCK (element);
  each = take_pace (
      &self->pace, event, src, self->latency.n, self->latency.sum, &apart);
  on_cpu = g_strcmp0 (self->backend.where, "cpu") == 0;
  GST_OBJECT_UNLOCK (element);
  if (each)
    GST_ELEMENT_WARNING (element, CORE, TOO_LAZY,
        ("Frames are late: %s takes %.1f ms for one, which is %.1f frames a "
         "second, and %.1f come. Smaller frames (videoscale), a lower rate "
         "(videorate)%s or another preset would help.",
            GST_OBJECT_NAME (element), each / 1e6, 1e9 / each, 1e9 / apart,
            on_cpu ? ", a GPU" : ""),
        (NULL));
}

/* ---- Errors ---- */

#define MIB 1048576.

gchar *
gst_vision_memory_text (const char *err, const gchar *less)
{
  gsize bytes = out_of_memory_bytes ();
  GString *text;

  if (!strstr (err, "out of memory"))
    return NULL;
  text = g_string_new (NULL);
  g_string_printf (text, "There is not enough memory: %s", err);
  if (bytes == SIZE_MAX)
    g_string_append (text, "; more was asked for than any machine has");
  else if (bytes)
    g_string_append_printf (text, "; %.*f MiB were asked for",
        bytes < MIB ? 4 : 1, (gdouble) bytes / MIB);
  g_string_append_printf (text, ". Smaller frames%s%s need less.",
      less ? " or " : "", less ? less : "");
  return g_string_free (text, FALSE);
}

void
gst_vision_tell_no_frame (GstElement *element, gsize bytes, const gchar *less)
{
  gchar *text =
      gst_vision_memory_text (OUT_OF_MEMORY (bytes, " for a frame"), less);

  GST_ELEMENT_ERROR (element, RESOURCE, NO_SPACE_LEFT, ("%s", text), (NULL));
  g_free (text);
}

static void
post_error (GstVisionCommon *self, const char *what)
{
  GstElement *element = self->backend.element;
  gchar *err = g_utf8_make_valid (what, -1); /* the text may quote a path */
  gchar *memory = gst_vision_memory_text (err, self->less_memory);

  if (memory)
    GST_ELEMENT_ERROR (element, RESOURCE, NO_SPACE_LEFT, ("%s", memory),
        ("%s",
            self->backend.device.kind == DEVICE_CUDA
                ? "So do fewer elements on this GPU. backend=cpu uses the "
                  "memory of the host."
                : "So do fewer elements in this process."));
  else if (self->backend.opened_kind == GST_VISION_BACKEND_CUDA &&
      !self->backend.is_open)
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND,
        ("backend=cuda was asked for, but %s. Use backend=auto to run on the "
         "CPU without a GPU.",
            err),
        (NULL));
  else
    GST_ELEMENT_ERROR (element, LIBRARY, FAILED, ("%s.", err),
        ("The pipeline was stopped; start it again, with backend=cpu if the "
         "GPU does not recover."));
  g_free (memory);
  g_free (err);
}

gboolean
gst_vision_common_failed (GstVisionCommon *self, const char *err)
{
  if (err && !self->has_failed)
    post_error (self, err);
  self->has_failed |= err != NULL;
  return err != NULL;
}

gboolean
gst_vision_common_refused (GstVisionCommon *self, const char *err)
{
  if (err && !self->has_failed)
    GST_VISION_ERROR (self->backend.element, LIBRARY, SETTINGS,
        ("The properties cannot work with these frames: %s.", err));
  self->has_failed |= err != NULL;
  return err != NULL;
}

gboolean
gst_vision_common_takes_segment (
    GstVisionCommon *self, const GstSegment *segment)
{
  gboolean times = segment->format == GST_FORMAT_TIME;

  if (gst_vision_segment_has_times (segment))
    return TRUE;
  if (!self->has_failed && times)
    GST_ELEMENT_ERROR (self->backend.element, STREAM, FORMAT,
        ("The segment is played backwards and does not say where it ends. Seek "
         "with a stop."),
        (NULL));
  else if (!self->has_failed && segment->format == GST_FORMAT_UNDEFINED)
    GST_ELEMENT_ERROR (self->backend.element, STREAM, FORMAT,
        ("A frame came without a segment, which says when it is shown. Send "
         "one before the first frame, and again after each flush."),
        (NULL));
  else if (!self->has_failed)
    GST_ELEMENT_ERROR (self->backend.element, STREAM, FORMAT,
        ("The segment is in %s, but frames need times. Set format=time on "
         "appsrc, or put rawvideoparse behind a source of bytes.",
            gst_format_get_name (segment->format)),
        (NULL));
  self->has_failed = TRUE;
  return FALSE;
}
