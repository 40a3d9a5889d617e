/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "pocstereo/pocstereo_paths_core.h"
#include "pocstereo/pocstereo_stages.h"

struct _Pocstereo {
  Device device;
  DeviceMemory memory;
  const PocstereoStages *stages;
  int width, height;

  bool is_set; /* tables and pyramid are those of params */
  PocstereoParams params;
  PocstereoTables *tables, *host_tables; /* host_tables: pinned */
  PocstereoConstants constants;          /* these tables */
  PocstereoPyramid pyramid;
  PocstereoCoarser coarser;
  uint16_t *samples[2]; /* memory of coarser */

  int8_t *phasors; /* of all layers */
  int16_t *means;  /* of phasors, over frames */
  size_t phasor_room, mean_room;
  int n_averaged;      /* frames in the means */
  bool averages_dense; /* the means are those of every pixel */

  PocstereoPoint *points;        /* max_points; pinned */
  PocstereoMatch *point_matches; /* max_points; pinned */
  int n_points, max_points;

  /* Memory of matching every pixel; NULL until the first such frame. */
  PocstereoMatch *matches[2];
  PocstereoCensuses census;
  PocstereoOffers offers; /* NULL until the first choice along paths */
  int32_t *before;        /* disparities before the left-right check */
  int32_t *scratch;
};

const char *
pocstereo_new (Pocstereo **self, const Device *device, int width, int height)
{
  Pocstereo *s = calloc (1, sizeof *s);

  *self = s;
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->device = *device;
  s->stages = STAGES (pocstereo, device);
  memory_open (&s->memory, &s->device);
  if (width < 16 || height < 16 || width > POCSTEREO_MAX_SIDE ||
      height > POCSTEREO_MAX_SIDE)
    return "the views' sides must be 16 to 8192 pixels";
  s->width = width;
  s->height = height;
  TRY (memory_get (&s->memory, &s->tables, 1));
  TRY (memory_get_pinned (&s->memory, &s->host_tables, 1));
  s->constants = (PocstereoConstants){s->host_tables, s->tables};
  return NULL;
}

void
pocstereo_free (Pocstereo *s)
{
  if (!s)
    return;
  device_wait (&s->device); /* the device may still use it */
  memory_free (&s->memory);
  free (s);
}

/* ---- Memory ---- */

/* Whether @a and @b need the same tables and the same pyramid. */
static bool
have_same_tables (const PocstereoParams *a, const PocstereoParams *b)
{
  return a->window == b->window && a->lines == b->lines &&
      a->bandwidth == b->bandwidth && a->weight == b->weight &&
      a->fit == b->fit && a->noise_floor == b->noise_floor &&
      a->layers == b->layers && a->min_disparity == b->min_disparity &&
      a->max_disparity == b->max_disparity;
}

/* The distance of rows in samples: rows start at multiples of 128 bytes. */
static int
layer_stride (int width)
{
  return (width + 63) / 64 * 64;
}

static const char *
lay_pyramid (Pocstereo *s)
{
  PocstereoPyramid *p = &s->pyramid;
  size_t samples = 0;

  for (int l = 1; l < p->n_layers; l++) {
    p->stride[l] = layer_stride (s->width >> l);
    samples += (size_t) p->stride[l] * (s->height >> l);
  }
  for (int v = 0; v < 2; v++) {
    size_t at = 0;

    TRY (memory_get (&s->memory, &s->samples[v], samples + 1));
    for (int l = 1; l < p->n_layers; l++) {
      p->view[v][l] = s->coarser.view[v][l] = s->samples[v] + at;
      at += (size_t) p->stride[l] * (s->height >> l);
    }
  }
  return NULL;
}

static const char *
set_stereo_params (Pocstereo *s, const PocstereoParams *params)
{
  if (s->is_set && have_same_tables (&s->params, params))
    return NULL;
  TRY (device_wait (&s->device)); /* the device may still use it */
  s->is_set = false;
  s->params = *params;
  s->n_averaged = 0;
  pocstereo_set_layers (&s->pyramid, params, s->width, s->height);
  TRY (lay_pyramid (s));
  memset (s->host_tables, 0, sizeof *s->host_tables);
  pocstereo_set_tables (s->host_tables, params);
  TRY (device_copy (
      &s->device, s->tables, s->host_tables, sizeof *s->host_tables));
  s->is_set = true;
  return NULL;
}

