/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Multi-object chromatic tracking: finds up to 1024 colours in a frame, in one
 * pass over it, and follows objects from frame to frame.
 *
 * Paper: "MOCT: multi-object chromatic tracking", a technique for real-time
 * natural video processing.  The sections named in this folder are that
 * paper's. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"

C_BEGIN

#define MOCT_MAX_COLOURS 1024
#define MOCT_NAME_BYTES 32
#define MOCT_MODES 4 /* the most ranges of one colour */
#define MOCT_DRAGS 8 /* the most regions from which one colour is learned */

/* The space in which a colour is described (section 3.4). */
typedef enum {
  MOCT_RGB,   /* R, G, B: 0 to 255 */
  MOCT_YUV,   /* Y, U, V: 0 to 255, in the frame's matrix and range */
  MOCT_RG,    /* r = R / (R + G + B), g: 0 to 1; black has r = g = 1/3 */
  MOCT_HSV,   /* hue in degrees, 0 to 360; s, v: 0 to 100 */
  MOCT_LAB,   /* CIE L*a*b*, D65, of sRGB: L 0 to 100; a, b -128 to 127 */
  MOCT_NEAR,  /* Lab: all colours within a distance of a centre */
  MOCT_LEARN, /* not known yet: will be learned from drags[] */
} MoctSpace;

typedef struct {
  float lo[3], hi[3];
} MoctRange;

/* A region to learn from. */
typedef struct {
  ImageBox region; /* pixels; empty: the caller must find it (`roi=meta`) */
  float at;        /* seconds into the stream; 0: at once */
  int takes_away;  /* 1: its pixels are not of the colour; 0: they are */
  int is_point;    /* 1: the square around a point of the object, whose
                      surroundings may be of the object, too; 0: a box around
                      the object, or most of it */
} MoctDrag;

/* Pixels: so few that the square most likely lies in the object. */
#define MOCT_POINT_SIDE 9

/* The region around the point (@x, @y); it may reach out of the frame. */
ImageBox moct_point_region (int x, int y);

/* One colour: a box in its space, or a few, or a ball (MOCT_NEAR). */
typedef struct {
  char name[MOCT_NAME_BYTES];
  MoctSpace space;
  float lo[3], hi[3]; /* inclusive.  MOCT_HSV: lo[0] > hi[0] wraps through 0.
                         MOCT_RG: two numbers are used.  MOCT_NEAR: lo is the
                         centre in Lab, hi[0] the maximum difference (CIE76
                         Delta E) */
  int n_also; /* number of further boxes, for an object of several colours */
  MoctRange also[MOCT_MODES - 1];
  uint8_t rgb[3]; /* MOCT_NEAR: the centre as R G B */
  int n_drags;    /* the colour is learned from these; 0: the colour is known */
  MoctDrag drags[MOCT_DRAGS];
  unsigned taken; /* a bit for each drag that the colour was learned from */
} MoctColour;

/* How the sums are made.  All methods classify pixels alike and give the same
 * sums. */
typedef enum {
  MOCT_FUSED,      /* one pass, at a cost that hardly depends on the number of
                      colours */
  MOCT_PYRAMID,    /* the paper's multiple parallel reduction (3.1, 3.2) */
  MOCT_PER_OBJECT, /* Brunner and others: a mask and a pyramid for each
                      colour */
} MoctMethod;

/* The arrangement of a cell of the pyramid's base texture (section 3.1). */
typedef enum { MOCT_VERTICAL, MOCT_HORIZONTAL, MOCT_SQUARE } MoctLayout;

#define MOCT_MAX_OBJECTS 64 /* of one colour */
#define MOCT_MAX_SIDE 32768 /* of a frame, pixels */

/* Meanings, ranges and defaults: moct_params.c. */
typedef struct {
  const MoctColour *colours; /* a pixel belongs to the first colour that
                                contains it.  Tracks refer to colours by index:
                                call moct_renumber () when the colours change */
  int n_colours;
  MoctMethod method;
  MoctLayout layout;
  int reduction_factor;
  bool exact, blobs;
  int merge_distance;
  uint64_t min_area, max_area;
  /* limits of a blob's shape, by the ellipse with the same second moments; by
   * its box; by its box */
  double min_roundness, min_fill, max_side_ratio;
  int max_objects;
  ImageBox region; /* pixels outside are ignored; default: the whole frame */
  double gate;
  int appear_frames, lose_frames;
} MoctParams;

/* A row for each number and choice, in the order in which they are shown. */
extern const Param moct_params[];
MoctParams moct_defaults (void);

typedef enum {
  MOCT_NEW,      /* seen in too few frames to be MOCT_TRACKING */
  MOCT_TRACKING, /* seen in this frame */
  MOCT_OCCLUDED, /* not seen; position and box are predicted */
  MOCT_LOST,     /* given up in this frame */
} MoctState;

/* An object.  Pixels; y down; boxes half-open. */
typedef struct {
  uint64_t id; /* from 1; a Moct uses each id once */
  int colour;  /* index in params.colours */
  MoctState state;
  uint64_t area; /* pixels */
  double cx, cy; /* mean position of the pixels, unsmoothed */
  double x0, y0, x1, y1;
  double orientation;   /* radians, x axis to major axis, positive towards
                           y, in (-pi/2, pi/2] (second moments) */
  double elongation;    /* major over minor axis, >= 1 */
  double vx, vy;        /* pixels a second (Kalman) */
  double covariance[4]; /* of the Kalman filter's (x, y), pixels squared */
  double age;           /* seconds since it was first seen */
  double score;         /* part of the last 32 frames in which it was
                           seen, 0 to 1 */
  int track;            /* column of the trajectory history */
} MoctObject;

