/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What pocstereo costs: device time of matches queued one after the other, wall
 * time from call to results, and the energy a match of the GPU or the CPU.
 * Pairs of a scene of slanted walls, rotated over more memory than the GPU's
 * cache has; the median of batches. */
#include <dlfcn.h>

#include "seconds.h"
#include "pocstereo/paper/techniques.h"
#include "pocstereo_pair.h"

/* ---- A job, and its time ---- */

#define BENCH_BYTES (128u << 20)
#define BENCH_MAX_FRAMES 128
#define BENCH_SCENES 2
#define BENCH_BATCHES 9
#define BENCH_RANGE 96 /* disparities */

typedef struct {
  Device dev;
  DeviceTimer timer;
  Pocstereo *self;
  PocstereoFrame frames[BENCH_MAX_FRAMES];
  uint16_t *memory[BENCH_MAX_FRAMES][2];
  int n_frames, at, width, height;
} Bench;

/* Walls of 96 x 64 pixels. */
static void
bench_draw (Pair *p, const Texture *t)
{
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      uint64_t wall = (uint64_t) (y / 64 * 1024 + x / 96);
      double d = 4 + random_below (t->seed, wall, BENCH_RANGE - 12) +
          .03 * (x % 96) + .02 * (y % 64);

      for (int v = 0; v < 2; v++)
        *pair_at (p, v, x, y) = (uint16_t) lrint (
            POCSTEREO_FULL_SAMPLE * texture_at (t, x + (v ? d : 0), y));
    }
}

static void
bench_open (Bench *b, DeviceKind kind, int width, int height)
{
  Pair scenes[BENCH_SCENES];
  size_t bytes = 2 * (size_t) width * height * sizeof (uint16_t);
  int room = (int) (BENCH_BYTES / bytes);

  memset (b, 0, sizeof *b);
  b->width = width;
  b->height = height;
  b->n_frames = kind == DEVICE_CPU ? BENCH_SCENES
      : room < BENCH_MAX_FRAMES    ? room
                                   : BENCH_MAX_FRAMES;
  ok (device_open (&b->dev, kind, NULL));
  for (int i = 0; i < BENCH_SCENES; i++) {
    Texture t = texture_new ();

    scenes[i] = pair_new (width, height, 0);
    bench_draw (&scenes[i], &t);
  }
  for (int i = 0; i < b->n_frames; i++)
    b->frames[i] =
        pair_to_device (&scenes[i % BENCH_SCENES], &b->dev, b->memory[i]);
  ok (pocstereo_new (&b->self, &b->dev, width, height));
  ok (device_wait (&b->dev));
  for (int i = 0; i < BENCH_SCENES; i++)
    pair_free (&scenes[i]);
}

