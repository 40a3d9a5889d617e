/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Texts that a property names as a file. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* The text of the regular file @path, at most 4 MiB; a 0 follows it.  FALSE and
 * a sentence that names the file where it cannot be read, or is a device or a
 * FIFO. */
gboolean gst_vision_file_read_text (
    const gchar *path, gchar **text, GError **error);

G_END_DECLS
