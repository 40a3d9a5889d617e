/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What scopedetect computes of numbers, turns and pairs, against libm and by
 * hand. */
#pragma once

#include "check.h"
#include "scopedetect/thesis/align.h"
#include "scopedetect/scopedetect_colour.h"
#include "scopedetect/scopedetect_features.h"

static inline float
unit_random (void)
{
  return (float) rnd (2000001) / 1000000 - 1;
}

static inline Vec
random_vec (void)
{
  Vec v = {unit_random (), unit_random (), unit_random ()};

  return v;
}

static inline Quat
random_turn (void)
{
  Quat q;

  do {
    q = quat (unit_random (), unit_random (), unit_random (), unit_random ());
  } while (quat_dot (q, q) < .1f);
  return quat_unit (q);
}

static inline void
test_functions (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 20000; i++) {
    float x = -(float) rnd (8700000) / 1e5f,
          y = (float) (rnd (1 << 30) + 1) / 1e5f;

    check_near (scopedetect_exp (x) / exp (x), 1, 1e-5);
    check_near (scopedetect_log (y), log (y), 2e-6 * (1 + fabs (log (y))));
    y = .0088f + .9912f * (float) rnd (1000001) / 1e6f;
    check_near (scopedetect_cbrt (y), cbrt (y), 3e-5);
  }
  check (scopedetect_exp (0) == 1 && scopedetect_exp (-1000) == 0);
  check (scopedetect_exp (-INFINITY) == 0 && scopedetect_log (1) == 0);
  for (int i = 0; i < 20000; i++) {
    float y = unit_random (), x = unit_random ();
    double bin = 11 * (atan2 (y, x) + M_PI) / (2 * M_PI);

    if (fabs (bin - round (bin)) > 1e-5)
      check (scopedetect_angle_bin (y, x) == (int) bin);
  }
  check (
      scopedetect_angle_bin (0, 0) == 5 && scopedetect_angle_bin (0, -1) == 10);
}

/* Known colours: white, black, pure red (Lindbloom). */
static inline void
test_lab (DeviceKind kind)
{
  Vec white = scopedetect_lab (255, 255, 255);
  Vec black = scopedetect_lab (0, 0, 0);
  Vec red = scopedetect_lab (255, 0, 0);

  (void) kind;
  check_near (white.x, 100, .01);
  check_near (white.y, 0, .1);
  check_near (white.z, 0, .1);
  check_near (black.x, 0, .01);
  check_near (red.x, 53.24, .1);
  check_near (red.y, 80.09, .2);
  check_near (red.z, 67.20, .3);
}

static inline void
test_turns (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 1000; i++) {
    Quat a = random_turn (), b = random_turn (), back, f;
    Turn ra = turn_of (a), rb = turn_of (b), rf;
    Vec v = random_vec (), w, u;
    Turn both = turn_of (quat_times (a, b));

    w = vec_sub (vec_rotate (&both, v), vec_rotate (&ra, vec_rotate (&rb, v)));
    check (vec_norm (w) < 3e-6f);
    u = vec_unrotate (&ra, vec_rotate (&ra, v));
    check (vec_norm (vec_sub (u, v)) < 3e-6f);
    back = quat_of (ra);
    check_near (fabsf (quat_dot (back, a)), 1, 1e-5);
    f = scopedetect_flip (a);
    rf = turn_of (f);
    check_near (quat_dot (a, f), 0, 1e-6);
    check_near (vec_dot (rf.x, ra.x), 1, 1e-5);
    check_near (vec_dot (rf.y, ra.y), -1, 1e-5);
  }
}

/* The least axis of points in a plane is its normal. */
static inline void
test_least_axis (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 300; i++) {
    Vec n = vec_unit (random_vec ());
    Vec a = scopedetect_across (n), b = vec_cross (n, a);
    float m[6] = {0};

    for (int k = 0; k < 30; k++) {
      Vec p = vec_add (
          vec_scale (a, unit_random ()), vec_scale (b, unit_random ()));

      p = vec_add (p, vec_scale (n, .003f * unit_random ()));
      m[0] += p.x * p.x, m[1] += p.x * p.y, m[2] += p.x * p.z;
      m[3] += p.y * p.y, m[4] += p.y * p.z, m[5] += p.z * p.z;
    }
    check (fabsf (vec_dot (scopedetect_least_axis (m), n)) > .9999f);
  }
}

/* Points and their images under a known turn and step: both come back. */
static inline void
test_procrustes (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 300; i++) {
    Quat q = random_turn ();
    Turn r = turn_of (q);
    Vec step = vec_scale (random_vec (), .3f);
    Vec zero = {0, 0, 0};
    ScopedetectPairs pairs;
    Pose found;
    double c[4][4], direct = 0;
    int n = 3 + (int) rnd (20);
    Vec x[23];

    memset (&pairs, 0, sizeof pairs);
    for (int k = 0; k < n; k++) {
      x[k] = vec_scale (random_vec (), .7f);
      scopedetect_add_pair (&pairs, x[k], vec_transform (&r, step, x[k]));
    }
    scopedetect_horn (&pairs, 1, c);
    /* q^T N q is the sum of b^T R a over the centred pairs */
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        direct += ((k == j) - 1. / n) * vec_dot (x[k], x[j]);
    check_near (scopedetect_form (c, q), direct, 1e-4 * n);
    found.q = scopedetect_mode (c);
    /* three points may nearly lie in a line: half a degree */
    check (fabsf (quat_dot (found.q, q)) > .99999f);
    found = scopedetect_means_agree (&pairs, found.q, zero, zero, 1);
    check (vec_norm (vec_sub (found.t, step)) < .01f);
  }
}

/* One pair of oriented features decides the turn alone; which of two, the
 * points say. */
static inline void
test_feature_pairs (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 200; i++) {
    Quat q = random_turn (), f = random_turn (), seen, back;
    Turn r = turn_of (q);
    ScopedetectPairs pairs;
    double c[4][4];

    memset (&pairs, 0, sizeof pairs);
    for (int k = 0; k < 4; k++) {
      Vec x = vec_scale (random_vec (), .3f);

      scopedetect_add_pair (&pairs, x, vec_rotate (&r, x));
    }
    scopedetect_horn (&pairs, .1, c);
    seen = quat_times (q, f);
    if (rnd (2)) /* the sign of curvature is anyone's guess */
      seen = scopedetect_flip (seen);
    back = quat_conjugate (f);
    scopedetect_add_feature (c, quat_times (seen, back),
        quat_times (scopedetect_flip (seen), back), 50);
    check (fabsf (quat_dot (scopedetect_mode (c), q)) > .9999f);
  }
  check (
      scopedetect_sureness (1, 1) == 0 && scopedetect_sureness (3, 0) == 100);
}
