/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's textures: where texels lie, what is left of them from level to
 * level, how many are read. */
#pragma once

#include "moct_methods.h"

static void
check_texel (const MoctLevel *l, MoctTexel t, size_t at)
{
  MoctTexel back = moct_texel_of (l, (unsigned) at);

  check (moct_texel_at (l, t) == at);
  check (back.cx == t.cx && back.cy == t.cy && back.i == t.i);
}

/* Figure 2's layouts of 640 x 480 pixels and 32 objects, and what is left of
 * them from level to level. */
static void
test_levels (DeviceKind kind)
{
  static const int cells[3][5][2] = {{{640, 15}, {16, 15}, {1, 15}, {1, 1}},
      {{20, 480}, {20, 12}, {20, 1}, {1, 1}},
      {{107, 80}, {3, 80}, {1, 80}, {1, 2}, {1, 1}}};
  static const size_t texels[3] = {640 * 480, 640 * 480, 642 * 480};
  static const size_t at[3] = {(2 * 32 + 31) * 640 + 3, 2 * 640 + 3 * 32 + 31,
      (2 * 6 + 5) * 642 + 3 * 6 + 1};
  MoctWork w = {.frame = {.width = 640, .height = 480},
      .n_colours = 32,
      .reduction_factor = 40};

  (void) kind;
  for (int layout = 0; layout < 3; layout++) {
    unsigned long long reads = 0;
    MoctLevel l;

    w.layout = layout;
    l = moct_base (&w);
    check (moct_level_texels (&l) == texels[layout]);
    check_texel (&l, (MoctTexel){3, 2, 31}, at[layout]);
    for (int i = 0; l.cells_x * l.cells_y > 1; i++) {
      check (l.cells_x == cells[layout][i][0]);
      check (l.cells_y == cells[layout][i][1]);
      reads += 32 * (unsigned) (l.cells_x * l.cells_y);
      l = moct_above (&w, &l);
    }
    check (moct_pyramid_reads (&w) == reads);
  }
  w.n_colours = 36; /* a square itself: no texel is left over */
  check (moct_base (&w).width == 6);
}

/* Equations (1) and (2): 307200 <= 32 * 40^3; a power of r needs no more than
 * its levels; a single step reads n * r; one cell reads nothing. */
static void
test_bound (DeviceKind kind)
{
  MoctWork w = {.frame = {.width = 64, .height = 27},
      .n_colours = 27,
      .reduction_factor = 4};

  (void) kind;
  check (moct_pyramid_bound (307200, 32, 40) ==
      32ull * (40 * 40 * 40 + 40 * 40 + 40));
  check (moct_pyramid_bound (64 * 27, 27, 4) == 27 * (64 + 16 + 4));
  check (moct_pyramid_reads (&w) == 27 * (64 + 16 + 4));
  check (moct_pyramid_bound (32 * 40, 32, 40) == 32 * 40);
  check (moct_pyramid_bound (32, 32, 40) == 0);
}

/* More memory than a method may have is refused before anything is touched. */
static void
test_too_large (DeviceKind kind)
{
  MoctWork w = {.frame = {.width = 32768, .height = 32768},
      .n_colours = 2,
      .reduction_factor = 2};
  Device dev;
  const char *err;

  ok (device_open (&dev, kind, NULL));
  check (moct_pyramid_texels (&w) == 0 && moct_per_object_texels (&w) == 0);
  err = STAGES (moct, &dev)->pyramid (&dev, &w);
  check (err && strstr (err, "use method=fused"));
  err = STAGES (moct, &dev)->per_object (&dev, &w);
  check (err && strstr (err, "use method=fused"));
  device_close (&dev);
}
