/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads matrices by their names from files of OpenCV (YAML or XML) and ROS
 * (camera_info).  In all of these formats a matrix is a name, some words (of a
 * type, rows and columns, "data") and numbers in brackets, tags or behind
 * dashes.  So the name is searched for, and then numbers behind it: only
 * OpenCV itself can parse OpenCV's dialect of YAML. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Returns @result from a function with an argument GError **error, after
 * setting the error to a sentence. */
#define REFUSE_WITH(result, ...) \
 do { \
  g_set_error ( \
      error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__); \
  return result; \
 } while (0)
#define REFUSE(...) REFUSE_WITH (FALSE, __VA_ARGS__)

/* Lists of @names end with NULL.  The first name that is found counts. */

/* The text behind the first of @names that begins a line or a tag; NULL: none
 * does. */
const gchar *gst_vision_matrix_find (
    const gchar *text, const gchar *const *names);


/* Reads finite numbers from @text, at most @max; returns their number. */
guint gst_vision_matrix_numbers (
    const gchar *text, gdouble *numbers, guint max);

/* Reads a size in pixels, 1 to G_MAXINT; 0: @text has none. */
guint gst_vision_matrix_size (const gchar *text, const gchar *const *names);

/* Reads the numbers of a matrix row by row and returns their number.  Returns
 * -1, with a sentence in @error, if the matrix is missing or cut off, its rows
 * and columns are not as many as stated, or it has more than @max numbers or a
 * number that is not finite. */
gint gst_vision_matrix_read (const gchar *text, const gchar *const *names,
    gdouble *numbers, guint max, GError **error);

/* Whether a ROS camera_info has the distortion of a fisheye lens. */
gboolean gst_vision_matrix_is_fisheye (const gchar *text);

G_END_DECLS
