/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * meson test -C build depthalign-known.  Depth of planes and balls that two
 * cameras see, rays that are intersected one by one, holes, and both backends
 * against each other. */
#include <math.h>

#include "depthalign/depthalign.h"
#include "failing.h"
#include "frames.h"
#include "seconds.h"

AUTO_POINTER (Aligner, Depthalign, depthalign_free)

static const double no_distortion[5];
static const double kinect_distortion[5] = {.09, -.27, .001, -.0015, .09};

/* ---- Depth, and its alignment on a device ---- */

static uint16_t *
depth_at (const Frame *f, int x, int y)
{
  return (uint16_t *) (void *) (f->image.plane[0] +
             (ptrdiff_t) y * f->image.stride[0]) +
      x;
}

static Frame
depth_new (int width, int height)
{
  Frame f = frame_new (IMAGE_GRAY16, width, height, 6, 2);

  frame_fill_rows (&f, 0);
  return f;
}

/* A camera whose width is 60 degrees, which looks straight ahead. */
static Camera
camera_of (int width, int height, const double distortion[5])
{
  Camera c = {.fx = .866 * width,
      .fy = .866 * width,
      .cx = (width - 1) / 2.,
      .cy = (height - 1) / 2.};

  memcpy (c.distortion, distortion, sizeof c.distortion);
  return c;
}

/* A transform by @t after a rotation by @degrees about each axis. */
static Pose64
transform_by (const double t[3], const double degrees[3])
{
  Pose64 p = pose64_identity ();

  for (int i = 0; i < 3; i++) {
    Pose64 turn = pose64_identity ();

    turn.q[0] = cos (degrees[i] * M_PI / 360);
    turn.q[1 + i] = sin (degrees[i] * M_PI / 360);
    p = pose64_times (turn, p);
  }
  memcpy (p.t, t, sizeof p.t);
  return p;
}

static DepthalignParams
params_of (const Frame *depth, const Frame *target)
{
  DepthalignParams p = depthalign_defaults ();

  p.depth = camera_of (depth->image.width, depth->image.height, no_distortion);
  p.target =
      camera_of (target->image.width, target->image.height, no_distortion);
  return p;
}

/* Aligns @times times, the last time into @target. */
static const char *
align_times (DeviceKind kind, const DepthalignParams *p, const Frame *depth,
    Frame *target, DepthalignCounts *counts, int times)
{
  AUTO (Device) dev = device_of (kind);
  Depthalign *d = NULL;
  const DepthalignCounts *found = NULL;
  void *memory[2];
  Image from = frame_to_device (depth, &dev, &memory[0]);
  Image to = frame_to_device (target, &dev, &memory[1]);
  const char *err =
      depthalign_new (&d, &dev, from.width, from.height, to.width, to.height);

  for (int i = 0; i < times && !err; i++) {
    err = depthalign_run (d, p, &from, &to, &found);
    ok (device_wait (&dev));
  }
  if (!err && counts)
    *counts = *found;
  depthalign_free (d);
  frame_from_device (target, &dev, memory[1]);
  device_release (&dev, memory[0]);
  check (frame_is_unharmed (target));
  return err;
}

static void
align (DeviceKind kind, const DepthalignParams *p, const Frame *depth,
    Frame *target, DepthalignCounts *counts)
{
  ok (align_times (kind, p, depth, target, counts, 1));
}

/* ---- Surfaces that rays meet ---- */

/* Of a plane n x = 1 and of a ball before it, in the depth camera's
 * coordinates, metres. */
typedef struct {
  double n[3];
  double ball[3], radius; /* 0: there is no ball */
} World;

