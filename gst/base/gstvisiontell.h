/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages that quote what others wrote, such as paths and names: whatever that
 * is, the message is UTF-8. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Takes @text. */
void gst_vision_tell (GstElement *element, GstMessageType type, GQuark domain,
    gint code, gchar *text, const gchar *function, gint line);

/* The text of an error of memory, to be freed: the bytes that this thread could
 * not have, and that smaller frames or @less, such as "a smaller max-memory",
 * need less.  @less may be NULL.  NULL if @err is no error of memory. */
gchar *gst_vision_memory_text (const char *err, const gchar *less);

/* Posts the error of a source for whose frame of @bytes bytes there is no
 * memory. */
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
