/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much of a pixel a shape covers, which colour a number of a map has, and
 * how a stroke is blended into samples of any frame format. */
#pragma once

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/yuv.h"
#include "overlay/overlay.h"

/* ---- Coverage of pixels by shapes, in integers ---- */

/* A box of pixels, half-open, inside the frame. */
typedef struct {
  int16_t x0, y0, x1, y1;
} OverlayBox;

/* A rounded box at any angle, also for lines and dots.  Lengths in 1/256
 * pixel. */
typedef struct {
  int32_t x, y;           /* its centre */
  int32_t ux, uy;         /* the unit vector along the box, 16.16 */
  int32_t half_u, half_v; /* half the length along and across */
  int32_t radius;         /* of the corners */
  int32_t rim;            /* width of the rim that is drawn; 0: all of the
                             box */
  int32_t on, period;     /* dashes along the box; period 0: none */
} OverlayBar;

/* The offset from a position in the frame to the one in the atlas. */
typedef struct {
  int32_t dx, dy;
} OverlayGlyph;

/* A level of the image's pyramid, scaled to a box. */
typedef struct {
  int32_t x, y, width, height; /* in the frame */
  int32_t first, across, down; /* number of the first texel; texels across and
                                  down */
  int32_t step_x, step_y;      /* texels a pixel, 16.16 */
} OverlaySprite;

typedef struct {
  OverlayBox box; /* nothing is drawn outside */
  uint8_t fade;
  union {
    OverlayBar bar;
    OverlayGlyph glyph;
    OverlaySprite sprite;
  } of;
} OverlayShape;

BOTH int
overlay_min (int a, int b)
{
  return a < b ? a : b;
}

BOTH int
overlay_max (int a, int b)
{
  return a > b ? a : b;
}

BOTH bool
overlay_meets (const OverlayBox *b, int x0, int y0, int x1, int y1)
{
  return b->x0 < x1 && x0 < b->x1 && b->y0 < y1 && y0 < b->y1;
}

/* The square root, rounded down, of at most 2^31.  The loops correct the
 * float's rounding, so that the result is exact. */
BOTH int
overlay_sqrt (uint32_t v)
{
  uint32_t root = (uint32_t) sqrtf ((float) v);

  while (root * root > v)
    root--;
  while ((root + 1) * (root + 1) <= v)
    root++;
  return (int) root;
}

/* Coverage of a pixel by the distance of its centre from the box's edge; exact
 * for edges along rows and columns. */
BOTH int
overlay_bar_cover (const OverlayBar *b, int x, int y)
{
  int dx = 256 * x - b->x, dy = 256 * y - b->y;
  int along = (int) (((int64_t) dx * b->ux + (int64_t) dy * b->uy) >> 16);
  int across = (int) (((int64_t) dy * b->ux - (int64_t) dx * b->uy) >> 16);
  int u = (along < 0 ? -along : along) - b->half_u + b->radius;
  int v = (across < 0 ? -across : across) - b->half_v + b->radius;
  int d = overlay_max (u, v);

  if (u > 0 && v > 0 && d < 1 << 15)
    d = overlay_sqrt ((uint32_t) (u * u) + (uint32_t) (v * v));
  d -= b->radius;
  if (b->rim)
    d = overlay_max (d, -d - b->rim);
  if (b->period) {
    int m = (along + b->half_u) % b->period;

    m = m < 0 ? m + b->period : m;
    d = overlay_max (d,
        m < b->on ? overlay_max (-m, m - b->on)
                  : overlay_min (m - b->on, b->period - m));
  }
  return overlay_max (0, overlay_min (255, 128 - d));
}

/* Sets @color to the bilinear mean of the texels' colours, weighted by alpha;
 * returns alpha. */
