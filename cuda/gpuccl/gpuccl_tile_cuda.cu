/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN: the pieces of every tile, with all their sums.
 *
 *           32 pixels, a lane of each warp a column
 *          +--------------------------------+
 *   warp 0 | ####..#######.....####         |  WARP_ROWS rows: 4, or 8 in large
 *          | ###....######....#####         |  frames
 *          +--------------------------------+
 *   warp 1 | ##......####....######         |  a run: ####, pixels of a row
 *          | #........##....#######         |  that are linked left to right
 *          +--------------------------------+  a piece: runs that are linked;
 *      ... |                                |  here there are three
 *          +--------------------------------+
 *
 * Read the map and depth as words of bits, a word a row; link neighbours; write
 * the links across the upper and left edge, the seams, for the second kernel;
 * unite runs to pieces, those of a warp in registers, the rest in shared
 * memory; add up each piece there; give pieces their place in the frame and
 * label the starts of runs.
 *
 * Reads need no test: they go to the nearest pixel inside the frame, and the
 * words of bits say which pixels count. */
#include "gpuccl/gpuccl_run.cuh"

/* ---- The data of a warp and of a tile ---- */

/* The threads of a tile whose warps have @WARP_ROWS rows each. */
template <int WARP_ROWS> constexpr int tile_warps = TILE / WARP_ROWS;
template <int WARP_ROWS> constexpr int tile_threads = 32 * TILE / WARP_ROWS;

static_assert (tile_threads<4> == GPUCCL_TILE_THREADS, "threads of a tile");
static_assert (
    tile_threads<8> == GPUCCL_LARGE_TILE_THREADS, "threads of a tile");

/* The depth that links compare: none, in whole units, or filtered. */
enum Depth { NONE, WHOLE, FINE };

/* The rows of a warp; [0] is the row above, which another warp has.  Bit i of a
 * word is pixel i. */
template <int WARP_ROWS> struct Rows {
  uint32_t depth[WARP_ROWS + 1]; /* of the lane's pixels, as links compare it */
  uint32_t foreground[WARP_ROWS + 1];
  uint32_t left[WARP_ROWS + 1]; /* links inside of the tile */
  uint32_t up[WARP_ROWS + 1], up_left[WARP_ROWS + 1], up_right[WARP_ROWS + 1];
};

/* Pieces with sums in shared memory; further pieces have them in global
 * memory. */
#define NEAR_SUMS 128

/* The sums of pieces about their tile's corner, one array for each member.
 * Minima are stored as maxima of their differences from the largest value, so
 * that clearing needs few kinds of words. */
struct alignas (16) TileSums {
  uint32_t n_xy[NEAR_SUMS];                     /* pixels, sum of x y << 11 */
  uint32_t x[NEAR_SUMS], y[NEAR_SUMS];          /* sums of powers */
  uint32_t columns[NEAR_SUMS], rows[NEAR_SUMS]; /* bit i: the piece has pixels
                                                   there */
  uint32_t z[NEAR_SUMS], max_z[NEAR_SUMS], low_z[NEAR_SUMS]; /* 65535 - z */
  int32_t max_u[NEAR_SUMS], low_u[NEAR_SUMS];                /* ~u */
  int32_t max_v[NEAR_SUMS], low_v[NEAR_SUMS];
};

/* The tile of the block, in shared memory. */
template <int WARP_ROWS> struct Tile {
  uint32_t parents[TILE * TILE]; /* of its pixels */
  uint16_t piece[TILE * TILE];   /* of roots: number of the piece in the tile */
  TileSums sums;                 /* of the tile's first pieces */
  uint32_t roots[NEAR_SUMS];
  uint32_t powers_below[TILE + 1];
  uint2 last[tile_warps<WARP_ROWS>]; /* of each warp's last row: foreground,
                                        links to the left */
  uint32_t n, first;                 /* number of pieces; number of the first
                                        among all tiles */
};

/* The powers of a coordinate x of a tile, in one word: x and, from POWER_BITS
 * on, the lower half of x^2, x (x - 1) / 2.  Over a tile the sum of the first
 * is below 2^14 and that of the second below 2^18, so that words of powers can
 * be added and subtracted. */
#define POWER_BITS 14

static __device__ __forceinline__ uint32_t
powers (uint32_t x)
{
  return x | x * (x - 1) / 2 << POWER_BITS;
}

/* The sum of the powers of all numbers below @x. */
static __device__ __forceinline__ uint32_t
powers_below (uint32_t x)
{
  return x * (x - 1) / 2 | x * (x - 1) * (x - 2) / 6 << POWER_BITS;
}

static __device__ __forceinline__ uint32_t
first_power (uint32_t sum)
{
  return sum & ((1u << POWER_BITS) - 1);
}

static __device__ __forceinline__ uint32_t
sum_of_squares (uint32_t sum)
{
  return 2 * (sum >> POWER_BITS) + first_power (sum);
}

/* The sum of the powers of @n numbers whose sum of powers is @sum, if each
 * number were @by larger. */
static __device__ __forceinline__ uint32_t
move_powers (uint32_t sum, uint32_t n, uint32_t by)
{
  return sum + n * powers (by) + first_power (sum) * (by << POWER_BITS);
}

/* ---- Rows ---- */

/* The row of the tile at which the warp's rows begin. */
template <int WARP_ROWS>
static __device__ __forceinline__ int
first_row_of_warp (void)
{
  return threadIdx.x / 32 * WARP_ROWS;
}

/* The columns with a pixel in one of the warp's rows. */
template <int N>
static __device__ __forceinline__ uint32_t
any_row_bits (const uint32_t (&words)[N])
{
  uint32_t any = 0;

#pragma unroll
  for (int i = 1; i < N; i++)
    any |= words[i];
  return any;
}

template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_tile_empty (const Rows<WARP_ROWS> &r)
{
  return !any_row_bits (r.foreground);
}

/* The depth in whole units. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
whole_depth (uint32_t depth)
{
  return DEPTH == FINE
      ? (depth + (1u << (BILATERAL_FINE_BITS - 1))) >> BILATERAL_FINE_BITS
      : depth;
}

/* Whether two depths are linked.  @GROWS: the limit grows with depth.
 * Otherwise one comparison tests whether the difference is above -limit and
 * below limit. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ bool
are_depths_linked (const GpucclLink &l, uint32_t a, uint32_t b)
{
  /* no step of depth comes near */
  uint32_t max_step = min (l.limit, 1u << 30) - 1;

  if (!DEPTH)
    return true;
  return GROWS ? gpuccl_linked (&l, a, b) : a - b + max_step <= 2 * max_step;
}

