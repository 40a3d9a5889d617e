/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions by which elements and commands read and write whole files.
 *
 * They return 0 if they succeed, else a number of errno.h or FILE_NOT_REGULAR,
 * of which file_why () makes a sentence.  None of them raises SIGPIPE. */
#pragma once

#include <stddef.h>

#include "common/both.h"

C_BEGIN

/* The path leads to a device, a FIFO or a folder. */
#define FILE_NOT_REGULAR (-1)

/* Reads the regular file @path.  Sets @bytes to its @n bytes and a 0 behind
 * them; the caller frees them.  Errors: EFBIG if the file has more than @max
 * bytes; FILE_NOT_REGULAR, without opening it, for a device, a FIFO or a
 * folder. */
int file_read (const char *path, size_t max, char **bytes, size_t *n);

/* Writes @n bytes as the new content of @path.  The function replaces a regular
 * file, or the file to which a link leads, in one step and keeps its owner and
 * permissions: a reader sees the old content or the new one, and after an error
 * the file has its old content.  If the folder is not writable or @path is no
 * regular file, the function writes in place.  @patience: milliseconds for
 * which the reader of a FIFO or a device may take nothing, else ETIMEDOUT; a
 * FIFO must then have a reader, else ENXIO.  -1: the function waits for
 * ever. */
int file_write (const char *path, const void *bytes, size_t n, int patience);

/* Writes as write () does, but never raises SIGPIPE.  Returns the number of
 * bytes that it wrote; or -1, with errno, which is EPIPE if nobody reads. */
long file_send (int fd, const void *bytes, size_t n);

/* Returns a static sentence that says what @error means. */
const char *file_why (int error);

/* Sets @stem, of @size bytes, to the part of @path between the last slash and
 * the last dot, cut if it is longer. */
void file_stem (const char *path, char *stem, size_t size);

C_END
