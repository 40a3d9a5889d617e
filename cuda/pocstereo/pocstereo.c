/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "pocstereo/pocstereo_set.h"

struct _Pocstereo {
  Device device;
  DeviceMemory memory;
  const PocstereoStages *stages;
  PocstereoWork work;
  bool is_set;         /* memory and tables are those of work.params */
  bool is_dense;       /* those of every pixel, too */
  bool averages_dense; /* the means are those of every pixel */
};

const char *
pocstereo_new (Pocstereo **self, const Device *device, int width, int height)
{
  Pocstereo *s = calloc (1, sizeof *s);
  PocstereoWork *w;

  *self = s;
  if (!s)
    return "out of memory";
  w = &s->work;
  s->device = *device;
  s->stages = STAGES (pocstereo, device);
  memory_open (&s->memory, &s->device);
  if (width < 16 || height < 16 || width > POCSTEREO_MAX_SIDE ||
      height > POCSTEREO_MAX_SIDE)
    return "the views' sides must be 16 to 8192 pixels";
  w->width = width;
  w->height = height;
  TRY (memory_get (&s->memory, &w->tables, 1));
  TRY (memory_get_pinned (&s->memory, &w->host_tables, 1));
  return s->stages->open (&s->device, w);
}

void
pocstereo_free (Pocstereo *s)
{
  if (!s)
    return;
  device_wait (&s->device); /* the device may still use it */
  s->stages->close (&s->device, &s->work);
  memory_free (&s->memory);
  free (s);
}

/* Whether both need the same memory and tables. */
static bool
are_alike (const PocstereoParams *a, const PocstereoParams *b)
{
  return a->window == b->window && a->lines == b->lines &&
      a->bandwidth == b->bandwidth && a->weight == b->weight &&
      a->fit == b->fit && a->noise_floor == b->noise_floor &&
      a->layers == b->layers && a->min_disparity == b->min_disparity &&
      a->max_disparity == b->max_disparity;
}

/* Each layer's rows start on 128 bytes. */
static int
stride_of (int width)
{
  return (width + 63) / 64 * 64;
}

static const char *
make_pyramid (Pocstereo *s)
{
  PocstereoWork *w = &s->work;
  size_t samples = 0;

  for (int l = 1; l < w->n_layers; l++)
    samples += (size_t) stride_of (w->width >> l) * (w->height >> l);
  for (int v = 0; v < 2; v++) {
    size_t at = 0;

    TRY (memory_get (&s->memory, &w->pyramid[v], samples + 1));
    for (int l = 1; l < w->n_layers; l++) {
      w->stride[l] = stride_of (w->width >> l);
      w->view[v][l] = w->pyramid[v] + at;
      at += (size_t) w->stride[l] * (w->height >> l);
    }
  }
  return NULL;
}

static const char *
set_params (Pocstereo *s, const PocstereoParams *params, bool dense)
{
  PocstereoWork *w = &s->work;
  size_t pixels = (size_t) w->width * w->height;

  if (s->is_set && are_alike (&w->params, params) && (s->is_dense || !dense)) {
    w->params = *params;
    return NULL;
  }
  TRY (device_wait (&s->device)); /* the device may still use it */
  s->is_set = false;
  w->params = *params;
  w->n_averaged = 0;
  pocstereo_set_layers (w);
  TRY (make_pyramid (s));
  for (int v = 0; dense && v < 2; v++)
    TRY (memory_get (&s->memory, &w->matches[v], pixels));
  memset (w->host_tables, 0, sizeof *w->host_tables);
  pocstereo_set_tables (w->host_tables, params);
  TRY (device_copy (
      &s->device, w->tables, w->host_tables, sizeof *w->host_tables));
  TRY (s->stages->prepare (&s->device, w, dense));
  s->is_set = true;
  s->is_dense = dense;
  return NULL;
}

/* The means of points and of every pixel lie in different orders: after a
 * change of mode they begin anew. */
