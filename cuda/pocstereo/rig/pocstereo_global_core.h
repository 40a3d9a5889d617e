/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The correlation of whole views at a pixel and at a frequency, for both
 * backends, and its stages.  Transforms are a library's, so both backends agree
 * to rounding, not bit for bit. */
#pragma once

#include "pocstereo/pocstereo_core.h"
#include "pocstereo/rig/pocstereo_global.h"

/* Maximum number of columns that are transformed. */
#define POCSTEREO_GLOBAL_WIDTH 512

/* The images that are transformed, and the constants of their transforms. */
typedef struct {
  int width, height; /* the width is even */
  int scale, x0, y0; /* pixel (x, y) is the mean of scale^2 pixels of the view
                        from (x0 + x scale, y0 + y scale) on */
  const float *window_x, *window_y; /* Hann's; device memory */
  const float *weight_x, *weight_y; /* spectral weights of columns 0 to width /
                                       2 and of all rows */
} PocstereoGlobalGrid;

/* Both views and their transforms, in device memory. */
typedef struct {
  float *pixels[2];   /* width x height */
  float *spectrum[2]; /* (width / 2 + 1) x height, re and im */
} PocstereoGlobalViews;

BOTH float
pocstereo_global_pixel (const PocstereoGlobalGrid *g, const uint16_t *view,
    int stride, int x, int y)
{
  int32_t sum = 0, n = g->scale * g->scale;

  for (int j = 0; j < g->scale; j++) {
    const uint16_t *row = view + (size_t) (g->y0 + y * g->scale + j) * stride +
        g->x0 + x * g->scale;

    for (int i = 0; i < g->scale; i++)
      sum += row[i];
  }
  return ((float) sum / (float) n - POCSTEREO_FULL_SAMPLE / 2) *
      g->window_x[x] * g->window_y[y];
}

/* Replaces @f by the weighted unit phasor of F conj (G).  Two kinds of
 * frequencies become 0: the neighbours of frequency 0, into which the mean of a
 * view leaks under Hann's window; and frequencies weaker than noise of a
 * twentieth of a grey level, which may be rounding of the transform. */
BOTH void
pocstereo_global_cross (const PocstereoGlobalGrid *grid, int kx, int ky,
    float f[2], const float g[2])
{
  float re = f[0] * g[0] + f[1] * g[1], im = f[1] * g[0] - f[0] * g[1];
  float power = re * re + im * im;
  bool mean = kx <= 1 && (ky <= 1 || ky == grid->height - 1);
  float least = .125f * (float) grid->width * (float) grid->height;
  float scale = mean || !(power > least * least)
      ? 0
      : grid->weight_x[kx] * grid->weight_y[ky] / sqrtf (power);

  f[0] = re * scale;
  f[1] = im * scale;
}

/* The library's plans of transforms of one size. */
typedef const char *PocstereoGlobalOpen (
    const Device *dev, const PocstereoGlobalGrid *grid, void **plans);
typedef void PocstereoGlobalClose (void *plans);

/* Section 2 in two dimensions.  In: @frame, @grid.  Out: views->pixels[0], the
 * correlation, not normalised.  Scratch: the rest of @views. */
typedef const char *PocstereoGlobalStage (const Device *dev,
    const PocstereoFrame *frame, const PocstereoGlobalGrid *grid, void *plans,
    PocstereoGlobalViews *views);

typedef struct {
  PocstereoGlobalOpen *open;
  PocstereoGlobalClose *close;
  PocstereoGlobalStage *correlate;
} PocstereoGlobalStages;

C_BEGIN
extern const PocstereoGlobalStages pocstereo_global_stages_cpu,
    pocstereo_global_stages_cuda;
C_END
