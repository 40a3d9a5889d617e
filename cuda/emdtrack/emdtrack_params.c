/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's parameters, of the distances and of the tracker: ranges, defaults
 * and texts. */
#include <float.h>

#include "emdtrack/emdtrack_track.h"

static const ParamChoice histograms[] = {
    {EMDTRACK_INTENSITY, "Grey values of the window around a pixel",
        "intensity"},
    {EMDTRACK_CHANNELS, "A pixel's own spectrum, a bin a channel", "channels"},
    {EMDTRACK_CODEBOOK,
        "Kinds of colours or spectra in the window around a pixel, learned "
        "around the targets",
        "codebook"},
    {0, NULL, NULL}};

static const ParamChoice solvers[] = {
    {EMDTRACK_AUTO,
        "A closed form where the distance is a line, a circle or a tree, else "
        "reuse",
        "auto"},
    {EMDTRACK_REUSE, "Spanning trees of earlier optima are tried first",
        "reuse"},
    {EMDTRACK_PAPER, "The paper's cache, grouping and simplex", "paper"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (EmdtrackParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (EmdtrackParams, __VA_ARGS__)
#define STOPPED .when = PARAM_STOPPED

const Param emdtrack_params[] = {
    ONE_OF (histogram, histograms, EMDTRACK_CODEBOOK, "Histogram",
        "What is counted in a histogram", STOPPED),
    /* 11 x 11, and 11 bins: Methodology */
    NUMBER (window, 1, EMDTRACK_MAX_WINDOW, 11, "Window",
        "Side of the window around each pixel whose histogram the map "
        "compares, odd"),
    NUMBER (bins, 2, EMDTRACK_BINS, 11, "Bins",
        "Number of bins, for histogram=intensity and codebook; with channels "
        "each channel is a bin",
        STOPPED),
    NUMBER (white, 0, 65535, 0, "White",
        "The brightest grey value, for histogram=intensity (0 = what the "
        "format can hold); 4095 for 12 bits in GRAY16_LE",
        STOPPED),
    NUMBER (spectrum_mass, 16, EMDTRACK_MAX_MASS, 64, "Mass of a spectrum",
        "What the channels of a pixel are scaled to add up to, for "
        "histogram=channels",
        STOPPED),
    ONE_OF (solver, solvers, EMDTRACK_AUTO, "Solver",
        "How the distances of the map are computed; all solvers find the "
        "same"),
    NUMBER (max_trees, 64, EMDTRACK_MAX_TREES, EMDTRACK_MAX_TREES, "Most trees",
        "How many spanning trees are stored for each target, 900 bytes each",
        STOPPED),
    NUMBER (cache_bits, 8, 24, 20, "Cache bits",
        "For solver=paper: room for 2^n values for each target", STOPPED),
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

static const ParamChoice counts[] = {{1, "The size it had alone", "1"},
    {3, "One size below and one above, too", "3"},
    {5, "Two below and two above, too", "5"}, {0, NULL, NULL}};

const Param emdtrack_track_params[] = {
    NUMBER (search, 1, EMDTRACK_MAX_SIDE, 32, "Search",
        "How far from its expected place a target is looked for, in pixels, or "
        "tiles of a mosaic; farther and farther while it is occluded"),
    PARAM_ONE_OF (EmdtrackTrackParams, scales, counts, 3, "Scales",
        "How many sizes are tried: 1, 3 or 5"),
    NUMBER (scale_step, 1.01, 1.5, 1.05, "Step of scales",
        "Ratio of one size that is tried to the next"),
    NUMBER (occlude, 0, 1, .5, "Occlude",
        "A target whose distance is greater than this is occluded: 0 alike, 1 "
        "nothing in common"),
    NUMBER (resume, 0, 1, .35, "Resume",
        "An occluded or lost target is seen again only where its distance is "
        "less than this, which is at most `occlude`"),
    NUMBER (lose_frames, 1, INT32_MAX, 10, "Frames to lose",
        "A target that is not seen for so many frames is lost, and looked for "
        "in the whole frame"),
    NUMBER (update, 0, 1, 0, "Template update",
        "Part of the target's histogram that each frame renews while the "
        "target is seen",
        .name = "template-update"),
    {NULL}};

EmdtrackTrackParams
emdtrack_track_defaults (void)
{
  EmdtrackTrackParams p = {0};

  params_defaults (emdtrack_track_params, &p);
  return p;
}
