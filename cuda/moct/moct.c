/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the steps, and their memory: classification table, sums of the
 * frame, tracks, trajectory history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "moct/moct_cpu.h"
#include "moct/moct_filter.h"
#include "moct/moct_table.h"
#include "moct/moct_track.h"

/* The most tracks at a time, of all colours together. */
#define MAX_TRACKS 4096

struct _Moct {
  Device device;
  DeviceMemory memory;
  const MoctStages *stages;
  void *state; /* state of stages->fused */
  MoctWork work;
  MoctTables *tables;

  ImageBox *windows; /* pinned; work.windows is the device's copy */
  bool windows_known;

  MoctTracks *tracks;
  MoctObject *objects;

  MoctPoint *row, *history; /* pinned row; device ring of rows */
  int history_length, history_at, history_n;
};

/* ---- Memory of the methods ----
 *
 * All of it belongs to @memory. */

/* Makes room for @max overflow fragments. */
static const char *
grow_fragments (MoctWork *w, DeviceMemory *memory, int max)
{
  size_t n = (size_t) moct_n_slots (w) + max;
  size_t blobs = n > MOCT_MAX_COLOURS ? n : MOCT_MAX_COLOURS;

  memory_release (memory, &w->result); /* stays NULL if the rest finds no
                                          memory */
  TRY (memory_get (memory, &w->fragments, n));
  TRY (memory_get (memory, &w->parents, n));
  TRY (memory_get (memory, &w->sums, n));
  TRY (memory_get (memory, &w->parts, n));
  TRY (memory_get (memory, &w->overflow, max));
  TRY (memory_get_bytes (memory, (void **) &w->result, 1,
      sizeof *w->result + blobs * sizeof w->result->blobs[0], true));
  w->max_overflow = max;
  return NULL;
}

/* Makes room for frames of @width x @height pixels; @w must be all zeros. */
static const char *
open_memory (MoctWork *w, DeviceMemory *memory, int width, int height)
{
  size_t tiles;

  w->tiles_x = (width + MOCT_TILE - 1) / MOCT_TILE;
  w->tiles_y = (height + MOCT_TILE - 1) / MOCT_TILE;
  tiles = (size_t) w->tiles_x * w->tiles_y;
  TRY (memory_get (memory, &w->tiles, tiles));
  TRY (memory_get (memory, &w->colour_sums, MOCT_MAX_COLOURS));
  TRY (memory_get (memory, &w->counters, MOCT_N_COUNTERS));
  TRY (memory_get (memory, &w->share, 1));
  TRY (memory_get (memory, &w->windows, MOCT_MAX_COLOURS));
  return grow_fragments (w, memory, (int) tiles);
}

/* Makes room for the words of all colours, if the fused method needs them. */
static const char *
grow_words (MoctWork *w, DeviceMemory *memory)
{
  size_t n = (size_t) w->n_colours * moct_n_words (w);

  if (memory->device->kind == DEVICE_CPU || !w->blobs || n <= w->max_words)
    return NULL;
  w->max_words = 0;
  TRY (memory_get (memory, &w->bits, n));
  TRY (memory_get (memory, &w->before, 3 * n));
  w->max_words = n;
  return NULL;
}

/* Makes room for the texels of @method, if it needs any. */
static const char *
grow_texels (MoctWork *w, DeviceMemory *memory, MoctMethod method)
{
  size_t n = moct_texels (w, method);

  if (n <= w->max_texels)
    return NULL;
  w->max_texels = 0;
  TRY (memory_get (memory, &w->texels, n));
  w->max_texels = n;
  return NULL;
}

/* ---- Moct ---- */

static const char *
alloc_work (Moct *m, int width, int height, int history_length)
{
  m->tracks = moct_tracks_new (MAX_TRACKS);
  m->objects = calloc (MAX_TRACKS, sizeof *m->objects);
  if (!m->tracks || !m->objects)
    return OUT_OF_MEMORY (MAX_TRACKS * sizeof *m->objects, "");
  TRY (moct_tables_new (&m->tables, &m->device));
  TRY (open_memory (&m->work, &m->memory, width, height));
  TRY (memory_get_pinned (&m->memory, &m->windows, MOCT_MAX_COLOURS));
  if (!history_length)
    return NULL;
  m->history_length = history_length;
  TRY (memory_get_pinned (&m->memory, &m->row, MAX_TRACKS));
  return memory_get (
      &m->memory, &m->history, (size_t) history_length * MAX_TRACKS);
}

