/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element kinfumot: poses and maps of the generated room, objects that
 * gpuccl announces, and what cannot be used. */
#include "suite.h"
#include <gst/check/gstharness.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/device.h"
#include "meta/gstvisionmeta.h"

#include "said.h"

#define SIZE "video/x-raw,width=160,height=120"
#define COARSE "voxel-size=0.02 truncation=0.06 max-memory=32 "

/* ---- In a pipeline ---- */

typedef struct {
  GstElement *pipeline, *it;
  guint n;         /* frames that came out */
  guint n_objects; /* of the newest frame */
  guint maps;      /* likewise */
  gboolean has_pose;
  gdouble off; /* metres between the camera and the truth, first frame apart */
  GstVisionCamera first_truth;
} Run;

static gdouble
away (const GstVisionCamera *a, const GstVisionCamera *first)
{
  gdouble sum = 0;

  for (guint i = 0; i < 3; i++)
    sum += (a->pose[i] - first->pose[i]) * (a->pose[i] - first->pose[i]);
  return sqrt (sum);
}

/* The truth's world is turned against kinfumot's, so lengths are compared. */
static void
look (Run *r, GstBuffer *buffer)
{
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  GstVisionCamera camera, truth, zero = {0};

  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_TRUTH, &truth));
  if (!r->n++)
    r->first_truth = truth;
  r->has_pose = camera.has_pose;
  r->off = fabs (away (&camera, &zero) - away (&truth, &r->first_truth));
  r->maps = gst_buffer_n_vision_maps (buffer, GST_VISION_ORIGIN_RESULT);
  r->n_objects = 0;
  for (guint i = 0; objects && i < objects->n_objects; i++)
    r->n_objects += g_str_equal (objects->objects[i].element, "kinfumot");
  if (objects)
    gst_vision_objects_free (objects);
}

