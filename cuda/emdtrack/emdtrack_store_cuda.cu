/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of stored trees, and letting go of those that are not needed. */
#include "emdtrack/emdtrack_cuda.cuh"
#include "emdtrack/emdtrack_store.cuh"

const char *
emdtrack_store_open (EmdtrackStore *s, DeviceMemory *m, int room)
{
  memory_release (m, &s->used); /* NULL until the rest has memory */
  s->room = room;
  s->n_slots = 1;
  while (s->n_slots < 2 * (uint32_t) room)
    s->n_slots *= 2;
  TRY (memory_get (m, &s->tree, room + 1));
  TRY (memory_get (m, &s->basis, room + 1));
  TRY (memory_get (m, &s->key, s->n_slots));
  TRY (memory_get (m, &s->number, s->n_slots));
  TRY (memory_get (m, &s->spare, room));
  TRY (memory_get (m, &s->n_spare, 1));
  TRY (memory_get (m, &s->n_taken, 1));
  TRY (memory_get (m, &s->made, (room + 1) * (EMDTRACK_ARCS + 1)));
  TRY (memory_get (m, &s->used, room + 1));
  return emdtrack_store_clear (s, m->device);
}

static const char *
clear_slots (const EmdtrackStore *s, const Device *dev)
{
  TRY (device_clear (dev, s->key, s->n_slots * sizeof *s->key));
  return device_clear (dev, s->number, s->n_slots * sizeof *s->number);
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    spare_kernel (const __grid_constant__ EmdtrackStore s)
{
  uint32_t i = emdtrack_thread ();

  if (i < (uint32_t) s.room)
    s.spare[i] = (uint16_t) (i + EMDTRACK_ROOT);
  if (!i) {
    *s.n_spare = (uint32_t) s.room;
    *s.n_taken = 0;
  }
}

static uint32_t
blocks_of (size_t n)
{
  return (uint32_t) ((n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS);
}

const char *
emdtrack_store_clear (EmdtrackStore *s, const Device *dev)
{
  TRY (clear_slots (s, dev));
  spare_kernel<<<blocks_of (s->room), EMDTRACK_THREADS, 0,
      device_stream (dev)>>> (*s);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    mark_kernel (uint8_t *used, const uint16_t *ids, size_t n)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (i < n)
    used[ids[i]] = 1;
  if (!i)
    used[EMDTRACK_ROOT] = 1;
}

/* Numbers that are free already stay so, whatever is marked: those that have
 * not been taken. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    unmark_kernel (const __grid_constant__ EmdtrackStore s)
{
  uint32_t i = *s.n_taken + emdtrack_thread ();

  if (i < *s.n_spare)
    s.used[s.spare[i]] = 2;
}

static __global__ void
zero_kernel (const __grid_constant__ EmdtrackStore s)
{
  *s.n_spare = *s.n_taken = 0;
}

/* What is not used becomes free, and links there go; the rest is found by its
 * key again. */
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    sweep_kernel (const __grid_constant__ EmdtrackStore s, EmdtrackTally *tally)
{
  uint32_t i = emdtrack_thread () + EMDTRACK_ROOT, slot;

  if (i > (uint32_t) s.room)
    return;
  if (s.used[i] != 1) {
    s.spare[emdtrack_claim (s.n_spare)] = (uint16_t) i;
    if (!s.used[i])
      atomicAdd ((unsigned long long *) &tally->counts.evicted, 1);
    return;
  }
  for (int e = 0; e <= EMDTRACK_ARCS; e++)
    if (s.used[s.basis[i].next[e]] != 1)
      s.basis[i].next[e] = 0;
  emdtrack_store_find (&s, emdtrack_tree_key (s.tree[i].row), &slot);
  if (slot != EMDTRACK_NO_ROOM)
    s.number[slot] = i;
}

const char *
emdtrack_store_evict (EmdtrackStore *s, const Device *dev, const uint16_t *ids,
    size_t n, EmdtrackTally *tally)
{
  cudaStream_t stream = device_stream (dev);
  uint32_t blocks = blocks_of (s->room);

  TRY (device_clear (dev, s->used, s->room + 1));
  mark_kernel<<<blocks_of (n), EMDTRACK_THREADS, 0, stream>>> (s->used, ids, n);
  unmark_kernel<<<blocks, EMDTRACK_THREADS, 0, stream>>> (*s);
  zero_kernel<<<1, 1, 0, stream>>> (*s);
  TRY (clear_slots (s, dev));
  sweep_kernel<<<blocks, EMDTRACK_THREADS, 0, stream>>> (*s, tally);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
