/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where each model is, and the step of the alignment: point to plane, 6 x 6,
 * in doubles.  + - * / and sqrt alone, which IEEE rounds alike everywhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "kinfumot/kinfumot.h"

/* ---- Poses ---- */

BOTH KinfumotPose
kinfumot_pose_none (void)
{
  KinfumotPose p = {{0, 0, 0}, {1, 0, 0, 0}};

  return p;
}

BOTH void
kinfumot_turn (const double q[4], const double v[3], double out[3])
{
  double x = q[2] * v[2] - q[3] * v[1], y = q[3] * v[0] - q[1] * v[2],
         z = q[1] * v[1] - q[2] * v[0];

  out[0] = v[0] + 2 * (q[0] * x + q[2] * z - q[3] * y);
  out[1] = v[1] + 2 * (q[0] * y + q[3] * x - q[1] * z);
  out[2] = v[2] + 2 * (q[0] * z + q[1] * y - q[2] * x);
}

/* Of length 1 again. */
BOTH void
kinfumot_pose_clean (KinfumotPose *p)
{
  double n = sqrt (p->q[0] * p->q[0] + p->q[1] * p->q[1] + p->q[2] * p->q[2] +
      p->q[3] * p->q[3]);

  for (int i = 0; i < 4; i++)
    p->q[i] /= n;
}

/* First @b, then @a. */
BOTH KinfumotPose
kinfumot_pose_times (KinfumotPose a, KinfumotPose b)
{
  KinfumotPose r;

  kinfumot_turn (a.q, b.t, r.t);
  for (int i = 0; i < 3; i++)
    r.t[i] += a.t[i];
  r.q[0] =
      a.q[0] * b.q[0] - a.q[1] * b.q[1] - a.q[2] * b.q[2] - a.q[3] * b.q[3];
  r.q[1] =
      a.q[0] * b.q[1] + a.q[1] * b.q[0] + a.q[2] * b.q[3] - a.q[3] * b.q[2];
  r.q[2] =
      a.q[0] * b.q[2] - a.q[1] * b.q[3] + a.q[2] * b.q[0] + a.q[3] * b.q[1];
  r.q[3] =
      a.q[0] * b.q[3] + a.q[1] * b.q[2] - a.q[2] * b.q[1] + a.q[3] * b.q[0];
  kinfumot_pose_clean (&r);
  return r;
}

BOTH KinfumotPose
kinfumot_pose_back (KinfumotPose p)
{
  KinfumotPose r = {{0, 0, 0}, {p.q[0], -p.q[1], -p.q[2], -p.q[3]}};
  double t[3];

  kinfumot_turn (r.q, p.t, t);
  for (int i = 0; i < 3; i++)
    r.t[i] = -t[i];
  return r;
}

BOTH Turn
kinfumot_axes (const KinfumotPose *p)
{
  return turn_of (quat (
      (float) p->q[0], (float) p->q[1], (float) p->q[2], (float) p->q[3]));
}

BOTH Vec
kinfumot_place (const KinfumotPose *p)
{
  return vec ((float) p->t[0], (float) p->t[1], (float) p->t[2]);
}

/* ---- Sums ---- */

/* J = (p x n, n) and the distance r along n, as integers: the sums are the same
 * in any order. */
#define KINFUMOT_J_UNIT 16384.f  /* 2^14; |J| < 16 */
#define KINFUMOT_R_UNIT 262144.f /* 2^18; |r| <= 0.1 m */
#define KINFUMOT_P_UNIT 1024.f

enum {
  KINFUMOT_JJ = 0,  /* the upper triangle of J J^T, row by row */
  KINFUMOT_JR = 21, /* J r */
  KINFUMOT_RR = 27, /* r r */
  KINFUMOT_N = 28,  /* pixels */
  KINFUMOT_P = 29,  /* points, */
  KINFUMOT_PP = 32, /* and the squares of their distances from the camera */
  KINFUMOT_WEIGHTS = 33, /* of J J^T and J r */
  KINFUMOT_N_SUMS = 34
};

/* Huber's weight: a distance counts in full up to KINFUMOT_HUBER, farther ones
 * as much as that. */
#define KINFUMOT_WEIGHT 16
#define KINFUMOT_HUBER .01f

BOTH int32_t
kinfumot_weight (float distance)
{
  return distance <= KINFUMOT_HUBER
      ? KINFUMOT_WEIGHT
      : (int32_t) (KINFUMOT_WEIGHT * KINFUMOT_HUBER / distance);
}

typedef struct {
  int32_t j[6], r, p[3];
  int32_t weight; /* of its equation, by KINFUMOT_WEIGHT */
} KinfumotTerm;

