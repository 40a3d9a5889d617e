/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Calls of the plug-in for memory and threads that fail on demand. */
#pragma once

#include <stdbool.h>

typedef enum { CALLS_MEMORY, CALLS_THREADS, N_CALLS } Calls;

/* From now on the @first-th of these calls of the plug-in fails and, if @all,
 * every one after it; 0: none. */
void calls_fail (Calls calls, int first, bool all);
/* How many there were since calls_fail (). */
int calls_count (Calls calls);
