/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The furniture of the room, and the poses of all movers. */
#include "scene/rgbd_core.h"

#include "common/random.h"

/* ---- The room, the robots and the machine ---- */

/* A quarter turn about z, which lays a cylinder's axis along x. */
#define LYING \
 { \
  .7071067811865476, 0, 0, .7071067811865476 \
 }
#define UPRIGHT \
 { \
  1, 0, 0, 0 \
 }

/* A robot: a body on two wheels and a caster, with an open box on top.  Its
 * front is at negative z.  Its sides have no steps of more than half a
 * centimetre, so that it is one piece in a depth frame. */
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

/* The axes of the machine, each attached to the one before. */
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

/* A person: trunk, head, arms and legs. */
#define PERSON(name) \
 { \
  {{RGBD_CYLINDER, {.19, .33, .19}, {{0, -.22, 0}, UPRIGHT}}, \
      {RGBD_SPHERE, {.11, .11, .11}, {{0, -.7, 0}, UPRIGHT}}, \
      {RGBD_CYLINDER, {.05, .3, .05}, {{-.25, -.23, -.02}, UPRIGHT}}, \
      {RGBD_CYLINDER, {.05, .3, .05}, {{.25, -.23, .03}, UPRIGHT}}, \
      {RGBD_CYLINDER, {.09, .37, .09}, {{-.1, .48, -.04}, UPRIGHT}}, \
      {RGBD_CYLINDER, {.09, .37, .09}, {{.1, .48, .06}, UPRIGHT}}}, \
      6, {.6, 1.7, .38}, name \
 }

static const RgbdBody persons[] = {PERSON ("person"), PERSON ("person-2")};

/* The bed of the machine. */
static const RgbdSolid bed = {
    RGBD_BOX, {.5, .245, .38}, {{0, RGBD_FLOOR - .245, 2.15}, UPRIGHT}};

int
rgbd_count (const RgbdParams *params)
{
  return params->path == RGBD_AXES  ? (int) (sizeof axes / sizeof *axes)
      : params->path == RGBD_PEOPLE ? (int) (sizeof persons / sizeof *persons)
                                    : params->robots;
}

const RgbdBody *
rgbd_body (const RgbdParams *params, int mover)
{
  return params->path == RGBD_AXES  ? &axes[mover]
      : params->path == RGBD_PEOPLE ? &persons[mover]
                                    : &robots[mover];
}

/* A piece of furniture: half sizes, and the place of the middle of its foot.
 * Pieces with the same number stand together. */
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

/* The room, and its back wall with a way out into a corridor. */
static const Item walls[] = {
    {RGBD_ROOM, {2.025, 1.25, 3.6}, .025, RGBD_FLOOR, 2, 0, 0},
    {RGBD_BOX, {1.25, 1.25, .05}, -.75, RGBD_FLOOR, 3.7, 0, 0},
    {RGBD_BOX, {.25, 1.25, .05}, 1.75, RGBD_FLOOR, 3.7, 0, 0},
};

static RgbdSolid
place_item (const Item *item, double dx, double dz, double dyaw)
{
  uint32_t yaw = (uint32_t) (int64_t) ((item->yaw + dyaw) / 360 * 4294967296.);

  return (RgbdSolid){.shape = item->shape,
      .half = {item->half[0], item->half[1], item->half[2]},
      .pose = rgbd_pose_of (
          1, yaw, item->x + dx, item->foot - item->half[1], item->z + dz)};
}

static int
add_furniture (const RgbdParams *params, RgbdSolid *furniture)
{
  int n = 0;

  for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
    furniture[n++] = place_item (&walls[i], 0, 0, 0);
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    uint64_t key = random_u64 (params->seed, 3 + items[i].group);
    uint64_t own = random_u64 (params->seed, 100 + i);

    furniture[n++] = place_item (&items[i], .08 * (random_unit (key, 0) - .5),
        .08 * (random_unit (key, 1) - .5),
        items[i].group == 1 ? 0 : 16 * (random_unit (own, 0) - .5));
  }
  if (params->path == RGBD_AXES)
    furniture[n++] = bed;
  return n;
}

