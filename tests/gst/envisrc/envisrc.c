/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element envisrc, on cubes that are written here: number (x, y, band) is
 * known in every order, type and byte order. */
#include "suite.h"
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "envicube.h"

/* Every order, type and byte order gives the same frames. */
GST_START_TEST (test_values)
{
  static const gchar *const orders[] = {"bsq", "bil", "bip"};
  static const guint types[] = {1, 2, 3, 4, 5, 12, 13};

  for (guint i = 0; i < G_N_ELEMENTS (orders) * G_N_ELEMENTS (types) * 2; i++) {
    guint type = types[i / 2 % G_N_ELEMENTS (types)];
    g_autoptr (Harness) h = NULL;
    g_autoptr (GstBuffer) buffer = NULL;

    put_cube ("cube", orders[i / (2 * G_N_ELEMENTS (types))], type, i % 2);
    h = play (
        "cube.hdr", "num-buffers=1 full-scale=65535", "video/x-raw", NULL);
    buffer = gst_harness_pull (h);
    for (guint b = 0; b < BANDS; b++)
      for (guint y = 0; y < LINES; y++)
        for (guint x = 0; x < SAMPLES; x++)
          fail_unless_equals_int (value_at (buffer, x, b * LINES + y),
              number_of (x, y, b) & (type == 1 ? 255 : 65535));
  }
}
GST_END_TEST;

/* Six bands as four channels: means of bands 0, 1-2, 3 and 4-5. */
GST_START_TEST (test_channels)
{
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  const GstStructure *s;
  const GValue *list;
  gint channels, height;

  put_cube ("cube", "bil", 12, FALSE);
  h = play ("cube.hdr", "num-buffers=1 channels=4", "video/x-raw", NULL);
  buffer = gst_harness_pull (h);
  caps = gst_pad_get_current_caps (h->sinkpad);
  s = gst_caps_get_structure (caps, 0);
  fail_unless (gst_structure_get_int (s, "channels", &channels));
  fail_unless (gst_structure_get_int (s, "height", &height));
  fail_unless_equals_int (channels, 4);
  fail_unless_equals_int (height, 4 * LINES);
  fail_unless_equals_string (
      gst_structure_get_string (s, "channel-layout"), "stacked");
  list = gst_structure_get_value (s, "wavelengths");
  fail_unless_equals_int (gst_value_array_get_size (list), 4);
  fail_unless_equals_float (
      g_value_get_double (gst_value_array_get_value (list, 1)), 415.25);
  fail_unless_equals_int (value_at (buffer, 2, 1), number_of (2, 1, 0));
  fail_unless_equals_int (
      value_at (buffer, 2, LINES + 1), number_of (2, 1, 1) + 20);
  fail_unless_equals_int (
      value_at (buffer, 4, 3 * LINES), number_of (4, 0, 4) + 20);
}
GST_END_TEST;

GST_START_TEST (test_scale)
{
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  guint8 pixel;

  put_cube ("cube", "bsq", 4, FALSE);
  h = play ("cube.hdr", "num-buffers=1 full-scale=100 first-band=1 last-band=2",
      "video/x-raw,format=GRAY8", NULL);
  buffer = gst_harness_pull (h);
  gst_buffer_extract (buffer, 0, &pixel, 1); /* 47 of 100 */
  fail_unless_equals_int (pixel, 120);
  gst_buffer_extract (buffer, 8 * (LINES + 2) + 4, &pixel, 1); /* over it */
  fail_unless_equals_int (pixel, 255);
}
GST_END_TEST;

GST_START_TEST (test_sequence)
{
  g_autoptr (Harness) h = NULL;

  for (guint i = 7; i < 11; i++) {
    g_autofree gchar *stem = g_strdup_printf ("cube-%03u", i);

    put_cube (stem, "bip", 12, FALSE);
  }
  h = play (
      "cube-%03d.hdr", "start-index=7", "video/x-raw,framerate=10/1", NULL);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * 100 * GST_MSECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 100 * GST_MSECOND);
  }
  for (;;) {
    GstEvent *event = gst_harness_pull_event (h);
    gboolean eos = event && GST_EVENT_TYPE (event) == GST_EVENT_EOS;

    fail_unless (event != NULL, "no end of stream");
    gst_event_unref (event);
    if (eos)
      break;
  }
}
GST_END_TEST;

/* A frame of 1001 / 30000 seconds. */
GST_START_TEST (test_fraction)
{
  g_autoptr (Harness) h = NULL;

  put_cube ("cube", "bip", 12, FALSE);
  h = play ("cube.hdr", "", "video/x-raw,framerate=30000/1001", NULL);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (buffer), i * 1001 * GST_SECOND / 30000);
  }
}
GST_END_TEST;

#define MANY_SAMPLES 701
#define MANY_LINES 997

/* A cube of bytes that is more than is read at once; two bands of it count. */
static void
check_large (const gchar *order)
{
  static const guint steps[3][3] = {/* of lines, samples and bands */
      {MANY_SAMPLES, 1, MANY_SAMPLES * MANY_LINES},
      {3 * MANY_SAMPLES, 1, MANY_SAMPLES}, {3 * MANY_SAMPLES, 3, 1}};
  const guint *step = steps[order[1] == 's' ? 0 : order[2] == 'l' ? 1 : 2];
  gsize size = 3 * MANY_SAMPLES * MANY_LINES;
  g_autofree guint8 *data = g_malloc (size);
  g_autofree gchar *text =
      g_strdup_printf ("ENVI\nsamples=%d\nlines=%d\nbands=3\n"
                       "data type=1\ninterleave=%s\n",
          MANY_SAMPLES, MANY_LINES, order);
  g_autoptr (Harness) h = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  GstMapInfo map;

  for (guint i = 0; i < size; i++) {
    guint x = i / step[1] % MANY_SAMPLES, b = i / step[2] % 3;

    data[i] = (guint8) (31 * x + 57 * (i / step[0] % MANY_LINES) + 101 * b);
  }
  put_file ("large.hdr", text, strlen (text));
  put_file ("large.raw", data, size);
  h = play ("large.hdr", "num-buffers=1 first-band=1 channels=2",
      "video/x-raw,format=GRAY8", NULL);
  buffer = gst_harness_pull (h);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint i = 0; i < 2 * MANY_LINES * MANY_SAMPLES; i++) {
    guint x = i % MANY_SAMPLES, row = i / MANY_SAMPLES, c = row / MANY_LINES;

    if (map.data[row * GST_ROUND_UP_4 (MANY_SAMPLES) + x] !=
        (guint8) (31 * x + 57 * (row % MANY_LINES) + 101 * (c + 1)))
      fail ("%s: sample %u of row %u", order, x, row);
  }
  gst_buffer_unmap (buffer, &map);
}

GST_START_TEST (test_large)
{
  check_large ("bsq");
  check_large ("bil");
  check_large ("bip");
}
GST_END_TEST;

SUITE (envisrc, AROUND (make_folder, remove_folder), TEST (test_values),
    TEST (test_channels), TEST (test_scale), TEST (test_sequence),
    TEST (test_fraction), TEST (test_large));
