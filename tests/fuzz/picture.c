/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture that visionoverlay puts into boxes. */
#include "fuzz_png.h"
#include "overlay/gstvisionpicture.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  GstVisionPicture picture;

  if (!gst_vision_picture_load (
          &picture, fuzz_png_file ("picture.png", data, size)))
    REQUIRE (picture.rgba && picture.width > 0 && picture.height > 0);
  gst_vision_picture_clear (&picture);
}
