/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where visionjson writes to: files, pipes, readers that stall or go away. */
#include "said.h"
#include "suite.h"
#include <gst/check/gstharness.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "meta/gstvisionmeta.h"

/* A pipeline of 3 buffers, at its end. */
static void
run (const gchar *location)
{
  g_autofree gchar *line =
      g_strdup_printf ("fakesrc num-buffers=3 ! visionjson "
                       "location=%s ! fakesink",
          location);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  for (gint again = 0; again < 2; again++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (
        bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
    gst_message_unref (message);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
}

/* Every run empties the file and counts frames from 0. */
GST_START_TEST (test_file)
{
  g_autofree gchar *path =
      g_strdup_printf ("%s/visionjson-%d", g_get_tmp_dir (), getpid ());
  g_autofree gchar *text = NULL;

  fail_unless (
      g_file_set_contents (path, "older and longer\n\n\n\n\n\n", -1, NULL));
  run (path);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless_equals_string (text,
      "{\"schema\":1,\"pts\":0,\"frame\":0,\"objects\":[]}\n"
      "{\"schema\":1,\"pts\":0,\"frame\":1,\"objects\":[]}\n"
      "{\"schema\":1,\"pts\":0,\"frame\":2,\"objects\":[]}\n");
  g_unlink (path);
}
GST_END_TEST;

static void
check_error (GstBus *bus, GstResourceError code, const gchar *part)
{
  g_autoptr (GError) error = error_on (bus, GST_MESSAGE_ERROR);

  fail_unless (error != NULL, "no error of %s", part);
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, code), "%s", error->message);
  fail_unless (strstr (error->message, part), "%s", error->message);
}

static void
check_does_not_start (const gchar *location, gint fd, const gchar *part)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("visionjson", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  g_object_set (element, "location", location, "fd", fd, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  check_error (bus, GST_RESOURCE_ERROR_OPEN_WRITE, part);
  fail_unless (!gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
}

GST_START_TEST (test_cannot_be_opened)
{
  int fds[2];

  fail_unless (pipe (fds) == 0);
  check_does_not_start ("/no/such/folder/x", -1,
      "\"/no/such/folder/x\" cannot be written to: No such file or directory");
  check_does_not_start ("/", -1, "\"/\" cannot be written to: Is a directory");
  check_does_not_start ("-", 4321, "File descriptor 4321");
  check_does_not_start ("-", fds[0], "open for writing");
  close (fds[0]);
  close (fds[1]);
}
GST_END_TEST;

static GstHarness *
harness_to (int fd, GstBus *bus)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("visionjson", NULL);
  GstHarness *h;

  g_object_set (element, "fd", fd, NULL);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_element_set_bus (element, bus);
  gst_harness_set_src_caps_str (h, "audio/x-raw,format=U8,rate=1,channels=1");
  return h;
}

/* The process lives on, and the error is posted once. */
GST_START_TEST (test_reader_is_gone)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h;
  int fds[2];

  fail_unless (pipe (fds) == 0);
  h = harness_to (fds[1], bus);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  close (fds[0]);
  for (gint i = 0; i < 3; i++)
    fail_unless_equals_int (
        gst_harness_push (h, gst_buffer_new ()), GST_FLOW_ERROR);
  check_error (bus, GST_RESOURCE_ERROR_WRITE, "reader");
  fail_unless (!gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR));
  fed_free (h, bus);
  close (fds[1]);
}
GST_END_TEST;

GST_START_TEST (test_device_is_full)
{
  GstBus *bus = gst_bus_new ();
  FILE *full = fopen ("/dev/full", "w");
  GstHarness *h = harness_to (fileno (full), bus);

  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new ()), GST_FLOW_ERROR);
  check_error (bus, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "space");
  fed_free (h, bus);
  fclose (full);
}
GST_END_TEST;

/* The pipe fills; the pipeline still stops at once. */
GST_START_TEST (test_reader_stalls)
{
  g_autoptr (GstElement) pipeline;
  g_autofree gchar *line;
  int fds[2], filled = 0, before = -1;

  fail_unless (pipe (fds) == 0);
  line = g_strdup_printf ("fakesrc ! visionjson fd=%d ! fakesink", fds[1]);
  pipeline = gst_parse_launch (line, NULL);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (filled == 0 || filled != before) {
    before = filled;
    g_usleep (100000);
    fail_unless (ioctl (fds[0], FIONREAD, &filled) == 0);
  }
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  close (fds[0]);
  close (fds[1]);
}
GST_END_TEST;

