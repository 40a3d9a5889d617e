/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means of phasors over frames. */
#include "pocstereo/pocstereo_cpu.h"

/* Phasors' components of layer @l. */
static size_t
size_of (const PocstereoWork *w, int l)
{
  return (size_t) w->layer[0][l].width * w->layer[0][l].height *
      pocstereo_phasor_bytes (w->params.bandwidth);
}

static int16_t *
means_of (const PocstereoWork *w, int view, int l)
{
  const PocstereoCpu *c = w->state;
  int16_t *means = c->means[view];

  while (l--)
    means += size_of (w, l);
  return means;
}

static const char *
need_means (const Device *dev, const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  size_t n = 0;

  for (int l = 0; l < w->n_layers; l++)
    n += size_of (w, l);
  if (n <= c->means_room)
    return NULL;
  c->means_room = 0;
  for (int v = 0; v < 2; v++)
    DEVICE_RENEW (dev, c->means[v], n);
  c->means_room = n;
  return NULL;
}

const char *
pocstereo_average_cpu (const Device *dev, const PocstereoWork *w, bool dense)
{
  PocstereoCpu *c = w->state;

  (void) dense;
  TRY (need_means (dev, w));
  TRY (pocstereo_need_fields_cpu (dev, w));
  for (int l = 0; l < w->n_layers; l++)
    for (int v = 0; v < 2; v++) {
      int16_t *means = means_of (w, v, l);
      const int8_t *field = c->field[v];
      size_t n = size_of (w, l);

      pocstereo_lines_cpu (w, v, l, c->field[v]);
#pragma omp parallel for schedule(static)
      for (size_t i = 0; i < n; i++)
        means[i] = pocstereo_average (means[i], field[i], w->n_averaged);
    }
  return NULL;
}

void
pocstereo_field_cpu (const PocstereoWork *w, int view, int l, int8_t *field)
{
  const int16_t *means;
  size_t n = size_of (w, l);

  if (!w->n_averaged) {
    pocstereo_lines_cpu (w, view, l, field);
    return;
  }
  means = means_of (w, view, l);
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++)
    field[i] = pocstereo_averaged (means[i]);
}
