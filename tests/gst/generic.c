/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must hold for every element of the plug-in: states in any order, any
 * value of any property, pads on request. */

#include "suite.h"
#include "elements.h"
#include "envisrc/envicube.h"

static void
each_element (void (*check) (GstElement *element))
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next) {
    g_autoptr (GstElement) element = gst_element_factory_create (l->data, NULL);

    fail_unless (element != NULL);
    GST_INFO ("checking %s", GST_OBJECT_NAME (element));
    give_cube (element);
    check (element);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_plugin_feature_list_free (all);
}

static void
walk_states (GstElement *element)
{
  static const GstState walk[] = {GST_STATE_READY, GST_STATE_NULL,
      GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL,
      GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY,
      GST_STATE_NULL, GST_STATE_NULL, GST_STATE_PLAYING};

  for (guint i = 0; i < G_N_ELEMENTS (walk); i++)
    fail_unless (
        gst_element_set_state (element, walk[i]) != GST_STATE_CHANGE_FAILURE,
        "%s does not reach %s", GST_OBJECT_NAME (element),
        gst_element_state_get_name (walk[i]));
}

GST_START_TEST (test_states)
{
  each_element (walk_states);
}
GST_END_TEST;

/* Sets the property to @value and expects to read it back. */
static void
set_and_get (GstElement *element, GParamSpec *pspec, const GValue *value)
{
  GValue now = G_VALUE_INIT;

  g_object_set_property (G_OBJECT (element), pspec->name, value);
  if (!(pspec->flags & G_PARAM_READABLE))
    return;
  g_value_init (&now, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &now);
  fail_unless (g_param_values_cmp (pspec, value, &now) == 0,
      "%s does not keep %s", GST_OBJECT_NAME (element), pspec->name);
  g_value_unset (&now);
}

/* The minimum and the maximum of a number; FALSE if there are none. */
static gboolean
limit (GParamSpec *pspec, gboolean most, GValue *value)
{
#define LIMIT(Type, type) \
 if (G_IS_PARAM_SPEC_##Type (pspec)) { \
  g_value_set_##type (value, \
      most ? G_PARAM_SPEC_##Type (pspec)->maximum \
           : G_PARAM_SPEC_##Type (pspec)->minimum); \
  return TRUE; \
 }
  LIMIT (INT, int)
  LIMIT (UINT, uint)
  LIMIT (INT64, int64)
  LIMIT (UINT64, uint64)
  LIMIT (FLOAT, float)
  LIMIT (DOUBLE, double)
#undef LIMIT
  return FALSE;
}

static void
try_enum (GstElement *element, GParamSpec *pspec, GValue *value)
{
  GEnumClass *klass = g_type_class_ref (pspec->value_type);

  for (guint i = 0; i < klass->n_values; i++) {
    g_value_set_enum (value, klass->values[i].value);
    set_and_get (element, pspec, value);
  }
  g_type_class_unref (klass);
}

/* An element may refuse a string or write it in another way, but not crash. */
static void
try_strings (GstElement *element, GParamSpec *pspec)
{
  static const gchar *strings[] = {"", ";", "red:#", "nonsense=\t1..", "\xff",
      "a:hsv=1..2,3..4,5..6;a", "/nowhere/to/be/found"};

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_object_set (element, pspec->name, strings[i], NULL);
  g_object_set (element, pspec->name, NULL, NULL);
}

static void
try_property (GstElement *element, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;

  fail_unless (g_param_spec_get_blurb (pspec) != NULL);
  g_value_init (&value, pspec->value_type);
  if (pspec->flags & G_PARAM_READABLE)
    g_object_get_property (G_OBJECT (element), pspec->name, &value);
  if (!(pspec->flags & G_PARAM_WRITABLE) ||
      pspec->flags & G_PARAM_CONSTRUCT_ONLY) {
    g_value_unset (&value);
    return;
  }
  if (G_IS_PARAM_SPEC_STRING (pspec))
    try_strings (element, pspec);
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    try_enum (element, pspec, &value);
  for (gboolean most = FALSE; most <= TRUE; most++)
    if (limit (pspec, most, &value))
      set_and_get (element, pspec, &value);
  if (!G_IS_PARAM_SPEC_STRING (pspec)) {
    g_param_value_set_default (pspec, &value);
    set_and_get (element, pspec, &value);
  }
  g_value_unset (&value);
}

/* Those of the plug-in; GStreamer's own have their own tests. */
static void
try_properties (GstElement *element)
{
  guint n;
  GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (guint i = 0; i < n; i++)
    if (pspecs[i]->owner_type == G_OBJECT_TYPE (element) ||
        g_str_has_prefix (g_type_name (pspecs[i]->owner_type), "GstVision"))
      try_property (element, pspecs[i]);
  g_free (pspecs);
}

GST_START_TEST (test_properties)
{
  each_element (try_properties);
}
GST_END_TEST;

static void
compare_properties (GstElement *a, GstElement *b, const gchar *what)
{
  g_auto (GStrv) names = gst_preset_get_property_names (GST_PRESET (a));

  for (guint i = 0; names[i]; i++) {
    GParamSpec *pspec =
        g_object_class_find_property (G_OBJECT_GET_CLASS (a), names[i]);
    GValue values[2] = {G_VALUE_INIT, G_VALUE_INIT};

    g_object_get_property (G_OBJECT (a), names[i], &values[0]);
    g_object_get_property (G_OBJECT (b), names[i], &values[1]);
    fail_unless (!g_param_values_cmp (pspec, &values[0], &values[1]),
        "%s: %s depends on the preset before", what, names[i]);
    g_value_unset (&values[0]);
    g_value_unset (&values[1]);
  }
}

