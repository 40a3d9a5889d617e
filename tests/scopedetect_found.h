/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole frames with known poses. */
#pragma once

#include "scopedetect_solid.h"

#define SOLID_STRIDE (2 * SOLID_WIDTH)
#define SOLID_BYTES (SOLID_STRIDE * SOLID_HEIGHT)

typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectModel *model;
  uint16_t *depth; /* of the host and of the device */
  ScopedetectFrame frame;
} Bench;

/* Of @model, which bench_close () frees. */
static inline void
bench_open_model (Bench *b, DeviceKind kind, ScopedetectModel *model)
{
  memset (b, 0, sizeof *b);
  ok (device_open (&b->dev, kind, NULL));
  ok (device_alloc_pinned (&b->dev, (void **) &b->depth, SOLID_BYTES));
  b->model = model;
  ok (scopedetect_new (&b->s, &b->dev, SOLID_WIDTH, SOLID_HEIGHT,
      (const ScopedetectModel *const *) &b->model, 1));
  b->frame = (ScopedetectFrame){
      SOLID_WIDTH, SOLID_HEIGHT, b->depth, SOLID_STRIDE, NULL};
}

static inline void
bench_open (Bench *b, DeviceKind kind)
{
  bench_open_model (b, kind, solid_model (.004));
}

static inline void
bench_close (Bench *b)
{
  scopedetect_free (b->s);
  device_release_pinned (&b->dev, b->depth);
  scopedetect_model_free (b->model);
  device_close (&b->dev);
}

/* A detector of @n names of the bench's model, with a scene in which it is, and
 * params for it. */
