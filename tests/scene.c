/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Synthetic scenes: the same picture every time, a truth that is true, ways
 * and colours that keep their promises, every layout. */
#include "check.h"
#include "seconds.h"

#include <math.h>

#include "common/yuv.h"
#include "scene/chromatic_core.h"

#include "scene_truth.h"
#include "scene_motion.h"
#include "scene_colours.h"
#include "scene_frames.h"

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{640, 480}, {1920, 1080}, {3840, 2160}};
  ChromaticParams p = CHROMATIC_DEFAULTS;

  (void) argc, (void) argv;
  for (int k = 0; k < 3; k++)
    for (int n = 8; n <= 1024; n *= 128) {
      Stage s = stage_new (sizes[k][0], sizes[k][1]);
      double start;

      p.n_objects = n;
      stage_show (&s, &p, 0);
      start = seconds ();
      for (int f = 1; f <= 20; f++)
        stage_show (&s, &p, f);
      printf ("%d x %d, %d objects: %.1f ms a frame\n", sizes[k][0],
          sizes[k][1], n, (seconds () - start) * 1e3 / 20);
      stage_free (&s);
    }
  return check_failures != 0;
}

static const CheckPart parts[] = {
    {"repeats", repeats},
    {"counts", counts},
    {"shapes", shapes},
    {"sine", sine},
    {"smooth", smooth},
    {"velocity", velocity},
    {"apart", apart},
    {"twins_far", twins_far},
    {"hidden", hidden},
    {"tolerances_hold", tolerances_hold},
    {"many_hold", many_hold},
    {"palette", palette},
    {"text", text},
    {"noise", noise},
    {"shadows", shadows},
    {"formats", formats},
    {"hostile", hostile},
    {"extremes", extremes},
    {NULL, NULL},
};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
