/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera: its pose and its lens. */
#include "scene/rgbd_core.h"

#include "common/parallel.h"
#include "common/random.h"

/* ---- The pose ----
 *
 * The camera's path is a sum of sinusoids whose phases are 32-bit fractions of
 * a turn, so that large frame numbers are as good as small ones. */

/* A number of -1 to 1: a slow sway over a hundred frames and more, and a
 * tremor. */
static double
hand_sway (uint64_t key, int axis, uint64_t number)
{
  double slow = 1. / (130 + 70 * random_unit (key, 4 * axis));
  double quick = 1. / (21 + 9 * random_unit (key, 4 * axis + 1));
  uint32_t a = (uint32_t) (random_u64 (key, 4 * axis + 2));
  uint32_t b = (uint32_t) (random_u64 (key, 4 * axis + 3));

  return .88 * math_sin_turn (a + (uint32_t) number * rgbd_turns (slow)) +
      .12 * math_sin_turn (b + (uint32_t) number * rgbd_turns (quick));
}

/* A camera in the hand that looks down by 16 degrees: it moves by 2.8 cm and 2
 * degrees times @much. */
static Pose64
hand_pose (const RgbdParams *params, double much, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 1);
  double m = .028 * much; /* of each coordinate */
  Pose64 yaw =
      rgbd_pose_of (1, rgbd_degrees (2 * much * hand_sway (key, 3, number)),
          m * hand_sway (key, 0, number), m * hand_sway (key, 1, number),
          m * hand_sway (key, 2, number));
  /* a positive pitch turns y, which points down, towards z */
  Pose64 pitch = rgbd_pose_of (
      0, rgbd_degrees (-16 + 1.2 * much * hand_sway (key, 4, number)), 0, 0, 0);
  Pose64 roll = rgbd_pose_of (
      2, rgbd_degrees (.8 * much * hand_sway (key, 5, number)), 0, 0, 0);
  Pose64 p = rgbd_pose_chain (&yaw, &pitch);

  return rgbd_pose_chain (&p, &roll);
}

/* The sine and the cosine of a phase that turns once in @period frames. */
static double
sine_of_frame (uint64_t number, int period)
{
  return math_sin_turn ((uint32_t) number * rgbd_turns (1. / period));
}

static double
cosine_of_frame (uint64_t number, int period)
{
  return math_sin_turn (
      (1u << 30) + (uint32_t) number * rgbd_turns (1. / period));
}

/* Moves to and fro on an arc around the point 2 m ahead, at which the camera
 * looks. */
static Pose64
orbit_pose (uint64_t number)
{
  uint32_t angle = rgbd_degrees (50 * sine_of_frame (number, 600));

  return rgbd_pose_of (1, -angle, 2 * math_sin_turn (angle), 0,
      2 - 2 * math_sin_turn (angle + (1u << 30)));
}

/* Walks an eight: to the sides, each time ahead and back; a step takes 15
 * frames. */
static Pose64
walk_pose (uint64_t number)
{
  return rgbd_pose_of (1, rgbd_degrees (-18 * sine_of_frame (number, 400)),
      .6 * sine_of_frame (number, 400), .015 * sine_of_frame (number, 15),
      .2 - .2 * cosine_of_frame (number, 200));
}

/* A number of -1 to 1 that changes within 10 to 16 frames. */
static double
hand_tremble (uint64_t key, int axis, uint64_t number)
{
  double quick = 1. / (10 + 6 * random_unit (key, 2 * axis));

  return math_sin_turn ((uint32_t) random_u64 (key, 2 * axis + 1) +
      (uint32_t) number * rgbd_turns (quick));
}

static Pose64
shake_pose (const RgbdParams *params, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 50);
  Pose64 yaw = rgbd_pose_of (1,
      rgbd_degrees (2 * hand_tremble (key, 3, number)),
      .02 * hand_tremble (key, 0, number), .02 * hand_tremble (key, 1, number),
      .02 * hand_tremble (key, 2, number));
  Pose64 pitch = rgbd_pose_of (
      0, rgbd_degrees (2 * hand_tremble (key, 4, number)), 0, 0, 0);

  return rgbd_pose_chain (&yaw, &pitch);
}

