/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct in one frame, for the parts of its test. */
#pragma once

#include <math.h>

#include "frames.h"
#include "moct/moct.h"

static const uint8_t red[3] = {220, 30, 30}, green[3] = {40, 200, 40},
                     grey[3] = {120, 120, 120};

static MoctParams
default_params (const MoctColour *colours, int n)
{
  return (MoctParams){.colours = colours,
      .n_colours = n,
      .exact = true,
      .blobs = true,
      .max_area = UINT64_MAX,
      .min_area = 1,
      .max_objects = 64,
      .region = {0, 0, 32768, 32768},
      .reduction_factor = 40,
      .appear_frames = 1,
      .lose_frames = 5,
      .gate = 1};
}

/* Runs one frame through a new Moct; the objects are copied out. */
static int
find (DeviceKind kind, const MoctParams *p, const Frame *f, MoctObject *out,
    int max)
{
  Device dev;
  Moct *m = NULL;
  void *memory = NULL;
  const MoctObject *objects;
  Image there;
  int n = 0;

  ok (device_open (&dev, kind, NULL));
  there = frame_to_device (f, &dev, &memory);
  ok (moct_new (&m, &dev, f->image.width, f->image.height, 0));
  ok (moct_run (m, p, &there, 0, &objects, &n));
  for (int i = 0; i < n && i < max; i++)
    out[i] = objects[i];
  moct_free (m);
  device_release (&dev, memory);
  device_close (&dev);
  return n;
}

static MoctColour
parse_one (const char *text)
{
  MoctColour c[MOCT_MAX_COLOURS];
  char problem[200];
  int n;

  check (moct_parse (text, c, &n, problem, sizeof problem) && n == 1);
  return c[0];
}
