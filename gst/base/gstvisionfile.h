/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that a property names and that are read whole. */
#pragma once

#include <gst/gst.h>

#include "common/file.h"

G_BEGIN_DECLS

#define GST_VISION_FILE_TEXT (4 << 20) /* bytes that a text may have */

/* The bytes of the regular file @path, at most @max; a 0 follows the last
 * one.  FALSE and a sentence that names the file where it cannot be read, or is
 * a device or a FIFO. */
gboolean gst_vision_file_read (
    const gchar *path, gsize max, gchar **bytes, gsize *length, GError **error);

/* The same for a text. */
gboolean gst_vision_file_read_text (
    const gchar *path, gchar **text, GError **error);

G_END_DECLS
