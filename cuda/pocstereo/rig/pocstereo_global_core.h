/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the correlation of whole views computes of a pixel and of a frequency,
 * for both backends, and its stages.  The transforms are a library's, so the
 * backends agree to rounding, not bit for bit. */
#pragma once

#include "pocstereo/pocstereo_core.h"
#include "pocstereo/rig/pocstereo_global.h"

/* Maximum number of columns that are transformed. */
#define POCSTEREO_GLOBAL_WIDTH 512

typedef struct {
  int width, height; /* of what is transformed; the width is even */
  int scale, x0, y0; /* pixel (x, y) of it is the mean of scale^2 pixels from
                        (x0 + x scale, y0 + y scale) on */
  const float *window_x, *window_y; /* Hann's; device memory */
  const float *weight_x, *weight_y; /* spectral weights of columns 0 to width /
                                       2 and of all rows */
  float *pixels[2];                 /* width x height; [0] takes the result */
  float *spectrum[2];               /* (width / 2 + 1) x height, re and im */
  void *state;                      /* the backend's plans */
} PocstereoGlobalWork;

BOTH float
pocstereo_global_pixel (const PocstereoGlobalWork *w, const uint16_t *view,
    int stride, int x, int y)
{
  int32_t sum = 0, n = w->scale * w->scale;

  for (int j = 0; j < w->scale; j++) {
    const uint16_t *row = view + (size_t) (w->y0 + y * w->scale + j) * stride +
        w->x0 + x * w->scale;

    for (int i = 0; i < w->scale; i++)
      sum += row[i];
  }
  return ((float) sum / (float) n - POCSTEREO_FULL_SAMPLE / 2) *
      w->window_x[x] * w->window_y[y];
}

/* Replaces @f by the weighted unit phasor of F conj (G).  The mean of a view
 * leaks, under Hann's window, into the neighbours of frequency 0: they are left
 * out.  So is what is weaker than noise of about a twentieth of a grey level,
 * which may be the transform's own. */
BOTH void
pocstereo_global_cross (
    const PocstereoGlobalWork *w, int kx, int ky, float f[2], const float g[2])
{
  float re = f[0] * g[0] + f[1] * g[1], im = f[1] * g[0] - f[0] * g[1];
  float power = re * re + im * im;
  bool mean = kx <= 1 && (ky <= 1 || ky == w->height - 1);
  float least = .125f * (float) w->width * (float) w->height;
  float scale = mean || !(power > least * least)
      ? 0
      : w->weight_x[kx] * w->weight_y[ky] / sqrtf (power);

  f[0] = re * scale;
  f[1] = im * scale;
}

typedef struct {
  const char *(*open) (const Device *dev, PocstereoGlobalWork *w);
  void (*close) (const Device *dev, PocstereoGlobalWork *w);
  /* From both views to the correlation, not normalised, in w->pixels[0]. */
  const char *(*correlate) (const Device *dev, const PocstereoGlobalWork *w,
      const PocstereoFrame *frame);
} PocstereoGlobalStages;

C_BEGIN
extern const PocstereoGlobalStages pocstereo_global_stages_cpu,
    pocstereo_global_stages_cuda;
C_END
