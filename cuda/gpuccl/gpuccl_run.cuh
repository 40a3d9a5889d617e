/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernels of GPUCCL_RUN share.
 *
 * A tile is 32 x 32 pixels, a row of it one word of bits.  Its components, the
 * pieces of those of the frame, are found in shared memory with all their sums;
 * then pieces are joined across the seams between tiles and added up, and the
 * pixels get their labels.  Nothing waits for the host. */
#pragma once

#include "common/chain.cuh"
#include "common/union.cuh"
#include "gpuccl/gpuccl_cuda.cuh"

#define TILE 32
#define WARPS 8
#define ROWS (TILE / WARPS) /* of a tile, that a warp has */
#define THREADS (32 * WARPS)

#define GPUCCL_LINES 1024    /* rows or columns that are measured at once */
#define GPUCCL_FEW 1024      /* listed components that every warp can look at */
#define GPUCCL_REPORT_ROWS 4 /* of blocks, while labels are written */
#define GPUCCL_PAINT_TILES 2 /* that a block labels in large frames */
#define GPUCCL_BINS THREADS  /* of areas, see gpuccl_bin () */

/* A row of a tile: bit i is pixel i. */
typedef struct {
  uint32_t foreground;
  uint32_t starts; /* of runs: pixels linked to none on their left */
} GpucclRow;

/* The pieces along a tile's edges; of background any. */
typedef struct {
  uint32_t top[TILE], bottom[TILE], left[TILE], right[TILE];
} GpucclEdges;

/* The links of a tile across its upper and left edge, bit i for pixel i of its
 * first row or column. */
typedef struct {
  uint32_t up, up_left, up_right;
  uint32_t used; /* the tile has foreground; else nothing else is known */
  uint32_t left, left_up, left_down;
  uint32_t unused;
} GpucclSeams;

/* Zero between frames. */
typedef struct {
  unsigned long long largest; /* key */
  uint32_t n_pieces, n_unknown, n_labels, n_sums, n_listed, tickets;
} GpucclCounters;

/* The candidates of this frame, largest first. */
typedef struct {
  uint32_t n;
  uint32_t roots[GPUCCL_CANDIDATES];
  unsigned long long keys[GPUCCL_CANDIDATES];
} GpucclTop;

/* Components in any order. */
typedef struct {
  unsigned long long *keys;
  uint32_t *roots;
} GpucclList;

/* With a label: its component may be a candidate. */
#define GPUCCL_LARGE (1u << 31)

/* Device memory. */
typedef struct {
  int tiles_x, tiles_y;
  uint32_t max_pieces;
  GpucclRow *rows;        /* [tile][y] */
  GpucclSeams *seams;     /* of each tile */
  GpucclEdges *edges;     /* of each tile */
  GpucclSum *pieces;      /* after the gathering, roots have all of theirs */
  uint32_t *parents;      /* of pieces */
  uint32_t *labels;       /* of pieces: their component's, with GPUCCL_LARGE */
  GpucclList listed;      /* those that may be candidates */
  GpucclList reported;    /* those whose sums go to the host */
  uint32_t *first, *last; /* of each candidate: in every row of the frame, then
                             in every column; UINT32_MAX and 0 between frames */
  GpucclCounters *counters;
  uint32_t *bins; /* how many reported ones have such an area; zero between
                     frames */
  GpucclTop *top;
} GpucclPieces;

/* What a kernel is called with. */
typedef struct {
  GpucclWork w;
  GpucclPieces p;
  uint32_t spread; /* odd: the order of pieces is that of their multiples */
  uint32_t crowd;  /* lanes of one root from which on a warp adds them up first:
                      that takes time, which goes where many queue up */
  bool large;      /* more tiles than the GPU has room for at once */
  bool few;        /* no more than GPUCCL_FEW components can be listed */
} GpucclArgs;

typedef void (*GpucclKernel) (const GpucclArgs a);

/* The first kernel's threads. */
#define GPUCCL_TILE_THREADS 256
#define GPUCCL_LARGE_TILE_THREADS 128

/* The lanes up to @lane, itself too. */
static __device__ __forceinline__ uint32_t
lanes_to (int lane)
{
  return 0xffffffffu >> (31 - lane);
}

/* Where the run starts that holds pixel @i of a row. */
static __device__ __forceinline__ int
start_of (uint32_t starts, int i)
{
  return 31 - __clz ((int) (starts & lanes_to (i)));
}

/* Pieces that a frame may have for them to be few. */
#define GPUCCL_FEW_PIECES 2048

/* The piece that a thread begins with, and its parent. */
struct FirstPiece {
  uint32_t i, parent;
  bool few;
};

/* Of @n pieces.  Where they are few, the warps of a block have some that are
 * far from each other, so that all are spread over many multiprocessors; else
 * neighbours, which often have one root.  Parents are read before it is known
 * which it is, and that there are any. */
static __device__ __forceinline__ FirstPiece
first_piece (const GpucclPieces &p, uint32_t n)
{
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t near = (blockIdx.x * WARPS + warp) * 32 + lane, near_parent = 0;
  uint32_t far = (warp * gridDim.x + blockIdx.x) * 32 + lane, far_parent = 0;

  if (near < p.max_pieces)
    near_parent = union_parent (p.parents, near);
  if (far < p.max_pieces)
    far_parent = union_parent (p.parents, far);
  if (n <= GPUCCL_FEW_PIECES)
    return {far, far_parent, true};
  return {near, near_parent, false};
}

/* The bin of an area, eight to the octave; 2^28 is the largest area. */
static __device__ __forceinline__ uint32_t
gpuccl_bin (uint32_t area)
{
  int octave = max (28 - __clz ((int) area), 0);

  return 8 * octave + (area >> octave);
}

/* Adds @s to @to, as others do too. */
static __device__ __forceinline__ void
gpuccl_add_sum (GpucclSum *to, const GpucclSum &s)
{
  atomicMin (&to->label, s.label);
  atomicAdd (&to->area, s.area);
  atomicAdd (&to->x, s.x);
  atomicAdd (&to->y, s.y);
  atomicAdd (&to->z, s.z);
  atomicMin (&to->box.x0, s.box.x0);
  atomicMin (&to->box.y0, s.box.y0);
  atomicMax (&to->box.x1, s.box.x1);
  atomicMax (&to->box.y1, s.box.y1);
  atomicMin (&to->min_z, s.min_z);
  atomicMax (&to->max_z, s.max_z);
  atomicMin (&to->min_u, s.min_u);
  atomicMax (&to->max_u, s.max_u);
  atomicMin (&to->min_v, s.min_v);
  atomicMax (&to->max_v, s.max_v);
}

/* The kernels, in order.  Of the first there are two: its warps have four rows
 * of a tile each, or eight, which takes fewer instructions but longer. */
GpucclKernel gpuccl_tiles_kernel (const GpucclArgs *a);
GpucclKernel gpuccl_large_tiles_kernel (const GpucclArgs *a);
GpucclKernel gpuccl_paint_kernel (const GpucclArgs *a);
extern const GpucclKernel gpuccl_seams_kernel, gpuccl_gather_kernel,
    gpuccl_select_kernel, gpuccl_criteria_kernel;
