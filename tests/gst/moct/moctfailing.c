/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct on a device that fails: at each of its calls in turn, first the
 * algorithm alone, then the element in a pipeline. */
#include "failingplay.h"

#include "moct/moct.h"

#define SIDE 40

static uint8_t pixels[SIDE * SIDE * 3]; /* black, with two red squares */

static void
draw_squares (void)
{
  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      pixels[3 * (y * SIDE + x)] = x % 20 < 10 && y < 10 ? 255 : 0;
}

/* Everything that calls the device; NULL or the first failure. */
static const char *
use_moct (Moct *moct, MoctParams *params)
{
  Image frame = {
      {pixels}, {3 * SIDE}, SIDE, SIDE, IMAGE_RGB, IMAGE_BT601, true};
  static uint16_t labels[SIDE * SIDE];
  MoctColour learned = {.name = "learned", .space = MOCT_LEARN};
  const MoctObject *objects;
  MoctLearned what;
  MoctPoint points[MOCT_MAX_OBJECTS * 4];
  int n, counts[MOCT_MAX_OBJECTS];

  for (int i = 0; i < 2; i++)
    TRY (moct_run (moct, params, &frame, 0.04, &objects, &n));
  if (params->method == MOCT_FUSED)
    fail_unless_equals_int (n, 2);
  TRY (moct_trajectories (moct, objects, n, 4, points, counts));
  TRY (moct_labels (moct, params, &frame, labels, 2 * SIDE));
  fail_unless_equals_int (labels[0], 1);
  return moct_learn (moct, &frame, (ImageBox){0, 0, 5, 5}, &learned, &what);
}

/* Fails at call @k; how many calls there were. */
static int
fail_moct (MoctMethod method, int k)
{
  MoctColour colour;
  MoctParams params = {.colours = &colour,
      .method = method,
      .reduction_factor = 4,
      .exact = true,
      .blobs = method == MOCT_FUSED,
      .min_area = 1,
      .max_area = 10000,
      .max_objects = 8,
      .region = {0, 0, SIDE, SIDE},
      .appear_frames = 1,
      .lose_frames = 3};
  char problem[256];
  const char *err;
  Device device;
  Moct *moct = NULL;

  fail_unless (moct_parse (
      "red:#ff0000~30", &colour, &params.n_colours, problem, sizeof problem));
  failing_reset (k);
  fail_unless (failing_open (&device, DEVICE_CPU, NULL) == NULL);
  err = moct_new (&moct, &device, SIDE, SIDE, 8);
  if (!err)
    err = use_moct (moct, &params);
  fail_unless ((err != NULL) == (k && failing_calls >= k),
      "call %d of method %d: %s", k, method, err);
  fail_unless (
      !err || !strcmp (err, FAILING_MEMORY) || !strcmp (err, FAILING_LOST),
      "%s", err);
  moct_free (moct);
  device_close (&device);
  fail_unless_equals_int (failing_blocks, 0);
  return failing_calls;
}

GST_START_TEST (test_algorithm)
{
  draw_squares ();
  for (MoctMethod method = MOCT_FUSED; method <= MOCT_PER_OBJECT; method++) {
    int calls = fail_moct (method, 0);

    fail_unless (calls > 10);
    for (int k = 1; k < calls; k++) /* the last waits for moct_free () */
      fail_moct (method, k);
  }
}
GST_END_TEST;

static GstElement *
make_pipeline (OpenDevice open_device)
{
  return failing_pipeline (
      "videotestsrc num-buffers=3 pattern=red ! "
      "video/x-raw,format=RGB,width=40,height=40 ! moct name=m "
      "objects=red:#ff0000~30 trajectory=full label-map=true ! fakesink",
      "m", open_device);
}

GST_START_TEST (test_element)
{
  GstElement *pipeline = make_pipeline (failing_open);

  failing_play_all (pipeline, "m");
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* A GPU is asked for on a machine without one. */
GST_START_TEST (test_no_gpu)
{
  GstElement *pipeline = make_pipeline (device_open);
  GstElement *moct = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  GError *error;

  gst_util_set_object_arg (G_OBJECT (moct), "backend", "cuda");
  error = failing_play (pipeline, "m");
  fail_unless (g_error_matches (
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (
      strstr (error->message, "backend=auto") != NULL, "%s", error->message);
  g_error_free (error);
  gst_util_set_object_arg (G_OBJECT (moct), "backend", "auto");
  fail_unless (failing_play (pipeline, "m") == NULL);
  gst_object_unref (moct);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static Suite *
moctfailing_suite (void)
{
  Suite *suite = suite_create ("moctfailing");
  TCase *tc = tcase_create ("failing");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_algorithm);
  tcase_add_test (tc, test_element);
  if (device_cuda_probe () != NULL)
    tcase_add_test (tc, test_no_gpu);
  return suite;
}

GST_CHECK_MAIN (moctfailing);
