/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `visiontestsrc`: gstvisiontestsrc.c (properties, caps, frames),
 * gstvisiontestsrctime.c (times and numbers of frames, seeks),
 * gstvisiontestsrctruth.c (truth that all scenes attach), and a file for each
 * scene. */
#pragma once

#include <gst/base/gstpushsrc.h>

#include "base/gstvisioninput.h"
#include "meta/gstvisionmeta.h"
#include "scene/chromatic.h"
#include "scene/clutter.h"
#include "scene/multispectral.h"
#include "scene/rgbd.h"
#include "scene/stereo.h"

G_BEGIN_DECLS

#define GST_TYPE_VISION_TEST_SRC (gst_vision_test_src_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionTestSrc, gst_vision_test_src, GST, VISION_TEST_SRC, GstPushSrc)

typedef enum {
  GST_VISION_TEST_SRC_CHROMATIC,
  GST_VISION_TEST_SRC_RGBD,
  GST_VISION_TEST_SRC_STEREO,
  GST_VISION_TEST_SRC_MULTISPECTRAL,
  GST_VISION_TEST_SRC_CLUTTER,
} GstVisionTestSrcPattern;

typedef enum {
  GST_VISION_TEST_SRC_LEFT,
  GST_VISION_TEST_SRC_RIGHT,
  GST_VISION_TEST_SRC_SIDE_BY_SIDE,
  GST_VISION_TEST_SRC_TOP_BOTTOM,
  GST_VISION_TEST_SRC_COLOR,
  GST_VISION_TEST_SRC_DEPTH,
} GstVisionTestSrcView;

typedef enum {
  GST_VISION_TEST_SRC_STACKED,
  GST_VISION_TEST_SRC_MOSAIC,
  GST_VISION_TEST_SRC_COLOUR,
} GstVisionTestSrcLayout;

/* The functions of a pattern. */
typedef struct {
  const gchar *caps;
  /* Adds the fields that follow from properties to the caps; may be NULL. */
  void (*complete) (GstVisionTestSrc *self, GstCaps *caps);
  const char *(*open) (GstVisionTestSrc *self, gint width, gint height);
  void (*close) (GstVisionTestSrc *self);
  /* Renders the next frame into @image, the mapped @buffer, and attaches the
   * truth to @buffer. */
  const char *(*show) (
      GstVisionTestSrc *self, const Image *image, GstBuffer *buffer);
} GstVisionTestSrcScene;

extern const GstVisionTestSrcScene gst_vision_test_src_chromatic;
extern const GstVisionTestSrcScene gst_vision_test_src_rgbd;
/* The scenes of left, right, side-by-side and top-bottom, whose caps differ. */
extern const GstVisionTestSrcScene gst_vision_test_src_stereo[4];
/* The scene in channels, and in colour. */
extern const GstVisionTestSrcScene gst_vision_test_src_multispectral[2];
/* The scene in colour, and in depth. */
extern const GstVisionTestSrcScene gst_vision_test_src_clutter[2];

struct _GstVisionTestSrc {
  GstPushSrc parent;

  /* Under the object lock; a frame works on a copy. */
  GstVisionTestSrcPattern pattern;
  SceneParams params; /* of all scenes; each scene's own params follow */
  ChromaticParams chromatic_params;
  RgbdParams rgbd_params;
  StereoParams stereo_params;
  MultispectralParams multispectral_params; /* without its mosaic */
  ClutterParams clutter_params;
  gchar *meshes;     /* of clutter */
  gdouble mesh_unit; /* metres */
  GstVisionTestSrcView view;
  GstVisionTestSrcLayout layout;
  gint mosaic_side;
  bool label_map;
  bool correspondence_map;
  bool truth_maps;
  bool is_live; /* from the next start on */

  /* Of the streaming thread. */
  GstVisionBackend backend;           /* always the CPU */
  GstVisionInput frame;               /* maps buffers as Images */
  const GstVisionTestSrcScene *scene; /* NULL: none is open */
  Chromatic *chromatic;
  Rgbd *rgbd;
  Stereo *stereo;
  Multispectral *multispectral;
  Clutter *clutter;
  gint shown_channels, shown_mosaic; /* of the frames, as in their caps */
  guint64 number;                    /* of the next frame */
  gboolean sought;        /* the next frame's number follows from the segment */
  gboolean reverse;       /* frames play backwards: numbers go down */
  gboolean begins_live;   /* the next frame is the first, and live */
  guint64 base_number;    /* the first frame at the frame rate */
  GstClockTime base_time; /* of the frame base_number */
};

/* gstvisiontestsrcmultispectral.c: takes the number of channels and the side of
 * the mosaic from @caps. */
void gst_vision_test_src_take_layout (
    GstVisionTestSrc *self, const GstStructure *caps);

/* gstvisiontestsrcclutter.c: whether all files of "meshes" exist; an error
 * names the first file that does not. */
gboolean gst_vision_test_src_finds_meshes (GstVisionTestSrc *self);

/* gstvisiontestsrctime.c */
void gst_vision_test_src_install_times (GstBaseSrcClass *klass);
/* Makes the frame at the start of the segment the next frame. */
void gst_vision_test_src_rewind (GstVisionTestSrc *self);
/* To be called before the frame rate changes: the new rate counts from the next
 * frame on, so that times do not jump. */
void gst_vision_test_src_rate_changes (GstVisionTestSrc *self);
/* TRUE if there is no next frame. */
gboolean gst_vision_test_src_is_over (GstVisionTestSrc *self);
void gst_vision_test_src_set_times (GstVisionTestSrc *self, GstBuffer *buffer);
void gst_vision_test_src_next (GstVisionTestSrc *self);

/* gstvisiontestsrctruth.c */

/* Attaches the camera of the frame as truth and as the result of a perfect
 * tracker of the camera: intrinsics in pixels, the distortion (NULL: none) and
 * the pose in the world. */
gboolean gst_vision_test_src_attach_camera (GstVisionTestSrc *self,
    GstBuffer *buffer, gdouble fx, gdouble fy, gdouble cx, gdouble cy,
    const gdouble distortion[5], const gdouble pose[7]);
/* Attach objects, in pixels of a frame of @width x @height, as truth: of scenes
 * with depth, and of scenes without. */
gboolean gst_vision_test_src_attach_things (GstVisionTestSrc *self,
    GstBuffer *buffer, gint width, gint height, SceneThing *things, gint n);
gboolean gst_vision_test_src_attach_seen (GstVisionTestSrc *self,
    GstBuffer *buffer, gint width, gint height, const SceneObject *objects,
    gint n);

/* Attaches @map; the caller has set kind, format, channels, width, height,
 * scale and invalid.  Takes @pixels, which have no padding. */
gboolean gst_vision_test_src_attach_map (GstBuffer *buffer,
    GstVisionOrigin origin, GstVisionMap map, gpointer pixels);
/* Attaches labels of two bytes, 0 for none.  Takes @labels; NULL: there are
 * none, and nothing is attached. */
gboolean gst_vision_test_src_attach_labels (
    GstBuffer *buffer, gint width, gint height, guint16 *labels);

G_END_DECLS
