/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must hold for every element of the plug-in: it plays to the end, twice
 * in one process, and whatever is set meanwhile. */
#include "said.h"
#include "suite.h"
#include "elements.h"
#include "envisrc/envicube.h"
#include "scopedetect/scopedetectscene.h"

static gboolean
takes_depth (const gchar *element)
{
  return !strcmp (element, "kinfumot") || !strcmp (element, "depthalign");
}

/* What plays @element, which is `first` where it is a source.  One with two
 * inputs gets both views in one frame, or colour and depth. */
static gchar *
launch_line (const gchar *element)
{
  gboolean source = strstr (element, "src") != NULL;
  gboolean stereo = strcmp (element, "pocstereo") == 0;

  if (!strcmp (element, "scopedetect"))
    return g_strdup_printf (
        "visiontestsrc pattern=rgbd num-buffers=5 ! "
        "video/x-raw,width=160,height=120 ! queue ! s.sink_depth visiontestsrc "
        "name=first num-buffers=5 ! video/x-raw,width=160,height=120 ! queue ! "
        "s.sink_color scopedetect name=s models=%s "
        "intrinsics=150,150,79.5,59.5 queries=500 kept=500 clusters=50 ! "
        "fakesink",
        model_path);
  return g_strdup_printf ("%s name=first num-buffers=5 %s%s%s%s ! fakesink",
      source ? element : "visiontestsrc",
      stereo ? "pattern=stereo view=side-by-side ! "
               "video/x-raw,width=320,height=120 "
          : takes_depth (element)
          ? "pattern=rgbd ! video/x-raw,width=160,height=120 "
          : "",
      source ? "" : "! ", source ? "" : element,
      !strcmp (element, "depthalign") ? " target-intrinsics=150,150,79.5,59.5"
                                      : "");
}

static GstElement *
start_pipeline (const gchar *element)
{
  g_autofree gchar *line = launch_line (element);
  GstElement *pipeline = gst_parse_launch (line, NULL), *first;

  fail_unless (pipeline != NULL, "cannot build %s", line);
  first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  give_cube (first);
  gst_object_unref (first);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
end_pipeline (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, 120 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = message ? error_told (message) : NULL;

  fail_unless (message != NULL, "no end of stream");
  fail_unless (error == NULL, "%s: %s", GST_MESSAGE_SRC_NAME (message),
      error ? error->message : "");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* As they are by default, both on the same device. */
GST_START_TEST (test_two_at_once)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next) {
    GstElement *a = start_pipeline (GST_OBJECT_NAME (l->data));
    GstElement *b = start_pipeline (GST_OBJECT_NAME (l->data));

    end_pipeline (a);
    end_pipeline (b);
  }
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

/* What is set while frames pass, one of them a frame. */
typedef struct {
  GstElement *element;
  GPtrArray *names;   /* of properties, */
  GArray *values;     /* and a GValue of each */
  guint n;            /* set so far */
  gboolean negotiate; /* anew after each */
} Changes;

static void
add_change (Changes *c, GParamSpec *pspec, gint value)
{
  GValue v = G_VALUE_INIT;

  g_value_init (&v, pspec->value_type);
  if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (&v, value);
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (&v, value);
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (&v,
        value ? MIN (G_PARAM_SPEC_INT (pspec)->maximum, 64)
              : G_PARAM_SPEC_INT (pspec)->minimum);
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (&v,
        value ? MIN (G_PARAM_SPEC_UINT (pspec)->maximum, 64)
              : G_PARAM_SPEC_UINT (pspec)->minimum);
  g_ptr_array_add (c->names, (gpointer) pspec->name);
  g_array_append_val (c->values, v);
}

/* Every choice, and what may be set only before frames come. */
static void
add_changes (Changes *c, GParamSpec *pspec)
{
  gboolean fixed = (pspec->flags & GST_PARAM_MUTABLE_READY) &&
      (G_IS_PARAM_SPEC_INT (pspec) || G_IS_PARAM_SPEC_UINT (pspec));

  if (!(pspec->flags & G_PARAM_WRITABLE) ||
      !g_str_has_prefix (g_type_name (pspec->owner_type), "Gst") ||
      g_str_has_prefix (g_type_name (pspec->owner_type), "GstBase") ||
      pspec->owner_type == GST_TYPE_OBJECT)
    return;
  if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (pspec)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      add_change (c, pspec, klass->values[i].value);
  } else if (G_IS_PARAM_SPEC_BOOLEAN (pspec) || fixed)
    for (gint i = 0; i < 3; i++)
      add_change (c, pspec, i % 2);
}

static void
change (GstElement *sink, GstBuffer *buffer, GstPad *pad, Changes *c)
{
  (void) sink;
  (void) buffer;
  if (c->n >= c->names->len)
    return;
  g_object_set_property (G_OBJECT (c->element),
      g_ptr_array_index (c->names, c->n),
      &g_array_index (c->values, GValue, c->n));
  GST_INFO ("set %s", (gchar *) g_ptr_array_index (c->names, c->n));
  c->n++;
  if (c->negotiate)
    gst_pad_push_event (pad, gst_event_new_reconfigure ());
}

