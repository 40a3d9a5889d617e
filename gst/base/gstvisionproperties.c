/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionproperties.h"

#include <string.h>

#include "base/gstvisiontell.h"

/* ---- A table, row by row ---- */

typedef void (*Visit) (gpointer to, const GstVisionProperty *row,
    const Param *param, gssize owner);

static const Param *
find_field (const Param *p, const gchar *field)
{
  while (strcmp (p->field, field))
    p++;
  return p;
}

/* The rows of its params that @row stands for; @end is behind them. */
static const Param *
find_rows (const GstVisionProperty *table, const GstVisionProperty *row,
    const Param **end)
{
  const Param *first = row->params;

  for (const GstVisionProperty *r = table; r < row; r++)
    if (r->params == row->params && r->at == row->at)
      first = find_field (first, r->until);
  *end = row->until ? find_field (first, row->until) : NULL;
  return first;
}

/* @at: of the table's struct in the instance. */
static void
each (const GstVisionProperty *table, gssize at, Visit visit, gpointer to)
{
  const GstVisionProperty *row = table;
  const Param *end;

  for (; row->param.field || row->params || row->properties; row++) {
    gssize inner = at + (gssize) row->at;

    if (row->param.field)
      visit (to, row, &row->param, at);
    else if (row->properties)
      each (row->properties, inner, visit, to);
    else
      for (const Param *p = find_rows (table, row, &end); p != end && p->field;
           p++)
        visit (to, row, p, inner);
  }
}

/* ---- To GObject ---- */

/* What a GParamSpec is about. */
typedef struct {
  const GstVisionProperty *row;
  const Param *param;
  gssize owner, place; /* in the instance: the struct, and the value */
} Subject;

static GQuark
subject_quark (void)
{
  return g_quark_from_static_string ("gst-vision-subject");
}

/* "GstX" and "ground_distance" are GstXGroundDistance. */
static gchar *
choice_type_name (GObjectClass *klass, const Param *p)
{
  const gchar *kind = p->kind ? p->kind : p->name ? p->name : p->field;
  GString *name = g_string_new (G_OBJECT_CLASS_NAME (klass));
  gboolean begins = TRUE;

  if (g_str_has_prefix (kind, "Gst"))
    g_string_truncate (name, 0);
  for (const gchar *c = kind; *c; c++) {
    if (g_ascii_isalnum (*c))
      g_string_append_c (name, begins ? g_ascii_toupper (*c) : *c);
    begins = !g_ascii_isalnum (*c);
  }
  return g_string_free (name, FALSE);
}

static GType
register_flags (const gchar *name, const ParamChoice *c)
{
  GArray *values = g_array_new (TRUE, TRUE, sizeof (GFlagsValue));

  for (; c->name; c++) {
    GFlagsValue value = {(guint) c->value, c->text, c->name};

    g_array_append_val (values, value);
  }
  return g_flags_register_static (
      name, (GFlagsValue *) g_array_free (values, FALSE));
}

static GType
register_enum (const gchar *name, const ParamChoice *c)
{
  GArray *values = g_array_new (TRUE, TRUE, sizeof (GEnumValue));

  for (; c->name; c++) {
    GEnumValue value = {c->value, c->text, c->name};

    g_array_append_val (values, value);
  }
  return g_enum_register_static (
      name, (GEnumValue *) g_array_free (values, FALSE));
}

/* GObject keeps the values that it is given, for ever. */
static GType
choice_type (GObjectClass *klass, const Param *p)
{
  gchar *name = choice_type_name (klass, p);
  GType type = g_type_from_name (name);

  if (!type) {
    type = p->type == PARAM_FLAGS ? register_flags (name, p->choices)
                                  : register_enum (name, p->choices);
    gst_type_mark_as_plugin_api (type, 0);
  }
  g_free (name);
  return type;
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
  gchar buffer[PARAM_NAME];
  const gchar *name;

  param_name (p, buffer);
  name = g_intern_string (buffer);
  switch (p->type) {
    case PARAM_BOOL:
      return g_param_spec_boolean (
          name, p->title, p->text, p->value != 0, flags);
    case PARAM_INT:
      return g_param_spec_int (name, p->title, p->text, (gint) p->min,
          (gint) p->max, (gint) p->value, flags);
    case PARAM_UINT:
      return g_param_spec_uint (name, p->title, p->text, (guint) p->min,
          (guint) p->max, (guint) p->value, flags);
    case PARAM_INT64:
      return g_param_spec_int64 (name, p->title, p->text, param_int64 (p->min),
          param_int64 (p->max), param_int64 (p->value), flags);
    case PARAM_UINT64:
      return g_param_spec_uint64 (name, p->title, p->text,
          param_uint64 (p->min), param_uint64 (p->max), param_uint64 (p->value),
          flags);
    case PARAM_DOUBLE:
      return g_param_spec_double (
          name, p->title, p->text, p->min, p->max, p->value, flags);
    case PARAM_CHOICE:
      return g_param_spec_enum (name, p->title, p->text, choice_type (klass, p),
          (gint) p->value, flags);
    case PARAM_FLAGS:
      return g_param_spec_flags (name, p->title, p->text,
          choice_type (klass, p), (guint) p->value, flags);
    case PARAM_TEXT:
      return g_param_spec_string (name, p->title, p->text, p->string, flags);
  }
  return NULL;
}

