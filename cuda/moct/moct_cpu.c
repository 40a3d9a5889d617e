/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend: the fused method, the label map, and the table of stages. */
#include <string.h>

#include "common/parallel.h"
#include "moct/moct_cpu.h"

/* ---- Tiles ----
 *
 * The first step of the fused method: the fragments of every tile, with rows of
 * tiles in parallel. */

/* The fragments of the tile that is read. */
typedef struct {
  int n;
  uint16_t cls[MOCT_TILE * MOCT_TILE];
  MoctFragment fragment[MOCT_TILE * MOCT_TILE];
} Tile;

static MoctFragment *
fragment_of_class (Tile *tile, uint16_t cls)
{
  int i = 0;

  while (i < tile->n && tile->cls[i] != cls)
    i++;
  if (i == tile->n) {
    tile->cls[i] = cls;
    memset (&tile->fragment[i], 0, sizeof tile->fragment[i]);
    tile->n++;
  }
  return &tile->fragment[i];
}

/* Bit i: pixels x0 + 2 i and x0 + 2 i + 1 have a chroma that occurs in a
 * class. */
static unsigned
candidate_pairs (const MoctTable *table, const ImageRow *row, int x0, int n)
{
  const uint8_t *c1 = row->c1 + (x0 >> 1) * row->step;
  const uint8_t *c2 = row->c2 + (x0 >> 1) * row->step;
  unsigned pairs = 0;

  for (int i = 0; i < (n + 1) / 2; i++)
    pairs |=
        (unsigned) moct_chroma (table, c1[i * row->step], c2[i * row->step])
        << i;
  return pairs;
}

/* Adds the pixels of one row of a tile, run by run. */
static void
add_row_runs (
    const MoctWork *w, Tile *tile, const uint16_t *ids, int x0, int n, int y)
{
  for (int a = 0, b; a < n; a = b) {
    uint16_t cls = ids[a];
    ImageBox in;
    int from, to;

    for (b = a + 1; b < n && ids[b] == cls; b++)
      continue;
    if (!cls)
      continue;
    in = w->windows[cls - 1];
    from = in.x0 - x0 > a ? in.x0 - x0 : a;
    to = in.x1 - x0 < b ? in.x1 - x0 : b;
    if (from < to && y >= in.y0 && y < in.y1)
      moct_fragment_add_row (fragment_of_class (tile, cls),
          ((1u << (to - from)) - 1) << from, (unsigned) y % MOCT_TILE);
  }
}

/* Classifies the @n pixels from @x0 on whose pair of columns is a candidate. */
static void
classify_row (const MoctTable *t, const ImageRow *row, int x0, int n,
    unsigned pairs, uint16_t *ids)
{
  for (int i = 0; i < n; i++) {
    uint8_t c[3];

    if (!(pairs >> (i >> 1) & 1))
      continue;
    image_row_read (row, x0 + i, c);
    ids[i] = (uint16_t) moct_class (t, moct_stored (c));
  }
}

/* Classifies as above if two pixels share their chroma, which is read once. */
static void
classify_pairs (const MoctTable *t, const ImageRow *row, int x0, int n,
    unsigned pairs, uint16_t *ids)
{
  const uint8_t *y = row->c0 + x0 * row->step0;
  const uint8_t *u = row->c1 + (x0 >> 1) * row->step;
  const uint8_t *v = row->c2 + (x0 >> 1) * row->step;

  for (; pairs; pairs &= pairs - 1) {
    int i = math_lowest_bit (pairs), x = 2 * i;
    uint32_t uv =
        (uint32_t) u[i * row->step] << 8 | (uint32_t) v[i * row->step] << 16;

    ids[x] = (uint16_t) moct_class (t, y[x * row->step0] | uv);
    if (x + 1 < n)
      ids[x + 1] = (uint16_t) moct_class (t, y[(x + 1) * row->step0] | uv);
  }
}

static void
read_tile (const MoctWork *w, Tile *tile, int tx, int ty)
{
  int x0 = tx * MOCT_TILE, y0 = ty * MOCT_TILE;
  int n = w->frame.width - x0 < MOCT_TILE ? w->frame.width - x0 : MOCT_TILE;
  int y1 = y0 + MOCT_TILE < w->frame.height ? y0 + MOCT_TILE : w->frame.height;
  unsigned pairs = 0xff;
  const uint8_t *chroma = NULL;

  tile->n = 0;
  for (int y = y0; y < y1; y++) {
    ImageRow row = image_row (&w->frame, y);
    uint16_t ids[MOCT_TILE] = {0};

    if (row.shift && row.c1 != chroma)
      pairs = candidate_pairs (&w->table, &row, x0, n);
    chroma = row.c1;
    if (!pairs)
      continue;
    if (row.shift)
      classify_pairs (&w->table, &row, x0, n, pairs, ids);
    else
      classify_row (&w->table, &row, x0, n, pairs, ids);
    add_row_runs (w, tile, ids, x0, n, y);
  }
}

/* Writes the fragments into the tile's slots, and the rest into the
 * overflow. */
static void
write_tile (const MoctWork *w, const Tile *from, int index)
{
  MoctTile *tile = &w->tiles[index];

  memset (tile->cls, 0, sizeof tile->cls);
  tile->more = 0;
  for (int i = 0; i < from->n; i++) {
    int at = index * MOCT_SLOTS + i;

    if (i < MOCT_SLOTS) {
      tile->cls[i] = from->cls[i];
    } else {
      int k = (int) __atomic_fetch_add (
          &w->counters[MOCT_OVERFLOW], 1, __ATOMIC_RELAXED);

      if (k >= w->max_overflow)
        continue;
      at = moct_n_slots (w) + k;
      w->overflow[k] =
          (MoctOverflow){(uint32_t) index, from->cls[i], tile->more};
      tile->more = k + 1;
    }
    w->fragments[at] = from->fragment[i];
    w->parents[at] = (uint32_t) at;
  }
}

