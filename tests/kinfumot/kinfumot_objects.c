/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of objects: blocks in a box of walls, whose pixels are known.
 * They are lost and found, too many, too thin, as large as the view, and there
 * from the first frame on; and the camera's intrinsics change.  And things on a
 * table, one of which is carried. */
#include "kinfumot_play.h"
#include "scene/clutter.h"

#define WIDTH 160
#define HEIGHT 120

/* Turned by @yaw about the upright axis; metres. */
typedef struct {
  double at[3], half[3], yaw;
} Block;

static const Block none = {{0, 0, -1}, {.1, .1, .1}, 0};

/* ---- What the camera sees ---- */

/* The inside of a box. */
static double
depth_of_walls (double x, double y)
{
  double z = 2.2;

  z = fabs (x) * z > .9 ? .9 / fabs (x) : z;
  return fabs (y) * z > .6 ? .6 / fabs (y) : z;
}

/* Where the ray (@x, @y, 1) enters the block; beyond all where it misses. */
static double
depth_of_block (const Block *b, double x, double y)
{
  double c = cos (b->yaw), s = sin (b->yaw);
  double from[3] = {-(c * b->at[0] - s * b->at[2]), -b->at[1],
      -(s * b->at[0] + c * b->at[2])};
  double along[3] = {c * x - s, y, s * x + c};
  double near = 0, far = 100;

  for (int i = 0; i < 3; i++) {
    double a = along[i] != 0 ? along[i] : 1e-12;
    double t0 = (-b->half[i] - from[i]) / a, t1 = (b->half[i] - from[i]) / a;

    near = fmax (near, fmin (t0, t1));
    far = fmin (far, fmax (t0, t1));
  }
  return near > 0 && near < far ? near : 100;
}

/* To s->depth, with noise; s->labels says which block a pixel shows, from 1. */
static void
draw (Play *s, const Block *blocks, int n)
{
  const Camera *c = &s->p.camera;

  for (int at = 0; at < WIDTH * HEIGHT; at++) {
    double x = (at % WIDTH - c->cx) / c->fx, y = (at / WIDTH - c->cy) / c->fy;
    double z = depth_of_walls (x, y);

    s->labels[at] = 0;
    for (int i = 0; i < n; i++) {
      double there = depth_of_block (&blocks[i], x, y);

      if (there < z) {
        z = there;
        s->labels[at] = (uint16_t) (i + 1);
      }
    }
    s->depth[at] = (uint16_t) (1000 * z + rnd (5) - 2 + .5);
  }
}

static void
open_walls (Play *s, DeviceKind kind)
{
  play_open (s, kind, WIDTH, HEIGHT);
  s->p = kinfumot_defaults ();
  s->p.camera = (Camera){130, 130, 79.5, 59.5, {0}};
  s->p.voxel_size = .01;
  s->p.truncation = .06;
  s->p.max_memory = 64;
  s->p.min_size = 200;
  play_start (s, false);
}

static void
show (Play *s, int frame, const Block *blocks, int n)
{
  draw (s, blocks, n);
  play_run (s, frame);
}

/* The pixels of block @which in frame @frame, the newest, are an object. */
static void
announce (Play *s, int frame, int which)
{
  uint8_t mask[WIDTH * HEIGHT];

  for (int i = 0; i < WIDTH * HEIGHT; i++)
    mask[i] = s->labels[i] == which ? 255 : 0;
  ok (device_copy (&s->dev, s->mask, mask, sizeof mask));
  ok (device_wait (&s->dev));
  ok (kinfumot_birth (s->k, frame, s->mask, WIDTH));
}

/* Frames from *@frame on until @last, in which @blocks[0] goes @step to the
 * right. */
static void
drive (Play *s, int *frame, int last, Block *blocks, int n, double step)
{
  for (; *frame < last; ++*frame) {
    blocks[0].at[0] += step;
    show (s, *frame, blocks, n);
  }
}

static void
pose_of_block (const Block *b, double pose[7])
{
  memcpy (pose, b->at, sizeof b->at);
  pose[3] = cos (b->yaw / 2);
  pose[4] = pose[6] = 0;
  pose[5] = -sin (b->yaw / 2);
}

static double
from_origin (const Pose64 *p)
{
  return sqrt (p->t[0] * p->t[0] + p->t[1] * p->t[1] + p->t[2] * p->t[2]);
}


