/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The size of the transforms, their windows and weights, and the peaks of the
 * correlation. */
#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "pocstereo/rig/pocstereo_global_core.h"

#define PI 3.14159265358979323846

/* Deviation of the Gaussian spectral weight, cycles a pixel.  A peak is then a
 * Gaussian of 1 / (2 pi .15) = 1.06 pixels. */
#define SIGMA .15

struct _PocstereoGlobal {
  Device device;
  DeviceMemory memory;
  const PocstereoGlobalStages *stages;
  PocstereoGlobalGrid grid;
  PocstereoGlobalViews views;
  void *plans;
  int view_width, view_height;
  float *tables, *device_tables; /* windows and weights; tables is pinned */
  float *correlation;            /* pinned */
  double *rows; /* energy of each row of the correlation, and room to sort */
  double full;  /* of identical views */
};

/* The largest even size up to @n whose factors are 2, 3 and 5. */
static int
fast_transform_size (int n)
{
  for (n -= n % 2; n > 2; n -= 2) {
    int rest = n;

    for (int p = 2; p <= 5; p++)
      while (p != 4 && rest % p == 0)
        rest /= p;
    if (rest == 1)
      break;
  }
  return n;
}

static void
set_grid_size (PocstereoGlobalGrid *g, int width, int height)
{
  g->scale = 1;
  while (width / g->scale > POCSTEREO_GLOBAL_WIDTH)
    g->scale *= 2;
  g->width = fast_transform_size (width / g->scale);
  g->height = fast_transform_size (height / g->scale);
  g->x0 = (width - g->width * g->scale) / 2;
  g->y0 = (height - g->height * g->scale) / 2;
}

static void
set_hann_window (float *window, int n)
{
  for (int i = 0; i < n; i++)
    window[i] = (float) (.5 - .5 * cos (2 * PI * (i + .5) / n));
}

static void
set_spectral_weight (float *weight, int n, int size)
{
  for (int k = 0; k < n; k++) {
    double f = (double) (k > size / 2 ? size - k : k) / size / SIGMA;

    weight[k] = (float) exp (-f * f / 2);
  }
}

/* The correlation of identical views at 0: all phasors agree.  The inverse
 * transform counts each column but the first and the last twice, for
 * frequencies -k, too. */
static double
full_correlation (
    const PocstereoGlobalGrid *g, const float *weight_x, const float *weight_y)
{
  double sum = 0;

  for (int ky = 0; ky < g->height; ky++)
    for (int kx = 0; kx <= g->width / 2; kx++)
      if (kx > 1 || (ky > 1 && ky < g->height - 1))
        sum += (kx && kx < g->width / 2 ? 2 : 1) * (double) weight_x[kx] *
            weight_y[ky];
  return sum;
}

static const char *
make_global_tables (PocstereoGlobal *s)
{
  PocstereoGlobalGrid *g = &s->grid;
  int columns = g->width / 2 + 1;
  size_t n = g->width + g->height + columns + g->height;
  float *t;

  TRY (memory_get_pinned (&s->memory, &s->tables, n));
  TRY (memory_get (&s->memory, &s->device_tables, n));
  t = s->tables;
  set_hann_window (t, g->width);
  set_hann_window (t + g->width, g->height);
  set_spectral_weight (t + g->width + g->height, columns, g->width);
  set_spectral_weight (
      t + g->width + g->height + columns, g->height, g->height);
  s->full = full_correlation (
      g, t + g->width + g->height, t + g->width + g->height + columns);
  g->window_x = s->device_tables;
  g->window_y = g->window_x + g->width;
  g->weight_x = g->window_y + g->height;
  g->weight_y = g->weight_x + columns;
  return device_copy (
      &s->device, s->device_tables, s->tables, n * sizeof *s->tables);
}

