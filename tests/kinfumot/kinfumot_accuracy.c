/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What kinfumot with gpuccl behind it makes of 60 real frames, of the same with
 * a body set into them, of 300 real frames, and of the six generated paths of
 * M. Korn, D. Sanders and J. Pauli, VISAPP 2017, figure 7, against the truth.
 *
 *     test-kinfumot_accuracy --bench WORD...
 *
 * static, body, long: the real frames, where VISION_TEST_DATA names them;
 * floors: the least that any poses could make of the pairs of long; paths: the
 * generated ones, 320 x 240, or those that are named; cameras: that room with
 * nothing that moves, 300 frames for each motion of the camera; axes: figure 9.
 * Without any of these, all.  unsigned: the paper's distance; no-ring: without
 * the frames before a birth; cuda: on the GPU; --seeds N: of the paths (3);
 * --frames N: no more of a path, a motion or the axes; vga: paths and cameras
 * at 640 x 480 and with the default properties; kinect-one: the axes before a
 * Kinect One, 512 x 424, with its lens and noise; windows: the axes detected by
 * windows, as before the paper. */
#include <unistd.h>

#include "common/pose_core.h"
#include "common/random.h"
#include "../gpuccl/gpuccl_png.h"
#include "kinfumot_play.h"

#define MAX_FRAMES 300

static const char *data;

typedef struct {
  DeviceKind kind;
  bool is_unsigned, no_ring, is_vga, kinect_one, windows;
  int max_frames; /* of a generated path */
} Way;

static const char *
distance_of (const Way *way)
{
  return way->is_unsigned ? "unsigned" : "signed";
}

static int
ring_of (const Way *way)
{
  return way->no_ring ? 0 : kinfumot_defaults ().ring;
}

static void
set_way (Play *s, const Way *way)
{
  if (way->is_unsigned)
    s->p.distance = KINFUMOT_UNSIGNED;
  s->p.ring = ring_of (way);
}

/* ---- Trajectories ---- */

typedef double Place[3];

static void
mean_of (const Place *x, int n, double mean[3])
{
  for (int k = 0; k < 3; k++) {
    mean[k] = 0;
    for (int i = 0; i < n; i++)
      mean[k] += x[i][k] / n;
  }
}

/* x of a x = b; symmetric, positive definite. */
static void
solve_3 (double a[3][3], const double b[3], double x[3])
{
  double det = 0, minor[3][3];

  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3,
          k2 = (k + 2) % 3;

      minor[i][k] = a[i1][k1] * a[i2][k2] - a[i1][k2] * a[i2][k1];
    }
  for (int k = 0; k < 3; k++)
    det += a[0][k] * minor[0][k];
  for (int i = 0; i < 3; i++) {
    x[i] = 0;
    for (int k = 0; k < 3; k++)
      x[i] += minor[k][i] * b[k] / det;
  }
}

/* One step to the turn of @x that brings it nearest to @to; both about their
 * means. */
static void
turn_nearer (Place *x, const Place *to, int n)
{
  double a[3][3] = {{0}}, b[3] = {0}, w[3], q[4] = {1}, norm;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      int l = (k + 1) % 3, m = (k + 2) % 3;

      b[k] += x[i][l] * to[i][m] - x[i][m] * to[i][l];
      a[k][k] += x[i][l] * x[i][l] + x[i][m] * x[i][m];
      a[k][l] -= x[i][k] * x[i][l];
      a[l][k] = a[k][l];
    }
  solve_3 (a, b, w);
  norm = sqrt (1 + (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / 4);
  q[0] = 1 / norm;
  for (int k = 0; k < 3; k++)
    q[1 + k] = w[k] / 2 / norm;
  for (int i = 0; i < n; i++)
    turn (q, (Place){x[i][0], x[i][1], x[i][2]}, x[i]);
}

/* The root mean square of distances. */
static double
apart (const Place *x, const Place *to, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      sum += (x[i][k] - to[i][k]) * (x[i][k] - to[i][k]) / n;
  return sqrt (sum);
}

