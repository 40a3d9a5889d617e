/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tracker knows: the room, as far as one of its earlier views showed
 * it, and what moves in its place until the room was seen there.  A fusion of
 * depth frames unlearns a surface through which it sees, and learns what it
 * sees instead. */
#include "scene/rgbd_core.h"

/* Nothing is nearer to the camera, metres. */
#define NEAREST .5

/* How far a pixel moves at most between the camera and the latest view: its
 * turn, which is most at the sides of the view, 35 degrees from its middle, and
 * its way as seen from the nearest point. */
static int
margin_of (const RgbdPlan *plan, const RgbdPose *step)
{
  double turn = fabs (step->q[1]) + fabs (step->q[2]) + fabs (step->q[3]);
  double way = fabs (step->t[0]) + fabs (step->t[1]) + fabs (step->t[2]);

  return (int) (plan->f * (turn * (3 + 12 * turn) + 1.1 * way / NEAREST)) + 2;
}

RgbdMemory
rgbd_memory (const RgbdPlan *plan)
{
  RgbdMemory m = {.width = plan->width,
      .height = plan->height,
      .f = (float) plan->f,
      .cx = (float) plan->cx,
      .cy = (float) plan->cy,
      .lens = plan->lens};
  RgbdPose camera = rgbd_pose_inverse (&plan->camera);
  RgbdPose latest = rgbd_pose_inverse (&plan->views[0]);

  for (int k = 0; k < RGBD_VIEWS; k++) {
    RgbdPose back = rgbd_pose_inverse (&plan->views[k]);
    RgbdPose step = rgbd_pose_chain (&back, &plan->camera);
    double axes[3][3];

    if (!k && plan->lens.min == 1) {
      int rim = margin_of (plan, &step);

      m.known = (ImageBox){rim, rim, plan->width - rim, plan->height - rim};
    }
    rgbd_pose_axes (&step, axes);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        m.view[k][i][j] = (float) axes[i][j];
      m.view[k][i][3] = (float) step.t[i];
    }
  }
  for (int i = 0; i < plan->n_movers; i++)
    for (int j = 0; j < plan->movers[i].body->n_parts; j++) {
      const RgbdSolid *solid = &plan->movers[i].body->parts[j];
      RgbdPose part = rgbd_pose_chain (&plan->movers[i].before, &solid->pose);
      RgbdPose now = rgbd_pose_chain (&camera, &part);
      RgbdPose then = rgbd_pose_chain (&latest, &part);

      m.parts[m.n_parts] = rgbd_aim (plan, solid, &now);
      then = rgbd_pose_inverse (&then);
      for (int k = 0; k < 3; k++)
        m.eye[m.n_parts][k] = (float) then.t[k];
      m.n_parts++;
    }
  return m;
}

/* Moves the point @q to where the lens shows it, at the same depth. */
static void
bend (const RgbdLens *lens, float q[3])
{
  double x, y, factor;

  if (lens->min == 1 || q[2] <= 0)
    return;
  x = q[0] / q[2], y = q[1] / q[2];
  factor = rgbd_lens_factor (lens, x * x + y * y);
  q[0] *= (float) factor, q[1] *= (float) factor;
}

bool
rgbd_was_in_view (const RgbdMemory *m, float x, float y, float z)
{
  float p[3] = {(x - m->cx) / m->f * z, (y - m->cy) / m->f * z, z};

  for (int k = 0; k < RGBD_VIEWS; k++) {
    const float (*v)[4] = m->view[k];
    float q[3];

    for (int i = 0; i < 3; i++)
      q[i] = v[i][0] * p[0] + v[i][1] * p[1] + v[i][2] * p[2] + v[i][3];
    bend (&m->lens, q);
    q[0] = m->f * q[0] + (m->cx + .5f) * q[2];
    q[1] = m->f * q[1] + (m->cy + .5f) * q[2];
    if (q[2] > 0 && q[0] >= 0 && q[0] <= m->width * q[2] && q[1] >= 0 &&
        q[1] <= m->height * q[2])
      return true;
  }
  return false;
}

bool
rgbd_was_uncovered (const RgbdMemory *m, float x, float y, float z, bool moves)
{
  float own = moves ? .999f : 1; /* its own surface is not in its way */

  for (int i = 0; i < m->n_parts; i++) {
    RgbdTarget t = m->parts[i]; /* seen from where the camera was then */
    float way[3], part, facing;

    for (int k = 0; k < 3; k++) {
      way[k] = t.eye[k] + z * (t.ray[k] + x * t.right[k] + y * t.down[k]) -
          m->eye[i][k];
      t.eye[k] = m->eye[i][k];
    }
    if (rgbd_meet (&t, way, &part, &facing) && part < own)
      return false;
  }
  return true;
}
