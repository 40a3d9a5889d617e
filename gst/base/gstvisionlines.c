/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionlines.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "base/gstvisiontell.h"

#define CREATE (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY)

/* ---- A descriptor ---- */

static int
take_descriptor (GstVisionLines *self, int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags < 0)
    return errno;
  if ((flags & O_ACCMODE) == O_RDONLY)
    return EBADF;
  gst_poll_fd_init (&self->fd);
  self->fd.fd = fd;
  gst_poll_add_fd (self->poll, &self->fd);
  gst_poll_fd_ctl_write (self->poll, &self->fd, TRUE);
  return 0;
}

static void
drop_descriptor (GstVisionLines *self)
{
  if (self->fd.fd < 0)
    return;
  gst_poll_remove_fd (self->poll, &self->fd);
  if (self->is_ours)
    close (self->fd.fd);
  gst_poll_fd_init (&self->fd);
}

/* Writes @length bytes and waits until they are written; @done is the number
 * written. */
static int
put_lines (GstVisionLines *self, const gchar *lines, gsize length, gsize *done)
{
  for (*done = 0; *done < length;) {
    gssize n = gst_poll_wait (self->poll, GST_CLOCK_TIME_NONE);

    if (n < 0 && errno == EBUSY)
      return ECANCELED;
    /* A pipe that is ready takes PIPE_BUF bytes without a wait. */
    if (n >= 0)
      n = file_send (
          self->fd.fd, lines + *done, MIN (length - *done, PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return errno;
    if (n > 0)
      *done += (gsize) n;
  }
  return 0;
}

/* ---- A FIFO ---- */

/* Opens the FIFO for writing; ENXIO: it has no reader. */
static int
connect_reader (GstVisionLines *self)
{
  int fd = g_open (self->fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);

  return fd < 0 ? errno : take_descriptor (self, fd);
}

static void
warn_of_no_reader (GstVisionLines *self)
{
  if (!self->warned)
    GST_VISION_WARNING (self->element, RESOURCE, WRITE,
        ("Nobody reads from \"%s\". The stream goes on; the newest lines, %d "
         "KiB of them, wait for a reader, and older ones are lost.",
            self->fifo, GST_VISION_LINES_ROOM / 1024));
  self->warned = TRUE;
}

static void
tell_lost_lines (GstVisionLines *self)
{
  if (self->lost)
    GST_VISION_WARNING (self->element, RESOURCE, WRITE,
        ("%" G_GUINT64_FORMAT " lines for \"%s\" are lost: nobody read them. "
         "Start the reader first, and keep it running.",
            self->lost, self->fifo));
  self->lost = 0;
}

/* Drops the first @length waiting bytes; returns the number of lines that end
 * in them. */
static guint64
forget_lines (GstVisionLines *self, gsize length)
{
  guint64 lines = 0;

  for (gsize i = 0; i < length; i++)
    lines += self->waiting->str[i] == '\n';
  g_string_erase (self->waiting, 0, (gssize) length);
  return lines;
}

/* Drops the oldest lines if the waiting ones exceed the room: half of the room
 * at once, so that not every write has to drop lines. */
static void
make_room_for_lines (GstVisionLines *self)
{
  gsize length = self->waiting->len;
  const gchar *end;

  if (length <= GST_VISION_LINES_ROOM)
    return;
  end = memchr (self->waiting->str + length - GST_VISION_LINES_ROOM / 2, '\n',
      GST_VISION_LINES_ROOM / 2);
  if (end)
    length = (gsize) (end + 1 - self->waiting->str);
  self->lost += forget_lines (self, length);
}

/* Drops the waiting lines of which all bytes were written; the next reader gets
 * a line of which only a part was written once more, from its beginning. */
static void
forget_written_lines (GstVisionLines *self, gsize done)
{
  while (done > 0 && self->waiting->str[done - 1] != '\n')
    done--;
  forget_lines (self, done);
}

static int
write_fifo (GstVisionLines *self)
{
  int error = self->fd.fd < 0 ? connect_reader (self) : 0;
  gsize done = 0;

  if (!error) {
    tell_lost_lines (self);
    error = put_lines (self, self->waiting->str, self->waiting->len, &done);
    forget_written_lines (self, done);
  }
  if (error != ENXIO && error != EPIPE)
    return error;
  drop_descriptor (self);
  warn_of_no_reader (self);
  make_room_for_lines (self);
  return 0;
}

/* ---- Both ---- */

static int
open_location (GstVisionLines *self, const gchar *location)
{
  GStatBuf about;
  int fd, error;

  self->is_ours = TRUE;
  if (!g_stat (location, &about) && S_ISFIFO (about.st_mode)) {
    self->fifo = g_strdup (location);
    self->waiting = g_string_new (NULL);
    error = connect_reader (self);
    if (error == ENXIO)
      warn_of_no_reader (self);
    return error == ENXIO ? 0 : error;
  }
  fd = g_open (location, CREATE, 0666);
  return fd < 0 ? errno : take_descriptor (self, fd);
}

static gchar *
name_of_location (const gchar *location, int fd)
{
  if (fd >= 0)
    return g_strdup_printf ("file descriptor %d", fd);
  if (!strcmp (location, "-"))
    return g_strdup ("standard output");
  return g_strdup_printf ("\"%s\"", location);
}

int
gst_vision_lines_open (
    GstVisionLines *self, GstElement *element, const gchar *location, int fd)
{
  GstPoll *poll;
  int error;

  errno = 0;
  poll = gst_poll_new (TRUE);
  if (!poll) /* gst_poll_new () opens descriptors */
    return errno ? errno : EMFILE;
  GST_OBJECT_LOCK (element);
  *self = (GstVisionLines){.element = element, .poll = poll};
  gst_poll_fd_init (&self->fd);
  GST_OBJECT_UNLOCK (element);
  self->name = name_of_location (location, fd);
  if (fd >= 0)
    error = take_descriptor (self, fd);
  else if (!strcmp (location, "-"))
    error = take_descriptor (self, STDOUT_FILENO);
  else
    error = open_location (self, location);
  if (error)
    gst_vision_lines_close (self);
  return error;
}

void
gst_vision_lines_close (GstVisionLines *self)
{
  GstPoll *poll;

  if (!self->poll)
    return;
  drop_descriptor (self);
  if (self->fifo) {
    self->lost += forget_lines (self, self->waiting->len);
    tell_lost_lines (self);
    g_string_free (self->waiting, TRUE);
    g_clear_pointer (&self->fifo, g_free);
  }
  g_clear_pointer (&self->name, g_free);
  GST_OBJECT_LOCK (self->element);
  poll = g_steal_pointer (&self->poll);
  GST_OBJECT_UNLOCK (self->element);
  gst_poll_free (poll);
}

int
gst_vision_lines_write (GstVisionLines *self, const gchar *lines, gsize length)
{
  gsize done;

  if (!self->fifo)
    return put_lines (self, lines, length, &done);
  g_string_append_len (self->waiting, lines, (gssize) length);
  return write_fifo (self);
}

void
gst_vision_lines_cancel (GstVisionLines *self, GstElement *element)
{
  GST_OBJECT_LOCK (element);
  if (self->poll)
    gst_poll_set_flushing (self->poll, TRUE);
  GST_OBJECT_UNLOCK (element);
}
