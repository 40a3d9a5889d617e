/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "gpuccl/gpuccl_core.h"

struct _Gpuccl {
  Device device;
  DeviceMemory memory;
  const GpucclStages *stages;
  int width, height;
  GpucclWork work;
  GpucclDecision *decision;
  uint8_t *range, *device_range; /* weights of the filter; the first in pinned
                                    memory */
  double range_scale; /* metres a unit of depth, for which the weights were
                         made */
  bool unwaited;      /* frames were queued after the last wait */
};

#define FIRST_SUMS 1024 /* room for sums before a frame needs more */

static const char *
make_room_for_sums (Gpuccl *g, uint32_t n)
{
  TRY (memory_get_bytes (&g->memory, (void **) &g->work.result, 1,
      sizeof *g->work.result + n * sizeof g->work.result->sums[0], true));
  g->work.max_sums = n;
  return NULL;
}

const char *
gpuccl_new (Gpuccl **self, const Device *device, int width, int height)
{
  Gpuccl *g = calloc (1, sizeof *g);

  *self = g;
  if (!g)
    return OUT_OF_MEMORY (sizeof *g, "");
  g->device = *device;
  g->stages = STAGES (gpuccl, device);
  memory_open (&g->memory, &g->device);
  if (width < 1 || height < 1 || width > GPUCCL_MAX_SIDE ||
      height > GPUCCL_MAX_SIDE)
    return "the frame's sides must be 1 to 16384 pixels";
  g->width = width;
  g->height = height;
  g->work.frame.width = width;
  g->work.frame.height = height;
  TRY (gpuccl_decision_new (&g->decision));
  TRY (memory_get (&g->memory, &g->work.labels, (size_t) width * height));
  TRY (make_room_for_sums (g, FIRST_SUMS));
  TRY (memory_get_pinned (&g->memory, &g->range, BILATERAL_RANGE));
  TRY (memory_get (&g->memory, &g->device_range, BILATERAL_RANGE));
  g->work.range = g->device_range;
  return g->stages->open (&g->device, &g->work);
}

void
gpuccl_free (Gpuccl *g)
{
  if (!g)
    return;
  device_wait (&g->device); /* the device may still use the memory */
  g->stages->close (&g->device, &g->work);
  memory_free (&g->memory);
  gpuccl_decision_free (g->decision);
  free (g);
}

/* Makes memory that only some params need, when the first frame with them
 * comes. */
static const char *
make_memory_once (Gpuccl *g, void **p, size_t bytes_a_pixel)
{
  return *p ? NULL
            : memory_get_bytes (&g->memory, p, (size_t) g->width * g->height,
                  bytes_a_pixel, false);
}

static const char *
set_filter_weights (Gpuccl *g, double scale)
{
  if (g->range_scale == scale)
    return NULL;
  TRY (device_wait (&g->device)); /* the last copy from the weights is
                                     finished */
  bilateral_set_range (g->range, scale);
  g->range_scale = 0; /* until the device has the new weights */
  TRY (device_copy (&g->device, g->device_range, g->range, BILATERAL_RANGE));
  g->range_scale = scale;
  return NULL;
}

/* Filters the depth; later stages read the filtered depth. */
static const char *
filter_depth (Gpuccl *g, const GpucclParams *p)
{
  GpucclWork *w = &g->work;

  TRY (make_memory_once (g, (void **) &w->smooth, sizeof *w->smooth));
  TRY (make_memory_once (g, (void **) &w->fraction, sizeof *w->fraction));
  TRY (set_filter_weights (g, p->depth_scale));
  TRY (g->stages->filter (&g->device, w));
  w->frame.depth = w->smooth;
  w->frame.depth_stride = g->width * (int) sizeof *w->smooth;
  return NULL;
}

