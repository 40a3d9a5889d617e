/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the element depthalign. */
#pragma once

#include "base/gstvisionfilter.h"
#include "base/gstvisioninput.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionproperties.h"
#include "depthalign/depthalign.h"

G_BEGIN_DECLS

/* Elements are named after their type: depthalign0. */
#define GST_TYPE_DEPTHALIGN (gst_depthalign_get_type ())
G_DECLARE_FINAL_TYPE (
    GstDepthalign, gst_depthalign, GST, DEPTHALIGN, GstVisionFilter)

/* Two cameras of a file. */
typedef struct {
  GstVisionCamera camera[2]; /* ref_width is 0: the file states no size */
  Pose64 transform; /* from the first camera to the second; the unit of the
                       translation is the file's */
} GstDepthalignPair;

/* The cameras by the properties.  All fields are under the object lock. */
typedef struct {
  GstVisionIntrinsics depth, target;
  gchar *transform, *rig;
  bool inverse;
  double calibration_unit; /* metres */
  Pose64 moved;            /* of transform */
  GstDepthalignPair pair;  /* of rig */
} GstDepthalignCameras;

struct _GstDepthalign {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  DepthalignParams params; /* without cameras and transform */
  GstDepthalignCameras cameras;

  /* Of the streaming thread. */
  Depthalign *depthalign;
  GstVideoInfo out;
  GstBufferPool *pool;    /* of pictures */
  GstVisionInput frame;   /* maps a picture */
  GstVisionCamera target; /* of the newest frame, if knows_target */
  gboolean knows_target;
  GstBuffer *picture; /* the newest output's memory; NULL: none yet */
};

/* gstdepthaligncameras.c */

extern const GstVisionProperty gst_depthalign_cameras_properties[];

/* The size of the target's frames, by the files; 0: they do not state it. */
void gst_depthalign_target_size (
    GstDepthalign *self, gint *width, gint *height);

/* Sets the cameras and the transform of @params, for @buffer with depth of
 * @depth's size, and @target to the camera that would have taken the output.
 * Returns NULL, or what is not known. */
const char *gst_depthalign_find_cameras (GstDepthalign *self, GstBuffer *buffer,
    const Image *depth, DepthalignParams *params, GstVisionCamera *target);

G_END_DECLS
