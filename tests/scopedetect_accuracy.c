/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect on real frames with known poses, where VISION_TEST_DATA names
 * them.  `known`, on the CPU, and `cuda` hold it to what is reached; `--bench`
 * prints every object with every preset, and how long it takes on the GPU if
 * there is one. */
#include <time.h>
#include <unistd.h>

#include "bench_median.h"
#include "scopedetect_clouds_data.h"

#define TIMES 15 /* of detections that are measured */

static double
seconds (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static ScopedetectParams
params_of (const DataFrame *f, ScopedetectPreset preset, uint64_t seed)
{
  ScopedetectParams p;

  scopedetect_preset (&p, preset);
  p.camera = f->camera;
  p.depth_scale = f->depth_scale;
  p.far = f->far;
  p.table = f->table;
  p.min_score = 0;
  p.seed = seed;
  return p;
}

typedef struct {
  double add, add_s; /* of the first-ranked pose, metres */
} Error;

/* A detector of some of a frame's objects, and the frame where it is seen. */
typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectFrame frame;
  Image color;
  void *depth, *pixels;
} Look;

static void
look_open (Look *l, DeviceKind kind, const DataFrame *f, int first, int n)
{
  const ScopedetectModel *models[DATA_OBJECTS];

  memset (l, 0, sizeof *l);
  for (int i = 0; i < n; i++)
    models[i] = f->object[first + i].model;
  ok (device_open (&l->dev, kind, NULL));
  ok (device_alloc (&l->dev, &l->depth, 640 * 480 * 2));
  ok (device_copy (&l->dev, l->depth, f->depth, 640 * 480 * 2));
  ok (device_alloc (&l->dev, &l->pixels, 640 * 480 * 3));
  if (f->color.plane[0])
    ok (device_copy (&l->dev, l->pixels, f->color.plane[0], 640 * 480 * 3));
  l->color = f->color;
  l->color.plane[0] = l->pixels;
  l->frame = (ScopedetectFrame){
      640, 480, l->depth, 1280, f->color.plane[0] ? &l->color : NULL};
  ok (scopedetect_new (&l->s, &l->dev, 640, 480, models, n));
}

static void
look_close (Look *l)
{
  scopedetect_free (l->s);
  device_release (&l->dev, l->depth);
  device_release (&l->dev, l->pixels);
  device_close (&l->dev);
}

/* Finds each object of the frame; prints and returns how far off it is. */
static void
find_all (DeviceKind kind, const DataFrame *f, ScopedetectPreset preset,
    uint64_t seed, Error *e)
{
  ScopedetectParams p = params_of (f, preset, seed);
  double wall, cpu;
  ScopedetectResults r;
  Look l;

  for (int i = 0; i < f->n_objects; i++)
    e[i].add = e[i].add_s = 9;
  look_open (&l, kind, f, 0, f->n_objects);
  wall = seconds (CLOCK_MONOTONIC);
  cpu = seconds (CLOCK_PROCESS_CPUTIME_ID);
  ok (scopedetect_run (l.s, &p, &l.frame, &r));
  wall = seconds (CLOCK_MONOTONIC) - wall;
  cpu = seconds (CLOCK_PROCESS_CPUTIME_ID) - cpu;
  for (int i = 0; i < r.n_objects; i++) {
    const ScopedetectObject *o = &r.objects[i];
    const DataObject *d = &f->object[o->model];

    scopedetect_model_distance (
        d->model, o->pose, d->truth, &e[o->model].add, &e[o->model].add_s);
    printf ("     %-16s score %.2f, ADD %6.1f mm, ADD-S %6.1f mm of %3.0f\n",
        d->name, o->score, 1e3 * e[o->model].add, 1e3 * e[o->model].add_s,
        1e3 * d->info.diameter);
  }
  printf ("     %d objects in %.3f s, %.3f s of CPU time\n", f->n_objects, wall,
      cpu);
  look_close (&l);
}

/* Correct: within a tenth of the diameter. */
static int
count_right (const DataFrame *f, const Error *e, bool symmetric)
{
  int right = 0;

  for (int i = 0; i < f->n_objects; i++)
    right +=
        (symmetric ? e[i].add_s : e[i].add) < .1 * f->object[i].info.diameter;
  return right;
}

static int
by_size (const void *a, const void *b)
{
  double x = ((const Error *) a)->add_s, y = ((const Error *) b)->add_s;

  return (x > y) - (x < y);
}

