/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's labels and sums in single frames: against a flood fill, by hand, on
 * patterns, hostile input, and CPU against CUDA bit for bit. */
#include "gpuccl_bench.h"
#include "gpuccl_compare.h"

static void
random_input (Input *in)
{
  uint32_t density = rnd (101), grain = 1 + rnd (rnd (2) ? 4 : 16);
  uint32_t slope = rnd (40), seed = rnd (1u << 30);
  uint32_t wide = (uint32_t) in->width / grain + 1;

  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      uint32_t cell = (uint32_t) y / grain * wide + (uint32_t) x / grain;
      bool set = random_below (seed, cell, 100) < density;

      *map_at (in, x, y) = in->source == GPUCCL_MASK
          ? (uint8_t) (set ? 77 + rnd (179) : rnd (77))
          : (uint8_t) (set ? 2 + rnd (2) : rnd (6));
      *depth_at (in, x, y) =
          rnd (20) ? (uint16_t) (1000 + slope * x + 3 * y + rnd (24)) : 0;
    }
}

static void
test_random (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    GpucclParams p = GPUCCL_DEFAULTS;
    Rule rule = {
        rnd (2) ? 4 : 8, 77, rnd (4) ? rnd (30) : 0, rnd (3) ? 0 : rnd (64)};
    Input in = input_new (
        rnd (3), 1 + (int) rnd (200), 1 + (int) rnd (90), rnd (4) > 0);

    random_input (&in);
    p.min_area = rnd (2) ? 1 : rnd (100);
    p.min_size = rnd (2) ? rnd (200) : 3500;
    p.max_components = 1 + (int) rnd (rnd (2) ? 10 : GPUCCL_MAX_COMPONENTS);
    random_camera (&p.camera);
    compare (kind, &p, &rule, &in);
    check (frame_is_unharmed (&in.map) && frame_is_unharmed (&in.depth));
    input_free (&in);
  }
}

static const CheckPart on_each[] = {
    {"random frames", test_random}, {NULL, NULL}};

static const CheckPart parity[] = {{NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench_all);
}
