/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties as GObject describes them: any value of the range, its ends, and
 * beyond, which GObject refuses. */
#include "stress.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gsttriggercontrolsource.h>

/* Above these, a frame takes seconds under the sanitizers: seldom, and never in
 * a chain, whose frames wait for each other. */
static const struct {
  const gchar *element, *property;
  gdouble usual;
  gboolean waits; /* without work, in a live chain: else any value */
} dear[] = {
    {"pocstereo", "max-skew", .2 * GST_SECOND, TRUE},
    {"scopedetect", "max-skew", .2 * GST_SECOND, TRUE},
    {"scopedetect", "queries", 150},
    {"scopedetect", "samples", 100},
    {"scopedetect", "kept", 100},
    {"scopedetect", "points", 100},
    {"scopedetect", "clusters", 20},
    {"scopedetect", "neighbours", 6},
    {"scopedetect", "align", 2},
    {"scopedetect", "refine", 4},
    {"scopedetect", "last", 5},
    {"scopedetect", "climb", 2},
    {"scopedetect", "edge-blur", 6},
    {"scopedetect", "explain-steps", 32},
    {"scopedetect", "restart-steps", 2000},
    {"scopedetect", "restarts", 4},
    {"pocstereo", "window", 32},
    {"pocstereo", "lines", 11},
    {"pocstereo", "candidates", 9},
    {"pocstereo", "average", 3},
    {"pocstereo", "layers", 4},
    {"emdtrack", "max-trees", 2000},
    {"emdtrack", "cache-bits", 12},
    {"emdtrack", "search", 12},
    {"visiontestsrc", "n-objects", 20},
    {"visiontestsrc", "distractors", 20},
    {"visiontestsrc", "twins", 20},
    {"moct", "reduction-factor", 100},
};

/* The ones that make scopedetect cheap; pocstereo is by itself. */
static const gchar *const quick[] = {"queries", "100", "kept", "60", "samples",
    "50", "clusters", "10", "points", "50", "last", "3", "refine", "2",
    "neighbours", "3", "min-score", "0.01", "depth-scale", "0.0001",
    "table-low", "0.005", NULL};

static gboolean
is_ours (Round *round, GParamSpec *p)
{
  if (!(p->flags & G_PARAM_WRITABLE) || (p->flags & G_PARAM_CONSTRUCT_ONLY))
    return FALSE;
  return p->owner_type == G_OBJECT_TYPE (round->element) ||
      g_str_has_prefix (g_type_name (p->owner_type), "GstVision") ||
      !strcmp (p->name, "qos");
}

static gdouble
greatest (Round *round, Dice *dice, GParamSpec *p, gdouble most)
{
  for (guint i = 0; i < G_N_ELEMENTS (dear); i++)
    if (!strcmp (dear[i].element, round->kind->name) &&
        !strcmp (dear[i].property, p->name) &&
        !(round->is_alone && (dear[i].waits || one_in (dice, 64))))
      return dear[i].usual;
  return most;
}

/* A number from @least to @most: one of both, one near the least or any. */
static gdouble
number (Dice *dice, gdouble least, gdouble most)
{
  gdouble range = most - least;

  switch (below (dice, 6)) {
    case 0:
      return least;
    case 1:
      return most;
    case 2:
      return MIN (least + below (dice, 10), most);
    case 3: /* all orders of magnitude */
      return MIN (least + pow (10, unit (dice) * log10 (MAX (range, 1))), most);
    default:
      return isfinite (range) ? least + unit (dice) * range
                              : (unit (dice) - .5) * most;
  }
}

