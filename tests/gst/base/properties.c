/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties made of tables: their order, types and flags, what of a text is
 * kept, when a refusal is posted, and two threads at one property. */

#include "said.h"
#include "suite.h"
#include "base/gstvisionproperties.h"

/* ---- An algorithm's params, a struct that elements share, an element ---- */

typedef enum { NEVER, ALWAYS } When;

typedef struct {
  gint first, max_size;
  When when;
  gdouble depth_scale;
} ToyParams;

CHOICES (
    whens, {NEVER, "never", "At no time"}, {ALWAYS, "always", "At any time"});

CHOICES (marks, {1, "box", "A box"}, {2, "dot", "A dot"});

#define ROWS_OF ToyParams

static const Param toy_params[] = {NUMBER (first, 0, 9, 1, "One"),
    BY_HAND (NUMBER, max_size, 0, 9, 2, "Two"),
    TITLED ("When", ONE_OF, when, whens, ALWAYS, "At which time",
        .name = "at-time", .kind = "Time"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Metres"), {0}};

typedef struct {
  gchar *place;
  gint digits; /* what it says */
} Shared;

typedef struct {
  GstElement parent;
  ToyParams params;
  Shared shared;
  bool map;
  guint marks;
  guint64 seed;
  gchar *text, *location;
  gchar *said; /* what `text` was read to say */
  GString *changes;
} Toy;

typedef GstElementClass ToyClass;

G_DEFINE_TYPE (Toy, toy, GST_TYPE_ELEMENT)

/* Digits alone. */
static gboolean
read_place (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  fail_unless (owner == &((Toy *) element)->shared);
  if (text && strspn (text, "0123456789") != strlen (text)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" has other characters than digits", text);
    return FALSE;
  }
  GST_OBJECT_LOCK (element);
  ((Shared *) owner)->digits = text ? (gint) strlen (text) : 0;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

static gboolean
read_text (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  Toy *self = (Toy *) element;

  fail_unless (owner == element && (!text || *text));
  if (text && *text == '!') {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "it begins with !");
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->said);
  self->said = g_strdup (text);
  GST_OBJECT_UNLOCK (self);
  g_usleep (50); /* another thread may want to set it now */
  return TRUE;
}

static void
has_changed (GstElement *element, const Param *param)
{
  /* which takes the lock: it must be free */
  GST_OBJECT_LOCK (element);
  g_string_append_printf (((Toy *) element)->changes, "%s ", param->field);
  GST_OBJECT_UNLOCK (element);
}

static GParamSpec *
spec_of_digits (void)
{
  return g_param_spec_int ("digits", "Digits", "Of the place", 0, G_MAXINT, 0,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

static void
read_digits (gpointer owner, GValue *value)
{
  g_value_set_int (value, ((Shared *) owner)->digits);
}

#undef ROWS_OF
#define ROWS_OF Shared

static const GstVisionProperty shared[] = {
    PARSED (read_place, STRING, place, "Digits"),
    {.spec = spec_of_digits, .read = read_digits}, {.params = NULL}};

#undef ROWS_OF
#define ROWS_OF Toy

static const GstVisionProperty properties[] = {
    PARSED (read_text, FOLLOWED, has_changed, STRING, text, "No !"),
    PARAMS (toy_params, params, .changed = has_changed),
    STOPPED (SWITCH, map, true, "Is attached"), PROPERTIES (shared, shared),
    SOME_OF (marks, marks, 3, "Which are drawn"),
    NUMBER (seed, 0, UINT64_MAX, UINT64_MAX, "Any"),
    STRING (location, "Of a file", .string = "-"), {.params = NULL}};

static void
finalize (GObject *object)
{
  g_free (((Toy *) object)->said);
  g_string_free (((Toy *) object)->changes, TRUE);
  G_OBJECT_CLASS (toy_parent_class)->finalize (object);
}

static void
toy_class_init (ToyClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
}

static void
toy_init (Toy *self)
{
  self->changes = g_string_new (NULL);
  gst_vision_properties_init (self, properties);
}

/* With a bus of its own. */
static Toy *
toy_new (void)
{
  Toy *toy = gst_object_ref_sink (g_object_new (toy_get_type (), NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (GST_ELEMENT (toy), bus);
  return toy;
}

static void
toy_free (Toy *toy)
{
  fail_unless (!gst_bus_have_pending (GST_ELEMENT_BUS (toy)));
  gst_element_set_bus (GST_ELEMENT (toy), NULL);
  g_object_unref (toy);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Toy, toy_free)

/* The next warning says this. */
static void
expect_warning (Toy *toy, const gchar *expected)
{
  g_autoptr (GError) error =
      error_on (GST_ELEMENT_BUS (toy), GST_MESSAGE_WARNING);

  fail_unless (error != NULL, "there is no warning of: %s", expected);
  fail_unless (
      g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  fail_unless_equals_string (error->message, expected);
}

/* ---- Tests ---- */

GST_START_TEST (test_order)
{
  static const gchar *names[] = {"text", "first", "max-size", "at-time",
      "depth-scale", "map", "place", "digits", "marks", "seed", "location"};
  GObjectClass *klass = g_type_class_ref (toy_get_type ());
  guint n, own = 0;
  GParamSpec **all = g_object_class_list_properties (klass, &n);

  for (guint i = 0; i < n; i++)
    if (all[i]->owner_type == toy_get_type ())
      fail_unless_equals_string (all[i]->name, names[own++]);
  fail_unless_equals_int (own, G_N_ELEMENTS (names));
  g_free (all);
  g_type_class_unref (klass);
}
GST_END_TEST;

/* What a GParamSpec says of when it may be set. */
static guint
when_of (GObjectClass *klass, const gchar *name)
{
  return g_object_class_find_property (klass, name)->flags &
      (GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_READY |
          GST_PARAM_MUTABLE_PLAYING);
}

/* Its title, in GObject's words. */
static const gchar *
title_of (GObjectClass *klass, const gchar *name)
{
  return g_param_spec_get_nick (g_object_class_find_property (klass, name));
}

GST_START_TEST (test_specs)
{
  const guint live = GST_PARAM_MUTABLE_PLAYING;
  GObjectClass *klass = g_type_class_ref (toy_get_type ());

  fail_unless_equals_int (
      when_of (klass, "first"), live | GST_PARAM_CONTROLLABLE);
  fail_unless_equals_int (when_of (klass, "max-size"), live);
  fail_unless_equals_int (when_of (klass, "text"), live);
  fail_unless_equals_int (when_of (klass, "map"), GST_PARAM_MUTABLE_READY);
  fail_unless_equals_string (
      g_type_name (g_object_class_find_property (klass, "marks")->value_type),
      "ToyMarks");
  fail_unless_equals_string (
      g_type_name (g_object_class_find_property (klass, "at-time")->value_type),
      "ToyTime");
  fail_unless_equals_string (title_of (klass, "depth-scale"), "Depth scale");
  fail_unless_equals_string (title_of (klass, "max-size"), "Maximum size");
  fail_unless_equals_string (title_of (klass, "at-time"), "When");
  g_type_class_unref (klass);
}
GST_END_TEST;

GST_START_TEST (test_values)
{
  g_autoptr (Toy) toy = toy_new ();
  gboolean map = TRUE;
  guint64 seed = 0;
  gchar *place;
  gint first, digits;

  fail_unless (toy->params.first == 1 && toy->params.max_size == 2 &&
      toy->params.when == ALWAYS && toy->params.depth_scale == .001 &&
      toy->map && toy->marks == 3 && toy->seed == G_MAXUINT64 && !toy->text &&
      !strcmp (toy->location, "-"));
  g_object_set (toy, "first", 7, "map", FALSE, "seed",
      G_GUINT64_CONSTANT (0x8000000000000001), "place", "123", NULL);
  gst_util_set_object_arg (G_OBJECT (toy), "at-time", "never");
  gst_util_set_object_arg (G_OBJECT (toy), "marks", "dot");
  fail_unless (toy->params.first == 7 && !toy->map &&
      toy->params.when == NEVER && toy->marks == 2 && toy->shared.digits == 3);
  g_object_get (toy, "first", &first, "map", &map, "seed", &seed, "place",
      &place, "digits", &digits, NULL);
  fail_unless (first == 7 && !map && seed == 0x8000000000000001 && digits == 3);
  fail_unless_equals_string (place, "123");
  g_free (place);
  fail_unless_equals_string (toy->changes->str, "first when ");
}
GST_END_TEST;

/* An empty text is none, and none is the default. */
GST_START_TEST (test_empty)
{
  g_autoptr (Toy) toy = toy_new ();

  g_object_set (toy, "text", "a", "location", "b", NULL);
  fail_unless_equals_string (toy->said, "a");
  g_object_set (toy, "text", "", "location", "", NULL);
  fail_unless (!toy->text && !toy->said && !toy->location);
  g_object_set (toy, "location", NULL, NULL);
  fail_unless_equals_string (toy->location, "-");
}
GST_END_TEST;

static void
expect_error (Toy *toy, const gchar *text)
{
  g_autoptr (GError) error =
      error_on (GST_ELEMENT_BUS (toy), GST_MESSAGE_ERROR);

  fail_unless (error != NULL, "no error");
  fail_unless_equals_string (error->message, text);
}

/* What is refused before the start ends each start, until it is set anew. */
GST_START_TEST (test_refused_before)
{
  g_autoptr (Toy) toy = toy_new ();

  g_object_set (toy, "text", "good", "place", "12", NULL);
  g_string_truncate (toy->changes, 0);
  fail_unless (gst_vision_properties_check (GST_ELEMENT (toy)));
  g_object_set (toy, "text", "!", "place", "1,2", NULL);
  fail_unless_equals_string (toy->changes->str, "");
  fail_unless_equals_string (toy->text, "good");
  fail_unless_equals_string (toy->said, "good");
  fail_unless (
      toy->shared.digits == 2 && !gst_bus_have_pending (GST_ELEMENT_BUS (toy)));
  for (guint i = 0; i < 2; i++) {
    fail_unless (!gst_vision_properties_check (GST_ELEMENT (toy)));
    expect_error (toy,
        "text cannot be used: it begins with !. "
        "place cannot be used: \"1,2\" has other characters than digits.");
    fail_unless (!gst_bus_have_pending (GST_ELEMENT_BUS (toy)));
  }
  g_object_set (toy, "text", "good", "place", "", NULL);
  fail_unless (gst_vision_properties_check (GST_ELEMENT (toy)));
}
GST_END_TEST;

/* The newest value counts. */
GST_START_TEST (test_refused_then_good)
{
  g_autoptr (Toy) toy = toy_new ();

  g_object_set (toy, "text", "!a", "place", "x", "text", "fine", NULL);
  g_object_set (toy, "place", "y", NULL);
  fail_unless (!gst_vision_properties_check (GST_ELEMENT (toy)));
  expect_error (
      toy, "place cannot be used: \"y\" has other characters than digits.");
}
GST_END_TEST;

GST_START_TEST (test_refused_while_playing)
{
  g_autoptr (Toy) toy = toy_new ();

  gst_element_set_state (GST_ELEMENT (toy), GST_STATE_PLAYING);
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), TRUE);
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), FALSE);
  g_object_set (toy, "text", "!", NULL);
  expect_warning (toy, "text stays what it was: it begins with !.");
  gst_element_set_state (GST_ELEMENT (toy), GST_STATE_NULL);
  /* the value that stayed is the one that the next start is with */
  fail_unless (gst_vision_properties_check (GST_ELEMENT (toy)));
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), TRUE);
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), FALSE);
}
GST_END_TEST;

