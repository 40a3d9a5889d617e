/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory, brightness and regions, and the CUDA backend's table of stages. */
#include <stdlib.h>

#include "emdtrack/emdtrack_cuda.cuh"

static const char *
open_emdtrack_cuda (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCuda *c = (EmdtrackCuda *) calloc (1, sizeof *c);
  int device, major;

  if (!(w->state = c))
    return OUT_OF_MEMORY (sizeof *c, "");
  memory_open (&c->memory, dev);
  CUDA_TRY (cudaGetDevice (&device));
  CUDA_TRY (cudaDeviceGetAttribute (
      &major, cudaDevAttrComputeCapabilityMajor, device));
  if (100 * major < EMDTRACK_ARCH)
    return "emdtrack needs a GPU of compute capability 7.0; use the CPU";
  CUDA_TRY (cudaDeviceGetAttribute (
      &c->processors, cudaDevAttrMultiProcessorCount, device));
  TRY (memory_get (&c->memory, &c->tally, 1));
  TRY (memory_get (&c->memory, &c->grey, 1));
  return memory_get_pinned (&c->memory, &c->seen, EMDTRACK_TARGETS);
}

static void
close_emdtrack_cuda (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCuda *c = emdtrack_state (w);

  (void) dev;
  memory_free (&c->memory);
  free (c);
}

/* The number of pixels 2^l apart for level l, including those of coarser
 * levels. */
static size_t
pixels_apart (const EmdtrackWork *w, int level)
{
  return (size_t) ((w->reader.width >> level) + 1) *
      ((w->reader.height >> level) + 1);
}

static const char *
prepare_pixel_lists (const EmdtrackWork *w, EmdtrackCuda *c)
{
  DeviceMemory *m = &c->memory;
  size_t n = emdtrack_room (w);

  if (!c->left)
    TRY (memory_get (m, &c->left, n));
  if (w->solver == EMDTRACK_PAPER)
    return NULL;
  if (!c->group)
    TRY (memory_get (m, &c->group, emdtrack_group_slots (n)));
  if (!c->equal)
    TRY (memory_get (m, &c->equal, n));
  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    if (!c->list[l])
      TRY (memory_get (m, &c->list[l], pixels_apart (w, l)));
  return NULL;
}

static const char *
prepare_cuda (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCuda *c = emdtrack_state (w);
  size_t n = emdtrack_room (w);
  int room = w->max_trees < EMDTRACK_ROOM ? w->max_trees : EMDTRACK_ROOM;

  TRY (prepare_pixel_lists (w, c));
  for (int t = 0; t < w->n_targets; t++) {
    if (w->solver == EMDTRACK_PAPER) {
      TRY (emdtrack_cache_prepare_cuda (w, t));
      continue;
    }
    if (!c->other[t])
      TRY (memory_get (&c->memory, &c->other[t], n));
    if (c->store[t].used && c->store[t].room == room)
      continue;
    c->planted[t] = false;
    c->seen[t] = {}; /* the numbers are of the old store */
    TRY (device_clear (dev, w->tree[t], n * sizeof *w->tree[t]));
    TRY (device_clear (dev, c->other[t], n * sizeof *c->other[t]));
    TRY (emdtrack_store_open_cuda (&c->store[t], &c->memory, room));
  }
  return NULL;
}

static const char *
forget_cuda (const Device *dev, EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackCache *cache = &c->cache[target];
  size_t bytes = emdtrack_room (w) * sizeof *w->tree[target];

  c->planted[target] = false;
  c->seen[target] = {};
  c->choice[target] = {};
  c->is_sketched[target] = c->counted[target] = false;
  TRY (device_clear (dev, c->tally, sizeof *c->tally));
  if (c->store[target].used)
    TRY (emdtrack_store_clear_cuda (&c->store[target], dev));
  if (cache->n) {
    TRY (device_clear (dev, cache->n, sizeof *cache->n));
    TRY (device_clear (dev, cache->state, cache->room * sizeof *cache->state));
  }
  if (c->other[target])
    TRY (device_clear (dev, c->other[target], bytes));
  return device_clear (dev, w->tree[target], bytes);
}

