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
 * What is read is read without a test, from the nearest pixel inside the frame,
 * since words say what counts. */
#include "gpuccl/gpuccl_run.cuh"

/* ---- What a warp and a tile know ---- */

/* The threads of a tile whose warps have @WARP_ROWS rows each. */
template <int WARP_ROWS> constexpr int tile_warps = TILE / WARP_ROWS;
template <int WARP_ROWS> constexpr int tile_threads = 32 * TILE / WARP_ROWS;

static_assert (tile_threads<4> == GPUCCL_TILE_THREADS, "threads of a tile");
static_assert (
    tile_threads<8> == GPUCCL_LARGE_TILE_THREADS, "threads of a tile");

/* The depth that links compare: none, in whole units, or a filtered one. */
enum Depth { NONE, WHOLE, FINE };

/* What a warp knows of its rows; [0] is the row above, of which another warp
 * knows the words.  Bit i of a word is pixel i. */
template <int WARP_ROWS> struct Rows {
  uint32_t depth[WARP_ROWS + 1]; /* of the lane's pixels, as links compare it */
  uint32_t foreground[WARP_ROWS + 1];
  uint32_t left[WARP_ROWS + 1]; /* links inside the tile */
  uint32_t up[WARP_ROWS + 1], up_left[WARP_ROWS + 1], up_right[WARP_ROWS + 1];
};

#define NEAR_SUMS 128 /* in shared memory; of more pieces in global memory */

/* What pieces have so far, about their tile's corner, a field after the other.
 * Minima are kept as maxima of what remains of them, so that few
 * kinds of words are to be set to nothing. */
struct alignas (16) TileSums {
  uint32_t n_x[NEAR_SUMS]; /* pixels, sum of x << 11 */
  uint32_t y[NEAR_SUMS];
  uint32_t columns[NEAR_SUMS], rows[NEAR_SUMS]; /* bit i: it has pixels there */
  uint32_t z[NEAR_SUMS], max_z[NEAR_SUMS], low_z[NEAR_SUMS]; /* 65535 - z */
  int32_t max_u[NEAR_SUMS], low_u[NEAR_SUMS];                /* ~u */
  int32_t max_v[NEAR_SUMS], low_v[NEAR_SUMS];
};

/* A tile while it is looked at. */
template <int WARP_ROWS> struct Tile {
  uint32_t parents[TILE * TILE]; /* of its pixels */
  uint16_t piece[TILE * TILE];   /* of roots: which of the tile's pieces */
  TileSums sums;                 /* of the first pieces */
  uint32_t roots[NEAR_SUMS];
  uint2 last[tile_warps<WARP_ROWS>]; /* of each warp's last row: foreground,
                                        links to left */
  uint32_t n, first;                 /* its pieces; their place among all */
};

/* ---- Rows ---- */

/* The row of the tile where the warp's begin. */
template <int WARP_ROWS>
static __device__ __forceinline__ int
first_row (void)
{
  return threadIdx.x / 32 * WARP_ROWS;
}

/* All columns that have a pixel in the warp's rows. */
template <int N>
static __device__ __forceinline__ uint32_t
any_row (const uint32_t (&words)[N])
{
  uint32_t any = 0;

#pragma unroll
  for (int i = 1; i < N; i++)
    any |= words[i];
  return any;
}

template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_empty (const Rows<WARP_ROWS> &r)
{
  return !any_row (r.foreground);
}

/* Whole units. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
whole_depth (uint32_t depth)
{
  return DEPTH == FINE
      ? (depth + (1u << (BILATERAL_FINE_BITS - 1))) >> BILATERAL_FINE_BITS
      : depth;
}

/* @GROWS: the limit is not the same at all depths.  Elsewhere that the
 * difference is above -limit and below limit is one comparison. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ bool
linked (const GpucclLink &l, uint32_t a, uint32_t b)
{
  uint32_t max_step = min (l.limit, 1u << 30) - 1; /* no depth comes near it */

  if (!DEPTH)
    return true;
  return GROWS ? gpuccl_linked (&l, a, b) : a - b + max_step <= 2 * max_step;
}

/* ---- The map ---- */

static __device__ __forceinline__ bool
is_inside (const GpucclFrame &f, int x, int y)
{
  return (uint32_t) x < (uint32_t) f.width &&
      (uint32_t) y < (uint32_t) f.height;
}

/* The map's value at (x, y) or at the nearest pixel to it; without a map any.
 */
