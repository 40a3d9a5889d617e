/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Posts messages that quote paths and names from outside: a message is UTF-8
 * even if these are not. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts a message.  Takes @text. */
void gst_vision_tell (GstElement *element, GstMessageType type, GQuark domain,
    gint code, gchar *text, const gchar *function, gint line);

/* If @err is an error of memory, returns its text for the user, to be freed:
 * how many bytes this thread could not get, and that smaller frames, or what
 * @less names, such as "a smaller max-memory", need less.  @less may be NULL.
 * Returns NULL for other errors. */
gchar *gst_vision_memory_text (const char *err, const gchar *less);

/* Posts the error that a source has no memory for a frame of @bytes bytes. */
void gst_vision_tell_no_frame (
    GstElement *element, gsize bytes, const gchar *less);

/* As GST_ELEMENT_ERROR and GST_ELEMENT_WARNING without details. */
#define GST_VISION_ERROR(element, domain, code, text) \
 gst_vision_tell (GST_ELEMENT (element), GST_MESSAGE_ERROR, \
     GST_##domain##_ERROR, GST_##domain##_ERROR_##code, g_strdup_printf text, \
     G_STRFUNC, __LINE__)
#define GST_VISION_WARNING(element, domain, code, text) \
 gst_vision_tell (GST_ELEMENT (element), GST_MESSAGE_WARNING, \
     GST_##domain##_ERROR, GST_##domain##_ERROR_##code, g_strdup_printf text, \
     G_STRFUNC, __LINE__)

G_END_DECLS
