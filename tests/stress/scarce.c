/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines where memory, threads, descriptors or room on a disk are scarce:
 * calls for memory and threads fail, nearly all descriptors are in use, files
 * cannot grow or are /dev/full.  Each ends, with an error or without one; what
 * could not be written is said; and the same pipeline plays well afterwards.
 *
 *   scarce --rounds 60
 *   scarce --seed 7 --round 12     this one alone
 *   scarce --every                 each call for memory of each line in turn */
#include "stress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/device.h"
#include "common/random.h"
#include "scarce_calls.h"

#define SMALL "video/x-raw,width=64,height=48"
#define DEPTH \
 "visiontestsrc pattern=rgbd num-buffers=4 ! " SMALL ",format=GRAY16_LE ! "
#define KINFUMOT \
 "kinfumot voxel-size=0.05 truncation=0.16 max-memory=32 " \
 "intrinsics=60,60,31.5,23.5 "
#define STEREO \
 "visiontestsrc pattern=stereo view=left num-buffers=4 ! " SMALL \
 " ! queue ! p.sink_left visiontestsrc pattern=stereo view=right " \
 "num-buffers=4 ! " SMALL " ! queue ! p.sink_right pocstereo name=p " \
 "max-disparity=12 intrinsics=60,60,31.5,23.5 baseline=0.1 "
#define MOST_FILES 160 /* descriptors of this process */
#define FEW_FILES 8    /* that are left */
#define SMALL_FILE 64  /* bytes */

static const struct {
  const gchar *line;
  gboolean writes; /* a file */
} lines[] = {
    {"visiontestsrc num-buffers=4 ! " SMALL " ! moct "
     "objects-file=colours.txt label-map=true trajectory=full ! visionoverlay "
     "map=labels ! fakesink",
        FALSE},
    {"visiontestsrc num-buffers=4 ! " SMALL " ! emdtrack "
     "targets=it:8,8,16,16 search=6 emd-map=true ! visionmap kind=emd ! "
     "fakesink",
        FALSE},
    {"envisrc location=cube.hdr num-buffers=4 ! emdtrack targets=it:1,1,3,3 "
     "emd-map=true ! "
     "fakesink",
        FALSE},
    {DEPTH "gpuccl label-map=true ! visionmap kind=labels ! fakesink", FALSE},
    {STEREO "calibration=rig.yml ! fakesink", FALSE},
    {"visiontestsrc pattern=clutter view=color num-buffers=2 ! " SMALL
     " ! queue ! s.sink_color visiontestsrc pattern=clutter view=depth "
     "num-buffers=2 ! " SMALL " ! queue ! s.sink_depth scopedetect name=s "
     "models=solid.model intrinsics=60,60,31.5,23.5 queries=50 kept=30 "
     "clusters=5 points=30 last=2 ! visionoverlay ! fakesink",
        FALSE},
    {"visiontestsrc num-buffers=4 ! " SMALL " ! moct objects=red:#c70d0d~60 "
     "! visionjson location=lines.json ! fakesink",
        TRUE},
    {STEREO "ply-location=cloud.ply ! fakesink", TRUE},
#ifndef NO_KINFUMOT
    {DEPTH KINFUMOT "trajectory-location=path.txt ! gpuccl ! fakesink", TRUE},
    {DEPTH KINFUMOT "mesh-location=mesh.ply ! fakesink", TRUE},
#endif
};

typedef enum { MEMORY, THREADS, FILES, SIZES, DISKS, N_SCARCE } Scarce;

static const gchar *const names[N_SCARCE] = {
    "memory", "threads", "descriptors", "sizes of files", "full disks"};

static struct {
  guint rounds, ended, failed; /* failed: with an error */
} rows[N_SCARCE];

static gint messages; /* atomic: errors and warnings */
static guint number;  /* of the round */
static const gchar *playing;
static gint held[MOST_FILES];
static guint n_held;

/* ---- What is scarce ---- */

