/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two frames that a GstVisionAggregator gives to its child, from caps to
 * Images: the part of it that knows devices and not pads. */
#pragma once

#include "base/gstvisioncommon.h"
#include "base/gstvisioninput.h"
#include "base/gstvisionpacking.h"

G_BEGIN_DECLS

/* The output, if it is not the first frame but a picture, as large as a view.
 */
typedef struct {
  GstVideoInfo info;
  gboolean in_cuda;
  gboolean wanted; /* else the output is the first frame */
  gboolean copies; /* it is a copy of the first view */
  GstBufferPool *pool;
  GstVisionInput frame;
  Image image; /* while process () of the child runs */
} GstVisionPicture;

typedef struct {
  GstVisionAggregator *owner; /* not owned, nor is common */
  GstVisionCommon *common;
  /* Of the next frames; NULL: none came yet.  Changed under the owner's object
   * lock, by the streaming thread alone. */
  GstCaps *caps[2];
  /* Maximum difference in time between a frame and the nearest one of the other
   * input, with some jitter; 0: the caps state no rate.  Under the owner's
   * object lock. */
  GstClockTime nearest;
  gboolean outdated;        /* the child was opened for other caps */
  gboolean is_open;         /* open () of the child was called */
  gboolean single;          /* one frame holds both views */
  GstVisionPacking packing; /* and how, since the output was negotiated */
  GstVisionViews views;     /* if single */
  GstVideoInfo view[2];     /* the frames that the child sees */
  GstVisionInput input[2];
  GstVisionPicture output;
} GstVisionFrames;

void gst_vision_frames_take_caps (GstVisionFrames *self, gint i, GstCaps *caps);

/* The caps of the output from now on; NULL: the output is the first frame.
 * @copies: it is a copy of the first view, else a picture of the child. */
void gst_vision_frames_set_output (
    GstVisionFrames *self, const GstCaps *caps, gboolean copies);

/* How one frame holds both views from now on. */
void gst_vision_frames_set_packing (
    GstVisionFrames *self, GstVisionPacking packing);

/* Gives the frames to the child, which is opened first if the caps are new.
 * @second is NULL if @first holds both views.  If the output is a picture, it
 * takes the place of @first.  Errors are posted. */
GstFlowReturn gst_vision_frames_process (
    GstVisionFrames *self, GstBuffer **first, GstBuffer *second);
void gst_vision_frames_close (GstVisionFrames *self);

G_END_DECLS