static __device__ __forceinline__ uint8_t
value_at (const GpucclFrame &f, int x, int y)
{
  if (f.source == GPUCCL_DEPTH_ONLY)
    return 0;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  return f.map[(int64_t) y * f.map_stride + x * f.map_step];
}

/* Whether (x, y) is foreground, @value being what value_at () says. */
static __device__ __forceinline__ bool
is_set (const GpucclWork &w, int x, int y, uint8_t value)
{
  return is_inside (w.frame, x, y) &&
      (w.frame.source == GPUCCL_DEPTH_ONLY ||
          gpuccl_is_foreground (&w.values, value));
}

/* The warp's rows, a pixel a lane; pixels outside, of a tile that is not
 * @WHOLE, are read from inside.  @unknown: the lane has seen one of no known
 * meaning.  Values of foreground do not wrap, so that one comparison does. */
template <bool WHOLE, int WARP_ROWS>
static __device__ __forceinline__ void
look_at_map (const GpucclWork &w, Rows<WARP_ROWS> *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;
  int x = blockIdx.x * TILE + threadIdx.x % 32, x1 = f.width - 1;
  int y = blockIdx.y * TILE + first_row<WARP_ROWS> (), y1 = f.height - 1;
  uint32_t values[WARP_ROWS], max_value = 0;
  const uint8_t *column = f.map + (WHOLE ? x : min (x, x1)) * f.map_step;

  asm("" : "+l"(column)); /* one address for all rows, not its parts */
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    values[i] = __ldg (
        column + (int64_t) (WHOLE ? y + i : min (y + i, y1)) * f.map_stride);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    bool set = values[i] - w.values.first <= w.values.span;

    max_value = max (max_value, values[i]);
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, set && (WHOLE || (x <= x1 && y + i <= y1)));
  }
  *unknown = max_value > w.values.last;
}

/* Without a map: all pixels inside. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
look_at_nothing (const GpucclFrame &f, Rows<WARP_ROWS> *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row<WARP_ROWS> ();

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, x < f.width && y + i < f.height);
}

/* The foreground of the warp's rows, but for its depth. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
look (const GpucclWork &w, Rows<WARP_ROWS> *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;

  if (f.source == GPUCCL_DEPTH_ONLY)
    look_at_nothing (f, r);
  else if ((int) (blockIdx.x + 1) * TILE <= f.width &&
      (int) (blockIdx.y + 1) * TILE <= f.height)
    look_at_map<true> (w, r, unknown);
  else
    look_at_map<false> (w, r, unknown);
}

/* Counts the pixels of no known meaning in the warp's rows. */
template <int WARP_ROWS>
static __device__ __noinline__ void
count_unknown (const GpucclArgs &a)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row<WARP_ROWS> ();
  uint32_t n = 0;

  for (int i = 0; i < WARP_ROWS; i++)
    n += is_inside (a.w.frame, x, y + i) &&
        value_at (a.w.frame, x, y + i) > a.w.values.last;
  n = warp_sum (n);
  if (threadIdx.x % 32 == 0 && n)
    atomicAdd (&a.p.counters->n_unknown, n);
}

/* ---- Depth ---- */

/* The depth of pixel (x, y) or of the nearest to it, as links compare it. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
depth_at (const GpucclWork &w, int x, int y)
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

/* Depths of the rows; what has none is background.  Of the row above the first
 * warp looks at the foreground itself; the others learn it later. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
load_depth (const GpucclWork &w, Rows<WARP_ROWS> *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * WARP_ROWS - 1;
  bool above = true;

#pragma unroll
  for (int i = 0; i <= WARP_ROWS; i++)
    r->depth[i] = depth_at<DEPTH> (w, x, y + i);
  if (threadIdx.x < 32)
    above = is_set (w, x, y, value_at (w.frame, x, y)) &&
        (!DEPTH || whole_depth<DEPTH> (r->depth[0]));
  r->foreground[0] = __ballot_sync (ALL_LANES, above);
  if (DEPTH)
#pragma unroll
    for (int i = 1; i <= WARP_ROWS; i++)
      r->foreground[i] &=
          __ballot_sync (ALL_LANES, whole_depth<DEPTH> (r->depth[i]) != 0);
}

/* A pixel of the tile's first column, and the one on its left. */
struct Beside {
  uint32_t depth, depth_left;
  uint8_t value, value_left;
};