/* ---- The map ---- */

static __device__ __forceinline__ bool
is_in_frame (const GpucclFrame &f, int x, int y)
{
  return (uint32_t) x < (uint32_t) f.width &&
      (uint32_t) y < (uint32_t) f.height;
}

/* The map's value at (x, y), or at the nearest pixel in the frame; any value
 * without a map. */
static __device__ __forceinline__ uint8_t
value_at (const GpucclFrame &f, int x, int y)
{
  if (f.source == GPUCCL_DEPTH_ONLY)
    return 0;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  return f.map[(int64_t) y * f.map_stride + x * f.map_step];
}

/* Whether (x, y) is foreground; @value is value_at () there. */
static __device__ __forceinline__ bool
is_value_foreground (const GpucclWork &w, int x, int y, uint8_t value)
{
  return is_in_frame (w.frame, x, y) &&
      (w.frame.source == GPUCCL_DEPTH_ONLY ||
          gpuccl_is_foreground (&w.values, value));
}

/* Reads the foreground of the warp's rows from the map, a pixel for each lane.
 * In a tile that is not @WHOLE, pixels outside of the frame are read at its
 * edge.  @unknown: the lane has a pixel of unknown class.  The range of
 * foreground values does not wrap, so that one comparison tests it. */
template <bool WHOLE, int WARP_ROWS>
static __device__ __forceinline__ void
read_map_rows (const GpucclWork &w, Rows<WARP_ROWS> *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;
  int x = blockIdx.x * TILE + threadIdx.x % 32, x1 = f.width - 1;
  int y = blockIdx.y * TILE + first_row_of_warp<WARP_ROWS> (),
      y1 = f.height - 1;
  uint32_t values[WARP_ROWS];
  const uint8_t *column = f.map + (WHOLE ? x : min (x, x1)) * f.map_step;

  asm("" : "+l"(column)); /* one address for all rows instead of its parts */
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    values[i] = __ldg (
        column + (int64_t) (WHOLE ? y + i : min (y + i, y1)) * f.map_stride);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    bool set = values[i] - w.values.first <= w.values.span;

    *unknown |= values[i] - w.values.unknown < w.values.n_unknown;
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, set && (WHOLE || (x <= x1 && y + i <= y1)));
  }
}

/* Without a map, marks all pixels in the frame as foreground. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
fill_rows (const GpucclFrame &f, Rows<WARP_ROWS> *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row_of_warp<WARP_ROWS> ();

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, x < f.width && y + i < f.height);
}

/* Reads the foreground of the warp's rows, regardless of depth. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
read_foreground (const GpucclWork &w, Rows<WARP_ROWS> *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;

  if (f.source == GPUCCL_DEPTH_ONLY)
    fill_rows (f, r);
  else if ((int) (blockIdx.x + 1) * TILE <= f.width &&
      (int) (blockIdx.y + 1) * TILE <= f.height)
    read_map_rows<true> (w, r, unknown);
  else
    read_map_rows<false> (w, r, unknown);
}

/* Counts the pixels of unknown class in the warp's rows. */
template <int WARP_ROWS>
static __device__ __noinline__ void
count_unknown_in_rows (const GpucclArgs &a)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row_of_warp<WARP_ROWS> ();
  uint32_t n = 0;

  for (int i = 0; i < WARP_ROWS; i++)
    n += is_in_frame (a.w.frame, x, y + i) &&
        gpuccl_is_unknown (&a.w.values, value_at (a.w.frame, x, y + i));
  n = warp_sum (n);
  if (threadIdx.x % 32 == 0 && n)
    atomicAdd (&a.p.counters->n_unknown, n);
}

/* ---- Depth ---- */

/* The depth of pixel (x, y), or of the nearest pixel in the frame, as links
 * compare it. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
link_depth_at (const GpucclWork &w, int x, int y)
{
  const GpucclFrame &f = w.frame;
  uint32_t z;

  if (!DEPTH)
    return 0;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  z = *(const uint16_t *) ((const uint8_t *) &f.depth[x] +
      (int64_t) y * f.depth_stride);
  return DEPTH == FINE ? (z << BILATERAL_FINE_BITS) +
          (uint32_t) w.fraction[(uint32_t) (y * f.width + x)]
                       : z;
}

/* Loads the depths of the rows, and removes pixels without depth from the
 * foreground.  The first warp reads the foreground of the row above itself; the
 * others get it later. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
load_row_depths (const GpucclWork &w, Rows<WARP_ROWS> *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * WARP_ROWS - 1;
  bool above = true;

#pragma unroll
  for (int i = 0; i <= WARP_ROWS; i++)
    r->depth[i] = link_depth_at<DEPTH> (w, x, y + i);
  if (threadIdx.x < 32)
    above = is_value_foreground (w, x, y, value_at (w.frame, x, y)) &&
        (!DEPTH || whole_depth<DEPTH> (r->depth[0]));
  r->foreground[0] = __ballot_sync (ALL_LANES, above);
  if (DEPTH)
#pragma unroll
    for (int i = 1; i <= WARP_ROWS; i++)
      r->foreground[i] &=
          __ballot_sync (ALL_LANES, whole_depth<DEPTH> (r->depth[i]) != 0);
}

/* A pixel of the tile's first column, and the pixel on its left. */
struct Beside {
  uint32_t depth, depth_left;
  uint8_t value, value_left;
};

/* Loads the pixels beside the tile's left edge, a lane for each row, at the
 * same time as the warp's own rows. */
template <Depth DEPTH>
static __device__ __forceinline__ Beside
load_beside (const GpucclWork &w)
{
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE + threadIdx.x % 32;

  return {link_depth_at<DEPTH> (w, x, y), link_depth_at<DEPTH> (w, x - 1, y),
      value_at (w.frame, x, y), value_at (w.frame, x - 1, y)};
}

/* ---- Links ---- */

/* Sets the links of row @i to the corners above, with eight neighbours. */
template <Depth DEPTH, bool GROWS, int WARP_ROWS>
static __device__ __forceinline__ void
link_corners (const GpucclLink &l, Rows<WARP_ROWS> *r, int i)
{
  uint32_t own = r->depth[i], above = r->depth[i - 1];
  uint32_t set = r->foreground[i], up = r->foreground[i - 1];
  uint32_t left = __shfl_up_sync (ALL_LANES, above, 1);
  uint32_t right = __shfl_down_sync (ALL_LANES, above, 1);

  r->up_left[i] = set & up << 1 &
      __ballot_sync (ALL_LANES, are_depths_linked<DEPTH, GROWS> (l, own, left));
  r->up_right[i] = set & up >> 1 &
      __ballot_sync (
          ALL_LANES, are_depths_linked<DEPTH, GROWS> (l, own, right));
}

