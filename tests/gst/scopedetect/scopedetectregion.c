/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: only a part of the frame is searched: a box, the boxes that came
 * with the frames, or what kinfumot and gpuccl say of a solid that begins to
 * move. */
#include "suite.h"
#include "scopedetectscene.h"

#define ELSEWHERE "10,10,60,60"
#define THERE "80,60,160,140"

/* Pushes a pair of frames, of which the depth is @depth; the objects that come
 * out. */
static GstVisionObjects *
look (Scene *s, GstBuffer *depth)
{
  GstBuffer *out;
  GstVisionObjects *objects;

  gst_harness_push (
      s->colour, scene_buffer (s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128));
  gst_harness_push (s->depth, depth);
  out = gst_harness_pull (s->colour);
  objects = gst_buffer_get_vision_objects (out, GST_VISION_ORIGIN_RESULT);
  gst_buffer_unref (out);
  s->n++;
  return objects;
}

/* How many of the solid @label are seen; frees @objects. */
static guint
count (GstVisionObjects *objects)
{
  guint n = 0;

  for (guint i = 0; objects && i < objects->n_objects; i++)
    n += g_str_equal (objects->objects[i].element, "scopedetect") &&
        g_strcmp0 (objects->objects[i].label, "solid") == 0;
  if (objects)
    gst_vision_objects_free (objects);
  return n;
}

GST_START_TEST (test_box)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "region=" ELSEWHERE);
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_int (count (look (&s, scene_depth (&s, &truth))), 0);
  g_object_set (s.element, "region", THERE, NULL);
  scene_find (&s, &truth, GST_VISION_STATE_FOUND);
  g_object_set (s.element, "region", "one,two", NULL);
  expect_soon (s.bus, GST_MESSAGE_WARNING, "x,y,width,height");
  scene_find (&s, &truth, GST_VISION_STATE_TRACKING);
}
GST_END_TEST;

/* A frame of the solid with an object in @state, whose box is half of the frame
 * if its width is 80. */
static GstBuffer *
with_box (Scene *s, const Pose *truth, GstVisionState state, gdouble width)
{
  GstBuffer *depth = scene_depth (s, truth);
  GstVisionObject o;

  gst_vision_object_init (&o);
  o.element = "gpuccl";
  o.id = 1;
  o.state = state;
  o.x = 40, o.y = 30, o.width = width, o.height = 70;
  fail_unless (gst_buffer_add_vision_objects (depth, GST_VISION_ORIGIN_RESULT,
      SOLID_WIDTH / 2, SOLID_HEIGHT / 2, &o, 1));
  return depth;
}

/* Candidates are not objects; nothing is searched without an object that has a
 * box. */
GST_START_TEST (test_meta)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "region=meta");
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_int (count (look (&s, scene_depth (&s, &truth))), 0);
  fail_unless_equals_int (
      count (look (&s, with_box (&s, &truth, GST_VISION_STATE_NEW, 80))), 0);
  fail_unless_equals_int (
      count (look (&s, with_box (&s, &truth, GST_VISION_STATE_FOUND, NAN))), 0);
  fail_unless_equals_int (
      count (look (&s, with_box (&s, &truth, GST_VISION_STATE_ACCEPTED, 80))),
      1);
  fail_unless (scene_stat (&s, "searches") == 1);
  fail_unless_equals_int (count (look (&s, scene_depth (&s, &truth))), 1);
  fail_unless (scene_stat (&s, "searches") == 1);
}
GST_END_TEST;

/* The solid @still, another one at @moving, and behind them a corner of the
 * room, which says where the camera is. */
static GstBuffer *
two_solids (Scene *s, const Pose *still, Pose moving)
{
  GstBuffer *depth = scene_depth (s, still);
  GstMapInfo map;

  fail_unless (gst_buffer_map (depth, &map, GST_MAP_READWRITE));
  solid_draw ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, moving);
  for (guint i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++) {
    guint16 *at = (guint16 *) (void *) map.data + i;
    gint wall = 7000 + 12 * ABS ((gint) (i % SOLID_WIDTH) - SOLID_WIDTH / 2);

    *at = (guint16) MIN (*at ? *at : wall, wall);
  }
  gst_buffer_unmap (depth, &map);
  return depth;
}

/* Whether kinfumot follows an object in @depth. */
static gboolean
is_followed (GstBuffer *depth)
{
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (depth, GST_VISION_ORIGIN_RESULT);
  gboolean found = FALSE;

  for (guint i = 0; objects && i < objects->n_objects; i++)
    found |= g_str_equal (objects->objects[i].element, "kinfumot") &&
        objects->objects[i].state == GST_VISION_STATE_TRACKING;
  if (objects)
    gst_vision_objects_free (objects);
  return found;
}

#define FRAMES 20
#define STILL 5 /* frames before it moves */

/* Two solids are there: the one that begins to move is segmented by gpuccl,
 * followed by kinfumot and named by scopedetect; the other is not. */
GST_START_TEST (test_named)
{
  GstHarness *h;
  Scene s;
  const Pose still = solid_pose (2.1, -.1, .5);

  if (!gst_registry_check_feature_version (
          gst_registry_get (), "kinfumot", 0, 0, 0))
    return;
  h = gst_harness_new_parse (
      "kinfumot " INTRINSICS " depth-scale=0.0001 voxel-size=0.004 "
      "truncation=0.02 max-memory=64 ! gpuccl "
      "min-size=700 min-extent=8");
  scene_caps (h, GST_VIDEO_FORMAT_GRAY16_LE, SOLID_WIDTH, SOLID_HEIGHT);
  /* the largest plane is a wall, on which nothing stands */
  s = scene_new (model_path, QUICK "region=meta max-objects=2 table=false");
  for (gint i = 0; i < FRAMES; i++) {
    gfloat x = .03f + .006f * (gfloat) MAX (i - STILL, 0);
    GstBuffer *depth = gst_harness_push_and_pull (
        h, two_solids (&s, &still, solid_pose (.7, x, .55)));
    gboolean followed = is_followed (depth);
    g_autoptr (GstVisionObjects) objects = look (&s, depth);

    fail_unless (objects->n_objects == 0 || i > STILL);
    if (i == FRAMES - 1) {
      fail_unless (followed);
      fail_unless_equals_int (objects->n_objects, 2); /* and kinfumot's */
      fail_unless_equals_string (objects->objects[0].label, "solid");
      fail_unless_equals_string (objects->objects[1].element, "kinfumot");
      fail_unless_equals_uint64 (
          objects->objects[0].model, objects->objects[1].model);
      fail_unless (fabs (objects->objects[0].pose.values[0] - x) < .005,
          "%g, not %g", objects->objects[0].pose.values[0], x);
    }
  }
  gst_harness_teardown (h);
  scene_free (&s);
}
GST_END_TEST;

SUITE (scopedetectregion, TIMEOUT (300), AROUND_ALL (make_model, remove_model),
    TEST (test_box), TEST (test_meta), TEST (test_named));