static GstPadProbeReturn
probe (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  (void) pad;
  look (data, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static Run
run_line (const gchar *line)
{
  GError *error = NULL;
  Run r = {.pipeline = gst_parse_launch (line, &error)};
  GstElement *sink;
  GstMessage *message;
  GstPad *pad;
  GstBus *bus;

  fail_unless (!error, "%s", error ? error->message : "");
  r.it = gst_bin_get_by_name (GST_BIN (r.pipeline), "it");
  sink = gst_bin_get_by_name (GST_BIN (r.pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, probe, &r, NULL);
  gst_element_set_state (r.pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (r.pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (sink);
  return r;
}

static void
run_free (Run *r)
{
  gst_element_set_state (r->pipeline, GST_STATE_NULL);
  gst_object_unref (r->it);
  gst_object_unref (r->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_free)

GST_START_TEST (test_camera)
{
  g_auto (Run) r =
      run_line ("visiontestsrc pattern=rgbd num-buffers=12 ! " SIZE
                " ! kinfumot name=it maps=correspondence+depth+rendered+"
                "normals " COARSE "! fakesink name=sink");

  fail_unless_equals_int (r.n, 12);
  fail_unless_equals_int (r.maps, 5); /* the source has one, too */
  fail_unless (r.has_pose);
  fail_unless (r.off < .02, "%g", r.off);
  fail_unless_equals_int (r.n_objects, 0);
}
GST_END_TEST;

static void
read_numbers (const gchar *line, gdouble *v, guint n)
{
  gchar *rest = (gchar *) line;

  for (guint i = 0; i < n; i++)
    v[i] = g_ascii_strtod (rest, &rest);
}

/* Of the lines of an object that comes nearer the last is so by more than
 * 20 cm; the file goes. */
static void
check_path (const gchar *path)
{
  gchar *text, **lines;
  gdouble first[4], last[4];
  guint n;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "%s", path);
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  n = g_strv_length (lines);
  fail_unless (n > 10 && n < 35, "%u", n);
  read_numbers (lines[0], first, 4);
  read_numbers (lines[n - 1], last, 4);
  fail_unless (last[0] > first[0] && last[3] < first[3] - .2, "%g %g", first[3],
      last[3]);
  g_strfreev (lines);
  g_free (text);
  g_unlink (path);
}

/* With a trajectory, and what lies between. */
#define ROBOT \
 "visiontestsrc pattern=rgbd path=frontal speed=3 motion-start=5 " \
 "num-buffers=40 ! video/x-raw,width=320,height=240 ! kinfumot name=it " \
 "voxel-size=0.01 truncation=0.04 max-memory=64 trajectory-location=%s ! %s " \
 "gpuccl min-size=800 min-extent=8 ! fakesink name=sink"

/* The robot becomes an object, also where a queue lies between; its poses go to
 * a file beside the camera's. */
GST_START_TEST (test_robot)
{
  const gchar *between[] = {"", "queue !"};
  g_autofree gchar *folder = g_dir_make_tmp ("kinfumot-XXXXXX", NULL);
  g_autofree gchar *camera = g_build_filename (folder, "poses.txt", NULL);
  g_autofree gchar *robot = g_build_filename (folder, "poses-1.txt", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (between); i++) {
    gchar *line = g_strdup_printf (ROBOT, camera, between[i]);
    Run r = run_line (line);

    fail_unless_equals_int (r.n_objects, 1);
    fail_unless_equals_int (r.n, 40);
    run_free (&r);
    g_free (line);
    check_path (robot);
  }
  g_unlink (camera);
  g_rmdir (folder);
}
GST_END_TEST;

/* What @path has, which goes. */
static gchar *
take_text (const gchar *path)
{
  gchar *text = NULL;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "%s", path);
  g_unlink (path);
  return text;
}

/* Masks that come in the memory of the other backend make the object that those
 * of the own do: poses of camera and robot are the same to the digit.  Without
 * a GPU, both are on the CPU and there is nothing to compare. */
GST_START_TEST (test_other_backend)
{
  static const gchar *const on[][2] = {
      {"cpu", "cpu"}, {"cpu", "cuda"}, {"cuda", "cpu"}, {"cuda", "cuda"}};
  const char *no_gpu =
      device_cuda_probe (); /* here: CUDA survives no fork () */
  g_autofree gchar *folder = g_dir_make_tmp ("kinfumot-XXXXXX", NULL);
  g_autofree gchar *camera = g_build_filename (folder, "poses.txt", NULL);
  g_autofree gchar *robot = g_build_filename (folder, "poses-1.txt", NULL);
  gchar *wanted[2] = {NULL};

  for (guint i = 0; i < (no_gpu ? 1 : G_N_ELEMENTS (on)); i++) {
    g_autofree gchar *line = g_strdup_printf (
        "visiontestsrc pattern=rgbd path=frontal speed=3 motion-start=5 "
        "num-buffers=30 ! " SIZE
        " ! kinfumot name=it backend=%s voxel-size=0.02 "
        "truncation=0.06 max-memory=32 min-size=100 trajectory-location=%s ! "
        "gpuccl backend=%s min-size=200 min-extent=4 ! fakesink name=sink",
        on[i][0], camera, on[i][1]);
    Run r = run_line (line);
    gchar *text[2];

    fail_unless_equals_int (r.n_objects, 1);
    run_free (&r);
    text[0] = take_text (camera), text[1] = take_text (robot);
    for (guint k = 0; k < 2; k++) {
      if (!i)
        wanted[k] = g_strdup (text[k]);
      fail_unless_equals_string (text[k], wanted[k]);
      g_free (text[k]);
    }
  }
  if (no_gpu)
    g_print ("not compared with a GPU: %s\n", no_gpu);
  g_free (wanted[0]);
  g_free (wanted[1]);
  g_rmdir (folder);
}
GST_END_TEST;

/* Once a trajectory cannot be written any more, new objects get no files,
 * though the camera's path would be one of a folder again. */
GST_START_TEST (test_full_disk)
{
  g_autofree gchar *folder = g_dir_make_tmp ("kinfumot-XXXXXX", NULL);
  g_autofree gchar *camera = g_build_filename (folder, "poses.txt", NULL),
                   *said;
  g_autofree gchar *line = g_strdup_printf (ROBOT, camera, "");
  GstElement *pipeline = gst_parse_launch (line, NULL);

  fail_unless (symlink ("/dev/full", camera) == 0);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE),
      GST_STATE_CHANGE_SUCCESS);
  g_unlink (camera);
  fail_unless (g_file_set_contents (camera, "", 0, NULL));
  said = said_until_end (pipeline, line);
  fail_unless (strstr (said, "No space"), "\"%s\"", said);
  g_unlink (camera);
  fail_unless (g_rmdir (folder) == 0, "something else was written");
}
GST_END_TEST;

/* What three frames write to the file that @property names. */
static gchar *
written_to (const gchar *property, gsize *length)
{
  gchar *path = g_build_filename (g_get_tmp_dir (), "kinfumot-XXXXXX", NULL);
  gint fd = g_mkstemp (path);
  gchar *line, *text;
  Run r;

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  line = g_strdup_printf ("visiontestsrc pattern=rgbd num-buffers=3 ! " SIZE
                          " ! kinfumot name=it %s=%s " COARSE
                          "! fakesink name=sink",
      property, path);
  r = run_line (line);
  run_free (&r);
  fail_unless (g_file_get_contents (path, &text, length, NULL));
  g_free (line);
  g_unlink (path);
  g_free (path);
  return text;
}

GST_START_TEST (test_trajectory)
{
  g_autofree gchar *text = written_to ("trajectory-location", NULL);
  gchar **lines = g_strsplit (g_strchomp (text), "\n", -1);

  fail_unless_equals_int (g_strv_length (lines), 3);
  fail_unless_equals_string (lines[0],
      "0.000000000 0.000000000 0.000000000 0.000000000 0.000000000 "
      "0.000000000 0.000000000 1.000000000");
  g_strfreev (lines);
}
GST_END_TEST;

/* The mesh is written at the end of the stream; a file that cannot be written
 * is a warning, and the stream goes on. */
GST_START_TEST (test_mesh)
{
  gsize length;
  gchar *text = written_to ("mesh-location", &length);
  g_auto (Run) r;

  fail_unless (g_str_has_prefix (text, "ply\nformat binary_little_endian"));
  fail_unless (strstr (text, "element face") && length > 10000);
  g_free (text);
  r = run_line ("visiontestsrc pattern=rgbd num-buffers=2 ! " SIZE
                " ! kinfumot name=it mesh-location=/nowhere/to/be.ply " COARSE
                "! fakesink name=sink");
  fail_unless_equals_int (r.n, 2);
}
GST_END_TEST;

/* ---- Frame by frame ---- */

typedef struct {
  GstHarness *h;
  GstBus *bus;
  guint n;
} Frames;

#define WIDTH 64
#define HEIGHT 48

static Frames
frames_new (const gchar *properties)
{
  gchar *line = g_strdup_printf ("kinfumot " COARSE "%s", properties);
  GstElement *element = gst_parse_launch (line, NULL);
  Frames f = {.bus = gst_bus_new ()};

  fail_unless (element != NULL, "%s", line);
  gst_element_set_bus (element, f.bus);
  f.h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_harness_set_src_caps_str (
      f.h, "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=25/1");
  g_free (line);
  return f;
}

static void
frames_free (Frames *f)
{
  gst_element_set_bus (f->h->element, NULL);
  gst_object_unref (f->bus);
  gst_harness_teardown (f->h);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Frames, frames_free)

/* A corner of three walls, so that all directions are determined; or, with
 * @mm, one wall. */
static GstBuffer *
make (Frames *f, guint mm)
{
  GstBuffer *buffer = gst_buffer_new_and_alloc (2 * WIDTH * HEIGHT);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < WIDTH * HEIGHT; i++) {
    gint x = i % WIDTH - WIDTH / 2, y = i / WIDTH - HEIGHT / 2;
    gint steps = MAX (MAX (ABS (x), y), 0);

    GST_WRITE_UINT16_LE (
        map.data + 2 * i, mm ? mm : (guint) (1600 - 12 * steps));
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = f->n++ * 40 * GST_MSECOND;
  return buffer;
}

static gboolean
push (Frames *f, guint mm)
{
  GstBuffer *out = gst_harness_push_and_pull (f->h, make (f, mm));
  GstVisionCamera camera = {0};

  fail_unless (out != NULL);
  gst_buffer_get_vision_camera (out, GST_VISION_ORIGIN_RESULT, &camera);
  gst_buffer_unref (out);
  return camera.has_pose;
}

/* Poses go to a file @path, of @n frames without times whose caps have @rate.
 */
static void
write_untimed (const gchar *path, const gchar *rate, guint n, GstBus *bus)
{
  g_autofree gchar *line = g_strdup_printf (
      "kinfumot " COARSE "intrinsics=60,60,32,24 trajectory-location=%s", path);
  g_autofree gchar *caps = g_strdup_printf (
      "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=%s", rate);
  GstElement *element = gst_parse_launch (line, NULL);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  Frames f = {.h = h, .bus = bus};

  gst_element_set_bus (element, bus);
  gst_harness_set_src_caps_str (h, caps);
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = make (&f, 0);

    GST_BUFFER_PTS (buffer) = GST_CLOCK_TIME_NONE;
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

/* Frames without times are numbered at the rate of the caps; without a rate,
 * one warning says that their poses are missing. */
GST_START_TEST (test_untimed)
{
  g_autofree gchar *path =
      g_build_filename (g_get_tmp_dir (), "kinfumot-XXXXXX", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  gchar *text, **lines;

  g_close (g_mkstemp (path), NULL);
  write_untimed (path, "10/1", 3, bus);
  expect_silence (bus);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), 3);
  fail_unless (g_str_has_prefix (lines[0], "0.000000000 ") &&
      g_str_has_prefix (lines[1], "0.100000000 ") &&
      g_str_has_prefix (lines[2], "0.200000000 "));
  g_strfreev (lines);
  g_free (text);
  write_untimed (path, "0/1", 3, bus);
  expect_once (bus, GST_MESSAGE_WARNING, "their frames have no times");
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless_equals_string (text, "");
  g_free (text);
  g_unlink (path);
}
GST_END_TEST;

/* A FIFO that is full, and whose reader does not read; returns the reader. */
static gint
make_full_fifo (const gchar *path)
{
  static const gchar zeros[4096];
  gint fd;

  fail_unless (!mkfifo (path, 0600));
  fd = g_open (path, O_RDWR | O_NONBLOCK, 0);
  fail_unless (fd >= 0);
  while (write (fd, zeros, sizeof zeros) > 0)
    ;
  return fd;
}

#define STILL (G_USEC_PER_SEC / 2)

/* The poses of an object go to a FIFO whose reader has stalled: the pipeline
 * stops nevertheless. */
GST_START_TEST (test_stalled_reader)
{
  g_autofree gchar *folder = g_dir_make_tmp ("kinfumot-XXXXXX", NULL);
  g_autofree gchar *camera = g_build_filename (folder, "poses.txt", NULL);
  g_autofree gchar *robot = g_build_filename (folder, "poses-1.txt", NULL);
  g_autofree gchar *line = g_strdup_printf (ROBOT, camera, "");
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) it = gst_bin_get_by_name (GST_BIN (pipeline), "it");
  gint reader = make_full_fifo (robot);
  gint64 since = 0;
  guint64 n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (n < 5 || g_get_monotonic_time () < since + STILL) {
    guint64 now = stat_count (it, "frames");

    if (now != n)
      since = g_get_monotonic_time ();
    n = now;
    g_usleep (1000);
  }
  fail_unless (n < 40, "no frame waits for the reader");
  since = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () < since + 5 * G_USEC_PER_SEC);
  close (reader);
  g_unlink (camera);
  g_unlink (robot);
  g_rmdir (folder);
}
GST_END_TEST;