/* A lane a row; on its way while the warp's own rows are. */
template <Depth DEPTH>
static __device__ __forceinline__ Beside
load_beside (const GpucclWork &w)
{
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE + threadIdx.x % 32;

  return {depth_at<DEPTH> (w, x, y), depth_at<DEPTH> (w, x - 1, y),
      value_at (w.frame, x, y), value_at (w.frame, x - 1, y)};
}

/* ---- Links ---- */

/* The links of row @i to the corners above, of eight neighbours. */
template <Depth DEPTH, bool GROWS, int WARP_ROWS>
static __device__ __forceinline__ void
link_corners (const GpucclLink &l, Rows<WARP_ROWS> *r, int i)
{
  uint32_t own = r->depth[i], above = r->depth[i - 1];
  uint32_t set = r->foreground[i], up = r->foreground[i - 1];
  uint32_t left = __shfl_up_sync (ALL_LANES, above, 1);
  uint32_t right = __shfl_down_sync (ALL_LANES, above, 1);

  r->up_left[i] = set & up << 1 &
      __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, left));
  r->up_right[i] = set & up >> 1 &
      __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, right));
}

template <Depth DEPTH, bool EIGHT, bool GROWS, int WARP_ROWS>
static __device__ __forceinline__ void
link_all (const GpucclLink &l, Rows<WARP_ROWS> *r)
{
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++) {
    uint32_t own = r->depth[i], set = r->foreground[i];
    uint32_t left = __shfl_up_sync (ALL_LANES, own, 1);

    r->left[i] = set & set << 1;
    r->up[i] = set & r->foreground[i - 1];
    r->up_left[i] = r->up_right[i] = 0;
    if (DEPTH) {
      r->left[i] &=
          __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, left));
      r->up[i] &= __ballot_sync (
          ALL_LANES, linked<DEPTH, GROWS> (l, own, r->depth[i - 1]));
    }
    if (EIGHT)
      link_corners<DEPTH, GROWS> (l, r, i);
  }
}

template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ void
link_rows (const GpucclLink &l, Rows<WARP_ROWS> *r)
{
  if (DEPTH && l.k)
    link_all<DEPTH, EIGHT, true> (l, r);
  else
    link_all<DEPTH, EIGHT, false> (l, r);
}

/* ---- Seams: what others know of the tile ---- */

static __device__ __forceinline__ uint32_t
this_tile (const GpucclArgs &a)
{
  return blockIdx.y * a.p.tiles_x + blockIdx.x;
}

/* Whether (x, y) of map value @value and depth @z is foreground. */
template <Depth DEPTH>
static __device__ __forceinline__ bool
is_foreground (const GpucclWork &w, int x, int y, uint8_t value, uint32_t z)
{
  return is_set (w, x, y, value) && (!DEPTH || whole_depth<DEPTH> (z));
}

template <Depth DEPTH>
static __device__ __forceinline__ bool
linked_at_all (const GpucclLink &l, uint32_t a, uint32_t b)
{
  return DEPTH && l.k ? linked<DEPTH, true> (l, a, b)
                      : linked<DEPTH, false> (l, a, b);
}

/* By the first warp: links of the tile's first row, to both corners too. */
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
      uint32_t z = depth_at<DEPTH> (a.w, x, y);
      uint8_t value = value_at (a.w.frame, x, y);

      link = is_foreground<DEPTH> (a.w, x, y, value, z) &&
          linked_at_all<DEPTH> (a.w.link, r.depth[1], z);
    }
    up_right = __ballot_sync (ALL_LANES, link);
    up_left = r.up_left[1] | (up_right & 1);
    up_right = r.up_right[1] | (up_right & 1u << 31);
  }
  if (threadIdx.x == 0)
    *(uint4 *) &a.p.seams[this_tile (a)].up =
        make_uint4 (r.up[1], up_left, up_right, 1);
}

