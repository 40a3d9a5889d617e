/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of matches: maps of numbers, pictures, and points in space.
 * Matches of every pixel are turned where they lie, by one pass over them. */
#pragma once

#include "pocstereo/pocstereo.h"
#include "pocstereo/rig/pocstereo_space.h"

C_BEGIN

/* In a map of disparities: no match.  Beyond any disparity, and exact. */
#define POCSTEREO_NO_DISPARITY (-32768.f)

/* The matches of every pixel, and what is known besides. */
typedef struct {
  int width, height;
  const PocstereoMatch *matches; /* rows of width; the device's memory */
  const uint8_t *valid[2]; /* of the left and the right view, the device's, rows
                              of width: 0 where a sample is from outside the
                              frame, and a match void; or NULL */
  const PocstereoSpace *space; /* NULL: nothing is known of space */
} PocstereoMatches;

/* Rows of one kind of number, in the device's memory; @stride in bytes, a
 * multiple of the number's size.  No pixels: not wanted. */
typedef struct {
  void *pixels;
  size_t stride;
} PocstereoRows;

/* What is made of them. */
typedef struct {
  PocstereoRows disparity;   /* float: pixels, or POCSTEREO_NO_DISPARITY */
  PocstereoRows sigma;       /* uint16_t: as in a match; 65535 without one */
  PocstereoRows confidence;  /* uint8_t: the peak, 255 for identical windows; 0
                                without a match */
  PocstereoRows depth;       /* float: the unit of space; 0: none */
  PocstereoRows steps;       /* uint16_t: 0 without a match, else 1 + the
                                disparity beyond min in units of step, rounded
                                and cut off */
  PocstereoRows millimetres; /* uint16_t: depth, where space is in metres; 0:
                                none, or more than 65,535 */
  PocstereoRows colours;     /* R G B A, 4 bytes: those of the overlay's maps,
                                from min to max; 0 0 0 0 without a match */
  double min, max;           /* disparities, pixels, min <= max */
  double step;               /* pixels, above 0 */
} PocstereoOutput;

/* Queues the outputs that are wanted.  Depth and millimetres need space. */
const char *pocstereo_output (const Device *device, const PocstereoMatches *in,
    const PocstereoOutput *out);

/* The unit of `steps` where the user has not said: the finest power of two, at
 * most POCSTEREO_ONE parts of a pixel, by which the range fits 16 bits. */
double pocstereo_step (int min_disparity, int max_disparity);

/* What is said of a point of the left view, in numbers that tell what they are
 * by their place. */
typedef struct {
  float x, y;       /* the point, pixels */
  float disparity;  /* pixels */
  float sigma;      /* predicted, pixels */
  float confidence; /* 0 to 1 */
} PocstereoPointMatch;

/* Those of @n points that have a match; the host's memory throughout.  @valid:
 * as above, but the host's, or NULL each.  @in_space, where not NULL: the
 * places of the same, all 0 where a match is of no point; @space is then
 * needed.  Returns how many. */
int pocstereo_list (const PocstereoPoint *points, const PocstereoMatch *matches,
    int n, const uint8_t *const valid[2], int width,
    const PocstereoSpace *space, PocstereoPointMatch *list,
    float (*in_space)[4]);

/* Writes them to @rows of @width matches, of whose pixels none has a match: to
 * each point a square of @side pixels around it.  The host's memory. */
void pocstereo_scatter (const PocstereoPoint *points,
    const PocstereoMatch *matches, int n, int side, PocstereoMatch *rows,
    int width, int height);

C_END
