/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Multi-object chromatic tracking: where each of up to 1024 colours is in a
 * frame, in one pass over it, and which object is which from frame to frame.
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
#define MOCT_MODES 4 /* ranges of one colour, the most */

/* The space in which a colour is described (section 3.4). */
typedef enum {
  MOCT_RGB,   /* R, G, B: 0 to 255 */
  MOCT_YUV,   /* Y, U, V: 0 to 255, in the frame's matrix and range */
  MOCT_RG,    /* r = R / (R + G + B), g: 0 to 1; black has r = g = 1/3 */
  MOCT_HSV,   /* hue in degrees, 0 to 360; s, v: 0 to 100 */
  MOCT_LAB,   /* CIE L*a*b*, D65, of sRGB: L 0 to 100; a, b -128 to 127 */
  MOCT_NEAR,  /* Lab too: all colours within a distance of one */
  MOCT_LEARN, /* not known yet: to be learned from a region of a frame */
} MoctSpace;

typedef struct {
  float lo[3], hi[3];
} MoctRange;

/* One colour: a box in its space, or a few, or a ball (MOCT_NEAR). */
typedef struct {
  char name[MOCT_NAME_BYTES];
  MoctSpace space;
  float lo[3], hi[3]; /* inclusive.  MOCT_HSV: lo[0] > hi[0] wraps through 0.
                         MOCT_RG uses two.  MOCT_NEAR: lo is the centre in Lab,
                         hi[0] the maximum difference (CIE76 Delta E) */
  int n_also; /* number of further boxes, for a thing of several colours */
  MoctRange also[MOCT_MODES - 1];
  uint8_t rgb[3];  /* MOCT_NEAR: the centre as it was given */
  ImageBox region; /* MOCT_LEARN: where to learn it, pixels; empty: the caller
                      must find the place (`roi=meta`) */
  float learn_at;  /* MOCT_LEARN: seconds into the stream; 0: at once */
} MoctColour;

/* How the sums are made.  All methods classify alike and give the same sums. */
typedef enum {
  MOCT_FUSED,      /* one pass, cost nearly independent of the colours */
  MOCT_PYRAMID,    /* the paper's multiple parallel reduction (3.1, 3.2) */
  MOCT_PER_OBJECT, /* Brunner and others: mask and pyramid, colour by colour */
} MoctMethod;

/* The arrangement of a cell of the pyramid's base texture (section 3.1). */
typedef enum { MOCT_VERTICAL, MOCT_HORIZONTAL, MOCT_SQUARE } MoctLayout;

#define MOCT_MAX_OBJECTS 64 /* of one colour */
#define MOCT_MAX_SIDE 32768 /* of a frame, pixels */

/* Meanings, ranges and defaults: moct_params.c. */
typedef struct {
  const MoctColour *colours; /* a pixel belongs to the first that contains
                                it.  Tracks refer to colours by index: call
                                moct_renumber () when these change */
  int n_colours;
  MoctMethod method;
  MoctLayout layout;
  int reduction_factor;
  bool exact, blobs;
  int merge_distance;
  uint64_t min_area, max_area;
  /* of the ellipse with the same second moments; of its box; of its box */
  double min_roundness, min_fill, max_side_ratio;
  int max_objects;
  ImageBox region; /* pixels outside are ignored; default: none lie outside */
  double gate;
  int appear_frames, lose_frames;
} MoctParams;

/* A row for each number and choice, in the order in which they are shown. */
extern const Param moct_params[];
MoctParams moct_defaults (void);

typedef enum {
  MOCT_NEW,      /* seen too few times to be reported as tracked */
  MOCT_TRACKING, /* seen in this frame */
  MOCT_OCCLUDED, /* not seen; position and box are predicted */
  MOCT_LOST,     /* given up with this frame */
} MoctState;

