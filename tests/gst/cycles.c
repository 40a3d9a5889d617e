/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each element is started and stopped again and again in one process: memory,
 * descriptors and threads stay.  Of the allocator, one arena and no cache of a
 * thread (see meson.build): what they keep depends on which thread frees. */
#include "suite.h"

#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "envisrc/envicube.h"
#include "scopedetect/scopedetectscene.h"

#define WARM 50            /* cycles, after which memory counts */
#define CYCLES 100         /* unless VISION_CYCLES says another number */
#define MORE_IN_USE 262144 /* bytes: at most */
#define MORE_RESIDENT 1048576

#define SMALL "video/x-raw,width=64,height=48"
#define COLOURS "visiontestsrc num-buffers=2 ! " SMALL " ! "
#define DEPTH "visiontestsrc pattern=rgbd num-buffers=2 ! " SMALL " ! "

static const struct {
  const gchar *element, *line;
} cases[] = {
    {"moct", COLOURS "moct objects=red:#ff0000~60 label-map=true ! fakesink"},
    {"gpuccl", DEPTH "gpuccl min-size=20 min-extent=3 ! fakesink"},
    {"depthalign",
        DEPTH "depthalign target-intrinsics=90,90,50,40 transform=0.1,0,0 ! "
              "video/x-raw,width=100,height=80 ! fakesink"},
    {"emdtrack",
        COLOURS "emdtrack targets=10,10,20,20 emd-map=true ! fakesink"},
    {"pocstereo",
        "visiontestsrc pattern=stereo view=side-by-side num-buffers=2 ! "
        "video/x-raw,width=128,height=48 ! pocstereo max-disparity=8 ! "
        "fakesink"},
    {"scopedetect",
        "scopedetect name=it intrinsics=60,60,31,23 queries=20 kept=20 "
        "clusters=5 ! fakesink " COLOURS "queue ! it.sink_color " DEPTH
        "queue ! it.sink_depth"},
    {"visionoverlay",
        COLOURS "moct objects=red:#ff0000~60 ! visionoverlay ! fakesink"},
    {"visionjson",
        COLOURS "moct objects=red:#ff0000~60 ! visionjson "
                "location=/dev/null ! fakesink"},
    {"visionmap", DEPTH "visionmap ! fakesink"},
    {"visionmeta", COLOURS "visionmeta intrinsics=60,60,31,23 ! fakesink"},
    {"visiontestsrc", COLOURS "fakesink"},
    {"envisrc", "envisrc name=it num-buffers=2 ! fakesink"},
#ifndef NO_KINFUMOT
    {"kinfumot",
        DEPTH "kinfumot voxel-size=0.03 truncation=0.1 max-memory=16 ! "
              "fakesink"},
#endif
};

typedef struct {
  gsize used, resident; /* bytes */
  guint descriptors;
} Held;

static guint
count_files (const gchar *folder)
{
  DIR *dir = opendir (folder);
  guint n = 0;

  fail_unless (dir != NULL);
  while (readdir (dir))
    n++;
  closedir (dir);
  return n;
}

static Held
hold (void)
{
  gulong all, resident;
  g_autofree gchar *text = NULL;
  struct mallinfo2 m;

  malloc_trim (0);
  m = mallinfo2 ();
  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  fail_unless (sscanf (text, "%lu %lu", &all, &resident) == 2);
  return (Held){m.uordblks + m.hblkhd, resident * (gsize) getpagesize (),
      count_files ("/proc/self/fd")};
}

/* To the end of the stream, to the first frame, or stopped at once. */
static void
play_once (GstElement *pipeline, GstBus *bus, guint i)
{
  GstMessage *m;

  gst_element_set_state (
      pipeline, i % 3 == 1 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
  if (i % 3 == 1)
    gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  if (i % 3 == 0) {
    m = gst_bus_timed_pop_filtered (
        bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (
        m && GST_MESSAGE_TYPE (m) == GST_MESSAGE_EOS, "%" GST_PTR_FORMAT, m);
    gst_message_unref (m);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* The allocator of AddressSanitizer keeps what was freed. */
#ifdef __SANITIZE_ADDRESS__
# define KEEPS_FREED TRUE
#else
# define KEEPS_FREED FALSE
#endif

static void
check_growth (const gchar *element, const Held *before, const Held *after)
{
  g_print ("%s: %+.2f MB in use, %+.2f MB resident\n", element,
      ((gdouble) after->used - (gdouble) before->used) / 1e6,
      ((gdouble) after->resident - (gdouble) before->resident) / 1e6);
  fail_unless (KEEPS_FREED ||
          (after->used < before->used + MORE_IN_USE &&
              after->resident < before->resident + MORE_RESIDENT),
      "%s: memory grows", element);
  fail_unless_equals_int (after->descriptors, before->descriptors);
}

/* VISION_CYCLES_ELEMENT asks for one element alone. */
GST_START_TEST (test_cycles)
{
  const gchar *element = cases[__i__].element, *line = cases[__i__].line;
  const gchar *wanted = g_getenv ("VISION_CYCLES");
  const gchar *only = g_getenv ("VISION_CYCLES_ELEMENT");
  guint n = wanted ? (guint) atoi (wanted) : CYCLES;
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) it = gst_bin_get_by_name (GST_BIN (pipeline), "it");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  Held before, after;

  if (only && !g_str_equal (only, element))
    return;
  if (g_str_equal (element, "envisrc"))
    give_cube (it);
  else if (it)
    g_object_set (it, "models", model_path, NULL);
  for (guint i = 0; i <= n; i++) {
    if (i == WARM)
      before = hold ();
    play_once (pipeline, bus, i);
  }
  after = hold ();
  check_growth (element, &before, &after);
}
GST_END_TEST;

SUITE (cycles, TIMEOUT (300), AROUND_ALL (make_cube, remove_folder),
    AROUND_ALL (make_model, remove_model),
    LOOP (test_cycles, G_N_ELEMENTS (cases)));
