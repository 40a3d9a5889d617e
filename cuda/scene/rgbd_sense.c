/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the true depth as a structured-light sensor does: steps and holes
 * (Khoshelham and Oude Elberink, Sensors 12, 2012), and noise that grows with
 * the slant of a surface (Nguyen, Izadi and Lovell, 3DIMPVT 2012). */
#include "scene/rgbd_core.h"

#include "common/parallel.h"
#include "common/random.h"

/* Depths between which the sensor measures. */
#define NEAR .5f
#define FAR 5.f

/* From the camera to the projector, which is right of it, metres. */
#define BASELINE .075f

/* A measured depth is this divided by a whole number, so that its steps are z^2
 * / 351 m: the baseline times a focal length of 585 pixels, in eighths of a
 * pixel. */
#define STEPS 351.f

/* Neighbours whose depths differ by this part are on two surfaces. */
#define JUMP .03f

/* The cosine below which noise grows: 60 degrees between normal and ray. */
#define SLANTED .5f
/* The growth of a Kinect's noise in metres: this divided by the root of the
 * depth, times the square of that angle divided by its difference from 90
 * degrees. */
#define SLANT 1e-4f

/* The angle whose cosine is @c, 0 to 1, with an error of 7e-5 (Abramowitz and
 * Stegun, 4.4.45), the same on every machine. */
static float
angle_of_cosine (float c)
{
  return sqrtf (1 - c) *
      (1.5707288f + c * (-.2121144f + c * (.074261f - c * .0187293f)));
}

/* The factor by which noise at depth @z and cosine @c exceeds that of a surface
 * that faces the sensor, which is a quarter of a step for a Kinect. */
static float
slant_factor (float z, float c)
{
  float angle, part;

  if (!(c < SLANTED))
    return 1;
  angle = angle_of_cosine (c);
  part = angle / (1.5707963f - angle);
  return 1 + SLANT / sqrtf (z) * part * part * 4 * STEPS / (z * z);
}

/* Draws the noise of a row: the sum of four even bytes, which is normally
 * distributed but for its tails, times @sigma. */
static void
draw_row_noise (float *noise, int width, int y, uint64_t key, float sigma)
{
  const float scale = sigma / 147.8f; /* @sigma over the standard deviation of
                                         that sum */
  uint64_t bits = 0;

  for (int x = 0; x < width; x++) {
    uint32_t sum;

    bits = x % 2 ? bits >> 32
                 : random_u64 (key, (uint64_t) y << 32 | (uint64_t) x);
    sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) +
        (bits >> 24 & 0xff);
    noise[x] = scale * (float) ((int) sum - 510);
  }
}

/* Whole millimetres; 0 where the sensor is blind. */
static uint16_t
to_millimetres (float z)
{
  return z >= NEAR && z <= FAR ? (uint16_t) (z * 1000 + .5f) : 0;
}

/* In whole steps; @c is the cosine.  Returns 0, blind, from STEPS / NEAR steps
 * on. */
static uint16_t
measure_depth (float z, float c, float noise)
{
  float steps;

  if (!to_millimetres (z))
    return 0;
  steps = STEPS / z + noise * slant_factor (z, c) + .5f;
  return steps >= 1 && steps < 2 * STEPS / NEAR
      ? to_millimetres (STEPS / (float) (int) steps)
      : 0;
}

/* Changes the depth at edges, where a pixel has a neighbour on another surface:
 * half of these pixels get no depth, a quarter the neighbour's.  Sets @lit to
 * the depth that is measured. */
static void
blur_edges (const Rgbd *s, int y, uint64_t key, float *lit)
{
  const float *row = s->z + (size_t) y * s->width;
  const float *above = y > 0 ? row - s->width : row;
  const float *below = y < s->height - 1 ? row + s->width : row;

  for (int x = 0; x < s->width; x++) {
    float z = row[x], limit = JUMP * z;
    float left = row[x > 0 ? x - 1 : x];
    float right = row[x < s->width - 1 ? x + 1 : x];
    bool beside = fabsf (left - z) > limit, over = fabsf (above[x] - z) > limit;
    uint32_t luck;

    lit[x] = z;
    if (!(beside | over | (fabsf (right - z) > limit) |
            (fabsf (below[x] - z) > limit)))
      continue;
    luck = random_below (key, (uint64_t) y << 32 | (uint64_t) x, 8);
    if (luck < 4)
      lit[x] = 0;
    else if (luck < 6)
      lit[x] = beside                 ? left
          : fabsf (right - z) > limit ? right
          : over                      ? above[x]
                                      : below[x];
  }
}

/* Removes the depth of surfaces that the projector does not light, or that
 * reflect too little. */
static void
hide_unlit (
    const Rgbd *s, const RgbdRow *at, int y, float shift, uint16_t *depth)
{
  const float *z = s->z + (size_t) y * s->width;
  const uint8_t *marks = s->marks + (size_t) y * s->width;
  float taken = INFINITY; /* columns of the projector from here on are taken */

  for (int x = s->width - 1; x >= 0; x--) {
    float column = at->across[x] - shift / z[x];

    if (column > taken || marks[x] & RGBD_GRAZING)
      depth[x] = 0;
    taken = column < taken ? column : taken;
  }
}

/* Whether no sample of a grid of @spacing lies at row or column @i. */
static bool
is_between_samples (int i, double spacing)
{
  return floor (i / spacing) == floor ((i - 1) / spacing);
}

/* Removes the depth of row @y between the samples of a grid. */
static void
thin_out_row (const Rgbd *s, int y, double spacing, uint16_t *depth)
{
  for (int x = 0; x < s->width && spacing > 1; x++)
    if (is_between_samples (y, spacing) || is_between_samples (x, spacing))
      depth[x] = 0;
}

typedef struct {
  Rgbd *s;
  uint64_t key; /* of the noise */
  float shift, sigma;
  double spacing;
} Sensor;

static void
sense_depth_rows (void *data, int begin, int end)
{
  const Sensor *sensor = data;
  Rgbd *s = sensor->s;
  float lit[RGBD_MAX_SIZE], noise[RGBD_MAX_SIZE];
  RgbdRow row;

  for (int y = begin; y < end; y++) {
    const float *facing = s->facing ? s->facing + (size_t) y * s->width : NULL;
    uint16_t *depth = rgbd_depth_row (s, y);

    if (sensor->sigma == 0) {
      for (int x = 0; x < s->width; x++)
        depth[x] = to_millimetres (s->z[(size_t) y * s->width + x]);
      thin_out_row (s, y, sensor->spacing, depth);
      continue;
    }
    draw_row_noise (noise, s->width, y, sensor->key, sensor->sigma);
    blur_edges (s, y, ~sensor->key, lit);
    for (int x = 0; x < s->width; x++)
      depth[x] = measure_depth (lit[x], facing ? facing[x] : 1, noise[x]);
    rgbd_get_row (s, y, &row);
    hide_unlit (s, &row, y, sensor->shift, depth);
    thin_out_row (s, y, sensor->spacing, depth);
  }
}

void
rgbd_sense (
    Rgbd *s, const RgbdPlan *plan, const RgbdParams *params, uint64_t number)
{
  Sensor sensor = {s, random_u64 (random_u64 (params->seed, number), number),
      (float) plan->f * BASELINE, (float) params->noise / 8,
      params->depth_spacing};

  parallel_for (s->height, 0, sense_depth_rows, &sensor);
}
