/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The texture: octaves of noise on lattices through which a surface cuts.  Each
 * view shows those whose cells are 2 to 64 pixels wide.  That depends on depth
 * alone, which both cameras agree on, so both see the same surface, and what a
 * pixel averages is nearly free of waves too short for it. */
#include "scene/stereo_core.h"

#include "common/random.h"

#define MASK (STEREO_LATTICE - 1)
#define ROW STEREO_CORNERS
#define LAYER (STEREO_CORNERS * STEREO_CORNERS)

/* Cells of the finest octave there is, metres. */
#define FINEST .00025

/* Octaves from here on are smooth within a pixel. */
#define SMOOTH 2

void
stereo_make_lattice (Stereo *s, uint64_t seed)
{
  float *to = s->lattice;

  if (s->has_lattice && s->lattice_seed == seed)
    return;
  for (int k = 0; k < STEREO_CORNERS; k++)
    for (int j = 0; j < STEREO_CORNERS; j++)
      for (int i = 0; i < STEREO_CORNERS; i++)
        *to++ =
            random_unit (~seed,
                ((k & MASK) * STEREO_LATTICE + (j & MASK)) * STEREO_LATTICE +
                    (i & MASK)) -
            .5f;
  s->lattice_seed = seed;
  s->has_lattice = true;
}

/* The next lower number, or by rounding its neighbour, where a cell's straight
 * lines go on; |v| < 1024. */
static inline int
whole (float v)
{
  return (int) (v + 1024) - 1024;
}

static inline float
mix (const float *p, float u)
{
  return p[0] + u * (p[1] - p[0]);
}

/* Linear between the corners of cells; (@x, @y, @z) is from the corner @at. */
static inline float
lattice_at (const float *lattice, const int at[3], float x, float y, float z)
{
  int i = whole (x), j = whole (y), k = whole (z);
  float u = x - (float) i, v = y - (float) j, w = z - (float) k;
  const float *p = lattice + ((at[2] + k) & MASK) * LAYER +
      ((at[1] + j) & MASK) * ROW + ((at[0] + i) & MASK);
  float a = mix (p, u), b = mix (p + ROW, u);
  float c = mix (p + LAYER, u), d = mix (p + LAYER + ROW, u);

  a += v * (b - a), c += v * (d - c);
  return a + w * (c - a);
}

/* Of all samples of a pixel whose sides are @right and @down. */
static float
lattice_mean (const float *lattice, const int at[3], const float p[3],
    const float right[3], const float down[3])
{
  const int n = STEREO_SAMPLES;
  float sum = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float u = (i - (n - 1) / 2.f) / n, v = (j - (n - 1) / 2.f) / n;

      sum += lattice_at (lattice, at, p[0] + u * right[0] + v * down[0],
          p[1] + u * right[1] + v * down[1], p[2] + u * right[2] + v * down[2]);
    }
  return sum / (n * n);
}

/* Turned, so that no plane lies along the lattice. */
static void
turn (const double v[3], double out[3])
{
  out[0] = .7 * v[0] + .5 * v[1] - .51 * v[2];
  out[1] = -.62 * v[0] + .78 * v[1] - .09 * v[2];
  out[2] = .35 * v[0] + .38 * v[1] + .86 * v[2];
}

/* Turned: a point and, where @whole, the sides of the pixel around it. */
typedef struct {
  double p[3], side[2][3];
  bool whole;
} Patch;

static float
octave_at (
    const float *lattice, const Patch *patch, double per_metre, double shift)
{
  float rest[3], side[2][3];
  int at[3];

  for (int i = 0; i < 3; i++) {
    double v = patch->p[i] * per_metre + (2 * i + 3.77) * shift;

    at[i] = (int) v - (v < 0);
    rest[i] = (float) (v - at[i]);
  }
  if (!patch->whole)
    return lattice_at (lattice, at, rest[0], rest[1], rest[2]);
  for (int i = 0; i < 6; i++)
    side[i / 3][i % 3] = (float) (patch->side[i / 3][i % 3] * per_metre);
  return lattice_mean (lattice, at, rest, side[0], side[1]);
}

float
stereo_texture (const Stereo *s, int thing, const double p[3],
    double step[2][3], double pixel)
{
  double cell = FINEST, per_metre;
  float sum = 0, finest;
  int octave = 0;
  Patch patch;

  turn (p, patch.p);
  for (int k = 0; step && k < 2; k++)
    turn (step[k], patch.side[k]);
  while (cell < 2 * pixel)
    cell *= 2, octave++;
  finest = (float) (cell / pixel / 2 - 1);
  per_metre = 1 / cell;
  for (int i = 0; i < 5; i++, per_metre /= 2, octave++) {
    float weight = i == 0 ? finest : i == 4 ? 1 - finest : 1;

    patch.whole = step && i < SMOOTH;
    sum += weight *
        octave_at (s->lattice, &patch, per_metre, octave + 8.3 * thing);
  }
  return sum * .425f;
}
