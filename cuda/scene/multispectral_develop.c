/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the cameras make of surfaces: looks, light and noise. */
#include "scene/multispectral_core.h"

#include "common/parallel.h"
#include "common/random.h"

static void
look_at (const Spectrum *spectrum, int channels, double *level)
{
  if (channels)
    multispectral_bands (spectrum, channels, level);
  else
    multispectral_rgb (spectrum, level);
}

/* A black over each material: all, or part of what there is room for. */
static void
look_at_black (
    const Spectrum *black, double part, int channels, MultispectralLook *look)
{
  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
    Spectrum s = multispectral_material (m);
    double amount = part * multispectral_room (&s, black);

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      s.at[i] += amount * black->at[i];
    look_at (&s, channels, look->level[m]);
  }
}

/* The same over each material. */
static void
look_at_paint (const Spectrum *paint, int channels, MultispectralLook *look)
{
  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++)
    look_at (paint, channels, look->level[m]);
}

void
multispectral_look (
    Multispectral *s, const MultispectralParams *p, int channels)
{
  MultispectralLook *patches = s->looks + MULTISPECTRAL_OBJECTS + p->n_objects;
  Spectrum grey;

  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
    grey.at[i] = .4;
  look_at_black (s->blacks, 0, channels, &s->looks[MULTISPECTRAL_GROUND]);
  look_at_paint (&grey, channels, &s->looks[MULTISPECTRAL_PILLAR]);
  for (int i = 0; i < p->n_objects; i++)
    look_at_black (&s->blacks[i], p->contrast, channels,
        &s->looks[MULTISPECTRAL_OBJECTS + i]);
  for (int k = 0; k < p->distractors; k++) {
    Spectrum other = s->blacks[k % p->n_objects];

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      other.at[i] = -other.at[i];
    if (k % 2)
      look_at_black (&other, .5 * p->contrast, channels, &patches[k]);
    else {
      other = multispectral_paint (k);
      look_at_paint (&other, channels, &patches[k]);
    }
  }
}

/* What a frame needs at every pixel. */
typedef struct {
  uint64_t key;
  double gain, texture;
  int16_t noise[SCENE_NOISE];
} Sensor;

static Sensor
sensor_of (const MultispectralParams *p, uint64_t number)
{
  uint32_t phase = (uint32_t) random_u64 (p->seed, 0);
  /* 2^32 / 300 */
  double wave = math_sin_turn (phase + (uint32_t) (number * 14316558));
  Sensor sensor = {.key = random_u64 (random_u64 (p->seed, number), number),
      .gain = 1 - p->drift * (.5 + .5 * wave),
      .texture = p->texture};

  scene_make_noise (p->noise, sensor.noise);
  return sensor;
}

/* Light that comes from pixel @at in channel @c, 1 is all. */
static double
light (const Multispectral *s, const Sensor *sensor, size_t at, int c)
{
  const MultispectralGround *g = &s->ground[at];
  const MultispectralLook *look = &s->looks[s->surfaces[at]];
  double from = look->level[g->first][c], to = look->level[g->first + 1][c];
  double shade = s->surfaces[at] == MULTISPECTRAL_PILLAR
      ? s->pillar[at % s->width]
      : 1 - sensor->texture * g->grain / 320;

  return (from + (to - from) * g->part / 255) * shade * sensor->gain;
}

/* A number of @top steps.  Noise is in sixteenths of a 255th. */
static int
expose (const Sensor *sensor, double light, size_t at, int c, int top)
{
  uint64_t bits =
      random_u64 (sensor->key, at * MULTISPECTRAL_MAX_CHANNELS + c) >> 32;
  double noise = sensor->noise[bits % SCENE_NOISE] / (16 * 255.);
  double v = (light + noise) * top + .5;

  return v < 0 ? 0 : v > top ? top : (int) v;
}

static void
develop_grey_row (const Multispectral *s, const Sensor *sensor,
    const MultispectralParams *p, const Image *img, int row)
{
  bool words = img->format == IMAGE_GRAY16;
  uint8_t *to = img->plane[0] + (ptrdiff_t) row * img->stride[0];
  int y = row % s->height, c = row / s->height; /* if stacked */

  for (int x = 0; x < s->width; x++) {
    size_t at = (size_t) y * s->width + x;
    int v;

    if (p->mosaic)
      c = p->mosaic * (y % p->mosaic) + x % p->mosaic;
    v = expose (sensor, light (s, sensor, at, c), at, c, words ? 65535 : 255);
    *to++ = (uint8_t) v;
    if (words)
      *to++ = (uint8_t) (v >> 8);
  }
}

/* IEC 61966-2-1. */
static double
encode (double v)
{
  if (v <= .0031308)
    return 12.92 * v;
  return 1.055 * pow (v, 1 / 2.4) - .055;
}

static void
develop_rgb_row (const Multispectral *s, const Sensor *sensor, int y)
{
  uint8_t *to = s->rgb + (size_t) y * s->width * 3;

  for (int x = 0; x < s->width; x++)
    for (int c = 0; c < 3; c++) {
      size_t at = (size_t) y * s->width + x;
      double v = encode (light (s, sensor, at, c));

      *to++ = (uint8_t) expose (sensor, v, at, c, 255);
    }
}

typedef struct {
  const Multispectral *s;
  const MultispectralParams *p;
  const Image *img;
  Sensor sensor;
} Picture;

static void
develop_grey_rows (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int row = begin; row < end; row++)
    develop_grey_row (c->s, &c->sensor, c->p, c->img, row);
}

static void
develop_rgb_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    develop_rgb_row (c->s, &c->sensor, y);
    if (y + 1 < c->s->height)
      develop_rgb_row (c->s, &c->sensor, y + 1);
    scene_put_rows (c->img, c->s->rgb, y);
  }
}

void
multispectral_develop (Multispectral *s, const MultispectralParams *p,
    uint64_t number, const Image *img)
{
  Picture c = {s, p, img, sensor_of (p, number)};

  if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16)
    parallel_for (img->height, 0, develop_grey_rows, &c);
  else
    parallel_for ((s->height + 1) / 2, 0, develop_rgb_pairs, &c);
}
