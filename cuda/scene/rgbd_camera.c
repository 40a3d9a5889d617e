/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera: where it is, and its lens. */
#include "scene/rgbd_core.h"

#include "common/parallel.h"
#include "common/random.h"

/* ---- Where it is ----
 *
 * Its way is a sum of sinusoids whose phases are 32-bit fractions of a turn, so
 * that any frame number is as good as any other. */

/* -1 to 1: a slow sway of a hundred frames and more, and a tremor. */
static double
sway (uint64_t key, int axis, uint64_t number)
{
  double slow = 1. / (130 + 70 * random_unit (key, 4 * axis));
  double quick = 1. / (21 + 9 * random_unit (key, 4 * axis + 1));
  uint32_t a = (uint32_t) (random_u64 (key, 4 * axis + 2));
  uint32_t b = (uint32_t) (random_u64 (key, 4 * axis + 3));

  return .88 * math_sin_turn (a + (uint32_t) number * rgbd_turns (slow)) +
      .12 * math_sin_turn (b + (uint32_t) number * rgbd_turns (quick));
}

/* Held by a hand, looking down by 16 degrees: 2.8 cm and 2 degrees times
 * @much. */
static Pose64
held (const RgbdParams *params, double much, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 1);
  double m = .028 * much; /* of each coordinate */
  Pose64 yaw = rgbd_pose_of (1, rgbd_degrees (2 * much * sway (key, 3, number)),
      m * sway (key, 0, number), m * sway (key, 1, number),
      m * sway (key, 2, number));
  /* positive: y, which points down, towards z */
  Pose64 pitch = rgbd_pose_of (
      0, rgbd_degrees (-16 + 1.2 * much * sway (key, 4, number)), 0, 0, 0);
  Pose64 roll = rgbd_pose_of (
      2, rgbd_degrees (.8 * much * sway (key, 5, number)), 0, 0, 0);
  Pose64 p = rgbd_pose_chain (&yaw, &pitch);

  return rgbd_pose_chain (&p, &roll);
}

/* The sine of a turn in @period frames, and its cosine. */
static double
sine (uint64_t number, int period)
{
  return math_sin_turn ((uint32_t) number * rgbd_turns (1. / period));
}

static double
cosine (uint64_t number, int period)
{
  return math_sin_turn (
      (1u << 30) + (uint32_t) number * rgbd_turns (1. / period));
}

/* To and fro on an arc around the point 2 m ahead, which it looks at. */
static Pose64
orbit (uint64_t number)
{
  uint32_t angle = rgbd_degrees (50 * sine (number, 600));

  return rgbd_pose_of (1, -angle, 2 * math_sin_turn (angle), 0,
      2 - 2 * math_sin_turn (angle + (1u << 30)));
}

/* An eight: to the sides, and each time ahead and back; a step is 15 frames. */
static Pose64
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

  return math_sin_turn ((uint32_t) random_u64 (key, 2 * axis + 1) +
      (uint32_t) number * rgbd_turns (quick));
}

static Pose64
shake (const RgbdParams *params, uint64_t number)
{
  uint64_t key = random_u64 (params->seed, 50);
  Pose64 yaw = rgbd_pose_of (1, rgbd_degrees (2 * tremble (key, 3, number)),
      .02 * tremble (key, 0, number), .02 * tremble (key, 1, number),
      .02 * tremble (key, 2, number));
  Pose64 pitch =
      rgbd_pose_of (0, rgbd_degrees (2 * tremble (key, 4, number)), 0, 0, 0);

  return rgbd_pose_chain (&yaw, &pitch);
}

/* From frame 90 on elsewhere, from frame 120 on where it was. */
static Pose64
jump (uint64_t number)
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

/* ---- The lens: radial distortion ---- */

/* The depth camera of a Kinect One as its firmware tells them: k1, k2, k3. */
static const double kinect_one[3] = {.0905474, -.26819, .0950862};

/* Up to a radius of 1, which is more than any frame has, the factor is between
 * 1 - 0.09 and 1 + 0.01. */
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

/* The radius whose point is seen at radius @seen, by Newton's steps.  What is
 * solved grows everywhere by more than half of what the radius does. */
static double
radius_of (const RgbdLens *lens, double seen)
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
bend_rows (void *data, int begin, int end)
{
  const Lens *l = data;
  const RgbdPlan *plan = l->plan;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < plan->width; x++) {
      size_t at = (size_t) y * plan->width + x;
      double u = x - plan->cx, v = y - plan->cy;
      double seen = sqrt (u * u + v * v) / plan->f;
      double scale = seen > 0 ? radius_of (&plan->lens, seen) / seen : 1;

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
    parallel_for (s->height, 0, bend_rows, &lens);
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
