/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects as metadata: the schema, appending, scaling, malformed metas. */

#include "suite.h"
#include <math.h>
#include <string.h>

#include "meta/gstvisionmeta.h"

static const gdouble pose[] = {0.1, -0.2, 1.5, 1, 0, 0, 0};
static const gdouble extent[] = {0.3, 0.2, 0.1};
static const gdouble covariance[] = {4, 1, 1, 9};
static const gdouble outline[] = {10, 20, 40, 20, 40, 60};
static const gdouble trajectory[] = {20, 38, 24.5, 39.5};
static const gdouble history[] = {9, 18, 30, 40, -.5, 0, 10, 20, 30, 40, 0, 1};

#define ARRAY(values) \
 { \
  G_N_ELEMENTS (values), values \
 }

/* Every field is known, and none has the value of another. */
static const GstVisionObject full = {
    .id = G_GUINT64_CONSTANT (0x100000007),
    .element = "moct",
    .source = "tracker",
    .label = "red",
    .state = GST_VISION_STATE_OCCLUDED,
    .reason = "too small",
    .area = 1200,
    .x = 10,
    .y = 20,
    .width = 30,
    .height = 40,
    .cx = 24.5,
    .cy = 39.5,
    .score = 0.75,
    .distance = 3.5,
    .ratio = 0.25,
    .orientation = 0.5,
    .elongation = 2,
    .vx = -5,
    .vy = 6,
    .age = 1.25,
    .depth = 2.5,
    .pose = ARRAY (pose),
    .extent = ARRAY (extent),
    .covariance = ARRAY (covariance),
    .outline = ARRAY (outline),
    .trajectory = ARRAY (trajectory),
    .history = ARRAY (history),
};

static const GstStructure *
meta_of (GstBuffer *buffer, const gchar *name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);

  fail_unless (meta != NULL, "no %s", name);
  return gst_custom_meta_get_structure (meta);
}

static const GstStructure *
nth_object (const GstStructure *objects, guint index)
{
  const GValue *array = gst_structure_get_value (objects, "objects");

  fail_unless (array && GST_VALUE_HOLDS_ARRAY (array));
  fail_unless (index < gst_value_array_get_size (array));
  return gst_value_get_structure (gst_value_array_get_value (array, index));
}

static GstBuffer *
buffer_with (GstVisionOrigin origin, guint width, guint height,
    const GstVisionObject *objects, guint n)
{
  GstBuffer *buffer = gst_buffer_new ();

  fail_unless (gst_buffer_add_vision_objects (
      buffer, origin, width, height, objects, n));
  return buffer;
}

/* As docs/metadata.md has it: names, types and values. */
static const gchar schema[] =
    "VisionObject, element=(string)moct, source=(string)tracker, "
    "id=(guint64)4294967303, label=(string)red, state=(string)occluded, "
    "reason=(string)\"too small\", x=(double)10, y=(double)20, "
    "width=(double)30, height=(double)40, cx=(double)24.5, cy=(double)39.5, "
    "area=(guint64)1200, score=(double)0.75, distance=(double)3.5, "
    "ratio=(double)0.25, orientation=(double)0.5, elongation=(double)2, "
    "vx=(double)-5, vy=(double)6, age=(double)1.25, depth=(double)2.5, "
    "pose=(double)<0.1,-0.2,1.5,1,0,0,0>, extent=(double)<0.3,0.2,0.1>, "
    "covariance=(double)<4,1,1,9>, outline=(double)<10,20,40,20,40,60>, "
    "trajectory=(double)<20,38,24.5,39.5>, "
    "history=(double)<9,18,30,40,-0.5,0,10,20,30,40,0,1>;";

GST_START_TEST (test_schema)
{
  g_autoptr (GstBuffer) buffer =
      buffer_with (GST_VISION_ORIGIN_RESULT, 640, 480, &full, 1);
  const GstStructure *objects = meta_of (buffer, "VisionObjects");
  g_autoptr (GstStructure) wanted = gst_structure_from_string (schema, NULL);
  guint width, height;

  fail_unless (wanted != NULL);
  fail_unless_equals_int (gst_structure_n_fields (objects), 3);
  fail_unless (gst_structure_get (objects, "ref-width", G_TYPE_UINT, &width,
      "ref-height", G_TYPE_UINT, &height, NULL));
  fail_unless_equals_int (width, 640);
  fail_unless_equals_int (height, 480);
  fail_unless (gst_structure_is_equal (nth_object (objects, 0), wanted),
      "%" GST_PTR_FORMAT " is not %" GST_PTR_FORMAT, nth_object (objects, 0),
      wanted);
}
GST_END_TEST;

