/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-pocstereo
 * @title: pocstereo
 * @see_also: visionmap, visionoverlay
 *
 * Measures disparity by phase-only correlation of a left and a right view, to
 * hundredths of a pixel on smooth surfaces; and depth, if the rig is known.  It
 * measures every pixel, or points (#GstPocstereo:mode).
 *
 * The two views come to two pads and are paired by time; or both come to
 * `sink_left` in one frame, side by side or one above the other
 * (`multiview-mode` in the caps, or #GstPocstereo:packing).  They must be
 * rectified: a point of the scene is in the same row of both views.  With
 * #GstPocstereo:calibration, a file of OpenCV or ROS, frames of any rig are
 * rectified first; disparities and all other results then refer to the
 * rectified left view.
 *
 * Frames of the two pads whose times differ by at most #GstPocstereo:max-skew
 * are a pair, by default the nearest.  In a live pipeline a frame waits that
 * long, and up to a second while frames come late; `latency` (nanoseconds) adds
 * to that.
 *
 * #GstPocstereo:output says what comes out:
 *
 * - left: the left frame with VisionMaps, see below.  Where frames are
 * rectified, it is the rectified one, in RGBA; the results of elements
 * upstream keep their places.
 * - disparity: GRAY16_LE, 0 without a disparity, else disparity =
 *   min-disparity + (value − 1) · disparity-scale; these two are fields of the
 *   caps.
 * - depth: GRAY16_LE, millimetres, 0 without one.
 * - colormap: RGBA, from #GstPocstereo:min-disparity to
 *   #GstPocstereo:max-disparity, transparent without a disparity.
 *
 * In mode dense the maps, which lie where frames are processed, are
 * `disparity` (f32, pixels, −32768 for none), `sigma` (u16, the
 * standard deviation that is predicted for each), `confidence` (u8) and, where
 * the rig is known, `depth` (f32, metres, 0 for none).
 *
 * In mode points there are two lists in system memory, with a column for each
 * point that was matched: `matches` (f32: x y disparity sigma, in pixels, and
 * confidence) and, where the rig is known, `points` (f32: x y z and the sigma
 * of z, in metres; all 0 if the match gives no point in front of the camera).
 * Messages (#GstPocstereo:post-messages) have the numbers of `matches`, five
 * for each point.  In mode dense, messages have no numbers of pixels.
 *
 * The rig is known from #GstPocstereo:intrinsics and #GstPocstereo:baseline,
 * else from the calibration, else from the VisionCamera of the left buffer.
 * Buffers get the VisionCamera that was used.  #GstPocstereo:ply-location
 * writes points in space, in the colours of the left view: to one file, or to a
 * file for each frame, with a pattern such as cloud-%05d.ply.
 *
 * In mode points, the element measures the places of the left view that it
 * finds first in this list: #GstPocstereo:points; a grid in #GstPocstereo:roi;
 * a grid in the regions that came with the left frame as
 * GstVideoRegionOfInterestMeta (faces of `facedetect`, objects of other
 * elements; where frames are rectified, these regions are moved to the
 * rectified view); a grid over the whole frame, unless
 * #GstPocstereo:regions-only is set.
 * A point whose match would lie outside of the right view is left out.
 *
 * From time to time the element checks a whole frame.  A warning says that the
 * views seem to be swapped, or that their rows do not agree: `vertical-offset`
 * in #GstPocstereo:stats says by how many rows the right view shows things
 * lower.
 *
 * ## What it is for
 *
 * Depth from two ordinary cameras of which the calibration is known, where
 * parts of a pixel matter: far surfaces, slow changes, smooth faces; and a
 * few points measured very well (`mode`=points). Every pixel is right to 0.03
 * to 0.10 pixels (RMS) on photographs that were moved by a known part of a
 * pixel: [accuracy](../accuracy.md#pocstereo).
 *
 * ## When something else is better
 *
 * - Many thin things in front of each other, such as branches or fences: a
 *   window around a pixel sees both. Semi-global matching keeps such edges
 *   better.
 * - Walls without texture: no method that compares pictures can measure them.
 *   Project a pattern, or take a depth sensor.
 * - Every pixel of large frames live on a CPU: see the cost in
 *   [performance](../performance.md). Take `mode`=points, or a smaller frame.
 * - Every pixel on a CPU where both cameras have the same exposure and whole
 *   pixels are enough: OpenCV's StereoSGBM in its mode of three directions is
 * about as often right as the preset `fast`, in a third of the time.
 *
 * ## Troubleshooting
 *
 * - Noise everywhere: the frames are not rectified, or the views are swapped; a
 *   warning says which. `calibration` rectifies.
 * - Holes in near things: `max-disparity` is too small; far ones:
 *   `min-disparity` is too large.
 * - Depth has the wrong scale: T of the calibration is not in metres
 *   (`calibration-unit`).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc pattern=stereo num-buffers=5 ! queue !
 * p.sink_left visiontestsrc pattern=stereo view=right num-buffers=5 ! queue !
 * p.sink_right pocstereo name=p mode=points max-disparity=64 ! visionjson !
 * fakesink
 * gst-launch-1.0 visiontestsrc pattern=stereo view=side-by-side num-buffers=5 !
 * pocstereo max-disparity=64 output=colormap ! videoconvert ! autovideosink
 * gst-launch-1.0 filesrc location=LEFTFILE ! decodebin ! videoconvert !
 * facedetect ! queue ! p.sink_left filesrc location=RIGHTFILE ! decodebin !
 * videoconvert ! video/x-raw,format=RGB ! queue ! p.sink_right pocstereo name=p
 * mode=points regions-only=true calibration=intrinsics.yml,extrinsics.yml
 * ply-location=face-%05d.ply ! fakesink
 * ]|
 * Points of a generated room that two cameras see; its disparities as colours;
 * and points on faces, in space.
 *
 * Since: 0.1
 */
#include "pocstereo/gstpocstereo.h"

GST_DEBUG_CATEGORY_STATIC (pocstereo_debug);
#define GST_CAT_DEFAULT pocstereo_debug

#define FORMATS \
 "{ NV12, I420, YUY2, P010_10LE, GRAY8, GRAY16_LE, RGBA, RGBx, BGRA, BGRx, " \
 "RGB, BGR }"
/* Rows of samples start at a multiple of this number. */
#define ROW_ALIGN 64
#define MIN_SIDE 16

G_DEFINE_TYPE_WITH_CODE (GstPocstereo, gst_pocstereo,
    GST_TYPE_VISION_AGGREGATOR,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (pocstereo, "pocstereo", GST_RANK_NONE,
    GST_TYPE_POCSTEREO,
    GST_DEBUG_CATEGORY_INIT (
        pocstereo_debug, "pocstereo", 0, "phase-only correlation stereo"));

/* ---- Properties ---- */

CHOICES (modes, {GST_POCSTEREO_DENSE, "dense", "Every pixel"},
    {GST_POCSTEREO_POINTS, "points",
        "Points, at a cost in proportion to their number"});

CHOICES (outputs,
    {GST_POCSTEREO_LEFT, "left", "The left view with maps or lists"},
    {GST_POCSTEREO_DISPARITY, "disparity",
        "Disparities in steps that the caps state"},
    {GST_POCSTEREO_DEPTH, "depth", "Depth in millimetres"},
    {GST_POCSTEREO_COLORMAP, "colormap", "Disparities as colours"});

/* The caps name the steps of disparities, and output=left has another format
 * with a rig. */
static void
announce_new_caps (GstElement *element, const Param *param)
{
  (void) param;
  gst_pad_mark_reconfigure (GST_AGGREGATOR (element)->srcpad);
}

static void
disparity_param_changed (GstElement *element, const Param *param)
{
  if (g_str_has_suffix (param->field, "_disparity"))
    announce_new_caps (element, param);
}

static gboolean
check_ply_location (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  (void) element;
  (void) owner;
  return !text || gst_vision_ply_check (text, error);
}

#define ROWS_OF GstPocstereo
static const GstVisionProperty properties[] = {
    STOPPED (ONE_OF, asked.mode, modes, GST_POCSTEREO_DENSE,
        "Which pixels of the left view are matched"),
    STOPPED (ONE_OF, asked.output, outputs, GST_POCSTEREO_LEFT,
        "What the output shows"),
    PARAMS (pocstereo_params, params, .changed = disparity_param_changed),
    NUMBER (grid_spacing, 1, POCSTEREO_MAX_SIDE, 5,
        "In mode points, pixels from one point of the grid to the next"),
    SWITCH (regions_only, FALSE,
        "In mode points, measure nothing in a frame that has no points, roi or "
        "regions of interest; if false, measure the whole frame"),
    FOLLOWED (announce_new_caps, TITLED, "Scale of disparities", NUMBER,
        disparity_scale, 0, POCSTEREO_MAX_DISPARITY, 0,
        "With output=disparity, pixels of disparity per step of the value, "
        "clamped to 65534 steps (0 = 1/256, or as fine as the range allows)"),
    NUMBER (baseline, 0, 1e6, 0,
        "With intrinsics, metres from the left to the right camera (0 = that "
        "of the buffer's VisionCamera)"),
    TITLED ("Offset of disparities", NUMBER, doffs, -POCSTEREO_MAX_SIDE,
        POCSTEREO_MAX_SIDE, 0,
        "With intrinsics, cx of the rectified right camera minus cx of the "
        "left one, pixels; Middlebury calls it doffs: depth = fx baseline / "
        "(disparity + doffs)"),
    FOLLOWED (gst_pocstereo_read_calibration_again, BY_HAND, TITLED,
        "Unit of the calibration", NUMBER, calibration_unit, 1e-9, 1e6, 1,
        "Metres per unit of OpenCV's T: 0.001 for squares in millimetres"),
    PARSED (gst_pocstereo_read_roi, TITLED, "Regions of interest", STRING, roi,
        "In mode points, regions of the grid: x,y,width,height;… in pixels "
        "(unset = the left frame's regions of interest, else all of it)"),
    PARSED (gst_pocstereo_read_points, STRING, points,
        "In mode points, the points to measure in place of a grid: x,y;x,y;… "
        "in pixels, or a file with such a list on any number of lines"),
    PARSED (gst_pocstereo_read_calibration, FOLLOWED, announce_new_caps, STRING,
        calibration,
        "Calibration of the rig, by which frames are rectified: OpenCV's file "
        "(YAML or XML), or two files with a comma between them: OpenCV's "
        "intrinsics and extrinsics, or ROS's camera_info of the left and the "
        "right camera"),
    PARSED (check_ply_location, TITLED, "Location of PLY", STRING, ply_location,
        "PLY file for the points in space; each frame replaces it, unless its "
        "name has a pattern such as %05d for the number of the frame"),
    PARSED (gst_pocstereo_read_intrinsics, STRING, intrinsics.intrinsics,
        "The rectified left camera: fx,fy,cx,cy in pixels of the view, without "
        "distortion (unset = that of calibration, else the buffer's "
        "VisionCamera)"),
    {.params = NULL}};

PocstereoParams
gst_pocstereo_get_params (GstPocstereo *self)
{
  PocstereoParams p = GST_VISION_LOCKED (self, self->params);

  pocstereo_settle (&p, self->now.mode == GST_POCSTEREO_DENSE);
  return p;
}

/* ---- Frames ---- */

/* Refuses frames of a size that can never work. */
static const char *
check_size (GstPocstereo *self)
{
  PocstereoParams params = gst_pocstereo_get_params (self);

  if (MIN (self->width, self->height) < MIN_SIDE ||
      MAX (self->width, self->height) > POCSTEREO_MAX_SIDE)
    return "the sides of a view must be 16 to 8192 pixels; put videoscale "
           "before both inputs";
  return pocstereo_check (&params, self->width, self->height);
}

static const char *
gst_pocstereo_open (GstVisionAggregator *agg, const Device *device,
    const GstVideoInfo *left, const GstVideoInfo *right)
{
  GstPocstereo *self = GST_POCSTEREO (agg);
  const char *err;
  gsize bytes;

  (void) right;
  self->width = GST_VIDEO_INFO_WIDTH (left);
  self->height = GST_VIDEO_INFO_HEIGHT (left);
  self->stride = GST_ROUND_UP_N (self->width, ROW_ALIGN);
  err = check_size (self);
  if (gst_vision_common_refused (gst_vision_common (agg), err))
    return err;
  TRY (gst_pocstereo_check_rig (self));
  TRY (pocstereo_rectify_new (
      &self->rectify, device, self->width, self->height));
  TRY (pocstereo_new (&self->matcher, device, self->width, self->height));
  TRY (gst_pocstereo_open_diagnosis (self, device));
  bytes = (gsize) self->stride * self->height * sizeof *self->sample[0];
  for (gint i = 0; i < 2; i++)
    TRY (device_alloc (device, (void **) &self->sample[i], bytes));
  return gst_pocstereo_open_results (self, device);
}

static void
gst_pocstereo_close (GstVisionAggregator *agg)
{
  GstPocstereo *self = GST_POCSTEREO (agg);
  GstVisionBackend *backend = &gst_vision_common (agg)->backend;

  g_clear_pointer (&self->matcher, pocstereo_free);
  g_clear_pointer (&self->rectify, pocstereo_rectify_free);
  for (gint i = 0; i < 2; i++) {
    device_release (&backend->device, self->sample[i]);
    self->sample[i] = NULL;
  }
  gst_pocstereo_close_diagnosis (self);
  gst_pocstereo_close_rig (self);
  gst_pocstereo_close_cloud (self);
  gst_pocstereo_close_results (self);
}

static const char *
match_views (GstPocstereo *self, const PocstereoParams *params,
    const Image *left, const Image *right, GstBuffer *buffer)
{
  PocstereoFrame frame = {self->width, self->height,
      {self->sample[0], self->sample[1]}, self->stride};
  const PocstereoMatch *matches;

  TRY (pocstereo_rectify_run (
      self->rectify, left, right, self->sample, self->stride));
  TRY (gst_pocstereo_paint_left (self, left));
  TRY (gst_pocstereo_diagnose_frame (self, params, &frame));
  if (self->now.mode == GST_POCSTEREO_DENSE) {
    TRY (pocstereo_dense (self->matcher, params, &frame, &matches));
    return gst_pocstereo_take_pixel_matches (
        self, params, left, matches, buffer);
  }
  TRY (pocstereo_points (self->matcher, params, &frame,
      (const PocstereoPoint *) self->chosen->data, (int) self->chosen->len,
      &matches));
  return gst_pocstereo_take_point_matches (self, params, left, matches, buffer);
}

/* Finds the rig and the points of this frame; returns NULL or the frame's
 * fault. */
static const char *
begin_views (
    GstPocstereo *self, const PocstereoParams *params, GstBuffer *buffer)
{
  TRY (pocstereo_check (params, self->width, self->height));
  TRY (gst_pocstereo_begin_rig (self, buffer));
  if (self->now.output == GST_POCSTEREO_DEPTH && !self->has_space)
    return "depth needs a rig; set calibration, or intrinsics and baseline";
  return self->now.mode == GST_POCSTEREO_POINTS
      ? gst_pocstereo_choose_points (self, buffer)
      : NULL;
}

static const char *
gst_pocstereo_process (GstVisionAggregator *agg, const Image *left,
    const Image *right, GstBuffer *buffer)
{
  GstPocstereo *self = GST_POCSTEREO (agg);
  PocstereoParams params = gst_pocstereo_get_params (self);
  const char *fault = begin_views (self, &params, buffer);

  if (!fault)
    return match_views (self, &params, left, right, buffer);
  gst_vision_common_fault (gst_vision_common (agg), fault);
  return gst_pocstereo_clear_picture (self, left);
}

/* The caps name the unit and the origin of disparities. */
static void
announce_disparity_steps (GstPocstereo *self, GstStructure *fields)
{
  PocstereoParams params = gst_pocstereo_get_params (self);

  self->step = GST_VISION_LOCKED (self, self->disparity_scale);
  self->min_disparity = params.min_disparity;
  if (!(self->step > 0))
    self->step = pocstereo_step (params.min_disparity, params.max_disparity);
  gst_structure_set (fields, "min-disparity", G_TYPE_INT, self->min_disparity,
      "disparity-scale", G_TYPE_DOUBLE, self->step, NULL);
}

static GstVideoFormat
gst_pocstereo_output (GstVisionAggregator *agg, GstStructure *fields)
{
  GstPocstereo *self = GST_POCSTEREO (agg);
  GstPocstereoKind kind = GST_VISION_LOCKED (self, self->asked);

  if (fields) {
    if (kind.mode != self->now.mode || kind.output != self->now.output)
      gst_vision_aggregator_renew (agg);
    self->now = kind;
    if (kind.output == GST_POCSTEREO_DISPARITY)
      announce_disparity_steps (self, fields);
  }
  if (kind.output == GST_POCSTEREO_LEFT)
    return gst_pocstereo_has_rig (self) ? GST_VIDEO_FORMAT_RGBA
                                        : GST_VIDEO_FORMAT_UNKNOWN;
  return kind.output == GST_POCSTEREO_COLORMAP ? GST_VIDEO_FORMAT_RGBA
                                               : GST_VIDEO_FORMAT_GRAY16_LE;
}

static gboolean
gst_pocstereo_start (GstAggregator *agg)
{
  GstPocstereo *self = GST_POCSTEREO (agg);

  self->now = GST_VISION_LOCKED (self, self->asked);
  self->n_clouds = 0;
  self->warned_outside = self->warned_space = FALSE;
  self->warned_swapped = self->warned_askew = self->warned_apart = FALSE;
  return GST_AGGREGATOR_CLASS (gst_pocstereo_parent_class)->start (agg);
}

/* After a seek. */
static void
gst_pocstereo_reset (GstVisionAggregator *agg)
{
  GstPocstereo *self = GST_POCSTEREO (agg);

  if (self->matcher)
    pocstereo_reset (self->matcher);
}

static void
gst_pocstereo_finalize (GObject *object)
{
  GstPocstereo *self = GST_POCSTEREO (object);

  g_clear_pointer (&self->regions, g_array_unref);
  g_clear_pointer (&self->list, g_array_unref);
  g_free (self->rig);
  g_array_unref (self->chosen);
  g_array_unref (self->found);
  g_array_unref (self->in_space);
  G_OBJECT_CLASS (gst_pocstereo_parent_class)->finalize (object);
}

static void
gst_pocstereo_class_init (GstPocstereoClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstVisionAggregatorClass *agg = GST_VISION_AGGREGATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_pocstereo_finalize;
  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  agg->output_formats = "{ GRAY16_LE, RGBA }";
  gst_vision_aggregator_class_add_pads (
      agg, "sink_left", FORMATS, "sink_right", FORMATS);
  gst_element_class_set_static_metadata (element, "Phase-only stereo",
      "Filter/Analyzer/Video",
      "Measures disparity and depth of stereo views by phase-only correlation",
      "The gst-vision authors");

  GST_AGGREGATOR_CLASS (klass)->start = gst_pocstereo_start;
  agg->open = gst_pocstereo_open;
  agg->process = gst_pocstereo_process;
  agg->close = gst_pocstereo_close;
  agg->reset = gst_pocstereo_reset;
  agg->output = gst_pocstereo_output;
}

static void
gst_pocstereo_init (GstPocstereo *self)
{
  gst_vision_common (self)->less_memory = "mode=points";
  gst_vision_properties_init (self, properties);
  self->chosen = g_array_new (FALSE, FALSE, sizeof (PocstereoPoint));
  self->found = g_array_new (FALSE, FALSE, sizeof (PocstereoPointMatch));
  self->in_space = g_array_new (FALSE, FALSE, 4 * sizeof (gfloat));
}
