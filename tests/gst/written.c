/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that elements write, by every property that names one: links, FIFOs and
 * devices stay what they are, a full device is named, and no reader keeps a
 * pipeline from its end. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "said.h"
#include "suite.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH \
 "visiontestsrc pattern=rgbd num-buffers=%d ! video/x-raw,width=64,height=48 " \
 "! kinfumot voxel-size=0.03 truncation=0.1 max-memory=16 "

/* Each with its file's first bytes. */
static const struct {
  const gchar *line, *begins;
} written[] = {
    {"visiontestsrc num-buffers=%d ! video/x-raw,width=64,height=48 ! "
     "visionjson location=",
        "{\"schema\":1,"},
    {"visiontestsrc pattern=stereo view=side-by-side num-buffers=%d ! "
     "video/x-raw,width=128,height=48 ! pocstereo max-disparity=8 mode=points "
     "baseline=0.1 intrinsics=60,60,31,23 packing=side-by-side ply-location=",
        "ply\nformat binary_little_endian"},
#ifndef NO_KINFUMOT
    {DEPTH "trajectory-location=", "0.000000000 0.000000000"},
    {DEPTH "mesh-location=", "ply\nformat binary_little_endian"},
#endif
};

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("written-XXXXXX", NULL);
}

/* Nothing else was left there. */
static void
remove_folder (void)
{
  fail_unless (g_rmdir (folder) == 0);
  g_free (folder);
}

static GstElement *
pipeline_of (guint i, gint frames, const gchar *path)
{
  g_autofree gchar *head = g_strdup_printf (written[i].line, frames);
  g_autofree gchar *line = g_strconcat (head, path, " ! fakesink", NULL);
  GstElement *pipeline = gst_parse_launch (line, NULL);

  fail_unless (pipeline != NULL, "%s", line);
  return pipeline;
}

static gchar *
run (guint i, const gchar *path)
{
  return said_until_end (pipeline_of (i, 3, path), written[i].line);
}

static gboolean
is (const gchar *path, mode_t kind)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && (about.st_mode & S_IFMT) == kind;
}

/* What a link leads to is written, and the link stays. */
GST_START_TEST (test_link)
{
  g_autofree gchar *link = g_build_filename (folder, "link", NULL),
                   *text = NULL, *said = NULL;
  g_autofree gchar *path = g_build_filename (folder, "target", NULL);

  fail_unless (symlink ("target", link) == 0);
  said = run ((guint) __i__, link);
  fail_unless_equals_string (said, "");
  fail_unless (is (link, S_IFLNK) && is (path, S_IFREG));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_str_has_prefix (text, written[__i__].begins), "%.40s", text);
  g_remove (link);
  g_remove (path);
}
GST_END_TEST;

GST_START_TEST (test_full)
{
  g_autofree gchar *link = g_build_filename (folder, "link", NULL),
                   *said = NULL;

  fail_unless (symlink ("/dev/full", link) == 0);
  said = run ((guint) __i__, link);
  fail_unless (strstr (said, "No space"), "\"%s\"", said);
  fail_unless (strstr (said, link), "\"%s\" does not name it", said);
  fail_unless (is (link, S_IFLNK) && is ("/dev/full", S_IFCHR));
  g_remove (link);
}
GST_END_TEST;

/* Without a reader the stream goes on. */
GST_START_TEST (test_fifo)
{
  g_autofree gchar *fifo = g_build_filename (folder, "fifo", NULL),
                   *said = NULL;

  fail_unless (mkfifo (fifo, 0600) == 0);
  said = run ((guint) __i__, fifo);
  fail_unless (
      strstr (said, fifo) && strcasestr (said, "nobody reads"), "\"%s\"", said);
  fail_unless (is (fifo, S_IFIFO));
  g_remove (fifo);
}
GST_END_TEST;

/* A reader that reads nothing keeps nobody from stopping. */
GST_START_TEST (test_stalled)
{
  g_autofree gchar *fifo = g_build_filename (folder, "fifo", NULL);
  g_autoptr (GstElement) pipeline = pipeline_of ((guint) __i__, 100, fifo);
  gint reader, filled = 0, before = -1;

  fail_unless (mkfifo (fifo, 0600) == 0);
  reader = g_open (fifo, O_RDONLY | O_NONBLOCK, 0);
  fail_unless (fcntl (reader, F_SETPIPE_SZ, 4096) >= 0);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (filled == 0 || filled != before) {
    before = filled;
    g_usleep (200000);
    fail_unless (ioctl (reader, FIONREAD, &filled) == 0);
  }
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  close (reader);
  g_remove (fifo);
}
GST_END_TEST;

SUITE (written, TIMEOUT (120), AROUND (make_folder, remove_folder),
    LOOP (test_link, G_N_ELEMENTS (written)),
    LOOP (test_full, G_N_ELEMENTS (written)),
    LOOP (test_fifo, G_N_ELEMENTS (written)),
    LOOP (test_stalled, G_N_ELEMENTS (written)));
