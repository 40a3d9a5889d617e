/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms by kissfft: rows, then columns.  (Its own transforms of several
 * dimensions crash in the version that Debian 12 has.) */
#include <kiss_fftr.h>
#include <stdlib.h>

#include "pocstereo/rig/pocstereo_global_core.h"

typedef struct {
  kiss_fftr_cfg row[2]; /* forward, inverse */
  kiss_fft_cfg column[2];
  kiss_fft_cpx *from, *to; /* a column */
} Plans;

static const char *
open (const Device *dev, PocstereoGlobalWork *w)
{
  Plans *p = calloc (1, sizeof *p);

  (void) dev;
  if (!(w->state = p))
    return "out of memory";
  p->from = malloc (w->height * sizeof *p->from);
  p->to = malloc (w->height * sizeof *p->to);
  for (int i = 0; i < 2; i++) {
    p->row[i] = kiss_fftr_alloc (w->width, i, NULL, NULL);
    p->column[i] = kiss_fft_alloc (w->height, i, NULL, NULL);
    if (!p->row[i] || !p->column[i])
      return "out of memory";
  }
  return p->from && p->to ? NULL : "out of memory";
}

static void
close (const Device *dev, PocstereoGlobalWork *w)
{
  Plans *p = w->state;

  (void) dev;
  for (int i = 0; i < 2; i++) {
    free (p->row[i]);
    free (p->column[i]);
  }
  free (p->from);
  free (p->to);
  free (p);
}

static kiss_fft_cpx *
row_of (const PocstereoGlobalWork *w, int view, int y)
{
  return (kiss_fft_cpx *) w->spectrum[view] + (size_t) y * (w->width / 2 + 1);
}

static void
transform_columns (const PocstereoGlobalWork *w, int view, bool inverse)
{
  const Plans *p = w->state;

  for (int x = 0; x <= w->width / 2; x++) {
    for (int y = 0; y < w->height; y++)
      p->from[y] = row_of (w, view, y)[x];
    kiss_fft (p->column[inverse], p->from, p->to);
    for (int y = 0; y < w->height; y++)
      row_of (w, view, y)[x] = p->to[y];
  }
}

static void
cross (const PocstereoGlobalWork *w)
{
  int columns = w->width / 2 + 1;

  for (int ky = 0; ky < w->height; ky++)
    for (int kx = 0; kx < columns; kx++) {
      size_t at = 2 * ((size_t) ky * columns + kx);

      pocstereo_global_cross (
          w, kx, ky, w->spectrum[0] + at, w->spectrum[1] + at);
    }
}

static const char *
correlate (const Device *dev, const PocstereoGlobalWork *w,
    const PocstereoFrame *frame)
{
  const Plans *p = w->state;

  (void) dev;
  for (int v = 0; v < 2; v++) {
    for (int y = 0; y < w->height; y++) {
      float *row = w->pixels[v] + (size_t) y * w->width;

      for (int x = 0; x < w->width; x++)
        row[x] =
            pocstereo_global_pixel (w, frame->view[v], frame->stride, x, y);
      kiss_fftr (p->row[0], row, row_of (w, v, y));
    }
    transform_columns (w, v, false);
  }
  cross (w);
  transform_columns (w, 0, true);
  for (int y = 0; y < w->height; y++)
    kiss_fftri (
        p->row[1], row_of (w, 0, y), w->pixels[0] + (size_t) y * w->width);
  return NULL;
}

const PocstereoGlobalStages pocstereo_global_stages_cpu = {
    open, close, correlate};
