/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element visiontestsrc. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <math.h>

#include "meta/gstvisionmeta.h"

#define FAST "distractors=0 noise=0 "
#define SMALL ",width=160,height=120"

/* A source with properties and, as far as they go, caps. */
static GstHarness *
source (const gchar *properties, const gchar *caps)
{
  gchar *line = g_strdup_printf ("visiontestsrc name=src " FAST
                                 "%s ! capsfilter caps=\"%s\"",
      properties, caps);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  return h;
}

static GstHarness *
play (const gchar *properties, const gchar *caps)
{
  GstHarness *h = source (properties, caps);

  /* an endless source waits until its frame is pulled */
  if (!strstr (properties, "num-buffers"))
    gst_harness_set_blocking_push_mode (h);
  gst_harness_play (h);
  return h;
}

static GstBuffer *
pull (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_pull (h);

  fail_unless (buffer != NULL, "no buffer came");
  return buffer;
}

static void
expect_eos (GstHarness *h)
{
  GstEvent *event;
  gboolean eos = FALSE;

  while (!eos && (event = gst_harness_pull_event (h))) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos, "no end of stream");
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
}

static gchar *
checksum (GstBuffer *buffer)
{
  GstMapInfo map;
  gchar *sum;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  return sum;
}

static void
check_same (GstBuffer *a, GstBuffer *b, gboolean same)
{
  gchar *p = checksum (a), *q = checksum (b);

  fail_unless (g_str_equal (p, q) == same);
  g_free (p);
  g_free (q);
}

GST_START_TEST (test_defaults)
{
  GstHarness *h = play ("num-buffers=1", "video/x-raw");
  GstBuffer *buffer = pull (h);
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (info.width == 640 && info.height == 480);
  fail_unless (info.fps_n == 30 && info.fps_d == 1);
  fail_unless (GST_VIDEO_INFO_FORMAT (&info) == GST_VIDEO_FORMAT_RGBA);
  fail_unless_equals_int (gst_buffer_get_size (buffer), 640 * 480 * 4);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* A source with @properties that is asked for @caps ends with an error. */
static void
expect_refusal (const gchar *properties, const gchar *caps)
{
  gchar *line =
      g_strdup_printf ("visiontestsrc %s ! %s ! fakesink", properties, caps);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_ASYNC_DONE);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR,
      "%s takes %s", properties, caps);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_START_TEST (test_refuses_caps)
{
  static const gchar *bad[] = {"video/x-raw,format=AYUV",
      "video/x-raw,width=16385", "video/x-raw,height=100000", "audio/x-raw"};

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect_refusal ("", bad[i]);
}
GST_END_TEST;

GST_START_TEST (test_times)
{
  GstHarness *h =
      play ("num-buffers=70", "video/x-raw,framerate=30000/1001" SMALL);

  for (guint64 i = 0; i < 70; i++) {
    GstBuffer *buffer = pull (h);
    GstClockTime now = gst_util_uint64_scale (i, 1001 * GST_SECOND, 30000);
    GstClockTime next = gst_util_uint64_scale (i + 1, 1001 * GST_SECOND, 30000);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), now);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), next - now);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    gst_buffer_unref (buffer);
  }
  expect_eos (h);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (test_still)
{
  GstHarness *h = play ("", "video/x-raw,framerate=0/1" SMALL);
  GstBuffer *buffer = pull (h);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  fail_unless (!GST_BUFFER_DURATION_IS_VALID (buffer));
  expect_eos (h);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* The same properties show the same frames, another seed others. */
GST_START_TEST (test_seed)
{
  GstHarness *a = play ("num-buffers=2 seed=7 noise=3", "video/x-raw" SMALL);
  GstHarness *b = play ("num-buffers=2 seed=7 noise=3", "video/x-raw" SMALL);
  GstHarness *c = play ("num-buffers=2 seed=8 noise=3", "video/x-raw" SMALL);

  for (int i = 0; i < 2; i++) {
    GstBuffer *p = pull (a), *q = pull (b), *r = pull (c);

    check_same (p, q, TRUE);
    check_same (p, r, FALSE);
    gst_buffer_unref (p);
    gst_buffer_unref (q);
    gst_buffer_unref (r);
  }
  gst_harness_teardown (a);
  gst_harness_teardown (b);
  gst_harness_teardown (c);
}
GST_END_TEST;

/* A live source that is set to play when the clock shows @ms. */
static GstHarness *
source_live (guint ms)
{
  GstHarness *h = source ("is-live=true", "video/x-raw,framerate=10/1" SMALL);

  gst_harness_use_testclock (h);
  gst_harness_set_time (h, ms * GST_MSECOND);
  gst_harness_play (h);
  return h;
}

static GstBuffer *
pull_at (GstHarness *h, guint ms)
{
  GstBuffer *buffer = pull (h);

  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), ms * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), ms / 100);
  fail_unless (gst_harness_try_pull (h) == NULL);
  return buffer;
}

