/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Params and frames that must be refused, numbers at the end of their range,
 * and a device that fails. */
#pragma once

#include "failing.h"
#include "gpuccl_compare.h"

#define refused(source, depth, ...) \
 do { \
  GpucclParams p = gpuccl_defaults (); \
  __VA_ARGS__; \
  check (gpuccl_check (&p, source, depth) != NULL); \
 } while (0)

#define BAD_NUMBERS(field) \
 refused (GPUCCL_CLASSES, true, p.field = NAN); \
 refused (GPUCCL_CLASSES, true, p.field = -1)

static inline void
test_params (DeviceKind kind)
{
  GpucclParams fine = gpuccl_defaults ();
  const GpucclCamera camera = {true, 500, 500, 320, 240};

  (void) kind;
  ok (gpuccl_check (&fine, GPUCCL_CLASSES, true));
  ok (gpuccl_check (&fine, GPUCCL_MASK, false));
  refused (GPUCCL_DEPTH_ONLY, false, (void) 0);
  BAD_NUMBERS (depth_scale);
  BAD_NUMBERS (max_depth_step);
  BAD_NUMBERS (depth_step_k);
  BAD_NUMBERS (min_fill);
  BAD_NUMBERS (min_extent);
  BAD_NUMBERS (match_distance);
  BAD_NUMBERS (match_pixels);
  BAD_NUMBERS (match_ratio);
  refused (GPUCCL_MASK, false, p.depth_scale = 0);
  refused (GPUCCL_MASK, false, p.depth_scale = INFINITY);
  refused (GPUCCL_MASK, false, p.max_depth_step = INFINITY);
  refused (GPUCCL_MASK, false, p.match_ratio = .99);
  refused (GPUCCL_MASK, false, p.connectivity = 6);
  refused (GPUCCL_MASK, false, p.skip_checks = 3);
  refused (GPUCCL_MASK, false, p.threshold = 0);
  refused (GPUCCL_MASK, false, p.threshold = 256);
  refused (GPUCCL_MASK, false, p.max_components = 0);
  refused (GPUCCL_MASK, false, p.max_components = GPUCCL_MAX_COMPONENTS + 1);
  refused (GPUCCL_MASK, false, p.frames = 0);
  refused (GPUCCL_MASK, false, p.algorithm = (GpucclAlgorithm) 4);
  refused (GPUCCL_MASK, false, p.detector = (GpucclDetector) 2);
  refused (GPUCCL_MASK, false, p.filter = (GpucclFilter) 2);
  refused (GPUCCL_MASK, false, p.match = (GpucclMatch) 4);
  refused (GPUCCL_MASK, true, p.match = GPUCCL_MATCH_SPACE);
  refused (GPUCCL_MASK, false, p.match = GPUCCL_MATCH_SPACE, p.camera = camera);
  refused (GPUCCL_MASK, true, p.camera = camera, p.camera.fx = 0);
  refused (GPUCCL_MASK, true, p.camera = camera, p.camera.fy = NAN);
  refused (GPUCCL_MASK, true, p.camera = camera, p.camera.cx = NAN);
  refused (GPUCCL_MASK, true, p.camera = camera, p.camera.cy = 1e6);
  refused (GPUCCL_MASK, true, p.pose.known = true);
  refused (GPUCCL_MASK, true,
      p.pose = (GpucclPose){true, {NAN, 0, 0}, {1, 0, 0, 0}});
  fine.match = GPUCCL_MATCH_SPACE;
  fine.camera = camera;
  fine.pose = (GpucclPose){true, {1, 2, 3}, {.6, 0, .8, 0}};
  ok (gpuccl_check (&fine, GPUCCL_MASK, true));
}

static inline void
test_frames (DeviceKind kind)
{
  static const int sizes[][2] = {
      {0, 1}, {1, 0}, {-1, 5}, {16385, 1}, {1, 16385}};
  GpucclParams p = gpuccl_defaults ();
  uint8_t map[64] = {0};
  GpucclFrame good = {
      .width = 8, .height = 4, .map = map, .map_stride = 8, .map_step = 1};
  GpucclFrame bad[7];
  GpucclResults r;
  Device dev;
  Gpuccl *g;

  ok (device_open (&dev, kind, NULL));
  for (int i = 0; i < 5; i++) {
    check (gpuccl_new (&g, &dev, sizes[i][0], sizes[i][1]) != NULL);
    gpuccl_free (g);
  }
  ok (gpuccl_new (&g, &dev, 8, 4));
  for (int i = 0; i < 7; i++)
    bad[i] = good;
  bad[0].width = 7;
  bad[1].height = 5;
  bad[2].map = NULL;
  bad[3].map_step = 3;
  bad[4].map_stride = 7;
  bad[5].depth = (const uint16_t *) map, bad[5].depth_stride = 15;
  bad[6].source = GPUCCL_DEPTH_ONLY;
  for (int i = 0; i < 7; i++)
    check (gpuccl_run (g, &p, &bad[i], &r) != NULL);
  gpuccl_free (g);
  gpuccl_free (NULL);
  device_close (&dev);
}

/* Frames as long as can be, as deep as can be, seen from as far aside as can
 * be: nothing leaves its 32 or 64 bits. */
static inline void
test_extremes (DeviceKind kind)
{
  static const double centres[] = {
      -GPUCCL_MAX_SIDE, 0, 2 * GPUCCL_MAX_SIDE - 1};

  for (int i = 0; i < 6; i++) {
    int width = i % 2 ? GPUCCL_MAX_SIDE : 3,
        height = i % 2 ? 3 : GPUCCL_MAX_SIDE;
    Input in = input_new (GPUCCL_CLASSES, width, height, true);
    GpucclParams p = gpuccl_defaults ();
    Rule rule = {4, 128, 1, 0};

    p.camera = (GpucclCamera){true, 1, 1, centres[i / 2], centres[i / 2]};
    for (int k = 0; k < width * height; k++) {
      *map_at (&in, k % width, k / width) = 2;
      *depth_at (&in, k % width, k / width) = 65535;
    }
    compare (kind, &p, &rule, &in);
    input_free (&in);
  }
}

/* Every allocation and every copy fails once: a sentence, and nothing kept. */
static inline void
test_failing (DeviceKind kind)
{
  Input in = input_new (GPUCCL_CLASSES, 80, 60, true);
  GpucclFrame frame = input_frame (&in, &in.map.image, &in.depth.image);
  int calls = 1;

  (void) kind;
  for (int i = 0; i < 80 * 60; i++) {
    *map_at (&in, i % 80, i / 80) = (i % 80 + i / 80) % 2 ? 3 : 1;
    *depth_at (&in, i % 80, i / 80) = 1000;
  }
  for (int at = 0; at <= calls; at++) {
    GpucclParams p = gpuccl_defaults ();
    GpucclResults r;
    const char *err;
    bool made;
    Device dev;
    Gpuccl *g;

    p.algorithm = GPUCCL_LABEL_EQUIVALENCE;
    p.min_area = 1; /* more components than there is room for at first */
    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (at);
    err = gpuccl_new (&g, &dev, 80, 60);
    made = !err;
    err = made ? gpuccl_run (g, &p, &frame, &r) : err;
    check (!err == !at);
    if (made && err && !strcmp (err, FAILING_MEMORY))
      check (gpuccl_run (g, &p, &frame, &r) || r.n_labels == 2400);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    gpuccl_free (g);
    check (failing_blocks == 0);
    device_close (&dev);
  }
  check (calls > 8);
  input_free (&in);
}
