/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The outputs of matches: maps of numbers, pictures, and points in space.
 * Matches of every pixel are converted by one pass, in the memory of the
 * device. */
#pragma once

#include "pocstereo/pocstereo.h"
#include "pocstereo/rig/pocstereo_space.h"

C_BEGIN

/* No match, in a map of disparities: larger than any disparity, and exact as a
 * float. */
#define POCSTEREO_NO_DISPARITY (-32768.f)

/* The matches of every pixel, the masks of the views, and the rig. */
typedef struct {
  int width, height;
  const PocstereoMatch *matches; /* rows of width, in the device's memory */
  const uint8_t
      *valid[2]; /* masks of the left and right view, rows of width in the
                    device's memory, or NULL: 0 where a sample comes from
                    outside of the frame, and matches are void */
  const PocstereoSpace *space; /* NULL: the rig is not known */
} PocstereoMatches;

/* Rows of one kind of number in the device's memory; @stride in bytes, a
 * multiple of the number's size.  @pixels NULL: not wanted. */
typedef struct {
  void *pixels;
  size_t stride;
} PocstereoRows;

/* The outputs that can be wanted of a frame's matches. */
typedef struct {
  PocstereoRows disparity;   /* float: pixels, or POCSTEREO_NO_DISPARITY */
  PocstereoRows sigma;       /* uint16_t: as in a match; 65535: none */
  PocstereoRows confidence;  /* uint8_t: the peak, 255 for identical windows; 0
                                without a match */
  PocstereoRows depth;       /* float: the unit of space; 0: none */
  PocstereoRows steps;       /* uint16_t: 0 without a match, else 1 + the
                                disparity beyond min in units of step, rounded
                                and cut off */
  PocstereoRows millimetres; /* uint16_t: depth, if space is in metres; 0: none,
                                or more than 65,535 */
  PocstereoRows colours; /* R G B A, 4 bytes: colours of the overlay's maps from
                            min to max; 0 0 0 0 without a match */
  double min, max;       /* disparities, pixels, min <= max */
  double step;           /* pixels, above 0 */
} PocstereoOutput;

/* Queues the wanted outputs.  Depth and millimetres need in->space. */
const char *pocstereo_output (const Device *device, const PocstereoMatches *in,
    const PocstereoOutput *out);

/* The default of `step`: the finest power of two, at most 1 / POCSTEREO_ONE
 * pixels, at which the range fits 16 bits. */
double pocstereo_step (int min_disparity, int max_disparity);

/* The match of a point of the left view, as numbers in a fixed order. */
typedef struct {
  float x, y;       /* the point, pixels */
  float disparity;  /* pixels */
  float sigma;      /* predicted, pixels */
  float confidence; /* 0 to 1 */
} PocstereoPointMatch;

/* Writes the points that have a match to @list, and to @in_space, unless it is
 * NULL, their places in space; 0 0 0 0 for a match without a point in front of
 * the camera.  All memory is the host's, that of @valid (as above; NULL each)
 * too.  @in_space needs @space.  Returns the number of points written. */
int pocstereo_list (const PocstereoPoint *points, const PocstereoMatch *matches,
    int n, const uint8_t *const valid[2], int width,
    const PocstereoSpace *space, PocstereoPointMatch *list,
    float (*in_space)[4]);

/* Writes the match of each point to a square of @side pixels around it in
 * @rows, rows of @width; all other pixels get no match.  All memory is the
 * host's. */
void pocstereo_scatter (const PocstereoPoint *points,
    const PocstereoMatch *matches, int n, int side, PocstereoMatch *rows,
    int width, int height);

C_END
