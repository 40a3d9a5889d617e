/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First step of the fused method: the fragments of every tile, tile rows in
 * parallel. */
#include <string.h>

#include "common/parallel.h"
#include "moct/moct_cpu.h"

/* Fragments of one tile while it is read. */
typedef struct {
  int n;
  uint16_t cls[MOCT_TILE * MOCT_TILE];
  MoctFragment fragment[MOCT_TILE * MOCT_TILE];
} Tile;

static MoctFragment *
fragment_of (Tile *tile, uint16_t cls)
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

/* Bit i: the chroma of pixels x0 + 2 i and x0 + 2 i + 1 occurs in a class. */
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
add_runs (
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
      moct_fragment_add_row (fragment_of (tile, cls),
          ((1u << (to - from)) - 1) << from, (unsigned) y % MOCT_TILE);
  }
}

/* The classes of @n pixels from @x0 on, of those whose pair is a candidate. */
static void
classify (const MoctTable *t, const ImageRow *row, int x0, int n,
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

/* The same where two pixels share their chroma, which is read once. */
static void
classify_pairs (const MoctTable *t, const ImageRow *row, int x0, int n,
    unsigned pairs, uint16_t *ids)
{
  const uint8_t *y = row->c0 + x0 * row->step0;
  const uint8_t *u = row->c1 + (x0 >> 1) * row->step;
  const uint8_t *v = row->c2 + (x0 >> 1) * row->step;

  for (; pairs; pairs &= pairs - 1) {
    int i = moct_lowest_bit (pairs), x = 2 * i;
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
      classify (&w->table, &row, x0, n, pairs, ids);
    add_runs (w, tile, ids, x0, n, y);
  }
}

/* Puts what was read into the tile's slots, the rest into the overflow. */
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
read_rows_of_tiles (void *data, int begin, int end)
{
  const MoctWork *w = data;
  Tile tile;

  for (int ty = begin; ty < end; ty++)
    for (int tx = 0; tx < w->tiles_x; tx++) {
      read_tile (w, &tile, tx, ty);
      write_tile (w, &tile, ty * w->tiles_x + tx);
    }
}

void
moct_read_tiles_cpu (const MoctWork *w)
{
  parallel_for (w->tiles_y, 1, read_rows_of_tiles, (void *) w);
}
