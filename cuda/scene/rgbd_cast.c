/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the camera sees, and what the tracker's model has there: the same room,
 * once with the robot where it is, once with it where it stood. */
#include "scene/rgbd_core.h"

#include <stdatomic.h>

#include "common/parallel.h"

/* Solids of a frame, aimed at. */
typedef struct {
  RgbdTarget room[RGBD_FURNITURE], robot[RGBD_PARTS], rest[RGBD_PARTS];
  int n_room;
  RgbdMemory memory;
} Targets;

/* Of a row: the room, the robot, and the robot at rest. */
typedef struct {
  float z[3][RGBD_MAX_SIZE], facing[3][RGBD_MAX_SIZE];
} Layers;

/* The sine of the angle under which a surface gives no depth any more. */
#define GRAZING .12f

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
  t->memory = rgbd_memory (plan);
}

/* What is seen, and what the model has there: the room as far as it was seen
 * before, and the robot at rest until the room was seen in its place. */
static void
look (Rgbd *s, const Targets *t, const Layers *l, int x, int y)
{
  size_t at = (size_t) y * s->width + x;
  bool robot = l->z[1][x] < l->z[0][x], rest = l->z[2][x] < l->z[0][x];
  float face = l->facing[robot][x], u = (x - t->memory.cx) / t->memory.f;
  float v = (y - t->memory.cy) / t->memory.f;
  ImageBox known = t->memory.known;
  int model;

  if (rest && rgbd_was_uncovered (&t->memory, x, y, l->z[0][x]))
    rest = false;
  model = rest ? 2 : 0;
  s->labels[at] = robot;
  s->z[at] = l->z[robot][x];
  s->model_z[at] = l->z[model][x];
  s->model_facing[at] = l->facing[model][x];
  if ((x < known.x0 || x >= known.x1 || y < known.y0 || y >= known.y1) &&
      !rgbd_was_in_view (&t->memory, x, y, s->model_z[at]))
    s->model_z[at] = INFINITY;
  s->marks[at] = rest && !robot ? RGBD_HIDDEN : 0;
  if (face * face < GRAZING * GRAZING * (1 + u * u + v * v))
    s->marks[at] |= RGBD_GRAZING;
}

typedef struct {
  Rgbd *s;
  Targets t;
  atomic_ullong full; /* pixels of the robot, hidden ones too */
} View;

static void
cast_rows (void *data, int begin, int end)
{
  View *v = data;
  const Targets *t = &v->t;
  int width = v->s->width;
  Layers l;

  for (int y = begin; y < end; y++) {
    unsigned full = 0;

    for (int k = 0; k < 3; k++)
      for (int x = 0; x < width; x++)
        l.z[k][x] = INFINITY, l.facing[k][x] = 1;
    rgbd_cast_row (t->room, t->n_room, y, l.z[0], l.facing[0]);
    rgbd_cast_row (t->robot, RGBD_PARTS, y, l.z[1], l.facing[1]);
    rgbd_cast_row (t->rest, RGBD_PARTS, y, l.z[2], l.facing[2]);
    for (int x = 0; x < width; x++) {
      full += l.z[1][x] < INFINITY;
      look (v->s, t, &l, x, y);
    }
    atomic_fetch_add (&v->full, full);
  }
}

uint64_t
rgbd_cast (Rgbd *s, const RgbdPlan *plan)
{
  View v = {.s = s};

  aim (plan, &v.t);
  parallel_for (s->height, 8, cast_rows, &v);
  return v.full;
}
