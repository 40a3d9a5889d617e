/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-visiontestsrc
 * @title: visiontestsrc
 * @see_also: moct, visionoverlay, visionjson
 *
 * Synthetic video whose truth is known to the pixel: every buffer carries its
 * objects as VisionTruthObjects, in the form in which vision elements give
 * their results, and with #GstVisionTestSrc:label-map also a map that says
 * which object each pixel belongs to. A frame depends only on the properties
 * and its number, so a frame after a seek is the same as in playing.
 *
 * With pattern=chromatic, shapes of distinct colours move, turn and hide each
 * other on a textured ground, with noise, shadows and patches that look alike;
 * #GstVisionTestSrc:palette names the colours. In the truth, the score is the
 * visible part of an object, and one of which nothing is visible is occluded.
 *
 * With pattern=rgbd, the video is what a hand-held depth camera sees of a
 * furnished room: millimetres in GRAY16_LE, 0 for none. A small
 * robot stands in it and from frame #GstVisionTestSrc:motion-start on drives
 * along #GstVisionTestSrc:path; with #GstVisionTestSrc:robots there are up to
 * four, each on its own way, and with path=axes there is a machine with
 * three axes instead. #GstVisionTestSrc:camera says how the camera moves, and
 * #GstVisionTestSrc:distortion bends the view as a lens does. Frames of
 * 512x424 are those of a Kinect One,
 * all others have the view of a Kinect for Xbox 360, whose noise, steps of
 * depth, blind ranges, shadows and torn edges they show; noise=0 is exact.
 * Every buffer carries the camera with its distortion and pose (VisionCamera,
 * VisionTruthCamera), the robots or axes with their poses (VisionTruthObjects)
 * and, with #GstVisionTestSrc:correspondence-map, what a tracker whose model is
 * the room with the robots at rest says about each pixel (VisionMaps, kind
 * correspondence).
 *
 * With pattern=stereo, the video is what two cameras side by side see of a room
 * with boards, balls and a head. #GstVisionTestSrc:view chooses a camera, and
 * two sources that differ in view alone give a pair; view=side-by-side and
 * view=top-bottom show both views in one frame, and the caps say so
 * (multiview-mode). The cameras are rectified, #GstVisionTestSrc:baseline
 * apart, and have a focal length of 700 pixels where a view is 640x480; what is
 * at depth z has the disparity 700 · baseline / z, plus
 * #GstVisionTestSrc:disparity-offset, and all z are between 0.7 and 3 m.
 * #GstVisionTestSrc:gain, #GstVisionTestSrc:gamma and
 * #GstVisionTestSrc:misalignment make the right view worse. Every buffer
 * carries the camera (VisionCamera), the objects with their poses
 * (VisionTruthObjects) and, with #GstVisionTestSrc:truth-maps, disparity, depth
 * and confidence (VisionTruthMaps): NaN without a surface, and a
 * confidence of 1 where the other camera sees the same point, else 0. In a
 * frame with both views, all maps are of the left one, and have its size.
 *
 * With pattern=multispectral, targets move over a ground of several materials
 * and have exactly its colour and brightness, but other spectra. The frames are
 * grey and hold channels, which are bands of equal width from 400 to 1000 nm.
 * #GstVisionTestSrc:channel-layout says how they lie:
 * #GstVisionTestSrc:channels pictures one below the other, or the mosaic of a
 * raw sensor, whose pixel (x, y) shows channel side · (y mod side) + x mod
 * side. The caps say so in the fields channels, channel-layout, wavelengths
 * (the middles of the bands, nm) and mosaic-pattern ("4x4"). With
 * channel-layout=color the frames show what an eye sees of the same scene: the
 * ground, without visible targets. Where channels are stacked, the truth is in
 * pixels of one channel; of a mosaic, it is in pixels of the frame.
 *
 * With pattern=clutter, things lie on a table as they fell, on and over each
 * other, and a camera sways in front of them; #GstVisionTestSrc:view=color
 * shows their colour, view=depth their depth, in millimetres as with rgbd and
 * by the same sensor. Two sources that differ in view alone give a pair; with
 * #GstVisionTestSrc:camera-offset one of them is another camera, beside it. The
 * things are ten solids (mug, bottle, duck, bracket, drill, house, pan, camera,
 * plane and tee), or those that #GstVisionTestSrc:meshes names, several of a
 * kind if there are more objects than names; after every
 * #GstVisionTestSrc:scene-frames others are dropped. Every buffer carries the
 * camera with its pose to the table (VisionCamera), and as VisionTruthObjects
 * every thing with its pose; its score is its visible part.
 *
 * ## What it is for
 *
 * First steps without a camera, tests, and figures of accuracy: the truth of
 * each frame is known.
 *
 * ## When something else is better
 *
 * - Proof for a sensor, a light and things of one's own: film them. Generated
 *   scenes are simpler than real ones.
 *
 * ## Troubleshooting
 *
 * - Negotiation fails: each pattern has its own format and sizes; leave the caps
 *   out, or put `videoconvert` and `videoscale` behind it.
 * - It is slower than real time: rgbd, stereo and clutter are drawn ray by ray;
 *   a smaller frame, or a recorded file.
 * - Objects cannot be told apart: `n-objects` up to 12 have named colours; a
 *   smaller `noise`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=100 ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc is-live=true n-objects=12 distractors=8 !
 * video/x-raw,width=1280,height=720 ! videoconvert ! autovideosink
 * gst-launch-1.0 visiontestsrc pattern=rgbd path=frontal num-buffers=100 !
 * video/x-raw,width=512,height=424 ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=rgbd robots=4 camera=orbit
 * num-buffers=100 ! gpuccl ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=stereo view=side-by-side ! videoconvert
 * ! autovideosink
 * gst-launch-1.0 visiontestsrc pattern=multispectral channels=4 ! videoconvert
 * ! autovideosink
 * gst-launch-1.0 visiontestsrc pattern=multispectral channel-layout=color !
 * videoconvert ! autovideosink
 * gst-launch-1.0 visiontestsrc pattern=clutter view=color scene-frames=30 !
 * videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "testsrc/gstvisiontestsrc.h"

