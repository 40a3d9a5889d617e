/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The numbers of moct's properties: gstmoctinstall.c describes each to GObject,
 * gstmoctproperties.c keeps their values. */
#pragma once

#include "moct/gstmoct.h"

G_BEGIN_DECLS

enum {
  PROP_0,
  PROP_OBJECTS,
  PROP_OBJECTS_FILE,
  PROP_METHOD,
  PROP_LAYOUT,
  PROP_REDUCTION_FACTOR,
  PROP_EXACT,
  PROP_BLOBS,
  PROP_MERGE_DISTANCE,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_MAX_OBJECTS,
  PROP_REGION,
  PROP_GATE,
  PROP_APPEAR_FRAMES,
  PROP_LOSE_FRAMES,
  PROP_HISTORY_LENGTH,
  PROP_TRAJECTORY,
  PROP_LABEL_MAP,
};

void gst_moct_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void gst_moct_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec);

G_END_DECLS