/* ---- Lost and found ---- */

/* A block rests for some frames, moves to the right, and is an object from
 * frame 13 on, followed until @last. */
static int
follow_block (Play *s, Block *blocks, int n, int last)
{
  int frame = 0;

  drive (s, &frame, 5, blocks, n, 0);
  drive (s, &frame, 13, blocks, n, .01);
  announce (s, 12, 1);
  drive (s, &frame, last, blocks, n, .01);
  check (s->r.n_objects == 1 && s->r.objects[0].id == 1);
  return frame;
}

/* It goes out of view, and another comes, twice as large, which is another
 * object; where it comes back, it has its id again and its pose goes on. */
static void
test_found (DeviceKind kind)
{
  const Block block = {{-.25, 0, 1.3}, {.12, .2, .1}, .5};
  Block blocks[2] = {block, none};
  double truth0[7], pose0[7], truth[7], degrees, error;
  int frame;
  AUTO (Play) s;

  open_walls (&s, kind);
  frame = follow_block (&s, blocks, 1, 20);
  pose_of_block (&blocks[0], truth0);
  pose_flat (&s.r.objects[0].pose, pose0);
  blocks[0] = none;
  drive (&s, &frame, 20 + KINFUMOT_PATIENCE, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].state == KINFUMOT_OCCLUDED);
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].state == KINFUMOT_LOST);
  drive (&s, &frame, frame + 4, blocks, 2, 0);
  check (s.r.n_objects == 0);

  blocks[1] = (Block){{-.35, .1, 1.5}, {.25, .4, .2}, .3};
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  announce (&s, frame - 1, 2);
  drive (&s, &frame, frame + 3, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].id == 2);

  blocks[0] = block;
  blocks[0].at[0] = .3;
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  announce (&s, frame - 1, 1);
  drive (&s, &frame, frame + 1, blocks, 2, .01);
  check (s.r.n_objects == 2 && s.r.objects[0].id == 1);
  check (s.r.objects[0].state == KINFUMOT_FOUND);
  check (s.r.objects[0].age == frame - 1 - 13);
  drive (&s, &frame, frame + 5, blocks, 2, .01);
  check (s.r.n_objects == 2 && s.r.objects[0].id == 1);
  check (s.r.objects[0].state == KINFUMOT_TRACKING);
  pose_of_block (&blocks[0], truth);
  error = object_error (truth0, pose0, truth, &s.r.objects[0].pose, &degrees);
  printf ("found again, it is %.1f mm and %.2f degrees off\n", 1e3 * error,
      degrees);
  check (error < .015 && degrees < 2);
}

/* An object that is gone in the frame after its mask is never seen, and has no
 * size by which it could be found again: what comes next is another object. */
static void
test_never_seen (DeviceKind kind)
{
  Block blocks[2] = {{{-.3, 0, 1.2}, {.1, .2, .1}, .5}, none};
  int frame = 0;
  AUTO (Play) s;

  open_walls (&s, kind);
  drive (&s, &frame, 5, blocks, 1, 0);
  drive (&s, &frame, 13, blocks, 1, .01);
  announce (&s, 12, 1);
  blocks[0] = none;
  drive (&s, &frame, frame + KINFUMOT_PATIENCE + 1, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].state == KINFUMOT_LOST);
  check (s.r.objects[0].extent[0] == 0);
  blocks[1] = (Block){{.3, 0, 1.3}, {.2, .2, .2}, .4};
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  announce (&s, frame - 1, 2);
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].id == 2);
}

/* ---- Still ---- */

/* A block that stands still, and is measured 4 cm behind its place in two
 * frames, is taken for an object: 30 frames later the background has it back,
 * and it stays there, while a block that moves goes on as an object. */
