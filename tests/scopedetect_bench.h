/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thesis's table 3.1: milliseconds a query or a sample of what it ran side
 * by side, here on generated frames; and each stage of whole detections. */
#pragma once

#include <time.h>

#include "bench_median.h"
#include "scopedetect/model/shape.h"
#include "scopedetect_parity.h"

#define BENCH_REPEATS 20

typedef struct {
  const char *name;
  double cpu, gpu; /* of the thesis, ms */
  int n;           /* queries or samples */
  int points;      /* of the model; rounds 1 and 2 look at 500 of them */
} ThesisRow;

static const ThesisRow thesis_rows[] = {
    {"kNN, a query", .470, .136, 2000, 10000},
    {"round 1, a sample", .094, .005, 2000, 8000},
    {"round 2, a sample", .463, .019, 400, 8000},
    {"round 3, a sample", 4.703, .123, 50, 8000},
    {"alignment, a sample", 111.33, 7.132, 50, 8000}};

/* Leaves the model its first @n points, which are as random as all. */
static inline void
keep_points (ScopedetectModel *model, int n)
{
  ScopedetectShape *s = &model->shape;
  uint32_t kept = 0;

  check (s->n >= n);
  for (int v = 0; v < SCOPEDETECT_VIEWS; v++) {
    uint32_t i = s->edge_first[v], last = s->edge_first[v + 1];

    memmove (s->ved + (size_t) v * n, s->ved + (size_t) v * s->n, n);
    s->edge_first[v] = kept;
    for (; i < last; i++)
      if ((int) s->edge[i] < n)
        s->edge[kept++] = s->edge[i];
  }
  s->edge_first[SCOPEDETECT_VIEWS] = kept;
  s->n_edges = (int) kept;
  s->n = n;
  free (s->nearest);
  ok (scopedetect_nearest_table (s));
}

static inline double
cpu_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Poses about the truth, as many as a round has. */
static inline void
scatter (Bench *b, Pose truth, int n)
{
  const Device *dev = &b->dev;
  ScopedetectWork *w = &b->s->work;
  ScopedetectSample *sample = calloc ((size_t) n, sizeof *sample);

  for (int i = 0; i < n; i++) {
    float a = (float) i / (float) n - .5f;

    sample[i].id = (uint32_t) i;
    sample[i].pose = pose_moved (
        truth, vec (.05f * a, 0, .03f * a), vec (.01f * a, .02f * a, 0));
  }
  /* there may be so many from now on */
  ok (b->s->stages->cluster (dev, w, n));
  ok (device_copy (dev, w->sample, sample, (size_t) n * sizeof *sample));
  ok (device_copy (dev, w->counts->n_samples, &n, sizeof n));
  ok (device_wait (dev));
  free (sample);
}

/* What row @k of the table does. */
static inline void
run_row (Bench *b, int k)
{
  const ScopedetectStages *t = b->s->stages;
  ScopedetectWork *w = &b->s->work;

  switch (k) {
    case 0:
      ok (t->match (&b->dev, w));
      break;
    case 1:
      ok (t->verify (&b->dev, w));
      break;
    case 2:
      ok (t->score (&b->dev, w, 500));
      break;
    case 3:
      ok (t->score (&b->dev, w, 0));
      break;
    case 4:
      ok (t->climb (&b->dev, w, 20));
      break;
  }
}

/* The median, ms; on the CPU, the time of all threads. */
static inline double
time_row (Bench *b, Pose truth, int k)
{
  int repeats = b->dev.kind == DEVICE_CUDA ? BENCH_REPEATS : 1;
  double ms[BENCH_REPEATS];
  DeviceTimer timer = {0};

  for (int i = 0; i < repeats; i++) {
    double start;

    scatter (b, truth, thesis_rows[k].n);
    start = cpu_seconds ();
    ok (device_timer_begin (&b->dev, &timer));
    run_row (b, k);
    ok (device_timer_end (&b->dev, &timer, &ms[i]));
    if (b->dev.kind == DEVICE_CPU)
      ms[i] = cpu_seconds () - start;
    ms[i] *= 1e3;
  }
  device_timer_free (&timer);
  return bench_median (ms, repeats);
}

static inline void
bench_row (Both *b, const ThesisRow *row, Pose truth, bool gpu)
{
  int k = (int) (row - thesis_rows);
  double all = gpu ? time_row (&b->gpu, truth, k) : 0;
  double cpu = time_row (&b->cpu, truth, k) / row->n;

  printf ("%-20s %6d %6d %9.3f %9.3f %10.4f %10.6f %9.4f %7.0f\n", row->name,
      row->n, row->points, row->cpu, row->gpu, cpu, all / row->n, all,
      gpu ? cpu * row->n / all : 0);
}

/* The rows from @first to @last - 1, which have the same points of @model, with
 * a scene that CPU and GPU observe alike. */
static inline void
bench_rows (ScopedetectModel *model, const ThesisRow *first,
    const ThesisRow *last, bool gpu)
{
  Pose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
  ScopedetectResults r;
  Both b;

  keep_points (model, first->points);
  bench_open_model (&b.cpu, DEVICE_CPU, model);
  solid_draw (b.cpu.depth, SOLID_STRIDE, truth);
  solid_table (b.cpu.depth, SOLID_STRIDE, truth);
  p.queries = 2000;
  ok (scopedetect_run (b.cpu.s, &p, &b.cpu.frame, &r));
  if (gpu) {
    bench_open_model (&b.gpu, DEVICE_CUDA, model);
    give_observation (&b);
  }
  for (const ThesisRow *row = first; row < last; row++)
    bench_row (&b, row, truth, gpu);
  b.cpu.model = b.gpu.model = NULL; /* not theirs */
  bench_close (&b.cpu);
  if (gpu)
    bench_close (&b.gpu);
}

static inline int
bench_table (int argc, char **argv)
{
  bool gpu = !device_cuda_probe ();
  ScopedetectModel *model = solid_model (.0013);

  (void) argc, (void) argv;
  printf ("%-20s %6s %6s %9s %9s %10s %10s %9s %7s\n", "ms", "n", "points",
      "thesis CPU", "GPU", "CPU", "GPU", "GPU, all", "ratio");
  bench_rows (model, thesis_rows, thesis_rows + 1, gpu);
  bench_rows (model, thesis_rows + 1, thesis_rows + 5, gpu);
  scopedetect_model_free (model);
  return check_failures != 0;
}
