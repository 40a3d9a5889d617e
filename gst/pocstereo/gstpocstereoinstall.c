/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What pocstereo's properties are called, what they may be, and what they do.
 */
#include "base/gstvisionenum.h"
#include "pocstereo/gstpocstereoproperties.h"

static GType
mode_type (void)
{
  static const GEnumValue values[] = {
      {GST_POCSTEREO_DENSE, "Every pixel", "dense"},
      {GST_POCSTEREO_POINTS, "Points, at a cost in proportion to their number",
          "points"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstPocstereoMode", values);
}

static GType
output_type (void)
{
  static const GEnumValue values[] = {
      {GST_POCSTEREO_LEFT, "The left view with maps or lists", "left"},
      {GST_POCSTEREO_DISPARITY, "Disparities in steps that the caps tell",
          "disparity"},
      {GST_POCSTEREO_DEPTH, "Depth in millimetres", "depth"},
      {GST_POCSTEREO_COLORMAP, "Disparities as colours", "colormap"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstPocstereoOutput", values);
}

static GType
weight_type (void)
{
  static const GEnumValue values[] = {
      {GST_POCSTEREO_AUTO, "As suits the mode", "auto"},
      {1 + POCSTEREO_RECTANGLE, "All up to the bandwidth alike", "rectangle"},
      {1 + POCSTEREO_GAUSSIAN, "The lower ones more", "gaussian"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstPocstereoWeight", values);
}

static GType
fit_type (void)
{
  static const GEnumValue values[] = {
      {GST_POCSTEREO_AUTO, "As suits the mode", "auto"},
      {1 + POCSTEREO_CLOSED_FORM,
          "The peak's model, solved for three samples (the paper's)",
          "closed-form"},
      {1 + POCSTEREO_NEWTON, "The maximum of the correlation itself", "newton"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstPocstereoFit", values);
}

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | \
     GST_PARAM_CONTROLLABLE)
#define TEXT \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define FIXED \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

#define install g_object_class_install_property

static void
install_matching (GObjectClass *k, const GstPocstereoSettings *d)
{
  install (k, PROP_WINDOW,
      g_param_spec_int ("window", "Window",
          "Samples of a line that are compared, from 8 on (0 = 32 for points, "
          "16 for every pixel; with 15 and 11 lines, these are the fast ones)",
          0, POCSTEREO_MAX_WINDOW, 0, LIVE));
  install (k, PROP_LINES,
      g_param_spec_int ("lines", "Lines",
          "Lines of the window, an odd number (0 = 15 for points, 11 for every "
          "pixel)",
          0, POCSTEREO_MAX_LINES, 0, LIVE));
  install (k, PROP_BANDWIDTH,
      g_param_spec_int ("bandwidth", "Bandwidth",
          "Frequencies that count, less than half the window (0 = a "
          "quarter of it for points, three eighths for every pixel, at most "
          "31)",
          0, POCSTEREO_MAX_BANDWIDTH, 0, LIVE));
  install (k, PROP_WEIGHT,
      g_param_spec_enum ("weight", "Weight",
          "How frequencies count (auto: rectangle for points, gaussian for "
          "every pixel)",
          weight_type (), GST_POCSTEREO_AUTO, LIVE));
  install (k, PROP_FIT,
      g_param_spec_enum ("fit", "Fit",
          "How the peak is found between samples (auto: closed-form for "
          "points, newton for every pixel)",
          fit_type (), GST_POCSTEREO_AUTO, LIVE));
  install (k, PROP_NOISE_FLOOR,
      g_param_spec_double ("noise-floor", "Noise floor",
          "Frequencies with a lower amplitude than this count for less, in "
          "grey levels of 255; it helps against noise, but the peak then says "
          "less about the match (0 = all alike)",
          0, 255, d->params.noise_floor, LIVE));
}

static void
install_range (GObjectClass *k, const GstPocstereoSettings *d)
{
  install (k, PROP_MIN_DISPARITY,
      g_param_spec_int ("min-disparity", "Least disparity",
          "Pixels by which what is farthest away is further left in the right "
          "view; below 0 for verged cameras",
          -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY,
          d->params.min_disparity, LIVE));
  install (k, PROP_MAX_DISPARITY,
      g_param_spec_int ("max-disparity", "Greatest disparity",
          "Pixels by which what is nearest is further left in the right view",
          -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY,
          d->params.max_disparity, LIVE));
  install (k, PROP_LAYERS,
      g_param_spec_int ("layers", "Layers",
          "Sizes at which the views are searched, each half of the one before "
          "(0 = as many as the range needs)",
          0, POCSTEREO_MAX_LAYERS, d->params.layers, LIVE));
  install (k, PROP_MIN_PEAK,
      g_param_spec_double ("min-peak", "Least peak",
          "Matches with a lower confidence than this are dropped", 0, 1,
          d->params.min_peak, LIVE));
  install (k, PROP_AVERAGE,
      g_param_spec_int ("average", "Average",
          "Frames over which phases are averaged, for scenes and cameras that "
          "stand still (1 = none)",
          1, POCSTEREO_MAX_AVERAGE, d->params.average, LIVE));
}

static void
install_filters (GObjectClass *k, const GstPocstereoSettings *d)
{
  install (k, PROP_CANDIDATES,
      g_param_spec_int ("candidates", "Candidates",
          "In mode dense, how many disparities of the layer above a pixel "
          "tries: 1, its parent's, as in the paper, or 9, those around it too",
          1, 9, d->params.candidates, LIVE));
  install (k, PROP_LEFT_RIGHT,
      g_param_spec_boolean ("left-right", "Left-right check",
          "In mode dense, match the right view too, and drop matches that it "
          "does not confirm",
          d->left_right, LIVE));
  install (k, PROP_MAX_DIFFERENCE,
      g_param_spec_double ("max-difference", "Greatest difference",
          "With left-right: pixels by which the disparities of both views may "
          "differ",
          0, POCSTEREO_MAX_DISPARITY, d->params.max_difference, LIVE));
  install (k, PROP_REVOTE,
      g_param_spec_boolean ("revote", "Vote again",
          "In mode dense, pixels near edges choose again among the disparities "
          "around them",
          d->revote, LIVE));
  install (k, PROP_SLANT,
      g_param_spec_boolean ("slant", "Slanted windows",
          "In mode dense, measure slanted surfaces again with windows that are "
          "slanted like them; needs average=1",
          d->slant, LIVE));
  install (k, PROP_SPECKLE_SIZE,
      g_param_spec_int ("speckle-size", "Size of specks",
          "In mode dense, patches with fewer pixels than this are dropped (0 = "
          "none)",
          0, G_MAXINT, d->params.speckle_size, LIVE));
  install (k, PROP_SPECKLE_STEP,
      g_param_spec_double ("speckle-step", "Step of specks",
          "Neighbours belong to one patch where their disparities differ by at "
          "most this, pixels",
          0, POCSTEREO_MAX_DISPARITY, d->params.speckle_step, LIVE));
}

static void
install_points (GObjectClass *k, const GstPocstereoSettings *d)
{
  install (k, PROP_GRID_SPACING,
      g_param_spec_int ("grid-spacing", "Grid spacing",
          "In mode points, pixels from one point of the grid to the next", 1,
          POCSTEREO_MAX_SIDE, d->grid_spacing, LIVE));
  install (k, PROP_REGIONS_ONLY,
      g_param_spec_boolean ("regions-only", "Regions only",
          "In mode points, measure nothing in a frame without points, roi and "
          "regions of interest; otherwise the whole frame",
          d->regions_only, LIVE));
  install (k, PROP_ROI,
      g_param_spec_string ("roi", "Regions of interest",
          "In mode points, where the grid lies: x,y,width,height;… in pixels "
          "(unset = the regions of interest that come with the left frame, "
          "else "
          "all of it)",
          NULL, TEXT));
  install (k, PROP_POINTS,
      g_param_spec_string ("points", "Points",
          "In mode points, points to use instead of a grid: x,y;x,y;… in "
          "pixels, or the name of a file that holds such a list, on any number "
          "of lines",
          NULL, TEXT));
}

static void
install_space (GObjectClass *k, const GstPocstereoSettings *d)
{
  install (k, PROP_CALIBRATION,
      g_param_spec_string ("calibration", "Calibration",
          "File with the rig, by which frames are rectified: of OpenCV (YAML "
          "or XML), or two with a comma between them: of OpenCV, intrinsics "
          "and extrinsics, or of ROS (camera_info), left and right",
          NULL, TEXT));
  install (k, PROP_CALIBRATION_UNIT,
      g_param_spec_double ("calibration-unit", "Unit of the calibration",
          "Metres that a unit of OpenCV's T is: 0.001 where squares were given "
          "in millimetres",
          1e-9, 1e6, 1, TEXT));
  install (k, PROP_INTRINSICS,
      g_param_spec_string ("intrinsics", "Intrinsics",
          "The rectified left camera: fx,fy,cx,cy in pixels of the view, "
          "without distortion (unset = that of calibration, else the buffer's "
          "VisionCamera)",
          NULL, TEXT));
  install (k, PROP_BASELINE,
      g_param_spec_double ("baseline", "Baseline",
          "With intrinsics, metres from the left to the right camera (0 = that "
          "of the buffer's VisionCamera)",
          0, 1e6, d->baseline, LIVE));
  install (k, PROP_DOFFS,
      g_param_spec_double ("doffs", "Offset of disparities",
          "With intrinsics, pixels by which cx of the rectified right camera "
          "is "
          "greater than the left one's, as Middlebury names it: depth = fx "
          "baseline / (disparity + doffs)",
          -POCSTEREO_MAX_SIDE, POCSTEREO_MAX_SIDE, d->doffs, LIVE));
  install (k, PROP_PLY_LOCATION,
      g_param_spec_string ("ply-location", "Location of PLY",
          "File to which the points in space of each frame are written, the "
          "newest frame's only unless it holds a pattern such as %05d",
          NULL, TEXT));
}

void
gst_pocstereo_install_properties (GObjectClass *klass)
{
  const GstPocstereoSettings *d = &gst_pocstereo_defaults;

  klass->set_property = gst_pocstereo_set_property;
  klass->get_property = gst_pocstereo_get_property;
  install (klass, PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Which pixels of the left view are matched", mode_type (),
          GST_POCSTEREO_DENSE, FIXED));
  install (klass, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "What the output shows",
          output_type (), GST_POCSTEREO_LEFT, FIXED));
  install (klass, PROP_DISPARITY_SCALE,
      g_param_spec_double ("disparity-scale", "Scale of disparities",
          "Of output=disparity: pixels that one step of the value is; what is "
          "beyond 65534 steps is cut off (0 = 1/256, or as fine as the range "
          "allows)",
          0, POCSTEREO_MAX_DISPARITY, d->disparity_scale, LIVE));
  install_matching (klass, d);
  install_range (klass, d);
  install_filters (klass, d);
  install_points (klass, d);
  install_space (klass, d);
}
