/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels and plane of a scene. */
#include "scopedetect/scopedetect_observe_core.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"

#define TILE 32
#define PASSES 8 /* of blurring in a launch */
#define SIDE (TILE + 2 * PASSES)

static __global__ void
read_pixels_kernel (IN ScopedetectScene s, IN ScopedetectFrame frame,
    IN ScopedetectParams params, IN Image color, IN Yuv yuv)
{
  int x, y;

  await_previous ();
  if (pixel_of_thread (s, &x, &y))
    scopedetect_read_pixel (
        &s, &frame, &params, s.has_colour ? &color : NULL, &yuv, x, y);
}

static __global__ void
pixel_normals_kernel (IN ScopedetectScene s, float radius)
{
  int x, y;

  await_previous ();
  if (pixel_of_thread (s, &x, &y))
    scopedetect_set_normal (&s, radius, x, y);
}

static __global__ void
pixel_edges_kernel (IN ScopedetectScene s, IN ScopedetectFrame frame,
    IN ScopedetectParams params, float *edge)
{
  int x, y;

  await_previous ();
  if (pixel_of_thread (s, &x, &y))
    edge[(size_t) y * s.width + x] =
        scopedetect_edge_at (&s, &frame, &params, x, y);
}

/* A pass of blurring over a tile and @more pixels around it. */
static __device__ void
blur_edge_tile (const ScopedetectScene &s, const float (*from)[SIDE],
    float (*to)[SIDE], int more)
{
  int side = TILE + 2 * more;

  for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
    int u = PASSES - more + i % side, v = PASSES - more + i / side;
    int x = (int) blockIdx.x * TILE + u - PASSES;
    int y = (int) blockIdx.y * TILE + v - PASSES;
    float around[9];

    for (int k = 0; k < 9; k++)
      around[k] = from[v + k / 3 - 1][u + k % 3 - 1];
    to[v][u] = x >= 0 && y >= 0 && x < s.width && y < s.height
        ? scopedetect_blur (around)
        : 0;
  }
}

/* Blurs @from by @passes, at most PASSES, to @to; the @last launch writes
 * logarithms to the pixels instead. */
static __global__ void
blur_edges_kernel (
    IN ScopedetectScene s, const float *from, float *to, int passes, bool last)
{
  __shared__ float tile[2][SIDE][SIDE];

  await_previous ();
  for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
    int x = (int) blockIdx.x * TILE + i % SIDE - PASSES;
    int y = (int) blockIdx.y * TILE + i / SIDE - PASSES;

    tile[0][i / SIDE][i % SIDE] =
        x >= 0 && y >= 0 && x < s.width && y < s.height
        ? from[(size_t) y * s.width + x]
        : 0;
  }
  for (int k = 0; k < passes; k++) {
    __syncthreads ();
    blur_edge_tile (s, tile[k % 2], tile[(k + 1) % 2], passes - 1 - k);
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
    int x = (int) blockIdx.x * TILE + i % TILE;
    int y = (int) blockIdx.y * TILE + i / TILE;
    float e = tile[passes % 2][PASSES + i / TILE][PASSES + i % TILE];

    if (x >= s.width || y >= s.height)
      continue;
    if (last)
      s.pixel[(size_t) y * s.width + x].edge = scopedetect_log_edge (e);
    else
      to[(size_t) y * s.width + x] = e;
  }
}

const char *
scopedetect_read_frame_cuda (const Device *dev, const ScopedetectFrame *frame,
    const ScopedetectParams *params, float *const edge[2],
    ScopedetectScene *scene)
{
  const ScopedetectScene *s = scene;
  dim3 threads (32, 8);
  dim3 blocks (ceil_div (s->width, 32), ceil_div (s->height, 8));
  dim3 tiles (ceil_div (s->width, TILE), ceil_div (s->height, TILE));
  Image color = {};
  Yuv yuv = {};
  int left = params->edge_blur, from = 0, passes;

  if (s->has_colour)
    color = *frame->color;
  if (image_is_yuv (color.format))
    yuv = yuv_of (color.matrix, color.full_range);
  TRY (scopedetect_launch (dev, read_pixels_kernel, blocks, threads, 0, *s,
      *frame, *params, color, yuv));
  TRY (scopedetect_launch (dev, pixel_normals_kernel, blocks, threads, 0, *s,
      (float) params->normal_radius));
  TRY (scopedetect_launch (dev, pixel_edges_kernel, blocks, threads, 0, *s,
      *frame, *params, edge[0]));
  do {
    passes = left < PASSES ? left : PASSES;
    left -= passes;
    TRY (scopedetect_launch (dev, blur_edges_kernel, tiles, dim3 (512), 0, *s,
        edge[from], edge[!from], passes, left == 0));
    from = !from;
  } while (left);
  return NULL;
}

/* ---- The plane that objects stand on ----
 *
 * A thread for each drawn plane counts inliers; then the best plane is fitted.
 */