/* Without intrinsics frames pass, and a warning says what is missing. */
GST_START_TEST (test_no_camera)
{
  g_auto (Frames) f = frames_new ("");

  fail_unless (!push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING),
      "the camera is not known");
  fail_unless_equals_uint64 (stat_count (f.h->element, "faulty"), 1);
}
GST_END_TEST;

GST_START_TEST (test_wrong_camera)
{
  g_auto (Frames) f = frames_new ("intrinsics=1,1,32,24");

  fail_unless (!push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING), "do not fit");
}
GST_END_TEST;

/* A warning says that the camera is lost, an info that it is found again. */
GST_START_TEST (test_lost)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");

  for (guint i = 0; i < 3; i++)
    fail_unless (push (&f, 0));
  fail_unless (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless (!push (&f, 400));
  expect_text (
      gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING), "camera is lost");
  fail_unless (stat_number (f.h->element, "lost") == 1);
  fail_unless (push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_INFO), "found again");
  fail_unless (stat_number (f.h->element, "lost") == 0);
}
GST_END_TEST;

/* A warning says that poses are wanted and do not come. */
GST_START_TEST (test_no_poses)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24 pose=given");

  fail_unless (push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING),
      "brings no pose of the camera");
}
GST_END_TEST;

/* Voxels that one view fills are told, with the bytes. */
GST_START_TEST (test_full)
{
  g_auto (Frames) f = frames_new (
      "intrinsics=60,60,32,24 voxel-size=0.002 truncation=0.06 max-memory=16");

  fail_unless (push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING),
      "fill their 16 MiB: surfaces in view find no room");
}
GST_END_TEST;

