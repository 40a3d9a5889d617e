/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionproperties.h"

#include <string.h>

#include "base/gstvisiontell.h"
#include "common/file.h"
#include "common/number.h"

/* ---- A table, row by row ---- */

typedef void (*Visit) (gpointer to, const GstVisionProperty *row,
    const Param *param, gssize owner);

/* Calls @visit for each row.  @at is the offset of the table's struct in the
 * instance. */
static void
visit_rows (const GstVisionProperty *table, gssize at, Visit visit, gpointer to)
{
  for (const GstVisionProperty *row = table;
       row->field || row->spec || row->params || row->properties; row++) {
    gssize inner = at + (gssize) row->at;

    if (row->field || row->spec)
      visit (to, row, &row->param, at);
    else if (row->properties)
      visit_rows (row->properties, inner, visit, to);
    else
      for (const Param *p = row->params; p->field; p++)
        visit (to, row, p, inner);
  }
}

/* ---- To GObject ---- */

/* The row of a table that a GParamSpec belongs to. */
typedef struct {
  const GstVisionProperty *row;
  const Param *param;
  gssize owner,
      place; /* offsets of the struct and of the value in the instance */
} Subject;

static GQuark
subject_quark (void)
{
  return g_quark_from_static_string ("gst-vision-subject");
}

static const gchar *
name_of_param (const Param *p)
{
  gchar name[PARAM_NAME];

  param_name (p, name);
  return g_intern_string (name);
}

/* The name of a property's type: GstXGroundDistance of the class "GstX" and the
 * property "ground-distance". */
static gchar *
choice_type_name (GObjectClass *klass, const Param *p, const gchar *property)
{
  const gchar *kind = p->kind ? p->kind : property;
  GString *name = g_string_new (G_OBJECT_CLASS_NAME (klass));
  gboolean begins = TRUE;

  if (g_str_has_prefix (kind, "Gst"))
    g_string_truncate (name, 0);
  for (const gchar *c = kind; *c; c++) {
    if (*c != '-')
      g_string_append_c (name, begins ? g_ascii_toupper (*c) : *c);
    begins = *c == '-';
  }
  return g_string_free (name, FALSE);
}

/* Values of an enumeration, which are never freed, since GObject keeps them for
 * ever. */
static GEnumValue *
choice_values (const ParamChoice *c)
{
  GArray *values = g_array_new (TRUE, FALSE, sizeof (GEnumValue));

  for (; c->name; c++) {
    GEnumValue value = {c->value, c->text, c->name};

    g_array_append_val (values, value);
  }
  return (GEnumValue *) g_array_free (values, FALSE);
}

/* GFlagsValue and GEnumValue have the same layout. */
G_STATIC_ASSERT (sizeof (GFlagsValue) == sizeof (GEnumValue));

static GType
choice_type (GObjectClass *klass, const Param *p, const gchar *property)
{
  gchar *name = choice_type_name (klass, p, property);
  GType type = g_type_from_name (name);

  if (!type) {
    GEnumValue *values = choice_values (p->choices);

    type = p->type == PARAM_FLAGS
        ? g_flags_register_static (name, (GFlagsValue *) values)
        : g_enum_register_static (name, values);
    gst_type_mark_as_plugin_api (type, 0);
  }
  g_free (name);
  return type;
}

/* Makes a title of a name: "Maximum area" of "max-area". */
static const gchar *
title_of (const Param *p, const gchar *name)
{
  gboolean bound =
      g_str_has_prefix (name, "max-") || g_str_has_prefix (name, "min-");
  g_autofree gchar *title =
      bound ? g_strdup_printf ("%.3simum%s", name, name + 3) : g_strdup (name);

  *title = g_ascii_toupper (*title);
  return p->title ? p->title : g_intern_string (g_strdelimit (title, "-", ' '));
}

