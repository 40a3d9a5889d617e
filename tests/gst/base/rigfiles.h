/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One rig in every form: 0.1 metres apart, focal length 500 once rectified, the
 * right camera turned and its lens distorted; units of OpenCV are 25 mm. */
#pragma once

#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <math.h>

#include "base/gstvisionrig.h"

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
  gchar *a = keep ("first", first, length);
  gchar *b = second ? keep ("second", second, -1) : NULL;
  gchar *location = b ? g_strdup_printf ("%s,%s", a, b) : g_strdup (a);
  gboolean good = gst_vision_rig_read (location, UNIT, rig, error);

  g_free (a);
  g_free (b);
  g_free (location);
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
    gchar *path = g_build_filename (folder, file, NULL);

    g_remove (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
  return failed;
}
