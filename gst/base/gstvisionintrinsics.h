/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera that took a frame, by the properties of an element or by the
 * metadata of the buffer. */
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

/* Scales the intrinsics to a frame of another size, unless their own reference
 * size is 0; pixel centres lie at integers.  The reference size becomes @width
 * x @height. */
void gst_vision_camera_scale (
    GstVisionCamera *camera, guint width, guint height);

/* All fields are under the element's object lock. */
typedef struct {
  gchar *intrinsics, *calibration; /* the properties' texts; NULL: unset */
  GstVisionCamera written, read; /* the cameras of intrinsics and calibration */
} GstVisionIntrinsics;

/* The properties intrinsics and calibration. */
extern const GstVisionProperty gst_vision_intrinsics_properties[];

/* The properties target-intrinsics and target-calibration, of the camera to
 * whose pixels an element brings a frame. */
extern const GstVisionProperty gst_vision_target_intrinsics_properties[];

/* The camera of @buffer, in pixels of its frame of @width x @height: from
 * intrinsics, else from calibration, else from the buffer's VisionCamera.  The
 * pose is always the buffer's.  FALSE: no camera is known. */
gboolean gst_vision_intrinsics_find (GstVisionIntrinsics *self,
    GstElement *element, GstBuffer *buffer, guint width, guint height,
    GstVisionCamera *camera);

G_END_DECLS
