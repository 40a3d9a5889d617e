/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of a camera, as elements have it in `intrinsics`. */
#include <math.h>

#include "fuzz_gst.h"
#include "meta/gstvisionmeta.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size);
  GstVisionCamera camera;
  GError *error = NULL;

  gst_vision_camera_init (&camera);
  if (gst_vision_camera_set_intrinsics (&camera, text, &error))
    REQUIRE (camera.fx > 0 && camera.fy > 0 && isfinite (camera.fx) &&
        isfinite (camera.fy) && isfinite (camera.cx) && isfinite (camera.cy));
  else
    REQUIRE (error);
  g_clear_error (&error);
  free (text);
}
