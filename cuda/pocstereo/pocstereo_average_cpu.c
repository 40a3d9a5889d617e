/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means of phasors over frames. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"

/* Means and phasors of a layer. */
typedef struct {
  int16_t *means;
  int8_t *field;
  size_t row; /* numbers in a row of either */
  int before; /* frames in the means */
} Averaging;

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
need_means (const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  size_t n = 0;

  for (int l = 0; l < w->n_layers; l++)
    n += size_of (w, l);
  if (n <= c->means_room)
    return NULL;
  c->means_room = 0;
  for (int v = 0; v < 2; v++)
    TRY (memory_get (&c->memory, &c->means[v], n));
  c->means_room = n;
  return NULL;
}

static Averaging
averaging_of (const PocstereoWork *w, int view, int l, int8_t *field)
{
  return (Averaging){means_of (w, view, l), field,
      size_of (w, l) / w->layer[0][l].height, w->n_averaged};
}

static void
average_rows (void *data, int begin, int end)
{
  const Averaging a = *(const Averaging *) data;

  for (size_t i = begin * a.row; i < end * a.row; i++)
    a.means[i] = pocstereo_average (a.means[i], a.field[i], a.before);
}

static void
take_rows (void *data, int begin, int end)
{
  const Averaging a = *(const Averaging *) data;

  for (size_t i = begin * a.row; i < end * a.row; i++)
    a.field[i] = pocstereo_averaged (a.means[i]);
}

const char *
pocstereo_average_cpu (const Device *dev, const PocstereoWork *w, bool dense)
{
  PocstereoCpu *c = w->state;

  (void) dense;
  (void) dev;
  TRY (need_means (w));
  TRY (pocstereo_need_fields_cpu (w));
  for (int l = 0; l < w->n_layers; l++)
    for (int v = 0; v < 2; v++) {
      Averaging a = averaging_of (w, v, l, c->field[v]);

      pocstereo_lines_cpu (w, v, l, c->field[v]);
      parallel_for (w->layer[0][l].height, 0, average_rows, &a);
    }
  return NULL;
}

void
pocstereo_field_cpu (const PocstereoWork *w, int view, int l, int8_t *field)
{
  Averaging a;

  if (!w->n_averaged) {
    pocstereo_lines_cpu (w, view, l, field);
    return;
  }
  a = averaging_of (w, view, l, field);
  parallel_for (w->layer[0][l].height, 0, take_rows, &a);
}
