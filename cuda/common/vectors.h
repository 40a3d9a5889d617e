/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of the CPU as vectors.  A function marked VECTORS is compiled for AVX2,
 * too, and which version runs is chosen when the program starts.  Both compute
 * the same: nothing is contracted, and the order of sums is the loops' own.
 * What such a function calls becomes a part of both only if it is INLINED. */
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__)
# define VECTORS __attribute__ ((target_clones ("avx2", "default")))
#else
# define VECTORS
#endif

/* VECTORS that make all that they call a part of both versions; clang, which
 * has no such thing, compiles one. */
#ifdef __clang__
# define VECTORS_WHOLE
#else
# define VECTORS_WHOLE VECTORS __attribute__ ((flatten))
#endif

#define INLINED static inline __attribute__ ((always_inline))
