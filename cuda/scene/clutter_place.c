/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is dropped, how it comes to rest, and where the camera is. */
#include "scene/clutter_core.h"

#include "common/random.h"

/* ---- Rest ----
 *
 * How things come to rest: without momentum, without friction.  A body always
 * hangs as low as what is below it lets it, and turns and slides to where its
 * middle is lower still, until nothing near is: a minimum of potential energy,
 * which is what rests.  What lies below is a field of heights, so nothing gets
 * under an overhang, and nothing into anything. */

#define TRIES 320
#define TURN .5     /* radians, at first */
#define SLIDE .015  /* metres, at first */
#define STRIDE 7919 /* prime: points far from each other come first */
#define SHRINK .985 /* of both, from try to try: to 1/125 in the end */
/* Cells by which an area that was touched is widened: more than half of
 * CLUTTER_STEP. */
#define REACH 2

typedef struct {
  double m[3][3]; /* axes of the pose */
  double x, y;    /* of the middle */
} Rest;

/* How low the middle can be; at once, where that is above @limit. */
static double
lowest (
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

/* A unit quaternion from four numbers of -1 to 1, not all 0. */
static void
normalise (double q[4])
{
  double n = sqrt (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

  for (int k = 0; k < 4; k++)
    q[k] /= n;
}

static double
between (uint64_t key, uint64_t i)
{
  return 2 * (double) random_unit (key, i) - 1;
}

/* Any turn is as likely as any other. */
static void
draw_turn (uint64_t key, double q[4])
{
  double n = 0;

  for (uint64_t i = 0; !(n > .01 && n <= 1); i += 4) {
    n = 0;
    for (int k = 0; k < 4; k++) {
      q[k] = between (key, i + (uint64_t) k);
      n += q[k] * q[k];
    }
  }
  normalise (q);
}

static Rest
rest_of (const Pose64 *p)
{
  Rest r = {.x = p->t[0], .y = p->t[1]};

  quat64_matrix (p->q, r.m);
  return r;
}

/* @p turned and slid at random; @size is 1 to 0. */
static Pose64
nudge (const Pose64 *p, uint64_t key, double size)
{
  Pose64 turn = {{0}, {1, 0, 0, 0}}, out;
  double t[3];

  for (int k = 0; k < 3; k++)
    turn.q[1 + k] = TURN / 2 * size * between (key, (uint64_t) k);
  normalise (turn.q);
  memcpy (t, p->t, sizeof t);
  out = rgbd_pose_chain (&turn, p);
  normalise (out.q);
  memcpy (out.t, t, sizeof t);
  for (int k = 0; k < 2; k++)
    out.t[k] += SLIDE * size * between (key, 3 + (uint64_t) k);
  return out;
}

/* Where @shape comes to rest that is dropped on @pile at random within @radius
 * of the middle. */
static Pose64
settle (const ClutterPile *pile, const ClutterShape *shape, double radius,
    uint64_t key)
{
  Pose64 best = {{0}, {1, 0, 0, 0}}; /* t is where the middle is */
  double n = 2, size = 1, away[3];
  Rest r;

  for (uint64_t i = 0; n > 1; i += 2) {
    best.t[0] = between (key, i), best.t[1] = between (key, i + 1);
    n = best.t[0] * best.t[0] + best.t[1] * best.t[1];
  }
  best.t[0] *= radius, best.t[1] *= radius;
  draw_turn (random_u64 (key, 1000), best.q);
  r = rest_of (&best);
  best.t[2] = lowest (pile, shape, &r, INFINITY);
  for (uint64_t i = 0; i < TRIES; i++, size *= SHRINK) {
    Pose64 other = nudge (&best, random_u64 (key, 2000 + i), size);

    r = rest_of (&other);
    other.t[2] = lowest (pile, shape, &r, best.t[2]);
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
raise (void *user, const double p[3])
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

/* Adds to the pile what rests at @pose. */
static void
pile_add (ClutterPile *pile, const ClutterShape *shape, const Pose64 *pose)
{
  Adding a = {.pile = pile, .pose = pose};

  quat64_matrix (pose->q, a.m);
  clutter_sample (&shape->mesh, CLUTTER_DENSE, raise, &a);
}

/* ---- What is dropped, and where the camera is ----
 *
 * The camera's way is a sum of sinusoids whose phases are 32-bit fractions of a
 * turn. */

/* Of the room that objects fall into, by how many there are: it holds some
 * that lie on others. */
#define RADIUS .042

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

    s->body[i].pose =
        settle (s->pile, shape, fmin (radius, .2), random_u64 (seed, 100 + i));
    s->body[i].vertices = vertices;
    vertices += shape->mesh.n;
    pile_add (s->pile, shape, &s->body[i].pose);
  }
}

/* -1 to 1. */
static double
sway (uint64_t key, uint64_t i, double speed, uint64_t number)
{
  uint32_t step = scene_turns (speed / (170 + 60 * random_unit (key, 2 * i)));
  uint32_t phase = (uint32_t) random_u64 (key, 2 * i + 1);

  return math_sin_turn (phase + (uint32_t) number * step);
}

ClutterPlan
clutter_plan (
    const ClutterParams *params, int width, int height, uint64_t number)
{
  /* looks along -x of the world, its right is y */
  const Pose64 level = {{0}, {.5, -.5, -.5, .5}};
  uint64_t seed = seed_of (params, number), key = random_u64 (seed, 2);
  double way[4];
  Pose64 around, up, back = {{0, 0, 0}, {1, 0, 0, 0}};
  ClutterPlan p = {.f = 585 * fmax (width / 640., height / 480.),
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.};

  for (uint64_t i = 0; i < 4; i++)
    way[i] = sway (key, i, params->speed, number);
  around = rgbd_pose_of (
      2, scene_turns (random_unit (key, 20) + .08 * way[0]), 0, 0, .03);
  up = rgbd_pose_of (1, scene_turns (-(48 + 6 * way[1]) / 360), 0, 0, 0);
  back.t[0] = .02 * way[3];
  back.t[2] = -(.8 + .05 * way[2]);
  p.camera = rgbd_pose_chain (&level, &back);
  p.camera = rgbd_pose_chain (&up, &p.camera);
  p.camera = rgbd_pose_chain (&around, &p.camera);
  return p;
}
