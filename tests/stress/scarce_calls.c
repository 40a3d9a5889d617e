/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * These functions take the place of the C library's, or of a sanitizer's, in
 * the whole process.  They call the real ones, but where the caller is the
 * plug-in and its turn has come.  GLib ends a process without memory, so calls
 * of g_malloc () are left alone. */
#define _GNU_SOURCE
#include "scarce_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "libgstvision.so"

static struct {
  _Atomic int count, first;
  _Atomic bool all;
} state[N_CALLS];

static uintptr_t begin, end; /* of the plug-in's code */

static int
find_plugin (struct dl_phdr_info *info, size_t size, void *unused)
{
  (void) size;
  (void) unused;
  if (!strstr (info->dlpi_name, PLUGIN))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) *part = &info->dlpi_phdr[i];

    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
      continue;
    begin = info->dlpi_addr + part->p_vaddr;
    end = begin + part->p_memsz;
  }
  return 1;
}

void
calls_fail (Calls calls, int first, bool all)
{
  if (!begin)
    dl_iterate_phdr (find_plugin, NULL);
  state[calls].first = 0;
  state[calls].count = 0;
  state[calls].all = all;
  state[calls].first = first;
}

int
calls_count (Calls calls)
{
  return state[calls].count;
}

static bool
fails (Calls calls, void *caller)
{
  int at, first = state[calls].first;

  if ((uintptr_t) caller < begin || (uintptr_t) caller >= end)
    return false;
  at = ++state[calls].count;
  return first && (state[calls].all ? at >= first : at == first);
}

/* The function @name of the library behind this program. */
#define REAL(name) \
 static __typeof__ (name) *real; \
 if (!real) \
 real = (__typeof__ (name) *) dlsym (RTLD_NEXT, #name)

#define CALLER __builtin_return_address (0)

static void *
no_memory (void)
{
  errno = ENOMEM;
  return NULL;
}

void *
malloc (size_t size)
{
  REAL (malloc);
  return fails (CALLS_MEMORY, CALLER) ? no_memory () : real (size);
}

void *
calloc (size_t n, size_t size)
{
  REAL (calloc);
  return fails (CALLS_MEMORY, CALLER) ? no_memory () : real (n, size);
}

void *
realloc (void *p, size_t size)
{
  REAL (realloc);
  return fails (CALLS_MEMORY, CALLER) ? no_memory () : real (p, size);
}

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
    void *(*run) (void *), void *data)
{
  REAL (pthread_create);
  return fails (CALLS_THREADS, CALLER) ? EAGAIN
                                       : real (thread, attributes, run, data);
}
