/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Handles a stop that comes from the element's own streaming thread: a bus
 * sync handler, a probe or a signal handler that sets the element's state
 * calls stop () in the middle of a frame.  GStreamer forbids this, but only
 * warns of it.  GstVisionWork releases what the frame uses when the frame is
 * done. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element;
  void (*release) (GstElement *element);

  GMutex lock;
  GCond is_idle;
  GThread *thread; /* thread that works on a frame or an event; NULL: none */
  guint depth;     /* number of open begin () of that thread */
  gboolean
      is_stopped; /* that thread stopped the element since its first begin () */
} GstVisionWork;

/* @release frees what frames use; it is called once for each stop (). */
void gst_vision_work_init (GstVisionWork *self, GstElement *element,
    void (*release) (GstElement *element));
void gst_vision_work_clear (GstVisionWork *self);

/* Begin () and end () enclose the streaming thread's work on a frame, caps or
 * an event.  They may be nested.  The last end () calls release () if the work
 * stopped the element. */
void gst_vision_work_begin (GstVisionWork *self);
void gst_vision_work_end (GstVisionWork *self);
/* Whether this thread is between begin () and end (). */
gboolean gst_vision_work_is_here (GstVisionWork *self);

/* For change_state (), before its parent's.  On the way to PAUSED, waits until
 * the work that stopped the element has ended.  FALSE, after an error, if this
 * thread does that work, or the wait takes too long. */
gboolean gst_vision_work_change_state (
    GstVisionWork *self, GstStateChange transition);
/* For stop (): calls release (), or, if the work of this thread calls stop (),
 * leaves that to the last end (). */
void gst_vision_work_stop (GstVisionWork *self);

G_END_DECLS
