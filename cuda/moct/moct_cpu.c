/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's table, the fused method and the label map. */
#include "common/parallel.h"
#include "moct/moct_cpu.h"

static const char *
fused (const Device *dev, const MoctWork *w, void **state)
{
  (void) dev;
  (void) state;
  w->result->n_blobs = 0;
  moct_read_tiles_cpu (w);
  w->result->n_overflow = w->counters[MOCT_OVERFLOW];
  w->counters[MOCT_OVERFLOW] = 0;
  if (w->result->n_overflow > (uint32_t) w->max_overflow)
    return NULL;

  if (w->blobs)
    moct_sum_blobs_cpu (w);
  else
    moct_sum_colours_cpu (w);
  return NULL;
}

typedef struct {
  const MoctWork *w;
  uint16_t *out;
  size_t stride; /* bytes */
} LabelMap;

static void
label_rows (void *data, int begin, int end)
{
  const LabelMap *map = data;
  const MoctWork *w = map->w;

  for (int y = begin; y < end; y++) {
    ImageRow row = image_row (&w->frame, y);
    uint16_t *to = (uint16_t *) ((char *) map->out + (size_t) y * map->stride);
    uint8_t c[3];

    for (int x = 0; x < w->frame.width; x++) {
      image_row_read (&row, x, c);
      to[x] = (uint16_t) moct_class (&w->table, moct_stored (c));
    }
  }
}

static const char *
labels (const Device *dev, const MoctWork *w, uint16_t *out, size_t stride)
{
  LabelMap map = {w, out, stride};

  (void) dev;
  parallel_for (w->frame.height, 0, label_rows, &map);
  return NULL;
}

const MoctStages moct_stages_cpu = {
    fused, moct_pyramid_cpu, moct_per_object_cpu, labels, NULL};
