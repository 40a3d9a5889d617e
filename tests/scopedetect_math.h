/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What scopedetect computes of numbers, turns and pairs, against libm and by
 * hand. */
#pragma once

#include "check.h"
#include "scopedetect/scopedetect_align.h"
#include "scopedetect/scopedetect_colour.h"
#include "scopedetect/scopedetect_features.h"

static inline float
unit_random (void)
{
  return (float) rnd (2000001) / 1000000 - 1;
}

static inline ScopedetectVec
random_vec (void)
{
  ScopedetectVec v = {unit_random (), unit_random (), unit_random ()};

  return v;
}

static inline ScopedetectQuat
random_turn (void)
{
  ScopedetectQuat q;

  do {
    q = scopedetect_quat (
        unit_random (), unit_random (), unit_random (), unit_random ());
  } while (scopedetect_quat_dot (q, q) < .1f);
  return scopedetect_quat_unit (q);
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
  ScopedetectVec white = scopedetect_lab (255, 255, 255);
  ScopedetectVec black = scopedetect_lab (0, 0, 0);
  ScopedetectVec red = scopedetect_lab (255, 0, 0);

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
    ScopedetectQuat a = random_turn (), b = random_turn (), back, f;
    ScopedetectTurn ra = scopedetect_turn (a), rb = scopedetect_turn (b), rf;
    ScopedetectVec v = random_vec (), w, u;
    ScopedetectTurn both = scopedetect_turn (scopedetect_times (a, b));

    w = scopedetect_sub (scopedetect_rotate (&both, v),
        scopedetect_rotate (&ra, scopedetect_rotate (&rb, v)));
    check (scopedetect_norm (w) < 3e-6f);
    u = scopedetect_unrotate (&ra, scopedetect_rotate (&ra, v));
    check (scopedetect_norm (scopedetect_sub (u, v)) < 3e-6f);
    back = scopedetect_quat_of (ra);
    check_near (fabsf (scopedetect_quat_dot (back, a)), 1, 1e-5);
    f = scopedetect_flip (a);
    rf = scopedetect_turn (f);
    check_near (scopedetect_quat_dot (a, f), 0, 1e-6);
    check_near (scopedetect_dot (rf.x, ra.x), 1, 1e-5);
    check_near (scopedetect_dot (rf.y, ra.y), -1, 1e-5);
  }
}

/* The least axis of points in a plane is its normal. */
static inline void
test_least_axis (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 300; i++) {
    ScopedetectVec n = scopedetect_unit (random_vec ());
    ScopedetectVec a = scopedetect_across (n), b = scopedetect_cross (n, a);
    float m[6] = {0};

    for (int k = 0; k < 30; k++) {
      ScopedetectVec p = scopedetect_add (scopedetect_scale (a, unit_random ()),
          scopedetect_scale (b, unit_random ()));

      p = scopedetect_add (p, scopedetect_scale (n, .003f * unit_random ()));
      m[0] += p.x * p.x, m[1] += p.x * p.y, m[2] += p.x * p.z;
      m[3] += p.y * p.y, m[4] += p.y * p.z, m[5] += p.z * p.z;
    }
    check (fabsf (scopedetect_dot (scopedetect_least_axis (m), n)) > .9999f);
  }
}

/* Points and their images under a known turn and step: both come back. */
static inline void
test_procrustes (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 300; i++) {
    ScopedetectQuat q = random_turn ();
    ScopedetectTurn r = scopedetect_turn (q);
    ScopedetectVec step = scopedetect_scale (random_vec (), .3f);
    ScopedetectVec zero = {0, 0, 0};
    ScopedetectPairs pairs;
    ScopedetectPose found;
    double c[4][4], direct = 0;
    int n = 3 + (int) rnd (20);
    ScopedetectVec x[23];

    memset (&pairs, 0, sizeof pairs);
    for (int k = 0; k < n; k++) {
      x[k] = scopedetect_scale (random_vec (), .7f);
      scopedetect_add_pair (&pairs, x[k], scopedetect_apply (&r, step, x[k]));
    }
    scopedetect_horn (&pairs, 1, c);
    /* q^T N q is the sum of b^T R a over the centred pairs */
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        direct += ((k == j) - 1. / n) * scopedetect_dot (x[k], x[j]);
    check_near (scopedetect_form (c, q), direct, 1e-4 * n);
    found.q = scopedetect_mode (c);
    /* three points may nearly lie in a line: half a degree */
    check (fabsf (scopedetect_quat_dot (found.q, q)) > .99999f);
    found = scopedetect_means_agree (&pairs, found.q, zero, zero, 1);
    check (scopedetect_norm (scopedetect_sub (found.t, step)) < .01f);
  }
}

/* One pair of oriented features decides the turn alone; which of two, the
 * points say. */
static inline void
test_feature_pairs (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 200; i++) {
    ScopedetectQuat q = random_turn (), f = random_turn (), seen, back;
    ScopedetectTurn r = scopedetect_turn (q);
    ScopedetectPairs pairs;
    double c[4][4];

    memset (&pairs, 0, sizeof pairs);
    for (int k = 0; k < 4; k++) {
      ScopedetectVec x = scopedetect_scale (random_vec (), .3f);

      scopedetect_add_pair (&pairs, x, scopedetect_rotate (&r, x));
    }
    scopedetect_horn (&pairs, .1, c);
    seen = scopedetect_times (q, f);
    if (rnd (2)) /* the sign of curvature is anyone's guess */
      seen = scopedetect_flip (seen);
    back = scopedetect_conjugate (f);
    scopedetect_add_feature (c, scopedetect_times (seen, back),
        scopedetect_times (scopedetect_flip (seen), back), 50);
    check (fabsf (scopedetect_quat_dot (scopedetect_mode (c), q)) > .9999f);
  }
  check (
      scopedetect_sureness (1, 1) == 0 && scopedetect_sureness (3, 0) == 100);
}
