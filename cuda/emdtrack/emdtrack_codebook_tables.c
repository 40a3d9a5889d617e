/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tables of a codebook: the nearest entry of each colour. */
#include <math.h>

#include "common/parallel.h"
#include "emdtrack/emdtrack_colour.h"
#include "emdtrack/emdtrack_work.h"

#define CELL (256 / EMDTRACK_LUT) /* values that share an entry */

static uint8_t
nearest_colour_entry (const EmdtrackCodebook *b, const float lab[3])
{
  double min = INFINITY;
  uint8_t best = 0;

  for (int k = 0; k < b->entries; k++) {
    double d = 0;

    for (int c = 0; c < 3; c++) {
      double e = (double) lab[c] - b->centre[k][c];

      d += e * e;
    }
    if (d < min) {
      min = d;
      best = (uint8_t) k;
    }
  }
  return best;
}

typedef struct {
  const EmdtrackColours *colours;
  uint8_t *lut;
} Filling;

/* Sets the entry of each cell by the colour in its middle. */
static void
fill_colour_cells (void *data, int begin, int end)
{
  const Filling *f = data;
  const EmdtrackColours *c = f->colours;
  Yuv yuv = yuv_of ((ImageMatrix) c->matrix, c->full_range);
  int n = EMDTRACK_LUT;

  for (int i = begin; i < end; i++) {
    uint8_t v[3] = {(uint8_t) (i / n / n * CELL + CELL / 2),
        (uint8_t) (i / n % n * CELL + CELL / 2),
        (uint8_t) (i % n * CELL + CELL / 2)};
    uint8_t rgb[3];
    float lab[3];

    if (c->is_yuv)
      yuv_to_rgb (&yuv, v, rgb);
    emdtrack_lab (c->is_yuv ? rgb : v, lab);
    f->lut[i] = nearest_colour_entry (&c->codebook, lab);
  }
}

static void
fill_spectra_table (const EmdtrackCodebook *b, uint8_t *spectra)
{
  memset (spectra, 0, EMDTRACK_BINS * EMDTRACK_BINS);
  for (int k = 0; k < b->entries; k++)
    for (int c = 0; c < b->dims; c++) {
      float v = b->centre[k][c];

      spectra[k * EMDTRACK_BINS + c] = (uint8_t) (v <= 0 ? 0
              : v >= 255                                 ? 255
                                                         : v + .5f);
    }
}

static void
fill_colour_steps (const Image *img, double gain, uint8_t *step)
{
  bool yuv = image_is_yuv (img->format) || img->format == IMAGE_GRAY8 ||
      img->format == IMAGE_GRAY16;
  int black = image_is_yuv (img->format) && !img->full_range ? 16 : 0;

  for (int c = 0; c < 3; c++)
    for (int v = 0; v < 256; v++) {
      int zero = !yuv ? 0 : c ? 128 : black;
      double now = zero + (v - zero) * gain;

      now = now < 0 ? 0 : now > 255 ? 255 : now;
      step[c * 256 + v] = (uint8_t) ((int) (now + .5) / CELL);
    }
}

/* Makes the table of colours for frames like @img, if the codebook or the kind
 * of components has changed. */
static const char *
set_colour_tables (EmdtrackCodebookUpload *b, const Device *dev,
    const EmdtrackParams *p, const Image *img)
{
  bool grey = img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16;
  uint8_t step[sizeof b->tables->step];
  EmdtrackColours now;
  bool other;

  memset (&now, 0, sizeof now);
  now.codebook = *p->codebook;
  now.is_yuv = grey || image_is_yuv (img->format);
  now.matrix = now.is_yuv ? (int) img->matrix : 0;
  now.full_range = now.is_yuv && (grey || img->full_range);
  other = !b->has_colours || memcmp (&now, &b->colours, sizeof now);
  fill_colour_steps (img, p->gain, step);
  if (!other && b->has_steps && !memcmp (step, b->tables->step, sizeof step))
    return NULL;
  TRY (device_wait (dev)); /* the last copy from the table is finished */
  memcpy (b->tables->step, step, sizeof step);
  b->has_steps = false; /* in case the copy fails */
  TRY (device_copy (
      dev, b->device_tables->step, b->tables->step, sizeof b->tables->step));
  b->has_steps = true;
  if (!other)
    return NULL;
  parallel_for (EMDTRACK_LUT * EMDTRACK_LUT * EMDTRACK_LUT, 0,
      fill_colour_cells, &(Filling){&now, b->tables->lut});
  b->has_colours = false; /* in case the copy fails */
  TRY (device_copy (
      dev, b->device_tables->lut, b->tables->lut, sizeof b->tables->lut));
  memcpy (&b->colours, &now, sizeof now);
  b->has_colours = true;
  return NULL;
}

static const char *
set_spectra_table (
    EmdtrackCodebookUpload *b, const Device *dev, const EmdtrackCodebook *book)
{
  if (b->has_spectra && !memcmp (book, &b->spectra, sizeof *book))
    return NULL;
  TRY (device_wait (dev));
  fill_spectra_table (book, b->tables->spectra);
  b->has_spectra = false;
  TRY (device_copy (dev, b->device_tables->spectra, b->tables->spectra,
      sizeof b->tables->spectra));
  memcpy (&b->spectra, book, sizeof *book);
  b->has_spectra = true;
  return NULL;
}

const char *
emdtrack_codebook_upload (EmdtrackCodebookUpload *b, const Device *dev,
    const EmdtrackParams *p, const Image *img)
{
  return p->codebook->spectra ? set_spectra_table (b, dev, p->codebook)
                              : set_colour_tables (b, dev, p, img);
}
