/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element envisrc: what is wrong with a cube, its header or a property is
 * said; of a sequence the other cubes play. */
#include "suite.h"
#include <gst/check/gstharness.h>
#include <unistd.h>

#include "envicube.h"
#include "said.h"
#include "scarce.h"

/* What a source with these properties says when it is started. */
static gchar *
error_of (const gchar *properties)
{
  g_autofree gchar *line =
      g_strdup_printf ("envisrc %s ! fakesink", properties);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
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
  return text;
}

static void
expect_error (const gchar *name, const gchar *properties, const gchar *words)
{
  g_autofree gchar *all =
      g_strdup_printf ("location=%s/%s %s", folder, name, properties);
  g_autofree gchar *text = error_of (all);

  fail_unless (text && strstr (text, words), "%s: %s, not %s", all,
      text ? text : "no error", words);
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
    g_autofree gchar *good = header_text (SAMPLES, "bil", 12, FALSE);
    g_autofree gchar *text =
        g_strdup_printf ("ENVI\n%s%s", bad[i].line, good + 4);

    put_file ("bad.hdr", text, strlen (text));
    expect_error ("bad.hdr", "", bad[i].words);
  }
}
GST_END_TEST;

/* A header that ends anywhere is refused or read, never worse. */
GST_START_TEST (test_truncated)
{
  g_autofree gchar *text = header_text (SAMPLES, "bil", 12, FALSE);
  gsize n = strlen (text), enough = strstr (text, "bil") + 3 - text;

  put_cube ("cube", "bil", 12, FALSE);
  for (gsize i = 0; i < n; i += 3) {
    g_autofree gchar *line =
        g_strdup_printf ("location=%s/cube.hdr num-buffers=1", folder);
    g_autofree gchar *said = NULL;

    put_file ("cube.hdr", text, i);
    said = error_of (line);
    fail_unless (said || i >= enough, "%zu bytes of a header are taken", i);
  }
}
GST_END_TEST;

/* Cubes that are cut off, of another size or without numbers are warned of; the
 * others keep their time. */
GST_START_TEST (test_left_out)
{
  static const gchar *const words[] = {
      "cube-1.hdr: the file with its numbers ends early", "another size",
      "cube-4.hdr"};
  g_autofree gchar *narrow = header_text (SAMPLES - 1, "bip", 12, FALSE);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (Harness) h = NULL;

  for (guint i = 0; i < 6; i++) {
    g_autofree gchar *stem = g_strdup_printf ("cube-%u", i);

    put_cube (stem, "bip", 12, FALSE);
  }
  put_file ("cube-1.raw", "short", 5);
  put_file ("cube-2.hdr", narrow, strlen (narrow));
  put_file ("cube-4.hdr", "ENVI\n", 5);
  h = play ("cube-%d.hdr", "", "video/x-raw,framerate=10/1", bus);
  for (guint i = 0; i < 6; i = i == 0 ? 3 : i + 2) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL, "there is no frame %u", i);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * 100 * GST_MSECOND);
    fail_unless_equals_int (value_at (buffer, 1, 2), number_of (1, 2, 0));
  }
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    expect_text (
        gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_WARNING),
        words[i]);
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* Of many damaged cubes a few are named; a warning at the end counts the rest.
 */
GST_START_TEST (test_many_left_out)
{
  const guint n = 300;
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (Harness) h = NULL;
  guint told = 0, counted = 0;
  GstMessage *message;

  for (guint i = 0; i <= n; i++) {
    g_autofree gchar *name = g_strdup_printf ("cube-%u.hdr", i);

    put_file (name, "ENVI\n", 5);
  }
  put_cube ("cube-0", "bip", 12, FALSE);
  h = play ("cube-%d.hdr", "", "video/x-raw,framerate=10/1", bus);
  while ((message = gst_bus_timed_pop_filtered (
              bus, 10 * GST_SECOND, GST_MESSAGE_WARNING | GST_MESSAGE_EOS)) &&
      GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS) {
    g_autoptr (GError) error = error_told (message);
    guint cubes = 0;

    told++;
    sscanf (error->message, "%u cubes", &cubes);
    counted += MAX (cubes, 1);
    gst_message_unref (message);
    if (counted == n)
      break;
  }
  fail_unless (told >= 2 && told <= 10, "%u warnings", told);
  fail_unless_equals_int (counted, n);
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* The thread that leaves a cube out stops the source, which then starts
 * again. */
static GstBusSyncReply
stop_source (GstBus *bus, GstMessage *message, gpointer stops)
{
  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING &&
      g_atomic_int_compare_and_exchange ((gint *) stops, TRUE, FALSE))
    gst_element_set_state (
        GST_ELEMENT (GST_MESSAGE_SRC (message)), GST_STATE_NULL);
  return GST_BUS_PASS;
}

