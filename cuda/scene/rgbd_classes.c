/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a tracker makes of each pixel that knows the room, and the robot at
 * rest as part of it. */
#include "scene/rgbd_core.h"

static RgbdClass
class_of (float distance)
{
  distance = fabsf (distance);
  return distance < .02f ? RGBD_INLIER
      : distance < .035f ? RGBD_POTENTIAL_OUTLIER
                         : RGBD_OUTLIER;
}

void
rgbd_classify (const Rgbd *s, const RgbdPlan *plan, uint8_t *classes)
{
  (void) plan;
#pragma omp parallel for
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t) y * s->width + x;
      float z = s->depth[at] * .001f;

      classes[2 * at] = z > 0
          ? class_of ((z - s->model_z[at]) * s->model_facing[at])
          : RGBD_MISSING;
      classes[2 * at + 1] = 0;
    }
}
