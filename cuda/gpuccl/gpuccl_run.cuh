/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declarations of the kernels of GPUCCL_RUN.
 *
 * A tile is 32 x 32 pixels, and a row of it one word of bits.  The components
 * of a tile are pieces of those of the frame, and are found in shared memory
 * with all their sums.  Then pieces are joined across the seams between tiles
 * and added up, and the pixels get their labels.  No step waits for the
 * host. */
#pragma once

#include "common/chain.cuh"
#include "common/union.cuh"
#include "gpuccl/gpuccl_cuda.cuh"

#define TILE 32
#define WARPS 8
#define ROWS (TILE / WARPS) /* of a tile, for each warp */
#define THREADS (32 * WARPS)

#define GPUCCL_LINES 1024 /* rows or columns that are measured at once */
/* The most listed components for which every warp searches the list. */
#define GPUCCL_FEW 1024
/* Rows of blocks that report while others write labels. */
#define GPUCCL_REPORT_ROWS 4
#define GPUCCL_PAINT_TILES 2 /* that a block labels in a large frame */
#define GPUCCL_BINS THREADS  /* of areas, see gpuccl_bin () */

/* A row of a tile: bit i is pixel i. */
typedef struct {
  uint32_t foreground;
  uint32_t starts; /* bits of pixels that begin a run: without a link to the
                      left */
} GpucclRow;

/* The pieces along a tile's edges; for background any number. */
typedef struct {
  uint32_t top[TILE], bottom[TILE], left[TILE], right[TILE];
} GpucclEdges;

/* The links of a tile across its upper and its left edge, bit i for pixel i of
 * its first row or column. */
typedef struct {
  uint32_t up, up_left, up_right;
  uint32_t used; /* the tile has foreground; if not, the other members are not
                    set */
  uint32_t left, left_up, left_down;
  uint32_t unused;
} GpucclSeams;

/* Counters, zero between frames. */
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

/* A list of components in any order. */
typedef struct {
  unsigned long long *keys;
  uint32_t *roots;
} GpucclList;

/* A flag of a label: the component may be a candidate. */
#define GPUCCL_LARGE (1u << 31)

/* The memory of GPUCCL_RUN, on the device. */
typedef struct {
  int tiles_x, tiles_y;
  uint32_t max_pieces;
  GpucclRow *rows;        /* [tile][y] */
  GpucclSeams *seams;     /* of each tile */
  GpucclEdges *edges;     /* of each tile */
  GpucclSum *pieces;      /* after gathering, a root has the sums of its
                             component; of small components inside of a tile
                             only label and area are set */
  uint32_t *parents;      /* of pieces */
  uint32_t *labels;       /* of pieces: their component's label, with
                             GPUCCL_LARGE */
  GpucclList listed;      /* components that may be candidates */
  GpucclList reported;    /* components whose sums go to the host */
  uint32_t *first, *last; /* of each candidate: for every row of the frame,
                             then for every column; UINT32_MAX and 0 between
                             frames */
  GpucclCounters *counters;
  uint32_t *bins; /* number of reported components whose area is in the bin;
                     zero between frames */
  GpucclTop *top;
} GpucclPieces;

/* The arguments of the kernels. */
typedef struct {
  GpucclWork w;
  GpucclPieces p;
  uint32_t spread; /* odd: pieces are ordered by their number times this */
  uint32_t crowd;  /* from this number of lanes with one root on, the warp sums
                      them first.  Atomics are contended there; with few lanes
                      the sum takes longer than they do */
  bool large;      /* the frame has more tiles than the GPU runs at once */
  bool few;        /* at most GPUCCL_FEW components can be listed */
} GpucclArgs;

typedef void (*GpucclKernel) (const GpucclArgs a);

/* The first kernel's threads. */
#define GPUCCL_TILE_THREADS 256
#define GPUCCL_LARGE_TILE_THREADS 128

/* A mask of the lanes up to @lane, including it. */
static __device__ __forceinline__ uint32_t
mask_of_lanes_to (int lane)
{
  return 0xffffffffu >> (31 - lane);
}

/* The start of the run that holds pixel @i of a row. */
static __device__ __forceinline__ int
run_start (uint32_t starts, int i)
{
  return 31 - __clz ((int) (starts & mask_of_lanes_to (i)));
}

/* A frame with at most this many pieces has few. */
#define GPUCCL_FEW_PIECES 2048

/* The first piece of a thread, and its parent. */
struct FirstPiece {
  uint32_t i, parent;
  bool few;
};

/* The first piece of this thread, of @n pieces.  If pieces are few, a block's
 * warps have pieces that are far from each other, which spreads the work over
 * many multiprocessors.  Otherwise they have neighbours, which often have one
 * root.  Parents are loaded before it is known which order holds and whether
 * the piece exists. */
static __device__ __forceinline__ FirstPiece
first_piece_of_thread (const GpucclPieces &p, uint32_t n)
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

/* The bin of an area, eight bins an octave; 2^28 is the largest area. */
static __device__ __forceinline__ uint32_t
gpuccl_bin (uint32_t area)
{
  int octave = max (28 - __clz ((int) area), 0);

  return 8 * octave + (area >> octave);
}

/* Sums in global memory are read and written 16 bytes at a time. */
#define SUM_PARTS (sizeof (GpucclSum) / sizeof (uint4))

static_assert (sizeof (GpucclSum) % sizeof (uint4) == 0, "parts of a sum");

static __device__ __forceinline__ GpucclSum
gpuccl_load_sum (const GpucclSum *from)
{
  uint4 parts[SUM_PARTS];
  GpucclSum s;

#pragma unroll
  for (size_t i = 0; i < SUM_PARTS; i++)
    parts[i] = ((const uint4 *) from)[i];
  memcpy (&s, parts, sizeof s);
  return s;
}

static __device__ __forceinline__ void
gpuccl_store_sum (GpucclSum *to, const GpucclSum &s)
{
  uint4 parts[SUM_PARTS];

  memcpy (parts, &s, sizeof parts);
#pragma unroll
  for (size_t i = 0; i < SUM_PARTS; i++)
    ((uint4 *) to)[i] = parts[i];
}

/* Adds @s to @to by atomics. */
static __device__ __forceinline__ void
gpuccl_add_sum (GpucclSum *to, const GpucclSum &s)
{
  atomicMin (&to->label, s.label);
  atomicAdd (&to->area, s.area);
  atomicAdd (&to->x, s.x);
  atomicAdd (&to->y, s.y);
  atomicAdd (&to->z, s.z);
  atomicAdd (&to->xx, s.xx);
  atomicAdd (&to->xy, s.xy);
  atomicAdd (&to->yy, s.yy);
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

/* The kernels, in order.  There are two first kernels: their warps have four
 * rows of a tile each, or eight, which takes fewer instructions but more time a
 * tile. */
GpucclKernel gpuccl_tiles_kernel (const GpucclArgs *a);
GpucclKernel gpuccl_large_tiles_kernel (const GpucclArgs *a);
GpucclKernel gpuccl_paint_kernel (const GpucclArgs *a);
extern const GpucclKernel gpuccl_seams_kernel, gpuccl_gather_kernel,
    gpuccl_select_kernel, gpuccl_criteria_kernel;
