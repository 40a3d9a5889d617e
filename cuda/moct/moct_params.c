/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct's parameters: ranges, defaults and texts. */
#include "common/rows.h"
#include "moct/moct.h"

#define ROWS_OF MoctParams

CHOICES (methods,
    {MOCT_FUSED, "fused", "One pass, cost nearly independent of the colours"},
    {MOCT_PYRAMID, "pyramid", "The paper's multiple parallel reduction"},
    {MOCT_PER_OBJECT, "per-object",
        "Mask and pyramid for each colour in turn"});

CHOICES (layouts,
    {MOCT_VERTICAL, "vertical", "The colours of a cell lie in a column"},
    {MOCT_HORIZONTAL, "horizontal", "The colours of a cell lie in a row"},
    {MOCT_SQUARE, "square", "The colours of a cell fill a square"});

const Param moct_params[] = {
    ONE_OF (method, methods, MOCT_FUSED,
        "How the sums are computed; all methods give the same sums"),
    ONE_OF (layout, layouts, MOCT_HORIZONTAL,
        "Arrangement of the colours in a cell, for method=pyramid"),
    NUMBER (reduction_factor, 2, 65536, 40,
        "Number of cells that one step sums, for method=pyramid"),
    SWITCH (exact, true,
        "Classify each stored colour by itself; if false, each cell of 8 x 8 x "
        "8 stored colours is classified by its centre"),
    SWITCH (blobs, true,
        "Separate several objects of one colour (method=fused); if false, all "
        "pixels of a colour are one object"),
    NUMBER (merge_distance, 0, 64, 4,
        "Parts of a colour with at most this many pixels between them are one "
        "object; parts in the same 16 x 16 tile always are"),
    NUMBER (min_area, 1, UINT64_MAX, 50,
        "Reject objects with fewer pixels than this"),
    NUMBER (max_area, 1, UINT64_MAX, UINT64_MAX,
        "Reject objects with more pixels than this"),
    NUMBER (min_roundness, 0, 1, 0,
        "Reject objects whose ratio of minor to major axis is less than this: "
        "1 is a disc or a square in any orientation"),
    TITLED ("Minimum filling", NUMBER, min_fill, 0, 1, 0,
        "Reject objects that fill less than this part of their box: a disc "
        "fills 0.79, a thin ring 0.1"),
    TITLED ("Maximum ratio of sides", NUMBER, max_side_ratio, 0, 32768, 0,
        "Reject objects whose box has a greater ratio of its longer to its "
        "shorter side than this (0 = any)"),
    TITLED ("Maximum number of objects", NUMBER, max_objects, 1,
        MOCT_MAX_OBJECTS, 8,
        "Report at most this many objects of each colour, the largest"),
    NUMBER (gate, 0, 1000, 1,
        "Maximum distance between an object and its predicted position, in "
        "lengths of its box; the uncertainty of the prediction is added to it. "
        "A similar object farther away is another object (0 = no limit)"),
    TITLED ("Frames to appear", NUMBER, appear_frames, 1, 1000, 1,
        "Report an object once it has been seen in this many frames in a row"),
    TITLED ("Frames to lose", NUMBER, lose_frames, 0, 10000, 30,
        "Predict an unseen object for this many frames; then it is lost"),
    {0}};

DEFAULTS (
    moct_defaults, moct_params, .region = {0, 0, MOCT_MAX_SIDE, MOCT_MAX_SIDE})
