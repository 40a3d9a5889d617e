/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bodies that are dropped, how they come to rest, and the camera's
 * place. */
#include "scene/clutter_core.h"

#include "common/random.h"

/* ---- Rest ----
 *
 * How bodies come to rest, without momentum and friction.  A body hangs as low
 * as the bodies below it allow.  It turns and slides to where its middle is
 * lower, until no near place is lower: a minimum of potential energy, at which
 * a body rests.  The bodies below are a field of heights, so that none gets
 * under an overhang or into another body. */

#define TRIES 320
#define TURN .5    /* radians, at first */
#define SLIDE .015 /* metres, at first */
/* A prime number of points: points far from each other come first. */
#define STRIDE 7919
#define SHRINK .985 /* of both from try to try: to 1/125 at the end */
/* Cells by which the area that a body touches is widened: more than half of
 * CLUTTER_STEP. */
#define REACH 2

typedef struct {
  double m[3][3]; /* axes of the pose */
  double x, y;    /* of the middle */
} Rest;

/* The lowest height of the middle.  Returns early if that is above @limit. */
static double
lowest_middle (
    const ClutterPile *pile, const ClutterShape *s, const Rest *r, double limit)
{
  uint64_t at = 0, step = s->n_points % STRIDE ? STRIDE : 1;
  double z = 0;

  for (int i = 0; i < s->n_points && z < limit; i++) {
    const float *p = s->point + 3 * at;
    double d[3] = {p[0] - s->mass[0], p[1] - s->mass[1], p[2] - s->mass[2]};
    double x = r->x + clutter_dot (r->m[0], d);
    double y = r->y + clutter_dot (r->m[1], d);
    double need = clutter_height (pile, x, y) - clutter_dot (r->m[2], d);

    z = need > z ? need : z;
    at = (at + step) % (uint64_t) s->n_points;
  }
  return z;
}

/* Normalises @q, which has four numbers of -1 to 1, not all 0. */
static void
normalise_quat64 (double q[4])
{
  double n = sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

  for (int k = 0; k < 4; k++)
    q[k] /= n;
}

static double
random_signed (uint64_t key, uint64_t i)
{
  return 2 * (double) random_unit (key, i) - 1;
}

/* Draws a rotation; all rotations are equally likely. */
static void
draw_rotation (uint64_t key, double q[4])
{
  double n = 0;

  for (uint64_t i = 0; !(n > .01 && n <= 1); i += 4) {
    n = 0;
    for (int k = 0; k < 4; k++) {
      q[k] = random_signed (key, i + (uint64_t) k);
      n += q[k] * q[k];
    }
  }
  normalise_quat64 (q);
}

static Rest
rest_at_pose (const Pose64 *p)
{
  Rest r = {.x = p->t[0], .y = p->t[1]};

  quat64_matrix (p->q, r.m);
  return r;
}

/* @p, rotated and moved at random; @size is 1 to 0. */
static Pose64
nudge_pose (const Pose64 *p, uint64_t key, double size)
{
  Pose64 turn = {{0}, {1, 0, 0, 0}}, out;
  double t[3];

  for (int k = 0; k < 3; k++)
    turn.q[1 + k] = TURN / 2 * size * random_signed (key, (uint64_t) k);
  normalise_quat64 (turn.q);
  memcpy (t, p->t, sizeof t);
  out = rgbd_pose_chain (&turn, p);
  normalise_quat64 (out.q);
  memcpy (out.t, t, sizeof t);
  for (int k = 0; k < 2; k++)
    out.t[k] += SLIDE * size * random_signed (key, 3 + (uint64_t) k);
  return out;
}

/* The pose in which @shape comes to rest when it is dropped on @pile, at random
 * within @radius of the middle. */
