/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers and features of scopedetect: by hand and against slow versions.
 */

#include "check.h"
#include "scopedetect/model/shape.h"
#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/thesis/align_core.h"

/* ==== What scopedetect computes of numbers, turns and pairs, against libm
 * and by hand. ==== */

static float
unit_random (void)
{
  return (float) rnd (2000001) / 1000000 - 1;
}

static Vec
random_vec (void)
{
  Vec v = {unit_random (), unit_random (), unit_random ()};

  return v;
}

static Quat
random_turn (void)
{
  Quat q;

  do {
    q = quat (unit_random (), unit_random (), unit_random (), unit_random ());
  } while (quat_dot (q, q) < .1f);
  return quat_unit (q);
}

static void
test_functions (DeviceKind kind)
{
  for (int i = 0; i < 20000; i++) {
    float x = -(float) rnd (8700000) / 1e5f,
          y = (float) (rnd (1 << 30) + 1) / 1e5f;

    check_near (math_exp (x) / exp (x), 1, 1e-5);
    check_near (math_log (y), log (y), 2e-6 * (1 + fabs (log (y))));
    y = .0088f + .9912f * (float) rnd (1000001) / 1e6f;
    check_near (math_cbrt (y), cbrt (y), 3e-5);
  }
  check (math_exp (0) == 1 && math_exp (-1000) == 0);
  check (math_exp (-INFINITY) == 0 && math_log (1) == 0);
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
static void
test_lab (DeviceKind kind)
{
  Vec white = scopedetect_lab (255, 255, 255);
  Vec black = scopedetect_lab (0, 0, 0);
  Vec red = scopedetect_lab (255, 0, 0);

  check_near (white.x, 100, .01);
  check_near (white.y, 0, .1);
  check_near (white.z, 0, .1);
  check_near (black.x, 0, .01);
  check_near (red.x, 53.24, .1);
  check_near (red.y, 80.09, .2);
  check_near (red.z, 67.20, .3);
}

static void
test_turns (DeviceKind kind)
{
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

/* The shortest axis of points in a plane is its normal. */
static void
test_min_axis (DeviceKind kind)
{
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
    check (fabsf (vec_dot (scopedetect_min_axis (m), n)) > .9999f);
  }
}

/* Points and their images under a known turn and step: both come back. */
static void
test_procrustes (DeviceKind kind)
{
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
static void
test_feature_pairs (DeviceKind kind)
{
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

/* ==== Features of clouds: by hand, and against a slow version in doubles
 * that was written from the paper's and PCL's formulas, with angles. ==== */

#define CLOUD_RADIUS .02f

typedef struct {
  DeviceMemory memory;
  ScopedetectCloud cloud;
} Surface;

/* @n points of a surface z (x, y) with its normals. */
static ScopedetectCloud *
surface_open (Surface *s, int n, float (*z) (float x, float y))
{
  ScopedetectCloud *c = &s->cloud;
  const float e = 1e-3f;

  memory_open (&s->memory, device_host ());
  ok (scopedetect_cloud_new (&s->memory, c, n, false, true));
  c->n = n;
  for (int i = 0; i < n; i++) {
    float x = .05f * unit_random (), y = .05f * unit_random ();

    c->x[i] = vec (x, y, z (x, y));
    c->normal[i] = vec_unit (vec ((z (x - e, y) - z (x + e, y)) / (2 * e),
        (z (x, y - e) - z (x, y + e)) / (2 * e), 1));
  }
  scopedetect_set_grid (c, CLOUD_RADIUS);
  scopedetect_set_features (c, CLOUD_RADIUS);
  return c;
}

static float
flat (float x, float y)
{
  (void) x, (void) y;
  return .5f;
}

static float
waves (float x, float y)
{
  return .5f + .01f * sinf (60 * x) * cosf (45 * y) + .1f * x;
}

/* A cylinder along y of radius 10 cm. */
static float
barrel (float x, float y)
{
  (void) y;
  return sqrtf (.01f - x * x);
}

/* In a plane all three angles are 0: everything is in the middle bins. */
static void
test_plane (DeviceKind kind)
{
  Surface s;
  ScopedetectCloud *c = surface_open (&s, 500, flat);
  int bin[3];
  Vec a = {0, 0, 0}, b = {.01f, 0, 0}, up = {0, 0, 1};

  check (scopedetect_pair (a, up, b, up, bin));
  check (bin[0] == 5 && bin[1] == 16 && bin[2] == 27);
  check (!scopedetect_pair (a, up, a, up, bin));
  /* along the line of a normal there is no frame */
  check (!scopedetect_pair (a, up, vec (0, 0, 1), up, bin));
  /* the second normal lies nearer to the line, and becomes the first: f3 is
   * minus its cosine, that is -0.6: 11 (0.4 / 2) = 2.2 */
  check (scopedetect_pair (a, up, b, vec (.6f, 0, .8f), bin));
  check (bin[2] == 24);
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < SCOPEDETECT_BINS; k++)
      check_near (c->fpfh[i * SCOPEDETECT_BINS + k],
          k == 5 || k == 16 || k == 27 ? 100 : 0, 1e-3);
  memory_free (&s.memory);
}

/* Curvature goes around a barrel, not along it. */
static void
test_curvature (DeviceKind kind)
{
  Surface s;
  ScopedetectCloud *c = surface_open (&s, 1500, barrel);

  for (int i = 0; i < c->n; i++) {
    Turn f = turn_of (c->frame[i]);

    if (fabsf (c->x[i].x) > .03f || fabsf (c->x[i].y) > .03f)
      continue;
    check_near (vec_dot (f.x, c->normal[i]), 1, 1e-5);
    check (fabsf (f.y.y) < .05f);
    check (c->pc1[i] > 100 * c->pc2[i]);
  }
  memory_free (&s.memory);
}

/* Bins of a pair, with doubles and angles. */
static bool
slow_pair (const ScopedetectCloud *c, int i, int j, int bin[3])
{
  double p[2][3] = {
      {c->x[i].x, c->x[i].y, c->x[i].z}, {c->x[j].x, c->x[j].y, c->x[j].z}};
  double n[2][3] = {{c->normal[i].x, c->normal[i].y, c->normal[i].z},
      {c->normal[j].x, c->normal[j].y, c->normal[j].z}};
  double d[3], v[3], w[3], len = 0, a[2] = {0, 0}, vl, f1y = 0, f1x = 0, f2 = 0;
  int s, t;

  for (int k = 0; k < 3; k++)
    d[k] = p[1][k] - p[0][k], len += d[k] * d[k];
  len = sqrt (len);
  if (len == 0)
    return false;
  for (int k = 0; k < 3; k++)
    a[0] += n[0][k] * d[k] / len, a[1] += n[1][k] * d[k] / len;
  s = acos (fabs (a[0])) > acos (fabs (a[1])); /* which is the source */
  t = !s;
  for (int k = 0; k < 3; k++)
    d[k] *= s ? -1 / len : 1 / len;
  for (int k = 0; k < 3; k++)
    v[k] =
        d[(k + 1) % 3] * n[s][(k + 2) % 3] - d[(k + 2) % 3] * n[s][(k + 1) % 3];
  vl = sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (vl == 0)
    return false;
  for (int k = 0; k < 3; k++)
    v[k] /= vl;
  for (int k = 0; k < 3; k++)
    w[k] =
        n[s][(k + 1) % 3] * v[(k + 2) % 3] - n[s][(k + 2) % 3] * v[(k + 1) % 3];
  for (int k = 0; k < 3; k++)
    f1y += w[k] * n[t][k], f1x += n[s][k] * n[t][k], f2 += v[k] * n[t][k];
  bin[0] = (int) floor (11 * (atan2 (f1y, f1x) + M_PI) / (2 * M_PI));
  bin[1] = (int) floor (11 * (f2 + 1) / 2);
  bin[2] = (int) floor (11 * ((s ? -a[1] : a[0]) + 1) / 2);
  for (int k = 0; k < 3; k++)
    bin[k] = (bin[k] < 0 ? 0 : bin[k] > 10 ? 10 : bin[k]) + 11 * k;
  return true;
}

static double
slow_distance2 (const ScopedetectCloud *c, int i, int j)
{
  double x = (double) c->x[i].x - c->x[j].x, y = (double) c->x[i].y - c->x[j].y;
  double z = (double) c->x[i].z - c->x[j].z;

  return x * x + y * y + z * z;
}

/* All pairs, in doubles; @h: SPFH, then FPFH, of every point. */
static void
slow_fpfh (const ScopedetectCloud *c, double (*s)[SCOPEDETECT_BINS],
    double (*h)[SCOPEDETECT_BINS])
{
  const double r2 = (double) CLOUD_RADIUS * CLOUD_RADIUS;
  int bin[3];

  for (int i = 0; i < c->n; i++) {
    int k = 0;

    for (int j = 0; j < c->n; j++) {
      if (slow_distance2 (c, i, j) > r2)
        continue;
      k++;
      if (j != i && slow_pair (c, i, j, bin))
        s[i][bin[0]]++, s[i][bin[1]]++, s[i][bin[2]]++;
    }
    for (int b = 0; b < SCOPEDETECT_BINS; b++)
      s[i][b] *= k > 1 ? 100. / (k - 1) : 0;
  }
  for (int i = 0; i < c->n; i++) {
    double sum[3] = {0};

    for (int j = 0; j < c->n; j++)
      for (int b = 0; j != i && b < SCOPEDETECT_BINS; b++)
        if (slow_distance2 (c, i, j) <= r2)
          h[i][b] += s[j][b] / slow_distance2 (c, i, j);
    for (int b = 0; b < SCOPEDETECT_BINS; b++)
      sum[b / 11] += h[i][b];
    for (int b = 0; b < SCOPEDETECT_BINS; b++)
      h[i][b] *= sum[b / 11] > 0 ? 100 / sum[b / 11] : 0;
  }
}

/* A bin changes where an angle lies on its border, for floats: rarely, and by
 * little. */
static void
test_fpfh (DeviceKind kind)
{
  Surface s;
  ScopedetectCloud *c = surface_open (&s, 900, waves);
  double (*slow)[SCOPEDETECT_BINS] = calloc ((size_t) c->n, sizeof *slow);
  double (*h)[SCOPEDETECT_BINS] = calloc ((size_t) c->n, sizeof *h);
  int off = 0;

  slow_fpfh (c, slow, h);
  for (int i = 0; i < c->n; i++)
    for (int b = 0; b < SCOPEDETECT_BINS; b++) {
      double d = fabs (c->fpfh[i * SCOPEDETECT_BINS + b] - h[i][b]);

      off += d > 2e-3;
      check (d < 1);
      check (
          abs (c->code[i * SCOPEDETECT_CODE + b] -
              (int) floor (2 * c->fpfh[i * SCOPEDETECT_BINS + b] + .5)) == 0);
    }
  check (off < c->n * SCOPEDETECT_BINS / 100);
  free (slow);
  free (h);
  memory_free (&s.memory);
}

CHECK_MAIN (NULL, NULL, PART (functions), {"colours", test_lab}, PART (turns),
    {"shortest axis", test_min_axis}, {"Procrustes", test_procrustes},
    {"pairs of features", test_feature_pairs},
    {"features of a plane", test_plane}, PART (curvature), {"FPFH", test_fpfh})
