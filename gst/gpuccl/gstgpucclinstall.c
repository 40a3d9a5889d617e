/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gpuccl's properties are called, what they may be, and what they do. */
#include "base/gstvisionenum.h"
#include "gpuccl/gstgpucclproperties.h"

static GType
algorithm_type (void)
{
  static const GEnumValue values[] = {
      {GPUCCL_RUN, "Runs of pixels, joined once", "run"},
      {GPUCCL_LABEL_EQUIVALENCE,
          "Passes over the frame until labels agree, with a list of references",
          "label-equivalence"},
      {GPUCCL_IMPROVED_LABEL_EQUIVALENCE, "The same without the list",
          "improved-label-equivalence"},
      {GPUCCL_HIERARCHICAL, "Tiles that are merged to larger ones",
          "hierarchical"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstGpucclAlgorithm", values);
}

static GType
detector_type (void)
{
  static const GEnumValue values[] = {
      {GPUCCL_COMPONENTS, "Connected components that meet the criteria",
          "components"},
      {GPUCCL_WINDOW,
          "Windows of 51 x 51 pixels full of outliers, grown by "
          "19 x 19; all of them are one object",
          "window"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstGpucclDetector", values);
}

static GType
filter_type (void)
{
  static const GEnumValue values[] = {
      {GPUCCL_NO_FILTER, "Depth as it is", "none"},
      {GPUCCL_BILATERAL, "Smoothed within surfaces", "bilateral"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstGpucclFilter", values);
}

static GType
match_type (void)
{
  static const GEnumValue values[] = {
      {GPUCCL_MATCH_AUTO,
          "In space where depth and camera are known, else in "
          "the image",
          "auto"},
      {GPUCCL_MATCH_NONE, "Any candidate follows on any", "none"},
      {GPUCCL_MATCH_IMAGE, "By position, area and shape in the image", "image"},
      {GPUCCL_MATCH_SPACE, "By position, area and shape in metres", "space"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstGpucclMatch", values);
}

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | \
     GST_PARAM_CONTROLLABLE)
#define FIXED \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT | \
     GST_PARAM_MUTABLE_READY)

#define install g_object_class_install_property

static const GpucclParams defaults = GPUCCL_DEFAULTS;

static void
install_labelling (GObjectClass *k)
{
  install (k, PROP_ALGORITHM,
      g_param_spec_enum ("algorithm", "Algorithm",
          "How components are found; all algorithms find the same",
          algorithm_type (), defaults.algorithm, LIVE));
  install (k, PROP_DETECTOR,
      g_param_spec_enum ("detector", "Detector", "What becomes an object",
          detector_type (), defaults.detector, LIVE));
  install (k, PROP_CONNECTIVITY,
      g_param_spec_int ("connectivity", "Connectivity",
          "How many neighbours a pixel has: 4 or 8", 4, 8,
          defaults.connectivity, LIVE));
  install (k, PROP_THRESHOLD,
      g_param_spec_int ("threshold", "Threshold",
          "What is at least this bright belongs to the mask", 1, 255,
          defaults.threshold, LIVE));
  install (k, PROP_SKIP_CHECKS,
      g_param_spec_int ("skip-checks", "Skip checks",
          "For the two label equivalences: so many first passes are not "
          "followed by a check whether labels agree already",
          0, 2, defaults.skip_checks, LIVE));
}

static void
install_depth (GObjectClass *k)
{
  install (k, PROP_FILTER,
      g_param_spec_enum ("filter", "Filter",
          "How depth is smoothed first: the noise of a sensor cuts unfiltered "
          "surfaces into pieces",
          filter_type (), defaults.filter, LIVE));
  install (k, PROP_MAX_DEPTH_STEP,
      g_param_spec_double ("max-depth-step", "Greatest step of depth",
          "Neighbours are connected where their depths differ by less than "
          "this, metres (0 = always)",
          0, G_MAXDOUBLE, defaults.max_depth_step, LIVE));
  install (k, PROP_DEPTH_STEP_K,
      g_param_spec_double ("depth-step-k", "Growth of that step",
          "At depth z that limit is k z^2 where this is more, 1/m; 0.0035 "
          "suits a Kinect for Xbox 360",
          0, G_MAXDOUBLE, defaults.depth_step_k, LIVE));
}

static void
install_criteria (GObjectClass *k)
{
  install (k, PROP_MIN_AREA,
      g_param_spec_uint ("min-area", "Least area",
          "Components with fewer pixels than this are not reported", 0,
          G_MAXUINT, defaults.min_area, LIVE));
  install (k, PROP_MAX_COMPONENTS,
      g_param_spec_int ("max-components", "Most components",
          "Of more components than this the largest are reported", 1,
          GPUCCL_MAX_COMPONENTS, defaults.max_components, LIVE));
  install (k, PROP_MIN_SIZE,
      g_param_spec_uint ("min-size", "Least size",
          "An object has more pixels than this; the default suits 640 x 480", 0,
          G_MAXUINT, defaults.min_size, LIVE));
  install (k, PROP_MIN_FILL,
      g_param_spec_double ("min-fill", "Least filling",
          "An object fills a larger part than this of the rows and columns "
          "that it touches",
          0, G_MAXDOUBLE, defaults.min_fill, LIVE));
  install (k, PROP_MIN_EXTENT,
      g_param_spec_double ("min-extent", "Least extent",
          "The mean width and the mean height of an object are at least this, "
          "pixels",
          0, G_MAXDOUBLE, defaults.min_extent, LIVE));
}

static void
install_matching (GObjectClass *k)
{
  install (k, PROP_FRAMES,
      g_param_spec_int ("frames", "Frames",
          "An object is accepted once it was there in so many frames in a row",
          1, G_MAXINT, defaults.frames, LIVE));
  install (k, PROP_MATCH,
      g_param_spec_enum ("match", "Match",
          "How an object is known again in the next frame", match_type (),
          defaults.match, LIVE));
  install (k, PROP_MATCH_DISTANCE,
      g_param_spec_double ("match-distance", "Greatest motion in space",
          "An object that is matched in space moves by at most this from one "
          "frame to the next, metres",
          1e-6, G_MAXDOUBLE, defaults.match_distance, LIVE));
  install (k, PROP_MATCH_PIXELS,
      g_param_spec_double ("match-pixels", "Greatest motion in the image",
          "An object that is matched in the image moves by at most this from "
          "one frame to the next, pixels",
          1e-3, G_MAXDOUBLE, defaults.match_pixels, LIVE));
  install (k, PROP_MATCH_RATIO,
      g_param_spec_double ("match-ratio", "Greatest ratio of areas",
          "The area, the mean width and the mean height of an object change by "
          "at most this factor from one frame to the next",
          1, G_MAXDOUBLE, defaults.match_ratio, LIVE));
}

void
gst_gpuccl_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_gpuccl_set_property;
  klass->get_property = gst_gpuccl_get_property;
  install_labelling (klass);
  install_depth (klass);
  install_criteria (klass);
  install_matching (klass);
  install (klass, PROP_LABEL_MAP,
      g_param_spec_boolean ("label-map", "Label map",
          "Attach the map \"labels\": for each pixel 0, or the number of its "
          "component",
          TRUE, FIXED));
  gst_vision_intrinsics_install_properties (klass, PROP_INTRINSICS);
}
