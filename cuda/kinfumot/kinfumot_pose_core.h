/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pose of each model, and the step of the alignment: point to plane, 6 x 6,
 * in doubles, by + - * / and sqrt alone, which IEEE rounds alike everywhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/pose_core.h"
#include "kinfumot/kinfumot.h"

/* ---- Poses ---- */

/* Whether the poses are less than @metres apart, and less than by a rotation
 * the cosine of whose half is @cosine. */
BOTH bool
kinfumot_poses_are_near (
    const Pose64 *a, const Pose64 *b, double metres, double cosine)
{
  double t = 0, q = 0;

  for (int i = 0; i < 3; i++)
    t += (a->t[i] - b->t[i]) * (a->t[i] - b->t[i]);
  for (int i = 0; i < 4; i++)
    q += a->q[i] * b->q[i];
  return t < metres * metres && fabs (q) > cosine;
}

/* ---- Sums ---- */

/* J = (p x n, n) and the distance r along n are integers, so that sums do not
 * depend on the order.  The sums of J J^T are the largest: 63 bits hold them
 * while the sum of |p|^2 over the points is at most 2^31 m^2.  Frames of 640 x
 * 480 pixels stay below with any lens, as |p| is at most 80 m (KINFUMOT_FAR
 * along a ray whose length at depth 1 is 10), and frames of 4096 x 4096 pixels
 * with 90 degrees of view. */
#define KINFUMOT_J_UNIT 16384.f  /* 2^14 */
#define KINFUMOT_R_UNIT 262144.f /* 2^18 */
#define KINFUMOT_P_UNIT 1024.f

enum {
  KINFUMOT_JJ = 0,       /* the upper triangle of J J^T, row by row */
  KINFUMOT_JR = 21,      /* J r */
  KINFUMOT_RR = 27,      /* r r */
  KINFUMOT_N = 28,       /* pixels */
  KINFUMOT_P = 29,       /* points */
  KINFUMOT_PP = 32,      /* squares of the points' distances from the camera */
  KINFUMOT_WEIGHTS = 33, /* of J J^T and J r */
  KINFUMOT_BENDS = 34, /* squares of the lengths between normals, by weights */
  KINFUMOT_N_SUMS = 35
};

/* Huber's weight: a distance beyond KINFUMOT_HUBER counts as KINFUMOT_HUBER.
 * The weight is multiplied by @facing, 0 to 1, and is at least 1. */
#define KINFUMOT_WEIGHT 16
#define KINFUMOT_HUBER .01f

BOTH int32_t
kinfumot_term_weight (float distance, float facing)
{
  float weight = KINFUMOT_WEIGHT * facing;

  if (distance > KINFUMOT_HUBER)
    weight *= KINFUMOT_HUBER / distance;
  return weight > 1 ? (int32_t) (weight + .5f) : 1;
}

typedef struct {
  int32_t j[6], r, p[3];
  int32_t weight; /* of the equation, by KINFUMOT_WEIGHT */
  int32_t bend;   /* the square of the length between the frame's normal and
                     the model's, by KINFUMOT_R_UNIT; 0 unless it is set */
} KinfumotTerm;

BOTH KinfumotTerm
kinfumot_term_of (Vec p, Vec n, float r, float facing)
{
  Vec turn = vec_cross (p, n);
  KinfumotTerm t = {
      {(int32_t) (turn.x * KINFUMOT_J_UNIT),
          (int32_t) (turn.y * KINFUMOT_J_UNIT),
          (int32_t) (turn.z * KINFUMOT_J_UNIT),
          (int32_t) (n.x * KINFUMOT_J_UNIT), (int32_t) (n.y * KINFUMOT_J_UNIT),
          (int32_t) (n.z * KINFUMOT_J_UNIT)},
      (int32_t) (r * KINFUMOT_R_UNIT),
      {(int32_t) (p.x * KINFUMOT_P_UNIT), (int32_t) (p.y * KINFUMOT_P_UNIT),
          (int32_t) (p.z * KINFUMOT_P_UNIT)},
      kinfumot_term_weight (fabsf (r), facing), 0};

  return t;
}

