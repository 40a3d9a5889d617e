/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigs of OpenCV and ROS, and what frames are rectified by.  A byte 0 parts the
 * input into the files of the left and the right camera. */
#define FUZZ_INIT
#include "base/gstvisionrig.h"
#include "fuzz_gst.h"
#include "pocstereo/rig/pocstereo_rectify.h"
#include "pocstereo/rig/pocstereo_space.h"

#define WIDTH 24
#define HEIGHT 16

static PocstereoRectify *rectify;

static void
fuzz_init (void)
{
  static Device host;

  fuzz_gst_init (false);
  REQUIRE (!device_open (&host, DEVICE_CPU, NULL));
  REQUIRE (!pocstereo_rectify_new (&rectify, &host, WIDTH, HEIGHT));
}

static void
use (const GstVisionRig *rig)
{
  PocstereoView view[2];
  PocstereoSpace space;

  REQUIRE (rig->baseline > 0);
  gst_vision_rig_fits (rig, WIDTH, HEIGHT, NULL);
  for (int i = 0; i < 2; i++) {
    memcpy (view[i].k, rig->view[i].k, sizeof view[i].k);
    memcpy (view[i].d, rig->view[i].d, sizeof view[i].d);
    memcpy (view[i].r, rig->view[i].r, sizeof view[i].r);
    memcpy (view[i].p, rig->view[i].p, sizeof view[i].p);
  }
  if (!pocstereo_rectify_set (rectify, &view[0], &view[1])) {
    double to[2];

    pocstereo_rectify_find (
        &view[0], (const double[]){WIDTH / 3., HEIGHT / 3.}, to);
  }
  (void) !pocstereo_space_from_q (&space, rig->q);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  size_t left = fuzz_split (data, size);
  gchar *location = g_strdup (fuzz_file ("left.yaml", data, left));
  GError *error = NULL;
  GstVisionRig rig;

  if (left < size) {
    gchar *one = location;

    location = g_strconcat (one, ",",
        fuzz_file ("right.yaml", data + left + 1, size - left - 1), NULL);
    g_free (one);
  }
  if (gst_vision_rig_read (location, .001, &rig, &error))
    use (&rig);
  else
    REQUIRE (error);
  g_clear_error (&error);
  g_free (location);
}
