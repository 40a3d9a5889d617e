/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionfile.h"

gboolean
gst_vision_file_read (
    const gchar *path, gsize max, gchar **bytes, gsize *length, GError **error)
{
  int why = file_read (path, max, bytes, length);

  if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "\"%s\" cannot be read: %s", path, file_why (why));
  return why == 0;
}

gboolean
gst_vision_file_read_text (const gchar *path, gchar **text, GError **error)
{
  gsize length;

  return gst_vision_file_read (
      path, GST_VISION_FILE_TEXT, text, &length, error);
}