#include "base/gstvisionproperties.h"
#include "base/gstvisiontell.h"

GST_DEBUG_CATEGORY_STATIC (vision_test_src_debug);
#define GST_CAT_DEFAULT vision_test_src_debug

G_DEFINE_TYPE (GstVisionTestSrc, gst_vision_test_src, GST_TYPE_PUSH_SRC)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (visiontestsrc, "visiontestsrc",
    GST_RANK_NONE, GST_TYPE_VISION_TEST_SRC,
    GST_DEBUG_CATEGORY_INIT (
        vision_test_src_debug, "visiontestsrc", 0, "synthetic scenes"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = (string) { RGBA, BGRA, RGBx, BGRx, "
                     "RGB, BGR, GRAY8, NV12, I420, YUY2, P010_10LE, "
                     "GRAY16_LE }, width = (int) [ 1, 16384 ], "
                     "height = (int) [ 1, 65536 ], "
                     "framerate = " GST_VIDEO_FPS_RANGE));

/* ---- Properties ---- */

CHOICES (patterns,
    {GST_VISION_TEST_SRC_CHROMATIC, "chromatic",
        "Shapes of one colour each that move, turn and hide each other"},
    {GST_VISION_TEST_SRC_RGBD, "rgbd",
        "Depth of a room from a hand-held camera; a robot in it starts to "
        "drive"},
    {GST_VISION_TEST_SRC_STEREO, "stereo",
        "Boards, balls and a head in a room, from two cameras side by side"},
    {GST_VISION_TEST_SRC_MULTISPECTRAL, "multispectral",
        "Targets with the colour of the ground under them and another "
        "spectrum, in up to 16 channels"},
    {GST_VISION_TEST_SRC_CLUTTER, "clutter",
        "Objects that were dropped on a table, in colour and depth"});

CHOICES (views, {GST_VISION_TEST_SRC_LEFT, "left", "The left camera"},
    {GST_VISION_TEST_SRC_RIGHT, "right", "The right camera"},
    {GST_VISION_TEST_SRC_SIDE_BY_SIDE, "side-by-side",
        "Both in one frame, the left one on the left"},
    {GST_VISION_TEST_SRC_TOP_BOTTOM, "top-bottom",
        "Both in one frame, the left one above"},
    {GST_VISION_TEST_SRC_COLOR, "color", "The colour of clutter"},
    {GST_VISION_TEST_SRC_DEPTH, "depth", "The depth of clutter"});

CHOICES (layouts,
    {GST_VISION_TEST_SRC_STACKED, "stacked", "Channels below each other"},
    {GST_VISION_TEST_SRC_MOSAIC, "mosaic", "In the cells of a mosaic sensor"},
    {GST_VISION_TEST_SRC_COLOUR, "color",
        "Red, green and blue as an eye sees them, in place of channels"});

/* Whether a source is live cannot change while it runs: the change takes effect
 * once the source has stopped. */
static void
live_property_changed (GstElement *element, const Param *param)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (element);
  gboolean live = GST_VISION_LOCKED (self, self->is_live);

  (void) param;
  if (GST_STATE (self) < GST_STATE_PAUSED)
    gst_base_src_set_live (GST_BASE_SRC (self), live);
}