static inline Scopedetect *
names_of_one (Bench *b, DeviceKind kind, const ScopedetectModel **models, int n,
    ScopedetectParams *p)
{
  Scopedetect *s;

  bench_open (b, kind);
  solid_draw (b->depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  for (int i = 0; i < n; i++)
    models[i] = b->model;
  *p = solid_params (SCOPEDETECT_FAST);
  p->table = false;
  p->queries = 200;
  ok (scopedetect_new (&s, &b->dev, SOLID_WIDTH, SOLID_HEIGHT, models, n));
  return s;
}

/* Depth that a sensor would round, and miss here and there. */
static inline void
add_noise (Bench *b, int units)
{
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
    if (!rnd (50))
      b->depth[i] = 0;
    else if (b->depth[i])
      b->depth[i] =
          (uint16_t) (b->depth[i] + rnd (2 * (uint32_t) units + 1) - units);
}

/* One solid on a table, in any turn: found, within 3 mm on average. */
static inline void
test_table (DeviceKind kind)
{
  Bench b;

  bench_open (&b, kind);
  for (int i = 0; i < 3; i++) {
    Pose truth = solid_pose (.3 + 2.1 * i, .06 * (i - 1), .5 + .05 * i);
    ScopedetectParams p =
        solid_params (i == 1 ? SCOPEDETECT_THOROUGH : SCOPEDETECT_FAST);
    ScopedetectResults r;
    double numbers[7], add, add_s;
    Turn t = turn_of (truth.q);

    memset (b.depth, 0, SOLID_BYTES);
    solid_draw (b.depth, SOLID_STRIDE, truth);
    solid_table (b.depth, SOLID_STRIDE, truth);
    add_noise (&b, 10);
    p.table_low = .005;
    ok (scopedetect_run (b.s, &p, &b.frame, &r));
    check (r.has_table);
    check_near (
        r.table[0] * t.z.x + r.table[1] * t.z.y + r.table[2] * t.z.z, 1, 2e-3);
    check (r.n_objects == 1);
    if (!r.n_objects)
      continue;
    solid_numbers (truth, numbers);
    scopedetect_model_distance (
        b.model, r.objects[0].pose, numbers, &add, &add_s);
    check_near (add, 0, .003);
    check (r.objects[0].score > .05 && r.objects[0].visible > .6);
    for (int k = 0; k < 6; k++) /* a millimetre, a degree or so */
      check (r.objects[0].covariance[7 * k] > 0 &&
          r.objects[0].covariance[7 * k] < 1e-3);
    check (r.objects[0].box.x0 <= r.objects[0].seen.x0);
    check (r.objects[0].box.x1 > r.objects[0].box.x0);
  }
  bench_close (&b);
}

/* Two of one model; and the same answer again, whatever the number of
 * threads. */
static inline void
test_two (DeviceKind kind)
{
  Bench b;
  Pose truth[2] = {solid_pose (.4, -.1, .5), solid_pose (2.5, .1, .5)};
  ScopedetectParams p = solid_params (SCOPEDETECT_FAST);
  ScopedetectObject first[4];
  ScopedetectResults r;
  int found[2] = {0};

  bench_open (&b, kind);
  for (int i = 0; i < 2; i++)
    solid_draw (b.depth, SOLID_STRIDE, truth[i]);
  solid_table (b.depth, SOLID_STRIDE, truth[0]);
  p.max_objects = 2;
  p.queries = 0;
  p.table_low = .005;
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  check (r.n_objects == 2);
  for (int k = 0; k < r.n_objects; k++)
    for (int i = 0; i < 2; i++) {
      double numbers[7], add, add_s;

      solid_numbers (truth[i], numbers);
      scopedetect_model_distance (
          b.model, r.objects[k].pose, numbers, &add, &add_s);
      found[i] += add < .004;
    }
  check (found[0] == 1 && found[1] == 1);
  memcpy (first, r.objects, (size_t) r.n_objects * sizeof *first);
  for (int threads = 1; threads <= 3; threads++) {
    parallel_limit (threads);
    ok (scopedetect_run (b.s, &p, &b.frame, &r));
    check (r.n_objects == 2 && !memcmp (first, r.objects, 2 * sizeof *first));
  }
  parallel_limit (0);
  bench_close (&b);
}

/* A guess that is off comes back, by each way of aligning alone. */
static inline void
test_ways (DeviceKind kind)
{
  static const char *const names[] = {"Gauss and Newton", "segments", "uphill"};
  Bench b;
  Pose truth = solid_pose (.7, 0, .5);
  double numbers[7];

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  solid_numbers (truth, numbers);
  for (int way = 0; way < 3; way++) {
    ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
    ScopedetectObject guess = {0};
    float turned = way == 2 ? 0 : .01f; /* uphill leads mostly along */
    Pose off = pose_moved (
        truth, vec (turned, -turned, turned), vec (.003f, -.002f, .005f));
    double before, after, add_s;
    ScopedetectResults r;

    p.refine = way == 0 ? 20 : 0;
    p.align = way == 1 ? 10 : 0;
    p.climb = way == 2 ? 20 : 0;
    p.weight[SCOPEDETECT_TABLE] = .3;
    p.table_low = .005;
    solid_numbers (off, guess.pose);
    scopedetect_model_distance (b.model, guess.pose, numbers, &before, &add_s);
    ok (scopedetect_track (b.s, &p, &b.frame, &guess, 1, &r));
    check (r.n_objects == 1);
    scopedetect_model_distance (
        b.model, r.objects[0].pose, numbers, &after, &add_s);
    printf (
        "     %s: %.1f mm to %.1f mm\n", names[way], 1e3 * before, 1e3 * after);
    check (after < (way == 0 ? .002 : .7 * before));
  }
  bench_close (&b);
}

/* The thesis's own way, with few samples: the object is there. */
static inline void
test_thesis (DeviceKind kind)
{
  Bench b;
  Pose truth = solid_pose (1.1, 0, .5);
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
  double numbers[7], add, add_s;
  ScopedetectResults r;

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  p.queries = 0;
  p.clusters = 400;
  p.table_low = .005;
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  solid_numbers (truth, numbers);
  scopedetect_model_distance (
      b.model, r.objects[0].pose, numbers, &add, &add_s);
  check (add < .01);
  check (r.objects[0].part[SCOPEDETECT_AFFINITY] <= 0);
  bench_close (&b);
}
