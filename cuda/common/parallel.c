/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A loop is a job on its caller's stack.  It is listed while threads may join
 * it; whoever works at it takes the next stretch from one counter until there
 * is none left.  Threads of the pool spin for a moment after a job, since the
 * next loop of a frame comes soon, and then sleep. */
#define _GNU_SOURCE
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* Stretches a thread where the caller names no grain: the last one to finish
 * is then late by some percent at most. */
#define STRETCHES 8
/* Looks at a counter before a thread sleeps: some 10 us. */
#define SPINS 300

#if defined __x86_64__ || defined __i386__
# define PAUSE __builtin_ia32_pause ()
#elif defined __aarch64__
# define PAUSE __asm__ volatile("yield")
#else
# define PAUSE ((void) 0)
#endif

typedef struct _Job Job;

struct _Job {
  ParallelBody body;
  void *data;
  int n, grain;
  atomic_llong next; /* item that nobody has taken; may pass n */
  int wanted;        /* threads that may still join; pool.lock */
  atomic_int inside; /* threads of the pool at it; written under pool.lock */
  Job *newer;
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  Job *oldest;
  atomic_int jobs; /* listed */
  int threads, sleeping;
  int processors;
  pthread_once_t once;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
    .once = PTHREAD_ONCE_INIT};

static _Thread_local int limit;
static _Thread_local bool is_busy; /* with a job */

void
parallel_limit (int threads)
{
  limit = threads;
}

static void
pause_briefly (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#elif defined __aarch64__
  __asm__ volatile("yield");
#endif
}

static void
work (Job *job)
{
  long long begin;

  is_busy = true;
  while ((begin = atomic_fetch_add (&job->next, job->grain)) < job->n) {
    long long end = begin + job->grain;

    job->body (job->data, (int) begin, end < job->n ? (int) end : job->n);
  }
  is_busy = false;
}

/* The oldest job that wants one more thread; the lock is held. */
static Job *
join (void)
{
  Job *job = pool.oldest;

  while (job && !job->wanted)
    job = job->newer;
  if (job) {
    job->wanted--;
    atomic_fetch_add (&job->inside, 1);
  }
  return job;
}

/* Gives up the lock for a moment in which a job may come. */
static void
spin_for_job (void)
{
  pthread_mutex_unlock (&pool.lock);
  for (int i = 0; i < SPINS && !atomic_load (&pool.jobs); i++)
    PAUSE;
  pthread_mutex_lock (&pool.lock);
}

static void *
run_thread (void *unused)
{
  bool has_spun = true;

  pthread_mutex_lock (&pool.lock);
  for (;;) {
    Job *job = join ();

    if (job) {
      pthread_mutex_unlock (&pool.lock);
      work (job);
      pthread_mutex_lock (&pool.lock);
      if (atomic_fetch_sub (&job->inside, 1) == 1)
        pthread_cond_broadcast (&pool.done);
      has_spun = false;
    } else if (!has_spun) {
      spin_for_job ();
      has_spun = true;
    } else {
      pool.sleeping++;
      pthread_cond_wait (&pool.wake, &pool.lock);
      pool.sleeping--;
    }
  }
  return unused;
}

/* A child of fork () has no thread but its own, and finds the lock as it was.
 */
static void
forget_threads (void)
{
  pthread_mutex_init (&pool.lock, NULL);
  pthread_cond_init (&pool.wake, NULL);
  pthread_cond_init (&pool.done, NULL);
  pool.oldest = NULL;
  atomic_store (&pool.jobs, 0);
  pool.threads = pool.sleeping = 0;
}

static void
begin_pool (void)
{
  cpu_set_t set;

  pool.processors = sched_getaffinity (0, sizeof set, &set)
      ? (int) sysconf (_SC_NPROCESSORS_ONLN)
      : CPU_COUNT (&set);
  pthread_atfork (NULL, NULL, forget_threads);
}

/* Signals are for the application's threads. */
static bool
start_thread (void)
{
  sigset_t all, before;
  pthread_t thread;
  bool ok;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  ok = !pthread_create (&thread, NULL, run_thread, NULL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (ok) {
    pthread_setname_np (thread, "vision-loops");
    pthread_detach (thread);
  }
  return ok;
}

static void
list (Job *job)
{
  Job **at = &pool.oldest;

  pthread_mutex_lock (&pool.lock);
  while (pool.threads < job->wanted && start_thread ())
    pool.threads++;
  while (*at)
    at = &(*at)->newer;
  *at = job;
  atomic_fetch_add (&pool.jobs, 1);
  for (int i = 0; i < job->wanted && i < pool.sleeping; i++)
    pthread_cond_signal (&pool.wake);
  pthread_mutex_unlock (&pool.lock);
}

/* Nobody joins any more; waits for those who have. */
static void
finish (Job *job)
{
  Job **at = &pool.oldest;

  pthread_mutex_lock (&pool.lock);
  while (*at != job)
    at = &(*at)->newer;
  *at = job->newer;
  atomic_fetch_sub (&pool.jobs, 1);
  pthread_mutex_unlock (&pool.lock);
  for (int i = 0; i < SPINS && atomic_load (&job->inside); i++)
    PAUSE;
  pthread_mutex_lock (&pool.lock);
  while (atomic_load (&job->inside))
    pthread_cond_wait (&pool.done, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
}

void
parallel_for (int n, int grain, ParallelBody body, void *data)
{
  Job job = {.body = body, .data = data, .n = n};
  int threads, stretches;

  if (n <= 0)
    return;
  pthread_once (&pool.once, begin_pool);
  threads = limit > 0 && limit < pool.processors ? limit : pool.processors;
  if (grain <= 0)
    grain = n / (threads * STRETCHES) + 1;
  stretches = (n - 1) / grain + 1;
  threads = threads < stretches ? threads : stretches;
  if (threads == 1 || is_busy) {
    body (data, 0, n);
    return;
  }
  job.grain = grain;
  job.wanted = threads - 1;
  list (&job);
  work (&job);
  finish (&job);
}
