/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kinfumot on the generated room, on depth by hand, on what no camera sends,
 * and CPU against CUDA bit for bit. */
#include "failing.h"
#include "kinfumot_play.h"

#include "kinfumot/kinfumot_align_core.h"
#include "kinfumot/kinfumot_state.h"
#include "seconds.h"

AUTO_FREE (Mesh, mesh_free)

/* Of @all runs the first @some where time is short: on a CPU, unless all are
 * asked for. */
static int
runs_of (DeviceKind kind, int some, int all)
{
  return kind == DEVICE_CUDA || getenv ("VISION_TEST_LONG") ? all : some;
}

/* ---- The camera in the generated room ---- */

/* The largest of @n frames; @first: the true pose of the first. */
static double
follow (Play *s, int n, double first[7])
{
  double worst = 0;

  for (int i = 0; i < n; i++) {
    double error;

    play_frame (s, i);
    if (i == 0)
      memcpy (first, s->truth.camera, 7 * sizeof *first);
    error = camera_error (s, first);
    check (!s->r.lost);
    worst = error > worst ? error : worst;
  }
  return worst;
}

static void
test_camera (DeviceKind kind)
{
  static const RgbdMotion motions[] = {
      RGBD_SWAY, RGBD_SHAKE, RGBD_STILL, RGBD_ORBIT};
  static const char *const names[] = {"sway", "shake", "still", "orbit"};

  for (int i = 0; i < runs_of (kind, 2, 4); i++) {
    double first[7], worst;
    AUTO (Play) s;

    play_open (&s, kind, 320, 240);
    s.rp.camera = motions[i];
    s.rp.motion_start = 1000;
    play_start (&s, true);
    worst = follow (&s, 30, first);
    printf ("%s: the camera is at most %.1f mm off\n", names[i], 1000 * worst);
    check (worst < .01);
    check (s.r.n_objects == 0);
  }
}

/* ---- Objects ---- */

/* The mesh has the room in grey, nothing of it below the floor and much on it,
 * and the robot in its colour, where the truth has it. */
static void
check_mesh (Play *s)
{
  static const uint8_t grey[3] = {0xc8, 0xc8, 0xc8};
  static const uint8_t green[3] = {0x4c, 0xb0, 0x4c};
  const SceneThing *robot = &s->truth.objects[0];
  int room = 0, level = 0, below = 0, own = 0, inside = 0;
  double camera[7];
  AUTO (Mesh) m = {0};

  ok (kinfumot_mesh (s->k, &m));
  pose_flat (&s->r.camera, camera);
  for (uint32_t i = 0; i < m.n; i++) {
    const float *x = m.x + 3 * (size_t) i;
    const uint8_t *colour = m.colour + 3 * (size_t) i;
    double v[3] = {x[0], x[1], x[2]}, at[3];

    carry_back (camera, v, v);
    if (!memcmp (colour, green, 3)) {
      carry_back (robot->pose, v, at);
      own++;
      inside += fabs (at[0]) < robot->extent[0] / 2 + .04 &&
          fabs (at[1]) < robot->extent[1] / 2 + .04 &&
          fabs (at[2]) < robot->extent[2] / 2 + .04;
      continue;
    }
    carry (s->truth.camera, v, at);
    room++;
    level += fabs (at[1] - 1.05) < .02;
    below += at[1] > 1.09;
    check (!memcmp (colour, grey, 3) && isfinite (at[0] + at[1] + at[2]));
  }
  printf ("the mesh has %d vertices of the room, %d on the floor and %d below "
          "it, and %d of the robot, %d where it is\n",
      room, level, below, own, inside);
  check (room > 10000 && level > room / 10 && below < room / 100);
  check (own > 500 && inside > .95 * own);
}

/* The robot is followed for @n frames; then its pose is less than @limit
 * metres off. */
static void
follow_robot (Play *s, int n, double limit)
{
  double truth0[7] = {0}, pose0[7] = {0}, degrees = 0, error = -1;
  double iou, precision;
  int born = -1;

  for (int i = 0; i < n; i++) {
    play_frame (s, i);
    check (s->r.n_objects <= 1);
    if (s->r.n_objects && born < 0) {
      born = i;
      memcpy (truth0, s->truth.objects[0].pose, sizeof truth0);
      pose_flat (&s->r.objects[0].pose, pose0);
    }
  }
  check (born > 0 && s->r.n_objects == 1);
  compare_pixels (s, &iou, &precision);
  if (s->r.n_objects)
    error = object_error (truth0, pose0, s->truth.objects[0].pose,
        &s->r.objects[0].pose, &degrees);
  printf ("the robot is followed from frame %d on; in the end %.1f mm and %.2f "
          "degrees off, IoU %.3f, precision %.3f\n",
      born, 1000 * error, degrees, iou, precision);
  check (error >= 0 && error < limit && degrees < 2);
  check (precision > .95 && iou > .6);
}

/* It comes nearer, and all of it is seen before free space; or it goes away; or
 * it crosses the view, and at first half of it is seen against where it stood.
 */
static void
test_robot (DeviceKind kind)
{
  static const struct {
    RgbdPath path;
    double speed, limit;
    int frames;
  } runs[] = {{RGBD_FRONTAL, 2, .01, 50}, {RGBD_AWAY, 2, .01, 50},
      {RGBD_PARALLEL, 1, .015, 61}};

  for (int i = 0; i < runs_of (kind, 1, 3); i++) {
    AUTO (Play) s;

    play_open (&s, kind, 320, 240);
    s.rp.path = runs[i].path;
    s.rp.motion_start = 10;
    s.rp.speed = runs[i].speed;
    play_start (&s, true);
    follow_robot (&s, runs[i].frames, runs[i].limit);
    if (i == 0)
      check_mesh (&s);
  }
}

/* What goes straight away draws the camera along until it is an object, but by
 * little: its part of the image shifts as a whole. */
