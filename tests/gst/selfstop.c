/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements that their own streaming thread stops: a bus sync handler sets the
 * state in the middle of a frame.  GStreamer forbids it, and only warns; so
 * nothing may crash, and the element must start again afterwards. */
#include "suite.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "said.h"
#include "scopedetect/scopedetectscene.h"

#define PATIENCE (20 * G_USEC_PER_SEC)
#define SMALL "video/x-raw,width=64,height=48"
#define COLOURS "visiontestsrc num-buffers=3 ! " SMALL " ! "
#define VIEWS \
 "visiontestsrc pattern=stereo view=side-by-side num-buffers=3 ! " \
 "video/x-raw,width=128,height=48 ! "
#define DEPTH "visiontestsrc pattern=rgbd num-buffers=3 ! " SMALL " ! "

/* The element x posts a message of @type in the middle of a frame, an event or
 * caps. */
typedef struct {
  const gchar *line;
  GstMessageType type;
} Case;

static const Case cases[] = {
    /* it learns a mixed region, before it looks for colours */
    {COLOURS "moct name=x objects=it:roi=2,2,6,6 ! fakesink",
        GST_MESSAGE_WARNING},
    {COLOURS "moct name=x objects=it:roi=0,0,64,48 ! fakesink",
        GST_MESSAGE_INFO},
    {COLOURS "moct name=x objects=red:#ff0000~60 label-map=true "
             "post-messages=true ! fakesink",
        GST_MESSAGE_ELEMENT},
    {COLOURS "emdtrack name=x emd-map=true "
             "targets=a:5,5,20,20;b:200,200,9,9 ! fakesink",
        GST_MESSAGE_WARNING},
    {COLOURS "emdtrack name=x output=map targets=a:5,5,20,20 "
             "post-messages=true ! fakesink",
        GST_MESSAGE_ELEMENT},
    {COLOURS "moct objects=red:#ff0000~60 ! visionoverlay name=x map=none ! "
             "fakesink",
        GST_MESSAGE_WARNING},
    {COLOURS "visionmap name=x ! fakesink", GST_MESSAGE_WARNING},
    {COLOURS "visionjson name=x location=/dev/full ! fakesink",
        GST_MESSAGE_ERROR},
    {DEPTH "gpuccl name=x post-messages=true ! fakesink", GST_MESSAGE_ELEMENT},
    /* the map has another size than the frame */
    {DEPTH "videoscale ! video/x-raw,width=32,height=24 ! gpuccl name=x ! "
           "fakesink",
        GST_MESSAGE_WARNING},
    {VIEWS "pocstereo name=x mode=points max-disparity=8 post-messages=true ! "
           "fakesink",
        GST_MESSAGE_ELEMENT},
    /* a point outside of the view */
    {VIEWS "pocstereo name=x mode=points max-disparity=8 points=9,9;900,9 ! "
           "fakesink",
        GST_MESSAGE_WARNING},
    /* MODEL is a file */
    {"scopedetect name=x models=MODEL intrinsics=60,60,31,23 queries=20 "
     "kept=20 clusters=5 near=0.01 far=0.02 ! fakesink " COLOURS
     "queue ! x.sink_color " DEPTH "queue ! x.sink_depth",
        GST_MESSAGE_WARNING},
#ifndef NO_KINFUMOT
    {DEPTH "kinfumot name=x voxel-size=0.002 truncation=0.06 max-memory=16 ! "
           "fakesink",
        GST_MESSAGE_WARNING},
    {DEPTH "kinfumot name=x voxel-size=0.02 truncation=0.06 max-memory=32 "
           "trajectory-location=/dev/full post-messages=true ! fakesink",
        GST_MESSAGE_WARNING | GST_MESSAGE_ELEMENT},
    {DEPTH "kinfumot name=x voxel-size=0.02 truncation=0.06 max-memory=32 "
           "mesh-location=/none/mesh.ply ! fakesink",
        GST_MESSAGE_WARNING},
#endif
};

typedef struct {
  const Case *c;
  GstElement *x;
  GstState state;     /* to which x is set, once */
  gboolean again;     /* and then to PLAYING */
  gboolean has_begun; /* of the thread that posts */
  gint is_done;       /* atomic */
  GstStateChangeReturn result;
} Stop;

