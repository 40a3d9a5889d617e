/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINKS 40 /* links that lead to each other, as in Linux */
#define ROOM 4096    /* bytes for a file whose size is given as 0 */

/* ---- Reading ---- */

static int
file_kind (const struct stat *about)
{
  return S_ISREG (about->st_mode) ? 0
      : S_ISDIR (about->st_mode)  ? EISDIR
                                  : FILE_NOT_REGULAR;
}

/* Gives @bytes room for @room bytes and a 0. */
static int
resize_bytes (char **bytes, size_t room)
{
  char *more = realloc (*bytes, room + 1);

  if (!more)
    return ENOMEM;
  *bytes = more;
  return 0;
}

/* The size is a hint: a file may grow while it is read, and many files of /proc
 * say 0. */
static int
read_all (int fd, size_t size, size_t max, char **bytes, size_t *n)
{
  size_t room = size > ROOM ? size : ROOM;
  int error = resize_bytes (bytes, room);

  for (*n = 0; !error;) {
    ssize_t got = read (fd, *bytes + *n, room - *n);

    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return errno;
    if (!got)
      break;
    *n += (size_t) got;
    if (*n > max)
      return EFBIG;
    if (*n == room)
      error = resize_bytes (bytes, room += room);
  }
  if (!error)
    error = resize_bytes (bytes, *n);
  if (!error)
    (*bytes)[*n] = 0;
  return error;
}

int
file_read (const char *path, size_t max, char **bytes, size_t *n)
{
  struct stat about;
  int fd, error;

  *bytes = NULL;
  *n = 0;
  if (stat (path, &about))
    return errno;
  if ((error = file_kind (&about)))
    return error;
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    return errno;
  error = fstat (fd, &about) ? errno : file_kind (&about); /* the open file */
  if (!error && (unsigned long long) about.st_size > max)
    error = EFBIG;
  if (!error)
    error = read_all (fd, (size_t) about.st_size, max, bytes, n);
  close (fd);
  if (error) {
    free (*bytes);
    *bytes = NULL;
    *n = 0;
  }
  return error;
}

/* ---- Writing ---- */

/* Writing to a pipe without a reader kills the process by SIGPIPE unless that
 * signal is blocked; a blocked SIGPIPE that stays pending would kill the
 * process later. */
long
file_send (int fd, const void *bytes, size_t n)
{
  const struct timespec now = {0, 0};
  sigset_t sigpipe, old, pending;
  long sent;
  int error;

  sigemptyset (&sigpipe);
  sigaddset (&sigpipe, SIGPIPE);
  sigemptyset (&pending);
  sigpending (&pending);
  pthread_sigmask (SIG_BLOCK, &sigpipe, &old);
  sent = write (fd, bytes, n);
  error = errno;
  if (sent < 0 && error == EPIPE && !sigismember (&pending, SIGPIPE))
    while (sigtimedwait (&sigpipe, NULL, &now) < 0 && errno == EINTR)
      ;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = error;
  return sent;
}