static void
read_palette (gpointer owner, GValue *value)
{
  const GstVisionTestSrc *self = owner;
  gint n = self->params.n_objects;
  gsize size = chromatic_objects (n, NULL, 0) + 1;
  gchar *text = g_malloc (size);

  chromatic_objects (n, text, size);
  g_value_take_string (value, text);
}

static GParamSpec *
palette_spec (void)
{
  return g_param_spec_string ("palette", "Palette",
      "The objects' names, colours and tolerances, in the format of moct's "
      "property objects",
      NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

#define ROWS_OF GstVisionTestSrc
static const GstVisionProperty properties[] = {
    STOPPED (ONE_OF, pattern, patterns, GST_VISION_TEST_SRC_CHROMATIC,
        "The kind of scene"),
    PARAMS (scene_params, params), PARAMS (chromatic_params, chromatic_params),
    BY_HAND (SWITCH, label_map, false,
        "Attach the true labels of pixels: a map of kind labels with 1 + the "
        "id of the visible object"),
    PARAMS (rgbd_params, rgbd_params),
    BY_HAND (SWITCH, correspondence_map, true,
        "With rgbd, attach a map of kind correspondence: the class that a "
        "tracker should give each pixel if its model is the room with the "
        "robot at rest"),
    STOPPED (ONE_OF, view, views, GST_VISION_TEST_SRC_LEFT,
        "The camera of stereo, or colour or depth of clutter; in stereo, color "
        "and depth mean left; in clutter, all but depth mean color"),
    PARAMS (stereo_params, stereo_params),
    BY_HAND (SWITCH, truth_maps, true,
        "With stereo, attach the true disparity and depth of each pixel, and "
        "as confidence whether the other camera sees it"),
    STOPPED (ONE_OF, layout, layouts, GST_VISION_TEST_SRC_STACKED,
        "How the channels of multispectral lie in a frame",
        .name = "channel-layout", .kind = "Layout"),
    STOPPED (TITLED, "Side of the mosaic", NUMBER, mosaic_side, 2, 4, 4,
        "Side of the pattern of multispectral's mosaic; its square is the "
        "number of channels"),
    PARAMS (multispectral_params, multispectral_params),
    STOPPED (STRING, meshes,
        "Objects on the table of clutter: PLY or OBJ files with triangles and "
        "names of solids, with commas or semicolons between them (unset = ten "
        "solids)"),
    STOPPED (TITLED, "Unit of the meshes", NUMBER, mesh_unit, 1e-6, 1e3, 1,
        "Metres per unit of the meshes: 0.001 for millimetres"),
    PARAMS (clutter_params, clutter_params),
    FOLLOWED (live_property_changed, STOPPED, TITLED, "Live", SWITCH, is_live,
        false,
        "Send each frame when its time has come, as a camera does and in step "
        "with other live sources of the pipeline"),
    GST_VISION_N_THREADS (backend.n_threads),
    {.spec = palette_spec, .read = read_palette}, {.params = NULL}};

/* ---- Caps ---- */

/* The scene of pattern, view and channel-layout. */
static const GstVisionTestSrcScene *
chosen_scene (GstVisionTestSrc *self)
{
  const GstVisionTestSrcScene *scene = &gst_vision_test_src_chromatic;

  GST_OBJECT_LOCK (self);
  if (self->pattern == GST_VISION_TEST_SRC_RGBD)
    scene = &gst_vision_test_src_rgbd;
  else if (self->pattern == GST_VISION_TEST_SRC_STEREO)
    scene =
        &gst_vision_test_src_stereo[self->view > GST_VISION_TEST_SRC_TOP_BOTTOM
                ? GST_VISION_TEST_SRC_LEFT
                : self->view];
  else if (self->pattern == GST_VISION_TEST_SRC_MULTISPECTRAL)
    scene = &gst_vision_test_src_multispectral[self->layout ==
        GST_VISION_TEST_SRC_COLOUR];
  else if (self->pattern == GST_VISION_TEST_SRC_CLUTTER)
    scene =
        &gst_vision_test_src_clutter[self->view == GST_VISION_TEST_SRC_DEPTH];
  GST_OBJECT_UNLOCK (self);
  return scene;
}

/* All caps that @scene can have with the properties. */
static GstCaps *
caps_of_scene (GstVisionTestSrc *self, const GstVisionTestSrcScene *scene)
{
  GstCaps *caps = gst_caps_from_string (scene->caps);

  if (scene->complete)
    scene->complete (self, caps);
  return caps;
}

static GstCaps *
test_src_get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);
  GstCaps *all = caps_of_scene (self, chosen_scene (self));
  GstCaps *caps = all;

  if (filter) {
    caps = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return caps;
}

/* Fixates the size nearest to 640 x 480: twice as wide or high for two views,
 * as many times as high as channels are stacked, whole cells for a mosaic. */
static void
fixate_frame_size (GstStructure *s)
{
  const gchar *mode = gst_structure_get_string (s, "multiview-mode");
  const gchar *layout = gst_structure_get_string (s, "channel-layout");
  const gchar *pattern = gst_structure_get_string (s, "mosaic-pattern");
  gint width = 640, height = 480, channels;

  if (!g_strcmp0 (mode, "side-by-side"))
    width *= 2;
  if (!g_strcmp0 (mode, "top-bottom"))
    height *= 2;
  if (!g_strcmp0 (layout, "stacked") &&
      gst_structure_get_int (s, "channels", &channels))
    height *= channels;
  if (!g_strcmp0 (pattern, "3x3"))
    width--;
  gst_structure_fixate_field_nearest_int (s, "width", width);
  gst_structure_fixate_field_nearest_int (s, "height", height);
}

static GstCaps *
test_src_fixate (GstBaseSrc *src, GstCaps *caps)
{
  GstStructure *s;

  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  s = gst_caps_get_structure (caps, 0);
  fixate_frame_size (s);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", 30, 1);
  if (gst_structure_has_field (s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (s, "pixel-aspect-ratio", 1, 1);
  if (gst_structure_has_field (s, "interlace-mode"))
    gst_structure_fixate_field_string (s, "interlace-mode", "progressive");
  return GST_BASE_SRC_CLASS (gst_vision_test_src_parent_class)
      ->fixate (src, caps);
}

/* ---- Frames ---- */

static void
close_chosen_scene (GstVisionTestSrc *self)
{
  if (self->scene)
    self->scene->close (self);
  self->scene = NULL;
  gst_vision_input_close (&self->frame, &self->backend);
}

static const char *
open_chosen_scene (
    GstVisionTestSrc *self, GstCaps *caps, const GstVideoInfo *info)
{
  const GstVisionTestSrcScene *scene = chosen_scene (self);
  GstCaps *known = caps_of_scene (self, scene);
  gboolean fits = gst_caps_can_intersect (known, caps);

  gst_caps_unref (known);
  close_chosen_scene (self);
  if (!fits)
    return "the pattern does not come in these caps";
  TRY (gst_vision_backend_open (
      &self->backend, GST_VISION_FRAME_WRITE, FALSE, device_open));
  TRY (gst_vision_input_open (
      &self->frame, &self->backend, info, FALSE, GST_VISION_FRAME_WRITE));
  gst_vision_test_src_take_layout (self, gst_caps_get_structure (caps, 0));
  TRY (scene->open (
      self, GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)));
  self->scene = scene;
  return NULL;
}

static gboolean
test_src_set_caps (GstBaseSrc *src, GstCaps *caps)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);
  const char *err = "the caps are no raw video";
  gchar *memory = NULL;
  GstVideoInfo info;

  gst_vision_test_src_rate_changes (self);
  if (gst_video_info_from_caps (&info, caps))
    err = open_chosen_scene (self, caps, &info);
  if (err && (memory = gst_vision_memory_text (err, NULL)))
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT, ("%s", memory),
        ("%" GST_PTR_FORMAT, caps));
  else if (err)
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("The scene cannot be made: %s. Set other properties, or ask for other "
         "caps.",
            err),
        ("%" GST_PTR_FORMAT, caps));
  g_free (memory);
  return !err;
}