BOTH int
overlay_sprite_at (const uint8_t *texels, const OverlaySprite *s, int x, int y,
    uint8_t colour[3])
{
  int64_t fx = (int64_t) (x - s->x) * s->step_x + (s->step_x - 65536) / 2;
  int64_t fy = (int64_t) (y - s->y) * s->step_y + (s->step_y - 65536) / 2;
  int tx = fx < 0 ? 0 : (int) (fx >> 16), ty = fy < 0 ? 0 : (int) (fy >> 16);
  uint32_t wx = fx < 0 ? 0 : (fx >> 8) & 255, wy = fy < 0 ? 0 : (fy >> 8) & 255;
  uint32_t weight = 0, sum[3] = {0, 0, 0};

  for (int i = 0; i < 4; i++) {
    int cx = overlay_min (tx + (i & 1), s->across - 1);
    int cy = overlay_min (ty + (i >> 1), s->down - 1);
    const uint8_t *t = texels + 4 * ((size_t) s->first + cy * s->across + cx);
    uint32_t w = (i & 1 ? wx : 256 - wx) * (i >> 1 ? wy : 256 - wy) * t[3];

    weight += w;
    for (int c = 0; c < 3; c++)
      sum[c] += w * t[c];
  }
  for (int c = 0; c < 3; c++)
    colour[c] = (uint8_t) (weight ? (sum[c] + weight / 2) / weight : 0);
  return (int) ((weight + 32768) >> 16);
}

/* ---- Colours of maps ---- */

/* Floats occur in this part alone, and only as single operations, whose
 * rounding is the same on both backends. */

/* The state of a map's palette: index = (value - low) * gain. */
typedef struct {
  float low, high, gain;
  int32_t min_order, max_order; /* of this frame, as overlay_order () numbers */
  uint32_t done;                /* number of blocks that have ended */
  int32_t frames;               /* that were smoothed; 0: none */
} OverlayRange;

/* A map, as kernels and loops read it. */
typedef struct {
  const uint8_t *pixels;
  int width, height, stride;
  OverlayFormat format;
  bool labels, rgb;
  float scale, offset;
  float invalid_value; /* NAN: none */
  uint32_t invalid_name;
  bool has_invalid;        /* of integers */
  uint32_t step_x, step_y; /* pixels of the map for a pixel of the frame,
                              16.16 */
} OverlayNumbers;

BOTH int
overlay_map_number_bytes (OverlayFormat f)
{
  return f == OVERLAY_U8 ? 1 : f == OVERLAY_U16 ? 2 : 4;
}

/* The bytes from the first pixel to the last, whose row may end before its
 * stride. */
BOTH size_t
overlay_map_bytes (const OverlayMap *m)
{
  return (size_t) m->stride * (m->height - 1) +
      (size_t) m->width * (m->rgb ? 3 : 1) *
      overlay_map_number_bytes (m->format);
}

/* The float @v as an integer in the same order, for integer atomics. */
BOTH int32_t
overlay_order (float v)
{
  int32_t i;

  memcpy (&i, &v, sizeof i);
  return i < 0 ? i ^ 0x7fffffff : i;
}

BOTH float
overlay_unorder (int32_t i)
{
  float v;

  i = i < 0 ? i ^ 0x7fffffff : i;
  memcpy (&v, &i, sizeof v);
  return v;
}

/* Reads number @x of a row of a map: its value, and its raw integer as an exact
 * name.  Returns false if the number is invalid. */
BOTH bool
overlay_map_raw (
    const OverlayNumbers *m, int x, int y, float *v, uint32_t *name)
{
  const uint8_t *row = m->pixels + (size_t) y * m->stride;

  if (m->format == OVERLAY_F32) {
    *v = ((const float *) row)[x];
    *name = (uint32_t) overlay_order (*v);
    return *v - *v == 0 && *v != m->invalid_value;
  }
  *name = m->format == OVERLAY_U8 ? row[x]
      : m->format == OVERLAY_U16  ? ((const uint16_t *) row)[x]
                                  : ((const uint32_t *) row)[x];
  *v = (float) *name;
  return !m->has_invalid || *name != m->invalid_name;
}

BOTH bool
overlay_map_value (const OverlayNumbers *m, int x, int y, float *v)
{
  uint32_t name;

  if (!overlay_map_raw (m, x, y, v, &name))
    return false;
  *v = *v * m->scale + m->offset;
  return *v - *v == 0;
}

/* Knuth's multiplicative hash, which sends neighbouring keys far apart. */
BOTH int
overlay_hash (uint32_t key)
{
  return (int) ((key * 2654435769u) >> 24);
}

