/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of rigs, good ones and others. */
#include "rigfiles.h"

static void
check_texts (const gchar *first, const gchar *second)
{
  GError *error = NULL;
  GstVisionRig rig;

  fail_unless (read_texts (first, -1, second, &rig, &error), "%s",
      error ? error->message : "");
  check_rig (&rig);
}

GST_START_TEST (test_forms)
{
  const gchar *extrinsics = strstr (opencv_yaml, "R: ");
  gchar *intrinsics = g_strndup (opencv_yaml, extrinsics - opencv_yaml);
  gchar *windows = change (opencv_yaml, "---\n", "---\r\n");
  gchar *nested = change (opencv_yaml, "M1: ", "stereo:\n  M1: ");

  check_texts (opencv_yaml, NULL);
  check_texts (opencv_xml, NULL); /* whose Q follows from P1 and P2 */
  check_texts (windows, NULL);
  check_texts (nested, NULL);
  check_texts (intrinsics, extrinsics);
  check_texts (extrinsics, intrinsics);
  check_texts (ros_left, ros_right);
  g_free (intrinsics);
  g_free (windows);
  g_free (nested);
}

GST_END_TEST;

/* A comma in a name does not divide it. */
GST_START_TEST (test_comma)
{
  gchar *path = keep ("one,two.yml", opencv_yaml, -1);
  GstVisionRig rig;

  fail_unless (gst_vision_rig_read (path, UNIT, &rig, NULL));
  check_rig (&rig);
  g_free (path);
}

GST_END_TEST;

/* Q counts as it is, all of it. */
GST_START_TEST (test_q)
{
  gchar *text = change (opencv_yaml, "-320., 0., 1., 0., -240., 0., 0., 0.",
      "-321., 7., 1., 6., -240., 0., 0., 0.125");
  GstVisionRig rig;

  fail_unless (read_texts (text, -1, NULL, &rig, NULL));
  is (rig.q[3], -321), is (rig.q[4], 7), is (rig.q[6], 6), is (rig.q[10], .125);
  is (rig.q[14], 10);
  g_free (text);
}

GST_END_TEST;

GST_START_TEST (test_distortion)
{
  for (gint n = 0; n <= 15; n++) {
    gboolean known = n == 0 || n == 4 || n == 5 || n == 8 || n == 12 || n == 14;
    GString *list = g_string_new ("cols: ");
    GError *error = NULL;
    GstVisionRig rig;
    gchar *text;

    g_string_append_printf (list, "%d\n   dt: d\n   data: [ ", n);
    for (gint i = 0; i < n; i++)
      g_string_append_printf (list, "%s0.%d", i ? ", " : "", i + 1);
    text = change (opencv_yaml,
        "cols: 4\n   dt: d\n   data: [ -2.0e-01, 5.0e-02, 0., 0.", list->str);
    fail_unless (read_texts (text, -1, NULL, &rig, &error) == known, "%d", n);
    fail_unless (known || strstr (error->message, "D2"));
    for (gint i = 0; known && i < 14; i++)
      is (rig.view[1].d[i],
          i >= n      ? 0
              : i < 9 ? .1 * (i + 1)
                      : .1 + .01 * (i - 9));
    g_clear_error (&error);
    g_free (text);
    g_string_free (list, TRUE);
  }
}

GST_END_TEST;

typedef struct {
  const gchar *from, *to, *word;
} Fault;

static void
check_faults (
    const Fault *faults, guint n, const gchar *text, const gchar *second)
{
  for (guint i = 0; i < n; i++) {
    gchar *bad = change (text, faults[i].from, faults[i].to);
    GstVisionRig rig, before;
    GError *error = NULL;

    memset (&rig, 7, sizeof rig);
    before = rig;
    fail_unless (
        !read_texts (bad, -1, second, &rig, &error), "%s", faults[i].to);
    fail_unless (strstr (error->message, faults[i].word) != NULL, "%s: %s",
        faults[i].word, error->message);
    fail_unless (!memcmp (&rig, &before, sizeof rig));
    g_test_message ("%s", error->message);
    g_error_free (error);
    g_free (bad);
  }
}

