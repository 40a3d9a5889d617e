/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack: where it finds a target in frames of one channel and of
 * colours, and what it does while it plays. */
#include "suite.h"
#include "emdtrackstage.h"

GST_START_TEST (test_formats)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_YUY2,
      GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_RGBx,
      GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGR,
      GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_auto (Stage) s = stage_new (formats[i], TARGETS);

    stage_follow (&s, 12, 3);
  }
}
GST_END_TEST;

/* In grey, by intensities; the velocity is 2 pixels in 40 ms. */
GST_START_TEST (test_intensity)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  g_autoptr (GstVisionObjects) found = NULL;

  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", "intensity");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT));
  stage_follow (&s, 20, 3);
  found = stage_push (&s);
  fail_unless (fabs (found->objects[0].vx - 50) < 25);
  fail_unless (fabs (found->objects[0].vy) < 25);
  fail_unless_equals_float (found->objects[0].age, .8);
}
GST_END_TEST;

static GstVisionState
state_of_next (Stage *s, guint64 *id)
{
  g_autoptr (GstVisionObjects) found = stage_push (s);
  GstVisionState state = found->objects[0].state;

  fail_unless_equals_int (found->n_objects, 1);
  *id = found->objects[0].id;
  return state;
}

GST_START_TEST (test_states)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);
  guint64 id = stage_follow (&s, 5, 3), now;

  g_object_set (s.h->element, "lose-frames", 4, NULL);
  s.hidden = TRUE;
  for (guint i = 0; i < 3; i++)
    fail_unless (state_of_next (&s, &now) == GST_VISION_STATE_OCCLUDED);
  for (guint i = 0; i < 3; i++)
    fail_unless (state_of_next (&s, &now) == GST_VISION_STATE_LOST);
  s.hidden = FALSE;
  fail_unless (state_of_next (&s, &now) == GST_VISION_STATE_FOUND);
  fail_unless_equals_uint64 (now, id);
  fail_unless_equals_uint64 (stage_confirm (&s, 5, 3), id);
}
GST_END_TEST;

/* New targets take the place of the old, while it plays; none may be left. */
GST_START_TEST (test_targets)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);
  GstVisionObjects *found = stage_push (&s);
  gchar *box;

  fail_unless_equals_int (found->n_objects, 0);
  gst_vision_objects_free (found);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), "no targets");
  box = g_strdup_printf (
      "square:%d,%d,%d,%d", START_X + 2 * (gint) s.n, Y, SIDE, SIDE);
  g_object_set (s.h->element, "targets", box, NULL);
  g_free (box);
  fail_unless_equals_uint64 (stage_follow (&s, 8, 3), 1);
  g_object_set (s.h->element, "search", 20., "scales", 1, "template-update",
      .05, "normalise-gain", TRUE, "window", 5, "saturation", 20., NULL);
  fail_unless_equals_uint64 (stage_follow (&s, 8, 3), 1);
  g_object_set (s.h->element, "targets", "a:0,0,10,10;roi=100,90,9,20", NULL);
  found = stage_push (&s);
  fail_unless_equals_int (found->n_objects, 2);
  fail_unless_equals_string (found->objects[0].label, "a");
  fail_unless_equals_string (found->objects[1].label, "target");
  fail_unless_equals_uint64 (found->objects[0].id, 2);
  gst_vision_objects_free (found);
  g_object_set (s.h->element, "targets", "", NULL);
  found = stage_push (&s);
  fail_unless_equals_int (found->n_objects, 0);
  gst_vision_objects_free (found);
}
GST_END_TEST;

/* A box of a later frame: until it comes there are no targets, and no warning.
 */
