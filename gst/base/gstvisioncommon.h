/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The common part of both parents: properties, statistics, messages and
 * errors. */
#pragma once

#include "base/gstvisionbackend.h"
#include "base/gstvisionproperties.h"

G_BEGIN_DECLS

/* Times of frames. */
typedef struct {
  guint64 n;
  GstClockTime newest, sum, max;
} GstVisionTimes;

/* Whether an element keeps up with the clock: sinks that wait for it tell, by
 * QoS events, when frames come too late. */
typedef struct {
  guint late;       /* events in a row */
  guint64 n;        /* frames that had been processed at the first of them */
  GstClockTime sum; /* of the times that these took */
  gboolean told;
} GstVisionPace;

/* Maximum number of warnings of faulty frames in a few seconds, each of another
 * fault. */
#define GST_VISION_WARNINGS 4

/* A warning that was posted. */
typedef struct {
  guint hash;  /* of the sentence */
  gint64 told; /* g_get_monotonic_time; 0: never */
} GstVisionWarning;

typedef struct {
  GstVisionBackend backend;
  const GstSegment *segment; /* of the output */
  const gchar *less_memory;  /* what would need less memory, such as "a smaller
                                max-memory"; NULL: smaller frames alone */

  /* Under the element's object lock. */
  bool post_messages;
  GstClockTime interval; /* minimum time between messages; 0 = every frame */
  guint64 frames, dropped, faulty;
  GstVisionTimes kernel;  /* of the device, where it could be measured */
  GstVisionTimes latency; /* of each frame, until its results were read */
  GstStructure *more;     /* further fields of stats; NULL: none */
  GstVisionPace pace;

  /* Of the streaming thread. */
  GstClockTime last_message; /* running time of the newest one */
  GstVisionWarning warnings[GST_VISION_WARNINGS]; /* of faulty frames, the
                                                     newest ones */
  gboolean has_failed; /* an error was posted since the start */
} GstVisionCommon;

/* The common part of @element, a child of GstVisionFilter or
 * GstVisionAggregator: its backend, messages, statistics and errors. */
GstVisionCommon *gst_vision_common (gpointer element);

/* @segment lives as long as @element. */
void gst_vision_common_init (
    GstVisionCommon *self, GstElement *element, const GstSegment *segment);
/* Forgets statistics, failures and the time of the newest message. */
void gst_vision_common_restart (GstVisionCommon *self);
void gst_vision_common_clear (GstVisionCommon *self);

/* The properties of a GstVisionCommon. */
extern const GstVisionProperty gst_vision_common_properties[];

/* Sets a field of the property stats, until the next start. */
void gst_vision_common_set_stat (
    GstVisionCommon *self, const gchar *name, gdouble value);

/* Seconds from @last to the time of @buffer, which becomes @last; 0 if time
 * stands still or runs back. */
gdouble gst_vision_elapsed (GstClockTime *last, GstBuffer *buffer);

/* The duration of a frame by the caps of @pad, nanoseconds; 0 if they state no
 * frame rate. */
GstClockTime gst_vision_frame_duration (GstPad *pad);

/* Counts a frame that was processed from @start (g_get_monotonic_time) on. */
void gst_vision_common_count (GstVisionCommon *self, gint64 start);
void gst_vision_common_count_dropped (GstVisionCommon *self, guint64 n);

/* Counts a frame that passes without results because of @what, and warns of it,
 * unless @what or GST_VISION_WARNINGS others were warned of in the last five
 * seconds. */
void gst_vision_common_fault (GstVisionCommon *self, const char *what);

/* Whether a message about @buffer is wanted: post-messages is set and the
 * interval has passed. */
gboolean gst_vision_common_wants_message (
    GstVisionCommon *self, GstBuffer *buffer);
/* Posts @structure with the times of @buffer, as `level` does.  Takes it. */
void gst_vision_common_post (
    GstVisionCommon *self, GstBuffer *buffer, GstStructure *structure);
/* Posts a message @name with all objects of @buffer, if a message is wanted. */
void gst_vision_common_post_objects (
    GstVisionCommon *self, GstBuffer *buffer, const gchar *name);

/* Takes an event that came to @src: if a sink says that frames are late, and
 * this element is too slow for them, warns once. */
void gst_vision_common_take_pace (
    GstVisionCommon *self, GstPad *src, GstEvent *event);

/* Posts the error of a failed call, with a remedy, if it is the first since the
 * start; TRUE where @err is one. */
gboolean gst_vision_common_failed (GstVisionCommon *self, const char *err);
/* The same for an @err that says what is wrong with the properties. */
gboolean gst_vision_common_refused (GstVisionCommon *self, const char *err);

/* Whether a warning that was told at *@told (g_get_monotonic_time; 0: never) is
 * due again, and then notes that it is given now: every five seconds at most.
 */
gboolean gst_vision_warning_is_due (gint64 *told);
/* Whether a warning of @what is due, and then notes that it is given now:
 * unless @what or GST_VISION_WARNINGS others were warned of in the last five
 * seconds. */
gboolean gst_vision_warnings_take (
    GstVisionWarning warnings[GST_VISION_WARNINGS], const char *what);
/* Refuses, with an error, a segment that is not of times. */
gboolean gst_vision_common_takes_segment (
    GstVisionCommon *self, const GstSegment *segment);

/* Whether frames have running times in @segment: it is in times and, if played
 * backwards, has an end. */
gboolean gst_vision_segment_has_times (const GstSegment *segment);
/* Whether @pad takes nothing now: it flushes, or is not active. */
gboolean gst_vision_pad_is_flushing (GstPad *pad);

G_END_DECLS
