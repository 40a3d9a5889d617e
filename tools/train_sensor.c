/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Depth as sensors of structured light give it.  The generator's depth reaches
 * up to the silhouettes of things, and its noise differs from pixel to pixel.
 * A sensor that compares windows of a pattern sees nothing in a band beside a
 * silhouette, is wrong alike over a window (K. Khoshelham, S. Oude Elberink,
 * Sensors 12, 2012) and, by its calibration, over a larger part of the picture
 * (A. Teichman, S. Miller, S. Thrun, RSS 2013), and sees nothing in spots that
 * shine or are dark. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "common/random.h"
#include "train.h"

#define WIDTH 640.   /* of the pictures for which lengths are in pixels */
#define STEPS 351.   /* of depth: 1 / z in steps, as in the scene rgbd */
#define JUMP .03     /* a step by more than this part of the depth is an edge */
#define MAX_BAND 10. /* of the background beside an edge, pixels */
#define FRONT .25    /* of the foreground, in that of the background */
#define BLOCK 5.     /* part of an edge whose band has one width, pixels */
#define WINDOW 9.    /* pixels that are wrong alike */
#define REGION 80.
#define MAX_WINDOW_ERROR 2.   /* half of the range, steps */
#define MAX_REGION_ERROR .007 /* likewise, in depths */
#define SPOT 14.              /* size of a spot, pixels */
#define MAX_SPOTS .15         /* part of the picture, about */

/* The errors of a picture. */
typedef struct {
  uint16_t *depth, *old;
  int width, height;
  double per_pixel; /* pixels of a picture with WIDTH */
  uint64_t key;
  double band, window, region, spots;
} Spoiling;

/* A number of -1 to 1 at a place, smooth between the places of a grid whose
 * cells have the side @cell; @which: the number of the field. */
static double
field_at (const Spoiling *s, int which, int x, int y, double cell)
{
  double u = x * s->per_pixel / cell, v = y * s->per_pixel / cell, n[4];
  double a = u - floor (u), b = v - floor (v);
  uint64_t key = s->key + (uint64_t) which;

  for (int k = 0; k < 4; k++)
    n[k] = 2 *
            (double) random_unit (key,
                ((uint64_t) floor (v) + (uint64_t) (k / 2)) << 32 |
                    ((uint64_t) floor (u) + (uint64_t) (k % 2))) -
        1;
  a = a * a * (3 - 2 * a), b = b * b * (3 - 2 * b);
  return (n[0] * (1 - a) + n[1] * a) * (1 - b) +
      (n[2] * (1 - a) + n[3] * a) * b;
}

/* Whether the depth @far pixels from (@x, @y), along an axis, is nearer, or is
 * farther and @far at most @front. */
static bool
has_edge_at (const Spoiling *s, int x, int y, int far, double front)
{
  double z = s->old[(size_t) y * s->width + x];

  for (int k = 0; k < 4; k++) {
    int u = x + (k == 0 ? far : k == 1 ? -far : 0);
    int v = y + (k == 2 ? far : k == 3 ? -far : 0);
    double other;

    if (u < 0 || v < 0 || u >= s->width || v >= s->height)
      continue;
    other = s->old[(size_t) v * s->width + u];
    if (other > 0 &&
        (other < (1 - JUMP) * z || (other > (1 + JUMP) * z && far <= front)))
      return true;
  }
  return false;
}

static bool
is_beside_edge (const Spoiling *s, int x, int y)
{
  uint64_t block = (uint64_t) (y * s->per_pixel / BLOCK) << 32 |
      (uint64_t) (x * s->per_pixel / BLOCK);
  double part = (double) random_unit (s->key, block);
  double back = s->band * (.4 + .6 * part) / s->per_pixel;
  double front = FRONT * s->band * part / s->per_pixel;

  for (int far = 1; far <= back; far++)
    if (has_edge_at (s, x, y, far, front))
      return true;
  return false;
}

static bool
is_in_spot (const Spoiling *s, int x, int y)
{
  return (1 + field_at (s, 1, x, y, SPOT)) / 2 < s->spots;
}

/* The wrong depth of a pixel that the sensor sees, millimetres. */
static uint16_t
wrong_depth (const Spoiling *s, int x, int y)
{
  double z = s->old[(size_t) y * s->width + x] / 1000.;
  double steps;

  z *= 1 + s->region * field_at (s, 2, x, y, REGION);
  steps = floor (STEPS / z + s->window * field_at (s, 3, x, y, WINDOW) + .5);
  return steps >= 1 ? (uint16_t) fmin (1000 * STEPS / steps + .5, 65534) : 0;
}

static void
spoil_rows (void *data, int begin, int end)
{
  const Spoiling *s = data;

  for (int i = begin * s->width; i < end * s->width; i++) {
    int x = i % s->width, y = i / s->width;
    bool is_seen =
        s->old[i] && !is_in_spot (s, x, y) && !is_beside_edge (s, x, y);

    s->depth[i] = is_seen ? wrong_depth (s, x, y) : 0;
  }
}

const char *
train_spoil_depth (uint16_t *depth, int width, int height, uint64_t seed)
{
  size_t n = (size_t) width * (size_t) height;
  uint64_t key = random_u64 (seed, 5);
  Spoiling s = {.depth = depth,
      .old = malloc (n * sizeof *depth),
      .width = width,
      .height = height,
      .per_pixel = WIDTH / width,
      .key = random_u64 (key, 0),
      .band = MAX_BAND * (double) random_unit (key, 1),
      .window = MAX_WINDOW_ERROR * (double) random_unit (key, 2),
      .region = MAX_REGION_ERROR * (double) random_unit (key, 3),
      .spots = MAX_SPOTS * (double) random_unit (key, 4)};

  if (!s.old)
    return "out of memory";
  memcpy (s.old, depth, n * sizeof *depth);
  parallel_for (height, 8, spoil_rows, &s);
  free (s.old);
  return NULL;
}