template <Depth DEPTH, bool EIGHT, bool GROWS, int WARP_ROWS>
static __device__ __forceinline__ void
link_full_rows (const GpucclLink &l, Rows<WARP_ROWS> *r)
{
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++) {
    uint32_t own = r->depth[i], set = r->foreground[i];
    uint32_t left = __shfl_up_sync (ALL_LANES, own, 1);

    r->left[i] = set & set << 1;
    r->up[i] = set & r->foreground[i - 1];
    r->up_left[i] = r->up_right[i] = 0;
    if (DEPTH) {
      r->left[i] &= __ballot_sync (
          ALL_LANES, are_depths_linked<DEPTH, GROWS> (l, own, left));
      r->up[i] &= __ballot_sync (
          ALL_LANES, are_depths_linked<DEPTH, GROWS> (l, own, r->depth[i - 1]));
    }
    if (EIGHT)
      link_corners<DEPTH, GROWS> (l, r, i);
  }
}

template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ void
link_warp_rows (const GpucclLink &l, Rows<WARP_ROWS> *r)
{
  if (DEPTH && l.k)
    link_full_rows<DEPTH, EIGHT, true> (l, r);
  else
    link_full_rows<DEPTH, EIGHT, false> (l, r);
}

/* ---- Seams: links and pieces at the tile's edges ---- */

static __device__ __forceinline__ uint32_t
tile_of_block (const GpucclArgs &a)
{
  return blockIdx.y * a.p.tiles_x + blockIdx.x;
}

/* Whether pixel (x, y), with map value @value and depth @z, is foreground. */
template <Depth DEPTH>
static __device__ __forceinline__ bool
is_foreground_pixel (
    const GpucclWork &w, int x, int y, uint8_t value, uint32_t z)
{
  return is_value_foreground (w, x, y, value) &&
      (!DEPTH || whole_depth<DEPTH> (z));
}

template <Depth DEPTH>
static __device__ __forceinline__ bool
is_any_linked (const GpucclLink &l, uint32_t a, uint32_t b)
{
  return DEPTH && l.k ? are_depths_linked<DEPTH, true> (l, a, b)
                      : are_depths_linked<DEPTH, false> (l, a, b);
}

/* The first warp writes the links of the tile's first row, also over both
 * corners. */
template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ void
write_upper_seam (const GpucclArgs &a, const Rows<WARP_ROWS> &r)
{
  uint32_t up_left = 0, up_right = 0;

  if (EIGHT) {
    int lane = threadIdx.x, x = blockIdx.x * TILE + (lane ? TILE : -1);
    int y = blockIdx.y * TILE - 1;
    bool link = false;

    if ((lane == 0 || lane == 31) && r.foreground[1] >> lane & 1) {
      uint32_t z = link_depth_at<DEPTH> (a.w, x, y);
      uint8_t value = value_at (a.w.frame, x, y);

      link = is_foreground_pixel<DEPTH> (a.w, x, y, value, z) &&
          is_any_linked<DEPTH> (a.w.link, r.depth[1], z);
    }
    up_right = __ballot_sync (ALL_LANES, link);
    up_left = r.up_left[1] | (up_right & 1);
    up_right = r.up_right[1] | (up_right & 1u << 31);
  }
  if (threadIdx.x == 0)
    *(uint4 *) &a.p.seams[tile_of_block (a)].up =
        make_uint4 (r.up[1], up_left, up_right, 1);
}

/* One warp writes the links of the tile's first column, a lane for each row,
 * without those over corners, which belong to the upper seams. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_left_seam (const GpucclArgs &a, const Beside &b)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  int y = blockIdx.y * TILE + lane;
  uint32_t own = b.depth, other = b.depth_left, left_up = 0, left_down = 0;
  uint32_t set = __ballot_sync (
      ALL_LANES, is_foreground_pixel<DEPTH> (a.w, x, y, b.value, own));
  uint32_t beside = __ballot_sync (ALL_LANES,
      is_foreground_pixel<DEPTH> (a.w, x - 1, y, b.value_left, other));
  uint32_t left = set & beside &
      __ballot_sync (ALL_LANES, is_any_linked<DEPTH> (a.w.link, own, other));

  if (EIGHT) {
    uint32_t up = __shfl_up_sync (ALL_LANES, other, 1);
    uint32_t down = __shfl_down_sync (ALL_LANES, other, 1);

    left_up = set & beside << 1 &
        __ballot_sync (ALL_LANES, is_any_linked<DEPTH> (a.w.link, own, up));
    left_down = set & beside >> 1 &
        __ballot_sync (ALL_LANES, is_any_linked<DEPTH> (a.w.link, own, down));
  }
  if (lane == 0)
    *(uint4 *) &a.p.seams[tile_of_block (a)].left =
        make_uint4 (left, left_up, left_down, 0);
}

/* Writes the rows for the second kernel, and the last one for the next warp. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
write_row_words (
    const GpucclArgs &a, Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r)
{
  uint4 *two =
      (uint4 *) &a.p
          .rows[tile_of_block (a) * TILE + threadIdx.x / 32 * WARP_ROWS];

  if (threadIdx.x % 32)
    return;
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i += 2)
    two[i / 2] = make_uint4 (r.foreground[i], r.foreground[i] & ~r.left[i],
        r.foreground[i + 1], r.foreground[i + 1] & ~r.left[i + 1]);
  t->last[threadIdx.x / 32] =
      make_uint2 (r.foreground[WARP_ROWS], r.left[WARP_ROWS]);
}

/* Reads the row above, which the warp above has written. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
read_row_above (const Tile<WARP_ROWS> &t, Rows<WARP_ROWS> *r)
{
  uint2 above = t.last[threadIdx.x / 32 - 1];

  r->foreground[0] = above.x;
  r->left[0] = above.y;
  r->up[1] &= above.x;
  r->up_left[1] &= above.x << 1;
  r->up_right[1] &= above.x >> 1;
}

/* Writes the pieces of the tile's edges; @pieces are those of the lane's
 * pixels. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
write_edge_pieces (const GpucclArgs &a, const uint32_t pieces[WARP_ROWS])
{
  GpucclEdges *e = &a.p.edges[tile_of_block (a)];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  if (warp == 0)
    e->top[lane] = pieces[0];
  if (warp == tile_warps<WARP_ROWS> - 1)
    e->bottom[lane] = pieces[WARP_ROWS - 1];
  if (lane == 0 || lane == TILE - 1)
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i += 2)
      *(uint2 *) &(lane ? e->right : e->left)[WARP_ROWS * warp + i] =
          make_uint2 (pieces[i], pieces[i + 1]);
}

/* ---- Union of runs ---- */

