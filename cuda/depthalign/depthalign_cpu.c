/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Alignment as loops.  The target is itself the buffer of depths: 65536 less a
 * depth in 16 bits, which is the negative depth.  A stripe is some rows of
 * cells.  Every second stripe is drawn at the same time as others, and then the
 * stripes between them, unless two stripes of one time may cover the same rows
 * of the target. */
#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "common/parallel.h"
#include "common/vectors.h"
#include "depthalign/depthalign_core.h"

#define STRIPE 32 /* rows of cells */

typedef struct {
  const DepthalignFrame *f;
  DepthalignScratch *s;
  atomic_uint measured, ahead, landed;
  int first; /* the first of every second stripe */
} Alignment;

static uint16_t *
target_row (const DepthalignFrame *f, int y)
{
  return f->target + y * f->target_stride;
}

/* ---- Points ---- */

INLINED void
project_pixel (const DepthalignFrame *f, const DepthalignScratch *s, size_t at,
    uint16_t depth)
{
  DepthalignPoint p = depthalign_point (
      f, f->ray[0][at], f->ray[1][at], f->ray[2][at], (float) depth);

  s->x[at] = p.x;
  s->y[at] = p.y;
  s->z[at] = p.z;
}

/* Sets the points of row @v. */
VECTORS_WHOLE static void
project_depth_row (
    const DepthalignFrame *frame, const DepthalignScratch *scratch, int v)
{
  const DepthalignFrame f = *frame;
  const DepthalignScratch s = *scratch;
  size_t at = (size_t) v * (size_t) f.width;
  const uint16_t *depth = f.depth + v * f.stride;

#pragma omp simd
  for (int u = 0; u < f.width; u++)
    project_pixel (&f, &s, at + (size_t) u, depth[u]);
}

/* Counts the pixels of row @v in @counts; @reach becomes the positions of its
 * points. */
VECTORS_WHOLE static void
count_depth_row (const DepthalignFrame *f, const DepthalignScratch *s, int v,
    DepthalignCounts *counts, ImageBox *reach)
{
  size_t at = (size_t) v * (size_t) f->width;
  const uint16_t *depth = f->depth + v * f->stride;
  const int *x = s->x + at, *y = s->y + at;
  const float *z = s->z + at, *rz = f->ray[2] + at;
  int measured = 0, ahead = 0, landed = 0, low = INT_MAX, high = INT_MIN;

#pragma omp simd reduction(+ : measured, ahead, landed) \
    reduction(min : low) reduction(max : high)
  for (int u = 0; u < f->width; u++) {
    measured += depth[u] > 0;
    ahead += depthalign_is_ahead (f, rz[u], (float) depth[u]);
    landed += (z[u] > 0) & depthalign_is_inside (f, x[u], y[u]);
    low = z[u] > 0 && y[u] < low ? y[u] : low;
    high = z[u] > 0 && y[u] > high ? y[u] : high;
  }
  counts->measured += (uint32_t) measured;
  counts->ahead += (uint32_t) ahead;
  counts->landed += (uint32_t) landed;
  *reach = (ImageBox){.y0 = low, .y1 = high};
}

static void
project_depth_rows (void *data, int begin, int end)
{
  Alignment *a = data;
  DepthalignCounts counts = {0};

  for (int v = begin; v < end; v++) {
    project_depth_row (a->f, a->s, v);
    count_depth_row (a->f, a->s, v, &counts, &a->s->reach[v]);
  }
  atomic_fetch_add (&a->measured, counts.measured);
  atomic_fetch_add (&a->ahead, counts.ahead);
  atomic_fetch_add (&a->landed, counts.landed);
}

/* ---- Cells ---- */

INLINED void
draw_triangle (
    const DepthalignFrame *f, const ImageBox *box, const DepthalignTriangle *t)
{
  if (t->area <= 0)
    return;
  for (int y = box->y0; y < box->y1; y++) {
    uint16_t *row = target_row (f, y);
    int b, c;

    depthalign_weights (t, box->x0, y, &b, &c);
    for (int x = box->x0; x < box->x1; x++) {
      uint16_t word = (uint16_t) depthalign_word (t, b, c);

      row[x] = word > row[x] ? word : row[x];
      b += DEPTHALIGN_PART * t->cy;
      c -= DEPTHALIGN_PART * t->by;
    }
  }
}

INLINED void
draw_cell (const DepthalignFrame *f, const DepthalignCell *cell)
{
  ImageBox box = depthalign_bounds (f, cell);

  if (box.x0 >= box.x1 || box.y0 >= box.y1)
    return;
  for (int half = 0; half < 2; half++) {
    DepthalignTriangle t = depthalign_triangle (cell, half);

    draw_triangle (f, &box, &t);
  }
}