static double
dot3 (const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far the ray from @at along @way goes until it meets the world; 0: it
 * does not.  *@on_ball: what it meets. */
static double
meet (const World *w, const double at[3], const double way[3], bool *on_ball)
{
  double s = (1 - dot3 (w->n, at)) / dot3 (w->n, way);
  double from[3], a = dot3 (way, way), b, c;

  *on_ball = false;
  for (int i = 0; i < 3; i++)
    from[i] = at[i] - w->ball[i];
  b = dot3 (from, way);
  c = dot3 (from, from) - w->radius * w->radius;
  if (w->radius > 0 && b * b - a * c > 0) {
    double t = (-b - sqrt (b * b - a * c)) / a;

    if (t > 0 && (t < s || s <= 0)) {
      *on_ball = true;
      return t;
    }
  }
  return s > 0 ? s : 0;
}

/* The depth that a camera with the pose @p, from the depth camera, measures
 * at a pixel, metres; 0: none. */
static double
true_depth (const World *w, const Camera *c, const Pose64 *p, int x, int y,
    bool *on_ball)
{
  Pose64 back = pose64_inverse (*p);
  double ray[3] = {0, 0, 1}, way[3];

  *on_ball = false;
  if (!camera_ray (c, x, y, ray))
    return 0;
  quat64_rotate (back.q, ray, way);
  return meet (w, back.t, way, on_ball);
}

/* The depth camera's measurement. */
static void
measure (const World *w, const DepthalignParams *p, Frame *depth)
{
  Pose64 here = pose64_identity ();
  bool on_ball;

  for (int y = 0; y < depth->image.height; y++)
    for (int x = 0; x < depth->image.width; x++)
      *depth_at (depth, x, y) = (uint16_t) (.5 +
          true_depth (w, &p->depth, &here, x, y, &on_ball) / p->depth_scale);
}

/* ---- Known answers ---- */

/* A camera on itself. */
static void
test_identity (DeviceKind kind)
{
  for (int i = 0; i < 4; i++) {
    AUTO (Frame) depth = depth_new (61 + i, 37);
    AUTO (Frame) target = depth_new (61 + i, 37);
    DepthalignParams p = params_of (&depth, &target);
    DepthalignCounts counts;
    uint32_t n = 0;
    bool same = true;

    if (i & 1) {
      memcpy (p.depth.distortion, kinect_distortion, sizeof kinect_distortion);
      p.target = p.depth;
    }
    for (int y = 0; y < 37; y++)
      for (int x = 0; x < 61 + i; x++) {
        *depth_at (&depth, x, y) =
            (uint16_t) (i & 2 ? rnd (2) * rnd (65536) : 900 + x + rnd (9));
        n += *depth_at (&depth, x, y) > 0;
      }
    align (kind, &p, &depth, &target, &counts);
    check (counts.measured == n && counts.ahead == n && counts.landed == n);
    for (int y = 0; y < 37; y++)
      for (int x = 0; x < 61 + i; x++)
        same = same && *depth_at (&depth, x, y) == *depth_at (&target, x, y);
    check (same);
  }
}

/* Rotations and places of the target camera. */
static const struct {
  double t[3], degrees[3];
  int width, height; /* of the target */
} views[] = {
    {{-.05, 0, 0}, {0, 0, 0}, 320, 180},
    {{-.02, .03, -.1}, {1, -2, 3}, 320, 180},
    {{.04, .01, .05}, {2, 3, 90}, 180, 320},
    {{-.06, 0, 0}, {0, 5, 180}, 100, 80},
    {{0, 0, 0}, {0, 0, -37}, 640, 480},
};
#define N_VIEWS (int) (sizeof views / sizeof *views)

/* Counts the pixels of the target that should have a depth, and those whose
 * depth is wrong by more than @tolerance metres, or that have none. */
static int
wrong_pixels (const World *w, const DepthalignParams *p, const Frame *depth,
    const Frame *target, double tolerance, int *all)
{
  Pose64 back = pose64_inverse (p->transform);
  int wrong = 0;

  *all = 0;
  for (int y = 0; y < target->image.height; y++)
    for (int x = 0; x < target->image.width; x++) {
      bool on_ball;
      double z = true_depth (w, &p->target, &p->transform, x, y, &on_ball);
      double ray[3] = {0, 0, 1}, at[3], u, v;

      camera_ray (&p->target, x, y, ray);
      for (int i = 0; i < 3; i++)
        ray[i] *= z;
      quat64_rotate (back.q, ray, at);
      for (int i = 0; i < 3; i++)
        at[i] += back.t[i];
      u = p->depth.fx * at[0] / at[2] + p->depth.cx;
      v = p->depth.fy * at[1] / at[2] + p->depth.cy;
      if (z <= 0 || at[2] <= 0 || u < 1 || v < 1 ||
          u > depth->image.width - 2 || v > depth->image.height - 2)
        continue;
      ++*all;
      wrong +=
          !(fabs (*depth_at (target, x, y) * p->depth_scale - z) <= tolerance);
    }
  return wrong;
}

/* A slanted plane: every pixel of the target that sees a part of it that the
 * depth camera sees, too, has its depth, also where the target has three times
 * as many pixels. */
static void
test_plane (DeviceKind kind)
{
  for (int i = 0; i < N_VIEWS; i++)
    for (int k = 0; k < 2; k++) {
      World w = {.n = {.25, .3, .8}};
      AUTO (Frame) depth = depth_new (201, 150);
      AUTO (Frame) target = depth_new (views[i].width, views[i].height);
      DepthalignParams p = params_of (&depth, &target);
      int all, wrong;

      p.depth_scale = .00025;
      p.transform = transform_by (views[i].t, views[i].degrees);
      if (k)
        memcpy (
            p.target.distortion, kinect_distortion, sizeof kinect_distortion);
      measure (&w, &p, &depth);
      align (kind, &p, &depth, &target, NULL);
      wrong = wrong_pixels (&w, &p, &depth, &target, .0005, &all);
      check (all > target.image.width * target.image.height / 4);
      check_near (wrong, 0, 0);
    }
}

/* A ball before a plane.  What the target sees beside the ball, and the depth
 * camera does not, is a hole. */
static void
test_hole (DeviceKind kind)
{
  World w = {.n = {0, 0, .5}, .ball = {0, 0, 1}, .radius = .15};
  AUTO (Frame) depth = depth_new (320, 240);
  AUTO (Frame) target = depth_new (640, 480);
  DepthalignParams p = params_of (&depth, &target);
  int holes[2] = {0, 0}, filled = 0, wrong = 0, row = 240;

  p.transform.t[0] = -.1;
  measure (&w, &p, &depth);
  align (kind, &p, &depth, &target, NULL);
  for (int x = 0; x < 540; x++) { /* the depth camera's right edge is near */
    bool on_ball;
    double z =
        true_depth (&w, &p.target, &p.transform, x, row, &on_ball) * 1000;
    uint16_t d = *depth_at (&target, x, row);

    holes[x < 264] += !d; /* of the ball's middle */
    filled += d > 0;
    wrong += d && fabs (d - z) > 4;
  }
  /* The camera moves to the right: a strip to the right of the ball is seen
   * that was hidden, as wide as the disparities of both differ. */
  check_near (holes[0], 554 * .1 * (1 / .98 - 1 / 2.), 3);
  check (holes[1] <= 2);
  check (wrong <= 4); /* at the ball's edges */
}

/* One pixel of depth alone covers as many pixels of the target as it is
 * large. */
static void
test_pixel (DeviceKind kind)
{
  AUTO (Frame) depth = depth_new (40, 30);
  AUTO (Frame) target = depth_new (160, 120);
  DepthalignParams p = params_of (&depth, &target);
  int n = 0;

  *depth_at (&depth, 20, 10) = 1234;
  align (kind, &p, &depth, &target, NULL);
  for (int y = 0; y < 120; y++)
    for (int x = 0; x < 160; x++) {
      uint16_t d = *depth_at (&target, x, y);

      check (d == 0 || d == 1234);
      check (!d || (abs (x - 82) <= 2 && abs (y - 42) <= 2));
      n += d > 0;
    }
  check_near (n, 16, 4.5);
}

/* Depth behind the target camera, and beside its view. */
static void
test_counts (DeviceKind kind)
{
  AUTO (Frame) depth = depth_new (40, 30);
  AUTO (Frame) target = depth_new (40, 30);
  DepthalignParams p = params_of (&depth, &target);
  DepthalignCounts counts;

  for (int x = 0; x < 40; x++)
    *depth_at (&depth, x, 9) = (uint16_t) (x < 10 ? 0 : 1000);
  p.transform.t[2] = -2;
  align (kind, &p, &depth, &target, &counts);
  check (counts.measured == 30 && counts.ahead == 0 && counts.landed == 0);
  p.transform = (Pose64){{10, 0, 0}, {1, 0, 0, 0}};
  align (kind, &p, &depth, &target, &counts);
  check (counts.measured == 30 && counts.ahead == 30 && counts.landed == 0);
  for (int y = 0; y < 30; y++)
    for (int x = 0; x < 40; x++)
      check (!*depth_at (&target, x, y));
}

/* Nothing of a frame stays in the next one. */
static void
test_again (DeviceKind kind)
{
  AUTO (Frame) depth = depth_new (40, 30);
  AUTO (Frame) once = depth_new (50, 40);
  AUTO (Frame) again = depth_new (50, 40);
  DepthalignParams p = params_of (&depth, &once);
  DepthalignCounts counts[2];

  for (int y = 0; y < 30; y++)
    for (int x = 0; x < 40; x++)
      *depth_at (&depth, x, y) = (uint16_t) (800 + 10 * rnd (9));
  frame_fill_rows (&again, -1);
  ok (align_times (kind, &p, &depth, &once, &counts[0], 1));
  ok (align_times (kind, &p, &depth, &again, &counts[1], 3));
  check (!memcmp (&counts[0], &counts[1], sizeof counts[0]));
  check (!memcmp (once.memory, again.memory, once.bytes));
}

/* ---- What is refused ---- */

static void
test_refused (DeviceKind kind)
{
  AUTO (Frame) depth = depth_new (8, 8);
  AUTO (Frame) target = depth_new (8, 8);
  AUTO (Device) dev = device_of (kind);
  AUTO (Aligner) none = NULL;
  static const double bad[] = {0, -2, NAN, INFINITY};

  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 6; k++) {
      DepthalignParams p = params_of (&depth, &target);
      double *const at[] = {&p.depth.fx, &p.depth.fy, &p.target.fx,
          &p.target.fy, &p.transform.q[0], &p.depth_scale};

      *at[k] = bad[i];
      check (align_times (kind, &p, &depth, &target, NULL, 1) != NULL);
    }
  for (int k = 0; k < 4; k++) {
    DepthalignParams p = params_of (&depth, &target);
    double *const at[] = {
        &p.depth.distortion[2], &p.target.cx, &p.transform.t[1], &p.max_step};

    *at[k] = NAN;
    check (align_times (kind, &p, &depth, &target, NULL, 1) != NULL);
  }
  check (depthalign_new (&none, &dev, 8, 0, 8, 8) != NULL);
}