/* ---- Movers ---- */

/* Frames in which a robot reaches its speed. */
#define RAMP 10

/* Frames after which the next robot starts, and after which the next axis of
 * the machine starts. */
#define NEXT_ROBOT 40
#define NEXT_AXIS 60

/* Frames for which a visiting robot stands still. */
#define STAY 60

/* The path of a robot from one point to another, and its turn: at 0 its front
 * is towards the camera.  @spins: the robot turns on the spot. */
typedef struct {
  double x0, z0, x1, z1, yaw;
  bool spins;
} Way;

static const Way ways[] = {
    [RGBD_PARALLEL] = {-.5, 2.1, .6, 2.1, -90, false},
    [RGBD_TOWARDS] = {.35, 2.6, -.25, 1.5, 29, false},
    [RGBD_FRONTAL] = {0, 2.6, 0, 1.45, 0, false},
    [RGBD_AWAY] = {0, 1.5, 0, 2.7, 180, false},
    [RGBD_PASS] = {-.65, 2, 1.65, 2, -90, false},
    [RGBD_ROTATION] = {.05, 1.9, .05, 1.9, 20, true},
    [RGBD_VISIT] = {-.5, 2, 1.65, 2, -90, false},
};

/* The paths of further robots, clear of each other and of the first robot's:
 * when that crosses the view, and when it stays in the middle. */
static const Way others[2][RGBD_MAX_OBJECTS - 1] = {
    {{.7, 2.6, -.1, 2.6, 90, false}, {-.5, 1.5, .4, 1.5, -90, false},
        {-1.15, 2.17, -1.15, 2.17, 0, true}},
    {{.92, 2.5, .92, 1.95, 0, false}, {-.83, 2.07, -.83, 2.07, 40, true},
        {.62, 1.48, .62, 1.48, 10, true}},
};

/* The paths of the persons. */
static const Way walks[] = {
    {-.5, 1.15, .15, 1.15, -75, false}, {.6, 1.85, -.35, 1.85, 70, false}};

/* Persons are this many times as fast as robots. */
#define WALK 2.5

static Way
path_of_robot (RgbdPath path, int mover)
{
  bool crosses =
      path == RGBD_PARALLEL || path == RGBD_PASS || path == RGBD_VISIT;

  if (path == RGBD_PEOPLE)
    return walks[mover];
  return mover ? others[!crosses][mover - 1] : ways[path];
}

static uint64_t
frames_of_path (double length, double speed)
{
  return (uint64_t) ceil (length / (.008 * speed)) + RAMP;
}

/* The distance after @k frames on a path of @length metres.  Starting and
 * stopping take RAMP frames each. */
static double
distance_after (double length, double speed, uint64_t k)
{
  uint64_t leg = frames_of_path (length, speed);
  double top = length / (double) (leg - RAMP);

  if (k >= leg)
    return length;
  if (k < RAMP)
    return top * k * k / (2 * RAMP);
  if (k > leg - RAMP)
    return length - top * (leg - k) * (leg - k) / (2 * RAMP);
  return top * (k - RAMP / 2.);
}

/* The distance after @n frames of moving to and fro. */
static double
distance_to_and_fro (double length, double speed, uint64_t n)
{
  uint64_t leg = frames_of_path (length, speed), r = n % (2 * leg);

  return distance_after (length, speed, r < leg ? r : 2 * leg - r);
}

/* The distance after @n frames of moving to and fro, with a stop after 70 cm in
 * both directions and at each end. */
static double
distance_visiting (double length, double speed, uint64_t n)
{
  const double first = .7;
  uint64_t near = frames_of_path (first, speed) + STAY;
  uint64_t far = frames_of_path (length - first, speed) + STAY;
  uint64_t r = n % (2 * (near + far));

  if (r < near)
    return distance_after (first, speed, r);
  r -= near;
  if (r < far)
    return first + distance_after (length - first, speed, r);
  r -= far;
  if (r < far)
    return length - distance_after (length - first, speed, r);
  return first - distance_after (first, speed, r - far);
}

