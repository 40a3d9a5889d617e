/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is drawn of objects: boxes, axes, centroids, names. */
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
  gint image_width, image_height; /* of what is put into boxes; 0: nothing */
  gdouble scale_x, scale_y;       /* from the objects' reference size */
  GstVisionCamera camera;         /* of the frame; */
  gboolean has_camera;            /* else it is not known */

  GstVisionGlyphs *glyphs;
  GstVisionTrails *trails;
  GArray *plates; /* ImageBox: names put down in this frame */
  GstVisionColours colours;

  /* of the rate */
  gint64 since;   /* g_get_monotonic_time, when frames were counted from */
  guint n_frames; /* since then */
  gdouble rate;   /* frames a second; 0: not known yet */
} GstVisionMarks;

void gst_vision_marks_init (GstVisionMarks *self);
void gst_vision_marks_clear (GstVisionMarks *self);

/* A frame begins: sizes follow @look and the frame's. */
void gst_vision_marks_begin (GstVisionMarks *self, OverlayList *list,
    const GstVisionLook *look, gint width, gint height);
/* Adds the marks of the buffer's objects. */
void gst_vision_marks_draw (GstVisionMarks *self, GstBuffer *buffer);

/* As look->color_by says: of its label, or of its id where it has none; of its
 * id; or of its element.  Rejected objects are grey. */
OverlayColour gst_vision_marks_colour (
    GstVisionMarks *self, const GstVisionObject *object);
/* Where the object's box is in the frame. */
ImageBox gst_vision_marks_box (
    const GstVisionMarks *self, const GstVisionObject *object);

/* Box, axes and centroid. */
void gst_vision_marks_object (
    GstVisionMarks *self, const GstVisionObject *object);
void gst_vision_marks_name (
    GstVisionMarks *self, const GstVisionObject *object);

/* In the upper left corner: the rate and the legend. */
void gst_vision_marks_corner (
    GstVisionMarks *self, const GstVisionObject **objects, guint n);
/* Its silhouette, and its pose as axes. */
void gst_vision_marks_outline (
    GstVisionMarks *self, const GstVisionObject *object, OverlayColour colour);
void gst_vision_marks_pose (
    GstVisionMarks *self, const GstVisionObject *object);
/* An object as it truly is. */
void gst_vision_marks_truth (
    GstVisionMarks *self, const GstVisionObject *object);

G_END_DECLS
