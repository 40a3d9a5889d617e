/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's parameters, of the distances and of the tracker: ranges, defaults
 * and texts. */
#include <float.h>

#include "emdtrack/emdtrack_track.h"

static const ParamChoice histograms[] = {
    {EMDTRACK_INTENSITY, "The grey values in the window around a pixel",
        "intensity"},
    {EMDTRACK_CHANNELS, "The pixel's own spectrum, one bin for each channel",
        "channels"},
    {EMDTRACK_CODEBOOK,
        "Colours or spectra of the window, by a codebook learned at the "
        "targets",
        "codebook"},
    {0, NULL, NULL}};

static const ParamChoice solvers[] = {
    {EMDTRACK_AUTO, "A closed form for lines, circles and trees, else reuse",
        "auto"},
    {EMDTRACK_REUSE, "Spanning trees of earlier optima are tried first",
        "reuse"},
    {EMDTRACK_PAPER, "The paper's cache, grouping and simplex", "paper"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (EmdtrackParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (EmdtrackParams, __VA_ARGS__)
#define STOPPED(...) PARAM_WHEN (STOPPED, __VA_ARGS__)

const Param emdtrack_params[] = {
    STOPPED (ONE_OF, EmdtrackParams, histogram, histograms, EMDTRACK_CODEBOOK,
        "Histogram", "What a histogram counts"),
    /* 11 x 11, and 11 bins: Methodology */
    NUMBER (window, 1, EMDTRACK_MAX_WINDOW, 11, "Window",
        "Side of the window around each pixel of the map, whose histogram is "
        "compared with the target's, odd"),
    STOPPED (NUMBER, EmdtrackParams, bins, 2, EMDTRACK_BINS, 11, "Bins",
        "Number of bins, for histogram=intensity and codebook; with channels, "
        "each channel is a bin"),
    STOPPED (NUMBER, EmdtrackParams, white, 0, 65535, 0, "White",
        "Maximum grey value, for histogram=intensity (0 = that of the format); "
        "4095 for 12 bits in GRAY16_LE"),
    STOPPED (NUMBER, EmdtrackParams, spectrum_mass, 16, EMDTRACK_MAX_MASS, 64,
        "Mass of a spectrum",
        "Sum to which a pixel's channels are scaled, for histogram=channels"),
    ONE_OF (solver, solvers, EMDTRACK_AUTO, "Solver",
        "How distances are computed; all solvers find the same"),
    STOPPED (NUMBER, EmdtrackParams, max_trees, 64, EMDTRACK_MAX_TREES,
        EMDTRACK_MAX_TREES, "Maximum number of trees",
        "Number of spanning trees stored for each target, 900 bytes each"),
    STOPPED (NUMBER, EmdtrackParams, cache_bits, 8, 24, 20, "Cache bits",
        "For solver=paper: the cache of each target holds 2^n values"),
    {NULL}};

EmdtrackParams
emdtrack_defaults (void)
{
  EmdtrackParams p = {.gain = 1};

  params_defaults (emdtrack_params, &p);
  return p;
}

#undef NUMBER
#define NUMBER(...) PARAM_NUMBER (EmdtrackTrackParams, __VA_ARGS__)

static const ParamChoice counts[] = {{1, "The size in the frame before", "1"},
    {3, "One size below and one above it, too", "3"},
    {5, "Two sizes below and two above it, too", "5"}, {0, NULL, NULL}};

const Param emdtrack_track_params[] = {
    NUMBER (search, 1, EMDTRACK_MAX_SIDE, 32, "Search",
        "Maximum distance of a target from its predicted position, in pixels, "
        "or tiles of a mosaic; it grows while the target is occluded"),
    PARAM_ONE_OF (EmdtrackTrackParams, scales, counts, 3, "Scales",
        "Number of sizes that are tried: 1, 3 or 5"),
    NUMBER (scale_step, 1.01, 1.5, 1.05, "Step of scales",
        "Ratio of one size that is tried to the next"),
    NUMBER (occlude, 0, 1, .5, "Occlude",
        "A target with a greater distance than this is occluded (0 = the same "
        "histogram, 1 = nothing in common)"),
    NUMBER (resume, 0, 1, .35, "Resume",
        "An occluded or lost target is found again only if its distance is "
        "less than this; at most the value of occlude"),
    NUMBER (lose_frames, 1, INT32_MAX, 10, "Frames to lose",
        "A target is lost after this many frames in which it is not seen; then "
        "it is searched for in the whole frame"),
    NUMBER (update, 0, 1, 0, "Template update",
        "Part of a visible target's histogram that each frame renews",
        .name = "template-update"),
    {NULL}};

EmdtrackTrackParams
emdtrack_track_defaults (void)
{
  EmdtrackTrackParams p = {0};

  params_defaults (emdtrack_track_params, &p);
  return p;
}
