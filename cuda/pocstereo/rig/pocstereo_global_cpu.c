/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms by kissfft: rows, then columns.  (kissfft's transforms of several
 * dimensions crash in the version of Debian 12.) */
#include <kiss_fftr.h>
#include <stdlib.h>

#include "pocstereo/rig/pocstereo_global_core.h"

typedef struct {
  kiss_fftr_cfg row[2]; /* forward, inverse */
  kiss_fft_cfg column[2];
  kiss_fft_cpx *from, *to; /* a column */
} Plans;

static const char *
open_kissfft (const Device *dev, const PocstereoGlobalGrid *g, void **plans)
{
  Plans *p = calloc (1, sizeof *p);

  (void) dev;
  if (!(*plans = p))
    return OUT_OF_MEMORY (sizeof *p, "");
  p->from = malloc (g->height * sizeof *p->from);
  p->to = malloc (g->height * sizeof *p->to);
  for (int i = 0; i < 2; i++) {
    p->row[i] = kiss_fftr_alloc (g->width, i, NULL, NULL);
    p->column[i] = kiss_fft_alloc (g->height, i, NULL, NULL);
    if (!p->row[i] || !p->column[i])
      return OUT_OF_MEMORY (
          (size_t) (g->width + g->height) * sizeof *p->to, "");
  }
  return p->from && p->to
      ? NULL
      : OUT_OF_MEMORY (2 * (size_t) g->height * sizeof *p->to, "");
}

static void
close_kissfft (void *plans)
{
  Plans *p = plans;

  for (int i = 0; i < 2; i++) {
    free (p->row[i]);
    free (p->column[i]);
  }
  free (p->from);
  free (p->to);
  free (p);
}

static kiss_fft_cpx *
spectrum_row (const PocstereoGlobalGrid *g, float *spectrum, int y)
{
  return (kiss_fft_cpx *) spectrum + (size_t) y * (g->width / 2 + 1);
}

static void
transform_columns (
    const PocstereoGlobalGrid *g, const Plans *p, float *spectrum, bool inverse)
{
  for (int x = 0; x <= g->width / 2; x++) {
    for (int y = 0; y < g->height; y++)
      p->from[y] = spectrum_row (g, spectrum, y)[x];
    kiss_fft (p->column[inverse], p->from, p->to);
    for (int y = 0; y < g->height; y++)
      spectrum_row (g, spectrum, y)[x] = p->to[y];
  }
}

static void
cross_spectra (const PocstereoGlobalGrid *g, float *f, const float *other)
{
  int columns = g->width / 2 + 1;

  for (int ky = 0; ky < g->height; ky++)
    for (int kx = 0; kx < columns; kx++) {
      size_t at = 2 * ((size_t) ky * columns + kx);

      pocstereo_global_cross (g, kx, ky, f + at, other + at);
    }
}

static const char *
correlate_views_cpu (const Device *dev, const PocstereoFrame *frame,
    const PocstereoGlobalGrid *g, void *plans, PocstereoGlobalViews *views)
{
  const Plans *p = plans;

  (void) dev;
  for (int v = 0; v < 2; v++) {
    for (int y = 0; y < g->height; y++) {
      float *row = views->pixels[v] + (size_t) y * g->width;

      for (int x = 0; x < g->width; x++)
        row[x] =
            pocstereo_global_pixel (g, frame->view[v], frame->stride, x, y);
      kiss_fftr (p->row[0], row, spectrum_row (g, views->spectrum[v], y));
    }
    transform_columns (g, p, views->spectrum[v], false);
  }
  cross_spectra (g, views->spectrum[0], views->spectrum[1]);
  transform_columns (g, p, views->spectrum[0], true);
  for (int y = 0; y < g->height; y++)
    kiss_fftri (p->row[1], spectrum_row (g, views->spectrum[0], y),
        views->pixels[0] + (size_t) y * g->width);
  return NULL;
}

const PocstereoGlobalStages pocstereo_global_stages_cpu = {
    open_kissfft, close_kissfft, correlate_views_cpu};