static void
bench_close (Bench *b)
{
  pocstereo_free (b->self);
  for (int i = 0; i < b->n_frames; i++)
    for (int v = 0; v < 2; v++)
      device_release (&b->dev, b->memory[i][v]);
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

AUTO_FREE (Bench, bench_close)

/* What is measured. */
typedef struct {
  PocstereoParams params;
  PocstereoPoint *points; /* NULL: every pixel */
  PocstereoPoint *others; /* of every other frame; NULL: the same */
  int n;
  bool waits; /* for the results of each */
#ifdef HAVE_CUDA
  PocstereoTechniques *techniques; /* NULL: pocstereo_points () */
#endif
} BenchJob;

static void
bench_once (Bench *b, const BenchJob *job)
{
  const PocstereoMatch *matches;
  const PocstereoFrame *frame = &b->frames[b->at];
  const PocstereoPoint *points =
      job->others && b->at % 2 ? job->others : job->points;

  b->at = (b->at + 1) % b->n_frames;
#ifdef HAVE_CUDA
  if (job->techniques) {
    ok (pocstereo_techniques_points (b->self, &b->dev, job->techniques,
        &job->params, frame, points, job->n));
    if (job->waits)
      ok (device_wait (&b->dev));
    return;
  }
#endif
  if (!points)
    ok (pocstereo_dense (b->self, &job->params, frame, &matches));
  else if (job->waits)
    ok (pocstereo_points (
        b->self, &job->params, frame, points, job->n, &matches));
  else
    ok (pocstereo_queue_points (b->self, &job->params, frame, points, job->n));
  if (job->waits)
    ok (device_wait (&b->dev));
}

/* Microseconds a match, on the device's clock; where each is waited for, on
 * the wall. */
static double
bench_run (Bench *b, BenchJob job, bool waits)
{
  int rounds = b->dev.kind == DEVICE_CPU ? 1 : waits ? 30 : 100;
  double times[BENCH_BATCHES];

  job.waits = waits;
  for (int batch = -1; batch < BENCH_BATCHES; batch++) {
    double took = 0, start = seconds ();

    ok (device_timer_begin (&b->dev, &b->timer));
    for (int i = 0; i < rounds; i++)
      bench_once (b, &job);
    ok (device_timer_end (&b->dev, &b->timer, &took));
    if (waits)
      took = seconds () - start;
    if (batch >= 0)
      times[batch] = 1e6 * took / rounds;
  }
  return bench_median (times, BENCH_BATCHES);
}

static void
bench_row (Bench *b, const char *work, BenchJob job)
{
  double device = bench_run (b, job, false), wall = bench_run (b, job, true);

  printf ("%s,%s,%dx%d,%.1f,%.1f\n", b->dev.kind == DEVICE_CPU ? "cpu" : "cuda",
      work, b->width, b->height, device, wall);
  fflush (stdout);
}

static const int bench_counts[] = {1000, 5000, 10000};

#define BENCH_COUNTS 3

/* @n points of a grid over the whole view. */
static BenchJob
bench_points (const Bench *b, int n)
{
  BenchJob job = {.params = pocstereo_points_defaults (), .n = n};
  int across = (int) sqrt ((double) n * b->width / b->height);
  int down = (n + across - 1) / across;

  job.params.max_disparity = BENCH_RANGE;
  job.params.layers = 4;
  job.points = malloc (n * sizeof *job.points);
  for (int i = 0; i < n; i++)
    job.points[i] = (PocstereoPoint){
        (i % across) * b->width / across, (i / across) * b->height / down};
  return job;
}

static void
bench_all_points (DeviceKind kind)
{
  AUTO (Bench) b;

  bench_open (&b, kind, 640, 480);
  for (int i = 0; i < BENCH_COUNTS; i++) {
    BenchJob job = bench_points (&b, bench_counts[i]);
    char work[32];

    snprintf (work, sizeof work, "%d points", job.n);
    bench_row (&b, work, job);
    job.others = calloc (job.n, sizeof *job.others);
    memcpy (job.others, job.points, (job.n - 1) * sizeof *job.others);
    snprintf (work, sizeof work, "%d points that change", job.n);
    bench_row (&b, work, job);
    free (job.others);
    free (job.points);
  }
}

static void
bench_dense (DeviceKind kind)
{
  static const int sizes[][2] = {{640, 480}, {1280, 720}};
  Bench b;

  for (int i = 0; i < 2; i++) {
    BenchJob paper = {.params = pocstereo_points_defaults ()};
    BenchJob job = {.params = pocstereo_dense_defaults ()};

    bench_open (&b, kind, sizes[i][0], sizes[i][1]);
    paper.params.max_disparity = job.params.max_disparity = BENCH_RANGE;
    paper.params.fit = POCSTEREO_CLOSED_FORM;
    bench_row (&b, "dense; the paper's window", paper);
    paper.params.candidates = 9;
    bench_row (&b, "dense; the paper's window; 9 candidates", paper);
    bench_row (&b, "dense; filtered", job);
    job.params.slant = true;
    bench_row (&b, "dense; filtered; slanted windows", job);
    job.params.slant = false;
    job.params.average = 8;
    bench_row (&b, "dense; filtered; averaged", job);
    job.params.average = 1;
    job.params.left_right = job.params.revote = false;
    job.params.speckle_size = 0;
    bench_row (&b, "dense; unfiltered", job);
    bench_close (&b);
  }
}

#ifdef HAVE_CUDA

/* The paper's Table 1, by its fit. */
static void
bench_techniques (void)
{
  static const char *const names[] = {"I1", "I2", "I3", "I4"};
  static const int lines[] = {1, 2, 3, 4, 5, 8};
  PocstereoTechniques techniques = {.implementation = POCSTEREO_I1};
  AUTO (Bench) b;
  BenchJob job;
  char work[32];

  bench_open (&b, DEVICE_CUDA, 640, 480);
  job = bench_points (&b, 10000);
  job.params.fit = POCSTEREO_CLOSED_FORM;
  bench_row (&b, "fused", job);
  job.techniques = &techniques;
  for (int i = POCSTEREO_I1; i < POCSTEREO_I5; i++) {
    techniques.implementation = (PocstereoImplementation) i;
    bench_row (&b, names[i], job);
  }
  techniques.implementation = POCSTEREO_I5;
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    techniques.lines_at_once = lines[i];
    snprintf (work, sizeof work, "I5; L' = %d", lines[i]);
    bench_row (&b, work, job);
  }
  pocstereo_techniques_free (&b.dev, &techniques);
  free (job.points);
}

