/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectifies two grey frames for rectify.py, from the standard input to the
 * standard output: in come width and height (int32_t), two PocstereoViews and
 * two frames of bytes; out come two maps, two masks and two planes of
 * samples. */
#include "pocstereo/rig/pocstereo_rectify_core.h"

#include <stdio.h>
#include <stdlib.h>

static void *
get (void *to, size_t bytes)
{
  if (!to || fread (to, 1, bytes, stdin) != bytes)
    exit (1);
  return to;
}

static void
put (const void *from, size_t bytes)
{
  if (fwrite (from, 1, bytes, stdout) != bytes)
    exit (1);
}

static const char *
rectify (int width, int height, const PocstereoView view[2], uint8_t *pixels,
    uint16_t *const sample[2])
{
  size_t n = (size_t) width * height;
  Image frame[2] = {{.plane = {pixels},
      .stride = {width},
      .width = width,
      .height = height,
      .format = IMAGE_GRAY8}};
  PocstereoRectify *r;
  const char *error;
  Device dev;

  frame[1] = frame[0];
  frame[1].plane[0] += n;
  TRY (device_open (&dev, DEVICE_CPU, NULL));
  error = pocstereo_rectify_new (&r, &dev, width, height);
  if (!error)
    error = pocstereo_rectify_set (r, &view[0], &view[1]);
  if (!error)
    error = pocstereo_rectify_run (r, &frame[0], &frame[1], sample, width);
  for (int i = 0; i < 2 && !error; i++)
    put (pocstereo_rectify_valid (r, i), n);
  pocstereo_rectify_free (r);
  device_close (&dev);
  return error;
}

int
main (void)
{
  PocstereoView view[2];
  int32_t size[2];

  get (size, sizeof size);
  get (view, sizeof view);

  size_t n = (size_t) size[0] * size[1];
  uint8_t *pixels = get (malloc (2 * n), 2 * n), *valid = malloc (n);
  PocstereoPosition *map = malloc (n * sizeof *map);
  uint16_t *samples = malloc (2 * n * sizeof *samples);
  const char *error;

  for (int i = 0; i < 2; i++) {
    pocstereo_rectify_map (&view[i], size[0], size[1], map, valid);
    put (map, n * sizeof *map);
  }
  error = rectify (size[0], size[1], view, pixels,
      (uint16_t *const[]){samples, samples + n});
  if (error)
    fprintf (stderr, "%s\n", error);
  put (samples, 2 * n * sizeof *samples);
  free (pixels);
  free (valid);
  free (map);
  free (samples);
  return error != NULL;
}
