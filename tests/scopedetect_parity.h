/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU against GPU: each round from the same observation, and whole frames.  All
 * that is compared is alike bit for bit. */
#pragma once

#include "scopedetect/scopedetect_self.h"
#include "scopedetect_found.h"

typedef struct {
  Bench cpu, gpu;
} Both;

/* What a stage says of both. */
#define STAGE(b, stage, ...) \
 do { \
  ok ((b)->cpu.s->stages->stage ( \
      &(b)->cpu.dev, &(b)->cpu.s->work __VA_OPT__ (, ) __VA_ARGS__)); \
  ok ((b)->gpu.s->stages->stage ( \
      &(b)->gpu.dev, &(b)->gpu.s->work __VA_OPT__ (, ) __VA_ARGS__)); \
 } while (0)

static inline void
both_open (Both *b)
{
  bench_open (&b->cpu, DEVICE_CPU);
  bench_open (&b->gpu, DEVICE_CUDA);
}

static inline void
both_close (Both *b)
{
  bench_close (&b->cpu);
  bench_close (&b->gpu);
}

/* @bytes of the GPU's memory, the caller's to free (). */
static inline void *
fetch (Both *b, const void *from, size_t bytes)
{
  void *copy = malloc (bytes ? bytes : 1);

  ok (device_copy (&b->gpu.dev, copy, from, bytes));
  ok (device_wait (&b->gpu.dev));
  return copy;
}

static inline bool
same (Both *b, const void *cpu, const void *gpu, size_t bytes)
{
  void *copy = fetch (b, gpu, bytes);
  bool alike = !memcmp (cpu, copy, bytes);

  free (copy);
  return alike;
}

#define GIVE(b, field, n) \
 ok (device_copy (&(b)->gpu.dev, (b)->gpu.s->work.field, \
     (b)->cpu.s->work.field, (size_t) (n) * sizeof *(b)->cpu.s->work.field))

/* What the CPU has observed becomes what the GPU has. */
static inline void
give_observation (Both *b)
{
  const ScopedetectWork *c = &b->cpu.s->work;
  ScopedetectWork *g = &b->gpu.s->work;
  ScopedetectScene scene = c->scene;
  int pixels = c->scene.width * c->scene.height;

  g->params = c->params, g->lattice = c->lattice;
  scene.z = g->scene.z, scene.pixel = g->scene.pixel;
  memcpy (scene.edge, g->scene.edge, sizeof scene.edge);
  g->scene = scene;
  g->cloud.n = c->cloud.n, g->n_queries = c->n_queries;
  g->query_step = c->query_step, g->query_first = c->query_first;
  g->has_segments = c->has_segments, g->n_models = c->n_models;
  memcpy (g->model, b->gpu.s->shape, sizeof *g->model);
  GIVE (b, scene.z, pixels);
  GIVE (b, scene.pixel, pixels);
  GIVE (b, cloud.x, c->cloud.n);
  GIVE (b, cloud.frame, c->cloud.n);
  GIVE (b, cloud.code, c->cloud.n * SCOPEDETECT_CODE);
  GIVE (b, segment, SCOPEDETECT_MOST_SEGMENTS);
  GIVE (b, counts, 1);
}

/* The samples of both, in their order. */
static inline void
compare_samples (Both *b, const char *after, bool parts)
{
  const ScopedetectWork *c = &b->cpu.s->work;
  ScopedetectCounts *counts = fetch (b, b->gpu.s->work.counts, sizeof *counts);
  int n = c->counts->n_samples[0], wrong = 0;
  ScopedetectSample *sample =
      fetch (b, b->gpu.s->work.sample, (size_t) n * sizeof *sample);

  check (counts->n_samples[0] == n);
  for (int i = 0; i < n; i++) {
    const ScopedetectSample *x = &c->sample[i], *y = &sample[i];

    wrong += x->id != y->id || x->score != y->score ||
        memcmp (&x->pose, &y->pose, sizeof x->pose) ||
        (parts && memcmp (x->part, y->part, sizeof x->part));
  }
  if (wrong || counts->n_samples[0] != n)
    printf ("     after %s: %d of %d samples differ, GPU %d\n", after, wrong, n,
        counts->n_samples[0]);
  check (!wrong);
  free (counts);
  free (sample);
}