/* A preset that is loaded after another one is as if it were the first. */
static void
try_two_presets (GstElement *element, gchar **names)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  for (guint i = 0; names[i]; i++)
    for (guint k = 0; names[k]; k++) {
      g_autoptr (GstElement) one = gst_element_factory_create (factory, "x");
      g_autoptr (GstElement) two = gst_element_factory_create (factory, "x");
      g_autofree gchar *what = g_strdup_printf (
          "%s, %s after %s", GST_OBJECT_NAME (element), names[i], names[k]);

      gst_preset_load_preset (GST_PRESET (one), names[i]);
      gst_preset_load_preset (GST_PRESET (two), names[k]);
      gst_preset_load_preset (GST_PRESET (two), names[i]);
      compare_properties (one, two, what);
    }
}

/* A launch line with preset @name and, before or behind it, property @of with
 * the value that it has in @other. */
static void
launch_beside (GstElement *other, const gchar *name, const gchar *of)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (other), of);
  const gchar *element =
      gst_plugin_feature_get_name (gst_element_get_factory (other));
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree gchar *text = NULL;

  g_object_get_property (G_OBJECT (other), of, &value);
  text = gst_value_serialize (&value);
  for (guint behind = 0; text && behind < 2; behind++) {
    g_autofree gchar *line = behind
        ? g_strdup_printf ("%s @preset=%s %s=%s", element, name, of, text)
        : g_strdup_printf ("%s %s=%s @preset=%s", element, of, text, name);
    g_autoptr (GstElement) made =
        gst_object_ref_sink (gst_parse_launch (line, NULL));
    g_auto (GValue) now = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (made), of, &now);
    fail_unless (!g_param_values_cmp (pspec, &value, &now), "%s", line);
  }
}

/* What is set beside a preset wins; an element that runs takes all of a preset.
 */
static void
try_beside_presets (GstElement *element, gchar **names)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  g_auto (GStrv) of = gst_preset_get_property_names (GST_PRESET (element));

  for (guint i = 0; names[i]; i++) {
    g_autoptr (GstElement) other = gst_element_factory_create (factory, "x");
    g_autoptr (GstElement) whole = gst_element_factory_create (factory, "x");
    g_autoptr (GstElement) runs = gst_element_factory_create (factory, "x");
    const gchar *name = names[names[i + 1] ? i + 1 : 0];

    gst_preset_load_preset (GST_PRESET (other), names[i]);
    gst_preset_load_preset (GST_PRESET (whole), name);
    for (guint k = 0; of[k]; k++) {
      GParamSpec *pspec =
          g_object_class_find_property (G_OBJECT_GET_CLASS (element), of[k]);
      g_auto (GValue) value = G_VALUE_INIT;
      g_auto (GValue) changed = G_VALUE_INIT;

      g_object_get_property (G_OBJECT (other), of[k], &value);
      g_object_get_property (G_OBJECT (whole), of[k], &changed);
      if (!g_param_values_cmp (pspec, &value, &changed))
        continue;
      launch_beside (other, name, of[k]);
      g_object_set_property (G_OBJECT (runs), of[k], &value);
    }
    give_cube (runs);
    gst_element_set_state (runs, GST_STATE_PAUSED);
    gst_preset_load_preset (GST_PRESET (runs), name);
    compare_properties (runs, whole, name);
    gst_element_set_state (runs, GST_STATE_NULL);
  }
}

/* Every preset can be loaded, and says what it is for. */
static void
try_presets (GstElement *element)
{
  g_auto (GStrv) names = GST_IS_PRESET (element)
      ? gst_preset_get_preset_names (GST_PRESET (element))
      : NULL;

  fail_unless (!GST_IS_PRESET (element) || g_strv_length (names) >= 3,
      "%s has no presets", GST_OBJECT_NAME (element));
  for (guint i = 0; names && names[i]; i++) {
    g_autofree gchar *comment = NULL;

    fail_unless (gst_preset_load_preset (GST_PRESET (element), names[i]),
        "%s: %s", GST_OBJECT_NAME (element), names[i]);
    fail_unless (gst_preset_get_meta (
        GST_PRESET (element), names[i], "comment", &comment));
  }
  if (names) {
    try_two_presets (element, names);
    try_beside_presets (element, names);
  }
}

GST_START_TEST (test_presets)
{
  each_element (try_presets);
}
GST_END_TEST;

static void
try_request_pads (GstElement *element)
{
  const GList *l = gst_element_get_pad_template_list (element);

  for (; l; l = l->next) {
    for (int again = 0;
         again < 2 && GST_PAD_TEMPLATE_PRESENCE (l->data) == GST_PAD_REQUEST;
         again++) {
      g_autoptr (GstPad) pad =
          gst_element_request_pad (element, l->data, NULL, NULL);

      fail_unless (pad != NULL);
      gst_element_set_state (element, GST_STATE_PAUSED);
      gst_element_release_request_pad (element, pad);
    }
  }
}

GST_START_TEST (test_request_pads)
{
  each_element (try_request_pads);
}
GST_END_TEST;

SUITE (generic, AROUND (make_cube, remove_folder), TIMEOUT (120),
    TEST (test_states), TEST (test_properties), TEST (test_presets),
    TEST (test_request_pads));