static EmdtrackChoiceLimits
choice_limits (const EmdtrackWork *w, int target)
{
  return emdtrack_choice_limits (
      w->problem[target].n, (uint32_t) emdtrack_pixels (w));
}

/* EMDTRACK_AUTO looks values up, or finds them by trees; the frames before
 * decide. */
static const char *
reuse_cuda (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);

  c->looked_up[target] =
      w->solver == EMDTRACK_AUTO && !c->choice[target].by_trees;
  return c->looked_up[target]
      ? emdtrack_queue_look_up (dev, w, target, choice_limits (w, target).first)
      : emdtrack_queue_trees (dev, w, target, false);
}

/* Notes what the frame of @target was like, for the next choice.  Where the
 * look-up has given up, queues trees and sets @again. */
static const char *
finish_target (
    const Device *dev, const EmdtrackWork *w, int target, bool *again)
{
  EmdtrackCuda *c = emdtrack_state (w);
  const EmdtrackSeen *seen = &c->seen[target];
  EmdtrackChoice *choice = &c->choice[target];

  if (!c->looked_up[target]) {
    emdtrack_choice_solved_by_trees (
        choice, choice_limits (w, target), seen->fresh << EMDTRACK_SAMPLE);
    return NULL;
  }
  if (!seen->gave_up) {
    c->is_sketched[target] = false;
    emdtrack_choice_looked_up (
        choice, choice_limits (w, target), seen->unsolved);
    w->counts->trees += seen->trees;
    return NULL;
  }
  emdtrack_choice_gave_up (choice);
  *again = true;
  TRY (emdtrack_queue_trees (dev, w, target, true));
  return emdtrack_keep_values (dev, w, target);
}

static const char *
finish_cuda (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCuda *c = emdtrack_state (w);
  uint64_t *all = (uint64_t *) w->counts;
  bool again = false;

  for (int t = 0; t < w->n_targets && w->solver == EMDTRACK_AUTO; t++)
    if (c->counted[t])
      TRY (finish_target (dev, w, t, &again));
  if (again)
    TRY (device_wait (dev));
  for (int t = 0; t < w->n_targets; t++) {
    const uint64_t *one = (const uint64_t *) &c->seen[t].counts;

    for (size_t i = 0; i < sizeof *w->counts / sizeof *all && c->counted[t];
         i++)
      all[i] += one[i];
    c->counted[t] = false;
  }
  return NULL;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS) sum_brightness_kernel (
    const __grid_constant__ EmdtrackReader r, uint64_t *sum)
{
  int y = blockIdx.x * EMDTRACK_SPARSE;
  ImageRow row = image_row (&r.frame.image, y);
  unsigned long long mine = 0;

  for (int x = threadIdx.x * EMDTRACK_SPARSE; x < r.width;
       x += EMDTRACK_THREADS * EMDTRACK_SPARSE)
    mine += emdtrack_luma (&r, &row, x, y);
  emdtrack_add_warp_sum (
      sum, (uint32_t) mine); /* below 2^32: 16 values for each thread */
}

static const char *
brightness_cuda (const Device *dev, const EmdtrackWork *w)
{
  uint64_t *sum = emdtrack_state (w)->grey;

  TRY (device_clear (dev, sum, sizeof *sum));
  sum_brightness_kernel<<<ceil_div (w->reader.height, EMDTRACK_SPARSE),
      EMDTRACK_THREADS, 0, device_stream (dev)>>> (w->reader, sum);
  CUDA_TRY (cudaGetLastError ());
  return device_copy (dev, w->brightness, sum, sizeof *sum);
}

