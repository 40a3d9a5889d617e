/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From hypotheses to the objects that explain a scene together (thesis, chapter
 * 2).  It runs on the host for both backends, on what is the same bits there,
 * but for the search for an assignment, which gives the same answer on both. */
#pragma once

#include "common/memory.h"
#include "scopedetect/explain/assign.h"
#include "scopedetect/scopedetect_core.h"

#define SCOPEDETECT_MAX_CANDIDATES 1024 /* of a frame: the fittest */
#define SCOPEDETECT_BESIDE 12           /* patches that go on from one */

/* A point of the scene, for all those around it. */
typedef struct {
  Vec x, normal, lab; /* lab: 0 without colour */
  int n_beside;
  uint16_t beside[SCOPEDETECT_BESIDE]; /* where the surface goes on smoothly */
} ScopedetectPatch;

typedef struct {
  int n;
  float points; /* of the scene for each patch: 1 if all are patches */
  ScopedetectPatch *patch;
} ScopedetectPatches;

#define SCOPEDETECT_OTHER_COLOUR 2.f

/* What says whether a pose is right. */
typedef struct {
  float part[SCOPEDETECT_N_PARTS]; /* of its score */
  float beyond; /* patches to which the surface goes on smoothly, for each that
                   it explains: a face of another thing does not end with it */
  float area;   /* points of the scene that it explains */
  float off;    /* mean of the patches' distances from its surface, metres */
  float aside;  /* magnitude of the mean of the same with signs: 0 if the
                   surface lies amid the patches, off if on one side of all */
  bool frame_colour, colour; /* the frame has colour; so has the model, too */
  /* With colour: differences between the patches and the model in the same
   * light, of L, and of a with b: 0 to SCOPEDETECT_OTHER_COLOUR. */
  float lightness, chroma;
  bool second; /* the second search found it */
} ScopedetectEvidence;

/* What a search found of all models, best first. */
typedef struct {
  ScopedetectHypothesis *hypothesis; /* [model][SCOPEDETECT_FOUND] */
  ScopedetectMeasure *measure;       /* likewise */
  int *n;                            /* of each model */
} ScopedetectFindings;

/* The points of a frame, in host memory. */
typedef struct {
  int n;
  Vec *x, *normal, *lab; /* lab: of frames with colour */
} ScopedetectPoints;

/* What an explanation is made of. */
typedef struct {
  int n_models;
  ScopedetectShape *shape; /* of each, in host memory */
  bool has_colour;         /* the frame */
  double tolerance;        /* as in ScopedetectParams */
  ScopedetectPoints points;
  bool has_patches; /* those of these points */
  ScopedetectPatches patches;
  ScopedetectFindings by[2]; /* the first search, in all of the frame; and the
                                second, in what the first choice left */
} ScopedetectFound;

/* A hypothesis of a search. */
typedef struct {
  int model, search, rank; /* search: 0 or 1 */
  int32_t fit;
  bool stays; /* it is a candidate even if others are fitter */
} ScopedetectRanked;

/* The hypotheses that may be chosen. */
typedef struct {
  int n;
  ScopedetectRanked *ranked;       /* room for all hypotheses */
  ScopedetectCandidate *candidate; /* of SCOPEDETECT_MAX_CANDIDATES */
  ScopedetectObject *object;       /* likewise */
  uint64_t *excludes;              /* as in ScopedetectAssignTask */
  /* Scratch: [search][model][SCOPEDETECT_FOUND]; and how many searches have
   * been judged, whose hypotheses do not change. */
  ScopedetectCandidate *judged;
  int n_judged;
} ScopedetectCandidates;

/* How likely an object of a model is in the frame. */
typedef struct {
  int model;
  int32_t fit; /* of the fittest of its first poses; -SCOPEDETECT_SURE - 1: it
                  has none */
} ScopedetectVote;

/* Of @n points, those that are patches, and what lies beside each.  @lab: NULL
 * without colour. */
void scopedetect_set_patches (ScopedetectPatches *patches, const Vec *x,
    const Vec *normal, const Vec *lab, int n, float spacing);

/* Which patches a pose of @shape explains, to @candidate, and what that and
 * its score say. */
ScopedetectEvidence scopedetect_judge (const ScopedetectPatches *patches,
    const ScopedetectShape *shape, const ScopedetectHypothesis *hypothesis,
    bool frame_colour, ScopedetectCandidate *candidate);

#define SCOPEDETECT_SURE_ODDS 8. /* log-odds, natural, that are a fit of 1 */

/* The log-odds that a pose is right which has such evidence, in
 * SCOPEDETECT_SURE_ODDS / SCOPEDETECT_SURE, from -SCOPEDETECT_SURE to
 * SCOPEDETECT_SURE. */
int32_t scopedetect_fit (const ScopedetectEvidence *evidence);

/* The candidate that hypothesis @r is, with its patches and fit. */
void scopedetect_judge_ranked (const ScopedetectFound *found,
    const ScopedetectRanked *r, ScopedetectCandidate *candidate);

/* Sets the fit of each of @n votes by what @search has found of its model. */
void scopedetect_vote (
    const ScopedetectFound *found, int search, ScopedetectVote *vote, int n);

#define SCOPEDETECT_MIN_FIT (-SCOPEDETECT_SURE / 2) /* of a candidate */

/* The share of poses of such a fit that are right. */
double scopedetect_score_of (int32_t fit);

/* Whether two candidates of a model are of one object: they explain the same
 * surface, most of the smaller of the two, or are in each other. */
bool scopedetect_is_one (const ScopedetectShape *shape,
    const ScopedetectCandidate *a, const ScopedetectObject *at,
    const ScopedetectCandidate *b, const ScopedetectObject *other);

/* The candidates are @chosen, of which there are @n, and the fittest of the
 * first @max hypotheses of each model and search.  The places that @chosen have
 * among them go to @at. */
void scopedetect_set_candidates (ScopedetectCandidates *c,
    const ScopedetectFound *found, int max, const ScopedetectRanked *chosen,
    int n, int *at);

/* The numbers of the points that none of the candidates @chosen explains,
 * ascending, to @left; returns how many.  @explained: scratch, for each point.
 */
int scopedetect_set_left (const ScopedetectFound *found,
    const ScopedetectCandidates *c, const ScopedetectAssignment *chosen,
    bool *explained, uint16_t *left);

/* ---- Objects ---- */

/* scopedetect_model_apart (), by the shape in host memory. */
double scopedetect_apart (const ScopedetectShape *shape,
    const ScopedetectObject *a, const ScopedetectObject *b);

/* Fills the result of a hypothesis, all but its model. */
void scopedetect_set_object (ScopedetectObject *o,
    const ScopedetectShape *shape, const ScopedetectHypothesis *hypothesis,
    const ScopedetectMeasure *measure, bool frame_colour, double tolerance);

/* The objects of @model that the first search has found, each by itself: those
 * that score enough and are no better one's duplicates.  Returns how many;
 * there is room for SCOPEDETECT_MAX_OBJECTS. */
int scopedetect_objects_of (const ScopedetectFound *found,
    const ScopedetectParams *params, int model, ScopedetectObject *objects);

/* Of @n objects, whose models are @shapes, drops those of which less than
 * @least_own of what they explain is not explained by better ones; @fate has
 * room for @n.  Returns how many stay, in order. */
int scopedetect_contest (const ScopedetectShape *shapes, double least_own,
    ScopedetectObject *objects, uint8_t *fate, int n);

static inline bool
scopedetect_meet (const ImageBox *a, const ImageBox *b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}
