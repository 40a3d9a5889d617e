/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Histograms, bytes for the arcs of a tree, and regions. */
#pragma once

#include <string.h>

#include "common/yuv.h"
#include "emdtrack/emdtrack.h"

/* A histogram, whose bytes add up to at most 255.  It is aligned, as all
 * 16-byte data of a pixel, so that kernels load it at once. */
typedef struct {
  uint8_t bin[EMDTRACK_BINS];
} __attribute__ ((aligned (16))) EmdtrackHistogram;

BOTH bool
emdtrack_same (const EmdtrackHistogram *a, const EmdtrackHistogram *b)
{
  uint64_t p[2], q[2];

  memcpy (p, a, sizeof p);
  memcpy (q, b, sizeof q);
  return !((p[0] ^ q[0]) | (p[1] ^ q[1]));
}

BOTH int
emdtrack_clamp (int v, int last)
{
  return v < 0 ? 0 : v > last ? last : v;
}

#define EMDTRACK_EDGES (2 * EMDTRACK_BINS) /* room for the edges of a tree */
#define EMDTRACK_ARC_WORDS (EMDTRACK_EDGES / 4)

/* A byte for each arc of a tree, four in a word. */
typedef struct {
  uint32_t word[EMDTRACK_ARC_WORDS];
} __attribute__ ((aligned (16))) EmdtrackArcs;

BOTH int
emdtrack_arc_byte (const EmdtrackArcs *a, int e)
{
  return (int) (a->word[e >> 2] >> 8 * (e & 3) & 255);
}

/* ---- Bins of single pixels ---- */

/* How the bins of a frame's pixels are found. */
typedef struct {
  EmdtrackFrame frame;
  int width, height; /* in units of a pixel: tiles of a mosaic, pixels of a
                        plane */
  int channels;
  EmdtrackBins kind;
  int bins, mass;
  uint32_t white; /* the brightest grey value */
  Yuv yuv;        /* conversion of a frame's colours, if it has any */
  /* Codebook of colours: step[c][v] is the index of component c of value v in
   * the table. */
  const uint8_t *step; /* 3 rows of 256 */
  const uint8_t *lut;  /* EMDTRACK_LUT^3 entries */
  /* Codebook of spectra: rows of EMDTRACK_BINS. */
  const uint8_t *spectra;
} EmdtrackReader;

/* The grey value of pixel (@x, @y) of a grey image, with all its bits. */
BOTH uint32_t
emdtrack_grey (const Image *img, int x, int y)
{
  const uint8_t *row = img->plane[0] + (ptrdiff_t) y * img->stride[0];

  return img->format == IMAGE_GRAY16
      ? row[2 * x] | (uint32_t) row[2 * x + 1] << 8
      : row[x];
}

/* Channel @c of pixel (@x, @y) of a mosaic or of stacked planes. */
BOTH uint32_t
emdtrack_sample (const EmdtrackReader *r, int x, int y, int c)
{
  const EmdtrackFrame *f = &r->frame;

  if (f->layout == EMDTRACK_MOSAIC)
    return emdtrack_grey (&f->image, x * f->mosaic_width + c % f->mosaic_width,
        y * f->mosaic_height + c / f->mosaic_width);
  return emdtrack_grey (&f->image, x, c * r->height + y);
}

/* Sets @rgb to the colour of pixel (@x, @y). */
BOTH void
emdtrack_colour (const EmdtrackReader *r, int x, int y, uint32_t value[3])
{
  uint8_t c[3], rgb[3];

  image_read (&r->frame.image, x, y, c);
  if (image_is_yuv (r->frame.image.format))
    yuv_to_rgb (&r->yuv, c, rgb);
  else
    memcpy (rgb, c, sizeof rgb);
  for (int i = 0; i < 3; i++)
    value[i] = rgb[i];
}

/* Scales @n values to integers that add up to @mass, by largest remainder; of
 * equal remainders the first counts.  If all values are 0, all integers are
 * alike. */
BOTH void
emdtrack_normalise (const uint32_t *value, int n, int mass, uint8_t *out)
{
  uint32_t sum = 0, rest[EMDTRACK_BINS];
  int missing = mass;

  for (int i = 0; i < n; i++)
    sum += value[i];
  for (int i = 0; i < n; i++) {
    uint32_t v = (sum ? value[i] : 1) * (uint32_t) mass;
    uint32_t by = sum ? sum : (uint32_t) n;

    out[i] = (uint8_t) (v / by);
    rest[i] = v % by;
    missing -= out[i];
  }
  while (missing-- > 0) {
    int largest = 0;

    for (int i = 1; i < n; i++)
      if (rest[i] > rest[largest])
        largest = i;
    out[largest]++;
    rest[largest] = 0;
  }
}