/* A line longer than what a pipe takes at once arrives whole. */
GST_START_TEST (test_long_line)
{
  static gdouble numbers[4000];
  const GstVisionObject object = {.trajectory = {4000, numbers}};
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer = gst_buffer_new ();
  g_autofree gchar *text = g_malloc (100000);
  GstHarness *h;
  int fds[2];
  gssize n;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = i / 7.0;
  fail_unless (pipe (fds) == 0);
  h = harness_to (fds[1], bus);
  gst_buffer_add_vision_objects (buffer, 0, 8, 8, &object, 1);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  n = read (fds[0], text, 100000);
  fail_unless (n > 30000 && text[n - 1] == '\n', "%d bytes", (int) n);
  fail_unless (memcmp (text + n - 4, "}]}\n", 4) == 0);
  fed_free (h, bus);
  close (fds[0]);
  close (fds[1]);
}
GST_END_TEST;

GST_START_TEST (test_buffers_pass_untouched)
{
  GstBus *bus = gst_bus_new ();
  FILE *null = fopen ("/dev/null", "w");
  GstHarness *h = harness_to (fileno (null), bus);
  GstBuffer *in = gst_buffer_new_wrapped (g_strdup ("as it was"), 10);

  gst_buffer_ref (in);
  fail_unless (gst_harness_push_and_pull (h, in) == in);
  gst_buffer_unref (in);
  gst_buffer_unref (in);
  gst_harness_set_src_caps_str (h, "video/x-raw(memory:CUDAMemory)");
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  fed_free (h, bus);
  fclose (null);
}
GST_END_TEST;

/* ---- A FIFO ---- */

typedef struct {
  gchar *folder, *path;
  GstHarness *h;
  GstBus *bus;
} Fifo;

static Fifo
fifo_new (void)
{
  Fifo f = {.folder = g_dir_make_tmp ("visionjson-XXXXXX", NULL)};
  g_autoptr (GstElement) element =
      gst_element_factory_make ("visionjson", NULL);

  f.path = g_build_filename (f.folder, "fifo", NULL);
  f.bus = gst_bus_new ();
  fail_unless (mkfifo (f.path, 0600) == 0);
  g_object_set (element, "location", f.path, NULL);
  gst_element_set_bus (element, f.bus);
  f.h = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (f.h, "audio/x-raw,format=U8,rate=1,channels=1");
  return f;
}

/* Stops; the number of lines that the warning says are lost. */
static guint
fifo_stop (Fifo *f)
{
  GstMessage *message;
  guint lost = 0;

  gst_element_set_state (f->h->element, GST_STATE_NULL);
  while ((message = gst_bus_pop_filtered (f->bus, GST_MESSAGE_WARNING))) {
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, f->path) != NULL);
    if (strstr (error->message, "are lost"))
      lost += (guint) atoi (error->message);
    gst_message_unref (message);
  }
  return lost;
}

static void
fifo_free (Fifo *f)
{
  fed_free (f->h, f->bus);
  g_remove (f->path);
  g_rmdir (f->folder);
  g_free (f->path);
  g_free (f->folder);
}

static void
fifo_push (Fifo *f, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (
        gst_harness_push (f->h, gst_buffer_new ()), GST_FLOW_OK);
}

/* The next @n lines are of the frames from @first on. */
static void
expect_frames (gint reader, guint first, guint n)
{
  gchar text[4096];
  gssize length = read (reader, text, sizeof text - 1);
  g_auto (GStrv) lines = NULL;

  fail_unless (length > 0 && text[length - 1] == '\n', "%d", (gint) length);
  text[length - 1] = 0;
  lines = g_strsplit (text, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), n);
  for (guint i = 0; i < n; i++) {
    g_autofree gchar *part = g_strdup_printf ("\"frame\":%u,", first + i);

    fail_unless (*lines[i] == '{' && strstr (lines[i], part), "%s", lines[i]);
  }
}