/* Within a warp's rows, a run takes the label of the first run above it that is
 * linked to it.  The other links, to further runs and to other warps' runs, are
 * joined in shared memory. */

/* The pixels of the run that starts at @lane.  Adding 1 at its start carries to
 * the bit behind its end. */
static __device__ __forceinline__ uint32_t
mask_of_run (uint32_t left, int lane)
{
  uint32_t linked = left >> 1;

  return linked ^ (linked + (1u << lane));
}

/* Whether the warp's rows are full, every row is linked throughout, and to the
 * row above, if that is full in another warp's words.  In most tiles of a large
 * component all rows are. */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
are_rows_solid (const Rows<WARP_ROWS> &r)
{
  uint32_t all = first_row_of_warp<WARP_ROWS> () ? r.up[1] : ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i] & (r.left[i] | 1) & (i > 1 ? r.up[i] : ALL_LANES);
  return all == ALL_LANES;
}

/* A row's links upwards, bit i for pixel i, without links that follow from
 * others. */
struct Upwards {
  uint32_t up, left, right;
};

template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ Upwards
upward_links (const Rows<WARP_ROWS> &r, int i)
{
  Upwards u = {(uint32_t) gpuccl_up_needed (
      r.up[i], r.left[i], r.left[i - 1], (uint64_t) r.up[i] << 1)};

  if (!EIGHT)
    return u;
  u.left = (uint32_t) gpuccl_up_left_needed (
      r.up_left[i], r.left[i], (uint64_t) r.up[i] << 1, r.up[i], r.left[i - 1]);
  u.right = (uint32_t) gpuccl_up_right_needed (
      r.up_right[i], r.left[i] >> 1, r.up[i] >> 1, r.up[i], r.left[i - 1] >> 1);
  return u;
}

/* The lane's links of @u that are not processed yet, as bits for row @i: up, to
 * the left and to the right. */
template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
links_of_lane (const Upwards &u, int i)
{
  uint32_t bit = 1u << threadIdx.x % 32, links = u.up & bit ? 1u << i : 0;

  if (EIGHT) {
    links |= u.left & bit ? 1u << (WARP_ROWS + i) : 0;
    links |= u.right & bit ? 1u << (2 * WARP_ROWS + i) : 0;
  }
  return links;
}

/* The label of the lane's @run, whose own label is @label: that of the first
 * linked run in the row above, whose labels are @above, if such a run exists.
 * That link is removed from @u. */
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
label_from_above (Upwards *u, uint32_t run, uint32_t label, uint32_t above)
{
  uint32_t own = (u->up | u->left | u->right) & run, first = own & (0 - own);
  int from = 31 - __clz ((int) first), side = 0;

  if (EIGHT && !(u->up & first))
    side = u->left & first ? -1 : 1;
  above = __shfl_sync (ALL_LANES, above, (from + side) & 31);
  u->up &= side ? ~0u : ~first;
  if (EIGHT) {
    u->left &= side < 0 ? ~first : ~0u;
    u->right &= side > 0 ? ~first : ~0u;
  }
  return own ? above : label;
}

/* Labels the runs of the lane's pixels, row by row: a run's label is its start,
 * or the label of the first run above in the same warp that is linked to it;
 * with @solid rows it is the first pixel.  A background pixel is a run of its
 * own.  Returns the lane's links that are not processed yet, without those of
 * the first row. */
template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
label_row_runs (Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r, bool solid,
    uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t base = (uint32_t) (TILE * first_row_of_warp<WARP_ROWS> ()),
           later = 0;

  if (is_tile_empty (r))
    return 0;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    if (solid)
      label[i] = base;
    else {
      uint32_t left = r.left[i + 1];
      int start = run_start (~left, lane);

      label[i] = base + (uint32_t) (TILE * i + start);
      if (i) {
        Upwards u = upward_links<EIGHT> (r, i + 1);

        if (u.up | u.left | u.right) {
          label[i] = label_from_above<EIGHT> (
              &u, mask_of_run (left, start), label[i], label[i - 1]);
          later |= links_of_lane<EIGHT, WARP_ROWS> (u, i);
        }
      }
    }
    t->parents[base + TILE * i + lane] = label[i];
  }
  return later;
}

/* Joins the lane's runs to the runs above by the remaining links.  Each lane
 * processes its own links, in whatever rows they are. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
join_remaining_links (Tile<WARP_ROWS> *t, uint32_t later)
{
  for (; later; later &= later - 1) {
    int bit = __ffs ((int) later) - 1, side = bit / WARP_ROWS;
    int at = TILE * (first_row_of_warp<WARP_ROWS> () + bit % WARP_ROWS) +
        (int) threadIdx.x % 32;
    int above = at - TILE + (side == 2) - (side == 1);
    uint32_t i = union_parent (t->parents, at),
             j = union_parent (t->parents, above);

    if (i != j)
      union_join (t->parents, i, j);
  }
}

/* ---- Sums of pieces ---- */

#define UNSIGNED_SUMS 8 /* unsigned arrays of TileSums, which come first */
#define N_SUMS 12

static __device__ __forceinline__ void
clear_sum_array (TileSums *s, int field)
{
  uint32_t none = field < UNSIGNED_SUMS ? 0 : (uint32_t) INT32_MIN;

  ((uint4 *) s)[field * NEAR_SUMS / 4 + threadIdx.x % 32] =
      make_uint4 (none, none, none, none);
}

/* The whole block clears the sums before any addition, a warp for each
 * array. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
clear_sums (TileSums *s)
{
#pragma unroll
  for (int i = 0; i < N_SUMS; i += tile_warps<WARP_ROWS>)
    if (i + threadIdx.x / 32 < N_SUMS)
      clear_sum_array (s, i + threadIdx.x / 32);
}

/* The part of a run, or of some rows, in the sums of a piece, as in
 * TileSums. */
