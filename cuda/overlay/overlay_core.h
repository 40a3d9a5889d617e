/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a stroke is blended into samples of any frame format, for both backends.
 */
#pragma once

#include "common/yuv.h"
#include "overlay/overlay_map_core.h"
#include "overlay/overlay_shape_core.h"

/* A stroke of more shapes is cut in two. */
#define OVERLAY_STROKE_SHAPES 256

typedef enum {
  OVERLAY_BARS,
  OVERLAY_GLYPHS,
  OVERLAY_SPRITE,
  OVERLAY_MAP,
} OverlayKind;

typedef struct {
  OverlayBox box; /* of all its shapes */
  uint8_t kind;
  uint8_t alpha;
  uint8_t colour[4];    /* in the frame's components */
  int32_t first, count; /* its shapes */
} OverlayStroke;

struct _OverlayList {
  int width, height;
  OverlayStroke *strokes; /* colour: R G B */
  OverlayShape *shapes;
  int n_strokes, n_shapes;
  int strokes_room, shapes_room;
  OverlayMap map;
  ImageBox glyphs;   /* what they need of the atlas */
  const char *error; /* of an addition that failed */
};

/* Where a component of a pixel is stored. */
typedef struct {
  uint8_t plane, step, offset; /* bytes */
  uint8_t sx, sy;              /* 1: shared by two columns, two rows */
} OverlayComponent;

typedef struct {
  int components;
  OverlayComponent at[4];
  int bytes;        /* of a sample, 1 or 2, little endian */
  int shift, scale; /* of 2: stored = value << shift; value of 8 bits */
} OverlayLayout;

/* All that drawing a list into a frame needs. */
typedef struct {
  Image frame;
  OverlayLayout layout;
  const OverlayStroke *strokes;
  const OverlayShape *shapes;
  int n_strokes;
  const uint8_t *atlas;
  int atlas_stride;
  const uint8_t *texels; /* 3 components of the frame, alpha */
  OverlayNumbers map;
  OverlayRange *range;
  const uint8_t (*palette)[4]; /* 256 colours */
  uint32_t *drawn, serial;     /* *drawn becomes serial once strokes, shapes
                                  and map have arrived on the device */
} OverlayScene;

/* What a shape of bars or glyphs covers of a pixel, 0 to 255. */
BOTH int
overlay_cover (
    const OverlayScene *s, int kind, const OverlayShape *shape, int x, int y)
{
  if (!overlay_meets (&shape->box, x, y, x + 1, y + 1))
    return 0;
  if (kind == OVERLAY_BARS)
    return overlay_bar_cover (&shape->of.bar, x, y);
  return s->atlas[(size_t) (y + shape->of.glyph.dy) * s->atlas_stride +
      (x + shape->of.glyph.dx)];
}

/* Opacity and colour of the image or the map at a pixel of the frame. */
BOTH int
overlay_texture (const OverlayScene *s, int kind, const OverlayShape *shape,
    int x, int y, uint8_t colour[4])
{
  int index = 0, a = 0;

  if (!overlay_meets (&shape->box, x, y, x + 1, y + 1))
    return 0;
  if (kind == OVERLAY_SPRITE) {
    a = overlay_sprite_at (s->texels, &shape->of.sprite, x, y, colour);
    colour[3] = 255;
    return a;
  }
  index = overlay_map_index (&s->map, s->range,
      (int) ((x * s->map.step_x + s->map.step_x / 2) >> 16),
      (int) ((y * s->map.step_y + s->map.step_y / 2) >> 16));
  if (index < 0)
    return 0;
  for (int k = 0; k < 4; k++)
    colour[k] = s->palette[index][k];
  return 255;
}

/* Opacity of a pixel whose best shape gives it @most, coverage times fade, in a
 * stroke of opacity @alpha. */
BOTH int
overlay_alpha (int most, int alpha)
{
  return (most * alpha + 32512) / 65025;
}

/* What @n pixels of opacities that add up to @alpha, and colours that, weighted
 * by them, add up to @sum, make of a stored value that they share: the mean of
 * what each would make of it.  The one rule for luma, chroma and RGB.  (n is 1,
 * 2 or 4: n / 2 is its logarithm.) */
BOTH uint32_t
overlay_mix (uint32_t old, uint32_t alpha, uint32_t sum, int n)
{
  return ((old * (255 * n - alpha) + sum + 255 * n / 2) >> (n / 2)) / 255;
}

/* Where component @c of pixel (@x, @y) is. */
BOTH uint8_t *
overlay_at (const Image *frame, const OverlayComponent *c, int x, int y)
{
  return frame->plane[c->plane] +
      (size_t) (y >> c->sy) * frame->stride[c->plane] + (x >> c->sx) * c->step +
      c->offset;
}

/* The value of the sample @at, of 1 or 2 bytes. */
BOTH uint32_t
overlay_read (int bytes, int shift, const uint8_t *at)
{
  return bytes == 1 ? at[0] : (at[0] | (uint32_t) at[1] << 8) >> shift;
}

BOTH void
overlay_write (int bytes, int shift, uint8_t *at, uint32_t value)
{
  at[0] = (uint8_t) (bytes == 1 ? value : value << shift);
  if (bytes == 2)
    at[1] = (uint8_t) (value << shift >> 8);
}

typedef struct {
  const char *(*draw) (const Device *dev, const OverlayScene *s);
  /* Finds the least and the largest value of the map, and settles the range. */
  const char *(*range) (const Device *dev, const OverlayScene *s);
} OverlayStages;

C_BEGIN
const OverlayLayout *overlay_layout (ImageFormat format);
/* An R G B colour in the components of such frames. */
void overlay_components (
    ImageFormat format, const Yuv *yuv, const uint8_t rgb[3], uint8_t out[3]);
/* The 256 colours of a map, 4 components each. */
void overlay_palette (
    ImageFormat format, const Yuv *yuv, bool labels, uint8_t *palette);

/* A map as the device reads it, its pixels at @pixels. */
OverlayNumbers overlay_numbers (
    const OverlayMap *map, const void *pixels, const Image *frame);
/* Whether the map says itself which values its palette ends at. */
bool overlay_range_given (const OverlayMap *map);
/* The range for @map, after one for @followed, which it replaces; false where
 * the device's goes on instead. */
bool overlay_range_begin (
    OverlayRange *range, OverlayMap *followed, const OverlayMap *map);

/* Puts rows into new memory of the device, in place of @p; waits for it. */
const char *overlay_replace (const Device *dev, uint8_t **p,
    const uint8_t *pixels, size_t stride, size_t row_bytes, size_t rows);

extern const OverlayStages overlay_stages_cpu, overlay_stages_cuda;
C_END