static void
test_still (DeviceKind kind)
{
  Block blocks[2] = {
      {{-.45, 0, 1.2}, {.1, .2, .1}, .5}, {{.3, 0, 1.3}, {.12, .2, .1}, .4}};
  int frame, inliers = 0, all = 0;
  AUTO_MEMORY uint8_t *map;
  AUTO (Play) s;

  open_walls (&s, kind);
  frame = follow_block (&s, blocks, 2, 14);
  announce (&s, frame - 1, 2);
  drive (&s, &frame, frame + 10, blocks, 2, .005);
  blocks[1].at[2] += .04;
  drive (&s, &frame, frame + 2, blocks, 2, .005);
  blocks[1].at[2] -= .04;
  drive (&s, &frame, frame + 18, blocks, 2, .005);
  check (s.r.n_objects == 2 && s.r.objects[1].id == 2);
  drive (&s, &frame, frame + 10, blocks, 2, .005);
  check (s.r.n_objects == 1 && s.r.objects[0].id == 1);
  map = play_map (&s);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    all += s.labels[i] == 2;
    inliers +=
        s.labels[i] == 2 && map[2 * i] == KINFUMOT_INLIER && !map[2 * i + 1];
  }
  printf ("%d of %d pixels of what stands still are the background's\n",
      inliers, all);
  check (inliers > .9 * all);
}

/* ---- Things on a table ---- */

/* Shows frame @number of @table, and finds what moves there.  Out: @camera, its
 * true pose. */
static void
show_table (Play *s, Clutter *table, int number, double camera[7])
{
  const Image img = {.plane = {(uint8_t *) s->depth},
      .stride = {2 * s->width},
      .width = s->width,
      .height = s->height,
      .format = IMAGE_GRAY16};
  ClutterParams p = clutter_defaults ();
  ClutterTruth truth;

  p.seed = 3;
  p.carried = 1;
  ok (clutter_render (
      table, &p, CLUTTER_DEPTH, (uint64_t) number, &img, &truth, s->labels));
  memcpy (camera, truth.camera, sizeof truth.camera);
  s->p.camera = (Camera){truth.fx, truth.fy, truth.cx, truth.cy, {0}};
  play_run (s, number);
  play_detect (s, number);
}

/* The camera turns about a table.  The table's plane does not show the turn,
 * and the eight things on it, a tenth of the view, do: the camera follows, and
 * of the things, only the one that is carried from frame 30 on becomes an
 * object. */
static void
test_carried (DeviceKind kind)
{
  double first[7], camera[7], back[7], moved[7], pose[7], degrees;
  double iou, precision, worst = 0;
  Clutter *table;
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.p = kinfumot_defaults ();
  s.p.max_memory = 64;
  play_start (&s, true);
  s.gp.min_size = 300;
  ok (clutter_new (&table, s.width, s.height, NULL, 0, 1));
  for (int i = 0; i < 90; i++) {
    show_table (&s, table, i, camera);
    if (i == 0)
      memcpy (first, camera, sizeof first);
    pose_back (first, back);
    pose_times (back, camera, moved);
    pose_flat (&s.r.camera, pose);
    worst = fmax (worst, pose_apart (moved, pose, &degrees));
    check (!s.r.lost && s.r.n_objects <= 1);
  }
  clutter_free (table);
  for (int i = 0; i < s.width * s.height; i++)
    s.labels[i] = s.labels[i] == 8;
  compare_pixels (&s, &iou, &precision);
  printf ("about a table the camera is at most %.1f mm off; the thing that is "
          "carried: IoU %.3f, precision %.3f\n",
      1e3 * worst, iou, precision);
  check (worst < .02 && s.r.n_objects == 1 && precision > .9);
}

/* ---- Too many ---- */

/* One more than may be is refused, counted and told, and the one that is there
 * goes on; where that is lost, its place is free. */
static void
test_too_many (DeviceKind kind)
{
  Block blocks[2] = {
      {{-.3, 0, 1.2}, {.1, .2, .1}, .5}, {{.5, 0, 1.3}, {.2, .2, .2}, .4}};
  int frame;
  AUTO (Play) s;

  open_walls (&s, kind);
  s.p.max_objects = 1;
  frame = follow_block (&s, blocks, 2, 16);
  check (s.r.refused == 0 && s.r.refusal == NULL);
  announce (&s, frame - 1, 2);
  drive (&s, &frame, frame + 1, blocks, 2, .01);
  check (s.r.refused == 1);
  check (s.r.refusal && strstr (s.r.refusal, "max-objects"));
  drive (&s, &frame, frame + 1, blocks, 2, .01);
  check (s.r.refused == 1 && s.r.refusal == NULL);
  check (s.r.n_objects == 1 && s.r.objects[0].id == 1);
  check (s.r.objects[0].state == KINFUMOT_TRACKING);

  blocks[0] = none;
  drive (&s, &frame, frame + KINFUMOT_PATIENCE + 3, blocks, 2, 0);
  announce (&s, frame - 1, 2);
  drive (&s, &frame, frame + 1, blocks, 2, 0);
  check (s.r.n_objects == 1 && s.r.objects[0].id == 2 && s.r.refused == 1);
}

