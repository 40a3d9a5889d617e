/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU against CUDA, bit for bit: random frames and params, one frame after the
 * other, and the filter's and the loop's own results. */
#pragma once

#include "gpuccl_bare.h"
#include "gpuccl_compare.h"

/* Cells of outliers on a slanted, noisy surface with holes. */
static inline Input
random_input_of (GpucclSource source, int width, int height, bool depth)
{
  Input in = input_new (source, width, height, depth);
  uint32_t density = rnd (101), grain = 1 + rnd (rnd (2) ? 4 : 16);
  uint32_t slope = rnd (40), seed = rnd (1u << 30);
  uint32_t wide = (uint32_t) in.width / grain + 1;

  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      uint32_t cell = (uint32_t) y / grain * wide + (uint32_t) x / grain;
      bool set = random_below (seed, cell, 100) < density;

      *map_at (&in, x, y) = in.source == GPUCCL_MASK
          ? (uint8_t) (set ? 77 + rnd (179) : rnd (77))
          : (uint8_t) (set ? 2 + rnd (2) : rnd (7));
      *depth_at (&in, x, y) =
          rnd (20) ? (uint16_t) (1000 + slope * x + 3 * y + rnd (24)) : 0;
    }
  return in;
}

static inline Input
random_input (int width, int height)
{
  GpucclSource source = (GpucclSource) rnd (3);

  return random_input_of (source, width, height, rnd (4) > 0);
}

static inline GpucclParams
random_params (Rule *rule)
{
  GpucclParams p = gpuccl_defaults ();

  *rule = (Rule){
      rnd (2) ? 4 : 8, 77, rnd (4) ? rnd (30) : 0, rnd (3) ? 0 : rnd (64)};
  rule_to_params (rule, &p);
  p.min_area = rnd (2) ? 1 : rnd (100);
  p.min_size = rnd (2) ? rnd (200) : 3500;
  p.max_components = 1 + (int) rnd (rnd (2) ? 10 : GPUCCL_MAX_COMPONENTS);
  random_camera (&p.camera);
  return p;
}

/* The paper's algorithms are left out: a sanitizer does not understand memory
 * that a loop within a graph reads. */
static bool parity_of_run;

/* Of all algorithms, detectors and filters. */
static inline GpucclParams
random_method (void)
{
  Rule rule;
  GpucclParams p = random_params (&rule);

  p.filter = (GpucclFilter) rnd (2);
  p.detector = (GpucclDetector) (rnd (6) == 0);
  p.algorithm = (GpucclAlgorithm) rnd (4);
  p.skip_checks = (int) rnd (3);
  if (parity_of_run)
    p.algorithm = GPUCCL_RUN;
  return p;
}

static inline void
check_alike (const Found *a, const Found *b, const Input *in)
{
  const GpucclResults *r = &a->results, *s = &b->results;

  check (!memcmp (a->labels, b->labels,
      (size_t) in->width * in->height * sizeof *a->labels));
  check (r->n_labels == s->n_labels && r->n_unknown == s->n_unknown);
  check (r->largest_label == s->largest_label);
  check (r->largest_area == s->largest_area);
  check (!r->iterations == !s->iterations);
  check (r->accepted == s->accepted);
  check (r->n_components == s->n_components);
  check (!memcmp (
      a->components, b->components, r->n_components * sizeof *a->components));
}

static inline void
test_parity (DeviceKind kind)
{
  for (int round = 0; round < 400; round++) {
    bool large = round % 20 == 0;
    Input in = random_input (
        1 + (int) rnd (large ? 1400 : 200), 1 + (int) rnd (large ? 700 : 90));
    GpucclParams p = random_method ();
    Found a = find (DEVICE_CPU, &p, &in), b = find (kind, &p, &in);

    check_alike (&a, &b, &in);
    found_free (&a);
    found_free (&b);
    input_free (&in);
  }
}

/* GPUCCL_RUN alone goes through frames of more than 4096 tiles in another way:
 * with either kind of neighbours without depth, with it, and with the filter.
 */
static inline void
test_parity_large (DeviceKind kind)
{
  for (int round = 0; round < 6; round++) {
    Rule rule;
    GpucclParams p = random_params (&rule);
    GpucclSource source = round < 2 ? GPUCCL_MASK : (GpucclSource) rnd (3);
    Input in = random_input_of (
        source, 2080 + (int) rnd (60), 2080 + (int) rnd (60), round >= 2);
    Found a, b;

    p.connectivity = round % 2 ? 8 : 4;
    p.filter = round < 4 ? GPUCCL_NO_FILTER : GPUCCL_BILATERAL;
    a = find (DEVICE_CPU, &p, &in);
    b = find (kind, &p, &in);
    check_alike (&a, &b, &in);
    found_free (&a);
    found_free (&b);
    input_free (&in);
  }
}

