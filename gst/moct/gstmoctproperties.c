/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>

#include "moct/gstmoct.h"

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

static GType
register_enum (const gchar *name, const GEnumValue *values)
{
  GType type = g_enum_register_static (name, values);

  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

static GType
method_type (void)
{
  static const GEnumValue values[] = {
      {MOCT_FUSED, "One pass, cost nearly independent of the colours", "fused"},
      {MOCT_PYRAMID, "The paper's multiple parallel reduction", "pyramid"},
      {MOCT_PER_OBJECT, "Mask and pyramid for each colour in turn",
          "per-object"},
      {0, NULL, NULL},
  };

  return register_enum ("GstMoctMethod", values);
}

static GType
layout_type (void)
{
  static const GEnumValue values[] = {
      {MOCT_VERTICAL, "The colours of a cell lie in a column", "vertical"},
      {MOCT_HORIZONTAL, "The colours of a cell lie in a row", "horizontal"},
      {MOCT_SQUARE, "The colours of a cell fill a square", "square"},
      {0, NULL, NULL},
  };

  return register_enum ("GstMoctLayout", values);
}

static GType
trajectory_type (void)
{
  static const GEnumValue values[] = {
      {GST_MOCT_TRAJECTORY_NONE, "No points", "none"},
      {GST_MOCT_TRAJECTORY_LAST, "The newest two points", "last"},
      {GST_MOCT_TRAJECTORY_FULL, "All points of the history", "full"},
      {0, NULL, NULL},
  };

  return register_enum ("GstMoctTrajectory", values);
}

/* "x,y,width,height"; the whole frame where it is empty. */
static gboolean
read_region (const gchar *text, ImageBox *region)
{
  int x, y, w, h, used = 0;

  *region = (ImageBox){0, 0, G_MAXINT16, G_MAXINT16};
  if (!text || !*text)
    return TRUE;
  if (sscanf (text, "%d,%d,%d,%d%n", &x, &y, &w, &h, &used) != 4 ||
      text[used] || x < 0 || y < 0 || w < 1 || h < 1 || x > G_MAXINT16 ||
      y > G_MAXINT16 || w > G_MAXINT16 || h > G_MAXINT16)
    return FALSE;
  *region = (ImageBox){x, y, x + w, y + h};
  return TRUE;
}

static void
set_region (GstMoct *self, const gchar *text)
{
  ImageBox region;

  if (read_region (text, &region)) {
    GST_OBJECT_LOCK (self);
    self->params.region = region;
    GST_OBJECT_UNLOCK (self);
    return;
  }
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("\"%s\" is not a region; it is written x,y,width,height in pixels. The "
       "one before stays.",
          text),
      (NULL));
}

static gchar *
region_text (const ImageBox *r)
{
  return r->x1 == G_MAXINT16 && !r->x0
      ? g_strdup ("")
      : g_strdup_printf (
            "%d,%d,%d,%d", r->x0, r->y0, r->x1 - r->x0, r->y1 - r->y0);
}

