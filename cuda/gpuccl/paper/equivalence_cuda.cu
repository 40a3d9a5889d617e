/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Label equivalence (section 3.1) and its improvement (3.2), kernel by kernel
 * as in the paper: threads write lower labels to the roots without atomics, and
 * a label that is overwritten is found again in the next iteration. */
#include "gpuccl/paper/loop.cuh"

static __global__ void
begin_labels_kernel (
    const __grid_constant__ GpucclWork w, GpucclLoop *loop, uint32_t *list)
{
  int x = gpuccl_x (), y = gpuccl_y ();
  size_t at = (size_t) y * w.frame.width + x;

  if (gpuccl_is_first_thread ()) {
    loop->work = w;
    loop->list = list;
    loop->changed = loop->iterations = 0;
  }
  if (x < w.frame.width && y < w.frame.height)
    list[at] = w.labels[at] = gpuccl_first_label (&w, x, y);
}

static __global__ void
scan_labels_kernel (GpucclLoop *loop)
{
  const GpucclWork w = loop->work;
  ImageBox all = {0, 0, w.frame.width, w.frame.height};
  int x = gpuccl_x (), y = gpuccl_y ();
  uint32_t label, min_label;

  if (x >= w.frame.width || y >= w.frame.height)
    return;
  label = w.labels[(size_t) y * w.frame.width + x];
  if (!label)
    return;
  min_label = gpuccl_min_label (&w, w.labels, all, x, y);
  if (min_label < label) {
    loop->list[label - 1] = min_label;
    loop->changed = 1;
  }
}

static __global__ void
analyse_labels_kernel (GpucclLoop *loop, uint32_t *changed)
{
  gpuccl_analyse (loop);
  if (gpuccl_is_first_thread ())
    *changed = gpuccl_end_iteration (loop);
}

/* The third kernel of section 3.1. */
static __global__ void
relabel_pixels_kernel (GpucclLoop *loop)
{
  const GpucclFrame f = loop->work.frame;
  uint32_t *label;
  int x = gpuccl_x (), y = gpuccl_y ();

  if (x >= f.width || y >= f.height)
    return;
  label = &loop->work.labels[(size_t) y * f.width + x];
  if (*label)
    *label = loop->list[*label - 1];
}

static const char *
iterate_cuda (const Device *dev, const GpucclWork *w, GpucclPass relabel)
{
  const GpucclCuda *c = (const GpucclCuda *) w->state;
  dim3 blocks = gpuccl_blocks (&w->frame), threads = gpuccl_threads ();
  cudaStream_t stream = device_stream (dev);

  scan_labels_kernel<<<blocks, threads, 0, stream>>> (c->loop);
  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_SCANNING));
  analyse_labels_kernel<<<blocks, threads, 0, stream>>> (c->loop, c->changed);
  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_ANALYSIS));
  if (relabel)
    relabel<<<blocks, threads, 0, stream>>> (c->loop);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static const char *
repeat_on_host (const Device *dev, const GpucclWork *w, GpucclPass relabel)
{
  const GpucclCuda *c = (const GpucclCuda *) w->state;

  do {
    TRY (iterate_cuda (dev, w, relabel));
    TRY (dev->ops->wait (dev));
  } while (*c->changed);
  return NULL;
}

static const char *
repeat_on_device (const Device *dev, const GpucclWork *w, GpucclPass relabel)
{
  GpucclCuda *c = (GpucclCuda *) w->state;
  GpucclLoopGraph *g = &c->loops[relabel != NULL];

  if (!g->exec) {
    gpuccl_loop_clear (g);
    TRY (gpuccl_loop_make (g, &w->frame, c->loop, scan_labels_kernel, relabel));
  }
  CUDA_TRY (cudaGraphLaunch (g->exec, device_stream (dev)));
  return NULL;
}

/* Runs the iterations for which the end is not checked (3.5.2), then the
 * loop. */
static const char *
run_equivalence (
    const Device *dev, const GpucclWork *w, uint32_t *list, GpucclPass relabel)
{
  const GpucclCuda *c = (const GpucclCuda *) w->state;

  begin_labels_kernel<<<gpuccl_blocks (&w->frame), gpuccl_threads (), 0,
      device_stream (dev)>>> (*w, c->loop, list);
  CUDA_TRY (cudaGetLastError ());
  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_INIT));
  for (int i = 0; i < w->skip_checks; i++)
    TRY (iterate_cuda (dev, w, relabel));
  return w->host_loop || !gpuccl_loop_possible ()
      ? repeat_on_host (dev, w, relabel)
      : repeat_on_device (dev, w, relabel);
}

const char *
gpuccl_label_equivalence_cuda (const Device *dev, const GpucclWork *w)
{
  return run_equivalence (dev, w, w->scratch, relabel_pixels_kernel);
}

const char *
gpuccl_improved_cuda (const Device *dev, const GpucclWork *w)
{
  return run_equivalence (dev, w, w->labels, NULL);
}
