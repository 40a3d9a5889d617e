/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What emdtrack costs a pixel: frames that are all new, and a video.  Real
 * frames, headerless 8-bit grey, are named on the command line:
 * --bench FILE WIDTH HEIGHT FRAMES; else they are generated.  Times on the CPU
 * are those of all threads together; --threads 1, before all else, gives one
 * core's. */
#include <time.h>

#include "seconds.h"
#include "emdtrack_find.h"

/* ---- A pixel on the CPU ---- */

typedef struct {
  const char *name;
  int bins;
  EmdtrackDistance distance;
  EmdtrackSolver solver;
} BenchCase;

static EmdtrackParams
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

static void
bench_case (const BenchCase *c, Frame *frames, int n, DeviceKind kind)
{
  EmdtrackParams p = bench_params (c);
  const Image *img = &frames[0].image;
  double pixels = (double) img->width * img->height, times[2] = {0};
  EmdtrackCounts last = {0};
  AUTO (Player) player;

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
}

static int
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

static int
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

/* ---- How much of a frame is distinct ---- */

/* --bench shares FILE WIDTH HEIGHT 1: the part of the histograms that the
 * paper's method solves in a new frame, and in the same one again, by the size
 * of its cache.  Counts depend on no target: one of a single bin is quick. */
static int
bench_shares (int argc, char **argv)
{
  Frame frames[64];
  int n = read_frames (frames, argc, argv);
  const Image *img = &frames[0].image;
  double pixels = (double) img->width * img->height / 100;

  printf ("bins,size,cache-bits,%% solved when new,%% solved when seen\n");
  for (int bins = 4; bins <= 11; bins++)
    for (int bits = 20; bits <= 23; bits += 3) {
      BenchCase c = {"paper", bins, EMDTRACK_MATRIX, EMDTRACK_PAPER};
      EmdtrackParams p = bench_params (&c);
      EmdtrackFrame frame = {.image = *img};
      EmdtrackResults fresh, seen;
      AUTO (Player) player;

      p.cache_bits = bits;
      memset (&p.targets[0], 0, sizeof p.targets[0]);
      p.targets[0].weight[0] = 1;
      player_open (&player, DEVICE_CPU, img->width, img->height);
      ok (emdtrack_run (player.e, &p, &frame, &fresh));
      ok (emdtrack_run (player.e, &p, &frame, &seen));
      printf ("%d,%dx%d,%d,%.1f,%.1f\n", bins, img->width, img->height, bits,
          fresh.counts.distinct / pixels, seen.counts.distinct / pixels);
      fflush (stdout);
    }
  for (int k = 0; k < n; k++)
    frame_free (&frames[k]);
  return 0;
}

/* ---- A frame on the GPU ---- */

/* What emdtrack costs a frame on the GPU, in microseconds: from the first
 * kernel to the last on the device's clock, medians over frames.
 *
 *   --bench cuda FILE WIDTH HEIGHT FRAMES      any distance and closed forms
 *   --bench figures FILE WIDTH HEIGHT 1 TARGET WIDTH HEIGHT 1
 *
 * are the paper's Figures 2 and 3: the target is the histogram of the whole
 * picture in TARGET, or in FILE without one.  Rows with "copies" copy a byte
 * for each channel of each pixel to the GPU first, as the paper does, and the
 * map back.
 *
 * "afresh": everything forgotten before each frame.  "next": frames to and fro,
 * a video, or pictures that have nothing to do with each other. */

#define BENCH_FRAMES 64
#define BENCH_RUNS 48

typedef struct {
  Player player;
  DeviceTimer timer;
  EmdtrackFrame frame[BENCH_FRAMES];
  void *memory[BENCH_FRAMES];
  int n, width, height;
  void *planes, *there, *map; /* for rows with copies: pinned, device, pinned */
} GpuBench;

static size_t
gpu_pixels (const GpuBench *b)
{
  return (size_t) b->width * b->height;
}

static void
gpu_open (GpuBench *b, Frame *frames, int n)
{
  *b = (GpuBench){
      .n = n, .width = frames[0].image.width, .height = frames[0].image.height};
  ok (device_open (&b->player.dev, DEVICE_CUDA, NULL));
  b->player.dev.timer = &b->timer; /* stops when the device is waited for */
  ok (emdtrack_new (&b->player.e, &b->player.dev, b->width, b->height));
  for (int k = 0; k < n; k++)
    b->frame[k].image =
        frame_to_device (&frames[k], &b->player.dev, &b->memory[k]);
  ok (device_alloc_pinned (
      &b->player.dev, &b->planes, EMDTRACK_BINS * gpu_pixels (b)));
  ok (device_alloc (&b->player.dev, &b->there, EMDTRACK_BINS * gpu_pixels (b)));
  ok (device_alloc_pinned (&b->player.dev, &b->map, 2 * gpu_pixels (b)));
}

