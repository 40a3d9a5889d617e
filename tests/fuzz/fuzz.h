/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What fuzzers share.  A fuzzer is a file NAME.c with a function fuzz (), which
 * gives bytes to a reader and looks at what it returns.  A file that a reader
 * is to open lies in FUZZ_DIR, which run.sh sets to a folder in memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/parallel.h"

/* Where findings are printed: run.sh closes the standard error, to which
 * readers write. */
static int fuzz_log;

__attribute__ ((constructor)) static void
fuzz_prepare (void)
{
  fuzz_log = dup (STDERR_FILENO);
  parallel_limit (1); /* the same on every machine */
}

/* Ends the fuzzer, which keeps the input. */
static inline void
fuzz_fail (const char *file, int line, const char *what)
{
  dprintf (fuzz_log, "%s:%d: %s\n", file, line, what);
  abort ();
}

/* One input.  libFuzzer reports what the sanitizers find, abort (), leaks, and
 * what takes too long or too much memory. */
static void fuzz (const uint8_t *data, size_t size);

/* Once, before the first input; a file that needs it defines FUZZ_INIT. */
#ifdef FUZZ_INIT
static void fuzz_init (void);

int LLVMFuzzerInitialize (int *argc, char ***argv);

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  (void) argc;
  (void) argv;
  fuzz_init ();
  return 0;
}
#endif

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  fuzz (data, size);
  return 0;
}

/* What must hold of a result. */
#define REQUIRE(what) \
 do { \
  if (!(what)) \
   fuzz_fail (__FILE__, __LINE__, #what " does not hold"); \
 } while (0)

/* A text in an allocation of its own, so that a read behind its end is seen. */
static inline char *
fuzz_text (const uint8_t *data, size_t size)
{
  char *text = malloc (size + 1);

  REQUIRE (text);
  memcpy (text, data, size);
  text[size] = '\0';
  return text;
}

/* The path of file @name in FUZZ_DIR; it is good until the fourth next call. */
static inline const char *
fuzz_path (const char *name)
{
  static char paths[4][512];
  static unsigned turn;
  const char *dir = getenv ("FUZZ_DIR");
  char *path = paths[turn++ % 4];

  snprintf (path, sizeof paths[0], "%s/%s", dir ? dir : "/dev/shm", name);
  return path;
}

/* Writes the file @name, and returns its path. */
static inline const char *
fuzz_file (const char *name, const uint8_t *data, size_t size)
{
  const char *path = fuzz_path (name);
  FILE *f = fopen (path, "wb");

  REQUIRE (f && fwrite (data, 1, size, f) == size);
  REQUIRE (!fclose (f));
  return path;
}

/* Where the first byte 0 of an input is: what precedes it is one file, what
 * follows it another.  @size if there is none. */
static inline size_t
fuzz_split (const uint8_t *data, size_t size)
{
  const uint8_t *at = size ? memchr (data, 0, size) : NULL;

  return at ? (size_t) (at - data) : size;
}

/* Whether @text is UTF-8, as names must be that leave an element. */
static inline bool
fuzz_is_utf8 (const char *text)
{
  const uint8_t *p = (const uint8_t *) text;

  while (*p) {
    int more = *p < 0x80          ? 0
        : *p >= 0xc2 && *p < 0xe0 ? 1
        : *p >= 0xe0 && *p < 0xf0 ? 2
        : *p >= 0xf0 && *p < 0xf5 ? 3
                                  : -1;

    if (more < 0)
      return false;
    for (p++; more; more--, p++)
      if ((*p & 0xc0) != 0x80)
        return false;
  }
  return true;
}
