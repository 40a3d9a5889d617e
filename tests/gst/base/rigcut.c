/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Damaged files of rigs, and real ones. */
#include "rigfiles.h"

/* Cut off anywhere, a file is refused, or what was lost is not needed: the size
 * is unknown, or Q follows from the rest. */
static void
check_cut (const gchar *text, const gchar *second, gboolean cut_second)
{
  gsize length = strlen (cut_second ? second : text);
  guint n_refused = 0;

  for (gsize n = 0; n < length; n++) {
    gchar *part = g_strndup (cut_second ? second : text, n);
    GError *error = NULL;
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
    g_clear_error (&error);
    g_free (part);
  }
  fail_unless (n_refused > length / 2);
}

GST_START_TEST (test_cut)
{
  gchar *last = g_strconcat (strstr (opencv_yaml, "M1:"),
      "image_width: 640\nimage_height: 480\n", NULL);

  check_cut (opencv_yaml, NULL, FALSE);
  check_cut (last, NULL, FALSE);
  check_cut (opencv_xml, NULL, FALSE);
  check_cut (ros_left, ros_right, FALSE);
  check_cut (ros_left, ros_right, TRUE);
  g_free (last);
}

GST_END_TEST;

/* Bytes become other bytes: nothing but numbers of a rig is ever returned. */
GST_START_TEST (test_damage)
{
  GRand *random = g_rand_new_with_seed (1);
  const gchar *const texts[] = {opencv_yaml, opencv_xml, ros_left};

  g_print ("seed 1\n");
  for (guint i = 0; i < 3000; i++) {
    gchar *text = g_strdup (texts[i % 3]);
    gsize length = strlen (text);
    GError *error = NULL;
    GstVisionRig rig;

    for (gint k = g_rand_int_range (random, 1, 6); k; k--)
      text[g_rand_int_range (random, 0, (gint) length)] =
          (gchar) g_rand_int_range (random, 0, 256);
    if (read_texts (text, length, i % 3 == 2 ? ros_right : NULL, &rig, &error))
      fail_unless (gst_vision_rig_check (&rig, NULL) && rig.baseline > 0);
    else
      fail_unless (error && *error->message);
    g_clear_error (&error);
    g_free (text);
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
  Suite *suite = suite_create ("rigcut");
  TCase *tc = tcase_create ("rigcut");

  gst_check_init (&argc, &argv);
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_cut);
  tcase_add_test (tc, test_damage);
  tcase_add_test (tc, test_real);
  tcase_add_test (tc, test_calibrated);
  return run_in_folder (suite, "rigcut");
}