GST_START_TEST (test_stopped_by_itself)
{
  g_autofree gchar *line = g_strdup_printf (
      "envisrc location=%s/cube-%%d.hdr ! fakesink async=false", folder);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gint stops = TRUE;
  gchar *said;

  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *stem = g_strdup_printf ("cube-%u", i);

    put_cube (stem, "bip", 12, FALSE);
  }
  put_file ("cube-1.raw", "short", 5);
  _gst_check_expecting_log = TRUE; /* GStreamer warns of the task's own stop */
  gst_bus_set_sync_handler (bus, stop_source, &stops, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (g_atomic_int_get (&stops))
    g_usleep (1000);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  said = said_until_end (pipeline, line);
  fail_unless (
      strstr (said, "cube-1.hdr") && !strstr (said, "Internal"), "%s", said);
  g_free (said);
}
GST_END_TEST;

/* Numbers that are more than a frame can hold are refused in words, and so is a
 * frame for which there is no memory. */
GST_START_TEST (test_huge)
{
  static const gchar huge[] =
      "ENVI\nsamples=65535\nlines=65535\nbands=16\ndata type=1\n"
      "interleave=bsq\n";
  g_autofree gchar *numbers = g_build_filename (folder, "huge.raw", NULL);

  put_file ("huge.hdr", huge, strlen (huge));
  put_file ("huge.raw", "", 0);
  fail_unless (!truncate (numbers, 65535ll * 65535 * 16));
  expect_error ("huge.hdr", "", "larger than a video frame");
  put_cube ("cube", "bil", 12, FALSE);
  scarce_begin (9);
  expect_error ("cube.hdr", "",
      "out of memory for a frame; 0.0002 MiB were asked for. Smaller frames or "
      "fewer channels");
}
GST_END_TEST;

/* Cube 1 has as many numbers as the caps, in other channels: twice the lines of
 * half the bands. */
GST_START_TEST (test_other_channels)
{
  static const gchar other[] =
      "ENVI\nsamples = 5\nlines = 6\nbands = 3\nheader offset = 3\n"
      "data type = 12\ninterleave = bip\n";
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (Harness) h = NULL;

  for (guint i = 0; i < 3; i++) {
    g_autofree gchar *stem = g_strdup_printf ("cube-%u", i);

    put_cube (stem, "bip", 12, FALSE);
  }
  put_file ("cube-1.hdr", other, strlen (other));
  h = play ("cube-%d.hdr", "", "video/x-raw,framerate=10/1", bus);
  for (guint i = 0; i < 3; i += 2) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * 100 * GST_MSECOND);
  }
  expect_text (
      gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_WARNING),
      "other channels");
  gst_element_set_bus (h->element, NULL);
}
GST_END_TEST;

/* A file that is cut short while it plays is an error that names it. */
static void
check_cut (const gchar *order)
{
  g_autofree gchar *raw = g_build_filename (folder, "cube.raw", NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (Harness) h = NULL;
  GstBuffer *buffer;

  put_cube ("cube", order, 12, FALSE);
  h = play ("cube.hdr", "", "video/x-raw,framerate=25/1", bus);
  buffer = gst_harness_pull (h);
  fail_unless_equals_int (value_at (buffer, 1, 2), number_of (1, 2, 0));
  gst_buffer_unref (buffer);
  fail_unless (!truncate (raw, 40));
  expect_text (
      gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_ERROR),
      "cube.raw was cut short");
  gst_element_set_bus (h->element, NULL);
}

static GstPadProbeReturn
ask_for_more (GstPad *pad, GstPadProbeInfo *info, gpointer element)
{
  (void) pad;
  (void) info;
  g_object_set (element, "channels", 3, "first-band", 1, NULL);
  return GST_PAD_PROBE_OK;
}

/* Bands that are set while frames pass are those of the next start: a sequence
 * keeps its size. */
GST_START_TEST (test_set_while_playing)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstElement *src;
  g_autoptr (Harness) h = NULL;
  GstPad *pad;

  for (guint i = 0; i < 4; i++) {
    g_autofree gchar *stem = g_strdup_printf ("cube-%u", i);

    put_cube (stem, "bip", 12, FALSE);
  }
  h = prepare_to_play ("cube-%d.hdr", "channels=2", "video/x-raw", bus);
  src = gst_harness_find_element (h, "envisrc");
  pad = gst_element_get_static_pad (src, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, ask_for_more, src, NULL);
  gst_harness_play (h);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    fail_unless_equals_int (value_at (buffer, 0, 0),
        (number_of (0, 0, 0) + number_of (0, 0, 1) + number_of (0, 0, 2)) / 3);
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_object_unref (pad);
  gst_object_unref (src);
  gst_element_set_bus (h->element, NULL);
  gst_bus_set_flushing (bus, TRUE);
}
GST_END_TEST;

GST_START_TEST (test_cut_while_playing)
{
  check_cut ("bsq");
  check_cut ("bil");
  check_cut ("bip");
}
GST_END_TEST;

SUITE (envisrcfaults, AROUND (make_folder, remove_folder), TEST (test_errors),
    TEST (test_headers), TEST (test_truncated), TEST (test_left_out),
    TEST (test_other_channels), TEST (test_set_while_playing),
    TEST (test_cut_while_playing), TEST (test_many_left_out),
    TEST (test_stopped_by_itself), TEST (test_huge));
