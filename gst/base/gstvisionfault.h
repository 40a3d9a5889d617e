/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Faults of a frame that its caps do not show.  A frame is
 * refused before anything reads it beyond its memory; each function returns a
 * sentence, to be freed, or NULL. */
#pragma once

#include "base/gstvisionbackend.h"

G_BEGIN_DECLS

/* Before it is mapped: checks its size and its GstVideoMeta. */
gchar *gst_vision_fault_of_buffer (const GstVideoInfo *info, GstBuffer *buffer);

/* When it is mapped: whether each plane of @image, of which only format and
 * size are read, lies in the memory that was mapped for it, which, if @on_gpu,
 * must be CUDA memory. */
gchar *gst_vision_fault_of_frame (
    const Image *image, const GstVideoFrame *frame, gboolean on_gpu);

G_END_DECLS