static void
test_doubt (DeviceKind kind)
{
  double first[7], worst = 0;
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.path = RGBD_AWAY;
  s.rp.motion_start = 10;
  s.rp.seed = 1;
  play_start (&s, true);
  for (int i = 0; i < 26; i++) {
    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
    worst = fmax (worst, camera_error (&s, first));
  }
  printf ("beside what goes away the camera is at most %.1f mm off\n",
      1000 * worst);
  check (worst < .006 && s.r.n_objects == 1);
}

/* ---- By hand ---- */

static void
wall (Play *s, int mm, int noise)
{
  for (int i = 0; i < s->width * s->height; i++)
    s->depth[i] = (uint16_t) (mm + (noise ? (int) rnd (noise) : 0));
}

/* A wall across the view: three directions are free, and nothing moves in them.
 */
static void
test_wall (DeviceKind kind)
{
  double far = 0;
  AUTO (Play) s;

  play_open (&s, kind, 160, 120);
  s.p.camera.cx = 79.5, s.p.camera.cy = 59.5;
  play_start (&s, false);
  for (int i = 0; i < 40; i++) {
    double t = 0;

    wall (&s, 1500, 4);
    play_run (&s, i);
    check (!s.r.lost);
    if (i)
      check (__builtin_popcount (s.r.weak) == 3);
    for (int k = 0; k < 3; k++)
      t += s.r.camera.t[k] * s.r.camera.t[k];
    far = t > far ? t : far;
  }
  check_near (sqrt (far), 0, .001);
}

/* Two walls that meet in an upright edge: only the way along it is free.  An
 * upright cylinder: that is, and in truth the turn about its axis, but depth in
 * whole millimetres makes stairs of it, which turn.  Nothing moves there, and
 * what is determined does not either. */
static void
test_free (DeviceKind kind)
{
  for (int n_free = 1; n_free <= 2; n_free++) {
    AUTO (Play) s;

    play_open (&s, kind, 160, 120);
    s.p.camera.cx = 79.5, s.p.camera.cy = 59.5;
    play_start (&s, false);
    for (int i = 0; i < 15; i++) {
      double t = 0;
      int n_weak;

      for (int at = 0; at < s.width * s.height; at++) {
        double x = (at % s.width - s.p.camera.cx) / s.p.camera.fx;
        /* (x z)^2 + (z - 1.5)^2 = 0.5^2; 1.2 - z = |x z| */
        double root = 1.5 * 1.5 - (1 + x * x) * (1.5 * 1.5 - .5 * .5);
        double z = n_free == 1 ? 1.2 / (1 + fabs (x))
            : root > 0         ? (1.5 - sqrt (root)) / (1 + x * x)
                               : 0;

        s.depth[at] = (uint16_t) (1000 * z + .5);
      }
      play_run (&s, i);
      check (!s.r.lost);
      n_weak = __builtin_popcount (s.r.weak);
      check (i == 0 || n_weak == n_free || n_weak == 1);
      for (int k = 0; k < 3; k++)
        t += s.r.camera.t[k] * s.r.camera.t[k];
      check_near (sqrt (t), 0, .002);
    }
  }
}

/* ---- A camera that stands still ---- */

/* Inside of a box: a back wall 1.5 m away, two sides, a floor; with noise. */
static void
draw_box (Play *s)
{
  for (int at = 0; at < s->width * s->height; at++) {
    double x = fabs (at % s->width - s->p.camera.cx) / s->p.camera.fx;
    double y = (at / s->width - s->p.camera.cy) / s->p.camera.fy;
    double z = 1.5;

    z = x * z > .5 ? .5 / x : z;
    z = y * z > .35 ? .35 / y : z;
    s->depth[at] = (uint16_t) (1000 * z + rnd (9) - 4 + .5);
  }
}

/* Of a vertex: 0 for the back wall, 1 for the left side, 2 for the floor, and
 * how far away that is there; -1 near an edge. */
static int
side_of (const float p[3], double *distance)
{
  bool across = fabsf (p[0]) < .4f, above = p[1] < .25f, before = p[2] < 1.4f;
  int k = across && above              ? 0
      : p[0] < -.4f && above && before ? 1
      : across && !above && before     ? 2
                                       : -1;

  *distance = k == 0 ? p[2] : k == 1 ? -p[0] : p[1];
  return k;
}

/* The distances of the three: medians. */
static void
measure_box (Play *s, double median[3])
{
  double *d[3];
  int n[3] = {0, 0, 0};
  AUTO (Mesh) m = {0};

  ok (kinfumot_mesh (s->k, &m));
  for (int k = 0; k < 3; k++)
    d[k] = calloc (m.n + 1, sizeof *d[k]);
  for (uint32_t i = 0; i < m.n; i++) {
    double distance;
    int k = side_of (m.x + 3 * (size_t) i, &distance);

    if (k >= 0)
      d[k][n[k]++] = distance;
  }
  for (int k = 0; k < 3; k++) {
    check (n[k] > 20);
    median[k] = bench_median (d[k], n[k]);
    free (d[k]);
  }
}

/* Once the models have settled, neither they nor the camera wander off. */
static void
test_still (DeviceKind kind)
{
  const int frames = getenv ("VISION_TEST_LONG") ? 10000 : 500, settled = 150;
  double first[3], last[3], camera[7], degrees, far = 0;
  AUTO (Play) s;

  play_open (&s, kind, 64, 48);
  s.p = kinfumot_defaults ();
  s.p.camera = (Camera){60, 60, 31.5, 23.5, {0}};
  s.p.voxel_size = .02;
  s.p.truncation = .06;
  s.p.max_memory = 16;
  play_start (&s, false);
  for (int i = 0; i < frames; i++) {
    double now[7], apart;

    draw_box (&s);
    play_run (&s, i);
    check (!s.r.lost);
    pose_flat (&s.r.camera, now);
    if (i == settled) {
      measure_box (&s, first);
      memcpy (camera, now, sizeof camera);
    }
    apart = i > settled ? pose_apart (camera, now, &degrees) : 0;
    far = apart > far ? apart : far;
  }
  measure_box (&s, last);
  printf (
      "%d frames: the camera is at most %.2f mm off, surfaces by %.3f, %.3f "
      "and %.3f mm\n",
      frames, 1000 * far, 1000 * (last[0] - first[0]),
      1000 * (last[1] - first[1]), 1000 * (last[2] - first[2]));
  check (far < .004);
  for (int k = 0; k < 3; k++)
    check_near (last[k], first[k], .001);
}

