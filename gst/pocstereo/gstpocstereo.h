/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `pocstereo`, in six parts: gstpocstereo.c (properties, frames),
 * gstpocstereopoints.c (where the left view is asked), gstpocstereorig.c
 * (rectification and space), gstpocstereoresults.c (matches to maps, pictures
 * and lists), gstpocstereocloud.c (lists to files), gstpocstereodiagnose.c
 * (what frames tell of a rig). */
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

/* What the caps of the output, and the memory for results, depend on. */
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

  /* Since the output was negotiated; of the streaming thread. */
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
  gchar *roi, *points, *calibration, *ply_location; /* as set; NULL: not */
  gdouble calibration_unit;
  GArray *regions;         /* of GstVideoRectangle; NULL: not set */
  GArray *list;            /* of PocstereoPoint; likewise */
  gboolean warned_outside; /* that not all of these lie in the view */
  GstVisionRig *rig;

  /* Of the streaming thread: */
  Pocstereo *matcher;
  PocstereoRectify *rectify;
  gint width, height;
  uint16_t *sample[2]; /* of the device, rows of stride */
  gint stride;
  GstVisionPixels maps[GST_POCSTEREO_N_MAPS];
  PocstereoMatch *scattered; /* of the device, for pictures of points */
  PocstereoMatch *scatter;   /* the same in pinned memory */
  GArray *chosen;            /* PocstereoPoint: where this frame is asked */
  GArray *found;             /* PocstereoPointMatch */
  GArray *in_space;          /* gfloat[4], of the same */
  gdouble step;              /* of disparities, and their */
  gint min_disparity;        /* origin: what the caps say */
  gboolean warned_space;     /* once */

  /* gstpocstereorig.c */
  GstVisionRig used; /* what frames are rectified by, where rectified */
  GError *misfit;    /* why a rig does not fit the frames; or NULL */
  gboolean rectified;
  guint8 *valid[2]; /* the host's copies of what is inside of the frames */
  PocstereoSpace space;
  gboolean has_space;

  /* gstpocstereocloud.c */
  GstVisionPly *cloud;
  guint n_clouds;
  guint8 *painted;         /* of the device: the left view, R G B 255, */
  guint8 *colours;         /* and on the host */
  PocstereoMatch *matches; /* of every pixel, on the host */

  /* gstpocstereodiagnose.c */
  Pocstereo *probe;
  PocstereoGlobal *global; /* NULL if there is none */
  guint n_diagnosed;       /* frames, and in a row those that are */
  guint n_swapped, n_askew, n_apart;
  guint n_right, n_wrong; /* points of the newest one, */
  PocstereoOffset offset; /* and how its views lie */
  gulong end; /* the source pad's probe for the stream's end; 0: none */
  gboolean warned_swapped, warned_askew, warned_apart; /* each once */
};

static inline const Device *
gst_pocstereo_get_device (GstPocstereo *self)
{
  return &gst_vision_common (self)->backend.device;
}

/* What the algorithm gets. */
PocstereoParams gst_pocstereo_get_params (GstPocstereo *self);

/* gstpocstereopoints.c */
GArray *gst_pocstereo_parse_regions (const gchar *text, GError **error);
/* @text: a list, or the name of a file that holds one. */
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
/* The calibration, whose unit has changed. */
void gst_pocstereo_read_calibration_again (
    GstElement *element, const Param *param);
/* What is wrong with the rig for this frame.  @buffer gets the camera that is
 * known. */
const char *gst_pocstereo_begin_rig (GstPocstereo *self, GstBuffer *buffer);
void gst_pocstereo_close_rig (GstPocstereo *self);
/* Whether there is one to rectify by. */
gboolean gst_pocstereo_has_rig (GstPocstereo *self);
/* Makes a region of the left frame one of the left view, where frames are
 * rectified: the least that holds its outline. */
void gst_pocstereo_rectify_region (GstPocstereo *self, GstVideoRectangle *r);
/* Refuses, with an error, a rig for frames of another size, and intrinsics that
 * cannot be of a rectified camera. */
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
/* The left view, where the output is that as frames are rectified. */
const char *gst_pocstereo_paint_left (GstPocstereo *self, const Image *left);
/* The picture of a frame that nothing was found in. */
const char *gst_pocstereo_clear_picture (GstPocstereo *self, const Image *left);

/* gstpocstereocloud.c: writes what was found in @left, if that is wanted.
 * @matches: of every pixel, the device's; NULL: those of self->found. */
const char *gst_pocstereo_write_cloud (
    GstPocstereo *self, const Image *left, const PocstereoMatch *matches);
void gst_pocstereo_close_cloud (GstPocstereo *self);

/* gstpocstereodiagnose.c: looks at some of the frames, and warns once. */
const char *gst_pocstereo_open_diagnosis (
    GstPocstereo *self, const Device *device);
void gst_pocstereo_close_diagnosis (GstPocstereo *self);
const char *gst_pocstereo_diagnose_frame (GstPocstereo *self,
    const PocstereoParams *params, const PocstereoFrame *frame);

G_END_DECLS
