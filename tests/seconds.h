/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Times that are measured, and the middle one of some. */
#pragma once

#include <stdlib.h>
#include <time.h>

static inline double
seconds_of (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Of a clock that only runs forward. */
static inline double
seconds (void)
{
  return seconds_of (CLOCK_MONOTONIC);
}

/* Of CPU time, all threads together. */
static inline double
cpu_seconds (void)
{
  return seconds_of (CLOCK_PROCESS_CPUTIME_ID);
}

static inline int
bench_compare (const void *p, const void *q)
{
  double a = *(const double *) p, b = *(const double *) q;

  return (a > b) - (a < b);
}

/* Puts @times in order. */
static inline double
bench_median (double *times, int n)
{
  qsort (times, n, sizeof *times, bench_compare);
  return times[n / 2];
}
