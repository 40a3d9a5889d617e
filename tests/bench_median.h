/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The middle one of some measurements. */
#pragma once

#include <stdlib.h>

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
