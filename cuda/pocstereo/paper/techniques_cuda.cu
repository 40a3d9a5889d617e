/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's implementations: one block a point. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fit_core.h"
#include "pocstereo/paper/techniques.h"

/* ---- The four parts of one evaluation by a block of threads, N of them for
 * each line that is worked on at once: the search window is read, transformed,
 * multiplied, transformed back ---- */

#define TECHNIQUES_N 32
#define TECHNIQUES_LINES 15
#define TECHNIQUES_U 8
#define TECHNIQUES_LAGS (TECHNIQUES_N / 4)

/* Results of the parts: in global memory for I1, else in shared memory. */
struct TechniqueBuffers {
  int32_t samples[2][TECHNIQUES_LINES]
                 [TECHNIQUES_N]; /* n = -N / 2 to N / 2 - 1 */
  /* Spectra of each line, by thread: F's frequencies, re and im, then G's. */
  float spectrum[TECHNIQUES_LINES][TECHNIQUES_N];
  int32_t cross[TECHNIQUES_LINES]
               [2 * TECHNIQUES_U];         /* F conj (G) of each line */
  int32_t r[2 * TECHNIQUES_U];             /* sums of cross over lines */
  int32_t height[2 * TECHNIQUES_LAGS + 1]; /* the correlation */
  int32_t base;    /* the disparity around which the layer is searched */
  int32_t tallest; /* height of the layer's best disparity so far */
  int32_t found;
};

/* The table of technique T3: cosines and sines as in PocstereoTables. */
struct TechniqueTwiddles {
  int32_t wave[TECHNIQUES_U][2][TECHNIQUES_N / 2];
};

/* Input and output of the kernels. */
struct TechniqueInput {
  PocstereoPyramid pyramid;
  PocstereoAsked asked;
};

/* A point in a layer. */
struct TechniquePlace {
  int l, x, y;
};

static __device__ __forceinline__ TechniquePlace
technique_place (const TechniqueInput &in, int l, int i)
{
  const PocstereoLayer &layer = in.pyramid.layer[0][l];

  return TechniquePlace{l,
      pocstereo_clamp (in.asked.points[i].x >> l, 0, layer.width - 1),
      pocstereo_clamp (in.asked.points[i].y >> l, 0, layer.height - 1)};
}

/* Part (i) of an evaluation: reads the windows f around x and g around x -
 * base. */
static __device__ __forceinline__ void
technique_extract (const TechniqueInput &in, const TechniquePlace &p, int j,
    TechniqueBuffers *b)
{
  const PocstereoLayer &layer = in.pyramid.layer[0][p.l];
  int row =
      pocstereo_clamp (p.y + j - TECHNIQUES_LINES / 2, 0, layer.height - 1);
  int q = pocstereo_clamp (p.x - b->base, 0, layer.width - 1);
  int n = (int) threadIdx.x - TECHNIQUES_N / 2;

  for (int v = 0; v < 2; v++)
    b->samples[v][j][threadIdx.x] =
        in.pyramid.view[v][p.l][(size_t) row * in.pyramid.stride[p.l] +
            pocstereo_clamp ((v ? q : p.x) + n, 0, layer.width - 1)];
}

/* A twiddle of PocstereoTables, computed.  No twiddle is so near to a half that
 * the rounding of sine and cosine changes its integer. */
static __device__ __forceinline__ int
technique_twiddle (int k, bool is_sine, int n)
{
  const float unit = 3.14159265f / (TECHNIQUES_N / 2);
  const float scale = POCSTEREO_TWIDDLES / (TECHNIQUES_N / 2);
  float hann = .5f * (1 + cosf (unit * n)), sine, cosine;

  sincosf (unit * ((k + 1) * n), &sine, &cosine);
  return __float2int_rn (
      scale * hann * (is_sine ? sine : cosine - (k ? 0 : .5f)));
}

/* Part (ii), the transform: a thread computes the real or imaginary part of one
 * frequency of one view.  Cosines sum to 0, so the middle sample can be
 * subtracted from the others. */
