/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo's parameters: ranges, defaults and texts; and what 0 means. */
#include "pocstereo/pocstereo.h"

static const ParamChoice weights[] = {
    {POCSTEREO_AUTO_WEIGHT, "Chosen by the mode", "auto"},
    {POCSTEREO_RECTANGLE, "The same weight up to the bandwidth", "rectangle"},
    {POCSTEREO_GAUSSIAN, "More weight for lower frequencies", "gaussian"},
    {0, NULL, NULL}};

static const ParamChoice fits[] = {
    {POCSTEREO_AUTO_FIT, "Chosen by the mode", "auto"},
    {POCSTEREO_CLOSED_FORM, "The paper's model of the peak, from three samples",
        "closed-form"},
    {POCSTEREO_NEWTON, "The maximum of the correlation itself", "newton"},
    {0, NULL, NULL}};

static const ParamChoice candidates[] = {
    {1, "The parent's, as in the paper", "1"},
    {9, "Those of the parent's neighbours, too", "9"}, {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (PocstereoParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (PocstereoParams, __VA_ARGS__)
#define SWITCH(...) PARAM_SWITCH (PocstereoParams, __VA_ARGS__)

const Param pocstereo_params[] = {
    NUMBER (window, 0, POCSTEREO_MAX_WINDOW, 0, "Window",
        "Number of samples of a line that are compared, at least 8 (0 = 32 for "
        "points, 16 for every pixel); 32 samples with 15 lines and 16 samples "
        "with 11 lines are fastest"),
    NUMBER (lines, 0, POCSTEREO_MAX_LINES, 0, "Lines",
        "Lines of the window, odd (0 = 15 for points, 11 for every pixel)"),
    NUMBER (bandwidth, 0, POCSTEREO_MAX_BANDWIDTH, 0, "Bandwidth",
        "Frequencies to compare, less than half the window (0 = a quarter of "
        "it for points, three eighths for every pixel, at most 31)"),
    ONE_OF (weight, weights, POCSTEREO_AUTO_WEIGHT, "Weight",
        "Weight of frequencies (auto: rectangle for points, else gaussian)"),
    ONE_OF (fit, fits, POCSTEREO_AUTO_FIT, "Fit",
        "How the peak is found (auto: closed-form for points, else newton)"),
    NUMBER (noise_floor, 0, 255, 0, "Noise floor",
        "Reduce the weight of frequencies with a lower amplitude than this, in "
        "grey levels of 255; this suppresses noise, but the height of the peak "
        "then says less about the match (0 = all have the same weight)"),
    NUMBER (layers, 0, POCSTEREO_MAX_LAYERS, 0, "Layers",
        "Sizes at which views are searched, each half of the one before (0 = "
        "as many as the range needs for points, 3 for every pixel)"),
    NUMBER (min_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY, 0,
        "Minimum disparity",
        "Disparity of the farthest surface: how many pixels farther left it is "
        "in the right view; negative for verged cameras"),
    NUMBER (max_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY,
        128, "Maximum disparity",
        "Disparity of the nearest surface: how many pixels farther left it is "
        "in the right view"),
    NUMBER (min_peak, 0, 1, 0, "Minimum peak",
        "Reject matches with a lower confidence than this"),
    NUMBER (average, 1, POCSTEREO_MAX_AVERAGE, 1, "Average",
        "Number of frames over which phases are averaged, for scenes and "
        "cameras that do not move (1 = none)"),
    ONE_OF (candidates, candidates, 9, "Candidates",
        "In mode dense, how many disparities of the coarser layer a pixel "
        "tries: 1 = its parent's, 9 = those of its parent's neighbours, too"),
    SWITCH (left_right, true, "Left-right check",
        "In mode dense, match the right view too, and reject matches that it "
        "does not confirm"),
    NUMBER (max_difference, 0, POCSTEREO_MAX_DISPARITY, 1, "Maximum difference",
        "With left-right: maximum difference between the disparities of both "
        "views, pixels"),
    SWITCH (revote, true, "Vote again",
        "In mode dense, pixels near edges choose again among the disparities "
        "around them"),
    SWITCH (slant, false, "Slanted windows",
        "In mode dense, measure slanted surfaces again with windows that have "
        "the same slant; needs average=1"),
    NUMBER (speckle_size, 0, INT32_MAX, 100, "Speckle size",
        "In mode dense, reject patches with fewer pixels than this (0 = none)"),
    NUMBER (speckle_step, 0, POCSTEREO_MAX_DISPARITY, 1, "Speckle step",
        "Neighbours of one patch differ by at most this, pixels of disparity"),
    SWITCH (fill, true, "Fill gaps",
        "In mode dense with left-right, a pixel without a match takes the "
        "disparity that most pixels around it have, if both views allow it; "
        "what only one view shows stays without a match"),
    SWITCH (smooth, true, "Smooth surfaces",
        "In mode dense, smooth disparities within surfaces, not across edges"),
    {NULL}};

PocstereoParams
pocstereo_defaults (void)
{
  PocstereoParams p;

  params_defaults (pocstereo_params, &p);
  return p;
}

/* What 0 stands for.  Of every pixel, layers end where the grain of a surface
 * still shows: what begins wrong is seldom put right by finer ones. */
typedef struct {
  int window, lines, bandwidth, layers; /* layers 0: by the range */
  PocstereoWeight weight;
  PocstereoFit fit;
} Mode;

static const Mode paper = {
    32, 15, 8, 0, POCSTEREO_RECTANGLE, POCSTEREO_CLOSED_FORM};
static const Mode dense = {16, 11, 6, 3, POCSTEREO_GAUSSIAN, POCSTEREO_NEWTON};

void
pocstereo_settle (PocstereoParams *p, bool every_pixel)
{
  const Mode *mode = every_pixel ? &dense : &paper;

  p->window = p->window ? p->window : mode->window;
  p->lines = p->lines ? p->lines : mode->lines;
  if (!p->bandwidth)
    p->bandwidth = p->window * mode->bandwidth / mode->window;
  if (p->bandwidth < 1)
    p->bandwidth = 1;
  if (p->bandwidth > POCSTEREO_MAX_BANDWIDTH)
    p->bandwidth = POCSTEREO_MAX_BANDWIDTH;
  p->layers = p->layers ? p->layers : mode->layers;
  p->weight = p->weight ? p->weight : mode->weight;
  p->fit = p->fit ? p->fit : mode->fit;
}

PocstereoParams
pocstereo_dense_defaults (void)
{
  PocstereoParams p = pocstereo_defaults ();

  pocstereo_settle (&p, true);
  return p;
}

PocstereoParams
pocstereo_points_defaults (void)
{
  PocstereoParams p = pocstereo_defaults ();

  pocstereo_settle (&p, false);
  p.candidates = 1;
  p.left_right = p.revote = false;
  p.speckle_size = 0;
  p.fill = p.smooth = false;
  return p;
}