/* By one warp, a lane a row: links of the tile's first column, but to corners,
 * which are the upper seams'. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_left_seam (const GpucclArgs &a, const Beside &b)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  int y = blockIdx.y * TILE + lane;
  uint32_t own = b.depth, other = b.depth_left, left_up = 0, left_down = 0;
  uint32_t set =
      __ballot_sync (ALL_LANES, is_foreground<DEPTH> (a.w, x, y, b.value, own));
  uint32_t beside = __ballot_sync (
      ALL_LANES, is_foreground<DEPTH> (a.w, x - 1, y, b.value_left, other));
  uint32_t left = set & beside &
      __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, other));

  if (EIGHT) {
    uint32_t up = __shfl_up_sync (ALL_LANES, other, 1);
    uint32_t down = __shfl_down_sync (ALL_LANES, other, 1);

    left_up = set & beside << 1 &
        __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, up));
    left_down = set & beside >> 1 &
        __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, down));
  }
  if (lane == 0)
    *(uint4 *) &a.p.seams[this_tile (a)].left =
        make_uint4 (left, left_up, left_down, 0);
}

/* To others of the tile too: the last of the rows. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
write_rows (const GpucclArgs &a, Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r)
{
  uint4 *two =
      (uint4 *) &a.p.rows[this_tile (a) * TILE + threadIdx.x / 32 * WARP_ROWS];

  if (threadIdx.x % 32)
    return;
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i += 2)
    two[i / 2] = make_uint4 (r.foreground[i], r.foreground[i] & ~r.left[i],
        r.foreground[i + 1], r.foreground[i + 1] & ~r.left[i + 1]);
  t->last[threadIdx.x / 32] =
      make_uint2 (r.foreground[WARP_ROWS], r.left[WARP_ROWS]);
}

/* What the warp above has written of the row above. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
see_above (const Tile<WARP_ROWS> &t, Rows<WARP_ROWS> *r)
{
  uint2 above = t.last[threadIdx.x / 32 - 1];

  r->foreground[0] = above.x;
  r->left[0] = above.y;
  r->up[1] &= above.x;
  r->up_left[1] &= above.x << 1;
  r->up_right[1] &= above.x >> 1;
}

/* The pieces of the tile's edges, @pieces being those of the lane's pixels. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
write_edges (const GpucclArgs &a, const uint32_t pieces[WARP_ROWS])
{
  GpucclEdges *e = &a.p.edges[this_tile (a)];
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

/* Within a warp's rows a run takes the label of the first above it that it must
 * be united with; what is left, further ones and those of other warps, is
 * united in shared memory. */

/* The pixels of the run that starts at @lane: one more at its start is carried
 * to behind its end. */
static __device__ __forceinline__ uint32_t
run_mask (uint32_t left, int lane)
{
  uint32_t linked = left >> 1;

  return linked ^ (linked + (1u << lane));
}

/* Whether the warp's rows are full, and each hangs together and with the one
 * above, if that is full as another warp knows: most tiles of a large component
 * are in all their rows. */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_solid (const Rows<WARP_ROWS> &r)
{
  uint32_t all = first_row<WARP_ROWS> () ? r.up[1] : ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i] & (r.left[i] | 1) & (i > 1 ? r.up[i] : ALL_LANES);
  return all == ALL_LANES;
}

/* Where a row's links upwards lead to: bit i is pixel i.  What follows from
 * others is left out. */
struct Upwards {
  uint32_t up, left, right;
};

template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ Upwards
upwards (const Rows<WARP_ROWS> &r, int i)
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

/* The lane's links of @u as bits of what is yet to be looked at in row @i: up,
 * to the left and to the right of it. */
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

/* The label of the lane's @run, whose own is @label, @above being those of the
 * row above: that of the first run there that it must be united with, if there
 * is one.  That link is taken from @u. */
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

/* The label of the run that holds the lane's pixel, row by row: where it
 * starts, or the label of the first run above it that it must be united with,
 * if that is the warp's too; of @solid rows the first pixel.  Background is a
 * run of its own.  Returns the lane's links that are yet to be looked at, but
 * for those of the first row. */
template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
label_rows (Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r, bool solid,
    uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t base = (uint32_t) (TILE * first_row<WARP_ROWS> ()), later = 0;

  if (is_empty (r))
    return 0;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    if (solid)
      label[i] = base;
    else {
      uint32_t left = r.left[i + 1];
      int start = start_of (~left, lane);

      label[i] = base + (uint32_t) (TILE * i + start);
      if (i) {
        Upwards u = upwards<EIGHT> (r, i + 1);

        if (u.up | u.left | u.right) {
          label[i] = label_from_above<EIGHT> (
              &u, run_mask (left, start), label[i], label[i - 1]);
          later |= links_of_lane<EIGHT, WARP_ROWS> (u, i);
        }
      }
    }
    t->parents[base + TILE * i + lane] = label[i];
  }
  return later;
}