static void
draw_torn_cell (const DepthalignFrame *f, const DepthalignCell *cell,
    const int depth[4], size_t at)
{
  for (int i = 0; i < 4; i++)
    if (cell->corner[i].z > 0) {
      DepthalignCell quarter = depthalign_quarter (f, at, i, depth, cell);

      draw_cell (f, &quarter);
    }
}

INLINED DepthalignPoint
point_of_pixel (const DepthalignScratch *s, size_t at)
{
  return (DepthalignPoint){s->x[at], s->y[at], s->z[at]};
}

/* Draws the cells whose first pixels are in row @v. */
static void
draw_cell_row (const DepthalignFrame *f, const DepthalignScratch *s, int v)
{
  const uint16_t *depth = f->depth + v * f->stride;
  size_t width = (size_t) f->width, at = (size_t) v * width;

  for (int u = 0; u + 1 < f->width; u++, at++) {
    int d[4] = {
        depth[u], depth[u + 1], depth[u + f->stride], depth[u + f->stride + 1]};
    DepthalignCell cell;

    if (!(d[0] | d[1] | d[2] | d[3]))
      continue;
    cell.corner[0] = point_of_pixel (s, at);
    cell.corner[1] = point_of_pixel (s, at + 1);
    cell.corner[2] = point_of_pixel (s, at + width);
    cell.corner[3] = point_of_pixel (s, at + width + 1);
    if (depthalign_is_whole (f->max_step, d))
      draw_cell (f, &cell);
    else
      draw_torn_cell (f, &cell, d, at);
  }
}

static void
draw_stripe (const Alignment *a, int stripe)
{
  const DepthalignFrame *f = a->f;

  for (int v = stripe * STRIPE; v < (stripe + 1) * STRIPE; v++)
    if (v + 1 < f->height)
      draw_cell_row (f, a->s, v);
}

static void
draw_stripes (void *data, int begin, int end)
{
  const Alignment *a = data;

  for (int i = begin; i < end; i++)
    draw_stripe (a, a->first + 2 * i);
}

/* Sets @low and @high to positions between which all cells of a stripe lie; to
 * INT_MAX and INT_MIN if the target sees none of its points. */
static void
reach_of_stripe (const Alignment *a, int stripe, int *low, int *high)
{
  *low = INT_MAX, *high = INT_MIN;
  for (int v = stripe * STRIPE; v <= (stripe + 1) * STRIPE; v++)
    if (v < a->f->height) {
      *low = depthalign_min (*low, a->s->reach[v].y0);
      *high = depthalign_max (*high, a->s->reach[v].y1);
    }
  if (*low <= *high) {
    *low -= a->f->limit;
    *high += a->f->limit;
  }
}

/* Whether no two stripes of @n, every second of which is drawn at one time,
 * cover the same rows: they lie one below the other, in either order. */
static bool
are_stripes_apart (const Alignment *a, int n)
{
  bool down = true, up = true;

  for (int first = 0; first < 2; first++) {
    int top = INT_MAX, bottom = INT_MIN; /* of the stripes so far */

    for (int i = first; i < n; i += 2) {
      int low, high;

      reach_of_stripe (a, i, &low, &high);
      down = down && bottom < low;
      up = up && high < top;
      top = depthalign_min (top, low);
      bottom = depthalign_max (bottom, high);
    }
  }
  return down || up;
}

static void
negate_rows (void *data, int begin, int end)
{
  const Alignment *a = data;

  for (int y = begin; y < end; y++) {
    uint16_t *row = target_row (a->f, y);

    for (int x = 0; x < a->f->target_width; x++)
      row[x] = (uint16_t) -row[x];
  }
}

static const char *
align_cpu (const Device *dev, const DepthalignFrame *f, DepthalignScratch *s)
{
  Alignment a = {.f = f, .s = s};
  int n = (f->height + STRIPE - 2) / STRIPE;

  (void) dev;
  parallel_for (f->height, 16, project_depth_rows, &a);
  for (int y = 0; y < f->target_height; y++)
    memset (target_row (f, y), 0, 2 * (size_t) f->target_width);
  if (are_stripes_apart (&a, n))
    for (a.first = 0; a.first < 2; a.first++)
      parallel_for ((n + 1 - a.first) / 2, 1, draw_stripes, &a);
  else
    for (int i = 0; i < n; i++)
      draw_stripe (&a, i);
  parallel_for (f->target_height, 64, negate_rows, &a);
  *s->count = (DepthalignCounts){a.measured, a.ahead, a.landed};
  return NULL;
}

static const char *
get_memory_cpu (DeviceMemory *memory, DepthalignScratch *s, size_t pixels,
    int height, size_t target_pixels)
{
  (void) target_pixels;
  TRY (memory_get (memory, &s->x, pixels));
  TRY (memory_get (memory, &s->y, pixels));
  TRY (memory_get (memory, &s->z, pixels));
  return memory_get (memory, &s->reach, (size_t) height);
}

const DepthalignStages depthalign_stages_cpu = {get_memory_cpu, align_cpu};