/* The step, 0 to 255, of value @v between the two ends of a range. */
BOTH int
overlay_map_step (const OverlayRange *r, float v)
{
  v = (v - r->low) * r->gain;
  return v > 0 ? v < 255 ? (int) (v + .5f) : 255 : 0;
}

/* The index into the palette, or -1 if the pixel is transparent. */
BOTH int
overlay_map_index (const OverlayNumbers *m, const OverlayRange *r, int x, int y)
{
  float v;
  uint32_t name;

  if (m->labels)
    return overlay_map_raw (m, x, y, &v, &name) ? overlay_hash (name) : -1;
  if (!overlay_map_value (m, x, y, &v))
    return -1;
  return overlay_map_step (r, v);
}

/* Sets @color to the colour of a map with three numbers a pixel.  Returns false
 * if the pixel is transparent: all three numbers are invalid, or one is not
 * finite. */
BOTH bool
overlay_map_rgb (const OverlayNumbers *m, const OverlayRange *r, int x, int y,
    uint8_t rgb[3])
{
  bool valid = false;

  for (int k = 0; k < 3; k++) {
    uint32_t name;
    float v;

    valid |= overlay_map_raw (m, 3 * x + k, y, &v, &name);
    v = v * m->scale + m->offset;
    if (v - v != 0)
      return false;
    rgb[k] = (uint8_t) overlay_map_step (r, v);
  }
  return valid;
}

/* Moves @from, an end of the palette's range, an eighth of the way to @to, that
 * end in this frame; all the way if the difference is too large for a float. */
BOTH float
overlay_range_follow (float from, float to)
{
  float next = from + (to - from) * .125f;

  return next - next == 0 ? next : to;
}

BOTH void
overlay_range_settle (OverlayRange *r)
{
  if (r->min_order <= r->max_order) {
    float low = overlay_unorder (r->min_order),
          high = overlay_unorder (r->max_order);

    r->low = r->frames ? overlay_range_follow (r->low, low) : low;
    r->high = r->frames ? overlay_range_follow (r->high, high) : high;
    r->frames = 1;
  }
  r->gain = r->high - r->low > 0 ? 255 / (r->high - r->low) : 0;
  r->min_order = INT32_MAX;
  r->max_order = INT32_MIN;
  r->done = 0;
}

/* The greatest number of shapes of a stroke; a longer stroke is cut in two. */
#define OVERLAY_STROKE_SHAPES 256

typedef enum {
  OVERLAY_BARS,
  OVERLAY_GLYPHS,
  OVERLAY_SPRITE,
  OVERLAY_MAP,
} OverlayKind;

typedef struct {
  OverlayBox box; /* around all shapes */
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
  ImageBox glyphs;   /* the part of the atlas that the glyphs need */
  int64_t area_left; /* pixels that further shapes may take */
  int n_left_out;    /* shapes that would have taken more */
  const char *error; /* of the first addition that failed */
};

/* The place of a component of a pixel. */
typedef struct {
  uint8_t plane, step, offset; /* bytes */
  uint8_t sx, sy;              /* 1: two columns, two rows share a sample */
} OverlayComponent;

typedef struct {
  int components;
  OverlayComponent at[4];
  int bytes;        /* of a sample, 1 or 2, little endian */
  int shift, scale; /* of 2 bytes: stored = value << shift; value of 8 bits */
} OverlayLayout;

/* The lists, textures and frame that the stages draw. */
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
  Yuv yuv;                     /* of frames whose components are not RGB */
  bool is_rgb;                 /* the frame */
  const uint8_t (*palette)[4]; /* 256 colours */
  uint32_t *drawn, serial;     /* *drawn becomes serial when strokes, shapes and
                                  map have arrived on the device */
} OverlayScene;