const char *
moct_new (Moct **self, const Device *device, int width, int height,
    int history_length)
{
  Moct *m = calloc (1, sizeof *m);

  *self = m;
  if (!m)
    return OUT_OF_MEMORY (sizeof *m, "");
  m->device = *device;
  memory_open (&m->memory, &m->device);
  m->stages = STAGES (moct, device);
  if (width < 1 || height < 1 || width > MOCT_MAX_SIDE ||
      height > MOCT_MAX_SIDE)
    return "the frame's sides must be 1 to 32768 pixels";
  if (history_length < 0)
    return "the history length is negative";
  return alloc_work (m, width, height, history_length);
}

void
moct_free (Moct *m)
{
  if (!m)
    return;
  device_wait (&m->device); /* the device may still use the memory */
  if (m->stages->release)
    m->stages->release (m->state);
  memory_free (&m->memory);
  moct_tables_free (m->tables);
  moct_tracks_free (m->tracks);
  free (m->objects);
  free (m);
}

static const char *
check_moct_params (const Moct *m, const MoctParams *p, const Image *frame)
{
  if (!m->work.result)
    return "memory ran out in an earlier frame; start again";
  if (p->n_colours < 0 || p->n_colours > MOCT_MAX_COLOURS)
    return "there can be at most 1024 colours";
  TRY (params_check (moct_params, p));
  if ((frame->width + MOCT_TILE - 1) / MOCT_TILE != m->work.tiles_x ||
      (frame->height + MOCT_TILE - 1) / MOCT_TILE != m->work.tiles_y)
    return "the frame has another size than was announced";
  return NULL;
}

static bool
covers_frame (const ImageBox *box, const Image *frame)
{
  return box->x0 <= 0 && box->y0 <= 0 && box->x1 >= frame->width &&
      box->y1 >= frame->height;
}

/* The part of @box that lies in @frame.  The sides of a region may be any
 * numbers, and stages subtract them. */
static ImageBox
box_in_frame (ImageBox box, const Image *frame)
{
  box.x0 = box.x0 > 0 ? box.x0 : 0;
  box.y0 = box.y0 > 0 ? box.y0 : 0;
  box.x1 = box.x1 < frame->width ? box.x1 : frame->width;
  box.y1 = box.y1 < frame->height ? box.y1 : frame->height;
  if (box.x0 >= box.x1 || box.y0 >= box.y1)
    box = (ImageBox){0, 0, 0, 0};
  return box;
}

/* Uploads the windows if one has changed. */
static const char *
set_windows (Moct *m, const MoctParams *p, const Image *frame)
{
  bool by_track = !p->blobs || p->method != MOCT_FUSED;
  bool changed = !m->windows_known;

  m->work.windowed = false;
  for (int k = 0; k < p->n_colours; k++) {
    ImageBox box = box_in_frame (
        by_track ? moct_tracks_window (m->tracks, p, k) : p->region, frame);

    changed |= memcmp (&box, &m->windows[k], sizeof box) != 0;
    m->windows[k] = box;
    m->work.windowed |= !covers_frame (&box, frame);
  }
  if (!changed)
    return NULL;
  m->windows_known = false; /* until the device has the new windows */
  TRY (device_copy (&m->device, m->work.windows, m->windows,
      p->n_colours * sizeof *m->windows));
  m->windows_known = true;
  return NULL;
}

/* Copies the params that kernels read.  A change of the work makes the CUDA
 * graph anew; a change of other params does not. */
static void
set_work_params (Moct *m, const MoctParams *p, const Image *frame)
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
queue_method (Moct *m, const MoctParams *p)
{
  if (p->method == MOCT_FUSED) {
    TRY (grow_words (&m->work, &m->memory));
    return m->stages->fused (&m->device, &m->work, &m->state);
  }
  TRY (grow_texels (&m->work, &m->memory, p->method));
  return p->method == MOCT_PYRAMID
      ? m->stages->pyramid (&m->device, &m->work)
      : m->stages->per_object (&m->device, &m->work);
}

