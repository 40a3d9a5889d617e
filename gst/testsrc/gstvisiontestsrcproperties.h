/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of `visiontestsrc`: gstvisiontestsrcproperties.c sets and gets
 * them, gstvisiontestsrcinstall.c says what they are. */
#pragma once

#include "testsrc/gstvisiontestsrc.h"

G_BEGIN_DECLS

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
  PROP_VIEW,
  PROP_CONTENTS,
  PROP_BASELINE,
  PROP_DISPARITY_OFFSET,
  PROP_MISALIGNMENT,
  PROP_GAIN,
  PROP_GAMMA,
  PROP_TRUTH_MAPS,
  PROP_CHANNELS,
  PROP_CHANNEL_LAYOUT,
  PROP_MOSAIC_SIDE,
  PROP_CONTRAST,
  PROP_DRIFT,
  PROP_MESHES,
  PROP_MESH_UNIT,
  PROP_SCENE_FRAMES,
  PROP_IS_LIVE,
  PROP_N_THREADS,
  PROP_PALETTE,
};

void gst_vision_test_src_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_vision_test_src_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

/* gstvisiontestsrcclutter.c: what only clutter has; FALSE where it is no such
 * property. */
gboolean gst_vision_test_src_set_clutter (
    GstVisionTestSrc *self, guint id, const GValue *value);
gboolean gst_vision_test_src_get_clutter (
    GstVisionTestSrc *self, guint id, GValue *value);

G_END_DECLS
