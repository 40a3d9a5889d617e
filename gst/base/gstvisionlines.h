/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where lines go as they come: a file, a pipe or a socket whose reader may be
 * slow, gone, or not there yet. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* How many bytes of lines wait for the reader of a FIFO. */
#define GST_VISION_LINES_ROOM (1 << 20)

typedef struct {
  GstElement *element; /* which warns */
  GstPollFD fd;        /* -1: a FIFO that nobody reads */
  gboolean is_ours;    /* we opened fd, and close it */
  GstPoll *poll;       /* under the object lock; NULL while closed */
  gchar *name;         /* where lines go, for messages */

  /* Of a FIFO that we opened: */
  gchar *fifo;      /* its path; NULL: lines go to no FIFO */
  GString *waiting; /* lines that no reader has taken yet */
  guint64 lost;     /* lines for which there was no room */
  gboolean warned;  /* that the FIFO has no reader */
} GstVisionLines;

/* Opens @location ("-" is standard output) and empties it, or takes over @fd
 * where that is not negative.  0, or an errno.
 *
 * A FIFO need not have a reader: until one comes, also after another has left,
 * lines wait in GST_VISION_LINES_ROOM bytes, of which the oldest make room for
 * the newest.  @element warns once that nobody reads, and of what was lost. */
int gst_vision_lines_open (
    GstVisionLines *self, GstElement *element, const gchar *location, int fd);
void gst_vision_lines_close (GstVisionLines *self);

/* Writes whole lines, and waits for a slow reader.  Returns 0, ECANCELED or
 * another errno; raises no SIGPIPE. */
int gst_vision_lines_write (
    GstVisionLines *self, const gchar *lines, gsize length);

/* Of lines that @element opened: a write () that waits, and any later one,
 * returns ECANCELED.  Any thread may call it, also while they are closed. */
void gst_vision_lines_cancel (GstVisionLines *self, GstElement *element);

G_END_DECLS