static int
send_all (int fd, const char *bytes, size_t n, int patience)
{
  while (n) {
    long sent = file_send (fd, bytes, n);

    if (sent > 0) {
      bytes += sent;
      n -= (size_t) sent;
    } else if (!sent) {
      return EIO;
    } else if (errno == EAGAIN) {
      struct pollfd ready = {fd, POLLOUT, 0};

      if (!poll (&ready, 1, patience))
        return ETIMEDOUT;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static int
write_in_place (const char *path, const void *bytes, size_t n, int patience)
{
  int fd = open (path,
      O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY |
          (patience < 0 ? 0 : O_NONBLOCK));
  int error;

  if (fd < 0)
    return errno;
  error = send_all (fd, bytes, n, patience);
  return close (fd) && !error ? errno : error;
}

/* Replaces the path @target by the path of the file to which its links lead;
 * that file need not exist.  FILE_NOT_REGULAR: the link is a descriptor of
 * /proc and leads to no path. */
static int
follow_links (char target[PATH_MAX])
{
  for (int i = 0; i < MAX_LINKS; i++) {
    char link[PATH_MAX], *slash = strrchr (target, '/');
    ssize_t n = readlink (target, link, sizeof link - 1);
    size_t keep;

    if (n < 0)
      return errno == EINVAL || errno == ENOENT ? 0 : errno;
    if (!strncmp (target, "/proc/", 6))
      return FILE_NOT_REGULAR;
    link[n] = 0;
    keep = link[0] == '/' || !slash ? 0 : (size_t) (slash + 1 - target);
    if (keep + (size_t) n >= PATH_MAX)
      return ENAMETOOLONG;
    memcpy (target + keep, link, (size_t) n + 1);
  }
  return ELOOP;
}

/* Makes a new file in the folder of @target; returns its descriptor and
 * name. */
static int
open_aside (const char *target, mode_t mode, char aside[PATH_MAX])
{
  const char *slash = strrchr (target, '/');
  int fd = -1;

  for (int i = 0; i < 100 && fd < 0 && (!i || errno == EEXIST); i++) {
    struct timespec now;

    clock_gettime (CLOCK_REALTIME, &now);
    if (snprintf (aside, PATH_MAX, "%.*s.vision-%ld-%ld-%d",
            slash ? (int) (slash + 1 - target) : 0, target, (long) getpid (),
            now.tv_nsec, i) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    fd = open (aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  }
  return fd;
}

/* Gives @fd the owner and the permissions of the file @old. */
static int
keep_permissions (int fd, const struct stat *old)
{
  struct stat now;

  if (fstat (fd, &now))
    return errno;
  if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
      fchown (fd, old->st_uid, old->st_gid))
    return errno;
  return fchmod (fd, old->st_mode & 07777) ? errno : 0;
}

/* @old is NULL if the file does not exist yet. */
static int
replace_file (
    const char *target, const struct stat *old, const void *bytes, size_t n)
{
  char aside[PATH_MAX];
  int fd = open_aside (target, old ? 0600 : 0666, aside), error;

  if (fd < 0)
    return errno;
  error = old ? keep_permissions (fd, old) : 0;
  if (!error)
    error = send_all (fd, bytes, n, -1);
  /* after a crash, a file that had contents must not be empty */
  if (!error && old && old->st_size > 0 && fsync (fd))
    error = errno;
  if (close (fd) && !error)
    error = errno;
  if (!error && rename (aside, target))
    error = errno;
  if (error)
    unlink (aside);
  return error;
}

int
file_write (const char *path, const void *bytes, size_t n, int patience)
{
  char target[PATH_MAX];
  struct stat about;
  bool there = !stat (path, &about);
  int error;

  if (!there && (errno != ENOENT || !*path))
    return errno;
  if (there && (S_ISDIR (about.st_mode) || S_ISSOCK (about.st_mode)))
    return S_ISDIR (about.st_mode) ? EISDIR : ENOTSUP;
  if (there && faccessat (AT_FDCWD, path, W_OK, AT_EACCESS))
    return errno;
  if (there && !S_ISREG (about.st_mode))
    return write_in_place (path, bytes, n, patience);
  if (strlen (path) >= sizeof target)
    return ENAMETOOLONG;
  strcpy (target, path);
  error = follow_links (target);
  if (!error)
    error = replace_file (target, there ? &about : NULL, bytes, n);
  return there &&
          (error == FILE_NOT_REGULAR || error == EACCES || error == EPERM ||
              error == EBUSY)
      ? write_in_place (path, bytes, n, patience)
      : error;
}

const char *
file_why (int error)
{
  switch (error) {
    case FILE_NOT_REGULAR:
      return "it is a pipe or a device, and only regular files are read";
    case EFBIG:
      return "it is too large";
    case ENXIO:
      return "nobody reads from it";
    case ETIMEDOUT:
      return "its reader has stopped reading";
    case EPIPE:
      return "its reader is gone";
    default:
      return strerror (error);
  }
}

void
file_stem (const char *path, char *stem, size_t size)
{
  const char *from = strrchr (path, '/'), *dot;

  from = from ? from + 1 : path;
  dot = strrchr (from, '.');
  snprintf (stem, size, "%.*s",
      dot && dot > from ? (int) (dot - from) : (int) strlen (from), from);
}