/* Whatever lay there before, and of an object that the library makes. */
GST_START_TEST (test_reserved_room)
{
  GstVisionObject object, *made;
  g_autoptr (GstVisionObjects) objects = NULL;
  g_autoptr (GstBuffer) buffer = NULL;

  memset (&object, 0xff, sizeof object);
  gst_vision_object_init (&object);
  object.score = .5;
  buffer = buffer_with (GST_VISION_ORIGIN_RESULT, 8, 8, &object, 1);
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  made = gst_vision_objects_nth (objects, 0);
  for (guint i = 0; i < G_N_ELEMENTS (object._gst_reserved); i++)
    fail_unless (!object._gst_reserved[i] && !made->_gst_reserved[i]);
  gst_vision_object_free (made);
}
GST_END_TEST;

static void
check_array (const GstVisionArray *array, const gdouble *wanted, guint n)
{
  fail_unless_equals_int (array->n, n);
  fail_unless (memcmp (array->values, wanted, n * sizeof *wanted) == 0);
}

/* As bindings fill in an object, which owns what it points to. */
GST_START_TEST (test_arrays_are_set)
{
  g_autoptr (GstVisionObject) object = gst_vision_object_new ();
  const gdouble none[] = {NAN, 0};

  fail_unless (isnan (object->x) && !object->pose.n);
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_vision_object_set_array (object, "pose", pose, 7));
    fail_unless (gst_vision_object_set_array (object, "outline", outline, 6));
  }
  fail_unless (!gst_vision_object_set_array (object, "pose", pose, 6));
  fail_unless (!gst_vision_object_set_array (object, "outline", none, 2));
  fail_unless (!gst_vision_object_set_array (object, "label", pose, 7));
  fail_unless (!gst_vision_object_set_array (object, "more", pose, 7));
  check_array (&object->pose, pose, 7);
  check_array (&object->outline, outline, 6);
}
GST_END_TEST;

GST_START_TEST (test_unknown_is_left_out)
{
  GstVisionObject object;
  g_autoptr (GstBuffer) buffer = NULL;

  gst_vision_object_init (&object);
  object.score = INFINITY;
  object.pose = (GstVisionArray){3, extent};
  object.outline = (GstVisionArray){3, extent};
  object.trajectory = (GstVisionArray){2, NULL};
  buffer = buffer_with (GST_VISION_ORIGIN_TRUTH, 8, 8, &object, 1);
  fail_unless_equals_int (gst_structure_n_fields (nth_object (
                              meta_of (buffer, "VisionTruthObjects"), 0)),
      1);
  fail_unless (!gst_buffer_get_custom_meta (buffer, "VisionObjects"));
}
GST_END_TEST;

static void
check_full (const GstVisionObject *object)
{
  fail_unless (object->id == full.id && object->area == full.area);
  fail_unless (object->state == full.state);
  fail_unless_equals_string (object->element, full.element);
  fail_unless_equals_string (object->source, full.source);
  fail_unless_equals_string (object->label, full.label);
  fail_unless_equals_string (object->reason, full.reason);
  fail_unless (memcmp (&object->x, &full.x,
                   G_STRUCT_OFFSET (GstVisionObject, pose) -
                       G_STRUCT_OFFSET (GstVisionObject, x)) == 0);
  check_array (&object->pose, pose, 7);
  check_array (&object->extent, extent, 3);
  check_array (&object->covariance, covariance, 4);
  check_array (&object->outline, outline, 6);
  check_array (&object->trajectory, trajectory, 4);
  check_array (&object->history, history, 12);
}

GST_START_TEST (test_read_back)
{
  GstBuffer *buffer =
      buffer_with (GST_VISION_ORIGIN_RESULT, 640, 480, &full, 1);
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  GstVisionObjects *copy = g_boxed_copy (GST_TYPE_VISION_OBJECTS, objects);
  GstVisionObject *first = gst_vision_objects_nth (copy, 0);

  gst_buffer_unref (buffer);
  fail_unless (objects->ref_width == 640 && objects->ref_height == 480);
  fail_unless_equals_int (objects->n_objects, 1);
  check_full (&objects->objects[0]);
  gst_vision_objects_free (objects);
  check_full (&copy->objects[0]);
  fail_unless (gst_vision_objects_nth (copy, 1) == NULL);
  g_boxed_free (GST_TYPE_VISION_OBJECTS, copy);
  check_full (first);
  g_boxed_free (GST_TYPE_VISION_OBJECT, first);
}
GST_END_TEST;