typedef struct {
  GObjectClass *klass;
  guint id;
} Install;

static void
install (
    gpointer to, const GstVisionProperty *row, const Param *p, gssize owner)
{
  Install *i = to;
  GParamSpec *spec = make_spec (i->klass, p);
  Subject *subject = g_new (Subject, 1);

  *subject = (Subject){row, p, owner, owner + (gssize) p->at};
  g_param_spec_set_qdata_full (spec, subject_quark (), subject, g_free);
  g_object_class_install_property (i->klass, i->id++, spec);
}

guint
gst_vision_properties_install (GObjectClass *klass,
    const GstVisionProperty *table, gssize at, guint first_id)
{
  Install i = {klass, first_id};

  klass->set_property = gst_vision_properties_set;
  klass->get_property = gst_vision_properties_get;
  each (table, at, install, &i);
  return i.id;
}

/* ---- Values that cannot be used ---- */

typedef struct {
  const gchar *name; /* of the property; interned */
  gchar *why;
} Refusal;

static GQuark
refusals_quark (void)
{
  return g_quark_from_static_string ("gst-vision-refusals");
}

static void
free_refusal (gpointer refusal)
{
  g_free (((Refusal *) refusal)->why);
  g_free (refusal);
}

/* Under the object lock: those of an instance, in the order of their setting.
 */
static GPtrArray *
refusals_of (GstElement *element)
{
  GPtrArray *all = g_object_get_qdata (G_OBJECT (element), refusals_quark ());

  if (all)
    return all;
  all = g_ptr_array_new_with_free_func (free_refusal);
  g_object_set_qdata_full (G_OBJECT (element), refusals_quark (), all,
      (GDestroyNotify) g_ptr_array_unref);
  return all;
}

/* Under the object lock: @why the newest value of @name is refused; NULL: it is
 * not. */
static void
note (GstElement *element, const gchar *name, const GError *why)
{
  GPtrArray *all = refusals_of (element);
  Refusal *refusal;

  for (guint i = 0; i < all->len; i++)
    if (!strcmp (((Refusal *) g_ptr_array_index (all, i))->name, name))
      g_ptr_array_remove_index (all, i--);
  if (!why)
    return;
  refusal = g_new (Refusal, 1);
  refusal->name = g_intern_string (name);
  refusal->why = g_strdup (why->message);
  g_ptr_array_add (all, refusal);
}

void
gst_vision_properties_refuse (
    GstElement *element, const gchar *name, GError *why)
{
  gboolean runs = GST_STATE (element) >= GST_STATE_PAUSED;

  GST_OBJECT_LOCK (element);
  note (element, name, runs ? NULL : why);
  GST_OBJECT_UNLOCK (element);
  if (runs && why)
    GST_VISION_WARNING (element, LIBRARY, SETTINGS,
        ("%s stays what it was: %s.", name, why->message));
  g_clear_error (&why);
}

gboolean
gst_vision_properties_check (GstElement *element)
{
  GString *text = g_string_new (NULL);
  gboolean good;
  GPtrArray *all;

  GST_OBJECT_LOCK (element);
  all = refusals_of (element);
  for (guint i = 0; i < all->len; i++) {
    const Refusal *refusal = g_ptr_array_index (all, i);

    g_string_append_printf (text, "%s%s cannot be used: %s.", i ? " " : "",
        refusal->name, refusal->why);
  }
  GST_OBJECT_UNLOCK (element);
  good = !text->len;
  if (!good)
    GST_VISION_ERROR (element, LIBRARY, SETTINGS, ("%s", text->str));
  g_string_free (text, TRUE);
  return good;
}

/* ---- Texts ---- */

/* Of an instance. */
typedef struct {
  GPtrArray *places; /* gchar **, in the instance */
  GRecMutex setting; /* a text is read: what it says and the text go together */
} Texts;

static GQuark
texts_quark (void)
{
  return g_quark_from_static_string ("gst-vision-texts");
}

