/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A function marked BOTH has one source and two versions: C for the CPU
 * backend, CUDA for the GPU backend.  It is pure: it reads and writes its
 * arguments and nothing else. */
#pragma once

#ifdef __CUDACC__
# define BOTH static __host__ __device__ __forceinline__
#else
# define BOTH static inline __attribute__ ((unused))
#endif

/* Stands before a loop of few turns.  The GPU's compiler unrolls the loop, so
 * that its arrays become registers. */
#ifdef __CUDA_ARCH__
# define UNROLLED _Pragma ("unroll")
#else
# define UNROLLED
#endif

/* Stands before a loop with a large body.  The GPU's compiler does not unroll
 * it. */
#ifdef __CUDA_ARCH__
# define ROLLED _Pragma ("unroll 1")
#else
# define ROLLED
#endif

#ifdef __cplusplus
# define C_BEGIN extern "C" {
# define C_END }
#else
# define C_BEGIN
# define C_END
#endif
