/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's parameters: ranges, defaults and texts.  */
#include <float.h>

#include "gpuccl/gpuccl.h"

static const ParamChoice algorithms[] = {
    {GPUCCL_RUN, "Runs of pixels, joined once", "run"},
    {GPUCCL_LABEL_EQUIVALENCE,
        "Passes until labels agree, with a list of references",
        "label-equivalence"},
    {GPUCCL_IMPROVED_LABEL_EQUIVALENCE,
        "Passes until labels agree, without a list",
        "improved-label-equivalence"},
    {GPUCCL_HIERARCHICAL, "Tiles that are merged into larger ones",
        "hierarchical"},
    {0, NULL, NULL}};

static const ParamChoice detectors[] = {
    {GPUCCL_COMPONENTS, "Connected components that meet the criteria",
        "components"},
    {GPUCCL_WINDOW,
        "Windows of 51 x 51 outliers, grown by 19 x 19; all are one object",
        "window"},
    {0, NULL, NULL}};

static const ParamChoice filters[] = {
    {GPUCCL_NO_FILTER, "Unfiltered depth", "none"},
    {GPUCCL_BILATERAL, "Smoothed within surfaces", "bilateral"},
    {0, NULL, NULL}};

static const ParamChoice matches[] = {
    {GPUCCL_MATCH_AUTO,
        "In space if depth and camera are known, else in the image", "auto"},
    {GPUCCL_MATCH_NONE, "Any candidate continues any object", "none"},
    {GPUCCL_MATCH_IMAGE, "By position, area and shape in the image", "image"},
    {GPUCCL_MATCH_SPACE, "By position, area and shape in metres", "space"},
    {0, NULL, NULL}};

static const ParamChoice connectivities[] = {
    {4, "Left, right, above, below", "4"}, {8, "The corners, too", "8"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (GpucclParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (GpucclParams, __VA_ARGS__)

const Param gpuccl_params[] = {
    ONE_OF (algorithm, algorithms, GPUCCL_RUN, "Algorithm",
        "How components are found; all algorithms find the same"),
    ONE_OF (detector, detectors, GPUCCL_COMPONENTS, "Detector",
        "What becomes an object"),
    /* on raw depth a max_depth_step of 1 cm cuts surfaces apart */
    ONE_OF (filter, filters, GPUCCL_BILATERAL, "Filter",
        "How depth is smoothed before components are found; the noise of a "
        "sensor divides unfiltered surfaces into pieces"),
    ONE_OF (connectivity, connectivities, 4, "Connectivity",
        "How many neighbours a pixel has: 4 or 8"),
    /* the middle, as black video is 16 */
    NUMBER (threshold, 1, 255, 128, "Threshold",
        "Minimum brightness of the pixels of a mask"),
    NUMBER (skip_checks, 0, 2, 0, "Skip checks",
        "For both algorithms of label equivalence: number of first passes that "
        "do not check whether labels agree"),
    NUMBER (max_depth_step, 0, DBL_MAX, .01, "Maximum step of depth",
        "Neighbours are connected if their depths differ by less than this, "
        "metres (0 = always)"),
    NUMBER (depth_step_k, 0, DBL_MAX, 0, "Growth of the maximum step",
        "Neighbours at depth z are also connected if their depths differ by "
        "less than this times z^2, 1/m (0 = only by max-depth-step); 0.0035 "
        "suits a Kinect for Xbox 360"),
    NUMBER (min_area, 0, UINT32_MAX, 100, "Minimum area",
        "Reject components with fewer pixels than this"),
    NUMBER (max_components, 1, GPUCCL_MAX_COMPONENTS, 64,
        "Maximum number of components",
        "Report at most this many components, the largest"),
    NUMBER (min_size, 0, UINT32_MAX, 3500, "Minimum size",
        "Reject objects with no more pixels than this; 3500 suits 640 x 480"),
    NUMBER (min_fill, 0, DBL_MAX, .75, "Minimum filling",
        "Reject objects that fill no more than this part of the rows and "
        "columns in which they have pixels"),
    NUMBER (min_extent, 0, DBL_MAX, 15, "Minimum extent",
        "Reject objects whose mean width or height is less than this, pixels"),
    NUMBER (frames, 1, INT32_MAX, 5, "Frames",
        "Accept an object once it has been seen in this many frames in a row"),
    ONE_OF (match, matches, GPUCCL_MATCH_AUTO, "Match",
        "How an object is recognised in the next frame"),
    NUMBER (match_distance, 1e-6, DBL_MAX, .2, "Maximum motion in space",
        "In space, an object moves by at most this in each frame, metres"),
    NUMBER (match_pixels, 1e-3, DBL_MAX, 32, "Maximum motion in the image",
        "In the image, an object moves by at most this in each frame, pixels"),
    NUMBER (match_ratio, 1, DBL_MAX, 2, "Maximum ratio of areas",
        "The area, the mean width and the mean height of an object change by "
        "at most this factor from one frame to the next"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Depth scale",
        "Metres per unit of depth"),
    {NULL}};

GpucclParams
gpuccl_defaults (void)
{
  GpucclParams p = {.camera.known = false}; /* nor the pose */

  params_defaults (gpuccl_params, &p);
  return p;
}
