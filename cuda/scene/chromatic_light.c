/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first and the last layer of the picture: the ground, and then the light
 * of passing clouds and the sensor's noise. */
#include "scene/chromatic_core.h"

#include <string.h>

#include "common/parallel.h"
#include "common/random.h"

/* The ground's grain: stains, grain and a darkening towards the corners. */
static void
lay_rows (void *data, int begin, int end)
{
  Chromatic *s = data;
  int side = s->width > s->height ? s->width : s->height;

  for (int y = begin; y < end; y++) {
    float row[CHROMATIC_MAX_SIZE], weight = 110;

    memset (row, 0, s->width * sizeof *row);

    for (int octave = 0; octave < 6; octave++, weight *= .68f) {
      int size = side / (4 << octave);

      scene_add_grain (row, s->width, y, random_u64 (~s->ground_seed, octave),
          size > 1 ? size : 2, weight);
    }
    for (int x = 0; x < s->width; x++) {
      float dx = 2.f * x / s->width - 1, dy = 2.f * y / s->height - 1;
      float v = 128 + row[x] - 22 * (dx * dx + dy * dy - .66f);

      s->ground[(size_t) y * s->width + x] = (uint8_t) (v < 0 ? 0
              : v > 255                                       ? 255
                                                              : v);
    }
  }
}

static void
lay_ground (Chromatic *s, uint64_t seed)
{
  if (s->has_ground && s->ground_seed == seed)
    return;
  s->ground_seed = seed;
  parallel_for (s->height, 0, lay_rows, s);
  s->has_ground = true;
}

typedef struct {
  Chromatic *s;
  uint8_t ramp[256][3]; /* the colour of each grey of the ground */
} Ground;

static void
draw_rows (void *data, int begin, int end)
{
  const Ground *g = data;
  Chromatic *s = g->s;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t) y * s->width + x;
      const uint8_t *rgb = g->ramp[s->ground[at]];

      s->rgb[3 * at] = rgb[0];
      s->rgb[3 * at + 1] = rgb[1];
      s->rgb[3 * at + 2] = rgb[2];
      s->labels[at] = 0;
    }
}

void
chromatic_draw_ground (Chromatic *s, const ChromaticParams *params)
{
  Ground g = {.s = s};

  lay_ground (s, params->seed);
  /* from a cool dark to a warm light grey, all of them nearly neutral */
  for (int v = 0; v < 256; v++) {
    double t = (v - 128) * params->texture;

    g.ramp[v][0] = (uint8_t) (156 + .77 * t);
    g.ramp[v][1] = (uint8_t) (154 + .66 * t);
    g.ramp[v][2] = (uint8_t) (152 + .50 * t);
  }
  parallel_for (s->height, 0, draw_rows, &g);
}

/* Light at the corners of cells of 16 pixels under three drifting clouds. */
static void
pass_clouds (Chromatic *s, const ChromaticParams *params, uint64_t number)
{
  int columns = s->width / 16 + 2, rows = s->height / 16 + 2;
  double reach = .35 * (s->width > s->height ? s->width : s->height);

  for (int i = 0; i < columns * rows; i++)
    s->clouds[i] = 256;
  for (int k = 0; k < 3; k++) {
    uint64_t key = random_u64 (params->seed + 1, (uint64_t) k);
    uint32_t drift = (uint32_t) (number * (4000000 + 700000 * k));
    double cx = s->width * (.5 + .6 * scene_sin ((uint32_t) key + drift));
    double cy = s->height *
        (.5 + .6 * scene_sin ((uint32_t) (key >> 32) + drift / 3 * 2));

    for (int i = 0; i < columns * rows; i++) {
      double dx = (i % columns * 16 - cx) / reach;
      double dy = (i / columns * 16 - cy) / reach;
      double near = 1 - (dx * dx + dy * dy);
      int light = near > 0
          ? (int) (256 *
                (1 - params->shadows / 2 * near * near * (3 - 2 * near)))
          : 256;

      s->clouds[i] = light < s->clouds[i] ? (uint16_t) light : s->clouds[i];
    }
  }
}

/* A row: times the light, which changes evenly from cell to cell, plus
 * noise. */
static void
develop_row (
    Chromatic *s, int y, uint64_t key, const int16_t noise[SCENE_NOISE])
{
  const uint16_t *above = s->clouds + y / 16 * (s->width / 16 + 2);
  const uint16_t *below = above + s->width / 16 + 2;
  uint8_t *rgb = s->rgb + (size_t) y * s->width * 3;
  uint64_t at = (uint64_t) y << 32, bits = 0;
  int light = 0, step = 0;

  for (int x = 0; x < s->width; x++, rgb += 3, light += step) {
    if (x % 16 == 0) {
      int cell = x / 16;
      int next = above[cell + 1] * (16 - y % 16) + below[cell + 1] * (y % 16);

      light = (above[cell] * (16 - y % 16) + below[cell] * (y % 16)) * 16;
      step = (next * 16 - light) / 16;
    }
    bits = x % 2 ? bits >> 30 : random_u64 (key, at++);
    for (int c = 0; c < 3; c++) {
      int v = (rgb[c] * light >> 12) + noise[bits >> 10 * c & 1023] + 8;

      rgb[c] = (uint8_t) (v < 0 ? 0 : v > 4095 ? 255 : v >> 4);
    }
  }
}

typedef struct {
  Chromatic *s;
  const Image *img;
  uint64_t key; /* of the noise */
  int16_t noise[SCENE_NOISE];
} Picture;

static void
develop_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    develop_row (c->s, y, c->key, c->noise);
    if (y + 1 < c->s->height)
      develop_row (c->s, y + 1, c->key, c->noise);
    scene_put_rows (c->img, c->s->rgb, y);
  }
}

void
chromatic_develop (Chromatic *s, const ChromaticParams *params, uint64_t number,
    const Image *img)
{
  Picture c = {.s = s,
      .img = img,
      .key = random_u64 (random_u64 (params->seed, number), number)};

  scene_make_noise (params->noise, c.noise);
  pass_clouds (s, params, number);
  parallel_for ((s->height + 1) / 2, 0, develop_pairs, &c);
}