/* What is filtered of a slanted plane that is cut by an edge, by holes and by
 * the end of the frame stays on the plane, within what its depth bends and is
 * rounded. */
static void
test_filter (DeviceKind kind)
{
  const int width = 160, height = 120;
  AUTO_MEMORY uint16_t *got = malloc ((size_t) width * height * sizeof *got);
  double worst = 0;
  int n = 0;
  AUTO (Play) s;

  play_open (&s, kind, width, height);
  s.p.camera.cx = 79.5, s.p.camera.cy = 59.5;
  play_start (&s, false);
  for (int i = 0; i < width * height; i++) {
    const int x = i % width, y = i / width;
    const double z = 1 / (.35 + .002 * x + .001 * y);

    s.depth[i] = rnd (50) ? (uint16_t) (1000 * z + (x > 80 ? 500.5 : .5)) : 0;
  }
  play_run (&s, 0);
  ok (device_copy (
      &s.dev, got, s.r.depth, (size_t) width * height * sizeof *got));
  ok (device_wait (&s.dev));
  for (int i = 0; i < width * height; i++) {
    const int x = i % width, y = i / width;
    const double z = 1 / (.35 + .002 * x + .001 * y) + (x > 80 ? .5 : 0);

    check (!s.depth[i] == !got[i]);
    n += got[i] != 0;
    worst = fmax (worst, got[i] ? fabs (got[i] * 1. / KINFUMOT_UNITS - z) : 0);
  }
  printf ("filtered depth is at most %.1f mm off\n", 1000 * worst);
  check (worst < .0012 && n > width * height * 9 / 10);
}

static void
play_filtered (Play *s, uint16_t *depth)
{
  play_run (s, 0);
  ok (device_copy (&s->dev, depth, s->r.depth,
      (size_t) s->width * s->height * sizeof *depth));
  ok (device_wait (&s->dev));
}

static void
open_kinect (Play *s, DeviceKind kind, int width, int height, double focal)
{
  play_open (s, kind, width, height);
  s->p.camera =
      (Camera){focal, focal, (width - 1) / 2., (height - 1) / 2., {0}};
  play_start (s, false);
}

/* Every @spacing-th pixel of every such row of a frame whose focal length is
 * that many times a Kinect's at 320 x 240 is filtered as if there were no
 * others: the filter covers an angle, whatever the number of pixels. */
static void
check_spacing (DeviceKind kind, int spacing)
{
  const int width = 80, height = 60, row = spacing * width;
  AUTO_MEMORY uint16_t *all =
      malloc ((size_t) row * spacing * height * sizeof *all);
  AUTO_MEMORY uint16_t *some = malloc ((size_t) width * height * sizeof *some);
  int n = 0;
  AUTO (Play) s;
  AUTO (Play) t;

  open_kinect (&s, kind, row, spacing * height, 292.5 * spacing);
  open_kinect (&t, kind, width, height, 292.5);
  for (int i = 0; i < row * spacing * height; i++)
    s.depth[i] = rnd (50) ? (uint16_t) (1500 + i % row + rnd (40)) : 0;
  play_filtered (&s, all);
  for (int from = 0; from < spacing * spacing; from++) {
    const int first = from / spacing * row + from % spacing;

    for (int i = 0; i < width * height; i++)
      t.depth[i] = s.depth[first + spacing * (i / width * row + i % width)];
    play_filtered (&t, some);
    for (int i = 0; i < width * height; i++)
      n += some[i] != all[first + spacing * (i / width * row + i % width)];
  }
  check (n == 0);
}

static void
test_spacing (DeviceKind kind)
{
  check_spacing (kind, 1);
  check_spacing (kind, 2);
  check_spacing (kind, 3);
}

/* The depth of what matches is the wall's, and its normal points here. */
static void
test_views (DeviceKind kind)
{
  float *normals;
  uint8_t *rgb;
  size_t pixels = 160 * 120;
  AUTO (Play) s;

  play_open (&s, kind, 160, 120);
  s.p.camera.cx = 79.5, s.p.camera.cy = 59.5;
  play_start (&s, false);
  ok (device_alloc (&s.dev, (void **) &normals, 3 * pixels * sizeof *normals));
  ok (device_alloc (&s.dev, (void **) &rgb, 3 * pixels));
  s.out = (KinfumotOutputs){.rgb = rgb,
      .rgb_stride = 3 * 160,
      .normals = normals,
      .normals_stride = 3 * 160 * sizeof *normals};
  wall (&s, 1500, 0);
  play_run (&s, 0);
  play_run (&s, 1);
  {
    size_t middle = 60 * 160 + 80;
    float n[3];
    uint8_t c[3];
    uint16_t depth;
    AUTO_MEMORY uint8_t *map = play_map (&s);

    ok (device_copy (&s.dev, n, normals + 3 * middle, sizeof n));
    ok (device_copy (&s.dev, c, rgb + 3 * middle, sizeof c));
    ok (device_copy (&s.dev, &depth, s.r.depth + middle, sizeof depth));
    ok (device_wait (&s.dev));
    check_near (n[2], -1, 1e-3);
    check (c[0] > 150 && c[0] == c[1] && c[1] == c[2]);
    check (depth == 1.5 * KINFUMOT_UNITS);
    check (map[2 * middle] == KINFUMOT_INLIER && map[2 * middle + 1] == 0);
  }
  device_release (&s.dev, normals);
  device_release (&s.dev, rgb);
}

/* ---- The host ---- */

static const DeviceOps *healthy;
static const KinfumotStages *stages;
static int n_waits, n_marks;

static const char *
count_wait (const Device *dev)
{
  n_waits++;
  return healthy->wait (dev);
}

