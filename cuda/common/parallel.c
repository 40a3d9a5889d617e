/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A loop is a job on its caller's stack.  It is listed while it wants more
 * threads; whoever works at it takes the next stretch from one counter until
 * there is none left.  Threads of the pool spin for a moment after a job, since
 * the next loop of a frame comes soon, and then sleep. */
#define _GNU_SOURCE
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/* Stretches a thread where no grain is named: the last one is little late. */
#define STRETCHES 8
/* Looks at a word before a thread sleeps: some 10 us. */
#define SPINS 300

#ifdef __x86_64__
# define PAUSE __builtin_ia32_pause ()
#else
# define PAUSE ((void) 0)
#endif

typedef _Atomic (struct Job *) Link;

typedef struct Job {
  ParallelBody body;
  void *data;
  int n, grain;
  atomic_llong next; /* item that nobody has taken; may pass n */
  int wanted;        /* threads that may still join; pool.lock */
  atomic_int inside; /* threads of the pool at it; written under pool.lock */
  Link newer;
} Job;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  Link oldest; /* of the jobs that want threads; written under the lock */
  int threads, sleeping, processors;
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

static void *
run_thread (void *unused)
{
  pthread_mutex_lock (&pool.lock);
  for (;;) {
    Job *job;

    while (!(job = pool.oldest)) {
      pool.sleeping++;
      pthread_cond_wait (&pool.wake, &pool.lock);
      pool.sleeping--;
    }
    job->inside++;
    if (!--job->wanted)
      pool.oldest = job->newer;
    pthread_mutex_unlock (&pool.lock);
    work (job);
    pthread_mutex_lock (&pool.lock);
    if (!--job->inside)
      pthread_cond_broadcast (&pool.done);
    pthread_mutex_unlock (&pool.lock);
    for (int i = 0; i < SPINS && !pool.oldest; i++)
      PAUSE;
    pthread_mutex_lock (&pool.lock);
  }
  return unused;
}

/* A child of fork () has one thread, and finds the lock as it was. */
static void
forget_threads (void)
{
  pthread_mutex_init (&pool.lock, NULL);
  pthread_cond_init (&pool.wake, NULL);
  pthread_cond_init (&pool.done, NULL);
  pool.oldest = NULL;
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
static void
start_thread (void)
{
  sigset_t all, before;
  pthread_t thread;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  if (!pthread_create (&thread, NULL, run_thread, NULL)) {
    pthread_setname_np (thread, "vision-loops");
    pthread_detach (thread);
    pool.threads++;
  }
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

static void
list (Job *job)
{
  Link *at = &pool.oldest;

  pthread_mutex_lock (&pool.lock);
  for (int i = pool.threads; i < job->wanted; i++)
    start_thread ();
  while (*at)
    at = &(*at)->newer;
  *at = job;
  for (int i = 0; i < job->wanted && i < pool.sleeping; i++)
    pthread_cond_signal (&pool.wake);
  pthread_mutex_unlock (&pool.lock);
}

/* Nobody joins any more; waits for those who have. */
static void
finish (Job *job)
{
  Link *at = &pool.oldest;

  pthread_mutex_lock (&pool.lock);
  while (*at && *at != job)
    at = &(*at)->newer;
  if (*at)
    *at = job->newer;
  pthread_mutex_unlock (&pool.lock);
  for (int i = 0; i < SPINS && job->inside; i++)
    PAUSE;
  pthread_mutex_lock (&pool.lock);
  while (job->inside)
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