GST_START_TEST (test_faults)
{
  static const Fault faults[] = {{"M1:", "M3:", "M1 is missing"},
      {"D2:", "E2:", "D2 is missing"}, {"P2:", "P3:", "P2 is missing"},
      {"R1:", "S1:", "R1 is missing"},
      {"rows: 3\n   cols: 3", "rows: 2\n   cols: 3", "says it is 2 x 3"},
      {"510., 0., 318.5, ", "510., 318.5, ", "says it is"},
      {"rows: 3\n   cols: 3", "rows: 300\n   cols: 3", "says it is 300 x 3"},
      {"rows: 3\n   cols: 3", "rows: 3\n   cols: 0", "says it is 3 x 0"},
      {"rows: 3\n   cols: 3", "rows: 1e300\n   cols: 1e300",
          "says it is 1e+300"},
      {"rows: 3\n   cols: 3", "rows: -3\n   cols: -3", "says it is -3 x -3"},
      {"   rows: 3\n   cols: 3\n   dt: d\n   data: [ 510., 0.,",
          "   data: [ 510.,", "holds 8 numbers, not 9"},
      {"data: [ 510.", "data: [ 1., 510.", "more than 9"},
      {"511.", ".Nan", "no finite number"}, {"511.", "nan", "no finite number"},
      {"511.", "-.Inf", "no finite number"}, {"511.", "1e999", "no finite"},
      {"511.", "x", "no finite number"},
      {"511.", "0.", "camera matrix of the left"},
      {"data: [ 520.", "data: [ -520.", "camera matrix of the right"},
      {"0., 0., 1. ]\nD1", "0., 0., 2. ]\nD1", "camera matrix"},
      {"0., 0., 1. ]\n", "0., 0., 1. \n", "do not end"},
      {"data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]",
          "data: [ 1., 0., 0., 0., 1., 0., 0., 0., 0. ]",
          "left view is singular"},
      {"0., 0.8, 0.6, 0., -0.6, 0.8 ]\nP1", "0., 0.8, 0.6, 0., 0.6, -0.8 ]\nP1",
          "right view is singular"},
      {"500., 0., 320.", "0., 0., 320.", "projection of the left"},
      {"500., 240., 0., 0., 0., 1.,\n", "500., 241., 0., 0., 0., 1.,\n",
          "do not meet"},
      {"-2000.", "2000.", "swap"}, {"-2000.", "0.", "baseline is 0"},
      {"-2000., 0., 500., 240., 0.", "0., 0., 500., 240., -2000.", "above"},
      {"0.25, 2.5", "0., 2.5", "Q is singular"},
      {"0.25, 2.5", "0.25, nan", "Q holds"},
      {"   rows: 4\n   cols: 4\n   dt: d\n   data: [ 1., ", "   data: [ ",
          "Q holds 15"}};
  static const Fault xml[] = {
      {"</M2>", "", "do not end"}, {"<P1", "<P", "P1 is missing"}};

  check_faults (faults, G_N_ELEMENTS (faults), opencv_yaml, NULL);
  check_faults (xml, G_N_ELEMENTS (xml), opencv_xml, NULL);
}

GST_END_TEST;

GST_START_TEST (test_faults_of_ros)
{
  static const Fault faults[] = {
      {"image_width: 640", "image_width: 320", "both at one size"},
      {"plumb_bob", "equidistant", "fisheye"},
      {"camera_matrix", "camera", "camera_matrix is missing"},
      {"[510.0", "[0.0", "camera matrix of the left"}};
  static const Fault swapped[] = {
      {"- -50.0", "- 50.0", "swap"}, {"- -50.0", "- 0.0", "as a pair"}};
  GError *error = NULL;
  GstVisionRig rig;

  check_faults (faults, G_N_ELEMENTS (faults), ros_left, ros_right);
  for (guint i = 0; i < G_N_ELEMENTS (swapped); i++) {
    gchar *right = change (ros_right, swapped[i].from, swapped[i].to);

    fail_unless (!read_texts (ros_left, -1, right, &rig, &error));
    fail_unless (
        strstr (error->message, swapped[i].word) != NULL, "%s", error->message);
    g_clear_error (&error);
    g_free (right);
  }
  fail_unless (!read_texts (ros_left, -1, NULL, &rig, &error));
  fail_unless (strstr (error->message, "LEFT,RIGHT") != NULL);
  g_clear_error (&error);
  fail_unless (!read_texts (ros_right, -1, ros_left, &rig, &error));
  fail_unless (strstr (error->message, "as a pair") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (test_no_file)
{
  GError *error = NULL;
  GstVisionRig rig;

  fail_unless (!gst_vision_rig_read ("/nowhere/rig.yml", 1, &rig, &error));
  fail_unless (strstr (error->message, "/nowhere/rig.yml") != NULL);
  g_clear_error (&error);
  fail_unless (!gst_vision_rig_read ("/nowhere/a,b", 1, &rig, &error));
  g_clear_error (&error);
  fail_unless (!gst_vision_rig_read ("left.yaml,", 1, &rig, &error));
  fail_unless (strstr (error->message, "names one file") != NULL);
  g_clear_error (&error);
  fail_unless (!gst_vision_rig_read ("", 1, &rig, &error));
  g_clear_error (&error);
  fail_unless (!gst_vision_rig_read ("/dev/null", NAN, &rig, &error));
  fail_unless (strstr (error->message, "unit") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (test_fits)
{
  GError *error = NULL;
  GstVisionRig rig;

  fail_unless (read_texts (opencv_yaml, -1, NULL, &rig, NULL));
  fail_unless (gst_vision_rig_fits (&rig, 640, 480, NULL));
  fail_unless (!gst_vision_rig_fits (&rig, 480, 640, &error));
  fail_unless (strstr (error->message,
                   "scale the frames to 640 x 480, or calibrate again at 480 x "
                   "640") != NULL);
  g_clear_error (&error);
  rig.width = rig.height = 0;
  fail_unless (gst_vision_rig_fits (&rig, 640, 480, NULL));
  fail_unless (gst_vision_rig_fits (&rig, 700, 400, NULL));
  fail_unless (!gst_vision_rig_fits (&rig, 1280, 720, &error));
  fail_unless (strstr (error->message, "image_width") != NULL);
  fail_unless (strstr (error->message,
                   "scale the frames to about 638 x 480, or calibrate again at "
                   "1280 x 720") != NULL,
      "%s", error->message);
  g_clear_error (&error);
  fail_unless (!gst_vision_rig_fits (&rig, 320, 240, NULL));
}

GST_END_TEST;

int
main (int argc, char **argv)
{
  Suite *suite = suite_create ("rig");
  TCase *tc = tcase_create ("rig");

  gst_check_init (&argc, &argv);
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_forms);
  tcase_add_test (tc, test_comma);
  tcase_add_test (tc, test_q);
  tcase_add_test (tc, test_distortion);
  tcase_add_test (tc, test_faults);
  tcase_add_test (tc, test_faults_of_ros);
  tcase_add_test (tc, test_no_file);
  tcase_add_test (tc, test_fits);
  return run_in_folder (suite, "rig");
}
