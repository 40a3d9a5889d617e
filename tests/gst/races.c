/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What two threads see of an element: while frames pass, one sets properties,
 * another reads them all and asks for caps and latency, and the pipeline starts
 * and stops.  ThreadSanitizer tells what was not under a lock; without it,
 * frames must pass and nothing may crash. */
#include "suite.h"
#include <gst/base/gstbasetransform.h>

#include "elements.h"
#include "envisrc/envicube.h"
#include "scopedetect/scopedetectscene.h"

#define TURNS 3  /* starts of the pipeline */
#define FRAMES 5 /* that must pass before the next stop, unless an error */
#define PATIENCE (20 * G_USEC_PER_SEC) /* ends them, or this is over */
#define SEEK_AFTER 20                  /* questions, a flushing seek */
#define PAUSE 100 /* microseconds from one call to the next */

typedef struct {
  GstElement *pipeline, *element;
  GRand *random;
  gint frames, over; /* atomic */
} Meddling;

#define SMALL "video/x-raw,width=64,height=48"

/* What plays @element for ever, with frames that are small. */
static gchar *
launch_line (const gchar *element)
{
  static const gchar *const lines[][2] = {
      {"depthalign",
          "visiontestsrc pattern=rgbd ! " SMALL " ! depthalign name=it "
          "target-intrinsics=70,70,40,30 ! video/x-raw,width=80,height=60"},
      {"emdtrack",
          "visiontestsrc ! " SMALL " ! emdtrack name=it "
          "targets=it:10,10,20,20 target-meta=red emd-map=true"},
      {"envisrc", "envisrc name=it"},
      {"gpuccl", "visiontestsrc pattern=rgbd ! " SMALL " ! gpuccl name=it"},
      {"kinfumot",
          "visiontestsrc pattern=rgbd ! " SMALL " ! kinfumot name=it "
          "voxel-size=0.03 truncation=0.1 max-memory=16"},
      {"pocstereo",
          "visiontestsrc pattern=stereo ! " SMALL " ! queue ! "
          "it.sink_left visiontestsrc pattern=stereo view=right "
          "! " SMALL " ! queue ! it.sink_right pocstereo name=it "
          "max-disparity=8 mode=points grid-spacing=20"},
      {"scopedetect",
          "visiontestsrc pattern=rgbd ! " SMALL " ! queue ! "
          "it.sink_depth visiontestsrc ! " SMALL " ! queue ! "
          "it.sink_color scopedetect name=it "
          "intrinsics=60,60,31,23 queries=20 kept=20 clusters=5"},
      {"visiontestsrc", "visiontestsrc name=it ! " SMALL},
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (!strcmp (lines[i][0], element))
      return g_strconcat (lines[i][1], " ! fakesink name=end", NULL);
  return g_strconcat ("visiontestsrc ! " SMALL " ! moct objects=red:#ff0000~60 "
                      "label-map=true ! ",
      element, " name=it ! fakesink name=end", NULL);
}

/* Files go where nobody misses them. */
static void
set_text (Meddling *m, const gchar *name)
{
  static const gchar *const texts[] = {"", "red", "red:#ff0000~60;it:hsv=1..2",
      "it:4,4,9,9", "labels", "60,60,31,23", "4,4,9,9", "a", "nonsense\x01"};
  guint i = g_rand_int_range (m->random, 0, G_N_ELEMENTS (texts));

  if (strstr (name, "location") || strstr (name, "csv") ||
      strstr (name, "file"))
    return;
  g_object_set (m->element, name, texts[i], NULL);
}

/* A value that does not make a frame take long. */
static void
set_number (Meddling *m, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;
  gdouble part = g_rand_double (m->random);

  g_value_init (&value, pspec->value_type);
#define NUMBER(Type, type, Number) \
 if (G_IS_PARAM_SPEC_##Type (pspec)) { \
  Number least = G_PARAM_SPEC_##Type (pspec)->minimum; \
  Number most = G_PARAM_SPEC_##Type (pspec)->default_value; \
\
  g_value_set_##type ( \
      &value, (Number) (least + part * ((gdouble) most - least))); \
 }
  NUMBER (INT, int, gint)
  NUMBER (UINT, uint, guint)
  NUMBER (INT64, int64, gint64)
  NUMBER (UINT64, uint64, guint64)
  NUMBER (DOUBLE, double, gdouble)
#undef NUMBER
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (&value, part < .5);
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    g_value_set_enum (
        &value, klass->values[(guint) (part * klass->n_values)].value);
  }
  if (G_IS_PARAM_SPEC_FLAGS (pspec))
    g_value_set_flags (&value,
        g_rand_int (m->random) & G_PARAM_SPEC_FLAGS (pspec)->flags_class->mask);
  g_object_set_property (G_OBJECT (m->element), pspec->name, &value);
  g_value_unset (&value);
}

/* Of the plug-in, not of GStreamer. */
static gboolean
is_ours (GParamSpec *pspec)
{
  const gchar *owner = g_type_name (pspec->owner_type);

  return !g_str_has_prefix (owner, "GstBase") &&
      !g_str_has_prefix (owner, "GstAggregator") && strcmp (owner, "GstObject");
}

static gpointer
set_properties (gpointer data)
{
  Meddling *m = data;
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (m->element), &n);

  while (!g_atomic_int_get (&m->over)) {
    GParamSpec *pspec = all[g_rand_int_range (m->random, 0, (gint) n)];

    if (is_ours (pspec) && (pspec->flags & G_PARAM_WRITABLE)) {
      if (G_IS_PARAM_SPEC_STRING (pspec))
        set_text (m, pspec->name);
      else
        set_number (m, pspec);
    }
    g_usleep (PAUSE);
  }
  g_free (all);
  return NULL;
}

