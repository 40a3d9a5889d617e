/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Phasors of every pixel, which all windows around the pixel share. */
#include "pocstereo/pocstereo_window.cuh"

#define PIXELS 64
#define THREADS (2 * PIXELS)

/* blocks[l] is the first block of layer l. */
struct Plan {
  int blocks[POCSTEREO_MAX_LAYERS + 1];
};

static int
field_pairs (const PocstereoLayer *layer, const PocstereoTables *t)
{
  return ceil_div (layer->height + t->lines - 1, 2);
}

size_t
pocstereo_lay_fields_cuda (const PocstereoPyramid *pyramid,
    const PocstereoTables *t, bool every_pixel, int8_t *memory,
    PocstereoFields *f)
{
  size_t at = 0;
  int u = ceil_div (t->bandwidth, 2);

  for (int l = 0; l < pyramid->n_layers; l++) {
    int width = pyramid->layer[0][l].width;

    f->pitch[l] = u * width;
    f->across[l] = every_pixel ? 1 : u;
    f->deeper[l] = every_pixel ? width : 1;
    for (int v = 0; v < 2; v++) {
      f->phasors[v][l] = memory ? memory + at : NULL;
      at +=
          sizeof (uint2) * f->pitch[l] * field_pairs (&pyramid->layer[0][l], t);
    }
  }
  return at;
}

/* A block transforms PIXELS pixels of a pair of lines.  Half of each warp
 * transforms the upper line, half the lower line, and each half stores every
 * other couple of both. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS)
    phasors_kernel (const __grid_constant__ PocstereoPyramid p,
        const __grid_constant__ PocstereoFields f,
        const __grid_constant__ Plan plan, const __grid_constant__ Window t)
{
  constexpr int SIDE = PIXELS + 2 * Window::max_half;
  constexpr int APART =
      SIDE + (48 - SIDE % 32) % 32; /* rows are 16 banks apart */
  __shared__ float rows[2][APART];
  uint32_t words[Window::max_bandwidth + 1];
  int block = blockIdx.x, view = blockIdx.y, l = 0;
  int row = threadIdx.x / 16 % 2;
  int n = threadIdx.x / 32 * 16 + threadIdx.x % 16;

  while (block >= plan.blocks[l + 1])
    l++;
  block -= plan.blocks[l];

  const PocstereoLayer &layer = p.layer[0][l];
  int tiles = ceil_div (layer.width, PIXELS);
  int x0 = block % tiles * PIXELS, pair = block / tiles;

  allow_next ();
  await_previous ();
  for (int i = threadIdx.x; i < 2 * (PIXELS + 2 * t.half); i += THREADS) {
    int from_y =
        pocstereo_clamp (2 * pair + i % 2 - t.lines / 2, 0, layer.height - 1);
    int from_x = pocstereo_clamp (x0 + i / 2 - t.half, 0, layer.width - 1);

    rows[i % 2][i / 2] =
        p.view[view][l][(size_t) from_y * p.stride[l] + from_x];
  }
  __syncthreads ();
  words[t.bandwidth] = 0;
  pocstereo_line_phasors (t, &rows[row][n + t.half], words);
#pragma unroll
  for (int k = 0; k < t.bandwidth; k++) {
    uint32_t other = __shfl_xor_sync (ALL_LANES, words[k], 16);

    words[k] = row ? other | words[k] << 16 : words[k] | other << 16;
  }
  if (x0 + n >= layer.width)
    return;

  uint2 *to = pocstereo_couples (f, view, l) + (size_t) pair * f.pitch[l] +
      (size_t) (x0 + n) * f.across[l];

#pragma unroll
  for (int k = 0; k < t.bandwidth; k += 2)
    if (k / 2 % 2 == row)
      to[(size_t) (k / 2) * f.deeper[l]] = make_uint2 (words[k], words[k + 1]);
}

const char *
pocstereo_phasors_cuda (const Device *dev, const PocstereoPyramid *p,
    const PocstereoConstants *constants, PocstereoFields *fields)
{
  Plan plan = {};

  for (int l = 0; l < POCSTEREO_MAX_LAYERS; l++) {
    const PocstereoLayer *layer = &p->layer[0][l];
    int n = l < p->n_layers && (fields->layers >> l & 1)
        ? ceil_div (layer->width, PIXELS) * field_pairs (layer, constants->host)
        : 0;

    plan.blocks[l + 1] = plan.blocks[l] + n;
  }
  if (!plan.blocks[POCSTEREO_MAX_LAYERS])
    return NULL;
  return pocstereo_with_window (constants, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    return pocstereo_launch_kernel (dev, phasors_kernel<Window>,
        dim3 (plan.blocks[POCSTEREO_MAX_LAYERS], 2), THREADS, *p, *fields, plan,
        t);
  });
}

/* ---- Means of phasors over frames ---- */

#define AVERAGE_THREADS 256

/* Adds the four components of @word to their means, 16 bits each in @mean, and
 * returns the components of the means. */
static __device__ __forceinline__ uint32_t
average_word (uint32_t word, uint32_t mean[2], int frames)
{
  uint32_t averaged = 0;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    int shift = 16 * (i % 2);
    int16_t before = (int16_t) (mean[i / 2] >> shift);
    int16_t after =
        pocstereo_average_phasor (before, (int8_t) (word >> (8 * i)), frames);

    mean[i / 2] = (mean[i / 2] & ~(0xffffu << shift)) |
        (uint32_t) (uint16_t) after << shift;
    averaged |= (uint32_t) (uint8_t) pocstereo_mean_phasor (after) << (8 * i);
  }
  return averaged;
}

static __global__ void
__launch_bounds__ (AVERAGE_THREADS)
    average_kernel (uint2 *couples, uint4 *means, size_t n, int frames)
{
  size_t i = (size_t) blockIdx.x * AVERAGE_THREADS + threadIdx.x;

  allow_next ();
  await_previous ();
  if (i >= n)
    return;

  uint2 couple = couples[i];
  uint4 mean = means[i];
  uint32_t first[2] = {mean.x, mean.y}, second[2] = {mean.z, mean.w};

  couple.x = average_word (couple.x, first, frames);
  couple.y = average_word (couple.y, second, frames);
  couples[i] = couple;
  means[i] = make_uint4 (first[0], first[1], second[0], second[1]);
}

const char *
pocstereo_average_cuda (
    const Device *dev, size_t n, int frames, int16_t *means, int8_t *phasors)
{
  size_t couples = n / sizeof (uint2);

  return pocstereo_launch_kernel (dev, average_kernel,
      dim3 ((unsigned) ((couples + AVERAGE_THREADS - 1) / AVERAGE_THREADS)),
      AVERAGE_THREADS, (uint2 *) phasors, (uint4 *) means, couples, frames);
}