/* After a flush the models are there; after a reset they are not. */
GST_START_TEST (test_flush)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");

  for (guint i = 0; i < 3; i++)
    push (&f, 0);
  fed_seek (f.h);
  fail_unless (push (&f, 0));
  fail_unless (stat_number (f.h->element, "matched") > .5);
  g_signal_emit_by_name (f.h->element, "reset");
  fail_unless (push (&f, 400));
  fail_unless (stat_number (f.h->element, "matched") == 0);
}
GST_END_TEST;

/* The first @n of the mask's @bytes are set. */
static GstEvent *
new_object_of (
    GstClockTime pts, guint width, guint height, gsize bytes, gsize n)
{
  GstBuffer *mask = gst_buffer_new_and_alloc (bytes);
  GstEvent *event;

  gst_buffer_memset (mask, 0, 0, bytes);
  gst_buffer_memset (mask, 0, 255, n);
  event = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new ("VisionNewObject", "pts", G_TYPE_UINT64, pts, "id",
          G_TYPE_UINT64, (guint64) 1, "ref-width", G_TYPE_UINT, width,
          "ref-height", G_TYPE_UINT, height, "stride", G_TYPE_UINT, width,
          "memory", G_TYPE_STRING, "system", "mask", GST_TYPE_BUFFER, mask,
          NULL));
  gst_buffer_unref (mask);
  return event;
}

