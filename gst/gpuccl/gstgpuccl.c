/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-gpuccl
 * @title: gpuccl
 * @see_also: visionoverlay, visionmap, visionjson
 *
 * Finds the connected components of a frame, and which of them is a moving
 * object.  Components of at least #GstGpuccl:min-area pixels are reported as
 * VisionObjects, each with area, box, centroid, orientation and elongation (of
 * the ellipse with the same second moments) and, with depth and a camera, its
 * place and extent in metres.  Those that are large enough, filled enough
 * and wide enough become objects: new ones at first, accepted once they were
 * there in #GstGpuccl:frames frames in a row.  The others are rejected, and
 * `reason` names the criterion that they fail: size, fill, extent, or rank,
 * since only the #GstGpuccl:max-candidates largest components can be objects.
 *
 * Pixels as limits suit one size of frame, and rows and columns one way in
 * which an object is turned.  The rectangle with the second moments of a
 * component, turned as the component is, suits any: #GstGpuccl:min-surface and
 * #GstGpuccl:min-side are limits in square metres and metres,
 * #GstGpuccl:min-box-fill is the part of the rectangle that must be filled.
 * They add to the other limits, which 0 switches off, as preset `any-size`
 * does.
 *
 * The format of the frames decides what is looked at:
 *
 * - GRAY8, and the luma of NV12 and I420, is a mask: what is at least as bright
 * as #GstGpuccl:threshold counts.
 * - The alpha of RGBA and BGRA is a mask with #GstGpuccl:mask-from=alpha, as
 * GStreamer's `segmentation test-mode=true` writes it.
 * - GRAY16_LE is depth: neighbours are connected only where their depths differ
 * by less than #GstGpuccl:max-depth-step.
 *
 * To find what moves in depth, there must be a tracker in front, such as
 * #kinfumot, since gpuccl has no model of the background.  The tracker attaches
 * a map of kind correspondence, which says what it cannot explain: then only
 * outliers and potential outliers count.  Without that map every pixel that has
 * depth counts.  The components are then surfaces, such as walls, which end
 * where depth jumps; none is accepted, and the reason of those that meet all
 * criteria is `surface`.
 *
 * 16-bit PNG comes as GRAY16_BE: put videoconvert between pngdec and gpuccl.  A
 * map of kind depth (u16) takes the place of the frame's own depth, and is not
 * filtered again.
 *
 * The map `labels` (#GstGpuccl:label-map) says to which component each pixel
 * belongs.  From GStreamer 1.26 on, where frames are processed on the CPU, a
 * GstAnalyticsSegmentationMtd says the same: its region k is the k-th component
 * that is reported.
 *
 * An object is known again in the next frame by its place in the world, where
 * depth and camera are known (#GstGpuccl:intrinsics, #GstGpuccl:calibration, or
 * VisionCamera on the buffer, whose pose takes out the camera's own motion),
 * else by its place in the image.  Lens distortion is not corrected.
 *
 * When an object is accepted for the first time, and again every
 * #GstGpuccl:frames frames for as long as it is, the custom event
 * `VisionNewObject` goes upstream: `pts`, `id`, its box as `x`, `y`, `width`,
 * `height`, and as `mask` a buffer of one byte for each pixel, 255 where the
 * object is, in rows of `stride` bytes for a frame of `ref-width` x
 * `ref-height`. Where frames are processed on the GPU the mask lies there, and
 * `memory` is cuda.
 *
 * A frame that cannot be used, such as one whose map has another size, passes
 * without results; a warning says so, and #GstGpuccl:stats counts it.
 *
 * ## What it is for
 *
 * Blobs of a mask that something else made, such as a background subtraction, a
 * threshold or a network; surfaces of a depth frame; and behind #kinfumot,
 * things that begin to move before a moving camera.
 *
 * ## When something else is better
 *
 * - Finding what moves in ordinary video: there is no model of a background
 *   here. Put an element that makes a mask in front, such as GStreamer's
 *   `segmentation test-mode=true` with #GstGpuccl:mask-from=alpha for a fixed
 *   camera; `pipelines/gpuccl.sh` does.
 * - Colours: #moct finds components of many colours in one pass, without a
 *   mask.
 * - Telling things apart that touch in a mask: one component is one object.
 *
 * ## Troubleshooting
 *
 * - Nothing is accepted: `reason` of each component names what it fails.
 *   `min-size`, `min-fill` and `min-extent` are limits, and `frames` is how
 *   long it must be seen.  At another size than 640x480, try preset `any-size`.
 * - Depth finds one huge component: `max-depth-step` is larger than the gap
 *   between things.
 * - Sizes or places are wrong: `intrinsics` and `depth-scale` must be those
 *   of the sensor.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc pattern=rgbd num-buffers=60 ! gpuccl !
 * visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=rgbd ! gpuccl ! visionmap kind=labels !
 * visionoverlay ! videoconvert ! autovideosink
 * ]|
 * Finds the robot that starts to drive in the generated room.
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=60 ! gpuccl frames=1
 * min-size=100 ! visionoverlay ! fakesink
 * ]|
 * Finds what is bright in any video.
 *
 * Since: 0.1
 */
