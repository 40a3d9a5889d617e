/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages as kernels. */
#include "overlay/overlay_core.h"
#include "common/cuda.cuh"

#define TILE 16 /* pixels a side */
#define THREADS (TILE / 2 * TILE / 2)
#define RANGE_THREADS 256

/* Copies those of the first THREADS of @n items that meet the tile, in their
 * order, to @near in shared memory. */
template <typename T>
static __device__ int
gather_in_tile (const T *things, int n, const int tile[2], T near[THREADS])
{
  __shared__ int of_warp[THREADS / 32];
  int t = threadIdx.x, before = 0, all = 0;
  bool meets = t < n &&
      overlay_meets (
          &things[t].box, tile[0], tile[1], tile[0] + TILE, tile[1] + TILE);
  unsigned votes = __ballot_sync (~0u, meets);

  if (t % 32 == 0)
    of_warp[t / 32] = __popc (votes);
  __syncthreads ();
  for (int w = 0; w < THREADS / 32; w++) {
    before += w < t / 32 ? of_warp[w] : 0;
    all += of_warp[w];
  }
  if (meets)
    near[before + __popc (votes & ((1u << t % 32) - 1))] = things[t];
  __syncthreads ();
  return all;
}

/* Pixels (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1), x and y even; a pixel
 * outside of the frame has opacity 0.  Loops over the four are unrolled, so
 * that a quad stays in registers. */
struct Quad {
  int x, y;
  int alpha[4];
  uint8_t colour[4][4];
};

/* The layouts of formats: components, bytes of a sample, and whether two
 * columns and two rows share the chroma. */
template <int COMPONENTS, int BYTES, int SX, int SY> struct Format {
  static constexpr int components = COMPONENTS, bytes = BYTES;
  static __device__ constexpr int shares_columns (int k)
  {
    return k ? SX : 0;
  }
  static __device__ constexpr int shares_rows (int k)
  {
    return k ? SY : 0;
  }
};

/* Sums the opacities, and the colours weighted by them, of pixel @i and of the
 * pixels to its right and below that share its sample of component @k. */
template <typename F>
static __device__ __forceinline__ void
sum_quad (const Quad *q, int k, int i, uint32_t *alpha, uint32_t *sum)
{
  *alpha = *sum = 0;
#pragma unroll
  for (int dy = 0; dy <= F::shares_rows (k); dy++)
#pragma unroll
    for (int dx = 0; dx <= F::shares_columns (k); dx++) {
      int j = i + 2 * dy + dx;

      *alpha += q->alpha[j];
      *sum += q->alpha[j] * q->colour[j][k];
    }
}

/* Blends the quad into the frame.  All samples are read before the first is
 * written, so that their latencies overlap. */
template <typename F>
static __device__ __forceinline__ void
blend_quad (const OverlayScene *s, const Quad *q)
{
  int right = overlay_min (2, s->frame.width - q->x);
  int below = overlay_min (2, s->frame.height - q->y);
  uint32_t old[4][4];

  if (!(q->alpha[0] | q->alpha[1] | q->alpha[2] | q->alpha[3]))
    return;
#pragma unroll
  for (int write = 0; write < 2; write++)
#pragma unroll
    for (int k = 0; k < F::components; k++) {
      const OverlayComponent *c = &s->layout.at[k];
      int stride = s->frame.stride[c->plane];
      uint8_t *first = s->frame.plane[c->plane] +
          (size_t) (q->y >> F::shares_rows (k)) * stride +
          (q->x >> F::shares_columns (k)) * c->step + c->offset;

#pragma unroll
      for (int i = 0; i < 4; i++) {
        uint8_t *at = first + i / 2 * stride + i % 2 * c->step;
        uint32_t alpha, sum;

        if ((F::shares_columns (k) && i % 2) || (F::shares_rows (k) && i / 2))
          continue;
        sum_quad<F> (q, k, i, &alpha, &sum);
        if (!alpha)
          continue;
        if (write)
          overlay_write (F::bytes, s->layout.shift, at,
              overlay_mix (old[k][i], alpha, sum * s->layout.scale,
                  (F::shares_columns (k) ? right : 1) *
                      (F::shares_rows (k) ? below : 1)));
        else
          old[k][i] = overlay_read (F::bytes, s->layout.shift, at);
      }
    }
}

template <typename F>
static __device__ void
paint_quad_texture (const OverlayScene *s, const OverlayStroke *stroke, Quad *q)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    q->alpha[i] = overlay_alpha (255 *
            overlay_texture (s, stroke->kind, s->shapes + stroke->first,
                q->x + i % 2, q->y + i / 2, q->colour[i]),
        stroke->alpha);
  blend_quad<F> (s, q);
}