static const char *
count_mark (const Device *dev)
{
  n_marks++;
  return stages->await_mark (dev);
}

/* The host waits once a frame, whatever is wanted of it; not until the models
 * have learned, unless pictures of them are; more often where the camera is
 * lost. */
#define MOVES_FROM 3 /* frame from which on a camera that walks moves */

static void
check_waits (DeviceKind kind, RgbdMotion camera)
{
  const size_t pixels = 160 * 120;
  KinfumotOutputs all;
  KinfumotStages counted;
  uint8_t *out;
  DeviceOps ops;
  AUTO (Play) s;

  play_open (&s, kind, 160, 120);
  healthy = s.dev.ops;
  ops = *healthy;
  ops.wait = count_wait;
  s.dev.ops = &ops;
  s.rp.motion_start = 1000;
  s.rp.camera = camera;
  play_start (&s, false);
  ok (device_alloc (&s.dev, (void **) &out, 19 * pixels));
  all =
      (KinfumotOutputs){out, 2 * 160, (uint16_t *) (out + 2 * pixels), 2 * 160,
          out + 4 * pixels, 3 * 160, (float *) (out + 7 * pixels), 12 * 160};
  stages = s.k->stages;
  counted = *stages;
  counted.await_mark = count_mark;
  s.k->stages = &counted;
  for (int i = 0; i < 8; i++) {
    bool pictures = i % 2;

    s.out = all;
    if (!pictures)
      s.out.rgb = NULL, s.out.normals = NULL;
    play_render (&s, i);
    n_waits = n_marks = 0;
    play_run (&s, i);
    if (i >= MOVES_FROM || (i && camera == RGBD_STILL)) {
      check (n_waits == pictures);
      check (n_marks == (!pictures || camera == RGBD_STILL));
    }
    check (!s.r.lost);
  }
  device_release (&s.dev, out);
}

static void
test_waits (DeviceKind kind)
{
  check_waits (kind, RGBD_STILL);
  check_waits (kind, RGBD_WALK);
}

/* ---- Between frames ---- */

/* The number of the @n bytes of the device at @at that are not 0. */
static int
count_set_bytes (Play *s, const void *at, size_t n)
{
  AUTO_MEMORY uint8_t *bytes = malloc (n);
  int set = 0;

  ok (device_copy (&s->dev, bytes, at, n));
  ok (device_wait (&s->dev));
  for (size_t i = 0; i < n; i++)
    set += bytes[i] != 0;
  return set;
}

/* Each stage leaves its counters at 0, the allocation lists no key that wants a
 * brick, and the raycast leaves the ranges empty: of two models, of which one
 * is born on the way. */
static void
test_between (DeviceKind kind)
{
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.path = RGBD_FRONTAL;
  s.rp.motion_start = 10;
  s.rp.speed = 2;
  play_start (&s, true);
  for (int i = 0; i < 30; i++) {
    const Kinfumot *k = s.k;
    const size_t tiles = (size_t) k->optics.tiles_x * k->optics.tiles_y;
    KinfumotPoolCounts counts;

    play_frame (&s, i);
    ok (device_copy (&s.dev, &counts, k->pool.counts, sizeof counts));
    ok (device_wait (&s.dev));
    check (counts.n_wanted == 0 && counts.full == 0);
    check (counts.n_unused < s.r.max_bricks);
    check (count_set_bytes (&s, k->normals.work, 8) == 0);
    check (count_set_bytes (&s, k->align.n_ends, 4) == 0);
    check (count_set_bytes (&s, k->pool.work, 4) == 0);
    check (count_set_bytes (&s, k->fuse.work, 8) == 0);
    for (int m = 0; m < 2 && k->views.of[m]; m++) {
      check (count_set_bytes (&s, k->ranges.near[m], 4 * tiles) == 0);
      check (count_set_bytes (&s, k->ranges.slices[m], 8 * tiles) == 0);
    }
  }
  check (s.r.n_objects == 1);
}

/* ---- A voxel's mean ---- */

/* To multiply by a reciprocal is to divide. */
static void
test_mean (DeviceKind kind)
{
  uint64_t reciprocals[KINFUMOT_MAX_FRAMES + 1];
  const KinfumotGrid grid = {.reciprocals = reciprocals};
  int wrong = 0;

  (void) kind;
  for (int n = 1; n <= KINFUMOT_MAX_FRAMES; n++) {
    const int max = KINFUMOT_UNIT * n;

    reciprocals[n] = kinfumot_reciprocal (n);
    for (int i = 0; i < 400; i++) {
      int sum = i < 200 ? max - i * (max / 200) : i * n + n / 2 - i % 3;
      int mean = (sum + n / 2) / n;

      if (sum < 0 || sum > max)
        continue;
      wrong += kinfumot_voxel_mean (&grid, sum, n) != mean;
      wrong += kinfumot_voxel_mean (&grid, -sum, n) != -mean;
    }
  }
  check (wrong == 0);
}

/* ---- The outline ---- */

/* An upright rectangle, of whose left and right columns every other pixel is
 * torn: it ends to the left and to the right in its columns, and upwards and
 * downwards in its first and last row, not where a torn pixel makes a step. */
static void
test_outline (DeviceKind kind)
{
  enum { WIDTH = 40, HEIGHT = 30, LEFT = 10, TOP = 8, RIGHT = 29, BOTTOM = 20 };
  uint16_t depth[WIDTH * HEIGHT];
  const KinfumotPoints points = {
      .optics = {.width = WIDTH, .height = HEIGHT}, .depth = depth};
  int n[KINFUMOT_SIDES] = {0}, wrong = 0;

  (void) kind;
  for (int at = 0; at < WIDTH * HEIGHT; at++) {
    const int x = at % WIDTH, y = at / WIDTH;
    const bool rim = x == LEFT || x == RIGHT,
               inside = x >= LEFT && x <= RIGHT && y >= TOP && y <= BOTTOM;

    depth[at] = (inside && !(rim && y % 2) ? 1 : 2) * KINFUMOT_UNITS;
  }
  for (int at = 0; at < WIDTH * HEIGHT; at++)
    for (int side = 0; side < KINFUMOT_SIDES; side++) {
      const int x = at % WIDTH, y = at / WIDTH;
      const bool is_end = kinfumot_is_end (&points, at, side);

      n[side] += is_end;
      wrong += is_end && side == 2 && y != TOP;
      wrong += is_end && side == 3 && y != BOTTOM;
      wrong += is_end && side == 0 && x > LEFT + 1;
      wrong += is_end && side == 1 && x < RIGHT - 1;
    }
  check (wrong == 0);
  check (n[0] == n[1] && n[0] >= BOTTOM - TOP - 3);
  check (n[2] == n[3] && n[2] >= RIGHT - LEFT - 5);
}

