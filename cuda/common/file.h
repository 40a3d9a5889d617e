/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that are read or written as a whole, by elements and by commands.
 *
 * Functions return 0, or a number of errno.h or FILE_NOT_REGULAR; file_why ()
 * makes a sentence of it.  None of them raises SIGPIPE. */
#pragma once

#include <stddef.h>

#include "common/both.h"

C_BEGIN

#define FILE_NOT_REGULAR (-1)

/* The bytes of the regular file @path, at most @max, to be freed; a 0 follows
 * the last one.  Devices, FIFOs and folders, some of which never end, are
 * refused before they are opened. */
int file_read (const char *path, size_t max, char **bytes, size_t *n);

/* Makes @bytes all that @path holds.  A regular file, also one that a link
 * leads to, is replaced at once, with its owner and permissions kept: nobody
 * reads half of it, and after an error it is as it was.  If we may not write to
 * the folder, the file is written in place; so is what is no regular file.
 * @patience: for how long, in milliseconds, the reader of a FIFO or a device
 * may take nothing (ETIMEDOUT), and a FIFO must have a reader (ENXIO); -1: for
 * ever. */
int file_write (const char *path, const void *bytes, size_t n, int patience);

/* As write (), but without a reader it returns EPIPE and raises no SIGPIPE. The
 * number of bytes, or -1 and errno. */
long file_send (int fd, const void *bytes, size_t n);

/* A static sentence that says what @error means. */
const char *file_why (int error);

C_END