BOTH void
kinfumot_add_term (int64_t sums[KINFUMOT_N_SUMS], const KinfumotTerm *t)
{
  int at = KINFUMOT_JJ;

  UNROLLED
  for (int i = 0; i < 6; i++) {
    int64_t j = (int64_t) t->j[i] * t->weight;

    UNROLLED
    for (int k = i; k < 6; k++)
      sums[at++] += j * t->j[k];
    sums[KINFUMOT_JR + i] += j * t->r;
  }
  sums[KINFUMOT_WEIGHTS] += t->weight;
  sums[KINFUMOT_BENDS] += (int64_t) t->bend * t->weight;
  sums[KINFUMOT_RR] += (int64_t) t->r * t->r;
  sums[KINFUMOT_N]++;
  UNROLLED
  for (int i = 0; i < 3; i++) {
    sums[KINFUMOT_P + i] += t->p[i];
    sums[KINFUMOT_PP] += (int64_t) t->p[i] * t->p[i];
  }
}

/* ---- A model ---- */

typedef enum {
  KINFUMOT_ASLEEP,  /* no model, or the object is lost */
  KINFUMOT_AWAKE,   /* the model is followed */
  KINFUMOT_CARRIED, /* the motion is given, not estimated */
} KinfumotActive;

#define KINFUMOT_STEPS 4 /* in the mean of the velocity */

/* A pose is from the camera to the model. */
typedef struct {
  int active;
  Pose64 pose;     /* in the previous frame, which the view shows */
  Pose64 motion;   /* from this frame's camera to the previous frame's */
  Pose64 drift;    /* of objects: the velocity, from a pose in the world to the
                      next frame's, in world coordinates */
  int steps;       /* frames in the mean of the drift or, of the background, in
                      its model, at most KINFUMOT_STEPS */
  Pose64 expected; /* of objects: the motion that follows from the drift */
  Pose64 rest;     /* of the background: the pose in which the camera rested */
  bool still;      /* of the background: the camera still rests there */
  Turn turn;       /* rotation of the motion */
  Vec step;        /* translation of the motion */
  Turn axes;       /* rotation of the pose */
  Vec place;       /* translation of the pose */
  bool settled;    /* further iterations change nothing */
  bool solved;     /* the points were enough */
  bool good;       /* the motion is good, so the frame is fused */
  uint32_t points; /* that the last iteration used */
  double residual; /* root mean square, metres */
  unsigned weak;   /* directions that the points do not determine: eigenvectors
                      in ascending order, of turns and steps about `middle` */
  ImageBox box;    /* where the model's points are searched for, pixels */
  int64_t sums[KINFUMOT_N_SUMS]; /* of the last iteration */
} KinfumotModel;

/* Of a model. */
typedef struct {
  KinfumotModel aligned; /* the result, kept apart until all models are aligned,
                            since they ask each other for the former poses */
  /* Of the GPU, 0 between alignments: the sums of an iteration, of the previous
   * one and of the next one, and how often a block of threads has added its
   * sums.
   */
  int64_t sums[3][KINFUMOT_N_SUMS];
  uint32_t done;
} KinfumotAlignment;

BOTH void
kinfumot_set_motion (KinfumotModel *m, Pose64 motion)
{
  m->motion = motion;
  m->turn = pose64_turn (&motion);
  m->step = pose64_place (&motion);
}

BOTH void
kinfumot_set_pose (KinfumotModel *m, Pose64 pose)
{
  m->pose = pose;
  m->axes = pose64_turn (&pose);
  m->place = pose64_place (&pose);
}

BOTH Vec
kinfumot_to_model (const KinfumotModel *m, Vec p)
{
  return vec_transform (&m->axes, m->place, p);
}

/* The point of the model at which this frame's camera sees @p. */
BOTH Vec
kinfumot_to_model_now (const KinfumotModel *m, Vec p)
{
  return kinfumot_to_model (m, vec_transform (&m->turn, m->step, p));
}

