/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DeviceMemory: what it gives, counts and frees, whichever call fails. */
#include "check.h"

#include "common/memory.h"
#include "failing.h"

typedef struct {
  uint32_t *labels;
  uint8_t *range, *result;
  double *sums;
} Work;

#define N 1000
#define ALL ((size_t) (N * sizeof (uint32_t) + 256 + 77 + N * sizeof (double)))

static const char *
get_all (DeviceMemory *m, Work *w)
{
  TRY (memory_get (m, &w->labels, N));
  TRY (memory_get_pinned (m, &w->range, 256));
  TRY (memory_get_pinned (m, &w->result, 77));
  return memory_get (m, &w->sums, N);
}

/* Memory is zeroed and of the size that was asked for; freed, it can be got
 * again. */
static void
test_give (DeviceKind kind)
{
  static uint32_t ones[N], back[N];
  DeviceMemory m;
  Device dev;
  Work w = {0};

  ok (device_open (&dev, kind, NULL));
  memory_open (&m, &dev);
  for (int round = 0; round < 2; round++) {
    ok (get_all (&m, &w));
    check (m.bytes == ALL && m.n == 4);
    for (int i = 0; i < 256; i++)
      check (!w.range[i]);
    memset (ones, 0xff, sizeof ones);
    memset (back, 0xee, sizeof back);
    ok (device_copy (&dev, back, w.labels, sizeof back));
    ok (device_copy (&dev, w.labels, ones, sizeof ones));
    ok (device_wait (&dev));
    for (int i = 0; i < N; i++)
      check (!back[i]);
    memory_free (&m);
    check (!w.labels && !w.range && !w.result && !w.sums);
    check (!m.bytes && !m.n);
  }
  device_close (&dev);
}

/* A pointer that is given memory again has the new, and only that. */
static void
test_again (DeviceKind kind)
{
  DeviceMemory m;
  Device dev;
  Work w = {0};

  ok (failing_open (&dev, DEVICE_CPU, NULL));
  failing_reset (0);
  failing_blocks = 0;
  memory_open (&m, &dev);
  ok (get_all (&m, &w));
  ok (memory_get (&m, &w.labels, 2 * N));
  ok (memory_get (&m, &w.range, 1)); /* pinned before */
  check (m.bytes == ALL + N * sizeof *w.labels - 255 && failing_blocks == 4);
  memory_release (&m, &w.labels);
  memory_release (&m, &w.labels); /* there is none: nothing happens */
  check (!w.labels && failing_blocks == 3);
  check (m.bytes == ALL - N * sizeof *w.labels - 255);
  memory_free (&m);
  check (!failing_blocks && !m.bytes);
}

/* Whichever allocation fails, what was given is freed and the rest is NULL. */
static void
test_failing (DeviceKind kind)
{
  DeviceMemory m;
  Device dev;

  ok (failing_open (&dev, DEVICE_CPU, NULL));
  failing_blocks = 0;
  for (int at = 1; at <= 4; at++) {
    Work w = {0};
    const char *err;

    memory_open (&m, &dev);
    failing_reset (at);
    err = get_all (&m, &w);
    check (err && !strcmp (err, FAILING_MEMORY));
    check (m.n == at - 1 && failing_blocks == at - 1 && !w.sums);
    memory_free (&m);
    check (!failing_blocks && !w.labels && !w.range && !w.result && !m.bytes);
  }
  failing_reset (0);
}

/* One that grows and cannot is left without any. */
static void
test_failing_growth (DeviceKind kind)
{
  DeviceMemory m;
  Device dev;
  Work w = {0};

  ok (failing_open (&dev, DEVICE_CPU, NULL));
  memory_open (&m, &dev);
  failing_reset (0);
  failing_blocks = 0;
  ok (memory_get (&m, &w.labels, N));
  failing_reset (1);
  check (memory_get (&m, &w.labels, 2 * N) != NULL);
  check (!w.labels && !m.n && !m.bytes && !failing_blocks);
  check (memory_get (&m, &w.sums, SIZE_MAX / 4) != NULL && !w.sums);
  memory_free (&m);
  failing_reset (0);
}

/* The same code counts what it would take; no device is asked. */
static void
test_count (DeviceKind kind)
{
  DeviceMemory m;
  Work w = {0};

  memory_open (&m, NULL);
  ok (get_all (&m, &w));
  check (m.bytes == ALL);
  check (!w.labels && !w.range && !w.result && !w.sums);
  ok (memory_get (&m, &w.sums, 1));
  check (m.bytes == ALL - (N - 1) * sizeof *w.sums);
  memory_free (&m);
  check (!m.bytes);
}

/* More pieces than the list had room for. */
static void
test_many (DeviceKind kind)
{
  static uint8_t *pieces[1000];
  DeviceMemory m;
  Device dev;

  ok (device_open (&dev, kind, NULL));
  memory_open (&m, &dev);
  for (int i = 0; i < 1000; i++)
    ok (memory_get (&m, &pieces[i], i));
  check (m.n == 1000 && m.bytes == 1000 * 999 / 2);
  for (int i = 0; i < 1000; i += 2)
    memory_release (&m, &pieces[i]);
  check (m.n == 500 && m.bytes == 500 * 500);
  memory_free (&m);
  for (int i = 0; i < 1000; i++)
    check (!pieces[i]);
  device_close (&dev);
}

static void
fail_and_note (void *noted, int begin, int end)
{
  size_t *bytes = noted;

  for (int i = begin; i < end; i++) {
    out_of_memory_note ((size_t) i + 1);
    bytes[i] = out_of_memory_bytes ();
  }
}

/* A thread remembers how much it could not have, until it is asked; each thread
 * its own. */
static void
test_noted (DeviceKind kind)
{
  static size_t bytes[1000];
  DeviceMemory m;
  Device dev;
  Work w = {0};

  ok (failing_open (&dev, DEVICE_CPU, NULL));
  memory_open (&m, &dev);
  failing_reset (1);
  check (memory_get (&m, &w.labels, N) != NULL);
  check (out_of_memory_bytes () == N * sizeof *w.labels);
  parallel_for (1000, 1, fail_and_note, bytes);
  for (size_t i = 0; i < 1000; i++)
    check (bytes[i] == i + 1);
  failing_reset (1);
  check (memory_get_pinned (&m, &w.range, 77) != NULL);
  check (out_of_memory_bytes () == 77 && !out_of_memory_bytes ());
  check (memory_get (&m, &w.sums, SIZE_MAX / 4) != NULL);
  check (out_of_memory_bytes () == SIZE_MAX);
  memory_free (&m);
  failing_reset (0);
}

CHECK_MAIN (NULL, NULL, PART (give), PART (again), PART (failing),
    {"failing growth", test_failing_growth}, PART (count), PART (many),
    PART (noted))
