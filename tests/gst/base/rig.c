/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of rigs: good ones, others, damaged and real ones. */
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <math.h>

#include "base/gstvisionrig.h"

/* ---- One rig in every form ----
 *
 * 0.1 metres apart, focal length 500 once rectified, the right camera turned
 * and its lens distorted; units of OpenCV are 25 mm. */

#define UNIT .025

static const gchar opencv_yaml[] =
    "%YAML:1.0\n---\n"
    "image_width: 640\nimage_height: 480\n"
    "M1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
    "   data: [ 510., 0., 318.5, 0., 511., 239.5, 0., 0., 1. ]\n"
    "D1: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n"
    "   data: [ -2.5e-01, 1.0e-01, 1.0e-03, -2.0e-03,\n       3.0e-02 ]\n"
    "M2: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
    "   data: [ 520., 0., 321., 0., 521., 241., 0., 0., 1. ]\n"
    "D2: !!opencv-matrix\n   rows: 1\n   cols: 4\n   dt: d\n"
    "   data: [ -2.0e-01, 5.0e-02, 0., 0. ]\n"
    "R: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
    "   data: [ 1., 0., 0., 0., 0.8, -0.6, 0., 0.6, 0.8 ]\n"
    "T: !!opencv-matrix\n   rows: 3\n   cols: 1\n   dt: d\n"
    "   data: [ -4., 0., 0. ]\n"
    "R1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
    "   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]\n"
    "R2: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
    "   data: [ 1., 0., 0., 0., 0.8, 0.6, 0., -0.6, 0.8 ]\n"
    "P1: !!opencv-matrix\n   rows: 3\n   cols: 4\n   dt: d\n"
    "   data: [ 500., 0., 320., 0., 0., 500., 240., 0., 0., 0., 1., 0. ]\n"
    "P2: !!opencv-matrix\n   rows: 3\n   cols: 4\n   dt: d\n"
    "   data: [ 500., 0., 330., -2000., 0., 500., 240., 0., 0., 0., 1.,\n"
    "       0. ]\n"
    "Q: !!opencv-matrix\n   rows: 4\n   cols: 4\n   dt: d\n"
    "   data: [ 1., 0., 0., -320., 0., 1., 0., -240., 0., 0., 0., 500., 0.,\n"
    "       0., 0.25, 2.5 ]\n";

#define XML(name, rows, cols, numbers) \
 "<" name " type_id=\"opencv-matrix\">\n  <rows>" rows \
 "</rows>\n  <cols>" cols "</cols>\n  <dt>d</dt>\n  <data>\n    " numbers \
 "</data></" name ">\n"

static const gchar opencv_xml[] =
    "<?xml version=\"1.0\"?>\n<opencv_storage>\n"
    "<image_width>640</image_width>\n<image_height>480</image_height>\n" XML (
        "M1", "3", "3", "510. 0. 318.5 0. 511. 239.5 0. 0. 1.")
        XML ("D1", "1", "5", "-2.5e-01 1.0e-01 1.0e-03\n    -2.0e-03 3.0e-02")
            XML ("M2", "3", "3", "520. 0. 321. 0. 521. 241. 0. 0. 1.")
                XML ("D2", "1", "4", "-2.0e-01 5.0e-02 0. 0.")
                    XML ("R1", "3", "3", "1. 0. 0. 0. 1. 0. 0. 0. 1.")
                        XML ("R2", "3", "3", "1. 0. 0. 0. 0.8 0.6 0. -0.6 0.8")
                            XML ("P1", "3", "4",
                                "500. 0. 320. 0. 0. 500. 240. 0. 0. 0. 1. 0.")
                                XML ("P2", "3", "4",
                                    "500. 0. 330. -2000. 0. 500. 240. 0. 0. 0. "
                                    "1. 0.") "</opencv_storage>\n";

