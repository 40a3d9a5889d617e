/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The thesis's table 3.1: milliseconds a query or a sample of what it ran side
 * by side, here on generated frames. */
#pragma once

#include <time.h>

#include "scopedetect/scopedetect_self.h"
#include "scopedetect_found.h"

typedef struct {
  const char *name;
  double cpu, gpu; /* of the thesis */
} ThesisRow;

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
  ScopedetectWork *w = &b->s->work;

  w->counts->n_samples[0] = n;
  for (int i = 0; i < n; i++) {
    float a = (float) i / (float) n - .5f;

    memset (&w->sample[i], 0, sizeof *w->sample);
    w->sample[i].id = (uint32_t) i;
    w->sample[i].pose =
        scopedetect_moved (truth, scopedetect_vec (.05f * a, 0, .03f * a),
            scopedetect_vec (.01f * a, .02f * a, 0));
  }
}

static inline void
print_row (const ThesisRow *row, double seconds, int n)
{
  printf ("%-22s %8.4f ms   thesis: CPU %7.3f, GPU %6.3f\n", row->name,
      1e3 * seconds / n, row->cpu, row->gpu);
}

static inline int
bench_table (int argc, char **argv)
{
  static const ThesisRow rows[] = {{"kNN, a query", .470, .136},
      {"round 1, a sample", .094, .005}, {"round 2, a sample", .463, .019},
      {"round 3, a sample", 4.703, .123},
      {"alignment, a sample", 111.33, 7.132}};
  ScopedetectPose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
  const ScopedetectStages *t;
  ScopedetectWork *w;
  ScopedetectResults r;
  double start;
  Bench b;

  (void) argc, (void) argv;
  bench_open (&b, DEVICE_CPU);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  p.queries = 0;
  ok (scopedetect_run (b.s, &p, &b.frame, &r));
  t = b.s->stages, w = &b.s->work;
  printf ("CPU time of all threads; a model of %d points\n", w->model[0].n);
  start = cpu_seconds ();
  ok (t->match (&b.dev, w));
  print_row (&rows[0], cpu_seconds () - start, w->n_queries);
  scatter (&b, truth, 2000);
  start = cpu_seconds ();
  ok (t->verify (&b.dev, w));
  print_row (&rows[1], cpu_seconds () - start, 2000);
  scatter (&b, truth, 400);
  start = cpu_seconds ();
  ok (t->score (&b.dev, w, 500));
  print_row (&rows[2], cpu_seconds () - start, 400);
  scatter (&b, truth, 50);
  start = cpu_seconds ();
  ok (t->score (&b.dev, w, 0));
  print_row (&rows[3], cpu_seconds () - start, 50);
  scatter (&b, truth, 50);
  start = cpu_seconds ();
  ok (t->climb (&b.dev, w, 20));
  print_row (&rows[4], cpu_seconds () - start, 50);
  bench_close (&b);
  return check_failures != 0;
}