static void
read_tile_rows (void *data, int begin, int end)
{
  const MoctWork *w = data;
  Tile tile;

  for (int ty = begin; ty < end; ty++)
    for (int tx = 0; tx < w->tiles_x; tx++) {
      read_tile (w, &tile, tx, ty);
      write_tile (w, &tile, ty * w->tiles_x + tx);
    }
}

static void
read_tiles (const MoctWork *w)
{
  parallel_for (w->tiles_y, 1, read_tile_rows, (void *) w);
}

/* ---- Blobs ----
 *
 * The other steps of the fused method: union-find over the fragments, and the
 * sums of blobs. */

static uint32_t
fragment_root (uint32_t *parents, uint32_t i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static void
join_fragments (const MoctWork *w, MoctCursor a, MoctCursor b)
{
  ImageBox box_a = moct_cursor_box (w, a), box_b = moct_cursor_box (w, b);

  if (moct_boxes_near (box_a, box_b, w->merge_distance)) {
    uint32_t i = fragment_root (w->parents, (uint32_t) a.at);
    uint32_t j = fragment_root (w->parents, (uint32_t) b.at);

    w->parents[i < j ? j : i] = i < j ? i : j;
  }
}

static void
join_tile_fragments (const MoctWork *w, int index)
{
  int tx = index % w->tiles_x, ty = index / w->tiles_x;

  for (MoctCursor a = moct_first (w, index); a.cls; a = moct_next (w, a))
    for (int k = 0; k < moct_n_neighbours (w); k++) {
      int other = moct_neighbour (w, tx, ty, k);

      if (other < 0)
        continue;
      for (MoctCursor b = moct_first (w, other); b.cls; b = moct_next (w, b))
        if (a.cls == b.cls)
          join_fragments (w, a, b);
    }
}

/* Calls @visit for every fragment. */
static void
for_each_fragment (
    const MoctWork *w, void (*visit) (const MoctWork *w, MoctCursor c))
{
  for (int tile = 0; tile < w->tiles_x * w->tiles_y; tile++)
    for (MoctCursor c = moct_first (w, tile); c.cls; c = moct_next (w, c))
      visit (w, c);
}

static void
clear_fragment_sum (const MoctWork *w, MoctCursor c)
{
  moct_sum_clear (&w->sums[c.at]);
}

static void
add_fragment_to_root (const MoctWork *w, MoctCursor c)
{
  MoctSum sum = moct_cursor_sum (w, c);

  moct_sum_add (&w->sums[fragment_root (w->parents, (uint32_t) c.at)], &sum);
}

static void
report_root (const MoctWork *w, MoctCursor c)
{
  if (w->parents[c.at] == (uint32_t) c.at)
    moct_report (w, &w->sums[c.at], (int) c.cls);
}

static void
sum_blobs (const MoctWork *w)
{
  for (int tile = 0; tile < w->tiles_x * w->tiles_y; tile++)
    join_tile_fragments (w, tile);
  for_each_fragment (w, clear_fragment_sum);
  for_each_fragment (w, add_fragment_to_root);
  for_each_fragment (w, report_root);
}

static void
add_to_colour (const MoctWork *w, MoctCursor c)
{
  MoctSum sum = moct_cursor_sum (w, c);

  moct_sum_add (&w->colour_sums[c.cls - 1], &sum);
}

static void
sum_colours (const MoctWork *w)
{
  for (int k = 0; k < w->n_colours; k++)
    moct_sum_clear (&w->colour_sums[k]);
  for_each_fragment (w, add_to_colour);
  for (int k = 0; k < w->n_colours; k++)
    moct_report (w, &w->colour_sums[k], k + 1);
}

static const char *
fused_cpu (const Device *dev, const MoctWork *w, void **state)
{
  (void) dev;
  (void) state;
  w->result->n_blobs = 0;
  read_tiles (w);
  w->result->n_overflow = w->counters[MOCT_OVERFLOW];
  w->counters[MOCT_OVERFLOW] = 0;
  if (w->result->n_overflow > (uint32_t) w->max_overflow)
    return NULL;

  if (w->blobs)
    sum_blobs (w);
  else
    sum_colours (w);
  return NULL;
}

typedef struct {
  const MoctWork *w;
  uint16_t *out;
  size_t stride; /* bytes */
} LabelMap;

static void
write_label_rows (void *data, int begin, int end)
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
labels_cpu (const Device *dev, const MoctWork *w, uint16_t *out, size_t stride)
{
  LabelMap map = {w, out, stride};

  (void) dev;
  parallel_for (w->frame.height, 0, write_label_rows, &map);
  return NULL;
}

static const char *
history_cpu (const Device *dev, const MoctHistory *h)
{
  (void) dev;
  for (int row = 0; row < MOCT_HISTORY_ROWS; row++)
    for (int k = 0; k < h->length; k++)
      moct_history_write (h, row, k);
  return NULL;
}

const MoctStages moct_stages_cpu = {fused_cpu, moct_pyramid_cpu,
    moct_per_object_cpu, labels_cpu, history_cpu, NULL};
