/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The median of 5 x 5 numbers, the 13th in order; pixels outside of the image
 * repeat its edge. */
#pragma once

#include "pocstereo/pocstereo_core.h"

#define POCSTEREO_MEDIAN_REACH 2 /* pixels either way */

/* Exchanges two numbers if the first is greater than the second. */
BOTH void
pocstereo_order_two (int32_t *a, int32_t *b)
{
  int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;

  *a = low;
  *b = high;
}
