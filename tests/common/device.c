/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Device: its memory, its copies, and its timer. */
#include "check.h"
#include "seconds.h"

#include <pthread.h>
#include <time.h>

#define ROWS 61
#define STRIDE 128
#define MUCH ((size_t) 64 << 20)

/* There and back by rows of another stride, through memory that was zeroed. */
static void
test_copies (DeviceKind kind)
{
  static uint8_t from[ROWS * STRIDE], to[ROWS * STRIDE];
  void *there = NULL;
  Device dev;

  for (size_t i = 0; i < sizeof from; i++) {
    from[i] = (uint8_t) (1 + rnd (255));
    to[i] = 0xee;
  }
  ok (device_open (&dev, kind, NULL));
  ok (device_alloc (&dev, &there, ROWS * 100));
  ok (device_copy_rows (&dev, there, 100, from, STRIDE, 77, ROWS));
  ok (device_copy_rows (&dev, to, STRIDE, there, 100, 90, ROWS));
  ok (device_wait (&dev));
  for (size_t i = 0; i < sizeof to; i++)
    check (to[i] == (i % STRIDE < 77 ? from[i] : i % STRIDE < 90 ? 0 : 0xee));
  ok (device_clear (&dev, there, ROWS * 100));
  ok (device_copy (&dev, to, there, ROWS * 100));
  ok (device_wait (&dev));
  for (size_t i = 0; i < ROWS * 100; i++)
    check (!to[i]);
  device_release (&dev, there);
  device_close (&dev);
}

static void
sleep_ms (long ms)
{
  struct timespec t = {0, ms * 1000000};

  while (nanosleep (&t, &t))
    ;
}

/* Clears much memory, which no device does faster than 20 TB/s. */
static void
work (const Device *dev, void *much)
{
  for (int i = 0; i < 10; i++)
    ok (device_clear (dev, much, MUCH));
}
#define MIN_TIME (10 * (double) MUCH / 20e12)

/* The stretch ends where the device was last waited for, or at stop. */
static void
test_timer (DeviceKind kind)
{
  DeviceTimer timer = {0};
  double took = 0, again, wall;
  void *much = NULL;
  Device dev;

  ok (device_open (&dev, kind, NULL));
  ok (device_alloc (&dev, &much, MUCH));
  ok (device_wait (&dev));
  check (!device_timer_read (&dev, &timer, &took));
  dev.timer = &timer;

  wall = seconds ();
  ok (device_timer_begin (&dev, &timer));
  work (&dev, much);
  check (!device_timer_read (&dev, &timer, &took));
  ok (device_wait (&dev));
  wall = seconds () - wall;
  sleep_ms (50);
  device_timer_stop (&dev, &timer);
  check (device_timer_read (&dev, &timer, &took));
  check (took >= MIN_TIME && took <= wall + 1e-4);
  sleep_ms (1);
  ok (device_wait (&dev)); /* after the end: nothing to measure */
  check (device_timer_read (&dev, &timer, &again) && again == took);

  ok (device_timer_begin (&dev, &timer));
  ok (device_wait (&dev));
  sleep_ms (50);
  work (&dev, much);
  ok (device_wait (&dev));
  device_timer_stop (&dev, &timer);
  check (device_timer_read (&dev, &timer, &took) && took >= .05);

  dev.timer = NULL; /* nothing but stop sets the end */
  ok (device_timer_begin (&dev, &timer));
  ok (device_wait (&dev));
  sleep_ms (50);
  work (&dev, much);
  ok (device_timer_end (&dev, &timer, &took));
  check (took >= .05 + MIN_TIME);
  device_timer_free (&timer);
  device_release (&dev, much);
  device_close (&dev);
}

#define WAITERS 8

typedef struct {
  Device dev;
  void *much;
  pthread_barrier_t *all;
  double waited, cpu; /* seconds of device_wait (), and of the CPU meanwhile */
} Waiter;

static void *
wait_once (void *data)
{
  Waiter *w = data;

  for (int i = 0; i < 10; i++)
    work (&w->dev, w->much);
  pthread_barrier_wait (w->all);
  w->waited = seconds ();
  w->cpu = seconds_of (CLOCK_THREAD_CPUTIME_ID);
  ok (device_wait (&w->dev));
  w->cpu = seconds_of (CLOCK_THREAD_CPUTIME_ID) - w->cpu;
  w->waited = seconds () - w->waited;
  return NULL;
}

/* Threads that wait for one GPU at the same time leave the CPU to others.
 * Nobody waits for the CPU, whose work is done before. */
static void
test_wait (DeviceKind kind)
{
  Waiter w[WAITERS];
  pthread_t thread[WAITERS];
  pthread_barrier_t all;
  double waited = 0, cpu = 0;

  if (kind != DEVICE_CUDA)
    return;
  pthread_barrier_init (&all, NULL, WAITERS);
  for (int i = 0; i < WAITERS; i++) {
    w[i].all = &all;
    ok (device_open (&w[i].dev, kind, NULL));
    ok (device_alloc (&w[i].dev, &w[i].much, MUCH));
  }
  for (int i = 0; i < WAITERS; i++)
    check (!pthread_create (&thread[i], NULL, wait_once, &w[i]));
  for (int i = 0; i < WAITERS; i++) {
    pthread_join (thread[i], NULL);
    waited += w[i].waited;
    cpu += w[i].cpu;
    device_release (&w[i].dev, w[i].much);
    device_close (&w[i].dev);
  }
  pthread_barrier_destroy (&all);
  printf ("%d threads waited %.4f s, by %.4f s of CPU time\n", WAITERS, waited,
      cpu);
  check (cpu < waited / 2);
}

/* Memory of a GPU tells its number, memory of the host that it is none's. */
static void
test_memory (DeviceKind kind)
{
  int on_stack = 0, holder, current;
  void *there = NULL;
  Device dev;

  if (kind != DEVICE_CUDA)
    return;
  ok (device_open (&dev, kind, NULL));
  ok (device_alloc (&dev, &there, 4));
  ok (device_cuda_memory (there, &holder, &current));
  check (current >= 0 && holder == current);
  ok (device_cuda_memory (&on_stack, &holder, &current));
  check (holder == -1);
  device_release (&dev, there);
  device_close (&dev);
}

CHECK_MAIN (NULL, NULL, PART (copies), PART (timer), PART (wait), PART (memory))
