/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of threads: every item once, whoever calls and however many. */
#include "common/parallel.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define ITEMS 100000

typedef struct {
  atomic_uchar *times; /* that each item was done */
  atomic_int threads, most_threads, stretches;
} Tally;

static void
count_items (void *data, int begin, int end)
{
  Tally *t = data;
  int now = atomic_fetch_add (&t->threads, 1) + 1;
  int most = atomic_load (&t->most_threads);

  atomic_fetch_add (&t->stretches, 1);
  while (now > most &&
      !atomic_compare_exchange_weak (&t->most_threads, &most, now))
    ;
  for (int i = begin; i < end; i++)
    atomic_fetch_add (&t->times[i], 1);
  atomic_fetch_sub (&t->threads, 1);
}

/* Threads of the process before its first loop: ours, and those of CUDA. */
static int others;

static int
count_threads (void)
{
  DIR *dir = opendir ("/proc/self/task");
  int n = -2; /* . and .. */

  while (dir && readdir (dir))
    n++;
  if (dir)
    closedir (dir);
  return n;
}

/* Whether the loop did each of @n items once. */
static bool
does_each_once (int n, int grain, Tally *t)
{
  bool all = true;

  *t = (Tally){.times = calloc (ITEMS + 1, 1)};
  parallel_for (n, grain, count_items, t);
  for (int i = 0; i <= ITEMS; i++)
    all &= t->times[i] == (i < n);
  free ((void *) t->times);
  return all;
}

static void
items (DeviceKind kind)
{
  Tally t;

  others = count_threads ();
  for (int i = 0; i < 300; i++) {
    int n = (int) rnd (i % 2 ? 50 : ITEMS), grain = (int) rnd (2000);

    check (does_each_once (n, grain, &t));
    if (grain && n)
      check (t.stretches == (n - 1) / grain + 1 || t.stretches == 1);
  }
  check (does_each_once (0, 1, &t) && t.stretches == 0);
  check (does_each_once (-1, 0, &t) && t.stretches == 0);
  check (does_each_once (ITEMS, ITEMS, &t) && t.stretches == 1);
}

static void
add_length (void *data, int begin, int end)
{
  atomic_fetch_add ((atomic_llong *) data, (long long) end - begin);
}

/* No number of items is too many. */
static void
many (DeviceKind kind)
{
  static const int grains[] = {1 << 20, 1 << 30, INT_MAX - 1, INT_MAX, 0};

  for (int i = 0; i < 5; i++) {
    atomic_llong sum = 0;

    parallel_for (INT_MAX, grains[i], add_length, &sum);
    check (sum == INT_MAX);
  }
}

static void
limits (DeviceKind kind)
{
  Tally t;

  parallel_limit (1);
  check (does_each_once (ITEMS, 10, &t) && t.stretches == 1);
  parallel_limit (2);
  for (int i = 0; i < 20; i++)
    check (does_each_once (ITEMS, 10, &t) && t.most_threads <= 2);
  parallel_limit (0);
}

static void
begin_loops (void *data, int begin, int end)
{
  Tally t;

  for (int i = begin; i < end; i++)
    ((bool *) data)[i] = does_each_once (ITEMS, 100, &t) && t.most_threads == 1;
}

/* A loop in a loop is the thread's own. */
static void
nested (DeviceKind kind)
{
  bool good[16] = {false};

  parallel_for (16, 1, begin_loops, good);
  for (int i = 0; i < 16; i++)
    check (good[i]);
}

/* A thread that was joined stays in the list for a moment. */
static bool
has_threads (int n)
{
  for (int i = 0; i < 1000 && count_threads () != n; i++)
    usleep (2000);
  return count_threads () == n;
}

static void *
call_often (void *unused)
{
  Tally t;
  bool good = true;

  (void) unused;
  for (int i = 0; i < 100; i++)
    good &= does_each_once (1000 + i, 7, &t);
  return good ? "good" : NULL;
}

/* Eight callers at once: nothing is lost, and the pool has no more threads than
 * the machine has processors. */
static void
callers (DeviceKind kind)
{
  pthread_t thread[8];
  int before;
  Tally t;

  does_each_once (ITEMS, 1, &t);
  before = count_threads ();
  check (before - others < sysconf (_SC_NPROCESSORS_ONLN));
  for (int i = 0; i < 8; i++)
    check (!pthread_create (&thread[i], NULL, call_often, NULL));
  for (int i = 0; i < 8; i++) {
    void *good;

    pthread_join (thread[i], &good);
    check (good);
  }
  check (has_threads (before));
}

/* The child of a fork has none of the pool's threads, and makes its own.
 * EMULATED says that qemu-user runs the test, whose release 7.2 aborts where
 * the child of a process with threads makes one. */
static void
forked (DeviceKind kind)
{
  int status = 0;
  pid_t child;
  Tally t;

  if (getenv ("EMULATED")) {
    printf ("SKIP forked: the emulator cannot do it\n");
    return;
  }
  check (does_each_once (ITEMS, 1, &t));
  child = fork ();
  if (child == 0) {
    alarm (60);
    _exit (does_each_once (ITEMS, 1, &t) ? 0 : 1);
  }
  check (child > 0 && waitpid (child, &status, 0) == child);
  check (WIFEXITED (status) && WEXITSTATUS (status) == 0);
}

/* What a loop costs that has nothing to do: microseconds. */
static int
bench (int argc, char **argv)
{
  Tally t = {.times = calloc (ITEMS, 1)};
  const int loops = 20000;
  Device dev;
  DeviceTimer timer = {0};
  double seconds = 0;

  ok (device_open (&dev, DEVICE_CPU, NULL));
  ok (device_timer_begin (&dev, &timer));
  for (int i = 0; i < loops; i++)
    parallel_for (64, 4, count_items, &t);
  ok (device_timer_end (&dev, &timer, &seconds));
  printf ("a loop of 64 items: %.2f us\n", seconds / loops * 1e6);
  free ((void *) t.times);
  return check_failures > 0;
}

CHECK_MAIN (NULL, bench, {"items", items}, {"many", many}, {"limits", limits},
    {"nested", nested}, {"callers", callers}, {"forked", forked})
