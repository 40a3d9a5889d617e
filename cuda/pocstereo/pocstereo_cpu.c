/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's table, and the pyramid. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"

static const char *
open (const Device *dev, PocstereoWork *w)
{
  PocstereoCpu *c;

  TRY (device_alloc (dev, &w->state, sizeof (PocstereoCpu)));
  c = w->state;
  memory_open (&c->memory, dev);
  return NULL;
}

static void
close (const Device *dev, PocstereoWork *w)
{
  PocstereoCpu *c = w->state;

  if (!c)
    return;
  memory_free (&c->memory);
  device_release (dev, c);
}

static void
turn_lags (PocstereoCpu *c, const PocstereoTables *t)
{
  memset (c->lag_cosine, 0, sizeof c->lag_cosine);
  memset (c->lag_sine, 0, sizeof c->lag_sine);
  for (int k = 0; k < t->bandwidth; k++)
    for (int n = 0; n <= t->lags + 1; n++) {
      c->lag_cosine[k][n] = t->lag_cosine[n][k];
      c->lag_sine[k][n] = t->lag_sine[n][k];
    }
}

static const char *
prepare (const Device *dev, PocstereoWork *w, bool dense)
{
  PocstereoCpu *c = w->state;
  size_t n = (size_t) w->width * w->height;

  (void) dev;
  if (!dense)
    return NULL;
  turn_lags (c, w->tables);
  TRY (pocstereo_need_fields_cpu (w));
  if (c->patch)
    return NULL;
  TRY (memory_get (&c->memory, &c->found, n));
  TRY (memory_get (&c->memory, &c->parent, n));
  TRY (memory_get (&c->memory, &c->height, n));
  TRY (memory_get (&c->memory, &c->census[0], n));
  TRY (memory_get (&c->memory, &c->census[1], n));
  TRY (memory_get (&c->memory, &c->dropped, n));
  TRY (memory_get (&c->memory, &c->spare, n));
  TRY (memory_get (&c->memory, &c->patch, n));
  return NULL;
}

const char *
pocstereo_need_fields_cpu (const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  size_t bytes = (size_t) w->width * w->height *
      pocstereo_phasor_bytes (w->params.bandwidth);

  if (c->field_bytes >= bytes)
    return NULL;
  c->field_bytes = 0;
  for (int v = 0; v < 2; v++)
    TRY (memory_get (&c->memory, &c->field[v], bytes + POCSTEREO_BLOCK));
  c->field_bytes = bytes;
  return NULL;
}

static void
halve (const uint16_t *from, int stride, uint16_t *to, int width)
{
  const uint16_t *below = from + stride;

  for (int x = 0; x < width; x++)
    to[x] = pocstereo_mean (
        from[2 * x], from[2 * x + 1], below[2 * x], below[2 * x + 1]);
}

/* A layer, made of the one below it. */
typedef struct {
  const uint16_t *from;
  uint16_t *to;
  int from_stride, to_stride, width;
} Halving;

static void
halve_rows (void *data, int begin, int end)
{
  const Halving *h = data;

  for (int y = begin; y < end; y++)
    halve (h->from + (size_t) 2 * y * h->from_stride, h->from_stride,
        h->to + (size_t) y * h->to_stride, h->width);
}

static const char *
pyramid (const Device *dev, const PocstereoWork *w)
{
  (void) dev;
  for (int v = 0; v < 2; v++)
    for (int l = 1; l < w->n_layers; l++) {
      Halving h = {w->view[v][l - 1],
          w->pyramid[v] + (w->view[v][l] - w->pyramid[v]), w->stride[l - 1],
          w->stride[l], w->layer[0][l].width};

      parallel_for (w->layer[0][l].height, 0, halve_rows, &h);
    }
  return NULL;
}

const PocstereoStages pocstereo_stages_cpu = {open, close, prepare, pyramid,
    pocstereo_average_cpu, pocstereo_points_cpu, pocstereo_dense_cpu,
    pocstereo_revote_cpu, pocstereo_slant_cpu, pocstereo_left_right_cpu,
    pocstereo_speckle_cpu, pocstereo_fill_cpu, pocstereo_smooth_cpu};
