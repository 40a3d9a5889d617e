/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element pocstereo sees in frames of a rig that is wrong. */
#include "suite.h"
#include "pocstereoviews.h"

/* Left is right and right is left: said once. */
GST_START_TEST (test_swapped)
{
  g_auto (Views) v = views_grey ("mode=points");

  for (guint i = 0; i < 12; i++, v.n++) {
    gst_harness_push (v.left, views_make (&v, 1));
    gst_harness_push (v.right, views_make (&v, 0));
    gst_buffer_unref (gst_harness_pull (v.left));
  }
  expect_soon (v.bus, GST_MESSAGE_WARNING, "seem to be swapped");
  expect_silence (v.bus);
}
GST_END_TEST;

/* Ends both inputs, and waits until the output ends. */
static void
end (Views *v)
{
  gboolean over = FALSE;

  gst_harness_push_event (v->left, gst_event_new_eos ());
  gst_harness_push_event (v->right, gst_event_new_eos ());
  while (!over) {
    g_autoptr (GstEvent) event = gst_harness_pull_event (v->left);

    fail_unless (event != NULL);
    over = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
  }
}

/* A pair of pictures says it at its end. */
GST_START_TEST (test_swapped_pair)
{
  for (guint swapped = 0; swapped < 2; swapped++) {
    g_auto (Views) v = views_grey ("mode=points");

    gst_harness_push (v.left, views_make (&v, swapped));
    gst_harness_push (v.right, views_make (&v, !swapped));
    gst_buffer_unref (gst_harness_pull (v.left));
    expect_silence (v.bus);
    end (&v);
    if (swapped)
      expect_soon (v.bus, GST_MESSAGE_WARNING, "seem to be swapped");
    expect_silence (v.bus);
  }
}
GST_END_TEST;

/* Views of different things: said once, of few frames at their end. */
GST_START_TEST (test_apart)
{
  for (guint n = 1; n < 16; n += 14) {
    g_auto (Views) v = views_grey ("mode=points");

    for (guint i = 0; i < n; i++, v.n++) {
      GstBuffer *right = views_make (&v, 1);
      GstMapInfo map;

      gst_buffer_map (right, &map, GST_MAP_WRITE);
      for (gint p = 0; p < WIDTH * HEIGHT; p++)
        map.data[p] = views_texture (p % WIDTH + 5000, p / WIDTH);
      gst_buffer_unmap (right, &map);
      gst_harness_push (v.left, views_make (&v, 0));
      gst_harness_push (v.right, right);
      gst_buffer_unref (gst_harness_pull (v.left));
    }
    if (n < 5)
      expect_silence (v.bus);
    end (&v);
    expect_soon (v.bus, GST_MESSAGE_WARNING, "do not match");
    expect_silence (v.bus);
  }
}
GST_END_TEST;

/* Rows of the right view that are too low: measured, and said once, of few
 * frames at their end. */
GST_START_TEST (test_askew)
{
  for (gint k = 0; k < 4; k++) {
    g_auto (Views) v = views_grey ("mode=points");
    guint n = k & 1 ? 8 : 2;
    gint rows = k & 2;
    GstStructure *stats;
    gdouble offset;

    for (guint i = 0; i < n; i++, v.n++) {
      GstBuffer *right = views_make (&v, 1);
      GstMapInfo map;

      gst_buffer_map (right, &map, GST_MAP_READWRITE);
      memmove (
          map.data + rows * WIDTH, map.data, (gsize) (HEIGHT - rows) * WIDTH);
      gst_buffer_unmap (right, &map);
      gst_harness_push (v.left, views_make (&v, 0));
      gst_harness_push (v.right, right);
      gst_buffer_unref (gst_harness_pull (v.left));
    }
    g_object_get (v.element, "stats", &stats, NULL);
    fail_unless (gst_structure_get_double (stats, "vertical-offset", &offset));
    fail_unless (fabs (offset - rows) < .2, "%f", offset);
    gst_structure_free (stats);
    if (n < 5)
      expect_silence (v.bus);
    end (&v);
    if (rows)
      expect_soon (v.bus, GST_MESSAGE_WARNING, "rows lower than the left one");
    expect_silence (v.bus);
  }
}
GST_END_TEST;

SUITE (pocstereodiagnose, TIMEOUT (120), TEST (test_swapped),
    TEST (test_swapped_pair), TEST (test_apart), TEST (test_askew));
