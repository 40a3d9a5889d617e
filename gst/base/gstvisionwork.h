/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an element does when its own streaming thread stops it.  GStreamer
 * forbids this stop and only warns of it: a bus sync handler, a probe or a
 * signal handler that sets the element's state calls stop () in the middle of a
 * frame.  GstVisionWork releases what the frame uses when the frame is done. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element;
  void (*release) (GstElement *element);

  GMutex lock;
  GCond is_idle;
  GThread *thread;     /* which works on a frame or an event; NULL: none */
  guint depth;         /* of that thread's begin () */
  gboolean is_stopped; /* by that thread, since its first begin () */
} GstVisionWork;

/* @release frees what frames use.  It is called once for each stop (). */
void gst_vision_work_init (GstVisionWork *self, GstElement *element,
    void (*release) (GstElement *element));
void gst_vision_work_clear (GstVisionWork *self);

/* Enclose what the streaming thread does with a frame, caps or an event.  They
 * may be nested; the last end () releases if the work stopped the element. */
void gst_vision_work_begin (GstVisionWork *self);
void gst_vision_work_end (GstVisionWork *self);
/* Whether this thread is between begin () and end (). */
gboolean gst_vision_work_is_here (GstVisionWork *self);

/* For change_state (), before its parent's.  On the way to PAUSED, waits until
 * work that stopped the element has ended; FALSE, and an error, where this
 * thread does that work, or the wait is long. */
gboolean gst_vision_work_change_state (
    GstVisionWork *self, GstStateChange transition);
/* For stop (): releases, or leaves that to the work that calls it. */
void gst_vision_work_stop (GstVisionWork *self);

G_END_DECLS