static GParamFlags
flags_of (const Param *p)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  if (p->when == PARAM_STOPPED)
    return flags | GST_PARAM_MUTABLE_READY;
  flags |= GST_PARAM_MUTABLE_PLAYING;
  return p->when == PARAM_BY_HAND || p->type == PARAM_TEXT
      ? flags
      : flags | GST_PARAM_CONTROLLABLE;
}

static GParamSpec *
make_spec (GObjectClass *klass, const Param *p)
{
  GParamFlags flags = flags_of (p);
  const gchar *name = name_of_param (p), *title = title_of (p, name);

  switch (p->type) {
#define SPEC(TYPE, type, glib, from) \
 case PARAM_##TYPE: \
  return g_param_spec_##glib (name, title, p->text, from (p->min), \
      from (p->max), from (p->value), flags);
    PARAM_NUMBERS (SPEC)
    case PARAM_BOOL:
      return g_param_spec_boolean (name, title, p->text, p->value != 0, flags);
    case PARAM_CHOICE:
      return g_param_spec_enum (name, title, p->text,
          choice_type (klass, p, name), (gint) p->value, flags);
    case PARAM_FLAGS:
      return g_param_spec_flags (name, title, p->text,
          choice_type (klass, p, name), (guint) p->value, flags);
    case PARAM_TEXT:
      return g_param_spec_string (name, title, p->text, p->string, flags);
  }
  return NULL;
}

/* ---- Texts ---- */

typedef struct {
  const gchar *name; /* name of the property; interned */
  gchar **place;     /* offset of the text in the instance */
  gchar *why; /* why the newest text was refused; NULL: it was accepted */
} Text;

/* The texts of an instance. */
typedef struct {
  GArray *all;       /* array of Text, in the order of the table */
  GRecMutex setting; /* held while a text is parsed, so that text and result
                        belong together */
} Texts;

static GQuark
texts_quark (void)
{
  return g_quark_from_static_string ("gst-vision-texts");
}

static void
clear_text (gpointer text)
{
  g_clear_pointer (((Text *) text)->place, g_free);
  g_free (((Text *) text)->why);
}

static void
free_texts (gpointer texts)
{
  Texts *t = texts;

  g_array_unref (t->all);
  g_rec_mutex_clear (&t->setting);
  g_free (t);
}

/* The texts of @object; NULL: it has none. */
static Texts *
texts_of (gpointer object)
{
  return g_object_get_qdata (object, texts_quark ());
}

static void
add_text (gpointer object, const Param *p, gchar **place)
{
  Texts *t = texts_of (object);
  Text text = {.name = name_of_param (p), .place = place};

  if (!t) {
    t = g_new0 (Texts, 1);
    t->all = g_array_new (FALSE, FALSE, sizeof (Text));
    g_array_set_clear_func (t->all, clear_text);
    g_rec_mutex_init (&t->setting);
    g_object_set_qdata_full (object, texts_quark (), t, free_texts);
  }
  *place = g_strdup (p->string);
  g_array_append_val (t->all, text);
}

/* Stores why the newest text was refused; @why is NULL if it was accepted. */
static void
keep_refusal (GstElement *element, Text *text, const GError *why)
{
  GST_OBJECT_LOCK (element);
  g_free (text->why);
  text->why = why ? g_strdup (why->message) : NULL;
  GST_OBJECT_UNLOCK (element);
}

static Text *
find_text (Texts *t, gchar **place)
{
  Text *text = (Text *) t->all->data;

  while (text->place != place)
    text++;
  return text;
}

/* Sets a text, unless parse () refuses it.  The warning of a refused text is
 * posted when no lock is held, because a bus sync handler may wait for a thread
 * that sets a property. */