BOTH Vec
kinfumot_to_camera (const KinfumotModel *m, Vec p)
{
  return vec_unrotate (&m->axes, vec_sub (p, m->place));
}

/* ---- The step ---- */

#define KINFUMOT_MIN_POINTS 100
/* Eigenvalue per point up to which a direction is weak: the noise of normals
 * may be all that determines it.  Of the camera, that noise is measured, and
 * may be less. */
#define KINFUMOT_WEAK .002
#define KINFUMOT_SETTLED 1e-4 /* metres, radians */
#define KINFUMOT_UNKNOWN 1.   /* variance of a weak direction, m^2 */

/* The normal equations per point.  Turns are about the middle of the points, in
 * units of their spread. */
typedef struct {
  double a[6][6], b[6];
  double middle[3], spread, mean_square;
  double bend; /* variance between normals of frame and model along an axis */
} KinfumotSystem;

/* Moves the origin of turns to the middle: a' = m a m^T and b' = m b for
 * m = [1 -[middle]; 0 1]. */
BOTH void
kinfumot_centre_system (KinfumotSystem *s)
{
  const double *c = s->middle;
  double cross[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};

  UNROLLED
  for (int i = 0; i < 3; i++) {
    UNROLLED
    for (int k = 0; k < 6; k++)
      UNROLLED
    for (int l = 0; l < 3; l++)
      s->a[i][k] -= cross[i][l] * s->a[3 + l][k];
    UNROLLED
    for (int l = 0; l < 3; l++)
      s->b[i] -= cross[i][l] * s->b[3 + l];
  }
  UNROLLED
  for (int i = 0; i < 3; i++)
    UNROLLED
  for (int k = 0; k < 6; k++)
    UNROLLED
  for (int l = 0; l < 3; l++)
    s->a[k][i] -= cross[i][l] * s->a[k][3 + l];
}

BOTH void
kinfumot_system_of_sums (const int64_t sums[KINFUMOT_N_SUMS], KinfumotSystem *s)
{
  const double a_point = 1 / (double) sums[KINFUMOT_N];
  const double a_weight = 1 / (double) sums[KINFUMOT_WEIGHTS];
  const double j = 1. / KINFUMOT_J_UNIT, r = 1. / KINFUMOT_R_UNIT,
               p = 1. / KINFUMOT_P_UNIT;
  double turns, square = (double) sums[KINFUMOT_PP] * a_point * p * p;
  int at = KINFUMOT_JJ;

  UNROLLED
  for (int i = 0; i < 6; i++) {
    UNROLLED
    for (int k = i; k < 6; k++)
      s->a[i][k] = s->a[k][i] = (double) sums[at++] * a_weight * j * j;
    s->b[i] = (double) sums[KINFUMOT_JR + i] * a_weight * j * r;
  }
  UNROLLED
  for (int i = 0; i < 3; i++) {
    s->middle[i] = (double) sums[KINFUMOT_P + i] * a_point * p;
    square -= s->middle[i] * s->middle[i];
  }
  s->mean_square = (double) sums[KINFUMOT_RR] * a_point * r * r;
  s->bend = (double) sums[KINFUMOT_BENDS] * a_weight * r / 2;
  s->spread = square > 1e-6 ? sqrt (square) : 1e-3;
  kinfumot_centre_system (s);
  turns = 1 / s->spread;
  UNROLLED
  for (int i = 0; i < 3; i++) {
    UNROLLED
    for (int k = 0; k < 6; k++) {
      s->a[i][k] *= turns;
      s->a[k][i] *= turns;
    }
    s->b[i] *= turns;
  }
}

/* Factors @a into l d l^T in place, with 1 / d; false if a pivot is not above
 * @min. */
BOTH bool
kinfumot_factor_system (double a[6][6], double min)
{
  UNROLLED
  for (int i = 0; i < 6; i++) {
    double pivot = a[i][i], ld[6];

    UNROLLED
    for (int k = 0; k < i; k++) {
      ld[k] = a[i][k];
      UNROLLED
      for (int l = 0; l < k; l++)
        ld[k] -= ld[l] * a[k][l];
    }
    UNROLLED
    for (int k = 0; k < i; k++) {
      a[i][k] = ld[k] * a[k][k];
      pivot -= ld[k] * a[i][k];
    }
    if (!(pivot > min))
      return false;
    a[i][i] = 1 / pivot;
  }
  return true;
}