static inline void
compare_search (Both *b, const ScopedetectParams *p)
{
  const ScopedetectWork *c = &b->cpu.s->work, *g = &b->gpu.s->work;
  size_t n = (size_t) c->n_queries * (size_t) p->neighbours;

  STAGE (b, match);
  check (same (b, c->neighbour, g->neighbour, n * sizeof *c->neighbour));
  STAGE (b, choose);
  if (!p->random)
    check (same (b, c->check, g->check, 2 * n * sizeof *c->check));
  compare_samples (b, "choose", false);
  if (p->random)
    STAGE (b, cluster, p->samples);
  STAGE (b, verify);
  compare_samples (b, "verify", false);
  STAGE (b, cluster, p->clusters);
  compare_samples (b, "cluster", false);
}

static inline void
compare_refinement (Both *b, const ScopedetectParams *p)
{
  float gate = (float) p->tolerance;

  STAGE (b, refine, p->refine, 2 * gate, .6f * gate);
  compare_samples (b, "refine", false);
  STAGE (b, score, p->points);
  compare_samples (b, "score", true);
  for (int k = 0; k < p->align; k++)
    STAGE (b, align, k);
  compare_samples (b, "align", true);
  STAGE (b, cluster, p->last);
  STAGE (b, climb, p->climb);
  compare_samples (b, "climb", true);
  STAGE (b, score, 0);
  compare_samples (b, "last score", true);
  STAGE (b, cluster, SCOPEDETECT_FOUND);
  STAGE (b, measure);
  ok (device_wait (&b->gpu.dev));
  check (!memcmp (b->cpu.s->work.measure, b->gpu.s->work.measure,
      (size_t) b->cpu.s->work.counts->n_samples[0] *
          sizeof (ScopedetectMeasure)));
}

/* Each stage of the rounds, of one observation. */
static inline void
test_rounds (DeviceKind kind)
{
  Both b;

  (void) kind;
  both_open (&b);
  for (int preset = 0; preset <= SCOPEDETECT_THESIS; preset++) {
    Pose truth = solid_pose (rnd (600) * .01, 0, .5);
    ScopedetectParams p = solid_params ((ScopedetectPreset) preset);
    ScopedetectResults r;

    memset (b.cpu.depth, 0, SOLID_BYTES);
    solid_draw (b.cpu.depth, SOLID_STRIDE, truth);
    solid_table (b.cpu.depth, SOLID_STRIDE, truth);
    add_noise (&b.cpu, 10);
    p.clusters = 800; /* more than are decided at once */
    p.align = p.align ? p.align : 2;
    p.climb = p.climb ? p.climb : 3;
    p.weight[SCOPEDETECT_AFFINITY] = p.weight[SCOPEDETECT_SEGMENT] = .2;
    ok (scopedetect_run (b.cpu.s, &p, &b.cpu.frame, &r));
    give_observation (&b);
    compare_search (&b, &p);
    compare_refinement (&b, &p);
  }
  both_close (&b);
}

static inline void
compare_frame (Both *b, const ScopedetectParams *p)
{
  ScopedetectResults r, g;

  memcpy (b->gpu.depth, b->cpu.depth, SOLID_BYTES);
  ok (scopedetect_run (b->cpu.s, p, &b->cpu.frame, &r));
  ok (scopedetect_run (b->gpu.s, p, &b->gpu.frame, &g));
  check (r.n_objects == g.n_objects && r.n_points == g.n_points);
  check (
      r.has_table == g.has_table && !memcmp (r.table, g.table, sizeof r.table));
  check (r.n_objects == g.n_objects &&
      !memcmp (r.objects, g.objects, (size_t) r.n_objects * sizeof *r.objects));
  for (int i = 0; i < r.n_objects && i < g.n_objects; i++)
    if (memcmp (&r.objects[i], &g.objects[i], sizeof *r.objects))
      printf ("     object %d: score %.9g on the CPU, %.9g on the GPU\n", i,
          r.objects[i].score, g.objects[i].score);
}

