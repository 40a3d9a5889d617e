/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where camera and robot are.  The camera's way is a sum of sinusoids whose
 * phases are 32-bit fractions of a turn, so that any frame number is as good as
 * any other. */
#include "scene/rgbd_core.h"

#include "common/random.h"

/* Frames in which the robot reaches its speed. */
#define RAMP 10

static uint32_t
turns (double n)
{
  return (uint32_t) (int64_t) (n * 4294967296.);
}

static uint32_t
degrees (double n)
{
  return turns (n / 360);
}

/* -1 to 1: a slow sway of a hundred frames and more, and a tremor. */
static double
sway (uint64_t key, int axis, uint64_t number)
{
  double slow = 1. / (130 + 70 * random_unit (key, 4 * axis));
  double quick = 1. / (21 + 9 * random_unit (key, 4 * axis + 1));
  uint32_t a = (uint32_t) (random_u64 (key, 4 * axis + 2));
  uint32_t b = (uint32_t) (random_u64 (key, 4 * axis + 3));

  return .88 * scene_sin (a + (uint32_t) number * turns (slow)) +
      .12 * scene_sin (b + (uint32_t) number * turns (quick));
}

RgbdPose
rgbd_camera (const RgbdParams *params, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 1);
  double m = .028; /* of each coordinate */
  RgbdPose yaw = rgbd_pose_of (1, degrees (2 * sway (key, 3, number)),
      m * sway (key, 0, number), m * sway (key, 1, number),
      m * sway (key, 2, number));
  /* positive: y, which points down, towards z */
  RgbdPose pitch =
      rgbd_pose_of (0, degrees (-16 + 1.2 * sway (key, 4, number)), 0, 0, 0);
  RgbdPose roll =
      rgbd_pose_of (2, degrees (.8 * sway (key, 5, number)), 0, 0, 0);
  RgbdPose p = rgbd_pose_chain (&yaw, &pitch);

  return rgbd_pose_chain (&p, &roll);
}

/* From where to where the robot drives, and how it is turned: at 0 its front
 * is towards the camera. */
static const struct {
  double x0, z0, x1, z1, yaw;
} ways[] = {
    [RGBD_PARALLEL] = {-.5, 2.1, .6, 2.1, -90},
    [RGBD_TOWARDS] = {.35, 2.6, -.25, 1.5, 29},
    [RGBD_FRONTAL] = {0, 2.6, 0, 1.45, 0},
    [RGBD_AWAY] = {0, 1.5, 0, 2.7, 180},
    [RGBD_PASS] = {-.65, 2, 1.65, 2, -90},
    [RGBD_ROTATION] = {.05, 1.9, .05, 1.9, 20},
};

/* Which part of a way of @length metres lies behind the robot after @n frames.
 * It goes to and fro, and takes RAMP frames to start and to stop. */
static double
progress (double length, double speed, uint64_t n)
{
  double cruise = ceil (length / (.008 * speed)), top = length / cruise, s;
  uint64_t leg = (uint64_t) cruise + RAMP, r = n % (2 * leg);
  uint64_t k = r < leg ? r : 2 * leg - r;

  if (k < RAMP)
    s = top * k * k / (2 * RAMP);
  else if (k > leg - RAMP)
    s = length - top * (leg - k) * (leg - k) / (2 * RAMP);
  else
    s = top * (k - RAMP / 2.);
  return s / length;
}

/* After @n frames on the way. */
static RgbdPose
robot_after (const RgbdParams *params, uint64_t n)
{
  uint64_t key = random_u64 (params->seed, 2);
  int path = params->path;
  double dx = ways[path].x1 - ways[path].x0, dz = ways[path].z1 - ways[path].z0;
  uint32_t yaw = degrees (ways[path].yaw + 6 * (random_unit (key, 0) - .5));
  double s = 0;

  if (params->speed < 1e-6)
    n = 0;
  if (path == RGBD_ROTATION)
    yaw += (uint32_t) (n < RAMP ? n * n : 2 * RAMP * n - RAMP * RAMP) *
        (degrees (1.2 * params->speed) / (2 * RAMP));
  else if (n)
    s = progress (sqrt (dx * dx + dz * dz), params->speed, n);
  return rgbd_pose_of (1, yaw,
      ways[path].x0 + .08 * (random_unit (key, 1) - .5) + s * dx,
      RGBD_FLOOR - rgbd_extent[1] / 2,
      ways[path].z0 + .08 * (random_unit (key, 2) - .5) + s * dz);
}

RgbdPose
rgbd_robot (const RgbdParams *params, uint64_t number)
{
  return robot_after (params,
      number > params->motion_start ? number - params->motion_start : 0);
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
      .camera = rgbd_camera (params, number),
      .robot = rgbd_robot (params, number),
      .robot_before =
          rgbd_robot (params, number > RGBD_LEARNS ? number - RGBD_LEARNS : 0),
      .robot_rest = robot_after (params, 0)};

  if (width == 512 && height == 424) /* a Kinect One sees more */
    p.f = 365;
  for (int i = 0; i < RGBD_VIEWS; i++)
    p.views[i] = rgbd_camera (params, number - RGBD_LEARNS * (i + 1));
  p.n_furniture = rgbd_furnish (params, p.furniture);
  return p;
}