static void
set_number (GstMoct *self, guint id, const GValue *value)
{
  MoctParams *p = &self->params;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_METHOD:
      p->method = g_value_get_enum (value);
      break;
    case PROP_LAYOUT:
      p->layout = g_value_get_enum (value);
      break;
    case PROP_REDUCTION_FACTOR:
      p->reduction_factor = g_value_get_int (value);
      break;
    case PROP_EXACT:
      p->exact = g_value_get_boolean (value);
      break;
    case PROP_BLOBS:
      p->blobs = g_value_get_boolean (value);
      break;
    case PROP_MERGE_DISTANCE:
      p->merge_distance = g_value_get_int (value);
      break;
    case PROP_MIN_AREA:
      p->min_area = g_value_get_uint64 (value);
      break;
    case PROP_MAX_AREA:
      p->max_area = g_value_get_uint64 (value);
      break;
    case PROP_MAX_OBJECTS:
      p->max_objects = g_value_get_int (value);
      break;
    case PROP_GATE:
      p->gate = g_value_get_double (value);
      break;
    case PROP_APPEAR_FRAMES:
      p->appear_frames = g_value_get_int (value);
      break;
    case PROP_LOSE_FRAMES:
      p->lose_frames = g_value_get_int (value);
      break;
    case PROP_HISTORY_LENGTH:
      self->history_length = g_value_get_int (value);
      break;
    case PROP_TRAJECTORY:
      self->trajectory = g_value_get_enum (value);
      break;
    case PROP_LABEL_MAP:
      self->label_map = g_value_get_boolean (value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstMoct *self = GST_MOCT (object);

  (void) pspec;
  if (id == PROP_OBJECTS)
    gst_moct_set_objects (self, g_value_get_string (value));
  else if (id == PROP_OBJECTS_FILE)
    gst_moct_set_objects_file (self, g_value_get_string (value));
  else if (id == PROP_REGION)
    set_region (self, g_value_get_string (value));
  else
    set_number (self, id, value);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstMoct *self = GST_MOCT (object);
  const MoctParams *p = &self->params;

  (void) pspec;
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_OBJECTS:
      g_value_set_string (value, self->objects);
      break;
    case PROP_OBJECTS_FILE:
      g_value_set_string (value, self->objects_file);
      break;
    case PROP_REGION:
      g_value_take_string (value, region_text (&p->region));
      break;
    case PROP_METHOD:
      g_value_set_enum (value, p->method);
      break;
    case PROP_LAYOUT:
      g_value_set_enum (value, p->layout);
      break;
    case PROP_REDUCTION_FACTOR:
      g_value_set_int (value, p->reduction_factor);
      break;
    case PROP_EXACT:
      g_value_set_boolean (value, p->exact);
      break;
    case PROP_BLOBS:
      g_value_set_boolean (value, p->blobs);
      break;
    case PROP_MERGE_DISTANCE:
      g_value_set_int (value, p->merge_distance);
      break;
    case PROP_MIN_AREA:
      g_value_set_uint64 (value, p->min_area);
      break;
    case PROP_MAX_AREA:
      g_value_set_uint64 (value, p->max_area);
      break;
    case PROP_MAX_OBJECTS:
      g_value_set_int (value, p->max_objects);
      break;
    case PROP_GATE:
      g_value_set_double (value, p->gate);
      break;
    case PROP_APPEAR_FRAMES:
      g_value_set_int (value, p->appear_frames);
      break;
    case PROP_LOSE_FRAMES:
      g_value_set_int (value, p->lose_frames);
      break;
    case PROP_HISTORY_LENGTH:
      g_value_set_int (value, self->history_length);
      break;
    case PROP_TRAJECTORY:
      g_value_set_enum (value, self->trajectory);
      break;
    case PROP_LABEL_MAP:
      g_value_set_boolean (value, self->label_map);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT | \
     GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)
#define FIXED \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT | \
     GST_PARAM_MUTABLE_READY)

static void
install (GObjectClass *klass, guint id, GParamSpec *spec)
{
  g_object_class_install_property (klass, id, spec);
}

static void
install_colours (GObjectClass *k)
{
  GParamFlags text =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  install (k, PROP_OBJECTS,
      g_param_spec_string ("objects", "Objects",
          "The colours to look for: NAME:SPACE=lo..hi,lo..hi,lo..hi with SPACE "
          "rgb, yuv (0..255), rg (0..1), hsv (0..360, wrapping as 350..10; "
          "0..100) or lab (0..100, -128..127); NAME:#rrggbb~TOL, all within a "
          "colour difference TOL; NAME:roi=x,y,w,h, learned from the next "
          "frame; NAME:roi=meta, learned from an upstream region of interest "
          "of that type; separated by semicolons. A pixel belongs to the first "
          "that holds it",
          NULL, text));
  install (k, PROP_OBJECTS_FILE,
      g_param_spec_string ("objects-file", "Objects file",
          "A file with the text of \"objects\", one or more in a line; lines "
          "that begin with # are comments",
          NULL, text));
  install (k, PROP_EXACT,
      g_param_spec_boolean ("exact", "Exact",
          "Classify every stored colour by itself; otherwise 8 x 8 x 8 of them "
          "that the border of a colour cuts all count as their middle",
          TRUE, LIVE));
}

