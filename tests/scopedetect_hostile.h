/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames, params and models that cannot work, or hardly. */
#pragma once

#include "scopedetect/scopedetect_self.h"
#include "scopedetect_found.h"

static inline void
test_params (DeviceKind kind)
{
  Bench b;
  ScopedetectParams good = solid_params (SCOPEDETECT_FAST), p;
  ScopedetectResults r;
  ScopedetectFrame f;
  Image small = {.width = 10, .height = 10, .format = IMAGE_RGB};
  ScopedetectObject guess = {.model = 1, .pose = {0, 0, 1, 1}};
  Scopedetect *s;

  bench_open (&b, kind);
#define REFUSED(change, word) \
 p = good, change; \
 check (strstr (scopedetect_run (b.s, &p, &b.frame, &r) ?: "", word))
  REFUSED (p.camera.fx = 0, "intrinsics");
  REFUSED (p.camera.cy = NAN, "intrinsics");
  REFUSED (p.camera.cx = -1e6, "cx and cy");
  REFUSED (p.depth_scale = 0, "depth-scale");
  REFUSED (p.depth_scale = .99e-9, "depth-scale");
  REFUSED (p.depth_scale = 1001, "depth-scale");
  p = good, p.depth_scale = 1e-9; /* all that the property can be set to */
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  check (r.n_objects == 0);
  p.depth_scale = 1e3;
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  check (r.n_objects == 0);
  REFUSED (p.near = 3, "near");
  REFUSED (p.neighbours = 33, "neighbours");
  REFUSED (p.kept = 20001, "kept");
  REFUSED (p.weight[3] = -1, "weight-edge must be 0 to 1000");
  REFUSED (p.tolerance = NAN, "tolerance");
  REFUSED (p.max_objects = 65, "max-objects");
  f = b.frame, f.width--;
  check (scopedetect_run (b.s, &good, &f, &r) != NULL);
  f = b.frame, f.depth = NULL;
  check (scopedetect_run (b.s, &good, &f, &r) != NULL);
  f = b.frame, f.depth_stride++;
  check (strstr (scopedetect_run (b.s, &good, &f, &r) ?: "", "odd bytes"));
  f = b.frame, f.depth = (const void *) ((const char *) f.depth + 1);
  check (strstr (scopedetect_run (b.s, &good, &f, &r) ?: "", "odd bytes"));
  f = b.frame, f.color = &small;
  check (strstr (scopedetect_run (b.s, &good, &f, &r), "differ in size"));
  check (scopedetect_track (b.s, &good, &b.frame, &guess, 1, &r) != NULL);
  guess.model = 0, guess.pose[3] = NAN;
  check (scopedetect_track (b.s, &good, &b.frame, &guess, 1, &r) != NULL);
  ok (scopedetect_track (b.s, &good, &b.frame, NULL, 0, &r));
  check (r.n_objects == 0);
  check (scopedetect_new (&s, &b.dev, 8, 8, NULL, 0) != NULL);
  scopedetect_free (s);
  check (scopedetect_new (&s, &b.dev, 0, 8,
             (const ScopedetectModel *const *) &b.model, 1) != NULL);
  scopedetect_free (s);
  bench_close (&b);
}

/* Frames in which there is nothing, or only noise, or only the table. */
static inline void
test_nothing (DeviceKind kind)
{
  Bench b;
  ScopedetectResults r;

  bench_open (&b, kind);
  for (int what = 0; what < 5; what++)
    for (int preset = 0; preset <= SCOPEDETECT_THESIS; preset++) {
      ScopedetectParams p = solid_params ((ScopedetectPreset) preset);

      p.queries = p.random ? 0 : 300;
      p.samples = 200;
      p.align = p.align ? 1 : 0;
      p.climb = p.climb ? 2 : 0;
      p.last = 5;
      memset (b.depth, what == 1 ? 255 : 0, SOLID_BYTES);
      if (what == 2)
        solid_table (b.depth, SOLID_STRIDE, solid_pose (0, 0, .5));
      if (what == 3)
        for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
          b.depth[i] = (uint16_t) rnd (65536);
      if (what == 4) /* four points */
        b.depth[100] = b.depth[101] = b.depth[421] = b.depth[422] = 5000;
      ok (scopedetect_run (b.s, &p, &b.frame, &r));
      check (what || (r.n_objects == 0 && !r.has_table && r.n_points == 0));
      check (what != 2 || (r.has_table && r.n_points < 100));
    }
  bench_close (&b);
}

/* Frames of one pixel, of odd sizes, with rows longer than they need be and
 * guard bytes behind them: which are not read, as the answer does not change,
 * and not written. */