/* A block for each region.  Each lane has counts of its own, since neighbouring
 * pixels are often of the same bin. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS) count_regions_kernel (const uint8_t *index,
    int width, int height, const EmdtrackRegion *regions, uint32_t *counts)
{
  __shared__ EmdtrackRegion r;
  __shared__ uint32_t count[EMDTRACK_BINS][32];
  int lane = threadIdx.x & 31;

  for (int k = threadIdx.x; k < EMDTRACK_BINS * 32; k += EMDTRACK_THREADS)
    count[0][k] = 0;
  if (!threadIdx.x)
    r = regions[blockIdx.x];
  __syncthreads ();
  ImageBox b = r.box;
  uint64_t fx = emdtrack_region_factor (b.x0, b.x1);
  uint64_t fy = emdtrack_region_factor (b.y0, b.y1);
  int x0 = emdtrack_first_inside (b.x0, r.apart);
  int y0 = emdtrack_first_inside (b.y0, r.apart);
  int across = ceil_div (max (emdtrack_clamp (b.x1, width) - x0, 0), r.apart);
  int down = ceil_div (max (emdtrack_clamp (b.y1, height) - y0, 0), r.apart);

  for (int i = threadIdx.x; i < across * down; i += EMDTRACK_THREADS) {
    int x = x0 + i % across * r.apart, y = y0 + i / across * r.apart;
    int weight = 256 - emdtrack_region_loss (y, b.y0, b.y1, fy) -
        emdtrack_region_loss (x, b.x0, b.x1, fx);

    if (weight > 0)
      atomicAdd (&count[index[(size_t) y * width + x]][lane], weight);
  }
  __syncthreads ();
  for (int k = threadIdx.x / 32; k < EMDTRACK_BINS; k += EMDTRACK_WARPS) {
    uint32_t sum = warp_sum (count[k][lane]);

    if (!lane)
      counts[blockIdx.x * EMDTRACK_BINS + k] = sum;
  }
}

static const char *
count_cuda (const Device *dev, const EmdtrackWork *w, int n)
{
  if (!n)
    return NULL;
  count_regions_kernel<<<n, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      w->index, w->reader.width, w->reader.height, w->regions,
      w->region_counts);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* ---- Maps and places ---- */

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    spread_map_kernel (const __grid_constant__ EmdtrackReading r)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

  if (x < r.width)
    ((uint16_t *) ((char *) r.whole + y * r.stride))[x] =
        emdtrack_value (&r.map, x, y);
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    mask_kernel (const __grid_constant__ EmdtrackReading r)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

  if (x < r.width)
    r.mask[(size_t) y * r.width + x] =
        emdtrack_value (&r.map, x, y) < r.limit ? 255 : 0;
}

#define SPOT_BLOCKS 32 /* that share the rows of a spot */

/* Block (i, k) takes every SPOT_BLOCKS-th row of spot i, from the k-th on. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    find_nearest_kernel (const __grid_constant__ EmdtrackReading r)
{
  EmdtrackSpot s = r.spots[blockIdx.x];
  uint32_t most = 0;

  for (int y = s.box.y0 + blockIdx.y; y < s.box.y1; y += SPOT_BLOCKS)
    for (int x = s.box.x0 + threadIdx.x; x < s.box.x1; x += EMDTRACK_THREADS)
      if (r.labels[(size_t) y * r.width + x] == s.label)
        most = max (
            most, (uint32_t) EMDTRACK_NO_VALUE - emdtrack_value (&r.map, x, y));
  most = warp_max_u (most);
  if (most && !(threadIdx.x & 31))
    atomicMax (&r.nearness[blockIdx.x], most);
}

typedef void (*Reader) (EmdtrackReading r);

static const char *
read_pixels (const Device *dev, const EmdtrackReading *r, Reader kernel)
{
  dim3 blocks (ceil_div (r->width, EMDTRACK_THREADS), r->height);

  kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (*r);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static const char *
spread_cuda (const Device *dev, const EmdtrackReading *r)
{
  return read_pixels (dev, r, spread_map_kernel);
}

static const char *
below_cuda (const Device *dev, const EmdtrackReading *r)
{
  return read_pixels (dev, r, mask_kernel);
}

static const char *
nearest_cuda (const Device *dev, const EmdtrackReading *r)
{
  dim3 blocks (r->n_spots, SPOT_BLOCKS);

  TRY (device_clear (dev, r->nearness, r->n_spots * sizeof *r->nearness));
  find_nearest_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      *r);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const EmdtrackStages emdtrack_stages_cuda = {open_emdtrack_cuda,
    close_emdtrack_cuda, prepare_cuda, forget_cuda, emdtrack_index_cuda,
    emdtrack_window_cuda, emdtrack_spectra_cuda, emdtrack_closed_cuda,
    reuse_cuda, emdtrack_paper_cuda, finish_cuda, brightness_cuda, count_cuda,
    spread_cuda, below_cuda, nearest_cuda};
