/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Step 7 again, with windows that lean with the surface: a thread for each
 * pixel.  The phasors of the left window come from the field. */
#include "pocstereo/pocstereo_pixel.cuh"
#include "pocstereo/pocstereo_slant_core.h"

#define TILE_X 32
#define TILE_Y 4

/* Input and output of the kernel. */
struct Maps {
  const PocstereoTables *tables;
  const int32_t *smooth[2]; /* medians of the disparities */
  uint16_t min_peak;
  PocstereoMatch *matches[2];
};

/* Adds to @r the products of a line's phasors: @g, each in the lower half of a
 * word, and half @half of the pair @f. */
template <class Window>
static __device__ __forceinline__ void
add_leaning_line (const Window &t, const uint2 *f, int deeper, int half,
    const uint32_t *g, int32_t *r)
{
#pragma unroll
  for (int k = 0; k < t.bandwidth; k++) {
    uint2 both = f[(size_t) (k / 2) * deeper];
    uint32_t word = (k % 2 ? both.y : both.x) >> (16 * half) & 0xffffu;

    r[2 * k] = pocstereo_dot_bytes (word, g[k], r[2 * k]);
    r[2 * k + 1] =
        pocstereo_dot_bytes (pocstereo_turned_word (word), g[k], r[2 * k + 1]);
  }
}

/* The match of a leaning window; its disparity is a lag alone. */
template <class Window>
static __device__ __forceinline__ PocstereoMatch
measure_leaning_window (const PocstereoFrame &frame, const PocstereoFields &f,
    const Window &t, const PocstereoTables *tables, int view, int x,
    const PocstereoLean &lean)
{
  const uint16_t *other = frame.view[1 - view];
  const uint2 *left = pocstereo_couples (f, view, 0) + x;
  int32_t r[2 * Window::max_bandwidth];

#pragma unroll
  for (int k = 0; k < 2 * t.bandwidth; k++)
    r[k] = 0;
#pragma unroll 1
  for (int j = 0; j < t.lines; j++) {
    int line = pocstereo_clamp (lean.y + j - t.lines / 2, 0, frame.height - 1);
    const uint16_t *row = other + (size_t) line * frame.stride;
    float samples[2 * Window::max_half];
    uint32_t words[Window::max_bandwidth];

#pragma unroll
    for (int n = 1 - t.half; n < t.half; n++)
      samples[n + t.half] =
          pocstereo_slanted_sample (row, frame.width, &lean, n, line);
    pocstereo_line_phasors (t, samples + t.half, words);
    add_leaning_line (t, left + (size_t) ((lean.y + j) / 2) * f.pitch[0],
        f.deeper[0], (lean.y + j) % 2, words, r);
  }
  return pocstereo_refine_in_window (t, tables, r, 0);
}

template <class Window>
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    slant_kernel (const __grid_constant__ PocstereoFrame frame,
        const __grid_constant__ PocstereoFields f,
        const __grid_constant__ Window t, const __grid_constant__ Maps maps)
{
  int view = blockIdx.z;
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * frame.width + x;
  PocstereoMatch match;
  PocstereoSlant slant;

  allow_next ();
  await_previous ();
  if (x >= frame.width || y >= frame.height)
    return;
  match = maps.matches[view][at];
  if (pocstereo_find_slant (
          maps.smooth[view], frame.width, frame.height, x, y, &slant))
    pocstereo_take_leaning_match (
        measure_leaning_window (frame, f, t, maps.tables, view, x,
            pocstereo_lean_window (x, y, match.disparity, slant)),
        slant.across, &match);
  pocstereo_drop_low_peak (maps.min_peak, &match);
  maps.matches[view][at] = match;
}

const char *
pocstereo_slant_cuda (const Device *dev, const PocstereoFrame *frame,
    const PocstereoFields *fields, const PocstereoConstants *constants,
    uint16_t final_min_peak, int32_t *scratch, PocstereoDenseMatches *matches)
{
  int32_t *smooth[2] = {
      scratch, scratch + (size_t) frame->width * frame->height};
  Maps maps = {constants->device, {smooth[0], smooth[1]}, final_min_peak,
      {matches->view[0], matches->view[1]}};

  TRY (pocstereo_match_medians_cuda (dev, matches, smooth));
  return pocstereo_with_window (constants, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    return pocstereo_launch_kernel (dev, slant_kernel<Window>,
        dim3 (ceil_div (frame->width, TILE_X), ceil_div (frame->height, TILE_Y),
            matches->n_views),
        dim3 (TILE_X, TILE_Y), *frame, *fields, t, maps);
  });
}