static guint
count_warnings (Fifo *f, const gchar *part)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (
              f->bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    g_autoptr (GError) error = NULL;

    fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, part) != NULL;
    gst_message_unref (message);
  }
  return n;
}

/* Frames pass before a reader comes, and after it has gone; no line is lost,
 * and the process lives on. */
GST_START_TEST (test_fifo_waits)
{
  Fifo f = fifo_new ();
  gint reader;

  fifo_push (&f, 5);
  fail_unless_equals_int (count_warnings (&f, "Nobody reads"), 1);
  reader = g_open (f.path, O_RDONLY | O_NONBLOCK, 0);
  fifo_push (&f, 1);
  expect_frames (reader, 0, 6);
  fifo_push (&f, 1);
  expect_frames (reader, 6, 1);
  close (reader);
  fifo_push (&f, 3);
  reader = g_open (f.path, O_RDONLY | O_NONBLOCK, 0);
  fifo_push (&f, 1);
  expect_frames (reader, 7, 4);
  close (reader);
  fail_unless_equals_int (count_warnings (&f, ""), 0); /* it was told once */
  fifo_push (&f, 2);
  fail_unless_equals_int (fifo_stop (&f), 2);
  fifo_free (&f);
}
GST_END_TEST;

static gpointer
read_to_end (gpointer reader)
{
  GString *all = g_string_new (NULL);
  gchar part[4096];
  gssize n;

  while ((n = read (GPOINTER_TO_INT (reader), part, sizeof part)) > 0)
    g_string_append_len (all, part, n);
  return all;
}

/* Memory is bounded: of lines that nobody reads, the oldest are lost. */
GST_START_TEST (test_fifo_overflows)
{
  static gdouble numbers[4000];
  const GstVisionObject object = {.trajectory = {4000, numbers}};
  const guint n = 60; /* of some 30 kB */
  Fifo f = fifo_new ();
  GThread *thread;
  GString *all;
  guint whole = 0, lost;
  gint reader, writer;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = i / 7.0;
  for (guint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_buffer_new ();

    gst_buffer_add_vision_objects (buffer, 0, 8, 8, &object, 1);
    fail_unless_equals_int (gst_harness_push (f.h, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_int (count_warnings (&f, "Nobody reads"), 1);
  reader = g_open (f.path, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (fcntl (reader, F_SETFL, 0) == 0);
  /* a writer of our own, so that the thread meets no end before the first */
  writer = g_open (f.path, O_WRONLY, 0);
  thread = g_thread_new ("reader", read_to_end, GINT_TO_POINTER (reader));
  fifo_push (&f, 1);
  lost = fifo_stop (&f);
  close (writer);
  all = g_thread_join (thread);
  close (reader);
  for (gsize i = 0; i < all->len; i++)
    whole += all->str[i] == '\n';
  fail_unless (all->str[0] == '{' && g_str_has_suffix (all->str, "]}\n"));
  fail_unless (all->len <= (1 << 20) + 100, "%d bytes", (gint) all->len);
  fail_unless (whole > 10 && lost > 10, "%u read, %u lost", whole, lost);
  fail_unless_equals_int (whole + lost, n + 1);
  g_string_free (all, TRUE);
  fifo_free (&f);
}
GST_END_TEST;

/* What a link leads to is written, and the link stays. */
GST_START_TEST (test_link)
{
  g_autofree gchar *folder = g_dir_make_tmp ("visionjson-XXXXXX", NULL),
                   *text = NULL;
  g_autofree gchar *path = g_build_filename (folder, "lines", NULL);
  g_autofree gchar *link = g_build_filename (folder, "link", NULL);

  fail_unless (symlink ("lines", link) == 0);
  run (link);
  fail_unless (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_str_has_suffix (text, "\"frame\":2,\"objects\":[]}\n"));
  g_remove (link);
  g_remove (path);
  g_rmdir (folder);
}
GST_END_TEST;

SUITE (visionjsonfile, TEST (test_file), TEST (test_cannot_be_opened),
    TEST (test_reader_is_gone), TEST (test_device_is_full),
    TEST (test_reader_stalls), TEST (test_long_line),
    TEST (test_buffers_pass_untouched), TEST (test_fifo_waits),
    TEST (test_fifo_overflows), TEST (test_link));