struct Part {
  uint32_t n_xy, x, y, columns, rows;
  uint32_t z, max_z, low_z;
  int32_t max_u, low_u, max_v, low_v;
};

template <Depth DEPTH>
static __device__ __forceinline__ void
add_part_to_sums (
    const GpucclWork &w, TileSums *to, uint32_t number, const Part &s)
{
  atomicAdd (&to->n_xy[number], s.n_xy);
  atomicAdd (&to->x[number], s.x);
  atomicAdd (&to->y[number], s.y);
  atomicOr (&to->columns[number], s.columns);
  atomicOr (&to->rows[number], s.rows);
  if (!DEPTH)
    return;
  atomicAdd (&to->z[number], s.z);
  atomicMax (&to->max_z[number], s.max_z);
  atomicMax (&to->low_z[number], s.low_z);
  if (!w.rays.known)
    return;
  atomicMax (&to->max_u[number], s.max_u);
  atomicMax (&to->low_u[number], s.low_u);
  atomicMax (&to->max_v[number], s.max_v);
  atomicMax (&to->low_v[number], s.low_v);
}

/* Sets the range of rays between minimum and maximum depth, in a row or
 * column. */
static __device__ __forceinline__ void
set_ray_range (
    int32_t *max_ray, int32_t *low, GpucclCentre c, int at, const Part &s)
{
  int32_t a = gpuccl_ray (c, at, 65535 - s.low_z);
  int32_t b = gpuccl_ray (c, at, s.max_z);

  *max_ray = max (a, b);
  *low = ~min (a, b);
}

static __device__ __forceinline__ unsigned long long
wide_product (uint32_t a, uint32_t b)
{
  return (unsigned long long) a * b;
}

/* The label of the piece whose first pixel in raster order is @root. */
static __device__ __forceinline__ uint32_t
label_of_root (int width, uint32_t root)
{
  return 1 + (blockIdx.y * TILE + root / TILE) * width + blockIdx.x * TILE +
      root % TILE;
}

static __device__ __forceinline__ uint32_t
part_area (const Part &s)
{
  return s.n_xy & 0x7ff;
}

/* The sum in the frame of the part @s.  @root is the pixel of the piece that
 * comes first in raster order. */
template <Depth DEPTH>
static __device__ __forceinline__ GpucclSum
frame_sum_of_part (const GpucclWork &w, const Part &s, uint32_t root)
{
  uint32_t X = blockIdx.x * TILE, Y = blockIdx.y * TILE, n = part_area (s);
  uint32_t x = first_power (s.x), y = first_power (s.y);
  bool known = DEPTH && w.rays.known;
  GpucclSum f;

  f.label = label_of_root (w.frame.width, root);
  f.area = n;
  f.x = x + n * X, f.y = y + n * Y;
  f.z = DEPTH ? s.z : 0;
  /* each factor fits in 32 bits */
  f.xx = sum_of_squares (s.x) + wide_product (X, 2 * x + n * X);
  f.yy = sum_of_squares (s.y) + wide_product (Y, 2 * y + n * Y);
  f.xy = (s.n_xy >> 11) + wide_product (X, y) + wide_product (Y, x + n * X);
  f.box.x0 = (int) X + __ffs ((int) s.columns) - 1;
  f.box.x1 = (int) X + 32 - __clz ((int) s.columns);
  f.box.y0 = (int) Y + __ffs ((int) s.rows) - 1;
  f.box.y1 = (int) Y + 32 - __clz ((int) s.rows);
  f.min_z = DEPTH ? 65535 - s.low_z : 0, f.max_z = DEPTH ? s.max_z : 0;
  f.min_u = known ? ~s.low_u : 0, f.max_u = known ? s.max_u : 0;
  f.min_v = known ? ~s.low_v : 0, f.max_v = known ? s.max_v : 0;
  return f;
}

/* The sums of piece @number. */
static __device__ __forceinline__ Part
piece_part (const TileSums &s, uint32_t number)
{
  return {s.n_xy[number], s.x[number], s.y[number], s.columns[number],
      s.rows[number], s.z[number], s.max_z[number], s.low_z[number],
      s.max_u[number], s.low_u[number], s.max_v[number], s.low_v[number]};
}

/* Adds a run of a piece that has its sums in global memory. */
template <Depth DEPTH>
static __device__ __noinline__ void
add_run_to_global (const GpucclWork &w, GpucclSum *to, Part run, uint32_t start)
{
  gpuccl_add_sum (to, frame_sum_of_part<DEPTH> (w, run, start));
}

/* ---- Sums of runs: depth over lanes, the others by closed forms ---- */

/* The depth of runs: the sum; the greatest of 65535 - z in the upper and the
 * greatest of z in the lower half of a word; the greatest of u and of ~u. */
struct RunDepth {
  uint32_t sum, ends;
  int32_t max_u, low_u;
};

/* Sums each run of a row in the lane of its start.  In steps of 1, 2, 4, ...
 * each lane adds the sum of the lane that far to its right, within its run.
 * cub::WarpReduce can reduce segments, too, but always takes five steps, and
 * first asks the lanes for flags.  Here @left has the flags, and the loop ends
 * with the longest run, which is short in noise. */
template <bool RAYS>
static __device__ __forceinline__ void
sum_runs_over_lanes (RunDepth *s, uint32_t left)
{
  int step = 1;

  for (uint32_t more = left >> 1; more; more &= more >> step, step *= 2) {
    bool in = more >> threadIdx.x % 32 & 1;
    uint32_t sum = __shfl_down_sync (ALL_LANES, s->sum, step);
    uint32_t ends = __shfl_down_sync (ALL_LANES, s->ends, step);

    if (RAYS) {
      int32_t u = __shfl_down_sync (ALL_LANES, s->max_u, step);
      int32_t low_u = __shfl_down_sync (ALL_LANES, s->low_u, step);

      s->max_u = in ? max (s->max_u, u) : s->max_u;
      s->low_u = in ? max (s->low_u, low_u) : s->low_u;
    }
    s->sum += in ? sum : 0;
    s->ends = in ? __vmaxu2 (s->ends, ends) : s->ends;
  }
}

/* The depth of the runs of a row as a Part.  @z is the depth of the lane's
 * pixel (x, y). */