static GstEvent *
new_object (GstClockTime pts, guint width, guint height, gsize bytes)
{
  return new_object_of (pts, width, height, bytes, bytes);
}

/* Masks of another size, that are too short, of a frame that never was, or of
 * everything: none ends the stream. */
GST_START_TEST (test_masks)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");

  push (&f, 0);
  gst_harness_push_upstream_event (f.h, new_object (0, 32, 24, 32 * 24));
  push (&f, 0);
  expect_text (
      gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING), "does not fit");
  gst_harness_push_upstream_event (f.h, new_object (0, WIDTH, HEIGHT, 100));
  push (&f, 0);
  gst_harness_push_upstream_event (
      f.h, new_object (12345, WIDTH, HEIGHT, WIDTH * HEIGHT));
  push (&f, 0);
  fail_unless (stat_number (f.h->element, "late") == 1);
  gst_harness_push_upstream_event (
      f.h, new_object (120 * GST_MSECOND, WIDTH, HEIGHT, WIDTH * HEIGHT));
  fail_unless (push (&f, 0));
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING),
      "too little of the background is left");
  fail_unless (stat_number (f.h->element, "refused") == 1);
  fail_unless (push (&f, 0));
  for (guint i = 0; i < 100; i++)
    gst_harness_push_upstream_event (
        f.h, new_object (i, WIDTH, HEIGHT, WIDTH * HEIGHT));
  push (&f, 0);
}
GST_END_TEST;