static const char *
average (Pocstereo *s, bool dense)
{
  PocstereoWork *w = &s->work;
  const char *err;

  if (w->params.average == 1 || s->averages_dense != dense)
    w->n_averaged = 0;
  s->averages_dense = dense;
  if (w->params.average == 1)
    return NULL;
  w->n_averaged =
      w->n_averaged < w->params.average ? w->n_averaged + 1 : w->params.average;
  err = s->stages->average (&s->device, w, dense);
  if (err)
    w->n_averaged = 0; /* this frame is not in the means */
  return err;
}

static const char *
begin (Pocstereo *s, const PocstereoParams *params, const PocstereoFrame *frame,
    bool dense)
{
  PocstereoWork *w = &s->work;

  if (frame->width != w->width || frame->height != w->height)
    return "the frame has another size than was announced";
  if (!frame->view[0] || !frame->view[1] || frame->stride < frame->width)
    return "the frame lacks a view, or its rows overlap";
  TRY (pocstereo_check (params, w->width, w->height));
  TRY (set_params (s, params, dense));
  w->min_peak = (uint16_t) (params->min_peak * 65535);
  w->min_sigma = w->host_tables->least * POCSTEREO_SIGMA;
  w->max_difference = (int32_t) (params->max_difference * POCSTEREO_ONE);
  w->speckle_step = (int32_t) (params->speckle_step * POCSTEREO_ONE);
  for (int v = 0; v < 2; v++)
    w->view[v][0] = frame->view[v];
  w->stride[0] = frame->stride;
  TRY (s->stages->pyramid (&s->device, w));
  return average (s, dense);
}

static const char *
take_points (Pocstereo *s, const PocstereoPoint *points, int n)
{
  PocstereoWork *w = &s->work;

  if (n < 0 || n > POCSTEREO_MAX_POINTS)
    return "there are too many points; 1,000,000 is the most";
  for (int i = 0; i < n; i++)
    if (points[i].x < 0 || points[i].y < 0 || points[i].x >= w->width ||
        points[i].y >= w->height)
      return "a point lies outside the view";
  if (n == w->n_points &&
      (!n || !memcmp (w->points, points, n * sizeof *points)))
    return NULL; /* as they were: frames that are queued may read them */
  TRY (device_wait (&s->device));
  if (n > w->max_points) {
    int room = n + n / 2;

    w->max_points = w->n_points = 0;
    TRY (memory_get_pinned (&s->memory, &w->points, room));
    TRY (memory_get_pinned (&s->memory, &w->point_matches, room));
    w->max_points = room;
  }
  if (n)
    memcpy (w->points, points, n * sizeof *points);
  w->n_points = n;
  return NULL;
}

const char *
pocstereo_queue_by (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const char *(*run) (const Device *dev, const PocstereoWork *w, void *data),
    void *data)
{
  TRY (take_points (s, points, n));
  TRY (begin (s, params, frame, false));
  return n ? run (&s->device, &s->work, data) : NULL;
}

static const char *
points_stage (const Device *dev, const PocstereoWork *w, void *data)
{
  return ((const Pocstereo *) data)->stages->points (dev, w);
}

const char *
pocstereo_queue_points (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n)
{
  return pocstereo_queue_by (s, params, frame, points, n, points_stage, s);
}

const char *
pocstereo_points (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const PocstereoMatch **matches)
{
  TRY (pocstereo_queue_points (s, params, frame, points, n));
  *matches = s->work.point_matches;
  return device_wait (&s->device);
}

const char *
pocstereo_dense (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoMatch **matches)
{
  PocstereoWork *w = &s->work;

  TRY (begin (s, params, frame, true));
  for (int view = 0; view < (params->left_right ? 2 : 1); view++) {
    TRY (s->stages->dense (&s->device, w, view));
    if (params->revote)
      TRY (s->stages->revote (&s->device, w, view));
    if (params->slant)
      TRY (s->stages->slant (&s->device, w, view));
  }
  if (params->left_right)
    TRY (s->stages->left_right (&s->device, w));
  if (params->speckle_size)
    TRY (s->stages->speckle (&s->device, w));
  if (params->left_right && params->fill)
    TRY (s->stages->fill (&s->device, w));
  if (params->smooth)
    TRY (s->stages->smooth (&s->device, w));
  *matches = w->matches[0];
  return NULL;
}

void
pocstereo_reset (Pocstereo *s)
{
  s->work.n_averaged = 0;
}
