/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kinfumot on the generated room, on depth by hand, on what no camera sends,
 * and CPU against CUDA bit for bit. */
#include "kinfumot_play.h"
#include "seconds.h"

/* ---- Poses ---- */

/* How far the camera is from where it is in truth, both seen from where the
 * first frame was taken. */
static double
camera_error (const Play *s, const double first[7])
{
  double back[7], truth[7], pose[7], degrees;

  pose_back (first, back);
  pose_times (back, s->truth.camera, truth);
  pose_flat (&s->r.camera, pose);
  return pose_apart (truth, pose, &degrees);
}

/* The largest of @n frames. */
static double
follow (Play *s, int n)
{
  double first[7], worst = 0;

  for (int i = 0; i < n; i++) {
    double error;

    play_frame (s, i);
    if (i == 0)
      memcpy (first, s->truth.camera, sizeof first);
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
      RGBD_STILL, RGBD_SWAY, RGBD_ORBIT, RGBD_SHAKE};
  static const char *const names[] = {"still", "sway", "orbit", "shake"};

  for (int i = 0; i < 4; i++) {
    double worst;
    Play s;

    play_open (&s, kind, 320, 240);
    s.rp.camera = motions[i];
    s.rp.motion_start = 1000;
    play_start (&s, true);
    worst = follow (&s, 30);
    printf ("%s: the camera is at most %.1f mm off\n", names[i], 1000 * worst);
    check (worst < .01);
    check (s.r.n_objects == 0);
    play_close (&s);
  }
}

/* ---- Objects ---- */

/* An object's pose since frame @born must have changed as the truth has. */
static double
object_error (const double truth0[7], const double pose0[7],
    const double truth[7], const KinfumotPose *now, double *degrees)
{
  double back[7], to[7], expected[7], pose[7];

  /* What is constant: from kinfumot's coordinates of the object to the truth's.
   */
  pose_back (truth0, back);
  pose_times (back, pose0, to);
  pose_times (truth, to, expected);
  pose_flat (now, pose);
  return pose_apart (expected, pose, degrees);
}

/* Of the pixels that are the robot's in truth and in the map: intersection over
 * union, and the share of the map's that are right. */
static void
compare_pixels (Play *s, double *iou, double *precision)
{
  uint8_t *map = play_map (s);
  int both = 0, either = 0, claimed = 0;

  for (int i = 0; i < s->width * s->height; i++) {
    bool is = s->labels[i] != 0, told = map[2 * i + 1] != 0;

    if (!s->depth[i])
      continue;
    both += is && told;
    either += is || told;
    claimed += told;
  }
  free (map);
  *iou = (double) both / (either ? either : 1);
  *precision = (double) both / (claimed ? claimed : 1);
}

/* @pose, or what is inverse to it, of @v. */
static void
carry (const double pose[7], bool back, const double v[3], double out[3])
{
  double at[7] = {v[0], v[1], v[2], 1, 0, 0, 0}, inverse[7], to[7];

  pose_back (pose, inverse);
  pose_times (back ? inverse : pose, at, to);
  memcpy (out, to, 3 * sizeof *out);
}

/* The mesh has the room in grey, nothing of it below the floor and much on it,
 * and the robot in its colour, where the truth has it. */
