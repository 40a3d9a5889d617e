/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First step: the foreground, and the links between neighbours, as bits.  Loops
 * go over 64 pixels at a time, which compilers turn into vectors. */
#include <stdatomic.h>
#include <string.h>

#include "common/parallel.h"
#include "gpuccl/gpuccl_cpu.h"

#define WORD 64
#define MAX_PIXELS (GPUCCL_MAX_SIDE + 2 * WORD)

#define MAX_WORDS (GPUCCL_MAX_SIDE / WORD)

/* A row with a margin at either side, so that whole words and neighbours can be
 * read: pixel x is at [WORD + x], word i at [1 + i]. */
typedef struct {
  uint8_t map[MAX_PIXELS];
  uint16_t z[MAX_PIXELS];
  int8_t fraction[MAX_PIXELS]; /* of z, if the depth is filtered */
  uint64_t foreground[MAX_WORDS + 2];
  uint64_t left[MAX_WORDS + 2];
} Row;

/* Clears the margins that will be read with the row's pixels. */
static void
clear_row_margins (Row *row, int width, int words)
{
  int end = WORD + width, padded = WORD * (words + 1);

  row->z[WORD - 1] = row->z[padded] = 0;
  memset (row->map + end, 0, padded - end);
  memset (row->z + end, 0, (padded - end) * sizeof *row->z);
  row->fraction[WORD - 1] = row->fraction[padded] = 0;
  memset (row->fraction + end, 0, padded - end);
  row->foreground[0] = row->foreground[words + 1] = 0;
  row->left[0] = row->left[words + 1] = 0;
}

/* A word whose bit i is byte i, 0 or 1. */
static uint64_t
pack_bytes (const uint8_t bytes[WORD])
{
  uint64_t bits = 0;

  for (int i = 0; i < 8; i++) {
    uint64_t eight;

    memcpy (&eight, bytes + 8 * i, 8);
    bits |= (eight * 0x0102040810204080 >> 56) << 8 * i;
  }
  return bits;
}

static void
load_row_map (const GpucclFrame *f, int y, uint8_t *row)
{
  const uint8_t *map = f->map + (size_t) y * f->map_stride;

  if (f->map_step == 1)
    memcpy (row, map, f->width);
  else
    for (int x = 0; x < f->width; x++)
      row[x] = map[f->map_step * x];
}

static void
load_row_depth (const GpucclWork *w, int y, Row *row)
{
  const GpucclFrame *f = &w->frame;

  if (f->source == GPUCCL_DEPTH_ONLY)
    memset (row->map + WORD, 255, f->width);
  else
    load_row_map (f, y, row->map + WORD);
  if (f->depth)
    memcpy (row->z + WORD, gpuccl_depth_row (f, y), f->width * sizeof *row->z);
  if (w->link.bits)
    memcpy (
        row->fraction + WORD, w->fraction + (size_t) y * f->width, f->width);
}

/* The foreground among 64 pixels, of which the first @n are in the frame. */
static uint64_t
foreground_bits (const GpucclWork *w, const Row *row, int at, int n)
{
  uint64_t in = n < WORD ? ((uint64_t) 1 << n) - 1 : ~(uint64_t) 0, bits;
  const uint8_t *map = row->map + at;
  const uint16_t *z = row->z + at;
  uint8_t is[WORD];

  for (int i = 0; i < WORD; i++)
    is[i] = gpuccl_is_foreground (&w->values, map[i]);
  bits = pack_bytes (is) & in;
  if (!bits || !w->frame.depth)
    return bits;
  for (int i = 0; i < WORD; i++)
    is[i] = z[i] != 0;
  return bits & pack_bytes (is);
}

/* The pairs whose depths, in whole units, differ by less than @limit. */
static uint64_t
near_units (uint32_t limit, const uint16_t *a, const uint16_t *b)
{
  uint16_t max = (uint16_t) (limit - 1);
  uint8_t is[WORD];

  for (int i = 0; i < WORD; i++)
    is[i] = (uint16_t) (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) <= max;
  return pack_bytes (is);
}

/* The pairs whose depths, in 1/256 units, differ by less than @limit. */
static uint64_t
near_fractions (uint32_t limit, const uint16_t *a, const int8_t *fraction_a,
    const uint16_t *b, const int8_t *fraction_b)
{
  uint8_t is[WORD];

  for (int i = 0; i < WORD; i++) {
    int32_t step = (a[i] - b[i]) * 256 + fraction_a[i] - fraction_b[i];

    is[i] = (step < 0 ? -step : step) < (int32_t) limit;
  }
  return pack_bytes (is);
}

static uint64_t
near_growing_limit (const GpucclLink *link, const Row *row, int at,
    const Row *other, int other_at)
{
  uint8_t is[WORD];

  for (int i = 0; i < WORD; i++) {
    int32_t a = row->z[at + i], b = other->z[other_at + i];

    if (link->bits) {
      a = a * 256 + row->fraction[at + i];
      b = b * 256 + other->fraction[other_at + i];
    }
    is[i] = gpuccl_linked (link, (uint32_t) a, (uint32_t) b);
  }
  return pack_bytes (is);
}

/* The pairs of pixels of @row at @at and of @other whose depths are close
 * enough for a link; the bits of background pixels may have any value. */
static uint64_t
near_depths (
    const GpucclWork *w, const Row *row, int at, const Row *other, int other_at)
{
  const GpucclLink *link = &w->link;

  if (!w->frame.depth || link->limit > 65536u << link->bits)
    return ~(uint64_t) 0;
  if (link->k)
    return near_growing_limit (link, row, at, other, other_at);
  return link->bits
      ? near_fractions (link->limit, row->z + at, row->fraction + at,
            other->z + other_at, other->fraction + other_at)
      : near_units (link->limit, row->z + at, other->z + other_at);
}

