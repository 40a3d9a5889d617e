/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `visiontestsrc`, in four parts: gstvisiontestsrc.c (frames),
 * gstvisiontestsrctime.c (when, which, seeks), gstvisiontestsrcproperties.c,
 * and gstvisiontestsrctruth.c (truth to metas). */
#pragma once

#include <gst/base/gstpushsrc.h>

#include "base/gstvisionbackend.h"
#include "scene/chromatic.h"

G_BEGIN_DECLS

#define GST_TYPE_VISION_TEST_SRC (gst_vision_test_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionTestSrc, gst_vision_test_src, GST, VISION_TEST_SRC, GstPushSrc)

typedef enum {
  GST_VISION_TEST_SRC_CHROMATIC,
} GstVisionTestSrcPattern;

struct _GstVisionTestSrc {
  GstPushSrc parent;

  /* Under the object lock; a frame works on a copy. */
  GstVisionTestSrcPattern pattern;
  ChromaticParams params;
  gboolean label_map;

  /* Of the streaming thread. */
  GstVisionBackend backend; /* always the CPU */
  GstVisionInput frame;     /* what maps a buffer as an Image */
  Chromatic *scene;
  guint64 number;         /* of the next frame */
  gboolean sought;        /* it follows from the segment, at the next frame */
  gboolean reverse;       /* numbers go down */
  guint64 base_number;    /* the frame from which on the frame rate holds, */
  GstClockTime base_time; /* and its time */
};

/* gstvisiontestsrcproperties.c */
void gst_vision_test_src_install_properties (GObjectClass *klass);

/* gstvisiontestsrctime.c */
void gst_vision_test_src_install_times (GstBaseSrcClass *klass);
/* The next frame is the one where the segment starts. */
void gst_vision_test_src_rewind (GstVisionTestSrc *self);
/* Before the frame rate changes: what was shown keeps its time. */
void gst_vision_test_src_rate_changes (GstVisionTestSrc *self);
/* TRUE where there is no next frame. */
gboolean gst_vision_test_src_is_over (GstVisionTestSrc *self);
void gst_vision_test_src_set_times (GstVisionTestSrc *self, GstBuffer *buffer);
void gst_vision_test_src_next (GstVisionTestSrc *self);

/* gstvisiontestsrctruth.c */

/* Attaches the truth about the frame: the objects, and the label map
 * @labels where there is one. */
const char *gst_vision_test_src_attach (GstVisionTestSrc *self,
    GstBuffer *buffer, const SceneObject *objects, gint n, GstBuffer *labels);

G_END_DECLS
