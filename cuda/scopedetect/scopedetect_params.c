/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect's parameters: ranges, defaults, texts, and presets. */
#include "scopedetect/scopedetect.h"

#define NUMBER(...) PARAM_NUMBER (ScopedetectParams, __VA_ARGS__)
#define SWITCH(...) PARAM_SWITCH (ScopedetectParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (ScopedetectParams, __VA_ARGS__)
#define WEIGHT(part, normal, property, ...) \
 NUMBER (weight[SCOPEDETECT_##part], 0, 1000, normal, __VA_ARGS__, \
     .name = property)

static const ParamChoice explanations[] = {
    {SCOPEDETECT_EACH, "Each object by itself", "none"},
    {SCOPEDETECT_CONTEST,
        "Of objects that explain the same surface, the one with the best score",
        "contest"},
    {SCOPEDETECT_ONE_STAGE, "The objects that together explain the frame best",
        "one-stage"},
    {0, NULL, NULL}};

/* Defaults are those of the preset fast. */
const Param scopedetect_params[] = {
    SWITCH (table, true, "Table",
        "The objects stand on a plane, which is found and left out"),
    SWITCH (random, false, "Random",
        "Round 1 draws poses at random, as in the thesis; otherwise it tries "
        "all neighbours of each feature"),
    NUMBER (seed, 0, UINT64_MAX, 0, "Seed", "Seed of all that is random"),
    NUMBER (near, .01, 100, .1, "Nearest depth",
        "Depth nearer than this is left out, metres"),
    NUMBER (far, .02, 100, 2, "Farthest depth",
        "Depth farther than this is left out, metres"),
    NUMBER (table_tolerance, .0001, 1, .008, "Tolerance of the table",
        "Points no farther than this from the plane of the table belong to it, "
        "metres"),
    NUMBER (table_low, -1, 10, .01, "Least height",
        "Points lower than this above the table are left out, metres"),
    NUMBER (table_high, 0, 100, .35, "Greatest height",
        "Points higher than this above the table are left out, metres"),
    NUMBER (normal_radius, .001, .2, .01, "Radius of normals",
        "The normal of a point is that of its neighbours within this distance, "
        "metres"),
    NUMBER (tolerance, .0005, .2, .015, "Tolerance",
        "Round 1 and refinement: how far the depth of a point of the model may "
        "be from the depth that is seen there, metres; more for a sensor whose "
        "depth is biased"),
    NUMBER (free_gap, 0, 10, .05, "Gap of free space",
        "Round 1: a point of the model lies in free space where it is nearer "
        "than what is seen there by more than this, metres"),
    NUMBER (free_part, 0, 1, .2, "Part in free space",
        "Round 1: a pose is dropped if more than this part of its points lies "
        "in free space"),
    NUMBER (cluster_distance, 0, 10, .025, "Distance of a cluster",
        "Poses count as one where their middles are no farther apart than "
        "this, metres, and cluster-angle holds, too"),
    NUMBER (cluster_angle, 0, 180, 22.5, "Angle of a cluster",
        "Poses count as one where they are turned against each other by no "
        "more than this, degrees, and cluster-distance holds, too"),
    NUMBER (range_edge, 0, 1, 1, "Range edges",
        "How likely an edge of the object is where depth steps; the three "
        "likelihoods of edges are added up"),
    NUMBER (fold_edge, 0, 1, 0, "Folds",
        "How likely an edge of the object is where the surface folds"),
    NUMBER (image_edge, 0, 1, .5, "Edges of brightness",
        "How likely an edge of the object is where brightness changes"),
    NUMBER (range_sigma, .0001, 1, .01, "Deviation of depth",
        "Standard deviation of depth in the score, where the noise model has "
        "1, metres"),
    NUMBER (normal_sigma, .001, 2, .5, "Deviation of normals",
        "Standard deviation of normals in the score, where the noise model has "
        "1, as 1 - cosine of the angle"),
    NUMBER (lab_sigma, .1, 1000, 15, "Deviation of colours",
        "Standard deviation of colours in the score, where the noise model has "
        "1, of L, a and b each"),
    NUMBER (segment_sigma, .001, .5, .01, "Deviation of segments",
        "Standard deviation of the positions of segments in the score, metres"),
    NUMBER (visible_sigma, .0001, 1, .01, "Deviation of visibility",
        "A point counts as seen if it is no farther than about this behind "
        "what is seen there, metres"),
    NUMBER (min_score, 0, 1, .1, "Least score",
        "Objects with a lower score are not reported"),
    ONE_OF (explain, explanations, SCOPEDETECT_CONTEST, "Explanation",
        "Which of the poses that were found are objects"),
    NUMBER (least_own, 0, 1, .5, "Least part of its own",
        "With explain=contest, an object is not reported if less than this "
        "part of the surface that "
        "it explains is left when objects with a better score have taken "
        "theirs (0 = each object by itself)"),
    NUMBER (candidates, 1, SCOPEDETECT_MAX_OBJECTS, 20, "Candidates",
        "With explain=one-stage, poses of each model among which is chosen; "
        "the 1024 best of all models count"),
    NUMBER (explain_steps, 1, 100000, 250, "Steps of the explanation",
        "With explain=one-stage, steps that each of the 16 searches takes for "
        "each candidate"),
    NUMBER (weight_fit, 0, 1000, 1, "Weight of the fit",
        "With explain=one-stage, what an object counts that is surely right"),
    NUMBER (weight_unexplained, 0, 1000, 1, "Weight of what is unexplained",
        "With explain=one-stage, what it counts that all of the frame's points "
        "on and above the table are explained"),
    NUMBER (weight_overlap, 0, 1000, .5, "Weight of overlap",
        "With explain=one-stage, what it costs that other objects explain all "
        "of an object's surface"),
    NUMBER (weight_object, 0, 1000, .45, "Weight of an object",
        "With explain=one-stage, what each object costs; in units of "
        "weight-fit, about the least score of what is reported"),
    WEIGHT (XYZ, 1, "weight-xyz", "Weight of depth",
        "Weight in the score: how well depth agrees"),
    WEIGHT (NORMAL, 1, "weight-normal", "Weight of normals",
        "Weight in the score: how well normals agree"),
    WEIGHT (VISIBILITY, 1, "weight-visibility", "Weight of visibility",
        "Weight in the score: how much of the model is seen"),
    WEIGHT (EDGE, 2, "weight-edge", "Weight of edges",
        "Weight in the score: how well the model's edges of depth lie on edges "
        "of the frame"),
    WEIGHT (EDGE_VISIBILITY, .5, "weight-edge-visibility",
        "Weight of visible edges",
        "Weight in the score: how many of the model's edges of depth are seen"),
    WEIGHT (AFFINITY, 0, "weight-affinity", "Weight of affinity",
        "Weight in the score of round 3: segments of the frame that the object "
        "cuts apart"),
    WEIGHT (SEGMENT, 0, "weight-segment", "Weight of segments",
        "Weight in the score: segments of the frame that lie on the object's "
        "surface"),
    WEIGHT (LIGHTNESS, .2, "weight-lightness", "Weight of lightness",
        "Weight in the score: how well L of the colour in Lab agrees"),
    WEIGHT (COLOUR_A, .2, "weight-colour-a", "Weight of colour a",
        "Weight in the score: how well a of the colour in Lab agrees"),
    WEIGHT (COLOUR_B, .2, "weight-colour-b", "Weight of colour b",
        "Weight in the score: how well b of the colour in Lab agrees"),
    WEIGHT (TABLE, .3, "weight-table", "Weight of the table",
        "Weight in the score: how deep the object sinks into the table"),
    WEIGHT (FREE, 0, "weight-free", "Weight of free space",
        "Weight in the score of round 1: the part of the object that lies in "
        "free space"),
    WEIGHT (FPFH, 0, "weight-fpfh", "Weight of features",
        "Weight in the score of round 3: how well features agree (0 = they are "
        "not compared again)"),
    WEIGHT (OCCLUSION, 0, "weight-occlusion", "Weight of occluding edges",
        "Weight in the score of round 3: how well edges of the frame bound "
        "what hides the object (0 = not computed)"),
    WEIGHT (WALK, 0, "weight-walk", "Weight of walks",
        "Weight in the score of round 3: how near the object's surface walks "
        "from it end that cross no edge (0 = not computed)"),
    NUMBER (max_objects, 1, SCOPEDETECT_MAX_OBJECTS, 1, "Objects of a model",
        "At most this many objects of each model are reported"),
    NUMBER (queries, 0, SCOPEDETECT_MAX_POINTS, 12000, "Queries",
        "Features of the frame that are looked up among those of the models, "
        "evenly chosen (0 = all)"),
    NUMBER (neighbours, 1, 32, 20, "Neighbours",
        "Features of a model, the most similar ones, that each feature of the "
        "frame is compared with"),
    NUMBER (samples, 1, 20000, 2000, "Samples",
        "Poses that are drawn in round 1 with random=true"),
    NUMBER (kept, 1, 20000, 8000, "Poses kept",
        "Poses that are kept in round 1 with random=false, after a check with "
        "few points of the model"),
    NUMBER (points, 10, SCOPEDETECT_MAX_MODEL_POINTS, 500, "Points",
        "Points of the model that rounds 1 and 2 look at"),
    NUMBER (clusters, 1, 2000, 400, "Clusters",
        "Poses that are kept after round 1"),
    NUMBER (align, 0, 100, 0, "Alignments",
        "Round 2: how often a pose is aligned with the segments of the frame"),
    NUMBER (refine, 0, 100, 10, "Refinements",
        "Steps of the Gauss-Newton method by which a pose is refined before "
        "the last score"),
    NUMBER (last, 1, 200, 50, "Poses of round 3",
        "Poses that are kept for round 3"),
    NUMBER (
        climb, 0, 100, 0, "Steps uphill", "Round 3: steps of hill climbing"),
    NUMBER (edge_blur, 0, 16, 6, "Blur of edges",
        "How often the likelihoods of edges are blurred"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Depth scale",
        "Metres that one unit of depth is"),
    {NULL}};

void
scopedetect_preset (ScopedetectParams *p, ScopedetectPreset preset)
{
  *p = (ScopedetectParams){.camera = {0}};
  params_defaults (scopedetect_params, p);
  if (preset == SCOPEDETECT_FAST)
    return;
  p->queries = 0;
  p->neighbours = 30;
  p->kept = 20000;
  p->refine = 20;
  if (preset == SCOPEDETECT_THOROUGH) {
    p->clusters = 1000;
    return;
  }
  p->random = true;
  p->tolerance = .01;
  p->align = 5;
  p->refine = 0;
  p->climb = 20;
  p->least_own = 0;
  p->weight[SCOPEDETECT_AFFINITY] = 1;
  p->weight[SCOPEDETECT_TABLE] = 0;
  p->weight[SCOPEDETECT_LIGHTNESS] = 0;
  p->weight[SCOPEDETECT_COLOUR_A] = p->weight[SCOPEDETECT_COLOUR_B] = 0;
}

static bool
within (double v, double low, double high)
{
  return v >= low && v <= high;
}

static const char *
check_camera (const ScopedetectCamera *c)
{
  if (!within (c->fx, 1, 1e6) || !within (c->fy, 1, 1e6) ||
      !within (c->cx, -1e5, 1e5) || !within (c->cy, -1e5, 1e5))
    return "the camera's intrinsics are missing or wrong: fx and fy must be 1 "
           "to 1000000 pixels, cx and cy -100000 to 100000";
  return NULL;
}

const char *
scopedetect_check (const ScopedetectParams *p)
{
  TRY (params_check (scopedetect_params, p));
  TRY (check_camera (&p->camera));
  if (p->far <= p->near)
    return "near must be less than far";
  if (p->explain == SCOPEDETECT_ONE_STAGE &&
      !(p->weight_fit > 0 || p->weight_unexplained > 0))
    return "of weight-fit and weight-unexplained one must be above 0, or "
           "nothing is worth explaining";
  return p->table_high <= p->table_low
      ? "table-low must be less than table-high"
      : NULL;
}