/* Frames of one row or column, and numbers at the ends of their ranges. */
static void
test_extremes (DeviceKind kind)
{
  static const double far_away[] = {0, 1e-3, -1e3, 999e3};

  for (int i = 0; i < 200; i++) {
    AUTO (Frame) depth = depth_new (1 + (int) rnd (20), 1 + (int) rnd (9));
    AUTO (Frame) target = depth_new (1 + (int) rnd (70), 1 + (int) rnd (50));
    DepthalignParams p = params_of (&depth, &target);

    frame_fill_rows (&depth, i % 3 ? -1 : 255);
    p.max_step = i % 4 / 3.;
    p.depth_scale = i % 2 ? 1e-9 : 1e3;
    p.target.fx *= i % 5 ? 1 : 1e7;
    p.depth.distortion[0] = i % 7 ? 0 : -1e3;
    p.target.distortion[4] = i % 6 ? 0 : 1e300;
    p.transform = transform_by ((double[3]){far_away[rnd (4)], 0, 0},
        (double[3]){(double) rnd (360), (double) rnd (360), 0});
    align (kind, &p, &depth, &target, NULL);
  }
}

/* A device that fails leaves nothing behind. */
static void
test_failing (DeviceKind kind)
{
  bool fails = true;

  if (kind == DEVICE_CUDA)
    return;
  for (int at = 1; fails && at < 100; at++) {
    AUTO (Frame) depth = depth_new (8, 8);
    AUTO (Frame) target = depth_new (8, 8);
    DepthalignParams p = params_of (&depth, &target);
    const DepthalignCounts *counts;
    Depthalign *d = NULL;
    Device dev;

    ok (failing_open (&dev, kind, NULL));
    failing_reset (at);
    fails = depthalign_new (&d, &dev, 8, 8, 8, 8) != NULL ||
        depthalign_run (d, &p, &depth.image, &target.image, &counts) != NULL;
    depthalign_free (d);
    check (failing_blocks == 0);
    device_close (&dev);
  }
  check (!fails);
}

