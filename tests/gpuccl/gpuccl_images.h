/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The images that labellers are timed on: a few discs, many discs, one spiral
 * and noise.  Numbers come from the Mersenne twister of Matsumoto and Nishimura
 * (1998), seed 7, one for each image, so that anybody can make the same ones;
 * how many components each has is known. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
  GPUCCL_BLOBS,   /* nine large discs and 31 specks */
  GPUCCL_CIRCLES, /* 1200 discs, of which every second one erases */
  GPUCCL_SPIRAL,  /* a path one pixel wide from the border to the middle */
  GPUCCL_NOISE,   /* every second pixel, at random */
  GPUCCL_N_IMAGES
} GpucclImage;

static const char *const gpuccl_image_names[]
    __attribute__ ((unused)) = {"blobs", "circles", "spiral", "noise"};

static const struct {
  int width, height;
  struct {
    int four, eight; /* components for 4 and for 8 neighbours */
  } n[GPUCCL_N_IMAGES];
} gpuccl_image_sizes[] __attribute__ ((unused)) = {
    {640, 480, {{36, 36}, {154, 125}, {1, 1}, {20344, 1126}}},
    {1920, 1080, {{36, 36}, {257, 207}, {1, 1}, {136828, 6898}}},
    {2048, 2048, {{35, 35}, {130, 108}, {1, 1}, {276744, 13771}}},
    {4096, 4096, {{37, 37}, {171, 119}, {1, 1}, {1105539, 55462}}},
};

#define GPUCCL_N_SIZES \
 (int) (sizeof gpuccl_image_sizes / sizeof *gpuccl_image_sizes)

typedef struct {
  uint32_t state[624];
  int at;
} Twister;

static inline void
twister_seed (Twister *t, uint32_t seed)
{
  t->at = 624;
  t->state[0] = seed;
  for (int i = 1; i < 624; i++) {
    uint32_t last = t->state[i - 1];

    t->state[i] = 1812433253u * (last ^ last >> 30) + (uint32_t) i;
  }
}

static inline uint32_t
twister_next (Twister *t)
{
  uint32_t v;

  if (t->at == 624) {
    for (int i = 0; i < 624; i++) {
      uint32_t pair =
          (t->state[i] & 0x80000000u) | (t->state[(i + 1) % 624] & 0x7fffffffu);

      t->state[i] =
          t->state[(i + 397) % 624] ^ pair >> 1 ^ (pair & 1 ? 0x9908b0dfu : 0);
    }
    t->at = 0;
  }
  v = t->state[t->at++];
  v ^= v >> 11;
  v ^= v << 7 & 0x9d2c5680u;
  v ^= v << 15 & 0xefc60000u;
  return v ^ v >> 18;
}

static inline void
gpuccl_fill_rect (
    uint8_t *image, int width, int x0, int y0, int x1, int y1, uint8_t value)
{
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      image[(size_t) y * width + x] = value;
}

static inline void
gpuccl_disc (uint8_t *image, int width, int height, int cx, int cy, int radius,
    uint8_t value)
{
  for (int y = cy - radius; y <= cy + radius; y++)
    for (int x = cx - radius; x <= cx + radius; x++) {
      int dx = x - cx, dy = y - cy;

      if (x >= 0 && x < width && y >= 0 && y < height &&
          dx * dx + dy * dy <= radius * radius)
        image[(size_t) y * width + x] = value;
    }
}

static inline void
gpuccl_discs (uint8_t *image, int width, int height, bool many)
{
  Twister t;

  twister_seed (&t, 7);
  for (int i = 0; i < (many ? 1200 : 40); i++) {
    int cx = (int) (twister_next (&t) % (uint32_t) width);
    int cy = (int) (twister_next (&t) % (uint32_t) height);
    int radius = many
        ? 1 + (int) (twister_next (&t) % (uint32_t) (height / 24))
        : 2 + (int) (twister_next (&t) % (uint32_t) (height / 12));

    if (!many && i >= 9)
      radius = 1 + (int) (twister_next (&t) % 6);
    gpuccl_disc (image, width, height, cx, cy, radius, !(many && i % 2));
  }
}

/* Each turn runs right, down, left and up, and steps in by two pixels. */
static inline void
gpuccl_spiral (uint8_t *image, int width, int height)
{
  for (int in = 0; 2 * in < width && 2 * in < height; in += 2) {
    int right = width - in, bottom = height - in;

    gpuccl_fill_rect (image, width, in, in, right, in + 1, 1);
    gpuccl_fill_rect (image, width, in, bottom - 1, right, bottom, 1);
    gpuccl_fill_rect (image, width, right - 1, in, right, bottom, 1);
    gpuccl_fill_rect (image, width, in, in + 2, in + 1, bottom, 1);
    if (in + 2 < bottom)
      gpuccl_fill_rect (image, width, in + 1, in + 2, in + 2, in + 3, 1);
  }
}

/* Fills @image, rows of @width bytes: 1 for foreground, else 0. */
static inline void
gpuccl_image_draw (GpucclImage kind, uint8_t *image, int width, int height)
{
  Twister t;

  memset (image, 0, (size_t) width * height);
  if (kind == GPUCCL_BLOBS || kind == GPUCCL_CIRCLES)
    gpuccl_discs (image, width, height, kind == GPUCCL_CIRCLES);
  else if (kind == GPUCCL_SPIRAL)
    gpuccl_spiral (image, width, height);
  twister_seed (&t, 7);
  for (size_t i = 0; kind == GPUCCL_NOISE && i < (size_t) width * height; i++)
    image[i] = twister_next (&t) & 1;
}
