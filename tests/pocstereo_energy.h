/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The GPU's energy a match, and all that pocstereo's benchmark prints. */
#pragma once

#include <dlfcn.h>

#include "pocstereo_bench.h"

/* The GPU's own meter: NVML, opened at run time. */
typedef struct {
  void *device;
  int (*energy) (void *device, unsigned long long *millijoules);
} BenchMeter;

static inline const char *
bench_meter_open (BenchMeter *m)
{
  void *library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
  int (*init) (void), (*find) (unsigned, void **);
  unsigned long long now;

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

/* The paper's Table 2, but for the GPU alone: matches back to back for some
 * seconds. */
static inline void
bench_energy (void)
{
  const double least = 2.5; /* seconds: the meter is read 10 to 50 times */
  const char *problem;
  BenchMeter m;
  Bench b;

  if ((problem = bench_meter_open (&m))) {
    printf ("# no energy: %s\n", problem);
    return;
  }
  printf ("work,matches,us,W,mWs a match\n");
  bench_open (&b, DEVICE_CUDA, 640, 480);
  for (int i = 0; i < BENCH_COUNTS; i++) {
    BenchJob job = bench_points (&b, bench_counts[i]);
    unsigned long long before, after;
    double start, seconds;
    long n = 0;

    bench_run (&b, job, false);
    ok (device_wait (&b.dev));
    m.energy (m.device, &before);
    start = bench_now ();
    do {
      for (int k = 0; k < 100; k++, n++)
        bench_once (&b, &job);
      ok (device_wait (&b.dev));
      seconds = bench_now () - start;
    } while (seconds < least);
    m.energy (m.device, &after);
    printf ("%d points,%ld,%.1f,%.0f,%.2f\n", job.n, n, 1e6 * seconds / n,
        1e-3 * (after - before) / seconds, (double) (after - before) / n);
    fflush (stdout);
    free (job.points);
  }
  bench_close (&b);
}

/* `--bench [cpu]`. */
static inline int
bench_all (int argc, char **argv)
{
  DeviceKind kind = argc > 2 && !strcmp (argv[2], "cpu") ? DEVICE_CPU
      : device_cuda_probe ()                             ? DEVICE_CPU
                                                         : DEVICE_CUDA;

  printf ("device,work,size,device us,wall us\n");
  bench_all_points (kind);
  if (kind == DEVICE_CUDA) {
    bench_dense (kind);
    bench_ladder ();
    bench_energy ();
  }
  return check_failures != 0;
}
