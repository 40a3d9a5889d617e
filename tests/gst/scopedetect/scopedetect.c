/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: a known solid is found where it is, and followed; what it is
 * played with and what can be wrong. */
#include "suite.h"
#include <unistd.h>

#include "scopedetectscene.h"

/* Found, followed while it moves, searched for again after a jump, hidden, gone
 * for good. */
GST_START_TEST (test_tracking)
{
  g_auto (Scene) s = scene_new (model_path, QUICK);
  Pose truth = solid_pose (.7, 0, .5);

  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_FOUND), 1);
  for (gint i = 1; i <= 3; i++) {
    truth = solid_pose (.7 + .02 * i, .004 * i, .5);
    fail_unless_equals_uint64 (
        scene_find (&s, &truth, GST_VISION_STATE_TRACKING), 1);
  }
  fail_unless (scene_stat (&s, "searches") == 1);
  truth = solid_pose (2.8, -.1, .55);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_FOUND), 2);
  fail_unless (scene_stat (&s, "searches") == 2);
  scene_miss (&s, 2, GST_VISION_STATE_OCCLUDED);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_TRACKING), 2);
  g_object_set (s.element, "lose-frames", 1, NULL);
  scene_miss (&s, 2, GST_VISION_STATE_OCCLUDED);
  scene_miss (&s, 2, GST_VISION_STATE_LOST);
  scene_miss (&s, 0, GST_VISION_STATE_NONE);
  fail_unless_equals_uint64 (
      scene_find (&s, &truth, GST_VISION_STATE_FOUND), 3);
  fail_unless (scene_stat (&s, "faulty") == 0);
}
GST_END_TEST;

/* The preset fast has the defaults, for every parameter. */
GST_START_TEST (test_presets)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("scopedetect", NULL);
  GstPreset *preset = GST_PRESET (element);

  fail_unless (gst_preset_load_preset (preset, "thesis"));
  fail_unless (gst_preset_load_preset (preset, "fast"));
  for (const Param *p = scopedetect_params; p->field; p++) {
    g_auto (GValue) value = G_VALUE_INIT;
    GParamSpec *spec;
    char name[PARAM_NAME];

    param_name (p, name);
    spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
    g_object_get_property (G_OBJECT (element), name, &value);
    fail_unless (g_param_value_defaults (spec, &value), "%s", name);
  }
}
GST_END_TEST;

/* A search where a score drops, here below what was found, and now and then
 * while something is missing. */
GST_START_TEST (test_searches)
{
  g_auto (Scene) s = scene_new (
      model_path, QUICK "max-objects=2 search-interval=2 explain=contest");
  Pose truth = solid_pose (.7, 0, .5);
  static const gdouble searches[] = {1, 1, 2, 2, 3};

  for (guint i = 0; i < G_N_ELEMENTS (searches); i++) {
    gst_vision_objects_free (scene_objects (&s, NULL, &truth));
    fail_unless (scene_stat (&s, "searches") == searches[i]);
  }
  /* a heavier part of the score lowers it, once */
  g_object_set (
      s.element, "search-interval", 0, "keep", .95, "weight-edge", 2.3, NULL);
  gst_vision_objects_free (scene_objects (&s, NULL, &truth));
  fail_unless (scene_stat (&s, "searches") == 4);
  gst_vision_objects_free (scene_objects (&s, NULL, &truth));
  fail_unless (scene_stat (&s, "searches") == 4);
}
GST_END_TEST;

/* Without tracking every frame is searched, and nothing has an id. */
GST_START_TEST (test_alone)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "tracking=false");
  Pose truth = solid_pose (.7, 0, .5);

  for (gint i = 0; i < 2; i++)
    fail_unless_equals_uint64 (
        scene_find (&s, &truth, GST_VISION_STATE_FOUND), 0);
  fail_unless (scene_stat (&s, "searches") == 2);
}
GST_END_TEST;

/* Two of one model keep their ids apart; both names of one file count. */
GST_START_TEST (test_models)
{
  g_autofree gchar *twice =
      g_strdup_printf (" %s ;; %s,", model_path, model_path);
  g_auto (Scene) s = scene_new (twice, QUICK "explain=none");
  Pose truth = solid_pose (.7, 0, .5);

  for (gint i = 0; i < 2; i++) {
    g_autoptr (GstVisionObjects) found = scene_objects (&s, NULL, &truth);

    fail_unless_equals_int (found->n_objects, 2);
    fail_unless_equals_uint64 (found->objects[0].id, 1);
    fail_unless_equals_uint64 (found->objects[1].id, 2);
  }
}
GST_END_TEST;

/* What is posted on the bus. */
GST_START_TEST (test_told)
{
  g_auto (Scene) s = scene_new (model_path, QUICK "post-messages=true");
  Pose truth = solid_pose (.7, .02, .5);
  const GstStructure *told;
  g_autoptr (GstMessage) message = NULL;

  scene_find (&s, &truth, GST_VISION_STATE_FOUND);
  message = gst_bus_pop_filtered (s.bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  told = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (told, "scopedetect"));
  fail_unless (gst_structure_has_field (told, "objects"));
}
GST_END_TEST;

