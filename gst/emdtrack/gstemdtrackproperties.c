/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties that are of the element alone, and where those of the
 * algorithm come between them. */
#include <float.h>

#include "emdtrack/gstemdtrack.h"

static const ParamChoice distances[] = {
    {GST_EMDTRACK_DISTANCE_AUTO, "Euclidean for a codebook, else a line",
        "auto"},
    {GST_EMDTRACK_DISTANCE_LINE,
        "Bins lie on a line, 1 apart, or at the wavelengths that the caps "
        "state",
        "line"},
    {GST_EMDTRACK_DISTANCE_CIRCLE,
        "Bins lie on a circle, and the shorter way round counts", "circle"},
    {GST_EMDTRACK_DISTANCE_EUCLIDEAN,
        "Euclidean distance between the entries of the codebook: of colours "
        "in Lab (Delta E), of spectra that are scaled to a sum of 255",
        "euclidean"},
    {GST_EMDTRACK_DISTANCE_FILE, "As distance-file says", "file"},
    {0, NULL, NULL}};

static const ParamChoice layouts[] = {
    {GST_EMDTRACK_LAYOUT_CAPS, "As the caps state, else a frame is one channel",
        "caps"},
    {GST_EMDTRACK_LAYOUT_MOSAIC, "Tiles with one pixel for each channel",
        "mosaic"},
    {GST_EMDTRACK_LAYOUT_STACKED, "Channels below each other", "stacked"},
    {0, NULL, NULL}};

static const ParamChoice outputs[] = {
    {GST_EMDTRACK_OUTPUT_VIDEO, "The frames as they came", "video"},
    {GST_EMDTRACK_OUTPUT_MAP,
        "The map of the first target in GRAY16_LE: black at distance 0, white "
        "at the maximum ground distance, and white without a target",
        "map"},
    {0, NULL, NULL}};

/* Regions of upstream are waited for again. */
static void
await_regions (GstElement *element, const Param *param)
{
  GstEmdtrack *self = GST_EMDTRACK (element);

  (void) param;
  GST_OBJECT_LOCK (self);
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

#define PARAMS \
 .params = emdtrack_params, .at = G_STRUCT_OFFSET (GstEmdtrack, params)
#define STOPPED .when = PARAM_STOPPED

const GstVisionProperty gst_emdtrack_properties[] = {
    {.param = PARAM_STRING (GstEmdtrack, targets, NULL, "Targets",
         "The targets, up to 8, separated by semicolons: "
         "NAME:roi=x,y,width,height is a box of the next frame, in pixels (of "
         "one channel if channels are stacked); NAME:file=PATH or "
         "NAME:width,height,file=PATH is the content of a picture or "
         "histogram. NAME: and roi= may be left out. Setting the property "
         "replaces all targets"),
        .parse = gst_emdtrack_read_targets},
    {.param = PARAM_SWITCH (GstEmdtrack, mouse, FALSE, "Mouse",
         "Track what the user clicks or draws a box around in the window of a "
         "sink, in place of all targets")},
    {.param = PARAM_STRING (GstEmdtrack, target_meta, NULL, "Target meta",
         "Upstream regions of interest of this type become targets, too: those "
         "of the next frame that has any; set the property again to take "
         "others"),
        .changed = await_regions},
    {.param = PARAM_STRING (GstEmdtrack, mosaic_pattern, NULL, "Mosaic pattern",
         "Width x height of the mosaic's tile, such as 5x3, if the caps do not "
         "state it (empty = a square)",
         STOPPED)},
    {.param = PARAM_STRING (GstEmdtrack, distance_file, NULL, "Distance file",
         "Text file of bins x bins numbers, symmetric and not negative, for "
         "ground-distance=file; lines that begin with # are comments",
         STOPPED)},
    {PARAMS, .until = "solver"},
    {.param = PARAM_ONE_OF (GstEmdtrack, distance, distances,
         GST_EMDTRACK_DISTANCE_AUTO, "Ground distance",
         "Ground distance between two bins", STOPPED, .name = "ground-distance",
         .kind = "Distance")},
    {.param = PARAM_NUMBER (GstEmdtrack, saturation, -1, DBL_MAX, -1,
         "Saturation",
         "Maximum ground distance; greater ones count as this (0 = no limit; "
         "-1 = 15 between colours and 30 between spectra of a codebook, else "
         "no limit)")},
    {PARAMS},
    {.param = PARAM_NUMBER (GstEmdtrack, channels, 0, EMDTRACK_BINS, 0,
         "Channels",
         "Number of channels in a grey frame, if the caps do not state it (0 = "
         "what the layout implies)",
         STOPPED)},
    {.param = PARAM_ONE_OF (GstEmdtrack, layout, layouts,
         GST_EMDTRACK_LAYOUT_CAPS, "Channel layout",
         "Arrangement of the channels in a grey frame, if the caps do not "
         "state it",
         STOPPED, .name = "channel-layout", .kind = "Layout")},
    {.params = emdtrack_track_params,
        .at = G_STRUCT_OFFSET (GstEmdtrack, track)},
    {.param =
            PARAM_SWITCH (GstEmdtrack, normalise_gain, FALSE, "Normalise gain",
                "For codebooks of colours: compensate for changes of the "
                "frame's mean brightness since the targets were chosen")},
    {.param = PARAM_SWITCH (GstEmdtrack, emd_map, FALSE, "EMD map",
         "Attach a map of kind emd for each target", STOPPED)},
    {.param = PARAM_ONE_OF (GstEmdtrack, output, outputs,
         GST_EMDTRACK_OUTPUT_VIDEO, "Output", "What the video shows", STOPPED)},
    {.params = NULL}};