/* Between an end and what is behind it up to two pixels are torn: the outline
 * is in their middle.  Where more are missing, or the frame ends, none are. */
static void
test_torn (DeviceKind kind)
{
  static const struct {
    uint16_t row[5];
    float torn;
  } rows[] = {{{1, 2, 2, 2, 2}, 0}, {{1, 0, 2, 2, 2}, .5f},
      {{1, 0, 0, 2, 0}, 1}, {{1, 0, 0, 0, 2}, 0}, {{1, 0, 0, 0, 0}, 0}};

  (void) kind;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    check (kinfumot_torn_pixels (rows[i].row, 0, 1, 4) == rows[i].torn);
    check (kinfumot_torn_pixels (rows[i].row, 0, 1, 0) == 0);
  }
}

/* ---- The expected motion ---- */

/* A face of 50 x 40 points 2 m away, which says nothing across, and as many
 * points across as the expected motion counts: its outline. */
static void
face_of (KinfumotModel *m)
{
  memset (m, 0, sizeof *m);
  m->expected = pose64_identity ();
  for (int i = 0; i < 2000; i++) {
    KinfumotTerm t = kinfumot_term_of (
        vec ((float) (i % 50 - 25) / 100, (float) (i / 50 - 20) / 100, 2),
        vec (0, 0, 1), 0, 1);

    kinfumot_add_term (m->sums, &t);
  }
  for (int i = 0; i < 2 * KINFUMOT_EXPECT; i++) {
    KinfumotTerm t =
        kinfumot_term_of (vec (i & 2 ? .25f : -.25f, i & 4 ? .2f : -.2f, 2),
            i & 1 ? vec (1, 0, 0) : vec (0, 1, 0), 0, 1);

    kinfumot_add_term (m->sums, &t);
  }
}

/* Where @x m across and 1 mm ahead of what was expected is taken to. */
static void
expect_from (double x, int steps, double t[3])
{
  KinfumotModel m;
  Pose64 motion = pose64_identity ();

  face_of (&m);
  m.steps = steps;
  motion.t[0] = x;
  motion.t[2] = .001;
  kinfumot_set_motion (&m, motion);
  kinfumot_average_motion (&m);
  memcpy (t, m.motion.t, 3 * sizeof *t);
}

/* What an outline alone says is taken half of the way, what a face says stays;
 * a motion that is far from the expected one is not held back for long, and
 * without a velocity nothing is expected. */
static void
test_expected (DeviceKind kind)
{
  double t[3];

  (void) kind;
  expect_from (.002, KINFUMOT_STEPS, t);
  check_near (t[0], .001, .0001);
  check_near (t[1], 0, 1e-5);
  check_near (t[2], .001, .00005);
  expect_from (.05, KINFUMOT_STEPS, t);
  check (t[0] < .05 && t[0] > .05 - KINFUMOT_EXPECT_BY);
  expect_from (.002, 0, t);
  check_near (t[0], .002, 1e-9);
}

/* ---- The table of bricks ---- */

/* Bricks about the origin, of which every fifth is missing. */
#define AROUND 27

/* Voxel (@x, @y, @z), found in a list; NULL without its brick. */
static const KinfumotVoxel *
slow_voxel (const KinfumotVoxel *voxels, int x, int y, int z)
{
  const int at[3] = {x + 8, y + 8, z + 8}; /* from the first voxel on */
  const int brick = at[2] / 8 * 9 + at[1] / 8 * 3 + at[0] / 8;

  return brick % 5 == 1 ? NULL
                        : voxels + brick * KINFUMOT_BRICK_VOXELS +
          (at[2] % 8 * 64 + at[1] % 8 * 8 + at[0] % 8);
}

/* Eight voxels, from @x, @y, @z on, against the list; the number that differ.
 */
static int
wrong_corners (const KinfumotGrid *g, int x, int y, int z)
{
  KinfumotLastBrick last = kinfumot_no_last_brick ();
  float distances[8];
  bool known = kinfumot_corner_distances (g, &last, 3, x, y, z, distances),
       all = true;
  int wrong = 0;

  for (int i = 0; i < 8; i++) {
    const KinfumotVoxel *v =
        slow_voxel (g->voxels, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));

    all &= v && v->weight & KINFUMOT_WEIGHT_MASK;
    wrong += known && (!v || distances[i] != (float) v->distance);
  }
  return wrong + (known != all);
}

