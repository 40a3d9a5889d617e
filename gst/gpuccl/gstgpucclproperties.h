/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers of gpuccl's properties: gstgpucclinstall.c describes each to
 * GObject, gstgpucclproperties.c keeps their values. */
#pragma once

#include "gpuccl/gstgpuccl.h"

G_BEGIN_DECLS

enum {
  PROP_0,
  PROP_ALGORITHM,
  PROP_DETECTOR,
  PROP_FILTER,
  PROP_CONNECTIVITY,
  PROP_THRESHOLD,
  PROP_SKIP_CHECKS,
  PROP_MAX_DEPTH_STEP,
  PROP_DEPTH_STEP_K,
  PROP_MIN_AREA,
  PROP_MAX_COMPONENTS,
  PROP_MIN_SIZE,
  PROP_MIN_FILL,
  PROP_MIN_EXTENT,
  PROP_FRAMES,
  PROP_MATCH,
  PROP_MATCH_DISTANCE,
  PROP_MATCH_PIXELS,
  PROP_MATCH_RATIO,
  PROP_LABEL_MAP,
  PROP_INTRINSICS, /* and those of GstVisionIntrinsics that follow */
};

void gst_gpuccl_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_gpuccl_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
