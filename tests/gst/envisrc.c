/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element envisrc, on cubes that are written here: number (x, y, band) is
 * known in every order, type and byte order. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "envicube.h"

static GstHarness *
play (const gchar *name, const gchar *properties, const gchar *caps)
{
  gchar *line = g_strdup_printf (
      "envisrc name=src location=%s/%s %s ! capsfilter caps=\"%s\"", folder,
      name, properties, caps);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  gst_harness_play (h);
  return h;
}

static guint
value_at (GstBuffer *buffer, guint x, guint row)
{
  guint8 pair[2];

  fail_unless_equals_int (
      gst_buffer_extract (
          buffer, row * GST_ROUND_UP_4 (2 * SAMPLES) + 2 * x, pair, 2),
      2);
  return GST_READ_UINT16_LE (pair);
}

/* Every order, type and byte order gives the same frames. */
GST_START_TEST (test_values)
{
  static const gchar *const orders[] = {"bsq", "bil", "bip"};
  static const guint types[] = {1, 2, 3, 4, 5, 12, 13};

  for (guint i = 0; i < G_N_ELEMENTS (orders) * G_N_ELEMENTS (types) * 2; i++) {
    guint type = types[i / 2 % G_N_ELEMENTS (types)];
    GstHarness *h;
    GstBuffer *buffer;

    put_cube ("cube", orders[i / (2 * G_N_ELEMENTS (types))], type, i % 2);
    h = play ("cube.hdr", "num-buffers=1 full-scale=65535", "video/x-raw");
    buffer = gst_harness_pull (h);
    for (guint b = 0; b < BANDS; b++)
      for (guint y = 0; y < LINES; y++)
        for (guint x = 0; x < SAMPLES; x++)
          fail_unless_equals_int (value_at (buffer, x, b * LINES + y),
              number_of (x, y, b) & (type == 1 ? 255 : 65535));
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}
GST_END_TEST;

/* Six bands as four channels: means of bands 0, 1-2, 3 and 4-5. */
GST_START_TEST (test_channels)
{
  GstHarness *h;
  GstBuffer *buffer;
  GstCaps *caps;
  const GstStructure *s;
  const GValue *list;
  gint channels, height;

  put_cube ("cube", "bil", 12, FALSE);
  h = play ("cube.hdr", "num-buffers=1 channels=4", "video/x-raw");
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
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_scale)
{
  GstHarness *h;
  GstBuffer *buffer;
  guint8 pixel;

  put_cube ("cube", "bsq", 4, FALSE);
  h = play ("cube.hdr", "num-buffers=1 full-scale=100 first-band=1 last-band=2",
      "video/x-raw,format=GRAY8");
  buffer = gst_harness_pull (h);
  gst_buffer_extract (buffer, 0, &pixel, 1); /* 47 of 100 */
  fail_unless_equals_int (pixel, 120);
  gst_buffer_extract (buffer, 8 * (LINES + 2) + 4, &pixel, 1); /* over it */
  fail_unless_equals_int (pixel, 255);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_sequence)
{
  GstHarness *h;

  for (guint i = 7; i < 11; i++) {
    gchar *stem = g_strdup_printf ("cube-%03u", i);

    put_cube (stem, "bip", 12, FALSE);
    g_free (stem);
  }
  h = play ("cube-%03d.hdr", "start-index=7", "video/x-raw,framerate=10/1");
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * 100 * GST_MSECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 100 * GST_MSECOND);
    gst_buffer_unref (buffer);
  }
  for (;;) {
    GstEvent *event = gst_harness_pull_event (h);
    gboolean eos = event && GST_EVENT_TYPE (event) == GST_EVENT_EOS;

    fail_unless (event != NULL, "no end of stream");
    gst_event_unref (event);
    if (eos)
      break;
  }
  gst_harness_teardown (h);
}
GST_END_TEST;

/* What a source with these properties says when it is started. */
static gchar *
error_of (const gchar *properties)
{
  gchar *line = g_strdup_printf ("envisrc %s ! fakesink", properties);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;
  gchar *text = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 10 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    text = g_strdup (error->message);
    g_error_free (error);
  }
  g_clear_pointer (&message, gst_message_unref);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
  return text;
}

