/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parent of every element with one input: it chooses the backend, puts the
 * frame where the algorithm can reach it, reports errors, keeps the common
 * properties, and leaves to the child what is its own: open (), process () and
 * close (). */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "base/gstvisioncommon.h"
#include "common/image.h"

G_BEGIN_DECLS

#define GST_TYPE_VISION_FILTER (gst_vision_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    GstVisionFilter, gst_vision_filter, GST, VISION_FILTER, GstBaseTransform)

struct _GstVisionFilterClass {
  GstBaseTransformClass parent_class;

  /* Of the backend: what process () does to the frame, and where it runs when
   * backend=auto. */
  GstVisionFrameUse use;

  /* Opens the device; a test puts one in place that fails on demand. */
  const char *(*open_device) (Device *device, DeviceKind kind, void *stream);

  /* The frames' format is known, and the device: allocate. */
  const char *(*open) (
      GstVisionFilter *self, const Device *device, const GstVideoInfo *info);
  /* A frame: add what is found to @buffer as metadata, or draw. */
  const char *(*process) (
      GstVisionFilter *self, const Image *frame, GstBuffer *buffer);
  /* Free what open () allocated; also called when open () failed. */
  void (*close) (GstVisionFilter *self);
  /* A flush or a seek: forget what earlier frames said. */
  void (*reset) (GstVisionFilter *self);

  /* These may be NULL.  The element starts, before any frame: FALSE after an
   * error. */
  gboolean (*start) (GstVisionFilter *self);
  /* The stream ends. */
  void (*end) (GstVisionFilter *self);
  /* The element has stopped: free what start () allocated, after close (). */
  void (*stop) (GstVisionFilter *self);
  /* The user pointed at something in a window, from the window's thread. */
  void (*point) (GstVisionFilter *self, GstVideoRectangle *box);
};

/* Adds the pad templates: @formats as in caps ("{ NV12, RGBA }"), offered in
 * system memory and, for those that CUDA memory knows, in CUDA memory. */
void gst_vision_filter_class_add_pads (
    GstVisionFilterClass *klass, const gchar *formats);

/* For point (): a click becomes a square with @side pixels around it. */
void gst_vision_mouse_widen (GstVideoRectangle *box, gint side);

G_END_DECLS
