/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-kinfumot
 * @title: kinfumot
 * @see_also: gpuccl, visionmap, visionoverlay
 *
 * Reconstructs a static scene, and the rigid objects that move in it, from the
 * depth frames of a moving camera: KinectFusion with moving objects.  Frames
 * are GRAY16_LE and pass unchanged; the results are attached to them.
 *
 * - VisionCamera gets the pose of the camera in the world.  The world is the
 *   camera of the first frame or, with `pose=prior` and `pose=given`, that of
 *   the pose on the first frame.  A lost camera has no pose.
 * - The map `correspondence` says which model explains each pixel, and which
 *   pixels no model explains; the map `depth` is the filtered depth
 *   (#GstKinfumot:maps).  gpuccl takes both.
 * - VisionObjects: the moving objects, each with pose, extent and the number of
 *   its model.
 *
 * gpuccl behind this element detects new objects: its event `VisionNewObject`
 * brings the pixels of an object that moves.  kinfumot makes a model of them,
 * also from the #GstKinfumot:ring frames before, and follows it from then on.
 * Without gpuccl no objects are detected, and the scene is taken to be static.
 *
 * An object that is not seen is occluded for five frames, in which its motion
 * goes on, and then lost.  A new object is first compared with lost ones of
 * similar extent; if one matches, it gets that id.  An object is refused if
 * there are too many, if its surface is too small or too flat, or if it leaves
 * less than a quarter of the view to follow the camera by; a warning says so,
 * and `stats` counts it.
 *
 * The intrinsics of the camera must be known: from #GstKinfumot:intrinsics,
 * #GstKinfumot:calibration, or the VisionCamera of the buffer.  Lens distortion
 * is taken into account, and a lens may zoom.  Depth beyond 8 m is ignored.
 *
 * Of frames without times, the trajectory numbers the frames at the rate of the
 * caps.  If the caps state no rate, their poses are left out, and a warning
 * says so.
 *
 * After a flush the models stay, and the camera is searched for in them.  After
 * other caps the models are gone, and a new world begins.
 *
 * `stats` has, beside the usual fields:
 *
 * - `lost`: whether the camera is lost, 0 or 1;
 * - `residual`: root mean square of the distances of points from the surface of
 *   the background's model, metres;
 * - `matched`: part of the pixels with depth that match;
 * - `weak-directions`: number of directions, of the camera's six, that the
 *   points did not determine;
 * - `bricks`, `max-bricks`: blocks of 2 KiB of #GstKinfumot:max-memory that are
 *   in use, and all;
 * - `late`, `refused`: new objects whose frame was no longer known, and those
 *   that were refused.
 *
 * KinectFusion is covered by patents in some countries; the Meson option
 * `kinfumot` leaves this element out.
 *
 * ## What it is for
 *
 * The pose of a moving depth camera, a model of a room, and models of a few
 * rigid things that move in it, without training and without markers.
 *
 * ## When something else is better
 *
 * - Scenes of one flat wall, or with little in reach of the sensor: depth alone
 *   does not determine the pose of the camera. Use SLAM with colour.
 * - Things that bend, such as people: models here are rigid.
 * - Paths of more than some metres that return to the start: kinfumot closes no
 *   loops, and errors add up.
 * - Live video on a CPU: kinfumot is made for a GPU; see the cost in
 *   [performance](../performance.md#on-a-cpu).
 *
 * ## Troubleshooting
 *
 * - The camera is lost: the warning says what was seen, and what helps. Mostly
 *   it moved too far from frame to frame, or saw nothing near. Move slowly;
 *   `depth-scale` and `intrinsics` must be those of the sensor.
 * - The camera moves along with people or other large bodies: if it stands
 *   still, say so with `pose=still`.
 * - "The models fill their 256 MiB": a room of more than some metres needs more
 *   `max-memory`, or a larger `voxel-size`.
 * - Walls are doubled: the scale or the intrinsics are wrong, or the lens has
 *   distortion and none was given.
 * - No object is found: put #gpuccl behind this element.
 * - Still things, such as a cupboard, become moving objects: the camera moved
 *   fast, or its depth is poor. `max-objects=0` reconstructs the scene alone.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc pattern=rgbd num-buffers=60 ! kinfumot ! gpuccl
 * ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=rgbd ! kinfumot maps=rendered !
 * visionmap kind=rendered ! videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include <math.h>

#include "kinfumot/gstkinfumot.h"

#include "base/gstvisiontell.h"
#include "base/gstvisionproperties.h"

GST_DEBUG_CATEGORY_STATIC (kinfumot_debug);
#define GST_CAT_DEFAULT kinfumot_debug

G_DEFINE_TYPE_WITH_CODE (GstKinfumot, gst_kinfumot, GST_TYPE_VISION_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (kinfumot, "kinfumot", GST_RANK_NONE,
    GST_TYPE_KINFUMOT,
    GST_DEBUG_CATEGORY_INIT (
        kinfumot_debug, "kinfumot", 0, "reconstruction with moving objects"));

enum { SIGNAL_RESET, SIGNAL_SAVE_MESH, N_SIGNALS };

static guint signals[N_SIGNALS];

/* ---- Properties ---- */

CHOICES (maps,
    {GST_KINFUMOT_CORRESPONDENCE, "correspondence",
        "Class and model of each pixel"},
    {GST_KINFUMOT_DEPTH, "depth", "Filtered depth"},
    {GST_KINFUMOT_RENDERED, "rendered", "The models as the camera sees them"},
    {GST_KINFUMOT_NORMALS, "normals", "The normals of the models"});

#define ROWS_OF GstKinfumot
static const GstVisionProperty properties[] = {
    STOPPED (SOME_OF, maps, maps,
        GST_KINFUMOT_CORRESPONDENCE | GST_KINFUMOT_DEPTH,
        "Which maps are attached to each frame"),
    STOPPED (TITLED, "Location of the trajectory", STRING, trajectory_location,
        "File for the poses of the camera, one line for each frame in which it "
        "is not lost: seconds, x y z in metres, and the quaternion x y z w, in "
        "the format of the TUM RGB-D benchmark; the poses of object 3 go to a "
        "file beside it, whose name has -3 before its ending"),
    TITLED ("Location of the mesh", STRING, mesh_location,
        "PLY file for the triangles of the models, coloured by model, which "
        "is written when the stream ends"),
    PROPERTIES (gst_vision_intrinsics_properties, intrinsics),
    PARAMS (kinfumot_params, params), {.params = NULL}};

/* ---- Opening ---- */

static const char *
open_map (GstKinfumot *self, GstVisionPixels *m, GstVisionMap what)
{
  what.element = "kinfumot";
  what.width = self->width;
  what.height = self->height;
  return gst_vision_pixels_open (m, &gst_vision_common (self)->backend, &what);
}

static const char *
open_maps (GstKinfumot *self)
{
  GstVisionMap classes = {.kind = "correspondence",
      .format = "u8",
      .channels = 2,
      .scale = 1,
      .invalid = NAN};
  GstVisionMap depth = {.kind = "depth",
      .format = "u16",
      .channels = 1,
      .scale = 1. / KINFUMOT_UNITS,
      .invalid = 0};
  GstVisionMap rendered = {.kind = "rendered",
      .format = "u8",
      .channels = 3,
      .scale = 1,
      .invalid = NAN};
  GstVisionMap normals = {.kind = "normals",
      .format = "f32",
      .channels = 3,
      .scale = 1,
      .invalid = NAN};
  unsigned wanted = GST_VISION_LOCKED (self, self->maps);

  if (wanted & GST_KINFUMOT_CORRESPONDENCE)
    TRY (open_map (self, &self->classes, classes));
  if (wanted & GST_KINFUMOT_DEPTH)
    TRY (open_map (self, &self->depth, depth));
  if (wanted & GST_KINFUMOT_RENDERED)
    TRY (open_map (self, &self->rendered, rendered));
  if (wanted & GST_KINFUMOT_NORMALS)
    TRY (open_map (self, &self->normals, normals));
  return NULL;
}

static const char *
gst_kinfumot_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstKinfumot *self = GST_KINFUMOT (filter);
  KinfumotParams params = GST_VISION_LOCKED (self, self->params);
  const char *err;

  self->width = GST_VIDEO_INFO_WIDTH (info);
  self->height = GST_VIDEO_INFO_HEIGHT (info);
  self->first_id = self->last_id;
  self->is_lost = FALSE;
  gst_kinfumot_forget_births (self);
  err = kinfumot_new (
      &self->kinfumot, device, &params, self->width, self->height);
  if (err) { /* which goes with the tracker, before it is told */
    g_strlcpy (self->fault, err, sizeof self->fault);
    return self->fault;
  }
  return open_maps (self);
}

static void
gst_kinfumot_close (GstVisionFilter *filter)
{
  GstKinfumot *self = GST_KINFUMOT (filter);
  GstVisionBackend *backend = &gst_vision_common (filter)->backend;

  gst_vision_pixels_close (&self->classes);
  gst_vision_pixels_close (&self->depth);
  gst_vision_pixels_close (&self->rendered);
  gst_vision_pixels_close (&self->normals);
  gst_vision_map_input_close (&self->mask, backend);
  g_clear_pointer (&self->kinfumot, kinfumot_free);
}

static void
gst_kinfumot_reset (GstVisionFilter *filter)
{
  GstKinfumot *self = GST_KINFUMOT (filter);

  gst_kinfumot_forget_births (self);
  kinfumot_relocate (self->kinfumot);
}

static void
gst_kinfumot_wants_reset (GstKinfumot *self)
{
  GST_OBJECT_LOCK (self);
  self->wants_reset = TRUE;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_kinfumot_save_mesh (GstKinfumot *self, const gchar *path)
{
  if (!path || !*path)
    return FALSE;
  GST_OBJECT_LOCK (self);
  g_free (self->wanted_mesh);
  self->wanted_mesh = g_strdup (path);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* ---- Frames ---- */

static void
take_reset (GstKinfumot *self)
{
  gboolean wanted;

  GST_OBJECT_LOCK (self);
  wanted = self->wants_reset;
  self->wants_reset = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (wanted)
    kinfumot_reset (self->kinfumot);
}

static Camera
camera_of (const GstVisionCamera *camera)
{
  Camera c = {camera->fx, camera->fy, camera->cx, camera->cy, {0}};

  memcpy (c.distortion, camera->distortion, sizeof c.distortion);
  return c;
}

/* What of @image cannot be used. */
static const char *
check_frame (const Image *image)
{
  if (image->stride[0] % 2 || (guintptr) image->plane[0] % 2)
    return "the rows of the depth start at odd bytes";
  return image->stride[0] < 2 * image->width ? "its rows overlap" : NULL;
}

static KinfumotFrame
frame_of (const Image *image, GstBuffer *buffer, const GstVisionCamera *camera)
{
  KinfumotFrame f = {(const uint16_t *) image->plane[0], image->stride[0],
      GST_BUFFER_PTS (buffer), camera->has_pose, {{0}, {1, 0, 0, 0}}};

  memcpy (f.pose.t, camera->pose, sizeof f.pose.t);
  memcpy (f.pose.q, camera->pose + 3, sizeof f.pose.q);
  return f;
}

static const char *
run (GstKinfumot *self, const Image *image, GstBuffer *buffer,
    const GstVisionCamera *camera)
{
  KinfumotFrame frame = frame_of (image, buffer, camera);
  KinfumotParams params = GST_VISION_LOCKED (self, self->params);
  KinfumotOutputs outputs;
  KinfumotResults results = {0};

  params.camera = camera_of (camera);
  TRY (gst_kinfumot_births (self));
  TRY (gst_kinfumot_begin_maps (self, &outputs));
  TRY (kinfumot_run (self->kinfumot, &params, &frame, &outputs, &results));
  return gst_kinfumot_attach (self, &results, buffer, camera);
}

static const char *
gst_kinfumot_process (
    GstVisionFilter *filter, const Image *image, GstBuffer *buffer)
{
  GstKinfumot *self = GST_KINFUMOT (filter);
  const char *fault = check_frame (image), *err;
  GstVisionCamera camera;

  if (!fault &&
      !gst_vision_intrinsics_find (&self->intrinsics, GST_ELEMENT (self),
          buffer, self->width, self->height, &camera))
    fault = "the camera is not known; set intrinsics or calibration";
  if (!fault) {
    Camera c = camera_of (&camera);

    fault = kinfumot_check_camera (&c, self->width, self->height);
  }
  if (fault) {
    gst_vision_common_fault (gst_vision_common (filter), fault);
    return NULL;
  }
  take_reset (self);
  err = run (self, image, buffer, &camera);
  gst_kinfumot_drop_maps (self);
  if (!err)
    gst_kinfumot_save_wanted (self);
  return err;
}

/* ---- The element ---- */

static gboolean
gst_kinfumot_src_event (GstBaseTransform *trans, GstEvent *event)
{
  if (gst_kinfumot_take_event (GST_KINFUMOT (trans), event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_kinfumot_parent_class)
      ->src_event (trans, event);
}

static void
gst_kinfumot_end (GstVisionFilter *filter)
{
  gst_kinfumot_save_last (GST_KINFUMOT (filter));
}

static gboolean
open_trajectory (GstKinfumot *self)
{
  gchar *location =
      GST_VISION_LOCKED (self, g_strdup (self->trajectory_location));
  int error;

  if (!location)
    return TRUE;
  error = gst_vision_lines_open (
      &self->trajectory, GST_ELEMENT (self), location, -1);
  if (error)
    GST_VISION_ERROR (self, RESOURCE, OPEN_WRITE,
        ("\"%s\" cannot be written to: %s. Set trajectory-location to a file "
         "in a folder that exists and is yours.",
            location, g_strerror (error)));
  g_free (location);
  return !error;
}

static gboolean
gst_kinfumot_start (GstVisionFilter *filter)
{
  GstKinfumot *self = GST_KINFUMOT (filter);
  const char *wrong;
  KinfumotParams params = GST_VISION_LOCKED (self, self->params);

  self->last_id = 0;
  self->trajectory_failed = self->told_no_times = FALSE;
  self->next_time = 0;
  self->told_lost = self->told_no_pose = self->told_full = 0;
  self->told_refusal = self->told_file = 0;
  GST_OBJECT_LOCK (self);
  self->is_stopping = FALSE;
  GST_OBJECT_UNLOCK (self);
  wrong = kinfumot_check (&params);
  return !gst_vision_common_refused (gst_vision_common (self), wrong) &&
      open_trajectory (self);
}

static void
gst_kinfumot_stop (GstVisionFilter *filter)
{
  gst_kinfumot_close_trajectories (GST_KINFUMOT (filter));
}

/* A reader of a trajectory that has stopped reading must not keep the pipeline
 * from stopping. */
static GstStateChangeReturn
gst_kinfumot_change_state (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_kinfumot_cancel_trajectories (GST_KINFUMOT (element));
  return GST_ELEMENT_CLASS (gst_kinfumot_parent_class)
      ->change_state (element, transition);
}

static void
gst_kinfumot_finalize (GObject *object)
{
  gst_kinfumot_forget_births (GST_KINFUMOT (object));
  g_free (GST_KINFUMOT (object)->wanted_mesh);
  G_OBJECT_CLASS (gst_kinfumot_parent_class)->finalize (object);
}

static void
gst_kinfumot_class_init (GstKinfumotClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  object->finalize = gst_kinfumot_finalize;
  gst_vision_properties_install (object, properties);
  /**
   * GstKinfumot::reset:
   *
   * Forgets all models: the next frame begins a new world.
   */
  signals[SIGNAL_RESET] = g_signal_new_class_handler ("reset",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_kinfumot_wants_reset), NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstKinfumot::save-mesh:
   * @path: of the file
   *
   * Writes the models as triangles, coloured by model, to a PLY file, with the
   * next frame or at the end of the stream.
   *
   * Returns: FALSE where @path is empty.
   */
  signals[SIGNAL_SAVE_MESH] = g_signal_new_class_handler ("save-mesh",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_kinfumot_save_mesh), NULL, NULL, NULL, G_TYPE_BOOLEAN, 1,
      G_TYPE_STRING);

  gst_vision_filter_class_add_pads (filter, "{ GRAY16_LE }");
  gst_element_class_set_static_metadata (element,
      "Reconstruction with moving objects", "Filter/Analyzer/Video",
      "Follows a depth camera, and builds models of the scene and of what "
      "moves "
      "in it",
      "The gst-vision authors");

  element->change_state = gst_kinfumot_change_state;
  trans->src_event = gst_kinfumot_src_event;
  filter->open = gst_kinfumot_open;
  filter->process = gst_kinfumot_process;
  filter->close = gst_kinfumot_close;
  filter->reset = gst_kinfumot_reset;
  filter->start = gst_kinfumot_start;
  filter->end = gst_kinfumot_end;
  filter->stop = gst_kinfumot_stop;
}

static void
gst_kinfumot_init (GstKinfumot *self)
{
  g_queue_init (&self->births);
  gst_vision_common (self)->less_memory = "a smaller max-memory or fewer maps";
  gst_vision_properties_init (self, properties);
}