/* An error is UTF-8, whatever was set. */
GST_START_TEST (test_refused_bytes)
{
  g_autoptr (Toy) toy = toy_new ();

  g_object_set (toy, "place", "1\xff", NULL);
  fail_unless (!gst_vision_properties_check (GST_ELEMENT (toy)));
  expect_error (toy,
      "place cannot be used: \"1\xef\xbf\xbd\" has other characters than "
      "digits.");
}
GST_END_TEST;

/* What is refused and never told is freed, too. */
GST_START_TEST (test_refused_and_forgotten)
{
  g_autoptr (Toy) toy = toy_new ();

  g_object_set (toy, "text", "!", NULL);
}
GST_END_TEST;

#define ROUNDS 200

static gpointer
set_number (gpointer toy)
{
  for (guint i = 0; i < 10 * ROUNDS; i++)
    g_object_set (toy, "first", i % 10, NULL);
  return NULL;
}

static gpointer
set_a (gpointer toy)
{
  g_object_set (toy, "text", "a", NULL);
  return NULL;
}

/* A text and what it says are of one setting, whoever else sets it; frames
 * copy params meanwhile. */
GST_START_TEST (test_threads)
{
  g_autoptr (Toy) toy = toy_new ();
  GThread *numbers = g_thread_new (NULL, set_number, toy);

  for (guint i = 0; i < ROUNDS; i++) {
    GThread *other = g_thread_new (NULL, set_a, toy);
    ToyParams copy;

    g_object_set (toy, "text", "b", NULL);
    g_thread_join (other);
    fail_unless_equals_string (toy->text, toy->said);
    GST_OBJECT_LOCK (toy);
    copy = toy->params;
    GST_OBJECT_UNLOCK (toy);
    fail_unless (copy.first >= 0 && copy.first <= 9 && copy.max_size == 2);
  }
  g_thread_join (numbers);
}
GST_END_TEST;