template <Depth DEPTH>
static __device__ __forceinline__ Part
run_depth (const GpucclWork &w, uint32_t left, uint32_t z, int x, int y)
{
  RunDepth d = {z, (65535 - z) << 16 | z};
  Part s = {};

  if (!DEPTH)
    return s;
  if (w.rays.known) {
    d.max_u = gpuccl_ray (w.rays.x, x, z);
    d.low_u = ~d.max_u;
    sum_runs_over_lanes<true> (&d, left);
  } else
    sum_runs_over_lanes<false> (&d, left);
  s.z = d.sum;
  s.max_z = d.ends & 65535, s.low_z = d.ends >> 16;
  s.max_u = d.max_u, s.low_u = d.low_u;
  if (w.rays.known) /* in a row, v is monotonic in z */
    set_ray_range (&s.max_v, &s.low_v, w.rays.y, y, s);
  return s;
}

/* The sum of the powers of the numbers from @begin to before @end. */
template <int WARP_ROWS>
static __device__ __forceinline__ uint32_t
powers_between (const Tile<WARP_ROWS> &t, uint32_t begin, uint32_t end)
{
  return t.powers_below[end] - t.powers_below[begin];
}

/* Sets the members that do not depend on depth, for the run that starts at the
 * lane's pixel, in row @y of the tile. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
set_run_part (Part *s, const Tile<WARP_ROWS> &t, uint32_t left, uint32_t y)
{
  uint32_t x = threadIdx.x % 32, n;

  s->columns = mask_of_run (left, (int) x);
  s->rows = 1u << y;
  n = (uint32_t) __popc (s->columns);
  s->x = powers_between (t, x, x + n);
  s->y = n * powers_between (t, y, y + 1);
  s->n_xy = n | first_power (s->x) * y << 11;
}

/* Adds the runs of the warp's row @i.  @number is that of the lane's piece. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_row_of_runs (const GpucclArgs &a, Tile<WARP_ROWS> *t,
    const Rows<WARP_ROWS> &r, int i, uint32_t number)
{
  int lane = threadIdx.x % 32, row = first_row_of_warp<WARP_ROWS> () + i;
  uint32_t left = r.left[i + 1], starts = r.foreground[i + 1] & ~left;
  Part s;

  if (!starts)
    return;
  s = run_depth<DEPTH> (a.w, left, whole_depth<DEPTH> (r.depth[i + 1]),
      blockIdx.x * TILE + lane, blockIdx.y * TILE + row);
  if (!(starts >> lane & 1))
    return;
  set_run_part (&s, *t, left, (uint32_t) row);
  if (number < NEAR_SUMS)
    add_part_to_sums<DEPTH> (a.w, &t->sums, number, s);
  else if (t->first + number < a.p.max_pieces)
    add_run_to_global<DEPTH> (
        a.w, &a.p.pieces[t->first + number], s, TILE * (uint32_t) row + lane);
}

/* ---- Sums of rows: of a whole warp with one piece, or of a lane's column with
 * one piece; of runs otherwise ---- */

/* The depth of the lane's pixels; in a column, u is monotonic in z.  @FULL: all
 * pixels are foreground. */
template <Depth DEPTH, bool FULL, int WARP_ROWS>
static __device__ __forceinline__ Part
column_depth (const GpucclWork &w, const Rows<WARP_ROWS> &r)
{
  int lane = threadIdx.x % 32,
      y = blockIdx.y * TILE + threadIdx.x / 32 * WARP_ROWS;
  Part s = {};

  if (!DEPTH)
    return s;
  s.max_v = s.low_v = s.max_u = s.low_u = INT32_MIN;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t z = whole_depth<DEPTH> (r.depth[i + 1]);
    int32_t v = gpuccl_ray (w.rays.y, y + i, z);
    bool set = FULL || r.foreground[i + 1] >> lane & 1;

    s.z += set ? z : 0;
    s.max_z = max (s.max_z, set ? z : 0);
    s.low_z = max (s.low_z, set ? 65535 - z : 0);
    s.max_v = max (s.max_v, set ? v : INT32_MIN);
    s.low_v = max (s.low_v, set ? ~v : INT32_MIN);
  }
  if (FULL || s.max_z)
    set_ray_range (&s.max_u, &s.low_u, w.rays.x, blockIdx.x * TILE + lane, s);
  return s;
}

/* Adds the lane's pixels, which all belong to one piece. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_lane_column (const GpucclWork &w, const Rows<WARP_ROWS> &r, TileSums *to,
    uint32_t number)
{
  uint32_t lane = threadIdx.x % 32, y = first_row_of_warp<WARP_ROWS> ();
  uint32_t rows = 0, n;
  Part s = column_depth<DEPTH, false> (w, r);

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t set = r.foreground[i + 1] >> lane & 1;

    s.y += set * powers (i);
    rows |= set << i;
  }
  n = (uint32_t) __popc (rows);
  s.y = move_powers (s.y, n, y);
  s.n_xy = n | lane * first_power (s.y) << 11;
  s.x = n * powers (lane);
  s.columns = 1u << lane;
  s.rows = rows << y;
  add_part_to_sums<DEPTH> (w, to, number, s);
}

/* Sets the members of the warp's foreground that do not depend on depth. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
set_foreground_part (Part *s, const Rows<WARP_ROWS> &r)
{
  uint32_t lane = threadIdx.x % 32, y = first_row_of_warp<WARP_ROWS> ();
  uint32_t own = 0, sum, n = 0; /* @own: pixels, sum of rows << 16 */

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t set = r.foreground[i + 1], k = (uint32_t) __popc (set);

    own += set >> lane & 1 ? 1 | i << 16 : 0;
    n += k;
    s->y += k * powers (i);
    s->columns |= set;
    s->rows |= (uint32_t) (set != 0) << (y + i);
  }
  sum = (own >> 16) + (own & 0xffff) * y;
  s->y = move_powers (s->y, n, y);
  s->n_xy = n + (warp_sum (sum * lane) << 11);
  s->x = warp_sum ((own & 0xffff) * powers (lane));
}