/* ---- Thin ---- */

/* A sheet of two fifths of a voxel, seen askew, is followed, all of it and
 * nothing else. */
static void
test_sheet (DeviceKind kind)
{
  Block sheet = {{-.25, 0, 1.2}, {.15, .2, .002}, .5};
  double truth0[7], pose0[7], truth[7], degrees, error, iou, precision;
  int frame;
  AUTO (Play) s;

  open_walls (&s, kind);
  frame = follow_block (&s, &sheet, 1, 14);
  pose_of_block (&sheet, truth0);
  pose_flat (&s.r.objects[0].pose, pose0);
  drive (&s, &frame, 40, &sheet, 1, .01);
  check (s.r.n_objects == 1 && s.r.objects[0].state == KINFUMOT_TRACKING);
  pose_of_block (&sheet, truth);
  error = object_error (truth0, pose0, truth, &s.r.objects[0].pose, &degrees);
  compare_pixels (&s, &iou, &precision);
  printf ("the sheet is %.1f mm and %.2f degrees off, IoU %.3f\n", 1e3 * error,
      degrees, iou);
  check (error < .02 && degrees < 2 && iou > .95 && precision > .98);
}

/* A rod that is three pixels wide has too few points with normals, and is
 * refused. */
static void
test_rod (DeviceKind kind)
{
  Block rod = {{-.3, 0, 1.2}, {.012, .3, .005}, 0};
  int frame = 0;
  AUTO (Play) s;

  open_walls (&s, kind);
  drive (&s, &frame, 5, &rod, 1, 0);
  drive (&s, &frame, 13, &rod, 1, .01);
  announce (&s, 12, 1);
  drive (&s, &frame, frame + 1, &rod, 1, .01);
  check (s.r.refused == 1 && s.r.n_objects == 0);
  check (s.r.refusal && strstr (s.r.refusal, "too small"));
  drive (&s, &frame, frame + 10, &rod, 1, .01);
  check (!s.r.lost && from_origin (&s.r.camera) < .005);
}

/* ---- As large as the view ---- */

/* It comes nearer until nothing else is seen.  The camera is then lost, and is
 * found again where it was once the room is seen; the room is as it was. */
static void
test_fills (DeviceKind kind)
{
  Block block = {{0, 0, 1.5}, {.3, .25, .1}, .2};
  bool lost = false;
  int frame = 0, inliers = 0;
  AUTO_MEMORY uint8_t *map;
  AUTO (Play) s;

  open_walls (&s, kind);
  drive (&s, &frame, 5, &block, 1, 0);
  for (; frame < 35; frame++) {
    block.at[2] -= .04;
    show (&s, frame, &block, 1);
    lost |= s.r.lost;
    if (frame == 10)
      announce (&s, frame, 1);
  }
  check (lost);
  block = none;
  drive (&s, &frame, 50, &block, 1, 0);
  check (!s.r.lost);
  printf ("after it has gone the camera is %.1f mm off\n",
      1e3 * from_origin (&s.r.camera));
  check (from_origin (&s.r.camera) < .01);
  map = play_map (&s);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    inliers += map[2 * i] == KINFUMOT_INLIER && map[2 * i + 1] == 0;
  printf ("%d of %d match the room\n", inliers, WIDTH * HEIGHT);
  check (inliers > .95 * WIDTH * HEIGHT);
}

/* Masks of everything and of nothing: no object, and the camera is known. */
static void
test_masks (DeviceKind kind)
{
  Block block = {{0, 0, 1.5}, {.2, .2, .1}, .3};
  int frame = 0;
  AUTO (Play) s;

  open_walls (&s, kind);
  drive (&s, &frame, 5, &block, 1, 0);
  for (int i = 0; i < 3; i++) {
    const int value = i == 1 ? 0 : 1;

    for (int at = 0; at < WIDTH * HEIGHT; at++)
      s.labels[at] = (uint16_t) value;
    announce (&s, i == 2 ? 77 : frame - 1, 1);
    drive (&s, &frame, frame + 3, &block, 1, 0);
    check (!s.r.lost && s.r.n_objects == 0);
  }
  check (s.r.refused == 1 && s.r.late == 1);
}

/* ---- Away ---- */

