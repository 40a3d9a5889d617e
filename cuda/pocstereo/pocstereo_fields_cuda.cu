/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Phasors of every pixel: the transform that all windows around share. */
#include "pocstereo/pocstereo_window.cuh"

#define PIXELS 64
#define THREADS (2 * PIXELS)

/* The blocks of one layer: blocks[l] is the first one. */
struct Plan {
  int blocks[POCSTEREO_MAX_LAYERS + 1];
};

int
pocstereo_fields_pairs (const PocstereoWork *w, int l)
{
  return ceil_div (w->layer[0][l].height + w->params.lines - 1, 2);
}

static int
couples_of (const PocstereoWork *w)
{
  return ceil_div (w->params.bandwidth, 2);
}

size_t
pocstereo_fields_couples (const PocstereoWork *w)
{
  size_t n = 0, u = couples_of (w);

  for (int l = 0; l < w->n_layers; l++)
    n += 2 * u * pocstereo_fields_pairs (w, l) * w->layer[0][l].width;
  return n;
}

const char *
pocstereo_fields_room (const PocstereoWork *w, PocstereoOrder order)
{
  PocstereoCuda *c = (PocstereoCuda *) w->state;
  PocstereoField *f = &c->field;
  size_t n = pocstereo_fields_couples (w), at = 0, u = couples_of (w);

  if (n > c->room) {
    c->room = 0;
    TRY (memory_get (&c->memory, &c->couples, n));
    c->room = n;
  }
  for (int l = 0; l < w->n_layers; l++) {
    int width = w->layer[0][l].width;

    f->pitch[l] = (int) u * width;
    f->across[l] = order == POCSTEREO_BY_ROW ? 1 : (int) u;
    f->deeper[l] = order == POCSTEREO_BY_ROW ? width : 1;
    for (int v = 0; v < 2; v++) {
      f->couples[v][l] = c->couples + at;
      at += (size_t) f->pitch[l] * pocstereo_fields_pairs (w, l);
    }
  }
  return NULL;
}

/* One block, PIXELS pixels of a pair of lines: half of each warp takes the
 * upper line, half the lower one, and each stores every other couple of both.
 */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS)
    fields_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ PocstereoField f,
        const __grid_constant__ Plan plan, const __grid_constant__ Window t)
{
  constexpr int SIDE = PIXELS + 2 * Window::max_half;
  constexpr int APART =
      SIDE + (48 - SIDE % 32) % 32; /* 16 banks between rows */
  __shared__ float rows[2][APART];
  uint32_t words[Window::max_bandwidth + 1];
  int block = blockIdx.x, view = blockIdx.y, l = 0;
  int row = threadIdx.x / 16 % 2;
  int n = threadIdx.x / 32 * 16 + threadIdx.x % 16;

  while (block >= plan.blocks[l + 1])
    l++;
  block -= plan.blocks[l];

  const PocstereoLayer &layer = w.layer[0][l];
  int tiles = ceil_div (layer.width, PIXELS);
  int x0 = block % tiles * PIXELS, pair = block / tiles;

  allow_next ();
  await_previous ();
  for (int i = threadIdx.x; i < 2 * (PIXELS + 2 * t.half); i += THREADS) {
    int from_y =
        pocstereo_clamp (2 * pair + i % 2 - t.lines / 2, 0, layer.height - 1);
    int from_x = pocstereo_clamp (x0 + i / 2 - t.half, 0, layer.width - 1);

    rows[i % 2][i / 2] =
        w.view[view][l][(size_t) from_y * w.stride[l] + from_x];
  }
  __syncthreads ();
  words[t.bandwidth] = 0;
  pocstereo_line (t, &rows[row][n + t.half], words);
#pragma unroll
  for (int k = 0; k < t.bandwidth; k++) {
    uint32_t other = __shfl_xor_sync (ALL_LANES, words[k], 16);

    words[k] = row ? other | words[k] << 16 : words[k] | other << 16;
  }
  if (x0 + n >= layer.width)
    return;

  uint2 *to = f.couples[view][l] + (size_t) pair * f.pitch[l] +
      (size_t) (x0 + n) * f.across[l];

#pragma unroll
  for (int k = 0; k < t.bandwidth; k += 2)
    if (k / 2 % 2 == row)
      to[(size_t) (k / 2) * f.deeper[l]] = make_uint2 (words[k], words[k + 1]);
}

const char *
pocstereo_fields_cuda (
    const Device *dev, const PocstereoWork *w, uint32_t layers)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  Plan plan = {};

  for (int l = 0; l < POCSTEREO_MAX_LAYERS; l++) {
    int n = l < w->n_layers && (layers >> l & 1)
        ? ceil_div (w->layer[0][l].width, PIXELS) *
            pocstereo_fields_pairs (w, l)
        : 0;

    plan.blocks[l + 1] = plan.blocks[l] + n;
  }
  if (!plan.blocks[POCSTEREO_MAX_LAYERS])
    return NULL;
  return pocstereo_with_window (w, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    return pocstereo_launch (dev, w, fields_kernel<Window>,
        dim3 (plan.blocks[POCSTEREO_MAX_LAYERS], 2), THREADS, 0, *w, c->field,
        plan, t);
  });
}