template <bool HAS_TABLE, int UNROLL>
static __device__ __forceinline__ void
technique_transform (const TechniqueTwiddles *table, int j, TechniqueBuffers *b)
{
  int k = threadIdx.x % (2 * TECHNIQUES_U) / 2;
  bool im = threadIdx.x % 2;
  const int32_t *s =
      &b->samples[threadIdx.x / (2 * TECHNIQUES_U)][j][TECHNIQUES_N / 2];
  int32_t sum = 0;

#pragma unroll UNROLL
  for (int n = 1; n < TECHNIQUES_N / 2; n++) {
    int wave = HAS_TABLE ? table->wave[k][im][n] : technique_twiddle (k, im, n);

    sum += wave * (im ? s[-n] - s[n] : s[n] + s[-n] - 2 * s[0]);
  }
  b->spectrum[j][threadIdx.x] = (float) sum;
}

/* Part (iii), the product of both spectra: a thread computes one frequency of
 * one line. */
static __device__ __forceinline__ void
technique_multiply (float floor2, int j, TechniqueBuffers *b)
{
  const float *f = &b->spectrum[j][2 * threadIdx.x];
  const float *g = f + 2 * TECHNIQUES_U;
  int8_t a[2], c[2];
  int32_t r[2] = {0, 0};

  if (threadIdx.x >= TECHNIQUES_U)
    return;
  pocstereo_phasor (f[0], f[1], floor2, a);
  pocstereo_phasor (g[0], g[1], floor2, c);
  pocstereo_add_line (r, a, c, 1);
  b->cross[j][2 * threadIdx.x] = r[0];
  b->cross[j][2 * threadIdx.x + 1] = r[1];
}

/* Part (iv), the way back: 2 U threads compute the sums over lines, 2 U + 1
 * threads the correlation at each lag, and thread 0 the highest lag.  All
 * threads of the block call. */
template <int UNROLL>
static __device__ __forceinline__ void
technique_invert (
    const TechniqueInput &in, const PocstereoLayer &layer, TechniqueBuffers *b)
{
  int first, last, t = threadIdx.y * TECHNIQUES_N + threadIdx.x;

  if (t < 2 * TECHNIQUES_U) {
    int32_t sum = 0;

#pragma unroll UNROLL
    for (int j = 0; j < TECHNIQUES_LINES; j++)
      sum += b->cross[j][t];
    b->r[t] = sum;
  }
  __syncthreads ();
  if (t <= 2 * TECHNIQUES_LAGS)
    b->height[t] = pocstereo_correlation (
        in.asked.constants.device, b->r, t - TECHNIQUES_LAGS);
  __syncthreads ();
  if (t == 0) {
    pocstereo_lags (&layer, b->base, TECHNIQUES_LAGS, &first, &last);
    for (int n = first; n <= last; n++)
      if (b->height[n + TECHNIQUES_LAGS] > b->tallest) {
        b->tallest = b->height[n + TECHNIQUES_LAGS];
        b->found = b->base + n;
      }
  }
}

/* The disparity to search around: that of tile @i in the coarsest layer, in
 * other layers twice @parent. */
static __device__ __forceinline__ int
technique_base (
    const TechniqueInput &in, const TechniquePlace &p, int i, int parent)
{
  const PocstereoLayer &layer = in.pyramid.layer[0][p.l];
  int base = p.l == in.pyramid.n_layers - 1 ? pocstereo_tile_base (&layer, i)
                                            : 2 * parent;

  return pocstereo_visible_base (&layer, p.x, base);
}

/* Step 7, the place of the peak between samples. */
static __device__ __forceinline__ void
technique_refine (const TechniqueInput &in, int i, const TechniqueBuffers *b)
{
  PocstereoMatch match =
      pocstereo_refine_match (in.asked.constants.device, b->r, b->base);

  pocstereo_drop_outside (
      in.asked.points[i].x, in.pyramid.layer[0][0].width, &match);
  pocstereo_drop_low_peak (in.asked.min_peak, &match);
  in.asked.matches[i] = match;
}