static void
read_properties (GstElement *element)
{
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    if (!(all[i]->flags & G_PARAM_READABLE))
      continue;
    g_value_init (&value, all[i]->value_type);
    g_object_get_property (G_OBJECT (element), all[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (all);
}

static gboolean
ask_pad (GstElement *element, GstPad *pad, gpointer unused)
{
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  GstQuery *queries[] = {
      gst_query_new_latency (), gst_query_new_context ("gst.cuda.context")};

  (void) element;
  (void) unused;
  gst_caps_unref (caps);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++) {
    gst_pad_query (pad, queries[i]);
    gst_query_unref (queries[i]);
  }
  return TRUE;
}

static gpointer
ask (gpointer data)
{
  Meddling *m = data;

  for (guint i = 1; !g_atomic_int_get (&m->over); i++) {
    read_properties (m->element);
    gst_element_foreach_pad (m->element, ask_pad, NULL);
    if (i % SEEK_AFTER == 0)
      gst_element_seek_simple (
          m->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
    g_usleep (PAUSE);
  }
  return NULL;
}

static GstPadProbeReturn
count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  (void) pad;
  (void) info;
  g_atomic_int_inc (&((Meddling *) data)->frames);
  return GST_PAD_PROBE_OK;
}

/* What properties forbid may end the frames of a turn; the next begins anew. */
static void
run (Meddling *m)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (m->pipeline);
  gint64 end = g_get_monotonic_time () + PATIENCE;
  gint first = g_atomic_int_get (&m->frames);
  gboolean over = FALSE;

  gst_element_set_state (m->pipeline, GST_STATE_PLAYING);
  while (!over && g_get_monotonic_time () < end &&
      g_atomic_int_get (&m->frames) < first + FRAMES) {
    GstMessage *message = gst_bus_timed_pop (bus, 5 * GST_MSECOND);

    over = message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    g_clear_pointer (&message, gst_message_unref);
  }
  gst_element_set_state (m->pipeline, GST_STATE_NULL);
}

static void
meddle (Meddling *m)
{
  g_autoptr (GstElement) end =
      gst_bin_get_by_name (GST_BIN (m->pipeline), "end");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (end, "sink");
  GThread *threads[2];

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, m, NULL);
  run (m); /* as the properties are at first */
  fail_unless (g_atomic_int_get (&m->frames) >= FRAMES, "%s: %d frames",
      G_OBJECT_TYPE_NAME (m->element), m->frames);
  threads[0] = g_thread_new ("set", set_properties, m);
  threads[1] = g_thread_new ("ask", ask, m);
  for (gint i = 0; i < TURNS; i++)
    run (m);
  g_atomic_int_set (&m->over, TRUE);
  for (gint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
}

static void
check_element (const gchar *name)
{
  g_autofree gchar *line = launch_line (name);
  Meddling m = {.pipeline = gst_parse_launch (line, NULL),
      .random = g_rand_new_with_seed (1)};

  fail_unless (m.pipeline != NULL, "cannot build %s", line);
  m.element = gst_bin_get_by_name (GST_BIN (m.pipeline), "it");
  give_cube (m.element);
  if (!strcmp (name, "scopedetect"))
    g_object_set (m.element, "models", model_path, NULL);
  if (!strcmp (name, "visionjson"))
    g_object_set (m.element, "location", "/dev/null", NULL);
  meddle (&m);
  gst_object_unref (m.element);
  gst_object_unref (m.pipeline);
  g_rand_free (m.random);
}

static const gchar *const names[] = {"depthalign", "emdtrack", "envisrc",
    "gpuccl",
#ifndef NO_KINFUMOT
    "kinfumot",
#endif
    "moct", "pocstereo", "scopedetect", "visionjson", "visionmap", "visionmeta",
    "visionoverlay", "visiontestsrc"};

/* Each alone, so that a report names the element. */
GST_START_TEST (test_element)
{
  check_element (names[__i__]);
}
GST_END_TEST;

/* A pad takes buffers from before start () on and, where another thread pushes,
 * after stop (); nothing is ready for these. */
static void
refuse (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstBaseTransformClass *klass = GST_BASE_TRANSFORM_GET_CLASS (trans);
  GstFlowReturn ret = klass->transform_ip
      ? klass->transform_ip (trans, buffer)
      : klass->submit_input_buffer (trans, FALSE, gst_buffer_ref (buffer));

  fail_unless (ret == GST_FLOW_FLUSHING, "%s: %s", G_OBJECT_TYPE_NAME (trans),
      gst_flow_get_name (ret));
}

GST_START_TEST (test_not_running)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, 64, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = gst_element_factory_make (names[i], NULL);

    if (!strcmp (names[i], "visionjson"))
      g_object_set (element, "location", "/dev/null", NULL);
    /* visionmeta has nothing to start */
    if (GST_IS_BASE_TRANSFORM (element) && strcmp (names[i], "visionmeta")) {
      refuse (GST_BASE_TRANSFORM (element), buffer);
      fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
          GST_STATE_CHANGE_SUCCESS);
      gst_element_set_state (element, GST_STATE_NULL);
      refuse (GST_BASE_TRANSFORM (element), buffer);
    }
  }
}
GST_END_TEST;

/* The list above is whole. */
GST_START_TEST (test_all)
{
  GList *all = elements ();

  fail_unless_equals_int (g_list_length (all), G_N_ELEMENTS (names));
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

SUITE (races, AROUND (make_cube, remove_folder),
    AROUND (make_model, remove_model), TIMEOUT (120),
    LOOP (test_element, G_N_ELEMENTS (names)), TEST (test_all),
    TEST (test_not_running));
