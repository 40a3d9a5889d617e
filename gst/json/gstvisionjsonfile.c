/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json/gstvisionjsonfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int
gst_vision_json_file_open (
    GstVisionJsonFile *file, const gchar *location, int fd)
{
  GstPollFD pollfd = GST_POLL_FD_INIT;
  int flags;

  file->is_ours = fd < 0 && strcmp (location, "-");
  if (file->is_ours)
    file->fd =
        g_open (location, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  else
    file->fd = fd < 0 ? STDOUT_FILENO : fd;
  if (file->fd < 0)
    return errno;

  flags = fcntl (file->fd, F_GETFL);
  if (flags < 0)
    return errno;
  if ((flags & O_ACCMODE) == O_RDONLY)
    return EBADF;
  pollfd.fd = file->fd;
  file->poll = gst_poll_new (TRUE);
  gst_poll_add_fd (file->poll, &pollfd);
  gst_poll_fd_ctl_write (file->poll, &pollfd, TRUE);
  return 0;
}

void
gst_vision_json_file_close (GstVisionJsonFile *file)
{
  if (!file->poll)
    return;
  g_clear_pointer (&file->poll, gst_poll_free);
  if (file->is_ours)
    close (file->fd);
}

/* Writing to a pipe that nobody reads kills the process, unless the signal is
 * blocked; and a blocked one that is pending would kill it later. */
static gssize
write_without_signal (int fd, const gchar *data, gsize length)
{
  const struct timespec now = {0, 0};
  sigset_t sigpipe, old, pending;
  int error;
  gssize n;

  sigemptyset (&sigpipe);
  sigaddset (&sigpipe, SIGPIPE);
  sigemptyset (&pending);
  sigpending (&pending);
  pthread_sigmask (SIG_BLOCK, &sigpipe, &old);
  n = write (fd, data, length);
  error = errno;
  if (n < 0 && error == EPIPE && !sigismember (&pending, SIGPIPE))
    while (sigtimedwait (&sigpipe, NULL, &now) < 0 && errno == EINTR)
      ;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = error;
  return n;
}

int
gst_vision_json_file_write (
    GstVisionJsonFile *file, const gchar *data, gsize length)
{
  while (length > 0) {
    gssize n = gst_poll_wait (file->poll, GST_CLOCK_TIME_NONE);

    if (n < 0 && errno == EBUSY)
      return ECANCELED;
    /* As much as a pipe that is ready takes without a wait. */
    if (n >= 0)
      n = write_without_signal (file->fd, data, MIN (length, PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return errno;
    if (n > 0) {
      data += n;
      length -= n;
    }
  }
  return 0;
}

void
gst_vision_json_file_cancel (GstVisionJsonFile *file)
{
  if (file->poll)
    gst_poll_set_flushing (file->poll, TRUE);
}