const char *
pocstereo_global_new (
    PocstereoGlobal **self, const Device *device, int width, int height)
{
  PocstereoGlobal *s = calloc (1, sizeof *s);
  PocstereoGlobalGrid *g;
  size_t pixels;

  *self = s;
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  g = &s->grid;
  s->device = *device;
  s->stages = STAGES (pocstereo_global, device);
  memory_open (&s->memory, &s->device);
  if (width < 16 || height < 16 || width > POCSTEREO_MAX_SIDE ||
      height > POCSTEREO_MAX_SIDE)
    return "the views' sides must be 16 to 8192 pixels";
  s->view_width = width;
  s->view_height = height;
  set_grid_size (g, width, height);
  if (!g->height)
    return "the views are too flat to be compared as a whole";
  pixels = (size_t) g->width * g->height;
  TRY (make_global_tables (s));
  for (int v = 0; v < 2; v++) {
    TRY (memory_get (&s->memory, &s->views.pixels[v], pixels));
    TRY (memory_get (&s->memory, &s->views.spectrum[v],
        (size_t) (g->width + 2) * g->height));
  }
  TRY (memory_get_pinned (&s->memory, &s->correlation, pixels));
  if (!(s->rows = malloc (2 * g->height * sizeof *s->rows)))
    return OUT_OF_MEMORY (2 * g->height * sizeof *s->rows, "");
  return s->stages->open (&s->device, g, &s->plans);
}

void
pocstereo_global_free (PocstereoGlobal *s)
{
  if (!s)
    return;
  device_wait (&s->device); /* the device may still use it */
  if (s->plans)
    s->stages->close (s->plans);
  memory_free (&s->memory);
  free (s->rows);
  free (s);
}

/* The place of a Gaussian's maximum relative to the middle of three samples. */
static double
gaussian_peak (double before, double at, double after)
{
  double a, b, c, bend;

  if (!(before > 0 && at > 0 && after > 0))
    return 0;
  a = log (before);
  b = log (at);
  c = log (after);
  bend = a - 2 * b + c;
  return bend < 0 ? .5 * (a - c) / bend : 0;
}

static int
wrapped_index (int i, int n)
{
  return (i % n + n) % n;
}

static double
signed_place (double place, int n)
{
  return place > n / 2 ? place - n : place;
}

static void
find_highest_peak (const PocstereoGlobal *s, PocstereoOffset *offset)
{
  const float *c = s->correlation;
  int width = s->grid.width, n = width * s->grid.height, best = 0, x;
  const float *row;

  for (int i = 1; i < n; i++)
    if (c[i] > c[best])
      best = i;
  x = best % width;
  row = c + best - x;
  offset->peak = c[best] / s->full;
  offset->disparity = s->grid.scale *
      signed_place (x +
              gaussian_peak (row[wrapped_index (x - 1, width)], row[x],
                  row[wrapped_index (x + 1, width)]),
          width);
}

static int
compare_energies (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* All peaks lie in one row if the rows of the views agree up to an offset.
 * Squares make peaks count more than the noise between them. */
static void
find_peak_row (const PocstereoGlobal *s, PocstereoOffset *offset)
{
  int width = s->grid.width, height = s->grid.height, best = 0;
  double *rows = s->rows, *sorted = s->rows + height, ground, spread, y;

  for (int j = 0; j < height; j++) {
    rows[j] = 0;
    for (int i = 0; i < width; i++) {
      double c = s->correlation[j * width + i] / s->full;

      rows[j] += c > 0 ? c * c : 0;
    }
    sorted[j] = rows[j];
    if (rows[j] > rows[best])
      best = j;
  }
  qsort (sorted, height, sizeof *sorted, compare_energies);
  ground = sorted[height / 2];
  /* of a normal distribution, half lies within .674 deviations of the mean */
  spread = (sorted[3 * height / 4] - sorted[height / 4]) / (2 * .674);
  y = best +
      gaussian_peak (rows[wrapped_index (best - 1, height)] - ground,
          rows[best] - ground, rows[wrapped_index (best + 1, height)] - ground);
  offset->vertical = -s->grid.scale * signed_place (y, height);
  offset->contrast = spread > 0 ? (rows[best] - ground) / spread : 0;
}

const char *
pocstereo_global_run (
    PocstereoGlobal *s, const PocstereoFrame *frame, PocstereoOffset *offset)
{
  const PocstereoGlobalGrid *g = &s->grid;

  if (frame->width != s->view_width || frame->height != s->view_height)
    return "the frame has another size than was announced";
  TRY (s->stages->correlate (&s->device, frame, g, s->plans, &s->views));
  TRY (device_copy (&s->device, s->correlation, s->views.pixels[0],
      (size_t) g->width * g->height * sizeof *s->correlation));
  TRY (device_wait (&s->device));
  find_highest_peak (s, offset);
  find_peak_row (s, offset);
  return NULL;
}
