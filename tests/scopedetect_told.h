/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of objects beside their pose: the silhouette; and which of those
 * that explain one surface are told of. */
#pragma once

#include "scopedetect/scopedetect_self.h"
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
    Pose pose = solid_pose (.4 + 2 * k, .04 * k, .4 + .2 * k);
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

/* How far poses are apart is the mean distance of points to the nearest one, to
 * a point's spacing or so. */
static inline void
test_apart (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.004);
  const double diameter = model->shape.diameter;
  ScopedetectObject a = {.box = {0, 0, 9, 9}}, b = a;
  double add, add_s;

  (void) kind;
  for (int i = 0; i < 40; i++) {
    solid_numbers (solid_pose (.3 * i, 0, .5), a.pose);
    solid_numbers (solid_pose (.2 * i, .004 * i, .5 + .002 * i), b.pose);
    scopedetect_model_distance (model, a.pose, b.pose, &add, &add_s);
    check_near (
        scopedetect_model_apart (model, &a, &b) * diameter, add_s, .004);
  }
  b.pose[0] = 1e6;
  check (scopedetect_model_apart (model, &a, &b) > 1e6);
  b = a;
  check_near (scopedetect_model_apart (model, &a, &b), 0, .01);
  b.box = (ImageBox){9, 0, 18, 9};
  check (scopedetect_model_apart (model, &a, &b) > SCOPEDETECT_SAME);
  scopedetect_model_free (model);
}

/* A sample of the solid at @x, whose weighted sum of parts is @sum. */
static inline void
set_sample (ScopedetectSample *sample, ScopedetectMeasure *measure, double x,
    double sum)
{
  int left = (int) (900 * x) + 160;

  memset (sample, 0, sizeof *sample);
  memset (measure, 0, sizeof *measure);
  sample->pose = solid_pose (0, x, .5);
  sample->score = (int32_t) (sum * 65536);
  measure->sums.n = measure->sums.front = 100;
  measure->box = measure->seen = (ImageBox){left - 50, 60, left + 50, 160};
}

/* A duplicate that is seen where an object of another model is, better: it is
 * not told, and does not keep that one from being told.  Nor does it count as
 * one of those that are wanted. */
static inline void
test_duplicate (DeviceKind kind)
{
  static ScopedetectWork w = {.params = {.tolerance = .015, .min_score = .1}};
  ScopedetectModel *model = solid_model (.004);
  ScopedetectShape shapes[2] = {model->shape, model->shape};
  ScopedetectSample found[3];
  ScopedetectMeasure measure[3];
  ScopedetectObject objects[2 * SCOPEDETECT_MAX_OBJECTS];
  uint8_t fate[2 * SCOPEDETECT_MAX_OBJECTS];
  int n;

  (void) kind;
  w.scene.has_colour = true;
  for (w.params.max_objects = 2; w.params.max_objects <= 20;
       w.params.max_objects += 18) {
    set_sample (&found[0], &measure[0], 0, -1.5);
    set_sample (&found[1], &measure[1], .07, -2);
    set_sample (&found[2], &measure[2], -.3, -2.2);
    n = scopedetect_decide (&w, shapes, 0, found, measure, 3, objects);
    check (n == 2 && objects[0].pose[0] < .01 && objects[1].pose[0] < -.1);
    set_sample (&found[0], &measure[0], .07, -2.4);
    n += scopedetect_decide (&w, shapes, 1, found, measure, 1, objects + n);
    n = scopedetect_contest (shapes, .5, objects, fate, n);
    check (n == 3 && objects[0].model == 0 && objects[2].model == 1);
  }
  scopedetect_model_free (model);
}