/* Unites the lane's runs with those above over the links that are left: lanes
 * go through their own, whatever their rows. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
unite_rows (Tile<WARP_ROWS> *t, uint32_t later)
{
  for (; later; later &= later - 1) {
    int bit = __ffs ((int) later) - 1, side = bit / WARP_ROWS;
    int at = TILE * (first_row<WARP_ROWS> () + bit % WARP_ROWS) +
        (int) threadIdx.x % 32;
    int above = at - TILE + (side == 2) - (side == 1);
    uint32_t i = union_parent (t->parents, at),
             j = union_parent (t->parents, above);

    if (i != j)
      union_join (t->parents, i, j);
  }
}

/* ---- Sums of pieces, in the tile and then in the frame ---- */

#define UNSIGNED_SUMS 7 /* fields of TileSums, which come first */
#define N_SUMS 11

static __device__ __forceinline__ void
clear_field (TileSums *s, int field)
{
  uint32_t none = field < UNSIGNED_SUMS ? 0 : (uint32_t) INT32_MIN;

  ((uint4 *) s)[field * NEAR_SUMS / 4 + threadIdx.x % 32] =
      make_uint4 (none, none, none, none);
}

/* Before anything is added, by the whole block: a warp a field. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
clear_sums (TileSums *s)
{
#pragma unroll
  for (int i = 0; i < N_SUMS; i += tile_warps<WARP_ROWS>)
    if (i + threadIdx.x / 32 < N_SUMS)
      clear_field (s, i + threadIdx.x / 32);
}

/* What a run, or some rows, add to a piece; as in TileSums. */
struct Part {
  uint32_t n_x, y, columns, rows;
  uint32_t z, max_z, low_z;
  int32_t max_u, low_u, max_v, low_v;
};

template <Depth DEPTH>
static __device__ __forceinline__ void
add_part (const GpucclWork &w, TileSums *to, uint32_t number, const Part &s)
{
  atomicAdd (&to->n_x[number], s.n_x);
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

/* The range of rays between minimum and maximum depth, in a row or column. */
static __device__ __forceinline__ void
set_rays (int32_t *max_ray, int32_t *low, GpucclCentre c, int at, const Part &s)
{
  int32_t a = gpuccl_ray (c, at, 65535 - s.low_z);
  int32_t b = gpuccl_ray (c, at, s.max_z);

  *max_ray = max (a, b);
  *low = ~min (a, b);
}

/* @root: the piece's pixel of smallest raster index. */
template <Depth DEPTH>
static __device__ __forceinline__ GpucclSum
frame_sum (const GpucclWork &w, const Part &s, uint32_t root)
{
  uint32_t X = blockIdx.x * TILE, Y = blockIdx.y * TILE, n = s.n_x & 0x7ff;
  bool known = DEPTH && w.rays.known;
  GpucclSum f;

  f.label = 1 + (Y + root / TILE) * w.frame.width + X + root % TILE;
  f.area = n;
  f.x = (s.n_x >> 11) + n * X;
  f.y = s.y + n * Y;
  f.z = DEPTH ? s.z : 0;
  f.box.x0 = (int) X + __ffs ((int) s.columns) - 1;
  f.box.x1 = (int) X + 32 - __clz ((int) s.columns);
  f.box.y0 = (int) Y + __ffs ((int) s.rows) - 1;
  f.box.y1 = (int) Y + 32 - __clz ((int) s.rows);
  f.min_z = DEPTH ? 65535 - s.low_z : 0, f.max_z = DEPTH ? s.max_z : 0;
  f.min_u = known ? ~s.low_u : 0, f.max_u = known ? s.max_u : 0;
  f.min_v = known ? ~s.low_v : 0, f.max_v = known ? s.max_v : 0;
  return f;
}

/* What is added up of a piece. */
static __device__ __forceinline__ Part
part_of (const TileSums &s, uint32_t number)
{
  return {s.n_x[number], s.y[number], s.columns[number], s.rows[number],
      s.z[number], s.max_z[number], s.low_z[number], s.max_u[number],
      s.low_u[number], s.max_v[number], s.low_v[number]};
}

/* A run of a piece beyond the sums in shared memory. */
template <Depth DEPTH>
static __device__ __noinline__ void
add_far (const GpucclWork &w, GpucclSum *to, Part run, uint32_t start)
{
  gpuccl_add_sum (to, frame_sum<DEPTH> (w, run, start));
}

/* ---- Sums of runs: depth over lanes, the rest has a closed form ---- */

/* What runs have in depth: the sum; the greatest of 65535 - z, and of z, in the
 * upper and lower half of one word; of u and of ~u. */
struct RunDepth {
  uint32_t sum, ends;
  int32_t max_u, low_u;
};

/* Of each run of a row, in the lane of its start.  Each lane adds what the one
 * has that is 1, 2, 4 ... to its right, as far as its run goes.
 *
 * cub::WarpReduce reduces by segments, too, but always in five steps, and asks
 * the lanes for flags first.  Here @left has those already, and the loop ends
 * with the longest run, which is short in noise. */
template <bool RAYS>
static __device__ __forceinline__ void
add_up_runs (RunDepth *s, uint32_t left)
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

/* The same in full; @z of the lane's pixel (x, y). */
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
    add_up_runs<true> (&d, left);
  } else
    add_up_runs<false> (&d, left);
  s.z = d.sum;
  s.max_z = d.ends & 65535, s.low_z = d.ends >> 16;
  s.max_u = d.max_u, s.low_u = d.low_u;
  if (w.rays.known) /* in a row, v goes one way with z */
    set_rays (&s.max_v, &s.low_v, w.rays.y, y, s);
  return s;
}