/* In a table so full that keys meet. */
static void
test_table (DeviceKind kind)
{
  KinfumotVoxel voxels[AROUND * KINFUMOT_BRICK_VOXELS];
  KinfumotEntry table[32] = {{0}};
  const KinfumotGrid g = {.table = table, .mask = 31, .voxels = voxels};
  int wrong = 0;

  (void) kind;
  for (int i = 0; i < AROUND * KINFUMOT_BRICK_VOXELS; i++)
    voxels[i] = (KinfumotVoxel){(int16_t) (rnd (65535) - 32767),
        rnd (50) ? (uint16_t) (1 + rnd (99)) : 0};
  for (int i = 0; i < AROUND; i++) {
    uint64_t key = kinfumot_brick_key (3, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    uint32_t at = kinfumot_key_hash (key);

    while (table[at & g.mask].key)
      at++;
    if (i % 5 != 1)
      table[at & g.mask] = (KinfumotEntry){key, i};
  }
  for (int x = -8; x < 15; x++)
    for (int y = -8; y < 15; y++)
      for (int z = -8; z < 15; z++)
        wrong += wrong_corners (&g, x, y, z);
  check (wrong == 0);
  check (kinfumot_find_brick (&g, 0) == KINFUMOT_NO_BRICK);
  check (kinfumot_brick_key (3, KINFUMOT_REACH, 0, 0) == 0);
}

/* ---- Lost, and found again ---- */

/* Nothing is known of any pixel. */
static void
check_unknown (Play *s)
{
  AUTO_MEMORY uint8_t *map = play_map (s);
  int wrong = 0;

  for (int i = 0; i < s->width * s->height; i++)
    wrong += map[2 * i + 1] != 0 ||
        map[2 * i] !=
            (s->depth[i] ? KINFUMOT_NO_CORRESPONDENCE : KINFUMOT_MISSING);
  check (wrong == 0);
}

/* @n frames of a room in which nothing moves but the camera, whose true pose of
 * the first frame goes to @first. */
static void
play_still_room (Play *s, DeviceKind kind, int n, double first[7])
{
  play_open (s, kind, 320, 240);
  s->rp.camera = RGBD_SWAY;
  s->rp.motion_start = 1000;
  play_start (s, false);
  follow (s, n, first);
}

/* The models can be saved, and have no place that is not a number. */
static void
check_room_mesh (Play *s)
{
  int wrong = 0;
  AUTO (Mesh) m = {0};

  ok (kinfumot_mesh (s->k, &m));
  for (uint32_t i = 0; i < 3 * m.n; i++)
    wrong += !isfinite (m.x[i]);
  check (m.n > 10000 && wrong == 0);
}

static void
test_lost (DeviceKind kind)
{
  double first[7];
  AUTO (Play) s;

  play_still_room (&s, kind, 10, first);
  for (int i = 10; i < 13; i++) {
    wall (&s, 700, 0);
    play_run (&s, i);
    check (s.r.lost);
    check_unknown (&s);
  }
  check_room_mesh (&s);
  for (int i = 13; i < 18; i++)
    play_frame (&s, i);
  check (!s.r.lost);
  check_near (camera_error (&s, first), 0, .01);
}

/* After a seek the camera is found in the models; after a reset there are none.
 */
static void
test_relocate (DeviceKind kind)
{
  double first[7];
  AUTO (Play) s;

  play_still_room (&s, kind, 8, first);
  kinfumot_relocate (s.k);
  play_frame (&s, 14);
  check (!s.r.lost);
  check_near (camera_error (&s, first), 0, .01);
  kinfumot_reset (s.k);
  play_frame (&s, 15);
  check (!s.r.lost && s.r.camera.t[0] == 0 && s.r.matched == 0);
}

/* ---- What no camera sends ---- */

static void
check_finite (const KinfumotResults *r)
{
  double sum = r->residual + r->matched;

  for (int i = 0; i < 3; i++)
    sum += r->camera.t[i];
  for (int i = 0; i < 4; i++)
    sum += r->camera.q[i];
  check (isfinite (sum));
}

static void
test_hostile (DeviceKind kind)
{
  static const int values[] = {0, 65535, 1, 1000, 8000, 40000};

  for (int i = 0; i < 6; i++) {
    AUTO (Play) s;

    play_open (&s, kind, i % 2 ? 8 : 65, i % 2 ? 8 : 33);
    s.p.camera.fx = s.p.camera.fy = 50;
    play_start (&s, false);
    for (int f = 0; f < 5; f++) {
      for (int k = 0; k < s.width * s.height; k++)
        s.depth[k] = (uint16_t) (f == 3 ? (int) rnd (65536)
                : f == 4 ? (k / 2 % 2 ? 300 : 7900) /* steps of 7.6 m */
                         : values[i]);
      play_run (&s, 7); /* time stands still */
      check_finite (&s.r);
    }
    ok (kinfumot_birth (s.k, 7, s.mask, s.width));  /* an empty mask, */
    ok (kinfumot_birth (s.k, 99, s.mask, s.width)); /* and of no frame */
    play_run (&s, 8);
    check (s.r.late >= 1 && s.r.n_objects == 0);
  }
}

/* A given pose whose quaternion is 0, that is not a number or too far away
 * counts as none: the camera is followed without it. */
static void
test_no_pose (DeviceKind kind)
{
  static const Pose64 wrong[] = {{{0, 0, 0}, {0, 0, 0, 0}},
      {{0, NAN, 0}, {1, 0, 0, 0}}, {{0, 0, 0}, {1, INFINITY, 0, 0}},
      {{0, 1.1e6, 0}, {1, 0, 0, 0}}};
  double first[7];
  AUTO (Play) s;

  play_still_room (&s, kind, 1, first);
  s.p.pose = KINFUMOT_GIVEN;
  for (int i = 0; i < 4; i++) {
    KinfumotFrame frame = {s.there, 2 * s.width, 1 + i, true, wrong[i]};

    if (i == 1) /* the first frame of a world, too */
      kinfumot_reset (s.k);
    play_render (&s, 1 + i);
    play_upload (&s);
    ok (kinfumot_run (s.k, &s.p, &frame, &s.out, &s.r));
    check_finite (&s.r);
    check (!s.r.lost);
    check_near (s.r.camera.q[0], 1, .01);
    check_near (s.r.camera.t[1], 0, .1);
  }
}

/* A pool that is too small for what is in view holds a part of it; what is out
 * of view makes room, which is counted; and it goes on. */
static void
test_full (DeviceKind kind)
{
  uint64_t dropped = 0;
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.camera = RGBD_ORBIT;
  s.rp.motion_start = 1000;
  s.p.voxel_size = .006;
  s.p.max_memory = 16;
  play_start (&s, false);
  for (int i = 0; i < 120; i += 6) {
    play_frame (&s, i);
    dropped += s.r.dropped;
    check (!s.r.lost && s.r.n_bricks <= s.r.max_bricks);
    check_finite (&s.r);
  }
  printf ("%u bricks of %u in use, %u were dropped\n", s.r.n_bricks,
      s.r.max_bricks, (unsigned) dropped);
  check (dropped > 0);
}

/* A pool that one view fills: what is left out is told, and the camera is
 * followed by the rest. */
static void
test_too_much (DeviceKind kind)
{
  double first[7];
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.motion_start = 1000;
  s.p.voxel_size = .003;
  s.p.max_memory = 16;
  play_start (&s, false);
  for (int i = 0; i < 4; i++) {
    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
    check (!s.r.lost && s.r.n_bricks == s.r.max_bricks);
    check (s.r.dropped == 0 && s.r.missing > s.r.max_bricks / 2);
  }
  check_near (camera_error (&s, first), 0, .01);
}

static void
test_refused (DeviceKind kind)
{
  KinfumotParams p = kinfumot_defaults ();
  Camera c = {500, 500, 320, 240, {0}};

  ok (kinfumot_check (&p));
  p.truncation = 2 * p.voxel_size;
  check (kinfumot_check (&p) != NULL);
  p = kinfumot_defaults ();
  p.max_angle = NAN;
  check (kinfumot_check (&p) != NULL);
  ok (kinfumot_check_camera (&c, 640, 480));
  c.distortion[0] = -5;
  check (kinfumot_check_camera (&c, 640, 480) != NULL);
  c.distortion[0] = NAN;
  check (kinfumot_check_camera (&c, 640, 480) != NULL);
  c = (Camera){0, 500, 320, 240, {0}};
  check (kinfumot_check_camera (&c, 640, 480) != NULL);
}

/* Where memory is refused, a message has the numbers and the parameter. */
static void
test_no_room (DeviceKind kind)
{
  const KinfumotParams p = play_params (80);
  int told = 0, n = 0;
  const char *err;
  AUTO (Device) dev;

  (void) kind;
  ok (failing_open (&dev, DEVICE_CPU, NULL));
  do {
    Kinfumot *k;

    failing_reset (++n);
    err = kinfumot_new (&k, &dev, &p, 80, 60);
    if (err && strstr (err, FAILING_MEMORY) && strstr (err, "max-memory=128"))
      told += strstr (err, "ask for 1") && strstr (err, "MiB are free");
    kinfumot_free (k);
  } while (err && n < 200);
  check (!err && told == 8 && failing_blocks == 0);
  failing_reset (0);
}

/* ---- Parity ---- */

static void
compare (Play *a, Play *b, int frame)
{
  AUTO_MEMORY uint8_t *x = play_map (a), *y = play_map (b);
  int before = check_failures;

  check (!memcmp (x, y, 2 * (size_t) a->width * a->height));
  check (!memcmp (&a->r.camera, &b->r.camera, sizeof a->r.camera));
  check (a->r.residual == b->r.residual && a->r.matched == b->r.matched);
  check (a->r.n_bricks == b->r.n_bricks && a->r.dropped == b->r.dropped);
  check (a->r.n_objects == b->r.n_objects);
  for (int i = 0; i < a->r.n_objects && i < b->r.n_objects; i++)
    check (
        !memcmp (&a->r.objects[i], &b->r.objects[i], sizeof a->r.objects[i]));
  if (check_failures != before)
    printf ("frame %d differs\n", frame);
}

/* Robots, a lens, a camera that walks, a pool that fills, robots that meet. */
static void
parity_room (DeviceKind kind)
{
  for (int run = 0; run < 4; run++) {
    int before = check_failures, objects = 0;
    AUTO (Play) a, b;

    play_open (&a, DEVICE_CPU, run == 1 ? 321 : 320, run == 1 ? 239 : 240);
    play_open (&b, kind, a.width, a.height);
    a.rp.camera = run == 2 ? RGBD_ORBIT : RGBD_SWAY;
    a.rp.motion_start = 8;
    a.rp.speed = 3;
    a.rp.path = run == 1 ? RGBD_FRONTAL : RGBD_PARALLEL;
    a.rp.distortion = run == 1;
    if (run == 2) {
      a.p.max_memory = 16;
      a.p.voxel_size = .007;
    }
    a.rp.robots = run == 3 ? 4 : 1;
    b.rp = a.rp;
    b.p = a.p;
    play_start (&a, true);
    play_start (&b, true);
    for (int i = 0; i < (run == 3 ? 70 : 40) && check_failures == before; i++) {
      play_frame (&a, i);
      play_frame (&b, i);
      compare (&a, &b, i);
      objects = a.r.n_objects > objects ? a.r.n_objects : objects;
    }
    printf ("run %d: %d objects, %u bricks\n", run, objects, a.r.n_bricks);
  }
}

/* The camera is lost and found, times repeat, depth is noise. */
static void
parity_lost (DeviceKind kind)
{
  AUTO (Play) a, b;

  play_open (&a, DEVICE_CPU, 320, 240);
  play_open (&b, kind, 320, 240);
  a.rp.motion_start = b.rp.motion_start = 1000;
  play_start (&a, true);
  play_start (&b, true);
  for (int i = 0; i < 16; i++) {
    if (i >= 6 && i < 9) {
      wall (&a, 700, i == 8 ? 60 : 0);
      memcpy (b.depth, a.depth, 2 * 320 * 240);
      play_run (&a, 6);
      play_run (&b, 6);
    } else {
      play_frame (&a, i);
      play_frame (&b, i);
    }
    compare (&a, &b, i);
  }
}

/* ---- Time ---- */

#define MEASURED 100

/* Frames of 640 x 480, which lie on the device, with @robots robots, of which
 * some are followed.  Times until the results are known and until the models
 * have learned, and those of the device, to the end. */
static void
measure (DeviceKind kind, int robots)
{
  double ms[MEASURED], whole[MEASURED], work[MEASURED];
  double median, median_whole, median_work;
  int objects = 0, n = kind == DEVICE_CUDA ? MEASURED : 20;
  const int before = robots ? 90 : 20;
  DeviceTimer timer = {0};
  AUTO (Play) s;

  play_open (&s, kind, 640, 480);
  s.rp.robots = robots ? robots : 1;
  s.rp.motion_start = robots ? 10 : 1000;
  s.p.voxel_size = .005;
  s.p.truncation = .03;
  s.p.max_memory = 256;
  s.dev.timer = &timer;
  play_start (&s, true);
  for (int i = 0; i < before + n; i++) {
    const int at = i < before ? 0 : i - before;
    double start;

    play_render (&s, i);
    play_upload (&s);
    ok (device_wait (&s.dev));
    start = seconds ();
    ok (device_timer_begin (&s.dev, &timer));
    play_follow (&s, i);
    ms[at] = 1e3 * (seconds () - start);
    ok (device_wait (&s.dev));
    whole[at] = 1e3 * (seconds () - start);
    device_timer_stop (&s.dev, &timer);
    check (device_timer_read (&s.dev, &timer, &work[at]));
    work[at] *= 1e3;
    play_detect (&s, i);
    objects = s.r.n_objects;
  }
  median = bench_median (ms, n);
  median_whole = bench_median (whole, n);
  median_work = bench_median (work, n);
  printf ("%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%u\n",
      kind ? "cuda" : "cpu", robots, objects, ms[0], median, ms[n - 1],
      median_whole, whole[n - 1], median_work, work[n - 1], s.r.n_bricks);
  device_timer_free (&timer);
}

static int
bench (int argc, char **argv)
{
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  printf ("device,robots,objects,least ms,median ms,most ms,"
          "with learning median ms,most ms,device median ms,most ms,bricks\n");
  for (int i = 2; i < argc; i++)
    measure (kind, atoi (argv[i]));
  if (argc == 2) {
    measure (kind, 0);
    measure (kind, 1);
  }
  return check_failures != 0;
}

/* ---- Large bodies ---- */

static void
open_people (Play *s, DeviceKind kind)
{
  play_open (s, kind, 160, 120);
  s->rp.path = RGBD_PEOPLE;
  s->rp.camera = RGBD_STILL;
  s->rp.motion_start = 5;
  s->rp.speed = 1.5;
}

/* Two persons who cover two fifths of the view begin to walk: a camera that
 * rests is not pulled along.  With the pose that says so it does not move at
 * all; a pose that is wanted and does not come is told. */
static void
test_people (DeviceKind kind)
{
  double first[7], worst;
  int n = 0;
  Play s;

  open_people (&s, kind);
  play_start (&s, true);
  worst = follow (&s, 60, first);
  for (int i = 0; i < s.width * s.height; i++)
    n += s.labels[i] != 0;
  printf ("before persons in %.0f %% of the view the camera is at most %.1f mm "
          "off\n",
      100. * n / (s.width * s.height), 1000 * worst);
  check (worst < .015 && !s.r.no_pose);
  play_close (&s);

  open_people (&s, kind);
  s.p.pose = KINFUMOT_STILL;
  play_start (&s, true);
  check (follow (&s, 15, first) < 1e-9);
  kinfumot_relocate (s.k); /* as after a flush */
  play_frame (&s, 15);
  check (!s.r.lost && !s.r.no_pose);
  s.p.pose = KINFUMOT_GIVEN;
  play_frame (&s, 16);
  check (s.r.no_pose);
  play_close (&s);
}

/* The camera rests, and then moves by truth: it is followed at once. */
static void
test_departs (DeviceKind kind)
{
  double first[7], worst = 0;
  AUTO (Play) s;

  play_open (&s, kind, 160, 120);
  s.rp.motion_start = 1000;
  s.rp.camera = RGBD_WALK;
  play_start (&s, false);
  for (int i = 0; i < 20; i++) {
    play_render (&s, i < 10 ? 0 : i - 10);
    play_run (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
    worst = fmax (worst, camera_error (&s, first));
  }
  printf ("after a rest the camera is at most %.1f mm off\n", 1000 * worst);
  check (!s.r.lost && worst < .005);
}

/* ---- A grid of holes ---- */

/* A third of the pixels has depth, as if it were registered to a finer picture:
 * the holes are filled, and the camera is followed.  Where holes come later,
 * the camera is lost for a frame, and the reason is told, as it is of a frame
 * without depth. */
static void
test_holes (DeviceKind kind)
{
  double first[7], worst;
  int n = 0;
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.depth_spacing = 1.7;
  s.rp.motion_start = 1000;
  play_start (&s, true);
  worst = follow (&s, 20, first);
  for (int i = 0; i < s.width * s.height; i++)
    n += s.depth[i] != 0;
  printf ("with depth in %.0f %% of the pixels the camera is at most %.1f mm "
          "off\n",
      100. * n / (s.width * s.height), 1000 * worst);
  check (n < .36 * s.width * s.height);
  check (worst < .01 && s.r.n_objects == 0 && !s.r.loss);

  s.rp.depth_spacing = 1;
  s.rp.camera = RGBD_WALK;
  kinfumot_reset (s.k);
  follow (&s, 6, first);
  s.rp.depth_spacing = 2;
  play_frame (&s, 6);
  check (s.r.lost && strstr (s.r.loss, "Fill the holes"));
  play_frame (&s, 7);
  check (!s.r.lost);
  memset (s.depth, 0, sizeof *s.depth * s.width * s.height);
  play_run (&s, 8);
  check (s.r.lost && strstr (s.r.loss, "0 % of the pixels have depth"));
}

static const CheckPart parity[] = {
    {"room", parity_room}, {"lost", parity_lost}, {NULL, NULL}};

CHECK_MAIN (parity, bench, PART (refused), {"no room", test_no_room},
    PART (wall), PART (free), PART (filter), PART (spacing), PART (still),
    PART (views), PART (camera), PART (robot), PART (doubt), PART (waits),
    PART (between), PART (mean), PART (outline), PART (torn), PART (expected),
    PART (table), PART (lost), PART (relocate), PART (full),
    {"too much", test_too_much}, PART (hostile), {"no pose", test_no_pose},
    PART (holes), PART (people), PART (departs))
