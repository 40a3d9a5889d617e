/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend's table of stages, and the pyramid (Step 1). */
#include "pocstereo/pocstereo_cuda.cuh"

#define TILE 16   /* side of a tile in the first layer of a launch */
#define AT_ONCE 5 /* layers of a launch, with tiles of 16, 8, 4, 2 and 1 */

static __device__ __forceinline__ void
store_layer_mean (const PocstereoPyramid &p, const PocstereoCoarser &coarser,
    int view, int l, int x, int y, uint16_t mean)
{
  if (x < p.layer[0][l].width && y < p.layer[0][l].height)
    coarser.view[view][l][(size_t) y * p.stride[l] + x] = mean;
}

/* Layers @from + 1 to @from + AT_ONCE, one block a tile.  A pixel inside its
 * layer is the mean of four pixels inside the layer below. */
static __global__ void
__launch_bounds__ (TILE *TILE)
    pyramid_kernel (const __grid_constant__ PocstereoPyramid p,
        const __grid_constant__ PocstereoCoarser coarser, int from)
{
  __shared__ uint16_t tile[AT_ONCE][TILE][TILE];
  int view = blockIdx.z, tx = threadIdx.x % TILE, ty = threadIdx.x / TILE;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  const PocstereoLayer &first = p.layer[0][from + 1];
  uint16_t mean = 0;

  allow_next ();
  await_previous ();
  if (x < first.width && y < first.height) {
    const uint16_t *s =
        p.view[view][from] + (size_t) 2 * y * p.stride[from] + 2 * x;

    mean = pocstereo_mean_sample (
        s[0], s[1], s[p.stride[from]], s[p.stride[from] + 1]);
    store_layer_mean (p, coarser, view, from + 1, x, y, mean);
  }
  tile[0][ty][tx] = mean;
  for (int i = 1; i < AT_ONCE && from + 1 + i < p.n_layers; i++) {
    const uint16_t (*below)[TILE] = tile[i - 1];
    int side = TILE >> i;

    __syncthreads ();
    if (tx < side && ty < side) {
      mean = pocstereo_mean_sample (below[2 * ty][2 * tx],
          below[2 * ty][2 * tx + 1], below[2 * ty + 1][2 * tx],
          below[2 * ty + 1][2 * tx + 1]);
      tile[i][ty][tx] = mean;
      store_layer_mean (p, coarser, view, from + 1 + i, blockIdx.x * side + tx,
          blockIdx.y * side + ty, mean);
    }
  }
}

const char *
pocstereo_pyramid_cuda (
    const Device *dev, const PocstereoPyramid *p, PocstereoCoarser *coarser)
{
  for (int from = 0; from + 1 < p->n_layers; from += AT_ONCE) {
    const PocstereoLayer *first = &p->layer[0][from + 1];

    TRY (pocstereo_launch_kernel (dev, pyramid_kernel,
        dim3 (ceil_div (first->width, TILE), ceil_div (first->height, TILE), 2),
        TILE * TILE, *p, *coarser, from));
  }
  return NULL;
}

const PocstereoStages pocstereo_stages_cuda = {pocstereo_lay_fields_cuda,
    pocstereo_crowded_layers_cuda, pocstereo_pyramid_cuda,
    pocstereo_phasors_cuda, pocstereo_average_cuda, pocstereo_points_cuda,
    pocstereo_dense_cuda, pocstereo_census_cuda, pocstereo_revote_cuda,
    pocstereo_offers_cuda, pocstereo_paths_cuda, pocstereo_slant_cuda,
    pocstereo_left_right_cuda, pocstereo_speckle_cuda, pocstereo_fill_cuda,
    pocstereo_smooth_cuda};
