/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads pairs of calibrated cameras from files. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* One camera.  Matrices are stored row by row; lengths are pixels unless a
 * field says otherwise. */
typedef struct {
  gdouble k[9];  /* camera matrix */
  gdouble d[14]; /* k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tx ty; what the file's
                    model lacks is 0 */
  gdouble r[9];  /* rotation from the camera to the rectified one */
  gdouble p[12]; /* projection of the rectified camera; p[3] of the right one is
                    -fx baseline: pixels times metres */
} GstVisionRigView;

typedef struct {
  guint width, height; /* size of the frames; 0: the file does not state it */
  GstVisionRigView view[2]; /* left, right */
  gdouble q[16]; /* Q of the file, or computed from the projections: [X Y Z W] =
                    q [x y d 1], metres */
  gdouble baseline; /* metres, above 0 */
} GstVisionRig;

/* Reads @location, which is
 * - a file of OpenCV (YAML or XML) with M1 D1 M2 D2 R1 R2 P1 P2 and perhaps Q,
 *   image_width and image_height;
 * - "FILE,FILE", two such files that share them, as intrinsics and extrinsics;
 * - "LEFT,RIGHT", two files of ROS (camera_info).
 * If there is a file with the comma in its name, it is that one file.
 * @unit: metres per unit of OpenCV's T, which is the unit in which its squares
 * were given; ROS uses metres.
 * Distortion has 0, 4, 5, 8, 12 or 14 numbers.  If FALSE is returned, @rig is
 * as it was, and @error says what is wrong and what to do. */
gboolean gst_vision_rig_read (
    const gchar *location, gdouble unit, GstVisionRig *rig, GError **error);

/* Checks that the matrices are cameras, rotations, and projections with common
 * rows, that the right camera is on the right, and that Q gives depth.  The
 * field baseline is not checked. */
gboolean gst_vision_rig_check (const GstVisionRig *rig, GError **error);

/* Whether @r, row by row, is a rotation to a thousandth. */
gboolean gst_vision_is_rotation (const gdouble r[9]);

/* Whether @rig was calibrated for frames of this size.  If its file states no
 * size: whether both principal points lie within 20 % of the frame's sides from
 * its middle. */
gboolean gst_vision_rig_fits (
    const GstVisionRig *rig, guint width, guint height, GError **error);

G_END_DECLS
