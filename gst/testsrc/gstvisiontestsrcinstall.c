/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the properties are called, what they may be, and what they do. */
#include "testsrc/gstvisiontestsrcproperties.h"

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

static void
install (GObjectClass *klass, guint id, GParamSpec *spec)
{
  g_object_class_install_property (klass, id, spec);
}

static void
install_scene (GObjectClass *k, const ChromaticParams *d)
{
  install (k, PROP_PATTERN,
      g_param_spec_enum ("pattern", "Pattern", "The kind of scene",
          gst_vision_test_src_pattern_type (), GST_VISION_TEST_SRC_CHROMATIC,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));
  install (k, PROP_SEED,
      g_param_spec_uint64 ("seed", "Seed",
          "Another seed is another scene; the same seed shows the same frames",
          0, G_MAXUINT64, d->seed, LIVE));
  install (k, PROP_N_OBJECTS,
      g_param_spec_int ("n-objects", "Number of objects",
          "Objects, each of its own colour; in multispectral, each of its own "
          "spectrum; in clutter, up to 32. Up to 12 have named colours; many "
          "more are hard to tell apart unless noise and shadows are low",
          1, CHROMATIC_MAX_OBJECTS, d->n_objects, LIVE));
  install (k, PROP_SPEED,
      g_param_spec_double ("speed", "Speed",
          "How fast objects move, 1 = across the frame in some 200 frames; the "
          "robot of rgbd, 8 mm or 1.2 degrees a frame; in stereo, to and fro "
          "within some 120 frames, as the camera of clutter within 200. "
          "Another speed also puts them elsewhere",
          0, 8, d->speed, LIVE));
  install (k, PROP_OCCLUSION,
      g_param_spec_boolean ("occlusion", "Occlusion",
          "Objects pass over each other and behind a pillar; otherwise nothing "
          "ever touches them",
          d->occlusion, LIVE));
  install (k, PROP_DISTRACTORS,
      g_param_spec_int ("distractors", "Distractors",
          "Small patches that come and go, of colours just beyond the "
          "tolerance of an object's; in multispectral, of paint, and every "
          "second one of the ground's colour and another spectrum",
          0, CHROMATIC_MAX_PATCHES, d->distractors, LIVE));
  install (k, PROP_TWINS,
      g_param_spec_int ("twins", "Twins",
          "Small patches that come and go, of exactly an object's colour, far "
          "away from it",
          0, CHROMATIC_MAX_PATCHES, d->twins, LIVE));
}

static void
install_picture (GObjectClass *k, const ChromaticParams *d)
{
  GParamFlags live = LIVE | GST_PARAM_CONTROLLABLE;

  install (k, PROP_NOISE,
      g_param_spec_double ("noise", "Noise",
          "Standard deviation of the sensor's noise in grey levels; in rgbd, "
          "in eighths of a step of depth, and 0 is exact depth; in clutter "
          "both",
          0, 64, d->noise, live));
  install (k, PROP_SHADOWS,
      g_param_spec_double ("shadows", "Shadows",
          "Part of the light that shadows take from objects; the palette's "
          "tolerances hold up to the default",
          0, .5, d->shadows, live));
  install (k, PROP_TEXTURE,
      g_param_spec_double ("texture", "Texture", "Contrast of the ground", 0, 1,
          d->texture, live));
}

static void
install_rgbd (GObjectClass *k, const RgbdParams *d)
{
  install (k, PROP_PATH,
      g_param_spec_enum ("path", "Path", "Where the robot of rgbd drives to",
          gst_vision_test_src_path_type (), d->path, LIVE));
  install (k, PROP_MOTION_START,
      g_param_spec_uint64 ("motion-start", "Start of motion",
          "The frame at which the robot of rgbd starts to move", 0, G_MAXUINT64,
          d->motion_start, LIVE));
  install (k, PROP_CORRESPONDENCE_MAP,
      g_param_spec_boolean ("correspondence-map", "Correspondence map",
          "With rgbd, attach a map of kind correspondence: what a tracker says "
          "about each pixel whose model is the room, with the robot at rest",
          TRUE, LIVE));
}

static void
install_rig (GObjectClass *k, const StereoParams *d)
{
  install (k, PROP_VIEW,
      g_param_spec_enum ("view", "View",
          "Which camera of stereo is shown, or whether clutter is in colour "
          "or depth; left and color where there is no such view",
          gst_vision_test_src_view_type (), GST_VISION_TEST_SRC_LEFT,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));
  install (k, PROP_CONTENTS,
      g_param_spec_enum ("contents", "Contents", "What stereo shows",
          gst_vision_test_src_contents_type (), d->contents, LIVE));
  install (k, PROP_BASELINE,
      g_param_spec_double ("baseline", "Baseline",
          "Metres from the left to the right camera of stereo; 0.06 makes "
          "disparities of 14 to 60 pixels in a view of 640 x 480",
          .001, 1, d->baseline, LIVE | GST_PARAM_CONTROLLABLE));
  install (k, PROP_DISPARITY_OFFSET,
      g_param_spec_double ("disparity-offset", "Disparity offset",
          "Pixels that are added to all disparities of stereo: negative where "
          "the cameras look towards each other",
          -STEREO_MAX_SIZE, STEREO_MAX_SIZE, d->disparity_offset,
          LIVE | GST_PARAM_CONTROLLABLE));
  install (k, PROP_MISALIGNMENT,
      g_param_spec_double ("misalignment", "Misalignment",
          "Rows by which all is further down in the right view of stereo", -64,
          64, d->misalignment, LIVE | GST_PARAM_CONTROLLABLE));
}