static const char *
find_paper_labels (Gpuccl *g, const GpucclParams *p)
{
  const GpucclStages *s = g->stages;

  if (p->detector == GPUCCL_WINDOW)
    return s->window (&g->device, &g->work);
  if (p->algorithm == GPUCCL_LABEL_EQUIVALENCE)
    return s->label_equivalence (&g->device, &g->work);
  if (p->algorithm == GPUCCL_IMPROVED_LABEL_EQUIVALENCE)
    return s->improved (&g->device, &g->work);
  return s->hierarchical (&g->device, &g->work);
}

static bool
is_run_algorithm (const GpucclParams *p)
{
  return p->algorithm == GPUCCL_RUN && p->detector == GPUCCL_COMPONENTS;
}

static const char *
queue_frame (Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame)
{
  GpucclWork *w = &g->work;

  if (!w->result)
    return "memory ran out in an earlier frame; start again";
  if (frame->width != g->width || frame->height != g->height)
    return "the frame has another size than was announced";
  TRY (gpuccl_set_work (w, params, frame));
  if (w->link.bits)
    TRY (filter_depth (g, params));
  if (is_run_algorithm (params))
    return g->stages->run (&g->device, w);
  TRY (make_memory_once (g, (void **) &w->scratch, sizeof *w->scratch));
  TRY (find_paper_labels (g, params));
  return g->stages->measure (&g->device, w);
}

const char *
gpuccl_queue (Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame)
{
  g->unwaited = true;
  return queue_frame (g, params, frame);
}

static const char *
queue_with_labels (Gpuccl *g, const GpucclParams *params,
    const GpucclFrame *frame, uint32_t *labels, size_t stride)
{
  GpucclResult *result = g->work.result;
  const char *err;

  if (result)
    memset (result->ready, 0, sizeof result->ready);
  err = queue_frame (g, params, frame);
  if (!err && labels)
    err = gpuccl_labels (g, labels, stride);
  g->unwaited |= err != NULL; /* a part of the frame may be queued */
  return err;
}

/* Waits for the queued frame, and for its labels.  The device reports that
 * results are ready some microseconds before the host sees the end of its work:
 * if no other work is queued, the function waits for that report.  Errors are
 * returned at the end of the work alone. */
static const char *
wait_for_frame (Gpuccl *g, const GpucclParams *params, bool labels)
{
  bool only_results = g->stages->run_says_ready && is_run_algorithm (params) &&
      !labels && !g->unwaited;

  if (only_results && g->device.timer)
    device_timer_mark (&g->device, g->device.timer);
  if (only_results &&
      device_wait_words (&g->device, g->work.result->ready, GPUCCL_PARTS))
    return NULL;
  TRY (device_wait (&g->device));
  g->unwaited = false;
  return NULL;
}

/* The number of sums for which the result needs room. */
static uint32_t
sums_wanted (const GpucclWork *w)
{
  const GpucclResult *r = w->result;

  return r->in_order && r->n_sums > w->wanted_sums ? w->wanted_sums : r->n_sums;
}

/* If the frame has more components, or pieces of them, than there is room for,
 * the function enlarges the room and runs the frame again. */
const char *
gpuccl_run_with_labels (Gpuccl *g, const GpucclParams *params,
    const GpucclFrame *frame, uint32_t *labels, size_t stride,
    GpucclResults *results)
{
  TRY (queue_with_labels (g, params, frame, labels, stride));
  TRY (wait_for_frame (g, params, labels));
  while (
      g->work.result->n_missing || sums_wanted (&g->work) > g->work.max_sums) {
    if (sums_wanted (&g->work) > g->work.max_sums)
      TRY (make_room_for_sums (g, 2 * g->work.result->n_sums));
    TRY (queue_with_labels (g, params, frame, labels, stride));
    TRY (wait_for_frame (g, params, labels));
  }
  gpuccl_decide (g->decision, params, &g->work, results);
  return NULL;
}

const char *
gpuccl_run (Gpuccl *g, const GpucclParams *params, const GpucclFrame *frame,
    GpucclResults *results)
{
  return gpuccl_run_with_labels (g, params, frame, NULL, 0, results);
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
