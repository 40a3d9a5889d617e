/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spectra: curves, materials and metameric blacks. */
#include "scene/multispectral_core.h"

#include <string.h>

#include "common/random.h"

#define N MULTISPECTRAL_SAMPLES

/* Number of trials in the search for a black; the trial farthest from 0 and
 * from the last blacks is taken. */
#define TRIES 32
#define BEFORE 16

/* Reflectances at 400, 450, … 1000 nm, like those of the materials named, but
 * never so dark that a black would find no room. */
static const double materials[MULTISPECTRAL_MATERIALS][13] = {
    {.14, .15, .17, .26, .20, .17, .28, .58, .62, .63, .63, .60,
        .61}, /* leaf */
    {.15, .17, .20, .31, .28, .22, .26, .45, .50, .51, .52, .50,
        .51}, /* moss */
    {.18, .21, .26, .31, .36, .40, .44, .49, .53, .55, .57, .56,
        .58}, /* straw */
    {.26, .31, .37, .43, .49, .53, .56, .59, .61, .63, .64, .65,
        .66}, /* sand */
    {.30, .31, .32, .33, .34, .35, .35, .36, .36, .37, .37, .38,
        .38}, /* stone */
    {.15, .17, .20, .24, .29, .33, .37, .41, .44, .47, .49, .50,
        .52}, /* soil */
};

static double
gaussian_lobe (
    double nm, double height, double middle, double below, double above)
{
  double t = (nm - middle) / (nm < middle ? below : above);

  return height * exp (-.5 * t * t);
}

double
multispectral_curve (int k, double nm)
{
  switch (k) {
    case 0:
      return gaussian_lobe (nm, 1.056, 599.8, 37.9, 31.0) +
          gaussian_lobe (nm, .362, 442.0, 16.0, 26.7) +
          gaussian_lobe (nm, -.065, 501.1, 20.4, 26.2);
    case 1:
      return gaussian_lobe (nm, .821, 568.8, 46.9, 40.5) +
          gaussian_lobe (nm, .286, 530.9, 16.3, 31.1);
    default:
      return gaussian_lobe (nm, 1.217, 437.0, 11.8, 36.0) +
          gaussian_lobe (nm, .681, 459.0, 26.0, 13.8);
  }
}

static double
spectrum_dot (const Spectrum *a, const Spectrum *b)
{
  double sum = 0;

  for (int i = 0; i < N; i++)
    sum += a->at[i] * b->at[i];
  return sum;
}

static void
add_spectrum (Spectrum *a, double factor, const Spectrum *b)
{
  for (int i = 0; i < N; i++)
    a->at[i] += factor * b->at[i];
}

void
multispectral_rgb (const Spectrum *spectrum, double rgb[3])
{
  /* XYZ of white 1, 1, 1 to that of D65, times IEC 61966-2-1's matrix */
  static const double m[3][3] = {{3.2404542, -1.5371385, -.4985314},
      {-.9692660, 1.8760108, .0415560}, {.0556434, -.2040259, 1.0572252}};
  static const double white[3] = {.95047, 1, 1.08883};
  double xyz[3];

  for (int k = 0; k < 3; k++) {
    double sum = 0, all = 0;

    for (int i = 0; i < N; i++) {
      double curve = multispectral_curve (k, multispectral_step (i));

      sum += curve * spectrum->at[i], all += curve;
    }
    xyz[k] = sum / all * white[k];
  }
  for (int c = 0; c < 3; c++)
    rgb[c] = m[c][0] * xyz[0] + m[c][1] * xyz[1] + m[c][2] * xyz[2];
}

void
multispectral_bands (const Spectrum *spectrum, int channels, double *mean)
{
  double wide = (double) N / channels;

  for (int c = 0; c < channels; c++) {
    double from = c * wide, to = (c + 1) * wide, sum = 0;

    for (int i = (int) from; i < N && i < to; i++)
      sum += (fmin (to, i + 1) - fmax (from, i)) * spectrum->at[i];
    mean[c] = sum / wide;
  }
}

Spectrum
multispectral_material (int material)
{
  const double *r = materials[material];
  Spectrum s;

  for (int i = 0; i < N; i++) {
    int k = i / 10;
    double t = (i % 10 + .5) / 10;

    s.at[i] = r[k] + (r[k + 1] - r[k]) * t * t * (3 - 2 * t);
  }
  return s;
}

