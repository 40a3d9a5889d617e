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
    {"near", "Nearest depth", "Depth that counts begins here, metres", 0.01,
        100, AT (params.near)},
    {"far", "Farthest depth", "Depth that counts ends here, metres", 0.02, 100,
        AT (params.far)},
    {"table-tolerance", "Tolerance of the table",
        "What is no farther from its plane belongs to it, metres", 0.0001, 1,
        AT (params.table_tolerance)},
    {"table-low", "Least height",
        "What stands on the table begins here, metres above it", -1, 10,
        AT (params.table_low)},
    {"table-high", "Greatest height",
        "What stands on the table ends here, metres above it", 0, 100,
        AT (params.table_high)},
    {"normal-radius", "Radius of normals",
        "Points so near make the normal of one, metres", 0.001, 0.2,
        AT (params.normal_radius)},
    {"tolerance", "Tolerance", "Of depth in round 1, metres", 0.0005, 0.2,
        AT (params.tolerance)},
    {"free-gap", "Gap of free space",
        "Round 1: a point of the model lies in free space if so much nearer "
        "than what is seen, metres",
        0, 10, AT (params.free_gap)},
    {"free-part", "Part in free space",
        "Round 1: a pose with more than this part of its points in free space "
        "is dropped",
        0, 1, AT (params.free_part)},
    {"cluster-distance", "Distance of a cluster",
        "Poses whose middles are no farther apart, metres, and whose turns are "
        "alike are one",
        0, 10, AT (params.cluster_distance)},
    {"cluster-angle", "Angle of a cluster", "The same of their turns, degrees",
        0, 180, AT (params.cluster_angle)},
    {"range-edge", "Range edges",
        "How likely an edge of the object is where depth steps", 0, 1,
        AT (params.range_edge)},
    {"fold-edge", "Folds", "The same where the surface folds", 0, 1,
        AT (params.fold_edge)},
    {"image-edge", "Edges of brightness", "The same where brightness changes",
        0, 1, AT (params.image_edge)},
    {"range-sigma", "Deviation of depth", "Of the score, metres", 0.0001, 1,
        AT (params.range_sigma)},
    {"normal-sigma", "Deviation of normals", "Of the score, 1 - cosine", 0.001,
        2, AT (params.normal_sigma)},
    {"lab-sigma", "Deviation of colours", "Of the score, in L, a and b", 0.1,
        1000, AT (params.lab_sigma)},
    {"segment-sigma", "Deviation of segments",
        "Of the score: of their positions, metres", 0.001, 0.5,
        AT (params.segment_sigma)},
    {"visible-sigma", "Deviation of visibility",
        "So far behind what is seen a point still counts as seen, metres",
        0.0001, 1, AT (params.visible_sigma)},
    {"min-score", "Least score", "Objects of a lower score are none", 0, 1,
        AT (params.min_score)},
    {"least-own", "Least part of its own",
        "Of the surface that an object explains, less must not be left where "
        "better ones explain it too (0 = objects are told whatever others are)",
        0, 1, AT (params.least_own)},
    {"weight-xyz", "Weight", "Of a part of the score: depth", 0, 1000,
        AT (params.weight[SCOPEDETECT_XYZ])},
    {"weight-normal", "Weight", "Of a part of the score: normals", 0, 1000,
        AT (params.weight[SCOPEDETECT_NORMAL])},
    {"weight-visibility", "Weight",
        "Of a part of the score: how much of the model is seen", 0, 1000,
        AT (params.weight[SCOPEDETECT_VISIBILITY])},
    {"weight-edge", "Weight",
        "Of a part of the score: its range edges on the frame's edges", 0, 1000,
        AT (params.weight[SCOPEDETECT_EDGE])},
    {"weight-edge-visibility", "Weight",
        "Of a part of the score: how much of those is seen", 0, 1000,
        AT (params.weight[SCOPEDETECT_EDGE_VISIBILITY])},
    {"weight-affinity", "Weight",
        "Of a part of the score: segments that it cuts apart, in round 3", 0,
        1000, AT (params.weight[SCOPEDETECT_AFFINITY])},
    {"weight-segment", "Weight",
        "Of a part of the score: segments that it takes, from its surface", 0,
        1000, AT (params.weight[SCOPEDETECT_SEGMENT])},
    {"weight-lightness", "Weight", "Of a part of the score: colour: L of Lab",
        0, 1000, AT (params.weight[SCOPEDETECT_LIGHTNESS])},
    {"weight-colour-a", "Weight", "Of a part of the score: colour: a of Lab", 0,
        1000, AT (params.weight[SCOPEDETECT_COLOUR_A])},
    {"weight-colour-b", "Weight", "Of a part of the score: colour: b of Lab", 0,
        1000, AT (params.weight[SCOPEDETECT_COLOUR_B])},
    {"weight-table", "Weight",
        "Of a part of the score: how deep it sinks into the table", 0, 1000,
        AT (params.weight[SCOPEDETECT_TABLE])},
    {"weight-free", "Weight",
        "Of a part of the score: the part of it that lies in free space, in "
        "round 1",
        0, 1000, AT (params.weight[SCOPEDETECT_FREE])},
};

static const Whole wholes[] = {
    {"max-objects", "Objects of a model",
        "At most so many of each model are told", 1, SCOPEDETECT_MAX_OBJECTS,
        AT (params.max_objects)},
    {"queries", "Queries",
        "Features of the scene that are looked at, evenly chosen (0 = all)", 0,
        SCOPEDETECT_MAX_POINTS, AT (params.queries)},
    {"neighbours", "Neighbours",
        "Features of the model that each of them is compared with", 1, 32,
        AT (params.neighbours)},
    {"samples", "Samples", "With random, so many poses are drawn", 1, 20000,
        AT (params.samples)},
    {"kept", "Poses kept",
        "Without random, so many pass a check with few points", 1, 20000,
        AT (params.kept)},
    {"points", "Points", "Of the model, that are looked at in rounds 1 and 2",
        10, SCOPEDETECT_MAX_MODEL_POINTS, AT (params.points)},
    {"clusters", "Clusters", "Poses that are kept after round 1", 1, 2000,
        AT (params.clusters)},
    {"align", "Alignments", "Round 2: times that a pose is aligned by segments",
        0, 100, AT (params.align)},
    {"refine", "Refinements", "Steps of Gauss and Newton", 0, 100,
        AT (params.refine)},
    {"last", "Poses of round 3", "So many are kept for it", 1, 200,
        AT (params.last)},
    {"climb", "Steps uphill", "In round 3", 0, 100, AT (params.climb)},
    {"edge-blur", "Blur of edges", "Times that edges are blurred", 0, 16,
        AT (params.edge_blur)},
    {"lose-frames", "Frames to lose",
        "With tracking, an object that is not seen is occluded for so many "
        "frames, and looked for where it was, then lost",
        0, 10000, AT (lose_frames)},
    {"search-interval", "Interval of searches",
        "With tracking, while objects of some models are missing, a frame is "
        "searched as a whole every so many frames (0 = only when one is lost)",
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
