/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A rig for the views of pocstereoviews.h, in files. */
#pragma once

#include <glib/gstdio.h>

#include "pocstereoviews.h"

/* A rig of parallel cameras without lenses, in ROS's form; rectified views show
 * all @shift pixels farther right. */
static inline gchar *
write_rig (gint width, gint shift)
{
  gchar *folder = g_dir_make_tmp ("pocstereo-XXXXXX", NULL), *location;
  gchar *path[2];

  for (gint i = 0; i < 2; i++) {
    g_autofree gchar *text =
        g_strdup_printf ("image_width: %d\nimage_height: %d\n"
                         "camera_matrix:\n  rows: 3\n  cols: 3\n"
                         "  data: [80, 0, 48, 0, 80, 32, 0, 0, 1]\n"
                         "distortion_coefficients:\n  rows: 1\n  cols: 5\n"
                         "  data: [0, 0, 0, 0, 0]\n"
                         "rectification_matrix:\n  rows: 3\n  cols: 3\n"
                         "  data: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                         "projection_matrix:\n  rows: 3\n  cols: 4\n"
                         "  data: [80, 0, %d, %s, 0, 80, 32, 0, 0, 0, 1, 0]\n",
            width, HEIGHT, 48 + shift, i ? "-8" : "0");

    path[i] = g_build_filename (folder, i ? "right.yaml" : "left.yaml", NULL);
    fail_unless (g_file_set_contents (path[i], text, -1, NULL));
  }
  location = g_strjoin (",", path[0], path[1], NULL);
  g_free (path[0]);
  g_free (path[1]);
  g_free (folder);
  return location;
}

static inline void
remove_rig (gchar *location)
{
  g_auto (GStrv) path = g_strsplit (location, ",", 2);
  g_autofree gchar *folder = g_path_get_dirname (path[0]);

  g_unlink (path[0]);
  g_unlink (path[1]);
  g_rmdir (folder);
  g_free (location);
}
