/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The voxels of all models: one pool of bricks of 8 x 8 x 8 voxels, and one
 * hash table that finds the brick of a model at a place.  The model is a part
 * of the key: a model grows by taking a brick and forgets by giving bricks
 * back.
 *
 * Voxel (i, j, k) of a model lies at (i, j, k) times the voxel's size in the
 * model's coordinates. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "common/both.h"
#include "common/vec.h"

#define KINFUMOT_BRICK 8 /* voxels a side */
#define KINFUMOT_BRICK_VOXELS 512
#define KINFUMOT_UNIT 32767     /* of a voxel's distance: the truncation */
#define KINFUMOT_SEEN_THROUGH 5 /* frames, after which a surface is gone */
#define KINFUMOT_FREE_WEIGHT 3  /* frames, after which space is known free */

/* The lower 12 bits of `weight` count frames; the upper 4 count the frames in a
 * row in which the surface here was seen through.  Kernels read a voxel as one
 * word. */
typedef struct {
  int16_t distance; /* before the surface > 0; by KINFUMOT_UNIT */
  uint16_t weight;
} __attribute__ ((aligned (4))) KinfumotVoxel;

#define KINFUMOT_WEIGHT_BITS 12
#define KINFUMOT_WEIGHT_MASK ((1 << KINFUMOT_WEIGHT_BITS) - 1)

#define KINFUMOT_NO_BRICK (-1)
#define KINFUMOT_MAX_PROBES 256 /* of the hash table, for a key */

/* Of the hash table. */
typedef struct {
  uint64_t key; /* 0: the entry is free */
  int32_t
      slot; /* a brick; KINFUMOT_NO_BRICK while the key only wants a brick */
} __attribute__ ((aligned (16))) KinfumotEntry;

typedef struct {
  KinfumotEntry *table;
  uint32_t mask;         /* entries of the table - 1 */
  uint64_t *owner;       /* of each brick: its key, or 0 */
  uint32_t *last_seen;   /* of each brick: the last frame that had it in view */
  KinfumotVoxel *voxels; /* KINFUMOT_BRICK_VOXELS a brick, x fastest */
  uint32_t max_bricks;
  float voxel, truncation; /* metres */
  float voxels_a_metre, truncations_a_metre;
  uint64_t *reciprocals; /* of divisors, see kinfumot_voxel_mean () */
} KinfumotGrid;

/* ---- Keys ---- */

#define KINFUMOT_REACH 32768 /* bricks, from the origin along each axis */

/* The key of brick (@x, @y, @z) of a model; 0 if it lies too far out. */
BOTH uint64_t
kinfumot_brick_key (int model, int x, int y, int z)
{
  x += KINFUMOT_REACH;
  y += KINFUMOT_REACH;
  z += KINFUMOT_REACH;
  if ((x | y | z) & ~(2 * KINFUMOT_REACH - 1))
    return 0;
  return (uint64_t) ((uint32_t) (model + 1) << 16 | (uint32_t) z) << 32 |
      ((uint32_t) y << 16 | (uint32_t) x);
}

/* The key of the brick that holds voxel (@x, @y, @z); 0 if it lies too far out.
 */
BOTH uint64_t
kinfumot_voxel_key (int model, int x, int y, int z)
{
  return kinfumot_brick_key (model, x >> 3, y >> 3, z >> 3);
}

BOTH int
kinfumot_key_model (uint64_t key)
{
  return (int) (key >> 48) - 1;
}

/* Sets @at to the first voxel of a brick. */
BOTH void
kinfumot_key_place (uint64_t key, int at[3])
{
  for (int i = 0; i < 3; i++)
    at[i] = ((int) (key >> 16 * i & 0xffff) - KINFUMOT_REACH) * KINFUMOT_BRICK;
}

BOTH uint32_t
kinfumot_key_hash (uint64_t key)
{
  key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ull;
  return (uint32_t) (key >> 32);
}

BOTH KinfumotEntry
kinfumot_read_entry (const KinfumotEntry *e)
{
#ifdef __CUDA_ARCH__ /* all fields at once, not each where it is used */
  const ulonglong2 words = *(const ulonglong2 *) e;

  return KinfumotEntry{words.x, (int32_t) words.y};
#else
  return *e;
#endif
}

/* The number of the entry of @key, which may be 0, and its brick in @slot; -1
 * and KINFUMOT_NO_BRICK if the table has none.  Mostly the first probe hits. */