static void
gpu_close (GpuBench *b)
{
  for (int k = 0; k < b->n; k++)
    device_release (&b->player.dev, b->memory[k]);
  device_release_pinned (&b->player.dev, b->planes);
  device_release (&b->player.dev, b->there);
  device_release_pinned (&b->player.dev, b->map);
  device_timer_free (&b->timer);
  player_close (&b->player);
}

/* Frame @k of a sequence to and fro. */
static const EmdtrackFrame *
gpu_frame (const GpuBench *b, int k)
{
  int period = b->n > 1 ? 2 * b->n - 2 : 1;

  k %= period;
  return &b->frame[k < b->n ? k : period - k];
}

typedef struct {
  double us;
  EmdtrackCounts counts; /* the mean */
} GpuTime;

static void
gpu_add (EmdtrackCounts *to, const EmdtrackCounts *from)
{
  uint64_t *a = (uint64_t *) to;
  const uint64_t *b = (const uint64_t *) from;

  for (size_t i = 0; i < sizeof *to / sizeof *a; i++)
    a[i] += b[i];
}

/* One frame; @copies: with the channels in and the map out. */
static void
gpu_run (GpuBench *b, const EmdtrackParams *p, const EmdtrackFrame *f,
    bool copies, EmdtrackResults *r)
{
  const Device *dev = &b->player.dev;

  if (copies)
    ok (device_copy (dev, b->there, b->planes, p->bins * gpu_pixels (b)));
  ok (emdtrack_run (b->player.e, p, f, r));
  if (!copies)
    return;
  ok (device_copy (dev, b->map, r->map[0], 2 * gpu_pixels (b)));
  ok (device_wait (dev));
}

/* @again: each frame is shown twice, and the second time is measured. */
static GpuTime
gpu_time (
    GpuBench *b, const EmdtrackParams *p, bool afresh, bool again, bool copies)
{
  double times[BENCH_RUNS];
  GpuTime out = {0};
  EmdtrackResults r;

  ok (emdtrack_reset (b->player.e));
  for (int k = -2; k < BENCH_RUNS; k++) {
    const EmdtrackFrame *f = gpu_frame (b, k + 2);
    double seconds = 0;

    if (afresh)
      ok (emdtrack_reset (b->player.e));
    if (again)
      ok (emdtrack_run (b->player.e, p, f, &r));
    ok (device_wait (&b->player.dev));
    ok (device_timer_begin (&b->player.dev, &b->timer));
    gpu_run (b, p, f, copies, &r);
    ok (device_timer_end (&b->player.dev, &b->timer, &seconds));
    if (k < 0)
      continue;
    times[k] = 1e6 * seconds;
    gpu_add (&out.counts, &r.counts);
  }
  out.us = bench_median (times, BENCH_RUNS);
  return out;
}

static void
gpu_print (const GpuBench *b, const char *name, int bins, const char *how,
    const GpuTime *t)
{
  double all = (double) b->width * b->height * BENCH_RUNS / 100;
  const EmdtrackCounts *c = &t->counts;

  printf (
      "%s,%d,%dx%d,%s,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.3f,%.0f,%.0f,%.2f,%.2f,"
      "%.3f\n",
      name, bins, b->width, b->height, how, t->us, c->unchanged / all,
      c->own / all, c->equal / all, c->neighbour / all, c->table / all,
      c->simplex / all, (double) c->pivots / BENCH_RUNS,
      (double) c->trees / BENCH_RUNS, c->cached / all, c->distinct / all,
      c->unstored / all);
  fflush (stdout);
}

static void
gpu_heading (void)
{
  printf ("work,bins,size,frames,us,%% unchanged,%% own,%% equal,%% "
          "neighbour,%% table,"
          "%% simplex,pivots,trees,%% cached,%% distinct,%% unstored\n");
}

static int
gpu_all (Frame *frames, int n)
{
  static const BenchCase cases[] = {{"any", 11, EMDTRACK_MATRIX, EMDTRACK_AUTO},
      {"any", 4, EMDTRACK_MATRIX, EMDTRACK_AUTO},
      {"any", 8, EMDTRACK_MATRIX, EMDTRACK_AUTO},
      {"any", 16, EMDTRACK_MATRIX, EMDTRACK_AUTO},
      {"line", 11, EMDTRACK_LINE, EMDTRACK_AUTO},
      {"circle", 11, EMDTRACK_CIRCLE, EMDTRACK_AUTO},
      {"tree", 11, EMDTRACK_LINE, EMDTRACK_AUTO}};
  GpuBench b;

  gpu_open (&b, frames, n);
  gpu_heading ();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    EmdtrackParams p = bench_params (&cases[k]);
    GpuTime t;

    if (!strcmp (cases[k].name, "tree"))
      p.saturation = 1;
    t = gpu_time (&b, &p, true, false, false);
    gpu_print (&b, cases[k].name, p.bins, "afresh", &t);
    t = gpu_time (&b, &p, false, false, false);
    gpu_print (&b, cases[k].name, p.bins, "next", &t);
  }
  gpu_close (&b);
  return 0;
}