/* Room for @n components of phasors, and for their means. */
static const char *
need_phasors (Pocstereo *s, size_t n, bool averages)
{
  if (n > s->phasor_room) {
    TRY (device_wait (&s->device));
    s->phasor_room = 0;
    TRY (memory_get (&s->memory, &s->phasors, n));
    s->phasor_room = n;
  }
  if (averages && n > s->mean_room) {
    TRY (device_wait (&s->device));
    s->mean_room = 0;
    TRY (memory_get (&s->memory, &s->means, n));
    s->mean_room = n;
  }
  return NULL;
}

static const char *
need_pixel_memory (Pocstereo *s)
{
  size_t pixels = (size_t) s->width * s->height;

  if (s->scratch)
    return NULL;
  for (int v = 0; v < 2; v++) {
    TRY (memory_get (&s->memory, &s->matches[v], pixels));
    TRY (memory_get (&s->memory, &s->census.view[v], pixels));
  }
  TRY (memory_get (&s->memory, &s->before, pixels));
  return memory_get (&s->memory, &s->scratch, POCSTEREO_SCRATCH * pixels);
}

static const char *
need_offer_memory (Pocstereo *s)
{
  size_t pixels = (size_t) s->width * s->height;
  PocstereoOffers *o = &s->offers;

  for (int v = 0; v < 2; v++) {
    if (!o->offer[v])
      TRY (memory_get (&s->memory, &o->offer[v], POCSTEREO_KEPT * pixels));
    if (!o->donors[v])
      TRY (memory_get (&s->memory, &o->donors[v], pixels));
    if (!o->sum[v])
      TRY (memory_get (&s->memory, &o->sum[v], POCSTEREO_KEPT * pixels));
    if (!o->median[v])
      TRY (memory_get (&s->memory, &o->median[v], pixels));
    if (!o->match[v])
      TRY (memory_get (&s->memory, &o->match[v], pixels));
  }
  return NULL;
}

/* ---- What both modes begin with ---- */

static const char *
begin_stereo_frame (
    Pocstereo *s, const PocstereoParams *params, const PocstereoFrame *frame)
{
  if (frame->width != s->width || frame->height != s->height)
    return "the frame has another size than was announced";
  if (!frame->view[0] || !frame->view[1] || frame->stride < frame->width)
    return "the frame lacks a view, or its rows overlap";
  TRY (pocstereo_check (params, s->width, s->height));
  TRY (set_stereo_params (s, params));
  for (int v = 0; v < 2; v++)
    s->pyramid.view[v][0] = frame->view[v];
  s->pyramid.stride[0] = frame->stride;
  return s->stages->pyramid (&s->device, &s->pyramid, &s->coarser);
}

/* The phasors of @layers; with params->average, the means over frames of the
 * phasors of all layers.  Means of points and of every pixel have different
 * layouts, so they begin anew after a change of mode, and after an error. */
static const char *
take_phasors (Pocstereo *s, const PocstereoParams *params, bool every_pixel,
    uint32_t layers, PocstereoFields *fields)
{
  const PocstereoStages *stages = s->stages;
  int frames = s->averages_dense == every_pixel ? s->n_averaged : 0;
  bool averages = params->average > 1;
  size_t n = stages->lay_fields (
      &s->pyramid, s->host_tables, every_pixel, NULL, fields);

  s->n_averaged = 0;
  fields->layers = averages ? ~0u : layers;
  if (!fields->layers)
    return NULL;
  TRY (need_phasors (s, n, averages));
  stages->lay_fields (
      &s->pyramid, s->host_tables, every_pixel, s->phasors, fields);
  TRY (stages->phasors (&s->device, &s->pyramid, &s->constants, fields));
  if (!averages)
    return NULL;
  frames = frames < params->average ? frames + 1 : params->average;
  TRY (stages->average (&s->device, n, frames, s->means, s->phasors));
  s->n_averaged = frames;
  s->averages_dense = every_pixel;
  return NULL;
}

/* ---- Points ---- */

