/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops of the CPU, spread over the threads of one pool a process.  The caller
 * works, too, and waits only for threads that have begun: on a busy machine it
 * does the whole loop.  Threads of the pool sleep between frames. */
#pragma once

#include "common/both.h"

C_BEGIN

/* Does the items from @begin to before @end.  Stretches run at the same time
 * and in any order, so a stretch writes no memory that another one reads. */
typedef void (*ParallelBody) (void *data, int begin, int end);

/* Calls @body for stretches that together are the items from 0 to before @n,
 * and returns when all are done.  A thread takes @grain items at a time; 0: a
 * number that suits items of equal cost.  With @grain >= @n the caller does all
 * in one stretch, as it does with one thread, and in loops inside of @body. */
void parallel_for (int n, int grain, ParallelBody body, void *data);

/* Loops that the calling thread begins from now on use at most @threads
 * threads, including itself; 0: the maximum, one for each processor. */
void parallel_limit (int threads);

C_END
