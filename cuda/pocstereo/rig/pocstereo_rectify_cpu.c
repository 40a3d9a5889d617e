/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectification as loops.  Each pixel is read some 16 times, so a frame is
 * first copied as grey. */
#include "common/parallel.h"
#include "pocstereo/rig/pocstereo_picture_core.h"

/* With fewer rows threads cost more than they save. */
#define FEW 64

static void
for_frame_rows (int height, ParallelBody body, const void *data)
{
  parallel_for (height, height > FEW ? 0 : height, body, (void *) data);
}

/* @kind is a constant, so the compiler takes its test out of the loop. */
static inline void
copy_grey_row (
    const PocstereoGrey *g, PocstereoGreyKind kind, int y, uint16_t *to)
{
  PocstereoGrey row = *g;

  row.kind = kind;
  for (int x = 0; x < row.width; x++)
    to[x] = (uint16_t) pocstereo_grey_at (&row, x, y);
}

typedef struct {
  const PocstereoGrey *from;
  uint16_t *to;
  int stride;
} Copy;

static void
copy_grey_rows (void *data, int begin, int end)
{
  const Copy *c = data;
  const PocstereoGrey *g = c->from;

  for (int y = begin; y < end; y++) {
    uint16_t *row = c->to + (size_t) y * c->stride;

    if (g->kind == POCSTEREO_BYTES)
      copy_grey_row (g, POCSTEREO_BYTES, y, row);
    else if (g->kind == POCSTEREO_WORDS)
      copy_grey_row (g, POCSTEREO_WORDS, y, row);
    else
      copy_grey_row (g, POCSTEREO_COLOURS, y, row);
  }
}

static void
copy_grey_frame (const PocstereoGrey *g, uint16_t *to, int stride)
{
  Copy c = {g, to, stride};

  for_frame_rows (g->height, copy_grey_rows, &c);
}

/* pocstereo_grey_between (), faster for places whose pixels all lie inside. */
static inline uint16_t
sample_plane (const PocstereoGrey *g, PocstereoPosition p)
{
  int x = (p.x >> POCSTEREO_MAP_BITS) - 1, y = (p.y >> POCSTEREO_MAP_BITS) - 1;
  const uint16_t *from;
  int samples[16];

  if (x < 0 || y < 0 || x > g->width - 4 || y > g->height - 4)
    return pocstereo_grey_between (g, p);
  from = (const uint16_t *) g->c[0] + (size_t) y * g->width + x;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++)
      samples[4 * k + i] = from[k * g->width + i];
  return pocstereo_weigh_samples (samples, p);
}

typedef struct {
  PocstereoGrey from;
  const PocstereoPosition *map;
  uint16_t *to;
  int stride;
} Sampling;

static void
sample_plane_rows (void *data, int begin, int end)
{
  const Sampling *s = data;
  int width = s->from.width;

  for (int y = begin; y < end; y++) {
    const PocstereoPosition *map = s->map + (size_t) y * width;
    uint16_t *row = s->to + (size_t) y * s->stride;

    for (int x = 0; x < width; x++)
      row[x] = sample_plane (&s->from, map[x]);
  }
}

static const char *
rectify_cpu (const Device *dev, const PocstereoGreys *frames,
    const PocstereoMaps *maps, PocstereoPlanes *planes,
    PocstereoPlanes *samples)
{
  const PocstereoPlanes *copies = maps ? planes : samples;

  (void) dev;
  for (int i = 0; i < 2; i++)
    copy_grey_frame (&frames->grey[i], copies->view[i], copies->stride);
  for (int i = 0; i < 2 && maps; i++) {
    Sampling s = {pocstereo_grey_of_plane (frames, planes, i), maps->view[i],
        samples->view[i], samples->stride};

    for_frame_rows (s.from.height, sample_plane_rows, &s);
  }
  return NULL;
}

static void
paint_picture_rows (void *data, int begin, int end)
{
  const PocstereoPicture *p = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < p->from.width; x++)
      pocstereo_paint_pixel (p, x, y);
}

static const char *
paint_picture_cpu (const Device *dev, const PocstereoPicture *p)
{
  (void) dev;
  for_frame_rows (p->from.height, paint_picture_rows, p);
  return NULL;
}

const PocstereoRectifyStages pocstereo_rectify_stages_cpu = {
    rectify_cpu, paint_picture_cpu};
