/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct in single frames: answers known by hand, an oracle that shares no code
 * with it, hostile frames, and CPU against CUDA bit for bit. */
#include "moct_bench.h"
#include "moct_cells.h"
#include "moct_hostile.h"
#include "moct_known.h"
#include "moct_oracle.h"

static MoctParams
random_params (const MoctColour *colours, int n)
{
  MoctParams p = default_params (colours, n);

  p.exact = rnd (2);
  p.blobs = rnd (3) > 0;
  p.merge_distance = rnd (2) ? rnd (65) : 0;
  p.min_area = rnd (2) ? rnd (40) : 1;
  p.max_objects = 1 + rnd (64);
  if (rnd (2))
    p.region = (ImageBox){
        (int) rnd (50), (int) rnd (50), 50 + rnd (200), 50 + rnd (200)};
  return p;
}

static void
test_parity (DeviceKind kind)
{
  static MoctObject a[4096], b[4096];
  static MoctColour c[64];

  (void) kind;
  for (int round = 0; round < 400; round++) {
    int n_colours = 1 + rnd (round % 4 ? 6 : 64);
    MoctParams p = random_params (c, n_colours);
    Frame f = frame_new (all_formats[rnd (N_FORMATS)], 1 + rnd (400),
        1 + rnd (300), rnd (2) ? rnd (40) : 0, rnd (2) ? 16 : 1);
    int n, m;

    f.image.matrix = rnd (3);
    f.image.full_range = rnd (2);
    for (int k = 0; k < n_colours; k++)
      c[k] = random_colour (k);
    paint (&f, rnd (60));
    memset (a, 0, sizeof a);
    memset (b, 0, sizeof b);
    n = find (DEVICE_CPU, &p, &f, a, 4096);
    m = find (DEVICE_CUDA, &p, &f, b, 4096);
    check (n == m && !memcmp (a, b, n * sizeof *a));
    frame_free (&f);
  }
}

static const CheckPart on_each[] = {{"box", test_box},
    {"orientation", test_orientation}, {"merge distance", test_merge_distance},
    {"region, order of colours", test_region_and_order},
    {"places", test_places}, {"cells", test_cells},
    {"hue wraps", test_hue_wraps}, {"labels against the textbook", test_labels},
    {"sums against a plain loop", test_sums},
    {"blobs add up", test_blobs_add_up}, {"hostile frames", test_hostile},
    {"every pixel another class", test_every_pixel_another_class},
    {NULL, NULL}};

static const CheckPart parity[] = {{"CPU and CUDA", test_parity}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench_all);
}
