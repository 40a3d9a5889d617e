/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second step: runs, joined by union-find.  Runs are numbered in raster order,
 * and the root of a tree is its lowest number: the first pixel of the root is
 * the first pixel of the component. */
#include "common/math_core.h"
#include "common/parallel.h"
#include "gpuccl/gpuccl_cpu.h"

/* Word @i of the pixels that begin a run; run_ends () gives the last pixels of
 * runs. */
static uint64_t
run_begins (const uint64_t *foreground, const uint64_t *left, int i)
{
  return foreground[i] & ~left[i];
}

static uint64_t
run_ends (const uint64_t *foreground, const uint64_t *left, int i, int words)
{
  uint64_t next = i + 1 < words ? left[i + 1] << 63 : 0;

  return foreground[i] & ~(left[i] >> 1 | next);
}

/* Finds the numbers of each row's runs, and makes room for the runs. */
static const char *
count_runs (const GpucclWork *w)
{
  GpucclCpu *c = w->state;
  uint32_t n = 0;

  for (int y = 0; y < w->frame.height; y++) {
    const uint64_t *f = gpuccl_bits (c, GPUCCL_FOREGROUND, y);
    const uint64_t *left = gpuccl_bits (c, GPUCCL_LEFT, y);

    c->first[y] = n;
    for (int i = 0; i < c->words; i++)
      n += f[i] ? __builtin_popcountll (run_begins (f, left, i)) : 0;
  }
  c->first[w->frame.height] = n;
  if (n <= c->room)
    return NULL;
  c->room = 0;
  TRY (memory_get (&c->memory, &c->runs, 2 * (size_t) n));
  TRY (memory_get (&c->memory, &c->parents, 2 * (size_t) n));
  c->room = 2 * n;
  return NULL;
}

/* @rays is a constant when this is compiled: the function exists twice, because
 * most runs are short and most frames have a camera. */
static inline void
measure_run_depth (
    const GpucclWork *w, const uint16_t *z, GpucclRun *run, bool rays)
{
  uint32_t sum = z[run->x0], min_z = sum, max_z = sum;
  int32_t min_u = rays ? gpuccl_ray (w->rays.x, run->x0, sum) : 0;
  int32_t max_u = min_u;

  for (int x = run->x0 + 1; x < run->x1; x++) {
    int32_t u = rays ? gpuccl_ray (w->rays.x, x, z[x]) : 0;

    sum += z[x];
    GPUCCL_LOWER (min_z, z[x]);
    GPUCCL_RAISE (max_z, z[x]);
    GPUCCL_LOWER (min_u, u);
    GPUCCL_RAISE (max_u, u);
  }
  run->z = sum;
  run->min_z = (uint16_t) min_z, run->max_z = (uint16_t) max_z;
  run->min_u = min_u, run->max_u = max_u;
}

static void
measure_runs_depth (const GpucclWork *w, int y)
{
  const GpucclCpu *c = w->state;
  const uint16_t *z = gpuccl_depth_row (&w->frame, y);

  if (w->rays.known)
    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++)
      measure_run_depth (w, z, &c->runs[r], true);
  else
    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++)
      measure_run_depth (w, z, &c->runs[r], false);
}

static void
write_row_runs (const GpucclWork *w, int y)
{
  const GpucclCpu *c = w->state;
  const uint64_t *f = gpuccl_bits (c, GPUCCL_FOREGROUND, y);
  const uint64_t *left = gpuccl_bits (c, GPUCCL_LEFT, y);
  GpucclRun *begun, *ended;

  if (c->first[y] == c->first[y + 1]) /* c->runs may be NULL */
    return;
  begun = ended = c->runs + c->first[y];
  for (int i = 0; i < c->words; i++) {
    for (uint64_t b = run_begins (f, left, i); b; b &= b - 1)
      (begun++)->x0 = (uint16_t) (64 * i + math_lowest_bit64 (b));
    for (uint64_t b = run_ends (f, left, i, c->words); b; b &= b - 1)
      (ended++)->x1 = (uint16_t) (64 * i + math_lowest_bit64 (b) + 1);
  }
  for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++)
    c->parents[r] = r;
  if (w->frame.depth)
    measure_runs_depth (w, y);
}

static void
write_run_rows (void *data, int begin, int end)
{
  for (int y = begin; y < end; y++)
    write_row_runs (data, y);
}

const char *
gpuccl_write_runs_cpu (const GpucclWork *w)
{
  TRY (count_runs (w));
  parallel_for (w->frame.height, GPUCCL_STRIP, write_run_rows, (void *) w);
  return NULL;
}

/* Joins the runs @a and @b by Rem's algorithm (Dijkstra, A Discipline of
 * Programming, 1976): both paths are climbed together, each step from the side
 * with the greater parent, and the run that it leaves gets the lower parent.
 * Mostly the parents are equal at once. */
static void
join_two_runs (uint32_t *parents, uint32_t a, uint32_t b)
{
  uint32_t p = parents[a], q = parents[b];

  while (p != q) {
    if (p < q) {
      uint32_t t = p;

      p = q, q = t;
      t = a, a = b, b = t;
    }
    parents[a] = q;
    if (a == p)
      return;
    a = p;
    p = parents[a];
  }
}

/* Joins the runs of row @y to those of the row above, by one plane of links. */
static void
join_link_plane (const GpucclCpu *c, int y, int plane, int dx)
{
  const uint64_t *up = gpuccl_bits (c, plane, y);
  uint32_t a = c->first[y], b = c->first[y - 1];

  for (int i = 0; i < c->words; i++)
    for (uint64_t bits = up[i]; bits; bits &= bits - 1) {
      int x = 64 * i + math_lowest_bit64 (bits);

      while (c->runs[a].x1 <= x)
        a++;
      while (c->runs[b].x1 <= x + dx)
        b++;
      join_two_runs (c->parents, a, b);
    }
}

static void
join_row_runs (const GpucclWork *w, int y)
{
  join_link_plane (w->state, y, GPUCCL_UP, 0);
  if (w->connectivity == 4)
    return;
  join_link_plane (w->state, y, GPUCCL_UP_LEFT, -1);
  join_link_plane (w->state, y, GPUCCL_UP_RIGHT, 1);
}

static void
join_strip_runs (void *data, int begin, int end)
{
  const GpucclWork *w = data;

  for (int y = begin * GPUCCL_STRIP;
       y < w->frame.height && y < end * GPUCCL_STRIP; y++)
    if (y % GPUCCL_STRIP)
      join_row_runs (w, y);
}

/* Joins the runs of each strip, whose trees do not meet; then the rows between
 * strips. */
void
gpuccl_join_runs_cpu (const GpucclWork *w)
{
  parallel_for (gpuccl_strips (w), 1, join_strip_runs, (void *) w);
  for (int y = GPUCCL_STRIP; y < w->frame.height; y += GPUCCL_STRIP)
    join_row_runs (w, y);
}
