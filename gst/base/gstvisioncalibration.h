/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cameras that others calibrated, read from their files. */
#pragma once

#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

/* Reads the first camera of a file of OpenCV (YAML or XML) or ROS
 * (camera_info), or a plain matrix of 3 x 3 numbers.  The reference size stays
 * 0 if the file does not state it.  If FALSE is returned, @camera is as it
 * was. */
gboolean gst_vision_calibration_read (
    const gchar *path, GstVisionCamera *camera, GError **error);

G_END_DECLS