static gboolean
test_src_decide_allocation (GstBaseSrc *src, GstQuery *query)
{
  GstBufferPool *pool = NULL;
  GstStructure *config;
  guint size = 0, min = 0, max = 0;
  gboolean offered = gst_query_get_n_allocation_pools (query) > 0;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (offered)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (!pool)
    pool = gst_video_buffer_pool_new ();
  size = MAX (size, GST_VISION_TEST_SRC (src)->frame.info.size);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, size, min, max);
  if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_set_config (pool, config);
  if (offered)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return GST_BASE_SRC_CLASS (gst_vision_test_src_parent_class)
      ->decide_allocation (src, query);
}

static GstFlowReturn
test_src_alloc (GstBaseSrc *src, guint64 offset, guint size, GstBuffer **buffer)
{
  GstFlowReturn flow = GST_BASE_SRC_CLASS (gst_vision_test_src_parent_class)
                           ->alloc (src, offset, size, buffer);

  if (flow == GST_FLOW_ERROR)
    gst_vision_tell_no_frame (
        GST_ELEMENT (src), GST_VISION_TEST_SRC (src)->frame.info.size, NULL);
  return flow;
}

static const char *
show_frame (GstVisionTestSrc *self, GstBuffer *buffer)
{
  const char *err, *unmapped;
  Image image;

  TRY (gst_vision_input_map (&self->frame, &self->backend, buffer, &image));
  err = self->scene->show (self, &image, buffer);
  unmapped = gst_vision_input_unmap (&self->frame, &self->backend);
  return err ? err : unmapped;
}

