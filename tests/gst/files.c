/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that properties name: of those that are read whole, none is a FIFO or a
 * device; and names from outside that are no UTF-8. */
#include "said.h"
#include "suite.h"
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meta/gstvisionmeta.h"

static gchar *
run (const gchar *line)
{
  return said_until_end (gst_parse_launch (line, NULL), line);
}

#define COLOURS \
 "videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=48 ! "
#define VIEWS \
 "visiontestsrc pattern=stereo view=side-by-side num-buffers=2 ! " \
 "video/x-raw,width=256,height=96 ! "
#define DEPTH "visiontestsrc pattern=rgbd num-buffers=2 ! "

/* One line for each property that names a file. */
static const gchar *const lines[] = {
    COLOURS "moct objects-file=%s ! fakesink",
    COLOURS "emdtrack targets=\"8,8,file=%s\" ! fakesink",
    COLOURS "emdtrack targets=8,8,16,16 ground-distance=file "
            "distance-file=%s ! fakesink",
    COLOURS "moct objects=\"a:rgb=0..255,0..255,0..255\" ! "
            "visionoverlay image=%s ! fakesink",
    VIEWS "pocstereo points=%s ! fakesink",
    VIEWS "pocstereo calibration=%s ! fakesink",
    VIEWS "pocstereo calibration=/dev/null,%s ! fakesink",
    DEPTH "gpuccl calibration=%s ! fakesink",
    DEPTH "gpuccl calibration=/dev/zero ! fakesink",
    DEPTH "depthalign rig=%s ! fakesink",
    DEPTH "depthalign target-calibration=%s ! fakesink",
    "scopedetect name=s models=%s intrinsics=90,90,32,24 ! fakesink " COLOURS
    "s.sink_color videotestsrc num-buffers=2 ! "
    "video/x-raw,format=GRAY16_LE,width=64,height=48 ! s.sink_depth",
    "envisrc location=%s num-buffers=1 ! fakesink",
};

/* Nobody writes to the FIFO: who opens it to read waits for ever. */
GST_START_TEST (test_fifo)
{
  g_autofree gchar *folder = g_dir_make_tmp ("files-XXXXXX", NULL);
  g_autofree gchar *fifo = g_build_filename (folder, "fifo", NULL);
  g_auto (GStrv) parts = g_strsplit (lines[__i__], "%s", -1);
  g_autofree gchar *line = NULL, *said = NULL;

  fail_unless (mkfifo (fifo, 0600) == 0);
  line = g_strjoinv (fifo, parts);
  said = run (line);
  fail_unless (strstr (said, "regular file"), "%s: %s", line, said);
  g_remove (fifo);
  g_rmdir (folder);
}
GST_END_TEST;

/* A text is 4 MiB at most. */
GST_START_TEST (test_too_large)
{
  g_autofree gchar *path = NULL, *said = NULL, *line = NULL;
  gint file = g_file_open_tmp ("files-XXXXXX", &path, NULL);

  fail_unless (ftruncate (file, 64 << 20) == 0);
  g_close (file, NULL);
  line = g_strdup_printf (COLOURS "moct objects-file=%s ! fakesink", path);
  said = run (line);
  fail_unless (strstr (said, "too large"), "%s", said);
  fail_unless (strstr (said, path), "%s", said);
  g_remove (path);
}
GST_END_TEST;

#define RED "red:rgb=200..255,0..60,0..60"
#define LATIN "gl\xe4s" /* ISO 8859-1 */

/* Refused in a sentence that is UTF-8; what was set before stays. */
static void
refused (GstBus *bus)
{
  g_autoptr (GError) error = error_on (bus, GST_MESSAGE_WARNING);

  fail_unless (error != NULL);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  fail_unless (strstr (error->message, "UTF-8"), "%s", error->message);
  fail_unless (strstr (error->message, "stay"), "%s", error->message);
}

GST_START_TEST (test_colours)
{
  g_autoptr (GstElement) moct = gst_element_factory_make ("moct", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  gboolean done = TRUE;
  g_autoptr (GError) error = NULL;
  gchar *text;

  gst_element_set_bus (moct, bus);
  gst_element_set_state (moct, GST_STATE_PAUSED);
  g_object_set (moct, "objects", RED, NULL);
  g_object_set (moct, "objects", LATIN ":rgb=0..9,0..9,0..9", NULL);
  refused (bus);
  g_signal_emit_by_name (moct, "learn", LATIN, 1, 1, 8, 8, &done);
  fail_unless (!done);
  refused (bus);
  g_object_get (moct, "objects", &text, NULL);
  fail_unless_equals_string (text, RED);
  g_free (text);
  /* a letter that a message has room for only in part */
  g_object_set (moct, "objects", "red:12345678901ä", NULL);
  error = error_on (bus, GST_MESSAGE_WARNING);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "12345678901") != NULL);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
  gst_element_set_state (moct, GST_STATE_NULL);
  gst_element_set_bus (moct, NULL);
}
GST_END_TEST;

static const gchar *
label_of (GstVisionObjects *objects)
{
  fail_unless (objects && objects->n_objects >= 1);
  return objects->objects[0].label;
}

/* The name of a mesh file becomes a label. */
GST_START_TEST (test_mesh)
{
  static const gchar box[] =
      "v 0 0 0\nv .08 0 0\nv 0 .05 0\nv .08 .05 0\n"
      "v 0 0 .02\nv .08 0 .02\nv 0 .05 .02\nv .08 .05 .02\n"
      "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  g_autofree gchar *folder = g_dir_make_tmp ("files-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, LATIN ".obj", NULL);
  g_autoptr (GstElement) src = gst_element_factory_make ("visiontestsrc", NULL);
  g_autoptr (GstVisionObjects) objects = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (Harness) h = NULL;

  fail_unless (g_file_set_contents (path, box, -1, NULL));
  gst_util_set_object_arg (G_OBJECT (src), "pattern", "clutter");
  gst_util_set_object_arg (G_OBJECT (src), "view", "depth");
  g_object_set (src, "meshes", path, NULL);
  h = gst_harness_new_with_element (src, NULL, "src");
  gst_harness_set_sink_caps_str (
      h, "video/x-raw,format=GRAY16_LE,width=160,height=120,framerate=25/1");
  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);
  fail_unless_equals_string (label_of (objects), "gl?s");
  g_remove (path);
  g_rmdir (folder);
}
GST_END_TEST;

/* So does the type of a region, of which a label has 63 bytes. */
GST_START_TEST (test_region)
{
  const gsize size = 64 * 48 * 3;
  gchar type[] = "12345678901234567890123456789012345678901234567890"
                 "123456789012ä";
  g_autoptr (Harness) h = gst_harness_new ("emdtrack");
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, size, NULL);
  g_autoptr (GstVisionObjects) objects = NULL;

  g_object_set (h->element, "target-meta", type, NULL);
  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=RGB,width=64,height=48,framerate=25/1");
  for (gsize i = 0; i < size; i++) {
    guint8 value = (guint8) (i * i >> 3);

    gst_buffer_fill (buffer, i, &value, 1);
  }
  GST_BUFFER_PTS (buffer) = 0;
  gst_buffer_add_video_region_of_interest_meta (buffer, type, 20, 16, 16, 16);
  buffer = gst_harness_push_and_pull (h, buffer);
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  type[strlen (type) - strlen ("ä")] = 0;
  fail_unless_equals_string (label_of (objects), type);
}
GST_END_TEST;

SUITE (files, LOOP (test_fifo, G_N_ELEMENTS (lines)), TEST (test_too_large),
    TEST (test_colours), TEST (test_mesh), TEST (test_region));
