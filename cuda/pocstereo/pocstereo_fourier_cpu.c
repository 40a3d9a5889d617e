/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Long windows' phasors by kissfft: two lines as the real and the imaginary
 * part of one transform, which unlike that of real numbers knows odd lengths.
 */
#include <kiss_fft.h>

#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fourier_core.h"

const char *
pocstereo_need_fourier_cpu (const Device *dev, const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  int n = w->params.window;
  size_t bytes = 0;

  if (n <= POCSTEREO_OWN_WINDOW || n == c->plan_window)
    return NULL;
  c->plan_window = 0;
  kiss_fft_alloc (n, 0, NULL, &bytes);
  TRY (device_renew (dev, &c->plan, 1, bytes));
  kiss_fft_alloc (n, 0, c->plan, &bytes);
  c->plan_window = n;
  return NULL;
}

/* Real and imaginary part. */
static const float *
numbers (const kiss_fft_cpx *z)
{
  return (const float *) z;
}

/* The rows that go into one transform: an even one and the next, wherever they
 * are asked for, so that a line's phasors are the same in every window. */
static void
transform (const PocstereoWork *w, int view, int l, int pair, int x,
    int8_t *first, int8_t *second)
{
  const PocstereoTables *t = w->tables;
  const PocstereoLayer *layer = &w->layer[0][l];
  const PocstereoCpu *c = w->state;
  const uint16_t *upper = w->view[view][l] + (size_t) 2 * pair * w->stride[l];
  const uint16_t *lower =
      2 * pair + 1 < layer->height ? upper + w->stride[l] : upper;
  kiss_fft_cpx samples[POCSTEREO_MAX_WINDOW], z[POCSTEREO_MAX_WINDOW];

  for (int i = 0; i < t->window; i++) {
    int n = pocstereo_sample_at (t, i);

    samples[i].r = pocstereo_windowed (t, upper, layer->width, x, n);
    samples[i].i = pocstereo_windowed (t, lower, layer->width, x, n);
  }
  kiss_fft (c->plan, samples, z);
  for (int k = 0; k < t->bandwidth; k++)
    pocstereo_fourier_phasors (t, k, numbers (&z[0]), numbers (&z[k + 1]),
        numbers (&z[t->window - k - 1]), first + 2 * k, second + 2 * k);
}

void
pocstereo_fourier_window_cpu (
    const PocstereoWork *w, int view, int l, int x, int y, int8_t *phasors)
{
  int bytes = pocstereo_phasor_bytes (w->tables->bandwidth), pair = -1;
  int8_t two[2][2 * POCSTEREO_MAX_BANDWIDTH];

  for (int j = 0; j < w->tables->lines; j++) {
    int at = pocstereo_clamp (
        y + j - w->tables->lines / 2, 0, w->layer[0][l].height - 1);

    if (at / 2 != pair) {
      pair = at / 2;
      transform (w, view, l, pair, x, two[0], two[1]);
    }
    memcpy (phasors + j * bytes, two[at % 2], bytes);
  }
}

typedef struct {
  const PocstereoWork *w;
  int view, l;
  int8_t *field;
} Lines;

static void
transform_pairs (void *data, int begin, int end)
{
  const Lines *lines = data;
  const PocstereoWork *w = lines->w;
  const PocstereoLayer *layer = &w->layer[0][lines->l];
  size_t bytes = pocstereo_phasor_bytes (w->tables->bandwidth);
  size_t row = bytes * layer->width;

  for (int pair = begin; pair < end; pair++)
    for (int x = 0; x < layer->width; x++) {
      int8_t *first = lines->field + 2 * pair * row + x * bytes;
      int8_t none[2 * POCSTEREO_MAX_BANDWIDTH];

      transform (w, lines->view, lines->l, pair, x, first,
          2 * pair + 1 < layer->height ? first + row : none);
    }
}

void
pocstereo_fourier_lines_cpu (
    const PocstereoWork *w, int view, int l, int8_t *field)
{
  Lines lines = {w, view, l, field};

  parallel_for ((w->layer[0][l].height + 1) / 2, 0, transform_pairs, &lines);
}