BOTH void
kinfumot_solve_factored (double a[6][6], const double b[6], double x[6])
{
  UNROLLED
  for (int i = 0; i < 6; i++) {
    x[i] = b[i];
    UNROLLED
    for (int k = 0; k < i; k++)
      x[i] -= a[i][k] * x[k];
  }
  UNROLLED
  for (int i = 5; i >= 0; i--) {
    x[i] *= a[i][i];
    UNROLLED
    for (int k = i + 1; k < 6; k++)
      x[i] -= a[k][i] * x[k];
  }
}

/* ---- Weak directions ----
 *
 * Jacobi's method, three rotations of different rows at a time.  On the GPU the
 * lanes of a warp share the work; the CPU is a single lane. */

#ifdef __CUDA_ARCH__
# define KINFUMOT_MEET() __syncwarp ()
#else
# define KINFUMOT_MEET() (void) 0
#endif

#define KINFUMOT_SWEEPS 8
#define KINFUMOT_ROUNDS \
 5 /* of a sweep, in which each pair of rows meets once */
#define KINFUMOT_NEGLIGIBLE 1e-9f

/* A symmetric matrix @a, whose diagonal becomes the eigenvalues; the columns of
 * @v become the eigenvectors.  The lanes share it. */
typedef struct {
  double a[6][6], v[6][6];
  double cosine[3], sine[3]; /* of the rotations of a round */
  int turned[3]; /* the last round in which each rotation did anything */
  double b[6], along[6]; /* of the system; along each eigenvector */
} KinfumotEigen;

/* Sets the rows @p < @q that rotation @k of a round turns. */
BOTH void
kinfumot_rotated_rows (int round, int k, int *p, int *q)
{
  int first = k ? (round + k) % 5 + 1 : 0;
  int second = (round + 5 - k) % 5 + 1;

  *p = first < second ? first : second;
  *q = first < second ? second : first;
}

/* Sets the rotation that makes a[p][q] 0, or nearly: its angle is a float, so
 * some 1e-7 of a[p][q] is left. */
BOTH void
kinfumot_set_rotation (KinfumotEigen *e, int round, int k)
{
  double half_tangent = 0, part;
  int p, q;
  float off, apart, tangent;

  kinfumot_rotated_rows (round, k, &p, &q);
  off = (float) (2 * e->a[p][q]);
  apart = (float) (e->a[q][q] - e->a[p][p]);
  if (fabsf (off) > KINFUMOT_NEGLIGIBLE) {
    tangent = (apart < 0 ? -off : off) /
        (fabsf (apart) + sqrtf (apart * apart + off * off));
    half_tangent = (double) (tangent / (1 + sqrtf (tangent * tangent + 1)));
    e->turned[k] = round;
  }
  part = 2 / (1 + half_tangent * half_tangent);
  e->cosine[k] = part - 1;
  e->sine[k] = part * half_tangent;
}

/* Rotates the numbers @x and @y of a row. */
BOTH void
kinfumot_rotate_two (double c, double s, double *x, double *y)
{
  double before = *x;

  *x = c * before - s * *y;
  *y = s * before + c * *y;
}

/* Rotates the four numbers where the rows of rotation @k meet the columns of
 * rotation @l. */
BOTH void
kinfumot_rotate_block (KinfumotEigen *e, int round, int k, int l)
{
  int p, q, r, s;

  kinfumot_rotated_rows (round, k, &p, &q);
  kinfumot_rotated_rows (round, l, &r, &s);
  kinfumot_rotate_two (e->cosine[l], e->sine[l], &e->a[p][r], &e->a[p][s]);
  kinfumot_rotate_two (e->cosine[l], e->sine[l], &e->a[q][r], &e->a[q][s]);
  kinfumot_rotate_two (e->cosine[k], e->sine[k], &e->a[p][r], &e->a[q][r]);
  kinfumot_rotate_two (e->cosine[k], e->sine[k], &e->a[p][s], &e->a[q][s]);
}