/* Is at another place from frame 90 on, and at the first from frame 120 on. */
static Pose64
jump_pose (uint64_t number)
{
  return number % 120 < 90 ? rgbd_pose_of (1, 0, 0, 0, 0)
                           : rgbd_pose_of (1, rgbd_degrees (-35), .5, 0, .1);
}

Pose64
rgbd_camera (const RgbdParams *params, uint64_t number)
{
  Pose64 way, hand;

  switch (params->camera) {
    case RGBD_STILL:
      return hand_pose (params, 0, 0);
    case RGBD_ORBIT:
      way = orbit_pose (number);
      break;
    case RGBD_WALK:
      way = walk_pose (number);
      break;
    case RGBD_SHAKE:
      way = shake_pose (params, number);
      break;
    case RGBD_JUMP:
      way = jump_pose (number);
      break;
    default:
      return hand_pose (params, 1, number);
  }
  hand = hand_pose (params, .3, number);
  return rgbd_pose_chain (&way, &hand);
}

/* ---- The lens: radial distortion ---- */

/* The distortion of a Kinect One's depth camera as its firmware gives it: k1,
 * k2, k3. */
static const double kinect_one[3] = {.0905474, -.26819, .0950862};

/* Up to a radius of 1, which no frame exceeds, the factor is between 1 - 0.09
 * and 1 + 0.01. */
RgbdLens
rgbd_lens (double distortion)
{
  RgbdLens lens = {.min = 1 - .09 * distortion, .max = 1 + .01 * distortion};

  for (int i = 0; i < 3; i++)
    lens.k[i] = distortion * kinect_one[i];
  return lens;
}

double
rgbd_lens_factor (const RgbdLens *lens, double r2)
{
  return 1 + r2 * (lens->k[0] + r2 * (lens->k[1] + r2 * lens->k[2]));
}

/* The radius that the lens shows at radius @seen, by Newton's method.  The
 * derivative of the function is above 1/2 everywhere. */
static double
undistorted_radius (const RgbdLens *lens, double seen)
{
  const double *k = lens->k;
  double r = seen;

  for (int i = 0; i < 8; i++) {
    double r2 = r * r;
    double off = r * rgbd_lens_factor (lens, r2) - seen;

    r -= off / (1 + r2 * (3 * k[0] + r2 * (5 * k[1] + r2 * 7 * k[2])));
  }
  return r;
}

typedef struct {
  Rgbd *s;
  const RgbdPlan *plan;
} Lens;

static void
set_distorted_rows (void *data, int begin, int end)
{
  const Lens *l = data;
  const RgbdPlan *plan = l->plan;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < plan->width; x++) {
      size_t at = (size_t) y * plan->width + x;
      double u = x - plan->cx, v = y - plan->cy;
      double seen = sqrt (u * u + v * v) / plan->f;
      double scale =
          seen > 0 ? undistorted_radius (&plan->lens, seen) / seen : 1;

      l->s->across[at] = (float) (plan->cx + u * scale);
      l->s->bend[at] = (float) (plan->cy + v * scale - y);
    }
}

void
rgbd_set_lens (Rgbd *s, const RgbdPlan *plan, const RgbdParams *params)
{
  Lens lens = {s, plan};

  if (s->distortion == params->distortion)
    return;
  s->distortion = params->distortion;
  if (s->distortion != 0)
    parallel_for (s->height, 0, set_distorted_rows, &lens);
}

void
rgbd_get_row (const Rgbd *s, int y, RgbdRow *row)
{
  size_t at = (size_t) y * s->width;

  if (s->distortion != 0) {
    memcpy (row->across, s->across + at, s->width * sizeof *row->across);
    memcpy (row->bend, s->bend + at, s->width * sizeof *row->bend);
    return;
  }
  for (int x = 0; x < s->width; x++)
    row->across[x] = x, row->bend[x] = 0;
}
