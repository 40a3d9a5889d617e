/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The places of all things.  Their paths are sinusoids whose phases are 32-bit
 * fractions of a turn, so that large frame numbers are as good as small
 * ones. */
#include "scene/stereo_core.h"

#include "common/random.h"

/* Focal length at 640 x 480, pixels; at other sizes in proportion. */
#define FOCAL 700.

/* Degrees about y and x, metres of the middle, and how far each sways to both
 * sides. */
typedef struct {
  StereoShape shape;
  StereoContents part;
  const char *label;
  double half[3];
  double yaw, pitch, x, y, z;
  double yaws, pitches, shift; /* shift: along x; half of it along y and z */
  uint8_t paint[3];
} Item;

static const Item items[STEREO_THINGS] = {
    {STEREO_PLANE, STEREO_PLANES, NULL, {INFINITY, INFINITY, 0}, 0, 0, 0, 0,
        STEREO_FARTHEST, 0, 0, 0, {150, 152, 148}},
    {STEREO_PLANE, STEREO_PLANES, NULL, {INFINITY, INFINITY, 0}, 0, 90, 0, .55,
        0, 0, 0, 0, {140, 128, 112}},
    {STEREO_PLANE, STEREO_PLANES, "board 1", {.36, .4, 0}, 32, 0, -.78, -.1,
        1.9, 12, 3, .06, {128, 138, 150}},
    {STEREO_PLANE, STEREO_PLANES, "board 2", {.4, .26, 0}, -10, 28, .72, -.42,
        2.2, 5, 12, .06, {152, 144, 118}},
    {STEREO_BALL, STEREO_SPHERES, "ball 1", {.13, .13, .13}, 0, 0, -.4, .22,
        1.2, 40, 20, .05, {168, 112, 98}},
    {STEREO_BALL, STEREO_SPHERES, "ball 2", {.18, .18, .18}, 0, 0, .5, .27, 1.5,
        40, 20, .06, {100, 132, 168}},
    {STEREO_BALL, STEREO_SPHERES, "ball 3", {.08, .08, .08}, 0, 0, .31, -.2,
        1.05, 40, 20, .05, {118, 158, 108}},
    {STEREO_FACE, STEREO_HEAD, "head", {0}, 0, 0, -.02, 0, .96, 22, 9, .05,
        {178, 140, 120}},
};

/* A number of -1 to 1, once to and fro within 90 to 150 frames. */
static double
thing_sway (uint64_t key, int axis, double speed, uint64_t number)
{
  double rate = speed / (90 + 60 * random_unit (key, 2 * axis));
  uint32_t start = (uint32_t) random_u64 (key, 2 * axis + 1);

  return math_sin_turn (start + (uint32_t) number * scene_turns (rate));
}

static Pose64
pose_of_thing (const Item *item, uint64_t key, double speed, uint64_t number)
{
  double s[5], moved = item->shift > 0 ? .04 : 0; /* by the seed */
  Pose64 yaw, pitch;

  for (int i = 0; i < 5; i++)
    s[i] = thing_sway (key, i, speed, number);
  yaw = rgbd_pose_of (1, scene_turns ((item->yaw + item->yaws * s[0]) / 360),
      item->x + item->shift * s[2] + moved * (random_unit (key, 10) - .5),
      item->y + item->shift / 2 * s[3] + moved * (random_unit (key, 11) - .5),
      item->z + item->shift / 2 * s[4] + moved * (random_unit (key, 12) - .5));
  pitch = rgbd_pose_of (
      0, scene_turns ((item->pitch + item->pitches * s[1]) / 360), 0, 0, 0);
  return rgbd_pose_chain (&yaw, &pitch);
}

/* Sets the bounds of the pixels between the corners of a thing; all pixels if a
 * corner is behind the camera. */
static void
set_pixel_bounds (
    StereoTarget *t, const StereoThing *thing, const StereoCamera *c)
{
  t->x0 = t->y0 = INFINITY, t->x1 = t->y1 = -INFINITY;
  for (int k = 0; k < 8 && isfinite (thing->half[0]); k++) {
    double corner[3], p[3], x, y;

    for (int i = 0; i < 3; i++)
      corner[i] = k >> i & 1 ? thing->half[i] : -thing->half[i];
    rgbd_pose_apply (&thing->pose, corner, p);
    if (p[2] < STEREO_NEAREST / 2)
      break;
    x = c->f * (p[0] - c->eye) / p[2] + c->cx, y = c->f * p[1] / p[2] + c->cy;
    t->x0 = fmin (t->x0, x), t->x1 = fmax (t->x1, x);
    t->y0 = fmin (t->y0, y), t->y1 = fmax (t->y1, y);
    if (k == 7)
      return;
  }
  t->x0 = t->y0 = -INFINITY, t->x1 = t->y1 = INFINITY;
}

static StereoTarget
aim_at_thing (const StereoThing *thing, const StereoCamera *camera)
{
  Pose64 back = rgbd_pose_inverse (&thing->pose);
  double eye[3] = {camera->eye, 0, 0};
  StereoTarget t;

  rgbd_pose_apply (&back, eye, t.eye);
  quat64_matrix (back.q, t.turn);
  set_pixel_bounds (&t, thing, camera);
  return t;
}

StereoPlan
stereo_plan (const StereoParams *p, int width, int height, uint64_t number)
{
  double across = width / 640., along = height / 480.;
  StereoCamera left = {.f = FOCAL * (across > along ? across : along),
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.};
  StereoCamera right = {left.f, left.cx - p->disparity_offset,
      left.cy + p->misalignment, p->baseline};
  StereoPlan plan = {width, height, .camera = {left, right}};

  for (int i = 0; i < STEREO_THINGS; i++) {
    const Item *item = &items[i];
    StereoThing *t = &plan.thing[plan.n];

    if (p->contents != STEREO_ALL && p->contents != item->part)
      continue;
    *t = (StereoThing){item->shape, item->label,
        .pose =
            pose_of_thing (item, random_u64 (p->seed, i), p->speed, number)};
    memcpy (t->paint, item->paint, sizeof t->paint);
    for (int k = 0; k < 3; k++)
      t->half[k] = item->shape == STEREO_FACE
          ? stereo_head_half[k] * STEREO_BUMPS
          : item->half[k];
    for (int view = 0; view < 2; view++)
      plan.target[view][plan.n] = aim_at_thing (t, &plan.camera[view]);
    plan.n++;
  }
  return plan;
}
