/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of a pad as Images that the Device of a GstVisionBackend can reach:
 * their caps, their pools and the map of a frame. */
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
  gboolean copied;  /* staged holds a copy of the mapped frame */
  GstVideoFrame frame; /* while mapped */
  gchar *fault;        /* of the newest frame; NULL: none */
} GstVisionInput;

const char *gst_vision_input_open (GstVisionInput *self,
    GstVisionBackend *backend, const GstVideoInfo *info, gboolean in_cuda,
    GstVisionFrameUse use);
void gst_vision_input_close (GstVisionInput *self, GstVisionBackend *backend);

/* Puts @buffer where the device can reach it: @image is valid until unmap,
 * which also brings what was drawn back.  kernel_time is that of the work
 * queued between the last map and the first unmap.  Where the frame is to blame
 * and not the device, the error is self->fault, which lasts until the next map
 * or close. */
const char *gst_vision_input_map (GstVisionInput *self,
    GstVisionBackend *backend, GstBuffer *buffer, Image *image);
const char *gst_vision_input_unmap (
    GstVisionInput *self, GstVisionBackend *backend);

/* Answers an ALLOCATION query: strided frames are fine, and for CUDA memory
 * there is a pool of our context. */
void gst_vision_input_propose (GstVisionBackend *self, GstQuery *query);

/* An active pool of frames, of which it holds @min from the start; in CUDA
 * memory of our context where @in_cuda.  NULL where memory has run out. */
GstBufferPool *gst_vision_input_new_pool (GstVisionBackend *self,
    const GstVideoInfo *info, gboolean in_cuda, guint min);

/* Caps of frames in @formats ("{ NV12, RGBA }"), in system memory and, for the
 * formats that CUDA memory knows, in CUDA memory. */
GstCaps *gst_vision_caps (const gchar *formats);

gboolean gst_vision_caps_in_cuda (const GstCaps *caps);

/* FALSE for a format that no algorithm reads. */
gboolean gst_vision_image_format (GstVideoFormat format, ImageFormat *out);

G_END_DECLS
