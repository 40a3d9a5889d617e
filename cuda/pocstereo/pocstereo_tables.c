/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ranges of the layers and the constants of a window, from params. */
#include <math.h>

#include "pocstereo/pocstereo_stages.h"

#define PI 3.14159265358979323846

static int
floor_div (int a, int b)
{
  return a / b - (a % b < 0);
}

/* Layer @l of views of @width x @height with disparities from @min to @max. */
static PocstereoLayer
layer_range (int l, int width, int height, int window, int min, int max)
{
  PocstereoLayer layer = {.width = width >> l, .height = height >> l};
  int scale = 1 << l, reach = scale * (window / 2);

  layer.floor = floor_div (min, scale) - 1;
  layer.ceil = -floor_div (-max, scale) + 1;
  layer.tiles = (max - min + reach - 1) / reach;
  if (layer.tiles < 1)
    layer.tiles = 1;
  /* tiles are equal parts of the range; their centres have the unit 1 / (2
   * tiles scale) */
  layer.unit = 2 * layer.tiles * scale;
  layer.first = 2 * layer.tiles * min + (max - min);
  layer.step = 2 * (max - min);
  return layer;
}

void
pocstereo_set_layers (
    PocstereoPyramid *pyramid, const PocstereoParams *p, int width, int height)
{
  int min = p->min_disparity, max = p->max_disparity;

  pyramid->n_layers = pocstereo_layers (p, width, height);
  for (int l = 0; l < pyramid->n_layers; l++) {
    pyramid->layer[0][l] = layer_range (l, width, height, p->window, min, max);
    pyramid->layer[1][l] =
        layer_range (l, width, height, p->window, -max, -min);
  }
}

/* Hann's window times a wave, in integers whose sum is 0, so that a constant
 * line has no spectrum.  Subtracting the weighted mean of the window changes
 * frequency 1 alone, by half of frequency 0. */
static void
set_twiddles (PocstereoTables *t, int k, double scale)
{
  double rest = 0, half = .5 * t->window;

  for (int n = 1; n < t->half; n++) {
    double hann = .5 * (1 + cos (PI * n / half));
    double angle = PI * (k + 1) * n / half;
    double mean = k == 0 ? .5 : 0;

    t->cosine[k][n] = (float) nearbyint (scale * hann * (cos (angle) - mean));
    t->sine[k][n] = (float) nearbyint (scale * hann * sin (angle));
    rest += t->cosine[k][n];
  }
  t->cosine[k][0] = (float) (-2 * rest);
}

static double
spectral_weight (const PocstereoParams *p, int k)
{
  double u = .5 * p->bandwidth;

  return p->weight == POCSTEREO_GAUSSIAN ? exp (-k * k / (2 * u * u)) : 1;
}

static void
set_lag_tables (PocstereoTables *t, const PocstereoParams *p, int k)
{
  for (int n = 0; n <= t->lags + 1; n++) {
    double angle = PI * (k + 1) * n / (.5 * t->window);
    double w = POCSTEREO_TURN * spectral_weight (p, k + 1);

    t->lag_cosine[n][k] = (int32_t) nearbyint (w * cos (angle));
    t->lag_sine[n][k] = (int32_t) nearbyint (w * sin (angle));
  }
}

/* Measured on shifted views (docs/lab/pocstereo.md).  The shorter a window, the
 * more aliasing it has, and the more that weighs. */
#define LEAST .012         /* for a window of 32 samples, pixels */
#define LEAST_BETWEEN .002 /* the same between two windows */

static void
set_sigma_constants (PocstereoTables *t, const PocstereoParams *p)
{
  double least = p->fit == POCSTEREO_TWO_WINDOWS ? LEAST_BETWEEN : LEAST;

  t->least = (float) (least * pow (32. / p->window, 1.5));
}

void
pocstereo_set_tables (PocstereoTables *t, const PocstereoParams *p)
{
  double half = .5 * p->window, sum = 0;
  double scale = POCSTEREO_TWIDDLES / half;
  double amplitude = 16 * p->noise_floor * scale * p->window / 4;

  t->window = p->window;
  t->half = (p->window + 1) / 2;
  t->lines = p->lines;
  t->bandwidth = p->bandwidth;
  t->lags = p->window / 4;
  t->fit = p->fit;
  t->floor2 = (float) (amplitude * amplitude);
  for (int k = 0; k < p->bandwidth; k++) {
    set_twiddles (t, k, scale);
    set_lag_tables (t, p, k);
    t->weight[k] = (float) spectral_weight (p, k + 1);
    sum += t->weight[k];
  }
  set_sigma_constants (t, p);
  t->omega = (float) (PI / half);
  t->perfect = (float) (sum * p->lines * POCSTEREO_TURN * POCSTEREO_TURN);
  t->shape = (float) ((2 + 1. / p->bandwidth) *
          cos (PI * (2 * p->bandwidth + 1) / p->window) -
      cos (PI / p->window) / p->bandwidth);
  t->cos_bin = (float) cos (PI / p->window);
  t->sin_bin = (float) sin (PI / p->window);
}
