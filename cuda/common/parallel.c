/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A loop is a job on its caller's stack, listed while it wants more threads.
 * The job has a part for each thread.  A thread first does the stretches of its
 * own part, so that loops over one frame find its rows in the same caches, and
 * then helps with the other parts.
 *
 * A thread without work spins, since the next loop of a frame comes soon, and
 * then sleeps.  It spins for longer if its last wait took longer, since frames
 * that come without a pause keep coming. */
#define _GNU_SOURCE
#include "common/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* Stretches for each thread if no grain is given; many, so that all threads end
 * at about the same time. */
#define STRETCHES 8
/* Nanoseconds that a thread spins before it sleeps: SHORT, or twice its last
 * wait if that was shorter than LONG.  Waking a thread takes some 50 us. */
#define SHORT 20000
#define LONG 200000
#define MAX_THREADS 128 /* that work on one loop */

#ifdef __x86_64__
# define PAUSE __builtin_ia32_pause ()
#else
# define PAUSE ((void) 0)
#endif

typedef _Atomic (struct Job *) Link;

typedef struct Job {
  ParallelBody body;
  void *data;
  int n, grain, stretches, threads;
  int wanted;        /* threads that may still join; read and written under
                        pool.lock */
  atomic_int inside; /* threads of the pool that work on the job; written under
                        pool.lock */
  Link newer;
  atomic_int next[MAX_THREADS]; /* the next free stretch of each part */
} Job;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  Link oldest; /* of the jobs that want threads; written under pool.lock */
  int threads, sleeping, processors;
  pthread_once_t once;
} pool = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
    .wake = PTHREAD_COND_INITIALIZER,
    .done = PTHREAD_COND_INITIALIZER,
    .once = PTHREAD_ONCE_INIT};

static _Thread_local int limit;
static _Thread_local bool is_busy;   /* with a job */
static _Thread_local long last_wait; /* nanoseconds that the thread waited, for
                                        a job or for a job's end */

static long
nanoseconds_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The number of nanoseconds for which the thread spins. */
static long
spin_time (void)
{
  return last_wait > SHORT / 2 && last_wait < LONG ? 2 * last_wait : SHORT;
}

void
parallel_limit (int threads)
{
  limit = threads;
}

static int
first_stretch (const Job *job, int part)
{
  return (int) ((long long) job->stretches * part / job->threads);
}

static void
work_on_job (Job *job, int own)
{
  is_busy = true;
  for (int k = 0; k < job->threads; k++) {
    int part = (own + k) % job->threads, end = first_stretch (job, part + 1),
        at;

    while ((at = job->next[part]++) < end) {
      int begin = at * job->grain, left = job->n - begin;

      job->body (
          job->data, begin, begin + (left < job->grain ? left : job->grain));
    }
  }
  is_busy = false;
}

static void *
run_thread (void *unused)
{
  for (;;) {
    long begin = nanoseconds_now (), until = begin + spin_time ();
    Job *job;
    int own;

    while (!pool.oldest && nanoseconds_now () < until)
      PAUSE;
    pthread_mutex_lock (&pool.lock);
    while (!(job = pool.oldest)) {
      pool.sleeping++;
      pthread_cond_wait (&pool.wake, &pool.lock);
      pool.sleeping--;
    }
    last_wait = nanoseconds_now () - begin;
    job->inside++;
    own = job->threads - job->wanted--;
    if (!job->wanted)
      pool.oldest = job->newer;
    pthread_mutex_unlock (&pool.lock);
    work_on_job (job, own);
    pthread_mutex_lock (&pool.lock);
    if (!--job->inside)
      pthread_cond_broadcast (&pool.done);
    pthread_mutex_unlock (&pool.lock);
  }
  return unused;
}

/* A child of fork () has one thread, and finds the lock in the state that the
 * parent left it in. */
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
  if (pool.processors > MAX_THREADS)
    pool.processors = MAX_THREADS;
  pthread_atfork (NULL, NULL, forget_threads);
}

/* The pool's threads take no signals: these are for the application's
 * threads. */
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
list_job (Job *job)
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

/* Lets no more threads join the job, and waits until all that have joined are
 * done. */
static void
finish_job (Job *job)
{
  Link *at = &pool.oldest;
  long begin, until;

  pthread_mutex_lock (&pool.lock);
  while (*at && *at != job)
    at = &(*at)->newer;
  if (*at)
    *at = job->newer;
  pthread_mutex_unlock (&pool.lock);
  begin = nanoseconds_now ();
  until = begin + spin_time ();
  while (job->inside && nanoseconds_now () < until)
    PAUSE;
  pthread_mutex_lock (&pool.lock);
  while (job->inside)
    pthread_cond_wait (&pool.done, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
  last_wait = nanoseconds_now () - begin;
}

void
parallel_for (int n, int grain, ParallelBody body, void *data)
{
  Job job = {.body = body, .data = data, .n = n};
  int threads;

  if (n <= 0)
    return;
  pthread_once (&pool.once, begin_pool);
  threads = limit > 0 && limit < pool.processors ? limit : pool.processors;
  job.grain = grain > 0 ? grain : n / (threads * STRETCHES) + 1;
  job.stretches = (n - 1) / job.grain + 1;
  job.threads = threads < job.stretches ? threads : job.stretches;
  if (job.threads == 1 || is_busy) {
    body (data, 0, n);
    return;
  }
  for (int part = 0; part < job.threads; part++)
    job.next[part] = first_stretch (&job, part);
  job.wanted = job.threads - 1;
  list_job (&job);
  work_on_job (&job, 0);
  finish_job (&job);
}
