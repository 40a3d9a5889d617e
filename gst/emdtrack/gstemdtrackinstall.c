/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What emdtrack's properties are called, what they may be, and what they do. */
#include "base/gstvisionenum.h"
#include "emdtrack/gstemdtrackproperties.h"

static GType
histogram_type (void)
{
  static const GEnumValue values[] = {
      {EMDTRACK_INTENSITY, "Grey values of the window around a pixel",
          "intensity"},
      {EMDTRACK_CHANNELS, "A pixel's own spectrum, a bin a channel",
          "channels"},
      {EMDTRACK_CODEBOOK,
          "Kinds of colours or spectra in the window around a pixel, learned "
          "around the targets",
          "codebook"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstEmdtrackHistogram", values);
}

static GType
distance_type (void)
{
  static const GEnumValue values[] = {
      {GST_EMDTRACK_DISTANCE_AUTO, "Euclidean for a codebook, else a line",
          "auto"},
      {GST_EMDTRACK_DISTANCE_LINE,
          "Bins lie on a line, 1 apart, or at the wavelengths of the caps",
          "line"},
      {GST_EMDTRACK_DISTANCE_CIRCLE,
          "The same on a circle, the shorter way round", "circle"},
      {GST_EMDTRACK_DISTANCE_EUCLIDEAN,
          "Between the entries of the codebook: Delta E of colours, or of "
          "spectra that add up to 255",
          "euclidean"},
      {GST_EMDTRACK_DISTANCE_FILE, "As distance-file says", "file"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstEmdtrackDistance", values);
}

static GType
solver_type (void)
{
  static const GEnumValue values[] = {
      {EMDTRACK_AUTO,
          "A closed form where the distance is a line, a circle or a tree, "
          "else reuse",
          "auto"},
      {EMDTRACK_REUSE, "Spanning trees of earlier optima are tried first",
          "reuse"},
      {EMDTRACK_PAPER, "The paper's cache, grouping and simplex", "paper"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstEmdtrackSolver", values);
}

static GType
layout_type (void)
{
  static const GEnumValue values[] = {
      {GST_EMDTRACK_LAYOUT_CAPS, "As the caps say, else a frame is one channel",
          "caps"},
      {GST_EMDTRACK_LAYOUT_MOSAIC, "Tiles of a pixel a channel", "mosaic"},
      {GST_EMDTRACK_LAYOUT_STACKED, "One channel below the other", "stacked"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstEmdtrackLayout", values);
}

static GType
output_type (void)
{
  static const GEnumValue values[] = {
      {GST_EMDTRACK_OUTPUT_VIDEO, "The frames as they came", "video"},
      {GST_EMDTRACK_OUTPUT_MAP,
          "The map of the first target in GRAY16_LE, black where it is alike, "
          "white at the greatest ground distance, and where there is no target",
          "map"},
      {0, NULL, NULL},
  };

  return gst_vision_enum_register ("GstEmdtrackOutput", values);
}

#define TEXT \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define LIVE (TEXT | GST_PARAM_CONTROLLABLE)
#define FIXED \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

#define install g_object_class_install_property

static const EmdtrackParams defaults = EMDTRACK_DEFAULTS;
static const EmdtrackTrackParams track_defaults = EMDTRACK_TRACK_DEFAULTS;

static void
install_targets (GObjectClass *k)
{
  install (k, PROP_TARGETS,
      g_param_spec_string ("targets", "Targets",
          "What is followed, up to 8, separated by semicolons: "
          "NAME:x,y,width,height is a box of the next frame, in pixels (of one "
          "channel where channels are stacked); NAME:file=PATH or "
          "NAME:width,height,file=PATH is what a picture or histogram shows. "
          "NAME: may be left out. Setting it replaces all targets",
          NULL, TEXT));
  install (k, PROP_TARGET_META,
      g_param_spec_string ("target-meta", "Target meta",
          "Upstream regions of interest of this type become targets too: those "
          "of the next frame that has any, once each time this is set",
          NULL, TEXT));
}

static void
install_histograms (GObjectClass *k)
{
  install (k, PROP_HISTOGRAM,
      g_param_spec_enum ("histogram", "Histogram",
          "What is counted in a histogram", histogram_type (),
          EMDTRACK_CODEBOOK, FIXED));
  install (k, PROP_WINDOW,
      g_param_spec_int ("window", "Window",
          "Side of the window around each pixel whose histogram the map "
          "compares, odd",
          1, EMDTRACK_MAX_WINDOW, defaults.window, LIVE));
  install (k, PROP_BINS,
      g_param_spec_int ("bins", "Bins",
          "Number of bins, for histogram=intensity and codebook; with channels "
          "each channel is a bin",
          2, EMDTRACK_BINS, defaults.bins, FIXED));
  install (k, PROP_WHITE,
      g_param_spec_int ("white", "White",
          "The brightest grey value, for histogram=intensity (0 = what the "
          "format can hold); 4095 for 12 bits in GRAY16_LE",
          0, 65535, defaults.white, FIXED));
  install (k, PROP_SPECTRUM_MASS,
      g_param_spec_int ("spectrum-mass", "Mass of a spectrum",
          "What the channels of a pixel are scaled to add up to, for "
          "histogram=channels",
          16, EMDTRACK_MAX_MASS, defaults.spectrum_mass, FIXED));
}

static void
install_distances (GObjectClass *k)
{
  install (k, PROP_GROUND_DISTANCE,
      g_param_spec_enum ("ground-distance", "Ground distance",
          "The distance that mass moves from one bin to another",
          distance_type (), GST_EMDTRACK_DISTANCE_AUTO, FIXED));
  install (k, PROP_DISTANCE_FILE,
      g_param_spec_string ("distance-file", "Distance file",
          "A text of bins x bins numbers, symmetric, none negative, for "
          "ground-distance=file; lines that begin with # are comments",
          NULL, FIXED));
  install (k, PROP_SATURATION,
      g_param_spec_double ("saturation", "Saturation",
          "Greater ground distances are cut to this (0 = never; -1 = 15 "
          "between colours and 30 between spectra of a codebook, else never)",
          -1, G_MAXDOUBLE, -1, LIVE));
  install (k, PROP_SOLVER,
      g_param_spec_enum ("solver", "Solver",
          "How the distances of the map are computed; all solvers find the "
          "same",
          solver_type (), defaults.solver, LIVE));
  install (k, PROP_MAX_TREES,
      g_param_spec_int ("max-trees", "Most trees",
          "How many spanning trees are stored for each target, 900 bytes each",
          64, EMDTRACK_MAX_TREES, defaults.max_trees, FIXED));
  install (k, PROP_CACHE_BITS,
      g_param_spec_int ("cache-bits", "Cache bits",
          "For solver=paper: room for 2^n values for each target", 8, 24,
          defaults.cache_bits, FIXED));
}

static void
install_channels (GObjectClass *k)
{
  install (k, PROP_CHANNELS,
      g_param_spec_int ("channels", "Channels",
          "Number of channels in a grey frame, where the caps do not say (0 = "
          "what the layout implies)",
          0, EMDTRACK_BINS, 0, FIXED));
  install (k, PROP_CHANNEL_LAYOUT,
      g_param_spec_enum ("channel-layout", "Channel layout",
          "How channels lie in a grey frame, where the caps do not say",
          layout_type (), GST_EMDTRACK_LAYOUT_CAPS, FIXED));
  install (k, PROP_MOSAIC_PATTERN,
      g_param_spec_string ("mosaic-pattern", "Mosaic pattern",
          "Width x height of the mosaic's tile, such as 5x3, where the caps do "
          "not say (empty = a square)",
          NULL, FIXED));
}

static void
install_search (GObjectClass *k)
{
  install (k, PROP_SEARCH,
      g_param_spec_double ("search", "Search",
          "How far from its expected place a target is looked for, in pixels, "
          "or tiles of a mosaic; farther and farther while it is occluded",
          1, EMDTRACK_MAX_SIDE, track_defaults.search, LIVE));
  install (k, PROP_SCALES,
      g_param_spec_int ("scales", "Scales",
          "How many sizes are tried: 1, 3 or 5", 1, 5, track_defaults.scales,
          LIVE));
  install (k, PROP_SCALE_STEP,
      g_param_spec_double ("scale-step", "Step of scales",
          "Ratio of one size that is tried to the next", 1.01, 1.5,
          track_defaults.scale_step, LIVE));
  install (k, PROP_TEMPLATE_UPDATE,
      g_param_spec_double ("template-update", "Template update",
          "Part of the target's histogram that each frame renews while the "
          "target is seen",
          0, 1, track_defaults.update, LIVE));
  install (k, PROP_NORMALISE_GAIN,
      g_param_spec_boolean ("normalise-gain", "Normalise gain",
          "For codebooks of colours: make up for changes of the frame's mean "
          "brightness since the targets were chosen",
          FALSE, LIVE));
}

static void
install_states (GObjectClass *k)
{
  install (k, PROP_OCCLUDE,
      g_param_spec_double ("occlude", "Occlude",
          "A target whose distance is greater than this is occluded: 0 alike, "
          "1 nothing in common",
          0, 1, track_defaults.occlude, LIVE));
  install (k, PROP_RESUME,
      g_param_spec_double ("resume", "Resume",
          "An occluded or lost target is seen again where its distance is less "
          "than this, which is at most `occlude`",
          0, 1, track_defaults.resume, LIVE));
  install (k, PROP_LOSE_FRAMES,
      g_param_spec_int ("lose-frames", "Frames to lose",
          "A target that is not seen for so many frames is lost, and looked "
          "for in the whole frame",
          1, G_MAXINT, track_defaults.lose_frames, LIVE));
}

void
gst_emdtrack_install_properties (GObjectClass *klass)
{
  klass->set_property = gst_emdtrack_set_property;
  klass->get_property = gst_emdtrack_get_property;
  install_targets (klass);
  install_histograms (klass);
  install_distances (klass);
  install_channels (klass);
  install_search (klass);
  install_states (klass);
  install (klass, PROP_EMD_MAP,
      g_param_spec_boolean ("emd-map", "EMD map",
          "Attach a map of kind emd for each target", FALSE, FIXED));
  install (klass, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "What the video shows",
          output_type (), GST_EMDTRACK_OUTPUT_VIDEO, FIXED));
}