static const char *
keep_points (Pocstereo *s, const PocstereoPoint *points, int n)
{
  if (n < 0 || n > POCSTEREO_MAX_POINTS)
    return "there are too many points; 1,000,000 is the most";
  for (int i = 0; i < n; i++)
    if (points[i].x < 0 || points[i].y < 0 || points[i].x >= s->width ||
        points[i].y >= s->height)
      return "a point lies outside the view";
  if (n == s->n_points &&
      (!n || !memcmp (s->points, points, n * sizeof *points)))
    return NULL; /* frames that are queued may still read them */
  TRY (device_wait (&s->device));
  if (n > s->max_points) {
    int room = n + n / 2;

    s->max_points = s->n_points = 0;
    TRY (memory_get_pinned (&s->memory, &s->points, room));
    TRY (memory_get_pinned (&s->memory, &s->point_matches, room));
    s->max_points = room;
  }
  if (n)
    memcpy (s->points, points, n * sizeof *points);
  s->n_points = n;
  return NULL;
}

const char *
pocstereo_begin_points (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    PocstereoAsked *asked)
{
  TRY (keep_points (s, points, n));
  TRY (begin_stereo_frame (s, params, frame));
  *asked = (PocstereoAsked){&s->pyramid, s->constants, s->points, n,
      (uint16_t) (params->min_peak * 65535), s->point_matches};
  return NULL;
}

const char *
pocstereo_queue_points (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n)
{
  PocstereoFields fields;
  PocstereoAsked asked;

  TRY (pocstereo_begin_points (s, params, frame, points, n, &asked));
  TRY (take_phasors (s, params, false,
      s->stages->crowded_layers (&s->pyramid, s->host_tables, n), &fields));
  return n ? s->stages->points (&s->device, &asked, &fields) : NULL;
}

const char *
pocstereo_points (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const PocstereoMatch **matches)
{
  TRY (pocstereo_queue_points (s, params, frame, points, n));
  *matches = s->point_matches;
  return device_wait (&s->device);
}

/* ---- Every pixel ---- */

static const char *
vote_again (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, uint16_t final_min_peak,
    PocstereoDenseMatches *matches)
{
  const Device *dev = &s->device;

  if (!params->paths)
    return s->stages->revote (
        dev, &s->census, final_min_peak, s->scratch, matches);
  TRY (need_offer_memory (s));
  TRY (s->stages->offers (dev, &s->census, matches, s->scratch, &s->offers));
  return s->stages->paths (dev, frame, final_min_peak, &s->offers, matches);
}

const char *
pocstereo_dense (Pocstereo *s, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoMatch **found)
{
  const Device *dev = &s->device;
  const PocstereoStages *stages = s->stages;
  bool left_right = params->left_right, fills = left_right && params->fill;
  uint16_t min_peak = (uint16_t) (params->min_peak * 65535);
  int32_t max_difference = (int32_t) (params->max_difference * POCSTEREO_ONE);
  int32_t speckle_step = (int32_t) (params->speckle_step * POCSTEREO_ONE);
  PocstereoFields fields;
  PocstereoDenseMatches matches;

  TRY (begin_stereo_frame (s, params, frame));
  TRY (need_pixel_memory (s));
  matches = (PocstereoDenseMatches){
      s->width, s->height, left_right ? 2 : 1, {s->matches[0], s->matches[1]}};
  TRY (take_phasors (s, params, true, ~0u, &fields));
  TRY (stages->dense (dev, &s->pyramid, &fields, &s->constants,
      params->candidates, params->revote || params->slant ? 0 : min_peak,
      s->scratch, &matches));
  if (params->revote || fills)
    TRY (stages->census (dev, frame, &s->census));
  if (params->revote)
    TRY (vote_again (s, params, frame, params->slant ? 0 : min_peak, &matches));
  if (params->slant)
    TRY (stages->slant (
        dev, frame, &fields, &s->constants, min_peak, s->scratch, &matches));
  if (left_right)
    TRY (stages->left_right (dev, max_difference, &matches, s->before));
  if (params->speckle_size)
    TRY (stages->speckle (
        dev, params->speckle_size, speckle_step, s->scratch, &matches));
  if (fills)
    TRY (stages->fill (dev, &s->census, s->before, max_difference, min_peak,
        s->scratch, &matches));
  if (params->smooth)
    TRY (stages->smooth (
        dev, s->host_tables->least * POCSTEREO_SIGMA, s->scratch, &matches));
  *found = s->matches[0];
  return NULL;
}

void
pocstereo_reset (Pocstereo *s)
{
  s->n_averaged = 0;
}
