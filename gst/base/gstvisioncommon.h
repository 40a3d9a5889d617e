/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of both parents: properties, statistics, messages and
 * errors. */
#pragma once

#include "base/gstvisionbackend.h"
#include "base/gstvisionproperties.h"

G_BEGIN_DECLS

/* Number, newest, sum and maximum of times of frames. */
typedef struct {
  guint64 n;
  GstClockTime newest, sum, max;
} GstVisionTimes;

/* Whether an element keeps up with the clock: sinks that synchronise to it send
 * QoS events, which say when frames come too late. */
typedef struct {
  guint late; /* QoS events of late frames in a row */
  guint64 n;  /* frames that had been processed at the first of these events */
  GstClockTime sum; /* of the processing times of these n frames */
  gboolean told;
} GstVisionPace;

/* Maximum number of warnings of faulty frames in five seconds, each of another
 * fault. */
#define GST_VISION_WARNINGS 4

/* A warning that was posted. */
typedef struct {
  guint hash;  /* of the warning's sentence */
  gint64 told; /* time of g_get_monotonic_time (); 0: never */
} GstVisionWarning;

typedef struct {
  GstVisionBackend backend;
  const GstSegment *segment; /* segment of the output */
  const gchar
      *less_memory; /* advice for errors of memory, such as "a smaller
                       max-memory"; NULL: smaller frames are the only one */

  /* Fields under the element's object lock. */
  bool post_messages;
  GstClockTime interval; /* minimum time between messages; 0 = every frame */
  guint64 frames, dropped, faulty;
  GstVisionTimes kernel; /* time of the device, if it was measured */
  GstVisionTimes
      latency; /* time from a frame's arrival until its results were read */
  GstStructure *more; /* further fields of the property stats; NULL: none */
  GstVisionPace pace;

  /* Fields of the streaming thread. */
  GstClockTime last_message; /* running time of the newest message */
  GstVisionWarning
      warnings[GST_VISION_WARNINGS]; /* the newest warnings of faulty frames */
  gboolean has_failed;               /* an error was posted since the start */
} GstVisionCommon;

/* The common part of @element, a child of GstVisionFilter or
 * GstVisionAggregator: its backend, messages, statistics and errors. */
GstVisionCommon *gst_vision_common (gpointer element);

/* @segment lives as long as @element. */
void gst_vision_common_init (
    GstVisionCommon *self, GstElement *element, const GstSegment *segment);
/* Resets statistics, failures and the time of the newest message. */
void gst_vision_common_restart (GstVisionCommon *self);
void gst_vision_common_clear (GstVisionCommon *self);

/* The properties of a GstVisionCommon. */
extern const GstVisionProperty gst_vision_common_properties[];

/* Sets a field of the property stats, until the next start. */
void gst_vision_common_set_stat (
    GstVisionCommon *self, const gchar *name, gdouble value);

/* Seconds from @last to the time of @buffer, which is then stored in @last; 0
 * if time stands still or runs back. */
gdouble gst_vision_elapsed (GstClockTime *last, GstBuffer *buffer);

/* The duration of a frame by the caps of @pad, nanoseconds; 0 if the caps state
 * no frame rate. */
GstClockTime gst_vision_frame_duration (GstPad *pad);

/* Counts a frame that was processed from @start (g_get_monotonic_time) on. */
void gst_vision_common_count (GstVisionCommon *self, gint64 start);
void gst_vision_common_count_dropped (GstVisionCommon *self, guint64 n);

/* Counts a frame that passes without results because of the fault @what, and
 * posts a warning of it if gst_vision_warnings_take () allows. */
void gst_vision_common_fault (GstVisionCommon *self, const char *what);

/* Whether a message about @buffer is wanted: post-messages is set and the
 * interval has passed. */
gboolean gst_vision_common_wants_message (
    GstVisionCommon *self, GstBuffer *buffer);
/* Posts @structure with the times of @buffer, as the element `level` does.
 * Takes @structure. */
void gst_vision_common_post (
    GstVisionCommon *self, GstBuffer *buffer, GstStructure *structure);
/* Posts a message @name with all objects of @buffer, if a message is wanted. */
void gst_vision_common_post_objects (
    GstVisionCommon *self, GstBuffer *buffer, const gchar *name);

/* Reads an event that came to @src: if a sink reports late frames and this
 * element is too slow for them, posts one warning. */
void gst_vision_common_take_pace (
    GstVisionCommon *self, GstPad *src, GstEvent *event);

/* If @err is not NULL, returns TRUE, and posts it with a remedy if it is the
 * first error since the start. */
gboolean gst_vision_common_failed (GstVisionCommon *self, const char *err);
/* As gst_vision_common_failed (), for an @err that says what is wrong with the
 * properties. */
gboolean gst_vision_common_refused (GstVisionCommon *self, const char *err);

/* Whether a warning that was posted at *@told (time of g_get_monotonic_time ();
 * 0: never) is due again, which is so every five seconds; then sets *@told to
 * now. */
gboolean gst_vision_warning_is_due (gint64 *told);
/* Whether a warning of @what is due: not if a warning of @what, or
 * GST_VISION_WARNINGS other warnings, were posted in the last five seconds.  A
 * due warning is entered into @warnings. */
gboolean gst_vision_warnings_take (
    GstVisionWarning warnings[GST_VISION_WARNINGS], const char *what);
/* Whether the format of @segment is time; else posts an error. */
gboolean gst_vision_common_takes_segment (
    GstVisionCommon *self, const GstSegment *segment);

/* Whether frames have running times in @segment: it is in times and, if played
 * backwards, has an end. */
gboolean gst_vision_segment_has_times (const GstSegment *segment);
/* Whether @pad refuses all data now, because it flushes or is not active. */
gboolean gst_vision_pad_is_flushing (GstPad *pad);

G_END_DECLS