/* Colours in any order, the end of one input, and again. */
GST_START_TEST (test_stream)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_YUY2};
  g_auto (Scene) s = scene_new (model_path, QUICK);
  Pose truth = solid_pose (.7, 0, .5);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstVisionObjects) found = NULL;
    GstVideoInfo info;

    gst_video_info_set_format (&info, formats[i], SOLID_WIDTH, SOLID_HEIGHT);
    scene_caps (s.colour, formats[i], SOLID_WIDTH, SOLID_HEIGHT);
    found = scene_objects (&s, scene_buffer (&s, info.size, 100), &truth);
    fail_unless_equals_int (found->n_objects, 1);
    fail_unless (ABS (found->objects[0].pose.values[2] - .5) < .003);
  }
  gst_harness_push_event (s.depth, gst_event_new_eos ());
  gst_harness_push (
      s.colour, scene_buffer (&s, SOLID_WIDTH * SOLID_HEIGHT * 2, 0));
  for (;;) {
    GstEvent *event = gst_harness_pull_event (s.colour);
    gboolean end;

    fail_unless (event != NULL, "there is no end");
    end = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
    if (end)
      break;
  }
}
GST_END_TEST;

/* Without a camera frames pass, and are counted; that of the buffer serves. */
GST_START_TEST (test_camera)
{
  g_auto (Scene) s = scene_new (model_path, "depth-scale=0.0001 queries=1500");
  Pose truth = solid_pose (.7, 0, .5);
  GstVisionObjects *found = scene_objects (&s, NULL, &truth);
  GstVisionCamera camera;
  GstBuffer *colour;

  fail_unless (found == NULL);
  expect_soon (s.bus, GST_MESSAGE_WARNING, "camera is not known");
  fail_unless (scene_stat (&s, "faulty") == 1);
  gst_vision_camera_init (&camera);
  camera.ref_width = 2 * SOLID_WIDTH;
  camera.ref_height = 2 * SOLID_HEIGHT;
  camera.fx = camera.fy = 900;
  camera.cx = 319.5;
  camera.cy = 239.5;
  colour = scene_buffer (&s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128);
  gst_buffer_set_vision_camera (colour, GST_VISION_ORIGIN_RESULT, &camera);
  found = scene_objects (&s, colour, &truth);
  fail_unless (found != NULL && found->n_objects == 1);
  gst_vision_objects_free (found);
  /* what cannot be together while it plays costs frames alone */
  g_object_set (s.element, "near", 5., "far", 4., "intrinsics",
      "450,450,159.5,119.5", NULL);
  fail_unless (scene_objects (&s, NULL, &truth) == NULL);
  fail_unless (scene_stat (&s, "faulty") == 2);
  g_object_set (s.element, "near", .1, "intrinsics", "1,1,159.5,119.5", NULL);
  fail_unless (scene_objects (&s, NULL, &truth) == NULL);
  fail_unless (scene_stat (&s, "faulty") == 3);
}
GST_END_TEST;

/* Frames that are refused as soon as they come, with @problem. */
static void
refuse (const gchar *models, const gchar *properties, gint depth_width,
    const gchar *problem)
{
  g_auto (Scene) s = scene_new (models, properties);

  scene_caps (s.depth, GST_VIDEO_FORMAT_GRAY16_LE, depth_width, SOLID_HEIGHT);
  gst_harness_push (
      s.colour, scene_buffer (&s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 0));
  gst_harness_push (
      s.depth, scene_buffer (&s, 2 * (gsize) depth_width * SOLID_HEIGHT, 0));
  expect_soon (s.bus, GST_MESSAGE_ERROR, problem);
}

GST_START_TEST (test_errors)
{
  g_autofree gchar *cut = g_build_filename (model_folder, "cut.model", NULL);
  g_autofree gchar *bytes = NULL;
  gsize n;

  refuse (NULL, QUICK, SOLID_WIDTH, "there are no models");
  refuse (" ;,", QUICK, SOLID_WIDTH, "there are no models");
  refuse ("/nowhere/cup.model", QUICK, SOLID_WIDTH, "/nowhere/cup.model");
  fail_unless (g_file_get_contents (model_path, &bytes, &n, NULL));
  fail_unless (g_file_set_contents (cut, bytes, (gssize) n / 2, NULL));
  refuse (cut, QUICK, SOLID_WIDTH, "damaged");
  fail_unless (g_file_set_contents (cut, "ply\n", -1, NULL));
  refuse (cut, QUICK, SOLID_WIDTH, "vision-model");
  refuse (model_path, QUICK, SOLID_WIDTH / 2, "same size");
  refuse (model_path, QUICK "near=3 far=1", SOLID_WIDTH, "near must be less");
  g_remove (cut);
}
GST_END_TEST;

SUITE (scopedetect, TIMEOUT (240), AROUND (make_model, remove_model),
    TEST (test_tracking), TEST (test_presets), TEST (test_searches),
    TEST (test_alone), TEST (test_models), TEST (test_told), TEST (test_stream),
    TEST (test_camera), TEST (test_errors));
