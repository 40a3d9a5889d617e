/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects as regions of interest, and metas through the elements that drop or
 * forget others. */
#include "suite.h"
#include "regions.h"

GST_START_TEST (test_regions)
{
  GstVisionObject objects[10];
  GstBuffer *buffer;

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    objects[i] = box;
  objects[1].id = G_GUINT64_CONSTANT (0x500000004);
  objects[1].label = NULL;
  objects[2] =
      (GstVisionObject){.x = -5.5, .y = 475.5, .width = 10.25, .height = 30};
  objects[3].x = 640; /* beside the frame */
  objects[4].y = -20;
  objects[5].width = 0;
  objects[6].cx = objects[6].x = NAN;
  objects[7].state = GST_VISION_STATE_LOST;
  objects[8].state = GST_VISION_STATE_REJECTED;
  objects[9].id = 9;
  objects[9].x = -1e30;
  objects[9].width = 2e30;
  buffer = frame_with (objects, G_N_ELEMENTS (objects));
  fail_unless_equals_int (n_regions (buffer), 4);
  check_region (buffer, "red", 3, 100, 50, 40, 20);
  check_region (buffer, "moct", 4, 100, 50, 40, 20);
  check_region (buffer, "object", 0, 0, 475, 5, 5);
  check_region (buffer, "red", 9, 0, 50, 640, 20);
  gst_buffer_unref (buffer);

  buffer = frame ();
  gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_TRUTH, 640, 480, &box, 1);
  fail_unless_equals_int (n_regions (buffer), 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Regions are in pixels of who adds them, whatever the objects refer to. */
GST_START_TEST (test_regions_of_another_size)
{
  g_autoptr (GstBuffer) buffer = frame_with (NULL, 0);

  gst_buffer_add_vision_objects (buffer, 0, 320, 240, &box, 1);
  check_region (buffer, "red", 3, 100, 50, 40, 20);
}
GST_END_TEST;

GST_START_TEST (test_metas_survive)
{
  static const struct {
    const gchar *elements, *out;
  } chains[] = {
      {"identity", RGBA (BIG)},
      {"queue", RGBA (BIG)},
      {"videoconvert", "video/x-raw,format=NV12," BIG ",framerate=1/1"},
      {"videoscale", RGBA (SMALL)},
      {"identity ! visionmeta ! visionjson location=/dev/null", RGBA (BIG)},
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++) {
    g_autoptr (GstBuffer) buffer = frame_with (&box, 1);
    g_autoptr (GstVisionObjects) objects = NULL;
    GstVisionCamera camera;

    add_camera (buffer);
    buffer =
        push_through (chains[i].elements, RGBA (BIG), chains[i].out, buffer);
    objects = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
    fail_unless (objects != NULL, "%s drops it", chains[i].elements);
    fail_unless_equals_int (objects->n_objects, 1);
    fail_unless_equals_int (objects->ref_width, 640);
    fail_unless_equals_string (objects->objects[0].label, "red");
    fail_unless (objects->objects[0].x == 100 && objects->objects[0].id == 3);
    fail_unless (gst_buffer_get_vision_camera (buffer, 0, &camera));
    fail_unless (camera.fx == 500 && camera.ref_width == 640);
  }
}
GST_END_TEST;

static gdouble
microseconds (gint64 *since, guint n)
{
  gint64 start = *since;

  *since = g_get_monotonic_time ();
  return (gdouble) (*since - start) / n;
}

/* For information; what is asserted is only that nothing is out of all
 * proportion. */
GST_START_TEST (test_speed_of_eight)
{
  enum { N = 1000 };
  static const gdouble trail[] = {1, 2, 3, 4, 5, 6, 7, 8};
  GstVideoInfo info = {.width = 320, .height = 240};
  g_autoptr (Harness) h =
      gst_harness_new_parse ("visionjson location=/dev/null");
  GstVisionObject objects[8];
  GstBuffer *buffers[N], *copies[N];
  gdouble add, copy, read, mirror, json;
  gint64 now;

  for (guint i = 0; i < 8; i++) {
    objects[i] = box;
    objects[i].id = i + 1;
    objects[i].source = "moct0";
    objects[i].state = GST_VISION_STATE_TRACKING;
    objects[i].area = 800;
    objects[i].score = 1 / 3.0;
    objects[i].trajectory = (GstVisionArray){8, trail};
  }
  gst_harness_set_src_caps_str (h, RGBA (BIG));
  for (guint i = 0; i < N; i++)
    buffers[i] = gst_buffer_new ();
  now = g_get_monotonic_time ();
  for (guint i = 0; i < N; i++)
    gst_buffer_add_vision_objects (buffers[i], 0, 640, 480, objects, 8);
  add = microseconds (&now, N);
  for (guint i = 0; i < N; i++)
    copies[i] = gst_buffer_copy (buffers[i]);
  copy = microseconds (&now, N);
  for (guint i = 0; i < N; i++)
    gst_vision_objects_free (gst_buffer_get_vision_objects (copies[i], 0));
  read = microseconds (&now, N);
  for (guint i = 0; i < N; i++)
    gst_buffer_mirror_vision_objects (copies[i], &info);
  mirror = microseconds (&now, N);
  for (guint i = 0; i < N; i++)
    gst_harness_push (h, buffers[i]);
  json = microseconds (&now, N);
  g_print ("8 objects, us: add %.2f, copy %.2f, read %.2f, mirror anew %.2f, "
           "visionjson %.2f\n",
      add, copy, read, mirror, json);
  fail_unless (add + copy + read + mirror + json < 10000);
  for (guint i = 0; i < N; i++)
    gst_buffer_unref (copies[i]);
}
GST_END_TEST;

SUITE (metamirror, TEST (test_regions), TEST (test_regions_of_another_size),
    TEST (test_metas_survive), TEST (test_speed_of_eight));
