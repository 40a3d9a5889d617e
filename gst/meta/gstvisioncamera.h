/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera that took a frame. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionCamera:
 * @ref_width: width of the frame whose pixels are the unit below
 * @ref_height: height of that frame
 * @fx: focal length along x, pixels, above 0
 * @fy: focal length along y, pixels, above 0
 * @cx: x of the principal point, pixels
 * @cy: y of the principal point, pixels
 * @distortion: (array fixed-size=5): k1 k2 p1 p2 k3 of the Brown-Conrady model
 *   in the order of OpenCV; all 0 where the frame is rectified
 * @baseline: metres from the left to the right camera; NAN without a
 *   second one
 * @pose: (array fixed-size=7): from the camera's coordinates to the world's,
 *   as #GstVisionObject.pose; only where @has_pose
 * @has_pose: whether @pose is known
 *
 * A pinhole camera.  The centre of the first pixel is at (0, 0).
 *
 * Since: 0.1
 */
typedef struct {
  guint ref_width, ref_height;
  gdouble fx, fy, cx, cy;
  gdouble distortion[5];
  gdouble baseline;
  gdouble pose[7];
  gboolean has_pose;
} GstVisionCamera;

GST_VISION_META_API
void gst_vision_camera_init (GstVisionCamera *camera);
GST_VISION_META_API
gboolean gst_vision_camera_set_intrinsics (
    GstVisionCamera *camera, const gchar *text, GError **error);

GST_VISION_META_API
gboolean gst_buffer_set_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, const GstVisionCamera *camera);
GST_VISION_META_API
gboolean gst_buffer_get_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, GstVisionCamera *camera);

G_END_DECLS