/* As camera_calibration writes it. */
static const gchar ros_left[] =
    "image_width: 640\nimage_height: 480\ncamera_name: left\n"
    "camera_matrix:\n  rows: 3\n  cols: 3\n"
    "  data: [510.0, 0.0, 318.5, 0.0, 511.0, 239.5, 0.0, 0.0, 1.0]\n"
    "distortion_model: plumb_bob\n"
    "distortion_coefficients:\n  rows: 1\n  cols: 5\n"
    "  data: [-0.25, 0.1, 0.001, -0.002, 0.03]\n"
    "rectification_matrix:\n  rows: 3\n  cols: 3\n"
    "  data: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]\n"
    "projection_matrix:\n  rows: 3\n  cols: 4\n"
    "  data: [500.0, 0.0, 320.0, 0.0, 0.0, 500.0, 240.0, 0.0, 0.0, 0.0, 1.0, "
    "0.0]\n";

/* As a message of ROS 2 is shown. */
static const gchar ros_right[] =
    "header:\n  frame_id: right\nheight: 480\nwidth: 640\n"
    "distortion_model: plumb_bob\n"
    "d:\n- -0.2\n- 0.05\n- 0.0\n- 0.0\n"
    "k:\n- 520.0\n- 0.0\n- 321.0\n- 0.0\n- 521.0\n- 241.0\n- 0.0\n- 0.0\n- "
    "1.0\n"
    "r:\n- 1.0\n- 0.0\n- 0.0\n- 0.0\n- 0.8\n- 0.6\n- 0.0\n- -0.6\n- 0.8\n"
    "p:\n- 500.0\n- 0.0\n- 330.0\n- -50.0\n- 0.0\n- 500.0\n- 240.0\n- 0.0\n"
    "- 0.0\n- 0.0\n- 1.0\n- 0.0\n"
    "binning_x: 0\nbinning_y: 0\n";

static gchar *folder;

static inline gchar *
keep (const gchar *name, const gchar *text, gssize length)
{
  gchar *path = g_build_filename (folder, name, NULL);
  gsize n = length < 0 ? strlen (text) : (gsize) length;
  FILE *file;

  g_remove (path); /* some disks wait where a file is written anew */
  file = fopen (path, "wb");
  fail_unless (file && fwrite (text, 1, n, file) == n && !fclose (file));
  return path;
}

/* Reads @first, and @second if it is there, as files. */
static inline gboolean
read_texts (const gchar *first, gssize length, const gchar *second,
    GstVisionRig *rig, GError **error)
{
  g_autofree gchar *a = keep ("first", first, length);
  g_autofree gchar *b = second ? keep ("second", second, -1) : NULL;
  g_autofree gchar *location =
      b ? g_strdup_printf ("%s,%s", a, b) : g_strdup (a);
  gboolean good = gst_vision_rig_read (location, UNIT, rig, error);

  return good;
}

/* @text with @from, which is in it, replaced. */
static inline gchar *
change (const gchar *text, const gchar *from, const gchar *to)
{
  const gchar *at = strstr (text, from);

  fail_unless (at != NULL, "%s", from);
  return g_strdup_printf (
      "%.*s%s%s", (gint) (at - text), text, to, at + strlen (from));
}

static inline void
is (gdouble a, gdouble b)
{
  fail_unless (
      fabs (a - b) < 1e-9 * MAX (1, fabs (b)), "%.12g, not %.12g", a, b);
}

/* The one rig of rigfiles.h. */
static inline void
check_rig (const GstVisionRig *rig)
{
  static const gdouble q[16] = {
      1, 0, 0, -320, 0, 1, 0, -240, 0, 0, 0, 500, 0, 0, 10, 100};
  const GstVisionRigView *l = &rig->view[0], *r = &rig->view[1];

  fail_unless_equals_int (rig->width, 640);
  fail_unless_equals_int (rig->height, 480);
  is (l->k[0], 510), is (l->k[2], 318.5), is (l->k[4], 511);
  is (l->d[0], -.25), is (l->d[1], .1), is (l->d[2], .001);
  is (l->d[3], -.002), is (l->d[4], .03), is (l->d[5], 0);
  is (r->k[0], 520), is (r->k[5], 241), is (r->d[1], .05), is (r->d[4], 0);
  is (l->r[0], 1), is (r->r[5], .6), is (r->r[7], -.6);
  is (l->p[2], 320), is (r->p[2], 330), is (r->p[3], -50), is (r->p[11], 0);
  is (rig->baseline, .1);
  for (gint i = 0; i < 16; i++)
    is (rig->q[i], q[i]);
}