/* A thread whose property was refused, and whose application handles the
 * warning in that thread. */
typedef struct {
  GMutex lock;
  GCond changed;
  gboolean is_handled, is_set; /* the handler runs; another text is set */
} Refusal;

#define PATIENCE (5 * G_USEC_PER_SEC)

static gboolean
await (Refusal *r, const gboolean *what)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (!*what && g_cond_wait_until (&r->changed, &r->lock, until))
    ;
  return *what;
}

/* Waits, as a handler does for a lock of the application, until another thread
 * has set a text. */
static GstBusSyncReply
handle (GstBus *bus, GstMessage *message, gpointer data)
{
  Refusal *r = data;

  (void) bus;
  gst_message_unref (message); /* as GST_BUS_DROP demands */
  g_mutex_lock (&r->lock);
  r->is_handled = TRUE;
  g_cond_broadcast (&r->changed);
  fail_unless (await (r, &r->is_set), "the other thread cannot set a text");
  g_mutex_unlock (&r->lock);
  return GST_BUS_DROP;
}

static gpointer
set_refused (gpointer toy)
{
  g_object_set (toy, "text", "!", NULL);
  return NULL;
}

/* A refusal is posted when no lock is held. */
GST_START_TEST (test_handler_waits)
{
  g_autoptr (Toy) toy = toy_new ();
  static Refusal r;
  GThread *thread;

  gst_element_set_state (GST_ELEMENT (toy), GST_STATE_PLAYING);
  gst_bus_set_sync_handler (GST_ELEMENT_BUS (toy), handle, &r, NULL);
  thread = g_thread_new (NULL, set_refused, toy);
  g_mutex_lock (&r.lock);
  fail_unless (await (&r, &r.is_handled));
  g_mutex_unlock (&r.lock);
  g_object_set (toy, "text", "good", NULL);
  g_mutex_lock (&r.lock);
  r.is_set = TRUE;
  g_cond_broadcast (&r.changed);
  g_mutex_unlock (&r.lock);
  g_thread_join (thread);
  fail_unless_equals_string (toy->text, "good");
  gst_bus_set_sync_handler (GST_ELEMENT_BUS (toy), NULL, NULL, NULL);
  gst_element_set_state (GST_ELEMENT (toy), GST_STATE_NULL);
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), TRUE);
  gst_bus_set_flushing (GST_ELEMENT_BUS (toy), FALSE);
}
GST_END_TEST;

SUITE (properties, TEST (test_order), TEST (test_specs), TEST (test_values),
    TEST (test_empty), TEST (test_refused_before),
    TEST (test_refused_then_good), TEST (test_refused_while_playing),
    TEST (test_refused_bytes), TEST (test_refused_and_forgotten),
    TEST (test_threads), TEST (test_handler_waits));
