/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the steps, and the memory they need: classification table,
 * sums of the frame, tracks, trajectory history. */
#include <stdlib.h>
#include <string.h>

#include "moct/moct_core.h"
#include "moct/moct_pyramid.h"
#include "moct/moct_table.h"
#include "moct/moct_track.h"

/* Tracks at a time, of all colours together. */
#define MAX_TRACKS 4096

struct _Moct {
  Device device;
  const MoctStages *stages;
  void *state; /* of stages->fused */
  MoctWork work;
  MoctTables *tables;

  ImageBox *windows; /* pinned; work.windows is the device's copy */
  bool windows_known;

  MoctTracks *tracks;
  MoctObject *objects;

  MoctPoint *row, *history; /* pinned row; device ring of rows */
  int history_length, history_at, history_n;
};

static const char *
alloc_overflow (Moct *m, int max)
{
  const Device *dev = &m->device;
  MoctWork *w = &m->work;
  size_t n = (size_t) moct_n_slots (w) + max;

  device_release (dev, w->fragments);
  device_release (dev, w->parents);
  device_release (dev, w->sums);
  device_release (dev, w->overflow);
  device_release (dev, w->roots);
  device_release_pinned (dev, w->result);
  w->fragments = NULL, w->parents = NULL, w->sums = NULL;
  w->overflow = NULL, w->roots = NULL, w->result = NULL;
  w->max_overflow = max;
  TRY (device_alloc (dev, (void **) &w->fragments, n * sizeof *w->fragments));
  TRY (device_alloc (dev, (void **) &w->parents, n * sizeof *w->parents));
  TRY (device_alloc (
      dev, (void **) &w->sums, (n + MOCT_MAX_COLOURS) * sizeof *w->sums));
  TRY (device_alloc (
      dev, (void **) &w->overflow, (size_t) max * sizeof *w->overflow));
  TRY (device_alloc (dev, (void **) &w->roots, n * sizeof *w->roots));
  return device_alloc_pinned (dev, (void **) &w->result,
      sizeof *w->result + (n + MOCT_MAX_COLOURS) * sizeof w->result->blobs[0]);
}

static const char *
alloc (Moct *m, int history_length)
{
  const Device *dev = &m->device;
  MoctWork *w = &m->work;
  size_t tiles = (size_t) w->tiles_x * w->tiles_y;

  m->tracks = moct_tracks_new (MAX_TRACKS);
  m->objects = calloc (MAX_TRACKS, sizeof *m->objects);
  if (!m->tracks || !m->objects)
    return "out of memory";
  TRY (moct_tables_new (&m->tables, dev));
  TRY (device_alloc (dev, (void **) &w->tiles, tiles * sizeof *w->tiles));
  TRY (device_alloc (
      dev, (void **) &w->counters, MOCT_N_COUNTERS * sizeof *w->counters));
  TRY (device_alloc (
      dev, (void **) &w->windows, MOCT_MAX_COLOURS * sizeof *w->windows));
  TRY (device_alloc_pinned (
      dev, (void **) &m->windows, MOCT_MAX_COLOURS * sizeof *m->windows));
  TRY (alloc_overflow (m, (int) tiles));
  if (!history_length)
    return NULL;
  m->history_length = history_length;
  TRY (device_alloc_pinned (
      dev, (void **) &m->row, MAX_TRACKS * sizeof *m->row));
  return device_alloc (dev, (void **) &m->history,
      (size_t) history_length * MAX_TRACKS * sizeof *m->history);
}

const char *
moct_new (Moct **self, const Device *device, int width, int height,
    int history_length)
{
  Moct *m = calloc (1, sizeof *m);

  *self = m;
  if (!m)
    return "out of memory";
  m->device = *device;
  m->stages = STAGES (moct, device);
  if (width < 1 || height < 1 || width > 32768 || height > 32768)
    return "the frame's sides must be 1 to 32768 pixels";
  if (history_length < 0)
    return "the history length is negative";
  m->work.tiles_x = (width + MOCT_TILE - 1) / MOCT_TILE;
  m->work.tiles_y = (height + MOCT_TILE - 1) / MOCT_TILE;
  return alloc (m, history_length);
}

