/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chains of elements under stress: tees, queues that leak, several elements of
 * this plug-in in a row, two inputs that end and begin apart, elements that are
 * stopped from their own threads.  It fails if GLib gets a warning or worse, if
 * anything waits for ever, if an element or a descriptor outlives its pipeline,
 * and if in the undisturbed end of a round a frame is neither out nor counted.
 *
 *   chains --rounds 300
 *   chains --seed 7 --round 12     this one alone
 *   chains --seed 7 --round 100 --rounds 100
 *                                  a part of the rounds, as many_chains.sh
 *                                  plays them
 *   chains --seed 7 --play pair    rounds of one kind: chain, pair or stop
 *   chains --rounds 300 --seconds 60
 *                                  fewer where no round may begin later
 *
 * After SIGTERM no round begins; a process whose round has not ended some
 * seconds later prints what it has played, and ends. */
#include "chains.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WARM 30         /* rounds, after which descriptors are compared */
#define ROOM_OF_FILES 8 /* descriptors that GStreamer may keep */
#define LAST_SECONDS 5  /* of a round after SIGTERM */
#define CUT 143         /* exit code, as of a process that SIGTERM ends */
#define MOST_QUARKS 8300

static const gchar *const plays[N_PLAYS] = {"chain", "pair", "stop"};

/* Rounds, and how their undisturbed ends went. */
typedef struct {
  guint rounds, ended, failed;
  guint64 frames; /* that came to a member in the undisturbed end */
} Row;

static GMutex lock; /* for rows and reported */
static Row rows[N_PLAYS];
static gboolean reported;
static guint number; /* of the round */
static gint64 start; /* monotonic time */
static gint is_cut;  /* atomic: SIGTERM came */

static void
tell_round (void)
{
  printf (" round %u, ", number);
  chain_tell ();
}

static Play
pick_play (const gchar *only)
{
  static const Play often[] = {
      PLAY_CHAIN, PLAY_CHAIN, PLAY_CHAIN, PLAY_PAIR, PLAY_PAIR, PLAY_STOP};
  Dice dice = {stress_seed ^ 0x706c6179, 16 * (guint64) number};

  for (Play i = 0; only && i < N_PLAYS; i++)
    if (!strcmp (only, plays[i]))
      return i;
  return PICK (&dice, often);
}

static void
play_chain_round (Play play)
{
  Row *row = &rows[play];
  guint64 frames = 0;
  End end = chain_play (play, number, &frames);

  g_mutex_lock (&lock);
  row->rounds++;
  row->ended += end == END_GOOD;
  row->failed += end == END_ERROR;
  row->frames += frames;
  g_mutex_unlock (&lock);
  g_atomic_int_inc (&stress_progress);
}

/* @until: monotonic time after which no round begins; 0: none. */
static void
play_chain_rounds (guint from, guint n, const gchar *only, gint64 until)
{
  guint files = 0;
  Play play;

  for (number = from; number < from + n; number++) {
    if (g_atomic_int_get (&is_cut) ||
        (until && g_get_monotonic_time () >= until))
      break;
    play = pick_play (only);
    printf ("round %u, %s\n", number, plays[play]);
    play_chain_round (play);
    if (number == from + WARM)
      files = files_opened ();
  }
  if (files && files_opened () > files + ROOM_OF_FILES)
    stress_find (
        NULL, "%u descriptors were open, and now %u", files, files_opened ());
}