static GstFlowReturn
test_src_fill (GstPushSrc *src, GstBuffer *buffer)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);
  const char *err;

  if (gst_vision_test_src_is_over (self))
    return GST_FLOW_EOS;
  gst_vision_test_src_set_times (self, buffer);
  gst_vision_backend_enter (&self->backend);
  err = show_frame (self, buffer);
  gst_vision_backend_leave (&self->backend);
  if (err) {
    GST_ELEMENT_ERROR (self, STREAM, FAILED,
        ("Frame %" G_GUINT64_FORMAT " could not be made: %s.", self->number,
            err),
        (NULL));
    return GST_FLOW_ERROR;
  }
  gst_vision_test_src_next (self);
  return GST_FLOW_OK;
}

static gboolean
test_src_start (GstBaseSrc *src)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);

  gst_video_info_init (&self->frame.info);
  gst_vision_test_src_rewind (self);
  return self->pattern != GST_VISION_TEST_SRC_CLUTTER ||
      gst_vision_test_src_finds_meshes (self);
}

static gboolean
test_src_stop (GstBaseSrc *src)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);

  close_chosen_scene (self);
  gst_vision_backend_close (&self->backend);
  gst_vision_backend_free (&self->backend);
  gst_base_src_set_live (src, GST_VISION_LOCKED (self, self->is_live));
  return TRUE;
}

static void
gst_vision_test_src_class_init (GstVisionTestSrcClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src = GST_BASE_SRC_CLASS (klass);

  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  src->get_caps = test_src_get_caps;
  src->fixate = test_src_fixate;
  gst_vision_test_src_install_times (src);
  src->set_caps = test_src_set_caps;
  src->decide_allocation = test_src_decide_allocation;
  src->alloc = test_src_alloc;
  src->start = test_src_start;
  src->stop = test_src_stop;
  GST_PUSH_SRC_CLASS (klass)->fill = test_src_fill;

  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Vision test source",
      "Source/Video", "Makes synthetic video with exactly known truth",
      "The gst-vision authors");
}

static void
gst_vision_test_src_init (GstVisionTestSrc *self)
{
  gst_vision_properties_init (self, properties);
  gst_vision_meta_watch (GST_ELEMENT (self));
  gst_vision_backend_init (&self->backend, GST_ELEMENT (self));
  self->backend.kind = GST_VISION_BACKEND_CPU;
  gst_video_info_init (&self->frame.info);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