/* More objects than may be are refused, counted and told. */
GST_START_TEST (test_max_objects)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24 max-objects=0");

  fail_unless (push (&f, 0));
  for (guint i = 1; i <= 2; i++) {
    gst_harness_push_upstream_event (f.h,
        new_object_of (0, WIDTH, HEIGHT, WIDTH * HEIGHT, WIDTH * HEIGHT / 2));
    fail_unless (push (&f, 0));
    fail_unless (stat_number (f.h->element, "refused") == i);
  }
  expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING),
      "max-objects are followed already");
}
GST_END_TEST;

/* The event ends here: another tracker upstream has other masks. */
GST_START_TEST (test_event_ends)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");
  GstEvent *event;

  push (&f, 0);
  while ((event = gst_harness_try_pull_upstream_event (f.h)))
    gst_event_unref (event);
  gst_harness_push_upstream_event (
      f.h, new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT));
  fail_unless (gst_harness_try_pull_upstream_event (f.h) == NULL);
}
GST_END_TEST;

/* Another camera, other times, and events while all of that happens: frames
 * pass, the camera is known, and nothing is told. */
GST_START_TEST (test_changes)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");
  static const guint times[] = {3, 3, 1, 0, 90000, 5};

  for (guint i = 0; i < 3; i++)
    fail_unless (push (&f, 0));
  g_object_set (f.h->element, "intrinsics", "60.5,60.5,32,24", NULL);
  fail_unless (push (&f, 0));
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    f.n = times[i];
    fail_unless (push (&f, 0));
  }
  gst_harness_push_event (f.h, gst_event_new_flush_start ());
  gst_harness_push_upstream_event (
      f.h, new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT));
  gst_harness_push_event (f.h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_upstream_event (
      f.h, new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT));
  gst_harness_set_src_caps_str (
      f.h, "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=30/1");
  fail_unless (push (&f, 0));
  fail_unless (gst_bus_pop_filtered (
                   f.bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_harness_push_upstream_event (
      f.h, new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT));
}
GST_END_TEST;

/* ---- What changes in mid-stream ---- */

/* Intrinsics that do not fit or are missing from some frame on: the model waits
 * until they fit again. */
GST_START_TEST (test_camera_goes)
{
  static const gchar *const wrong[] = {"1,1,32,24", NULL};
  static const gchar *const told[] = {"do not fit", "the camera is not known"};
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");

  for (guint i = 0; i < 3; i++)
    fail_unless (push (&f, 0));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_object_set (f.h->element, "intrinsics", wrong[i], NULL);
    fail_unless (!push (&f, 0));
    fail_unless_equals_uint64 (stat_count (f.h->element, "faulty"), i + 1);
    expect_text (gst_bus_pop_filtered (f.bus, GST_MESSAGE_WARNING), told[i]);
    g_object_set (f.h->element, "intrinsics", "60,60,32,24", NULL);
    fail_unless (push (&f, 0));
    fail_unless (stat_number (f.h->element, "matched") > .5);
  }
}
GST_END_TEST;

static GstBuffer *
pull_of_size (Frames *f, guint width, guint height)
{
  gsize bytes = 2 * width * height;
  GstBuffer *buffer = gst_buffer_new_and_alloc (bytes);
  gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY16_LE,width=%u,"
                                 "height=%u,framerate=25/1",
      width, height);

  gst_buffer_memset (buffer, 0, 4, bytes);
  gst_harness_set_src_caps_str (f->h, caps);
  g_free (caps);
  return gst_harness_push_and_pull (f->h, buffer);
}