/* ---- Threads, and both backends ---- */

/* Steps, slants, noise and pixels without depth. */
static void
draw_steps (Frame *depth)
{
  for (int y = 0; y < depth->image.height; y++)
    for (int x = 0; x < depth->image.width; x++) {
      int z = 800 + 300 * (x / 29 % 3) + 200 * (y / 23 % 2) + x + 2 * y;

      *depth_at (depth, x, y) = (uint16_t) (rnd (40) ? z + (int) rnd (6) : 0);
    }
}

static DepthalignParams
draw_params (const Frame *depth, const Frame *target)
{
  DepthalignParams p = params_of (depth, target);
  double t[3], degrees[3];

  for (int k = 0; k < 3; k++) {
    t[k] = ((double) rnd (201) - 100) / 1000;
    degrees[k] = ((double) rnd (101) - 50) / 5;
  }
  degrees[2] *= 1 + 17 * rnd (2);
  p.transform = transform_by (t, degrees);
  if (rnd (2))
    memcpy (p.target.distortion, kinect_distortion, sizeof kinect_distortion);
  if (rnd (2))
    memcpy (p.depth.distortion, kinect_distortion, sizeof kinect_distortion);
  return p;
}

static void
test_threads (DeviceKind kind)
{
  if (kind == DEVICE_CUDA)
    return;
  for (int i = 0; i < 20; i++) {
    AUTO (Frame) depth = depth_new (200 + (int) rnd (99), 200);
    AUTO (Frame) one = depth_new (400, 300);
    AUTO (Frame) many = depth_new (400, 300);
    DepthalignParams p;
    DepthalignCounts counts[2];

    draw_steps (&depth);
    p = draw_params (&depth, &one);
    parallel_limit (1);
    align (kind, &p, &depth, &one, &counts[0]);
    parallel_limit (0);
    align (kind, &p, &depth, &many, &counts[1]);
    check (!memcmp (&counts[0], &counts[1], sizeof counts[0]));
    check (!memcmp (one.memory, many.memory, one.bytes));
  }
}