BOTH int
kinfumot_find_entry (const KinfumotGrid *g, uint64_t key, int *slot)
{
  uint32_t at = kinfumot_key_hash (key);

  ROLLED
  for (int i = 0; i < KINFUMOT_MAX_PROBES && key; i++, at++) {
    const KinfumotEntry e = kinfumot_read_entry (&g->table[at & g->mask]);

    if (e.key == key) {
      *slot = e.slot;
      return (int) (at & g->mask);
    }
    if (!e.key)
      break;
  }
  *slot = KINFUMOT_NO_BRICK;
  return -1;
}

/* The brick of @key, which may be 0. */
BOTH int
kinfumot_find_brick (const KinfumotGrid *g, uint64_t key)
{
  int slot;

  kinfumot_find_entry (g, key, &slot);
  return slot;
}

/* ---- Reading ---- */

/* The brick of the last voxel that was read: mostly it holds the next one, too.
 */
typedef struct {
  uint64_t key;
  int slot;
} KinfumotLastBrick;

BOTH KinfumotLastBrick
kinfumot_no_last_brick (void)
{
  KinfumotLastBrick last = {0, KINFUMOT_NO_BRICK};

  return last;
}

BOTH void
kinfumot_enter_brick (
    const KinfumotGrid *g, KinfumotLastBrick *last, uint64_t key)
{
  if (key == last->key)
    return;
  last->key = key;
  last->slot = kinfumot_find_brick (g, key);
}

/* Voxel (@x, @y, @z) of a model, which brick @slot holds.  The pool has at most
 * 2^22 bricks. */
BOTH KinfumotVoxel
kinfumot_read_voxel (const KinfumotGrid *g, int slot, int x, int y, int z)
{
  uint32_t at = (uint32_t) slot * KINFUMOT_BRICK_VOXELS +
      (uint32_t) (((z & 7) << 6) + ((y & 7) << 3) + (x & 7));

#ifdef __CUDA_ARCH__ /* both fields at once */
  const uint32_t word = *(const uint32_t *) (g->voxels + at);

  return KinfumotVoxel{(int16_t) word, (uint16_t) (word >> 16)};
#else
  return g->voxels[at];
#endif
}

BOTH int
kinfumot_round_float (float v)
{
#ifdef __CUDA_ARCH__
  return __float2int_rd (v + .5f);
#else
  return (int) floorf (v + .5f);
#endif
}

/* Rounds 0 <= @v < 2^21 down, without the GPU's slow conversion. */
BOTH int
kinfumot_floor_small (float v)
{
#ifdef __CUDA_ARCH__
  return __float_as_int (__fadd_rd (v, 8388608.f)) - 0x4b000000;
#else
  return (int) v;
#endif
}

/* The voxel nearest to @p, metres.  If no brick holds it, @last has none, and
 * the voxel is one that was never seen. */
BOTH KinfumotVoxel
kinfumot_nearest_voxel (
    const KinfumotGrid *g, KinfumotLastBrick *last, int model, Vec p)
{
  const int x = kinfumot_round_float (p.x * g->voxels_a_metre),
            y = kinfumot_round_float (p.y * g->voxels_a_metre),
            z = kinfumot_round_float (p.z * g->voxels_a_metre);
  const KinfumotVoxel none = {0, 0};

  kinfumot_enter_brick (g, last, kinfumot_voxel_key (model, x, y, z));
  return last->slot < 0 ? none : kinfumot_read_voxel (g, last->slot, x, y, z);
}

/* The weight of corner @i, x fastest, at (@x, @y, @z) between eight voxels. */
BOTH float
kinfumot_corner_share (int i, float x, float y, float z)
{
  return (i & 1 ? x : 1 - x) *
      ((i >> 1 & 1 ? y : 1 - y) * (i >> 2 ? z : 1 - z));
}

/* Sets @slots to the bricks of the eight voxels from (@x, @y, @z) on, x
 * fastest; false if one is missing.  Mostly one brick holds all eight.  @last
 * stays the first voxel's. */
BOTH bool
kinfumot_corner_slots (const KinfumotGrid *g, KinfumotLastBrick *last,
    int model, int x, int y, int z, int slots[8])
{
  /* the axes along which the second voxel is in the same brick */
  const int same = ((x & 7) != 7) | ((y & 7) != 7) << 1 | ((z & 7) != 7) << 2;
  int all;

  kinfumot_enter_brick (g, last, kinfumot_voxel_key (model, x, y, z));
  all = slots[0] = last->slot;
  UNROLLED
  for (int i = 1; i < 8; i++) {
    slots[i] = i & same & 1 ? slots[i ^ 1]
        : i & same & 2      ? slots[i ^ 2]
        : i & same & 4      ? slots[i ^ 4]
                            : kinfumot_find_brick (g,
                                  kinfumot_brick_key (model, (x >> 3) + (i & 1),
                                      (y >> 3) + (i >> 1 & 1), (z >> 3) + (i >> 2)));
    all |= slots[i];
  }
  return all >= 0;
}

