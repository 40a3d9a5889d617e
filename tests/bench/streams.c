/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many streams in one process: frames a second, and the processor's time a
 * frame.
 *
 *   streams N SOURCE ELEMENT…
 *
 * runs N pipelines "SOURCE ! ELEMENT… ! fakesink" at once, each until its end;
 * for example
 *
 *   streams 16 'filesrc location=clip.h264 ! h264parse ! nvh264dec' identity
 *
 * The time until the first frame of all has passed does not count. */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MAX_STREAMS 256

static gint frames;

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  (void) pad;
  (void) info;
  (void) unused;
  g_atomic_int_inc (&frames);
  return GST_PAD_PROBE_OK;
}

static GstElement *
prepare (const gchar *source, const gchar *element)
{
  g_autofree gchar *line = g_strdup_printf (
      "%s ! %s ! fakesink name=last sync=false", source, element);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error), *last;
  GstPad *pad;

  if (error)
    g_error ("%s: %s", line, error->message);
  last = gst_bin_get_by_name (GST_BIN (pipeline), "last");
  pad = gst_element_get_static_pad (last, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (last);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  return pipeline;
}

static void
finish (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error;

    gst_message_parse_error (message, &error, NULL);
    g_error ("%s", error->message);
  }
}

static gdouble
seconds (struct timeval t)
{
  return (gdouble) t.tv_sec + 1e-6 * (gdouble) t.tv_usec;
}

int
main (int argc, char **argv)
{
  GstElement *pipeline[MAX_STREAMS];
  struct rusage before, after;
  gint n, done;
  gint64 start;
  gchar *element;

  gst_init (&argc, &argv);
  n = argc > 3 ? atoi (argv[1]) : 0;
  if (n < 1 || n > MAX_STREAMS) {
    fprintf (stderr, "usage: %s N SOURCE ELEMENT...\n", argv[0]);
    return 2;
  }
  element = g_strjoinv (" ", argv + 3);
  for (gint i = 0; i < n; i++)
    pipeline[i] = prepare (argv[2], element);
  g_atomic_int_set (&frames, 0);
  getrusage (RUSAGE_SELF, &before);
  start = g_get_monotonic_time ();
  for (gint i = 0; i < n; i++)
    gst_element_set_state (pipeline[i], GST_STATE_PLAYING);
  for (gint i = 0; i < n; i++)
    finish (pipeline[i]);
  getrusage (RUSAGE_SELF, &after);
  done = g_atomic_int_get (&frames);
  printf (
      "%3d %-40.40s %6d frames %7.0f/s  user %6.0f  system %6.0f us/frame\n", n,
      element, done,
      done / (1e-6 * (gdouble) (g_get_monotonic_time () - start)),
      (seconds (after.ru_utime) - seconds (before.ru_utime)) / done * 1e6,
      (seconds (after.ru_stime) - seconds (before.ru_stime)) / done * 1e6);
  for (gint i = 0; i < n; i++) {
    gst_element_set_state (pipeline[i], GST_STATE_NULL);
    gst_object_unref (pipeline[i]);
  }
  g_free (element);
  return 0;
}