GST_START_TEST (test_later_box)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);
  g_autofree gchar *box =
      g_strdup_printf ("square:%d,%d,%d,%d@0.2", START_X + 10, Y, SIDE, SIDE);
  static const gchar *wrong[] = {
      "1,2,3,4@", "1,2,3,4@-1", "1,2,3,4@nan", "1,2,3,4@1x", "1,2,3,4 5", "@1"};

  g_object_set (s.h->element, "targets", box, NULL);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GstVisionObjects) found = stage_push (&s);

    fail_unless_equals_int (found->n_objects, 0);
  }
  fail_unless (!gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING));
  fail_unless_equals_uint64 (stage_follow (&s, 8, 3), 1);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autofree gchar *text = NULL;

    g_object_set (s.h->element, "targets", wrong[i], NULL);
    g_object_get (s.h->element, "targets", &text, NULL);
    fail_unless_equals_string (text, box);
  }
}
GST_END_TEST;

/* A stream that ends before the frame of its targets says so. */
GST_START_TEST (test_box_that_comes_too_late)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);
  g_autoptr (GstVisionObjects) found = NULL;

  g_object_set (s.h->element, "targets",
      __i__ ? "1,2,9,9;late:1,2,9,9@99.5" : "1,2,9,9", NULL);
  found = stage_push (&s);
  fail_unless_equals_int (found->n_objects, !__i__);
  fail_unless (!gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING));
  fail_unless (gst_harness_push_event (s.h, gst_event_new_eos ()));
  if (__i__)
    expect_once (s.bus, GST_MESSAGE_WARNING, "before the frame at 99.5 s");
  else
    fail_unless (!gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING));
}
GST_END_TEST;

/* Regions of the type that is asked for, of the first frame that has any. */
GST_START_TEST (test_target_meta)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);

  g_object_set (s.h->element, "target-meta", "square", NULL);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = stage_frame (&s);
    g_autoptr (GstVisionObjects) found = NULL;

    gst_buffer_add_video_region_of_interest_meta (
        buffer, i == 1 ? "square" : "face", s.x, Y, SIDE, SIDE);
    buffer = gst_harness_push_and_pull (s.h, buffer);
    found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
    fail_unless_equals_int (found->n_objects, i > 0);
  }
  stage_follow (&s, 5, 3);
}
GST_END_TEST;

GST_START_TEST (test_wrong_meta)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, NULL);
  GstBuffer *buffer = stage_frame (&s);
  GstVisionObjects *found;

  g_object_set (s.h->element, "target-meta", "square", NULL);
  for (guint i = 0; i < 10; i++)
    gst_buffer_add_video_region_of_interest_meta (
        buffer, "square", s.x, Y, i ? SIDE : 0, SIDE);
  buffer = gst_harness_push_and_pull (s.h, buffer);
  found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  fail_unless_equals_int (found->n_objects, 8);
  gst_vision_objects_free (found);
  gst_buffer_unref (buffer);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING),
      "there can be 8 targets");
}
GST_END_TEST;

/* Where all is alike a target stays where it is. */
GST_START_TEST (test_flat)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_GRAY8, TARGETS);

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) buffer = stage_frame (&s);
    g_autoptr (GstVisionObjects) found = NULL;

    gst_buffer_memset (buffer, 0, 9, gst_buffer_get_size (buffer));
    buffer = gst_harness_push_and_pull (s.h, buffer);
    found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
    fail_unless (fabs (found->objects[0].cx - START_X - SIDE / 2) <= 2);
    fail_unless (fabs (found->objects[0].cy - Y - SIDE / 2) <= 2);
  }
}
GST_END_TEST;

/* The light goes down after the first frame. */
GST_START_TEST (test_gain)
{
  for (gint made_up_for = 0; made_up_for < 2; made_up_for++) {
    g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);
    GstVisionObjects *found = stage_push (&s);

    g_object_set (s.h->element, "normalise-gain", made_up_for, NULL);
    for (guint i = 0; i < 3; i++) {
      g_autoptr (GstBuffer) buffer = stage_frame (&s);
      GstMapInfo map;

      gst_buffer_map (buffer, &map, GST_MAP_READWRITE);
      for (gsize k = 0; k < map.size; k++)
        map.data[k] = map.data[k] * 4 / 10;
      gst_buffer_unmap (buffer, &map);
      buffer = gst_harness_push_and_pull (s.h, buffer);
      gst_vision_objects_free (found);
      found = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
      fail_unless ((found->objects[0].distance < .2) == made_up_for);
    }
    fail_unless (
        !made_up_for || fabs (found->objects[0].cx - s.x - SIDE / 2) < 2);
    gst_vision_objects_free (found);
  }
}
GST_END_TEST;