static gboolean
set_text (GstElement *element, const Subject *s, const gchar *given)
{
  gboolean runs = GST_STATE (element) >= GST_STATE_PAUSED;
  Texts *t = texts_of (element);
  gchar **place = G_STRUCT_MEMBER_P (element, s->place), *before;
  gchar *now = g_strdup (given ? given : s->param->string);
  gboolean good = TRUE, takes;
  GError *error = NULL;

  if (now && !*now)
    g_clear_pointer (&now, g_free);
  g_rec_mutex_lock (&t->setting);
  GST_OBJECT_LOCK (element);
  before = *place;
  GST_OBJECT_UNLOCK (element);
  if (s->row->parse)
    good = s->row->parse (
        element, G_STRUCT_MEMBER_P (element, s->owner), now, &error);
  GST_OBJECT_LOCK (element);
  takes = good && *place == before;
  if (takes)
    *place = now;
  GST_OBJECT_UNLOCK (element);
  keep_refusal (element, find_text (t, place), runs ? NULL : error);
  g_rec_mutex_unlock (&t->setting);
  if (error && runs)
    GST_VISION_WARNING (element, LIBRARY, SETTINGS,
        ("%s stays what it was: %s.", name_of_param (s->param),
            error->message));
  g_clear_error (&error);
  g_free (takes ? before : now);
  return good;
}

/* ---- Values ---- */

static void
set_number (gpointer at, const Param *p, const GValue *value)
{
  switch (p->type) {
#define SET(TYPE, type, glib, from) \
 case PARAM_##TYPE: \
  *(type *) at = g_value_get_##glib (value); \
  break;
    PARAM_VALUES (SET)
    case PARAM_TEXT:
      break;
  }
}

static void
get_value (gconstpointer at, const Param *p, GValue *value)
{
  switch (p->type) {
#define GET(TYPE, type, glib, from) \
 case PARAM_##TYPE: \
  g_value_set_##glib (value, *(const type *) at); \
  break;
    PARAM_VALUES (GET)
    case PARAM_TEXT:
      g_value_set_string (value, *(gchar *const *) at);
      break;
  }
}

/* ---- Presets ----
 *
 * A launch line loads a preset after it has set all properties. */

static _Thread_local GObject *loading; /* the preset's element; NULL: none */
static gboolean (*load_values) (GstPreset *preset, const gchar *name);

/* Of an element: a set of the properties that were set, not by a preset, since
 * it stopped. */
static GQuark
chosen_quark (void)
{
  return g_quark_from_static_string ("gst-vision-chosen");
}

static gboolean
load_preset (GstPreset *preset, const gchar *name)
{
  GObject *outer = loading;
  gboolean loaded;

  loading = G_OBJECT (preset);
  loaded = load_values (preset, name);
  loading = outer;
  return loaded;
}

void
gst_vision_preset_init (GstPresetInterface *iface)
{
  load_values = iface->load_preset;
  iface->load_preset = load_preset;
}

/* Whether a preset may not replace the value of @pspec.  Notes values that do
 * not come from a preset. */