/* Rows without depth between two noisy surfaces, which cover the same rows of
 * the target. */
static void
test_gap (DeviceKind kind)
{
  AUTO (Frame) depth = depth_new (40, 161);
  AUTO (Frame) one = depth_new (640, 520);
  DepthalignParams p = params_of (&depth, &one);

  if (kind == DEVICE_CUDA)
    return;
  for (int y = 0; y < 161; y++)
    for (int x = 0; x < 40; x++)
      *depth_at (&depth, x, y) =
          (uint16_t) (y < 32 || y >= 128 ? 2500 + rnd (2500) : 0);
  p.max_step = 1;
  p.depth.fx = p.target.fx / 16;
  p.depth.fy = p.target.fy * 2;
  p.transform.t[1] = 1;
  parallel_limit (1);
  align (kind, &p, &depth, &one, NULL);
  parallel_limit (0);
  for (int i = 0; i < 100; i++) {
    AUTO (Frame) many = depth_new (640, 520);

    align (kind, &p, &depth, &many, NULL);
    check (!memcmp (one.memory, many.memory, one.bytes));
  }
}

static void
parity_random (DeviceKind kind)
{
  for (int i = 0; i < 60; i++) {
    AUTO (Frame) depth = depth_new (1 + (int) rnd (300), 1 + (int) rnd (200));
    AUTO (Frame) cpu = depth_new (1 + (int) rnd (500), 1 + (int) rnd (400));
    AUTO (Frame) gpu = frame_copy (&cpu);
    DepthalignParams p;
    DepthalignCounts counts[2];

    draw_steps (&depth);
    if (i % 8 == 7)
      frame_fill_rows (&depth, -1);
    p = draw_params (&depth, &cpu);
    p.max_step = i % 5 ? .02 : rnd (100) / 99.;
    align (DEVICE_CPU, &p, &depth, &cpu, &counts[0]);
    align (DEVICE_CUDA, &p, &depth, &gpu, &counts[1]);
    check (!memcmp (&counts[0], &counts[1], sizeof counts[0]));
    check (!memcmp (cpu.memory, gpu.memory, cpu.bytes));
  }
}