/* The largest distance. */
static double
farthest_apart (const Place *x, const Place *to, int n)
{
  double worst = 0;

  for (int i = 0; i < n; i++)
    worst = fmax (worst, apart (x + i, to + i, 1));
  return worst;
}

/* The absolute trajectory error once both are laid over each other best. */
static double
apart_aligned (const Place *x, const Place *to, int n)
{
  Place p[MAX_FRAMES], q[MAX_FRAMES];
  double mean_p[3], mean_q[3];

  mean_of (x, n, mean_p);
  mean_of (to, n, mean_q);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      p[i][k] = x[i][k] - mean_p[k];
      q[i][k] = to[i][k] - mean_q[k];
    }
  for (int i = 0; i < 20; i++)
    turn_nearer (p, (const Place *) q, n);
  return apart ((const Place *) p, (const Place *) q, n);
}

/* ---- Real frames ---- */

#define STATIC "7scenes_tsdf_fusion"
#define LATER "7scenes_060_299"
#define BODY "semisynthetic_moving_object"

static void
read_pose (const char *folder, int i, const char *what, double pose[7])
{
  char path[2048];
  double m[3][4] = {{1}, {0, 1}, {0, 0, 1}};
  FILE *file;
  int n = 0;

  snprintf (
      path, sizeof path, "%s/rgbd/%s/frame-%06d.%s.txt", data, folder, i, what);
  file = fopen (path, "r");
  for (int k = 0; file && k < 12; k++)
    n += fscanf (file, "%lf", &m[k / 4][k % 4]);
  check (n == 12);
  if (file)
    fclose (file);
  quat64_of_rows (m[0], 4, pose + 3);
  for (int k = 0; k < 3; k++)
    pose[k] = m[k][3];
}

static uint16_t *
read_picture (const char *folder, int i, const char *what)
{
  char path[2048];

  snprintf (
      path, sizeof path, "%s/rgbd/%s/frame-%06d.%s.png", data, folder, i, what);
  return png_read (path, 640, 480);
}

/* What was recorded of frame @i of the 300, in the world of the first. */
static void
read_static (int i, uint16_t **depth, double pose[7])
{
  double first[7], back[7], there[7];

  *depth = i < 60 ? read_picture (STATIC "/depth", i, "depth")
                  : read_picture (LATER, i, "depth");
  read_pose (STATIC "/pose", 0, "pose", first);
  read_pose (i < 60 ? STATIC "/pose" : LATER, i, "pose", there);
  pose_back (first, back);
  pose_times (back, there, pose);
}

static void
real_open (Play *s, const Way *way)
{
  play_open (s, way->kind, 640, 480);
  s->p = kinfumot_defaults ();
  s->p.camera = (Camera){585, 585, 320, 240, {0}};
  set_way (s, way);
  play_start (s, true);
}

/* Runs @depth, which it frees, as frame @i. */
static void
real_frame (Play *s, int i, uint16_t *depth)
{
  if (depth)
    memcpy (s->depth, depth, 640 * 480 * sizeof *depth);
  free (depth);
  play_run (s, i);
  play_detect (s, i);
}

/* Millimetres. */
typedef struct {
  double aligned, anchored, worst; /* of the frames, anchored */
  uint64_t objects;                /* that were born */
} CameraError;

static uint64_t
last_id (const Play *s, uint64_t so_far)
{
  for (int i = 0; i < s->r.n_objects; i++)
    so_far = s->r.objects[i].id > so_far ? s->r.objects[i].id : so_far;
  return so_far;
}

