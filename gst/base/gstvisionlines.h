/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes lines to a file, a pipe or a socket, whose reader may be slow, gone,
 * or not there yet. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Maximum number of bytes that wait for the reader of a FIFO. */
#define GST_VISION_LINES_ROOM (1 << 20)

typedef struct {
  GstElement *element; /* the element that posts warnings */
  GstPollFD fd;        /* the descriptor; -1: a FIFO that nobody reads */
  gboolean is_ours;    /* fd is closed at the end */
  GstPoll *poll;       /* under the object lock; NULL while closed */
  gchar *name;         /* name of the file or descriptor, for messages */

  /* The following fields are of a FIFO that was opened by its path. */
  gchar *fifo;      /* path of the FIFO; NULL: lines go to no FIFO */
  GString *waiting; /* lines that no reader has taken yet */
  guint64 lost;     /* number of lines for which there was no room */
  gboolean warned;  /* the user was warned that the FIFO has no reader */
} GstVisionLines;

/* Opens @location ("-" is standard output) and empties it, or takes over the
 * descriptor @fd if this is not negative.  Returns 0 or an errno.
 *
 * A FIFO need not have a reader.  While it has none, the newest
 * GST_VISION_LINES_ROOM bytes of lines wait.  @element warns once that nobody
 * reads, and each time that lines were lost. */
int gst_vision_lines_open (
    GstVisionLines *self, GstElement *element, const gchar *location, int fd);
void gst_vision_lines_close (GstVisionLines *self);

/* Writes whole lines, and waits for a slow reader.  Returns 0, ECANCELED or
 * another errno; raises no SIGPIPE. */
int gst_vision_lines_write (
    GstVisionLines *self, const gchar *lines, gsize length);

/* Cancels a write () that waits, and each later write (), of the lines that
 * @element opened: they return ECANCELED.  Any thread may call it, also while
 * the lines are closed. */
void gst_vision_lines_cancel (GstVisionLines *self, GstElement *element);

G_END_DECLS
