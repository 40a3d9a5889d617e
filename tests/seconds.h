/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <time.h>

/* Of a clock that only runs forward. */
static inline double
seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
