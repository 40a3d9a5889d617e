/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct's parameters: ranges, defaults and texts. */
#include "moct/moct.h"

static const ParamChoice methods[] = {
    {MOCT_FUSED, "One pass, cost nearly independent of the colours", "fused"},
    {MOCT_PYRAMID, "The paper's multiple parallel reduction", "pyramid"},
    {MOCT_PER_OBJECT, "Mask and pyramid for each colour in turn", "per-object"},
    {0, NULL, NULL}};

static const ParamChoice layouts[] = {
    {MOCT_VERTICAL, "The colours of a cell lie in a column", "vertical"},
    {MOCT_HORIZONTAL, "The colours of a cell lie in a row", "horizontal"},
    {MOCT_SQUARE, "The colours of a cell fill a square", "square"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (MoctParams, __VA_ARGS__)
#define SWITCH(...) PARAM_SWITCH (MoctParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (MoctParams, __VA_ARGS__)

const Param moct_params[] = {
    ONE_OF (method, methods, MOCT_FUSED, "Method",
        "How the sums are computed; all methods give the same sums"),
    ONE_OF (layout, layouts, MOCT_VERTICAL, "Layout",
        "Arrangement of the colours in a cell, for method=pyramid"),
    NUMBER (reduction_factor, 2, 65536, 40, "Reduction factor",
        "Number of cells that one step sums, for method=pyramid"),
    SWITCH (exact, true, "Exact",
        "Classify each stored colour by itself; if false, each cell of 8 x 8 x "
        "8 stored colours is classified by its centre"),
    SWITCH (blobs, true, "Blobs",
        "Separate several objects of one colour (method=fused); if false, all "
        "pixels of a colour are one object"),
    NUMBER (merge_distance, 0, 64, 4, "Merge distance",
        "Parts of a colour with at most this many pixels between them are one "
        "object; parts in the same 16 x 16 tile always are"),
    NUMBER (min_area, 1, UINT64_MAX, 50, "Minimum area",
        "Reject objects with fewer pixels than this"),
    NUMBER (max_area, 1, UINT64_MAX, UINT64_MAX, "Maximum area",
        "Reject objects with more pixels than this"),
    NUMBER (min_roundness, 0, 1, 0, "Minimum roundness",
        "Reject objects whose ratio of minor to major axis is less than this: "
        "1 is a disc or a square in any orientation"),
    NUMBER (min_fill, 0, 1, 0, "Minimum filling",
        "Reject objects that fill less than this part of their box: a disc "
        "fills 0.79, a thin ring 0.1"),
    NUMBER (max_side_ratio, 0, 32768, 0, "Maximum ratio of sides",
        "Reject objects whose box has a greater ratio of its longer to its "
        "shorter side than this (0 = any)"),
    NUMBER (max_objects, 1, MOCT_MAX_OBJECTS, 8, "Maximum number of objects",
        "Report at most this many objects of each colour, the largest"),
    NUMBER (gate, 0, 1000, 1, "Gate",
        "Maximum distance between an object and its predicted position, in "
        "lengths of its box; the uncertainty of the prediction is added to it. "
        "A similar object farther away is another object (0 = no limit)"),
    NUMBER (appear_frames, 1, 1000, 1, "Frames to appear",
        "Report an object once it has been seen in this many frames in a row"),
    NUMBER (lose_frames, 0, 10000, 30, "Frames to lose",
        "Predict an unseen object for this many frames; then it is lost"),
    {NULL}};

MoctParams
moct_defaults (void)
{
  MoctParams p = {.region = {0, 0, MOCT_MAX_SIDE, MOCT_MAX_SIDE}};

  params_defaults (moct_params, &p);
  return p;
}
