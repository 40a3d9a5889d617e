/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of objects beside their pose: the silhouette; and which of those
 * that explain one surface are told of. */
#pragma once

#include "scopedetect_found.h"

static inline bool
is_within (const double *xy, int n, double x, double y)
{
  bool in = false;

  for (int i = 0, j = n - 1; i < n; j = i++)
    if ((xy[2 * i + 1] > y) != (xy[2 * j + 1] > y) &&
        x < (xy[2 * j] - xy[2 * i]) * (y - xy[2 * i + 1]) /
                    (xy[2 * j + 1] - xy[2 * i + 1]) +
                xy[2 * i])
      in = !in;
  return in;
}

/* The pixels within the outline are those that the solid is seen at. */
static inline void
test_outline (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.004);
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];
  double xy[2 * 64], numbers[7];

  (void) kind;
  for (int k = 0; k < 3; k++) {
    ScopedetectPose pose = solid_pose (.4 + 2 * k, .04 * k, .4 + .2 * k);
    int n, both = 0, either = 0;
    double area = 0;

    memset (depth, 0, sizeof depth);
    solid_draw (depth, 2 * SOLID_WIDTH, pose);
    solid_numbers (pose, numbers);
    n = scopedetect_model_outline (model, numbers, &solid_camera, xy, 64);
    check (n > 4 && n <= 64);
    for (int i = 0; i < n; i++) {
      int j = (i + 1) % n;

      area += xy[2 * i] * xy[2 * j + 1] - xy[2 * j] * xy[2 * i + 1];
    }
    check (area > 0); /* clockwise on the screen */
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++) {
      bool in = is_within (xy, n, i % SOLID_WIDTH, i / SOLID_WIDTH);

      both += in && depth[i];
      either += in || depth[i];
    }
    printf ("     %d corners, %.3f of both\n", n, (double) both / either);
    check (both > .93 * either);
    check (
        scopedetect_model_outline (model, numbers, &solid_camera, xy, 5) == 5);
  }
  numbers[2] = -1;
  check (
      scopedetect_model_outline (model, numbers, &solid_camera, xy, 64) == 0);
  numbers[2] = .02; /* around the camera */
  check (
      scopedetect_model_outline (model, numbers, &solid_camera, xy, 64) <= 64);
  scopedetect_model_free (model);
}

/* Three names of one model, one of which is there: it is told once, and thrice
 * where nothing need be its own. */
static inline void
test_contest (DeviceKind kind)
{
  Bench b;
  const ScopedetectModel *models[3];
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s = names_of_one (&b, kind, models, 3, &p);

  ok (scopedetect_run (s, &p, &b.frame, &r));
  check (r.n_objects == 1 && r.objects[0].model == 0);
  check (r.objects[0].explained > .5 && r.objects[0].explained <= 1);
  p.least_own = 0;
  ok (scopedetect_run (s, &p, &b.frame, &r));
  check (r.n_objects == 3);
  p.least_own = 1.5;
  check (scopedetect_run (s, &p, &b.frame, &r) != NULL);
  scopedetect_free (s);
  bench_close (&b);
}
