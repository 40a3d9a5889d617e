/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The median of 5 x 5 numbers, pixels outside repeating the edge.  It is the
 * 13th in order, whichever way it is found. */
#pragma once

#include "pocstereo/pocstereo_core.h"

#define POCSTEREO_MEDIAN_REACH 2 /* pixels either way */

/* Puts the smaller number first. */
BOTH void
pocstereo_order (int32_t *a, int32_t *b)
{
  int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;

  *a = low;
  *b = high;
}

/* The median of @v, which is left in disorder.  Of the first 14 numbers neither
 * the least nor the greatest can be it: they are dropped, the next one comes
 * in, and so on ("forgetful selection"). */
BOTH int32_t
pocstereo_median25 (int32_t v[25])
{
  for (int first = 0; first < 12; first++) {
    int last = 13; /* those still in: first to 13, and the one that comes */

    if (first)
      v[last] = v[last + first];
    for (int i = first; i + 1 <= last; i++)
      pocstereo_order (&v[i], &v[i + 1]); /* the greatest to the end */
    for (int i = last - 2; i >= first; i--)
      pocstereo_order (&v[i], &v[i + 1]); /* the least to the front */
  }
  return v[12];
}
