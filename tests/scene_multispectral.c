/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene multispectral: curves as the CIE tabulates them, targets of no
 * other colour and of another spectrum, and truth that is what is seen. */
#include "check.h"
#include "seconds.h"

#include <math.h>

#include "frames.h"
#include "scene/multispectral_core.h"

#include "scene_multispectral_view.h"
#include "scene_multispectral_spectra.h"
#include "scene_multispectral_picture.h"
#include "scene_multispectral_sensor.h"
#include "scene_multispectral_hostile.h"

static int
bench (int argc, char **argv)
{
  static const int channels[] = {0, 4, 11, 16};
  MultispectralParams p = MULTISPECTRAL_DEFAULTS;

  (void) argc, (void) argv;
  for (int k = 0; k < 4; k++) {
    View v = view_new (640, 480, channels[k], IMAGE_GRAY8);
    double start;

    p.channels = channels[k] ? channels[k] : 2;
    view_show (&v, &p, 0);
    start = seconds ();
    for (int f = 0; f < 20; f++)
      view_show (&v, &p, f);
    printf ("640 x 480, %d channels: %.1f ms a frame\n", channels[k],
        (seconds () - start) * 1e3 / 20);
    view_free (&v);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {
    {"curves", curves},
    {"white", white},
    {"bands", bands},
    {"blacks", blacks},
    {"differences", differences},
    {"hidden", hidden},
    {"shown", shown},
    {"look_alikes", look_alikes},
    {"objects", objects},
    {"apart", apart},
    {"noise", noise},
    {"depth", depth},
    {"mosaics", mosaics},
    {"drift", drift},
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
