/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages as kernels. */
#include "overlay/overlay_core.h"
#include "common/cuda.cuh"

#define THREADS 256
#define TILE 32 /* pixels a side: a thread has a quad */

/* The strokes from @first on that meet the tile, in drawing order. */
static __device__ int
gather (const OverlayScene *s, int first, int x, int y, int near[THREADS])
{
  __shared__ int of_warp[THREADS / 32];
  int t = threadIdx.x, i = first + t, before = 0, n = 0;
  bool meets = i < s->n_strokes &&
      overlay_meets (&s->strokes[i].box, x, y, x + TILE, y + TILE);
  unsigned votes = __ballot_sync (~0u, meets);

  if (t % 32 == 0)
    of_warp[t / 32] = __popc (votes);
  __syncthreads ();
  for (int w = 0; w < THREADS / 32; w++) {
    before += w < t / 32 ? of_warp[w] : 0;
    n += of_warp[w];
  }
  if (meets)
    near[before + __popc (votes & ((1u << t % 32) - 1))] = i;
  __syncthreads ();
  return n;
}

/* What @s->layout makes of the quad's component @k: one sample, or two, or four
 * are stored. */
static __device__ void
blend (const OverlayScene *s, int k, const uint8_t alpha[4],
    const uint8_t colour[4][4], int x, int y)
{
  const OverlayComponent *c = &s->layout.at[k];
  int across = 1 + c->sx, down = 1 + c->sy;

  for (int dy = 0; dy < 2; dy += down)
    for (int dx = 0; dx < 2; dx += across) {
      int right = overlay_min (dx + across, s->frame.width - x);
      int bottom = overlay_min (dy + down, s->frame.height - y);
      uint32_t a = 0, sum = 0;

      for (int i = dy; i < bottom; i++)
        for (int j = dx; j < right; j++) {
          a += alpha[2 * i + j];
          sum += alpha[2 * i + j] * colour[2 * i + j][k];
        }
      if (a)
        overlay_blend (&s->layout, overlay_at (&s->frame, c, x + dx, y + dy), a,
            sum, (right - dx) * (bottom - dy));
    }
}

/* Draws a stroke into four pixels: x and y are even. */
static __device__ void
paint (const OverlayScene *s, const OverlayStroke *stroke, int x, int y)
{
  const OverlayShape *shapes = s->shapes + stroke->first;
  uint8_t alpha[4], colour[4][4];
  int any = 0;

  for (int i = 0; i < 4; i++) {
    int px = x + (i & 1), py = y + (i >> 1), most = 0;

    if (stroke->kind == OVERLAY_SPRITE || stroke->kind == OVERLAY_MAP)
      most = 255 * overlay_texture (s, stroke->kind, shapes, px, py, colour[i]);
    else {
      for (int n = 0; n < stroke->count; n++)
        most = overlay_max (most,
            shapes[n].fade *
                overlay_cover (s, stroke->kind, &shapes[n], px, py));
      for (int k = 0; k < 4; k++)
        colour[i][k] = stroke->colour[k];
    }
    alpha[i] = (uint8_t) overlay_alpha (most, stroke);
    any |= alpha[i];
  }
  if (any)
    for (int k = 0; k < s->layout.components; k++)
      blend (s, k, alpha, colour, x, y);
}

/* A block has a tile, a thread a quad, which no other thread touches: so the
 * strokes are blended in their order. */
static __global__ void
__launch_bounds__ (THREADS) draw_kernel (OverlayScene s)
{
  __shared__ int near[THREADS];
  int tx = blockIdx.x * TILE, ty = blockIdx.y * TILE;
  int x = tx + threadIdx.x % (TILE / 2) * 2;
  int y = ty + threadIdx.x / (TILE / 2) * 2;

  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    *(volatile uint32_t *) s.drawn = s.serial;
  for (int first = 0; first < s.n_strokes; first += THREADS) {
    int n = gather (&s, first, tx, ty, near);

    for (int i = 0; i < n; i++) {
      const OverlayStroke *stroke = &s.strokes[near[i]];

      if (overlay_meets (&stroke->box, x, y, x + 2, y + 2))
        paint (&s, stroke, x, y);
    }
    __syncthreads ();
  }
}

static const char *
draw (const Device *dev, const OverlayScene *s)
{
  dim3 grid (ceil_div (s->frame.width, TILE), ceil_div (s->frame.height, TILE));

  draw_kernel<<<grid, THREADS, 0, device_stream (dev)>>> (*s);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* The last block to finish settles what all have found. */
static __global__ void
__launch_bounds__ (THREADS) range_kernel (OverlayScene s)
{
  int32_t least = INT32_MAX, most = INT32_MIN;
  int across = s.map.width;

  for (int y = blockIdx.x; y < s.map.height; y += gridDim.x)
    for (int x = threadIdx.x; x < across; x += THREADS) {
      float v;

      if (overlay_map_value (&s.map, x, y, &v)) {
        least = overlay_min (least, overlay_order (v));
        most = overlay_max (most, overlay_order (v));
      }
    }
  for (int d = 16; d; d /= 2) {
    least = overlay_min (least, __shfl_down_sync (~0u, least, d));
    most = overlay_max (most, __shfl_down_sync (~0u, most, d));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMin (&s.range->least, least);
    atomicMax (&s.range->most, most);
    __threadfence ();
  }
  __syncthreads ();
  if (threadIdx.x == 0 && atomicAdd (&s.range->done, 1u) == gridDim.x - 1) {
    __threadfence ();
    overlay_range_settle (s.range);
  }
}

static const char *
range (const Device *dev, const OverlayScene *s)
{
  range_kernel<<<overlay_min (s->map.height, 512), THREADS, 0,
      device_stream (dev)>>> (*s);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const OverlayStages overlay_stages_cuda = {draw, range};