static void
check_mesh (Play *s)
{
  static const uint8_t grey[3] = {0xc8, 0xc8, 0xc8};
  static const uint8_t green[3] = {0x4c, 0xb0, 0x4c};
  const RgbdObject *robot = &s->truth.objects[0];
  int room = 0, level = 0, below = 0, own = 0, inside = 0;
  double camera[7];
  Mesh m = {0};

  ok (kinfumot_mesh (s->k, &m));
  pose_flat (&s->r.camera, camera);
  for (uint32_t i = 0; i < m.n; i++) {
    const float *x = m.x + 3 * (size_t) i;
    const uint8_t *colour = m.colour + 3 * (size_t) i;
    double v[3] = {x[0], x[1], x[2]}, at[3];

    carry (camera, true, v, v);
    if (!memcmp (colour, green, 3)) {
      carry (robot->pose, true, v, at);
      own++;
      inside += fabs (at[0]) < robot->extent[0] / 2 + .04 &&
          fabs (at[1]) < robot->extent[1] / 2 + .04 &&
          fabs (at[2]) < robot->extent[2] / 2 + .04;
      continue;
    }
    carry (s->truth.camera, false, v, at);
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
  mesh_free (&m);
}

static void
test_robot (DeviceKind kind)
{
  double truth0[7] = {0}, pose0[7] = {0}, degrees = 0, error = -1;
  double iou, precision;
  int born = -1;
  Play s;

  play_open (&s, kind, 320, 240);
  s.rp.path = RGBD_FRONTAL;
  s.rp.motion_start = 10;
  s.rp.speed = 2;
  play_start (&s, true);
  for (int i = 0; i < 50; i++) {
    play_frame (&s, i);
    check (s.r.n_objects <= 1);
    if (s.r.n_objects && born < 0) {
      born = i;
      memcpy (truth0, s.truth.objects[0].pose, sizeof truth0);
      pose_flat (&s.r.objects[0].pose, pose0);
    }
  }
  check (born > 0 && s.r.n_objects == 1);
  compare_pixels (&s, &iou, &precision);
  if (s.r.n_objects)
    error = object_error (
        truth0, pose0, s.truth.objects[0].pose, &s.r.objects[0].pose, &degrees);
  printf ("the robot is followed from frame %d on; in the end %.1f mm and %.2f "
          "degrees off, IoU %.3f, precision %.3f\n",
      born, 1000 * error, degrees, iou, precision);
  check (error >= 0 && error < .02 && degrees < 2);
  check (precision > .95 && iou > .6);
  check_mesh (&s);
  play_close (&s);
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
  Play s;

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
  play_close (&s);
}

/* The depth of what matches is the wall's, and its normal points here. */
static void
test_views (DeviceKind kind)
{
  float *normals;
  uint8_t *rgb;
  size_t pixels = 160 * 120;
  Play s;

  play_open (&s, kind, 160, 120);
  s.p.camera.cx = 79.5, s.p.camera.cy = 59.5;
  play_start (&s, false);
  ok (device_alloc (&s.dev, (void **) &normals, 3 * pixels * sizeof *normals));
  ok (device_alloc (&s.dev, (void **) &rgb, 3 * pixels));
  wall (&s, 1500, 0);
  play_run (&s, 0);
  play_run (&s, 1);
  ok (kinfumot_draw (s.k, rgb, 3 * 160, normals, 3 * 160 * sizeof *normals));
  {
    size_t middle = 60 * 160 + 80;
    float n[3];
    uint8_t c[3];
    uint16_t depth;
    uint8_t *map = play_map (&s);

    ok (device_copy (&s.dev, n, normals + 3 * middle, sizeof n));
    ok (device_copy (&s.dev, c, rgb + 3 * middle, sizeof c));
    ok (device_copy (&s.dev, &depth, s.r.depth + middle, sizeof depth));
    ok (device_wait (&s.dev));
    check_near (n[2], -1, 1e-3);
    check (c[0] > 150 && c[0] == c[1] && c[1] == c[2]);
    check (depth == 1.5 * KINFUMOT_UNITS);
    check (map[2 * middle] == KINFUMOT_INLIER && map[2 * middle + 1] == 0);
    free (map);
  }
  device_release (&s.dev, normals);
  device_release (&s.dev, rgb);
  play_close (&s);
}

/* ---- Lost, and found again ---- */

/* Nothing is known of any pixel. */
static void
check_unknown (Play *s)
{
  uint8_t *map = play_map (s);
  int wrong = 0;

  for (int i = 0; i < s->width * s->height; i++)
    wrong += map[2 * i + 1] != 0 ||
        map[2 * i] !=
            (s->depth[i] ? KINFUMOT_NO_CORRESPONDENCE : KINFUMOT_MISSING);
  check (wrong == 0);
  free (map);
}

static void
test_lost (DeviceKind kind)
{
  double first[7];
  Play s;

  play_open (&s, kind, 320, 240);
  s.rp.camera = RGBD_SWAY;
  s.rp.motion_start = 1000;
  play_start (&s, false);
  for (int i = 0; i < 10; i++) {
    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
  }
  for (int i = 10; i < 13; i++) {
    wall (&s, 700, 0);
    play_run (&s, i);
    check (s.r.lost);
    check_unknown (&s);
  }
  for (int i = 13; i < 18; i++)
    play_frame (&s, i);
  check (!s.r.lost);
  check_near (camera_error (&s, first), 0, .01);
  play_close (&s);
}

/* After a seek the camera is found in the models; after a reset there are none.
 */
static void
test_relocate (DeviceKind kind)
{
  double first[7];
  Play s;

  play_open (&s, kind, 320, 240);
  s.rp.camera = RGBD_SWAY;
  s.rp.motion_start = 1000;
  play_start (&s, false);
  for (int i = 0; i < 8; i++) {
    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
  }
  kinfumot_relocate (s.k);
  play_frame (&s, 14);
  check (!s.r.lost);
  check_near (camera_error (&s, first), 0, .01);
  kinfumot_reset (s.k);
  play_frame (&s, 15);
  check (!s.r.lost && s.r.camera.t[0] == 0 && s.r.matched == 0);
  play_close (&s);
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
    Play s;

    play_open (&s, kind, i % 2 ? 8 : 65, i % 2 ? 8 : 33);
    s.p.camera.fx = s.p.camera.fy = 50;
    play_start (&s, false);
    for (int f = 0; f < 4; f++) {
      for (int k = 0; k < s.width * s.height; k++)
        s.depth[k] = (uint16_t) (f == 3 ? (int) rnd (65536) : values[i]);
      play_run (&s, 7); /* time stands still */
      check_finite (&s.r);
    }
    ok (kinfumot_birth (s.k, 7, s.mask, s.width));  /* an empty mask, */
    ok (kinfumot_birth (s.k, 99, s.mask, s.width)); /* and of no frame */
    play_run (&s, 8);
    check (s.r.late >= 1 && s.r.n_objects == 0);
    play_close (&s);
  }
}