static void
expect_error (const gchar *name, const gchar *properties, const gchar *words)
{
  gchar *all = g_strdup_printf ("location=%s/%s %s", folder, name, properties);
  gchar *text = error_of (all);

  fail_unless (text && strstr (text, words), "%s: %s, not %s", all,
      text ? text : "no error", words);
  g_free (text);
  g_free (all);
}

GST_START_TEST (test_errors)
{
  static const gchar lonely[] =
      "ENVI\nsamples=1\nlines=1\nbands=1\ndata type=1\ninterleave=bsq\n";
  gchar *text = error_of ("");

  fail_unless (strstr (text, "No cube is named"), "%s", text);
  g_free (text);
  put_cube ("cube", "bil", 12, FALSE);
  expect_error ("none.hdr", "", "none.hdr");
  expect_error ("cube-%d-%d.hdr", "", "No cube is named");
  expect_error ("cube-%s.hdr", "", "No cube is named");
  expect_error ("cube.raw", "", "begin with ENVI");
  expect_error ("cube.hdr", "last-band=6", "no such bands");
  expect_error ("cube.hdr", "first-band=4 last-band=3", "no such bands");
  expect_error ("cube.hdr", "first-band=4 channels=3", "fewer bands");
  put_file ("cube.raw", "short", 5);
  expect_error ("cube.hdr", "", "ends early");
  put_file ("lonely.hdr", lonely, strlen (lonely));
  expect_error ("lonely.hdr", "", "is not there");
}
GST_END_TEST;

GST_START_TEST (test_headers)
{
  static const struct {
    const gchar *line, *words;
  } bad[] = {{"samples = 0", "samples, lines"},
      {"bands = -1", "samples, lines"}, {"lines = 70000", "samples, lines"},
      {"data type = 6", "data type"}, {"data type = 14", "data type"},
      {"interleave = bsx", "interleave"}, {"byte order = 2", "byte order"},
      {"header offset = x", "header offset"},
      {"wavelength = {1, 2}", "wavelengths"}};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    gchar *good = header_text (SAMPLES, "bil", 12, FALSE);
    gchar *text = g_strdup_printf ("ENVI\n%s%s", bad[i].line, good + 4);

    put_file ("bad.hdr", text, strlen (text));
    expect_error ("bad.hdr", "", bad[i].words);
    g_free (good);
    g_free (text);
  }
}
GST_END_TEST;

/* A header that ends anywhere is refused or read, never worse. */
GST_START_TEST (test_truncated)
{
  gchar *text = header_text (SAMPLES, "bil", 12, FALSE);
  gsize n = strlen (text), enough = strstr (text, "bil") + 3 - text;

  put_cube ("cube", "bil", 12, FALSE);
  for (gsize i = 0; i < n; i += 3) {
    gchar *line =
        g_strdup_printf ("location=%s/cube.hdr num-buffers=1", folder);
    gchar *said;

    put_file ("cube.hdr", text, i);
    said = error_of (line);
    fail_unless (said || i >= enough, "%zu bytes of a header are taken", i);
    g_free (said);
    g_free (line);
  }
  g_free (text);
}
GST_END_TEST;

GST_START_TEST (test_sizes)
{
  gchar *text = header_text (SAMPLES - 1, "bip", 12, FALSE);

  put_cube ("cube-0", "bip", 12, FALSE);
  put_cube ("cube-1", "bip", 12, FALSE);
  put_file ("cube-1.hdr", text, strlen (text));
  expect_error ("cube-%d.hdr", "", "another size");
  g_free (text);
}
GST_END_TEST;

static Suite *
envisrc_suite (void)
{
  Suite *suite = suite_create ("envisrc");
  TCase *tc = tcase_create ("all");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, make_folder, remove_folder);
  tcase_add_test (tc, test_values);
  tcase_add_test (tc, test_channels);
  tcase_add_test (tc, test_scale);
  tcase_add_test (tc, test_sequence);
  tcase_add_test (tc, test_errors);
  tcase_add_test (tc, test_headers);
  tcase_add_test (tc, test_truncated);
  tcase_add_test (tc, test_sizes);
  return suite;
}

GST_CHECK_MAIN (envisrc);
