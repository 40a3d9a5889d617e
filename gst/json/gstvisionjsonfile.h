/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the lines go: a file, a pipe or a socket whose reader may be slow, or
 * gone. */
#pragma once

#include <gst/gst.h>

typedef struct {
  int fd;
  gboolean is_ours; /* we opened it, and close it */
  GstPoll *poll;    /* NULL while closed */
} GstVisionJsonFile;

/* Opens @location ("-" is standard output) and empties it, or takes over @fd
 * where that is not negative.  0, or an errno. */
int gst_vision_json_file_open (
    GstVisionJsonFile *file, const gchar *location, int fd);
void gst_vision_json_file_close (GstVisionJsonFile *file);

/* Waits for the reader where it must.  0, ECANCELED or another errno; SIGPIPE
 * is not raised. */
int gst_vision_json_file_write (
    GstVisionJsonFile *file, const gchar *data, gsize length);

/* Ends a write () that waits, and any later one, with ECANCELED. */
void gst_vision_json_file_cancel (GstVisionJsonFile *file);
