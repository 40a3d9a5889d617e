/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which camera took a frame: the properties that every element has which needs
 * to know, and what the buffer says. */
#pragma once

#include "base/gstvisionproperties.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

/* Reads the first camera of a file of OpenCV (YAML or XML) or ROS
 * (camera_info), or a plain matrix of 3 x 3 numbers.  The reference size stays
 * 0 if the file does not state it.  If FALSE is returned, @camera is as it
 * was. */
gboolean gst_vision_calibration_read (
    const gchar *path, GstVisionCamera *camera, GError **error);

/* Under the element's object lock. */
typedef struct {
  gchar *intrinsics, *calibration; /* as they were set; NULL: they are unset */
  GstVisionCamera written, read;   /* the cameras that they describe */
} GstVisionIntrinsics;

/* The properties intrinsics and calibration. */
extern const GstVisionProperty gst_vision_intrinsics_properties[];

/* The camera of @buffer, in pixels of its frame of @width x @height: from
 * intrinsics, else from calibration, else from the buffer's VisionCamera.  The
 * pose is always the buffer's.  FALSE: no camera is known. */
gboolean gst_vision_intrinsics_find (GstVisionIntrinsics *self,
    GstElement *element, GstBuffer *buffer, guint width, guint height,
    GstVisionCamera *camera);

G_END_DECLS