/* The coverage of a pixel by a shape of bars or glyphs, 0 to 255. */
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
  int index, a, u, v;
  uint8_t rgb[3];

  if (!overlay_meets (&shape->box, x, y, x + 1, y + 1))
    return 0;
  if (kind == OVERLAY_SPRITE) {
    a = overlay_sprite_at (s->texels, &shape->of.sprite, x, y, colour);
    colour[3] = 255;
    return a;
  }
  u = (int) ((x * s->map.step_x + s->map.step_x / 2) >> 16);
  v = (int) ((y * s->map.step_y + s->map.step_y / 2) >> 16);
  if (s->map.rgb) {
    if (!overlay_map_rgb (&s->map, s->range, u, v, rgb))
      return 0;
    if (s->is_rgb)
      memcpy (colour, rgb, sizeof rgb);
    else
      yuv_from_rgb (&s->yuv, rgb, colour);
    colour[3] = 255;
    return 255;
  }
  index = overlay_map_index (&s->map, s->range, u, v);
  if (index < 0)
    return 0;
  for (int k = 0; k < 4; k++)
    colour[k] = s->palette[index][k];
  return 255;
}

/* The opacity of a pixel with the largest @max_cover, coverage times fade,
 * among the shapes of a stroke with opacity @alpha. */
BOTH int
overlay_alpha (int max_cover, int alpha)
{
  return (max_cover * alpha + 32512) / 65025;
}

/* The value of a stored sample that @n pixels share, 1, 2 or 4, after blending:
 * the mean of @old blended with each pixel.  @alpha is the sum of the pixels'
 * opacities, @sum that of opacities times colours.  Luma, chroma and RGB all
 * use it.  (n / 2 is the logarithm of n.) */
BOTH uint32_t
overlay_mix (uint32_t old, uint32_t alpha, uint32_t sum, int n)
{
  return ((old * (255 * n - alpha) + sum + 255 * n / 2) >> (n / 2)) / 255;
}

/* The address of component @c of pixel (@x, @y). */
BOTH uint8_t *
overlay_at (const Image *frame, const OverlayComponent *c, int x, int y)
{
  return frame->plane[c->plane] +
      (size_t) (y >> c->sy) * frame->stride[c->plane] + (x >> c->sx) * c->step +
      c->offset;
}

/* The value of the sample of 1 or 2 bytes at @at. */
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
  /* Finds the least and the largest value of the map, and sets the range. */
  const char *(*range) (const Device *dev, const OverlayScene *s);
} OverlayStages;

C_BEGIN
const OverlayLayout *overlay_layout (ImageFormat format);
/* Whether the components of @format are luma and chroma, or luma alone. */
bool overlay_is_yuv (ImageFormat format);
/* Converts an R G B colour to the components of @format. */
void overlay_components (
    ImageFormat format, const Yuv *yuv, const uint8_t rgb[3], uint8_t out[3]);
/* The 256 colours of a map, 4 components each. */
void overlay_palette (
    ImageFormat format, const Yuv *yuv, bool labels, uint8_t *palette);

/* Whether the map gives the values at the ends of its palette. */
bool overlay_range_given (const OverlayMap *map);

extern const OverlayStages overlay_stages_cpu, overlay_stages_cuda;

/* ---- The image that is drawn into boxes: a pyramid whose levels are half as
 * large each, so that the image may be scaled down without aliasing, in the
 * components of the frames ---- */

typedef struct {
  int first, across, down; /* texels */
} OverlayLevel;

typedef struct {
  OverlayLevel level[16];
  int n_levels, n_texels;
  uint8_t *rgba;   /* host */
  uint8_t *texels; /* in the device's memory, in the components of the frames
                      below */
  bool converted;
  ImageFormat format;
  ImageMatrix matrix;
  bool full_range;
} OverlayImage;

/* Sets @p to new memory of the device with the rows at @pixels, and waits until
 * they have arrived. */
const char *overlay_upload_rows (DeviceMemory *memory, uint8_t **p,
    const uint8_t *pixels, size_t stride, size_t row_bytes, size_t rows);

const char *overlay_image_set (
    OverlayImage *self, const uint8_t *rgba, int width, int height, int stride);
/* Converts the texels to the components of @frame, if they are not in them. */
const char *overlay_image_convert (OverlayImage *self, DeviceMemory *memory,
    const Image *frame, const Yuv *yuv);
/* Chooses the pyramid's level and the steps for the sprite's size. */
void overlay_image_place (const OverlayImage *self, OverlaySprite *sprite);

C_END
