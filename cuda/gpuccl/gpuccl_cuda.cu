/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend: its memory, the mask of a component, and the table of
 * stages. */
#include <stdlib.h>

#include "gpuccl/gpuccl_cuda.cuh"

static const char *
open_gpuccl_cuda (const Device *dev, GpucclWork *w)
{
  GpucclCuda *c = (GpucclCuda *) calloc (1, sizeof *c);

  if (!(w->state = c))
    return OUT_OF_MEMORY (sizeof *c, "");
  memory_open (&c->memory, dev);
  TRY (memory_get (&c->memory, &c->loop, 1));
  TRY (memory_get_pinned (&c->memory, &c->changed, 1));
  TRY (memory_get (&c->memory, &c->window_label, 1));
  return gpuccl_measure_open (dev, w);
}

static void
close_gpuccl_cuda (const Device *dev, GpucclWork *w)
{
  GpucclCuda *c = (GpucclCuda *) w->state;

  (void) dev;
  if (!c)
    return;
  gpuccl_loop_clear (&c->loops[0]);
  gpuccl_loop_clear (&c->loops[1]);
  gpuccl_run_close (c->run);
  memory_free (&c->memory);
  free (c);
}

static __global__ void
mask_label_kernel (const uint32_t *labels, int width, int height,
    uint32_t label, uint8_t *mask, size_t stride)
{
  int x = gpuccl_x (), y = gpuccl_y ();

  if (x < width && y < height)
    mask[y * stride + x] = labels[(size_t) y * width + x] == label ? 255 : 0;
}

static const char *
mask_cuda (const Device *dev, const GpucclWork *w, uint32_t label, uint8_t *out,
    size_t stride)
{
  const GpucclFrame *f = &w->frame;

  mask_label_kernel<<<gpuccl_blocks (f), gpuccl_threads (), 0,
      device_stream (dev)>>> (
      w->labels, f->width, f->height, label, out, stride);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const GpucclStages gpuccl_stages_cuda = {open_gpuccl_cuda, close_gpuccl_cuda,
    gpuccl_filter_cuda, gpuccl_run_cuda, true, gpuccl_label_equivalence_cuda,
    gpuccl_improved_cuda, gpuccl_hierarchical_cuda, gpuccl_window_cuda,
    gpuccl_measure_cuda, mask_cuda};