static void
install_sensor (GObjectClass *k, const StereoParams *d)
{
  install (k, PROP_GAIN,
      g_param_spec_double ("gain", "Gain",
          "Light in the right view of stereo, times that in the left one", .1,
          4, d->gain, LIVE | GST_PARAM_CONTROLLABLE));
  install (k, PROP_GAMMA,
      g_param_spec_double ("gamma", "Gamma",
          "Grey levels of the right view of stereo, from 0 to 1, are taken to "
          "this power before the gain",
          .2, 5, d->gamma, LIVE | GST_PARAM_CONTROLLABLE));
  install (k, PROP_TRUTH_MAPS,
      g_param_spec_boolean ("truth-maps", "Truth maps",
          "With stereo, attach the true disparity and depth of each pixel, and "
          "as confidence whether the other camera sees it, too",
          TRUE, LIVE));
}

static void
install_channels (GObjectClass *k, const MultispectralParams *d)
{
  GParamFlags stopped =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  install (k, PROP_CHANNELS,
      g_param_spec_int ("channels", "Channels",
          "Channels of multispectral where they are stacked, bands of equal "
          "width from 400 to 1000 nm",
          2, MULTISPECTRAL_MAX_CHANNELS, d->channels, stopped));
  install (k, PROP_CHANNEL_LAYOUT,
      g_param_spec_enum ("channel-layout", "Channel layout",
          "How the channels of multispectral lie in a frame",
          gst_vision_test_src_layout_type (), GST_VISION_TEST_SRC_STACKED,
          stopped));
  install (k, PROP_MOSAIC_SIDE,
      g_param_spec_int ("mosaic-side", "Side of the mosaic",
          "Side of the pattern of multispectral's mosaic; its square is the "
          "number of channels",
          2, 4, 4, stopped));
  install (k, PROP_CONTRAST,
      g_param_spec_double ("contrast", "Contrast",
          "How far the spectrum of a target of multispectral is from the "
          "ground's, as part of what reflectances of 0 to 1 allow",
          0, 1, d->contrast, LIVE | GST_PARAM_CONTROLLABLE));
  install (k, PROP_DRIFT,
      g_param_spec_double ("drift", "Drift",
          "Part of the light on multispectral that goes and comes within 300 "
          "frames",
          0, .5, d->drift, LIVE | GST_PARAM_CONTROLLABLE));
}

static void
install_clutter (GObjectClass *k)
{
  GParamFlags stopped =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  install (k, PROP_MESHES,
      g_param_spec_string ("meshes", "Meshes",
          "PLY or OBJ files with triangles, with commas or semicolons between "
          "them, of what lies on the table of clutter; without any, ten solids",
          NULL, stopped));
  install (k, PROP_MESH_UNIT,
      g_param_spec_double ("mesh-unit", "Unit of the meshes",
          "Metres: 0.001 where the meshes are in millimetres", 1e-6, 1e3, 1,
          stopped));
  install (k, PROP_SCENE_FRAMES,
      g_param_spec_uint64 ("scene-frames", "Frames of a scene",
          "After so many frames other things are dropped on the table of "
          "clutter; 0: never",
          0, G_MAXUINT64, 0, LIVE));
}

void
gst_vision_test_src_install_properties (GObjectClass *klass)
{
  static const ChromaticParams defaults = CHROMATIC_DEFAULTS;
  static const RgbdParams rgbd_defaults = RGBD_DEFAULTS;
  static const StereoParams stereo_defaults = STEREO_DEFAULTS;
  static const MultispectralParams multispectral_defaults =
      MULTISPECTRAL_DEFAULTS;

  klass->set_property = gst_vision_test_src_set_property;
  klass->get_property = gst_vision_test_src_get_property;
  install_scene (klass, &defaults);
  install_picture (klass, &defaults);
  install_rgbd (klass, &rgbd_defaults);
  install_rig (klass, &stereo_defaults);
  install_sensor (klass, &stereo_defaults);
  install_channels (klass, &multispectral_defaults);
  install_clutter (klass);
  install (klass, PROP_LABEL_MAP,
      g_param_spec_boolean ("label-map", "Label map",
          "Attach the truth of each pixel: a map of kind labels with the id of "
          "the object that is seen there, plus 1",
          FALSE, LIVE));
  install (klass, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "Live",
          "Give each frame when its time has come, as a camera does: in step "
          "with "
          "all other such sources of the pipeline, from the frame on that is "
          "next",
          FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));
  install (klass, PROP_N_THREADS, gst_vision_backend_n_threads ());
  install (klass, PROP_PALETTE,
      g_param_spec_string ("palette", "Palette",
          "The objects' names, colours and tolerances, as moct takes them in "
          "its property objects",
          NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