/* Live, the first frame comes at once and each other when the clock says so and
 * not before. Whenever a source begins, frames of one time are one frame. */
GST_START_TEST (test_live)
{
  GstHarness *early = source_live (0), *late = source_live (250);
  GstBuffer *buffer = pull_at (early, 0);

  gst_buffer_unref (buffer);
  for (guint ms = 100; ms <= 300; ms += 100) {
    fail_unless (gst_harness_crank_single_clock_wait (early));
    buffer = pull_at (early, ms);
    if (ms == 300) {
      GstBuffer *same = pull_at (late, ms);

      check_same (buffer, same, TRUE);
      gst_buffer_unref (same);
    }
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_crank_single_clock_wait (late));
  gst_buffer_unref (pull_at (late, 400));
  fail_unless_equals_uint64 (
      gst_harness_query_latency (late), 100 * GST_MSECOND);
  gst_harness_teardown (early);
  gst_harness_teardown (late);
}
GST_END_TEST;

#include "visiontestsrc_formats.h"
#include "visiontestsrc_seek.h"
#include "visiontestsrc_truth.h"
#include "visiontestsrc_rgbd.h"
#include "visiontestsrc_stereo.h"
#include "visiontestsrc_clutter.h"
#include "visiontestsrc_multispectral.h"

static Suite *
visiontestsrc_suite (void)
{
  Suite *suite = suite_create ("visiontestsrc");
  TCase *tc = tcase_create ("element");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_formats);
  tcase_add_test (tc, test_defaults);
  tcase_add_test (tc, test_refuses_caps);
  tcase_add_test (tc, test_times);
  tcase_add_test (tc, test_still);
  tcase_add_test (tc, test_seed);
  tcase_add_test (tc, test_live);
  tcase_add_test (tc, test_seeks);
  tcase_add_test (tc, test_reverse);
  tcase_add_test (tc, test_caps_change);
  tcase_add_test (tc, test_truth);
  tcase_add_test (tc, test_label_map);
  tcase_add_test (tc, test_occlusion);
  tcase_add_test (tc, test_properties_while_playing);
  tcase_add_test (tc, test_palette);
  tcase_add_test (tc, test_rgbd_caps);
  tcase_add_test (tc, test_rgbd_refuses_caps);
  tcase_add_test (tc, test_rgbd_truth);
  tcase_add_test (tc, test_rgbd_maps);
  tcase_add_test (tc, test_rgbd_start);
  tcase_add_test (tc, test_rgbd_properties);
  tcase_add_test (tc, test_stereo_caps);
  tcase_add_test (tc, test_stereo_refuses_caps);
  tcase_add_test (tc, test_stereo_truth);
  tcase_add_test (tc, test_stereo_views);
  tcase_add_test (tc, test_stereo_seeks);
  tcase_add_test (tc, test_stereo_properties);
  tcase_add_test (tc, test_clutter_pair);
  tcase_add_test (tc, test_clutter_refuses);
  tcase_add_test (tc, test_multispectral_caps);
  tcase_add_test (tc, test_multispectral_refuses_caps);
  tcase_add_test (tc, test_multispectral_truth);
  tcase_add_test (tc, test_multispectral_hidden);
  tcase_add_test (tc, test_multispectral_properties);
  return suite;
}

GST_CHECK_MAIN (visiontestsrc);
