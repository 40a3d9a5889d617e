/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the camera sees, and what the tracker's model has there: the same room,
 * once with the robot where it is, once with it where it stood. */
#include "scene/rgbd_core.h"

/* Solids of a frame, aimed at. */
typedef struct {
  RgbdTarget room[RGBD_FURNITURE], robot[RGBD_PARTS], rest[RGBD_PARTS];
  int n_room;
} Targets;

static void
aim_robot (const RgbdPlan *plan, const RgbdPose *camera, const RgbdPose *robot,
    RgbdTarget targets[RGBD_PARTS])
{
  RgbdPose there = rgbd_pose_chain (camera, robot);

  for (int i = 0; i < RGBD_PARTS; i++) {
    RgbdPose pose = rgbd_pose_chain (&there, &rgbd_parts[i].pose);

    targets[i] = rgbd_aim (plan, &rgbd_parts[i], &pose);
  }
}

static void
aim (const RgbdPlan *plan, Targets *t)
{
  RgbdPose camera = rgbd_pose_inverse (&plan->camera);

  t->n_room = plan->n_furniture;
  for (int i = 0; i < t->n_room; i++) {
    RgbdPose pose = rgbd_pose_chain (&camera, &plan->furniture[i].pose);

    t->room[i] = rgbd_aim (plan, &plan->furniture[i], &pose);
  }
  aim_robot (plan, &camera, &plan->robot, t->robot);
  aim_robot (plan, &camera, &plan->robot_rest, t->rest);
}

/* A row of one layer: the nearest of @n solids. */
static void
cast_row (const RgbdTarget *targets, int n, int y, float *z, float *facing)
{
  for (int i = 0; i < n; i++) {
    const RgbdTarget *t = &targets[i];
    float start[3];

    if (y < t->box.y0 || y >= t->box.y1)
      continue;
    for (int k = 0; k < 3; k++)
      start[k] = t->ray[k] + y * t->down[k];
    for (int x = t->box.x0; x < t->box.x1; x++) {
      float ray[3] = {start[0] + x * t->right[0], start[1] + x * t->right[1],
          start[2] + x * t->right[2]};
      float near, face;

      if (rgbd_meet (t, ray, &near, &face) && near < z[x])
        z[x] = near, facing[x] = face;
    }
  }
}

uint64_t
rgbd_cast (Rgbd *s, const RgbdPlan *plan)
{
  uint64_t full = 0;
  Targets t;

  aim (plan, &t);
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : full)
  for (int y = 0; y < s->height; y++) {
    float z[3][RGBD_MAX_SIZE], facing[3][RGBD_MAX_SIZE];
    size_t at = (size_t) y * s->width;

    for (int k = 0; k < 3; k++)
      for (int x = 0; x < s->width; x++)
        z[k][x] = INFINITY, facing[k][x] = 1;
    cast_row (t.room, t.n_room, y, z[0], facing[0]);
    cast_row (t.robot, RGBD_PARTS, y, z[1], facing[1]);
    cast_row (t.rest, RGBD_PARTS, y, z[2], facing[2]);
    for (int x = 0; x < s->width; x++, at++) {
      bool robot = z[1][x] < z[0][x], rest = z[2][x] < z[0][x];

      full += z[1][x] < INFINITY;
      s->labels[at] = robot;
      s->z[at] = z[robot][x];
      s->model_z[at] = z[2 * rest][x];
      s->model_facing[at] = facing[2 * rest][x];
      s->sees[at] = 0;
    }
  }
  return full;
}
