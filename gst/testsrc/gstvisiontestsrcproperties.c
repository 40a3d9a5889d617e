/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

enum {
  PROP_0,
  PROP_PATTERN,
  PROP_SEED,
  PROP_N_OBJECTS,
  PROP_SPEED,
  PROP_NOISE,
  PROP_SHADOWS,
  PROP_TEXTURE,
  PROP_DISTRACTORS,
  PROP_TWINS,
  PROP_OCCLUSION,
  PROP_LABEL_MAP,
  PROP_PATH,
  PROP_MOTION_START,
  PROP_CORRESPONDENCE_MAP,
  PROP_IS_LIVE,
  PROP_PALETTE,
};

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (object);
  ChromaticParams *p = &self->chromatic_params;
  RgbdParams *rgbd = &self->rgbd_params;

  if (id == PROP_IS_LIVE) { /* which takes the lock itself */
    gst_base_src_set_live (GST_BASE_SRC (self), g_value_get_boolean (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_PATTERN:
      self->pattern = g_value_get_enum (value);
      break;
    case PROP_SEED:
      p->seed = rgbd->seed = g_value_get_uint64 (value);
      break;
    case PROP_N_OBJECTS:
      p->n_objects = g_value_get_int (value);
      break;
    case PROP_SPEED:
      p->speed = rgbd->speed = g_value_get_double (value);
      break;
    case PROP_NOISE:
      p->noise = rgbd->noise = g_value_get_double (value);
      break;
    case PROP_SHADOWS:
      p->shadows = g_value_get_double (value);
      break;
    case PROP_TEXTURE:
      p->texture = g_value_get_double (value);
      break;
    case PROP_DISTRACTORS:
      p->distractors = g_value_get_int (value);
      break;
    case PROP_TWINS:
      p->twins = g_value_get_int (value);
      break;
    case PROP_OCCLUSION:
      p->occlusion = g_value_get_boolean (value);
      break;
    case PROP_LABEL_MAP:
      self->label_map = g_value_get_boolean (value);
      break;
    case PROP_PATH:
      rgbd->path = g_value_get_enum (value);
      break;
    case PROP_MOTION_START:
      rgbd->motion_start = g_value_get_uint64 (value);
      break;
    case PROP_CORRESPONDENCE_MAP:
      self->correspondence_map = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static gchar *
palette (int n)
{
  gsize size = chromatic_objects (n, NULL, 0) + 1;
  gchar *text = g_malloc (size);

  chromatic_objects (n, text, size);
  return text;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (object);
  const ChromaticParams *p = &self->chromatic_params;
  const RgbdParams *rgbd = &self->rgbd_params;

  if (id == PROP_IS_LIVE) {
    g_value_set_boolean (value, gst_base_src_is_live (GST_BASE_SRC (self)));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_PATTERN:
      g_value_set_enum (value, self->pattern);
      break;
    case PROP_SEED:
      g_value_set_uint64 (value, p->seed);
      break;
    case PROP_N_OBJECTS:
      g_value_set_int (value, p->n_objects);
      break;
    case PROP_SPEED:
      g_value_set_double (value, p->speed);
      break;
    case PROP_NOISE:
      g_value_set_double (value, p->noise);
      break;
    case PROP_SHADOWS:
      g_value_set_double (value, p->shadows);
      break;
    case PROP_TEXTURE:
      g_value_set_double (value, p->texture);
      break;
    case PROP_DISTRACTORS:
      g_value_set_int (value, p->distractors);
      break;
    case PROP_TWINS:
      g_value_set_int (value, p->twins);
      break;
    case PROP_OCCLUSION:
      g_value_set_boolean (value, p->occlusion);
      break;
    case PROP_LABEL_MAP:
      g_value_set_boolean (value, self->label_map);
      break;
    case PROP_PATH:
      g_value_set_enum (value, rgbd->path);
      break;
    case PROP_MOTION_START:
      g_value_set_uint64 (value, rgbd->motion_start);
      break;
    case PROP_CORRESPONDENCE_MAP:
      g_value_set_boolean (value, self->correspondence_map);
      break;
    case PROP_PALETTE:
      g_value_take_string (value, palette (p->n_objects));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

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
          "Objects, each of its own colour. Up to 12 have named colours; many "
          "more are hard to tell apart unless noise and shadows are low",
          1, CHROMATIC_MAX_OBJECTS, d->n_objects, LIVE));
  install (k, PROP_SPEED,
      g_param_spec_double ("speed", "Speed",
          "How fast objects move, 1 = across the frame in some 200 frames; the "
          "robot of rgbd, 8 mm or 1.2 degrees a frame. Another speed also puts "
          "them elsewhere",
          0, 8, d->speed, LIVE));
  install (k, PROP_OCCLUSION,
      g_param_spec_boolean ("occlusion", "Occlusion",
          "Objects pass over each other and behind a pillar; otherwise nothing "
          "ever touches them",
          d->occlusion, LIVE));
  install (k, PROP_DISTRACTORS,
      g_param_spec_int ("distractors", "Distractors",
          "Small patches that come and go, of colours just beyond the "
          "tolerance of an object's",
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
          "in "
          "eighths of a step of depth, and 0 is exact depth",
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

void
gst_vision_test_src_install_properties (GObjectClass *klass)
{
  static const ChromaticParams defaults = CHROMATIC_DEFAULTS;
  static const RgbdParams rgbd_defaults = RGBD_DEFAULTS;

  klass->set_property = set_property;
  klass->get_property = get_property;
  install_scene (klass, &defaults);
  install_picture (klass, &defaults);
  install_rgbd (klass, &rgbd_defaults);
  install (klass, PROP_LABEL_MAP,
      g_param_spec_boolean ("label-map", "Label map",
          "Attach the truth of each pixel: a map of kind labels with the id of "
          "the object that is seen there, plus 1",
          FALSE, LIVE));
  install (klass, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "Live",
          "Give each frame when its time has come, as a camera does", FALSE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
              GST_PARAM_MUTABLE_READY));
  install (klass, PROP_PALETTE,
      g_param_spec_string ("palette", "Palette",
          "The objects' names, colours and tolerances, as moct takes them in "
          "its property objects",
          NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}
