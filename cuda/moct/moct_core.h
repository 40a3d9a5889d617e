/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the stages of MOCT work on, how they walk over it, and the table of
 * stages.  The mathematics is in moct_sums_core.h and paper/pyramid_core.h. */
#pragma once

#include "moct/moct.h"
#include "moct/moct_sums_core.h"

/* What a frame comes down to: the sums of a colour or of a blob. */
typedef struct {
  MoctSum sum;
  int cls; /* 1 + index of the colour */
  int unused;
} MoctBlob;

/* In pinned memory: the host reads it when the device is done. */
typedef struct {
  uint32_t n_blobs;
  uint32_t n_overflow; /* overflow fragments that were needed */
  MoctBlob blobs[1];   /* as many as there is room for fragments */
} MoctResult;

/* A fragment of a colour among the others of that colour. */
typedef struct {
  uint32_t tile;   /* its column, its row << 16 */
  uint32_t extent; /* as in MoctFragment; then, of a root, which blob it is */
} MoctPart;

/* A colour of which several blocks share the words. */
typedef struct {
  uint32_t cls;  /* 1 + its index, 0: nothing to share yet */
  uint32_t from; /* where its fragments begin */
  uint32_t next; /* the first word that nobody has taken */
  uint32_t done; /* words */
  uint32_t n_runs;
} MoctLarge;

#define MOCT_MAX_LARGE 30 /* others are not shared */

typedef struct {
  uint32_t n_counted; /* colours whose fragments are counted */
  uint32_t n_large;   /* among them */
  MoctLarge large[MOCT_MAX_LARGE];
} MoctShare;

/* All that the stages work on; device memory where nothing is said. */
typedef struct {
  Image frame;
  MoctTable table;
  ImageBox *windows; /* of each colour: pixels outside do not count */
  bool windowed;     /* some window is not the whole frame */
  bool blobs;
  int n_colours;
  int merge_distance;
  unsigned long long min_area, max_area;
  MoctLayout layout;
  int reduction_factor;

  int tiles_x, tiles_y;
  MoctTile *tiles;
  MoctFragment *fragments; /* MOCT_SLOTS a tile, then the overflow */
  MoctOverflow *overflow;
  int max_overflow;
  uint32_t *parents;    /* of fragments: union-find, roots are smallest */
  MoctSum *sums;        /* of blobs; on the CPU each at its root */
  MoctSum *colour_sums; /* where no blobs are asked for */
  /* on the GPU, which joins colour by colour: */
  uint32_t *bits;     /* [colour][moct_n_words ()], zero between frames */
  uint32_t *before;   /* of each word, room for three numbers */
  size_t max_words;   /* room for these */
  MoctPart *parts;    /* of colours with many; with parents and sums */
  MoctShare *share;   /* zero before blobs are joined */
  uint32_t *counters; /* MOCT_N_COUNTERS, zero between frames */
  MoctResult *result; /* pinned */
  MoctSum *texels;    /* of the pyramid's levels, two of them in turn */
  size_t max_texels;
} MoctWork;

/* DONE and REPORTED are counted in one step, as one number. */
enum { MOCT_DONE, MOCT_REPORTED, MOCT_OVERFLOW, MOCT_USED, MOCT_N_COUNTERS };

/* ---- Walking over fragments ---- */

BOTH int
moct_n_slots (const MoctWork *w)
{
  return w->tiles_x * w->tiles_y * MOCT_SLOTS;
}

typedef struct {
  int tile, at; /* index of the fragment */
  unsigned cls; /* 0: there is none any more */
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

/* How many tiles away the fragments may be that join those of a tile. */
BOTH int
moct_reach (const MoctWork *w)
{
  return 1 + w->merge_distance / MOCT_TILE;
}

/* The tiles within reach that come before a tile in raster order: whole rows
 * above, then those to the left. */
BOTH int
moct_n_neighbours (const MoctWork *w)
{
  int r = moct_reach (w);

  return r * (2 * r + 1) + r;
}

/* Number @k of them of the tile at (@tx, @ty), -1 where the frame ends. */
BOTH int
moct_neighbour (const MoctWork *w, int tx, int ty, int k)
{
  int r = moct_reach (w), across = 2 * r + 1;
  int x = tx - r + k % across, y = ty - r + k / across;

  return x < 0 || x >= w->tiles_x || y < 0 ? -1 : y * w->tiles_x + x;
}

/* Where the fragments of a colour are, a bit for each tile: words in a row, and
 * in all, a multiple of four. */
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

/* The steps that each backend writes for itself.  The first three end with
 * w->result, in any order of blobs. */
typedef struct {
  const char *(*fused) (const Device *dev, const MoctWork *w, void **state);
  const char *(*pyramid) (const Device *dev, const MoctWork *w);
  const char *(*per_object) (const Device *dev, const MoctWork *w);
  const char *(*labels) (
      const Device *dev, const MoctWork *w, uint16_t *labels, size_t stride);
  void (*release) (void *state); /* what fused () keeps from call to call */
} MoctStages;

C_BEGIN
extern const MoctStages moct_stages_cpu, moct_stages_cuda;
C_END
