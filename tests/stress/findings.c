/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Faults, and what repeats them; and a guard that ends a program in which
 * nothing moves any more. */
#include "stress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_TOLD 3

guint64 stress_seed;
gint stress_progress;
gint stress_patience = 120;
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

static gpointer
guard (gpointer tell)
{
  gint seen = g_atomic_int_get (&stress_progress) - 1;
  gint still = 0;

  while (g_atomic_int_get (&stress_progress) >= 0) {
    gint now = g_atomic_int_get (&stress_progress);

    still = now == seen ? still + 1 : 0;
    seen = now;
    if (still >= stress_patience) {
      printf ("FINDING nothing has moved for %d seconds; running:", still);
      ((void (*) (void)) tell) ();
      printf (" seed %" G_GUINT64_FORMAT "\n", stress_seed);
      fflush (stdout);
      abort ();
    }
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
