/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo's parameters: ranges, defaults and texts; the values that 0 stands
 * for; the check. */
#include "common/rows.h"
#include "pocstereo/pocstereo.h"

#define ROWS_OF PocstereoParams

CHOICES (weights, {POCSTEREO_AUTO_WEIGHT, "auto", "Chosen by the mode"},
    {POCSTEREO_RECTANGLE, "rectangle", "The same weight up to the bandwidth"},
    {POCSTEREO_GAUSSIAN, "gaussian", "More weight for lower frequencies"});

CHOICES (fits, {POCSTEREO_AUTO_FIT, "auto", "Chosen by the mode"},
    {POCSTEREO_CLOSED_FORM, "closed-form",
        "The paper's model of the peak, from three samples"},
    {POCSTEREO_NEWTON, "newton", "The maximum of the correlation itself"},
    {POCSTEREO_TWO_WINDOWS, "two-windows",
        "Most exact for points: between two windows of the right view, with "
        "less weight for frequencies that scatter; in mode dense, as newton"});

CHOICES (candidates, {1, "1", "The parent's, as in the paper"},
    {9, "9", "Those of the parent's neighbours, too"});

const Param pocstereo_params[] = {
    NUMBER (window, 0, POCSTEREO_MAX_WINDOW, 0,
        "Number of samples of a line that are compared, at least 8 (0 = 32 for "
        "points, 16 for every pixel); 32 samples with 15 lines and 16 samples "
        "with 11 lines are fastest"),
    NUMBER (lines, 0, POCSTEREO_MAX_LINES, 0,
        "Lines of the window, odd (0 = 15 for points, 11 for every pixel)"),
    NUMBER (bandwidth, 0, POCSTEREO_MAX_BANDWIDTH, 0,
        "Frequencies to compare, less than half the window (0 = a quarter of "
        "it for points, three eighths for every pixel, at most 31)"),
    ONE_OF (weight, weights, POCSTEREO_AUTO_WEIGHT,
        "Weight of frequencies (auto: rectangle for points, else gaussian)"),
    ONE_OF (fit, fits, POCSTEREO_AUTO_FIT,
        "How the peak is found (auto: two-windows for points, else newton)"),
    NUMBER (noise_floor, 0, 255, 0,
        "Reduce the weight of frequencies with a lower amplitude than this, in "
        "grey levels of 255; this suppresses noise, but the height of the peak "
        "then says less about the match (0 = all have the same weight)"),
    NUMBER (layers, 0, POCSTEREO_MAX_LAYERS, 0,
        "Sizes at which views are searched, each half of the one before (0 = "
        "as many as the range needs for points, 3 for every pixel)"),
    NUMBER (min_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY, 0,
        "Disparity of the farthest surface: how many pixels farther left it is "
        "in the right view; negative for verged cameras"),
    NUMBER (max_disparity, -POCSTEREO_MAX_DISPARITY, POCSTEREO_MAX_DISPARITY,
        128,
        "Disparity of the nearest surface: how many pixels farther left it is "
        "in the right view"),
    NUMBER (
        min_peak, 0, 1, 0, "Reject matches with a lower confidence than this"),
    NUMBER (average, 1, POCSTEREO_MAX_AVERAGE, 1,
        "Number of frames over which phases are averaged, for scenes and "
        "cameras that do not move (1 = none)"),
    ONE_OF (candidates, candidates, 9,
        "In mode dense, how many disparities of the coarser layer a pixel "
        "tries: 1 = its parent's, 9 = those of its parent's neighbours, too"),
    TITLED ("Left-right check", SWITCH, left_right, true,
        "In mode dense, match the right view too, and reject matches that it "
        "does not confirm"),
    NUMBER (max_difference, 0, POCSTEREO_MAX_DISPARITY, 1,
        "With left-right: maximum difference between the disparities of both "
        "views, pixels"),
    TITLED ("Vote again", SWITCH, revote, true,
        "In mode dense, pixels near edges choose again among the disparities "
        "around them"),
    TITLED ("Choose along paths", SWITCH, paths, true,
        "With revote, the last choice is made along paths over the whole view: "
        "neighbours have like disparities, but where the grey changes"),
    TITLED ("Slanted windows", SWITCH, slant, false,
        "In mode dense, measure slanted surfaces again with windows that have "
        "the same slant; needs average=1"),
    NUMBER (speckle_size, 0, INT32_MAX, 100,
        "In mode dense, reject patches with fewer pixels than this (0 = none)"),
    NUMBER (speckle_step, 0, POCSTEREO_MAX_DISPARITY, 1,
        "Neighbours of one patch differ by at most this, pixels of disparity"),
    TITLED ("Fill gaps", SWITCH, fill, true,
        "In mode dense with left-right, a pixel without a match takes the "
        "disparity that most pixels around it have, if both views allow it; "
        "what only one view shows stays without a match"),
    TITLED ("Smooth surfaces", SWITCH, smooth, true,
        "In mode dense, smooth disparities within surfaces, not across edges"),
    {0}};

