/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: pattern=clutter. */

#define CLUTTER "pattern=clutter n-objects=4 "

static void
check_clutter_camera (GstBuffer *buffer, GstVisionCamera *camera)
{
  fail_unless (
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, camera));
  fail_unless (camera->ref_width == 160 && camera->ref_height == 120);
  fail_unless (camera->fx == 585 / 4. && camera->cy == 119 / 2.);
  fail_unless (camera->has_pose && camera->pose[2] > .4); /* over the table */
}

/* Two sources that differ in view alone are of one scene; a new one comes when
 * its time has come. */
GST_START_TEST (test_clutter_pair)
{
#define VIEW CLUTTER "num-buffers=4 scene-frames=2 label-map=true view="
  GstHarness *color = play (VIEW "color", "video/x-raw,format=RGB" SMALL);
  GstHarness *depth = play (VIEW "depth", "video/x-raw" SMALL);
  gdouble last = 0, now;
  gchar labels[16] = "";
  guint changes = 0;

  for (guint i = 0; i < 4; i++) {
    GstBuffer *c = pull (color), *d = pull (depth);
    GstVisionObjects *a = truth_of (c, 4), *b = truth_of (d, 4);
    GstVisionCamera camera[2];

    fail_unless_equals_int (gst_buffer_get_size (c), 160 * 120 * 3);
    fail_unless_equals_int (gst_buffer_get_size (d), 160 * 120 * 2);
    check_clutter_camera (c, &camera[0]);
    check_clutter_camera (d, &camera[1]);
    fail_unless (!memcmp (camera[0].pose, camera[1].pose, sizeof last * 7));
    for (guint k = 0; k < 4; k++) {
      const GstVisionObject *o = &a->objects[k], *p = &b->objects[k];

      fail_unless (o->pose.n == 7 && o->extent.n == 3 && p->pose.n == 7);
      fail_unless (!memcmp (o->pose.values, p->pose.values, sizeof last * 7));
      fail_unless (o->depth > .5 && o->depth < 1.2);
      fail_unless (o->score > 0 && o->score <= 1 && o->score == p->score);
      fail_unless_equals_string (o->label, p->label);
    }
    /* the table stays as it is for two frames: so do ways between things */
    now = fabs (a->objects[0].depth - a->objects[1].depth);
    fail_unless (i % 2 == 0 || fabs (now - last) < .01);
    changes += i == 2 && !g_str_equal (labels, a->objects[0].label);
    g_strlcpy (labels, a->objects[0].label, sizeof labels);
    last = now;
    gst_vision_objects_free (a);
    gst_vision_objects_free (b);
    gst_buffer_unref (c);
    gst_buffer_unref (d);
  }
  fail_unless_equals_int (changes, 1);
  gst_harness_teardown (color);
  gst_harness_teardown (depth);
}
GST_END_TEST;

GST_START_TEST (test_clutter_refuses)
{
  expect_refusal ("pattern=clutter view=depth", "video/x-raw,format=RGB");
  expect_refusal ("pattern=clutter view=color", "video/x-raw,format=GRAY16_LE");
  expect_refusal ("pattern=clutter meshes=/nowhere.ply", "video/x-raw");
}
GST_END_TEST;
