/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What it costs to spread the loops of a frame over threads: by the pool of
 * cuda/common, by a GThreadPool and by a GstSharedTaskPool.
 *
 *   bench-loops KIND STREAMS     KIND: serial, pool, glib, gst
 *
 * A frame is six loops of 60 items, and 15 items that one thread does.  Each
 * stream is a thread.  Prints the wall time and the CPU time of a frame. */
#include <gst/gst.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/parallel.h"

#define FRAMES 3000 /* of all streams */
#define LOOPS 6
#define ITEMS 60
#define GRAIN 4

/* A loop that several threads work at. */
typedef struct {
  atomic_int next, left;
  GMutex lock;
  GCond done;
} Job;

static guint n_threads;
static GThreadPool *glib_pool;
static GstTaskPool *gst_pool;
static void (*loop) (void);

/* Some 400 ns an item. */
static void
do_items (void *data, int begin, int end)
{
  guint32 number = 1;

  (void) data;
  for (int i = begin; i < end; i++)
    for (int k = 0; k < 400; k++) {
      number = number * 1664525 + 1013904223;
      __asm__ volatile("" : : "r"(number));
    }
}

static void
work (Job *job)
{
  int begin;

  while ((begin = atomic_fetch_add (&job->next, GRAIN)) < ITEMS)
    do_items (NULL, begin, MIN (begin + GRAIN, ITEMS));
}

static void
serial_loop (void)
{
  do_items (NULL, 0, ITEMS);
}

static void
pool_loop (void)
{
  parallel_for (ITEMS, GRAIN, do_items, NULL);
}

static void
glib_task (gpointer data, gpointer unused)
{
  Job *job = data;

  (void) unused;
  work (job);
  g_mutex_lock (&job->lock);
  if (!--job->left)
    g_cond_signal (&job->done);
  g_mutex_unlock (&job->lock);
}

static void
glib_loop (void)
{
  Job job = {.left = (int) n_threads - 1};

  g_mutex_init (&job.lock);
  g_cond_init (&job.done);
  for (guint i = 1; i < n_threads; i++)
    g_thread_pool_push (glib_pool, &job, NULL);
  work (&job);
  g_mutex_lock (&job.lock);
  while (job.left)
    g_cond_wait (&job.done, &job.lock);
  g_mutex_unlock (&job.lock);
  g_cond_clear (&job.done);
  g_mutex_clear (&job.lock);
}

static void
gst_task (gpointer job)
{
  work (job);
}

static void
gst_loop (void)
{
  gpointer *task = g_newa (gpointer, n_threads);
  Job job = {0};

  for (guint i = 1; i < n_threads; i++)
    task[i] = gst_task_pool_push (gst_pool, gst_task, &job, NULL);
  work (&job);
  for (guint i = 1; i < n_threads; i++)
    gst_task_pool_join (gst_pool, task[i]);
}

static gpointer
play (gpointer frames)
{
  for (guint i = 0; i < GPOINTER_TO_UINT (frames); i++) {
    for (int k = 0; k < LOOPS; k++)
      loop ();
    do_items (NULL, 0, ITEMS / 4);
  }
  return NULL;
}

static gdouble
cpu_time (void)
{
  struct rusage used;

  getrusage (RUSAGE_SELF, &used);
  return (gdouble) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
      (gdouble) (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int
main (int argc, char **argv)
{
  static const struct {
    const gchar *name;
    void (*loop) (void);
  } kinds[] = {{"serial", serial_loop}, {"pool", pool_loop},
      {"glib", glib_loop}, {"gst", gst_loop}};
  guint streams = argc > 2 ? (guint) atoi (argv[2]) : 1, frames;
  GThread **thread = g_new (GThread *, streams);
  gdouble wall, cpu;

  gst_init (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && argc > 1; i++)
    if (!strcmp (argv[1], kinds[i].name))
      loop = kinds[i].loop;
  if (!loop || !streams)
    g_error ("bench-loops serial|pool|glib|gst STREAMS");
  n_threads = g_get_num_processors ();
  glib_pool =
      g_thread_pool_new (glib_task, NULL, (gint) n_threads, FALSE, NULL);
  gst_pool = gst_shared_task_pool_new ();
  gst_shared_task_pool_set_max_threads (
      GST_SHARED_TASK_POOL (gst_pool), n_threads);
  gst_task_pool_prepare (gst_pool, NULL);
  frames = FRAMES / streams;
  play (GUINT_TO_POINTER (frames)); /* warms up */
  wall = (gdouble) g_get_monotonic_time ();
  cpu = cpu_time ();
  for (guint i = 0; i < streams; i++)
    thread[i] = g_thread_new ("stream", play, GUINT_TO_POINTER (frames));
  for (guint i = 0; i < streams; i++)
    g_thread_join (thread[i]);
  wall = ((gdouble) g_get_monotonic_time () - wall) / (frames * streams);
  cpu = (cpu_time () - cpu) / (frames * streams);
  printf ("%s, %u streams: %.0f us wall, %.0f us CPU\n", argv[1], streams, wall,
      cpu);
  g_free (thread);
  return 0;
}