/* A point of the trajectory history (section 3.5): the position of a track in a
 * frame. */
typedef struct {
  float cx, cy, x0, y0, x1, y1;
  uint32_t id, seen; /* id 0: no track; seen 0: predicted */
  double time;       /* seconds since the history's first frame */
} MoctPoint;

#define MOCT_HISTORY_ROWS 64
#define MOCT_HISTORY_CHANNELS 8

typedef struct _Moct Moct;

/* Makes a Moct for frames of @width x @height pixels.  @history_length: frames
 * that the trajectory history holds, 0 for none. */
const char *moct_new (Moct **self, const Device *device, int width, int height,
    int history_length);
void moct_free (Moct *self);

/* Finds and tracks the objects in @frame.  @dt: seconds since the previous
 * frame, of which at most 10^11 count; 0 or less, or NaN: unknown.  @objects
 * stay valid until the next call, in a fixed order: by colour, then by id. */
const char *moct_run (Moct *self, const MoctParams *params, const Image *frame,
    double dt, const MoctObject **objects, int *n_objects);

/* Queues the device's part of moct_run () alone: the sums of @frame, for at
 * least one colour.  The function neither waits nor tracks; benchmarks call
 * it. */
const char *moct_queue (
    Moct *self, const MoctParams *params, const Image *frame);

/* Forgets all tracks and the history, as is right after a seek. */
void moct_reset (Moct *self);

/* Must be called when the list of colours has changed.  From the next frame on,
 * objects of colour k of @n are of colour now[k], or are forgotten if that is
 * -1; no two of now[] are equal but for -1.  Objects keep their ids and
 * history. */
void moct_renumber (Moct *self, const int *now, int n);

/* Reads the newest points of each of @objects from the history in device
 * memory, oldest first: at most @max points each, at @points + i * max.  Sets
 * @counts[i] to their number. */
const char *moct_trajectories (Moct *self, const MoctObject *objects,
    int n_objects, int max, MoctPoint *points, int *counts);

/* Queues writing the history of the first MOCT_HISTORY_ROWS of @objects to
 * @map, device memory, for effects: MOCT_HISTORY_ROWS rows, @stride in bytes,
 * of history_length points, MOCT_HISTORY_CHANNELS floats each.  Row k is of
 * object k, the newest point last: cx, cy, x0, y0, x1, y1, seconds since the
 * newest frame (0 or less), and 1 where the object was seen, 0 where it was
 * predicted; all NAN without a point. */
const char *moct_history (Moct *self, const MoctObject *objects, int n_objects,
    float *map, size_t stride);

/* Writes the class of each pixel (0: none, else 1 + index of the colour) to
 * @labels, device memory, @stride in bytes. */
const char *moct_labels (Moct *self, const MoctParams *params,
    const Image *frame, uint16_t *labels, size_t stride);

/* Result of learning a colour from a region. */
typedef struct {
  int modes;        /* number of the regions' modes that the colour contains; 0:
                       the regions' surroundings have the same colours, so the
                       colour contains all modes */
  double explained; /* part of the regions' pixels that the colour contains */
  double elsewhere; /* part of the frames' pixels that the colour contains, of
                       those farther than half a region from the region */
  double before, now; /* part of the newest region's pixels that the colour
                         contained before that region, and contains now */
} MoctLearned;

/* The regions that a colour was learned from. */
typedef struct _MoctLesson MoctLesson;
void moct_lesson_free (MoctLesson *lesson);

/* Adds the region of @drag in @frame to @lesson, which is made if it is NULL,
 * and learns @colour from all regions of @lesson: boxes in Lab around the modes
 * that best distinguish the regions' pixels from their surroundings, from the
 * rest of the frames, and from regions that take away.  A box reaches half of
 * the way to colours of other objects.  @colour keeps its name and its drags,
 * and stays as it is while all regions take away. */
const char *moct_learn (Moct *self, const Image *frame, const MoctDrag *drag,
    MoctLesson **lesson, MoctColour *colour, MoctLearned *learned);

/* Reads the text form of colours, `NAME:SPACE=lo..hi,lo..hi,lo..hi;…` (further
 * ranges after `|`, with SPACE= again or without), `NAME:#rrggbb~TOL`,
 * `NAME:roi=x,y,w,h[@SECONDS]`, `NAME:roi=x,y[@SECONDS]` (a point) or
 * `NAME:roi=meta` (further regions after `+` or, to take away, `-`), into
 * @colours (room for MOCT_MAX_COLOURS).  On failure sets
 * @problem (@size bytes) to a sentence that says which entry is wrong and
 * why. */
bool moct_parse (const char *text, MoctColour *colours, int *n_colours,
    char *problem, size_t size);

#define MOCT_TEXT_BYTES 512 /* the most bytes of a colour's text */

/* Writes the text form of @colours to @text, of MOCT_TEXT_BYTES each. */
void moct_print (
    const MoctColour *colours, int n_colours, char *text, size_t size);

C_END