static void
hold_files (guint left)
{
  gint file;

  while (n_held < MOST_FILES &&
      (file = open ("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    held[n_held++] = file;
  for (guint i = 0; i < left && n_held; i++)
    close (held[--n_held]);
}

static void
let_files_go (void)
{
  while (n_held)
    close (held[--n_held]);
}

static void
limit_sizes (rlim_t bytes)
{
  struct rlimit limit;

  getrlimit (RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit (RLIMIT_FSIZE, &limit);
}

/* @at: the call that fails. */
static void
begin_scarcity (Scarce scarce, gint at, Dice *dice)
{
  switch (scarce) {
    case MEMORY:
      calls_fail (CALLS_MEMORY, at, one_in (dice, 3));
      break;
    case THREADS:
      calls_fail (CALLS_THREADS, 1, true);
      break;
    case FILES:
      hold_files (below (dice, FEW_FILES));
      break;
    case SIZES:
      limit_sizes (one_in (dice, 2) ? 0 : SMALL_FILE);
      break;
    default:
      break;
  }
}

static void
end_scarcity (void)
{
  calls_fail (CALLS_MEMORY, 0, false);
  calls_fail (CALLS_THREADS, 0, false);
  let_files_go ();
  limit_sizes (RLIM_INFINITY);
}

/* ---- A pipeline ---- */

static GstBusSyncReply
take_scarce_message (GstBus *bus, GstMessage *message, gpointer unused)
{
  (void) bus;
  (void) unused;
  log_check (NULL, message);
  if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
    g_atomic_int_inc (&messages);
  if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_EOS))
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

typedef enum { END_NONE, END_ERROR, END_GOOD } End;

/* The sources of @pipeline wait, or begin. */
static void
hold_sources (GstElement *pipeline, gboolean wait)
{
  for (GList *l = GST_BIN_CHILDREN (pipeline); l; l = l->next)
    if (GST_OBJECT_FLAG_IS_SET (l->data, GST_ELEMENT_FLAG_SOURCE)) {
      gst_element_set_locked_state (l->data, wait);
      if (!wait)
        gst_element_sync_state_with_parent (l->data);
    }
}

/* Without a descriptor a GstBufferPool of 1.22 waits for ever, where frames
 * pass; so all elements but sources start, and then descriptors are free. */
static void
start_without_files (GstElement *pipeline)
{
  hold_sources (pipeline, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  let_files_go ();
  hold_sources (pipeline, FALSE);
}

static End
play_pipeline (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  End end = END_NONE;

  g_atomic_int_set (&messages, 0);
  gst_bus_set_sync_handler (bus, take_scarce_message, NULL, NULL);
  if (n_held)
    start_without_files (pipeline);
  else
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, stress_patience / 2 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message)
    end = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS ? END_GOOD : END_ERROR;
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  return end;
}

/* A line whose files are links to /dev/full. */
static gchar *
fill_disk (const gchar *line)
{
  static const gchar *const files[] = {
      "lines.json", "cloud.ply", "path.txt", "mesh.ply"};
  gchar *full = g_strdup (line);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    gchar **parts = g_strsplit (full, files[i], -1);

    g_free (full);
    full = g_strjoinv ("full", parts);
    g_strfreev (parts);
  }
  return full;
}

static GstElement *
make_line_pipeline (Scarce scarce, const gchar *line)
{
  GError *error = NULL;
  gchar *text = scarce == DISKS ? fill_disk (line) : g_strdup (line);
  GstElement *pipeline = gst_parse_launch (text, &error);

  g_free (text);
  if (!error)
    return pipeline;
  stress_find (NULL, "%s", error->message);
  g_clear_error (&error);
  gst_clear_object (&pipeline);
  return NULL;
}

/* The pipeline afterwards, with everything there. */
static void
play_well (Scarce scarce, GstElement *pipeline, guint files)
{
  if (scarce != DISKS && play_pipeline (pipeline) != END_GOOD)
    stress_find (
        NULL, "without %s it fails, and afterwards as well", names[scarce]);
  if (files_opened () > files)
    stress_find (
        NULL, "%u descriptors were open, and now %u", files, files_opened ());
}

static void
play_line (Scarce scarce, guint line, gint at, Dice *dice)
{
  guint files = files_opened ();
  GstElement *pipeline = make_line_pipeline (scarce, lines[line].line);
  End end;

  if (!pipeline)
    return;
  playing = lines[line].line;
  g_atomic_int_inc (&stress_progress);
  stress_repeat ("        again: --seed %" G_GUINT64_FORMAT
                 " --round %u\n        without %s, call %d: %s\n",
      stress_seed, number, names[scarce], at, playing);
  begin_scarcity (scarce, at, dice);
  end = play_pipeline (pipeline);
  end_scarcity ();
  rows[scarce].rounds++;
  rows[scarce].ended += end == END_GOOD;
  rows[scarce].failed += end == END_ERROR;
  if (end == END_NONE)
    stress_find (NULL, "neither an end nor an error came");
  if (scarce >= SIZES && !g_atomic_int_get (&messages))
    stress_find (NULL, "nothing says that a file could not be written");
  play_well (scarce, pipeline, files + 4);
  gst_object_unref (pipeline);
  playing = NULL;
}

/* ---- The run ---- */

/* Calls for memory while @line plays. */
static gint
count_calls (guint line)
{
  static gint n[G_N_ELEMENTS (lines)];
  GstElement *pipeline =
      n[line] ? NULL : make_line_pipeline (MEMORY, lines[line].line);

  if (!pipeline)
    return n[line];
  calls_fail (CALLS_MEMORY, 0, false);
  if (play_pipeline (pipeline) != END_GOOD)
    stress_find (NULL, "it does not play: %s", lines[line].line);
  n[line] = calls_count (CALLS_MEMORY);
  gst_object_unref (pipeline);
  return n[line];
}

/* Threads of loops stay, so they can fail in the first round alone. */
static void
play_scarce_round (void)
{
  Dice dice = {random_u64 (stress_seed, number), 0};
  Scarce scarce = number ? below (&dice, N_SCARCE) : THREADS;
  guint line;

  if (scarce == THREADS && number)
    scarce = MEMORY;
  do
    line = below (&dice, G_N_ELEMENTS (lines));
  while (scarce >= SIZES && !lines[line].writes);
  play_line (scarce, line,
      scarce == MEMORY ? 1 + (gint) below (&dice, (guint) count_calls (line))
                       : 0,
      &dice);
}

static void
play_every_call (void)
{
  Dice dice = {stress_seed, 0};

  for (guint line = 0; line < G_N_ELEMENTS (lines); line++)
    for (gint at = 1, n = count_calls (line); at <= n; at++)
      play_line (MEMORY, line, at, &dice);
}

static void
tell_playing (void)
{
  printf (" round %u, %s;", number, playing ? playing : "-");
}

static void
report_scarce (void)
{
  printf ("%-16s %8s %8s %8s\n", "scarce", "rounds", "ended", "errors");
  for (guint i = 0; i < N_SCARCE; i++)
    printf ("%-16s %8u %8u %8u\n", names[i], rows[i].rounds, rows[i].ended,
        rows[i].failed);
}

static void
play_scarce_rounds (gint rounds, gint only, gboolean every)
{
  struct rlimit limit = {MOST_FILES, MOST_FILES};
  GThread *watch;

  setrlimit (RLIMIT_NOFILE, &limit);
  signal (SIGXFSZ, SIG_IGN); /* write () says EFBIG */
  files_make ();
  log_watch ();
  log_blame ("libgstvision.so");
  watch = guard_begin (tell_playing);
  if (every)
    play_every_call ();
  else if (only >= 0) {
    number = (guint) only;
    play_scarce_round ();
  } else
    for (number = 0; number < (guint) rounds; number++)
      play_scarce_round ();
  guard_end (watch);
  files_remove ();
}

int
main (int argc, char **argv)
{
  gint rounds = 60, only = -1;
  gboolean every = FALSE;
  gchar *seed = NULL;
  const GOptionEntry entries[] = {
      {"rounds", 0, 0, G_OPTION_ARG_INT, &rounds, "How many", "N"},
      {"round", 0, 0, G_OPTION_ARG_INT, &only, "This one alone", "N"},
      {"every", 0, 0, G_OPTION_ARG_NONE, &every, "Each call for memory", NULL},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &seed, "Repeats a run", "N"},
      {"patience", 0, 0, G_OPTION_ARG_INT, &stress_patience,
          "Seconds without a move that are a stall", "N"},
      {"loud", 0, 0, G_OPTION_ARG_NONE, &stress_is_loud,
          "Print what elements say", NULL},
      {0}};
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gint64 start = g_get_monotonic_time ();

  /* the elements run on the CPU: what CUDA's driver does without memory or
   * descriptors is not the elements' work */
  g_setenv ("CUDA_VISIBLE_DEVICES", "", TRUE);
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
  g_free (seed);
  printf ("seed %" G_GUINT64_FORMAT "\n", stress_seed);
  device_cuda_probe (); /* what the driver keeps open is open before any round
                         */
  play_scarce_rounds (rounds, only, every);
  report_scarce ();
  printf ("%u findings in %.1f s, seed %" G_GUINT64_FORMAT "\n",
      stress_findings (),
      (gdouble) (g_get_monotonic_time () - start) / G_USEC_PER_SEC,
      stress_seed);
  gst_deinit ();
  return stress_findings () != 0;
}
