/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether ThreadSanitizer knows GLib's locks by tsan_glib.c: two threads count
 * under a mutex, share what a GOnce made, and leave a sum to the main thread by
 * a condition.  With the argument `bare` they count without the mutex, which it
 * must report. */
#include <glib.h>
#include <string.h>

static struct {
  GMutex mutex;
  GRecMutex again;
  GCond cond;
  GOnce once;
  gboolean bare;
  gint counted, nested, made, done, sum;
} all = {.once = G_ONCE_INIT};

static gpointer
make (gpointer data)
{
  (void) data;
  all.made = 7;
  return &all.made;
}

static gpointer
count (gpointer data)
{
  gint sum = 0;

  (void) data;
  for (gint i = 0; i < 1000; i++) {
    if (!all.bare)
      g_mutex_lock (&all.mutex);
    all.counted++;
    if (!all.bare)
      g_mutex_unlock (&all.mutex);
    g_rec_mutex_lock (&all.again);
    all.nested++;
    g_rec_mutex_unlock (&all.again);
    sum += *(gint *) g_once (&all.once, make, NULL);
  }
  g_mutex_lock (&all.mutex);
  all.sum += sum;
  all.done++;
  g_cond_signal (&all.cond);
  g_mutex_unlock (&all.mutex);
  return NULL;
}

int
main (int argc, char **argv)
{
  GThread *threads[2];

  all.bare = argc > 1 && !strcmp (argv[1], "bare");
  for (gint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("count", count, NULL);
  g_mutex_lock (&all.mutex);
  while (all.done < 2)
    g_cond_wait (&all.cond, &all.mutex);
  g_mutex_unlock (&all.mutex);
  if (all.nested != 2000 || all.sum != 14000)
    return 1;
  for (gint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  return 0;
}
