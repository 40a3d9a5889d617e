/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's table, and the pyramid. */
#include <stdlib.h>

#include "pocstereo/pocstereo_cpu.h"

static const char *
open (const Device *dev, PocstereoWork *w)
{
  (void) dev;
  w->state = calloc (1, sizeof (PocstereoCpu));
  return w->state ? NULL : "out of memory";
}

static void
free_dense (PocstereoCpu *c)
{
  free (c->found);
  free (c->parent);
  free (c->height);
  free (c->census[0]);
  free (c->census[1]);
  free (c->spare);
  free (c->patch);
  c->found = c->parent = c->height = NULL;
  c->census[0] = c->census[1] = NULL;
  c->spare = NULL;
  c->patch = NULL;
}

static void
close (const Device *dev, PocstereoWork *w)
{
  PocstereoCpu *c = w->state;

  (void) dev;
  if (!c)
    return;
  free (c->field[0]);
  free (c->field[1]);
  free (c->base);
  free_dense (c);
  free (c);
}

static const char *
need_dense (const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  size_t n = (size_t) w->width * w->height;

  if (c->patch)
    return NULL;
  free_dense (c); /* of a time when memory ran out half way */
  c->found = malloc (n * sizeof *c->found);
  c->parent = malloc (n * sizeof *c->parent);
  c->height = malloc (n * sizeof *c->height);
  c->census[0] = malloc (n * sizeof *c->census[0]);
  c->census[1] = malloc (n * sizeof *c->census[1]);
  c->spare = malloc (n * sizeof *c->spare);
  if (c->found && c->parent && c->height && c->census[0] && c->census[1] &&
      c->spare)
    c->patch = malloc (n * sizeof *c->patch);
  return c->patch ? NULL : "out of memory";
}

static const char *
prepare (const Device *dev, PocstereoWork *w, bool dense)
{
  (void) dev;
  if (!dense)
    return NULL;
  TRY (pocstereo_need_fields_cpu (w));
  return need_dense (w);
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
  for (int v = 0; v < 2; v++) {
    free (c->field[v]);
    if (!(c->field[v] = malloc (bytes)))
      return "out of memory";
  }
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

static const char *
pyramid (const Device *dev, const PocstereoWork *w)
{
  (void) dev;
  for (int v = 0; v < 2; v++)
    for (int l = 1; l < w->n_layers; l++) {
      uint16_t *to = w->pyramid[v] + (w->view[v][l] - w->pyramid[v]);

#pragma omp parallel for schedule(static)
      for (int y = 0; y < w->layer[0][l].height; y++)
        halve (w->view[v][l - 1] + (size_t) 2 * y * w->stride[l - 1],
            w->stride[l - 1], to + (size_t) y * w->stride[l],
            w->layer[0][l].width);
    }
  return NULL;
}

const PocstereoStages pocstereo_stages_cpu = {open, close, prepare, pyramid,
    pocstereo_points_cpu, pocstereo_dense_cpu, pocstereo_revote_cpu,
    pocstereo_left_right_cpu, pocstereo_speckle_cpu};
