/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps frames of a pad as Images that the Device of a GstVisionBackend can
 * reach; makes their caps and pools. */
#pragma once

#include "base/gstvisionbackend.h"
#include "common/image.h"

G_BEGIN_DECLS

/* The frames of one pad. */
typedef struct {
  GstVideoInfo info;
  GstVisionFrameUse use;
  gboolean in_cuda; /* frames come in CUDA memory */
  Image staged;     /* device memory for frames that cannot be used in place */
  void *staging;    /* NULL: not allocated yet */
  gboolean copied;  /* the mapped frame was copied to staged */
  GstVideoFrame frame; /* valid while a frame is mapped */
  gchar *fault;        /* what is wrong with the newest frame; NULL: nothing */
} GstVisionInput;

const char *gst_vision_input_open (GstVisionInput *self,
    GstVisionBackend *backend, const GstVideoInfo *info, gboolean in_cuda,
    GstVisionFrameUse use);
void gst_vision_input_close (GstVisionInput *self, GstVisionBackend *backend);

/* Puts @buffer where the device can reach it.  @image is valid until unmap,
 * which copies what was drawn back into @buffer.  The backend's kernel_time is
 * that of the work queued between the last map and the first unmap.  If the
 * frame is to blame and not the device, the error is self->fault, which is
 * valid until the next map or close. */
const char *gst_vision_input_map (GstVisionInput *self,
    GstVisionBackend *backend, GstBuffer *buffer, Image *image);
const char *gst_vision_input_unmap (
    GstVisionInput *self, GstVisionBackend *backend);

/* Answers an ALLOCATION query: frames may have padded rows, and for CUDA memory
 * a pool of the element's context is offered. */
void gst_vision_input_propose (GstVisionBackend *self, GstQuery *query);

/* An active pool of frames, which holds @min frames from the start; @in_cuda:
 * in CUDA memory of the element's context.  NULL: memory has run out. */
GstBufferPool *gst_vision_input_new_pool (GstVisionBackend *self,
    const GstVideoInfo *info, gboolean in_cuda, guint min);

/* Caps of frames in @formats ("{ NV12, RGBA }"), in system memory and, for the
 * formats that CUDA memory knows, in CUDA memory. */
GstCaps *gst_vision_caps (const gchar *formats);

gboolean gst_vision_caps_in_cuda (const GstCaps *caps);

/* Finds the ImageFormat of @format; FALSE if no algorithm reads this format. */
gboolean gst_vision_image_format (GstVideoFormat format, ImageFormat *out);

G_END_DECLS