/* A small frame that each of them finds something in. */
static gchar *
changing_line (const gchar *element)
{
  if (!strcmp (element, "scopedetect"))
    return g_strdup_printf (
        "visiontestsrc pattern=rgbd name=first ! "
        "video/x-raw,width=80,height=60 ! queue ! x.sink_depth visiontestsrc "
        "! video/x-raw,width=80,height=60 ! queue ! "
        "x.sink_color scopedetect name=x models=%s "
        "intrinsics=75,75,39.5,29.5 queries=100 kept=100 clusters=20 ! "
        "fakesink name=sink signal-handoffs=true",
        model_path);
  if (strstr (element, "src"))
    return g_strdup_printf (
        "%s name=first ! video/x-raw,width=[1,96],height=[1,192] ! "
        "fakesink name=sink signal-handoffs=true",
        element);
  return g_strdup_printf ("visiontestsrc name=first %s ! %s name=x %s ! "
                          "fakesink name=sink signal-handoffs=true",
      !strcmp (element, "pocstereo")
          ? "pattern=stereo view=side-by-side ! video/x-raw,width=96,height=48"
          : takes_depth (element)
          ? "pattern=rgbd ! video/x-raw,width=80,height=60"
          : "! video/x-raw,width=80,height=60",
      element,
      !strcmp (element, "emdtrack")   ? "targets=a:10,10,20,20"
          : !strcmp (element, "moct") ? "objects=red:#ff0000~30"
          : !strcmp (element, "depthalign")
          ? "target-intrinsics=75,75,39.5,29.5"
          : "");
}

/* To the end or, where caps are made anew, until it says what cannot be. */
static void
end_changing (GstElement *pipeline, Changes *c)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, 120 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = message ? error_told (message) : NULL;

  fail_unless (message != NULL, "no end of stream");
  fail_unless (!error ||
          (c->negotiate &&
              g_error_matches (
                  error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS)),
      "%s: %s", GST_OBJECT_NAME (c->element), error ? error->message : "");
  fail_unless (error || c->n == c->names->len);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Sets property @only, or all; FALSE where it has none of that number. */
static gboolean
play_changing (const gchar *element, gboolean all, guint only)
{
  g_autofree gchar *line = changing_line (element);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  Changes c = {.element = x ? x : first,
      .names = g_ptr_array_new (),
      .values = g_array_new (FALSE, FALSE, sizeof (GValue)),
      .negotiate = !all};
  GParamSpec **pspecs;
  guint n;

  g_array_set_clear_func (c.values, (GDestroyNotify) g_value_unset);
  give_cube (first);
  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (c.element), &n);
  for (guint i = 0; i < n; i++)
    if (all || i == only)
      add_changes (&c, pspecs[i]);
  g_free (pspecs);
  g_object_set (first, "num-buffers", (gint) c.names->len + 2, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (change), &c);
  if (c.names->len)
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_object_unref (first);
  gst_object_unref (sink);
  if (c.names->len)
    end_changing (pipeline, &c);
  else
    gst_object_unref (pipeline);
  gst_clear_object (&x);
  g_ptr_array_unref (c.names);
  g_array_unref (c.values);
  return only < n;
}

/* While caps stay, what they and memory depend on stays, too. */
GST_START_TEST (test_changes)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next)
    play_changing (GST_OBJECT_NAME (l->data), TRUE, 0);
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

GST_START_TEST (test_changes_of_caps)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next)
    for (guint i = 0; play_changing (GST_OBJECT_NAME (l->data), FALSE, i); i++)
      ;
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

static GstBusSyncReply
check_text (GstBus *bus, GstMessage *message, gpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  (void) bus;
  (void) unused;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, &debug);
  fail_unless (!error || g_utf8_validate (error->message, -1, NULL), "%s: %s",
      GST_MESSAGE_SRC_NAME (message), error ? error->message : "");
  fail_unless (!debug || g_utf8_validate (debug, -1, NULL));
  return GST_BUS_PASS;
}

/* The pipeline of an element, one text of which is no UTF-8; it may fail. */
static void
play_with (const gchar *name, const gchar *property, const gchar *text)
{
  gchar *line = launch_line (name), *at;
  GstElement *pipeline = gst_parse_launch (line, NULL), *element;
  GstIterator *all = gst_bin_iterate_recurse (GST_BIN (pipeline));
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GValue item = G_VALUE_INIT;
  GstMessage *end;

  element = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  give_cube (element);
  gst_object_unref (element);
  gst_bus_set_sync_handler (bus, check_text, NULL, NULL);
  while (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    element = g_value_get_object (&item);
    at = gst_object_get_name (GST_OBJECT (gst_element_get_factory (element)));
    if (!strcmp (at, name))
      g_object_set (element, property, text, NULL);
    g_free (at);
    g_value_reset (&item);
  }
  gst_iterator_free (all);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE) {
    end = gst_bus_timed_pop_filtered (
        bus, 120 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (end != NULL, "no end of stream");
    gst_message_unref (end);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
}

/* Whatever a text is, what is said of it is UTF-8. */
GST_START_TEST (test_texts)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next) {
    g_autoptr (GstElement) element = gst_element_factory_create (l->data, NULL);
    guint n;
    GParamSpec **p =
        g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

    for (guint i = 0; i < n; i++)
      if (G_IS_PARAM_SPEC_STRING (p[i]) && p[i]->flags & G_PARAM_WRITABLE &&
          p[i]->owner_type == G_OBJECT_TYPE (element))
        play_with (GST_OBJECT_NAME (l->data), p[i]->name, "nowhere/\xe4\xff.x");
    g_free (p);
  }
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

SUITE (genericplay, AROUND (make_cube, remove_folder),
    AROUND (make_model, remove_model), TIMEOUT (240), TEST (test_two_at_once),
    TEST (test_texts), TEST (test_changes), TEST (test_changes_of_caps));
