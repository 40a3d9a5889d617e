/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's parameters: ranges, defaults and texts.  */
#include <float.h>

#include "common/rows.h"
#include "gpuccl/gpuccl.h"

#define ROWS_OF GpucclParams

CHOICES (algorithms, {GPUCCL_RUN, "run", "Runs of pixels, joined once"},
    {GPUCCL_LABEL_EQUIVALENCE, "label-equivalence",
        "Passes until labels agree, with a list of references"},
    {GPUCCL_IMPROVED_LABEL_EQUIVALENCE, "improved-label-equivalence",
        "Passes until labels agree, without a list"},
    {GPUCCL_HIERARCHICAL, "hierarchical",
        "Tiles that are merged into larger ones"});

CHOICES (detectors,
    {GPUCCL_COMPONENTS, "components",
        "Connected components that meet the criteria"},
    {GPUCCL_WINDOW, "window",
        "Windows of 51 x 51 outliers, grown by 19 x 19; all are one object"});

CHOICES (filters, {GPUCCL_NO_FILTER, "none", "Unfiltered depth"},
    {GPUCCL_BILATERAL, "bilateral", "Smoothed within surfaces"});

CHOICES (matches,
    {GPUCCL_MATCH_AUTO, "auto",
        "In space if depth and camera are known, else in the image"},
    {GPUCCL_MATCH_NONE, "none", "Any candidate continues any object"},
    {GPUCCL_MATCH_IMAGE, "image", "By position, area and shape in the image"},
    {GPUCCL_MATCH_SPACE, "space", "By position, area and shape in metres"});

CHOICES (connectivities, {4, "4", "Left, right, above, below"},
    {8, "8", "The corners, too"});

const Param gpuccl_params[] = {
    ONE_OF (algorithm, algorithms, GPUCCL_RUN,
        "How components are found; all algorithms find the same"),
    ONE_OF (detector, detectors, GPUCCL_COMPONENTS, "What becomes an object"),
    /* on raw depth, a max_depth_step of 1 cm would cut surfaces apart */
    ONE_OF (filter, filters, GPUCCL_BILATERAL,
        "How depth is smoothed before components are found; the noise of a "
        "sensor divides unfiltered surfaces into pieces"),
    ONE_OF (connectivity, connectivities, 4,
        "How many neighbours a pixel has: 4 or 8"),
    /* the middle, because black in video is 16 */
    NUMBER (
        threshold, 1, 255, 128, "Minimum brightness of the pixels of a mask"),
    NUMBER (skip_checks, 0, 2, 0,
        "For both algorithms of label equivalence: number of first passes that "
        "do not check whether labels agree"),
    TITLED ("Maximum step of depth", NUMBER, max_depth_step, 0, DBL_MAX, .01,
        "Neighbours are connected if their depths differ by less than this, "
        "metres (0 = always)"),
    TITLED ("Growth of the maximum step", NUMBER, depth_step_k, 0, DBL_MAX, 0,
        "Neighbours at depth z are also connected if their depths differ by "
        "less than this times z^2, 1/m (0 = only by max-depth-step); 0.0035 "
        "suits a Kinect for Xbox 360"),
    NUMBER (min_area, 0, UINT32_MAX, 100,
        "Leave out components with fewer pixels than this: they are neither "
        "reported nor tried as objects (min-size limits the objects alone)"),
    TITLED ("Maximum number of components", NUMBER, max_components, 1,
        GPUCCL_MAX_COMPONENTS, 64,
        "Report at most this many components, the largest"),
    TITLED ("Maximum number of candidates", NUMBER, max_candidates, 1,
        GPUCCL_CANDIDATES, GPUCCL_CANDIDATES,
        "Only this many components, the largest, can become objects"),
    NUMBER (min_size, 0, UINT32_MAX, 3500,
        "Reject objects with no more pixels than this; their components are "
        "still reported (min-area leaves those out); 3500 suits 640 x 480"),
    TITLED ("Minimum filling", NUMBER, min_fill, 0, DBL_MAX, .75,
        "Reject objects that fill no more than this part of the rows and "
        "columns in which they have pixels"),
    NUMBER (min_extent, 0, DBL_MAX, 15,
        "Reject objects whose mean width or height is less than this, pixels"),
    TITLED ("Minimum area in space", NUMBER, min_surface, 0, DBL_MAX, 0,
        "Reject objects whose area is less than this, square metres; for "
        "frames "
        "of any size, with depth and a camera (0 = no limit)"),
    TITLED ("Minimum filling of the rectangle", NUMBER, min_box_fill, 0,
        DBL_MAX, 0,
        "Reject objects that fill less than this part of their rectangle, "
        "which is turned as they are (0 = no limit)"),
    TITLED ("Minimum side in space", NUMBER, min_side, 0, DBL_MAX, 0,
        "Reject objects whose rectangle has a side shorter than this, metres; "
        "with depth and a camera (0 = no limit)"),
    TITLED ("Minimum side in the image", NUMBER, min_side_pixels, 0, DBL_MAX, 0,
        "Reject objects whose rectangle has a side shorter than this, pixels "
        "(0 = no limit)"),
    NUMBER (frames, 1, INT32_MAX, 5,
        "Accept an object once it has been seen in this many frames in a row"),
    ONE_OF (match, matches, GPUCCL_MATCH_AUTO,
        "How an object is recognised in the next frame"),
    TITLED ("Maximum motion in space", NUMBER, match_distance, 1e-6, DBL_MAX,
        .2, "In space, an object moves by at most this in each frame, metres"),
    TITLED ("Maximum motion in the image", NUMBER, match_pixels, 1e-3, DBL_MAX,
        32,
        "In the image, an object moves by at most this in each frame, pixels"),
    TITLED ("Maximum ratio of areas", NUMBER, match_ratio, 1, DBL_MAX, 2,
        "The area, the mean width and the mean height of an object change by "
        "at most this factor from one frame to the next"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Metres per unit of depth"), {0}};

DEFAULTS (gpuccl_defaults, gpuccl_params, .has_camera = false)