void
moct_free (Moct *m)
{
  const Device *dev = m ? &m->device : NULL;

  if (!m)
    return;
  device_wait (dev); /* nothing may still use what goes */
  if (m->stages->release)
    m->stages->release (m->state);
  device_release (dev, m->work.tiles);
  device_release (dev, m->work.fragments);
  device_release (dev, m->work.parents);
  device_release (dev, m->work.sums);
  device_release (dev, m->work.overflow);
  device_release (dev, m->work.roots);
  device_release (dev, m->work.counters);
  device_release (dev, m->work.texels);
  device_release (dev, (void *) m->work.windows);
  device_release (dev, m->history);
  device_release_pinned (dev, m->work.result);
  device_release_pinned (dev, m->windows);
  device_release_pinned (dev, m->row);
  moct_tables_free (m->tables);
  moct_tracks_free (m->tracks);
  free (m->objects);
  free (m);
}

static const char *
check_params (const Moct *m, const MoctParams *p, const Image *frame)
{
  if (p->n_colours < 0 || p->n_colours > MOCT_MAX_COLOURS)
    return "there can be at most 1024 colours";
  if (p->max_objects < 1 || p->max_objects > MOCT_MAX_OBJECTS)
    return "max-objects must be 1 to 64";
  if (p->merge_distance < 0 || p->merge_distance > 64)
    return "merge-distance must be 0 to 64";
  if (p->method == MOCT_PYRAMID && p->reduction_factor < 2)
    return "reduction-factor must be at least 2";
  if ((frame->width + MOCT_TILE - 1) / MOCT_TILE != m->work.tiles_x ||
      (frame->height + MOCT_TILE - 1) / MOCT_TILE != m->work.tiles_y)
    return "the frame has another size than was announced";
  return NULL;
}

/* Uploads the windows where they have changed. */
static const char *
set_windows (Moct *m, const MoctParams *p)
{
  bool changed = !m->windows_known;

  for (int k = 0; k < p->n_colours; k++) {
    ImageBox box = p->blobs && p->method == MOCT_FUSED
        ? p->region
        : moct_tracks_window (m->tracks, p, k);

    changed |= memcmp (&box, &m->windows[k], sizeof box) != 0;
    m->windows[k] = box;
  }
  if (!changed)
    return NULL;
  m->windows_known = true;
  return device_copy (&m->device, (void *) m->work.windows, m->windows,
      p->n_colours * sizeof *m->windows);
}

static void
set_work (Moct *m, const MoctParams *p, const Image *frame)
{
  MoctWork *w = &m->work;

  w->frame = *frame;
  w->n_colours = p->n_colours;
  w->blobs = p->blobs;
  w->merge_distance = p->merge_distance;
  w->min_area = p->min_area;
  w->max_area = p->max_area;
  w->layout = p->layout;
  w->reduction_factor = p->reduction_factor;
}

static const char *
alloc_texels (Moct *m, const MoctParams *p)
{
  size_t n = p->method == MOCT_PYRAMID ? moct_pyramid_texels (&m->work)
                                       : moct_per_object_texels (&m->work);

  if (n <= m->work.max_texels)
    return NULL;
  device_release (&m->device, m->work.texels);
  m->work.texels = NULL;
  m->work.max_texels = 0;
  TRY (device_alloc (
      &m->device, (void **) &m->work.texels, n * sizeof *m->work.texels));
  m->work.max_texels = n;
  return NULL;
}

static const char *
queue_method (Moct *m, const MoctParams *p)
{
  if (p->method == MOCT_FUSED)
    return m->stages->fused (&m->device, &m->work, &m->state);
  TRY (alloc_texels (m, p));
  return p->method == MOCT_PYRAMID
      ? m->stages->pyramid (&m->device, &m->work)
      : m->stages->per_object (&m->device, &m->work);
}