#define RANGE(Type, type, c_type) \
 if (G_IS_PARAM_SPEC_##Type (p)) { \
  const GParamSpec##type *s = (const GParamSpec##type *) p; \
  gdouble most = greatest (round, dice, p, (gdouble) s->maximum); \
  gdouble x = number (dice, (gdouble) s->minimum, most); \
\
  *lowest = x <= (gdouble) s->minimum; \
  *highest = x >= (gdouble) s->maximum; \
  g_value_set_##c_type (value, \
      *lowest        ? s->minimum \
          : *highest ? s->maximum \
                     : (g##c_type) x); \
  return TRUE; \
 }

/* FALSE where @p is no number. */
static gboolean
set_number (Round *round, Dice *dice, GParamSpec *p, GValue *value)
{
  gboolean ends[2], *lowest = &ends[0], *highest = &ends[1];

  RANGE (INT, Int, int)
  RANGE (UINT, UInt, uint)
  RANGE (INT64, Int64, int64)
  RANGE (UINT64, UInt64, uint64)
  RANGE (FLOAT, Float, float)
  RANGE (DOUBLE, Double, double)
  return FALSE;
}

/* What GObject refuses; FALSE if there is nothing beyond. */
static gboolean
set_beyond (Dice *dice, GParamSpec *p, GValue *value)
{
  static const gdouble wild[] = {NAN, INFINITY, -INFINITY, -1e300};

  if (G_IS_PARAM_SPEC_DOUBLE (p))
    g_value_set_double (value, PICK (dice, wild));
  else if (G_IS_PARAM_SPEC_ENUM (p))
    g_value_set_enum (value, between (dice, -5, 1000));
  else if (G_IS_PARAM_SPEC_FLAGS (p))
    g_value_set_flags (value, (guint) roll (dice));
  else if (G_IS_PARAM_SPEC_INT (p))
    g_value_set_int (value, one_in (dice, 2) ? G_MININT : G_MAXINT);
  else if (G_IS_PARAM_SPEC_UINT (p))
    g_value_set_uint (value, one_in (dice, 2) ? 0 : G_MAXUINT);
  else if (G_IS_PARAM_SPEC_UINT64 (p))
    g_value_set_uint64 (value, one_in (dice, 2) ? 0 : G_MAXUINT64);
  else
    return FALSE;
  return TRUE;
}

static void
set_choice (Dice *dice, GParamSpec *p, GValue *value)
{
  GEnumClass *klass = g_type_class_ref (p->value_type);

  g_value_set_enum (value, klass->values[below (dice, klass->n_values)].value);
  g_type_class_unref (klass);
}

/* Only descriptors that are nobody's but ours. */
static gint
descriptor (Dice *dice)
{
  static gsize made;
  static gint nothing;

  if (g_once_init_enter (&made)) {
    nothing = open ("/dev/null", O_WRONLY | O_CLOEXEC);
    g_once_init_leave (&made, 1);
  }
  return one_in (dice, 3) ? nothing : one_in (dice, 8) ? 900 : -1;
}

static void
make_value (Round *round, Dice *dice, GParamSpec *p, GValue *value)
{
  if (!strcmp (p->name, "fd"))
    g_value_set_int (value, descriptor (dice));
  else if (!strcmp (p->name, "num-buffers"))
    g_value_set_int (value, between (dice, 0, 30));
  else if (G_IS_PARAM_SPEC_STRING (p))
    g_value_take_string (value,
        one_in (dice, 12) && strcmp (p->name, "location")
            ? NULL
            : files_text (dice, round->kind->name, p->name));
  else if (G_IS_PARAM_SPEC_BOOLEAN (p))
    g_value_set_boolean (value, one_in (dice, 2));
  else if (G_IS_PARAM_SPEC_ENUM (p))
    set_choice (dice, p, value);
  else if (G_IS_PARAM_SPEC_FLAGS (p))
    g_value_set_flags (
        value, (guint) roll (dice) & G_PARAM_SPEC_FLAGS (p)->flags_class->mask);
  else if (one_in (dice, 4) || !set_number (round, dice, p, value))
    g_param_value_set_default (p, value);
}

static void
set_property (Round *round, Dice *dice, GParamSpec *p)
{
  GValue value = G_VALUE_INIT;
  gboolean beyond;

  g_value_init (&value, p->value_type);
  beyond = one_in (dice, 30) && strcmp (p->name, "fd") &&
      strcmp (p->name, "num-buffers") && set_beyond (dice, p, &value);
  if (!beyond)
    make_value (round, dice, p, &value);
  if (stress_is_loud) {
    gchar *text = g_strdup_value_contents (&value);

    g_print ("%s=%s\n", p->name, text);
    g_free (text);
  }
  log_expect (beyond);
  g_object_set_property (G_OBJECT (round->element), p->name, &value);
  log_expect (FALSE);
  g_value_unset (&value);
}

/* One that stops an element for good is set seldom. */
static gboolean
is_fatal (GParamSpec *p)
{
  return !strcmp (p->name, "backend") || !strcmp (p->name, "location") ||
      !strcmp (p->name, "models") || !strcmp (p->name, "calibration") ||
      !strcmp (p->name, "is-live") || !strcmp (p->name, "num-buffers");
}

static void
set_some (Round *round, Dice *dice, guint one)
{
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (round->element), &n);

  for (guint i = 0; i < n; i++)
    if (is_ours (round, all[i]) &&
        one_in (dice, is_fatal (all[i]) ? 6 * one : one))
      set_property (round, dice, all[i]);
  g_free (all);
}