/* An object.  Pixels; y down; boxes half-open. */
typedef struct {
  uint64_t id; /* from 1, never used again by this Moct */
  int colour;  /* index in params.colours */
  MoctState state;
  uint64_t area; /* pixels */
  double cx, cy; /* centroid: of the pixels, unsmoothed */
  double x0, y0, x1, y1;
  double orientation;   /* radians, x axis to major axis, positive towards
                           y, in (-pi/2, pi/2] (second moments) */
  double elongation;    /* major over minor axis, >= 1 */
  double vx, vy;        /* pixels a second (Kalman) */
  double covariance[4]; /* of the filter's (x, y), pixels squared */
  double age;           /* seconds since it was first seen */
  double score;         /* part of the last 32 frames in which it was
                           seen, 0 to 1 */
  int track;            /* column of the trajectory history */
} MoctObject;

/* A column of the trajectory history (section 3.5): where a track was. */
typedef struct {
  float cx, cy, x0, y0, x1, y1;
  uint32_t id, seen; /* id 0: no track; seen 0: predicted */
} MoctPoint;

typedef struct _Moct Moct;

/* For frames of @width x @height pixels.  @history_length: frames that the
 * trajectory history holds, 0 for none. */
const char *moct_new (Moct **self, const Device *device, int width, int height,
    int history_length);
void moct_free (Moct *self);

/* Finds and tracks.  @dt: seconds since the frame before, of which at most
 * 10^11 count; 0 or less, or NaN: unknown.  @objects stay valid until the next
 * call; in a fixed order: by colour, then by id. */
const char *moct_run (Moct *self, const MoctParams *params, const Image *frame,
    double dt, const MoctObject **objects, int *n_objects);

/* The device's part of moct_run() alone, for at least one colour: queues the
 * sums of @frame, and neither waits nor tracks.  For measuring. */
const char *moct_queue (
    Moct *self, const MoctParams *params, const Image *frame);

/* Forgets all tracks and the history: after a seek. */
void moct_reset (Moct *self);

/* To be called when the list of colours has changed: from the next frame on,
 * objects of colour k, of @n, are of colour now[k], no two of the same one,
 * or are forgotten if that is -1.  They keep their ids and history. */
void moct_renumber (Moct *self, const int *now, int n);

/* The newest points of each of @objects from the history in device memory,
 * oldest first: at most @max each, at @points + i * max; their number goes to
 * @counts[i]. */
const char *moct_trajectories (Moct *self, const MoctObject *objects,
    int n_objects, int max, MoctPoint *points, int *counts);

/* Writes the class of each pixel (0: none, else 1 + index of the colour) to
 * @labels, device memory, @stride in bytes. */
const char *moct_labels (Moct *self, const MoctParams *params,
    const Image *frame, uint16_t *labels, size_t stride);

/* What was learned from a region. */
typedef struct {
  int modes;        /* number of modes that the colour contains; 0: the region's
                       surroundings have the same colours, so all modes were taken */
  double explained; /* part of the region's pixels that the colour contains */
  double elsewhere; /* part of the pixels farther than half a region from the
                       region that it contains */
} MoctLearned;

/* Learns a colour from @region of @frame: boxes in Lab, with a margin, around
 * the modes that best tell its pixels from their surroundings and from the rest
 * of the frame, less where other things' colours lie in the margin.  Keeps the
 * name of @colour. */
const char *moct_learn (Moct *self, const Image *frame, ImageBox region,
    MoctColour *colour, MoctLearned *learned);

/* Reads the text form of colours, `NAME:SPACE=lo..hi,lo..hi,lo..hi;…`
 * (further ranges after `|`),
 * `NAME:#rrggbb~TOL`, `NAME:roi=x,y,w,h[@SECONDS]` or `NAME:roi=meta`, into
 * @colours (room for MOCT_MAX_COLOURS).  On failure the sentence is in @problem
 * (@size bytes) and says which entry and why. */
bool moct_parse (const char *text, MoctColour *colours, int *n_colours,
    char *problem, size_t size);

#define MOCT_TEXT_BYTES 320 /* that a colour's text takes, the most */

/* The text form of @colours; @size: MOCT_TEXT_BYTES each. */
void moct_print (
    const MoctColour *colours, int n_colours, char *text, size_t size);

C_END
