/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `pocstereo`: gstpocstereo.c (properties, frames),
 * gstpocstereopoints.c (the points to measure), gstpocstereorig.c
 * (rectification and space), gstpocstereoresults.c (maps, pictures and lists of
 * matches), gstpocstereocloud.c (points to files), gstpocstereodiagnose.c
 * (faults of a rig that frames show). */
#pragma once

#include "base/gstvisionaggregator.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionpixels.h"
#include "base/gstvisionply.h"
#include "base/gstvisionrig.h"
#include "meta/gstvisionmeta.h"
#include "pocstereo/pocstereo.h"
#include "pocstereo/rig/pocstereo_global.h"
#include "pocstereo/rig/pocstereo_output.h"
#include "pocstereo/rig/pocstereo_rectify.h"

G_BEGIN_DECLS

typedef enum {
  GST_POCSTEREO_DENSE,
  GST_POCSTEREO_POINTS,
} GstPocstereoMode;

typedef enum {
  GST_POCSTEREO_LEFT,
  GST_POCSTEREO_DISPARITY,
  GST_POCSTEREO_DEPTH,
  GST_POCSTEREO_COLORMAP,
} GstPocstereoOutput;

/* The caps of the output and the memory for results depend on these. */
typedef struct {
  GstPocstereoMode mode;
  GstPocstereoOutput output;
} GstPocstereoKind;

/* The maps of every pixel. */
enum {
  GST_POCSTEREO_MAP_DISPARITY,
  GST_POCSTEREO_MAP_SIGMA,
  GST_POCSTEREO_MAP_CONFIDENCE,
  GST_POCSTEREO_MAP_DEPTH,
  GST_POCSTEREO_N_MAPS,
};

#define GST_TYPE_POCSTEREO (gst_pocstereo_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPocstereo, gst_pocstereo, GST, POCSTEREO, GstVisionAggregator)

struct _GstPocstereo {
  GstVisionAggregator parent;

  /* Of the streaming thread: the kind of the current output. */
  GstPocstereoKind now;

  /* Under the object lock; a frame works on a copy or a reference. */
  GstPocstereoKind asked; /* of the next output */
  PocstereoParams params;
  gint grid_spacing;
  bool regions_only;
  gdouble disparity_scale;
  gdouble baseline;               /* metres; 0: not set */
  gdouble doffs;                  /* pixels */
  GstVisionIntrinsics intrinsics; /* its calibration is not used */
  gchar *roi, *points, *calibration, *ply_location; /* as set; NULL: not set */
  gdouble calibration_unit;
  GArray *regions;         /* of GstVideoRectangle; NULL: not set */
  GArray *list;            /* of PocstereoPoint; NULL: not set */
  gboolean warned_outside; /* of places of these outside of the view */
  GstVisionRig *rig;

  /* Of the streaming thread: */
  Pocstereo *matcher;
  PocstereoRectify *rectify;
  gint width, height;
  uint16_t *sample[2]; /* in the device's memory, rows of stride */
  gint stride;
  GstVisionPixels maps[GST_POCSTEREO_N_MAPS];
  PocstereoMatch *scattered; /* in device memory, for pictures of points */
  PocstereoMatch *scatter;   /* its copy in pinned memory */
  GArray *chosen;            /* PocstereoPoint: the points of this frame */
  GArray *found;             /* PocstereoPointMatch: the points with a match */
  GArray *in_space;          /* gfloat[4]: found in space */
  gdouble step;              /* of disparities in the caps */
  gint min_disparity;        /* in the caps */
  gboolean warned_space;     /* of points without a rig */

  /* gstpocstereorig.c */
  GstVisionRig used; /* the rig of the maps, if rectified */
  GError *misfit;    /* the reason why a rig does not fit the frames, or NULL */
  gboolean rectified;
  guint8 *valid[2]; /* the host's copies of the masks of the views */
  PocstereoSpace space;
  gboolean has_space;

  /* gstpocstereocloud.c */
  GstVisionPly *cloud;
  guint n_clouds;
  guint8 *painted; /* the left view, R G B 255, in the device's memory */
  guint8 *colours; /* its copy in the host's memory */
  PocstereoMatch *matches; /* of every pixel, in the host's memory */

