/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines to files and FIFOs, where few descriptors are free. */
#include "suite.h"
#include "base/gstvisionlines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static guint
count_descriptors (void)
{
  DIR *dir = opendir ("/proc/self/fd");
  guint n = 0;

  fail_unless (dir != NULL);
  while (readdir (dir))
    n++;
  closedir (dir);
  return n;
}

/* Takes all descriptors below @limit but @n. */
static void
take_descriptors (gint *held, guint limit, guint n)
{
  guint taken = 0;

  while (taken < limit && (held[taken] = open ("/dev/null", O_RDONLY)) >= 0)
    taken++;
  fail_unless (taken >= n);
  while (n--)
    close (held[--taken]);
  held[taken] = -1;
}

#define LIMIT 100
#define MOST 6 /* descriptors that open () may take */

/* With any number of free descriptors lines are opened and written, or the
 * error says why not; none stays open. */
static void
expect_all_closed (const gchar *path)
{
  GstElement *element = gst_element_factory_make ("fakesink", NULL);
  const struct rlimit limit = {LIMIT, LIMIT};
  guint before = count_descriptors (), opened = 0;
  gint held[LIMIT + 1];

  fail_unless (element && !setrlimit (RLIMIT_NOFILE, &limit));
  for (guint n = 0; n <= MOST; n++) {
    GstVisionLines lines = {0};
    int error;

    take_descriptors (held, LIMIT, n);
    error = gst_vision_lines_open (&lines, element, path, -1);
    fail_unless (!error || error == EMFILE, "%s", g_strerror (error));
    fail_unless (error || !gst_vision_lines_write (&lines, "a\n", 2));
    gst_vision_lines_cancel (&lines, element);
    opened += !error;
    gst_vision_lines_close (&lines);
    gst_vision_lines_cancel (&lines, element);
    for (guint i = 0; held[i] >= 0; i++)
      close (held[i]);
    fail_unless_equals_int (count_descriptors (), before);
  }
  fail_unless (opened > 0 && opened <= MOST);
  gst_object_unref (element);
}

GST_START_TEST (test_file)
{
  g_autofree gchar *path =
      g_build_filename (g_get_tmp_dir (), "lines-XXXXXX", NULL);

  close (g_mkstemp (path));
  expect_all_closed (path);
  g_unlink (path);
}
GST_END_TEST;

GST_START_TEST (test_fifo)
{
  g_autofree gchar *folder = g_dir_make_tmp ("lines-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "fifo", NULL);
  gint reader;

  fail_unless (!mkfifo (path, 0600));
  expect_all_closed (path); /* nobody reads */
  reader = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (reader >= 0);
  expect_all_closed (path);
  close (reader);
  g_unlink (path);
  g_rmdir (folder);
}
GST_END_TEST;

SUITE (lines, TEST (test_file), TEST (test_fifo));
