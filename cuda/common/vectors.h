/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of the CPU as vectors.  A function marked VECTORS is compiled for AVX2,
 * too, and which version runs is chosen when the program starts.  Both compute
 * the same: nothing is contracted, and the order of sums is the loops' own.
 * What such a function calls becomes a part of both only if it is INLINED. */
#pragma once

/* clang compiles one version: its releases do not agree on the name by which
 * other files find a function that has two. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
# define VECTORS __attribute__ ((target_clones ("avx2", "default")))
/* VECTORS that make all that they call a part of both versions. */
# define VECTORS_WHOLE VECTORS __attribute__ ((flatten))
#else
# define VECTORS
# define VECTORS_WHOLE
#endif

#define INLINED static inline __attribute__ ((always_inline))
