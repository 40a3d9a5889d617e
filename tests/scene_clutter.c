/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene clutter: things that lie on each other as things do, surfaces where
 * they are said to be, and a frame that follows from params and number. */
#include <math.h>
#include <unistd.h>

#include "frames.h"
#include "scene/clutter_core.h"
#include "seconds.h"

#include "scene_clutter_table.h"
#include "scene_clutter_rest.h"
#include "scene_clutter_view.h"
#include "scene_clutter_hostile.h"

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}};
  ClutterParams p = CLUTTER_DEFAULTS;

  (void) argc, (void) argv;
  for (int k = 0; k < 3; k++) {
    Table t = table_new (sizes[k][0], sizes[k][1]);
    double start = seconds (), dropped;

    clutter_drop (t.scene, &p, 0);
    dropped = seconds () - start;
    start = seconds ();
    for (uint64_t f = 0; f < 10; f++)
      table_show (&t, &p, f);
    printf ("%d x %d: %.1f ms a pair of frames, once %.0f ms\n", sizes[k][0],
        sizes[k][1], (seconds () - start) * 100, dropped * 1e3);
    table_free (&t);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {{"nothing_in_anything", nothing_in_anything},
    {"nothing_tips", nothing_tips}, {"surfaces", surfaces},
    {"visibility", visibility}, {"sensor", sensor}, {"repeats", repeats},
    {"formats", formats}, {"sizes", sizes}, {"parameters", parameters},
    {"files", files}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
