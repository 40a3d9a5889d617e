/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Faults, and what repeats them; and a guard that ends a program in which
 * nothing moves any more. */
#include "stress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_TOLD 3
#define MOST_BUSY 10 /* times the patience, while a thread has work */

guint64 stress_seed;
gint stress_progress;
gint stress_patience = 120;
gint stress_idle;
gboolean stress_looks_at_threads;
gboolean stress_is_loud;

static GMutex lock;
static guint findings;
static gchar *repeats; /* a finding without a Round; may be NULL */
static gchar *last;    /* the latest finding's text */
static guint told;     /* how often it was printed */

void
stress_repeat (const gchar *format, ...)
{
  va_list args;

  g_mutex_lock (&lock);
  g_free (repeats);
  va_start (args, format);
  repeats = g_strdup_vprintf (format, args);
  va_end (args);
  g_clear_pointer (&last, g_free);
  g_mutex_unlock (&lock);
}

/* A loop may say the same thousands of times in a second.  With the lock. */
static gboolean
is_news (const gchar *text)
{
  if (g_strcmp0 (text, last)) {
    g_free (last);
    last = g_strdup (text);
    told = 0;
  }
  return ++told <= MOST_TOLD;
}

void
stress_find (const Round *round, const gchar *format, ...)
{
  va_list args;
  gchar *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_mutex_lock (&lock);
  findings++;
  if (!is_news (text))
    ;
  else if (round && round->is_alone)
    printf ("FINDING %s: %s\n        again: --seed %" G_GUINT64_FORMAT
            " --element %s --round %u\n",
        round->kind->name, text, stress_seed, round->kind->name, round->number);
  else
    printf ("FINDING %s%s%s\n%s", round ? round->kind->name : "",
        round ? ": " : "", text, repeats ? repeats : "");
  fflush (stdout);
  g_mutex_unlock (&lock);
  g_free (text);
}

guint
stress_findings (void)
{
  guint n;

  g_mutex_lock (&lock);
  n = findings;
  g_mutex_unlock (&lock);
  return n;
}

static gboolean
thread_is_ready (const gchar *id)
{
  gchar *path = g_strdup_printf ("/proc/self/task/%s/stat", id);
  gchar *text = NULL, *name_end = NULL;
  gboolean is_ready = FALSE;

  if (g_file_get_contents (path, &text, NULL, NULL))
    name_end = strrchr (text, ')');
  if (name_end && name_end[1])
    is_ready = name_end[2] == 'R' || name_end[2] == 'D';
  g_free (text);
  g_free (path);
  return is_ready;
}

/* Whether a thread but this one runs, or would if it had a processor: then the
 * program does not stall, however busy the machine is. */
static gboolean
another_thread_is_ready (void)
{
  glong own = syscall (SYS_gettid);
  GDir *threads = g_dir_open ("/proc/self/task", 0, NULL);
  gboolean is_ready = FALSE;
  const gchar *id;

  while (threads && !is_ready && (id = g_dir_read_name (threads)))
    is_ready = atol (id) != own && thread_is_ready (id);
  g_clear_pointer (&threads, g_dir_close);
  return is_ready;
}

static void
end_stalled_program (void (*tell) (void), gint seconds)
{
  printf ("FINDING nothing has moved for %d seconds; running:", seconds);
  tell ();
  printf (" seed %" G_GUINT64_FORMAT "\n", stress_seed);
  fflush (stdout);
  abort ();
}

static gpointer
guard (gpointer tell)
{
  gint seen = g_atomic_int_get (&stress_progress) - 1;
  gint still = 0, idle = 0;

  while (g_atomic_int_get (&stress_progress) >= 0) {
    gint now = g_atomic_int_get (&stress_progress);

    if (now != seen)
      still = idle = 0;
    seen = now;
    still++;
    if (!stress_looks_at_threads || !another_thread_is_ready ()) {
      idle++;
      g_atomic_int_inc (&stress_idle);
    }
    if (idle >= stress_patience || still >= MOST_BUSY * stress_patience)
      end_stalled_program ((void (*) (void)) tell, still);
    g_usleep (G_USEC_PER_SEC);
  }
  return NULL;
}

GThread *
guard_begin (void (*tell) (void))
{
  return g_thread_new ("guard", guard, (gpointer) tell);
}

void
guard_end (GThread *thread)
{
  g_atomic_int_set (&stress_progress, -1);
  g_thread_join (thread);
}
