/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Solids of the scene `rgbd`: which rays may meet them, and where. */
#include "scene/rgbd_core.h"

/* A nearer surface is not seen. */
#define RGBD_NEAREST .05f

/* The depths between which a ray is between planes, and the parts of its
 * direction along the normals of the planes where it enters and leaves. */
typedef struct {
  float enter, leave, enter_facing, leave_facing;
} RgbdSpan;

#define RGBD_WHOLE ((RgbdSpan){-INFINITY, INFINITY, 0, 0})

/* Cuts the span to the part between two planes, @half to each side of the
 * middle; @eye and @ray are the components along their normal. */
static inline RgbdSpan
rgbd_cut (RgbdSpan s, float half, float eye, float ray)
{
  float face = fabsf (ray) < 1e-9f ? 1e-9f : fabsf (ray);
  float once = 1 / copysignf (face, ray), reach = copysignf (half, ray);
  float in = (-reach - eye) * once, out = (reach - eye) * once;
  bool later = in > s.enter, sooner = out < s.leave;

  return (RgbdSpan){later ? in : s.enter, sooner ? out : s.leave,
      later ? face : s.enter_facing, sooner ? face : s.leave_facing};
}

static inline bool
rgbd_meet_sphere (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
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
  return *z >= RGBD_NEAREST;
}

static inline bool
rgbd_meet_cylinder (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[2] * d[2];
  float b = e[0] * d[0] + e[2] * d[2];
  float c = e[0] * e[0] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c, in;
  RgbdSpan s;

  a = a < 1e-12f ? 1e-12f : a;
  if (root <= 0)
    return false;
  root = sqrtf (root);
  in = (-b - root) / a;
  s = rgbd_cut (RGBD_WHOLE, t->half[1], e[1], d[1]);
  if (s.enter > s.leave || in > s.leave || (-b + root) / a < s.enter)
    return false;
  *z = in > s.enter ? in : s.enter;
  *facing = in > s.enter ? root / t->half[0] : s.enter_facing;
  return *z >= RGBD_NEAREST;
}

/* The pixels whose rays may meet the box of @half: those between its corners in
 * the distorted picture, or all pixels if a corner is not in front of the
 * camera. */
static ImageBox
pixels_of_box (const RgbdPlan *plan, const double half[3], const Pose64 *pose)
{
  double x0 = plan->width, y0 = plan->height, x1 = -1, y1 = -1;

  for (int k = 0; k < 8; k++) {
    double corner[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
        k & 4 ? half[2] : -half[2]};
    double p[3], x, y;

    rgbd_pose_apply (pose, corner, p);
    if (p[2] < RGBD_NEAREST)
      return (ImageBox){0, 0, plan->width, plan->height};
    for (int i = 0; i < 2; i++) {
      double factor = i ? plan->lens.max : plan->lens.min;

      x = factor * plan->f * p[0] / p[2] + plan->cx;
      y = factor * plan->f * p[1] / p[2] + plan->cy;
      x0 = fmin (x0, x), y0 = fmin (y0, y);
      x1 = fmax (x1, x), y1 = fmax (y1, y);
    }
  }
  return (ImageBox){(int) fmin (fmax (floor (x0), 0), plan->width),
      (int) fmin (fmax (floor (y0), 0), plan->height),
      (int) fmax (fmin (ceil (x1) + 1, plan->width), 0),
      (int) fmax (fmin (ceil (y1) + 1, plan->height), 0)};
}

RgbdTarget
rgbd_aim (const RgbdPlan *plan, const RgbdSolid *solid, const Pose64 *pose)
{
  Pose64 back = rgbd_pose_inverse (pose);
  RgbdTarget t = {
      .shape = solid->shape, .box = pixels_of_box (plan, solid->half, pose)};
  double m[3][3];

  quat64_matrix (back.q, m);
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

static bool
meet_target (const RgbdTarget *t, const float ray[3], float *z, float *facing)
{
  RgbdSpan s = RGBD_WHOLE;

  if (t->shape == RGBD_SPHERE)
    return rgbd_meet_sphere (t, ray, z, facing);
  if (t->shape == RGBD_CYLINDER)
    return rgbd_meet_cylinder (t, ray, z, facing);
  for (int i = 0; i < 3; i++)
    s = rgbd_cut (s, t->half[i], t->eye[i], ray[i]);
  *z = s.enter, *facing = s.enter_facing;
  return s.enter <= s.leave && s.enter >= RGBD_NEAREST;
}

bool
rgbd_meet (const RgbdTarget *t, const float ray[3], float *z, float *facing)
{
  return meet_target (t, ray, z, facing);
}

/* Casts a row of rays at a box.  Without branches and pointers in the loop,
 * several pixels are processed at a time. */
static void
cast_box_row (const RgbdTarget *t, const float start[3], const RgbdRow *row,
    float *z, float *facing)
{
  const float *across = row->across, *bend = row->bend;
  const float s0 = start[0], s1 = start[1], s2 = start[2];
  const float r0 = t->right[0], r1 = t->right[1], r2 = t->right[2];
  const float d0 = t->down[0], d1 = t->down[1], d2 = t->down[2];
  const float e0 = t->eye[0], e1 = t->eye[1], e2 = t->eye[2];
  const float h0 = t->half[0], h1 = t->half[1], h2 = t->half[2];
  const bool inside = t->shape == RGBD_ROOM;

#pragma omp simd
  for (int x = t->box.x0; x < t->box.x1; x++) {
    float u = across[x], v = bend[x];
    RgbdSpan s = rgbd_cut (RGBD_WHOLE, h0, e0, s0 + u * r0 + v * d0);
    float near, face, best = z[x], its = facing[x];
    bool hit;

    s = rgbd_cut (s, h1, e1, s1 + u * r1 + v * d1);
    s = rgbd_cut (s, h2, e2, s2 + u * r2 + v * d2);
    near = inside ? s.leave : s.enter;
    face = inside ? s.leave_facing : s.enter_facing;
    hit = (s.enter <= s.leave) & (near >= RGBD_NEAREST) & (near < best);
    z[x] = hit ? near : best;
    facing[x] = hit ? face : its;
  }
}

void
rgbd_cast_row (const RgbdTarget *targets, int n, int y, const RgbdRow *row,
    float *z, float *facing)
{
  for (int i = 0; i < n; i++) {
    const RgbdTarget *t = &targets[i];
    float start[3], near, face;

    if (y < t->box.y0 || y >= t->box.y1)
      continue;
    for (int k = 0; k < 3; k++)
      start[k] = t->ray[k] + y * t->down[k];
    if (t->shape == RGBD_BOX || t->shape == RGBD_ROOM) {
      cast_box_row (t, start, row, z, facing);
      continue;
    }
    for (int x = t->box.x0; x < t->box.x1; x++) {
      float ray[3];

      for (int k = 0; k < 3; k++)
        ray[k] =
            start[k] + row->across[x] * t->right[k] + row->bend[x] * t->down[k];
      if (meet_target (t, ray, &near, &face) && near < z[x])
        z[x] = near, facing[x] = face;
    }
  }
}
