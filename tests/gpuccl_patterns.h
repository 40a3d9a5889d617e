/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames that labellers go wrong on: by hand, against the oracle, and against
 * themselves mirrored and turned. */
#pragma once

#include <float.h>

#include "gpuccl_compare.h"
#include "gpuccl_images.h"

/* A map of outliers where @picture has a #; rows of @width characters. */
static inline Input
input_of_picture (const char *picture, int width, int height)
{
  Input in = input_new (GPUCCL_CLASSES, width, height, false);

  for (int i = 0; i < width * height; i++)
    *map_at (&in, i % width, i / width) = picture[i] == '#' ? 3 : 1;
  return in;
}

static inline void
check_labels (
    DeviceKind kind, const GpucclParams *p, const Input *in, const int *labels)
{
  Found f = find (kind, p, in);

  for (int i = 0; i < in->width * in->height; i++)
    check (f.labels[i] == (uint32_t) labels[i]);
  found_free (&f);
}

static inline void
test_by_hand (DeviceKind kind)
{
  static const char picture[] = "#..##.#"
                                "##..#.#"
                                "..#.###"
                                "#.#....";
  static const int four[] = {1, 0, 0, 4, 4, 0, 4, 1, 1, 0, 0, 4, 0, 4, 0, 0, 17,
      0, 4, 4, 4, 22, 0, 17, 0, 0, 0, 0};
  static const int eight[] = {1, 0, 0, 4, 4, 0, 4, 1, 1, 0, 0, 4, 0, 4, 0, 0, 1,
      0, 4, 4, 4, 22, 0, 1, 0, 0, 0, 0};
  Input in = input_of_picture (picture, 7, 4);

  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++) {
    GpucclParams p = gpuccl_defaults ();

    p.algorithm = (GpucclAlgorithm) k;
    check_labels (kind, &p, &in, four);
    p.connectivity = 8;
    check_labels (kind, &p, &in, eight);
  }
  input_free (&in);
}

/* Two pixels side by side, of depths @a and @b: whether they are one. */
static inline bool
are_one (DeviceKind kind, const GpucclParams *p, int a, int b)
{
  Input in = input_new (GPUCCL_DEPTH_ONLY, 2, 1, true);
  GpucclParams q = *p;
  Found f;
  bool one;

  q.filter = GPUCCL_NO_FILTER;
  *depth_at (&in, 0, 0) = (uint16_t) a;
  *depth_at (&in, 1, 0) = (uint16_t) b;
  f = find (kind, &q, &in);
  one = f.results.n_labels == 1;
  check (f.labels[0] == 1 && f.labels[1] == (one ? 1 : 2));
  found_free (&f);
  input_free (&in);
  return one;
}

/* Less than the limit, not as much; depths that wrap in 16 bits. */
static inline void
test_steps (DeviceKind kind)
{
  static const struct {
    double step, scale;
    int last; /* the greatest step that joins, in units */
  } limits[] = {{.01, .001, 9}, {.01, .0001, 99}, {.01, .0002, 49},
      {.0105, .001, 10}, {.0005, .001, 0}, {.07, .01, 6}, {.03, .001, 29},
      {.1, .00001, 9999}, {0, .001, 65534}, {1e9, .001, 65534},
      {DBL_MAX, .001, 65534}};
  GpucclParams p = gpuccl_defaults ();

  for (int i = 0; i < (int) (sizeof limits / sizeof *limits); i++) {
    int last = limits[i].last;

    p.max_depth_step = limits[i].step;
    p.depth_scale = limits[i].scale;
    check (are_one (kind, &p, 1, 1 + last));
    check (are_one (kind, &p, 65535, 65535 - last));
    if (last < 65534) {
      check (!are_one (kind, &p, 1, 2 + last));
      check (!are_one (kind, &p, 65535, 65534 - last));
      check (!are_one (kind, &p, 1, 65535));
    }
  }
}

/* t(z) = max (1 cm, k z^2) of the nearer z: 14 mm at 2 m, 31.5 mm at 3 m. */
static inline void
test_steps_grow (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  p.depth_step_k = .0035;
  check (are_one (kind, &p, 1000, 1009) && !are_one (kind, &p, 1000, 1010));
  check (are_one (kind, &p, 2000, 2013) && !are_one (kind, &p, 2000, 2014));
  check (are_one (kind, &p, 2013, 2000) && !are_one (kind, &p, 2014, 2000));
  check (are_one (kind, &p, 3000, 3031) && !are_one (kind, &p, 3000, 3032));
  p.depth_step_k = 1000; /* more than 32 bits hold */
  check (are_one (kind, &p, 60000, 65535));
  p.max_depth_step = 0;
  check (are_one (kind, &p, 1, 65535));
}