static gboolean
is_chosen_value (GObject *object, GParamSpec *pspec)
{
  GHashTable *chosen;
  gboolean stays = FALSE;

  GST_OBJECT_LOCK (object);
  chosen = g_object_get_qdata (object, chosen_quark ());
  if (loading == object)
    stays = chosen && g_hash_table_contains (chosen, pspec);
  else if (GST_STATE (object) == GST_STATE_NULL) {
    if (!chosen)
      g_object_set_qdata_full (object, chosen_quark (),
          chosen = g_hash_table_new (NULL, NULL),
          (GDestroyNotify) g_hash_table_unref);
    g_hash_table_add (chosen, pspec);
  }
  GST_OBJECT_UNLOCK (object);
  return stays;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const Subject *s = g_param_spec_get_qdata (pspec, subject_quark ());
  GstElement *element = GST_ELEMENT (object);
  gboolean good = TRUE;

  (void) id;
  if (is_chosen_value (object, pspec))
    return;
  if (s->param->type == PARAM_TEXT)
    good = set_text (element, s, g_value_get_string (value));
  else {
    GST_OBJECT_LOCK (object);
    set_number (G_STRUCT_MEMBER_P (object, s->place), s->param, value);
    GST_OBJECT_UNLOCK (object);
  }
  if (good && s->row->changed)
    s->row->changed (element, s->param);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const Subject *s = g_param_spec_get_qdata (pspec, subject_quark ());

  (void) id;
  GST_OBJECT_LOCK (object);
  if (s->row->read)
    s->row->read (G_STRUCT_MEMBER_P (object, s->owner), value);
  else
    get_value (G_STRUCT_MEMBER_P (object, s->place), s->param, value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- For the element ---- */

typedef struct {
  GObjectClass *klass;
  guint id;
} Install;

static void
install_property (
    gpointer to, const GstVisionProperty *row, const Param *p, gssize owner)
{
  Install *i = to;
  GParamSpec *spec = row->spec ? row->spec () : make_spec (i->klass, p);
  Subject *subject = g_new (Subject, 1);

  *subject = (Subject){row, p, owner, owner + (gssize) p->at};
  g_param_spec_set_qdata_full (spec, subject_quark (), subject, g_free);
  g_object_class_install_property (i->klass, i->id++, spec);
}

void
gst_vision_properties_install_at (
    GObjectClass *klass, const GstVisionProperty *table, gssize at)
{
  Install i = {klass, 1};

  klass->set_property = set_property;
  klass->get_property = get_property;
  visit_rows (table, at, install_property, &i);
}

static void
set_default (
    gpointer to, const GstVisionProperty *row, const Param *p, gssize owner)
{
  const Param alone[] = {*p, {0}};

  (void) row;
  params_defaults (alone, G_STRUCT_MEMBER_P (to, owner));
  if (p->type == PARAM_TEXT)
    add_text (to, p, G_STRUCT_MEMBER_P (to, owner + (gssize) p->at));
}

void
gst_vision_properties_init_at (
    gpointer object, const GstVisionProperty *table, gssize at)
{
  visit_rows (table, at, set_default, object);
}

gboolean
gst_vision_properties_check (GstElement *element)
{
  GString *problems = g_string_new (NULL);
  Texts *t = texts_of (element);
  gboolean good;

  GST_OBJECT_LOCK (element);
  g_object_set_qdata (G_OBJECT (element), chosen_quark (), NULL);
  for (guint i = 0; t && i < t->all->len; i++) {
    const Text *text = &g_array_index (t->all, Text, i);

    if (text->why)
      g_string_append_printf (problems, "%s%s cannot be used: %s.",
          problems->len ? " " : "", text->name, text->why);
  }
  GST_OBJECT_UNLOCK (element);
  good = !problems->len;
  if (!good)
    GST_VISION_ERROR (element, LIBRARY, SETTINGS, ("%s", problems->str));
  g_string_free (problems, TRUE);
  return good;
}

/* ---- Files that properties name ---- */

#define MAX_TEXT (4 << 20)

gboolean
gst_vision_file_read_text (const gchar *path, gchar **text, GError **error)
{
  gsize length;
  int why = file_read (path, MAX_TEXT, text, &length);

  if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "\"%s\" cannot be read: %s", path, file_why (why));
  return why == 0;
}

static gboolean
read_box (const gchar *text, ImageBox *box, GError **error)
{
  int n[4] = {0};
  const char *end = numbers_read (text, ',', 4, n);
  gboolean good = end && !*end;

  for (gint i = 0; i < 4; i++)
    good = good && n[i] >= i / 2 &&
        n[i] <= G_MAXINT16; /* width and height: at least 1 */
  if (good)
    *box = (ImageBox){n[0], n[1], n[0] + n[2], n[1] + n[3]};
  else
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" is not x,y,width,height in pixels", text);
  return good;
}

gboolean
gst_vision_properties_take_box (GstElement *element, const gchar *text,
    ImageBox whole, ImageBox *box, GError **error)
{
  if (text && !read_box (text, &whole, error))
    return FALSE;
  GST_OBJECT_LOCK (element);
  *box = whole;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}
