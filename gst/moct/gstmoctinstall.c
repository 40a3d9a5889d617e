/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What moct's properties are called, what they may be, and what they do. */
#include "base/gstvisionenum.h"
#include "moct/gstmoctproperties.h"

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

  return gst_vision_enum_register ("GstMoctMethod", values);
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

  return gst_vision_enum_register ("GstMoctLayout", values);
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

  return gst_vision_enum_register ("GstMoctTrajectory", values);
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
          "that holds it. In another list an object stays who it is where the "
          "name of its colour does",
          NULL, text));
  install (k, PROP_OBJECTS_FILE,
      g_param_spec_string ("objects-file", "Objects file",
          "A file with the text of \"objects\", one or more in a line; lines "
          "that begin with # are comments",
          NULL, text));
  install (k, PROP_EXACT,
      g_param_spec_boolean ("exact", "Exact",
          "Classify every stored colour by itself; otherwise, where a cell of "
          "8 x 8 x 8 stored colours lies across the border of a colour, all of "
          "them are classified as its middle",
          TRUE, LIVE));
}

static void
install_method (GObjectClass *k)
{
  install (k, PROP_METHOD,
      g_param_spec_enum ("method", "Method",
          "How the sums are made; all methods find the same sums",
          method_type (), MOCT_FUSED, LIVE));
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
          "Objects with fewer pixels than this are left out", 1, G_MAXUINT64,
          50, LIVE));
  install (k, PROP_MAX_AREA,
      g_param_spec_uint64 ("max-area", "Greatest area",
          "Objects with more pixels than this are left out", 1, G_MAXUINT64,
          G_MAXUINT64, LIVE));
  install (k, PROP_MAX_OBJECTS,
      g_param_spec_int ("max-objects", "Most objects",
          "Of each colour at most so many objects are reported, the largest", 1,
          MOCT_MAX_OBJECTS, 8, LIVE));
  install (k, PROP_REGION,
      g_param_spec_string ("region", "Region",
          "x,y,width,height in pixels: what is outside does not count (empty = "
          "the whole frame)",
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
          "How many frames the history of trajectories in the device's memory "
          "holds",
          0, 4096, 128, FIXED));
  install (k, PROP_TRAJECTORY,
      g_param_spec_enum ("trajectory", "Trajectory",
          "How much of its history each object brings with it; every point "
          "costs time",
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
  klass->set_property = gst_moct_set_property;
  klass->get_property = gst_moct_get_property;
  install_colours (klass);
  install_method (klass);
  install_blobs (klass);
  install_tracking (klass);
}