#include "gpuccl/gstgpuccl.h"

#include "base/gstvisioninput.h"
#include "base/gstvisionproperties.h"

GST_DEBUG_CATEGORY_STATIC (gpuccl_debug);
#define GST_CAT_DEFAULT gpuccl_debug

#define LUMA_FORMATS "NV12, I420, GRAY8, GRAY16_LE"
#define ALPHA_FORMATS "RGBA, BGRA"

G_DEFINE_TYPE_WITH_CODE (GstGpuccl, gst_gpuccl, GST_TYPE_VISION_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (gpuccl, "gpuccl", GST_RANK_NONE,
    GST_TYPE_GPUCCL,
    GST_DEBUG_CATEGORY_INIT (
        gpuccl_debug, "gpuccl", 0, "connected components and moving objects"));

#define ROWS_OF GstGpuccl
CHOICES (masks,
    {GST_GPUCCL_MASK_FROM_LUMA, "luma",
        "GRAY8, and the luma of NV12 and I420; GRAY16_LE is depth"},
    {GST_GPUCCL_MASK_FROM_ALPHA, "alpha", "The alpha of RGBA and BGRA"});

static const GstVisionProperty properties[] = {
    STOPPED (SWITCH, label_map, TRUE,
        "Attach the map \"labels\": for each pixel 0, or the number of its "
        "component"),
    STOPPED (ONE_OF, mask_from, masks, GST_GPUCCL_MASK_FROM_LUMA,
        "Where the mask lies, and so which formats are taken"),
    PROPERTIES (gst_vision_intrinsics_properties, intrinsics),
    PARAMS (gpuccl_params, params), {.params = NULL}};

static const char *
gst_gpuccl_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstGpuccl *self = GST_GPUCCL (filter);
  GstVisionBackend *backend = &gst_vision_common (filter)->backend;
  GstVisionMap map = {.element = "gpuccl", .channels = 1, .scale = 1};
  gboolean label_map = GST_VISION_LOCKED (self, self->label_map);

  self->width = GST_VIDEO_INFO_WIDTH (info);
  self->height = GST_VIDEO_INFO_HEIGHT (info);
  self->n_announced = 0;
  self->first_id = self->last_id;
  TRY (gpuccl_new (&self->gpuccl, device, self->width, self->height));
  map.width = self->width;
  map.height = self->height;
  map.kind = "mask";
  map.format = "u8";
  TRY (gst_vision_pixels_open (&self->mask, backend, &map));
  map.kind = "labels";
  map.format = "u32";
  return label_map ? gst_vision_pixels_open (&self->labels, backend, &map)
                   : NULL;
}

static void
gst_gpuccl_close (GstVisionFilter *filter)
{
  GstGpuccl *self = GST_GPUCCL (filter);
  GstVisionBackend *backend = &gst_vision_common (filter)->backend;

  gst_vision_pixels_close (&self->labels);
  gst_vision_pixels_close (&self->mask);
  gst_vision_map_input_close (&self->classes, backend);
  gst_vision_map_input_close (&self->depth, backend);
  g_clear_pointer (&self->regions, g_free);
  g_clear_pointer (&self->gpuccl, gpuccl_free);
}

static void
gst_gpuccl_reset (GstVisionFilter *filter)
{
  GstGpuccl *self = GST_GPUCCL (filter);

  gpuccl_reset (self->gpuccl);
  self->n_announced = 0;
}

/* Finds the components.  If the label map is attached, its pixels are copied
 * before the wait for the results, which then waits for both. */
static const char *
run_gpuccl (GstGpuccl *self, const GpucclParams *params,
    const GpucclFrame *frame, GpucclResults *results)
{
  const char *err;

  if (!self->labels.pool)
    return gpuccl_run (self->gpuccl, params, frame, results);
  TRY (gst_vision_pixels_begin (&self->labels));
  err = gpuccl_run_with_labels (self->gpuccl, params, frame,
      self->labels.address, self->labels.stride, results);
  if (err)
    gst_vision_pixels_drop (&self->labels);
  return err;
}

/* Warns once of a frame with too many greys for a mask, and of components that
 * max-components leaves out, which stats counts. */