static void
test_ycb (DeviceKind kind)
{
  DataFrame f = data_ycb ();
  Error e[DATA_OBJECTS];

  for (int preset = 0; preset <= SCOPEDETECT_THOROUGH; preset++) {
    find_all (kind, &f, (ScopedetectPreset) preset, 0, e);
    check (count_right (&f, e, true) == f.n_objects);
    qsort (e, (size_t) f.n_objects, sizeof *e, by_size);
    check_near (e[f.n_objects / 2].add_s, 0, .003);
  }
  data_free (&f);
}

static void
test_lmo (DeviceKind kind)
{
  DataFrame f = data_lmo ();
  Error e[DATA_OBJECTS];

  find_all (kind, &f, SCOPEDETECT_FAST, 0, e);
  check_near (e[3].add, 0, .1 * f.object[3].info.diameter);
  check (!strcmp (f.object[3].name, "driller"));
  find_all (kind, &f, SCOPEDETECT_THOROUGH, 0, e);
  check_near (e[3].add, 0, .1 * f.object[3].info.diameter);
  check (count_right (&f, e, false) >= 5);
  data_free (&f);
}

static void
test_milk (DeviceKind kind)
{
  DataFrame f = data_milk ();
  Error e[DATA_OBJECTS];

  for (uint64_t seed = 0; seed < 20; seed++) {
    find_all (kind, &f, SCOPEDETECT_FAST, seed, e);
    check_near (e[0].add, 0, .002);
  }
  data_free (&f);
}

static void
test_chef (DeviceKind kind)
{
  DataFrame f = data_chef ();
  Error e[DATA_OBJECTS];

  find_all (kind, &f, SCOPEDETECT_THOROUGH, 0, e);
  check_near (e[0].add, 0, .003);
  data_free (&f);
}

/* Milliseconds of a detection, and of one that follows what was found; the
 * medians of some, from the frame in device memory to results. */
static void
time_all (const DataFrame *f, ScopedetectPreset preset, int first, int n)
{
  ScopedetectParams p = params_of (f, preset, 0);
  ScopedetectObject found[DATA_OBJECTS];
  double run[TIMES], track[TIMES];
  ScopedetectResults r;
  Look l;

  look_open (&l, DEVICE_CUDA, f, first, n);
  ok (scopedetect_run (l.s, &p, &l.frame, &r));
  memcpy (found, r.objects, (size_t) r.n_objects * sizeof *found);
  for (int i = 0; i < TIMES; i++) {
    int found_now = r.n_objects;

    run[i] = seconds (CLOCK_MONOTONIC);
    ok (scopedetect_run (l.s, &p, &l.frame, &r));
    run[i] = seconds (CLOCK_MONOTONIC) - run[i];
    track[i] = seconds (CLOCK_MONOTONIC);
    ok (scopedetect_track (l.s, &p, &l.frame, found, found_now, &r));
    track[i] = seconds (CLOCK_MONOTONIC) - track[i];
  }
  printf ("     GPU, %d objects from %s on: %.2f ms, tracked %.2f ms\n", n,
      f->object[first].name, 1e3 * bench_median (run, TIMES),
      1e3 * bench_median (track, TIMES));
  look_close (&l);
}

/* Every object, every preset. */
static int
print_all (int argc, char **argv)
{
  static const char *const names[] = {"fast", "thorough", "thesis"};
  bool gpu = !device_cuda_probe ();
  DataFrame f[2] = {data_ycb (), data_lmo ()};
  Error e[DATA_OBJECTS];

  (void) argc, (void) argv;
  for (int k = 0; k < 2; k++)
    for (int preset = 0; preset <= SCOPEDETECT_THESIS; preset++) {
      printf ("%s, %s\n", k ? "LM-O" : "YCB", names[preset]);
      find_all (gpu ? DEVICE_CUDA : DEVICE_CPU, &f[k],
          (ScopedetectPreset) preset, 0, e);
      printf ("     right: %d by ADD, %d by ADD-S\n",
          count_right (&f[k], e, false), count_right (&f[k], e, true));
      if (!gpu)
        continue;
      time_all (&f[k], (ScopedetectPreset) preset, 0, f[k].n_objects);
      time_all (&f[k], (ScopedetectPreset) preset, k ? 3 : 0, 1);
    }
  data_free (&f[0]);
  data_free (&f[1]);
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"YCB-Video", test_ycb},
    {"milk", test_milk}, {"chef", test_chef}, {"LM-O", test_lmo}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  const char *data = getenv ("VISION_TEST_DATA");

  snprintf (data_folder, sizeof data_folder, "%s", data ? data : "");
  if (!data || access (data_path ("README.md"), R_OK)) {
    printf ("SKIP: VISION_TEST_DATA names no folder with pose/\n");
    return 77;
  }
  return check_main (argc, argv, on_each, NULL, print_all);
}