#endif

/* ---- Energy ---- */

/* The device's own meter: the GPU's by NVML, opened at run time; those of the
 * CPU's packages by RAPL, as the kernel shows them. */
typedef struct {
  void *device; /* NULL: the CPU */
  int (*energy) (void *device, unsigned long long *millijoules);
} BenchMeter;

static int
bench_packages_energy (void *device, unsigned long long *millijoules)
{
  int n = 0;

  (void) device;
  *millijoules = 0;
  for (int i = 0; i < 16; i++) {
    unsigned long long microjoules;
    char path[80];
    FILE *file;

    snprintf (
        path, sizeof path, "/sys/class/powercap/intel-rapl:%d/energy_uj", i);
    file = fopen (path, "r");
    if (!file)
      continue;
    if (fscanf (file, "%llu", &microjoules) == 1) {
      *millijoules += microjoules / 1000;
      n++;
    }
    fclose (file);
  }
  return !n;
}

static const char *
bench_meter_open (BenchMeter *m, DeviceKind kind)
{
  void *library;
  int (*init) (void), (*find) (unsigned, void **);
  unsigned long long now;

  *m = (BenchMeter){NULL, bench_packages_energy};
  if (kind == DEVICE_CPU)
    return m->energy (NULL, &now) ? "RAPL of the CPU cannot be read" : NULL;
  library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
  if (!library)
    return "NVML is not installed";
  *(void **) &init = dlsym (library, "nvmlInit_v2");
  *(void **) &find = dlsym (library, "nvmlDeviceGetHandleByIndex_v2");
  *(void **) &m->energy =
      dlsym (library, "nvmlDeviceGetTotalEnergyConsumption");
  if (!init || !find || !m->energy || init () || find (0, &m->device) ||
      m->energy (m->device, &now))
    return "NVML does not measure this GPU's energy";
  return NULL;
}

/* The paper's Table 2, but for the GPU or the CPU alone: matches back to back
 * for some seconds. */
static void
bench_energy (DeviceKind kind)
{
  const double least = 2.5; /* seconds: the meter is read 10 to 50 times */
  const char *problem;
  BenchMeter m;
  Bench b;

  if ((problem = bench_meter_open (&m, kind))) {
    printf ("# no energy: %s\n", problem);
    return;
  }
  printf ("work,matches,us,W,mWs a match\n");
  bench_open (&b, kind, 640, 480);
  for (int i = 0; i < BENCH_COUNTS; i++) {
    BenchJob job = bench_points (&b, bench_counts[i]);
    unsigned long long before, after;
    double start, took;
    long n = 0;

    bench_run (&b, job, false);
    ok (device_wait (&b.dev));
    m.energy (m.device, &before);
    start = seconds ();
    do {
      for (int k = 0; k < (kind == DEVICE_CPU ? 1 : 100); k++, n++)
        bench_once (&b, &job);
      ok (device_wait (&b.dev));
      took = seconds () - start;
    } while (took < least);
    m.energy (m.device, &after);
    printf ("%d points,%ld,%.1f,%.0f,%.2f\n", job.n, n, 1e6 * took / n,
        1e-3 * (after - before) / took, (double) (after - before) / n);
    fflush (stdout);
    free (job.points);
  }
  bench_close (&b);
}

/* `--bench [cpu|cuda [points]]`; points: those alone. */
int
pocstereo_bench (int argc, char **argv)
{
  bool all = argc < 4 || strcmp (argv[3], "points");
  DeviceKind kind = argc > 2 && !strcmp (argv[2], "cpu") ? DEVICE_CPU
      : device_cuda_probe ()                             ? DEVICE_CPU
                                                         : DEVICE_CUDA;

  printf ("device,work,size,device us,wall us\n");
  bench_all_points (kind);
  if (!all)
    return check_failures != 0;
  if (kind == DEVICE_CUDA) {
    bench_dense (kind);
#ifdef HAVE_CUDA
    bench_techniques ();
#endif
  }
  bench_energy (kind);
  return check_failures != 0;
}
