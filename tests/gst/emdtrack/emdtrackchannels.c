/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack with frames of several channels, described by caps or by
 * properties: targets that only their spectrum tells from the ground. */
#include "suite.h"
#include "emdtrackstage.h"

#define FIELDS ", channels=4, channel-layout=stacked"

/* Frames of four channels, one below the other; @fields say so, or nothing. */
static void
set_stacked (Stage *s, const gchar *fields)
{
  g_autoptr (GstCaps) caps =
      stage_format (s, GST_VIDEO_FORMAT_GRAY8, WIDTH, 4 * HEIGHT);
  g_autofree gchar *text = gst_caps_to_string (caps);
  g_autofree gchar *all = g_strconcat (text, fields, NULL);

  s->rows = 4;
  gst_harness_set_src_caps (s->h, gst_caps_from_string (all));
}

GST_START_TEST (test_stacked)
{
  static const gchar *histograms[] = {"codebook", "channels"};

  for (guint i = 0; i < 2 * G_N_ELEMENTS (histograms); i++) {
    g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
    g_autoptr (GstVisionObjects) found = NULL;

    gst_util_set_object_arg (
        G_OBJECT (s.h->element), "histogram", histograms[i / 2]);
    if (i % 2) {
      g_object_set (s.h->element, "channels", 4, NULL);
      gst_util_set_object_arg (
          G_OBJECT (s.h->element), "channel-layout", "stacked");
    }
    set_stacked (&s, i % 2 ? "" : FIELDS);
    stage_follow (&s, 15, 3);
    found = stage_push (&s);
    fail_unless_equals_int (found->ref_width, WIDTH);
    fail_unless_equals_int (found->ref_height, HEIGHT);
  }
}
GST_END_TEST;

/* The same brightness everywhere: by grey values there is nothing to follow. */
GST_START_TEST (test_spectra_map)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  g_autoptr (GstBuffer) buffer = NULL;
  GstVisionMap map;
  GstMapInfo info;
  gdouble inside, outside;

  g_object_set (s.h->element, "emd-map", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (s.h->element), "histogram", "channels");
  set_stacked (&s, FIELDS ", wavelengths=(double)<400, 500, 600, 700>");
  buffer = gst_harness_push_and_pull (s.h, stage_frame (&s));
  fail_unless (gst_buffer_find_vision_map (
      buffer, GST_VISION_ORIGIN_RESULT, "emd", &map));
  fail_unless_equals_int (map.height, HEIGHT);
  gst_buffer_map (map.pixels, &info, GST_MAP_READ);
  inside = map.scale *
      *(guint16 *) (gpointer) (info.data + (Y + 5) * map.stride +
          2 * (s.x + 5));
  outside = map.scale *
      *(guint16 *) (gpointer) (info.data + (Y + 5) * map.stride + 2 * 100);
  /* in nm: bands 0 and 1 swap some 15 % of all light, 2 and 3 as well */
  fail_unless (inside < 10, "%g", inside);
  fail_unless (outside > 20 && outside < 60, "%g", outside);
  gst_buffer_unmap (map.pixels, &info);
}
GST_END_TEST;

/* The truth's first target in the first frame of @source, as a target. */
static gchar *
first_box (const gchar *source)
{
  g_autofree gchar *line = g_strdup_printf ("%s num-buffers=1", source);
  g_autoptr (Harness) h = gst_harness_new_parse (line);
  g_autoptr (GstVisionObjects) truth = NULL;
  g_autoptr (GstBuffer) buffer = NULL;

  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  truth = gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);
  return g_strdup_printf ("it:%d,%d,%d,%d", (gint) truth->objects[0].x,
      (gint) truth->objects[0].y, (gint) truth->objects[0].width,
      (gint) truth->objects[0].height);
}

/* That target, of the ground's colour, is followed for @n frames; returns how
 * many of them it is found in. */
static guint
follow_truth (const gchar *scene, guint n)
{
  g_autofree gchar *source =
      g_strdup_printf ("%s n-objects=1 seed=3 distractors=0", scene);
  g_autofree gchar *box = first_box (source);
  g_autofree gchar *line = g_strdup_printf (
      "%s num-buffers=%u ! emdtrack bins=8 targets=%s", source, n, box);
  g_autoptr (Harness) h = gst_harness_new_parse (line);
  guint hits = 0;

  gst_harness_play (h);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    g_autoptr (GstVisionObjects) truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);
    g_autoptr (GstVisionObjects) found =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
    const GstVisionObject *t = &truth->objects[0], *o;

    if (found->n_objects == 1 && i > 0) {
      o = &found->objects[0];
      hits += o->state == GST_VISION_STATE_TRACKING &&
          hypot (o->cx - t->cx, o->cy - t->cy) < 20;
    }
  }
  return hits;
}

GST_START_TEST (test_truth)
{
  guint stacked =
      follow_truth ("visiontestsrc pattern=multispectral channels=4", 20);
  guint mosaic = follow_truth (
      "visiontestsrc pattern=multispectral channel-layout=mosaic", 20);

  fail_unless (stacked >= 17, "stacked: %u", stacked);
  fail_unless (mosaic >= 17, "mosaic: %u", mosaic);
}
GST_END_TEST;

SUITE (emdtrackchannels, TIMEOUT (120), TEST (test_stacked),
    TEST (test_spectra_map), TEST (test_truth));