GST_START_TEST (test_nothing_found)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  g_autoptr (GstVisionObjects) objects = NULL;

  fail_unless (!gst_buffer_get_vision_objects (buffer, 0));
  fail_unless (gst_buffer_add_vision_objects (buffer, 0, 4, 2, NULL, 0));
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless (objects && objects->n_objects == 0 && objects->ref_width == 4);
}
GST_END_TEST;

/* Two elements of a chain, the second behind a videoscale to half the size. */
GST_START_TEST (test_append_scales)
{
  static const gdouble scaled_outline[] = {20.5, 40.5, 80.5, 40.5, 80.5, 120.5};
  static const gdouble scaled_covariance[] = {16, 4, 4, 36};
  static const gdouble scaled_history[] = {
      18, 36, 60, 80, -.5, 0, 20, 40, 60, 80, 0, 1};
  g_autoptr (GstBuffer) buffer =
      buffer_with (GST_VISION_ORIGIN_RESULT, 640, 480, &full, 1);
  g_autoptr (GstVisionObjects) objects = NULL;
  const GstVisionObject *o;

  fail_unless (gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_RESULT, 320, 240, &full, 1));
  objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  fail_unless_equals_int (objects->ref_width, 640);
  fail_unless_equals_int (objects->n_objects, 2);
  check_full (&objects->objects[0]);
  o = &objects->objects[1];
  fail_unless (o->x == 20 && o->y == 40 && o->width == 60 && o->height == 80);
  fail_unless (o->cx == 49.5 && o->cy == 79.5 && o->vx == -10 && o->vy == 12);
  fail_unless (o->area == 4800 && o->orientation == 0.5 && o->elongation == 2);
  fail_unless (o->age == full.age && o->depth == full.depth);
  check_array (&o->outline, scaled_outline, 6);
  check_array (&o->covariance, scaled_covariance, 4);
  check_array (&o->history, scaled_history, 12);
  check_array (&o->pose, pose, 7);
}
GST_END_TEST;

static void
check_near (gdouble value, gdouble wanted)
{
  fail_unless (
      fabs (value - wanted) < 1e-12, "%.15g is not %.15g", value, wanted);
}

/* A frame that becomes twice as wide: worked by hand. */
GST_START_TEST (test_axes_are_stretched)
{
  GstVisionObject axes[3];
  GstVisionObjects objects = {100, 100, 3, axes};

  for (guint i = 0; i < 3; i++) {
    gst_vision_object_init (&axes[i]);
    axes[i].orientation = G_PI / 4;
  }
  axes[1].elongation = 1; /* a circle becomes an ellipse along x */
  axes[2].elongation = 3;
  axes[2].orientation = G_PI / 2; /* 3 : 1 upright becomes 3 : 2 upright */
  gst_vision_objects_scale (&objects, 200, 100);
  check_near (axes[0].orientation, atan2 (1, 2));
  fail_unless (isnan (axes[0].elongation));
  check_near (axes[1].orientation, 0);
  check_near (axes[1].elongation, 2);
  check_near (fabs (axes[2].orientation), G_PI / 2);
  check_near (axes[2].elongation, 1.5);
}
GST_END_TEST;

GST_START_TEST (test_copies_are_apart)
{
  GstBuffer *buffer =
      buffer_with (GST_VISION_ORIGIN_RESULT, 640, 480, &full, 1);
  g_autoptr (GstBuffer) copy = gst_buffer_copy (buffer);
  GstVisionObjects *old, *new;

  gst_buffer_add_vision_objects (copy, 0, 640, 480, &full, 1);
  old = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  new = gst_buffer_get_vision_objects (copy, GST_VISION_ORIGIN_RESULT);
  fail_unless_equals_int (old->n_objects, 1);
  fail_unless_equals_int (new->n_objects, 2);
  check_full (&old->objects[0]);
  check_full (&new->objects[1]);
  gst_vision_objects_free (old);
  gst_vision_objects_free (new);

  gst_buffer_ref (buffer);
  ASSERT_CRITICAL (
      gst_buffer_add_vision_objects (buffer, 0, 640, 480, &full, 1));
  gst_buffer_unref (buffer);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

SUITE (meta, TEST (test_schema), TEST (test_reserved_room),
    TEST (test_arrays_are_set), TEST (test_unknown_is_left_out),
    TEST (test_read_back), TEST (test_nothing_found), TEST (test_append_scales),
    TEST (test_axes_are_stretched), TEST (test_copies_are_apart));