/* A pool that is too small for what is in view holds a part of it; what is out
 * of view makes room, which is told; and it goes on. */
static void
test_full (DeviceKind kind)
{
  uint64_t dropped = 0;
  Play s;

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
  play_close (&s);
}

static void
test_refused (DeviceKind kind)
{
  KinfumotParams p = kinfumot_defaults ();
  KinfumotCamera c = {500, 500, 320, 240, {0}};

  (void) kind;
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
  c = (KinfumotCamera){0, 500, 320, 240, {0}};
  check (kinfumot_check_camera (&c, 640, 480) != NULL);
}

/* ---- Parity ---- */

static void
compare (Play *a, Play *b, int frame)
{
  uint8_t *x = play_map (a), *y = play_map (b);
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
  free (x);
  free (y);
}

/* Robots, a lens, a camera that walks, a pool that fills. */
static void
parity_room (DeviceKind kind)
{
  for (int run = 0; run < 3; run++) {
    int before = check_failures, objects = 0;
    Play a, b;

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
    b.rp = a.rp;
    b.p = a.p;
    play_start (&a, true);
    play_start (&b, true);
    for (int i = 0; i < 40 && check_failures == before; i++) {
      play_frame (&a, i);
      play_frame (&b, i);
      compare (&a, &b, i);
      objects = a.r.n_objects > objects ? a.r.n_objects : objects;
    }
    printf ("run %d: %d objects, %u bricks\n", run, objects, a.r.n_bricks);
    play_close (&a);
    play_close (&b);
  }
}

/* The camera is lost and found, times repeat, depth is noise. */
static void
parity_lost (DeviceKind kind)
{
  Play a, b;

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
  play_close (&a);
  play_close (&b);
}

/* ---- Time ---- */

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

#define MEASURED 100

/* Frames of 640 x 480 with @robots robots, of which some are followed. */
static void
measure (DeviceKind kind, int robots)
{
  double ms[MEASURED];
  int objects = 0, n = kind == DEVICE_CUDA ? MEASURED : 20;
  const int before = robots ? 90 : 20;
  Play s;

  play_open (&s, kind, 640, 480);
  s.rp.robots = robots ? robots : 1;
  s.rp.motion_start = robots ? 10 : 1000;
  s.p.voxel_size = .005;
  s.p.truncation = .03;
  s.p.max_memory = 256;
  play_start (&s, true);
  for (int i = 0; i < before + n; i++) {
    double start;

    play_render (&s, i);
    ok (device_copy (&s.dev, s.there, s.depth, 2 * 640 * 480));
    ok (device_wait (&s.dev));
    start = seconds ();
    play_run (&s, i);
    if (i >= before)
      ms[i - before] = 1e3 * (seconds () - start);
    play_detect (&s, i);
    objects = s.r.n_objects;
  }
  qsort (ms, n, sizeof *ms, compare_doubles);
  printf ("%s,%d,%d,%.3f,%.3f,%.3f,%u\n", kind ? "cuda" : "cpu", robots,
      objects, ms[0], ms[n / 2], ms[n - 1], s.r.n_bricks);
  play_close (&s);
}

static int
bench (int argc, char **argv)
{
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  printf ("device,robots,objects,least ms,median ms,most ms,bricks\n");
  for (int i = 2; i < argc; i++)
    measure (kind, atoi (argv[i]));
  if (argc == 2) {
    measure (kind, 0);
    measure (kind, 1);
  }
  return check_failures != 0;
}

int
main (int argc, char **argv)
{
  const CheckPart on_each[] = {{"refused", test_refused}, {"wall", test_wall},
      {"views", test_views}, {"camera", test_camera}, {"robot", test_robot},
      {"lost", test_lost}, {"relocate", test_relocate}, {"full", test_full},
      {"hostile", test_hostile}, {NULL, NULL}};
  const CheckPart parity[] = {
      {"room", parity_room}, {"lost", parity_lost}, {NULL, NULL}};

  return check_main (argc, argv, on_each, parity, bench);
}
