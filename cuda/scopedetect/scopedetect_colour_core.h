/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CIE Lab (D65) of sRGB. */
#pragma once

#include "common/math_core.h"
#include "common/vec.h"

BOTH float
scopedetect_lab_f (float t)
{
  return t > .008856452f ? math_cbrt (t) : 7.787037f * t + .13793103f;
}

/* The linear light of a component from 0 to 255. A polynomial stands for the
 * power of 2.4: exact at 0 and 1, off by less than 0.002 between. */
BOTH float
scopedetect_linear (float c)
{
  float v = c / 255;

  return v * (.012522878f + v * (.682171111f + v * .305306011f));
}

BOTH Vec
scopedetect_lab (float red, float green, float blue)
{
  float r = scopedetect_linear (red), g = scopedetect_linear (green);
  float b = scopedetect_linear (blue);
  float x = (.4124f * r + .3576f * g + .1805f * b) / .9505f;
  float y = .2126f * r + .7152f * g + .0722f * b;
  float z = (.0193f * r + .1192f * g + .9505f * b) / 1.089f;
  float fx = scopedetect_lab_f (x), fy = scopedetect_lab_f (y);
  float fz = scopedetect_lab_f (z);

  return vec (116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz));
}