/* Whether no rotation of the last sweep did anything. */
BOTH bool
kinfumot_eigen_is_done (const KinfumotEigen *e, int round)
{
  int last = e->turned[0];

  for (int k = 1; k < 3; k++)
    last = e->turned[k] > last ? e->turned[k] : last;
  return round > last + KINFUMOT_ROUNDS;
}

BOTH void
kinfumot_find_eigen (KinfumotEigen *e, int lane, int lanes)
{
  for (int i = lane; i < 36; i += lanes)
    e->v[i / 6][i % 6] = i / 6 == i % 6;
  for (int k = lane; k < 3; k += lanes)
    e->turned[k] = 0;
  KINFUMOT_MEET ();
  for (int round = 0; round < KINFUMOT_SWEEPS * KINFUMOT_ROUNDS; round++) {
    if (kinfumot_eigen_is_done (e, round))
      break;
    KINFUMOT_MEET ();
    for (int k = lane; k < 3; k += lanes)
      kinfumot_set_rotation (e, round, k);
    KINFUMOT_MEET ();
    for (int i = lane; i < 9; i += lanes)
      kinfumot_rotate_block (e, round, i / 3, i % 3);
    for (int i = lane; i < 18; i += lanes) {
      int p, q, k = i / 6;

      kinfumot_rotated_rows (round, k, &p, &q);
      kinfumot_rotate_two (
          e->cosine[k], e->sine[k], &e->v[i % 6][p], &e->v[i % 6][q]);
    }
    KINFUMOT_MEET ();
  }
}

/* Solves a x = b along the directions that the points determine; along weak
 * directions, whose eigenvalues are at most @limit, the motion stays as
 * predicted.  Returns the weak directions, a bit each. */
BOTH unsigned
kinfumot_solve_weak (
    KinfumotEigen *e, double limit, double x[6], int lane, int lanes)
{
  unsigned weak = 0;

  kinfumot_find_eigen (e, lane, lanes);
  for (int k = lane; k < 6; k += lanes) {
    e->along[k] = 0;
    for (int i = 0; i < 6; i++)
      e->along[k] += e->v[i][k] * e->b[i];
    e->along[k] = e->a[k][k] > limit ? e->along[k] / e->a[k][k] : 0;
  }
  KINFUMOT_MEET ();
  for (int k = 0; k < 6; k++)
    weak |= (unsigned) !(e->a[k][k] > limit) << k;
  UNROLLED
  for (int i = 0; i < 6; i++) {
    x[i] = 0;
    for (int k = 0; k < 6; k++)
      x[i] += e->v[i][k] * e->along[k];
  }
  return weak;
}

/* The motion after a turn @x[0..2] about the middle and a step @x[3..5] more.
 */
BOTH Pose64
kinfumot_moved_motion (Pose64 motion, const double x[6], const double middle[3])
{
  Pose64 d = {{0, 0, 0}, {1, x[0] / 2, x[1] / 2, x[2] / 2}};
  double turned[3];

  pose64_unit (&d);
  quat64_rotate (d.q, middle, turned);
  for (int i = 0; i < 3; i++)
    d.t[i] = middle[i] - turned[i] + x[3 + i];
  return pose64_times (d, motion);
}

/* Moves the model's motion by @x, the solution of @s. */
BOTH void
kinfumot_step_motion (KinfumotModel *m, const KinfumotSystem *s, double x[6])
{
  double max = 0;

  m->residual = sqrt (s->mean_square);
  UNROLLED
  for (int i = 0; i < 3; i++)
    x[i] /= s->spread;
  UNROLLED
  for (int i = 0; i < 6; i++)
    max = x[i] > max ? x[i] : -x[i] > max ? -x[i] : max;
  m->settled = max < KINFUMOT_SETTLED;
  kinfumot_set_motion (m, kinfumot_moved_motion (m->motion, x, s->middle));
}

