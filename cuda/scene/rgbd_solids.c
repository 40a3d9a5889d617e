/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What stands in the room, and what robots and the machine are made of. */
#include "scene/rgbd_core.h"

#include "common/random.h"

/* A quarter turn about z, which lays a cylinder's axis along x. */
#define LYING \
 { \
  .7071067811865476, 0, 0, .7071067811865476 \
 }
#define UPRIGHT \
 { \
  1, 0, 0, 0 \
 }

/* A body on two wheels and a caster, and an open box on top of it.  Its front
 * is at negative z.  Its sides have no steps of more than half a centimetre:
 * a depth frame shows it in one piece. */
#define ROBOT(name) \
 { \
  {{RGBD_BOX, {.2, .15, .15}, {{0, .03, 0}, UPRIGHT}}, \
      {RGBD_CYLINDER, {.09, .015, .09}, {{-.19, .17, .03}, LYING}}, \
      {RGBD_CYLINDER, {.09, .015, .09}, {{.19, .17, .03}, LYING}}, \
      {RGBD_SPHERE, {.04, .04, .04}, {{0, .22, -.1}, UPRIGHT}}, \
      {RGBD_BOX, {.205, .01, .155}, {{0, -.13, 0}, UPRIGHT}}, \
      {RGBD_BOX, {.205, .06, .01}, {{0, -.2, -.145}, UPRIGHT}}, \
      {RGBD_BOX, {.205, .06, .01}, {{0, -.2, .145}, UPRIGHT}}, \
      {RGBD_BOX, {.01, .06, .155}, {{-.195, -.2, 0}, UPRIGHT}}, \
      {RGBD_BOX, {.01, .06, .155}, {{.195, -.2, 0}, UPRIGHT}}}, \
      9, {.41, .52, .31}, name \
 }

static const RgbdBody robots[RGBD_MAX_OBJECTS] = {
    ROBOT ("robot"), ROBOT ("robot-2"), ROBOT ("robot-3"), ROBOT ("robot-4")};

/* The axes of the machine, as they hang one on the other. */
static const RgbdBody axes[] = {
    {{{RGBD_BOX, {.04, .255, .06}, {{-.43, 0, 0}, UPRIGHT}},
         {RGBD_BOX, {.04, .255, .06}, {{.43, 0, 0}, UPRIGHT}},
         {RGBD_BOX, {.47, .06, .06}, {{0, -.195, 0}, UPRIGHT}}},
        3, {.94, .51, .12}, "portal"},
    {{{RGBD_BOX, {.09, .11, .045}, {{0, 0, 0}, UPRIGHT}}}, 1, {.18, .22, .09},
        "carriage"},
    {{{RGBD_BOX, {.04, .16, .025}, {{0, -.04, 0}, UPRIGHT}},
         {RGBD_CYLINDER, {.025, .04, .025}, {{0, .16, 0}, UPRIGHT}}},
        2, {.08, .4, .05}, "quill"},
};

/* What the machine stands on. */
static const RgbdSolid bed = {
    RGBD_BOX, {.5, .245, .38}, {{0, RGBD_FLOOR - .245, 2.15}, UPRIGHT}};

int
rgbd_count (const RgbdParams *params)
{
  return params->path == RGBD_AXES ? (int) (sizeof axes / sizeof *axes)
                                   : params->robots;
}

const RgbdBody *
rgbd_body (const RgbdParams *params, int mover)
{
  return params->path == RGBD_AXES ? &axes[mover] : &robots[mover];
}

/* Furniture: its size is half to each side, its place the middle of its foot;
 * what has a number stands together. */
typedef struct {
  RgbdShape shape;
  double half[3], x, foot, z, yaw;
  int group;
} Item;

static const Item items[] = {
    {RGBD_CYLINDER, {.12, 1.25, .12}, -1.7, RGBD_FLOOR, 3.2, 0, 0},
    {RGBD_BOX, {.5, .015, .3}, -1.1, .33, 2.75, 4, 1},
    {RGBD_BOX, {.025, .36, .025}, -1.55, RGBD_FLOOR, 2.5, 4, 1},
    {RGBD_BOX, {.025, .36, .025}, -.65, RGBD_FLOOR, 2.5, 4, 1},
    {RGBD_BOX, {.025, .36, .025}, -1.55, RGBD_FLOOR, 3, 4, 1},
    {RGBD_BOX, {.025, .36, .025}, -.65, RGBD_FLOOR, 3, 4, 1},
    {RGBD_BOX, {.24, .16, .02}, -1.15, .3, 2.88, -12, 1},
    {RGBD_CYLINDER, {.04, .12, .04}, -.75, .3, 2.6, 0, 1},
    {RGBD_SPHERE, {.09, .09, .09}, -1.4, .3, 2.6, 0, 1},
    {RGBD_BOX, {.15, .11, .2}, -1.2, RGBD_FLOOR, 1.6, 40, 2},
    {RGBD_BOX, {.25, .5, .3}, 1.55, RGBD_FLOOR, 2.85, -8, 3},
    {RGBD_CYLINDER, {.22, .2, .22}, .95, RGBD_FLOOR, 3.15, 0, 4},
    {RGBD_BOX, {.13, .1, .11}, .95, RGBD_FLOOR - .4, 3.15, 25, 4},
    {RGBD_SPHERE, {.16, .16, .16}, .3, RGBD_FLOOR, 3.3, 0, 5},
    {RGBD_CYLINDER, {.14, .19, .14}, -.35, RGBD_FLOOR, 3.3, 0, 6},
};

/* The room, and the wall at its back with a way out into a corridor. */
static const Item walls[] = {
    {RGBD_ROOM, {2.025, 1.25, 3.6}, .025, RGBD_FLOOR, 2, 0, 0},
    {RGBD_BOX, {1.25, 1.25, .05}, -.75, RGBD_FLOOR, 3.7, 0, 0},
    {RGBD_BOX, {.25, 1.25, .05}, 1.75, RGBD_FLOOR, 3.7, 0, 0},
};

static RgbdSolid
put (const Item *item, double dx, double dz, double dyaw)
{
  uint32_t yaw = (uint32_t) (int64_t) ((item->yaw + dyaw) / 360 * 4294967296.);

  return (RgbdSolid){.shape = item->shape,
      .half = {item->half[0], item->half[1], item->half[2]},
      .pose = rgbd_pose_of (
          1, yaw, item->x + dx, item->foot - item->half[1], item->z + dz)};
}

int
rgbd_furnish (const RgbdParams *params, RgbdSolid *furniture)
{
  int n = 0;

  for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
    furniture[n++] = put (&walls[i], 0, 0, 0);
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    uint64_t key = random_u64 (params->seed, 3 + items[i].group);
    uint64_t own = random_u64 (params->seed, 100 + i);

    furniture[n++] = put (&items[i], .08 * (random_unit (key, 0) - .5),
        .08 * (random_unit (key, 1) - .5),
        items[i].group == 1 ? 0 : 16 * (random_unit (own, 0) - .5));
  }
  if (params->path == RGBD_AXES)
    furniture[n++] = bed;
  return n;
}
