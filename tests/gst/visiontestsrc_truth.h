/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: what it attaches, and its properties. */

static GstVisionObjects *
truth_of (GstBuffer *buffer, guint n)
{
  GstVisionObjects *truth =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

  fail_unless (truth != NULL);
  fail_unless_equals_int (truth->n_objects, n);
  fail_unless (!gst_buffer_get_vision_objects (buffer, 0));
  return truth;
}

GST_START_TEST (test_truth)
{
  static const gchar *names[] = {"red", "orange", "yellow", "green", "cyan"};
  GstHarness *h = play ("num-buffers=2 n-objects=5 occlusion=false",
      "video/x-raw,framerate=25/1,width=320,height=240");
  GstBuffer *now = pull (h), *later = pull (h);
  GstVisionObjects *truth = truth_of (now, 5), *next = truth_of (later, 5);

  fail_unless (truth->ref_width == 320 && truth->ref_height == 240);
  fail_unless_equals_int (
      gst_buffer_n_vision_maps (now, GST_VISION_ORIGIN_TRUTH), 0);
  for (guint i = 0; i < 5; i++) {
    const GstVisionObject *o = &truth->objects[i], *then = &next->objects[i];

    fail_unless_equals_uint64 (o->id, i + 1);
    fail_unless_equals_string (o->label, names[i]);
    fail_unless_equals_string (o->element, "visiontestsrc");
    fail_unless_equals_string (o->source, "src");
    fail_unless (o->state == GST_VISION_STATE_TRACKING);
    fail_unless (o->score == 1 && o->area > 200);
    fail_unless (o->x >= 0 && o->x + o->width <= 320 && o->y >= 0 &&
        o->y + o->height <= 240 && o->area <= o->width * o->height);
    fail_unless (o->cx > o->x && o->cx < o->x + o->width);
    fail_unless (o->elongation >= 1 && fabs (o->orientation) <= G_PI / 2);
    /* pixels a second */
    fail_unless (fabs (then->cx - o->cx - o->vx / 25) < .5);
    fail_unless (fabs (then->cy - o->cy - o->vy / 25) < .5);
  }
  gst_vision_objects_free (truth);
  gst_vision_objects_free (next);
  gst_buffer_unref (now);
  gst_buffer_unref (later);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* The map counted again gives the objects. */
static void
check_labels (GstBuffer *buffer, const GstVisionObjects *truth)
{
  GstVisionMap labels;
  GstMapInfo map;

  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_TRUTH, "labels", &labels));
  fail_unless (labels.width == truth->ref_width && labels.stride == 2 * 161);
  fail_unless (labels.invalid == 0 && labels.scale == 1 && labels.offset == 0);
  fail_unless_equals_string (labels.format, "u16");
  fail_unless (gst_buffer_map (labels.pixels, &map, GST_MAP_READ));
  for (guint i = 0; i < truth->n_objects; i++) {
    const GstVisionObject *o = &truth->objects[i];
    guint64 area = 0, sum = 0;

    for (guint at = 0; at < 161 * 99; at++)
      if (((guint16 *) map.data)[at] == o->id)
        area++, sum += at % 161;
    fail_unless_equals_uint64 (o->area, area);
    fail_unless (area ? fabs (o->cx - (gdouble) sum / area) < 1e-6
                      : isnan (o->cx) && o->score == 0);
  }
  gst_buffer_unmap (labels.pixels, &map);
}

GST_START_TEST (test_label_map)
{
  GstHarness *h = play ("num-buffers=8 n-objects=12 label-map=true speed=8",
      "video/x-raw,width=161,height=99");

  for (int i = 0; i < 8; i++) {
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth = truth_of (buffer, 12);

    check_labels (buffer, truth);
    gst_vision_objects_free (truth);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}
GST_END_TEST;

/* Hidden objects stay in the truth, as occluded, with nothing to see. */
GST_START_TEST (test_occlusion)
{
  GstHarness *h = play ("num-buffers=400", "video/x-raw" SMALL);
  guint hidden = 0, part = 0;

  for (int i = 0; i < 400; i++) {
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth = truth_of (buffer, 8);

    for (guint k = 0; k < 8; k++) {
      const GstVisionObject *o = &truth->objects[k];

      fail_unless ((o->area == 0) == (o->state == GST_VISION_STATE_OCCLUDED));
      fail_unless ((o->area == 0) == isnan (o->x));
      fail_unless ((o->area == 0) == (o->score == 0));
      hidden += o->area == 0;
      part += o->score > 0 && o->score < 1;
    }
    gst_vision_objects_free (truth);
    gst_buffer_unref (buffer);
  }
  fail_unless (hidden > 10 && part > 100);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_properties_while_playing)
{
  GstHarness *h = play ("", "video/x-raw" SMALL);
  GstElement *src = gst_harness_find_element (h, "visiontestsrc");

  for (guint i = 0; i < 60; i++) {
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    if (i > 2)
      fail_unless (truth->n_objects == 1 + 40 * (i - 1) % 1024 ||
              truth->n_objects == 1 + 40 * (i - 2) % 1024 ||
              truth->n_objects == 1 + 40 * (i - 3) % 1024,
          "%u objects in frame %u", truth->n_objects, i);
    g_object_set (src, "n-objects", 1 + 40 * i % 1024, "noise", i % 9 * 1.,
        "shadows", i % 5 * .1, "texture", i % 3 * .5, "seed", (guint64) i / 4,
        "speed", i % 7 * 1., "occlusion", i % 2, "twins", i * 4, "distractors",
        256 - i * 4, "label-map", i % 2, NULL);
    gst_vision_objects_free (truth);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (src);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_palette)
{
  GstElement *src = gst_element_factory_make ("visiontestsrc", NULL);

  for (int n = 1; n <= 1024; n = n == 1024 ? 1025 : MIN (5 * n, 1024)) {
    gchar *palette, **entries;

    g_object_set (src, "n-objects", n, NULL);
    g_object_get (src, "palette", &palette, NULL);
    entries = g_strsplit (palette, ";", -1);
    fail_unless_equals_int (g_strv_length (entries), n);
    for (int i = 0; i < n; i++)
      fail_unless (
          g_regex_match_simple (
              "^[a-z0-9]+:#[0-9a-f]{6}~[0-9]+\\.[0-9]$", entries[i], 0, 0),
          "entry %s", entries[i]);
    if (n <= 12)
      fail_unless (g_str_has_prefix (entries[0], "red:#"));
    g_strfreev (entries);
    g_free (palette);
  }
  gst_object_unref (src);
}
GST_END_TEST;