static Pose64
settle_shape (const ClutterPile *pile, const ClutterShape *shape, double radius,
    uint64_t key)
{
  Pose64 best = {{0}, {1, 0, 0, 0}}; /* t is the place of the middle */
  double n = 2, size = 1, away[3];
  Rest r;

  for (uint64_t i = 0; n > 1; i += 2) {
    best.t[0] = random_signed (key, i), best.t[1] = random_signed (key, i + 1);
    n = best.t[0] * best.t[0] + best.t[1] * best.t[1];
  }
  best.t[0] *= radius, best.t[1] *= radius;
  draw_rotation (random_u64 (key, 1000), best.q);
  r = rest_at_pose (&best);
  best.t[2] = lowest_middle (pile, shape, &r, INFINITY);
  for (uint64_t i = 0; i < TRIES; i++, size *= SHRINK) {
    Pose64 other = nudge_pose (&best, random_u64 (key, 2000 + i), size);

    r = rest_at_pose (&other);
    other.t[2] = lowest_middle (pile, shape, &r, best.t[2]);
    if (other.t[2] < best.t[2])
      best = other;
  }
  /* from the middle to the mesh's origin */
  for (int k = 0; k < 3; k++)
    away[k] = -shape->mass[k];
  rgbd_pose_apply (&best, away, best.t);
  return best;
}

typedef struct {
  ClutterPile *pile;
  const Pose64 *pose;
  double m[3][3];
} Adding;

static void
raise_cell (void *user, const double p[3])
{
  Adding *a = user;
  double q[3];
  int u, v;

  for (int k = 0; k < 3; k++)
    q[k] = clutter_dot (a->m[k], p) + a->pose->t[k];
  u = (int) (q[0] / CLUTTER_CELL + CLUTTER_CELLS / 2);
  v = (int) (q[1] / CLUTTER_CELL + CLUTTER_CELLS / 2);
  for (int y = v - REACH; y <= v + REACH; y++)
    for (int x = u - REACH; x <= u + REACH; x++)
      if (x >= 0 && y >= 0 && x < CLUTTER_CELLS && y < CLUTTER_CELLS) {
        float *h = &a->pile->height[y][x];

        *h = *h > (float) q[2] ? *h : (float) q[2];
      }
}

/* Adds a body that rests at @pose to the pile. */
static void
add_to_pile (ClutterPile *pile, const ClutterShape *shape, const Pose64 *pose)
{
  Adding a = {.pile = pile, .pose = pose};

  quat64_matrix (pose->q, a.m);
  clutter_sample (&shape->mesh, CLUTTER_DENSE, raise_cell, &a);
}

/* ---- Dropping bodies, and the camera ----
 *
 * The camera's path is a sum of sinusoids whose phases are 32-bit fractions of
 * a turn. */

/* The radius of the area into which bodies fall, for one body; the area grows
 * with their number and has room for bodies that lie on others. */
#define RADIUS .042

/* The seed of the bodies in frame @number. */
static uint64_t
drop_seed (const ClutterParams *params, uint64_t number)
{
  uint64_t scene = params->scene_frames ? number / params->scene_frames : 0;

  return random_u64 (params->seed, scene);
}

/* Chooses a shape for each body; each shape is chosen once before one is chosen
 * twice. */
static void
choose_shapes (Clutter *s, uint64_t key)
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
  uint64_t seed = drop_seed (params, number);
  double radius = RADIUS * sqrt (params->n_objects);
  int n = params->n_objects - params->n_absent;
  size_t vertices = 0;

  if (s->n_bodies == n && s->n_planned == params->n_objects &&
      s->dropped == seed)
    return;
  s->dropped = seed;
  s->n_planned = params->n_objects;
  s->n_bodies = n;
  memset (s->pile, 0, sizeof *s->pile);
  choose_shapes (s, random_u64 (seed, 1));
  for (int i = 0; i < s->n_bodies; i++) {
    const ClutterShape *shape = &s->shape[s->body[i].shape];

    s->body[i].rest = settle_shape (
        s->pile, shape, fmin (radius, .2), random_u64 (seed, 100 + i));
    s->body[i].vertices = vertices;
    vertices += shape->mesh.n;
    add_to_pile (s->pile, shape, &s->body[i].rest);
  }
}

