/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `visiontestsrc`: gstvisiontestsrc.c (frames),
 * gstvisiontestsrctime.c (when, which, seeks), gstvisiontestsrcproperties.c,
 * gstvisiontestsrctruth.c (what all scenes attach), and a file a scene. */
#pragma once

#include <gst/base/gstpushsrc.h>

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"
#include "scene/chromatic.h"
#include "scene/rgbd.h"

G_BEGIN_DECLS

#define GST_TYPE_VISION_TEST_SRC (gst_vision_test_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionTestSrc, gst_vision_test_src, GST, VISION_TEST_SRC, GstPushSrc)

typedef enum {
  GST_VISION_TEST_SRC_CHROMATIC,
  GST_VISION_TEST_SRC_RGBD,
} GstVisionTestSrcPattern;

/* What a pattern is to the element. */
typedef struct {
  const gchar *caps;
  const char *(*open) (GstVisionTestSrc *self, gint width, gint height);
  void (*close) (GstVisionTestSrc *self);
  /* Renders the next frame into @image, which is that of @buffer, and attaches
   * what is known about it. */
  const char *(*show) (
      GstVisionTestSrc *self, const Image *image, GstBuffer *buffer);
} GstVisionTestSrcScene;

extern const GstVisionTestSrcScene gst_vision_test_src_chromatic;
extern const GstVisionTestSrcScene gst_vision_test_src_rgbd;

struct _GstVisionTestSrc {
  GstPushSrc parent;

  /* Under the object lock; a frame works on a copy. */
  GstVisionTestSrcPattern pattern;
  ChromaticParams chromatic_params;
  RgbdParams rgbd_params;
  gboolean label_map;
  gboolean correspondence_map;

  /* Of the streaming thread. */
  GstVisionBackend backend;           /* always the CPU */
  GstVisionInput frame;               /* what maps a buffer as an Image */
  const GstVisionTestSrcScene *scene; /* NULL: none is open */
  Chromatic *chromatic;
  Rgbd *rgbd;
  guint64 number;         /* of the next frame */
  gboolean sought;        /* it follows from the segment, at the next frame */
  gboolean reverse;       /* numbers go down */
  guint64 base_number;    /* the frame from which on the frame rate holds, */
  GstClockTime base_time; /* and its time */
};

/* gstvisiontestsrcenums.c: called once each. */
GType gst_vision_test_src_pattern_type (void);
GType gst_vision_test_src_path_type (void);

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

/* What a scene says about an object; the rest is left to the caller. */
GstVisionObject gst_vision_test_src_describe (
    GstVisionTestSrc *self, const SceneObject *object);
/* The objects, whose source is set here, as truth. */
gboolean gst_vision_test_src_attach_objects (GstVisionTestSrc *self,
    GstBuffer *buffer, GstVisionObject *objects, gint n);

/* A map as large as the frame, of two bytes a pixel: @pixels, which it takes.
 */
gboolean gst_vision_test_src_attach_map (GstVisionTestSrc *self,
    GstBuffer *buffer, GstVisionOrigin origin, const gchar *kind,
    gpointer pixels);

G_END_DECLS
