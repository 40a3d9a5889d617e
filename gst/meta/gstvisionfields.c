/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionstructure.h"

#include <math.h>
#include <string.h>

typedef enum {
  FIELD_UINT64,       /* always present */
  FIELD_UINT64_NOT_0, /* 0: not known */
  FIELD_STRING,
  FIELD_STATE,
  FIELD_DOUBLE,
  FIELD_ARRAY,
} FieldType;

typedef struct {
  const gchar *name;
  FieldType type;
  gsize offset;
  guint length; /* of an array; 0: any even length is right */
  guint other;  /* another right length, or 0 */
  GQuark quark; /* of the name */
} Field;

#define FIELD_OR(member, type, length, other) \
 { \
  G_STRINGIFY (member), FIELD_##type, \
      G_STRUCT_OFFSET (GstVisionObject, member), length, other, 0 \
 }
#define FIELD(member, type, length) FIELD_OR (member, type, length, 0)

static Field fields[] = {
    FIELD (element, STRING, 0),
    FIELD (source, STRING, 0),
    FIELD (id, UINT64, 0),
    FIELD (model, UINT64_NOT_0, 0),
    FIELD (label, STRING, 0),
    FIELD (state, STATE, 0),
    FIELD (reason, STRING, 0),
    FIELD (x, DOUBLE, 0),
    FIELD (y, DOUBLE, 0),
    FIELD (width, DOUBLE, 0),
    FIELD (height, DOUBLE, 0),
    FIELD (cx, DOUBLE, 0),
    FIELD (cy, DOUBLE, 0),
    FIELD (area, UINT64_NOT_0, 0),
    FIELD (score, DOUBLE, 0),
    FIELD (distance, DOUBLE, 0),
    FIELD (ratio, DOUBLE, 0),
    FIELD (orientation, DOUBLE, 0),
    FIELD (elongation, DOUBLE, 0),
    FIELD (vx, DOUBLE, 0),
    FIELD (vy, DOUBLE, 0),
    FIELD (age, DOUBLE, 0),
    FIELD (depth, DOUBLE, 0),
    FIELD (pose, ARRAY, 7),
    FIELD (extent, ARRAY, 3),
    FIELD_OR (covariance, ARRAY, 4, 36),
    FIELD (outline, ARRAY, 0),
    FIELD (trajectory, ARRAY, 0),
    FIELD (history, ARRAY, 0),
};

static GQuark structure_name;

/* Empty values to copy: g_value_init () and the setters would look up the type
 * each time, which takes as long as the rest of the conversion. */
static GValue uint64_value, double_value, string_value;
/* Names of states are static and need no copy. */
static GValue state_values[GST_VISION_STATE_REJECTED + 1];

static void
init_fields_once (void)
{
  static gsize done;

  if (!g_once_init_enter (&done))
    return;
  structure_name = g_quark_from_static_string ("VisionObject");
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fields[i].quark = g_quark_from_static_string (fields[i].name);
  g_value_init (&uint64_value, G_TYPE_UINT64);
  g_value_init (&double_value, G_TYPE_DOUBLE);
  g_value_init (&string_value, G_TYPE_STRING);
  for (guint i = 0; i < G_N_ELEMENTS (state_values); i++) {
    const gchar *nick = gst_vision_state_nick (i);

    g_value_init (&state_values[i], G_TYPE_STRING);
    g_value_set_interned_string (
        &state_values[i], g_intern_static_string (nick));
  }
  g_once_init_leave (&done, 1);
}

/* Looking a field up by its quark spares hashing the name; 1.26 keeps names as
 * strings, a static one without a copy, and deprecates the quarks. */
#if GST_CHECK_VERSION(1, 26, 0)
# define new_structure() gst_structure_new_static_str_empty ("VisionObject")
# define take_field(s, f, v) gst_structure_take_value_static_str (s, f->name, v)
# define get_field(s, f) gst_structure_get_value (s, f->name)
#else
# define new_structure() gst_structure_new_id_empty (structure_name)
# define take_field(s, f, v) gst_structure_id_take_value (s, f->quark, v)
# define get_field(s, f) gst_structure_id_get_value (s, f->quark)
#endif

static gboolean
is_right_length (const Field *field, guint n)
{
  return n > 0 &&
      (field->length ? n == field->length || n == field->other : n % 2 == 0);
}

static gboolean
array_is_finite (const GstVisionArray *array)
{
  for (guint i = 0; i < array->n; i++)
    if (!isfinite (array->values[i]))
      return FALSE;
  return TRUE;
}

/* A copy of @text in valid UTF-8, since a structure refuses any other text. */
static gchar *
dup_utf8 (const gchar *text)
{
  return !text || g_utf8_validate (text, -1, NULL)
      ? g_strdup (text)
      : g_utf8_make_valid (text, -1);
}

