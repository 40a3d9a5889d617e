/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CIE L*a*b* for codebooks of colours.  Host code: the device has tables. */
#pragma once

#include <math.h>
#include <stdint.h>

static inline double
emdtrack_linear (uint8_t v)
{
  double c = v / 255.;

  return c <= .04045 ? c / 12.92 : pow ((c + .055) / 1.055, 2.4);
}

static inline double
emdtrack_lab_root (double t)
{
  return t > 216. / 24389 ? cbrt (t) : (24389. / 27 * t + 16) / 116;
}

/* Converts sRGB (IEC 61966-2-1) with the white point D65. */
static inline void
emdtrack_lab (const uint8_t rgb[3], float lab[3])
{
  double r = emdtrack_linear (rgb[0]), g = emdtrack_linear (rgb[1]),
         b = emdtrack_linear (rgb[2]);
  double x =
      emdtrack_lab_root ((.4124564 * r + .3575761 * g + .1804375 * b) / .95047);
  double y = emdtrack_lab_root (.2126729 * r + .7151522 * g + .0721750 * b);
  double z = emdtrack_lab_root (
      (.0193339 * r + .1191920 * g + .9503041 * b) / 1.08883);

  lab[0] = (float) (116 * y - 16);
  lab[1] = (float) (500 * (x - y));
  lab[2] = (float) (200 * (y - z));
}
