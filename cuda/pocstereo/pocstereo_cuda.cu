/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend's table, its memory, and the pyramid. */
#include <stdlib.h>

#include "pocstereo/pocstereo_cuda.cuh"

static const char *
open (const Device *dev, PocstereoWork *w)
{
  PocstereoCuda *c = (PocstereoCuda *) calloc (1, sizeof *c);

  if (!(w->state = c))
    return "out of memory";
  memory_open (&c->memory, dev);
  return chain_may_overlap (&c->overlaps);
}

static void
close (const Device *dev, PocstereoWork *w)
{
  PocstereoCuda *c = (PocstereoCuda *) w->state;

  (void) dev;
  if (!c)
    return;
  memory_free (&c->memory);
  free (c);
}

static const char *
need_dense (const PocstereoWork *w)
{
  PocstereoCuda *c = (PocstereoCuda *) w->state;
  size_t n = (size_t) w->width * w->height;

  if (c->patch)
    return NULL;
  for (int v = 0; v < 2; v++) {
    TRY (memory_get (&c->memory, &c->found[v], n));
    TRY (memory_get (&c->memory, &c->height[v], n));
    TRY (memory_get (&c->memory, &c->smooth[v], n));
    TRY (memory_get (&c->memory, &c->census[v], n));
    TRY (memory_get (&c->memory, &c->spare[v], n));
  }
  TRY (memory_get (&c->memory, &c->size, n));
  TRY (memory_get (&c->memory, &c->patch, n));
  return NULL;
}

static const char *
prepare (const Device *dev, PocstereoWork *w, bool dense)
{
  (void) dev;
  if (!dense)
    return NULL;
  TRY (need_dense (w));
  return pocstereo_fields_room (w, POCSTEREO_BY_ROW);
}

/* ---- The pyramid (Step 1) ---- */

#define TILE 16   /* of the first layer that is made */
#define AT_ONCE 5 /* layers: TILE, 8, 4, 2, 1 */

static __device__ __forceinline__ void
store (const PocstereoWork &w, int view, int l, int x, int y, uint16_t v)
{
  if (x < w.layer[0][l].width && y < w.layer[0][l].height)
    w.pyramid[view][w.view[view][l] - w.pyramid[view] +
        (size_t) y * w.stride[l] + x] = v;
}

/* Layers @from + 1 and up, at most AT_ONCE, one block a tile: where a pixel
 * lies inside its layer, so do the four below it. */
static __global__ void
__launch_bounds__ (TILE *TILE)
    pyramid_kernel (const __grid_constant__ PocstereoWork w, int from)
{
  __shared__ uint16_t tile[AT_ONCE][TILE][TILE];
  int view = blockIdx.z, tx = threadIdx.x % TILE, ty = threadIdx.x / TILE;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  const PocstereoLayer &first = w.layer[0][from + 1];
  uint16_t mean = 0;

  allow_next ();
  await_previous ();
  if (x < first.width && y < first.height) {
    const uint16_t *s =
        w.view[view][from] + (size_t) 2 * y * w.stride[from] + 2 * x;

    mean =
        pocstereo_mean (s[0], s[1], s[w.stride[from]], s[w.stride[from] + 1]);
    store (w, view, from + 1, x, y, mean);
  }
  tile[0][ty][tx] = mean;
  for (int i = 1; i < AT_ONCE && from + 1 + i < w.n_layers; i++) {
    const uint16_t (*below)[TILE] = tile[i - 1];
    int side = TILE >> i;

    __syncthreads ();
    if (tx < side && ty < side) {
      mean = pocstereo_mean (below[2 * ty][2 * tx], below[2 * ty][2 * tx + 1],
          below[2 * ty + 1][2 * tx], below[2 * ty + 1][2 * tx + 1]);
      tile[i][ty][tx] = mean;
      store (w, view, from + 1 + i, blockIdx.x * side + tx,
          blockIdx.y * side + ty, mean);
    }
  }
}

static const char *
pyramid (const Device *dev, const PocstereoWork *w)
{
  for (int from = 0; from + 1 < w->n_layers; from += AT_ONCE) {
    const PocstereoLayer *first = &w->layer[0][from + 1];

    TRY (pocstereo_launch (dev, w, pyramid_kernel,
        dim3 (ceil_div (first->width, TILE), ceil_div (first->height, TILE), 2),
        TILE * TILE, 0, *w, from));
  }
  return NULL;
}

const PocstereoStages pocstereo_stages_cuda = {open, close, prepare, pyramid,
    pocstereo_average_cuda, pocstereo_points_cuda, pocstereo_dense_cuda,
    pocstereo_revote_cuda, pocstereo_slant_cuda, pocstereo_left_right_cuda,
    pocstereo_speckle_cuda, pocstereo_fill_cuda, pocstereo_smooth_cuda};