/* A folder for the files while @suite runs. */
static inline gint
run_in_folder (Suite *suite, const gchar *name)
{
  GDir *dir;
  gint failed;

  folder = g_dir_make_tmp ("rig-XXXXXX", NULL);
  failed = gst_check_run_suite (suite, name, __FILE__);
  dir = g_dir_open (folder, 0, NULL);
  for (const gchar *file; (file = g_dir_read_name (dir));) {
    g_autofree gchar *path = g_build_filename (folder, file, NULL);

    g_remove (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
  return failed;
}

/* ---- Good files, and others ---- */

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
  g_autofree gchar *intrinsics =
      g_strndup (opencv_yaml, extrinsics - opencv_yaml);
  g_autofree gchar *windows = change (opencv_yaml, "---\n", "---\r\n");
  g_autofree gchar *nested = change (opencv_yaml, "M1: ", "stereo:\n  M1: ");

  check_texts (opencv_yaml, NULL);
  check_texts (opencv_xml, NULL); /* whose Q follows from P1 and P2 */
  check_texts (windows, NULL);
  check_texts (nested, NULL);
  check_texts (intrinsics, extrinsics);
  check_texts (extrinsics, intrinsics);
  check_texts (ros_left, ros_right);
}
GST_END_TEST;

/* A comma in a name does not divide it. */
GST_START_TEST (test_comma)
{
  g_autofree gchar *path = keep ("one,two.yml", opencv_yaml, -1);
  GstVisionRig rig;

  fail_unless (gst_vision_rig_read (path, UNIT, &rig, NULL));
  check_rig (&rig);
}
GST_END_TEST;

/* Q counts as it is, all of it. */
GST_START_TEST (test_q)
{
  g_autofree gchar *text =
      change (opencv_yaml, "-320., 0., 1., 0., -240., 0., 0., 0.",
          "-321., 7., 1., 6., -240., 0., 0., 0.125");
  GstVisionRig rig;

  fail_unless (read_texts (text, -1, NULL, &rig, NULL));
  is (rig.q[3], -321), is (rig.q[4], 7), is (rig.q[6], 6), is (rig.q[10], .125);
  is (rig.q[14], 10);
}
GST_END_TEST;

GST_START_TEST (test_distortion)
{
  for (gint n = 0; n <= 15; n++) {
    gboolean known = n == 0 || n == 4 || n == 5 || n == 8 || n == 12 || n == 14;
    GString *list = g_string_new ("cols: ");
    g_autoptr (GError) error = NULL;
    GstVisionRig rig;
    g_autofree gchar *text = NULL;

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
    g_autofree gchar *bad = change (text, faults[i].from, faults[i].to);
    GstVisionRig rig, before;
    g_autoptr (GError) error = NULL;

    memset (&rig, 7, sizeof rig);
    before = rig;
    fail_unless (
        !read_texts (bad, -1, second, &rig, &error), "%s", faults[i].to);
    fail_unless (strstr (error->message, faults[i].word) != NULL, "%s: %s",
        faults[i].word, error->message);
    fail_unless (!memcmp (&rig, &before, sizeof rig));
    g_test_message ("%s", error->message);
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
    g_autofree gchar *right =
        change (ros_right, swapped[i].from, swapped[i].to);

    fail_unless (!read_texts (ros_left, -1, right, &rig, &error));
    fail_unless (
        strstr (error->message, swapped[i].word) != NULL, "%s", error->message);
    g_clear_error (&error);
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

/* ---- Damaged files, and real ones ---- */

/* Cut off anywhere, a file is refused, or what was lost is not needed: the size
 * is unknown, or Q follows from the rest. */
static void
check_cut (const gchar *text, const gchar *second, gboolean cut_second)
{
  gsize length = strlen (cut_second ? second : text);
  guint n_refused = 0;

  for (gsize n = 0; n < length; n++) {
    g_autofree gchar *part = g_strndup (cut_second ? second : text, n);
    g_autoptr (GError) error = NULL;
    GstVisionRig rig;

    if (cut_second ? read_texts (text, -1, part, &rig, &error)
                   : read_texts (part, n, second, &rig, &error)) {
      if (!rig.width)
        rig.width = 640, rig.height = 480;
      check_rig (&rig);
    } else {
      fail_unless (error && *error->message);
      n_refused++;
    }
  }
  fail_unless (n_refused > length / 2);
}

GST_START_TEST (test_cut)
{
  g_autofree gchar *last = g_strconcat (strstr (opencv_yaml, "M1:"),
      "image_width: 640\nimage_height: 480\n", NULL);

  check_cut (opencv_yaml, NULL, FALSE);
  check_cut (last, NULL, FALSE);
  check_cut (opencv_xml, NULL, FALSE);
  check_cut (ros_left, ros_right, FALSE);
  check_cut (ros_left, ros_right, TRUE);
}
GST_END_TEST;

/* Bytes become other bytes: nothing but numbers of a rig is ever returned. */
GST_START_TEST (test_damage)
{
  GRand *random = g_rand_new_with_seed (1);
  const gchar *const texts[] = {opencv_yaml, opencv_xml, ros_left};

  g_print ("seed 1\n");
  for (guint i = 0; i < 3000; i++) {
    g_autofree gchar *text = g_strdup (texts[i % 3]);
    gsize length = strlen (text);
    g_autoptr (GError) error = NULL;
    GstVisionRig rig;

    for (gint k = g_rand_int_range (random, 1, 6); k; k--)
      text[g_rand_int_range (random, 0, (gint) length)] =
          (gchar) g_rand_int_range (random, 0, 256);
    if (read_texts (text, length, i % 3 == 2 ? ros_right : NULL, &rig, &error))
      fail_unless (gst_vision_rig_check (&rig, NULL) && rig.baseline > 0);
    else
      fail_unless (error && *error->message);
  }
  g_rand_free (random);
}
GST_END_TEST;

/* What OpenCV wrote, where VISION_TEST_DATA names it. */
GST_START_TEST (test_real)
{
  const gchar *data = g_getenv ("VISION_TEST_DATA");
  gchar *location;
  GError *error = NULL;
  GstVisionRig rig;

  if (!data)
    return;
  location =
      g_strdup_printf ("%s/stereo/opencv_chessboard/intrinsics_computed.yml,"
                       "%s/stereo/opencv_chessboard/extrinsics_computed.yml",
          data, data);
  fail_unless (gst_vision_rig_read (location, UNIT, &rig, &error), "%s",
      error ? error->message : "");
  fail_unless (fabs (rig.view[0].d[7] + 1.8382353718010055e-01) < 1e-12);
  fail_unless (fabs (rig.view[1].k[2] - 3.2564151229855645e+02) < 1e-9);
  fail_unless (fabs (rig.view[1].r[1] + 1.1342989399839765e-02) < 1e-12);
  fail_unless (fabs (rig.baseline - 3.3211 * UNIT) < 1e-5);
  fail_unless (fabs (rig.q[14] - 3.0110956324882415e-01 / UNIT) < 1e-9);
  fail_unless (gst_vision_rig_fits (&rig, 640, 480, NULL));
  fail_unless (!gst_vision_rig_fits (&rig, 1280, 960, NULL));
  g_free (location);
}
GST_END_TEST;

/* What calibrate.py made, where RIG names it. */
GST_START_TEST (test_calibrated)
{
  const gchar *path = g_getenv ("RIG");
  GError *error = NULL;
  GstVisionRig rig;

  if (!path)
    return;
  fail_unless (gst_vision_rig_read (path, 1, &rig, &error), "%s",
      error ? error->message : "");
  fail_unless (gst_vision_rig_fits (&rig, 640, 480, NULL) && rig.width == 640);
  fail_unless (fabs (rig.baseline - .083) < .001);
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
  tcase_add_test (tc, test_cut);
  tcase_add_test (tc, test_damage);
  tcase_add_test (tc, test_real);
  tcase_add_test (tc, test_calibrated);
  return run_in_folder (suite, "rig");
}
