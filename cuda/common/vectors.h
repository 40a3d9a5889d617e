/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of the CPU as vectors.  A function marked VECTORS has a second version
 * for AVX2, and the program chooses one when it starts.  Both compute the same:
 * the compiler contracts nothing, and sums keep the order of the loops.  A
 * function that it calls becomes a part of both versions only if it is INLINED.
 * It is static: releases of clang do not agree on the name by which other files
 * call a function with two versions.
 */
#pragma once

#include <stdint.h>
#ifdef __SSE2__
# include <emmintrin.h>
#endif

#ifdef __has_attribute /* clang has it since release 14 */
# if __has_attribute(target_clones)
#  define HAS_CLONES
# endif
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(HAS_CLONES)
# define VECTORS __attribute__ ((target_clones ("avx2", "default")))
/* Makes VECTORS of a function and of all functions that it calls.  clang does
 * not take both attributes, and includes the functions that it chooses. */
# ifdef __clang__
#  define VECTORS_WHOLE VECTORS
# else
#  define VECTORS_WHOLE VECTORS __attribute__ ((flatten))
# endif
#else
# define VECTORS
# define VECTORS_WHOLE
#endif

#define INLINED static inline __attribute__ ((always_inline))

/* Eight numbers as one, for loops that compilers make no vectors of.  Lanes are
 * computed as single numbers are.  A comparison gives -1 in Ints8 where it
 * holds, else 0; such a mask and the bits of a number make the number or 0. */
#define LANES8 8
typedef float Floats8 __attribute__ ((vector_size (4 * LANES8)));
typedef int32_t Ints8 __attribute__ ((vector_size (4 * LANES8)));
/* Eight numbers of an array, at any place. */
typedef float FloatsAt
    __attribute__ ((vector_size (4 * LANES8), aligned (4), may_alias));

#define LANES_WHERE(mask, floats) ((Floats8) ((mask) & (Ints8) (floats)))
#define LANES_ABS(floats) LANES_WHERE (0x7fffffff, floats)

/* Adds @a[2 i] @b[2 i] + @a[2 i + 1] @b[2 i + 1] to sum i of @n, a multiple of
 * 4.  Compilers do not find the instruction for it. */
INLINED void
add_products (int32_t *sum, const int16_t *a, const int16_t *b, int n)
{
#ifdef __SSE2__
  for (int i = 0; i < n; i += 4) {
    __m128i *four = (__m128i *) (sum + i);
    __m128i product =
        _mm_madd_epi16 (_mm_loadu_si128 ((const __m128i *) (a + 2 * i)),
            _mm_loadu_si128 ((const __m128i *) (b + 2 * i)));

    _mm_storeu_si128 (four, _mm_add_epi32 (_mm_loadu_si128 (four), product));
  }
#else
  for (int i = 0; i < n; i++)
    sum[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
#endif
}