/* Frames with an object, with noise alone, with a table alone, with hardly
 * anything and with nothing. */
static inline void
draw_frame (Bench *b, int what)
{
  Pose truth = solid_pose (rnd (600) * .01, 0, .5);

  memset (b->depth, what == 1 ? 255 : 0, SOLID_BYTES);
  if (what == 3)
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      b->depth[i] = (uint16_t) rnd (65536);
  if (what == 4)
    b->depth[100] = b->depth[101] = b->depth[421] = b->depth[422] = 5000;
  if (what > 4)
    solid_draw (b->depth, SOLID_STRIDE, truth);
  if (what == 2 || what == 5)
    solid_table (b->depth, SOLID_STRIDE, truth);
  if (what > 4)
    add_noise (b, 10);
}

static inline void
test_frames (DeviceKind kind)
{
  Both b;

  (void) kind;
  both_open (&b);
  for (int what = 0; what < 7; what++)
    for (int preset = 0; preset <= SCOPEDETECT_THESIS; preset++) {
      ScopedetectParams p = solid_params ((ScopedetectPreset) preset);

      p.max_objects = 8;
      p.table_low = .005;
      p.queries = p.random ? 0 : 400;
      draw_frame (&b.cpu, what);
      compare_frame (&b, &p);
    }
  both_close (&b);
}

/* Frames with the parts of a score that are computed last; and the same params
 * but without them, and with them again, which is not what was recorded. */
static inline void
test_late_parts (DeviceKind kind)
{
  Both b;
  ScopedetectParams p = solid_params (SCOPEDETECT_FAST);

  (void) kind;
  both_open (&b);
  p.queries = 400;
  p.clusters = 40;
  p.max_objects = 8;
  p.table_low = .005;
  for (int frame = 0; frame < 12; frame++) {
    bool with = frame < 3 || frame > 5;

    p.weight[SCOPEDETECT_FPFH] = with ? .5 : 0;
    p.weight[SCOPEDETECT_OCCLUSION] = with ? 1 : 0;
    p.weight[SCOPEDETECT_WALK] = with && frame < 9 ? .7 : 0;
    draw_frame (&b.cpu, frame < 9 ? 5 + frame % 2 : frame - 7);
    compare_frame (&b, &p);
  }
  both_close (&b);
}

/* Near what was found; frame after frame, so that the GPU repeats what it has
 * recorded. */
static inline void
test_tracked (DeviceKind kind)
{
  Both b;
  ScopedetectParams p = solid_params (SCOPEDETECT_FAST);
  ScopedetectObject guess[3] = {0};
  ScopedetectResults r, g;

  (void) kind;
  both_open (&b);
  p.max_objects = 3;
  for (int frame = 0; frame < 4; frame++) {
    draw_frame (&b.cpu, 5);
    memcpy (b.gpu.depth, b.cpu.depth, SOLID_BYTES);
    for (int i = 0; i < 3; i++)
      solid_numbers (
          solid_pose (.5 * i + .1 * frame, .01 * i, .5), guess[i].pose);
    ok (scopedetect_track (b.cpu.s, &p, &b.cpu.frame, guess, 3, &r));
    ok (scopedetect_track (b.gpu.s, &p, &b.gpu.frame, guess, 3, &g));
    check (r.n_objects && r.n_objects == g.n_objects &&
        !memcmp (
            r.objects, g.objects, (size_t) r.n_objects * sizeof *r.objects));
  }
  both_close (&b);
}
