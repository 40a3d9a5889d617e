/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <stdlib.h>

#include "gpuccl/gpuccl_decide.h"
#include "gpuccl/gpuccl_set.h"

struct _Gpuccl {
  Device device;
  const GpucclStages *stages;
  int width, height;
  GpucclWork work;
  GpucclDecision *decision;
};

#define FIRST_SUMS 1024 /* room, before a frame needs more */

static const char *
grow_sums (Gpuccl *g, uint32_t n)
{
  device_release_pinned (&g->device, g->work.result);
  g->work.result = NULL;
  TRY (device_alloc_pinned (&g->device, (void **) &g->work.result,
      sizeof *g->work.result + n * sizeof g->work.result->sums[0]));
  g->work.max_sums = n;
  return NULL;
}

const char *
gpuccl_new (Gpuccl **self, const Device *device, int width, int height)
{
  Gpuccl *g = calloc (1, sizeof *g);

  *self = g;
  if (!g)
    return "out of memory";
  g->device = *device;
  g->stages = &gpuccl_stages_cpu;
  if (device->kind == DEVICE_CUDA)
    return "gpuccl runs on the CPU only; set backend=cpu";
  if (width < 1 || height < 1 || width > GPUCCL_MAX_SIDE ||
      height > GPUCCL_MAX_SIDE)
    return "the frame's sides must be 1 to 16384 pixels";
  g->width = width;
  g->height = height;
  g->work.frame.width = width;
  g->work.frame.height = height;
  TRY (gpuccl_decision_new (&g->decision));
  TRY (device_alloc (&g->device, (void **) &g->work.labels,
      (size_t) width * height * sizeof *g->work.labels));
  TRY (grow_sums (g, FIRST_SUMS));
  return g->stages->open (&g->device, &g->work);
}

void
gpuccl_free (Gpuccl *g)
{
  if (!g)
    return;
  device_wait (&g->device); /* nothing may still use what goes */
  g->stages->close (&g->device, &g->work);
  device_release (&g->device, g->work.labels);
  device_release_pinned (&g->device, g->work.result);
  gpuccl_decision_free (g->decision);
  free (g);
}

const char *
gpuccl_queue (Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame)
{
  if (!g->work.result)
    return "memory ran out in an earlier frame; start again";
  if (frame->width != g->width || frame->height != g->height)
    return "the frame has another size than was announced";
  TRY (gpuccl_set (&g->work, params, frame));
  return g->stages->run (&g->device, &g->work);
}

/* The first frame with more components than there is room for gets it, and is
 * run again. */
static const char *
wait_for_result (
    Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame)
{
  TRY (device_wait (&g->device));
  if (g->work.result->n_sums <= g->work.max_sums)
    return NULL;
  TRY (grow_sums (g, 2 * g->work.result->n_sums));
  TRY (gpuccl_queue (g, params, frame));
  return device_wait (&g->device);
}

const char *
gpuccl_run (Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame,
    GpucclResults *results)
{
  TRY (gpuccl_queue (g, params, frame));
  TRY (wait_for_result (g, params, frame));
  gpuccl_decide (g->decision, params, &g->work, results);
  return NULL;
}

void
gpuccl_reset (Gpuccl *g)
{
  gpuccl_decision_reset (g->decision);
}

const char *
gpuccl_labels (Gpuccl *g, uint32_t *labels, size_t stride)
{
  size_t row = (size_t) g->width * sizeof *labels;

  return device_copy_rows (
      &g->device, labels, stride, g->work.labels, row, row, g->height);
}

const char *
gpuccl_mask (Gpuccl *g, uint32_t label, uint8_t *mask, size_t stride)
{
  return g->stages->mask (&g->device, &g->work, label, mask, stride);
}
