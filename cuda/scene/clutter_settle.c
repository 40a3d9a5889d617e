/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How things come to rest: without momentum, without friction.  A body always
 * hangs as low as what is below it lets it, and turns and slides to where its
 * middle is lower still, until nothing near is: a minimum of potential energy,
 * which is what rests.  What lies below is a field of heights, so nothing gets
 * under an overhang, and nothing into anything. */
#include "scene/clutter_core.h"

#include "common/random.h"

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
rest_of (const RgbdPose *p)
{
  Rest r = {.x = p->t[0], .y = p->t[1]};

  rgbd_pose_axes (p, r.m);
  return r;
}

/* @p turned and slid at random; @size is 1 to 0. */
static RgbdPose
nudge (const RgbdPose *p, uint64_t key, double size)
{
  RgbdPose turn = {{0}, {1, 0, 0, 0}}, out;
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

RgbdPose
clutter_settle (const ClutterPile *pile, const ClutterShape *shape,
    double radius, uint64_t key)
{
  RgbdPose best = {{0}, {1, 0, 0, 0}}; /* t is where the middle is */
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
    RgbdPose other = nudge (&best, random_u64 (key, 2000 + i), size);

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
  const RgbdPose *pose;
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

void
clutter_pile_add (
    ClutterPile *pile, const ClutterShape *shape, const RgbdPose *pose)
{
  Adding a = {.pile = pile, .pose = pose};

  rgbd_pose_axes (pose, a.m);
  clutter_sample (&shape->mesh, CLUTTER_DENSE, raise, &a);
}
