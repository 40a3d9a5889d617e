/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All elements in steady pipelines: after the first minute, memory stays. */
#include "stress.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WARM 60 /* seconds */
#define ROOM (1 << 20)

static const gchar *const lines[] = {
    "visiontestsrc ! video/x-raw,format=RGB,width=160,height=120 ! moct "
    "objects=\"red:#c70d0d~22;green:#23813e~18;blue:#3864d2~20\" "
    "label-map=true "
    "trajectory=full ! visionoverlay map=labels ! visionmeta "
    "intrinsics=150,150,79.5,59.5 ! visionjson location=/dev/null ! visionmap "
    "kind=labels ! fakesink name=sink",
    "visiontestsrc pattern=rgbd motion-start=2 speed=4 ! "
    "video/x-raw,width=160,height=120 ! gpuccl min-size=100 ! visionjson "
    "location=/dev/null ! fakesink name=sink",
#ifndef NO_KINFUMOT
    "visiontestsrc pattern=rgbd motion-start=20 path=frontal ! "
    "video/x-raw,width=160,height=120 ! kinfumot voxel-size=0.02 "
    "truncation=0.06 max-memory=32 ! gpuccl min-size=100 ! visionjson "
    "location=/dev/null ! fakesink name=sink",
#endif
    "visiontestsrc pattern=stereo view=side-by-side ! "
    "video/x-raw,width=160,height=60 ! pocstereo max-disparity=16 ! visionmap "
    "kind=disparity ! fakesink name=sink",
    "envisrc location=cube.hdr ! emdtrack targets=it:1,1,3,3 emd-map=true ! "
    "visionjson location=/dev/null ! fakesink name=sink",
    "visiontestsrc pattern=clutter view=color ! "
    "video/x-raw,width=64,height=48 ! queue ! s.sink_color visiontestsrc "
    "pattern=clutter view=depth ! video/x-raw,width=64,height=48 ! queue ! "
    "s.sink_depth scopedetect name=s models=solid.model "
    "intrinsics=60,60,31.5,23.5 queries=100 kept=50 clusters=10 points=50 "
    "last=3 ! visionoverlay ! fakesink name=sink",
};

typedef struct {
  GstElement *pipeline;
  GstBus *bus;
  gint frames; /* atomic */
  gint before; /* of them, before the last seconds */
  const gchar *text;
} Line;

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  (void) pad;
  (void) info;
  g_atomic_int_inc ((gint *) frames);
  return GST_PAD_PROBE_OK;
}

static gboolean
begin (Line *self, const gchar *text)
{
  GError *error = NULL;
  GstElement *sink;
  GstPad *pad;

  self->pipeline = gst_parse_launch (text, &error);
  if (error) {
    stress_find (NULL, "%s", error->message);
    g_error_free (error);
    return FALSE;
  }
  self->bus = gst_element_get_bus (self->pipeline);
  sink = gst_bin_get_by_name (GST_BIN (self->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, count, &self->frames, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  return TRUE;
}

/* One that has ended begins again; an error is a finding. */
static void
serve (Line *self)
{
  GstMessage *message;

  while ((message = gst_bus_pop (self->bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
      gst_element_seek_simple (
          self->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      GError *error;

      gst_message_parse_error (message, &error, NULL);
      stress_find (NULL, "soak: %s", error->message);
      g_error_free (error);
    }
    gst_message_unref (message);
  }
}

static void
end (Line *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->bus);
  gst_object_unref (self->pipeline);
}

static gsize
resident (void)
{
  unsigned long pages = 0;
  FILE *f = fopen ("/proc/self/statm", "r");

  if (!f || fscanf (f, "%*u %lu", &pages) != 1)
    pages = 0;
  if (f)
    fclose (f);
  return pages * (gsize) sysconf (_SC_PAGESIZE);
}

/* The greatest of some seconds: what grows does, whatever the moment. */
typedef struct {
  gsize resident, used;
} Memory;

static Memory
measure (Line *all, guint n, guint seconds)
{
  Memory most = {0, 0};

  for (guint i = 0; i < seconds * 10; i++) {
    g_usleep (G_USEC_PER_SEC / 10);
    for (guint k = 0; k < n; k++)
      serve (&all[k]);
    if (i % 5)
      continue;
    most.resident = MAX (most.resident, resident ());
    most.used = MAX (most.used, mallinfo2 ().uordblks + mallinfo2 ().hblkhd);
  }
  return most;
}

static gboolean
has_grown (const gchar *what, gsize before, gsize now)
{
  printf ("%s: %.2f MB after the first minute, %.2f MB at the end\n", what,
      (gdouble) before / ROOM, (gdouble) now / ROOM);
  if (now <= before + ROOM)
    return FALSE;
  stress_find (NULL, "%s has grown by more than 1 MB", what);
  return TRUE;
}

/* Of the lines in which @element is, all of them for NULL. */
int
soak (guint seconds, const gchar *element)
{
  Line all[G_N_ELEMENTS (lines)] = {0};
  guint n = 0, warm = MIN (WARM, seconds / 3);
  Memory before, now;
  gboolean grown;

  /* few arenas: what one thread frees another one uses */
  mallopt (M_ARENA_MAX, 2);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (!element || strstr (lines[i], element)) {
      if (!begin (&all[n], lines[i]))
        return 1;
      all[n++].text = lines[i];
    }
  measure (all, n, warm / 2);
  before = measure (all, n, warm - warm / 2);
  for (guint i = warm; i + 20 < seconds; i += 20) {
    Memory at = measure (all, n, 20);

    printf ("%5u s: resident %.2f MB, used %.2f MB\n", i + 20,
        (gdouble) at.resident / ROOM, (gdouble) at.used / ROOM);
    fflush (stdout);
  }
  for (guint i = 0; i < n; i++)
    all[i].before = g_atomic_int_get (&all[i].frames);
  now = measure (all, n, MIN (20, seconds - warm));
  for (guint i = 0; i < n; i++) {
    if (g_atomic_int_get (&all[i].frames) == all[i].before)
      stress_find (NULL, "soak: this line has stopped");
    printf ("%d frames: %.60s...\n", g_atomic_int_get (&all[i].frames),
        all[i].text);
    end (&all[i]);
  }
  grown = has_grown ("resident memory", before.resident, now.resident);
  grown |= has_grown ("memory in use", before.used, now.used);
  return grown;
}