const char *
moct_queue (Moct *m, const MoctParams *params, const Image *frame)
{
  TRY (check_params (m, params, frame));
  set_work (m, params, frame);
  TRY (moct_tables_get (m->tables, params, frame, &m->work.table));
  TRY (set_windows (m, params));
  return queue_method (m, params);
}

/* Waits for the sums; the first frame that needs more room for fragments than
 * there is gets it, and is run again. */
static const char *
wait_for_result (Moct *m, const MoctParams *p)
{
  TRY (device_wait (&m->device));
  if (m->work.result->n_overflow <= (uint32_t) m->work.max_overflow)
    return NULL;
  TRY (alloc_overflow (m, 2 * (int) m->work.result->n_overflow));
  TRY (queue_method (m, p));
  return device_wait (&m->device);
}

/* Appends this frame's row to the trajectory history (section 3.5).  Nobody
 * waits for it: the next frame's work is queued behind it. */
static const char *
append_history (Moct *m)
{
  int n;

  if (!m->history)
    return NULL;
  n = moct_tracks_points (m->tracks, m->row);
  TRY (
      device_copy (&m->device, m->history + (size_t) m->history_at * MAX_TRACKS,
          m->row, n * sizeof *m->row));
  m->history_at = (m->history_at + 1) % m->history_length;
  if (m->history_n < m->history_length)
    m->history_n++;
  return NULL;
}

const char *
moct_run (Moct *m, const MoctParams *params, const Image *frame, double dt,
    const MoctObject **objects, int *n_objects)
{
  *objects = m->objects;
  *n_objects = 0;
  if (!params->n_colours)
    return NULL;
  TRY (moct_queue (m, params, frame));
  TRY (wait_for_result (m, params));
  moct_sort_blobs (m->work.result->blobs, (int) m->work.result->n_blobs);
  *n_objects = moct_tracks_step (m->tracks, params, m->work.result->blobs,
      (int) m->work.result->n_blobs, dt, m->objects);
  return append_history (m);
}

const char *
moct_reset (Moct *m)
{
  moct_tracks_reset (m->tracks);
  m->history_at = m->history_n = 0;
  return NULL;
}

const char *
moct_labels (Moct *m, const MoctParams *params, const Image *frame,
    uint16_t *labels, size_t stride)
{
  TRY (check_params (m, params, frame));
  set_work (m, params, frame);
  TRY (moct_tables_get (m->tables, params, frame, &m->work.table));
  return m->stages->labels (&m->device, &m->work, labels, stride);
}

/* Copies column @track of @rows rows of the ring from @first on. */
static const char *
copy_column (Moct *m, int track, int first, int rows, MoctPoint *points)
{
  int before_end = m->history_length - first;
  int n = rows < before_end ? rows : before_end;
  size_t stride = MAX_TRACKS * sizeof *points;

  TRY (device_copy_rows (&m->device, points, sizeof *points,
      m->history + (size_t) first * MAX_TRACKS + track, stride, sizeof *points,
      n));
  return rows == n ? NULL
                   : device_copy_rows (&m->device, points + n, sizeof *points,
                         m->history + track, stride, sizeof *points, rows - n);
}

const char *
moct_trajectories (Moct *m, const MoctObject *objects, int n_objects, int max,
    MoctPoint *points, int *counts)
{
  int rows = m->history_n < max ? m->history_n : max;
  int first = m->history_at - rows;

  first += first < 0 ? m->history_length : 0;
  for (int i = 0; i < n_objects && rows; i++)
    TRY (copy_column (
        m, objects[i].track, first, rows, points + (size_t) i * max));
  TRY (device_wait (&m->device));
  for (int i = 0; i < n_objects; i++) {
    MoctPoint *p = points + (size_t) i * max;

    counts[i] = 0;
    for (int k = 0; k < rows; k++)
      if (p[k].id == (uint32_t) objects[i].id)
        p[counts[i]++] = p[k];
  }
  return NULL;
}

const char *
moct_learn (Moct *m, const Image *frame, ImageBox region, MoctColour *colour)
{
  return moct_learn_from (&m->device, frame, region, colour);
}