static inline void
test_sizes (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.012);
  Pose truth = solid_pose (.7, 0, .5);
  static const int sizes[][2] = {{1, 1}, {1, 50}, {77, 1}, {61, 47}};
  uint16_t whole[SOLID_WIDTH * SOLID_HEIGHT] = {0};
  Device dev;

  ok (device_open (&dev, kind, NULL));
  solid_draw (whole, SOLID_STRIDE, truth);
  for (int i = 0; i < 4; i++) {
    int w = sizes[i][0], h = sizes[i][1], stride = 2 * w + 6;
    ScopedetectParams p = solid_params (SCOPEDETECT_FAST);
    ScopedetectObject first;
    ScopedetectResults r;
    Scopedetect *s;

    p.table = false;
    p.far = 6;
    ok (scopedetect_new (
        &s, &dev, w, h, (const ScopedetectModel *const *) &model, 1));
    for (int guard = 0; guard < 2; guard++) {
      ScopedetectFrame f = {w, h, NULL, stride, NULL};
      uint8_t *bytes;

      ok (device_alloc_pinned (&dev, (void **) &bytes, (size_t) stride * h));
      f.depth = (const uint16_t *) (const void *) bytes;
      memset (bytes, guard ? 77 : 0, (size_t) stride * h);
      for (int y = 0; y < h; y++)
        memcpy (bytes + (size_t) y * stride,
            whole + (y + 100) * SOLID_WIDTH + 120, 2 * (size_t) w);
      ok (scopedetect_run (s, &p, &f, &r));
      for (int y = 0; y < h; y++)
        for (int k = 2 * w; k < stride; k++)
          check (bytes[y * stride + k] == (guard ? 77 : 0));
      if (guard && r.n_objects)
        check (!memcmp (&first, r.objects, sizeof first));
      else if (r.n_objects)
        first = r.objects[0];
      device_release_pinned (&dev, bytes);
    }
    scopedetect_free (s);
  }
  scopedetect_model_free (model);
  device_close (&dev);
}

/* Frames whose seeds lie as close as they may: there is room for all segments.
 */
static inline void
test_seeds (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.012);
  ScopedetectParams p = solid_params (SCOPEDETECT_FAST);
  static const int sizes[][2] = {
      {447, 447}, {512, 384}, {575, 575}, {4096, 48}};
  Device dev;

  ok (device_open (&dev, kind, NULL));
  p.table = false;
  p.camera.fx = p.camera.fy = 200;
  p.align = 1;
  for (int i = 0; i < 4; i++) {
    int w = sizes[i][0], h = sizes[i][1];
    ScopedetectFrame f = {w, h, NULL, 2 * w, NULL};
    ScopedetectResults r;
    Scopedetect *s;
    void *bytes;

    ok (scopedetect_new (
        &s, &dev, w, h, (const ScopedetectModel *const *) &model, 1));
    ok (device_alloc_pinned (&dev, &bytes, 2 * (size_t) w * (size_t) h));
    f.depth = bytes;
    ok (scopedetect_run (s, &p, &f, &r));
    check (r.n_objects == 0 && r.n_points == 0);
    check (s->work.has_segments);
    check (s->work.lattice.width * s->work.lattice.height <=
        SCOPEDETECT_MOST_SEGMENTS);
    scopedetect_free (s);
    device_release_pinned (&dev, bytes);
  }
  scopedetect_model_free (model);
  device_close (&dev);
}

/* Twenty models, in batches, of which each has its own answer; and a model that
 * is larger than all that is there. */
static inline void
test_many (DeviceKind kind)
{
  Bench b;
  const ScopedetectModel *models[20];
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s = names_of_one (&b, kind, models, 20, &p);

  p.least_own = 0; /* all are the same */
  ok (scopedetect_run (s, &p, &b.frame, &r));
  check (r.n_objects == 20);
  for (int i = 0; i < r.n_objects; i++)
    check (r.objects[i].model == i &&
        !memcmp (
            r.objects[i].pose, r.objects[0].pose, sizeof r.objects[0].pose));
  scopedetect_free (s);
  check (scopedetect_memory (SOLID_WIDTH, SOLID_HEIGHT, models, 20) >
      scopedetect_memory (SOLID_WIDTH, SOLID_HEIGHT, models, 1));
  memset (b.depth, 0, SOLID_BYTES);
  for (int y = 100; y < 110; y++)
    for (int x = 100; x < 110; x++)
      b.depth[y * SOLID_WIDTH + x] = 5000;
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  models[1] = solid_model (.012);
  check (strstr (scopedetect_new (&s, &b.dev, 8, 8, models, 2), "spacings"));
  scopedetect_free (s);
  scopedetect_model_free ((ScopedetectModel *) models[1]);
  bench_close (&b);
}