static void
install_method (GObjectClass *k)
{
  install (k, PROP_METHOD,
      g_param_spec_enum ("method", "Method",
          "How the sums are made; they are the same", method_type (),
          MOCT_FUSED, LIVE));
  install (k, PROP_LAYOUT,
      g_param_spec_enum ("layout", "Layout",
          "Arrangement of a cell, for method=pyramid", layout_type (),
          MOCT_VERTICAL, LIVE));
  install (k, PROP_REDUCTION_FACTOR,
      g_param_spec_int ("reduction-factor", "Reduction factor",
          "Cells that are gathered into one, for method=pyramid", 2, 65536, 40,
          LIVE));
}

static void
install_blobs (GObjectClass *k)
{
  install (k, PROP_BLOBS,
      g_param_spec_boolean ("blobs", "Blobs",
          "Tell several objects of a colour apart (method=fused); otherwise "
          "all pixels of a colour are one object",
          TRUE, LIVE));
  install (k, PROP_MERGE_DISTANCE,
      g_param_spec_int ("merge-distance", "Merge distance",
          "Parts of a colour with at most so many pixels between them are one "
          "object; parts in the same 16 x 16 tile always are",
          0, 64, 4, LIVE));
  install (k, PROP_MIN_AREA,
      g_param_spec_uint64 ("min-area", "Least area",
          "Smaller objects are left out, pixels", 1, G_MAXUINT64, 50, LIVE));
  install (k, PROP_MAX_AREA,
      g_param_spec_uint64 ("max-area", "Greatest area",
          "Larger objects are left out, pixels", 1, G_MAXUINT64, G_MAXUINT64,
          LIVE));
  install (k, PROP_MAX_OBJECTS,
      g_param_spec_int ("max-objects", "Most objects",
          "Of each colour; the largest are kept", 1, MOCT_MAX_OBJECTS, 8,
          LIVE));
  install (k, PROP_REGION,
      g_param_spec_string ("region", "Region",
          "x,y,width,height in pixels: nothing outside counts (empty = the "
          "whole frame)",
          NULL,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT |
              GST_PARAM_MUTABLE_PLAYING));
}

static void
install_tracking (GObjectClass *k)
{
  install (k, PROP_GATE,
      g_param_spec_double ("gate", "Gate",
          "How far from its prediction an object may be found again, in "
          "lengths of its box, beside the prediction's own uncertainty; a "
          "look-alike farther off is another object (0 = anywhere)",
          0, 1000, 1, LIVE));
  install (k, PROP_APPEAR_FRAMES,
      g_param_spec_int ("appear-frames", "Frames to appear",
          "An object is reported when seen in so many frames in a row", 1, 1000,
          1, LIVE));
  install (k, PROP_LOSE_FRAMES,
      g_param_spec_int ("lose-frames", "Frames to lose",
          "An object that is not seen is predicted for so many frames, then "
          "lost",
          0, 10000, 30, LIVE));
  install (k, PROP_HISTORY_LENGTH,
      g_param_spec_int ("history-length", "History length",
          "Frames that the trajectory history in device memory holds", 0, 4096,
          128, FIXED));
  install (k, PROP_TRAJECTORY,
      g_param_spec_enum ("trajectory", "Trajectory",
          "What of the history is given with each object; all of it costs "
          "time, point by point",
          trajectory_type (), GST_MOCT_TRAJECTORY_NONE, LIVE));
  install (k, PROP_LABEL_MAP,
      g_param_spec_boolean ("label-map", "Label map",
          "Attach the map \"labels\": for each pixel 0, or 1 + the number of "
          "its colour in \"objects\"",
          FALSE, FIXED));
}

void
gst_moct_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_colours (klass);
  install_method (klass);
  install_blobs (klass);
  install_tracking (klass);
}
