/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A codebook as tables: which entry is nearest to a colour. */
#include <math.h>

#include "emdtrack/emdtrack_colour.h"
#include "emdtrack/emdtrack_set.h"

#define CELL (256 / EMDTRACK_LUT) /* values that share an entry */

static uint8_t
nearest_colour (const EmdtrackCodebook *b, const float lab[3])
{
  double least = INFINITY;
  uint8_t best = 0;

  for (int k = 0; k < b->entries; k++) {
    double d = 0;

    for (int c = 0; c < 3; c++) {
      double e = (double) lab[c] - b->centre[k][c];

      d += e * e;
    }
    if (d < least) {
      least = d;
      best = (uint8_t) k;
    }
  }
  return best;
}

/* The middle of each cell decides. */
void
emdtrack_set_lut (const EmdtrackColours *c, uint8_t *lut)
{
  Yuv yuv = yuv_of ((ImageMatrix) c->matrix, c->full_range);
  int n = EMDTRACK_LUT;

#pragma omp parallel for
  for (int i = 0; i < n * n * n; i++) {
    uint8_t v[3] = {(uint8_t) (i / n / n * CELL + CELL / 2),
        (uint8_t) (i / n % n * CELL + CELL / 2),
        (uint8_t) (i % n * CELL + CELL / 2)};
    uint8_t rgb[3];
    float lab[3];

    if (c->is_yuv)
      yuv_to_rgb (&yuv, v, rgb);
    emdtrack_lab (c->is_yuv ? rgb : v, lab);
    lut[i] = nearest_colour (&c->codebook, lab);
  }
}

void
emdtrack_set_spectra (const EmdtrackCodebook *b, uint8_t *spectra)
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

void
emdtrack_set_steps (const Image *img, double gain, uint8_t *step)
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