/* Sets the same members for full rows. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
set_full_part (Part *s)
{
  const uint32_t x = powers_below (TILE);
  uint32_t y = first_row_of_warp<WARP_ROWS> ();
  uint32_t sum = move_powers (powers_below (WARP_ROWS), WARP_ROWS, y);

  s->n_xy = TILE * WARP_ROWS | first_power (x) * first_power (sum) << 11;
  s->x = WARP_ROWS * x;
  s->y = TILE * sum;
  s->columns = ALL_LANES;
  s->rows = ((1u << WARP_ROWS) - 1) << y;
}

template <int WARP_ROWS>
static __device__ __forceinline__ bool
are_rows_full (const Rows<WARP_ROWS> &r)
{
  uint32_t all = ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i];
  return all == ALL_LANES;
}

/* Adds all foreground of the warp, which belongs to one piece. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_whole_warp (const GpucclWork &w, const Rows<WARP_ROWS> &r, TileSums *to,
    uint32_t number)
{
  Part s;

  if (are_rows_full (r)) {
    s = column_depth<DEPTH, true> (w, r);
    set_full_part<WARP_ROWS> (&s);
  } else {
    s = column_depth<DEPTH, false> (w, r);
    set_foreground_part (&s, r);
  }
  if (DEPTH) {
    s.z = warp_sum (s.z);
    s.max_z = warp_max_u (s.max_z), s.low_z = warp_max_u (s.low_z);
  }
  if (DEPTH && w.rays.known) {
    s.max_u = warp_max (s.max_u), s.low_u = warp_max (s.low_u);
    s.max_v = warp_max (s.max_v), s.low_v = warp_max (s.low_v);
  }
  if (threadIdx.x % 32 == 0)
    add_part_to_sums<DEPTH> (w, to, number, s);
}

/* Whether the warp has foreground and all of it belongs to one piece.  Sets
 * @number to it. */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_one_piece (const Rows<WARP_ROWS> &r, const uint32_t numbers[WARP_ROWS],
    uint32_t *number)
{
  int lane = threadIdx.x % 32;
  uint32_t set = 0, its = 0;
  bool same = true;

#pragma unroll
  for (int i = WARP_ROWS - 1; i >= 0; i--)
    if (r.foreground[i + 1])
      set = r.foreground[i + 1], its = numbers[i];
  *number = its = __shfl_sync (ALL_LANES, its, __ffs ((int) set) - 1);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    same &= numbers[i] == its || !(r.foreground[i + 1] >> lane & 1);
  return __all_sync (ALL_LANES, same);
}

/* Whether the lane's foreground, if any, belongs to one piece.  Sets @number to
 * it. */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_one_piece_in_lane (const Rows<WARP_ROWS> &r,
    const uint32_t numbers[WARP_ROWS], uint32_t *number)
{
  uint32_t min_number = UINT32_MAX, max_number = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    if (r.foreground[i + 1] >> threadIdx.x % 32 & 1) {
      min_number = min (min_number, numbers[i]);
      max_number = max (max_number, numbers[i]);
    }
  *number = max_number;
  return min_number >= max_number;
}

/* Adds the warp's rows, in a tile with @n pieces; @numbers are those of the
 * lane's pixels. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_warp_rows (const GpucclArgs &a, Tile<WARP_ROWS> *t, uint32_t n,
    const Rows<WARP_ROWS> &r, const uint32_t numbers[WARP_ROWS])
{
  uint32_t one = 0;

  if (is_tile_empty (r))
    return;
  if ((n == 1 || is_one_piece (r, numbers, &one)) && one < NEAR_SUMS) {
    add_whole_warp<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
  if (!any_row_bits (r.left) &&
      __all_sync (ALL_LANES, is_one_piece_in_lane (r, numbers, &one)) &&
      __all_sync (ALL_LANES, one < NEAR_SUMS)) {
    if (any_row_bits (r.foreground) >> threadIdx.x % 32 & 1)
      add_lane_column<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    add_row_of_runs<DEPTH> (a, t, r, i, numbers[i]);
}

/* ---- A tile without foreground ---- */

/* Sets all labels of the tile to 0, four at once if their addresses allow. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
clear_tile_labels (const GpucclArgs &a)
{
  int width = a.w.frame.width, x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  int y0 = blockIdx.y * TILE, y1 = min (y0 + TILE, a.w.frame.height);

  if (threadIdx.x == 0)
    a.p.seams[tile_of_block (a)].used = 0;
  for (int y = y0 + threadIdx.x / 8; y < y1; y += tile_threads<WARP_ROWS> / 8) {
    uint32_t *labels = &a.w.labels[(uint32_t) (y * width + x)];

    if (width % 4 == 0 && x + 3 < width)
      *(uint4 *) labels = make_uint4 (0, 0, 0, 0);
    else
      for (int i = 0; i < 4 && x + i < width; i++)
        labels[i] = 0;
  }
}

/* ---- Pieces ---- */

/* Replaces the labels of the lane's pixels by their roots, all at once and two
 * steps at a time, and numbers the roots. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
number_roots (
    Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r, uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t roots[WARP_ROWS], n = 0, number = 0;
  bool climbs;

  if (is_tile_empty (r))
    return;
  do {
    climbs = false;
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++) {
      uint32_t parent = t->parents[label[i]];

      label[i] = t->parents[parent];
      climbs |= parent != label[i];
    }
  } while (climbs);
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t at =
        (uint32_t) (TILE * (first_row_of_warp<WARP_ROWS> () + i) + lane);

    roots[i] = __ballot_sync (ALL_LANES, label[i] == at) & r.foreground[i + 1];
    n += __popc (roots[i]);
  }
  if (!n)
    return;
  if (lane == 0)
    number = atomicAdd (&t->n, n);
  number = __shfl_sync (ALL_LANES, number, 0);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t own = number + __popc (roots[i] & (mask_of_lanes_to (lane) >> 1));

    number += __popc (roots[i]);
    if (!(roots[i] >> lane & 1))
      continue;
    t->piece[label[i]] = (uint16_t) own;
    if (own < NEAR_SUMS)
      t->roots[own] = label[i];
  }
}

/* Clears the sums of the tile's @n pieces in global memory, for tiles with more
 * pieces than shared memory has room for, and tells the whole block the number
 * of the first piece. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
begin_far_sums (
    const GpucclArgs &a, Tile<WARP_ROWS> *t, uint32_t n, uint32_t first)
{
  if (n <= NEAR_SUMS)
    return;
  if (threadIdx.x == 0)
    t->first = first;
  __syncthreads ();
#pragma unroll 1
  for (uint32_t i = threadIdx.x + NEAR_SUMS; i < n;
       i += tile_threads<WARP_ROWS>)
    if (t->first + i < a.p.max_pieces)
      gpuccl_store_sum (&a.p.pieces[t->first + i], gpuccl_sum_nothing ());
  __threadfence ();
  __syncthreads ();
}

/* Whether the piece is a component of fewer pixels than are reported: no pixel
 * of it is at the tile's edge, so that no other tile adds to it.  Of such
 * components only label and area are read. */
