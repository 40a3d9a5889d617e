/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the stress programs share.
 *
 * A round plays a few frames to one instance of one element, with whatever its
 * dice say: properties, caps, frames, metas, events.  Several rounds run at
 * once.  All dice of a round follow from its seed, which follows from the seed
 * of the run, the element and the round's number. */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/video/navigation.h>
#include <gst/video/video.h>

/* A sequence of random numbers. */
typedef struct {
  guint64 seed, n;
} Dice;

/* dice.c */
guint64 roll (Dice *dice);
guint below (Dice *dice, guint n);                /* 0 to @n - 1 */
gint between (Dice *dice, gint least, gint most); /* both included */
gboolean one_in (Dice *dice, guint n);
gdouble unit (Dice *dice); /* 0 to 1 */
/* Keys that are held at a mouse event: mostly none. */
GstNavigationModifierType roll_keys (Dice *dice);
#define PICK(dice, list) ((list)[below (dice, G_N_ELEMENTS (list))])

/* Frames of an element, in all its rounds or in one. */
typedef struct {
  guint64 in;      /* pushed, and GST_FLOW_OK came back */
  guint64 refused; /* pushed, and something else came back */
  guint64 out;     /* came out */
  guint64 counted; /* `frames` of stats, each as often as it has views */
  guint64 dropped; /* `dropped` of stats, or told in a QoS message */
  guint64 faulty;  /* likewise */
  guint64 nothing; /* no frames by design: a gap, or outside of the segment */
  guint64 errors, warnings;
} Tally;

typedef struct {
  const gchar *name, *sinks[2]; /* NULL: it has fewer */
  gboolean has_stats;
  /* of the run */
  guint rounds, running;
  Tally all;
} Kind;

/* A stream of frames to one pad. */
typedef struct {
  gint pad;
  GstHarness *harness;
  GstCaps *caps;
  gboolean is_video; /* then: */
  GstVideoInfo info;
  GstSegment segment;
  guint times;   /* how they go on: TIMES_... */
  guint layouts; /* how frames lie in memory: mostly the same in a stream */
  guint n;       /* frames so far */
  GstClockTime newest;
  gboolean stands; /* times that do not go on */
  GMutex lock;     /* while it pushes */
  gboolean ended;  /* EOS was pushed */
} Stream;

typedef struct {
  Kind *kind;
  guint64 seed;
  guint number;
  gboolean is_alone; /* FALSE: its element is a member of a chain */

  GstElement *element;
  GstBus *bus;
  Stream stream[2];
  guint n_streams; /* pads that are linked; the second may be left out */
  gint wanted;     /* of a source: num-buffers; -1: it cannot be said */

  GMutex states; /* one thread at a time stops and starts it */
  GMutex lock;   /* for what follows */
  Tally tally;
  guint64 slack;     /* frames that waited where there was a flush or stop */
  guint64 cuts;      /* frames under way to the output likewise */
  gboolean dead;     /* it could not be started again */
  gboolean answered; /* downstream refused a frame */
  gboolean has_eos;  /* came out */
  gboolean stopped;  /* and begun again */
  gint over;         /* atomic: all frames were pushed */
} Round;

/* findings.c */
extern guint64 stress_seed;
extern gint stress_progress; /* atomic: anything that moves */
extern gint stress_patience; /* seconds without a move that are a stall */
extern gint stress_idle;     /* atomic: seconds in which all threads waited */
/* Otherwise every second counts as one in which all threads waited. */
extern gboolean stress_looks_at_threads;
extern gboolean stress_is_loud;
/* A fault.  @round: may be NULL. */
void stress_find (const Round *round, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Lines that repeat what is played from now on. */
void stress_repeat (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
guint stress_findings (void);
/* Ends the program at a stall; @tell prints what is played. */
GThread *guard_begin (void (*tell) (void));
void guard_end (GThread *thread);

/* stress.c */
/* Whether --seconds have gone: rounds that are begun end early. */
gboolean stress_is_late (void);

/* log.c: messages to GLib and to the bus. */
void log_watch (void);
void log_set_round (Round *round);  /* whose work this thread does */
void log_expect (gboolean expects); /* GLib's own refusal of a value */
void log_allow (const gchar *text); /* a part of GStreamer's own warnings */
/* The same in all threads, from now on, besides earlier ones; NULL: none. */
void log_know (const gchar *text);
/* Only warnings of what @library calls count. */
void log_blame (const gchar *library);
/* An error or a warning has a text, which is UTF-8. */
void log_check (const Round *round, GstMessage *message);

/* bus.c */
GstBus *bus_make (Round *round);

/* files.c: in the current folder. */
void files_make (void);
void files_remove (void);
/* Descriptors that this process has. */
guint files_opened (void);
/* A text for a property; to be freed. */
gchar *files_text (Dice *dice, const gchar *element, const gchar *property);
/* The depth of a solid on a table: @width by @height, in tenths of mm. */
void files_depth (guint8 *to, gsize stride, gint width, gint height);

/* properties.c */
/* What it needs to find anything; then whatever. */
void properties_useful (Round *round, Dice *dice);
void properties_begin (Round *round, Dice *dice);
void properties_set_one (Round *round, Dice *dice);
void properties_read (Round *round, Dice *dice);
void properties_preset (Round *round, Dice *dice);
void properties_signal (Round *round, Dice *dice);
void properties_control (Round *round, Dice *dice);

/* caps.c */
/* Caps of @stream, like those of @other where that is not NULL. */
GstCaps *caps_make (Round *round, Dice *dice, gint pad, const Stream *other);
/* Caps that a source may be asked for. */
GstCaps *caps_wanted (Round *round, Dice *dice);

/* frames.c */
GstBuffer *frames_make (Dice *dice, Stream *stream);
/* Whether an element need not look at it: no frame, but a gap, or one that lies
 * outside of the segment. */
gboolean frames_is_nothing (const Stream *stream, GstBuffer *buffer);

/* metas.c */
void metas_add (Dice *dice, GstBuffer *buffer, const Stream *stream);
GstStructure *metas_structure (Dice *dice);
/* What an event of a new object says. */
GstStructure *metas_new_object (Dice *dice, guint width, guint height);
/* Reads all that came out. */
void metas_read (GstBuffer *buffer);

/* events.c */
void events_begin (Round *round, Dice *dice, Stream *stream);
void events_push_caps (Round *round, Dice *dice, Stream *stream);
void events_downstream (Round *round, Dice *dice, Stream *stream);
void events_upstream (Round *round, Dice *dice);
void events_query (Round *round, Dice *dice);

/* device.c: devices that fail on demand. */
void device_watch (GstElement *element);
gboolean device_fail_begin (Dice *dice);
void device_fail_end (void);

/* play.c */
/* Frames may be gone: at a stop, an error, a flush.  With the round's lock. */
void play_cut (Round *round);
void play_flush (Round *round);
void play_round (Round *round);
/* Stops the element, whose stats then count what came since its start. */
gboolean play_restart (Round *round);

/* meddle.c: another thread, until round->over. */
GThread *meddle_begin (Round *round);

/* soak.c */
int soak (guint seconds, const gchar *element);
