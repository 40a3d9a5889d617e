/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's labels and sums in single frames: by hand, against a flood fill, on
 * patterns and hostile input, and CPU against CUDA bit for bit. */
#include "gpuccl_figures.h"
#include "gpuccl_filters.h"
#include "gpuccl_hostile.h"
#include "gpuccl_many.h"
#include "gpuccl_parity.h"
#include "gpuccl_turned.h"

static void
test_random (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    Rule rule;
    GpucclParams p = random_params (&rule);
    Input in = random_input (1 + (int) rnd (200), 1 + (int) rnd (90));

    compare (kind, &p, &rule, &in);
    check (frame_is_unharmed (&in.map) && frame_is_unharmed (&in.depth));
    input_free (&in);
  }
}

/* One Gpuccl and frames in turn: what was there before changes nothing. */
static void
test_repeats (DeviceKind kind)
{
  Device dev;
  Gpuccl *g;
  Found first[3];
  GpucclParams p = gpuccl_defaults ();
  Input in[3];

  ok (device_open (&dev, kind, NULL));
  ok (gpuccl_new (&g, &dev, 120, 90));
  p.min_area = 1;
  for (int k = 0; k < 3; k++) {
    in[k] = input_new (GPUCCL_CLASSES, 120, 90, true);
    draw_surface (&in[k]);
    first[k] = find (kind, &p, &in[k]);
  }
  for (int i = 0; i < 60; i++) {
    const Input *now = &in[i % 3];
    const Found *then = &first[i % 3];
    void *map_memory, *depth_memory;
    Image map = frame_to_device (&now->map, &dev, &map_memory);
    Image depth = frame_to_device (&now->depth, &dev, &depth_memory);
    GpucclFrame frame = input_frame (now, &map, &depth);
    GpucclResults r;
    Found f;

    ok (gpuccl_run (g, &p, &frame, &r));
    f = found_of (&dev, g, now, &r);
    check (!memcmp (f.labels, then->labels, 120 * 90 * sizeof *f.labels));
    check (r.n_components == then->results.n_components);
    for (int k = 0; k < r.n_components; k++)
      check (!memcmp (
          &r.components[k].sum, &then->components[k].sum, sizeof (GpucclSum)));
    found_free (&f);
    device_release (&dev, map_memory);
    device_release (&dev, depth_memory);
  }
  for (int k = 0; k < 3; k++) {
    found_free (&first[k]);
    input_free (&in[k]);
  }
  gpuccl_free (g);
  device_close (&dev);
}

/* Label equivalence ends after an iteration in which nothing changed; a check
 * that is left out may cost one more, and never changes the result. */
static void
test_iterations (DeviceKind kind)
{
  Input in = input_new (GPUCCL_CLASSES, 100, 80, false);

  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++)
    for (int skip = 0; skip <= 2; skip++) {
      GpucclParams p = gpuccl_defaults ();
      Found empty, full;

      p.algorithm = (GpucclAlgorithm) k;
      p.skip_checks = skip;
      for (int i = 0; i < 8000; i++)
        *map_at (&in, i % 100, i / 100) = 1;
      empty = find (kind, &p, &in);
      for (int i = 0; i < 8000; i++)
        *map_at (&in, i % 100, i / 100) = 3;
      full = find (kind, &p, &in);
      check (!empty.results.n_labels && full.results.n_labels == 1);
      if (k == GPUCCL_RUN || k == GPUCCL_HIERARCHICAL) {
        check (!empty.results.iterations && !full.results.iterations);
      } else {
        check (empty.results.iterations == 1 + skip);
        check (full.results.iterations >= 2);
        check (full.results.iterations >= 1 + skip);
      }
      found_free (&empty);
      found_free (&full);
    }
  input_free (&in);
}

static void
test_mask (DeviceKind kind)
{
  Input in = input_of_picture ("##.#.#.##", 3, 3);
  GpucclParams p = gpuccl_defaults ();
  void *memory;
  Image map;
  GpucclFrame frame;
  GpucclResults r;
  uint8_t *mask, got[3 * 5];
  Device dev;
  Gpuccl *g;

  ok (device_open (&dev, kind, NULL));
  ok (gpuccl_new (&g, &dev, 3, 3));
  map = frame_to_device (&in.map, &dev, &memory);
  frame = input_frame (&in, &map, &map);
  ok (gpuccl_run (g, &p, &frame, &r));
  ok (device_alloc (&dev, (void **) &mask, sizeof got));
  ok (gpuccl_mask (g, 1, mask, 5));
  ok (device_copy (&dev, got, mask, sizeof got));
  ok (device_wait (&dev));
  check (!memcmp (got, "\377\377\0\0\0\377\0\0\0\0\0\0\0\0\0", sizeof got));
  device_release (&dev, mask);
  device_release (&dev, memory);
  gpuccl_free (g);
  device_close (&dev);
  input_free (&in);
}

static const CheckPart on_each[] = {{"by hand", test_by_hand},
    {"steps at the limit", test_steps}, {"steps that grow", test_steps_grow},
    {"patterns", test_patterns}, {"known images", test_images},
    {"random frames", test_random}, {"mirrored and turned", test_turned},
    {"moved", test_moved}, {"repeats", test_repeats},
    {"iterations", test_iterations}, {"mask", test_mask},
    {"bilateral filter", test_bilateral},
    {"what it keeps", test_bilateral_keeps},
    {"links after it", test_bilateral_links}, {"window", test_window},
    {"params", test_params}, {"frames", test_frames},
    {"extremes", test_extremes}, {"a device that fails", test_failing},
    {NULL, NULL}};

static const CheckPart parity[] = {{"frames alone", test_parity},
    {"large frames", test_parity_large}, {"many components", test_parity_many},
    {"frames in turn", test_parity_in_turn}, {"filter", test_parity_filter},
    {"loop on the host", test_parity_host_loop}, {NULL, NULL}};

/* `parity run`: without the paper's algorithms. */
static const CheckPart parity_run[] = {{"frames alone", test_parity},
    {"large frames", test_parity_large}, {"many components", test_parity_many},
    {"frames in turn", test_parity_in_turn}, {"filter", test_parity_filter},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  parity_of_run = argc > 2 && !strcmp (argv[2], "run");
  if (parity_of_run)
    return check_main (argc, argv, on_each, parity_run, bench_all);
  return check_main (argc, argv, on_each, parity, bench_all);
}