/* The eigenvalue up to which a direction is weak.  Normals of the frame and of
 * the background's model differ by the noise of both; that of the model, a mean
 * of at least @steps frames, is the least. */
BOTH double
kinfumot_weak_limit (const KinfumotSystem *s, bool is_camera, int steps)
{
  const double noise = s->bend / (1 + steps);

  return is_camera && noise < KINFUMOT_WEAK ? noise : KINFUMOT_WEAK;
}

/* An iteration: the sums of the model, the background if it @is_camera, give
 * its next motion.  The lanes share @e; the first lane writes @m. */
BOTH void
kinfumot_solve_motion (
    KinfumotModel *m, bool is_camera, KinfumotEigen *e, int lane, int lanes)
{
  KinfumotSystem s;
  double a[6][6], x[6];
  unsigned weak = 0;

  if (m->sums[KINFUMOT_N] < KINFUMOT_MIN_POINTS) {
    if (!lane) {
      m->points = (uint32_t) m->sums[KINFUMOT_N];
      m->solved = false;
      m->settled = true;
    }
    return;
  }
  kinfumot_system_of_sums (m->sums, &s);
  UNROLLED
  for (int i = 0; i < 6; i++)
    UNROLLED
  for (int k = 0; k < 6; k++)
    a[i][k] = s.a[i][k];
  if (kinfumot_factor_system (a, 4 * KINFUMOT_WEAK)) /* no direction is weak */
    kinfumot_solve_factored (a, s.b, x);
  else {
    UNROLLED
    for (int i = 0; i < 36 && !lane; i++)
      e->a[i / 6][i % 6] = s.a[i / 6][i % 6];
    UNROLLED
    for (int i = 0; i < 6 && !lane; i++)
      e->b[i] = s.b[i];
    weak = kinfumot_solve_weak (
        e, kinfumot_weak_limit (&s, is_camera, m->steps), x, lane, lanes);
  }
  if (lane)
    return;
  m->points = (uint32_t) m->sums[KINFUMOT_N];
  m->solved = true;
  m->weak = weak;
  kinfumot_step_motion (m, &s, x);
}

/* ---- From frame to frame ---- */

/* Sets the motion of an object that keeps its velocity in the world; the motion
 * of the camera is known. */
BOTH void
kinfumot_predict_motion (KinfumotModel *models, int model)
{
  KinfumotModel *m = &models[model];
  Pose64 camera = pose64_times (models[0].pose, models[0].motion);
  Pose64 object = pose64_times (
      m->drift, pose64_times (models[0].pose, pose64_inverse (m->pose)));
  Pose64 pose = pose64_times (pose64_inverse (object), camera);

  kinfumot_set_motion (m, pose64_times (pose64_inverse (m->pose), pose));
  m->expected = m->motion;
}

#define KINFUMOT_EXPECT 40 /* points that the expected motion counts as */
#define KINFUMOT_EXPECT_BY \
 .005 /* metres; its pull grows up to this distance \
       */

/* The pose at @share of the way from @a to @b, which differ by little. */
BOTH Pose64
kinfumot_pose_between (Pose64 a, Pose64 b, double share)
{
  double cosine = 0;

  for (int i = 0; i < 4; i++)
    cosine += a.q[i] * b.q[i];
  for (int i = 0; i < 3; i++)
    a.t[i] += share * (b.t[i] - a.t[i]);
  for (int i = 0; i < 4; i++)
    a.q[i] += share * ((cosine < 0 ? -b.q[i] : b.q[i]) - a.q[i]);
  pose64_unit (&a);
  return a;
}

/* Sets @apart to the turn, times the spread, and the step of the middle of the
 * points that lead from the motion to the expected motion.  Returns the length
 * of @apart, metres. */
