/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene stereo: disparities as worked out by hand, surfaces where they are
 * said to be, hidden what is hidden, and two pictures of the same texture. */
#include "check.h"
#include "seconds.h"

#include <math.h>

#include "frames.h"
#include "scene/stereo_core.h"

#include "scene_stereo_view.h"
#include "scene_stereo_surfaces.h"
#include "scene_stereo_pairs.h"
#include "scene_stereo_picture.h"
#include "scene_stereo_hostile.h"

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}};
  StereoParams p = STEREO_DEFAULTS;

  (void) argc, (void) argv;
  for (int k = 0; k < 3; k++) {
    View v = view_new (sizes[k][0], sizes[k][1]);
    double start;

    view_show (&v, &p, STEREO_LEFT, 0);
    start = seconds ();
    for (int f = 0; f < 20; f++)
      view_show (&v, &p, f % 2, f);
    printf ("%d x %d: %.1f ms a view\n", sizes[k][0], sizes[k][1],
        (seconds () - start) * 1e3 / 20);
    view_free (&v);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {
    {"wall", wall},
    {"ground", ground},
    {"surfaces", surfaces},
    {"head_first", head_first},
    {"head_slopes", head_slopes},
    {"depths", depths},
    {"contents", contents},
    {"objects", objects},
    {"both_views", both_views},
    {"hidden", hidden},
    {"same_texture", same_texture},
    {"noise", noise},
    {"exposure", exposure},
    {"rows", rows},
    {"repeats", repeats},
    {"formats", formats},
    {"sizes", sizes},
    {"hostile", hostile},
    {"extremes", extremes},
    {NULL, NULL},
};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