static inline Found
find_next (const Device *dev, Gpuccl *g, const GpucclParams *p, const Input *in)
{
  void *map_memory, *depth_memory;
  Image map = frame_to_device (&in->map, dev, &map_memory);
  Image depth = frame_to_device (&in->depth, dev, &depth_memory);
  GpucclFrame frame = input_frame (in, &map, &depth);
  GpucclResults r = {0};
  Found f;

  ok (gpuccl_run (g, p, &frame, &r));
  f = found_of (dev, g, in, &r);
  device_release (dev, map_memory);
  device_release (dev, depth_memory);
  return f;
}

/* Nothing is left of the frame before, whatever was done with it. */
static inline void
test_parity_in_turn (DeviceKind kind)
{
  Device cpu, cuda;
  Gpuccl *g, *h;

  ok (device_open (&cpu, DEVICE_CPU, NULL));
  ok (device_open (&cuda, kind, NULL));
  ok (gpuccl_new (&g, &cpu, 150, 110));
  ok (gpuccl_new (&h, &cuda, 150, 110));
  for (int round = 0; round < 100; round++) {
    Input in = random_input (150, 110);
    GpucclParams p = random_method ();
    Found a = find_next (&cpu, g, &p, &in), b = find_next (&cuda, h, &p, &in);

    check_alike (&a, &b, &in);
    found_free (&a);
    found_free (&b);
    input_free (&in);
  }
  gpuccl_free (g);
  gpuccl_free (h);
  device_close (&cpu);
  device_close (&cuda);
}

/* Stages alone, on one frame. */
typedef struct {
  Device dev;
  Bare bare;
  void *map, *depth;
} Staged;

static inline void
staged_open (Staged *s, DeviceKind kind, const GpucclParams *p, const Input *in)
{
  Image map, depth;
  GpucclFrame frame;

  ok (device_open (&s->dev, kind, NULL));
  bare_open (&s->bare, &s->dev, in->width, in->height, p->depth_scale);
  map = frame_to_device (&in->map, &s->dev, &s->map);
  depth = frame_to_device (&in->depth, &s->dev, &s->depth);
  frame = input_frame (in, &map, &depth);
  ok (gpuccl_set (&s->bare.work, p, &frame));
}

static inline void
staged_close (Staged *s)
{
  bare_close (&s->bare);
  device_release (&s->dev, s->map);
  device_release (&s->dev, s->depth);
  device_close (&s->dev);
}

/* Whether @bytes at @a on one device are those at @b on the other. */
static inline bool
same_memory (const Staged *s, const void *a, const Staged *t, const void *b,
    size_t bytes)
{
  uint8_t *copies = malloc (2 * bytes);
  bool same;

  ok (device_copy (&s->dev, copies, a, bytes));
  ok (device_copy (&t->dev, copies + bytes, b, bytes));
  ok (device_wait (&s->dev));
  ok (device_wait (&t->dev));
  same = !memcmp (copies, copies + bytes, bytes);
  free (copies);
  return same;
}

/* Depths and their fractions. */
static inline void
test_parity_filter (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    Input in = random_input (1 + (int) rnd (150), 1 + (int) rnd (90));
    size_t pixels = (size_t) in.width * in.height;
    GpucclParams p = gpuccl_defaults ();
    Staged s, t;
    const GpucclWork *a = &s.bare.work, *b = &t.bare.work;

    in.has_depth = true;
    p.threshold = 77;
    p.depth_scale = .00003 * (1 + rnd (100));
    staged_open (&s, DEVICE_CPU, &p, &in);
    staged_open (&t, kind, &p, &in);
    ok (s.bare.stages->filter (&s.dev, a));
    ok (t.bare.stages->filter (&t.dev, b));
    check (same_memory (&s, a->smooth, &t, b->smooth, 2 * pixels));
    check (same_memory (&s, a->fraction, &t, b->fraction, pixels));
    staged_close (&s);
    staged_close (&t);
    input_free (&in);
  }
}

/* The loop that the host decides on finds what the device's own does. */
static inline void
test_parity_host_loop (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    Input in = random_input (1 + (int) rnd (150), 1 + (int) rnd (90));
    size_t bytes = (size_t) in.width * in.height * sizeof (uint32_t);
    GpucclParams p = random_method ();
    Staged s, t;
    GpucclWork *a = &s.bare.work, *b = &t.bare.work;

    p.filter = GPUCCL_NO_FILTER;
    staged_open (&s, DEVICE_CPU, &p, &in);
    staged_open (&t, kind, &p, &in);
    b->host_loop = true;
    ok (s.bare.stages->improved (&s.dev, a));
    ok (t.bare.stages->improved (&t.dev, b));
    check (same_memory (&s, a->labels, &t, b->labels, bytes));
    ok (t.bare.stages->label_equivalence (&t.dev, b));
    check (same_memory (&s, a->labels, &t, b->labels, bytes));
    staged_close (&s);
    staged_close (&t);
    input_free (&in);
  }
}