/* @poses: where the camera was in the first @n frames. */
static CameraError
run_static (const Way *way, int n, double poses[][7], int judged)
{
  Place here[MAX_FRAMES], truth[MAX_FRAMES];
  CameraError c = {0};
  AUTO (Play) s;

  real_open (&s, way);
  for (int i = 0; i < n; i++) {
    uint16_t *depth;
    double pose[7];

    read_static (i, &depth, pose);
    real_frame (&s, i, depth);
    pose_flat (&s.r.camera, poses[i]);
    memcpy (here[i], poses[i], sizeof here[i]);
    memcpy (truth[i], pose, sizeof truth[i]);
    c.objects = last_id (&s, c.objects);
  }
  c.aligned =
      1e3 * apart_aligned ((const Place *) here, (const Place *) truth, judged);
  c.anchored =
      1e3 * apart ((const Place *) here, (const Place *) truth, judged);
  c.worst = 1e3 *
      farthest_apart ((const Place *) here, (const Place *) truth, judged);
  return c;
}

static void
tell_camera (const char *name, const Way *way, const CameraError *c)
{
  printf ("camera,%s,%s,%d,%.2f,%.2f,%d\n", name, distance_of (way),
      ring_of (way), c->aligned, c->anchored, (int) c->objects);
  fflush (stdout);
}

/* ---- Depth laid over depth ---- */