BOTH double
kinfumot_expected_offset (
    const KinfumotModel *m, const KinfumotSystem *s, double apart[6])
{
  const Pose64 off = pose64_times (m->expected, pose64_inverse (m->motion));
  double square = 0;

  quat64_rotate (off.q, s->middle, apart + 3);
  UNROLLED
  for (int i = 0; i < 3; i++) {
    apart[i] = 2 * s->spread * (off.q[0] < 0 ? -off.q[1 + i] : off.q[1 + i]);
    apart[3 + i] += off.t[i] - s->middle[i];
  }
  UNROLLED
  for (int i = 0; i < 6; i++)
    square += apart[i] * apart[i];
  return sqrt (square);
}

/* Averages the aligned motion of an object with its expected motion, which
 * counts as KINFUMOT_EXPECT points in every direction.  Directions that many
 * points determine hardly change; a motion that only the outline determines, by
 * whole pixels, does not jump from frame to frame. */
BOTH void
kinfumot_average_motion (KinfumotModel *m)
{
  KinfumotSystem s;
  double x[6], b[6], share, apart;

  kinfumot_system_of_sums (m->sums, &s);
  apart = kinfumot_expected_offset (m, &s, b);
  share = (double) KINFUMOT_EXPECT * KINFUMOT_WEIGHT * m->steps /
      KINFUMOT_STEPS / (double) m->sums[KINFUMOT_WEIGHTS];
  if (apart > KINFUMOT_EXPECT_BY)
    share *= KINFUMOT_EXPECT_BY / apart;
  UNROLLED
  for (int i = 0; i < 6; i++) {
    s.a[i][i] += share;
    b[i] *= share;
  }
  if (!kinfumot_factor_system (s.a, 0))
    return;
  kinfumot_solve_factored (s.a, b, x);
  UNROLLED
  for (int i = 0; i < 3; i++)
    x[i] /= s.spread;
  kinfumot_set_motion (m, kinfumot_moved_motion (m->motion, x, s.middle));
}

/* Minimum share of the points that match the background. */
#define KINFUMOT_MIN_SHARE .25
#define KINFUMOT_MAX_RESIDUAL .03 /* metres */

/* Decides whether the motion of a model is good; the good motion of an object
 * is averaged.  @points: the number of pixels with a normal. */
BOTH void
kinfumot_judge_motion (KinfumotModel *models, int model, uint32_t points)
{
  KinfumotModel *m = &models[model];

  if (m->active == KINFUMOT_CARRIED)
    m->good = true;
  else
    m->good = m->solved && m->residual < KINFUMOT_MAX_RESIDUAL &&
        (model || m->points >= KINFUMOT_MIN_SHARE * points);
  if (model && !models[0].good)
    m->good = false;
  if (model && m->good && m->active == KINFUMOT_AWAKE)
    kinfumot_average_motion (m);
  if (!model && !m->good)
    kinfumot_set_motion (m, pose64_identity ());
}

/* A camera that stays near the pose in which it came to rest stands still: its
 * estimates differ by noise.  If they were fused for ever, the model would
 * follow the constant part of their errors, and the camera the model. */
#define KINFUMOT_REST .002        /* metres */
#define KINFUMOT_REST_TURN .99999 /* the cosine of half of 0.5 degrees */

/* Sets the pose of a model after this frame; the background comes last. */
BOTH void
kinfumot_advance_pose (KinfumotModel *models, int model)
{
  KinfumotModel *m = &models[model];
  Pose64 pose = pose64_times (m->pose, m->motion);

  if (model && !models[0].good)
    return;
  if (m->good)
    m->steps += m->steps < KINFUMOT_STEPS;
  if (model && m->good) {
    Pose64 camera = pose64_times (models[0].pose, models[0].motion);
    Pose64 before = pose64_times (models[0].pose, pose64_inverse (m->pose));
    Pose64 after = pose64_times (camera, pose64_inverse (pose));
    Pose64 drift = pose64_times (after, pose64_inverse (before));

    m->drift = kinfumot_pose_between (m->drift, drift, 1. / m->steps);
  }
  if (!model) {
    m->still = kinfumot_poses_are_near (
        &pose, &m->rest, KINFUMOT_REST, KINFUMOT_REST_TURN);
    if (!m->still)
      m->rest = pose;
  }
  kinfumot_set_pose (m, pose);
}
