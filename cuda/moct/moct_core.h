/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The data of the stages of MOCT, the order in which they visit fragments, and
 * the table of stages.  The mathematics is in moct_sums_core.h and
 * paper/pyramid_core.h. */
#pragma once

#include <math.h>

#include "moct/moct.h"
#include "moct/moct_sums_core.h"

/* The sums of a colour or of a blob. */
typedef struct {
  MoctSum sum;
  int cls; /* 1 + index of the colour */
  int unused;
} MoctBlob;

/* In pinned memory; the host reads it when the device has finished. */
typedef struct {
  uint32_t n_blobs;
  uint32_t n_overflow; /* number of overflow fragments that the frame needed */
  MoctBlob blobs[1];   /* with room for as many blobs as fragments */
} MoctResult;

/* A fragment of a colour, in the list of that colour's fragments. */
typedef struct {
  uint32_t tile;   /* column, and row << 16 */
  uint32_t extent; /* as in MoctFragment; later, in the part of a root, the
                      number of the blob */
} MoctPart;

/* A colour whose words several blocks share. */
typedef struct {
  uint32_t cls;  /* 1 + index; 0: not announced yet */
  uint32_t from; /* number of the colour's first fragment */
  uint32_t next; /* the first word that no warp has taken */
  uint32_t done; /* words */
  uint32_t n_runs;
} MoctLarge;

#define MOCT_MAX_LARGE 30 /* the most colours that are shared */

typedef struct {
  uint32_t n_counted; /* number of colours whose fragments are counted */
  uint32_t n_large;   /* among them */
  MoctLarge large[MOCT_MAX_LARGE];
} MoctShare;

/* The work of all stages.  Pointers are to device memory, unless a comment says
 * otherwise. */
typedef struct {
  Image frame;
  MoctTable table;
  ImageBox *windows; /* of each colour; pixels outside of a colour's window do
                        not count for it */
  bool windowed;     /* some window is smaller than the frame */
  bool blobs;
  int n_colours;
  int merge_distance;
  unsigned long long min_area, max_area;
  MoctLayout layout;
  int reduction_factor;

  int tiles_x, tiles_y;
  MoctTile *tiles;
  MoctFragment *fragments; /* MOCT_SLOTS for each tile, then the overflow */
  MoctOverflow *overflow;
  int max_overflow;
  uint32_t *parents;    /* of fragments, for union-find; a root is the smallest
                           number */
  MoctSum *sums;        /* of blobs; on the CPU a blob's sum is at its root */
  MoctSum *colour_sums; /* used if no blobs are wanted */
  /* used on the GPU, which joins fragments colour by colour: */
  uint32_t *bits;     /* [colour][moct_n_words ()], 0 between frames */
  uint32_t *before;   /* fragments before each word; room for three numbers a
                         word */
  size_t max_words;   /* room in bits and before, words */
  MoctPart *parts;    /* of colours with many fragments; parents and sums belong
                         to them */
  MoctShare *share;   /* zero before the blobs' kernel starts */
  uint32_t *counters; /* MOCT_N_COUNTERS, zero between frames */
  MoctResult *result; /* pinned */
  MoctSum *texels;    /* two levels of the pyramid, in turn */
  size_t max_texels;
} MoctWork;

/* Indices of counters.  One atomic addition counts MOCT_DONE and MOCT_REPORTED
 * as one 64-bit number. */
enum { MOCT_DONE, MOCT_REPORTED, MOCT_OVERFLOW, MOCT_USED, MOCT_N_COUNTERS };

/* ---- Visiting fragments ---- */

BOTH int
moct_n_slots (const MoctWork *w)
{
  return w->tiles_x * w->tiles_y * MOCT_SLOTS;
}

typedef struct {
  int tile, at; /* at: index of the fragment */
  unsigned cls; /* 0: the tile has no more fragments */
} MoctCursor;

BOTH MoctCursor
moct_at_overflow (const MoctWork *w, int tile, int more)
{
  MoctCursor c = {tile, moct_n_slots (w) + more - 1, 0};

  if (more)
    c.cls = w->overflow[more - 1].cls;
  return c;
}

BOTH MoctCursor
moct_first (const MoctWork *w, int tile)
{
  MoctCursor c = {tile, tile * MOCT_SLOTS, w->tiles[tile].cls[0]};

  return c;
}