/* Sets @distances to those of the eight voxels from (@x, @y, @z) on; false if
 * one of the voxels was never seen. */
BOTH bool
kinfumot_corner_distances (const KinfumotGrid *g, KinfumotLastBrick *last,
    int model, int x, int y, int z, float distances[8])
{
  int slots[8];
  bool seen = true;

  if (!kinfumot_corner_slots (g, last, model, x, y, z, slots))
    return false;
  UNROLLED
  for (int i = 0; i < 8; i++) {
    KinfumotVoxel v = kinfumot_read_voxel (
        g, slots[i], x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));

    distances[i] = (float) v.distance;
    seen &= (v.weight & KINFUMOT_WEIGHT_MASK) != 0;
  }
  return seen;
}

/* Sets @distance, by the truncation, at @p between the eight voxels around it;
 * false if one of these was never seen. */
BOTH bool
kinfumot_distance_at (const KinfumotGrid *g, KinfumotLastBrick *last, int model,
    Vec p, float *distance)
{
  float x = p.x * g->voxels_a_metre, y = p.y * g->voxels_a_metre,
        z = p.z * g->voxels_a_metre;
  float fx = floorf (x), fy = floorf (y), fz = floorf (z), sum = 0;
  float corners[8];

  if (!kinfumot_corner_distances (
          g, last, model, (int) fx, (int) fy, (int) fz, corners))
    return false;
  x -= fx, y -= fy, z -= fz;
  UNROLLED
  for (int i = 0; i < 8; i++)
    sum += corners[i] * kinfumot_corner_share (i, x, y, z);
  *distance = sum * (1.f / KINFUMOT_UNIT);
  return true;
}

/* ---- Writing ---- */

#define KINFUMOT_MAX_FRAMES (1 << KINFUMOT_WEIGHT_BITS) /* of a mean */

/* floor (2^40 / @n) + 1.  To multiply by it is exactly to divide by @n: the
 * excess is at most n, and sums stay below 2^28. */
BOTH uint64_t
kinfumot_reciprocal (int n)
{
  return (1ull << 40) / (unsigned) n + 1;
}

/* The integer nearest to @sum / @n, halves away from 0. */
BOTH int
kinfumot_voxel_mean (const KinfumotGrid *g, int sum, int n)
{
  uint32_t size = (uint32_t) (sum < 0 ? -sum : sum) + (uint32_t) n / 2;
  int mean = (int) (size * g->reciprocals[n] >> 40);

  return sum < 0 ? -mean : mean;
}

/* Voxel @v after a frame in which the surface lies @distance behind it, by the
 * truncation, > 1 if it is farther.  The mean is in integers.  Farther surfaces
 * do not average a surface away: after five frames in a row in which it is seen
 * through, it is gone.  @still: near a surface, a mean of @max_weight frames is
 * final. */
BOTH KinfumotVoxel
kinfumot_voxel_seen (const KinfumotGrid *g, KinfumotVoxel v, float distance,
    int max_weight, bool still)
{
  int weight = v.weight & KINFUMOT_WEIGHT_MASK;
  int through = (v.weight >> KINFUMOT_WEIGHT_BITS) + 1;
  int now = (int) ((distance < 1 ? distance : 1) * KINFUMOT_UNIT);

  if (distance >= 1 && weight && v.distance < KINFUMOT_UNIT / 2) {
    if (through < KINFUMOT_SEEN_THROUGH)
      v.weight = (uint16_t) (through << KINFUMOT_WEIGHT_BITS | weight);
    else {
      v.distance = KINFUMOT_UNIT;
      v.weight = KINFUMOT_FREE_WEIGHT;
    }
    return v;
  }
  if (still && weight >= max_weight && v.distance < KINFUMOT_UNIT / 2 &&
      v.distance > -KINFUMOT_UNIT / 2) {
    v.weight = (uint16_t) max_weight;
    return v;
  }
  v.distance =
      (int16_t) kinfumot_voxel_mean (g, v.distance * weight + now, weight + 1);
  v.weight = (uint16_t) (weight < max_weight ? weight + 1 : max_weight);
  return v;
}