static GstBusSyncReply
handle (GstBus *bus, GstMessage *message, gpointer data)
{
  Stop *s = data;

  (void) bus;
  if (GST_MESSAGE_SRC (message) == GST_OBJECT (s->x) &&
      (GST_MESSAGE_TYPE (message) & s->c->type) && !s->has_begun) {
    s->has_begun = TRUE;
    gst_element_set_state (s->x, s->state);
    if (s->again)
      s->result = gst_element_set_state (s->x, GST_STATE_PLAYING);
    g_atomic_int_set (&s->is_done, TRUE);
  }
  return GST_BUS_PASS;
}

/* Plays until x has posted what stops it. */
static void
stop_by_itself (GstElement *pipeline, Stop *s)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gint64 until = g_get_monotonic_time () + PATIENCE;

  gst_bus_set_sync_handler (bus, handle, s, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!g_atomic_int_get (&s->is_done)) {
    fail_unless (g_get_monotonic_time () < until, "%s: no message", s->c->line);
    g_usleep (1000);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
}

static void
play (const Case *c, GstState state, gboolean again)
{
  g_auto (GStrv) parts = g_strsplit (c->line, "MODEL", 2);
  g_autofree gchar *line = g_strjoinv (model_path, parts);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  Stop s = {.c = c, .state = state, .again = again};
  g_autofree gchar *said = NULL;

  fail_unless (pipeline && !error, "%s", c->line);
  s.x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  /* GStreamer warns where the thread is the element's own */
  _gst_check_expecting_log =
      g_type_is_a (G_OBJECT_TYPE (s.x), g_type_from_name ("GstAggregator"));
  stop_by_itself (pipeline, &s);
  if (again)
    fail_unless_equals_int (s.result, GST_STATE_CHANGE_FAILURE);
  gst_object_unref (s.x);
  said = said_until_end (pipeline, c->line);
  if (c->type != GST_MESSAGE_ERROR)
    fail_unless (!strstr (said, "Internal data"), "%s: %s", c->line, said);
}

GST_START_TEST (test_null)
{
  play (&cases[__i__], GST_STATE_NULL, FALSE);
}
GST_END_TEST;

GST_START_TEST (test_ready)
{
  play (&cases[__i__], GST_STATE_READY, FALSE);
}
GST_END_TEST;

/* The start in the middle of the frame is refused. */
GST_START_TEST (test_again)
{
  play (&cases[__i__], GST_STATE_NULL, TRUE);
}
GST_END_TEST;

/* The reader of the lines goes, and the first frame tells so. */
GST_START_TEST (test_fifo)
{
  static const gchar *const elements[] = {"visionjson name=x location=",
#ifndef NO_KINFUMOT
      "kinfumot name=x voxel-size=0.02 truncation=0.06 max-memory=32 "
      "trajectory-location="
#endif
  };
  g_autofree gchar *folder = g_dir_make_tmp ("selfstop-XXXXXX", NULL);
  g_autofree gchar *fifo = g_build_filename (folder, "fifo", NULL);

  fail_unless (!mkfifo (fifo, 0600));
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    int reader = g_open (fifo, O_RDONLY | O_NONBLOCK, 0);
    g_autofree gchar *line =
        g_strconcat ("visiontestsrc pattern=rgbd is-live=true num-buffers=3 "
                     "! " SMALL " ! ",
            elements[i], fifo, " ! fakesink", NULL);
    GstElement *pipeline = gst_parse_launch (line, NULL);
    Case c = {line, GST_MESSAGE_WARNING};
    Stop s = {.c = &c, .state = GST_STATE_NULL};

    s.x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    close (reader);
    stop_by_itself (pipeline, &s);
    gst_object_unref (s.x);
    gst_object_unref (pipeline);
  }
  g_remove (fifo);
  g_rmdir (folder);
}
GST_END_TEST;

SUITE (selfstop, TIMEOUT (120), AROUND_ALL (make_model, remove_model),
    LOOP (test_null, G_N_ELEMENTS (cases)),
    LOOP (test_ready, G_N_ELEMENTS (cases)),
    LOOP (test_again, G_N_ELEMENTS (cases)), TEST (test_fifo));
