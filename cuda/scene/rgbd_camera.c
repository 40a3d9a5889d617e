/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the camera is.  Its way is a sum of sinusoids whose phases are 32-bit
 * fractions of a turn, so that any frame number is as good as any other. */
#include "scene/rgbd_core.h"

#include "common/random.h"

/* -1 to 1: a slow sway of a hundred frames and more, and a tremor. */
static double
sway (uint64_t key, int axis, uint64_t number)
{
  double slow = 1. / (130 + 70 * random_unit (key, 4 * axis));
  double quick = 1. / (21 + 9 * random_unit (key, 4 * axis + 1));
  uint32_t a = (uint32_t) (random_u64 (key, 4 * axis + 2));
  uint32_t b = (uint32_t) (random_u64 (key, 4 * axis + 3));

  return .88 * scene_sin (a + (uint32_t) number * rgbd_turns (slow)) +
      .12 * scene_sin (b + (uint32_t) number * rgbd_turns (quick));
}

/* Held by a hand, looking down by 16 degrees: 2.8 cm and 2 degrees times
 * @much. */
static RgbdPose
held (const RgbdParams *params, double much, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 1);
  double m = .028 * much; /* of each coordinate */
  RgbdPose yaw =
      rgbd_pose_of (1, rgbd_degrees (2 * much * sway (key, 3, number)),
          m * sway (key, 0, number), m * sway (key, 1, number),
          m * sway (key, 2, number));
  /* positive: y, which points down, towards z */
  RgbdPose pitch = rgbd_pose_of (
      0, rgbd_degrees (-16 + 1.2 * much * sway (key, 4, number)), 0, 0, 0);
  RgbdPose roll = rgbd_pose_of (
      2, rgbd_degrees (.8 * much * sway (key, 5, number)), 0, 0, 0);
  RgbdPose p = rgbd_pose_chain (&yaw, &pitch);

  return rgbd_pose_chain (&p, &roll);
}

/* The sine of a turn in @period frames, and its cosine. */
static double
sine (uint64_t number, int period)
{
  return scene_sin ((uint32_t) number * rgbd_turns (1. / period));
}

static double
cosine (uint64_t number, int period)
{
  return scene_sin ((1u << 30) + (uint32_t) number * rgbd_turns (1. / period));
}

/* To and fro on an arc around the point 2 m ahead, which it looks at. */
static RgbdPose
orbit (uint64_t number)
{
  uint32_t angle = rgbd_degrees (50 * sine (number, 600));

  return rgbd_pose_of (1, -angle, 2 * scene_sin (angle), 0,
      2 - 2 * scene_sin (angle + (1u << 30)));
}

/* An eight: to the sides, and each time ahead and back; a step is 15 frames. */
static RgbdPose
walk (uint64_t number)
{
  return rgbd_pose_of (1, rgbd_degrees (-18 * sine (number, 400)),
      .6 * sine (number, 400), .015 * sine (number, 15),
      .2 - .2 * cosine (number, 200));
}

/* -1 to 1 within 10 to 16 frames. */
static double
tremble (uint64_t key, int axis, uint64_t number)
{
  double quick = 1. / (10 + 6 * random_unit (key, 2 * axis));

  return scene_sin ((uint32_t) random_u64 (key, 2 * axis + 1) +
      (uint32_t) number * rgbd_turns (quick));
}

static RgbdPose
shake (const RgbdParams *params, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 50);
  RgbdPose yaw = rgbd_pose_of (1, rgbd_degrees (2 * tremble (key, 3, number)),
      .02 * tremble (key, 0, number), .02 * tremble (key, 1, number),
      .02 * tremble (key, 2, number));
  RgbdPose pitch =
      rgbd_pose_of (0, rgbd_degrees (2 * tremble (key, 4, number)), 0, 0, 0);

  return rgbd_pose_chain (&yaw, &pitch);
}

/* From frame 90 on elsewhere, from frame 120 on where it was. */
static RgbdPose
jump (uint64_t number)
{
  return number % 120 < 90 ? rgbd_pose_of (1, 0, 0, 0, 0)
                           : rgbd_pose_of (1, rgbd_degrees (-35), .5, 0, .1);
}

RgbdPose
rgbd_camera (const RgbdParams *params, uint64_t number)
{
  RgbdPose way, hand;

  switch (params->camera) {
    case RGBD_STILL:
      return held (params, 0, 0);
    case RGBD_ORBIT:
      way = orbit (number);
      break;
    case RGBD_WALK:
      way = walk (number);
      break;
    case RGBD_SHAKE:
      way = shake (params, number);
      break;
    case RGBD_JUMP:
      way = jump (number);
      break;
    default:
      return held (params, 1, number);
  }
  hand = held (params, .3, number);
  return rgbd_pose_chain (&way, &hand);
}
