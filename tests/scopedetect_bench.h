/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thesis's table 3.1: milliseconds a query or a sample of what it ran side
 * by side, here on generated frames; and each stage of whole detections. */
#pragma once

#include <time.h>

#include "bench_median.h"
#include "scopedetect_parity.h"

#define BENCH_REPEATS 20

typedef struct {
  const char *name;
  double cpu, gpu; /* of the thesis, ms */
  int n;           /* queries or samples */
} ThesisRow;

static const ThesisRow thesis_rows[] = {{"kNN, a query", .470, .136, 2000},
    {"round 1, a sample", .094, .005, 2000},
    {"round 2, a sample", .463, .019, 400},
    {"round 3, a sample", 4.703, .123, 50},
    {"alignment, a sample", 111.33, 7.132, 50}};

static inline double
cpu_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Poses about the truth, as many as a round has. */
static inline void
scatter (Bench *b, ScopedetectPose truth, int n)
{
  const Device *dev = &b->dev;
  ScopedetectWork *w = &b->s->work;
  ScopedetectSample *sample = calloc ((size_t) n, sizeof *sample);

  for (int i = 0; i < n; i++) {
    float a = (float) i / (float) n - .5f;

    sample[i].id = (uint32_t) i;
    sample[i].pose =
        scopedetect_moved (truth, scopedetect_vec (.05f * a, 0, .03f * a),
            scopedetect_vec (.01f * a, .02f * a, 0));
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
time_row (Bench *b, ScopedetectPose truth, int k)
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
bench_rounds (Both *b, ScopedetectPose truth, bool gpu)
{
  printf ("%-20s %6s %9s %9s %10s %10s %9s %7s\n", "ms", "n", "thesis CPU",
      "GPU", "CPU", "GPU", "GPU, all", "ratio");
  for (int k = 0; k < 5; k++) {
    const ThesisRow *row = &thesis_rows[k];
    double cpu = time_row (&b->cpu, truth, k) / row->n;
    double all = gpu ? time_row (&b->gpu, truth, k) : 0;

    printf ("%-20s %6d %9.3f %9.3f %10.4f %10.6f %9.4f %7.0f\n", row->name,
        row->n, row->cpu, row->gpu, cpu, all / row->n, all,
        gpu ? cpu * row->n / all : 0);
  }
}

static inline int
bench_table (int argc, char **argv)
{
  bool gpu = !device_cuda_probe ();
  ScopedetectPose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
  ScopedetectResults r;
  Both b;

  (void) argc, (void) argv;
  bench_open_spaced (&b.cpu, DEVICE_CPU, .0016);
  if (gpu)
    bench_open_spaced (&b.gpu, DEVICE_CUDA, .0016);
  solid_draw (b.cpu.depth, SOLID_STRIDE, truth);
  solid_table (b.cpu.depth, SOLID_STRIDE, truth);
  p.queries = 2000;
  ok (scopedetect_run (b.cpu.s, &p, &b.cpu.frame, &r));
  printf ("a model of %d points; of the CPU, the time of all threads\n",
      b.cpu.s->work.model[0].n);
  if (gpu)
    give_observation (&b);
  bench_rounds (&b, truth, gpu);
  bench_close (&b.cpu);
  if (gpu)
    bench_close (&b.gpu);
  return check_failures != 0;
}
