/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers of emdtrack's properties: gstemdtrackinstall.c describes each to
 * GObject, gstemdtrackproperties.c keeps their values. */
#pragma once

#include "emdtrack/gstemdtrack.h"

G_BEGIN_DECLS

enum {
  PROP_0,
  PROP_TARGETS,
  PROP_TARGET_META,
  PROP_MOSAIC_PATTERN,
  PROP_DISTANCE_FILE,
  PROP_HISTOGRAM,
  PROP_WINDOW,
  PROP_BINS,
  PROP_WHITE,
  PROP_SPECTRUM_MASS,
  PROP_GROUND_DISTANCE,
  PROP_SATURATION,
  PROP_SOLVER,
  PROP_MAX_TREES,
  PROP_CACHE_BITS,
  PROP_CHANNELS,
  PROP_CHANNEL_LAYOUT,
  PROP_SEARCH,
  PROP_SCALES,
  PROP_SCALE_STEP,
  PROP_OCCLUDE,
  PROP_RESUME,
  PROP_LOSE_FRAMES,
  PROP_TEMPLATE_UPDATE,
  PROP_NORMALISE_GAIN,
  PROP_EMD_MAP,
  PROP_OUTPUT,
};

void gst_emdtrack_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_emdtrack_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