static void
warn_of_mask (
    GstGpuccl *self, const GpucclFrame *frame, const GpucclResults *results)
{
  guint64 pixels = (guint64) self->width * self->height;

  if (frame->count_greys && 10ull * results->n_unknown > pixels) {
    self->warned_of_greys = TRUE;
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("A frame is no mask: %.0f %% of its pixels are neither dark nor "
         "bright.",
            100. * results->n_unknown / (gdouble) pixels),
        ("gpuccl finds what is as bright as threshold, not what moves. Put an "
         "element in front that makes a mask, such as segmentation."));
  }
  if (!results->n_left_out)
    return;
  self->n_left_out += results->n_left_out;
  gst_vision_common_set_stat (
      gst_vision_common (self), "left-out", self->n_left_out);
  if (self->warned_of_left_out)
    return;
  self->warned_of_left_out = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("A frame has %u components more than max-components, the smallest of "
       "which are left out.",
          results->n_left_out),
      ("Raise max-components, or min-area. stats counts all as left-out."));
}

static const char *
gst_gpuccl_process (
    GstVisionFilter *filter, const Image *image, GstBuffer *buffer)
{
  GstGpuccl *self = GST_GPUCCL (filter);
  GpucclResults results = {0};
  GpucclParams params;
  GpucclFrame frame;
  const char *err = NULL; /* of the device: ends the stream */
  const char *fault;      /* of the frame: it passes without results */

  fault = gst_gpuccl_begin (self, image, buffer, &params, &frame);
  if (!fault)
    fault = gpuccl_check (&params, frame.source, frame.depth != NULL);
  if (!fault)
    err = run_gpuccl (self, &params, &frame, &results);
  gst_gpuccl_end (self);
  TRY (err);
  if (frame.source == GPUCCL_CLASSES && results.n_unknown)
    gst_vision_common_fault (gst_vision_common (filter),
        "the correspondence map has pixels of no known class, which do not "
        "count");
  if (fault) {
    gst_vision_common_fault (gst_vision_common (filter), fault);
    return NULL;
  }
  warn_of_mask (self, &frame, &results);
  return gst_gpuccl_attach (self, &params, &results, buffer);
}

static gboolean
gst_gpuccl_start (GstVisionFilter *filter)
{
  GstGpuccl *self = GST_GPUCCL (filter);

  self->last_id = 0;
  self->n_left_out = 0;
  self->warned_of_greys = self->warned_of_left_out = FALSE;
  return TRUE;
}

static GstCaps *
gst_gpuccl_transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstGpuccl *self = GST_GPUCCL (trans);
  gboolean alpha =
      GST_VISION_LOCKED (self, self->mask_from) == GST_GPUCCL_MASK_FROM_ALPHA;
  g_autoptr (GstCaps) all = gst_vision_caps (
      alpha ? "{ " ALPHA_FORMATS " }" : "{ " LUMA_FORMATS " }");
  g_autoptr (GstCaps) taken =
      gst_caps_intersect_full (caps, all, GST_CAPS_INTERSECT_FIRST);

  (void) direction;
  return filter
      ? gst_caps_intersect_full (filter, taken, GST_CAPS_INTERSECT_FIRST)
      : g_steal_pointer (&taken);
}

static gboolean
gst_gpuccl_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GstVisionFilter *filter = GST_VISION_FILTER (trans);
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, in) &&
      gst_vision_common_refused (gst_vision_common (filter),
          gst_gpuccl_check (GST_GPUCCL (trans), &info)))
    return FALSE;
  return GST_BASE_TRANSFORM_CLASS (gst_gpuccl_parent_class)
      ->set_caps (trans, in, out);
}

static void
gst_gpuccl_class_init (GstGpucclClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  gst_vision_filter_class_add_pads (
      filter, "{ " LUMA_FORMATS ", " ALPHA_FORMATS " }");
  gst_element_class_set_static_metadata (element, "Moving object detector",
      "Filter/Analyzer/Video",
      "Finds connected components, with depth, and which of them is a moving "
      "object",
      "The gst-vision authors");

  trans->transform_caps = gst_gpuccl_transform_caps;
  trans->set_caps = gst_gpuccl_set_caps;
  filter->open = gst_gpuccl_open;
  filter->process = gst_gpuccl_process;
  filter->close = gst_gpuccl_close;
  filter->reset = gst_gpuccl_reset;
  filter->start = gst_gpuccl_start;
}

static void
gst_gpuccl_init (GstGpuccl *self)
{
  gst_vision_common (self)->less_memory = "label-map=false";
  gst_vision_properties_init (self, properties);
}
