/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The properties that are numbers: those of ScopedetectParams, with the ranges
 * of scopedetect_check () and the defaults of its preset fast. */
#include "scopedetect/gstscopedetect.h"

#define AT(field) G_STRUCT_OFFSET (GstScopedetect, field)
#define DEFAULT_SEARCH_INTERVAL 30
#define DEFAULT_LOSE_FRAMES 15

typedef struct {
  const gchar *name, *nick, *blurb;
  gdouble least, most;
  gsize place;
} Number;

typedef struct {
  const gchar *name, *nick, *blurb;
  gint least, most;
  gsize place;
} Whole;

static const Number numbers[] = {
    {"near", "Nearest depth", "Depth nearer than this is left out, metres",
        0.01, 100, AT (params.near)},
    {"far", "Farthest depth", "Depth farther than this is left out, metres",
        0.02, 100, AT (params.far)},
    {"table-tolerance", "Tolerance of the table",
        "Points no farther than this from the plane of the table belong to it, "
        "metres",
        0.0001, 1, AT (params.table_tolerance)},
    {"table-low", "Least height",
        "Points lower than this above the table are left out, metres", -1, 10,
        AT (params.table_low)},
    {"table-high", "Greatest height",
        "Points higher than this above the table are left out, metres", 0, 100,
        AT (params.table_high)},
    {"normal-radius", "Radius of normals",
        "The normal of a point is that of its neighbours within this distance, "
        "metres",
        0.001, 0.2, AT (params.normal_radius)},
    {"tolerance", "Tolerance",
        "Round 1 and refinement: how far the depth of a point of the model may "
        "be from the depth that is seen there, metres; more for a sensor whose "
        "depth is biased",
        0.0005, 0.2, AT (params.tolerance)},
    {"free-gap", "Gap of free space",
        "Round 1: a point of the model lies in free space where it is nearer "
        "than what is seen there by more than this, metres",
        0, 10, AT (params.free_gap)},
    {"free-part", "Part in free space",
        "Round 1: a pose is dropped if more than this part of its points lies "
        "in free space",
        0, 1, AT (params.free_part)},
    {"cluster-distance", "Distance of a cluster",
        "Poses count as one where their middles are no farther apart than "
        "this, metres, and cluster-angle holds, too",
        0, 10, AT (params.cluster_distance)},
    {"cluster-angle", "Angle of a cluster",
        "Poses count as one where they are turned against each other by no "
        "more than this, degrees, and cluster-distance holds, too",
        0, 180, AT (params.cluster_angle)},
    {"range-edge", "Range edges",
        "How likely an edge of the object is where depth steps; the three "
        "likelihoods of edges are added up",
        0, 1, AT (params.range_edge)},
    {"fold-edge", "Folds",
        "How likely an edge of the object is where the surface folds", 0, 1,
        AT (params.fold_edge)},
    {"image-edge", "Edges of brightness",
        "How likely an edge of the object is where brightness changes", 0, 1,
        AT (params.image_edge)},
    {"range-sigma", "Deviation of depth",
        "Standard deviation of depth in the score, where the noise model has "
        "1, metres",
        0.0001, 1, AT (params.range_sigma)},
    {"normal-sigma", "Deviation of normals",
        "Standard deviation of normals in the score, where the noise model has "
        "1, as 1 - cosine of the angle",
        0.001, 2, AT (params.normal_sigma)},
    {"lab-sigma", "Deviation of colours",
        "Standard deviation of colours in the score, where the noise model has "
        "1, of L, a and b each",
        0.1, 1000, AT (params.lab_sigma)},
    {"segment-sigma", "Deviation of segments",
        "Standard deviation of the positions of segments in the score, metres",
        0.001, 0.5, AT (params.segment_sigma)},
    {"visible-sigma", "Deviation of visibility",
        "A point counts as seen if it is no farther than about this behind "
        "what is seen there, metres",
        0.0001, 1, AT (params.visible_sigma)},
    {"min-score", "Least score", "Objects with a lower score are not reported",
        0, 1, AT (params.min_score)},
    {"least-own", "Least part of its own",
        "An object is not reported if less than this part of the surface that "
        "it explains is left when objects with a better score have taken "
        "theirs (0 = each object by itself)",
        0, 1, AT (params.least_own)},
    {"weight-xyz", "Weight of depth",
        "Weight in the score: how well depth agrees", 0, 1000,
        AT (params.weight[SCOPEDETECT_XYZ])},
    {"weight-normal", "Weight of normals",
        "Weight in the score: how well normals agree", 0, 1000,
        AT (params.weight[SCOPEDETECT_NORMAL])},
    {"weight-visibility", "Weight of visibility",
        "Weight in the score: how much of the model is seen", 0, 1000,
        AT (params.weight[SCOPEDETECT_VISIBILITY])},
    {"weight-edge", "Weight of edges",
        "Weight in the score: how well the model's edges of depth lie on edges "
        "of the frame",
        0, 1000, AT (params.weight[SCOPEDETECT_EDGE])},
    {"weight-edge-visibility", "Weight of visible edges",
        "Weight in the score: how many of the model's edges of depth are seen",
        0, 1000, AT (params.weight[SCOPEDETECT_EDGE_VISIBILITY])},
    {"weight-affinity", "Weight of affinity",
        "Weight in the score of round 3: segments of the frame that the object "
        "cuts apart",
        0, 1000, AT (params.weight[SCOPEDETECT_AFFINITY])},
    {"weight-segment", "Weight of segments",
        "Weight in the score: segments of the frame that lie on the object's "
        "surface",
        0, 1000, AT (params.weight[SCOPEDETECT_SEGMENT])},
    {"weight-lightness", "Weight of lightness",
        "Weight in the score: how well L of the colour in Lab agrees", 0, 1000,
        AT (params.weight[SCOPEDETECT_LIGHTNESS])},
    {"weight-colour-a", "Weight of colour a",
        "Weight in the score: how well a of the colour in Lab agrees", 0, 1000,
        AT (params.weight[SCOPEDETECT_COLOUR_A])},
    {"weight-colour-b", "Weight of colour b",
        "Weight in the score: how well b of the colour in Lab agrees", 0, 1000,
        AT (params.weight[SCOPEDETECT_COLOUR_B])},
    {"weight-table", "Weight of the table",
        "Weight in the score: how deep the object sinks into the table", 0,
        1000, AT (params.weight[SCOPEDETECT_TABLE])},
    {"weight-free", "Weight of free space",
        "Weight in the score of round 1: the part of the object that lies in "
        "free space",
        0, 1000, AT (params.weight[SCOPEDETECT_FREE])},
    {"weight-fpfh", "Weight of features",
        "Weight in the score of round 3: how well features agree (0 = they are "
        "not compared again)",
        0, 1000, AT (params.weight[SCOPEDETECT_FPFH])},
    {"weight-occlusion", "Weight of occluding edges",
        "Weight in the score of round 3: how well edges of the frame bound "
        "what hides the object (0 = not computed)",
        0, 1000, AT (params.weight[SCOPEDETECT_OCCLUSION])},
    {"weight-walk", "Weight of walks",
        "Weight in the score of round 3: how near the object's surface walks "
        "from it end that cross no edge (0 = not computed)",
        0, 1000, AT (params.weight[SCOPEDETECT_WALK])},
};