  /* gstpocstereodiagnose.c */
  Pocstereo *probe;
  PocstereoGlobal *global;           /* NULL: not available */
  guint n_diagnosed;                 /* number of frames */
  guint n_swapped, n_askew, n_apart; /* frames in a row with the fault */
  guint n_right, n_wrong; /* good points in the range, in the other sign's */
  PocstereoOffset offset; /* of the newest frame */
  gulong end; /* the source pad's probe for the stream's end; 0: none */
  gboolean warned_swapped, warned_askew, warned_apart; /* each once */
};

static inline const Device *
gst_pocstereo_get_device (GstPocstereo *self)
{
  return &gst_vision_common (self)->backend.device;
}

/* Settled params of the mode. */
PocstereoParams gst_pocstereo_get_params (GstPocstereo *self);

/* gstpocstereopoints.c */
GArray *gst_pocstereo_parse_regions (const gchar *text, GError **error);
/* @text: a list, or the name of a file that holds a list. */
GArray *gst_pocstereo_parse_points (const gchar *text, GError **error);
gboolean gst_pocstereo_read_roi (
    GstElement *element, gpointer owner, const gchar *text, GError **error);
gboolean gst_pocstereo_read_points (
    GstElement *element, gpointer owner, const gchar *text, GError **error);
/* Fills self->chosen for the frame @buffer. */
const char *gst_pocstereo_choose_points (GstPocstereo *self, GstBuffer *buffer);

/* gstpocstereorig.c */
gboolean gst_pocstereo_read_calibration (
    GstElement *element, gpointer owner, const gchar *location, GError **error);
gboolean gst_pocstereo_read_intrinsics (
    GstElement *element, gpointer owner, const gchar *text, GError **error);
/* Reads the calibration again after a change of its unit. */
void gst_pocstereo_read_calibration_again (
    GstElement *element, const Param *param);
/* Makes the rig of this frame current and attaches the camera to @buffer.
 * Returns NULL or the rig's fault. */
const char *gst_pocstereo_begin_rig (GstPocstereo *self, GstBuffer *buffer);
void gst_pocstereo_close_rig (GstPocstereo *self);
/* Whether frames are rectified by a calibration. */
gboolean gst_pocstereo_has_rig (GstPocstereo *self);
/* If frames are rectified, replaces a region of the left frame by the least
 * region of the left view that holds its outline. */
void gst_pocstereo_rectify_region (GstPocstereo *self, GstVideoRectangle *r);
/* Refuses, with an error, a rig for frames of another size, and intrinsics with
 * a distortion. */
const char *gst_pocstereo_check_rig (GstPocstereo *self);

/* gstpocstereoresults.c */
const char *gst_pocstereo_open_results (
    GstPocstereo *self, const Device *device);
void gst_pocstereo_close_results (GstPocstereo *self);
const char *gst_pocstereo_take_pixel_matches (GstPocstereo *self,
    const PocstereoParams *params, const Image *left,
    const PocstereoMatch *matches, GstBuffer *buffer);
const char *gst_pocstereo_take_point_matches (GstPocstereo *self,
    const PocstereoParams *params, const Image *left,
    const PocstereoMatch *matches, GstBuffer *buffer);
/* Paints the left view, if the output is left and rectified. */
const char *gst_pocstereo_paint_left (GstPocstereo *self, const Image *left);
/* The picture of a frame without results. */
const char *gst_pocstereo_clear_picture (GstPocstereo *self, const Image *left);

/* gstpocstereocloud.c: writes the points of @left, if ply-location is set.
 * @matches: of every pixel, in the device's memory; NULL: the points of
 * self->found. */
const char *gst_pocstereo_write_cloud (
    GstPocstereo *self, const Image *left, const PocstereoMatch *matches);
void gst_pocstereo_close_cloud (GstPocstereo *self);

/* gstpocstereodiagnose.c: examines some frames, and warns of each fault once */
const char *gst_pocstereo_open_diagnosis (
    GstPocstereo *self, const Device *device);
void gst_pocstereo_close_diagnosis (GstPocstereo *self);
const char *gst_pocstereo_diagnose_frame (GstPocstereo *self,
    const PocstereoParams *params, const PocstereoFrame *frame);

G_END_DECLS
