/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calibrations of one camera, of OpenCV, of ROS, or a plain matrix. */
#include "base/gstvisionintrinsics.h"
#include "fuzz_gst.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  GstVisionCamera camera;
  GError *error = NULL;

  gst_vision_camera_init (&camera);
  if (gst_vision_calibration_read (
          fuzz_file ("camera.yaml", data, size), &camera, &error))
    REQUIRE (camera.fx > 0 && camera.fy > 0 &&
        !camera.ref_width == !camera.ref_height);
  else
    REQUIRE (error);
  g_clear_error (&error);
}
