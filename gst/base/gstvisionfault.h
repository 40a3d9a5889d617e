/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be wrong with a frame that its caps say nothing of.  A frame is
 * refused before anything reads it beyond its memory; each function returns a
 * sentence, to be freed, or NULL. */
#pragma once

#include "base/gstvisionbackend.h"

G_BEGIN_DECLS

/* Before it is mapped: of its size, and of its GstVideoMeta. */
gchar *gst_vision_fault_of_buffer (const GstVideoInfo *info, GstBuffer *buffer);

/* When it is mapped: whether each plane of @image, of which only format and
 * size are read, lies in the memory that was mapped for it; @on_gpu: and that
 * in CUDA memory. */
gchar *gst_vision_fault_of_frame (
    const Image *image, const GstVideoFrame *frame, gboolean on_gpu);

G_END_DECLS
