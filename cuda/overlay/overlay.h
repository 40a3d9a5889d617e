/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Draws results into a frame, in place, in the frame's own format.
 *
 * The host fills an OverlayList with strokes in drawing order and an Overlay
 * draws it, on the CPU or with one kernel on the GPU, bit for bit the same.
 *
 * A stroke is what is blended in one go: shapes of one colour, whose coverages
 * are joined by their maximum, so that the joints of a translucent trail do not
 * show.  Coordinates are pixels, pixel centres at integers; a box covers the
 * pixels whose centres x have x0 <= x < x1.  Shapes may lie anywhere; one with
 * a coordinate that is not finite is left out. */
#pragma once

#include "common/device.h"
#include "common/image.h"

C_BEGIN

/* Frames may be up to this many pixels wide or high. */
#define OVERLAY_MAX_SIZE 32767

/* Labels whose colours may be chosen. */
#define OVERLAY_COLOURS 96

typedef struct OverlayColour {
  uint8_t r, g, b;
  uint8_t a; /* opacity */
} OverlayColour;

typedef enum {
  OVERLAY_U8,
  OVERLAY_U16,
  OVERLAY_U32,
  OVERLAY_F32
} OverlayFormat;

/* A picture of numbers, value = raw * scale + offset, shown in colours over the
 * whole frame; sampled at the nearest pixel.  Of three numbers a pixel, which
 * are its red, green and blue, those at `low` are dark and those at `high` are
 * bright; a pixel is transparent where all three are invalid. */
typedef struct {
  const void *pixels; /* until overlay_draw () returns */
  bool on_host;       /* else in memory of the device */
  int width, height;  /* pixels */
  int stride;         /* bytes */
  OverlayFormat format;
  bool labels; /* the numbers are names: a colour for each */
  const struct OverlayColour *colours; /* of labels, those of 1, 2, …, as long
                                          as the pixels; NULL: the palette's */
  int n_colours;                       /* OVERLAY_COLOURS at most */
  bool rgb; /* three numbers a pixel; low and high then differ */
  float scale, offset;
  double invalid;  /* raw value that is left transparent; NAN: none */
  float low, high; /* values at the two ends of the palette; equal: the
                      least and the largest of the map, smoothed over
                      the frames */
  uint8_t opacity;
} OverlayMap;

/* The palette of maps that are no labels: R G B 255, from little to much. */
void overlay_ramp (uint8_t rgba[256][4]);

typedef struct _OverlayList OverlayList;
typedef struct _Overlay Overlay;

const char *overlay_list_new (OverlayList **list);
void overlay_list_free (OverlayList *list);

/* Empties the list for a frame of that size.  Memory is kept; should there be
 * none left later, overlay_draw () says so. */
void overlay_list_clear (OverlayList *list, int width, int height);

/* Begins a stroke: the shapes that follow are parts of it. */
void overlay_stroke (OverlayList *list, OverlayColour colour);

/* A line with round ends; @fade (0 to 255) scales the stroke's opacity. */
void overlay_line (OverlayList *list, double x0, double y0, double x1,
    double y1, double width, int fade);
/* A line cut square and drawn for @on pixels, left out for @off, … */
void overlay_dashes (OverlayList *list, double x0, double y0, double x1,
    double y1, double width, double on, double off);
/* A box, its corners rounded. */
void overlay_fill (OverlayList *list, double x0, double y0, double x1,
    double y1, double radius);
/* The rim of a box, @width wide towards the inside. */
void overlay_outline (OverlayList *list, double x0, double y0, double x1,
    double y1, double radius, double width);
/* The part @from of the atlas, its upper left corner put at (@x, @y). */
void overlay_glyph (OverlayList *list, int x, int y, const ImageBox *from);

/* A stroke of its own: the image of overlay_set_image () scaled into a box. */
void overlay_image (OverlayList *list, const ImageBox *box, int opacity);
/* A stroke of its own.  A list holds one map; another replaces it. */
const char *overlay_map (OverlayList *list, const OverlayMap *map);

/* Colours that tell things apart: @key may be any number, and equal keys have
 * equal colours; the colours of neighbouring keys are far from each other.
 * They are those in which a map of labels shows the same numbers. */
OverlayColour overlay_colour_of (uint32_t key);

const char *overlay_new (Overlay **self, const Device *dev);
void overlay_free (Overlay *self);

/* Coverages (0 to 255) that glyphs are cut from.  Meant to change rarely: it
 * waits for the device. */
const char *overlay_set_atlas (
    Overlay *self, const uint8_t *pixels, int width, int height, int stride);
#define OVERLAY_MAX_TEXELS 4096 /* of an image's width and height */
/* R G B A, alpha not multiplied in.  Also waits for the device. */
const char *overlay_set_image (
    Overlay *self, const uint8_t *pixels, int width, int height, int stride);

/* Queues the drawing of @list into @frame; both may be changed or dropped as
 * soon as it returns, but the frame's pixels follow in the stream's order. */
const char *overlay_draw (
    Overlay *self, const Image *frame, const OverlayList *list);

C_END
