/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grey of a pixel, and grey between pixels, in integers; the stages of
 * rectification. */
#pragma once

#include "pocstereo/rig/pocstereo_rectify.h"

/* The place of a sample in the frame, 1/1024 pixels. */
#define POCSTEREO_MAP_BITS 10
#define POCSTEREO_MAP_ONE (1 << POCSTEREO_MAP_BITS)
typedef struct {
  int32_t x, y;
} PocstereoPosition;

typedef enum {
  POCSTEREO_BYTES,   /* grey of 8 bits, every `step` bytes */
  POCSTEREO_WORDS,   /* of 16 bits, at any address */
  POCSTEREO_COLOURS, /* R, G and B of 8 bits each */
  POCSTEREO_SAMPLES, /* samples, uint16_t */
} PocstereoGreyKind;

/* The greys of a frame. */
typedef struct {
  const uint8_t
      *c[3]; /* address in the first pixel: of grey, or of R, G and B */
  int width, height;
  int stride, step; /* bytes from row to row, from pixel to pixel */
  PocstereoGreyKind kind;
  int shift, mask; /* of the sample in a word */
  int weight[3];   /* of R, G and B; their sum is 1 << 16 */
} PocstereoGrey;

/* The sample of pixel (@x, @y), which lies in the frame. */
BOTH int
pocstereo_grey_at (const PocstereoGrey *g, int x, int y)
{
  ptrdiff_t at = (ptrdiff_t) y * g->stride + (ptrdiff_t) x * g->step;
  const uint8_t *c = g->c[0] + at;

  switch (g->kind) {
    case POCSTEREO_BYTES:
      return *c << 4;
    case POCSTEREO_WORDS:
      return (c[0] | c[1] << 8) >> g->shift & g->mask;
    case POCSTEREO_COLOURS:
      return (g->weight[0] * *c + g->weight[1] * g->c[1][at] +
                 g->weight[2] * g->c[2][at] + (1 << 11)) >>
          12;
    case POCSTEREO_SAMPLES:
      break;
  }
  return *(const uint16_t *) c;
}

#define POCSTEREO_WEIGHT_BITS 12

/* Keys' weights of the pixels at -1, 0, 1 and 2 for a place @t / 1024 behind
 * pixel 0.  Their sum is 1 << POCSTEREO_WEIGHT_BITS after rounding, too. */
BOTH void
pocstereo_cubic_weights (int t, int weight[4])
{
  int t1 = t << 10, t2 = t * t, t3 = t2 * t >> 10; /* 20 bits each */

  weight[0] = (2 * t2 - t3 - t1 + (1 << 8)) >> 9;
  weight[2] = (4 * t2 - 3 * t3 + t1 + (1 << 8)) >> 9;
  weight[3] = (t3 - t2 + (1 << 8)) >> 9;
  weight[1] = (1 << POCSTEREO_WEIGHT_BITS) - weight[0] - weight[2] - weight[3];
}

BOTH int
pocstereo_clamp_index (int i, int n)
{
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The sample at @p / 1024, from 4 x 4 @samples; the second of the second row
 * lies at the integer part of @p.  The magnitudes of the weights sum to at most
 * 5/4, the positive weights to 9/8, so sums have at most 31 bits. */
BOTH uint16_t
pocstereo_weigh_samples (const int samples[16], PocstereoPosition p)
{
  int across[4], down[4], sum = 1 << 17;

  pocstereo_cubic_weights (p.x & (POCSTEREO_MAP_ONE - 1), across);
  pocstereo_cubic_weights (p.y & (POCSTEREO_MAP_ONE - 1), down);
  for (int k = 0; k < 4; k++) {
    int row = 1 << 5;

    for (int i = 0; i < 4; i++)
      row += across[i] * samples[4 * k + i];
    sum += down[k] * (row >> 6);
  }
  sum >>= 2 * POCSTEREO_WEIGHT_BITS - 6;
  sum = sum < 0 ? 0 : sum;
  return (uint16_t) (sum > POCSTEREO_SAMPLE_MAX ? POCSTEREO_SAMPLE_MAX : sum);
}

/* The sample at @p; pixels outside of the frame repeat its edge. */
BOTH uint16_t
pocstereo_grey_between (const PocstereoGrey *g, PocstereoPosition p)
{
  int x = (p.x >> POCSTEREO_MAP_BITS) - 1, y = (p.y >> POCSTEREO_MAP_BITS) - 1;
  int samples[16], column[4];

  for (int i = 0; i < 4; i++)
    column[i] = pocstereo_clamp_index (x + i, g->width);
  for (int k = 0; k < 4; k++) {
    int line = pocstereo_clamp_index (y + k, g->height);

    for (int i = 0; i < 4; i++)
      samples[4 * k + i] = pocstereo_grey_at (g, column[i], line);
  }
  return pocstereo_weigh_samples (samples, p);
}

/* ---- The stages; index 0 left, 1 right ---- */

/* The frames of both views, of one size. */
typedef struct {
  PocstereoGrey grey[2];
} PocstereoGreys;

/* The place in the frame of each pixel of both rectified views, in rows of the
 * frames' width. */
typedef struct {
  const PocstereoPosition *view[2];
} PocstereoMaps;

/* Samples of both views. */
typedef struct {
  uint16_t *view[2];
  int stride; /* samples */
} PocstereoPlanes;

/* The greys of a frame whose samples were copied to @planes. */
BOTH PocstereoGrey
pocstereo_grey_of_plane (
    const PocstereoGreys *frames, const PocstereoPlanes *planes, int view)
{
  PocstereoGrey g = frames->grey[view];

  g.c[0] = (const uint8_t *) planes->view[view];
  g.stride = planes->stride * (int) sizeof (uint16_t);
  g.step = sizeof (uint16_t);
  g.kind = POCSTEREO_SAMPLES;
  return g;
}

/* Makes grey samples of both views.  In: @frames; @maps, NULL if frames are not
 * rectified.  Out: @samples.  Scratch: with @maps, @planes for the samples of
 * the frames. */
typedef const char *PocstereoRectifyStage (const Device *dev,
    const PocstereoGreys *frames, const PocstereoMaps *maps,
    PocstereoPlanes *planes, PocstereoPlanes *samples);

struct PocstereoPicture; /* pocstereo_picture_core.h */

/* Makes the picture of the left view, rectified.  In and out: the fields of
 * @picture. */
typedef const char *PocstereoPictureStage (
    const Device *dev, const struct PocstereoPicture *picture);

typedef struct {
  PocstereoRectifyStage *rectify;
  PocstereoPictureStage *picture;
} PocstereoRectifyStages;

C_BEGIN
/* Fills @map and @valid in the host's memory, rows of @width, for a checked
 * view. */
const char *pocstereo_rectify_check (const PocstereoView *view);
void pocstereo_rectify_map (const PocstereoView *view, int width, int height,
    PocstereoPosition *map, uint8_t *valid);

extern const PocstereoRectifyStages pocstereo_rectify_stages_cpu,
    pocstereo_rectify_stages_cuda;
C_END