static void
free_texts (gpointer texts)
{
  Texts *t = texts;

  for (guint i = 0; i < t->places->len; i++)
    g_clear_pointer ((gchar **) g_ptr_array_index (t->places, i), g_free);
  g_ptr_array_unref (t->places);
  g_rec_mutex_clear (&t->setting);
  g_free (t);
}

static Texts *
make_texts (GObject *object)
{
  Texts *t = g_object_get_qdata (object, texts_quark ());

  if (t)
    return t;
  t = g_new0 (Texts, 1);
  t->places = g_ptr_array_new ();
  g_rec_mutex_init (&t->setting);
  g_object_set_qdata_full (object, texts_quark (), t, free_texts);
  return t;
}

static void
set_default (
    gpointer to, const GstVisionProperty *row, const Param *p, gssize owner)
{
  const Param alone[] = {*p, {NULL}};
  gpointer place = G_STRUCT_MEMBER_P (to, owner + (gssize) p->at);

  (void) row;
  params_defaults (alone, G_STRUCT_MEMBER_P (to, owner));
  if (p->type != PARAM_TEXT)
    return;
  *(gchar **) place = g_strdup (p->string);
  g_ptr_array_add (make_texts (to)->places, place);
}

void
gst_vision_properties_init (
    gpointer object, const GstVisionProperty *table, gssize at)
{
  each (table, at, set_default, object);
}

/* A text that cannot be used leaves the one before. */
static gboolean
set_text (
    GstElement *element, GParamSpec *pspec, const Subject *s, const gchar *text)
{
  Texts *t = g_object_get_qdata (G_OBJECT (element), texts_quark ());
  gchar **place = (gchar **) G_STRUCT_MEMBER_P (element, s->place), *before;
  gchar *now = g_strdup (text ? text : s->param->string);
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
  gst_vision_properties_refuse (element, pspec->name, error);
  g_rec_mutex_unlock (&t->setting);
  g_free (takes ? before : now);
  return good;
}

/* ---- Values ---- */

static void
set_number (gpointer at, const Param *p, const GValue *value)
{
  switch (p->type) {
    case PARAM_BOOL:
      *(bool *) at = g_value_get_boolean (value);
      break;
    case PARAM_INT:
      *(gint *) at = g_value_get_int (value);
      break;
    case PARAM_UINT:
      *(guint *) at = g_value_get_uint (value);
      break;
    case PARAM_INT64:
      *(gint64 *) at = g_value_get_int64 (value);
      break;
    case PARAM_UINT64:
      *(guint64 *) at = g_value_get_uint64 (value);
      break;
    case PARAM_DOUBLE:
      *(gdouble *) at = g_value_get_double (value);
      break;
    case PARAM_CHOICE:
      *(gint *) at = g_value_get_enum (value);
      break;
    case PARAM_FLAGS:
      *(guint *) at = g_value_get_flags (value);
      break;
    case PARAM_TEXT:
      break;
  }
}

static void
get_value (gconstpointer at, const Param *p, GValue *value)
{
  switch (p->type) {
    case PARAM_BOOL:
      g_value_set_boolean (value, *(const bool *) at);
      break;
    case PARAM_INT:
      g_value_set_int (value, *(const gint *) at);
      break;
    case PARAM_UINT:
      g_value_set_uint (value, *(const guint *) at);
      break;
    case PARAM_INT64:
      g_value_set_int64 (value, *(const gint64 *) at);
      break;
    case PARAM_UINT64:
      g_value_set_uint64 (value, *(const guint64 *) at);
      break;
    case PARAM_DOUBLE:
      g_value_set_double (value, *(const gdouble *) at);
      break;
    case PARAM_CHOICE:
      g_value_set_enum (value, *(const gint *) at);
      break;
    case PARAM_FLAGS:
      g_value_set_flags (value, *(const guint *) at);
      break;
    case PARAM_TEXT:
      g_value_set_string (value, *(gchar *const *) at);
      break;
  }
}

void
gst_vision_properties_set (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const Subject *s = g_param_spec_get_qdata (pspec, subject_quark ());
  GstElement *element = GST_ELEMENT (object);
  gboolean good = TRUE;

  if (!s) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  if (s->param->type == PARAM_TEXT)
    good = set_text (element, pspec, s, g_value_get_string (value));
  else {
    GST_OBJECT_LOCK (object);
    set_number (G_STRUCT_MEMBER_P (object, s->place), s->param, value);
    GST_OBJECT_UNLOCK (object);
  }
  if (good && s->row->changed)
    s->row->changed (element, s->param);
}

void
gst_vision_properties_get (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const Subject *s = g_param_spec_get_qdata (pspec, subject_quark ());

  if (!s) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  get_value (G_STRUCT_MEMBER_P (object, s->place), s->param, value);
  GST_OBJECT_UNLOCK (object);
}
