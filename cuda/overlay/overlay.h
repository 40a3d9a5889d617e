/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Draws results into a frame, in place, in the frame's own format.
 *
 * The host fills an OverlayList with strokes in drawing order.  An Overlay
 * draws the list, on the CPU or with one kernel on the GPU, bit for bit the
 * same.
 *
 * A stroke is a group of shapes of one colour that are blended together: a
 * pixel takes the maximum of their coverages, so that the joints of a
 * translucent trail do not show.  Coordinates are pixels, pixel centres at
 * integers; a box covers the pixels whose centres x have x0 <= x < x1.  Shapes
 * may lie anywhere; a shape with a coordinate that is not finite is left
 * out. */
#pragma once

#include "common/device.h"
#include "common/image.h"

C_BEGIN

/* The greatest width and height of a frame, pixels. */
#define OVERLAY_MAX_SIZE 32767

/* The number of labels whose colours may be chosen. */
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
 * whole frame and sampled at the nearest pixel.  With three numbers a pixel,
 * its red, green and blue, a number at `low` is dark and a number at `high` is
 * bright; a pixel is transparent if all three are invalid. */
typedef struct {
  const void *pixels; /* until overlay_draw () returns */
  bool on_host;       /* else in the device's memory */
  int width, height;  /* pixels */
  int stride;         /* bytes */
  OverlayFormat format;
  bool labels; /* numbers are names, each with its own colour */
  const struct OverlayColour *colours; /* of labels 1, 2, …, valid as long as
                                          the pixels; NULL: the palette's */
  int n_colours;                       /* OVERLAY_COLOURS at most */
  bool rgb; /* three numbers a pixel; low and high are then not equal */
  float scale, offset;
  double invalid;  /* raw value of a transparent pixel; NAN: none */
  float low, high; /* values at the two ends of the palette; equal: the least
                      and the largest value of the map, smoothed over the
                      frames */
  uint8_t opacity;
} OverlayMap;

/* The palette of maps without labels: R G B 255, from low to high values. */
void overlay_ramp (uint8_t rgba[256][4]);

typedef struct _OverlayList OverlayList;
typedef struct _Overlay Overlay;

const char *overlay_list_new (OverlayList **list);
void overlay_list_free (OverlayList *list);

/* Empties the list for a frame of that size and keeps its memory.  If an
 * addition finds no memory, overlay_draw () returns the error. */
void overlay_list_clear (OverlayList *list, int width, int height);

/* The number of shapes that were left out of the list since it was emptied,
 * because drawing all would take seconds: the boxes around the shapes may take
 * 16 times the frame's pixels and 32 million more. */
int overlay_left_out (const OverlayList *list);

/* Begins a stroke, which gets the shapes that follow. */
void overlay_stroke (OverlayList *list, OverlayColour colour);

/* A line with round ends; @fade (0 to 255) scales the stroke's opacity. */
void overlay_line (OverlayList *list, double x0, double y0, double x1,
    double y1, double width, int fade);
/* A line with square ends, drawn for @on pixels, left out for @off, and so
 * on. */
void overlay_dashes (OverlayList *list, double x0, double y0, double x1,
    double y1, double width, double on, double off);
/* A box with round corners. */
void overlay_fill (OverlayList *list, double x0, double y0, double x1,
    double y1, double radius);
/* The rim of a box, @width pixels wide, inside the box. */
void overlay_outline (OverlayList *list, double x0, double y0, double x1,
    double y1, double radius, double width);
/* The part @from of the atlas, with its upper left corner at (@x, @y). */
void overlay_glyph (OverlayList *list, int x, int y, const ImageBox *from);

/* The image of overlay_set_image (), scaled into a box, as a stroke. */
void overlay_image (OverlayList *list, const ImageBox *box, int opacity);
/* A map, as a stroke.  A list holds one map, the last. */
const char *overlay_map (OverlayList *list, const OverlayMap *map);

/* A colour for @key, which may be any number.  Equal keys have equal colours,
 * neighbouring keys very different ones.  A map of labels shows the same
 * numbers in the same colours. */
OverlayColour overlay_colour_of (uint32_t key);

const char *overlay_new (Overlay **self, const Device *dev);
void overlay_free (Overlay *self);

/* Sets the atlas that glyphs are cut from: coverages, 0 to 255.  The call waits
 * for the device. */
const char *overlay_set_atlas (
    Overlay *self, const uint8_t *pixels, int width, int height, int stride);
#define OVERLAY_MAX_TEXELS 4096 /* of an image's width and height */
/* Sets the image: R G B A, colours not multiplied by alpha.  The call waits for
 * the device. */
const char *overlay_set_image (
    Overlay *self, const uint8_t *pixels, int width, int height, int stride);

/* Queues the drawing of @list into @frame.  The list may be changed, and both
 * may be freed, as soon as the function returns; the frame's pixels change in
 * the stream's order. */
const char *overlay_draw (
    Overlay *self, const Image *frame, const OverlayList *list);

C_END