/* ---- I1: four kernels an evaluation, through global memory ---- */

static __global__ void
extract_kernel (const __grid_constant__ TechniqueInput in,
    TechniqueBuffers *buffers, int l, int tile)
{
  TechniqueBuffers *b = &buffers[blockIdx.x];
  TechniquePlace p = technique_place (in, l, blockIdx.x);
  bool last_look = tile < 0;

  await_previous ();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    b->base = last_look ? b->found : technique_base (in, p, tile, b->found);
    if (tile == 0)
      b->tallest = INT32_MIN;
  }
  __syncthreads ();
  technique_extract (in, p, threadIdx.y, b);
}

static __global__ void
transform_kernel (TechniqueBuffers *buffers)
{
  await_previous ();
  technique_transform<false, 1> (NULL, threadIdx.y, &buffers[blockIdx.x]);
}

static __global__ void
multiply_kernel (TechniqueBuffers *buffers, float floor2)
{
  await_previous ();
  technique_multiply (floor2, threadIdx.y, &buffers[blockIdx.x]);
}

/* Part (iv) and, with @is_last, Step 7. */
static __global__ void
invert_kernel (const __grid_constant__ TechniqueInput in,
    TechniqueBuffers *buffers, int l, bool is_last)
{
  TechniqueBuffers *b = &buffers[blockIdx.x];

  await_previous ();
  technique_invert<1> (in, in.pyramid.layer[0][l], b);
  if (is_last && threadIdx.x == 0 && threadIdx.y == 0)
    technique_refine (in, blockIdx.x, b);
}

static const char *
evaluate_parts (const Device *dev, const TechniqueInput &in,
    TechniqueBuffers *b, int l, int tile)
{
  dim3 threads (TECHNIQUES_N, TECHNIQUES_LINES);
  int n = in.asked.n;

  TRY (pocstereo_launch_kernel (
      dev, extract_kernel, n, threads, in, b, l, tile));
  TRY (pocstereo_launch_kernel (dev, transform_kernel, n, threads, b));
  TRY (pocstereo_launch_kernel (
      dev, multiply_kernel, n, threads, b, in.asked.constants.host->floor2));
  return pocstereo_launch_kernel (
      dev, invert_kernel, n, threads, in, b, l, tile < 0);
}

static const char *
match_by_parts (const Device *dev, const TechniqueInput &in,
    PocstereoTechniques *techniques)
{
  int coarsest = in.pyramid.n_layers - 1;
  TechniqueBuffers *b;

  if (techniques->room < in.asked.n) {
    techniques->room = 0;
    device_release (dev, techniques->buffers);
    techniques->buffers = NULL;
    TRY (device_alloc (
        dev, &techniques->buffers, in.asked.n * sizeof (TechniqueBuffers)));
    techniques->room = in.asked.n;
  }
  b = (TechniqueBuffers *) techniques->buffers;
  for (int l = coarsest; l >= 0; l--) {
    int n = l == coarsest ? in.pyramid.layer[0][l].tiles : 1;

    for (int i = 0; i < n; i++)
      TRY (evaluate_parts (dev, in, b, l, i));
  }
  return evaluate_parts (dev, in, b, 0, -1);
}

/* ---- I2 to I5: one kernel ---- */

static __device__ __forceinline__ void
load_twiddles (const TechniqueInput &in, TechniqueTwiddles *table)
{
  int t = threadIdx.y * TECHNIQUES_N + threadIdx.x;

  for (int i = t; i < TECHNIQUES_U * TECHNIQUES_N;
       i += TECHNIQUES_N * blockDim.y) {
    int n = i % (TECHNIQUES_N / 2), part = i / (TECHNIQUES_N / 2);

    table->wave[part / 2][part % 2][n] =
        (int32_t) (part % 2 ? in.asked.constants.device->sine[part / 2][n]
                            : in.asked.constants.device->cosine[part / 2][n]);
  }
}

/* All four parts of one evaluation, with the right window shifted by b->base.
 */
