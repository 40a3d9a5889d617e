/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A function marked BOTH is written once and compiled twice: as C for the CPU
 * backend and as CUDA for the GPU backend.  It is pure: it sees its arguments
 * and nothing else. */
#pragma once

#ifdef __CUDACC__
# define BOTH static __host__ __device__ __forceinline__
#else
# define BOTH static inline __attribute__ ((unused))
#endif

/* Before a loop of few turns: on the GPU its arrays are to be registers. */
#ifdef __CUDA_ARCH__
# define UNROLLED _Pragma ("unroll")
#else
# define UNROLLED
#endif

/* Before a loop whose body is large: on the GPU it is not to be repeated. */
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
