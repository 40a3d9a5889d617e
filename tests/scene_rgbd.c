/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene rgbd: a depth that is true, a robot that moves as it should, a
 * tracker's map that follows from both, a sensor with its faults. */
#include "check.h"
#include "seconds.h"

#include <math.h>

#include "scene/rgbd_core.h"

#include "scene_rgbd_oracle.h"
#include "scene_rgbd_rays.h"
#include "scene_rgbd_classes.h"
#include "scene_rgbd_model.h"
#include "scene_rgbd_sensor.h"
#include "scene_rgbd_motion.h"
#include "scene_rgbd_hostile.h"

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {512, 424}, {640, 480}};
  RgbdParams p = RGBD_DEFAULTS;

  (void) argc, (void) argv;
  for (int k = 0; k < 3; k++) {
    View v = view_new (sizes[k][0], sizes[k][1]);
    double start;

    view_show (&v, &p, 0);
    start = seconds ();
    for (int f = 60; f < 120; f++)
      view_show (&v, &p, f);
    printf ("%d x %d: %.1f ms a frame\n", sizes[k][0], sizes[k][1],
        (seconds () - start) * 1e3 / 60);
    view_free (&v);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {
    {"plane", plane},
    {"ball", ball},
    {"oracle", oracle},
    {"poses", poses},
    {"counts", counts},
    {"at_rest", at_rest},
    {"distances", distances},
    {"moved", moved},
    {"uncovered", uncovered},
    {"volume", volume},
    {"surfaces", surfaces},
    {"round_surfaces", round_surfaces},
    {"thresholds", thresholds},
    {"rim", rim},
    {"behind", behind},
    {"steps", steps},
    {"noise", noise},
    {"shadow", shadow},
    {"holes", holes},
    {"starts", starts},
    {"paths", paths},
    {"drives", drives},
    {"hand", hand},
    {"repeats", repeats},
    {"sizes", sizes},
    {"lenses", lenses},
    {"hostile", hostile},
    {"extremes", extremes},
    {NULL, NULL},
};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
