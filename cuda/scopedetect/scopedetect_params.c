/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters of scopedetect: ranges, defaults and texts. */
#include "common/rows.h"
#include "scopedetect/scopedetect.h"

#define ROWS_OF ScopedetectParams

/* A row of the weight of a part of the score; the weight of XYZ is the property
 * "weight-xyz". */
#define WEIGHT(part, normal, title_, ...) \
 TITLED (title_, NUMBER, weight[SCOPEDETECT_##part], 0, 1000, normal, \
     __VA_ARGS__, .name = "weight-" #part)

CHOICES (explanations,
    {SCOPEDETECT_EACH, "none", "Each object is judged by itself"},
    {SCOPEDETECT_CONTEST, "contest",
        "Of objects that explain the same surface, the one with the highest "
        "score"},
    {SCOPEDETECT_ONE_STAGE, "one-stage",
        "The objects that together explain the frame best"},
    {SCOPEDETECT_TWO_STAGE, "two-stage",
        "As one-stage, with a second search in what the first leaves"});

CHOICES (explain_scores,
    {SCOPEDETECT_SCORE_LEARNED, "learned",
        "The log-odds that a pose is right, learned from generated scenes; "
        "gains and overlap are sums over objects"},
    {SCOPEDETECT_SCORE_THESIS, "thesis",
        "The score of a pose, as in the thesis; the gain is the mean over all "
        "points of the frame, and overlap is the mean over objects"});

CHOICES (schedules,
    {SCOPEDETECT_SCHEDULE_METROPOLIS, "metropolis",
        "A worse assignment is accepted; the worse it is, the less often"},
    {SCOPEDETECT_SCHEDULE_THESIS, "thesis",
        "A worse assignment is accepted in half of the cases at first, then "
        "less often"});

const Param scopedetect_params[] = {
    SWITCH (
        table, true, "Objects stand on a plane, which is detected and removed"),
    SWITCH (random, false,
        "Round 1 draws poses at random, as in the thesis; if false, it tries "
        "all neighbours of each feature"),
    NUMBER (seed, 0, UINT64_MAX, 0, "Seed of the random numbers"),
    TITLED ("Minimum depth", NUMBER, near, .01, 100, .1,
        "Ignore depth nearer than this, metres"),
    TITLED ("Maximum depth", NUMBER, far, .02, 100, 2,
        "Ignore depth farther than this, metres, except as background at the "
        "edges of what is nearer"),
    TITLED ("Tolerance of the table", NUMBER, table_tolerance, .0001, 1, .008,
        "Points at most this far from the plane of the table belong to it, "
        "metres"),
    TITLED ("Minimum height", NUMBER, table_low, -1, 10, .01,
        "Ignore points lower than this above the table, metres"),
    TITLED ("Maximum height", NUMBER, table_high, 0, 100, .35,
        "Ignore points higher than this above the table, metres"),
    TITLED ("Radius of normals", NUMBER, normal_radius, .001, .2, .01,
        "Radius of the neighbourhood from which the normal of a point is "
        "computed, metres"),
    NUMBER (tolerance, .0005, .2, .015,
        "Round 1 and refinement: maximum difference between the depth of a "
        "model point and the measured depth, metres; a sensor with biased "
        "depth needs more"),
    TITLED ("Gap of free space", NUMBER, free_gap, 0, 10, .05,
        "A model point is in free space if it is nearer than the measured "
        "depth by more than this, metres"),
    TITLED ("Part in free space", NUMBER, free_part, 0, 1, 1,
        "Round 1: reject a pose if more than this part of its points is in "
        "free space (1 = reject none)"),
    TITLED ("Distance of a cluster", NUMBER, cluster_distance, 0, 10, .025,
        "Two poses belong to one cluster if their centres are at most this far "
        "apart, metres, and cluster-angle holds, too"),
    TITLED ("Angle of a cluster", NUMBER, cluster_angle, 0, 180, 22.5,
        "Two poses belong to one cluster if the angle between their "
        "orientations is at most this, degrees, and cluster-distance holds, "
        "too"),
    TITLED ("Range edges", NUMBER, range_edge, 0, 1, 1,
        "Likelihood of an edge of the object at a step of depth; it is added "
        "to those of fold-edge and image-edge"),
    TITLED ("Folds", NUMBER, fold_edge, 0, 1, 0,
        "Likelihood of an edge of the object at a fold of the surface"),
    TITLED ("Edges of brightness", NUMBER, image_edge, 0, 1, .5,
        "Likelihood of an edge of the object at a change of brightness"),
    TITLED ("Deviation of depth", NUMBER, range_sigma, .0001, 1, .01,
        "Standard deviation of depth in the score at factor 1 of the noise "
        "model, metres"),
    TITLED ("Deviation of normals", NUMBER, normal_sigma, .001, 2, .5,
        "Standard deviation of normals in the score at factor 1 of the noise "
        "model, as 1 - cosine of the angle"),
    TITLED ("Deviation of colours", NUMBER, lab_sigma, .1, 1000, 15,
        "Standard deviation of L, a and b each in the score at factor 1 of the "
        "noise model"),
    TITLED ("Deviation of segments", NUMBER, segment_sigma, .001, .5, .01,
        "Standard deviation of the positions of segments in the score, metres"),
    TITLED ("Deviation of visibility", NUMBER, visible_sigma, .0001, 1, .01,
        "A model point is visible if it is at most about this far behind the "
        "measured depth, metres"),
    NUMBER (min_score, 0, 1, .1, "Reject objects with a lower score than this"),
    TITLED ("Explanation", ONE_OF, explain, explanations, SCOPEDETECT_ONE_STAGE,
        "How objects are chosen among the poses that were found"),
    TITLED ("Minimum own part", NUMBER, least_own, 0, 1, .5,
        "With explain=contest, reject an object if less than this part of the "
        "surface that it explains remains after objects with higher scores "
        "have taken theirs (0 = each object is judged by itself)"),
    TITLED ("Score of the explanation", ONE_OF, explain_score, explain_scores,
        SCOPEDETECT_SCORE_LEARNED,
        "With explain=one-stage or two-stage, what an object gains by its fit "
        "to the frame; weights of one score do not suit the other"),
    NUMBER (candidates, 1, SCOPEDETECT_MAX_OBJECTS, 20,
        "With explain=one-stage or two-stage, number of poses of each model to "
        "choose from; at most the 1024 best of all models"),
    ONE_OF (schedule, schedules, SCOPEDETECT_SCHEDULE_METROPOLIS,
        "With explain=one-stage or two-stage, how a search for the explanation "
        "accepts an assignment that scores less"),
    NUMBER (restarts, 1, SCOPEDETECT_MAX_RESTARTS, 128,
        "With explain=one-stage or two-stage, number of searches for the "
        "explanation, each of which starts anew; with schedule=metropolis and "
        "neither max-time nor max-steps, up to 32 times as many, until a "
        "quarter of them end with the best one"),
    TITLED ("Steps of the explanation", NUMBER, explain_steps, 1, 100000, 32,
        "With schedule=metropolis, number of steps that each search for the "
        "explanation takes for each candidate"),
    TITLED ("Steps of a restart", NUMBER, restart_steps, 1, 4000000, 2000000,
        "With schedule=thesis, number of steps that each search for the "
        "explanation takes"),
    NUMBER (max_time, 0, 3600000, 0,
        "With explain=one-stage or two-stage, stop the searches for the "
        "explanation of a frame after this time and use the best one so far, "
        "milliseconds (0 = no limit); the number of steps until then is in "
        "stats"),
    NUMBER (max_steps, 0, 1000000000, 0,
        "With explain=one-stage or two-stage, stop each search for the "
        "explanation of a frame after this number of steps, of both stages "
        "together, and use the best one so far (0 = no limit)"),
    TITLED ("Weight of unexplained points in stage 1", NUMBER,
        first_weight_unexplained, 0, 1000, 0,
        "With explain=two-stage, weight-unexplained of the first stage"),
    TITLED ("Weight of overlap in stage 1", NUMBER, first_weight_overlap, 0,
        1000, .5, "With explain=two-stage, weight-overlap of the first stage"),
    TITLED ("Weight of an object in stage 1", NUMBER, first_weight_object, 0,
        1000, .06, "With explain=two-stage, weight-object of the first stage"),
    NUMBER (min_rest, 1, SCOPEDETECT_MAX_POINTS, 200,
        "Leave out the second stage of explain=two-stage, or a search of what "
        "followed objects leave, if fewer points of the frame than this are "
        "unexplained"),
    TITLED ("Fix the first stage", SWITCH, fix_first, false,
        "With explain=two-stage, the second stage keeps all objects of the "
        "first one; if false, it may replace them"),
    TITLED ("Weight of the fit", NUMBER, weight_fit, 0, 1000, 1,
        "With explain=one-stage or two-stage, gain from an object with "
        "log-odds of 8, which is certainly right; the gain from others is in "
        "proportion to their log-odds"),
    TITLED ("Weight of unexplained points", NUMBER, weight_unexplained, 0, 1000,
        .5,
        "With explain=one-stage or two-stage, gain from an explanation of all "
        "points of the frame on and above the table"),
    TITLED ("Weight of overlap", NUMBER, weight_overlap, 0, 1000, .5,
        "With explain=one-stage or two-stage, cost of an object whose whole "
        "surface other objects explain, too"),
    TITLED ("Weight of an object", NUMBER, weight_object, 0, 1000, .06,
        "With explain=one-stage or two-stage, cost of each object; by default, "
        "it equals the gain from the fit of an object with a score of 0.62"),
    WEIGHT (
        XYZ, 1, "Weight of depth", "Weight in the score: agreement of depth"),
    WEIGHT (NORMAL, 1, "Weight of normals",
        "Weight in the score: agreement of normals"),
    WEIGHT (VISIBILITY, 1, "Weight of visibility",
        "Weight in the score: visible part of the model"),
    WEIGHT (EDGE, 2, "Weight of edges",
        "Weight in the score: agreement of the model's edges of depth with "
        "edges of the frame"),
    WEIGHT (EDGE_VISIBILITY, .5, "Weight of visible edges",
        "Weight in the score: visible part of the model's edges of depth"),
    WEIGHT (AFFINITY, 0, "Weight of affinity",
        "Weight in the score of round 3: segments of the frame that the object "
        "divides"),
    WEIGHT (SEGMENT, 0, "Weight of segments",
        "Weight in the score: segments of the frame that lie on the object's "
        "surface"),
    WEIGHT (LIGHTNESS, .2, "Weight of lightness",
        "Weight in the score: agreement of L of the colour in Lab"),
    WEIGHT (COLOUR_A, .2, "Weight of colour a",
        "Weight in the score: agreement of a of the colour in Lab"),
    WEIGHT (COLOUR_B, .2, "Weight of colour b",
        "Weight in the score: agreement of b of the colour in Lab"),
    WEIGHT (TABLE, .3, "Weight of the table",
        "Weight in the score: depth to which the object sinks into the table"),
    WEIGHT (FREE, 0, "Weight of free space",
        "Weight in the score: part of the object's surface in free space"),
    TITLED ("Maximum number of objects", NUMBER, max_objects, 1,
        SCOPEDETECT_MAX_OBJECTS, 1,
        "Report at most this many objects of each model"),
    TITLED ("Maximum number of models", NUMBER, max_models, 0,
        SCOPEDETECT_MAX_MODELS, 0,
        "Search a frame for at most this many models, those whose objects a "
        "short search for all models finds likeliest (0 = all models); "
        "tracking looks for all known objects"),
    NUMBER (queries, 0, SCOPEDETECT_MAX_POINTS, 12000,
        "Number of features of the frame that are looked up among those of the "
        "models, evenly chosen (0 = all)"),
    NUMBER (neighbours, 1, 32, 20,
        "Number of features of a model with which each feature of the frame is "
        "paired: the most similar ones"),
    NUMBER (samples, 1, 20000, 2000,
        "Number of poses that are drawn in round 1 with random=true"),
    TITLED ("Poses kept", NUMBER, kept, 1, 20000, 8000,
        "Number of poses that are kept in round 1 with random=false, after a "
        "check with few points of the model"),
    NUMBER (points, 10, SCOPEDETECT_MAX_MODEL_POINTS, 500,
        "Number of points of the model that rounds 1 and 2 use"),
    NUMBER (
        clusters, 1, 2000, 400, "Number of poses that are kept after round 1"),
    TITLED ("Alignments", NUMBER, align, 0, 100, 0,
        "Round 2: number of times that a pose is aligned with the segments of "
        "the frame"),
    TITLED ("Refinements", NUMBER, refine, 0, 100, 10,
        "Number of Gauss-Newton steps that refine a pose before the last "
        "score"),
    TITLED ("Poses of round 3", NUMBER, last, 1, 200, 50,
        "Number of poses that are kept for round 3"),
    TITLED ("Steps of hill climbing", NUMBER, climb, 0, 100, 0,
        "Round 3: number of steps of hill climbing"),
    TITLED ("Blur of edges", NUMBER, edge_blur, 0, 16, 6,
        "Number of times that the likelihoods of edges are blurred"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Metres per unit of depth"), {0}};

DEFAULTS (
    scopedetect_defaults, scopedetect_params, .camera = {.fx = 0}) /* unknown */

static bool
is_between (double v, double low, double high)
{
  return v >= low && v <= high;
}

static const char *
check_intrinsics (const Camera *c)
{
  if (!is_between (c->fx, 1, 1e6) || !is_between (c->fy, 1, 1e6) ||
      !is_between (c->cx, -1e5, 1e5) || !is_between (c->cy, -1e5, 1e5))
    return "the camera's intrinsics are missing or wrong: fx and fy must be 1 "
           "to 1000000 pixels, cx and cy -100000 to 100000";
  return NULL;
}

/* Whether the rays of the first and the last of @n pixels have at most
 * SCOPEDETECT_MAX_SLOPE. */
static bool
are_rays_between (double f, double c, int n)
{
  return is_between (c / f, -SCOPEDETECT_MAX_SLOPE, SCOPEDETECT_MAX_SLOPE) &&
      is_between (
          (n - 1 - c) / f, -SCOPEDETECT_MAX_SLOPE, SCOPEDETECT_MAX_SLOPE);
}

const char *
scopedetect_check_camera (const Camera *c, int width, int height)
{
  TRY (check_intrinsics (c));
  return are_rays_between (c->fx, c->cx, width) &&
          are_rays_between (c->fy, c->cy, height)
      ? NULL
      : "the camera's intrinsics do not fit the frame's size: rays to its "
        "corners are nearly at right angles to the optical axis";
}

#define LEAST_WEIGHT .001 /* weights of an explanation count in 1/1024 */

/* Whether at least one weight of the score is above 0. */
static bool
is_any_weighed (const ScopedetectParams *p)
{
  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    if (p->weight[k] > 0)
      return true;
  return false;
}

const char *
scopedetect_check (const ScopedetectParams *p)
{
  TRY (params_check (scopedetect_params, p));
  TRY (check_intrinsics (&p->camera));
  if (p->far <= p->near)
    return "near must be less than far";
  if (p->explain >= SCOPEDETECT_ONE_STAGE &&
      !(p->weight_fit >= LEAST_WEIGHT || p->weight_unexplained >= LEAST_WEIGHT))
    return "of weight-fit and weight-unexplained one must be 0.001 or more, or "
           "nothing is worth explaining";
  if (!is_any_weighed (p))
    return "of the weights of the score, weight-xyz to weight-free, one must "
           "be above 0, or all poses are as good";
  return p->table_high <= p->table_low
      ? "table-low must be less than table-high"
      : NULL;
}
