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
  p.min_area = rnd (2) ? 1 + rnd (40) : 1;
  p.max_objects = 1 + rnd (64);
  if (rnd (2))
    p.region = (ImageBox){
        (int) rnd (50), (int) rnd (50), 50 + rnd (200), 50 + rnd (200)};
  return p;
}

/* Both must find the same in @f. */
static void
compare (const MoctParams *p, const Frame *f)
{
  static MoctObject a[4096], b[4096];
  int n, m;

  memset (a, 0, sizeof a);
  memset (b, 0, sizeof b);
  n = find (DEVICE_CPU, p, f, a, 4096);
  m = find (DEVICE_CUDA, p, f, b, 4096);
  check (n == m && !memcmp (a, b, n * sizeof *a));
}

static void
test_parity (DeviceKind kind)
{
  static MoctColour c[64];

  (void) kind;
  for (int round = 0; round < 400; round++) {
    int n_colours = 1 + rnd (round % 4 ? 6 : 64);
    MoctParams p = random_params (c, n_colours);
    Frame f = frame_new (all_formats[rnd (N_FORMATS)], 1 + rnd (400),
        1 + rnd (300), rnd (2) ? rnd (40) : 0, rnd (2) ? 16 : 1);

    f.image.matrix = rnd (3);
    f.image.full_range = rnd (2);
    for (int k = 0; k < n_colours; k++)
      c[k] = random_colour (k);
    paint (&f, rnd (60));
    compare (&p, &f);
    frame_free (&f);
  }
}

/* Large boxes, bright and dark, then specks of both. */
static void
paint_large (Frame *f, int specks)
{
  int w = f->image.width, h = f->image.height, stride = f->image.stride[0];

  memset (f->image.plane[0], rnd (2) ? 200 : 20, (size_t) h * stride);
  for (int i = 0; i < 8; i++) {
    int x = rnd (w), y = rnd (h), x1 = x + 1 + rnd (w - x);
    int y1 = y + 1 + rnd (h - y), level = rnd (2) ? 200 : 20;

    for (; y < y1; y++)
      memset (f->image.plane[0] + y * stride + x, level, x1 - x);
  }
  for (int i = 0; i < specks; i++)
    f->image.plane[0][rnd (h) * stride + rnd (w)] = rnd (2) ? 200 : 20;
}

/* In every tile a box that leaves up to @margin pixels free on each side. */
static void
paint_tiles (Frame *f, int margin)
{
  int w = f->image.width, h = f->image.height, stride = f->image.stride[0];

  memset (f->image.plane[0], 20, (size_t) h * stride);
  for (int y = 0; y + MOCT_TILE <= h; y += MOCT_TILE)
    for (int x = 0; x + MOCT_TILE <= w; x += MOCT_TILE) {
      int left = rnd (margin + 1), right = MOCT_TILE - rnd (margin + 1);
      int top = rnd (margin + 1), bottom = MOCT_TILE - rnd (margin + 1);

      for (int r = top; r < bottom; r++)
        memset (
            f->image.plane[0] + (y + r) * stride + x + left, 200, right - left);
    }
}

/* Two colours that share all pixels of large frames: each has thousands of
 * fragments.  The last frame is larger than what a block has in shared
 * memory. */
static void
test_parity_large (DeviceKind kind)
{
  MoctColour c[2] = {parse_one ("bright:yuv=100..255,0..255,0..255"),
      parse_one ("dark:yuv=0..99,0..255,0..255")};

  (void) kind;
  for (int round = 0; round < 24; round++) {
    int w = round < 23 ? 700 + (int) rnd (1500) : 8300;
    int h = round < 23 ? 700 + (int) rnd (900) : 1900;
    MoctParams p = random_params (c, 2);
    Frame f = frame_new (IMAGE_GRAY8, w, h, 0, rnd (2) ? 16 : 1);

    p.blobs = true;
    p.region = (ImageBox){0, 0, 32768, 32768};
    if (round % 3)
      paint_large (&f, (int) rnd (4) * w * h / 800);
    else
      paint_tiles (&f, (int) rnd (7));
    compare (&p, &f);
    frame_free (&f);
  }
}

static const CheckPart on_each[] = {{"box", test_box},
    {"orientation", test_orientation}, {"merge distance", test_merge_distance},
    {"region, order of colours", test_region_and_order},
    {"a filled frame", test_filled_frame}, {"places", test_places},
    {"cells", test_cells}, {"hue wraps", test_hue_wraps},
    {"labels against the textbook", test_labels},
    {"sums against a plain loop", test_sums},
    {"blobs add up", test_blobs_add_up}, {"hostile frames", test_hostile},
    {"every pixel another class", test_every_pixel_another_class},
    {NULL, NULL}};

static const CheckPart parity[] = {{"CPU and CUDA", test_parity},
    {"large frames", test_parity_large}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench_all);
}