#define PROBES 64 /* probes that a block tests at once */
#define BLOCKS 512
#define FIT 512 /* threads that fit the plane */

/* The number of the plane with the most inliers, of equal ones the first. */
static __device__ int
best_plane (uint32_t inliers)
{
  __shared__ uint32_t best[SCOPEDETECT_PLANES / 32];
  uint32_t key =
      inliers * SCOPEDETECT_PLANES + SCOPEDETECT_PLANES - 1 - threadIdx.x;

  key = warp_max_u (key);
  if (threadIdx.x % 32 == 0)
    best[threadIdx.x / 32] = key;
  __syncthreads ();
  for (int i = 0; i < SCOPEDETECT_PLANES / 32; i++)
    key = max (key, best[i]);
  return SCOPEDETECT_PLANES - 1 - (int) (key % SCOPEDETECT_PLANES);
}

/* The last block that calls chooses the plane. */
static __device__ void
decide_plane (ScopedetectPlane *c, ScopedetectVotes *v, const float plane[4])
{
  __shared__ bool last;
  uint32_t inliers, looked;
  int k = threadIdx.x;

  __threadfence ();
  __syncthreads ();
  if (k == 0)
    last = atomicAdd (&v->blocks, 1) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  __threadfence ();
  inliers = __ldcg (&v->inliers[k]), looked = __ldcg (&v->looked);
  __syncthreads ();
  v->inliers[k] = 0;
  if (k == 0)
    v->looked = v->blocks = 0;
  if (k != best_plane (inliers))
    return;
  c->is_found = inliers * 5 > looked;
  for (int i = 0; i < 4 && inliers; i++)
    c->plane[i] = plane[i];
}

static __global__ void
__launch_bounds__ (SCOPEDETECT_PLANES)
    try_planes_kernel (IN ScopedetectScene s, IN ScopedetectParams params,
        int n, ScopedetectVotes *votes, ScopedetectPlane *out)
{
  __shared__ Vec at[PROBES];
  float plane[4] = {0, 0, 0, 0};
  uint32_t inliers = 0, looked = 0;
  bool drawn;

  await_previous ();
  drawn = scopedetect_draw_plane (&s, params.seed, threadIdx.x, plane);
  for (int first = blockIdx.x * PROBES; first < n;
       first += gridDim.x * PROBES) {
    int there = min (PROBES, n - first);

    __syncthreads ();
    if ((int) threadIdx.x < there)
      at[threadIdx.x] = scopedetect_probe (&s, first + (int) threadIdx.x);
    __syncthreads ();
    for (int i = 0; i < there; i++) {
      if (!(at[i].z > 0))
        continue;
      inliers += scopedetect_in_plane (&params, plane, at[i]);
      looked++;
    }
  }
  if (drawn && inliers)
    atomicAdd (&votes->inliers[threadIdx.x], inliers);
  if (threadIdx.x == 0)
    atomicAdd (&votes->looked, looked);
  decide_plane (out, votes, plane);
}

/* Fits the plane to its inliers until they stay the same: the result does not
 * depend on the pixels that were drawn. One block. */
static __global__ void
__launch_bounds__ (FIT) fit_plane_kernel (
    IN ScopedetectScene s, IN ScopedetectParams params, ScopedetectPlane *out)
{
  __shared__ SumShared<ScopedetectPlaneSums> shared;
  int n = scopedetect_n_probes (&s);
  ScopedetectPlaneSums before = {};
  float plane[4];

  await_previous ();
  if (!out->is_found)
    return;
  memcpy (plane, out->plane, sizeof plane);
  for (int k = 0; k < SCOPEDETECT_PLANE_FITS; k++) {
    ScopedetectPlaneSums sums = {};

#pragma unroll 4
    for (int i = threadIdx.x; i < n; i += FIT)
      scopedetect_add_to_plane (&s, &params, plane, i, &sums);
    sums = sum_block (sums, shared);
    if (scopedetect_same_sums (&sums, &before))
      break;
    scopedetect_fit_plane (&sums, plane);
    before = sums;
  }
  if (threadIdx.x < 4)
    out->plane[threadIdx.x] = plane[threadIdx.x];
}

const char *
scopedetect_find_plane_cuda (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectParams *params, ScopedetectVotes *votes,
    ScopedetectPlane *plane)
{
  int n = scopedetect_n_probes (scene);
  int blocks = n ? ceil_div (n, PROBES) : 1;

  TRY (scopedetect_launch (dev, try_planes_kernel,
      dim3 (blocks < BLOCKS ? blocks : BLOCKS), dim3 (SCOPEDETECT_PLANES), 0,
      *scene, *params, n, votes, plane));
  return scopedetect_launch (
      dev, fit_plane_kernel, dim3 (1), dim3 (FIT), 0, *scene, *params, plane);
}
