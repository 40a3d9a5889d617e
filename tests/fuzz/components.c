/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl on the CPU: frames with a map, with depth, or with both, from which
 * any part may be missing. */
#include "gpuccl/gpuccl.h"
#include "fuzz.h"

#define HEAD 5 /* bytes: source, width, height, algorithm, step of the map */
#define MAX_SIDE 70 /* more than a word of bits */

/* Values of the size that the frame needs, from @data again and again. */
static void *
repeat (const uint8_t *data, size_t size, size_t bytes)
{
  uint8_t *all = malloc (bytes);

  REQUIRE (all);
  for (size_t i = 0; i < bytes; i++)
    all[i] = data[i % size];
  return all;
}

static uint64_t
count_labels (const uint32_t *labels, size_t n)
{
  uint64_t foreground = 0;

  for (size_t i = 0; i < n; i++)
    foreground += labels[i] != 0;
  return foreground;
}

static void
run (const Device *device, const GpucclParams *params, const GpucclFrame *f)
{
  size_t n = (size_t) f->width * (size_t) f->height;
  uint32_t *labels = malloc (n * sizeof *labels);
  GpucclResults results;
  uint64_t area = 0;
  Gpuccl *gpuccl;

  REQUIRE (labels && !gpuccl_new (&gpuccl, device, f->width, f->height));
  REQUIRE (!gpuccl_run_with_labels (
      gpuccl, params, f, labels, (size_t) f->width * sizeof *labels, &results));
  for (int i = 0; i < results.n_components; i++)
    area += results.components[i].sum.area;
  REQUIRE (area <= count_labels (labels, n));
  gpuccl_free (gpuccl);
  free (labels);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  GpucclParams params = gpuccl_defaults ();
  GpucclFrame f = {0};
  Device device;

  if (size <= HEAD || device_open (&device, DEVICE_CPU, NULL))
    return;
  f.source = (GpucclSource) (data[0] % 3);
  f.width = 1 + data[1] % MAX_SIDE;
  f.height = 1 + data[2] % MAX_SIDE;
  params.algorithm = (GpucclAlgorithm) (data[3] % 4);
  params.min_area = 1;
  f.map_step = 1 + data[4] % 2;
  f.map_stride = f.width * f.map_step;
  f.depth_stride = f.width * (int) sizeof *f.depth;
  if (f.source != GPUCCL_DEPTH_ONLY)
    f.map = repeat (
        data + HEAD, size - HEAD, (size_t) f.map_stride * (size_t) f.height);
  if (f.source == GPUCCL_DEPTH_ONLY || data[0] & 0x80)
    f.depth = repeat (
        data + HEAD, size - HEAD, (size_t) f.depth_stride * (size_t) f.height);
  if (!gpuccl_check (&params, f.source, f.depth != NULL))
    run (&device, &params, &f);
  free ((void *) f.map);
  free ((void *) f.depth);
  device_close (&device);
}
