/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The drawing of objects: boxes, axes, centroids, names, trails. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/gstvisioncolours.h"
#include "overlay/gstvisionlook.h"

G_BEGIN_DECLS

/* ---- Glyphs: text of one font size, which Pango renders once into an atlas:
 * ASCII letter by letter, any other text as a whole ---- */

typedef struct _GstVisionGlyphs GstVisionGlyphs;

/* @size: of the font, in pixels. */
GstVisionGlyphs *gst_vision_glyphs_new (gint size);
void gst_vision_glyphs_free (GstVisionGlyphs *self);

gint gst_vision_glyphs_size (const GstVisionGlyphs *self);
/* Pixels above the baseline that capitals and figures need. */
gint gst_vision_glyphs_rise (const GstVisionGlyphs *self);
/* Pixels below the baseline that tails of letters need. */
gint gst_vision_glyphs_fall (const GstVisionGlyphs *self);

/* Between two frames: forgets all texts if they are too many. */
void gst_vision_glyphs_tidy (GstVisionGlyphs *self);

/* The width of @text, as it is drawn. */
gint gst_vision_glyphs_width (GstVisionGlyphs *self, const gchar *text);
/* Adds the text to the newest stroke, its pen at (@x, @baseline). */
void gst_vision_glyphs_draw (GstVisionGlyphs *self, OverlayList *list, gint x,
    gint baseline, const gchar *text);

/* Gives the atlas to @overlay if it has changed since the call before. */
const char *gst_vision_glyphs_upload (GstVisionGlyphs *self, Overlay *overlay);

/* ---- Trails: the positions of objects in the last seconds, as lines that
 * fade ---- */

typedef struct _GstVisionTrails GstVisionTrails;

GstVisionTrails *gst_vision_trails_new (void);
void gst_vision_trails_free (GstVisionTrails *self);
void gst_vision_trails_clear (GstVisionTrails *self);

/* Begins a frame, at @time; GST_CLOCK_TIME_NONE: the frame has no time. Forgets
 * points that are older than @reach seconds, and all points if time runs back.
 */
void gst_vision_trails_begin (
    GstVisionTrails *self, GstClockTime time, gdouble reach);

/* Adds the position of @object, in a frame of @ref_width times @ref_height.  If
 * the object is new, its trajectory is added, too. */
void gst_vision_trails_add (GstVisionTrails *self,
    const GstVisionObject *object, guint ref_width, guint ref_height,
    OverlayColour colour);

/* Draws all trails, @line pixels wide, into a frame. */
void gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list,
    gint width, gint height, gdouble line);

/* ---- Marks ---- */

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
