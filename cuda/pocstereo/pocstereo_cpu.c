/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's table of stages, layout of fields, and pyramid. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"

/* Lays out fields as rows of the layer's width, with 2 bandwidth bytes a pixel.
 */
size_t
pocstereo_lay_fields_cpu (const PocstereoPyramid *pyramid,
    const PocstereoTables *t, bool every_pixel, int8_t *memory,
    PocstereoFields *fields)
{
  size_t at = 0;

  (void) every_pixel;
  for (int l = 0; l < pyramid->n_layers; l++)
    for (int v = 0; v < 2; v++) {
      fields->phasors[v][l] = memory ? memory + at : NULL;
      at += (size_t) pyramid->layer[v][l].width * pyramid->layer[v][l].height *
          pocstereo_phasor_bytes (t->bandwidth);
    }
  return at + POCSTEREO_BLOCK;
}

uint32_t
pocstereo_crowded_layers_cpu (
    const PocstereoPyramid *pyramid, const PocstereoTables *t, int n_points)
{
  uint32_t layers = 0;

  for (int l = 0; l < pyramid->n_layers; l++) {
    const PocstereoLayer *layer = &pyramid->layer[0][l];

    if ((int64_t) n_points * t->lines > (int64_t) layer->width * layer->height)
      layers |= 1u << l;
  }
  return layers;
}

void
pocstereo_disparities_cpu (
    const PocstereoMatch *matches, size_t n, int32_t *disparities)
{
  for (size_t i = 0; i < n; i++)
    disparities[i] = matches[i].disparity;
}

/* ---- The pyramid (Step 1) ---- */

static void
halve_layer_row (const uint16_t *from, int stride, uint16_t *to, int width)
{
  const uint16_t *below = from + stride;

  for (int x = 0; x < width; x++)
    to[x] = pocstereo_mean_sample (
        from[2 * x], from[2 * x + 1], below[2 * x], below[2 * x + 1]);
}

typedef struct {
  const uint16_t *from;
  uint16_t *to;
  int from_stride, to_stride, width;
} Halving;

static void
halve_layer_rows (void *data, int begin, int end)
{
  const Halving *h = data;

  for (int y = begin; y < end; y++)
    halve_layer_row (h->from + (size_t) 2 * y * h->from_stride, h->from_stride,
        h->to + (size_t) y * h->to_stride, h->width);
}

const char *
pocstereo_pyramid_cpu (
    const Device *dev, const PocstereoPyramid *p, PocstereoCoarser *coarser)
{
  (void) dev;
  for (int v = 0; v < 2; v++)
    for (int l = 1; l < p->n_layers; l++) {
      Halving h = {p->view[v][l - 1], coarser->view[v][l], p->stride[l - 1],
          p->stride[l], p->layer[0][l].width};

      parallel_for (p->layer[0][l].height, 0, halve_layer_rows, &h);
    }
  return NULL;
}

const PocstereoStages pocstereo_stages_cpu = {pocstereo_lay_fields_cpu,
    pocstereo_crowded_layers_cpu, pocstereo_pyramid_cpu, pocstereo_phasors_cpu,
    pocstereo_average_cpu, pocstereo_points_cpu, pocstereo_dense_cpu,
    pocstereo_census_cpu, pocstereo_revote_cpu, pocstereo_offers_cpu,
    pocstereo_paths_cpu, pocstereo_slant_cpu, pocstereo_left_right_cpu,
    pocstereo_speckle_cpu, pocstereo_fill_cpu, pocstereo_smooth_cpu};