Spectrum
multispectral_paint (int k)
{
  static const double middle[3] = {640, 460, 545};
  Spectrum s;

  for (int i = 0; i < N; i++)
    s.at[i] = .08 +
        gaussian_lobe (multispectral_step (i), .6, middle[k / 2 % 3], 40, 40);
  return s;
}

double
multispectral_headroom (const Spectrum *base, const Spectrum *black)
{
  double room = INFINITY;

  for (int i = 0; i < N; i++) {
    double b = black->at[i], r = base->at[i];

    if (b != 0)
      room = fmin (room, b > 0 ? (1 - r) / b : -r / b);
  }
  return room;
}

/* Sets @seen to an orthonormal basis (Gram and Schmidt) of the curves and a
 * constant, to which a black must be orthogonal. */
static void
set_seen_basis (Spectrum seen[4])
{
  for (int k = 0; k < 4; k++) {
    double length;

    for (int i = 0; i < N; i++)
      seen[k].at[i] =
          k < 3 ? multispectral_curve (k, multispectral_step (i)) : 1;
    for (int j = 0; j < 2 * k; j++) /* twice, because rounding adds up */
      add_spectrum (
          &seen[k], -spectrum_dot (&seen[k], &seen[j % k]), &seen[j % k]);
    length = sqrt (spectrum_dot (&seen[k], &seen[k]));
    for (int i = 0; i < N; i++)
      seen[k].at[i] /= length;
  }
}

/* A sum of up to six half waves over all wavelengths, minus its part in @seen,
 * scaled to at most 1. */
static Spectrum
draw_black (uint64_t key, const Spectrum seen[4])
{
  Spectrum b = {{0}};
  double max = 0;

  for (int f = 1; f <= 6; f++) {
    double weight = (2 * random_unit (key, f) - 1) / sqrt (f);

    for (int i = 0; i < N; i++) /* a half wave is 2^31 */
      b.at[i] += weight *
          math_sin_turn ((uint32_t) ((1u << 30) +
              (uint64_t) f * (2 * i + 1) * (1u << 30) / N));
  }
  for (int j = 0; j < 8; j++)
    add_spectrum (&b, -spectrum_dot (&b, &seen[j % 4]), &seen[j % 4]);
  for (int i = 0; i < N; i++)
    max = fmax (max, fabs (b.at[i]));
  for (int i = 0; i < N; i++)
    b.at[i] /= max;
  return b;
}

/* The effect of a black on each material, in four bands. */
typedef struct {
  double band[MULTISPECTRAL_MATERIALS][4];
} Mark;

static Mark
effect_of_black (const Spectrum *black, const Spectrum *base)
{
  Mark mark;

  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
    double room = multispectral_headroom (&base[m], black);

    multispectral_bands (black, 4, mark.band[m]);
    for (int c = 0; c < 4; c++)
      mark.band[m][c] *= room;
  }
  return mark;
}

/* The mean square difference over the bands, for the material where it is
 * smallest. */
static double
effect_distance (const Mark *a, const Mark *b)
{
  double min = INFINITY;

  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
    double sum = 0;

    for (int c = 0; c < 4; c++) {
      double d = a->band[m][c] - b->band[m][c];

      sum += d * d / 4;
    }
    min = fmin (min, sum);
  }
  return min;
}

void
multispectral_blacks (uint64_t seed, int n, Spectrum *blacks)
{
  Spectrum seen[4], base[MULTISPECTRAL_MATERIALS];
  Mark last[BEFORE + 1] = {0}; /* the last one stands for no black */

  set_seen_basis (seen);
  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++)
    base[m] = multispectral_material (m);
  for (int i = 0; i < n; i++) {
    uint64_t key = random_u64 (seed, (uint64_t) i);
    double best = -1;
    Mark chosen = {0};

    for (int k = 0; k < TRIES; k++) {
      Spectrum b = draw_black (random_u64 (key, (uint64_t) k), seen);
      Mark mark = effect_of_black (&b, base);
      double far = effect_distance (&mark, &last[BEFORE]);

      for (int j = 0; j < BEFORE && j < i; j++)
        far = fmin (far, effect_distance (&mark, &last[j]));
      if (far > best)
        best = far, blacks[i] = b, chosen = mark;
    }
    last[i % BEFORE] = chosen;
  }
}