enum {
  EMPTY,
  FULL,
  CHECKERBOARD,
  COMB,
  STANDING_COMB,
  DIAGONALS,
  SPIRAL,
  FRAMES,  /* one inside the other */
  CROSSES, /* over the corners of tiles of 16, 32 and 64 */
  RAMP,    /* every step joins, the ends are metres apart */
  STAIRS,  /* every other step is exactly the limit */
  WRAP,    /* 1 beside 65535 */
  N_PATTERNS
};

static inline bool
pattern_set (int pattern, int x, int y, int width, int height)
{
  int in = x < y ? x : y, right = width - 1 - x, bottom = height - 1 - y;

  in = in < right ? in : right;
  in = in < bottom ? in : bottom;
  switch (pattern) {
    case EMPTY:
      return false;
    case CHECKERBOARD:
      return (x + y) % 2;
    case COMB:
      return y % 2 == 0 || x == 0;
    case STANDING_COMB:
      return x % 2 == 0 || y == height - 1;
    case DIAGONALS:
      return (x + y) % 3 == 0 || (x - y + 3 * width) % 7 == 0;
    case FRAMES:
      return in % 2 == 0;
    case CROSSES:
      return (x + 1) % 16 < 2 || (y + 1) % 32 < 2 || (x + y) % 64 < 2;
  }
  return true;
}

static inline uint16_t
pattern_depth (int pattern, int x, int y)
{
  return pattern == RAMP   ? (uint16_t) (1000 + 9 * x + 9 * y)
      : pattern == STAIRS  ? (uint16_t) (1000 + 10 * (x / 2) + 9 * (y / 3))
      : pattern == WRAP    ? (x / 2 + y / 3) % 2 ? 1 : 65535
      : pattern == CROSSES ? (uint16_t) (1000 + 10 * (x / 32 + y / 16))
                           : 1000;
}

static inline void
draw_pattern (Input *in, int pattern)
{
  uint8_t *spiral = calloc (in->width, in->height);

  gpuccl_image_draw (GPUCCL_SPIRAL, spiral, in->width, in->height);
  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      bool set = pattern == SPIRAL
          ? spiral[y * in->width + x]
          : pattern_set (pattern, x, y, in->width, in->height);

      *map_at (in, x, y) = set ? 2 + (x + y) % 2 : 1;
      *depth_at (in, x, y) = pattern_depth (pattern, x, y);
    }
  free (spiral);
}

static inline void
test_patterns (DeviceKind kind)
{
  static const int sizes[][2] = {{1, 1}, {1, 70}, {70, 1}, {2, 2}, {33, 31},
      {63, 64}, {64, 63}, {65, 66}, {128, 17}, {129, 130}};

  for (int i = 0; i < (int) (sizeof sizes / sizeof *sizes); i++)
    for (int pattern = 0; pattern < N_PATTERNS; pattern++)
      for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
        GpucclParams p = gpuccl_defaults ();
        Rule rule = {connectivity, 128, 10, 0};
        Input in = input_new (
            GPUCCL_CLASSES, sizes[i][0], sizes[i][1], pattern != FULL);

        draw_pattern (&in, pattern);
        p.min_area = 1;
        p.min_size = 2;
        p.max_components = GPUCCL_MAX_COMPONENTS;
        random_camera (&p.camera);
        compare (kind, &p, &rule, &in);
        input_free (&in);
      }
}

/* The images of the benchmark have as many components as is known of them. */
static inline void
test_images (DeviceKind kind)
{
  for (int size = 0; size < 2; size++)
    for (int k = 0; k < GPUCCL_N_IMAGES; k++) {
      int width = gpuccl_image_sizes[size].width;
      int height = gpuccl_image_sizes[size].height;
      Input in = input_new (GPUCCL_MASK, width, height, false);
      uint8_t *image = malloc ((size_t) width * height);
      GpucclParams p = gpuccl_defaults ();
      Found four, eight;

      gpuccl_image_draw ((GpucclImage) k, image, width, height);
      for (int i = 0; i < width * height; i++)
        *map_at (&in, i % width, i / width) = image[i] ? 255 : 0;
      four = find (kind, &p, &in);
      p.connectivity = 8;
      eight = find (kind, &p, &in);
      check ((int) four.results.n_labels == gpuccl_image_sizes[size].n[k].four);
      check (
          (int) eight.results.n_labels == gpuccl_image_sizes[size].n[k].eight);
      found_free (&four);
      found_free (&eight);
      free (image);
      input_free (&in);
    }
}
