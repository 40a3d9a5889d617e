/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's parameters, of the distances and of the tracker: ranges, defaults
 * and texts. */
#include <float.h>

#include "common/rows.h"
#include "emdtrack/emdtrack_track.h"

#define ROWS_OF EmdtrackParams

CHOICES (histograms,
    {EMDTRACK_INTENSITY, "intensity",
        "The grey values in the window around a pixel"},
    {EMDTRACK_CHANNELS, "channels",
        "The pixel's own spectrum, one bin for each channel"},
    {EMDTRACK_CODEBOOK, "codebook",
        "Colours or spectra of the window, by a codebook learned at the "
        "targets"});

CHOICES (solvers,
    {EMDTRACK_AUTO, "auto",
        "A closed form for lines, circles and trees, else reuse; on a GPU "
        "reuse or "
        "paper, whichever suits the frames"},
    {EMDTRACK_REUSE, "reuse",
        "Spanning trees of earlier optima are tried first"},
    {EMDTRACK_PAPER, "paper", "The paper's cache, grouping and simplex"});

const Param emdtrack_params[] = {
    STOPPED (ONE_OF, histogram, histograms, EMDTRACK_CODEBOOK,
        "What a histogram counts"),
    /* 11 x 11 pixels and 11 bins: section Methodology */
    NUMBER (window, 1, EMDTRACK_MAX_WINDOW, 11,
        "Side of the window around each pixel of the map, whose histogram is "
        "compared with the target's, odd"),
    STOPPED (NUMBER, bins, 2, EMDTRACK_BINS, 11,
        "Number of bins, for histogram=intensity and codebook; with channels, "
        "each channel is a bin"),
    STOPPED (NUMBER, white, 0, 65535, 0,
        "Maximum grey value, for histogram=intensity (0 = that of the format); "
        "4095 for 12 bits in GRAY16_LE"),
    STOPPED (TITLED, "Mass of a spectrum", NUMBER, spectrum_mass, 16,
        EMDTRACK_MAX_MASS, 64,
        "Sum to which a pixel's channels are scaled, for histogram=channels"),
    ONE_OF (solver, solvers, EMDTRACK_AUTO,
        "How distances are computed; all solvers find the same"),
    STOPPED (TITLED, "Maximum number of trees", NUMBER, max_trees, 64,
        EMDTRACK_MAX_TREES, EMDTRACK_MAX_TREES,
        "Number of spanning trees stored for each target, 900 bytes each"),
    STOPPED (NUMBER, cache_bits, 8, 24, 20,
        "For solver=paper, and auto on a GPU: the cache of each target holds "
        "2^n "
        "values"),
    {0}};

DEFAULTS (emdtrack_defaults, emdtrack_params, .gain = 1,
    .region = {0, 0, EMDTRACK_MAX_SIDE, EMDTRACK_MAX_SIDE})

CHOICES (counts, {1, "1", "The size in the frame before"},
    {3, "3", "One size below and one above it, too"},
    {5, "5", "Two sizes below and two above it, too"});

#undef ROWS_OF
#define ROWS_OF EmdtrackTrackParams
const Param emdtrack_track_params[] = {
    NUMBER (search, 1, EMDTRACK_MAX_SIDE, 32,
        "Maximum distance of a target from its predicted position, in pixels, "
        "or tiles of a mosaic; it grows while the target is occluded"),
    ONE_OF (scales, counts, 3, "Number of sizes that are tried: 1, 3 or 5"),
    TITLED ("Step of scales", NUMBER, scale_step, 1.01, 1.5, 1.05,
        "Ratio of one size that is tried to the next"),
    NUMBER (occlude, 0, 1, .5,
        "A target with a greater distance than this is occluded (0 = the same "
        "histogram, 1 = nothing in common)"),
    NUMBER (resume, 0, 1, .35,
        "An occluded or lost target is found again only if its distance is "
        "less than this; at most the value of occlude"),
    TITLED ("Frames to lose", NUMBER, lose_frames, 1, INT32_MAX, 10,
        "A target is lost after this many frames in which it is not seen; then "
        "it is searched for in the whole frame"),
    NUMBER (template_update, 0, 1, 0,
        "Part of a visible target's histogram that each frame renews"),
    NUMBER (contrast, 0, 10, 1,
        "For codebooks: weight of how far the entries at a place are those of "
        "the target and not of its surroundings, which are learned anew as it "
        "moves (0 = the distance alone tells where it is)"),
    {0}};

DEFAULTS (emdtrack_track_defaults, emdtrack_track_params, 0)