static uint32_t
count_unknown_pixels (const GpucclWork *w, const Row *row)
{
  uint32_t n = 0;

  for (int x = 0; x < w->frame.width; x += WORD) {
    const uint8_t *map = row->map + WORD + x;
    uint8_t any = 0;

    for (int i = 0; i < WORD; i++)
      any |= gpuccl_is_unknown (&w->values, map[i]);
    for (int i = 0; any && i < WORD && x + i < w->frame.width; i++)
      n += gpuccl_is_unknown (&w->values, map[i]);
  }
  return n;
}

static void
read_row_bits (const GpucclWork *w, int y, Row *row)
{
  load_row_depth (w, y, row);
  for (int x = 0, i = 1; x < w->frame.width; x += WORD, i++) {
    uint64_t f = foreground_bits (w, row, WORD + x, w->frame.width - x);
    uint64_t left = f & (f << 1 | row->foreground[i - 1] >> 63);

    row->foreground[i] = f;
    row->left[i] =
        left ? left & near_depths (w, row, WORD + x, row, WORD + x - 1) : 0;
  }
}

/* Word @i of @bits, moved so that a bit is that of the left, or right,
 * neighbour. */
static uint64_t
bits_of_left (const uint64_t *bits, int i)
{
  return bits[i] << 1 | bits[i - 1] >> 63;
}

static uint64_t
bits_of_right (const uint64_t *bits, int i)
{
  return bits[i] >> 1 | bits[i + 1] << 63;
}

/* Sets the links from @row to the row @above, @dx pixels to the right. */
static void
link_to_row_above (
    const GpucclWork *w, const Row *row, const Row *above, int dx, uint64_t *up)
{
  for (int x = 0, i = 1; x < w->frame.width; x += WORD, i++) {
    const uint64_t *g = above->foreground;
    uint64_t f = row->foreground[i] &
        (!dx             ? g[i]
                : dx < 0 ? bits_of_left (g, i)
                         : bits_of_right (g, i));

    up[i] = f ? f & near_depths (w, row, WORD + x, above, WORD + x + dx) : 0;
  }
}

static void
write_up_links (const GpucclWork *w, int y, const Row *row, const Row *above)
{
  const GpucclCpu *c = w->state;
  uint64_t up[MAX_WORDS + 2], to_left[MAX_WORDS + 2];
  uint64_t to_right[MAX_WORDS + 2];

  up[0] = up[c->words + 1] = 0;
  link_to_row_above (w, row, above, 0, up);
  for (int i = 1; i <= c->words; i++)
    gpuccl_bits (c, GPUCCL_UP, y)[i - 1] = gpuccl_up_needed (
        up[i], row->left[i], above->left[i], bits_of_left (up, i));
  if (w->connectivity == 4)
    return;
  link_to_row_above (w, row, above, -1, to_left);
  link_to_row_above (w, row, above, 1, to_right);
  for (int i = 1; i <= c->words; i++) {
    gpuccl_bits (c, GPUCCL_UP_LEFT, y)[i - 1] = gpuccl_up_left_needed (
        to_left[i], row->left[i], bits_of_left (up, i), up[i], above->left[i]);
    gpuccl_bits (c, GPUCCL_UP_RIGHT, y)[i - 1] =
        gpuccl_up_right_needed (to_right[i], bits_of_right (row->left, i),
            bits_of_right (up, i), up[i], bits_of_right (above->left, i));
  }
}

/* Reads rows @y0 to before @y1 and links them.  Returns the number of pixels of
 * unknown class. */
static uint32_t
read_strip_bits (const GpucclWork *w, int y0, int y1)
{
  const GpucclCpu *c = w->state;
  size_t bytes = c->words * sizeof (uint64_t);
  Row rows[2];
  uint32_t unknown = 0;

  for (int i = 0; i < 2; i++)
    clear_row_margins (&rows[i], w->frame.width, c->words);
  if (y0 > 0)
    read_row_bits (w, y0 - 1, &rows[(y0 - 1) % 2]);
  for (int y = y0; y < y1; y++) {
    Row *row = &rows[y % 2];

    read_row_bits (w, y, row);
    unknown += count_unknown_pixels (w, row);
    memcpy (gpuccl_bits (c, GPUCCL_FOREGROUND, y), row->foreground + 1, bytes);
    memcpy (gpuccl_bits (c, GPUCCL_LEFT, y), row->left + 1, bytes);
    if (y > 0)
      write_up_links (w, y, row, &rows[(y - 1) % 2]);
  }
  return unknown;
}

typedef struct {
  const GpucclWork *w;
  atomic_uint unknown;
} Reading;

static void
read_strips_bits (void *data, int begin, int end)
{
  Reading *r = data;
  int height = r->w->frame.height;

  for (int y = begin * GPUCCL_STRIP; y < height && y < end * GPUCCL_STRIP;
       y += GPUCCL_STRIP) {
    int y1 = y + GPUCCL_STRIP < height ? y + GPUCCL_STRIP : height;

    atomic_fetch_add (&r->unknown, read_strip_bits (r->w, y, y1));
  }
}

uint32_t
gpuccl_read_bits_cpu (const GpucclWork *w)
{
  Reading r = {.w = w};

  parallel_for (gpuccl_strips (w), 1, read_strips_bits, &r);
  return r.unknown;
}