static int
compare_floats (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

/* By how much the depth @from differs from @to, seen from there by @motion: the
 * median, millimetres, of each @step-th pixel; far where few meet. */
static double
median_apart (
    const uint16_t *from, const uint16_t *to, const double motion[7], int step)
{
  static float differences[640 * 480];
  int n = 0;

  for (int at = 0; at < 640 * 480; at += step) {
    double z = from[at] / 1e3,
           p[3] = {(at % 640 - 320) / 585. * z, (at / 640 - 240) / 585. * z, z};
    int x, y;

    if (!from[at] || from[at] == 65535)
      continue;
    carry (motion, p, p);
    x = (int) floor (p[0] / p[2] * 585 + 320.5);
    y = (int) floor (p[1] / p[2] * 585 + 240.5);
    if (!(p[2] > .1) || x < 0 || y < 0 || x >= 640 || y >= 480 ||
        !to[y * 640 + x] || to[y * 640 + x] == 65535)
      continue;
    differences[n++] = (float) fabs (to[y * 640 + x] - 1e3 * p[2]);
  }
  if (n < 60000 / step)
    return 1e3;
  qsort (differences, n, sizeof *differences, compare_floats);
  return differences[n / 2];
}

/* Two frames, and by the annotated poses the motion from one to the other. */
typedef struct {
  uint16_t *from, *to;
  double motion[7];
} Pair;

static Pair
pair_read (int i, int k)
{
  double a[7], b[7], back[7];
  Pair p;

  read_static (i, &p.from, a);
  read_static (k, &p.to, b);
  pose_back (b, back);
  pose_times (back, a, p.motion);
  return p;
}

static void
pair_free (Pair *p)
{
  free (p->from);
  free (p->to);
}

AUTO_FREE (Pair, pair_free)

/* ---- What no poses can do better ---- */

static double
random_within (double max)
{
  return max * ((int) rnd (20001) - 10000) / 1e4;
}

/* A motion near @motion: a turn about a point 2 m before the camera, and a
 * step. */
static void
stray (const double motion[7], double size, double out[7])
{
  double more[7] = {0, 0, 0, 1}, norm = 1;

  for (int i = 0; i < 3; i++) {
    more[i] = random_within (size);
    more[4 + i] = random_within (size / 4);
    norm += more[4 + i] * more[4 + i];
  }
  more[0] -= 4 * more[5];
  more[1] += 4 * more[4];
  for (int i = 3; i < 7; i++)
    more[i] /= sqrt (norm);
  pose_times (more, motion, out);
}

/* From the annotated motion on by random steps that make it better: of each
 * 13th pixel, then of each third. */
static double
search (const Pair *p)
{
  double best[7], min = 1e9, size = 0;
  int failed = 0;

  memcpy (best, p->motion, sizeof best);
  for (int i = 0; i < 6000; i++) {
    const int step = i < 4000 ? 13 : 3;
    double there[7], apart;

    if (i == 0 || i == 4000) {
      size = i ? .002 : .03;
      min = median_apart (p->from, p->to, best, step);
    }
    stray (best, size, there);
    apart = median_apart (p->from, p->to, there, step);
    if (apart < min) {
      min = apart;
      memcpy (best, there, sizeof best);
      size *= 1.1;
      failed = 0;
    } else if (++failed > 40) {
      size *= .7;
      failed = 0;
    }
  }
  return median_apart (p->from, p->to, best, 1);
}

static const int pairs[][2] = {{121, 122}, {60, 120}, {150, 200}};

/* The least median that five searches find. */
static void
tell_floors (void)
{
  for (int i = 0; i < 3; i++) {
    Pair p = pair_read (pairs[i][1], pairs[i][0]);
    double min = 1e9;

    for (int k = 0; k < 5; k++)
      min = fmin (min, search (&p));
    printf ("floor,%d,%d,%.1f\n", pairs[i][0], pairs[i][1], min);
    fflush (stdout);
    pair_free (&p);
  }
}

/* ---- 300 frames ---- */

static void
tell_long (const Way *way)
{
  static double poses[MAX_FRAMES][7];
  CameraError c = run_static (way, 300, poses, 150);

  tell_camera ("first 150 of 300", way, &c);
  for (int i = 0; i < 3; i++) {
    const int *of = pairs[i];
    Pair p = pair_read (of[1], of[0]);
    double back[7], motion[7];

    pose_back (poses[of[0]], back);
    pose_times (back, poses[of[1]], motion);
    printf ("pair,%d,%d,%.1f,%.1f\n", of[0], of[1],
        median_apart (p.from, p.to, motion, 1),
        median_apart (p.from, p.to, p.motion, 1));
    pair_free (&p);
  }
  fflush (stdout);
}

/* ---- An object and its truth ---- */

typedef struct {
  int accepted;     /* the first frame with an object; -1: none */
  double precision; /* of the mask in that frame */
  int born;         /* the first frame with a model; -1 */
  uint64_t id, n_ids;
  int age; /* of the object that is looked at, since it was anchored */
  double truth0[7], pose0[7];
  double iou[MAX_FRAMES];
  int n; /* frames from 20 after the birth on */
  double sum, worst, worst_degrees, min_precision;
} Followed;

/* Of the mask that gpuccl accepts. */
static void
see_accepted (Followed *f, Play *s, int frame, const uint8_t *truth)
{
  int right = 0, all = 0;
  uint8_t *mask;

  if (f->accepted >= 0 || s->found.accepted < 0)
    return;
  mask = malloc ((size_t) s->width * s->height);
  ok (device_copy (&s->dev, mask, s->mask, (size_t) s->width * s->height));
  ok (device_wait (&s->dev));
  for (int i = 0; i < s->width * s->height; i++) {
    all += mask[i] != 0;
    right += mask[i] && truth[i];
  }
  free (mask);
  f->accepted = frame;
  f->precision = (double) right / all;
}

/* The largest object is the one; @pose: its true one. */
static void
see_object (Followed *f, const Play *s, const double pose[7])
{
  const KinfumotObject *o = NULL;
  double error, degrees;

  for (int i = 0; i < s->r.n_objects; i++)
    if (s->r.objects[i].area && (!o || s->r.objects[i].area > o->area))
      o = &s->r.objects[i];
  if (!o)
    return;
  if (f->id != o->id) {
    f->id = o->id;
    f->age = 0;
    memcpy (f->truth0, pose, sizeof f->truth0);
    pose_flat (&o->pose, f->pose0);
  }
  if (f->age++ < 20)
    return;
  error = 1e3 * object_error (f->truth0, f->pose0, pose, &o->pose, &degrees);
  f->n++;
  f->sum += error;
  f->worst = fmax (f->worst, error);
  f->worst_degrees = fmax (f->worst_degrees, degrees);
}

/* @truth: the pixels that are the object's. */
static void
see (
    Followed *f, Play *s, int frame, const uint8_t *truth, const double pose[7])
{
  double precision;

  for (int i = 0; i < s->width * s->height; i++)
    s->labels[i] = truth[i];
  compare_pixels (s, &f->iou[frame], &precision);
  if (s->r.n_objects && f->born < 0)
    f->born = frame;
  if (f->born >= 0 && frame >= f->born + 2)
    f->min_precision = fmin (f->min_precision, precision);
  f->n_ids = last_id (s, f->n_ids);
  see_accepted (f, s, frame, truth);
  see_object (f, s, pose);
}

/* ---- The body ---- */

static void
body_truth (int i, uint8_t *mask, double object[7], double camera[7])
{
  uint16_t *picture = read_picture (BODY "/mask", i, "mask");
  double back[7], there[7];

  for (int k = 0; picture && k < 640 * 480; k++)
    mask[k] = picture[k] != 0;
  free (picture);
  read_pose (BODY "/pose", i, "camera", camera);
  read_pose (BODY "/pose", i, "object", there);
  pose_back (camera, back);
  pose_times (back, there, object);
}

static CameraError
run_body (const Way *way, Followed *f)
{
  Place here[60], truth[60];
  uint8_t *mask = calloc (640 * 480, 1);
  CameraError c = {0};
  AUTO (Play) s;

  *f = (Followed){.accepted = -1, .born = -1, .min_precision = 1};
  real_open (&s, way);
  for (int i = 0; i < 60; i++) {
    double object[7], camera[7];

    real_frame (&s, i, read_picture (BODY "/depth", i, "depth"));
    body_truth (i, mask, object, camera);
    see (f, &s, i, mask, object);
    memcpy (here[i], s.r.camera.t, sizeof here[i]);
    memcpy (truth[i], camera, sizeof truth[i]);
  }
  c.aligned =
      1e3 * apart_aligned ((const Place *) here, (const Place *) truth, 60);
  c.anchored = 1e3 * apart ((const Place *) here, (const Place *) truth, 60);
  c.worst =
      1e3 * farthest_apart ((const Place *) here, (const Place *) truth, 60);
  c.objects = f->n_ids;
  free (mask);
  return c;
}

static double
min_from (const Followed *f, int first, int last)
{
  double min = 1;

  for (int i = first; i < last; i++)
    min = fmin (min, f->iou[i]);
  return min;
}

/* What is known of an object in the row of one that never came. */
static double
if_born (const Followed *f, double value)
{
  return f->born < 0 ? NAN : value;
}

/* @worst: of the camera, millimetres. */
static void
tell_followed (const char *name, const Way *way, int seed, double worst,
    const Followed *f, int n_frames)
{
  printf ("object,%s,%s,%d,%d,%.1f,%d,%.3f,%.3f,%.3f,%d,%.1f,%.1f,%.2f,%.3f\n",
      name, distance_of (way), ring_of (way), seed, worst, f->accepted,
      f->accepted < 0 ? NAN : f->precision,
      if_born (f, f->iou[f->born < 0 ? 0 : f->born]),
      if_born (f, min_from (f, f->born + 14, n_frames)), (int) f->n_ids,
      f->n ? f->sum / f->n : NAN, f->n ? f->worst : NAN,
      f->n ? f->worst_degrees : NAN, if_born (f, f->min_precision));
  fflush (stdout);
}

static void
tell_real (const Way *way, bool moves)
{
  static double poses[MAX_FRAMES][7];
  Followed f;
  CameraError c = moves ? run_body (way, &f) : run_static (way, 60, poses, 60);

  tell_camera (moves ? "body" : "static", way, &c);
  if (moves)
    tell_followed ("body", way, 0, c.worst, &f, 55);
}

/* ---- The generated paths ---- */

#define N_PATHS 6
#define PATH_FRAMES 90

static const char *const paths[N_PATHS] = {
    "parallel", "towards", "frontal", "away", "pass", "rotation"};

static int
at_most (const Way *way, int frames)
{
  return way->max_frames < frames ? way->max_frames : frames;
}

static void
open_room (Play *s, const Way *way)
{
  play_open (s, way->kind, way->is_vga ? 640 : 320, way->is_vga ? 480 : 240);
  if (way->is_vga)
    s->p = kinfumot_defaults ();
  set_way (s, way);
}

/* Millimetres: how far the camera is off at worst. */
static double
run_path (const Way *way, int path, int seed, Followed *f)
{
  double first[7], worst = 0;
  uint8_t *mask;
  AUTO (Play) s;

  *f = (Followed){.accepted = -1, .born = -1, .min_precision = 1};
  open_room (&s, way);
  mask = calloc ((size_t) s.width * s.height, 1);
  s.rp.path = (RgbdPath) path;
  s.rp.motion_start = 10;
  s.rp.seed = (uint64_t) seed;
  play_start (&s, true);
  for (int i = 0; i < at_most (way, PATH_FRAMES); i++) {
    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
    worst = fmax (worst, 1e3 * camera_error (&s, first));
    for (int k = 0; k < s.width * s.height; k++)
      mask[k] = s.labels[k] != 0;
    see (f, &s, i, mask, s.truth.objects[0].pose);
  }
  free (mask);
  return worst;
}

static void
tell_path (const Way *way, int path, int seeds)
{
  for (int seed = 1; seed <= seeds; seed++) {
    Followed f;
    double worst = run_path (way, path, seed, &f);

    tell_followed (
        paths[path], way, seed, worst, &f, at_most (way, PATH_FRAMES));
  }
}

/* ---- A room in which nothing moves but the camera ---- */

static void
tell_motion (const Way *way, RgbdMotion motion, const char *name)
{
  const int n = at_most (way, MAX_FRAMES);
  double first[7], sum = 0, worst = 0;
  uint64_t n_ids = 0;
  int n_lost = 0;
  AUTO (Play) s;

  open_room (&s, way);
  s.rp.camera = motion;
  s.rp.motion_start = MAX_FRAMES;
  play_start (&s, true);
  for (int i = 0; i < n; i++) {
    double error;

    play_frame (&s, i);
    if (i == 0)
      memcpy (first, s.truth.camera, sizeof first);
    error = 1e3 * camera_error (&s, first);
    sum += error * error / n;
    worst = fmax (worst, error);
    n_ids = last_id (&s, n_ids);
    n_lost += s.r.lost;
  }
  printf ("motion,%s,%s,%d,%.1f,%.1f,%d,%d\n", name, distance_of (way), n,
      sqrt (sum), worst, (int) n_ids, n_lost);
  fflush (stdout);
}

static void
tell_motions (const Way *way)
{
  static const struct {
    RgbdMotion motion;
    const char *name;
  } motions[] = {{RGBD_STILL, "still"}, {RGBD_SWAY, "sway"},
      {RGBD_ORBIT, "orbit"}, {RGBD_WALK, "walk"}, {RGBD_SHAKE, "shake"}};

  for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
    tell_motion (way, motions[i].motion, motions[i].name);
}

/* ---- Figure 9 ---- */

#define AXES_FRAMES 240
#define AXES_MIN_SIZE 200 /* the least axis has 430 pixels */

/* The intersection over union of truth @label with the model that has most of
 * its pixels. */
static void
best_model (const Play *s, const uint8_t *map, int label, double *iou)
{
  int both[KINFUMOT_MAX_OBJECTS + 1] = {0}, of[KINFUMOT_MAX_OBJECTS + 1] = {0};
  int all = 0, best = 0;

  for (int i = 0; i < s->width * s->height; i++) {
    bool is = s->depth[i] && s->labels[i] == label;

    all += is;
    of[map[2 * i + 1]]++;
    both[map[2 * i + 1]] += is;
  }
  for (int m = 1; m <= KINFUMOT_MAX_OBJECTS; m++)
    best = both[m] > (best ? both[best] : 0) ? m : best;
  *iou = best ? (double) both[best] / (all + of[best] - both[best]) : 0;
}

/* The standard deviation of a Kinect One's depth is this times z^2 here,
 * metres: 4 mm at 2 m, the upper end of what is published. */
#define KINECT_ONE_NOISE .001
#define KINECT_ONE_JUMP 50 /* mm: two surfaces, and pixels that fly between */

/* A Kinect One's noise in exact depth @z of pixel @at: normal but for its
 * tails; at an edge every other pixel lies between the two surfaces. */
static uint16_t
kinect_one_depth (const Play *s, const uint16_t *exact, uint64_t seed, int at)
{
  int z = exact[at], beside = at % s->width ? exact[at - 1] : z;
  double sum = 0;

  if (!z)
    return 0;
  for (uint64_t i = 0; i < 12; i++)
    sum += random_unit (seed, 16 * (uint64_t) at + i);
  if (beside && abs (beside - z) > KINECT_ONE_JUMP &&
      random_unit (seed, 16 * (uint64_t) at + 12) < .5f)
    z += (int) ((beside - z) * random_unit (seed, 16 * (uint64_t) at + 13));
  return (uint16_t) lround (z + (sum - 6) * KINECT_ONE_NOISE * z * z / 1000);
}

/* Renders frame @i with a Kinect One's noise. */
static void
render_kinect_one (Play *s, int i)
{
  size_t bytes = (size_t) s->width * s->height * sizeof *s->depth;
  AUTO_MEMORY uint16_t *exact = malloc (bytes);

  play_render (s, i);
  memcpy (exact, s->depth, bytes);
  for (int at = 0; at < s->width * s->height; at++)
    s->depth[at] = kinect_one_depth (s, exact, (uint64_t) i, at);
}

/* The three axes of a machine: the best that a model was of each, and when;
 * before a Kinect of 320 x 240 pixels, or a Kinect One with its lens. */
static void
tell_axes (const Way *way)
{
  double best[RGBD_MAX_OBJECTS] = {0};
  int when[RGBD_MAX_OBJECTS] = {0}, max = 0;
  uint64_t n_ids = 0;
  AUTO (Play) s;

  play_open (
      &s, way->kind, way->kinect_one ? 512 : 320, way->kinect_one ? 424 : 240);
  s.rp.path = RGBD_AXES;
  s.rp.motion_start = 10;
  set_way (&s, way);
  if (way->kinect_one) {
    s.rp.noise = 0;
    s.rp.distortion = 1;
    s.p.noise = .0015; /* preset kinect-one */
  }
  play_start (&s, true);
  s.gp.min_size = AXES_MIN_SIZE * s.width * s.width / (320 * 320);
  if (way->windows)
    s.gp.detector = GPUCCL_WINDOW;
  for (int i = 0; i < at_most (way, AXES_FRAMES); i++) {
    AUTO_MEMORY uint8_t *map;

    if (way->kinect_one) {
      render_kinect_one (&s, i);
      play_run (&s, i);
      play_detect (&s, i);
    } else
      play_frame (&s, i);
    n_ids = last_id (&s, n_ids);
    max = s.r.n_objects > max ? s.r.n_objects : max;
    map = play_map (&s);
    for (int k = 0; k < s.truth.n_objects; k++) {
      double iou;

      best_model (&s, map, k + 1, &iou);
      if (iou > best[k])
        best[k] = iou, when[k] = i;
    }
  }
  for (int k = 0; k < s.truth.n_objects; k++)
    printf ("axis,%s,%s,%.3f,%d,%d,%d\n", s.truth.objects[k].seen.label,
        distance_of (way), best[k], when[k], max, (int) n_ids);
  fflush (stdout);
}

static bool
says (int argc, char **argv, const char *word)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp (argv[i], word))
      return true;
  return false;
}

