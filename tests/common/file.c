/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that are read and written as a whole: regular ones, links, FIFOs,
 * devices, and what cannot be written. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "common/file.h"

static char folder[] = "/tmp/file-XXXXXX";

/* A path in the folder; the newest four stay. */
static const char *
in_folder (const char *name)
{
  static char paths[4][64];
  static int newest;
  char *path = paths[newest++ % 4];

  snprintf (path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static bool
holds (const char *path, const char *text)
{
  char *bytes;
  size_t n;
  bool same = !file_read (path, 1 << 20, &bytes, &n) && n == strlen (text) &&
      !memcmp (bytes, text, n + 1);

  free (bytes);
  return same;
}

static int
put (const char *path, const char *text)
{
  return file_write (path, text, strlen (text), 100);
}

static mode_t
mode_of (const char *path)
{
  struct stat about;

  return lstat (path, &about) ? 0 : about.st_mode;
}

/* How many names the folder has. */
static int
count_files (void)
{
  char line[64];
  int n = -1;
  FILE *list;

  snprintf (line, sizeof line, "ls -A %s | wc -l", folder);
  list = popen (line, "r");
  if (!list || fscanf (list, "%d", &n) != 1)
    n = -1;
  if (list)
    pclose (list);
  return n;
}

static void
test_regular (DeviceKind kind)
{
  const char *path = in_folder ("plain");
  mode_t mask = umask (0);
  int reader;
  char old[8] = "";

  umask (mask);
  check (!put (path, "first"));
  check (holds (path, "first"));
  check (mode_of (path) == (S_IFREG | (0666 & ~mask)));
  /* who reads it meanwhile reads what it was */
  reader = open (path, O_RDONLY);
  check (!chmod (path, 0640));
  check (!put (path, "second"));
  check (read (reader, old, sizeof old) == 5 && !memcmp (old, "first", 5));
  close (reader);
  check (holds (path, "second") && mode_of (path) == (S_IFREG | 0640));
  check (!put (path, "") && holds (path, ""));
  check (count_files () == 1);
  unlink (path);
}

static void
test_links (DeviceKind kind)
{
  const char *link = in_folder ("link"), *path = in_folder ("there");

  check (!symlink ("there", link)); /* relative, and nothing there yet */
  check (!put (link, "new") && holds (path, "new"));
  check (!put (link, "newer") && holds (path, "newer"));
  check (S_ISLNK (mode_of (link)) && S_ISREG (mode_of (path)));
  unlink (link);
  check (!symlink (path, link)); /* absolute */
  check (!put (link, "newest") && holds (path, "newest"));
  check (S_ISLNK (mode_of (link)));
  unlink (link);
  check (!symlink ("link", link)); /* to itself */
  check (put (link, "none") == ELOOP);
  unlink (link);
  unlink (path);
  check (!symlink ("/dev/null", link));
  check (!put (link, "gone") && S_ISLNK (mode_of (link)));
  check (S_ISCHR (mode_of ("/dev/null")));
  unlink (link);
  check (count_files () == 0);
}

static void *
read_slowly (void *path)
{
  int fd = open (path, O_RDONLY);
  size_t all = 0;
  char part[4096];
  ssize_t n;

  for (usleep (20000); (n = read (fd, part, sizeof part)) > 0;)
    all += (size_t) n;
  close (fd);
  return (void *) all;
}

static void
test_fifo (DeviceKind kind)
{
  enum { MUCH = 300000 }; /* more than a pipe holds */
  const char *path = in_folder ("fifo");
  AUTO_MEMORY char *much = calloc (MUCH, 1);
  pthread_t thread;
  void *all = NULL;
  int reader;

  check (!mkfifo (path, 0600));
  check (put (path, "nobody") == ENXIO);
  check (!pthread_create (&thread, NULL, read_slowly, (void *) path));
  check (!file_write (path, much, MUCH, -1)); /* waits for the reader */
  pthread_join (thread, &all);
  check ((size_t) all == MUCH);
  reader = open (path, O_RDONLY | O_NONBLOCK);
  check (file_write (path, much, MUCH, 50) == ETIMEDOUT);
  close (reader);
  check (S_ISFIFO (mode_of (path)) && count_files () == 1);
  unlink (path);
}

/* The process lives on. */
static void
test_reader_is_gone (DeviceKind kind)
{
  int ends[2];

  check (!pipe (ends));
  check (file_send (ends[1], "x", 1) == 1);
  close (ends[0]);
  errno = 0;
  check (file_send (ends[1], "x", 1) == -1 && errno == EPIPE);
  close (ends[1]);
}

static void
test_cannot_be_written (DeviceKind kind)
{
  const char *path = in_folder ("kept");

  check (put ("/dev/full", "x") == ENOSPC);
  check (put (folder, "x") == EISDIR);
  check (put ("", "x") == ENOENT);
  check (put ("/nowhere/file", "x") == ENOENT);
  check (!put (path, "kept"));
  check (put (in_folder ("kept/file"), "x") == ENOTDIR);
  check (!chmod (path, 0444));
  if (geteuid ()) {
    check (put (path, "x") == EACCES);
    check (holds (path, "kept"));
    /* the folder is not ours to write, but the file is */
    check (!chmod (path, 0644) && !chmod (folder, 0555));
    check (!put (path, "in place") && holds (path, "in place"));
    check (put (in_folder ("other"), "x") == EACCES);
    check (!chmod (folder, 0755));
  }
  check (count_files () == 1);
  unlink (path);
}

static void
test_read (DeviceKind kind)
{
  const char *path = in_folder ("read"), *fifo = in_folder ("fifo");
  char *bytes;
  size_t n;

  check (!file_write (path, "a\0b", 3, 0));
  check (
      !file_read (path, 3, &bytes, &n) && n == 3 && !memcmp (bytes, "a\0b", 4));
  free (bytes);
  check (file_read (path, 2, &bytes, &n) == EFBIG && !bytes && !n);
  check (!mkfifo (fifo, 0600)); /* nobody writes to it */
  check (file_read (fifo, 9, &bytes, &n) == FILE_NOT_REGULAR && !bytes);
  check (file_read ("/dev/zero", 9, &bytes, &n) == FILE_NOT_REGULAR);
  check (file_read (folder, 9, &bytes, &n) == EISDIR);
  check (file_read ("/nowhere", 9, &bytes, &n) == ENOENT);
  /* says that it has no bytes */
  check (!file_read ("/proc/self/status", 1 << 20, &bytes, &n) && n > 9 &&
      strlen (bytes) == n);
  free (bytes);
  check (file_read ("/proc/self/status", 9, &bytes, &n) == EFBIG);
  check (strstr (file_why (ENOENT), "No such file"));
  check (strstr (file_why (FILE_NOT_REGULAR), "regular"));
  unlink (path);
  unlink (fifo);
}

static const CheckPart on_each[] = {{"regular files", test_regular},
    {"links", test_links}, {"FIFOs", test_fifo},
    {"a reader that leaves", test_reader_is_gone},
    {"what cannot be written", test_cannot_be_written}, {"reading", test_read},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  int failed;

  if (!mkdtemp (folder))
    return 1;
  failed = check_main (argc, argv, on_each, NULL, NULL);
  rmdir (folder);
  return failed;
}
