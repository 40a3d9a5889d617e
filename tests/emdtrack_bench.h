/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What emdtrack costs a pixel: frames that are all new, and a video.  Real
 * frames, headerless 8-bit grey, are named on the command line:
 * --bench FILE WIDTH HEIGHT FRAMES; else they are generated.  Times on the CPU
 * are those of all threads together; --threads 1, before all else, gives one
 * core's. */
#pragma once

#include <time.h>

#include "emdtrack_play.h"

typedef struct {
  const char *name;
  int bins;
  EmdtrackDistance distance;
  EmdtrackSolver solver;
} BenchCase;

static inline double
cpu_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static inline EmdtrackParams
bench_params (const BenchCase *c)
{
  static const double wide[11] = {0, 1, 7, 14, 24, 37, 24, 10, 3, 1, 0};
  EmdtrackParams p = intensity_defaults ();

  p.bins = c->bins;
  p.solver = c->solver;
  p.n_targets = 1;
  for (int i = 0; i < p.bins; i++)
    p.targets[0].weight[i] = wide[i * 11 / p.bins];
  p.distance = c->distance;
  for (int i = 0; i < p.bins; i++)
    for (int j = 0; j < i; j++)
      p.matrix[i][j] = p.matrix[j][i] =
          1 + random_below (7, (uint64_t) (i * 16 + j), 255);
  return p;
}

static inline void
bench_case (const BenchCase *c, Frame *frames, int n, DeviceKind kind)
{
  EmdtrackParams p = bench_params (c);
  const Image *img = &frames[0].image;
  double pixels = (double) img->width * img->height, times[2] = {0};
  EmdtrackCounts last = {0};
  Player player;

  player_open (&player, kind, img->width, img->height);
  for (int k = 0; k < n; k++) {
    EmdtrackFrame frame = {.image = frames[k].image};
    EmdtrackResults r;
    double start = cpu_seconds (), took;

    ok (emdtrack_run (player.e, &p, &frame, &r));
    took = cpu_seconds () - start;
    times[k > 0] += k ? took / (n - 1) : took;
    last = r.counts;
  }
  printf ("%-14s %2d bins  cold %.4f us  video %.4f us a pixel; last frame: "
          "%.1f %% unchanged, %.1f own, %.1f neighbour, %.2f table, %.3f "
          "simplex, %llu pivots, %llu trees, %.1f %% distinct\n",
      c->name, c->bins, 1e6 * times[0] / pixels, 1e6 * times[1] / pixels,
      100 * last.unchanged / pixels, 100 * last.own / pixels,
      100 * last.neighbour / pixels, 100 * last.table / pixels,
      100 * last.simplex / pixels, (unsigned long long) last.pivots,
      (unsigned long long) last.trees, 100 * last.distinct / pixels);
  player_close (&player);
}

static inline int
read_frames (Frame *frames, int argc, char **argv)
{
  bool real = argc > 5;
  int width = real ? atoi (argv[3]) : 640, height = real ? atoi (argv[4]) : 360;
  int n = real ? atoi (argv[5]) : 6;
  FILE *file = real ? fopen (argv[2], "rb") : NULL;

  n = n > 64 ? 64 : n;
  for (int k = 0; k < n; k++) {
    frames[k] = frame_new (IMAGE_GRAY8, width, height, 0, 1);
    if (!real)
      draw_scene (&frames[k], k);
    else if (!file ||
        fread (frames[k].image.plane[0], (size_t) width, (size_t) height,
            file) != (size_t) height)
      printf ("%s: frame %d is missing\n", argv[2], k);
  }
  if (file)
    fclose (file);
  return n;
}

static inline int
bench_all (int argc, char **argv)
{
  static const BenchCase cases[] = {
      {"any, reuse", 4, EMDTRACK_MATRIX, EMDTRACK_REUSE},
      {"any, reuse", 8, EMDTRACK_MATRIX, EMDTRACK_REUSE},
      {"any, reuse", 11, EMDTRACK_MATRIX, EMDTRACK_REUSE},
      {"any, reuse", 16, EMDTRACK_MATRIX, EMDTRACK_REUSE},
      {"line, reuse", 11, EMDTRACK_LINE, EMDTRACK_REUSE},
      {"line, closed", 11, EMDTRACK_LINE, EMDTRACK_AUTO},
      {"circle, closed", 11, EMDTRACK_CIRCLE, EMDTRACK_AUTO},
      {"any, paper", 4, EMDTRACK_MATRIX, EMDTRACK_PAPER},
      {"any, paper", 11, EMDTRACK_MATRIX, EMDTRACK_PAPER}};
  Frame frames[64];
  int n = read_frames (frames, argc, argv);

  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    bench_case (&cases[k], frames, n, DEVICE_CPU);
  for (int k = 0; k < n; k++)
    frame_free (&frames[k]);
  return 0;
}
