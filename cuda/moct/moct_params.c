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
        "How the sums are made; all methods find the same sums"),
    ONE_OF (layout, layouts, MOCT_VERTICAL, "Layout",
        "Arrangement of a cell, for method=pyramid"),
    NUMBER (reduction_factor, 2, 65536, 40, "Reduction factor",
        "Cells that are gathered into one, for method=pyramid"),
    SWITCH (exact, true, "Exact",
        "Classify every stored colour by itself; otherwise, where a cell of "
        "8 x 8 x 8 stored colours lies across the border of a colour, all of "
        "them are classified as its middle"),
    SWITCH (blobs, true, "Blobs",
        "Tell several objects of a colour apart (method=fused); otherwise all "
        "pixels of a colour are one object"),
    NUMBER (merge_distance, 0, 64, 4, "Merge distance",
        "Parts of a colour with at most so many pixels between them are one "
        "object; parts in the same 16 x 16 tile always are"),
    NUMBER (min_area, 1, UINT64_MAX, 50, "Least area",
        "Objects with fewer pixels than this are left out"),
    NUMBER (max_area, 1, UINT64_MAX, UINT64_MAX, "Greatest area",
        "Objects with more pixels than this are left out"),
    NUMBER (min_roundness, 0, 1, 0, "Least roundness",
        "Objects whose minor axis by their major axis is less are left out: 1 "
        "is a disc or a square, however it is turned"),
    NUMBER (min_fill, 0, 1, 0, "Least filling",
        "Objects that fill less of their box are left out: a disc fills 0.79, "
        "a thin ring 0.1"),
    NUMBER (max_side_ratio, 0, 32768, 0, "Greatest ratio of sides",
        "Objects whose box is longer than this many times its shorter side are "
        "left out (0 = any)"),
    NUMBER (max_objects, 1, MOCT_MAX_OBJECTS, 8, "Most objects",
        "Of each colour at most so many objects are reported, the largest"),
    NUMBER (gate, 0, 1000, 1, "Gate",
        "How far from its prediction an object may be found again, in lengths "
        "of its box, beside the prediction's own uncertainty; a look-alike "
        "farther off is another object (0 = anywhere)"),
    NUMBER (appear_frames, 1, 1000, 1, "Frames to appear",
        "An object is reported when seen in so many frames in a row"),
    NUMBER (lose_frames, 0, 10000, 30, "Frames to lose",
        "An object that is not seen is predicted for so many frames, then "
        "lost"),
    {NULL}};

MoctParams
moct_defaults (void)
{
  MoctParams p = {.region = {0, 0, MOCT_MAX_SIDE, MOCT_MAX_SIDE}};

  params_defaults (moct_params, &p);
  return p;
}
