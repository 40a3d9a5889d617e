/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is dropped, and where the camera is: its way is a sum of sinusoids whose
 * phases are 32-bit fractions of a turn. */
#include "scene/clutter_core.h"

#include "common/random.h"

/* Of the room that objects fall into, by how many there are: it holds some
 * that lie on others. */
#define RADIUS .042

static uint32_t
turns (double n)
{
  return (uint32_t) (int64_t) (n * 4294967296.);
}

/* Other objects have another seed. */
static uint64_t
seed_of (const ClutterParams *params, uint64_t number)
{
  uint64_t scene = params->scene_frames ? number / params->scene_frames : 0;

  return random_u64 (params->seed, scene);
}

/* A shape for each body, each once before one is there twice. */
static void
choose (Clutter *s, uint64_t key)
{
  int order[CLUTTER_MAX_SHAPES];

  for (int i = 0; i < s->n_bodies; i++) {
    int k = i % s->n_shapes, other;

    for (int j = 0; k == 0 && j < s->n_shapes; j++)
      order[j] = j;
    other = k + (int) random_below (key, (uint64_t) i, s->n_shapes - k);
    s->body[i].shape = order[other];
    order[other] = order[k];
  }
}

void
clutter_drop (Clutter *s, const ClutterParams *params, uint64_t number)
{
  uint64_t seed = seed_of (params, number);
  double radius = RADIUS * sqrt (params->n_objects);
  size_t vertices = 0;

  if (s->n_bodies == params->n_objects && s->dropped == seed)
    return;
  s->dropped = seed;
  s->n_bodies = params->n_objects;
  memset (s->pile, 0, sizeof *s->pile);
  choose (s, random_u64 (seed, 1));
  for (int i = 0; i < s->n_bodies; i++) {
    const ClutterShape *shape = &s->shape[s->body[i].shape];

    s->body[i].pose = clutter_settle (
        s->pile, shape, fmin (radius, .2), random_u64 (seed, 100 + i));
    s->body[i].vertices = vertices;
    vertices += shape->mesh.n;
    clutter_pile_add (s->pile, shape, &s->body[i].pose);
  }
}

/* -1 to 1. */
static double
sway (uint64_t key, uint64_t i, double speed, uint64_t number)
{
  uint32_t step = turns (speed / (170 + 60 * random_unit (key, 2 * i)));
  uint32_t phase = (uint32_t) random_u64 (key, 2 * i + 1);

  return scene_sin (phase + (uint32_t) number * step);
}

ClutterPlan
clutter_plan (
    const ClutterParams *params, int width, int height, uint64_t number)
{
  /* looks along -x of the world, its right is y */
  const RgbdPose level = {{0}, {.5, -.5, -.5, .5}};
  uint64_t seed = seed_of (params, number), key = random_u64 (seed, 2);
  double way[4];
  RgbdPose around, up, back = {{0, 0, 0}, {1, 0, 0, 0}};
  ClutterPlan p = {.f = 585 * fmax (width / 640., height / 480.),
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.};

  for (uint64_t i = 0; i < 4; i++)
    way[i] = sway (key, i, params->speed, number);
  around =
      rgbd_pose_of (2, turns (random_unit (key, 20) + .08 * way[0]), 0, 0, .03);
  up = rgbd_pose_of (1, turns (-(48 + 6 * way[1]) / 360), 0, 0, 0);
  back.t[0] = .02 * way[3];
  back.t[2] = -(.8 + .05 * way[2]);
  p.camera = rgbd_pose_chain (&level, &back);
  p.camera = rgbd_pose_chain (&up, &p.camera);
  p.camera = rgbd_pose_chain (&around, &p.camera);
  return p;
}