/* Frames of another size begin anew; a mask of one before ends nothing. */
GST_START_TEST (test_other_size)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");
  GstVisionCamera camera;
  GstBuffer *out;

  fail_unless (push (&f, 0));
  gst_harness_push_upstream_event (
      f.h, new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT));
  out = pull_of_size (&f, 48, 48);
  fail_unless (
      gst_buffer_get_vision_camera (out, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (camera.has_pose);
  gst_buffer_unref (out);
  fail_unless (stat_number (f.h->element, "refused") == 0);
}
GST_END_TEST;

/* The mask says that it lies in other memory than it does. */
GST_START_TEST (test_other_memory)
{
  g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");
  GstEvent *event = new_object (0, WIDTH, HEIGHT, WIDTH * HEIGHT);

  fail_unless (push (&f, 0));
  gst_structure_set (gst_event_writable_structure (event), "memory",
      G_TYPE_STRING, "cuda", NULL);
  gst_harness_push_upstream_event (f.h, event);
  fail_unless (push (&f, 0));
  fail_unless (stat_number (f.h->element, "refused") == 1);
}
GST_END_TEST;

/* The stream ends while the camera is lost: the mesh is that of the last good
 * model. */
GST_START_TEST (test_ends_lost)
{
  g_autofree gchar *path =
      g_build_filename (g_get_tmp_dir (), "kinfumot-XXXXXX", NULL);
  gchar *mesh;
  gsize good, lost;

  g_close (g_mkstemp (path), NULL);
  for (guint i = 0; i < 2; i++) {
    g_auto (Frames) f = frames_new ("intrinsics=60,60,32,24");

    g_object_set (f.h->element, "mesh-location", path, NULL);
    for (guint k = 0; k < 3; k++)
      fail_unless (push (&f, 0));
    if (i)
      fail_unless (!push (&f, 400));
    gst_harness_push_event (f.h, gst_event_new_eos ());
    fail_unless (g_file_get_contents (path, &mesh, i ? &lost : &good, NULL));
    g_free (mesh);
  }
  fail_unless (good > 10000);
  fail_unless_equals_uint64 (lost, good);
  g_unlink (path);
}
GST_END_TEST;

static void
copy_pose (GstBuffer *out, gdouble pose[7])
{
  GstVisionCamera camera;

  fail_unless (
      gst_buffer_get_vision_camera (out, GST_VISION_ORIGIN_RESULT, &camera));
  memcpy (pose, camera.pose, sizeof camera.pose);
  gst_buffer_unref (out);
}

/* Two in one process, which see different things in turn, say what each says
 * alone. */
GST_START_TEST (test_two)
{
  gdouble alone[4][7], beside[7];
  g_auto (Frames) a = frames_new ("intrinsics=60,60,32,24");
  g_auto (Frames) b = frames_new ("intrinsics=60,60,32,24");
  g_auto (Frames) c = frames_new ("intrinsics=58,58,31,24");

  for (guint i = 0; i < 4; i++)
    copy_pose (gst_harness_push_and_pull (a.h, make (&a, 0)), alone[i]);
  for (guint i = 0; i < 4; i++) {
    fail_unless (push (&c, 0));
    copy_pose (gst_harness_push_and_pull (b.h, make (&b, 0)), beside);
    fail_unless (!memcmp (alone[i], beside, sizeof beside));
  }
}
GST_END_TEST;

/* A start that is refused leaves no file open, which AddressSanitizer sees. */
GST_START_TEST (test_refused_start)
{
  g_autoptr (GstElement) element = gst_element_factory_make ("kinfumot", NULL);

  g_object_set (
      element, "intrinsics", "1,2", "trajectory-location", "/dev/null", NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
}
GST_END_TEST;

/* A start that is refused says why, each time. */
GST_START_TEST (test_refused_again)
{
  g_autoptr (GstElement) element = gst_element_factory_make ("kinfumot", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  g_object_set (element, "voxel-size", .05, "truncation", .1, NULL);
  gst_element_set_bus (element, bus);
  for (guint i = 0; i < 2; i++) {
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    expect_text (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR), "truncation");
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_element_set_bus (element, NULL);
}
GST_END_TEST;

SUITE (kinfumot, TIMEOUT (300), TEST (test_camera), TEST (test_robot),
    TEST (test_other_backend), TEST (test_trajectory), TEST (test_full_disk),
    TEST (test_mesh), TEST (test_no_camera), TEST (test_wrong_camera),
    TEST (test_lost), TEST (test_no_poses), TEST (test_full), TEST (test_flush),
    TEST (test_masks), TEST (test_max_objects), TEST (test_event_ends),
    TEST (test_changes), TEST (test_camera_goes), TEST (test_other_size),
    TEST (test_other_memory), TEST (test_ends_lost), TEST (test_two),
    TEST (test_refused_start), TEST (test_refused_again), TEST (test_untimed),
    TEST (test_stalled_reader));
