/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-scopedetect
 * @title: scopedetect
 * @see_also: visionoverlay, visionjson
 *
 * Finds known rigid objects and their exact poses in frames of depth and
 * colour: SCOPE, single cluttered object pose estimation.
 *
 * Colour comes to `sink_color` and depth to `sink_depth`.  Frames are paired by
 * time.  Both must have the same size and be aligned, so that a pixel shows the
 * same point in both.  A depth of 0 is missing; #GstScopedetect:depth-scale is
 * the unit.  #GstScopedetect:models names files that the command `vision-model`
 * makes of meshes or clouds of points.  The camera is that of
 * #GstScopedetect:intrinsics, else of #GstScopedetect:calibration, else the
 * VisionCamera of the colour buffer; a buffer without a VisionCamera gets this
 * camera.  Lens distortion is not corrected.
 *
 * ## Results
 *
 * The colour frame passes, with VisionObjects.  Each object has
 *
 * - `label`, the name of its model, and a `score`;
 * - the box of the model in the frame, and its `extent`;
 * - `pose`: translation in metres and rotation as a unit quaternion, from the
 *   model's coordinates to the camera's;
 * - `covariance`, 6 by 6: of the model's middle along the axes of the camera,
 *   metres, and of rotations about them, radians;
 * - `outline`, the silhouette of the model, hidden or not.
 *
 * The score is a probability: the part of poses with equal evidence that was
 * right in generated scenes.  #GstScopedetect:fit names a file in which the
 * command `vision-train --fit` wrote what it learned of other scenes or models.
 *
 * ## How objects are chosen
 *
 * With #GstScopedetect:explain=one-stage, the default, the objects are those
 * that together explain the frame best: each fits well, their number is small,
 * they share little surface, and little of the frame is left unexplained.  A
 * pose counts little if the surface that it explains goes on beyond the model.
 * Models of the other things in view make wrong poses rarer.
 *
 * With explain=two-stage, the first stage gains nothing from explaining more of
 * the frame.  The points that it explains are removed; the rest of the frame is
 * searched anew, for models that may have more objects; and the explanation is
 * chosen again from the poses of both searches, in the whole frame.  It is
 * accepted only if it scores more than that of the first stage.  The second
 * stage is left out if the first one leaves fewer than #GstScopedetect:min-rest
 * points, if there is no model to search for, or if the time is over.
 *
 * With explain=contest, of objects that explain the same surface the one with
 * the best score is reported.  This finds about as many objects as one-stage,
 * and reports several times as many wrong ones, above all if things in view
 * have no model.  With explain=none each object is judged by itself, which is
 * right if one thing has several names.
 *
 * Many short searches (#GstScopedetect:restarts), each of which starts anew,
 * look for the best explanation.  #GstScopedetect:max-time limits the time of
 * these searches, but not of the search for poses; when it is over, the best
 * explanation so far counts.  #GstScopedetect:max-steps limits their steps: set
 * to the value of `steps` in #GstScopedetect:stats, it repeats a result of
 * max-time.
 *
 * ## Following objects
 *
 * The element searches for an object near its last pose first, which costs much
 * less than a search of the whole frame.  An object that is seen keeps its
 * `id`, and its `state` is tracking; after a search of the whole frame the
 * state is found.  An object that is not seen is occluded for
 * #GstScopedetect:lose-frames, where it is expected and with a score of 0, and then
 * lost; it is lost at once if #GstScopedetect:max-objects of its model are seen
 * elsewhere.  A frame is searched as a whole if no object is followed, or if
 * the score of an object has dropped (#GstScopedetect:keep).
 *
 * With explain=one-stage or two-stage, while some of the models' objects are
 * missing, followed objects stay as they are, and a search of what they leave
 * looks for the missing models, a third of them in each of three frames:
 *
 * - if an object is gone;
 * - if they leave #GstScopedetect:min-rest points more than before, as a new
 *   thing does;
 * - every #GstScopedetect:search-interval frames.
 *
 * It is left out if they leave fewer than min-rest points in all.  With
 * explain=contest or none, the whole frame is searched instead, if an object is
 * gone and every search-interval frames.
 *
 * ## Behind kinfumot
 *
 * If the frames of depth come through kinfumot, their metadata tells how the
 * camera and the moving objects moved: a known object is expected where it was
 * carried, and one that stands still where the camera's move puts it.  The
 * output keeps kinfumot's objects with their ids, and gets its pose of the
 * camera, so that the place of each object in the world is known.  The `model`
 * of a named object that moves is the `model` of kinfumot's object.
 *
 * ## Many models, and parts of the frame
 *
 * #GstScopedetect:max-models limits the number of models that a frame is
 * searched for.  A short search for all models, with few features and few
 * poses, estimates how likely the best pose of each model is right; the frame
 * is then searched for the likeliest models.  This misses some objects that a
 * search for all models finds, more of them in clutter.  With explain=two-stage
 * each stage chooses its models, the second by the points that the first
 * leaves.
 *
 * With #GstScopedetect:region, a search begins from the surface in that part of
 * the frame alone.  region=meta takes the boxes that elements upstream have
 * attached to either frame, of objects that are accepted, tracking or found:
 * behind kinfumot and gpuccl, a thing that starts to move gets its name in this
 * way.  A frame without such a box is not searched; known objects are still
 * followed.
 *
 * ## Statistics and warnings
 *
 * #GstScopedetect:stats has, beside the usual fields:
 *
 * - `searches`: searches of the whole frame;
 * - `rest-searches`: frames in which what followed objects leave was searched;
 *   `rest-left-out`: frames in which such a search was due, and they left too
 *   little;
 * - `models-searched`: models of the newest search, in its first stage;
 * - `agreement`: part of the searches for the newest frame's explanation that
 *   found the same explanation; `steps`: number of steps that each search took;
 * - `cut-short`: frames in which max-time or max-steps ended the searches;
 * - `rest`: points that the first stage or followed objects left;
 *   `stage2-accepted`, `stage2-refused` and `stage2-left-out`: frames in which
 *   the second explanation was accepted, refused or left out;
 * - `memory`: bytes of the device that the detector takes; it takes no more
 *   while it plays.
 *
 * A frame that cannot be used, such as one without a camera, passes without
 * results; a warning says so, and stats counts it.  If a search finds nothing,
 * a warning names the cause once, if the frame shows it: no surface, no table,
 * nothing on the table, nothing as large as the model, or a camera of frames of
 * another size.
 *
 * Of the presets, fast has the default values, and thesis, with
 * explain=two-stage, follows the text of the thesis, where the score of an
 * explanation is not learned (#GstScopedetect:explain-score); the README of the
 * algorithm lists what stays different.  The command `vision-pose-eval --csv`
 * converts the lines of visionjson to the CSV of the BOP benchmark.
 *
 * With #GstScopedetect:backend=auto the element runs on the GPU if the machine
 * has one, and takes colour from CUDA and from system memory.  The poses are
 * the same as on the CPU, bit for bit.
 *
 * ## What it is for
 *
 * Rigid things of which you have a mesh or a scan, in a heap or on a table, so
 * near to a depth camera that it sees their shape: grasping, sorting, checking
 * places. Poses come with a covariance and a score that is a probability.
 *
 * ## When something else is better
 *
 * - Things that shine, are transparent, or bend: the depth or the model is
 *   wrong.
 * - Thin or flat things that differ only in what is printed on them: use
 *   features of the picture.
 * - Hundreds of models, or a search of every live frame on a CPU: a search
 *   takes time for each model, and about a tenth of it for a model that
 *   `max-models` leaves out. Following objects takes less.
 *
 * ## Troubleshooting
 *
 * - Nothing is found: a warning names the cause if the frame shows it. Most
 *   often `intrinsics` or `depth-scale` are not those of the sensor, or the
 *   model is not in metres.
 * - Wrong objects are reported: give the models of the other things in view, or
 *   raise `weight-object`.
 * - Right ones are missed, above all half-hidden ones: set `explain`=two-stage,
 *   which takes a third longer on a CPU and about twice as long on a GPU; or
 *   lower `weight-object`.
 * - Right poses have low scores: the depth is biased; raise `tolerance` and
 *   `range-sigma`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=COLORFILE ! pngdec ! videoconvert ! queue !
 * s.sink_color filesrc location=DEPTHFILE ! pngdec ! videoconvert !
 * video/x-raw,format=GRAY16_LE ! queue ! s.sink_depth scopedetect name=s
 * models=MODELFILE intrinsics=615,615,320,240 ! visionjson ! fakesink
 * ]|
 * The pose of the object, as a line of JSON.
 *
 * Since: 0.1
 */
#include "scopedetect/gstscopedetect.h"

GST_DEBUG_CATEGORY_STATIC (scopedetect_debug);
#define GST_CAT_DEFAULT scopedetect_debug

#define COLOUR_FORMATS \
 "{ RGB, BGR, RGBA, RGBx, BGRA, BGRx, NV12, I420, YUY2, P010_10LE, GRAY8 }"
#define DEPTH_FORMATS "{ GRAY16_LE }"

G_DEFINE_TYPE_WITH_CODE (GstScopedetect, gst_scopedetect,
    GST_TYPE_VISION_AGGREGATOR,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (scopedetect, "scopedetect",
    GST_RANK_NONE, GST_TYPE_SCOPEDETECT,
    GST_DEBUG_CATEGORY_INIT (
        scopedetect_debug, "scopedetect", 0, "poses of known objects"));

#define ROWS_OF GstScopedetect
static const GstVisionProperty properties[] = {
    STOPPED (STRING, models,
        "Files made by vision-model, with commas or semicolons between them; "
        "all must have the same spacing and radii"),
    STOPPED (STRING, fit,
        "File of vision-train --fit, by which poses are judged; unset, or if "
        "it cannot be used, the built-in fit"),
    SWITCH (tracking, true,
        "Search near the last poses first and give objects ids; if false, "
        "every frame is searched as a whole"),
    TITLED ("Part of the score to keep", NUMBER, keep, 0, 1, .7,
        "With tracking, search the whole frame when the score of an object is "
        "less than this part of its score in the last search"),
    TITLED ("Frames to lose", NUMBER, lose_frames, 0, 10000, 15,
        "With tracking, an object that is not seen is occluded for this many "
        "frames, and searched for at its last position; then it is lost"),
    TITLED ("Interval of searches", NUMBER, search_interval, 0, G_MAXINT, 30,
        "With tracking, maximum number of frames between two searches while "
        "objects of some models are missing (0 = search only when an object is "
        "lost)"),
    PROPERTIES (gst_scopedetect_region_properties, region),
    PROPERTIES (gst_vision_intrinsics_properties, intrinsics),
    PARAMS (scopedetect_params, params), {.params = NULL}};

/* Why the frame size or the parameters can never work, whatever the camera is.
 */
static const char *
check_params (GstScopedetect *self)
{
  ScopedetectParams params = GST_VISION_LOCKED (self, self->params);

  params.camera = (Camera){100, 100, 0, 0, {0}};
  if (MAX (self->width, self->height) > SCOPEDETECT_MAX_SIDE)
    return "the sides of a frame must be 1 to 4096 pixels; put videoscale "
           "before both inputs";
  return scopedetect_check (&params);
}

static const char *
gst_scopedetect_open (GstVisionAggregator *agg, const Device *device,
    const GstVideoInfo *colour, const GstVideoInfo *depth)
{
  GstScopedetect *self = GST_SCOPEDETECT (agg);
  GstVisionCommon *common = gst_vision_common (agg);
  const ScopedetectModel *const *models;
  const char *err;

  (void) depth;
  self->width = GST_VIDEO_INFO_WIDTH (colour);
  self->height = GST_VIDEO_INFO_HEIGHT (colour);
  err = check_params (self);
  if (gst_vision_common_refused (common, err))
    return err;
  TRY (gst_scopedetect_load_models (self));
  models = (const ScopedetectModel *const *) self->model;
  gst_vision_common_set_stat (common, "memory",
      (gdouble) scopedetect_memory (
          device->kind, self->width, self->height, models, self->n_models));
  TRY (scopedetect_new (&self->detector, device, self->width, self->height,
      models, self->n_models));
  gst_scopedetect_load_fit (self);
  return NULL;
}

static void
gst_scopedetect_close (GstVisionAggregator *agg)
{
  GstScopedetect *self = GST_SCOPEDETECT (agg);

  g_array_set_size (self->tracks, 0);
  g_clear_pointer (&self->detector, scopedetect_free);
  gst_scopedetect_drop_models (self);
}

/* To be called after a seek, and when a frame passes without results. */
static void
forget_tracks (GstVisionAggregator *agg)
{
  g_array_set_size (GST_SCOPEDETECT (agg)->tracks, 0);
}

/* Sets the camera in @params; returns why the frame cannot be used, or NULL. */
static const char *
set_frame_camera (
    GstScopedetect *self, GstBuffer *buffer, ScopedetectParams *params)
{
  GstVisionCamera camera;

  if (!gst_vision_intrinsics_find (&self->intrinsics, GST_ELEMENT (self),
          buffer, self->width, self->height, &camera))
    return "its camera is not known; set intrinsics or calibration";
  params->camera = (Camera){camera.fx, camera.fy, camera.cx, camera.cy, {0}};
  TRY (scopedetect_check (params));
  return scopedetect_check_camera (&params->camera, self->width, self->height);
}

static const char *
gst_scopedetect_process (GstVisionAggregator *agg, const Image *colour,
    const Image *depth, GstBuffer *buffer)
{
  GstScopedetect *self = GST_SCOPEDETECT (agg);
  ScopedetectParams params = GST_VISION_LOCKED (self, self->params);
  const char *fault = set_frame_camera (self, buffer, &params);
  ScopedetectFrame frame = {.width = self->width,
      .height = self->height,
      .depth = (const uint16_t *) (const void *) depth->plane[0],
      .depth_stride = depth->stride[0],
      .color = colour};
  GstBuffer *second = gst_vision_aggregator_get_second (agg);
  gboolean may_search;

  if (fault) {
    forget_tracks (agg);
    gst_vision_common_fault (gst_vision_common (agg), fault);
    return NULL;
  }
  may_search = gst_scopedetect_set_regions (self, buffer, second, &frame);
  gst_scopedetect_read_moves (self, second);
  gst_scopedetect_move_tracks (self, &params.camera);
  TRY (gst_scopedetect_find_objects (self, &params, &frame, may_search));
  gst_scopedetect_name_movers (self);
  return gst_scopedetect_attach (self, buffer, second, &params.camera);
}

static gboolean
gst_scopedetect_start (GstAggregator *agg)
{
  GstScopedetect *self = GST_SCOPEDETECT (agg);

  self->last_id = 0;
  self->searches = (GstScopedetectSearches){0};
  self->hints = 0;
  self->last_hint = 0;
  return GST_AGGREGATOR_CLASS (gst_scopedetect_parent_class)->start (agg);
}

static void
gst_scopedetect_finalize (GObject *object)
{
  GstScopedetect *self = GST_SCOPEDETECT (object);

  g_array_unref (self->tracks);
  g_array_unref (self->seen);
  g_array_unref (self->moves.movers);
  g_array_unref (self->moves_before.movers);
  G_OBJECT_CLASS (gst_scopedetect_parent_class)->finalize (object);
}

static void
gst_scopedetect_class_init (GstScopedetectClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstVisionAggregatorClass *agg = GST_VISION_AGGREGATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_scopedetect_finalize;
  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  gst_vision_aggregator_class_add_pads (
      agg, "sink_color", COLOUR_FORMATS, "sink_depth", DEPTH_FORMATS);
  gst_element_class_set_static_metadata (element, "Known objects in RGB-D",
      "Filter/Analyzer/Video",
      "Finds known rigid objects and their poses in depth and colour",
      "The gst-vision authors");

  GST_AGGREGATOR_CLASS (klass)->start = gst_scopedetect_start;
  agg->open = gst_scopedetect_open;
  agg->process = gst_scopedetect_process;
  agg->skip = forget_tracks;
  agg->close = gst_scopedetect_close;
  agg->reset = forget_tracks;
}

static void
gst_scopedetect_init (GstScopedetect *self)
{
  gst_vision_common (self)->less_memory = "fewer models";
  gst_vision_properties_init (self, properties);
  self->tracks = g_array_new (FALSE, FALSE, sizeof (GstScopedetectTrack));
  self->seen = g_array_new (FALSE, FALSE, sizeof (GstScopedetectTrack));
  self->moves.movers = g_array_new (FALSE, FALSE, sizeof (GstScopedetectMover));
  self->moves_before.movers =
      g_array_new (FALSE, FALSE, sizeof (GstScopedetectMover));
}