/* What it needs to find anything. */
void
properties_useful (Round *round, Dice *dice)
{
  GObject *object = G_OBJECT (round->element);
  const gchar *name = round->kind->name;

  if (!strcmp (name, "visionjson"))
    g_object_set (object, "location", "lines.json", NULL);
  else if (!strcmp (name, "envisrc"))
    g_object_set (object, "location",
        one_in (dice, 3) ? "cube.hdr" : "cube-%04d.hdr", NULL);
  else if (!strcmp (name, "moct"))
    g_object_set (object, "objects", "red:#c70d0d~60;grey:#808080~40",
        "min-area", (guint64) 1, NULL);
  else if (!strcmp (name, "emdtrack"))
    g_object_set (object, "targets", "it:2,2,8,8", "search", 6.0, NULL);
  else if (!strcmp (name, "kinfumot"))
    g_object_set (
        object, "intrinsics", "60,60,31.5,23.5", "max-memory", 32, NULL);
  else if (!strcmp (name, "pocstereo"))
    g_object_set (object, "max-disparity", 12, "intrinsics", "60,60,31.5,23.5",
        "baseline", .1, NULL);
  else if (!strcmp (name, "scopedetect")) {
    g_object_set (
        object, "models", "solid.model", "intrinsics", "90,90,31.5,23.5", NULL);
    for (guint i = 0; quick[i]; i += 2)
      gst_util_set_object_arg (object, quick[i], quick[i + 1]);
  }
}

void
properties_begin (Round *round, Dice *dice)
{
  if (one_in (dice, 8))
    properties_preset (round, dice);
  if (one_in (dice, 2))
    set_some (round, dice, between (dice, 3, 16));
  if (one_in (dice, 8))
    properties_control (round, dice);
}

void
properties_set_one (Round *round, Dice *dice)
{
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (round->element), &n);
  GParamSpec *p = all[below (dice, n)];

  if (is_ours (round, p) && (!is_fatal (p) || one_in (dice, 6)))
    set_property (round, dice, p);
  g_free (all);
}

void
properties_read (Round *round, Dice *dice)
{
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (round->element), &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;
    gchar *text;

    if (!(all[i]->flags & G_PARAM_READABLE) ||
        (!one_in (dice, 4) && strcmp (all[i]->name, "stats")))
      continue;
    g_value_init (&value, all[i]->value_type);
    g_object_get_property (G_OBJECT (round->element), all[i]->name, &value);
    text = g_strdup_value_contents (&value);
    g_free (text);
    g_value_unset (&value);
  }
  g_free (all);
}

void
properties_preset (Round *round, Dice *dice)
{
  gchar **names = GST_IS_PRESET (round->element)
      ? gst_preset_get_preset_names (GST_PRESET (round->element))
      : NULL;
  guint n = names ? g_strv_length (names) : 0;

  /* those of scopedetect take seconds a frame here */
  if (n &&
      (strcmp (round->kind->name, "scopedetect") ||
          (round->is_alone && one_in (dice, 32))))
    gst_preset_load_preset (
        GST_PRESET (round->element), names[below (dice, n)]);
  g_strfreev (names);
}

void
properties_signal (Round *round, Dice *dice)
{
  static const gchar *const names[] = {
      "new", "#x", ";", "", "a b", "red", "\xc3\xa4"};
  static const gchar *const meshes[] = {
      "mesh.ply", "link.ply", "full", "fifo", "nowhere/mesh.ply", "", "\xff"};
  gboolean done;

  if (!strcmp (round->kind->name, "moct"))
    g_signal_emit_by_name (round->element, "learn", PICK (dice, names),
        between (dice, -3, 40), between (dice, -3, 40), between (dice, -1, 30),
        between (dice, -1, 30), &done);
  else if (!strcmp (round->kind->name, "kinfumot") && one_in (dice, 2))
    g_signal_emit_by_name (round->element, "reset");
  else if (!strcmp (round->kind->name, "kinfumot"))
    g_signal_emit_by_name (
        round->element, "save-mesh", PICK (dice, meshes), &done);
}

/* Some property follows a control source. */
void
properties_control (Round *round, Dice *dice)
{
  guint n;
  GParamSpec **all =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (round->element), &n);
  GParamSpec *p = all[below (dice, n)];

  if ((p->flags & GST_PARAM_CONTROLLABLE) && (p->flags & G_PARAM_WRITABLE) &&
      !G_IS_PARAM_SPEC_STRING (p) && !G_IS_PARAM_SPEC_FLAGS (p) &&
      greatest (round, dice, p, -1) < 0) {
    GstControlSource *source = gst_trigger_control_source_new ();

    for (guint i = 0; i < 5; i++)
      gst_timed_value_control_source_set (
          GST_TIMED_VALUE_CONTROL_SOURCE (source),
          below (dice, 25) * 40 * GST_MSECOND, unit (dice));
    gst_object_add_control_binding (GST_OBJECT (round->element),
        gst_direct_control_binding_new (
            GST_OBJECT (round->element), p->name, source));
    gst_object_unref (source);
  }
  g_free (all);
}
