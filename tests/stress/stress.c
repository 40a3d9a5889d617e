/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every element under stress: random properties, caps, frames, metas and
 * events, several instances at once.  It fails if GLib gets a warning or worse,
 * where a frame is neither out nor counted, where an element stalls, and where
 * one gets fewer frames than the others.
 *
 *   stress --frames 1000             in all, about as many of each element
 *   stress --seconds 600             as long
 *   stress --seed 7                  the same again
 *   stress --seed 7 --element moct --round 12      this one alone
 *   stress --soak 1800               steady pipelines whose memory stays flat
 */
#include "stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

static Kind kinds[] = {
    {.name = "moct", .sinks = {"sink"}, .has_stats = TRUE},
    {.name = "gpuccl", .sinks = {"sink"}, .has_stats = TRUE},
    {.name = "depthalign", .sinks = {"sink"}, .has_stats = TRUE},
    {.name = "emdtrack", .sinks = {"sink"}, .has_stats = TRUE},
#ifndef NO_KINFUMOT
    {.name = "kinfumot", .sinks = {"sink"}, .has_stats = TRUE},
#endif
    {.name = "pocstereo",
        .sinks = {"sink_left", "sink_right"},
        .has_stats = TRUE},
    {.name = "scopedetect",
        .sinks = {"sink_color", "sink_depth"},
        .has_stats = TRUE},
    {.name = "visionoverlay", .sinks = {"sink"}, .has_stats = TRUE},
    {.name = "visionjson", .sinks = {"sink"}},
    {.name = "visionmap", .sinks = {"sink"}},
    {.name = "visionmeta", .sinks = {"sink"}},
    {.name = "envisrc"},
    {.name = "visiontestsrc"},
};

static GMutex lock;
static gint64 deadline; /* monotonic time; 0: none */
static guint64 wanted;  /* frames; 0: any */
static gchar *only;     /* an element; NULL: all */
static gint only_round = -1;

gboolean
stress_is_late (void)
{
  return deadline && g_get_monotonic_time () >= deadline;
}

/* The element that has had the fewest frames; NULL at the end. */
static Kind *
next_kind (void)
{
  guint64 most = G_MAXUINT64, all = 0;
  Kind *next = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    Kind *k = &kinds[i];
    /* an element that gives nothing must not keep the rest from their frames */
    guint64 had = k->all.out + 16 * k->running + k->rounds;

    all += k->all.out;
    if ((only && strcmp (only, k->name)) || had >= most)
      continue;
    most = had;
    next = k;
  }
  if (stress_is_late () || (wanted && all >= wanted))
    return NULL;
  return next;
}

static gboolean
begin_round (Round *round)
{
  Kind *kind;

  memset (round, 0, sizeof *round);
  g_mutex_lock (&lock);
  kind = next_kind ();
  if (kind) {
    round->kind = kind;
    round->is_alone = TRUE;
    round->number = only_round >= 0 ? (guint) only_round : kind->rounds;
    round->seed = random_u64 (
        stress_seed ^ random_u64 (g_str_hash (kind->name), 0), round->number);
    kind->rounds++;
    kind->running++;
  }
  g_mutex_unlock (&lock);
  return kind != NULL;
}

static void
add (Tally *to, const Tally *from)
{
  to->in += from->in;
  to->refused += from->refused;
  to->out += from->out;
  to->counted += from->counted;
  to->dropped += from->dropped;
  to->faulty += from->faulty;
  to->nothing += from->nothing;
  to->errors += from->errors;
  to->warnings += from->warnings;
}

static gpointer
work (gpointer unused)
{
  Round round;

  (void) unused;
  while (begin_round (&round)) {
    g_mutex_init (&round.states);
    g_mutex_init (&round.lock);
    log_set_round (&round);
    play_round (&round);
    log_set_round (NULL);
    g_mutex_clear (&round.states);
    g_mutex_clear (&round.lock);
    g_mutex_lock (&lock);
    add (&round.kind->all, &round.tally);
    round.kind->running--;
    g_mutex_unlock (&lock);
    if (only_round >= 0)
      break;
  }
  g_atomic_int_inc (&stress_progress);
  return NULL;
}

static void
tell_running (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].running)
      printf (" %s, round %u or before;", kinds[i].name, kinds[i].rounds - 1);
}

static void
print_row (const gchar *name, guint rounds, const Tally *t)
{
  printf ("%-14s %7u %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT
          " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
          " %7" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT "\n",
      name, rounds, t->in, t->out, t->dropped, t->faulty, t->refused, t->errors,
      t->warnings);
}