template <typename F>
static __device__ void
paint_quad_shapes (const OverlayScene *s, const OverlayStroke *stroke,
    const int tile[2], OverlayShape near[THREADS], Quad *q)
{
  int max_cover[4] = {0, 0, 0, 0};

  for (int first = 0; first < stroke->count; first += THREADS) {
    int n = gather_in_tile (
        s->shapes + stroke->first + first, stroke->count - first, tile, near);

    for (int j = 0; j < n; j++) {
      if (!overlay_meets (&near[j].box, q->x, q->y, q->x + 2, q->y + 2))
        continue;
#pragma unroll
      for (int i = 0; i < 4; i++)
        max_cover[i] = overlay_max (max_cover[i],
            near[j].fade *
                overlay_cover (
                    s, stroke->kind, &near[j], q->x + i % 2, q->y + i / 2));
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    q->alpha[i] = overlay_alpha (max_cover[i], stroke->alpha);
#pragma unroll
    for (int k = 0; k < 4; k++)
      q->colour[i][k] = stroke->colour[k];
  }
  blend_quad<F> (s, q);
}

/* A block draws a tile, and a thread draws a quad, whose samples no other
 * thread writes; so a thread blends the strokes in their order. */
template <typename F>
static __global__ void
__launch_bounds__ (THREADS) draw_quads_kernel (OverlayScene s)
{
  __shared__ OverlayStroke strokes[THREADS];
  __shared__ OverlayShape shapes[THREADS];
  const int tile[2] = {(int) blockIdx.x * TILE, (int) blockIdx.y * TILE};
  Quad q;

  q.x = tile[0] + threadIdx.x % (TILE / 2) * 2;
  q.y = tile[1] + threadIdx.x / (TILE / 2) * 2;
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    *(volatile uint32_t *) s.drawn = s.serial;
  for (int first = 0; first < s.n_strokes; first += THREADS) {
    int n =
        gather_in_tile (s.strokes + first, s.n_strokes - first, tile, strokes);

    for (int i = 0; i < n; i++)
      if (strokes[i].kind == OVERLAY_SPRITE || strokes[i].kind == OVERLAY_MAP)
        paint_quad_texture<F> (&s, &strokes[i], &q);
      else
        paint_quad_shapes<F> (&s, &strokes[i], tile, shapes, &q);
  }
}

template <typename F>
static void
launch_draw (const Device *dev, const OverlayScene *s)
{
  dim3 grid (ceil_div (s->frame.width, TILE), ceil_div (s->frame.height, TILE));

  draw_quads_kernel<F><<<grid, THREADS, 0, device_stream (dev)>>> (*s);
}

static const char *
draw_cuda (const Device *dev, const OverlayScene *s)
{
  switch (s->frame.format) {
    case IMAGE_GRAY8:
      launch_draw<Format<1, 1, 0, 0>> (dev, s);
      break;
    case IMAGE_GRAY16:
      launch_draw<Format<1, 2, 0, 0>> (dev, s);
      break;
    case IMAGE_RGB:
    case IMAGE_BGR:
      launch_draw<Format<3, 1, 0, 0>> (dev, s);
      break;
    case IMAGE_RGBA:
    case IMAGE_BGRA:
      launch_draw<Format<4, 1, 0, 0>> (dev, s);
      break;
    case IMAGE_NV12:
    case IMAGE_I420:
      launch_draw<Format<3, 1, 1, 1>> (dev, s);
      break;
    case IMAGE_YUY2:
      launch_draw<Format<3, 1, 1, 0>> (dev, s);
      break;
    case IMAGE_P010:
      launch_draw<Format<3, 2, 1, 1>> (dev, s);
      break;
  }
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* The last block to end sets the range of all blocks. */
static __global__ void
__launch_bounds__ (RANGE_THREADS) range_kernel (OverlayScene s)
{
  int32_t min_order = INT32_MAX, max_order = INT32_MIN;

  for (int y = blockIdx.x; y < s.map.height; y += gridDim.x)
    for (int x = threadIdx.x; x < s.map.width; x += RANGE_THREADS) {
      float v;

      if (overlay_map_value (&s.map, x, y, &v)) {
        min_order = overlay_min (min_order, overlay_order (v));
        max_order = overlay_max (max_order, overlay_order (v));
      }
    }
  min_order = warp_min (min_order);
  max_order = warp_max (max_order);
  if (threadIdx.x % 32 == 0) {
    atomicMin (&s.range->min_order, min_order);
    atomicMax (&s.range->max_order, max_order);
    __threadfence ();
  }
  __syncthreads ();
  if (threadIdx.x == 0 && atomicAdd (&s.range->done, 1u) == gridDim.x - 1) {
    __threadfence ();
    overlay_range_settle (s.range);
  }
}

static const char *
range_cuda (const Device *dev, const OverlayScene *s)
{
  range_kernel<<<overlay_min (s->map.height, 512), RANGE_THREADS, 0,
      device_stream (dev)>>> (*s);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const OverlayStages overlay_stages_cuda = {draw_cuda, range_cuda};