/* The run that starts at the lane's pixel, in row @y of the tile. */
static __device__ __forceinline__ void
set_run (Part *s, uint32_t left, int y)
{
  int x = threadIdx.x % 32;
  uint32_t n;

  s->columns = run_mask (left, x);
  s->rows = 1u << y;
  n = (uint32_t) __popc (s->columns);
  s->n_x = n | (n * (2 * x + n - 1) / 2) << 11;
  s->y = n * (uint32_t) y;
}

/* Adds the runs of row @i of the warp's; @number: of the lane's pixel. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_row (const GpucclArgs &a, Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r,
    int i, uint32_t number)
{
  int lane = threadIdx.x % 32, row = first_row<WARP_ROWS> () + i;
  uint32_t left = r.left[i + 1], starts = r.foreground[i + 1] & ~left;
  Part s;

  if (!starts)
    return;
  s = run_depth<DEPTH> (a.w, left, whole_depth<DEPTH> (r.depth[i + 1]),
      blockIdx.x * TILE + lane, blockIdx.y * TILE + row);
  if (!(starts >> lane & 1))
    return;
  set_run (&s, left, row);
  if (number < NEAR_SUMS)
    add_part<DEPTH> (a.w, &t->sums, number, s);
  else if (t->first + number < a.p.max_pieces)
    add_far<DEPTH> (
        a.w, &a.p.pieces[t->first + number], s, TILE * (uint32_t) row + lane);
}

/* ---- Sums of rows: where all are of one piece the warp adds up first, where
 * columns are a lane does; elsewhere runs are added ---- */

/* What the lane's pixels have in depth: in a column u goes one way with z.
 * @FULL: all are foreground. */
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
    set_rays (&s.max_u, &s.low_u, w.rays.x, blockIdx.x * TILE + lane, s);
  return s;
}