static const CheckPart parity[] = {{"random", parity_random}, {NULL, NULL}};

/* ---- Benchmark ---- */

#define RUNS 21
#define BATCH 20

static void
bench_sizes (DeviceKind kind, int width, int height, int to_width,
    int to_height, double noise)
{
  World w = {.n = {.1, .2, .5}, .ball = {0, 0, .9}, .radius = .2};
  AUTO (Frame) depth = depth_new (width, height);
  AUTO (Frame) target = depth_new (to_width, to_height);
  DepthalignParams p = params_of (&depth, &target);
  AUTO (Device) dev = device_of (kind);
  AUTO (Aligner) d = NULL;
  const DepthalignCounts *counts;
  DeviceTimer timer = {0};
  double times[RUNS], cpu[RUNS];
  void *memory[2];
  Image from, to;

  p.transform =
      transform_by ((double[3]){-.025, 0, .004}, (double[3]){.3, .1, -.2});
  measure (&w, &p, &depth);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      *depth_at (&depth, x, y) = (uint16_t) (rnd (100) < 100 * noise
              ? 0
              : *depth_at (&depth, x, y) + rnd (3));
  from = frame_to_device (&depth, &dev, &memory[0]);
  to = frame_to_device (&target, &dev, &memory[1]);
  ok (depthalign_new (&d, &dev, width, height, to_width, to_height));
  ok (depthalign_run (d, &p, &from, &to, &counts));
  for (int i = 0; i < RUNS; i++) {
    double before = cpu_seconds ();

    ok (device_timer_begin (&dev, &timer));
    for (int k = 0; k < BATCH; k++)
      ok (depthalign_run (d, &p, &from, &to, &counts));
    ok (device_timer_end (&dev, &timer, &times[i]));
    cpu[i] = cpu_seconds () - before;
  }
  printf ("%-4s %dx%d to %dx%d, %2.0f %% without depth: %8.1f us",
      kind ? "CUDA" : "CPU", width, height, to_width, to_height, 100 * noise,
      1e6 * bench_median (times, RUNS) / BATCH);
  printf (", CPU time %8.1f us\n", 1e6 * bench_median (cpu, RUNS) / BATCH);
  device_timer_free (&timer);
  device_release (&dev, memory[0]);
  device_release (&dev, memory[1]);
}

static int
bench (int argc, char **argv)
{
  /* --bench cuda: the GPU alone */
  for (DeviceKind kind = argc > 2 ? DEVICE_CUDA : DEVICE_CPU;
       kind <= DEVICE_CUDA; kind++) {
    if (kind == DEVICE_CUDA && device_cuda_probe ())
      break;
    bench_sizes (kind, 640, 480, 1280, 720, 0);
    bench_sizes (kind, 640, 480, 1280, 720, .1);
    bench_sizes (kind, 640, 480, 640, 480, 0);
    bench_sizes (kind, 1280, 720, 640, 480, 0);
  }
  return check_failures != 0;
}

CHECK_MAIN (parity, bench, PART (identity), PART (plane), {"holes", test_hole},
    PART (pixel), PART (counts), PART (again), PART (refused), PART (extremes),
    {"failing device", test_failing}, PART (threads), PART (gap))