BOTH KinfumotTerm
kinfumot_term_of (Vec p, Vec n, float r)
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
      kinfumot_weight (fabsf (r))};

  return t;
}

BOTH void
kinfumot_add (int64_t sums[KINFUMOT_N_SUMS], const KinfumotTerm *t)
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
  sums[KINFUMOT_RR] += (int64_t) t->r * t->r;
  sums[KINFUMOT_N]++;
  UNROLLED
  for (int i = 0; i < 3; i++) {
    sums[KINFUMOT_P + i] += t->p[i];
    sums[KINFUMOT_PP] += (int64_t) t->p[i] * t->p[i];
  }
}

/* Over the pixels; device memory. */
typedef struct {
  int64_t of[KINFUMOT_N_SUMS];
  uint32_t done; /* blocks of threads that have added theirs */
} KinfumotSums;

/* ---- A model ---- */

typedef enum {
  KINFUMOT_ASLEEP,  /* no model, or one that is not looked for */
  KINFUMOT_AWAKE,   /* is followed */
  KINFUMOT_CARRIED, /* its motion is given, not estimated */
} KinfumotActive;

/* Device memory.  A pose is from the camera to the model. */
typedef struct {
  int active;
  KinfumotPose pose;   /* of the frame before, which the view shows */
  KinfumotPose motion; /* from this frame's camera to the one before's */
  KinfumotPose drift;  /* of objects: from the last pose in the world to the
                          next, in world coordinates */
  KinfumotPose rest;   /* of the background: where the camera came to rest, */
  bool still;          /* and whether it is still there */
  Turn turn;           /* of motion, */
  Vec step;            /* likewise */
  Turn axes;           /* of pose, */
  Vec place;           /* likewise */
  bool settled;        /* further iterations change nothing */
  bool solved;         /* there were enough points */
  bool good;           /* of this frame: is fused */
  uint32_t points;     /* that the last iteration used */
  double residual;     /* root mean square, metres */
  unsigned weak;       /* directions that were not determined: eigenvectors in
                          ascending order, of turns and steps about `middle` */
  ImageBox box;        /* where its points are looked for, pixels */
  int64_t sums[KINFUMOT_N_SUMS]; /* of the last iteration */
} KinfumotModel;

BOTH void
kinfumot_set_motion (KinfumotModel *m, KinfumotPose motion)
{
  m->motion = motion;
  m->turn = kinfumot_axes (&motion);
  m->step = kinfumot_place (&motion);
}

BOTH void
kinfumot_set_pose (KinfumotModel *m, KinfumotPose pose)
{
  m->pose = pose;
  m->axes = kinfumot_axes (&pose);
  m->place = kinfumot_place (&pose);
}

BOTH Vec
kinfumot_to_model (const KinfumotModel *m, Vec p)
{
  return vec_transform (&m->axes, m->place, p);
}

/* Of a point of this frame's camera. */
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

#define KINFUMOT_LEAST_POINTS 100
/* Eigenvalue per point below which only the noise of normals determines a
 * direction. */
#define KINFUMOT_WEAK .002
#define KINFUMOT_SETTLED 1e-5 /* metres, radians */
#define KINFUMOT_UNKNOWN 1.   /* variance of a weak direction, m^2 */

/* Normal equations about the middle of the points, turns in units of their
 * spread, a point each. */
typedef struct {
  double a[6][6], b[6];
  double middle[3], spread, mean_square;
} KinfumotSystem;

/* a' = m a m^T and b' = m b for m = [1 -[middle]; 0 1], which moves the origin
 * of turns. */
