/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters: ranges, defaults, texts and checks. */
#include "common/rows.h"
#include "depthalign/depthalign.h"

#define ROWS_OF DepthalignParams
const Param depthalign_params[] = {
    NUMBER (max_step, 0, 1, .02,
        "Neighbouring pixels are on one surface if their depths differ by at "
        "most this part of the smaller one; the surface has no holes between "
        "them"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Metres per unit of depth"), {0}};

DEFAULTS (depthalign_defaults, depthalign_params,
    .transform = {{0, 0, 0}, {1, 0, 0, 0}})

static bool
is_usable_camera (const Camera *c)
{
  double sum = c->cx + c->cy;

  for (int i = 0; i < 5; i++)
    sum += c->distortion[i];
  return isfinite (sum) && c->fx > 0 && c->fy > 0 && isfinite (c->fx + c->fy);
}

static bool
is_usable_pose (const Pose64 *p)
{
  double length = 0, sum = 0;

  for (int i = 0; i < 4; i++)
    length += p->q[i] * p->q[i];
  for (int i = 0; i < 3; i++)
    sum += fabs (p->t[i]);
  return fabs (length - 1) < 1e-6 && sum < 1e6;
}

const char *
depthalign_check (const DepthalignParams *p)
{
  TRY (params_check (depthalign_params, p));
  if (!is_usable_camera (&p->depth))
    return "the depth camera's focal lengths must be positive numbers of "
           "pixels, and its other numbers finite";
  if (!is_usable_camera (&p->target))
    return "the target camera's focal lengths must be positive numbers of "
           "pixels, and its other numbers finite";
  if (!is_usable_pose (&p->transform))
    return "the transform must be a translation of less than 1000 km and a "
           "unit quaternion";
  return NULL;
}