/* The brightness of grey values of 8 bits is compared with that of 16 bits. */
GST_START_TEST (test_gain_and_caps)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_GRAY8, TARGETS);
  guint64 id;

  g_object_set (s.h->element, "normalise-gain", TRUE, NULL);
  stage_follow (&s, 3, 3);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, HEIGHT));
  fail_unless (state_of_next (&s, &id) == GST_VISION_STATE_FOUND);
  stage_confirm (&s, 3, 3);
}
GST_END_TEST;

/* The light goes out but for one pixel: no gain makes up for that, and the
 * stream goes on. */
GST_START_TEST (test_dark)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  g_autoptr (GstVisionObjects) found = NULL;
  GstBuffer *buffer;

  g_object_set (s.h->element, "normalise-gain", TRUE, NULL);
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, 640, 480));
  gst_vision_objects_free (stage_push (&s));
  buffer = stage_frame (&s);
  gst_buffer_memset (buffer, 0, 0, gst_buffer_get_size (buffer));
  gst_buffer_memset (buffer, 0, 1, 3);
  found = fed_objects (s.h, buffer);
  fail_unless (found != NULL);
  fail_unless_equals_int (found->objects[0].state, GST_VISION_STATE_OCCLUDED);
}
GST_END_TEST;

GST_START_TEST (test_messages)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);
  const GstStructure *structure;
  const GValue *objects;
  GstMessage *message;
  gdouble ratio;

  g_object_set (s.h->element, "post-messages", TRUE, NULL);
  stage_follow (&s, 2, 3);
  for (guint i = 0; i < 2; i++) {
    message = gst_bus_pop_filtered (s.bus, GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
    structure = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (structure, "emdtrack"));
    objects = gst_structure_get_value (structure, "objects");
    fail_unless_equals_int (gst_value_array_get_size (objects), 1);
    fail_unless (gst_structure_get_double (
        gst_value_get_structure (gst_value_array_get_value (objects, 0)),
        "ratio", &ratio));
    gst_message_unref (message);
  }
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_ELEMENT) == NULL);
}
GST_END_TEST;

/* After a seek the target is searched for in the whole frame, under a new id;
 * and so where frames get another size. */
GST_START_TEST (test_flush_and_caps)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);
  guint64 id = stage_follow (&s, 3, 3), now;

  s.n += 20; /* 40 pixels further */
  fed_seek (s.h);
  fail_unless (state_of_next (&s, &now) == GST_VISION_STATE_FOUND);
  fail_unless (now > id);
  fail_unless_equals_uint64 (stage_confirm (&s, 3, 3), now);
  id = now;
  s.n += 20;
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_BGRx, 200, 101));
  fail_unless (state_of_next (&s, &now) == GST_VISION_STATE_FOUND);
  fail_unless (now > id);
  stage_confirm (&s, 3, 3);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_eos ()));
  fail_unless_equals_int (
      gst_harness_push (s.h, stage_frame (&s)), GST_FLOW_EOS);
}
GST_END_TEST;

/* Stopped and started again, it chooses as the first time. */
GST_START_TEST (test_restart)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);

  stage_follow (&s, 10, 3);
  gst_element_set_state (s.h->element, GST_STATE_NULL);
  gst_element_set_state (s.h->element, GST_STATE_PLAYING);
  s.n = 0;
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT));
  stage_follow (&s, 10, 3);
}
GST_END_TEST;

SUITE (emdtrack, TIMEOUT (120), TEST (test_formats), TEST (test_intensity),
    TEST (test_states), TEST (test_targets), TEST (test_later_box),
    LOOP (test_box_that_comes_too_late, 2), TEST (test_target_meta),
    TEST (test_wrong_meta), TEST (test_flat), TEST (test_gain),
    TEST (test_gain_and_caps), TEST (test_dark), TEST (test_messages),
    TEST (test_flush_and_caps), TEST (test_restart));