BOTH void
kinfumot_centre (KinfumotSystem *s)
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
kinfumot_system (const int64_t sums[KINFUMOT_N_SUMS], KinfumotSystem *s)
{
  const double n = (double) sums[KINFUMOT_N];
  const double w = (double) sums[KINFUMOT_WEIGHTS];
  const double jj = 1 / ((double) KINFUMOT_J_UNIT * KINFUMOT_J_UNIT * w);
  const double jr = 1 / ((double) KINFUMOT_J_UNIT * KINFUMOT_R_UNIT * w);
  double turns;
  double square =
      (double) sums[KINFUMOT_PP] / (n * KINFUMOT_P_UNIT * KINFUMOT_P_UNIT);
  int at = KINFUMOT_JJ;

  UNROLLED
  for (int i = 0; i < 6; i++) {
    UNROLLED
    for (int k = i; k < 6; k++)
      s->a[i][k] = s->a[k][i] = (double) sums[at++] * jj;
    s->b[i] = (double) sums[KINFUMOT_JR + i] * jr;
  }
  UNROLLED
  for (int i = 0; i < 3; i++) {
    s->middle[i] = (double) sums[KINFUMOT_P + i] / (n * KINFUMOT_P_UNIT);
    square -= s->middle[i] * s->middle[i];
  }
  s->mean_square =
      (double) sums[KINFUMOT_RR] / (n * KINFUMOT_R_UNIT * KINFUMOT_R_UNIT);
  s->spread = square > 1e-6 ? sqrt (square) : 1e-3;
  kinfumot_centre (s);
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

/* a = l d l^T in place; false where a pivot says that a direction is weak. */
BOTH bool
kinfumot_factor (double a[6][6])
{
  UNROLLED
  for (int i = 0; i < 6; i++) {
    UNROLLED
    for (int k = 0; k < i; k++) {
      double sum = a[i][k];

      UNROLLED
      for (int l = 0; l < k; l++)
        sum -= a[i][l] * a[k][l] * a[l][l];
      a[i][k] = sum / a[k][k];
    }
    UNROLLED
    for (int l = 0; l < i; l++)
      a[i][i] -= a[i][l] * a[i][l] * a[l][l];
    if (!(a[i][i] > 4 * KINFUMOT_WEAK))
      return false;
  }
  return true;
}

BOTH void
kinfumot_back (double a[6][6], const double b[6], double x[6])
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
    x[i] /= a[i][i];
    UNROLLED
    for (int k = i + 1; k < 6; k++)
      x[i] -= a[k][i] * x[k];
  }
}

/* One of Jacobi's rotations, which makes a[p][q] 0; columns of @v are what
 * becomes the eigenvectors. */
BOTH void
kinfumot_rotate (double a[6][6], double v[6][6], int p, int q)
{
  double theta, t, c, s;

  if (a[p][q] == 0)
    return;
  theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  t = (theta < 0 ? -1 : 1) /
      ((theta < 0 ? -theta : theta) + sqrt (theta * theta + 1));
  c = 1 / sqrt (t * t + 1);
  s = t * c;
  for (int i = 0; i < 6; i++) {
    double x = a[i][p], y = a[i][q];

    a[i][p] = c * x - s * y;
    a[i][q] = s * x + c * y;
  }
  for (int i = 0; i < 6; i++) {
    double x = a[p][i], y = a[q][i];

    a[p][i] = c * x - s * y;
    a[q][i] = s * x + c * y;
    x = v[i][p], y = v[i][q];
    v[i][p] = c * x - s * y;
    v[i][q] = s * x + c * y;
  }
}

/* Eigenvalues on the diagonal of @a, eigenvectors in the columns of @v. */
BOTH void
kinfumot_eigen (double a[6][6], double v[6][6])
{
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      v[i][k] = i == k;
  for (int sweep = 0; sweep < 8; sweep++)
    for (int p = 0; p < 5; p++)
      for (int q = p + 1; q < 6; q++)
        kinfumot_rotate (a, v, p, q);
}

/* x of a x = b along the directions that the points determine: the others keep
 * the motion that was predicted.  Returns which those are. */
BOTH unsigned
kinfumot_hold (double a[6][6], const double b[6], double x[6])
{
  double v[6][6];
  unsigned weak = 0;

  kinfumot_eigen (a, v);
  UNROLLED
  for (int i = 0; i < 6; i++)
    x[i] = 0;
  for (int k = 0; k < 6; k++) {
    double along = 0;

    if (!(a[k][k] > KINFUMOT_WEAK)) {
      weak |= 1u << k;
      continue;
    }
    UNROLLED
    for (int i = 0; i < 6; i++)
      along += v[i][k] * b[i];
    UNROLLED
    for (int i = 0; i < 6; i++)
      x[i] += v[i][k] * along / a[k][k];
  }
  return weak;
}

/* The motion after a turn @x[0..2] about the middle and a step @x[3..5]. */
BOTH KinfumotPose
kinfumot_moved (KinfumotPose motion, const double x[6], const double middle[3])
{
  KinfumotPose d = {{0, 0, 0}, {1, x[0] / 2, x[1] / 2, x[2] / 2}};
  double turned[3];

  kinfumot_pose_clean (&d);
  kinfumot_turn (d.q, middle, turned);
  for (int i = 0; i < 3; i++)
    d.t[i] = middle[i] - turned[i] + x[3 + i];
  return kinfumot_pose_times (d, motion);
}

