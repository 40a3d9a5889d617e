/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>

#include "base/gstvisionframes.h"
#include "testsrc/gstvisiontestsrc.h"

/* A frame with the truth of its left or its only view. */
typedef struct {
  StereoParams params;
  StereoMaps maps; /* maps that properties turn off are NULL */
  StereoTruth truth;
  gint width, height; /* of the view */
} StereoFrame;

static GstVisionTestSrcView
view_of_stereo (GstVisionTestSrc *self)
{
  return self->scene - gst_vision_test_src_stereo;
}

static const char *
open_stereo_view (GstVisionTestSrc *self, gint width, gint height)
{
  return stereo_new (&self->stereo, width, height);
}

static const char *
open_stereo_beside (GstVisionTestSrc *self, gint width, gint height)
{
  return stereo_new (&self->stereo, width / 2, height);
}

static const char *
open_stereo_above (GstVisionTestSrc *self, gint width, gint height)
{
  return stereo_new (&self->stereo, width, height / 2);
}

static void
close_stereo (GstVisionTestSrc *self)
{
  g_clear_pointer (&self->stereo, stereo_free);
}

/* Attaches the camera; the world has the coordinates of the left camera. */
static gboolean
attach_stereo_camera (GstBuffer *buffer, const StereoFrame *f)
{
  const StereoTruth *t = &f->truth;
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = f->width;
  camera.ref_height = f->height;
  camera.fx = t->fx;
  camera.fy = t->fy;
  camera.cx = t->cx;
  camera.cy = t->cy;
  camera.baseline = f->params.baseline;
  camera.pose[0] = t->eye;
  camera.pose[3] = 1;
  camera.has_pose = TRUE;
  return gst_buffer_set_vision_camera (
             buffer, GST_VISION_ORIGIN_RESULT, &camera) &&
      gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_TRUTH, &camera);
}

/* Attaches the maps; the buffer then owns their pixels. */
static gboolean
attach_stereo_maps (GstBuffer *buffer, StereoFrame *f)
{
  GstVisionMap map = {.kind = "disparity",
      .format = "f32",
      .channels = 1,
      .width = f->width,
      .height = f->height,
      .scale = 1,
      .invalid = NAN};
  gboolean attached = TRUE;

  if (f->maps.disparity) {
    attached = gst_vision_test_src_attach_map (buffer, GST_VISION_ORIGIN_TRUTH,
        map, g_steal_pointer (&f->maps.disparity));
    map.kind = "depth";
    attached &= gst_vision_test_src_attach_map (
        buffer, GST_VISION_ORIGIN_TRUTH, map, g_steal_pointer (&f->maps.depth));
    map.kind = "confidence";
    map.format = "u8";
    map.scale = 1 / 255.;
    attached &= gst_vision_test_src_attach_map (
        buffer, GST_VISION_ORIGIN_TRUTH, map, g_steal_pointer (&f->maps.seen));
  }
  return attached &&
      gst_vision_test_src_attach_labels (
          buffer, f->width, f->height, g_steal_pointer (&f->maps.labels));
}

static void
prepare_stereo_frame (GstVisionTestSrc *self, const Image *view, StereoFrame *f)
{
  gsize pixels = (gsize) view->width * view->height;
  gboolean truth_maps, label_map;

  GST_OBJECT_LOCK (self);
  f->params = self->stereo_params;
  f->params.scene = self->params;
  truth_maps = self->truth_maps;
  label_map = self->label_map;
  GST_OBJECT_UNLOCK (self);
  f->width = view->width;
  f->height = view->height;
  f->maps = (StereoMaps){0};
  if (truth_maps) {
    f->maps.disparity = g_new (gfloat, pixels);
    f->maps.depth = g_new (gfloat, pixels);
    f->maps.seen = g_new (guint8, pixels);
  }
  if (label_map)
    f->maps.labels = g_new (guint16, pixels);
}

/* Renders one view, with its truth, or both views into the halves of the frame,
 * with the truth of the left view. */
static const char *
render_stereo_frame (GstVisionTestSrc *self, const Image *image, StereoFrame *f)
{
  GstVisionTestSrcView view = view_of_stereo (self);
  GstVisionViews views = {.packing = view == GST_VISION_TEST_SRC_SIDE_BY_SIDE
          ? GST_VISION_PACKING_SIDE_BY_SIDE
          : GST_VISION_PACKING_TOP_BOTTOM};
  StereoView shown = STEREO_LEFT;
  Image half[2];

  if (view == GST_VISION_TEST_SRC_LEFT || view == GST_VISION_TEST_SRC_RIGHT) {
    half[0] = *image;
    shown = view == GST_VISION_TEST_SRC_LEFT ? STEREO_LEFT : STEREO_RIGHT;
    prepare_stereo_frame (self, image, f);
  } else {
    gst_vision_views_split (&views, image, half);
    prepare_stereo_frame (self, &half[0], f);
    TRY (stereo_render (self->stereo, &f->params, STEREO_RIGHT, self->number,
        &half[1], NULL, NULL));
  }
  return stereo_render (self->stereo, &f->params, shown, self->number, &half[0],
      &f->truth, &f->maps);
}

static const char *
show_stereo (GstVisionTestSrc *self, const Image *image, GstBuffer *buffer)
{
  StereoFrame f;
  const char *err = render_stereo_frame (self, image, &f);
  gboolean attached = !err && attach_stereo_camera (buffer, &f) &&
      gst_vision_test_src_attach_things (self, buffer, f.width, f.height,
          f.truth.objects, f.truth.n_objects) &&
      attach_stereo_maps (buffer, &f);

  g_free (f.maps.disparity);
  g_free (f.maps.depth);
  g_free (f.maps.seen);
  g_free (f.maps.labels);
  return err || attached ? err
                         : "the truth could not be attached to the buffer";
}

#define CAPS(width, height) \
 "video/x-raw, format = (string) { RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, " \
 "NV12, I420, YUY2, P010_10LE }, width = (int) " width \
 ", height = (int) " height ", framerate = " GST_VIDEO_FPS_RANGE

/* Halves begin at chroma samples. */
const GstVisionTestSrcScene gst_vision_test_src_stereo[] = {
    [GST_VISION_TEST_SRC_LEFT] = {CAPS ("[ 1, 4096 ]", "[ 1, 4096 ]"), NULL,
        open_stereo_view, close_stereo, show_stereo},
    [GST_VISION_TEST_SRC_RIGHT] = {CAPS ("[ 1, 4096 ]", "[ 1, 4096 ]"), NULL,
        open_stereo_view, close_stereo, show_stereo},
    [GST_VISION_TEST_SRC_SIDE_BY_SIDE] =
        {CAPS ("[ 4, 8192, 4 ]",
             "[ 1, 4096 ]") ", multiview-mode = (string) side-by-side",
            NULL, open_stereo_beside, close_stereo, show_stereo},
    [GST_VISION_TEST_SRC_TOP_BOTTOM] =
        {CAPS ("[ 1, 4096 ]",
             "[ 4, 8192, 4 ]") ", multiview-mode = (string) top-bottom",
            NULL, open_stereo_above, close_stereo, show_stereo},
};
