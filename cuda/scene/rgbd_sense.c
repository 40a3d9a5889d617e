/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a structured-light sensor makes of the true depth. */
#include "scene/rgbd_core.h"

/* Beyond these the sensor is blind. */
#define NEAR .5f
#define FAR 5.f

void
rgbd_sense (
    Rgbd *s, const RgbdPlan *plan, const RgbdParams *params, uint64_t number)
{
  (void) plan, (void) params, (void) number;
#pragma omp parallel for
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t) y * s->width + x;
      float z = s->z[at];

      s->depth[at] = z >= NEAR && z <= FAR ? (uint16_t) (z * 1000 + .5f) : 0;
    }
}