/* Adds the lane's pixels, which are of one piece. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_column (const GpucclWork &w, const Rows<WARP_ROWS> &r, TileSums *to,
    uint32_t number)
{
  int lane = threadIdx.x % 32, y = threadIdx.x / 32 * WARP_ROWS;
  Part s = column_depth<DEPTH, false> (w, r);
  uint32_t n = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t set = r.foreground[i + 1] >> lane & 1;

    n += set;
    s.y += set * (uint32_t) (y + i);
    s.rows |= set << (y + i);
  }
  s.n_x = n | n * (uint32_t) lane << 11;
  s.columns = 1u << lane;
  add_part<DEPTH> (w, to, number, s);
}

/* Where the warp's foreground lies. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
set_pixels (Part *s, const Rows<WARP_ROWS> &r)
{
  uint32_t lane = threadIdx.x % 32, x = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t y = threadIdx.x / 32 * WARP_ROWS + i, set = r.foreground[i + 1];
    uint32_t n = (uint32_t) __popc (set);

    x += set >> lane & 1 ? lane : 0;
    s->n_x += n;
    s->y += n * y;
    s->columns |= set;
    s->rows |= (uint32_t) (set != 0) << y;
  }
  s->n_x += warp_sum (x) << 11;
}

/* The same of full rows. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
set_all_pixels (Part *s)
{
  uint32_t y = threadIdx.x / 32 * WARP_ROWS;

  s->n_x = TILE * WARP_ROWS | (TILE * (TILE - 1) / 2 * WARP_ROWS) << 11;
  s->y = TILE * (WARP_ROWS * y + WARP_ROWS * (WARP_ROWS - 1) / 2);
  s->columns = ALL_LANES;
  s->rows = ((1u << WARP_ROWS) - 1) << y;
}

template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_full (const Rows<WARP_ROWS> &r)
{
  uint32_t all = ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i];
  return all == ALL_LANES;
}

/* Adds all the warp's foreground: it is of one piece. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_warp (const GpucclWork &w, const Rows<WARP_ROWS> &r, TileSums *to,
    uint32_t number)
{
  Part s;

  if (is_full (r)) {
    s = column_depth<DEPTH, true> (w, r);
    set_all_pixels<WARP_ROWS> (&s);
  } else {
    s = column_depth<DEPTH, false> (w, r);
    set_pixels (&s, r);
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
    add_part<DEPTH> (w, to, number, s);
}

/* Whether all the warp's foreground, of which there is some, has one number,
 * then @number. */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_of_one (const Rows<WARP_ROWS> &r, const uint32_t numbers[WARP_ROWS],
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

/* Whether the lane's foreground, if there is any, has one number, then @number.
 */
template <int WARP_ROWS>
static __device__ __forceinline__ bool
is_column (const Rows<WARP_ROWS> &r, const uint32_t numbers[WARP_ROWS],
    uint32_t *number)
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

/* Adds the warp's rows, in a tile of @n pieces; @numbers: of the lane's pixels.
 */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
add_rows (const GpucclArgs &a, Tile<WARP_ROWS> *t, uint32_t n,
    const Rows<WARP_ROWS> &r, const uint32_t numbers[WARP_ROWS])
{
  uint32_t one = 0;

  if (is_empty (r))
    return;
  if ((n == 1 || is_of_one (r, numbers, &one)) && one < NEAR_SUMS) {
    add_warp<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
  if (!any_row (r.left) &&
      __all_sync (ALL_LANES, is_column (r, numbers, &one)) &&
      __all_sync (ALL_LANES, one < NEAR_SUMS)) {
    if (any_row (r.foreground) >> threadIdx.x % 32 & 1)
      add_column<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    add_row<DEPTH> (a, t, r, i, numbers[i]);
}

/* ---- A tile without foreground ---- */

/* All labels of the tile are 0, four of them at once where they can be. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
clear_labels (const GpucclArgs &a)
{
  int width = a.w.frame.width, x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  int y0 = blockIdx.y * TILE, y1 = min (y0 + TILE, a.w.frame.height);

  if (threadIdx.x == 0)
    a.p.seams[this_tile (a)].used = 0;
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

/* From the labels of the lane's pixels to their roots, all at once and two
 * steps at a time; roots are numbered. */
template <int WARP_ROWS>
static __device__ __forceinline__ void
number_roots (
    Tile<WARP_ROWS> *t, const Rows<WARP_ROWS> &r, uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t roots[WARP_ROWS], n = 0, number = 0;
  bool climbs;

  if (is_empty (r))
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
    uint32_t at = (uint32_t) (TILE * (first_row<WARP_ROWS> () + i) + lane);

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
    uint32_t own = number + __popc (roots[i] & (lanes_to (lane) >> 1));

    number += __popc (roots[i]);
    if (!(roots[i] >> lane & 1))
      continue;
    t->piece[label[i]] = (uint16_t) own;
    if (own < NEAR_SUMS)
      t->roots[own] = label[i];
  }
}

/* Makes the sums of the tile's @n pieces in global memory, for tiles with more
 * pieces than shared memory holds; the pieces' place is then known to all. */
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
  for (uint32_t i = threadIdx.x + NEAR_SUMS; i < n;
       i += tile_threads<WARP_ROWS>)
    if (t->first + i < a.p.max_pieces)
      a.p.pieces[t->first + i] = gpuccl_sum_nothing ();
  __threadfence ();
  __syncthreads ();
}

/* Gives the @n pieces away; starts of runs are labelled with theirs. */
template <Depth DEPTH, int WARP_ROWS>
static __device__ __forceinline__ void
write_pieces (const GpucclArgs &a, const Tile<WARP_ROWS> &t, uint32_t n,
    const Rows<WARP_ROWS> &r, uint32_t numbers[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t at = (uint32_t) ((blockIdx.y * TILE + first_row<WARP_ROWS> ()) *
          a.w.frame.width +
      blockIdx.x * TILE + lane);

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++, at += (uint32_t) a.w.frame.width) {
    numbers[i] += t.first;
    if (r.foreground[i + 1] & ~r.left[i + 1] & 1u << lane)
      a.w.labels[at] = numbers[i];
  }
  write_edges<WARP_ROWS> (a, numbers);
  for (uint32_t i = threadIdx.x; i < n; i += tile_threads<WARP_ROWS>) {
    at = t.first + i;
    if (at >= a.p.max_pieces)
      return;
    a.p.parents[at] = at;
    if (i < NEAR_SUMS)
      a.p.pieces[at] = frame_sum<DEPTH> (a.w, part_of (t.sums, i), t.roots[i]);
  }
}

/* ---- Kernel ---- */

/* Unites the tile's runs, and turns labels into the numbers of pieces; returns
 * how many there are. */
template <bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
find_pieces (Tile<WARP_ROWS> *t, Rows<WARP_ROWS> *r, uint32_t later,
    uint32_t label[WARP_ROWS])
{
  uint32_t n;

  if (first_row<WARP_ROWS> ()) {
    see_above (*t, r);
    later |= links_of_lane<EIGHT, WARP_ROWS> (upwards<EIGHT> (*r, 1), 0);
  }
  unite_rows (t, later);
  __syncthreads ();
  number_roots (t, *r, label);
  __syncthreads ();
  n = t->n;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    label[i] = n > 1 ? t->piece[label[i]] : 0;
  return n;
}

/* The pieces of the tile, whose place the first thread asks for while all add
 * up. */
template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __device__ __forceinline__ uint32_t
sum_pieces (const GpucclArgs &a, Tile<WARP_ROWS> *t, Rows<WARP_ROWS> *r,
    uint32_t number[WARP_ROWS])
{
  bool solid = is_solid (*r);
  uint32_t later = label_rows<EIGHT> (t, *r, solid, number), n = 1, first = 0;

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
  add_rows<DEPTH> (a, t, n, *r, number);
  if (threadIdx.x == 0 && n <= NEAR_SUMS)
    t->first = first;
  return n;
}

/* Threads at once on a multiprocessor: 40 registers each, if there is room;
 * with more of them and fewer blocks it is slower. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
# define AT_ONCE 1024
#else
# define AT_ONCE 1536
#endif

template <Depth DEPTH, bool EIGHT, int WARP_ROWS>
static __global__ void
__launch_bounds__ (tile_threads<WARP_ROWS>, AT_ONCE / tile_threads<WARP_ROWS>)
    tiles_kernel (const __grid_constant__ GpucclArgs a)
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
  look (a.w, &r, &unknown);
  if (!__syncthreads_or (any_row (r.foreground) | unknown)) {
    clear_labels<WARP_ROWS> (a);
    return;
  }
  if (last)
    b = load_beside<DEPTH> (a.w);
  if (__any_sync (ALL_LANES, unknown))
    count_unknown<WARP_ROWS> (a);
  clear_sums<WARP_ROWS> (&t.sums);
  load_depth<DEPTH> (a.w, &r);
  link_rows<DEPTH, EIGHT> (a.w.link, &r);
  write_rows (a, &t, r);
  if (first)
    write_upper_seam<DEPTH, EIGHT> (a, r);
  if (last)
    write_left_seam<DEPTH, EIGHT> (a, b);
  n = sum_pieces<DEPTH, EIGHT> (a, &t, &r, number);
  __syncthreads ();
  write_pieces<DEPTH> (a, t, n, r, number);
}

/* The kernel that @a wants. */
template <int WARP_ROWS>
static GpucclKernel
tiles_kernel_for (const GpucclArgs *a)
{
  bool eight = a->w.connectivity == 8;

  if (!a->w.frame.depth)
    return eight ? tiles_kernel<NONE, true, WARP_ROWS>
                 : tiles_kernel<NONE, false, WARP_ROWS>;
  if (a->w.link.bits)
    return eight ? tiles_kernel<FINE, true, WARP_ROWS>
                 : tiles_kernel<FINE, false, WARP_ROWS>;
  return eight ? tiles_kernel<WHOLE, true, WARP_ROWS>
               : tiles_kernel<WHOLE, false, WARP_ROWS>;
}

GpucclKernel
gpuccl_tiles_kernel (const GpucclArgs *a)
{
  return tiles_kernel_for<4> (a);
}

GpucclKernel
gpuccl_large_tiles_kernel (const GpucclArgs *a)
{
  return tiles_kernel_for<8> (a);
}