BOTH MoctCursor
moct_next (const MoctWork *w, MoctCursor c)
{
  int slot = c.at - c.tile * MOCT_SLOTS + 1;

  if (c.at >= moct_n_slots (w))
    return moct_at_overflow (
        w, c.tile, w->overflow[c.at - moct_n_slots (w)].next);
  if (slot == MOCT_SLOTS)
    return moct_at_overflow (w, c.tile, w->tiles[c.tile].more);
  c.at++;
  c.cls = w->tiles[c.tile].cls[slot];
  return c;
}

BOTH ImageBox
moct_cursor_box (const MoctWork *w, MoctCursor c)
{
  return moct_fragment_box (
      &w->fragments[c.at], c.tile % w->tiles_x, c.tile / w->tiles_x);
}

BOTH MoctSum
moct_cursor_sum (const MoctWork *w, MoctCursor c)
{
  return moct_fragment_sum (
      &w->fragments[c.at], c.tile % w->tiles_x, c.tile / w->tiles_x);
}

/* The distance in tiles up to which fragments can be near enough to join. */
BOTH int
moct_reach (const MoctWork *w)
{
  return 1 + w->merge_distance / MOCT_TILE;
}

/* The number of tiles within reach that come before a tile in raster order:
 * whole rows above, then the tiles to the left. */
BOTH int
moct_n_neighbours (const MoctWork *w)
{
  int r = moct_reach (w);

  return r * (2 * r + 1) + r;
}

/* The number of the @k-th of these neighbours of the tile at (@tx, @ty); -1
 * outside of the frame. */
BOTH int
moct_neighbour (const MoctWork *w, int tx, int ty, int k)
{
  int r = moct_reach (w), across = 2 * r + 1;
  int x = tx - r + k % across, y = ty - r + k / across;

  return x < 0 || x >= w->tiles_x || y < 0 ? -1 : y * w->tiles_x + x;
}

/* The tiles with fragments of a colour are bits, one for each tile: words in a
 * row of tiles, and in the frame, a multiple of four. */
BOTH int
moct_words_x (const MoctWork *w)
{
  return (w->tiles_x + 31) / 32;
}

BOTH int
moct_n_words (const MoctWork *w)
{
  return (moct_words_x (w) * w->tiles_y + 3) / 4 * 4;
}

/* The trajectory history as a ring of rows, from which a map is made. */
typedef struct {
  const MoctPoint *ring; /* device memory, rows of @room points */
  int room, length;      /* points of a row, rows */
  int at, n;             /* the row of the next frame; rows that are filled */
  double now;            /* time of the newest row */
  int n_objects;
  int track[MOCT_HISTORY_ROWS];
  uint32_t id[MOCT_HISTORY_ROWS];
  float *map; /* device memory */
  size_t stride;
} MoctHistory;

/* Writes point @k of object @row to the map. */
BOTH void
moct_history_write (const MoctHistory *h, int row, int k)
{
  float *to = (float *) ((char *) h->map + row * h->stride) +
      (size_t) k * MOCT_HISTORY_CHANNELS;
  int age = h->length - k; /* 1: the newest row */
  int from = (h->at - age + h->length) % h->length;

  for (int c = 0; c < MOCT_HISTORY_CHANNELS; c++)
    to[c] = NAN;
  if (row < h->n_objects && age <= h->n) {
    MoctPoint p = h->ring[(size_t) from * h->room + h->track[row]];

    if (p.id != h->id[row])
      return;
    to[0] = p.cx;
    to[1] = p.cy;
    to[2] = p.x0;
    to[3] = p.y0;
    to[4] = p.x1;
    to[5] = p.y1;
    to[6] = (float) (p.time - h->now);
    to[7] = p.seen ? 1 : 0;
  }
}

/* The steps that each backend implements.  The first three set w->result, with
 * blobs in any order. */
typedef struct {
  const char *(*fused) (const Device *dev, const MoctWork *w, void **state);
  const char *(*pyramid) (const Device *dev, const MoctWork *w);
  const char *(*per_object) (const Device *dev, const MoctWork *w);
  const char *(*labels) (
      const Device *dev, const MoctWork *w, uint16_t *labels, size_t stride);
  const char *(*history) (const Device *dev, const MoctHistory *h);
  void (*release) (void *state); /* frees @state of fused () */
} MoctStages;

C_BEGIN
extern const MoctStages moct_stages_cpu, moct_stages_cuda;
C_END
