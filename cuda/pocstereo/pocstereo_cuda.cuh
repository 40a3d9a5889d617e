/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CUDA backend that lie in files of their own. */
#pragma once

#include "common/chain.cuh"
#include "common/memory.h"
#include "pocstereo/pocstereo_work.h"

/* Phasors of every pixel of layers, both views.  A word holds one frequency of
 * two lines, re and im of each.  Pair p holds lines 2 p - L / 2 and the next,
 * so that the window around line y takes pairs y / 2 to y / 2 + L / 2; rows
 * outside the view repeat its edge.  Frequencies go by couples; an odd one out
 * has 0 beside it. */
typedef struct {
  uint2 *couples[2][POCSTEREO_MAX_LAYERS];
  /* All in couples: from pair to pair, pixel to pixel, frequencies to
   * frequencies. */
  int pitch[POCSTEREO_MAX_LAYERS];
  int across[POCSTEREO_MAX_LAYERS], deeper[POCSTEREO_MAX_LAYERS];
} PocstereoField;

/* How the couples of a layer lie: those of a pixel side by side, for points;
 * or those of a row, for neighbouring pixels that are read at once. */
typedef enum { POCSTEREO_BY_PIXEL, POCSTEREO_BY_ROW } PocstereoOrder;

typedef struct {
  bool overlaps; /* kernels may start before those before them have ended */
  DeviceMemory memory;
  uint2 *couples; /* of the field */
  size_t room;    /* couples */
  PocstereoField field;
  uint4 *means;      /* of the couples over frames, 16 bits a component */
  size_t means_room; /* couples */

  /* Of every pixel, of each view: */
  int32_t *found[2], *height[2]; /* a layer's disparities, how good they are;
                                    at last, those that the check drops */
  int32_t *smooth[2];            /* their medians: of the layer above */
  uint64_t *census[2];
  PocstereoMatch *spare[2]; /* what a vote makes of matches, and back */
  uint32_t *patch, *size;   /* parents of pixels; pixels below each root */
} PocstereoCuda;

/* pocstereo_fields_cuda.cu: memory for all layers' phasors, and the phasors of
 * the layers of which @layers has the bit. */
const char *pocstereo_fields_room (
    const PocstereoWork *w, PocstereoOrder order);
const char *pocstereo_fields_cuda (
    const Device *dev, const PocstereoWork *w, uint32_t layers);

/* The couples of all layers and both views; pairs of lines of one layer. */
size_t pocstereo_fields_couples (const PocstereoWork *w);
int pocstereo_fields_pairs (const PocstereoWork *w, int l);

/* pocstereo_revote_cuda.cu: censuses of both views. */
const char *pocstereo_census_cuda (const Device *dev, const PocstereoWork *w);

/* pocstereo_median_cuda.cu: of 5 x 5 of @from's numbers, @step int32_t apart,
 * of both views where both are looked for. */
const char *pocstereo_median_cuda (const Device *dev, const PocstereoWork *w,
    const int32_t *const from[2], int step, int32_t *const to[2], int width,
    int height);

C_BEGIN
const char *pocstereo_average_cuda (
    const Device *dev, const PocstereoWork *w, bool dense);
const char *pocstereo_points_cuda (const Device *dev, const PocstereoWork *w);
const char *pocstereo_dense_cuda (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_revote_cuda (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_slant_cuda (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_left_right_cuda (
    const Device *dev, const PocstereoWork *w);
const char *pocstereo_speckle_cuda (const Device *dev, const PocstereoWork *w);
const char *pocstereo_fill_cuda (const Device *dev, const PocstereoWork *w);
const char *pocstereo_smooth_cuda (const Device *dev, const PocstereoWork *w);
C_END

/* Views whose matches are looked for.  Each kernel does both. */
static inline int
pocstereo_views (const PocstereoWork *w)
{
  return w->params.left_right ? 2 : 1;
}

/* Queues @kernel, which calls await_previous () first. */
template <class... Params, class... Args>
static inline const char *
pocstereo_launch (const Device *dev, const PocstereoWork *w,
    void (*kernel) (Params...), dim3 blocks, dim3 threads, size_t shared,
    const Args &...args)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;

  return launch_after (
      dev, c->overlaps, kernel, blocks, threads, shared, args...);
}