/* FALSE if the field is not known; @value is then unset. */
static gboolean
field_to_value (const Field *field, const void *member, GValue *value)
{
  const gchar *string;
  const GstVisionArray *array;
  GstVisionState state;

  switch (field->type) {
    case FIELD_UINT64:
    case FIELD_UINT64_NOT_0:
      if (field->type == FIELD_UINT64_NOT_0 && !*(const guint64 *) member)
        return FALSE;
      *value = uint64_value;
      value->data[0].v_uint64 = *(const guint64 *) member;
      return TRUE;
    case FIELD_DOUBLE:
      if (!isfinite (*(const gdouble *) member))
        return FALSE;
      *value = double_value;
      value->data[0].v_double = *(const gdouble *) member;
      return TRUE;
    case FIELD_ARRAY:
      array = member;
      if (!array->values || !is_right_length (field, array->n) ||
          !array_is_finite (array))
        return FALSE;
      gst_vision_doubles_to_value (array->values, array->n, value);
      return TRUE;
    case FIELD_STATE:
      state = *(const GstVisionState *) member;
      if (state == GST_VISION_STATE_NONE || state > GST_VISION_STATE_REJECTED)
        return FALSE;
      *value = state_values[state];
      return TRUE;
    case FIELD_STRING:
      string = *(const gchar *const *) member;
      if (!string)
        return FALSE;
      *value = string_value;
      value->data[0].v_pointer = dup_utf8 (string);
      return TRUE;
  }
  return FALSE;
}

GstStructure *
gst_vision_object_to_structure (const GstVisionObject *object)
{
  GstStructure *structure;

  init_fields_once ();
  structure = new_structure ();
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const Field *field = &fields[i];
    GValue value = G_VALUE_INIT;

    if (field_to_value (field, (const gchar *) object + field->offset, &value))
      take_field (structure, field, &value);
  }
  return structure;
}

static GstVisionState
state_from_nick (const gchar *nick)
{
  GstVisionState state = GST_VISION_STATE_REJECTED;

  while (state != GST_VISION_STATE_NONE &&
      g_strcmp0 (gst_vision_state_nick (state), nick))
    state--;
  return state;
}

static void
array_from_value (
    const Field *field, const GValue *value, GstVisionArray *array)
{
  guint n =
      GST_VALUE_HOLDS_ARRAY (value) ? gst_value_array_get_size (value) : 0;
  gdouble *numbers;

  if (!is_right_length (field, n))
    return;
  numbers = g_new (gdouble, n);
  if (gst_vision_doubles_from_value (value, numbers))
    *array = (GstVisionArray){n, numbers};
  else
    g_free (numbers);
}

static void
field_from_value (const Field *field, const GValue *value, void *member)
{
  switch (field->type) {
    case FIELD_UINT64:
    case FIELD_UINT64_NOT_0:
      if (G_VALUE_HOLDS_UINT64 (value))
        *(guint64 *) member = g_value_get_uint64 (value);
      return;
    case FIELD_DOUBLE:
      if (G_VALUE_HOLDS_DOUBLE (value) && isfinite (g_value_get_double (value)))
        *(gdouble *) member = g_value_get_double (value);
      return;
    case FIELD_ARRAY:
      array_from_value (field, value, member);
      return;
    case FIELD_STATE:
      if (G_VALUE_HOLDS_STRING (value))
        *(GstVisionState *) member =
            state_from_nick (g_value_get_string (value));
      return;
    case FIELD_STRING:
      if (G_VALUE_HOLDS_STRING (value))
        *(gchar **) member = dup_utf8 (g_value_get_string (value));
      return;
  }
}

void
gst_vision_object_from_structure (
    GstVisionObject *object, const GstStructure *structure)
{
  init_fields_once ();
  gst_vision_object_init (object);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const Field *field = &fields[i];
    const GValue *value = get_field (structure, field);

    if (value)
      field_from_value (field, value, (gchar *) object + field->offset);
  }
}

/**
 * gst_vision_object_set_array:
 * @object: an object that owns its arrays, such as that of
 *   gst_vision_object_new()
 * @field: the name of an array: `pose`, `extent`, `covariance`, `outline` or
 *   `trajectory`
 * @values: (array length=n_values): the numbers; the function copies them
 * @n_values: how many numbers there are
 *
 * Replaces an array of an object, for languages that cannot set a
 * #GstVisionArray.
 *
 * Returns: %TRUE; or %FALSE if @object has no such array, if the array cannot
 *   have this length, or if a number is infinite or NaN: @object then stays as
 *   it is
 *
 * Since: 0.1
 */
gboolean
gst_vision_object_set_array (GstVisionObject *object, const gchar *field,
    const gdouble *values, guint n_values)
{
  const GstVisionArray array = {n_values, values};

  g_return_val_if_fail (object != NULL && field != NULL, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    GstVisionArray *old =
        (GstVisionArray *) ((gchar *) object + fields[i].offset);

    if (fields[i].type != FIELD_ARRAY || strcmp (fields[i].name, field))
      continue;
    if (!is_right_length (&fields[i], n_values) || !array_is_finite (&array))
      return FALSE;
    g_free ((gdouble *) old->values);
    old->n = n_values;
    old->values = g_memdup2 (values, n_values * sizeof *values);
    return TRUE;
  }
  return FALSE;
}
