/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values by the trees of earlier pixels: first every pixel tries the one that
 * it had a frame ago. */
#include "emdtrack/emdtrack_reuse.cuh"

/* ---- The first tree ---- */

static __global__ void __launch_bounds__ (32)
    plant_kernel (const __grid_constant__ EmdtrackProblem p,
        const __grid_constant__ EmdtrackTree first,
        const __grid_constant__ EmdtrackStore s)
{
  __shared__ EmdtrackBench bench;

  emdtrack_tree_copy (&bench.tree, &first);
  __syncwarp ();
  emdtrack_store_add (&s, &p, &bench);
}

/* ---- Trees of a frame ago ---- */

/* A tile of 32 x 8 pixels a block, of 8 x 4 a warp. */
static __device__ __forceinline__ void
place (int *x, int *y)
{
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31;

  *x = blockIdx.x * 32 + warp % 4 * 8 + lane % 8;
  *y = blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
}

/* Puts pixel @i of each thread that has @pending into the list of @level, those
 * of a warp side by side. */
static __device__ __forceinline__ void
put_down (const EmdtrackJob &job, bool pending, int level, uint32_t i)
{
  __shared__ uint32_t n[EMDTRACK_LEVELS], first[EMDTRACK_LEVELS];
  uint32_t at = 0;

  if (threadIdx.x < EMDTRACK_LEVELS)
    n[threadIdx.x] = 0;
  __syncthreads ();
  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    if (pending && level == l)
      at = emdtrack_claim (&n[l]);
  __syncthreads ();
  if (threadIdx.x < EMDTRACK_LEVELS && n[threadIdx.x])
    first[threadIdx.x] =
        atomicAdd (&job.tally->listed[threadIdx.x], n[threadIdx.x]);
  __syncthreads ();
  if (pending)
    job.list[level][first[level] + at] = i;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    own_kernel (const __grid_constant__ EmdtrackJob job)
{
  bool unchanged = false, own = false, inside;
  uint32_t met[EMDTRACK_ARC_WORDS], i;
  int x, y;

  place (&x, &y);
  inside = x < job.width && y < job.height;
  i = (uint32_t) y * job.width + x;
  if (inside) {
    EmdtrackHistogram h = job.histogram[i];
    uint16_t id = job.old[i];

    if (job.known) {
      EmdtrackHistogram was = job.before[i];

      unchanged = emdtrack_same (&h, &was);
    }
    if (!unchanged && id) {
      const EmdtrackBasis *b = &job.store.basis[id];

      own = emdtrack_basis_holds (b, &h, job.bins, met);
      if (own)
        job.map[i] = (uint16_t) emdtrack_basis_value (b, &h, job.bins);
    }
    job.tree[i] = unchanged || own ? id : 0;
  }
  emdtrack_sum (&job.tally->counts.unchanged, unchanged);
  emdtrack_sum (&job.tally->counts.own, own);
  put_down (job, inside && !unchanged && !own,
      math_lowest_bit ((uint32_t) (x | y | 1 << (EMDTRACK_LEVELS - 1))), i);
}

/* ---- The stage ---- */

static EmdtrackJob
job_of (const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  uint16_t *ids[2] = {w->tree[target], c->other[target]};
  EmdtrackJob job = {w->reader.width, w->reader.height,
      (int) emdtrack_pixels (w), w->problem[target].n, ++c->frame,
      w->known[target], w->histogram, w->before, ids[c->turned[target]],
      ids[!c->turned[target]], w->map[target], c->store[target], {}, c->left,
      c->tally};

  memcpy (job.list, c->list, sizeof job.list);
  return job;
}

static const char *
plant (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  const EmdtrackProblem *p = &w->problem[target];
  EmdtrackTree first;

  if (c->planted[target])
    return NULL;
  emdtrack_tree_first (p, &first);
  plant_kernel<<<1, 32, 0, device_stream (dev)>>> (*p, first, c->store[target]);
  CUDA_TRY (cudaGetLastError ());
  c->planted[target] = true;
  return NULL;
}

const char *
emdtrack_reuse_cuda (const Device *dev, const EmdtrackWork *w, int target)
{
  EmdtrackCuda *c = emdtrack_state (w);
  EmdtrackStore *store = &c->store[target];
  const EmdtrackSeen *seen = &c->seen[target];
  EmdtrackJob job = job_of (w, target);
  dim3 tiles (ceil_div (job.width, 32), ceil_div (job.height, 8));

  TRY (device_clear (dev, c->tally, sizeof *c->tally));
  if (seen->full || (int) seen->trees >= store->room - store->room / 8)
    TRY (emdtrack_store_evict (store, dev, job.old, job.n_pixels, c->tally));
  TRY (plant (dev, w, target));
  own_kernel<<<tiles, EMDTRACK_THREADS, 0, device_stream (dev)>>> (job);
  CUDA_TRY (cudaGetLastError ());
  TRY (emdtrack_walk_cuda (dev, w, target, &job));
  c->turned[target] = !c->turned[target];
  TRY (emdtrack_solve_left (dev, w, target));
  return emdtrack_tell (dev, w, target);
}
