/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two frames that a GstVisionAggregator gives to its child, from caps to
 * Images.  This is the part of the aggregator that knows devices; it knows no
 * pads. */
#pragma once

#include "base/gstvisionaggregator.h"
#include "base/gstvisioninput.h"

G_BEGIN_DECLS

/* Two views in one frame: which half holds which view. */
typedef struct {
  GstVisionPacking packing; /* not AUTO */
  gboolean swapped;         /* the second view is on the left, or above */
} GstVisionViews;

/* Finds where the views lie, from the property @packing and the caps in @info.
 * @view becomes the description of one view.  The error says what the user can
 * do. */
const char *gst_vision_views_find (GstVisionViews *self,
    GstVisionPacking packing, const GstVideoInfo *info, GstVideoInfo *view);

/* Splits @image into its two views, which are valid as long as @image. */
void gst_vision_views_split (
    const GstVisionViews *self, const Image *image, Image view[2]);

/* The picture that takes the place of the first frame at the output; it is as
 * large as a view. */
typedef struct {
  GstVideoInfo info;
  gboolean in_cuda;
  gboolean wanted; /* FALSE: the output is the first frame */
  gboolean copies; /* the picture is a copy of the first view */
  GstBufferPool *pool;
  GstVisionInput frame;
  Image image; /* valid while process () of the child runs */
} GstVisionPicture;

typedef struct {
  GstVisionAggregator *owner; /* owner and common are not owned */
  GstVisionCommon *common;
  /* Caps of the next frames; NULL: none came yet.  Changed by the streaming
   * thread alone, under the owner's object lock. */
  GstCaps *caps[2];
  /* Maximum difference in time between a frame and the nearest frame of the
   * other input, with some jitter; 0: the caps state no rate.  Under the
   * owner's object lock. */
  GstClockTime nearest;
  gboolean outdated;        /* the child was opened for other caps */
  gboolean is_open;         /* open () of the child was called */
  gboolean single;          /* one frame holds both views */
  GstVisionPacking packing; /* how one frame holds both views, since the output
                               was negotiated */
  GstVisionViews views;     /* where the views lie, if single */
  GstVideoInfo view[2];     /* format of the frames that the child gets */
  GstVisionInput input[2];
  GstVisionPicture output;
} GstVisionFrames;

void gst_vision_frames_take_caps (GstVisionFrames *self, gint i, GstCaps *caps);

/* Sets the caps of the output; NULL: the output is the first frame.  @copies:
 * the output is a copy of the first view; else the child makes it. */
void gst_vision_frames_set_output (
    GstVisionFrames *self, const GstCaps *caps, gboolean copies);

/* Sets how one frame holds both views. */
void gst_vision_frames_set_packing (
    GstVisionFrames *self, GstVisionPacking packing);

/* Gives the frames to the child, after open () if the caps are new.  @second is
 * NULL if @first holds both views.  If the output is a picture, *@first becomes
 * this picture.  Errors are posted. */
GstFlowReturn gst_vision_frames_process (
    GstVisionFrames *self, GstBuffer **first, GstBuffer *second);
void gst_vision_frames_close (GstVisionFrames *self);

G_END_DECLS