template <bool HAS_TABLE, int UNROLL>
static __device__ __forceinline__ void
evaluate_whole (const TechniqueInput &in, const TechniquePlace &p, float floor2,
    const TechniqueTwiddles *table, TechniqueBuffers *b)
{
  int first = threadIdx.y, step = blockDim.y;

  for (int j = first; j < TECHNIQUES_LINES; j += step)
    technique_extract (in, p, j, b);
  __syncthreads ();
  for (int j = first; j < TECHNIQUES_LINES; j += step)
    technique_transform<HAS_TABLE, UNROLL> (table, j, b);
  __syncthreads ();
  for (int j = first; j < TECHNIQUES_LINES; j += step)
    technique_multiply (floor2, j, b);
  __syncthreads ();
  technique_invert<UNROLL> (in, in.pyramid.layer[0][p.l], b);
  __syncthreads ();
}

/* T1 and T2; T3 with HAS_TABLE; T4 with UNROLL above 1; T5 with blocks of fewer
 * than 15 lines of threads. */
template <bool HAS_TABLE, int UNROLL>
static __global__ void
whole_kernel (const __grid_constant__ TechniqueInput in, float floor2)
{
  __shared__ TechniqueBuffers b;
  __shared__ TechniqueTwiddles table;
  bool is_first = threadIdx.x == 0 && threadIdx.y == 0;

  await_previous ();
  if (HAS_TABLE)
    load_twiddles (in, &table);
  for (int l = in.pyramid.n_layers - 1; l >= 0; l--) {
    TechniquePlace p = technique_place (in, l, blockIdx.x);
    int n = l == in.pyramid.n_layers - 1 ? in.pyramid.layer[0][l].tiles : 1;
    int parent = b.found; /* unused in the coarsest layer */

    __syncthreads ();
    for (int i = 0; i < n; i++) {
      if (is_first) {
        b.base = technique_base (in, p, i, parent);
        if (i == 0)
          b.tallest = INT32_MIN;
      }
      __syncthreads ();
      evaluate_whole<HAS_TABLE, UNROLL> (in, p, floor2, &table, &b);
    }
  }
  if (is_first)
    b.base = b.found;
  __syncthreads ();
  evaluate_whole<HAS_TABLE, UNROLL> (
      in, technique_place (in, 0, blockIdx.x), floor2, &table, &b);
  if (is_first)
    technique_refine (in, blockIdx.x, &b);
}

const char *
pocstereo_techniques_points (Pocstereo *self, const Device *dev,
    PocstereoTechniques *techniques, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n)
{
  static void (*const kernels[]) (const TechniqueInput, float) = {
      whole_kernel<false, 1>, whole_kernel<true, 1>,
      whole_kernel<true, TECHNIQUES_N>, whole_kernel<true, TECHNIQUES_N>};
  bool is_last = techniques->implementation == POCSTEREO_I5;
  int lines = is_last ? techniques->lines_at_once : TECHNIQUES_LINES;
  TechniqueInput in;

  if (params->window != TECHNIQUES_N || params->lines != TECHNIQUES_LINES ||
      params->bandwidth != TECHNIQUES_U || params->average != 1)
    return "the paper's implementations are for window 32, lines 15, bandwidth "
           "8 and one frame";
  if (lines < 1 || lines > TECHNIQUES_LINES)
    return "I5 transforms 1 to 15 lines at once";
  TRY (pocstereo_begin_points (self, params, frame, points, n, &in.asked));
  techniques->matches = in.asked.matches;
  if (!n)
    return NULL;
  in.pyramid = *in.asked.pyramid;
  if (techniques->implementation == POCSTEREO_I1)
    return match_by_parts (dev, in, techniques);
  return pocstereo_launch_kernel (dev,
      kernels[techniques->implementation - POCSTEREO_I2], n,
      dim3 (TECHNIQUES_N, lines), in, in.asked.constants.host->floor2);
}

void
pocstereo_techniques_free (const Device *dev, PocstereoTechniques *techniques)
{
  device_release (dev, techniques->buffers);
  techniques->buffers = NULL;
  techniques->room = 0;
}
