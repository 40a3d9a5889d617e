/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counter-based random numbers: a pure function of seed and counter, the same
 * on CPU and GPU and in any order of evaluation.  The mixing function is
 * SplitMix64's (Steele, Lea and Flood, OOPSLA 2014). */
#pragma once

#include <stdint.h>

#include "common/both.h"

BOTH uint64_t
random_u64 (uint64_t seed, uint64_t counter)
{
  uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15ull;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/* 0 <= result < @n, for n up to 2^32. */
BOTH uint32_t
random_below (uint64_t seed, uint64_t counter, uint32_t n)
{
  return (uint32_t) (((random_u64 (seed, counter) >> 32) * n) >> 32);
}

/* 0 <= result < 1, in steps of 2^-24, exact in float. */
BOTH float
random_unit (uint64_t seed, uint64_t counter)
{
  return (float) (random_u64 (seed, counter) >> 40) * (1.f / 16777216.f);
}
