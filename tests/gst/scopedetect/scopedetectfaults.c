/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: many models, models of one name, many objects of a model. */
#include "suite.h"
#include "scopedetectscene.h"

static gchar *
save (ScopedetectModel *model, const gchar *name)
{
  gchar *path = g_build_filename (model_folder, name, NULL);

  fail_unless (scopedetect_model_save (model, path) == NULL);
  scopedetect_model_free (model);
  return path;
}

/* Five hundred files; the one object in the frame is reported once. */
GST_START_TEST (test_many)
{
  g_autofree gchar *path = save (solid_model (.012), "coarse.model");
  GString *many = g_string_new (path);
  Pose truth = solid_pose (.7, 0, .5);
  GstVisionObjects *found;
  Scene s;

  for (gint i = 1; i < 500; i++)
    g_string_append_printf (many, ",%s", path);
  s = scene_new (many->str,
      INTRINSICS " depth-scale=0.0001 table-low=0.005 min-score=0.01 "
                 "queries=20 kept=200 clusters=5 last=2 explain=contest");
  found = scene_objects (&s, NULL, &truth);
  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, 1);
  fail_unless_equals_string (found->objects[0].label, "solid");
  gst_vision_objects_free (found);
  /* so few queries make no pose that one-stage believes in */
  g_object_set (
      s.element, "explain", SCOPEDETECT_ONE_STAGE, "tracking", FALSE, NULL);
  found = scene_objects (&s, NULL, &truth);
  fail_unless (!found || found->n_objects <= 1);
  gst_vision_objects_free (found);
  g_object_set (
      s.element, "explain", SCOPEDETECT_TWO_STAGE, "min-rest", 1, NULL);
  found = scene_objects (&s, NULL, &truth);
  fail_unless (!found || found->n_objects <= 1);
  gst_vision_objects_free (found);
  fail_unless (scene_stat (&s, "faulty") == 0);
  fail_unless (scene_stat (&s, "memory") < 1e9);
  scene_free (&s);
  g_string_append (many, ",nowhere.model");
  s = scene_new (many->str, INTRINSICS);
  gst_harness_push (
      s.colour, scene_buffer (&s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 0));
  gst_harness_push (s.depth, scene_depth (&s, NULL));
  expect_soon (s.bus, GST_MESSAGE_ERROR, "nowhere.model");
  scene_free (&s);
  g_string_free (many, TRUE);
  g_remove (path);
}
GST_END_TEST;

/* The lowest of the solid's boxes alone, by the solid's name. */
static ScopedetectModel *
slab_model (void)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  Solid s;

  solid_make (&s);
  s.mesh.n = 8;
  s.mesh.n_triangles = 12;
  fail_unless (
      scopedetect_model_compile (&model, &s.mesh, "solid", &how) == NULL);
  return model;
}

/* Two models of one name are two: each with its own size, id and pose. */
GST_START_TEST (test_names)
{
  g_autofree gchar *slab = save (slab_model (), "slab.model");
  g_autofree gchar *both = g_strdup_printf ("%s,%s", model_path, slab);
  g_auto (Scene) s = scene_new (both, QUICK "explain=none");
  Pose truth = solid_pose (.7, 0, .5);

  for (gint i = 0; i < 2; i++) {
    g_autoptr (GstVisionObjects) found = scene_objects (&s, NULL, &truth);

    fail_unless (found != NULL);
    fail_unless_equals_int (found->n_objects, 2);
    for (guint k = 0; k < 2; k++) {
      const GstVisionObject *o = &found->objects[k];

      fail_unless_equals_string (o->label, "solid");
      fail_unless_equals_uint64 (o->id, k + 1);
      fail_unless (ABS (o->extent.values[2] - (k ? .03 : .09)) < .005);
    }
  }
  g_remove (slab);
}
GST_END_TEST;

static guint
count_objects (Scene *s, const Pose *truth)
{
  g_autoptr (GstVisionObjects) found = scene_objects (s, NULL, truth);
  guint n = found ? found->n_objects : 0;

  return n;
}

/* Two files of one object: it is reported once.  What explain and its weights
 * are set to while frames flow holds from the next frame on. */
GST_START_TEST (test_explain)
{
  g_autofree gchar *twice = g_strdup_printf ("%s,%s", model_path, model_path);
  g_auto (Scene) s = scene_new (twice, QUICK "tracking=false");
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_int (count_objects (&s, &truth), 1);
  g_object_set (s.element, "explain", SCOPEDETECT_EACH, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 2);
  g_object_set (s.element, "explain", SCOPEDETECT_CONTEST, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 1);
  g_object_set (s.element, "explain", SCOPEDETECT_ONE_STAGE, "weight-object",
      1000., NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 0);
  g_object_set (s.element, "weight-object", .1, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 1);
  g_object_set (
      s.element, "explain", SCOPEDETECT_TWO_STAGE, "min-rest", 1, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 1);
  fail_unless (scene_stat (&s, "faulty") == 0);
}
GST_END_TEST;

/* Of two files of one object, whose votes are equal, the first is searched for;
 * what max-models is set to holds from the next frame on. */