/* ---- Bodies that are carried ----
 *
 * The body that fell last is lifted first, so that nothing lies on it; the one
 * before it starts CARRY_NEXT frames later. */

#define CARRY_START 30 /* the frame in which the first one starts to move */
#define CARRY_NEXT 40
#define LIFT_FRAMES 40
#define LIFT .12 /* metres */
/* To and fro, once lifted: frames, metres to each side, and turns. */
#define SWING_FRAMES 160
#define SWING .1
#define SWING_TURNS .06

/* The move of a body that has been carried for @n frames: its translation, and
 * in @turns a rotation about the vertical axis. */
static void
carry_by (double n, double move[3], double *turns)
{
  double lifted = fmin (1, n / LIFT_FRAMES);
  double swing = fmax (0, n - LIFT_FRAMES) / SWING_FRAMES;
  double side = math_sin_turn (scene_turns (swing));

  move[0] = 0;
  move[1] = SWING * side;
  move[2] = LIFT * lifted * lifted * (3 - 2 * lifted);
  *turns = SWING_TURNS * side;
}

void
clutter_carry (Clutter *s, const ClutterParams *params, uint64_t number)
{
  uint64_t frame =
      params->scene_frames ? number % params->scene_frames : number;

  for (int i = 0; i < s->n_bodies; i++) {
    ClutterBody *body = &s->body[i];
    const double *mass = s->shape[body->shape].mass;
    uint64_t order = (uint64_t) (s->n_bodies - 1 - i);
    uint64_t start = CARRY_START + CARRY_NEXT * order;
    double middle[3], move[3], turns;
    Pose64 around, home;

    body->pose = body->rest;
    if (order >= (uint64_t) params->carried || frame <= start)
      continue;
    carry_by (params->speed * (double) (frame - start), move, &turns);
    rgbd_pose_apply (&body->rest, mass, middle);
    around = rgbd_pose_of (2, scene_turns (turns), middle[0] + move[0],
        middle[1] + move[1], middle[2] + move[2]);
    home = body->rest;
    for (int k = 0; k < 3; k++)
      home.t[k] -= middle[k];
    body->pose = rgbd_pose_chain (&around, &home);
  }
}

/* A number of -1 to 1. */
static double
camera_sway (uint64_t key, uint64_t i, double speed, uint64_t number)
{
  uint32_t step = scene_turns (speed / (170 + 60 * random_unit (key, 2 * i)));
  uint32_t phase = (uint32_t) random_u64 (key, 2 * i + 1);

  return math_sin_turn (phase + (uint32_t) number * step);
}

ClutterPlan
clutter_plan (
    const ClutterParams *params, int width, int height, uint64_t number)
{
  /* the camera looks along -x of the world, and y is to its right */
  const Pose64 level = {{0}, {.5, -.5, -.5, .5}};
  uint64_t seed = drop_seed (params, number), key = random_u64 (seed, 2);
  double way[4];
  Pose64 around, up, back = {{0, 0, 0}, {1, 0, 0, 0}};
  ClutterPlan p = {.f = 585 * fmax (width / 640., height / 480.),
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.};

  for (uint64_t i = 0; i < 4; i++)
    way[i] = camera_sway (key, i, params->speed, number);
  around = rgbd_pose_of (
      2, scene_turns (random_unit (key, 20) + .08 * way[0]), 0, 0, .03);
  up = rgbd_pose_of (1, scene_turns (-(48 + 6 * way[1]) / 360), 0, 0, 0);
  back.t[0] = .02 * way[3] + params->camera_offset;
  back.t[2] = -(.8 + .05 * way[2]);
  p.camera = rgbd_pose_chain (&level, &back);
  p.camera = rgbd_pose_chain (&up, &p.camera);
  p.camera = rgbd_pose_chain (&around, &p.camera);
  return p;
}