/* Frames of all elements from which on their shares tell more than the dice. */
#define MANY 2000

/* What each element got.  One that gave none is a finding and, of many frames,
 * one that gave less than half of its share. */
static void
report (void)
{
  guint rounds = 0, n = 0;
  Tally all = {0};

  printf ("%-14s %7s %9s %9s %8s %8s %8s %7s %8s\n", "element", "rounds", "in",
      "out", "dropped", "faulty", "refused", "errors", "warnings");
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (only && strcmp (only, kinds[i].name))
      continue;
    print_row (kinds[i].name, kinds[i].rounds, &kinds[i].all);
    add (&all, &kinds[i].all);
    rounds += kinds[i].rounds;
    n++;
  }
  print_row ("all", rounds, &all);
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && !only; i++)
    if (!kinds[i].all.out ||
        (all.out >= MANY && 2 * n * kinds[i].all.out < all.out))
      stress_find (NULL,
          "%s gave %" G_GUINT64_FORMAT " frames, which is less than half of "
          "its share of %" G_GUINT64_FORMAT,
          kinds[i].name, kinds[i].all.out, all.out / n);
}

static void
play_all (guint jobs)
{
  GThread *watch = guard_begin (tell_running);
  GThread **workers = g_new (GThread *, jobs);

  for (guint i = 0; i < jobs; i++)
    workers[i] = g_thread_new ("worker", work, NULL);
  for (guint i = 0; i < jobs; i++)
    g_thread_join (workers[i]);
  guard_end (watch);
  g_free (workers);
}

static gboolean
is_known (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (!strcmp (kinds[i].name, name))
      return TRUE;
  return FALSE;
}

/* Where a plug-in cannot be loaded there would be nothing but findings. */
static const gchar *
missing_element (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    GstElementFactory *factory = gst_element_factory_find (kinds[i].name);

    if (!factory)
      return kinds[i].name;
    gst_object_unref (factory);
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  gint frames = 0, seconds = 0, soaks = 0, jobs = 3;
  gchar *seed = NULL;
  const GOptionEntry entries[] = {
      {"frames", 0, 0, G_OPTION_ARG_INT, &frames, "Frames that come out", "N"},
      {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "So long", "N"},
      {"element", 0, 0, G_OPTION_ARG_STRING, &only, "This one alone", "NAME"},
      {"round", 0, 0, G_OPTION_ARG_INT, &only_round, "This one alone", "N"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &seed, "Repeats a run", "N"},
      {"jobs", 0, 0, G_OPTION_ARG_INT, &jobs, "Rounds at once", "N"},
      {"patience", 0, 0, G_OPTION_ARG_INT, &stress_patience,
          "Seconds without a frame that are a stall", "N"},
      {"soak", 0, 0, G_OPTION_ARG_INT, &soaks,
          "Steady pipelines, for this many seconds", "N"},
      {"loud", 0, 0, G_OPTION_ARG_NONE, &stress_is_loud,
          "Print what elements say", NULL},
      {0}};
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gint64 start;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) ||
      (only && !is_known (only))) {
    fprintf (stderr, "%s\n", error ? error->message : "no such element");
    return 2;
  }
  g_option_context_free (context);
  if (missing_element ()) {
    fprintf (stderr, "there is no element %s: is the plug-in found?\n",
        missing_element ());
    return 2;
  }
  stress_seed =
      seed ? g_ascii_strtoull (seed, NULL, 0) : (guint64) g_get_real_time ();
  printf ("seed %" G_GUINT64_FORMAT "\n", stress_seed);
  fflush (stdout);
  files_make ();
  log_watch ();
  stress_looks_at_threads = TRUE;
  if (soaks > 0) {
    int failed = soak ((guint) soaks, only);

    files_remove ();
    return failed || stress_findings ();
  }
  start = g_get_monotonic_time ();
  deadline = seconds > 0 ? start + seconds * G_USEC_PER_SEC : 0;
  wanted =
      frames > 0 || seconds > 0 || only_round >= 0 ? (guint64) frames : 1100;
  play_all ((guint) (only_round >= 0 ? 1 : MAX (jobs, 1)));
  files_remove ();
  report ();
  printf ("%u findings in %.1f s, seed %" G_GUINT64_FORMAT "\n",
      stress_findings (),
      (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC,
      stress_seed);
  g_free (seed);
  g_free (only);
  gst_deinit (); /* ends the threads that wait for work */
  return stress_findings () != 0;
}