static const Whole wholes[] = {
    {"max-objects", "Objects of a model",
        "At most this many objects of each model are reported", 1,
        SCOPEDETECT_MAX_OBJECTS, AT (params.max_objects)},
    {"queries", "Queries",
        "Features of the frame that are looked up among those of the models, "
        "evenly chosen (0 = all)",
        0, SCOPEDETECT_MAX_POINTS, AT (params.queries)},
    {"neighbours", "Neighbours",
        "Features of a model, the most similar ones, that each feature of the "
        "frame is compared with",
        1, 32, AT (params.neighbours)},
    {"samples", "Samples", "Poses that are drawn in round 1 with random=true",
        1, 20000, AT (params.samples)},
    {"kept", "Poses kept",
        "Poses that are kept in round 1 with random=false, after a check with "
        "few points of the model",
        1, 20000, AT (params.kept)},
    {"points", "Points", "Points of the model that rounds 1 and 2 look at", 10,
        SCOPEDETECT_MAX_MODEL_POINTS, AT (params.points)},
    {"clusters", "Clusters", "Poses that are kept after round 1", 1, 2000,
        AT (params.clusters)},
    {"align", "Alignments",
        "Round 2: how often a pose is aligned with the segments of the frame",
        0, 100, AT (params.align)},
    {"refine", "Refinements",
        "Steps of the Gauss-Newton method by which a pose is refined before "
        "the last score",
        0, 100, AT (params.refine)},
    {"last", "Poses of round 3", "Poses that are kept for round 3", 1, 200,
        AT (params.last)},
    {"climb", "Steps uphill", "Round 3: steps of hill climbing", 0, 100,
        AT (params.climb)},
    {"edge-blur", "Blur of edges",
        "How often the likelihoods of edges are blurred", 0, 16,
        AT (params.edge_blur)},
    {"lose-frames", "Frames to lose",
        "With tracking, an object that is not seen is occluded and looked for "
        "where it was last for this many frames, then lost",
        0, 10000, AT (lose_frames)},
    {"search-interval", "Interval of searches",
        "With tracking, while objects of some models are missing, a frame is "
        "searched as a whole every so many frames (0 = only when an object is "
        "lost)",
        0, G_MAXINT, AT (search_interval)},
};

G_STATIC_ASSERT (G_N_ELEMENTS (numbers) + G_N_ELEMENTS (wholes) ==
    GST_SCOPEDETECT_N_NUMBERS);

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT | \
     GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)

void
gst_scopedetect_install_numbers (GObjectClass *klass, guint first_id)
{
  GstScopedetect d = {.search_interval = DEFAULT_SEARCH_INTERVAL,
      .lose_frames = DEFAULT_LOSE_FRAMES};
  guint id = first_id;

  scopedetect_preset (&d.params, SCOPEDETECT_FAST);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    const Number *n = &numbers[i];

    g_object_class_install_property (klass, id++,
        g_param_spec_double (n->name, n->nick, n->blurb, n->least, n->most,
            G_STRUCT_MEMBER (gdouble, &d, n->place), LIVE));
  }
  for (guint i = 0; i < G_N_ELEMENTS (wholes); i++) {
    const Whole *n = &wholes[i];

    g_object_class_install_property (klass, id++,
        g_param_spec_int (n->name, n->nick, n->blurb, n->least, n->most,
            G_STRUCT_MEMBER (gint, &d, n->place), LIVE));
  }
}

gpointer
gst_scopedetect_number (GstScopedetect *self, guint i)
{
  return G_STRUCT_MEMBER_P (self,
      i < G_N_ELEMENTS (numbers) ? numbers[i].place
                                 : wholes[i - G_N_ELEMENTS (numbers)].place);
}