/* Sets @out to the spectrum of a pixel with at least two channels. */
BOTH void
emdtrack_spectrum (
    const EmdtrackReader *r, int x, int y, int mass, uint8_t *out)
{
  uint32_t value[EMDTRACK_BINS];

  if (r->frame.layout == EMDTRACK_PLAIN)
    emdtrack_colour (r, x, y, value);
  else
    for (int c = 0; c < r->channels; c++)
      value[c] = emdtrack_sample (r, x, y, c);
  emdtrack_normalise (value, r->channels, mass, out);
}

/* The nearest entry of a codebook of spectra; of equally near ones the
 * first. */
BOTH int
emdtrack_nearest (const EmdtrackReader *r, const uint8_t *spectrum)
{
  int best = 0, min = INT32_MAX;

  for (int k = 0; k < r->bins; k++) {
    int d = 0;

    for (int c = 0; c < r->channels; c++) {
      int e = spectrum[c] - r->spectra[k * EMDTRACK_BINS + c];

      d += e * e;
    }
    if (d < min) {
      min = d;
      best = k;
    }
  }
  return best;
}

/* The grey value of a pixel of an image of grey values or colours. */
BOTH uint32_t
emdtrack_luma (const EmdtrackReader *r, const ImageRow *row, int x, int y)
{
  ImageFormat f = r->frame.image.format;
  uint8_t c[3], yuv[3];

  if (f == IMAGE_GRAY16)
    return emdtrack_grey (&r->frame.image, x, y);
  if (f == IMAGE_GRAY8 || image_is_yuv (f))
    return row->c0[x * row->step0];
  image_row_read (row, x, c);
  yuv_from_rgb (&r->yuv, c, yuv);
  return yuv[0];
}

/* The bin of pixel (@x, @y).  @row is the pixel's row, if the image is of grey
 * values or colours. */
BOTH int
emdtrack_bin (const EmdtrackReader *r, const ImageRow *row, int x, int y)
{
  uint8_t c[EMDTRACK_BINS];

  if (r->kind == EMDTRACK_INTENSITY) {
    uint32_t v = emdtrack_luma (r, row, x, y);

    v = v < r->white ? v : r->white;
    return (int) (v * (uint32_t) r->bins / (r->white + 1));
  }
  if (r->frame.layout != EMDTRACK_PLAIN) {
    emdtrack_spectrum (r, x, y, EMDTRACK_MAX_MASS, c);
    return emdtrack_nearest (r, c);
  }
  image_row_read (row, x, c);
  return r->lut[(r->step[c[0]] * EMDTRACK_LUT + r->step[256 + c[1]]) *
          EMDTRACK_LUT +
      r->step[512 + c[2]]];
}

/* ---- Maps ---- */

static inline int
emdtrack_across (ImageBox b)
{
  return b.x1 - b.x0;
}

static inline int
emdtrack_down (ImageBox b)
{
  return b.y1 - b.y0;
}

/* The values of the pixels in @area, rows of its width. */
typedef struct {
  ImageBox area;
  const uint16_t *value;
} EmdtrackMap;

/* The value of pixel (@x, @y) of the frame. */
BOTH uint16_t
emdtrack_value (const EmdtrackMap *m, int x, int y)
{
  ImageBox a = m->area;

  return x >= a.x0 && x < a.x1 && y >= a.y0 && y < a.y1
      ? m->value[(size_t) (y - a.y0) * (a.x1 - a.x0) + (x - a.x0)]
      : EMDTRACK_NO_VALUE;
}

/* ---- Regions ---- */

/* 2^40 divided by the square of a side, which is at most 2^17. */
BOTH uint64_t
emdtrack_region_factor (int from, int to)
{
  uint64_t side = (uint64_t) (to - from);

  return ((uint64_t) 1 << 40) / (side * side);
}

/* The part of a pixel's weight of 256 that is lost because it is at @x, between
 * @from and @to; 256 at the ends.  |u| is below the side, so that u^2 times the
 * factor is below 2^40. */
BOTH int
emdtrack_region_loss (int x, int from, int to, uint64_t factor)
{
  int64_t u = 2 * (int64_t) x + 1 - from - to;

  return (int) ((uint64_t) (u * u) * factor >> 32);
}

/* The first of @from, @from + @apart, ... that is at least 0. */
BOTH int
emdtrack_first_inside (int from, int apart)
{
  return from >= 0 ? from : from + (-from + apart - 1) / apart * apart;
}