/* How many pixels of block 1, and of all others, are outliers. */
static void
count_outliers (Play *s, int *of_block, int *others)
{
  AUTO_MEMORY uint8_t *map = play_map (s);

  *of_block = *others = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    if (map[2 * i] == KINFUMOT_OUTLIER ||
        map[2 * i] == KINFUMOT_POTENTIAL_OUTLIER)
      *(s->labels[i] == 1 ? of_block : others) += 1;
}

/* What goes straight away from the camera consists of outliers although it lies
 * behind where it was; a wall 6 cm behind what is taken away, of none. */
static void
test_away (DeviceKind kind)
{
  Block block = {{0, 0, 1.3}, {.2, .2, .05}, 0};
  int frame = 0, of_block, others, all = 0;
  Play s;

  open_walls (&s, kind);
  drive (&s, &frame, 10, &block, 1, 0);
  for (; frame < 15; frame++) {
    block.at[2] += .01;
    show (&s, frame, &block, 1);
  }
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    all += s.labels[i] == 1;
  count_outliers (&s, &of_block, &others);
  printf ("%d of %d pixels of what goes away are outliers, and %d others\n",
      of_block, all, others);
  check (of_block > .8 * all && others < .05 * all);
  play_close (&s);

  open_walls (&s, kind);
  block = (Block){{0, 0, 2.15}, {.2, .2, .01}, 0}; /* the wall is at 2.2 */
  for (frame = 0; frame < 20; frame++) {
    show (&s, frame, frame < 10 ? &block : &none, 1);
    count_outliers (&s, &of_block, &others);
    check (of_block + others < .02 * all);
  }
  play_close (&s);
}

/* ---- From the first frame on ---- */

/* It moves in the first frame already, so that no frame shows it at rest:
 * gpuccl finds it all the same, and it is followed. */
static void
test_first (DeviceKind kind)
{
  double iou, precision;
  AUTO (Play) s;

  play_open (&s, kind, 320, 240);
  s.rp.path = RGBD_FRONTAL;
  s.rp.motion_start = 0;
  s.rp.speed = 2;
  play_start (&s, true);
  for (int i = 0; i < 40; i++)
    play_frame (&s, i);
  compare_pixels (&s, &iou, &precision);
  printf ("moving from the first frame on: IoU %.3f, precision %.3f\n", iou,
      precision);
  check (s.r.n_objects == 1 && iou > .8 && precision > .95);
}

/* ---- Another camera ---- */

/* The lens zooms in mid-stream, while one object is followed and another has
 * just been announced: neither the camera nor the objects jump.  Later no birth
 * reaches back to frames that were seen through the first lens. */
static void
test_zoom (DeviceKind kind)
{
  Block blocks[2] = {
      {{-.3, 0, 1.2}, {.1, .2, .1}, .5}, {{.3, 0, 1.3}, {.12, .2, .1}, .4}};
  double truth[2][7], pose[2][7], camera[7], now[7], degrees;
  int frame;
  AUTO (Play) s;

  open_walls (&s, kind);
  frame = follow_block (&s, blocks, 2, 20);
  pose_flat (&s.r.camera, camera);
  announce (&s, 19, 2);
  s.p.camera.fx = s.p.camera.fy = 160;
  drive (&s, &frame, 21, blocks, 2, .01);
  announce (&s, 18, 2);
  for (; frame < 26; drive (&s, &frame, frame + 1, blocks, 2, .01)) {
    check (!s.r.lost && s.r.n_objects == 2 && s.r.refused == 0);
    pose_flat (&s.r.camera, now);
    check_near (pose_apart (camera, now, &degrees), 0, .002);
    for (int i = 0; i < s.r.n_objects && i < 2; i++) {
      pose_of_block (&blocks[i], now);
      if (frame == 21) {
        memcpy (truth[i], now, sizeof now);
        pose_flat (&s.r.objects[i].pose, pose[i]);
      }
      check_near (
          object_error (truth[i], pose[i], now, &s.r.objects[i].pose, &degrees),
          0, .005);
    }
  }
  check (s.r.late == 1);
}

CHECK_MAIN (NULL, NULL, PART (found), {"never seen", test_never_seen},
    {"too many", test_too_many}, PART (still), PART (carried), PART (sheet),
    PART (rod), PART (fills), PART (masks), PART (away), PART (first),
    PART (zoom))
