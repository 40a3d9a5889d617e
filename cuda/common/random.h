/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counter-based random numbers.  A number is a pure function of seed and
 * counter, so that CPU and GPU get the same ones in any order.  The mixing
 * function is that of SplitMix64 (Steele, Lea and Flood, Fast Splittable
 * Pseudorandom Number Generators, OOPSLA 2014). */
#pragma once

#include <stdint.h>

#include "common/both.h"

/* Number @counter of the sequence @seed, uniform in 0 to 2^64 - 1. */
BOTH uint64_t
random_u64 (uint64_t seed, uint64_t counter)
{
  uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15ull;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/* A whole number, 0 <= number < @n; 0 if @n is 0. */
BOTH uint32_t
random_below (uint64_t seed, uint64_t counter, uint32_t n)
{
  return (uint32_t) (((random_u64 (seed, counter) >> 32) * n) >> 32);
}

/* A number, 0 <= number < 1, in steps of 2^-24, which a float holds exactly. */
BOTH float
random_unit (uint64_t seed, uint64_t counter)
{
  return (float) (random_u64 (seed, counter) >> 40) * (1.f / 16777216.f);
}
