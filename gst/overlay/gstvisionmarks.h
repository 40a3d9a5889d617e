/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The drawing of objects: boxes, axes, centroids, names. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/gstvisioncolours.h"
#include "overlay/gstvisionglyphs.h"
#include "overlay/gstvisionlook.h"
#include "overlay/gstvisiontrails.h"

G_BEGIN_DECLS

typedef struct {
  OverlayList *list;
  const GstVisionLook *look;
  gint line;                      /* width of lines, pixels */
  gint width, height;             /* of the frame */
  gint image_width, image_height; /* of the image in boxes; 0: none */
  gdouble scale_x, scale_y;       /* from the objects' reference size */
  GstVisionCamera camera;         /* of the frame, if has_camera */
  gboolean has_camera;

  GstVisionGlyphs *glyphs;
  GstVisionTrails *trails;
  GArray *plates; /* ImageBox: places of names in this frame */
  GstVisionColours colours;

  guint n_left_out; /* objects of this frame that are not drawn */

  /* The frame rate. */
  gint64 since;   /* g_get_monotonic_time, when frames were counted from */
  guint n_frames; /* frames since then */
  gdouble rate;   /* frames a second; 0: not known yet */
} GstVisionMarks;

void gst_vision_marks_init (GstVisionMarks *self);
void gst_vision_marks_clear (GstVisionMarks *self);

/* Begins a frame: sizes follow @look, or the size of the frame. */
void gst_vision_marks_begin (GstVisionMarks *self, OverlayList *list,
    const GstVisionLook *look, gint width, gint height);
/* Adds the marks of the buffer's objects. */
void gst_vision_marks_draw (GstVisionMarks *self, GstBuffer *buffer);

/* The colour of the object's label (of its id, if it has none), id or element,
 * as look->color_by says.  Rejected objects are grey. */
OverlayColour gst_vision_marks_colour (
    GstVisionMarks *self, const GstVisionObject *object);
/* The object's box in the frame. */
ImageBox gst_vision_marks_box (
    const GstVisionMarks *self, const GstVisionObject *object);

/* Draws box, axes, centroid, silhouette and pose, as self->look chooses. */
void gst_vision_marks_object (
    GstVisionMarks *self, const GstVisionObject *object);
void gst_vision_marks_name (
    GstVisionMarks *self, const GstVisionObject *object);

/* Draws the rate and the legend, in the upper left corner. */
void gst_vision_marks_corner (
    GstVisionMarks *self, const GstVisionObject **objects, guint n);
/* Draws a true object, dashed and white. */
void gst_vision_marks_truth (
    GstVisionMarks *self, const GstVisionObject *object);

G_END_DECLS