/* FALSE: another thread has done so. */
static gboolean
report_chains (void)
{
  gboolean is_first;

  g_mutex_lock (&lock);
  is_first = !reported;
  reported = TRUE;
  if (!is_first) {
    g_mutex_unlock (&lock);
    return FALSE;
  }
  printf ("%-8s %8s %8s %8s %10s\n", "rounds", "", "ended", "errors", "frames");
  for (Play i = 0; i < N_PLAYS; i++)
    printf ("%-8s %8u %8u %8u %10" G_GUINT64_FORMAT "\n", plays[i],
        rows[i].rounds, rows[i].ended, rows[i].failed, rows[i].frames);
  printf ("%u findings in %.1f s, seed %" G_GUINT64_FORMAT "%s\n",
      stress_findings (),
      (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC, stress_seed,
      g_atomic_int_get (&is_cut) ? ", cut" : "");
  g_mutex_unlock (&lock);
  return TRUE;
}

static gpointer
await_end_by_signal (gpointer signals)
{
  gint which;

  sigwait (signals, &which);
  g_atomic_int_set (&is_cut, TRUE);
  g_usleep (LAST_SECONDS * G_USEC_PER_SEC);
  if (report_chains ())
    _exit (stress_findings () ? 1 : CUT);
  return NULL;
}

/* To be called before there are threads, which do not take the signal then. */
static void
watch_signal (void)
{
  static sigset_t signals;

  sigemptyset (&signals);
  sigaddset (&signals, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &signals, NULL);
  g_thread_unref (g_thread_new ("signal", await_end_by_signal, &signals));
}

/* GStreamer's pool of threads.  A task that is stopped by its own thread is
 * joined by nobody and keeps a reference to the pool (1.22), which would count
 * as a leak.  Nobody reads the pointer, which a compiler would leave out. */
static GstTaskPool *volatile pool_of_tasks;

static void
do_nothing (gpointer unused)
{
  (void) unused;
}

static void
keep_pool_of_tasks (void)
{
  GstTask *task = gst_task_new (do_nothing, NULL, NULL);

  pool_of_tasks = gst_task_get_pool (task);
  gst_object_unref (task);
}

/* GLib's table of quarks never frees the table that it was before it grew.  It
 * begins and grows here, where that does not count as a leak.  A suppression
 * would need the whole stack of each call for memory, which takes more time
 * than all else in a round. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

static void
begin_quarks (void)
{
  if (__lsan_disable)
    __lsan_disable ();
}

/* Before the libraries begin. */
__attribute__ ((section (".preinit_array"), used)) static void (*const first) (
    void) = begin_quarks;

static void
grow_quarks (void)
{
  GQuark quark;

  if (!__lsan_enable)
    return;
  do {
    gchar *name = g_strdup_printf ("quark %u", g_random_int ());

    quark = g_quark_from_string (name);
    g_free (name);
  } while (quark < MOST_QUARKS);
  __lsan_enable ();
}

int
main (int argc, char **argv)
{
  gint rounds = -1, first = -1, seconds = 0;
  gchar *seed = NULL, *play = NULL;
  const GOptionEntry entries[] = {
      {"rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "How many", "N"},
      {"round", 0, 0, G_OPTION_ARG_INT, &first,
          "This one alone or, with --rounds, the first one", "N"},
      {"seconds", 0, 0, G_OPTION_ARG_INT, &seconds,
          "No round begins later (default: any time)", "N"},
      {"play", 0, 0, G_OPTION_ARG_STRING, &play, "chain, pair or stop", "KIND"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &seed, "Repeats a run", "N"},
      {"patience", 0, 0, G_OPTION_ARG_INT, &stress_patience,
          "Seconds without a move that are a stall", "N"},
      {"loud", 0, 0, G_OPTION_ARG_NONE, &stress_is_loud,
          "Print what is played and said", NULL},
      {0}};
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  GThread *watch;

  start = g_get_monotonic_time ();
  watch_signal ();
  grow_quarks ();
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  setvbuf (stdout, NULL, _IOLBF, 0); /* a crash loses no line */
  stress_seed =
      seed ? g_ascii_strtoull (seed, NULL, 0) : (guint64) g_get_real_time ();
  printf ("seed %" G_GUINT64_FORMAT "\n", stress_seed);
  files_make ();
  keep_pool_of_tasks ();
  log_watch ();
  stress_looks_at_threads = TRUE;
  watch = guard_begin (tell_round);
  if (rounds < 0)
    rounds = first < 0 ? 300 : 1;
  play_chain_rounds ((guint) MAX (first, 0), (guint) rounds, play,
      seconds > 0 ? start + seconds * G_USEC_PER_SEC : 0);
  guard_end (watch);
  files_remove ();
  report_chains ();
  g_free (seed);
  g_free (play);
  gst_deinit ();
  return stress_findings () ? 1 : g_atomic_int_get (&is_cut) ? CUT : 0;
}
