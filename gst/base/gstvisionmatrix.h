/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrices by name in what OpenCV (YAML or XML) and ROS (camera_info) write.
 *
 * The formats have one shape as far as a camera goes: a name, some words (of a
 * type, rows and columns, "data") and numbers in brackets, tags or behind
 * dashes.  So names are searched for, and numbers behind them; no library reads
 * OpenCV's dialect of YAML but OpenCV. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns from a function that has a GError **error, with a sentence in it. */
#define REFUSE_WITH(result, ...) \
 do { \
  g_set_error ( \
      error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__); \
  return result; \
 } while (0)
#define REFUSE(...) REFUSE_WITH (FALSE, __VA_ARGS__)

/* Lists of names end with NULL; the first that is found counts. */

/* The text behind the first of @names that begins a line or a tag; else NULL.
 */
const gchar *gst_vision_matrix_find (
    const gchar *text, const gchar *const *names);


/* Reads finite numbers from @text, at most @max; returns their number. */
guint gst_vision_matrix_numbers (
    const gchar *text, gdouble *numbers, guint max);

/* A number in pixels, 1 to G_MAXINT; 0 if there is none. */
guint gst_vision_matrix_size (const gchar *text, const gchar *const *names);

/* The numbers of a matrix, row by row; -1, with a sentence, where it is
 * missing, cut off, has rows and columns of other numbers than it says, has
 * more than @max numbers, or one that is not finite. */
gint gst_vision_matrix_read (const gchar *text, const gchar *const *names,
    gdouble *numbers, guint max, GError **error);

/* Whether a ROS camera_info has the distortion of a fisheye lens. */
gboolean gst_vision_matrix_is_fisheye (const gchar *text);

G_END_DECLS
