/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every algorithm test shares: a seed, two checks, what frees itself,
 * and a main that runs one part.  Without a GPU, a part that needs one is
 * skipped (exit 77): the CPU is never compared with itself. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/device.h"
#include "common/parallel.h"
#include "common/random.h"

/* Not every part asks on which device, and not every benchmark for what. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static uint64_t check_seed = 1, check_counter;
static int check_failures;

static inline uint32_t __attribute__ ((unused)) rnd (uint32_t below)
{
  return random_below (check_seed, check_counter++, below);
}

#define check(cond) \
 do { \
  if (!(cond)) { \
   check_failures++; \
   printf ("FAIL %s:%d: %s\n", __FILE__, __LINE__, #cond); \
  } \
 } while (0)

#define check_near(a, b, tolerance) \
 do { \
  double a_ = (a), b_ = (b), t_ = (tolerance); \
  if (!(a_ - b_ <= t_ && b_ - a_ <= t_)) { \
   check_failures++; \
   printf ("FAIL %s:%d: %s is %.9g, not %.9g +- %g\n", __FILE__, __LINE__, #a, \
       a_, b_, t_); \
  } \
 } while (0)

#define ok(call) \
 do { \
  const char *e_ = (call); \
  if (e_) { \
   check_failures++; \
   printf ("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, e_); \
  } \
 } while (0)

/* AUTO (Frame) f = ...; is freed when its block ends, as
 * AUTO_FREE (Frame, frame_free) says. */
#define AUTO(Type) __attribute__ ((cleanup (Type##_auto))) Type
#define AUTO_FREE(Type, free) \
 static inline void __attribute__ ((unused)) Type##_auto (Type *it) \
 { \
  free (it); \
 }

/* The same of pointers: AUTO (Detector) s is a Scopedetect *, if
 * AUTO_POINTER (Detector, Scopedetect, scopedetect_free) says so. */
#define AUTO_POINTER(Name, Type, free) \
 typedef Type *Name; \
 static inline void __attribute__ ((unused)) Name##_auto (Name *it) \
 { \
  free (*it); \
 }

/* The same of what malloc () gave: AUTO_MEMORY uint8_t *bytes = ...; */
#define AUTO_MEMORY __attribute__ ((cleanup (memory_auto)))

static inline void __attribute__ ((unused)) memory_auto (void *at)
{
  free (*(void **) at);
}

AUTO_FREE (Device, device_close)

static inline Device __attribute__ ((unused)) device_of (DeviceKind kind)
{
  Device dev;

  ok (device_open (&dev, kind, NULL));
  return dev;
}

typedef struct {
  const char *name;
  void (*run) (DeviceKind kind);
} CheckPart;

/* Runs every part of @on_each on the CPU (`known`), on the GPU (`cuda`), and
 * every part of @parity, which compares the two (`parity`); each list ends
 * with a NULL name.  `--bench` calls @bench instead; `--seed N` sets the
 * seed; `--only NAME` runs one part of the list; `--threads N`, before all
 * else, is what a loop of the CPU may use. */
static inline int
check_main (int argc, char **argv, const CheckPart *on_each,
    const CheckPart *parity, int (*bench) (int argc, char **argv))
{
  const char *no_gpu = device_cuda_probe (), *part, *only = NULL;
  const CheckPart *list;
  DeviceKind kind;
  int n = 0;

  if (argc > 2 && !strcmp (argv[1], "--threads")) {
    parallel_limit (atoi (argv[2]));
    argv[2] = argv[0];
    argv += 2, argc -= 2;
  }
  part = argc > 1 ? argv[1] : "known";
  kind = strcmp (part, "known") ? DEVICE_CUDA : DEVICE_CPU;
  list = strcmp (part, "parity") ? on_each : parity;
  for (int i = 1; i + 1 < argc; i++)
    if (!strcmp (argv[i], "--seed"))
      check_seed = strtoull (argv[i + 1], NULL, 0);
    else if (!strcmp (argv[i], "--only"))
      only = argv[i + 1];
  if (bench && !strcmp (part, "--bench"))
    return bench (argc, argv);
  if (kind == DEVICE_CUDA && no_gpu) {
    printf ("SKIP: %s\n", no_gpu);
    return 77;
  }
  printf ("%s %s, seed %llu\n", argv[0], part, (unsigned long long) check_seed);
  for (; list && list->name; list++) {
    int before = check_failures;

    if (only && strcmp (list->name, only))
      continue;
    n++;
    list->run (kind);
    printf ("%s %s\n", check_failures == before ? "ok  " : "FAIL", list->name);
  }
  if (only && !n) {
    printf ("FAIL: no part is called %s\n", only);
    return 1;
  }
  return check_failures != 0;
}

/* The end of a test: main (), with the parts that run on each device. */
#define CHECK_MAIN(parity, bench, ...) \
 int main (int argc, char **argv) \
 { \
  static const CheckPart on_each[] = {__VA_ARGS__, {NULL, NULL}}; \
\
  return check_main (argc, argv, on_each, parity, bench); \
 }
/* clang-format off */
#define PART(name) {#name, test_##name}
/* clang-format on */