static __device__ __forceinline__ bool
is_small_inside (const GpucclArgs &a, const Part &s)
{
  return !((s.columns | s.rows) & (1u | 1u << (TILE - 1))) &&
      !gpuccl_is_reported (&a.w, part_area (s));
}

/* Writes the sum of piece @i of the tile to @to. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
write_piece_sum (
    const GpucclArgs &a, const Tile<WARP_ROWS> &t, uint32_t i, GpucclSum *to)
{
  Part s = piece_part (t.sums, i);

  if (is_small_inside (a, s))
    *(uint2 *) to =
        make_uint2 (label_of_root (a.w.frame.width, t.roots[i]), part_area (s));
  else
    gpuccl_store_sum (to, frame_sum_of_part<DEPTH> (a.w, s, t.roots[i]));
}

/* Writes the @n pieces to global memory, and labels the starts of runs with
 * them. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
write_pieces (const GpucclArgs &a, const Tile<WARP_ROWS> &t, uint32_t n,
    const Rows<WARP_ROWS> &r, uint32_t numbers[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t at =
      (uint32_t) ((blockIdx.y * TILE + first_row_of_warp<WARP_ROWS> ()) *
              a.w.frame.width +
          blockIdx.x * TILE + lane);

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++, at += (uint32_t) a.w.frame.width) {
    numbers[i] += t.first;
    if (r.foreground[i + 1] & ~r.left[i + 1] & 1u << lane)
      a.w.labels[at] = numbers[i];
  }
  write_edge_pieces<WARP_ROWS> (a, numbers);
  for (uint32_t i = threadIdx.x; i < n; i += tile_threads<WARP_ROWS>) {
    at = t.first + i;
    if (at >= a.p.max_pieces)
      return;
    a.p.parents[at] = at;
    if (i < NEAR_SUMS)
      write_piece_sum<DEPTH> (a, t, i, &a.p.pieces[at]);
  }
}

/* ---- Kernel ---- */

/* Joins the tile's runs, and replaces labels by the numbers of pieces.  Returns
 * the number of pieces. */
template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
find_pieces (Tile<WARP_ROWS> *t, Rows<WARP_ROWS> *r, uint32_t later,
    uint32_t label[WARP_ROWS])
{
  uint32_t n;

  if (first_row_of_warp<WARP_ROWS> ()) {
    read_row_above (*t, r);
    later |= links_of_lane<EIGHT, WARP_ROWS> (upward_links<EIGHT> (*r, 1), 0);
  }
  join_remaining_links (t, later);
  __syncthreads ();
  number_roots (t, *r, label);
  __syncthreads ();
  n = t->n;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    label[i] = n > 1 ? t->piece[label[i]] : 0;
  return n;
}

/* Sums the pieces of the tile.  The first thread meanwhile takes their numbers
 * among all tiles. */
template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
sum_pieces (const GpucclArgs &a, Tile<WARP_ROWS> *t, Rows<WARP_ROWS> *r,
    uint32_t number[WARP_ROWS])
{
  bool solid = are_rows_solid (*r);
  uint32_t later = label_row_runs<EIGHT> (t, *r, solid, number), n = 1,
           first = 0;

  if (!__syncthreads_and (solid))
    n = find_pieces<EIGHT> (t, r, later, number);
  else {
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++)
      number[i] = 0;
    if (threadIdx.x == 0)
      t->roots[0] = 0;
  }
  if (threadIdx.x == 0)
    first = atomicAdd (&a.p.counters->n_pieces, n);
  begin_far_sums (a, t, n, first);
  add_warp_rows<DEPTH> (a, t, n, *r, number);
  if (threadIdx.x == 0 && n <= NEAR_SUMS)
    t->first = first;
  return n;
}

/* Threads at once on a multiprocessor: 40 registers for each, if there are as
 * many.  With more registers and fewer blocks the kernel is slower. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
# define AT_ONCE 1024
#else
# define AT_ONCE 1536
#endif

template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __global__ void
__launch_bounds__ (tile_threads<WARP_ROWS>, AT_ONCE / tile_threads<WARP_ROWS>)
    find_pieces_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Tile<WARP_ROWS> t;
  bool first = threadIdx.x < 32, unknown = false;
  bool last = threadIdx.x >= tile_threads<WARP_ROWS> - 32;
  uint32_t n, number[WARP_ROWS] = {};
  Rows<WARP_ROWS> r;
  Beside b;

  allow_next ();
  if (threadIdx.x == 0)
    t.n = 0;
  if (threadIdx.x <= TILE)
    t.powers_below[threadIdx.x] = powers_below (threadIdx.x);
  read_foreground (a.w, &r, &unknown);
  if (!__syncthreads_or (any_row_bits (r.foreground) | unknown)) {
    clear_tile_labels<WARP_ROWS> (a);
    return;
  }
  if (last)
    b = load_beside<DEPTH> (a.w);
  if (__any_sync (ALL_LANES, unknown))
    count_unknown_in_rows<WARP_ROWS> (a);
  clear_sums<WARP_ROWS> (&t.sums);
  load_row_depths<DEPTH> (a.w, &r);
  link_warp_rows<DEPTH, EIGHT> (a.w.link, &r);
  write_row_words (a, &t, r);
  if (first)
    write_upper_seam<DEPTH, EIGHT> (a, r);
  if (last)
    write_left_seam<DEPTH, EIGHT> (a, b);
  n = sum_pieces<DEPTH, EIGHT> (a, &t, &r, number);
  __syncthreads ();
  write_pieces<DEPTH> (a, t, n, r, number);
}

/* The kernel for the options in @a. */
template <int WARP_ROWS>
static GpucclKernel
pieces_kernel_for (const GpucclArgs *a)
{
  bool eight = a->w.connectivity == 8;

  if (!a->w.frame.depth)
    return eight ? find_pieces_kernel<NONE, true, WARP_ROWS>
                 : find_pieces_kernel<NONE, false, WARP_ROWS>;
  if (a->w.link.bits)
    return eight ? find_pieces_kernel<FINE, true, WARP_ROWS>
                 : find_pieces_kernel<FINE, false, WARP_ROWS>;
  return eight ? find_pieces_kernel<WHOLE, true, WARP_ROWS>
               : find_pieces_kernel<WHOLE, false, WARP_ROWS>;
}

GpucclKernel
gpuccl_tiles_kernel (const GpucclArgs *a)
{
  return pieces_kernel_for<4> (a);
}

GpucclKernel
gpuccl_large_tiles_kernel (const GpucclArgs *a)
{
  return pieces_kernel_for<8> (a);
}