DEFAULTS (pocstereo_defaults, pocstereo_params, .window = 0)

/* The values that 0 stands for.  Every pixel has 3 layers: in coarser ones the
 * grain of a surface is gone, and finer layers seldom correct a disparity that
 * begins wrong. */
typedef struct {
  int window, lines, bandwidth, layers; /* layers 0: by the range */
  PocstereoWeight weight;
  PocstereoFit fit;
} Mode;

static const Mode points = {
    32, 15, 8, 0, POCSTEREO_RECTANGLE, POCSTEREO_TWO_WINDOWS};
static const Mode dense = {16, 11, 6, 3, POCSTEREO_GAUSSIAN, POCSTEREO_NEWTON};

void
pocstereo_settle (PocstereoParams *p, bool every_pixel)
{
  const Mode *mode = every_pixel ? &dense : &points;

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
  p.left_right = p.revote = p.paths = false;
  p.speckle_size = 0;
  p.fill = p.smooth = false;
  return p;
}

/* ---- The check ---- */

#define MIN_SIDE 4 /* of the coarsest layer, pixels */

static const char *
check_window_shape (const PocstereoParams *p, int width, int height)
{
  if (p->window < 8)
    return "window must be a number of samples, 8 to 128";
  if (p->lines % 2 == 0)
    return "lines must be an odd number, 1 to 31";
  if (p->bandwidth < 1 || p->bandwidth > (p->window - 1) / 2)
    return "bandwidth must be 1 to 31, and less than half the window";
  if (p->window > width || p->lines > height)
    return "the window is larger than the frame; take a smaller window or "
           "fewer lines";
  if (!p->weight || !p->fit)
    return "weight or fit is not settled";
  return NULL;
}

static const char *
check_disparity_range (const PocstereoParams *p, int width, int height)
{
  int side = width < height ? width : height;

  if (p->min_disparity > p->max_disparity)
    return "min-disparity is greater than max-disparity; swap them";
  if (p->layers > 1 && side >> (p->layers - 1) < MIN_SIDE)
    return "the frame is too small for so many layers; set fewer, or 0";
  return NULL;
}

const char *
pocstereo_check (const PocstereoParams *p, int width, int height)
{
  TRY (params_check (pocstereo_params, p));
  TRY (check_window_shape (p, width, height));
  TRY (check_disparity_range (p, width, height));
  if (p->average > 1 && p->slant)
    return "slanted windows are of one frame; set slant=false, or average=1";
  return NULL;
}

/* The paper's 4 layers reach 64 pixels each way of the middle; each further
 * layer doubles the reach. */
int
pocstereo_layers (const PocstereoParams *p, int width, int height)
{
  int side = width < height ? width : height, layers = 4;

  if (p->layers)
    return p->layers;
  while (layers < POCSTEREO_MAX_LAYERS &&
      (p->max_disparity - p->min_disparity) >> layers > 8)
    layers++;
  while (layers > 1 && side >> (layers - 1) < MIN_SIDE)
    layers--;
  return layers;
}
