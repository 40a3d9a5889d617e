/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionobject.h"

#include <math.h>
#include <string.h>

#include "gstvisionmirror.h"
#include "gstvisionstructure.h"

G_DEFINE_ENUM_TYPE (GstVisionState, gst_vision_state,
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_NONE, "none"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_NEW, "new"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_TRACKING, "tracking"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_OCCLUDED, "occluded"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_LOST, "lost"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_FOUND, "found"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_ACCEPTED, "accepted"),
    G_DEFINE_ENUM_VALUE (GST_VISION_STATE_REJECTED, "rejected"))

G_DEFINE_BOXED_TYPE (GstVisionObject, gst_vision_object, gst_vision_object_copy,
    gst_vision_object_free)

/**
 * gst_vision_state_nick:
 * @state: a #GstVisionState
 *
 * Names a state as the meta does.
 *
 * Returns: the nick, such as "tracking"; "" for %GST_VISION_STATE_NONE and for
 *   a number that is no state
 *
 * Since: 0.1
 */
const gchar *
gst_vision_state_nick (GstVisionState state)
{
  static gpointer states;
  const GEnumValue *value;

  if (g_once_init_enter (&states))
    g_once_init_leave (&states, g_type_class_ref (GST_TYPE_VISION_STATE));
  value =
      state == GST_VISION_STATE_NONE ? NULL : g_enum_get_value (states, state);
  return value ? value->value_nick : "";
}

/**
 * gst_vision_object_new:
 *
 * Makes an object whose fields are all not known.  It owns its texts and
 * arrays: set its texts to copies, and its arrays by
 * gst_vision_object_set_array().
 *
 * Returns: (transfer full): the object; free it with gst_vision_object_free()
 *
 * Since: 0.1
 */
GstVisionObject *
gst_vision_object_new (void)
{
  GstVisionObject *object = g_new (GstVisionObject, 1);

  gst_vision_object_init (object);
  return object;
}

/**
 * gst_vision_object_init:
 * @object: an object
 *
 * Marks all fields as not known.  The function frees nothing that @object
 * points to.
 *
 * Since: 0.1
 */
void
gst_vision_object_init (GstVisionObject *object)
{
  *object = (GstVisionObject){
      .x = NAN,
      .y = NAN,
      .width = NAN,
      .height = NAN,
      .cx = NAN,
      .cy = NAN,
      .score = NAN,
      .distance = NAN,
      .ratio = NAN,
      .orientation = NAN,
      .elongation = NAN,
      .vx = NAN,
      .vy = NAN,
      .age = NAN,
      .depth = NAN,
  };
}

static void
own_array (GstVisionArray *array)
{
  array->values = g_memdup2 (array->values, array->n * sizeof (gdouble));
}

void
gst_vision_object_own (GstVisionObject *object)
{
  object->element = g_strdup (object->element);
  object->source = g_strdup (object->source);
  object->label = g_strdup (object->label);
  object->reason = g_strdup (object->reason);
  own_array (&object->pose);
  own_array (&object->extent);
  own_array (&object->covariance);
  own_array (&object->outline);
  own_array (&object->trajectory);
  own_array (&object->history);
}

void
gst_vision_object_disown (GstVisionObject *object)
{
  g_free ((gchar *) object->element);
  g_free ((gchar *) object->source);
  g_free ((gchar *) object->label);
  g_free ((gchar *) object->reason);
  g_free ((gdouble *) object->pose.values);
  g_free ((gdouble *) object->extent.values);
  g_free ((gdouble *) object->covariance.values);
  g_free ((gdouble *) object->outline.values);
  g_free ((gdouble *) object->trajectory.values);
  g_free ((gdouble *) object->history.values);
}

/**
 * gst_vision_object_copy:
 * @object: an object
 *
 * Copies an object and all that it points to.
 *
 * Returns: (transfer full): the copy; free it with gst_vision_object_free()
 *
 * Since: 0.1
 */
GstVisionObject *
gst_vision_object_copy (const GstVisionObject *object)
{
  GstVisionObject *copy = g_memdup2 (object, sizeof *object);

  gst_vision_object_own (copy);
  return copy;
}

/**
 * gst_vision_object_free:
 * @object: (transfer full): an object that gst_vision_object_new(),
 *   gst_vision_object_copy() or gst_vision_objects_nth() returned
 *
 * Frees an object and all that it points to.
 *
 * Since: 0.1
 */
void
gst_vision_object_free (GstVisionObject *object)
{
  gst_vision_object_disown (object);
  g_free (object);
}

/* ---- Types: the names of objects in the metas of other elements ---- */

/* A type is a quark, which lives as long as the process.  Labels of metas from
 * outside make a limited number of types. */
#define MAX_TYPES 4096
#define MAX_BYTES 256  /* of a type's name, with its end */
#define OTHER "object" /* an object without a usable name */

static const gchar *
type_name (const GstVisionObject *object)
{
  const gchar *name = object->label ? object->label : object->element;

  return name && strnlen (name, MAX_BYTES) < MAX_BYTES ? name : OTHER;
}

GQuark
gst_vision_object_find_type (const GstVisionObject *object)
{
  GQuark known = g_quark_try_string (type_name (object));

  return known ? known : g_quark_from_static_string (OTHER);
}

GQuark
gst_vision_object_make_type (const GstVisionObject *object)
{
  static gint made; /* atomic */
  const gchar *name = type_name (object);
  GQuark known = g_quark_try_string (name);

  if (known)
    return known;
  if (g_atomic_int_get (&made) >= MAX_TYPES)
    return g_quark_from_static_string (OTHER);
  g_atomic_int_inc (&made);
  return g_quark_from_string (name);
}

gboolean
gst_vision_object_is_type (const gchar *type)
{
  return type && strnlen (type, MAX_BYTES) < MAX_BYTES &&
      g_utf8_validate (type, -1, NULL);
}