static void
tell_columns (void)
{
  printf (
      "camera,frames,distance,ring,aligned mm,anchored mm,objects\n"
      "object,path,distance,ring,seed,camera worst mm,accepted,precision,"
      "overlap at birth,overlap later least,objects,off mean mm,off worst mm,"
      "off worst degrees,precision least\n"
      "pair,frame,other,median difference mm,by the annotated poses mm\n"
      "floor,frame,other,least median difference of any poses mm\n"
      "motion,of the camera,distance,frames,off rms mm,off worst mm,objects,"
      "lost frames\n"
      "axis,name,distance,best overlap,in frame,models at a time,objects\n");
}

static int
number_after (int argc, char **argv, const char *option, int number)
{
  for (int i = 2; i + 1 < argc; i++)
    if (!strcmp (argv[i], option))
      number = atoi (argv[i + 1]);
  return number;
}

static int
bench (int argc, char **argv)
{
  static const char *const parts[] = {"static", "body", "long", "floors",
      "paths", "cameras", "axes", "parallel", "towards", "frontal", "away",
      "pass", "rotation"};
  const Way way = {says (argc, argv, "cuda") ? DEVICE_CUDA : DEVICE_CPU,
      says (argc, argv, "unsigned"), says (argc, argv, "no-ring"),
      says (argc, argv, "vga"), says (argc, argv, "kinect-one"),
      says (argc, argv, "windows"),
      number_after (argc, argv, "--frames", MAX_FRAMES)};
  const int seeds = number_after (argc, argv, "--seeds", 3);
  bool all = true;

  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    all &= !says (argc, argv, parts[i]);
  tell_columns ();
  if (data && (all || says (argc, argv, "static")))
    tell_real (&way, false);
  if (data && (all || says (argc, argv, "body")))
    tell_real (&way, true);
  if (data && (all || says (argc, argv, "long")))
    tell_long (&way);
  if (data && (all || says (argc, argv, "floors")))
    tell_floors ();
  for (int path = 0; path < N_PATHS; path++)
    if (all || says (argc, argv, "paths") || says (argc, argv, paths[path]))
      tell_path (&way, path, seeds);
  if (all || says (argc, argv, "cameras"))
    tell_motions (&way);
  if (all || says (argc, argv, "axes"))
    tell_axes (&way);
  return check_failures != 0;
}

