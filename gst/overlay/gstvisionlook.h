/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties of visionoverlay. */
#pragma once

#include <gst/gst.h>

#include "common/param.h"

G_BEGIN_DECLS

/* The parts of an object's drawing. */
typedef enum {
  GST_VISION_SHOW_BOX = 1 << 0,
  GST_VISION_SHOW_LABEL = 1 << 1,
  GST_VISION_SHOW_ID = 1 << 2,
  GST_VISION_SHOW_CENTROID = 1 << 3,
  GST_VISION_SHOW_ORIENTATION = 1 << 4,
  GST_VISION_SHOW_TRAIL = 1 << 5,
  GST_VISION_SHOW_SCORE = 1 << 6,
  GST_VISION_SHOW_OUTLINE = 1 << 7,
  GST_VISION_SHOW_POSE = 1 << 8,
  GST_VISION_SHOW_STATE = 1 << 9,
  GST_VISION_SHOW_RATE = 1 << 10,
  GST_VISION_SHOW_LEGEND = 1 << 11,
} GstVisionShow;

/* The meaning of an object's colour. */
typedef enum {
  GST_VISION_COLOR_BY_LABEL,
  GST_VISION_COLOR_BY_ID,
  GST_VISION_COLOR_BY_ELEMENT,
} GstVisionColorBy;

typedef struct {
  guint show;                         /* GstVisionShow */
  guint line_width, font_size;        /* 0: by the frame's size */
  gdouble trail_time;                 /* seconds */
  guint states;                       /* 1 << GstVisionState */
  gchar *elements, *sources, *labels; /* separated by commas; NULL: all */
  bool merge;
  guint color_by;            /* GstVisionColorBy */
  gchar *image, *map;        /* file, kind; NULL: none */
  gdouble opacity;           /* of the map */
  gdouble map_low, map_high; /* of the map, at the ends of the colours */
  bool show_truth;
} GstVisionLook;

extern const Param gst_vision_look_params[];

/* Frees and makes a copy. */
void gst_vision_look_clear (GstVisionLook *copy);
void gst_vision_look_copy (const GstVisionLook *self, GstVisionLook *copy);

G_END_DECLS
