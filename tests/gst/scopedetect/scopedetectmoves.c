/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect behind kinfumot: an object that jumps from one frame to the next
 * is followed if the metadata of the depth frames tells of the move, of the
 * object or of the camera; the output says which of kinfumot's objects it is.
 */
#include "suite.h"
#include "scopedetectscene.h"

#define FROM .0f
#define TO .2f /* metres: too far to be found near the last pose */
#define MOVER 7
#define MODEL 3

static GstVisionState state;

/* Adds kinfumot's object at @x to @depth. */
static void
add_mover (GstBuffer *depth, gdouble x, const gdouble *rotation)
{
  const gdouble pose[] = {
      x + .01, .02, .55, rotation[0], rotation[1], rotation[2], rotation[3]};
  const gdouble extent[] = {.1, .1, .1};
  GstVisionObject o;

  gst_vision_object_init (&o);
  o.element = "kinfumot";
  o.id = MOVER;
  o.model = MODEL;
  o.state = GST_VISION_STATE_TRACKING;
  o.pose = (GstVisionArray){7, pose};
  o.extent = (GstVisionArray){3, extent};
  fail_unless (gst_buffer_add_vision_objects (
      depth, GST_VISION_ORIGIN_RESULT, SOLID_WIDTH, SOLID_HEIGHT, &o, 1));
}

/* Adds an object that another element found in @depth. */
static void
add_stranger (GstBuffer *depth)
{
  GstVisionObject o;

  gst_vision_object_init (&o);
  o.element = "gpuccl";
  o.source = "gpuccl0";
  o.state = GST_VISION_STATE_NEW;
  fail_unless (gst_buffer_add_vision_objects (
      depth, GST_VISION_ORIGIN_RESULT, SOLID_WIDTH, SOLID_HEIGHT, &o, 1));
}

/* Adds the pose of a camera whose place in the world is -@x. */
static void
add_camera (GstBuffer *depth, gdouble x)
{
  const gdouble pose[] = {-x, 0, 0, 1, 0, 0, 0};
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = SOLID_WIDTH;
  camera.ref_height = SOLID_HEIGHT;
  camera.fx = camera.fy = 450;
  camera.cx = 159.5, camera.cy = 119.5;
  gst_vision_camera_set_pose (&camera, pose);
  fail_unless (
      gst_buffer_set_vision_camera (depth, GST_VISION_ORIGIN_RESULT, &camera));
}

/* Plays the solid at @x, whose frame of depth is @depth; the frame that comes
 * out. */
static GstBuffer *
play (Scene *s, GstBuffer *depth)
{
  GstBuffer *out;

  fail_unless_equals_int (
      gst_harness_push (
          s->colour, scene_buffer (s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128)),
      GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (s->depth, depth), GST_FLOW_OK);
  out = gst_harness_pull (s->colour);
  s->n++;
  return out;
}

static GstBuffer *
solid_at (Scene *s, gfloat x)
{
  Pose truth = solid_pose (.7, x, .55);

  return scene_depth (s, &truth);
}

/* The element's own object in @out. */
static guint64
id_of_solid (GstBuffer *out, guint64 *model, gdouble *x)
{
  g_autoptr (GstVisionObjects) objects =
      gst_buffer_get_vision_objects (out, GST_VISION_ORIGIN_RESULT);

  for (guint i = 0; objects && i < objects->n_objects; i++) {
    const GstVisionObject *o = &objects->objects[i];

    if (g_strcmp0 (o->element, "scopedetect") ||
        o->state == GST_VISION_STATE_OCCLUDED ||
        o->state == GST_VISION_STATE_LOST)
      continue;
    state = o->state;
    *model = o->model;
    *x = o->pose.values[0];
    return o->id;
  }
  return 0;
}

typedef enum {
  TELLS_NOTHING,
  TELLS_OBJECT,
  TELLS_CAMERA,
  TELLS_NONSENSE
} Tells;

static void
add_move (GstBuffer *depth, Tells tells, gfloat x)
{
  static const gdouble upright[] = {1, 0, 0, 0}, none[] = {0, 0, 0, 0};

  if (tells == TELLS_OBJECT)
    add_mover (depth, x, upright);
  else if (tells == TELLS_NONSENSE)
    add_mover (depth, x, none);
  else if (tells == TELLS_CAMERA)
    add_camera (depth, x);
}

/* Plays the solid at FROM, then at TO; whether it was followed. */
static void
jump (Tells tells, gboolean is_followed)
{
  g_auto (Scene) s = scene_new (model_path, QUICK);
  guint64 ids[2], models[2];
  gdouble x[2];
  const gfloat places[] = {FROM, TO};

  for (gint i = 0; i < 2; i++) {
    GstBuffer *depth = solid_at (&s, places[i]);
    g_autoptr (GstBuffer) out = NULL;

    add_move (depth, tells, places[i]);
    out = play (&s, depth);
    ids[i] = id_of_solid (out, &models[i], &x[i]);
    fail_unless (ids[i] != 0);
    fail_unless (fabs (x[i] - places[i]) < .003, "%g, not %g", x[i], places[i]);
    fail_unless_equals_uint64 (models[i], tells == TELLS_OBJECT ? MODEL : 0);
  }
  fail_unless_equals_int (ids[0] == ids[1], is_followed);
  fail_unless_equals_int (
      state, is_followed ? GST_VISION_STATE_TRACKING : GST_VISION_STATE_FOUND);
  fail_unless (scene_stat (&s, "searches") == (is_followed ? 1 : 2));
}

GST_START_TEST (test_jump_of_object)
{
  jump (TELLS_OBJECT, TRUE);
}
GST_END_TEST;

GST_START_TEST (test_jump_of_camera)
{
  jump (TELLS_CAMERA, TRUE);
}
GST_END_TEST;

GST_START_TEST (test_jump_untold)
{
  jump (TELLS_NOTHING, FALSE);
  jump (TELLS_NONSENSE, FALSE);
}
GST_END_TEST;

/* The output has kinfumot's object with its id, and the pose of its camera, but
 * no object of an element before kinfumot. */
GST_START_TEST (test_passes)
{
  g_auto (Scene) s = scene_new (model_path, QUICK);
  GstBuffer *depth = solid_at (&s, FROM);
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GstVisionObjects) objects = NULL;
  GstVisionCamera camera;
  guint movers = 0;

  add_stranger (depth);
  add_move (depth, TELLS_OBJECT, FROM);
  add_move (depth, TELLS_CAMERA, .125);
  out = play (&s, depth);
  objects = gst_buffer_get_vision_objects (out, GST_VISION_ORIGIN_RESULT);
  fail_unless_equals_int (objects->n_objects, 2);
  for (guint i = 0; i < 2; i++)
    if (g_str_equal (objects->objects[i].element, "kinfumot")) {
      fail_unless_equals_uint64 (objects->objects[i].id, MOVER);
      movers++;
    }
  fail_unless_equals_int (movers, 1);
  fail_unless (
      gst_buffer_get_vision_camera (out, GST_VISION_ORIGIN_RESULT, &camera));
  fail_unless (camera.has_pose && camera.pose[0] == -.125);
  fail_unless (camera.fx == 450);
}
GST_END_TEST;

SUITE (scopedetectmoves, TIMEOUT (120), AROUND_ALL (make_model, remove_model),
    TEST (test_jump_of_object), TEST (test_jump_of_camera),
    TEST (test_jump_untold), TEST (test_passes));