/* ---- What must hold ---- */

static void
test_static (DeviceKind kind)
{
  static double poses[MAX_FRAMES][7];
  const Way way = {.kind = kind};
  CameraError c = run_static (&way, 60, poses, 60);

  tell_camera ("static", &way, &c);
  check (c.aligned <= 5 && c.anchored <= 7 && c.objects == 0);
}

/* The body starts in frame 15, is one object from frame 28 on at the latest,
 * and leaves from frame 55 on. */
static void
test_body (DeviceKind kind)
{
  const Way way = {.kind = kind};
  Followed f;
  CameraError c = run_body (&way, &f);

  tell_camera ("body", &way, &c);
  tell_followed ("body", &way, 0, c.worst, &f, 55);
  check (c.aligned <= 5 && c.anchored <= 7.5 && f.n_ids == 1);
  check (f.accepted > 15 && f.accepted <= 28 && f.precision >= .98);
  check (f.born == f.accepted + 1 && f.iou[f.born] >= .45);
  check (min_from (&f, 42, 55) >= .9 && f.min_precision >= .98);
  check (f.n > 5 && f.worst < 2 && f.worst_degrees < 1);
}

static const CheckPart parts[] = {
    {"static", test_static}, {"body", test_body}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  const char *name = "rgbd/" BODY "/mask/frame-000000.mask.png";
  char path[2048];

  data = getenv ("VISION_TEST_DATA");
  snprintf (path, sizeof path, "%s/%s", data ? data : "", name);
  if (!data || access (path, R_OK))
    data = NULL;
  if (!data && !says (argc, argv, "--bench")) {
    printf ("SKIP: VISION_TEST_DATA names no folder with %s\n", name);
    return 77;
  }
  return check_main (argc, argv, parts, NULL, bench);
}
