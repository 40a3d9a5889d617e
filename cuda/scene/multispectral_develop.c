/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From surfaces to the camera's picture: appearances, light and noise. */
#include "scene/multispectral_core.h"

#include "common/parallel.h"
#include "common/random.h"

static void
spectrum_levels (const Spectrum *spectrum, int channels, double *level)
{
  if (channels)
    multispectral_bands (spectrum, channels, level);
  else
    multispectral_rgb (spectrum, level);
}

/* Sets the appearance of a black over each material: all of the black for which
 * there is room, or a part. */
static void
set_black_appearance (const Spectrum *black, double part, int channels,
    MultispectralAppearance *appearance)
{
  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
    Spectrum s = multispectral_material (m);
    double amount = part * multispectral_headroom (&s, black);

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      s.at[i] += amount * black->at[i];
    spectrum_levels (&s, channels, appearance->level[m]);
  }
}

/* Sets the appearance of a paint, which is the same over each material. */
static void
set_paint_appearance (
    const Spectrum *paint, int channels, MultispectralAppearance *appearance)
{
  for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++)
    spectrum_levels (paint, channels, appearance->level[m]);
}

void
multispectral_set_appearances (
    Multispectral *s, const MultispectralParams *p, int channels)
{
  MultispectralAppearance *patches =
      s->appearances + MULTISPECTRAL_OBJECTS + p->n_objects;
  Spectrum grey;

  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
    grey.at[i] = .4;
  set_black_appearance (
      s->blacks, 0, channels, &s->appearances[MULTISPECTRAL_GROUND]);
  set_paint_appearance (&grey, channels, &s->appearances[MULTISPECTRAL_PILLAR]);
  for (int i = 0; i < p->n_objects; i++)
    set_black_appearance (&s->blacks[i], p->contrast, channels,
        &s->appearances[MULTISPECTRAL_OBJECTS + i]);
  for (int k = 0; k < p->distractors; k++) {
    Spectrum other = s->blacks[k % p->n_objects];

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      other.at[i] = -other.at[i];
    if (k % 2)
      set_black_appearance (&other, .5 * p->contrast, channels, &patches[k]);
    else {
      other = multispectral_paint (k);
      set_paint_appearance (&other, channels, &patches[k]);
    }
  }
}

/* Data for every pixel of a frame. */
typedef struct {
  uint64_t key;
  double gain, texture;
  int16_t noise[SCENE_NOISE];
} Sensor;

static Sensor
sensor_of_frame (const MultispectralParams *p, uint64_t number)
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

/* The light from pixel @at in channel @c; 1 is full light. */
static double
pixel_light (const Multispectral *s, const Sensor *sensor, size_t at, int c)
{
  const MultispectralGround *g = &s->ground[at];
  const MultispectralAppearance *appearance = &s->appearances[s->surfaces[at]];
  double from = appearance->level[g->first][c],
         to = appearance->level[g->first + 1][c];
  double shade = s->surfaces[at] == MULTISPECTRAL_PILLAR
      ? s->pillar[at % s->width]
      : 1 - sensor->texture * g->grain / 320;

  return (from + (to - from) * g->part / 255) * shade * sensor->gain;
}

/* The level, in @top steps, after noise, which is in sixteenths of a 255th. */
static int
expose_pixel (const Sensor *sensor, double light, size_t at, int c, int top)
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
    v = expose_pixel (
        sensor, pixel_light (s, sensor, at, c), at, c, words ? 65535 : 255);
    *to++ = (uint8_t) v;
    if (words)
      *to++ = (uint8_t) (v >> 8);
  }
}

/* The transfer curve of IEC 61966-2-1. */
static double
encode_srgb (double v)
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
      double v = encode_srgb (pixel_light (s, sensor, at, c));

      *to++ = (uint8_t) expose_pixel (sensor, v, at, c, 255);
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
  Picture c = {s, p, img, sensor_of_frame (p, number)};

  if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16)
    parallel_for (img->height, 0, develop_grey_rows, &c);
  else
    parallel_for ((s->height + 1) / 2, 0, develop_rgb_pairs, &c);
}
