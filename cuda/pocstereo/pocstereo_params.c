/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo's parameters: ranges, defaults and texts; and what 0 means. */
#include "pocstereo/pocstereo.h"

static const ParamChoice weights[] = {
    {POCSTEREO_AUTO_WEIGHT, "As suits the mode", "auto"},
    {POCSTEREO_RECTANGLE, "All up to the bandwidth alike", "rectangle"},
    {POCSTEREO_GAUSSIAN, "The lower ones more", "gaussian"}, {0, NULL, NULL}};

static const ParamChoice fits[] = {
    {POCSTEREO_AUTO_FIT, "As suits the mode", "auto"},
    {POCSTEREO_CLOSED_FORM,
        "The peak's model, solved for three samples (the paper's)",
        "closed-form"},
    {POCSTEREO_NEWTON, "The maximum of the correlation itself", "newton"},
    {0, NULL, NULL}};

static const ParamChoice candidates[] = {
    {1, "Its parent's, as in the paper", "1"}, {9, "Those around it, too", "9"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (PocstereoParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (PocstereoParams, __VA_ARGS__)
#define SWITCH(...) PARAM_SWITCH (PocstereoParams, __VA_ARGS__)

const Param pocstereo_params[] = {
    NUMBER (window, 0, POCSTEREO_MAX_WINDOW, 0, "Window",
        "Samples of a line that are compared, from 8 on (0 = 32 for points, "
        "16 for every pixel; with 15 and 11 lines, these are the fast ones)"),
    NUMBER (lines, 0, POCSTEREO_MAX_LINES, 0, "Lines",
        "Lines of the window, an odd number (0 = 15 for points, 11 for every "
        "pixel)"),
    NUMBER (bandwidth, 0, POCSTEREO_MAX_BANDWIDTH, 0, "Bandwidth",
        "Frequencies that count, less than half the window (0 = a quarter of "
        "it for points, three eighths for every pixel, at most 31)"),
    ONE_OF (weight, weights, POCSTEREO_AUTO_WEIGHT, "Weight",
        "How frequencies count (auto: rectangle for points, gaussian for "
        "every pixel)"),
    ONE_OF (fit, fits, POCSTEREO_AUTO_FIT, "Fit",
        "How the peak is found between samples (auto: closed-form for "
        "points, newton for every pixel)"),
    NUMBER (noise_floor, 0, 255, 0, "Noise floor",
        "Frequencies with a lower amplitude than this count for less, in "
        "grey levels of 255; it helps against noise, but the peak then says "
        "less about the match (0 = all alike)"),
    NUMBER (layers, 0, POCSTEREO_MAX_LAYERS, 0, "Layers",
        "Sizes at which the views are searched, each half of the one before "
        "(0 = as many as the range needs)"),
    NUMBER (min_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY, 0,
        "Least disparity",
        "Pixels by which what is farthest away is further left in the right "
        "view; below 0 for verged cameras"),
    NUMBER (max_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY,
        128, "Greatest disparity",
        "Pixels by which what is nearest is further left in the right view"),
    NUMBER (min_peak, 0, 1, 0, "Least peak",
        "Matches with a lower confidence than this are dropped"),
    NUMBER (average, 1, POCSTEREO_MAX_AVERAGE, 1, "Average",
        "Frames over which phases are averaged, for scenes and cameras that "
        "stand still (1 = none)"),
    ONE_OF (candidates, candidates, 9, "Candidates",
        "In mode dense, how many disparities of the layer above a pixel "
        "tries: 1, its parent's, as in the paper, or 9, those around it too"),
    SWITCH (left_right, true, "Left-right check",
        "In mode dense, match the right view too, and drop matches that it "
        "does not confirm"),
    NUMBER (max_difference, 0, POCSTEREO_MAX_DISPARITY, 1,
        "Greatest difference",
        "With left-right: pixels by which the disparities of both views may "
        "differ"),
    SWITCH (revote, true, "Vote again",
        "In mode dense, pixels near edges choose again among the disparities "
        "around them"),
    SWITCH (slant, false, "Slanted windows",
        "In mode dense, measure slanted surfaces again with windows that are "
        "slanted like them; needs average=1"),
    NUMBER (speckle_size, 0, INT32_MAX, 200, "Size of specks",
        "In mode dense, patches with fewer pixels than this are dropped (0 = "
        "none)"),
    NUMBER (speckle_step, 0, POCSTEREO_MAX_DISPARITY, 1, "Step of specks",
        "Neighbours belong to one patch where their disparities differ by at "
        "most this, pixels"),
    {NULL}};

PocstereoParams
pocstereo_defaults (void)
{
  PocstereoParams p;

  params_defaults (pocstereo_params, &p);
  return p;
}

/* What 0 stands for. */
typedef struct {
  int window, lines, bandwidth;
  PocstereoWeight weight;
  PocstereoFit fit;
} Mode;

static const Mode paper = {
    32, 15, 8, POCSTEREO_RECTANGLE, POCSTEREO_CLOSED_FORM};
static const Mode dense = {16, 11, 6, POCSTEREO_GAUSSIAN, POCSTEREO_NEWTON};

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
  return p;
}
