/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers of pocstereo's properties: gstpocstereoinstall.c describes each
 * to GObject, gstpocstereoproperties.c keeps their values. */
#pragma once

#include "pocstereo/gstpocstereo.h"

G_BEGIN_DECLS

enum {
  PROP_0,
  PROP_MODE,
  PROP_OUTPUT,
  PROP_WINDOW,
  PROP_LINES,
  PROP_BANDWIDTH,
  PROP_WEIGHT,
  PROP_FIT,
  PROP_NOISE_FLOOR,
  PROP_LAYERS,
  PROP_MIN_DISPARITY,
  PROP_MAX_DISPARITY,
  PROP_MIN_PEAK,
  PROP_AVERAGE,
  PROP_CANDIDATES,
  PROP_LEFT_RIGHT,
  PROP_MAX_DIFFERENCE,
  PROP_REVOTE,
  PROP_SLANT,
  PROP_SPECKLE_SIZE,
  PROP_SPECKLE_STEP,
  PROP_GRID_SPACING,
  PROP_REGIONS_ONLY,
  PROP_DISPARITY_SCALE,
  PROP_BASELINE,
  PROP_DOFFS,
  PROP_CALIBRATION_UNIT,
  PROP_ROI, /* texts from here on */
  PROP_POINTS,
  PROP_CALIBRATION,
  PROP_PLY_LOCATION,
  PROP_INTRINSICS,
};

/* Defaults of what is alike in both modes, and 0 for what the mode says. */
extern const GstPocstereoSettings gst_pocstereo_defaults;

void gst_pocstereo_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_pocstereo_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