/* The histogram of a whole picture, as the paper's target is. */
static EmdtrackTarget
target_of_picture (const Image *img, int bins)
{
  EmdtrackTarget t = {{0}};

  for (int y = 0; y < img->height; y++)
    for (int x = 0; x < img->width; x++)
      t.weight[img->plane[0][(size_t) y * img->stride[0] + x] * bins / 256]++;
  return t;
}

/* The whole method of the paper, cache cold and warm, as its Methodology has
 * it.  The default of cache-bits is too small for a warm frame of many distinct
 * histograms. */
static int
gpu_figures (Frame *frames, int n, const Image *picture)
{
  GpuBench b;

  gpu_open (&b, frames, n);
  gpu_heading ();
  for (int bins = 4; bins <= 11; bins++) {
    BenchCase c = {"paper", bins, EMDTRACK_MATRIX, EMDTRACK_PAPER};
    EmdtrackParams p = bench_params (&c);
    GpuTime t;

    p.targets[0] = target_of_picture (picture, bins);
    for (int copies = 0; copies < 2; copies++) {
      p.cache_bits = 23;
      t = gpu_time (&b, &p, true, false, copies);
      gpu_print (&b, c.name, bins, copies ? "cold copies" : "cold", &t);
      t = gpu_time (&b, &p, false, true, copies);
      gpu_print (&b, c.name, bins, copies ? "warm copies" : "warm", &t);
    }
    p.cache_bits = emdtrack_defaults ().cache_bits;
    t = gpu_time (&b, &p, false, true, false);
    gpu_print (&b, c.name, bins, "warm cache-bits 20", &t);
  }
  gpu_close (&b);
  return 0;
}

/* The default beside the paper's solver, all forgotten before each frame and in
 * a video. */
static int
gpu_solvers (Frame *frames, int n)
{
  GpuBench b;

  gpu_open (&b, frames, n);
  printf ("bins,size,default cold us,paper cold us,default video us,paper "
          "video us,%% equal cold,%% equal video\n");
  for (int bins = 4; bins <= 16; bins++) {
    double us[4], all = (double) b.width * b.height * BENCH_RUNS / 100;
    uint64_t equal[2];

    for (int k = 0; k < 4; k++) {
      BenchCase c = {
          "any", bins, EMDTRACK_MATRIX, k % 2 ? EMDTRACK_PAPER : EMDTRACK_AUTO};
      EmdtrackParams p = bench_params (&c);
      GpuTime t = gpu_time (&b, &p, k < 2, false, false);

      us[k] = t.us;
      if (k % 2 == 0)
        equal[k / 2] = t.counts.equal;
    }
    printf ("%d,%dx%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", bins, b.width, b.height,
        us[0], us[1], us[2], us[3], (double) equal[0] / all,
        (double) equal[1] / all);
    fflush (stdout);
  }
  gpu_close (&b);
  return 0;
}

/* `--bench cuda`, `--bench figures` or `--bench solvers`, each with the words
 * of frames behind it. */
int
emdtrack_bench (int argc, char **argv)
{
  bool figures = argc > 2 && !strcmp (argv[2], "figures");
  bool solvers = argc > 2 && !strcmp (argv[2], "solvers");
  Frame frames[BENCH_FRAMES], target[BENCH_FRAMES];
  int n, n_targets = 0, status;

  if (argc > 2 && !strcmp (argv[2], "shares"))
    return bench_shares (argc - 1, argv + 1);

  if (!figures && !solvers && (argc < 3 || strcmp (argv[2], "cuda")))
    return bench_all (argc, argv);
  if (device_cuda_probe ()) {
    printf ("SKIP: %s\n", device_cuda_probe ());
    return 77;
  }
  n = read_frames (frames, argc - 1, argv + 1);
  if (figures && argc > 10)
    n_targets = read_frames (target, argc - 5, argv + 5);
  if (solvers)
    status = gpu_solvers (frames, n);
  else if (figures)
    status = gpu_figures (
        frames, n, n_targets ? &target[0].image : &frames[0].image);
  else
    status = gpu_all (frames, n);
  for (int k = 0; k < n_targets; k++)
    frame_free (&target[k]);
  for (int k = 0; k < n; k++)
    frame_free (&frames[k]);
  return status;
}
