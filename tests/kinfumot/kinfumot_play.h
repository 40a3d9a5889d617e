/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The generated room for one Kinfumot, frame after frame, with gpuccl behind it
 * as its detector; and how far what it says is from the truth. */
#pragma once

#include <math.h>

#include "check.h"
#include "gpuccl/gpuccl.h"
#include "kinfumot/kinfumot.h"
#include "poses.h"
#include "scene/rgbd.h"

/* ---- Frames ---- */

typedef struct {
  Device dev;
  int width, height;
  Rgbd *scene;
  Kinfumot *k;
  Gpuccl *g; /* NULL: nothing detects */
  KinfumotParams p;
  GpucclParams gp;
  RgbdParams rp;
  RgbdTruth truth;
  uint16_t *depth; /* of the host */
  uint16_t *labels;
  uint16_t *there; /* of the device, as is the next */
  uint8_t *mask;
  KinfumotOutputs out; /* none, unless set */
  KinfumotResults r;
  GpucclResults found;
} Play;

static inline KinfumotParams
play_params (int width)
{
  KinfumotParams p = kinfumot_defaults ();

  p.voxel_size = .01;
  p.truncation = .04;
  p.max_memory = 128;
  p.depth_scale = .001;
  p.camera.fx = p.camera.fy = 525. * width / 640;
  return p;
}

static inline void
play_open (Play *s, DeviceKind kind, int width, int height)
{
  size_t pixels = (size_t) width * height;

  memset (s, 0, sizeof *s);
  s->width = width, s->height = height;
  ok (device_open (&s->dev, kind, NULL));
  ok (rgbd_new (&s->scene, width, height));
  s->rp = rgbd_defaults ();
  s->p = play_params (width);
  s->depth = calloc (pixels, sizeof *s->depth);
  s->labels = calloc (pixels, sizeof *s->labels);
  ok (device_alloc (&s->dev, (void **) &s->there, pixels * sizeof *s->there));
  ok (device_alloc (&s->dev, (void **) &s->mask, pixels));
}

static inline void
play_start (Play *s, bool detect)
{
  ok (kinfumot_new (&s->k, &s->dev, &s->p, s->width, s->height));
  if (!detect)
    return;
  ok (gpuccl_new (&s->g, &s->dev, s->width, s->height));
  s->gp = gpuccl_defaults ();
  s->gp.filter = GPUCCL_NO_FILTER;
  s->gp.depth_scale = 1. / KINFUMOT_UNITS;
  s->gp.min_size = 3500 * s->width * s->height / (640 * 480);
  s->gp.min_extent = 15. * s->width / 640;
}

static inline void
play_close (Play *s)
{
  kinfumot_free (s->k);
  gpuccl_free (s->g);
  rgbd_free (s->scene);
  free (s->depth);
  free (s->labels);
  device_release (&s->dev, s->there);
  device_release (&s->dev, s->mask);
  device_close (&s->dev);
}

AUTO_FREE (Play, play_close)

/* Frame @number of the room, to the host. */
static inline void
play_render (Play *s, int number)
{
  Image img = {.plane = {(uint8_t *) s->depth},
      .stride = {2 * s->width},
      .width = s->width,
      .height = s->height,
      .format = IMAGE_GRAY16};

  ok (rgbd_render (s->scene, &s->rp, number, &img, &s->truth, NULL, s->labels));
  s->p.camera =
      (Camera){s->truth.fx, s->truth.fy, s->truth.cx, s->truth.cy, {0}};
  memcpy (s->p.camera.distortion, s->truth.distortion,
      sizeof s->p.camera.distortion);
}

/* What is in s->depth, to the device. */
static inline void
play_upload (Play *s)
{
  size_t bytes = (size_t) s->width * s->height * sizeof *s->depth;

  ok (device_copy (&s->dev, s->there, s->depth, bytes));
}

/* What was uploaded last, as the frame of time @number. */
static inline void
play_follow (Play *s, int number)
{
  KinfumotFrame frame = {
      .depth = s->there, .stride = 2 * s->width, .time = number};

  ok (kinfumot_run (s->k, &s->p, &frame, &s->out, &s->r));
}

/* Both. */
static inline void
play_run (Play *s, int number)
{
  play_upload (s);
  play_follow (s, number);
}

static inline void
play_detect (Play *s, int number)
{
  GpucclFrame frame = {.width = s->width,
      .height = s->height,
      .source = GPUCCL_CLASSES,
      .map = s->r.map,
      .map_stride = 2 * s->width,
      .map_step = 2,
      .depth = s->r.depth,
      .depth_stride = 2 * s->width};

  s->gp.has_camera = s->gp.has_pose = true;
  s->gp.camera = s->p.camera;
  s->gp.pose = s->r.camera;
  ok (gpuccl_run (s->g, &s->gp, &frame, &s->found));
  if (s->found.accepted < 0)
    return;
  ok (gpuccl_mask (s->g, s->found.components[s->found.accepted].sum.label,
      s->mask, s->width));
  ok (kinfumot_birth (s->k, number, s->mask, s->width));
}

static inline void
play_frame (Play *s, int number)
{
  play_render (s, number);
  play_run (s, number);
  if (s->g)
    play_detect (s, number);
}

/* A copy of the device's map of classes and models. */
static inline uint8_t *
play_map (Play *s)
{
  size_t bytes = 2 * (size_t) s->width * s->height;
  uint8_t *map = malloc (bytes);

  ok (device_copy (&s->dev, map, s->r.map, bytes));
  ok (device_wait (&s->dev));
  return map;
}

/* ---- Poses ---- */

/* First @b, then @a; seven numbers each. */
static inline void
pose_times (const double a[7], const double b[7], double out[7])
{
  const double *p = a + 3, *q = b + 3;

  turn (p, b, out);
  for (int i = 0; i < 3; i++)
    out[i] += a[i];
  out[3] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  out[4] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  out[5] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
  out[6] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

static inline void
pose_back (const double a[7], double out[7])
{
  double q[4] = {a[3], -a[4], -a[5], -a[6]}, t[3];

  turn (q, a, t);
  for (int i = 0; i < 3; i++)
    out[i] = -t[i];
  memcpy (out + 3, q, sizeof q);
}

static inline void
pose_flat (const Pose64 *p, double out[7])
{
  memcpy (out, p->t, sizeof p->t);
  memcpy (out + 3, p->q, sizeof p->q);
}

/* Metres, and the angle in degrees. */
static inline double
pose_apart (const double a[7], const double b[7], double *degrees)
{
  double t = 0, q = 0;

  for (int i = 0; i < 3; i++)
    t += (a[i] - b[i]) * (a[i] - b[i]);
  for (int i = 3; i < 7; i++)
    q += a[i] * b[i];
  *degrees = 2 * acos (fabs (q) < 1 ? fabs (q) : 1) * 180 / M_PI;
  return sqrt (t);
}

/* How far the camera is from where it is in truth, both seen from where the
 * first frame was taken. */
static inline double
camera_error (const Play *s, const double first[7])
{
  double back[7], truth[7], pose[7], degrees;

  pose_back (first, back);
  pose_times (back, s->truth.camera, truth);
  pose_flat (&s->r.camera, pose);
  return pose_apart (truth, pose, &degrees);
}

/* An object's pose since frame @born must have changed as the truth has. */
static inline double
object_error (const double truth0[7], const double pose0[7],
    const double truth[7], const Pose64 *now, double *degrees)
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
static inline void
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
