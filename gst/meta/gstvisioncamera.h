/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera that took a frame, as a meta of its buffer. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionCamera:
 * @ref_width: width of the reference frame in pixels, above 0; the fields
 *   below count its pixels
 * @ref_height: height of the reference frame in pixels, above 0
 * @fx: focal length along x in pixels, above 0
 * @fy: focal length along y in pixels, above 0
 * @cx: x of the principal point in pixels; it may lie outside the frame
 * @cy: y of the principal point in pixels
 * @distortion: (array fixed-size=5): the coefficients k1, k2, p1, p2 and k3 of
 *   the Brown-Conrady model, in the order of OpenCV, without a unit; all are 0
 *   if the frame is rectified
 * @baseline: distance from the left to the right camera in metres; NAN if the
 *   camera has no partner
 * @pose: (array fixed-size=7): the transform from the camera's coordinates to
 *   those of the world, laid out as #GstVisionObject.pose; it has a meaning
 *   only if @has_pose is %TRUE
 * @has_pose: %TRUE if @pose is known
 *
 * A pinhole camera with lens distortion.  The centre of the first pixel is at
 * (0, 0).  The struct points to no other memory: an assignment copies it.
 * gst_vision_camera_init() sets all fields; call it before you fill in a
 * camera: later versions may have more fields.
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

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING_LARGE];
} GstVisionCamera;

#define GST_TYPE_VISION_CAMERA (gst_vision_camera_get_type ())
GST_VISION_META_API
GType gst_vision_camera_get_type (void);
GST_VISION_META_API
GstVisionCamera *gst_vision_camera_new (void);
GST_VISION_META_API
GstVisionCamera *gst_vision_camera_copy (const GstVisionCamera *camera);
GST_VISION_META_API
void gst_vision_camera_free (GstVisionCamera *camera);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVisionCamera, gst_vision_camera_free)
GST_VISION_META_API
void gst_vision_camera_init (GstVisionCamera *camera);
GST_VISION_META_API
gboolean gst_vision_camera_set_intrinsics (
    GstVisionCamera *camera, const gchar *text, GError **error);
GST_VISION_META_API
void gst_vision_camera_set_pose (GstVisionCamera *camera, const gdouble *pose);

GST_VISION_META_API
gboolean gst_buffer_set_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, const GstVisionCamera *camera);
GST_VISION_META_API
gboolean gst_buffer_get_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, GstVisionCamera *camera);

G_END_DECLS