GST_START_TEST (test_max_models)
{
  g_autofree gchar *twice = g_strdup_printf ("%s,%s", model_path, model_path);
  g_auto (Scene) s =
      scene_new (twice, QUICK "tracking=false explain=none max-models=1");
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_int (count_objects (&s, &truth), 1);
  fail_unless (scene_stat (&s, "models-searched") == 1);
  g_object_set (s.element, "max-models", 2, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 2);
  fail_unless (scene_stat (&s, "models-searched") == 2);
  g_object_set (s.element, "max-models", 0, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 2);
  fail_unless (scene_stat (&s, "models-searched") == 2);
  fail_unless (scene_stat (&s, "faulty") == 0);
}
GST_END_TEST;

/* One model explains the frame but for little: the second stage is left out,
 * and stats say so.  A search that its time ends is counted, and still tells
 * what it has. */
GST_START_TEST (test_stages)
{
  g_auto (Scene) s = scene_new (model_path,
      QUICK "tracking=false explain=two-stage first-weight-object=0 "
            "min-rest=1000 max-objects=2");
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_int (count_objects (&s, &truth), 1);
  fail_unless (scene_stat (&s, "stage2-left-out") == 1);
  fail_unless (scene_stat (&s, "rest") < 1000);
  fail_unless (scene_stat (&s, "cut-short") == 0);
  g_object_set (s.element, "schedule", SCOPEDETECT_SCHEDULE_THESIS,
      "restart-steps", 4000000, "max-time", 1, NULL);
  fail_unless_equals_int (count_objects (&s, &truth), 1);
  fail_unless (scene_stat (&s, "cut-short") == 1);
  fail_unless (scene_stat (&s, "steps") > 0);
  fail_unless (scene_stat (&s, "stage2-accepted") == 0);
  fail_unless (scene_stat (&s, "faulty") == 0);
}
GST_END_TEST;

#define APART .066f

/* The solid, moved on the table along its short side. */
static Pose
moved_aside (float along)
{
  Pose p = solid_pose (.7, 0, .5);
  Turn r = turn_of (p.q);

  p.t = vec_transform (&r, p.t, vec (0, along, 0));
  return p;
}

/* A frame of two solids that are nearer than half a diameter, by their points,
 * and turned so that sides are seen that hold each in every direction. */
static GstVisionObjects *
neighbours (Scene *s)
{
  const Pose at[] = {moved_aside (-APART / 2), moved_aside (APART / 2)};
  GstBuffer *depth = scene_depth (s, &at[0]), *buffer;
  GstVisionObjects *found;
  GstMapInfo map;

  fail_unless (gst_buffer_map (depth, &map, GST_MAP_WRITE));
  solid_draw ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, at[1]);
  gst_buffer_unmap (depth, &map);
  gst_harness_push (
      s->colour, scene_buffer (s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128));
  gst_harness_push (s->depth, depth);
  buffer = gst_harness_pull (s->colour);
  found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  gst_buffer_unref (buffer);
  s->n++;
  return found;
}

/* Two of one model side by side are two, and keep their ids. */
GST_START_TEST (test_neighbours)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "max-objects=2");
  Vec at[2] = {{0, 0, 0}, {0, 0, 0}};

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstVisionObjects) found = neighbours (&s);

    fail_unless_equals_int (found->n_objects, 2);
    for (guint k = 0; k < 2; k++) {
      const GstVisionObject *o = &found->objects[k];
      Vec here = vec ((gfloat) o->pose.values[0], (gfloat) o->pose.values[1],
          (gfloat) o->pose.values[2]);

      fail_unless (o->id == 1 || o->id == 2);
      fail_unless (!i || vec_norm (vec_sub (here, at[o->id - 1])) < .003f);
      at[o->id - 1] = here;
    }
  }
  fail_unless (ABS (vec_norm (vec_sub (at[0], at[1])) - APART) < .005f);
  fail_unless (scene_stat (&s, "searches") == 1);
}
GST_END_TEST;

/* GObject warns of a value out of range; newer ones say that it is critical. */
static void
set_out_of_range (GstElement *element, gint value)
{
  _gst_check_raised_warning = _gst_check_raised_critical = FALSE;
  _gst_check_expecting_log = TRUE;
  g_object_set (element, "max-objects", value, NULL);
  _gst_check_expecting_log = FALSE;
  fail_unless (_gst_check_raised_warning || _gst_check_raised_critical);
}

/* max-objects at its maximum: the one object in the frame is reported once, in
 * the first frame and when it is followed. */
GST_START_TEST (test_objects)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "max-objects=64");
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_FOUND), 1);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_TRACKING), 1);
  g_object_set (s.element, "max-objects", 1, NULL);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_TRACKING), 1);
  set_out_of_range (s.element, 65);
  set_out_of_range (s.element, 0);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_TRACKING), 1);
  fail_unless (scene_stat (&s, "searches") == 1);
}
GST_END_TEST;

/* A camera of two numbers is refused at the start. */
GST_START_TEST (test_refused_start)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("scopedetect", NULL);

  g_object_set (element, "intrinsics", "1,2", NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
}
GST_END_TEST;

SUITE (scopedetectfaults, TIMEOUT (240), AROUND (make_model, remove_model),
    TEST (test_many), TEST (test_names), TEST (test_explain),
    TEST (test_max_models), TEST (test_stages), TEST (test_neighbours),
    TEST (test_objects), TEST (test_refused_start));
