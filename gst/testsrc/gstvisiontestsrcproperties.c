/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrcproperties.h"

/* What only stereo has; FALSE where it is no such property. */
static gboolean
set_stereo (GstVisionTestSrc *self, guint id, const GValue *value)
{
  StereoParams *stereo = &self->stereo_params;

  switch (id) {
    case PROP_VIEW:
      self->view = g_value_get_enum (value);
      break;
    case PROP_CONTENTS:
      stereo->contents = g_value_get_enum (value);
      break;
    case PROP_BASELINE:
      stereo->baseline = g_value_get_double (value);
      break;
    case PROP_DISPARITY_OFFSET:
      stereo->disparity_offset = g_value_get_double (value);
      break;
    case PROP_MISALIGNMENT:
      stereo->misalignment = g_value_get_double (value);
      break;
    case PROP_GAIN:
      stereo->gain = g_value_get_double (value);
      break;
    case PROP_GAMMA:
      stereo->gamma = g_value_get_double (value);
      break;
    case PROP_TRUTH_MAPS:
      self->truth_maps = g_value_get_boolean (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

/* What only multispectral has. */
static gboolean
set_multispectral (GstVisionTestSrc *self, guint id, const GValue *value)
{
  MultispectralParams *spectral = &self->multispectral_params;

  switch (id) {
    case PROP_CHANNELS:
      self->channels = g_value_get_int (value);
      break;
    case PROP_CHANNEL_LAYOUT:
      self->layout = g_value_get_enum (value);
      break;
    case PROP_MOSAIC_SIDE:
      self->mosaic_side = g_value_get_int (value);
      break;
    case PROP_CONTRAST:
      spectral->contrast = g_value_get_double (value);
      break;
    case PROP_DRIFT:
      spectral->drift = g_value_get_double (value);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

/* A source that runs would wait for a clock that it has not: it changes when it
 * has stopped. */
static void
set_live (GstVisionTestSrc *self, gboolean live)
{
  GST_OBJECT_LOCK (self);
  self->is_live = live;
  GST_OBJECT_UNLOCK (self);
  if (GST_STATE (self) < GST_STATE_PAUSED)
    gst_base_src_set_live (GST_BASE_SRC (self), live);
}

void
gst_vision_test_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (object);
  ChromaticParams *p = &self->chromatic_params;
  RgbdParams *rgbd = &self->rgbd_params;
  StereoParams *stereo = &self->stereo_params;
  MultispectralParams *spectral = &self->multispectral_params;
  ClutterParams *clutter = &self->clutter_params;

  if (id == PROP_IS_LIVE) {
    set_live (self, g_value_get_boolean (value));
    return;
  }
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_PATTERN:
      self->pattern = g_value_get_enum (value);
      break;
    case PROP_SEED:
      p->seed = rgbd->seed = stereo->seed = spectral->seed = clutter->seed =
          g_value_get_uint64 (value);
      break;
    case PROP_N_OBJECTS:
      p->n_objects = spectral->n_objects = clutter->n_objects =
          g_value_get_int (value);
      break;
    case PROP_SPEED:
      p->speed = rgbd->speed = stereo->speed = spectral->speed =
          clutter->speed = g_value_get_double (value);
      break;
    case PROP_NOISE:
      p->noise = rgbd->noise = stereo->noise = spectral->noise =
          clutter->noise = g_value_get_double (value);
      break;
    case PROP_SHADOWS:
      p->shadows = g_value_get_double (value);
      break;
    case PROP_TEXTURE:
      p->texture = spectral->texture = g_value_get_double (value);
      break;
    case PROP_DISTRACTORS:
      p->distractors = spectral->distractors = g_value_get_int (value);
      break;
    case PROP_TWINS:
      p->twins = g_value_get_int (value);
      break;
    case PROP_OCCLUSION:
      p->occlusion = spectral->occlusion = g_value_get_boolean (value);
      break;
    case PROP_LABEL_MAP:
      self->label_map = g_value_get_boolean (value);
      break;
    case PROP_N_THREADS:
      g_atomic_int_set (&self->backend.n_threads, g_value_get_uint (value));
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
      if (!set_stereo (self, id, value) &&
          !set_multispectral (self, id, value) &&
          !gst_vision_test_src_set_clutter (self, id, value))
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

static gboolean
get_stereo (GstVisionTestSrc *self, guint id, GValue *value)
{
  const StereoParams *stereo = &self->stereo_params;

  switch (id) {
    case PROP_VIEW:
      g_value_set_enum (value, self->view);
      break;
    case PROP_CONTENTS:
      g_value_set_enum (value, stereo->contents);
      break;
    case PROP_BASELINE:
      g_value_set_double (value, stereo->baseline);
      break;
    case PROP_DISPARITY_OFFSET:
      g_value_set_double (value, stereo->disparity_offset);
      break;
    case PROP_MISALIGNMENT:
      g_value_set_double (value, stereo->misalignment);
      break;
    case PROP_GAIN:
      g_value_set_double (value, stereo->gain);
      break;
    case PROP_GAMMA:
      g_value_set_double (value, stereo->gamma);
      break;
    case PROP_TRUTH_MAPS:
      g_value_set_boolean (value, self->truth_maps);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

static gboolean
get_multispectral (GstVisionTestSrc *self, guint id, GValue *value)
{
  const MultispectralParams *spectral = &self->multispectral_params;

  switch (id) {
    case PROP_CHANNELS:
      g_value_set_int (value, self->channels);
      break;
    case PROP_CHANNEL_LAYOUT:
      g_value_set_enum (value, self->layout);
      break;
    case PROP_MOSAIC_SIDE:
      g_value_set_int (value, self->mosaic_side);
      break;
    case PROP_CONTRAST:
      g_value_set_double (value, spectral->contrast);
      break;
    case PROP_DRIFT:
      g_value_set_double (value, spectral->drift);
      break;
    default:
      return FALSE;
  }
  return TRUE;
}

void
gst_vision_test_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (object);
  const ChromaticParams *p = &self->chromatic_params;
  const RgbdParams *rgbd = &self->rgbd_params;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_IS_LIVE:
      g_value_set_boolean (value, self->is_live);
      break;
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
    case PROP_N_THREADS:
      g_value_set_uint (value, g_atomic_int_get (&self->backend.n_threads));
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
      if (!get_stereo (self, id, value) &&
          !get_multispectral (self, id, value) &&
          !gst_vision_test_src_get_clutter (self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}
