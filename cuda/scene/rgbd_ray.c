/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a ray meets a solid.  The solid lies in its own frame, so that a box is
 * three pairs of parallel planes. */
#include "scene/rgbd_core.h"

/* What is nearer than this is not seen. */
#define NEAREST .05f

/* Pixels whose rays may meet the box of @half: those between its corners, or
 * all where one of them is not in front of the camera. */
static ImageBox
pixels_of (const RgbdPlan *plan, const double half[3], const RgbdPose *pose)
{
  double x0 = plan->width, y0 = plan->height, x1 = -1, y1 = -1;

  for (int k = 0; k < 8; k++) {
    double corner[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
        k & 4 ? half[2] : -half[2]};
    double p[3], x, y;

    rgbd_pose_apply (pose, corner, p);
    if (p[2] < NEAREST)
      return (ImageBox){0, 0, plan->width, plan->height};
    x = plan->f * p[0] / p[2] + plan->cx, y = plan->f * p[1] / p[2] + plan->cy;
    x0 = fmin (x0, x), y0 = fmin (y0, y), x1 = fmax (x1, x), y1 = fmax (y1, y);
  }
  return (ImageBox){(int) fmin (fmax (floor (x0), 0), plan->width),
      (int) fmin (fmax (floor (y0), 0), plan->height),
      (int) fmax (fmin (ceil (x1) + 1, plan->width), 0),
      (int) fmax (fmin (ceil (y1) + 1, plan->height), 0)};
}

RgbdTarget
rgbd_aim (const RgbdPlan *plan, const RgbdSolid *solid, const RgbdPose *pose)
{
  RgbdPose back = rgbd_pose_inverse (pose);
  RgbdTarget t = {
      .shape = solid->shape, .box = pixels_of (plan, solid->half, pose)};
  double m[3][3];

  rgbd_pose_axes (&back, m);
  for (int i = 0; i < 3; i++) {
    t.half[i] = (float) solid->half[i];
    t.eye[i] = (float) back.t[i];
    t.right[i] = (float) (m[i][0] / plan->f);
    t.down[i] = (float) (m[i][1] / plan->f);
    t.ray[i] =
        (float) (m[i][2] - (m[i][0] * plan->cx + m[i][1] * plan->cy) / plan->f);
  }
  return t;
}

/* Enters and leaves the pairs of planes of axes @first to @last. */
static bool
between (const RgbdTarget *t, const float ray[3], int first, int last,
    float enter[2], float leave[2])
{
  enter[0] = -INFINITY, leave[0] = INFINITY;
  enter[1] = leave[1] = 0;
  for (int i = first; i <= last; i++) {
    float along = fabsf (ray[i]) < 1e-9f ? 1e-9f : ray[i];
    float reach = along > 0 ? t->half[i] : -t->half[i];
    float in = (-reach - t->eye[i]) / along, out = (reach - t->eye[i]) / along;

    if (in > enter[0])
      enter[0] = in, enter[1] = fabsf (along);
    if (out < leave[0])
      leave[0] = out, leave[1] = fabsf (along);
  }
  return enter[0] <= leave[0];
}

static bool
meet_sphere (const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  float b = e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
  float c = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c;

  if (root <= 0)
    return false;
  root = sqrtf (root);
  *z = (-b - root) / a;
  *facing = root / t->half[0];
  return *z >= NEAREST;
}

static bool
meet_cylinder (const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float enter[2], leave[2], a = d[0] * d[0] + d[2] * d[2];
  float b = e[0] * d[0] + e[2] * d[2];
  float c = e[0] * e[0] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c, in;

  a = a < 1e-12f ? 1e-12f : a;
  if (root <= 0 || !between (t, d, 1, 1, enter, leave))
    return false;
  root = sqrtf (root);
  in = (-b - root) / a;
  if (in > leave[0] || (-b + root) / a < enter[0])
    return false;
  *z = in > enter[0] ? in : enter[0];
  *facing = in > enter[0] ? root / t->half[0] : enter[1];
  return *z >= NEAREST;
}

bool
rgbd_meet (const RgbdTarget *t, const float ray[3], float *z, float *facing)
{
  float enter[2], leave[2];

  if (t->shape == RGBD_SPHERE)
    return meet_sphere (t, ray, z, facing);
  if (t->shape == RGBD_CYLINDER)
    return meet_cylinder (t, ray, z, facing);
  if (!between (t, ray, 0, 2, enter, leave))
    return false;
  *z = t->shape == RGBD_ROOM ? leave[0] : enter[0];
  *facing = t->shape == RGBD_ROOM ? leave[1] : enter[1];
  return *z >= NEAREST;
}