const char *
moct_queue (Moct *m, const MoctParams *params, const Image *frame)
{
  TRY (check_moct_params (m, params, frame));
  set_work_params (m, params, frame);
  TRY (moct_tables_get (m->tables, params, frame, &m->work.table));
  TRY (set_windows (m, params, frame));
  return queue_method (m, params);
}

/* Waits for the sums.  If the frame has more fragments than there is room for,
 * enlarges the room and runs the frame again. */
static const char *
wait_for_result (Moct *m, const MoctParams *p)
{
  TRY (device_wait (&m->device));
  if (m->work.result->n_overflow <= (uint32_t) m->work.max_overflow)
    return NULL;
  TRY (grow_fragments (
      &m->work, &m->memory, 2 * (int) m->work.result->n_overflow));
  TRY (queue_method (m, p));
  return device_wait (&m->device);
}

/* Appends this frame's row to the trajectory history (section 3.5).  The host
 * does not wait: the next frame's work is queued behind the row. */
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

/* Whether the blob's shape is within the limits of @p.  A half hidden object
 * may have any shape, so the default limits allow every shape. */
static bool
has_shape (const MoctParams *p, const MoctSum *s)
{
  double w = s->box.x1 - s->box.x0, h = s->box.y1 - s->box.y0;
  double orientation, elongation;

  if ((p->max_side_ratio > 0 &&
          fmax (w, h) > p->max_side_ratio * fmin (w, h)) ||
      (double) s->n < p->min_fill * w * h)
    return false;
  moct_sum_shape (s, &orientation, &elongation);
  return elongation * p->min_roundness <= 1 + 1e-9;
}

static void
filter_shapes (const MoctParams *p, MoctResult *r)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < r->n_blobs; i++)
    if (has_shape (p, &r->blobs[i].sum))
      r->blobs[n++] = r->blobs[i];
  r->n_blobs = n;
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
  filter_shapes (params, m->work.result);
  moct_sort_blobs (m->work.result->blobs, (int) m->work.result->n_blobs);
  *n_objects = moct_tracks_step (m->tracks, params, m->work.result->blobs,
      (int) m->work.result->n_blobs, dt, m->objects);
  return append_history (m);
}

void
moct_reset (Moct *m)
{
  moct_tracks_reset (m->tracks);
  m->history_at = m->history_n = 0;
}

void
moct_renumber (Moct *m, const int *now, int n)
{
  moct_tracks_renumber (m->tracks, now, n);
}

const char *
moct_labels (Moct *m, const MoctParams *params, const Image *frame,
    uint16_t *labels, size_t stride)
{
  TRY (check_moct_params (m, params, frame));
  set_work_params (m, params, frame);
  TRY (moct_tables_get (m->tables, params, frame, &m->work.table));
  return m->stages->labels (&m->device, &m->work, labels, stride);
}

/* Copies column @track of @rows rows of the ring, beginning with row @first. */
static const char *
copy_track_column (Moct *m, int track, int first, int rows, MoctPoint *points)
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
    TRY (copy_track_column (
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
moct_history (Moct *m, const MoctObject *objects, int n_objects, float *map,
    size_t stride)
{
  MoctHistory h = {.ring = m->history,
      .room = MAX_TRACKS,
      .length = m->history_length,
      .at = m->history_at,
      .n = m->history_n,
      .now = moct_tracks_time (m->tracks),
      .n_objects =
          n_objects < MOCT_HISTORY_ROWS ? n_objects : MOCT_HISTORY_ROWS,
      .map = map,
      .stride = stride};

  for (int i = 0; i < h.n_objects; i++) {
    h.track[i] = objects[i].track;
    h.id[i] = (uint32_t) objects[i].id;
  }
  return m->stages->history (&m->device, &h);
}

const char *
moct_learn (Moct *m, const Image *frame, const MoctDrag *drag,
    MoctLesson **lesson, MoctColour *colour, MoctLearned *learned)
{
  return moct_learn_from (&m->device, frame, drag, lesson, colour, learned);
}
