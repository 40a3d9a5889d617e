/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two frames that a GstVisionAggregator gives to its child, from caps to
 * Images: the part of it that knows devices and not pads. */
#pragma once

#include "base/gstvisioncommon.h"
#include "base/gstvisionpacking.h"

G_BEGIN_DECLS

typedef struct {
  GstVisionAggregator *owner; /* not owned, nor is common */
  GstVisionCommon *common;
  GstCaps *caps[2];     /* of what is next; NULL where none came */
  gboolean outdated;    /* open () was with other caps */
  gboolean is_open;     /* open () of the child was called */
  gboolean single;      /* one frame holds both views */
  GstVisionViews views; /* then */
  GstVideoInfo view[2]; /* what the child sees */
  GstVisionInput input[2];
} GstVisionFrames;

void gst_vision_frames_take_caps (GstVisionFrames *self, gint i, GstCaps *caps);

/* Gives the frames to the child, which is opened first where caps are new.
 * @second is NULL where @first holds both.  Errors are posted. */
GstFlowReturn gst_vision_frames_process (GstVisionFrames *self,
    GstVisionPacking packing, GstBuffer *first, GstBuffer *second);
void gst_vision_frames_close (GstVisionFrames *self);

G_END_DECLS
