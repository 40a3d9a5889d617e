/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/rig/pocstereo_space.h"

#include <math.h>

const char *
pocstereo_space_from_q (PocstereoSpace *self, const double q[16])
{
  PocstereoSpace s;

  for (int i = 0; i < 16; i++) {
    s.q[i] = (float) q[i];
    if (!isfinite (s.q[i]))
      return "a number of the rig's matrix Q is not finite";
  }
  if (q[10] == 0 && q[14] == 0)
    return "by the rig's matrix Q, depth does not depend on disparity";
  *self = s;
  return NULL;
}

const char *
pocstereo_space_from_camera (PocstereoSpace *self, const PocstereoCamera *c)
{
  double aspect = c->fx / c->fy, apart = c->cx_right - c->cx;
  double q[16] = {1, 0, 0, -c->cx, 0, aspect, 0, -c->cy * aspect, 0, 0, 0,
      c->fx, 0, 0, 1 / c->baseline, apart / c->baseline};

  if (!(c->fx > 0 && c->fy > 0))
    return "a focal length of the rig is not above 0";
  if (c->baseline == 0)
    return "the baseline of the rig is 0";
  return pocstereo_space_from_q (self, q);
}
