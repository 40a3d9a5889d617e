/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * n-threads, which every element has whose loops run on the CPU: it is kept to,
 * and changes no result. */
#include "suite.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "common/parallel.h"
#include "elements.h"
#include "scopedetect/scopedetectscene.h"

/* What puts each element to work; its results are pixels or objects, which know
 * its name. */
static const struct {
  const gchar *element, *line;
} lines[] = {
    {"visiontestsrc", "visiontestsrc num-buffers=3"},
    {"moct",
        "visiontestsrc num-buffers=3 ! moct name=it label-map=true "
        "objects=a:rgb=0..255,0..120,0..255;b:#cc2020~40 ! "
        "visionmap kind=labels"},
    {"gpuccl",
        "visiontestsrc num-buffers=3 pattern=rgbd ! gpuccl name=it min-area=20 "
        "! visionmap kind=labels"},
    {"depthalign",
        "visiontestsrc num-buffers=2 pattern=rgbd ! "
        "video/x-raw,width=320,height=240 ! depthalign name=it "
        "target-intrinsics=600,600,320,240 transform=0.1,0,0 ! "
        "video/x-raw,width=640,height=480"},
#ifndef NO_KINFUMOT
    {"kinfumot",
        "visiontestsrc num-buffers=3 pattern=rgbd ! "
        "video/x-raw,width=160,height=120 ! kinfumot name=it voxel-size=0.02 "
        "truncation=0.06 max-memory=32 ! visionmap kind=correspondence"},
#endif
    {"pocstereo",
        "visiontestsrc num-buffers=2 pattern=stereo "
        "view=side-by-side ! video/x-raw,width=640,height=240 ! "
        "pocstereo name=it max-disparity=32 output=disparity"},
    {"emdtrack",
        "visiontestsrc num-buffers=3 ! emdtrack name=it emd-map=true "
        "targets=a:200,200,60,60 ! visionmap kind=emd"},
    {"scopedetect",
        "visiontestsrc pattern=rgbd num-buffers=2 ! "
        "video/x-raw,width=160,height=120 ! queue ! s.sink_depth "
        "visiontestsrc num-buffers=2 ! video/x-raw,width=160,height=120 ! "
        "queue ! s.sink_color scopedetect name=s models=%s queries=500 "
        "kept=500 clusters=50 intrinsics=150,150,79.5,59.5"},
    {"visionoverlay",
        "visiontestsrc num-buffers=3 label-map=true ! "
        "visionoverlay name=it map=labels show-truth=true"},
    {"visionmap",
        "visiontestsrc num-buffers=3 label-map=true ! "
        "visionmap kind=labels ! video/x-raw,format=RGB"},
};

/* They have no loops that threads could share. */
static const gchar *const without[] = {
    "envisrc", "visionjson", "visionmeta", NULL};

static gboolean
has_line (const gchar *element)
{
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (!strcmp (lines[i].element, element))
      return TRUE;
  return FALSE;
}

GST_START_TEST (test_all)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next) {
    const gchar *name = GST_OBJECT_NAME (l->data);
    g_autoptr (GstElement) element = gst_element_factory_create (l->data, NULL);
    gboolean has = g_object_class_find_property (
                       G_OBJECT_GET_CLASS (element), "n-threads") != NULL;

    fail_unless (has == has_line (name), "%s", name);
    fail_unless (has == !g_strv_contains (without, name), "%s", name);
  }
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

static void
take (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "VisionObjects");
  GChecksum *sum = user;
  GstMapInfo map;

  (void) sink;
  (void) pad;
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_checksum_update (sum, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  if (meta) {
    g_autofree gchar *text =
        gst_structure_to_string (gst_custom_meta_get_structure (meta));

    g_checksum_update (sum, (const guchar *) text, -1);
  }
}

static void
set_threads (const GValue *element, gpointer n)
{
  GObject *object = g_value_get_object (element);

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (object), "n-threads"))
    g_object_set (object, "n-threads", GPOINTER_TO_UINT (n), NULL);
}

static void
run (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* What comes of line @i where all its elements have @n threads. */
static gchar *
results (guint i, guint n)
{
  g_autofree gchar *head = g_strdup_printf (lines[i].line, model_path);
  g_autofree gchar *line =
      g_strconcat (head, " ! fakesink name=sink signal-handoffs=true", NULL);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL), sink = NULL;
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  GstIterator *all = gst_bin_iterate_elements (GST_BIN (pipeline));
  gchar *text;

  gst_iterator_foreach (all, set_threads, GUINT_TO_POINTER (n));
  gst_iterator_free (all);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_signal_connect (sink, "handoff", G_CALLBACK (take), sum);
  run (pipeline);
  text = g_strdup (g_checksum_get_string (sum));
  g_checksum_free (sum);
  return text;
}

/* Threads of the pool. */
static guint
count_threads (void)
{
  DIR *dir = opendir ("/proc/self/task");
  guint n = 0;

  for (struct dirent *e; dir && (e = readdir (dir));) {
    g_autofree gchar *path =
        g_strdup_printf ("/proc/self/task/%s/comm", e->d_name);
    g_autofree gchar *name = NULL;

    if (g_file_get_contents (path, &name, NULL, NULL))
      n += g_str_has_prefix (name, "vision-loops");
  }
  if (dir)
    closedir (dir);
  return n;
}

/* One first: threads of the pool stay once they are there. */
GST_START_TEST (test_results)
{
  gchar *one[G_N_ELEMENTS (lines)];
  long processors = sysconf (_SC_NPROCESSORS_ONLN);

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    one[i] = results (i, 1);
    fail_unless (count_threads () == 0, "%s", lines[i].element);
  }
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree gchar *two = results (i, 2), *most = results (i, 0);

    fail_unless (!strcmp (one[i], two), "%s", lines[i].element);
    fail_unless (!strcmp (one[i], most), "%s", lines[i].element);
    g_free (one[i]);
  }
  fail_unless (count_threads () < processors);
  fail_unless (count_threads () > 0 || g_get_num_processors () == 1);
}
GST_END_TEST;

/* Without threads of the test's own. */
static void
make_model_alone (void)
{
  parallel_limit (1);
  make_model ();
}

SUITE (threads, AROUND (make_model_alone, remove_model), TIMEOUT (240),
    TEST (test_all), TEST (test_results));
