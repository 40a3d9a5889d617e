/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parent of every element with one input: it chooses the backend, puts the
 * frame where the algorithm can reach it, reports errors, and holds the common
 * properties.  The child has the algorithm: open (), process () and close ().
 */
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

  /* For the backend: what process () does to the frame, and where it runs with
   * backend=auto. */
  GstVisionFrameUse use;

  /* Opens the device; a test replaces this function by one whose device fails
   * on demand. */
  const char *(*open_device) (Device *device, DeviceKind kind, void *stream);

  /* Allocates what the algorithm needs for the format @info on @device. */
  const char *(*open) (
      GstVisionFilter *self, const Device *device, const GstVideoInfo *info);
  /* Works on a frame: adds results to @buffer as metadata, or draws into
   * @frame. */
  const char *(*process) (
      GstVisionFilter *self, const Image *frame, GstBuffer *buffer);
  /* Frees what open () allocated; also called after an open () that failed. */
  void (*close) (GstVisionFilter *self);
  /* Forgets what earlier frames said, after a flush or a seek. */
  void (*reset) (GstVisionFilter *self);

  /* The following functions may be NULL.  This one is called when the element
   * starts, before any frame; FALSE: it has posted an error. */
  gboolean (*start) (GstVisionFilter *self);
  /* Called when the stream ends. */
  void (*end) (GstVisionFilter *self);
  /* Frees what start () allocated; called after close (), when the element has
   * stopped. */
  void (*stop) (GstVisionFilter *self);
  /* Called in the window's thread when the user has clicked, or drawn a box, in
   * the window of a sink, with @keys of the keyboard held. */
  void (*point) (GstVisionFilter *self, GstVideoRectangle *box,
      GstNavigationModifierType keys);
};

/* Adds the pad templates with the @formats, written as in caps ("{ NV12, RGBA
 * }"): in system memory and, for the formats that CUDA memory knows, in CUDA
 * memory. */
void gst_vision_filter_class_add_pads (
    GstVisionFilterClass *klass, const gchar *formats);

/* Whether the stream time of @buffer is at least @seconds, to a microsecond; a
 * frame without a time has reached all times. */
gboolean gst_vision_filter_has_reached (
    GstVisionFilter *self, GstBuffer *buffer, gdouble seconds);

G_END_DECLS