/* One iteration: from the sums, which then are 0 again, to the motion. */
BOTH void
kinfumot_iterate (KinfumotModel *m, KinfumotSums *sums)
{
  KinfumotSystem s;
  double a[6][6], held[6][6], x[6], most = 0;

  UNROLLED
  for (int i = 0; i < KINFUMOT_N_SUMS; i++) {
    m->sums[i] = sums->of[i];
    sums->of[i] = 0;
  }
  m->points = (uint32_t) m->sums[KINFUMOT_N];
  m->solved = m->points >= KINFUMOT_LEAST_POINTS;
  if (!m->solved) {
    m->settled = true;
    return;
  }
  kinfumot_system (m->sums, &s);
  UNROLLED
  for (int i = 0; i < 6; i++)
    UNROLLED
  for (int k = 0; k < 6; k++)
    a[i][k] = held[i][k] = s.a[i][k];
  m->weak = 0;
  if (kinfumot_factor (a))
    kinfumot_back (a, s.b, x);
  else
    m->weak = kinfumot_hold (held, s.b, x);
  m->residual = sqrt (s.mean_square);
  UNROLLED
  for (int i = 0; i < 3; i++)
    x[i] /= s.spread;
  UNROLLED
  for (int i = 0; i < 6; i++)
    most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
  m->settled = most < KINFUMOT_SETTLED;
  kinfumot_set_motion (m, kinfumot_moved (m->motion, x, s.middle));
}

/* ---- From frame to frame ---- */

/* Of an object that goes on as it did in the world, once the camera's motion is
 * known. */
BOTH void
kinfumot_predict (KinfumotModel *models, int model)
{
  KinfumotModel *m = &models[model];
  KinfumotPose camera = kinfumot_pose_times (models[0].pose, models[0].motion);
  KinfumotPose object = kinfumot_pose_times (m->drift,
      kinfumot_pose_times (models[0].pose, kinfumot_pose_back (m->pose)));
  KinfumotPose pose = kinfumot_pose_times (kinfumot_pose_back (object), camera);

  kinfumot_set_motion (
      m, kinfumot_pose_times (kinfumot_pose_back (m->pose), pose));
}

/* Minimum share of the points that match the background. */
#define KINFUMOT_LEAST_SHARE .25
#define KINFUMOT_MOST_RESIDUAL .03 /* metres */

/* Whether the motion of a model can be believed; @points: all that have a
 * normal. */
BOTH void
kinfumot_judge (KinfumotModel *models, int model, uint32_t points)
{
  KinfumotModel *m = &models[model];

  if (m->active == KINFUMOT_CARRIED)
    m->good = true;
  else
    m->good = m->solved && m->residual < KINFUMOT_MOST_RESIDUAL &&
        (model || m->points >= KINFUMOT_LEAST_SHARE * points);
  if (model && !models[0].good)
    m->good = false;
  if (!model && !m->good)
    kinfumot_set_motion (m, kinfumot_pose_none ());
}

/* A camera that comes no farther from where it came to rest stands still: the
 * estimates around it are noise.  Were they fused for ever, the model would
 * follow what is constant in their errors, and the camera the model. */
#define KINFUMOT_REST .002        /* metres */
#define KINFUMOT_REST_TURN .99999 /* the cosine of half of 0.5 degrees */

BOTH void
kinfumot_rest (KinfumotModel *m, KinfumotPose pose)
{
  double step = 0, turn = 0;

  for (int i = 0; i < 3; i++)
    step += (pose.t[i] - m->rest.t[i]) * (pose.t[i] - m->rest.t[i]);
  for (int i = 0; i < 4; i++)
    turn += pose.q[i] * m->rest.q[i];
  m->still = step < KINFUMOT_REST * KINFUMOT_REST &&
      (turn > KINFUMOT_REST_TURN || -turn > KINFUMOT_REST_TURN);
  if (!m->still)
    m->rest = pose;
}

/* A model's pose after this frame; the background's comes last. */
BOTH void
kinfumot_go_on (KinfumotModel *models, int model)
{
  KinfumotModel *m = &models[model];
  KinfumotPose pose = kinfumot_pose_times (m->pose, m->motion);

  if (model && !models[0].good)
    return;
  if (model && m->good) {
    KinfumotPose camera =
        kinfumot_pose_times (models[0].pose, models[0].motion);
    KinfumotPose before =
        kinfumot_pose_times (models[0].pose, kinfumot_pose_back (m->pose));
    KinfumotPose after =
        kinfumot_pose_times (camera, kinfumot_pose_back (pose));

    m->drift = kinfumot_pose_times (after, kinfumot_pose_back (before));
  }
  if (!model)
    kinfumot_rest (m, pose);
  kinfumot_set_pose (m, pose);
}
