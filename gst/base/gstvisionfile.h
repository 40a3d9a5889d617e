/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the text file that a property names. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Reads the regular file @path, of at most 4 MiB; a 0 byte follows the text.
 * FALSE, and a sentence that names the file, if it cannot be read, or is a
 * device or a FIFO. */
gboolean gst_vision_file_read_text (
    const gchar *path, gchar **text, GError **error);

G_END_DECLS
