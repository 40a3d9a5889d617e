/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionfile.h"

#include "common/file.h"

#define MAX_BYTES (4 << 20)

gboolean
gst_vision_file_read_text (const gchar *path, gchar **text, GError **error)
{
  gsize length;
  int why = file_read (path, MAX_BYTES, text, &length);

  if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "\"%s\" cannot be read: %s", path, file_why (why));
  return why == 0;
}