/* The pose of a robot after @n frames on its path. */
static Pose64
robot_pose_after (const RgbdParams *params, int mover, uint64_t n)
{
  uint64_t key = random_u64 (params->seed, 2);
  Way way = path_of_robot (params->path, mover);
  double dx = way.x1 - way.x0, dz = way.z1 - way.z0;
  double length = sqrt (dx * dx + dz * dz), loose = mover ? .01 : .08, s = 0;
  double speed =
      params->path == RGBD_PEOPLE ? WALK * params->speed : params->speed;
  uint32_t yaw =
      rgbd_degrees (way.yaw + 6 * (random_unit (key, 3 * mover) - .5));

  if (params->speed < 1e-6)
    n = 0;
  if (way.spins)
    yaw += (uint32_t) (n < RAMP ? n * n : 2 * RAMP * n - RAMP * RAMP) *
        (rgbd_degrees (1.2 * params->speed) / (2 * RAMP));
  else if (n)
    s = (!mover && params->path == RGBD_VISIT
                ? distance_visiting
                : distance_to_and_fro) (length, speed, n) /
        length;
  return rgbd_pose_of (1, yaw,
      way.x0 + loose * (random_unit (key, 3 * mover + 1) - .5) + s * dx,
      RGBD_FLOOR - rgbd_body (params, mover)->extent[1] / 2,
      way.z0 + loose * (random_unit (key, 3 * mover + 2) - .5) + s * dz);
}

/* Frames since the mover started. */
static uint64_t
frames_since_start (const RgbdParams *params, uint64_t delay, uint64_t number)
{
  uint64_t start = params->motion_start > UINT64_MAX - delay
      ? UINT64_MAX
      : params->motion_start + delay;

  return number > start && params->speed >= 1e-6 ? number - start : 0;
}

/* The machine's axes: the portal moves into the room and carries the carriage,
 * which moves across and carries the quill, which moves down. */
static Pose64
axis_pose (const RgbdParams *params, int axis, uint64_t number)
{
  static const double rest[3][3] = {
      {0, .3, 2.05}, {-.2, .12, 1.943}, {-.2, .2, 1.87}};
  static const struct {
    int axis;
    double way;
  } moves[3] = {{2, .3}, {0, .4}, {1, .12}};
  double at[3];

  memcpy (at, rest[axis], sizeof at);
  for (int i = 0; i <= axis; i++) {
    uint64_t n =
        frames_since_start (params, (uint64_t) (2 - i) * NEXT_AXIS, number);

    if (n)
      at[moves[i].axis] += distance_to_and_fro (moves[i].way, params->speed, n);
  }
  return rgbd_pose_of (1, 0, at[0], at[1], at[2]);
}

Pose64
rgbd_pose (const RgbdParams *params, int mover, uint64_t number)
{
  if (params->path == RGBD_AXES)
    return axis_pose (params, mover, number);
  return robot_pose_after (params, mover,
      frames_since_start (params, (uint64_t) mover * NEXT_ROBOT, number));
}

RgbdPlan
rgbd_plan (const RgbdParams *params, int width, int height, uint64_t number)
{
  double across = width / 640., along = height / 480.;
  RgbdPlan p = {.width = width,
      .height = height,
      .f = 585 * (across > along ? across : along),
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.,
      .lens = rgbd_lens (params->distortion),
      .camera = rgbd_camera (params, number),
      .n_movers = rgbd_count (params)};

  if (width == 512 && height == 424) /* a Kinect One has a wider view */
    p.f = 365;
  for (int i = 0; i < RGBD_VIEWS; i++)
    p.views[i] = rgbd_camera (params, number - RGBD_LEARNS * (i + 1));
  for (int i = 0; i < p.n_movers; i++)
    p.movers[i] = (RgbdMover){rgbd_body (params, i),
        .now = rgbd_pose (params, i, number), .rest = rgbd_pose (params, i, 0),
        .before = rgbd_pose (
            params, i, number > RGBD_LEARNS ? number - RGBD_LEARNS : 0)};
  p.n_furniture = add_furniture (params, p.furniture);
  return p;
}
