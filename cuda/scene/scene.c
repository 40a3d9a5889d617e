/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every synthetic scene shares: sine, noise and moments. */
#include "scene/scene.h"

#include <math.h>

/* Taylor's series to the 11th power, which over a quarter of a turn is off by
 * less than 1e-7. */
double
scene_sin (uint32_t turn)
{
  const double half_pi = 1.5707963267948966;
  uint32_t quarter = turn >> 30, rest = turn & 0x3fffffff;
  double x = (quarter & 1 ? 0x40000000 - rest : rest) / 1073741824. * half_pi;
  double q = x * x;
  double s = x *
      (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));

  return quarter & 2 ? -s : s;
}

void
scene_make_noise (double sigma, int16_t table[SCENE_NOISE])
{
  const int half = SCENE_NOISE / 2;

  for (int i = 0; i < half; i++) {
    double lo = 0, hi = 5;

    for (int k = 0; k < 24; k++) {
      double z = (lo + hi) / 2;

      if (erf (z * M_SQRT1_2) < (i + .5) / half)
        lo = z;
      else
        hi = z;
    }
    table[half + i] = (int16_t) (lo * sigma * 16 + .5);
    table[half - 1 - i] = (int16_t) -table[half + i];
  }
}

typedef struct {
  uint64_t n, x, y, xx, xy, yy;
} Sums;

/* Relative to the corner of @b, where the sums of squares of any frame stay
 * far from 2^64. */
static Sums
count (const uint16_t *labels, int width, ImageBox b, uint16_t label,
    ImageBox *box)
{
  Sums s = {0};

  *box = (ImageBox){b.x1, b.y1, b.x0, b.y0};
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++)
      if (labels[(size_t) y * width + x] == label) {
        uint64_t u = x - b.x0, v = y - b.y0;

        s.n++, s.x += u, s.y += v;
        s.xx += u * u, s.xy += u * v, s.yy += v * v;
        box->x0 = x < box->x0 ? x : box->x0;
        box->x1 = x >= box->x1 ? x + 1 : box->x1;
        box->y0 = y < box->y0 ? y : box->y0;
        box->y1 = y + 1;
      }
  return s;
}

void
scene_measure (SceneObject *object, const uint16_t *labels, int width,
    ImageBox bounds, uint16_t label)
{
  const double square = 1. / 12; /* a pixel's own second moment */
  Sums s = count (labels, width, bounds, label, &object->box);
  double n = s.n, mx = s.x / n, my = s.y / n;
  double xx = s.xx / n - mx * mx + square, xy = s.xy / n - mx * my;
  double yy = s.yy / n - my * my + square;
  double mean = (xx + yy) / 2, spread = hypot ((xx - yy) / 2, xy);

  object->area = s.n;
  object->cx = object->cy = object->orientation = object->elongation = NAN;
  if (!s.n) {
    object->box = (ImageBox){0};
    return;
  }
  object->cx = bounds.x0 + mx;
  object->cy = bounds.y0 + my;
  object->orientation = atan2 (2 * xy, xx - yy) / 2;
  if (object->orientation <= -M_PI_2)
    object->orientation = M_PI_2;
  object->elongation = sqrt ((mean + spread) / (mean - spread));
}
